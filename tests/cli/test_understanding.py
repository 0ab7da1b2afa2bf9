"""The command names the kind of an input that it cannot read; it never writes an empty conversation with status 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

ANTHROPIC: Any = {
    "model": "claude",
    "messages": [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Checking."},
                {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "15C"}]},
    ],
}
CHATML = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n"


FOREIGN: list[tuple[Any, str]] = [
    (
        {"instruction": "Add.", "output": "2"},
        "an Alpaca record (`instruction` at /instruction); `ocml-convert batch ",
    ),
    ([{"title": "t", "mapping": {}}], "a ChatGPT export"),
]


@pytest.mark.parametrize(("document", "kind"), FOREIGN)
def test_input_that_no_format_reads_is_named(document: Any, kind: str, run: Run) -> None:
    for command in ((), ("check",), ("view",)):
        finished = run(*command, *(() if command else ("-t", "harmony")), stdin=json.dumps(document).encode())
        assert (finished.status, finished.out) == (5, b"")
        assert "OCB-FORMAT-UNKNOWN" in finished.err
        assert f"this looks like {kind}" in finished.err


def test_the_error_has_the_command_that_reads_the_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alpaca.json").write_text(json.dumps([{"instruction": "Add.", "output": "2"}]))
    err = run("alpaca.json", "-t", "openai").err
    line = "ocml-convert batch alpaca.json --plan auto -t openai -o converted"
    assert f"`{line}` reads such rows" in err
    assert run(*line.split()[1:]).status == 0
    assert (tmp_path / "converted" / "alpaca.jsonl").exists()


@pytest.mark.parametrize(
    ("document", "path", "query"),
    [
        ({"request": {"body": {"messages": [{"role": "user", "content": "Hi"}]}}}, "/request/body", ".request.body"),
        ({"my log": [{"dialog": [{"role": "user", "content": "Hi"}]}]}, "/my log/0/dialog", '.["my log"][0].dialog'),
        ({"history": [{"role": "user", "content": "Hi"}]}, "/history", ".history"),
        ([5, {"a": [{"role": "user", "content": "Hi"}]}], "/1/a", ".[1].a"),
    ],
)
def test_a_conversation_inside_of_other_json_is_named_with_its_place(
    document: Any, path: str, query: str, run: Run
) -> None:
    err = run("-t", "openai", stdin=json.dumps(document).encode()).err
    assert f"the input has a conversation at {path}; take it out: jq -c '{query}' FILE" in err


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        ("<|im_start|>user\nCaf\xe9<|im_end|>\n".encode("latin-1"), "convert it first: iconv -f windows-1252 -t utf-8"),
        (b"\x00\x01\x80", "the file is not a text; name the one with the transcript"),
        (b'{"messages": []}{"messages": []}', "a second value begins here; write one value, or one on each line"),
        (b'[{"role": "user", "content": "a\nb"}]', "a string has a line break or a tab in it"),
    ],
)
def test_the_error_for_invalid_input_has_advice(data: bytes, advice: str, run: Run) -> None:
    assert advice in run("-t", "openai", stdin=data).err


def test_a_wrong_from_is_refused_and_can_be_forced(run: Run) -> None:
    finished = run("-f", "harmony", "-t", "openai", stdin=CHATML.encode())
    assert (finished.status, finished.out) == (5, b"")
    assert "OCB-FORMAT-DOUBT: the input is not harmony but ChatML (`<|im_start|>` at 1:1)" in finished.err
    assert "to read it as harmony anyway, use --force-format" in finished.err
    for command in (("convert", "-t", "openai"), ("check",), ("view",)):
        assert run(*command, "-f", "harmony", stdin=CHATML.encode()).status == 5
        assert run(*command, "-f", "harmony", "--force-format", stdin=CHATML.encode()).status == 0


def test_a_document_of_anthropic_is_refused_as_openai(run: Run) -> None:
    finished = run("-f", "openai", "-t", "harmony", stdin=json.dumps(ANTHROPIC).encode())
    assert (finished.status, finished.out) == (5, b"")
    assert "OCB-FORMAT-DOUBT at /messages/1/content/1: the input is not openai but an Anth" in finished.err
    assert "the format anthropic reads it" in finished.err


@pytest.mark.parametrize(
    ("command", "data", "name"),
    [
        (("check",), b"\x1f\x8b\x08\x00", "this looks like gzip"),
        (("-t", "openai"), b"\x1f\x8b\x08\x00", "the input is compressed with gzip"),
        (("-t", "openai"), "Hi".encode("utf-16") + b"x", "this looks like UTF-16 text"),
    ],
)
def test_binary_input_is_named(command: tuple[str, ...], data: bytes, name: str, run: Run) -> None:
    finished = run(*command, stdin=data)
    assert (finished.status, finished.out) == (4, b"")
    assert name in finished.err


def test_a_file_in_utf_16_is_read_and_its_byte_order_mark_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(CHATML.encode("utf-16"))
    finished = run(str(tmp_path / "a.txt"), "-t", "chatml", "-v")
    assert (finished.status, finished.out) == (0, CHATML.encode())
    assert "byte-order-mark" in finished.err


@pytest.mark.parametrize(
    ("written", "meant"), [("opnai", "openai"), ("openAI", "openai"), ("gpt-oss", "harmony"), ("qwen", "chatml:hermes")]
)
def test_the_error_for_an_unknown_format_names_the_nearest(written: str, meant: str, run: Run) -> None:
    finished = run("-t", written, stdin=CHATML.encode())
    assert finished.status == 5
    assert f"there is no format '{written}'; did you mean {meant}?" in finished.err


def test_the_error_for_an_undetected_format_names_the_option_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hello.")
    finished = run(str(tmp_path / "a.txt"), "-t", "openai")
    assert finished.err.endswith("name it with --from (`ocml-convert formats` lists them)\n")
