"""Errors of `convert` for several files, a folder, a compressed file, a misspelt command have the command to type."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import pytest

from .conftest import Run

CHAT = b"<|im_start|>user\nHi<|im_end|>\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with files of each kind."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for name in ("a.chatml", "b c.chatml", "texts/d.chatml"):
        (tmp_path / name).write_bytes(CHAT)
    (tmp_path / "e.chatml.gz").write_bytes(gzip.compress(CHAT))
    return tmp_path


GIVEN: dict[tuple[str, ...], str] = {
    ("a.chatml", "b c.chatml", "-t", "openai", "--strict"): (
        "convert takes one file, not 2; this converts them all: "
        "ocml-convert batch a.chatml 'b c.chatml' -t openai --strict -o converted"
    ),
    ("texts", "-f", "chatml", "-t", "harmony:oss", "--pretty", "-o", "x", "--allow", "name,weight"): (
        "texts is a folder; this converts the files in it: "
        "ocml-convert batch texts -t harmony:oss -f chatml --allow name,weight -o converted"
    ),
    ("e.chatml.gz", "-t", "openai", "--reasoning", "reasoning_content"): (
        "e.chatml.gz is compressed with gzip; this converts what is in it: "
        "ocml-convert batch e.chatml.gz -t openai --reasoning reasoning_content -o converted"
    ),
}


@pytest.mark.parametrize("arguments", GIVEN)
def test_the_error_for_several_inputs_names_the_command_batch(
    run: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    done = run(*arguments)
    code, status = ("OCB-ENCODING", 4) if "compressed" in GIVEN[arguments] else ("OCB-OPTION", 2)
    assert done == (status, b"", f"ocml-convert: {code}: {GIVEN[arguments]}\n")
    line = shlex.split(done.err.partition("ocml-convert batch")[2])
    assert run("batch", *line).status == 0
    assert any((folder / "converted").rglob("*.*"))


def test_the_advice_has_a_placeholder_without_a_target(run: Run, folder: Path) -> None:
    assert "batch texts -t FORMAT -o converted" in run("texts").err


def test_the_error_for_a_file_of_several_conversations_names_the_command_batch(run: Run, folder: Path) -> None:
    (folder / "f.jsonl").write_bytes(b'{"messages":[{"role":"user","content":"Hi"}]}\n' * 2)
    done = run("f.jsonl", "-t", "harmony", "--strict")
    line = "ocml-convert batch f.jsonl -t harmony --strict -o converted"
    message = f"a second conversation begins here; this converts each of them: {line}"
    assert done == (4, b"", f"ocml-convert: f.jsonl: OCB-SEVERAL at /1: {message}\n")
    assert run(*shlex.split(line)[1:]).status == 0


def test_the_error_for_a_session_names_the_command_batch(run: Run, folder: Path) -> None:
    line = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Hi"}}
    (folder / "s.jsonl").write_text(f"{json.dumps(line)}\n")
    command = "ocml-convert batch s.jsonl --preview -t openai -o converted"
    assert f"`{command}` reads the file as one conversation" in run("s.jsonl", "-t", "openai").err
    assert run(*shlex.split(command)[1:]).status == 0


def test_a_compressed_pipe_is_unpacked_first(run: Run) -> None:
    done = run("-t", "openai", stdin=gzip.compress(CHAT))
    assert done.err == "ocml-convert: OCB-ENCODING: the input is compressed with gzip; pipe it through 'gzip -dc'\n"


@pytest.mark.parametrize(
    ("typed", "meant"), [("chek", "check"), ("Batch", "batch"), ("help", "--help"), ("list", "formats")]
)
def test_a_misspelt_command_is_corrected_unless_it_is_a_file(run: Run, folder: Path, typed: str, meant: str) -> None:
    done = run(typed, "a.chatml")
    message = f"there is no command and no file '{typed}'; did you mean 'ocml-convert {meant}'?"
    assert done == (2, b"", f"ocml-convert: OCB-OPTION: {message}\n")
    (folder / typed).write_bytes(CHAT)
    assert run(typed, "-t", "openai").status == 0


def test_the_help_of_the_command_is_named(run: Run) -> None:
    assert "(see 'ocml-convert batch --help')" in run("batch", "--nope").err
    assert "(see 'ocml-convert convert --help')" in run("--qqqqq").err
