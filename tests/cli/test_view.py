"""`ocml-convert view` and `matrix --html`."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sources import ROOT

from .conftest import Run
from .test_process import ENVIRONMENT

ARGUMENTS = "celsius"


def test_a_conversation_without_what_is_hidden(run: Run, example: str) -> None:
    done = run("view", example)
    text = done.out.decode()
    assert done.status == 0
    assert "> User\n  What's the weather in Tokyo?" in text
    assert "→ Call  functions.get_current_weather  answered" in text
    assert "1 system hidden" in text
    assert ARGUMENTS not in text


def test_debug_shows_hidden_messages(run: Run, example: str) -> None:
    text = run("view", "--debug", example).out.decode()
    assert ARGUMENTS in text
    assert "call id wx1" in text
    assert "Call functions.get_current_weather with location Tokyo." in text
    assert "hidden" not in text


def test_a_page(run: Run, example: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("view", example, "--html", page)
    assert (done.status, done.out, done.err) == (0, b"", "")
    text = page.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "<title>input.ocm</title>" in text
    assert ARGUMENTS not in text
    assert run("view", "--debug", example, "--html", page).status == 0
    assert ARGUMENTS in page.read_text("utf-8")


def test_a_page_on_standard_output(run: Run, example: str) -> None:
    assert run("view", example, "--html", "-").out.startswith(b"<!DOCTYPE html>")


def test_a_comparison(run: Run, example: str, tmp_path: Path) -> None:
    text = run("view", example, "--compare", "chatml").out.decode()
    assert text.startswith("chatml cannot hold the whole conversation: ")
    assert "In the output, end users would see 1 message that is hidden here." in text
    assert ARGUMENTS not in text
    page = tmp_path / "page.html"
    assert run("view", example, "--compare", "harmony:oss", "--html", page).status == 0
    assert "→ harmony:oss" in page.read_text("utf-8")


def test_the_input_is_never_overwritten(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "in.json"
    file.write_text('{"messages":[]}')
    done = run("view", file, "--html", file)
    assert (done.status, file.read_text()) == (2, '{"messages":[]}')


def test_errors_name_the_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "in.json"
    file.write_bytes(b"\xff")
    done = run("view", file)
    assert done.status == 4
    assert str(file) in done.err


def test_the_terminal_needs_no_libraries_for_pages(example: str) -> None:
    view = f"from ocml_bridge.cli import main; main(['view', {example!r}])"
    code = f"import sys; {view}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run((sys.executable, "-c", code), env=ENVIRONMENT, capture_output=True, text=True, check=True)
    imported = set(done.stderr.split())
    assert "ocml_bridge.view.terminal" in imported
    assert not {"jinja2", "markdown_it", "pydantic"} & imported


def test_standard_input(run: Run) -> None:
    done = run("view", stdin=b'{"messages":[{"role":"user","content":"hi \\u001b[31m"}]}')
    assert done.out.decode() == "> User\n  hi ␛[31m\n\n"


def test_answers_that_are_not_shown_are_counted(run: Run) -> None:
    choices = [{"index": at, "message": {"role": "assistant", "content": text}} for at, text in enumerate("abc")]
    done = run("view", stdin=json.dumps({"object": "chat.completion", "choices": choices}).encode())
    assert (done.out.decode(), done.err) == ("* Assistant\n  a\n\n", "<stdin>: 2 other answers are not shown\n")


def test_the_matrix_as_a_page(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    done = run("matrix", "--html", page)
    assert (done.status, done.out) == (0, b"")
    assert "What each format can hold" in page.read_text("utf-8")


def test_the_commands_of_the_documentation_print_what_it_shows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "view.md"
    session = re.search(r"```console\n\$ ocml-convert (.*?)\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert session is not None
    assert run(*session[1].split()).out.decode().rstrip("\n") + "\n" == session[2]
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


LINES = b'[{"role":"user","content":"one"}]\n[{"role":"user","content":"<two>"},{"role":"assistant","content":"2"}]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three conversations in two files, an invalid file, and a hidden file."""
    (tmp_path / "a.jsonl").write_bytes(LINES)
    (tmp_path / "b.txt").write_text("<|im_start|>user\nthree<|im_end|>\n")
    (tmp_path / "c.json").write_text("{")
    (tmp_path / ".hidden").write_text("x")
    return tmp_path


def test_a_folder_shows_the_readable_files_and_names_the_others(run: Run, folder: Path) -> None:
    done = run("view", folder)
    assert done.status == 4
    lines = done.out.decode().splitlines()
    assert [line.split()[1] for line in lines if line.startswith("── ")] == [
        f"{folder}/a.jsonl:/0",
        f"{folder}/a.jsonl:/1",
        f"{folder}/b.txt",
    ]
    assert [line for line in lines if line in ("  one", "  <two>", "  three")] == ["  one", "  <two>", "  three"]
    assert done.err.count("\n") == 1
    assert f"{folder}/c.json" in done.err


def test_a_file_of_several_conversations_is_shown_completely(run: Run) -> None:
    done = run("view", stdin=LINES)
    assert done.status == 0
    assert done.out.decode().count("── <stdin>:/") == 2


def test_a_page_of_several_conversations_has_a_list_of_them(run: Run, folder: Path) -> None:
    page = folder / "page.html"
    assert run("view", folder / "a.jsonl", folder / "b.txt", "--html", page).status == 0
    text = page.read_text("utf-8")
    assert re.findall(r'<a href="#(chat-\d)"', text) == re.findall(r'<section class="chat" id="(chat-\d)"', text)
    assert text.count('<section class="chat"') == 3
    assert '<span dir="auto">&lt;two&gt;</span>' in text
    assert re.findall(r'<bdi class="name">([^<]*)</bdi><i>', text) == ["a.jsonl:/0", "a.jsonl:/1", "b.txt"]
    assert len(set(re.findall(r'<article[^>]* id="([^"]*)"', text))) == 4


def test_one_conversation_is_compared(run: Run, folder: Path) -> None:
    done = run("view", folder / "a.jsonl", "--compare", "harmony")
    assert done.status == 2
    assert "--compare takes one conversation, and the input has 2" in done.err
