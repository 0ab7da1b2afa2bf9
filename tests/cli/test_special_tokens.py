"""`--special-tokens FILE`: the tokens that files name, and what commands do with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Run
from ocml_bridge.cli.special_tokens import parse

HOSTILE = b'{"type":"transcript","messages":[{"role":"user","content":"a [INST] b"}]}'

FILES: dict[str, tuple[Any, list[str]]] = {
    "a list": (["<a>", "[b]"], ["<a>", "[b]"]),
    "tokenizer.json": (
        {
            "version": "1.0",
            "added_tokens": [{"content": "<a>", "special": True}, {"content": "  ", "special": False}],
            "model": {"vocab": {"x": 1}},
        },
        ["<a>"],
    ),
    "tokenizer_config.json": (
        {
            "added_tokens_decoder": {"0": {"content": "<a>", "special": True}, "1": {"content": "b", "special": False}},
            "additional_special_tokens": ["[c]"],
            "eos_token": {"content": "</s>", "lstrip": False},
            "pad_token": None,
            "add_bos_token": True,
            "chat_template": "{{ bos_token }}",
        },
        ["<a>", "[c]", "</s>"],
    ),
    "special_tokens_map.json": (
        {"bos_token": "<s>", "additional_special_tokens": [{"content": "[c]"}]},
        ["<s>", "[c]"],
    ),
    "special_tokens_map.json of later models": ({"extra_special_tokens": {"image_token": "<image>"}}, ["<image>"]),
}


@pytest.mark.parametrize(("value", "tokens"), FILES.values(), ids=FILES)
def test_special_tokens_are_read_from_json(value: Any, tokens: list[str]) -> None:
    assert parse(json.dumps(value).encode()) == tokens


def test_each_line_is_a_token() -> None:
    assert parse(b"[INST]\r\n\n <a> \n\xe2\x96\x81\xe2\x96\x81\n") == ["[INST]", " <a> ", "\u2581\u2581"]


@pytest.fixture
def named(tmp_path: Path) -> Path:
    path = tmp_path / "tokens"
    path.write_text("[INST]\n[/INST]\n")
    return path


def test_convert_breaks_special_tokens_and_restores_them_with_the_sidecar(run: Run, named: Path) -> None:
    done = run("-t", "chatml", "--verify", "--special-tokens", named, stdin=HOSTILE)
    assert done.out.decode() == "<|im_start|>user\na [\u200bINST] b<|im_end|>\n"
    assert "warning[control-token] changed /messages/0/content" in done.err
    back = run("-f", "chatml", "-t", "canonical", "--special-tokens", named, stdin=done.out)
    assert json.loads(back.out)["messages"][0]["content"] == "a [INST] b"


def test_convert_refuses_special_tokens_with_the_option(run: Run, named: Path) -> None:
    options = ("--control-tokens", "refuse", "--special-tokens", named)
    done = run("-t", "chatml", *options, stdin=HOSTILE)
    assert (done.status, done.out) == (3, b"")
    assert "OCB-CONTROL-TOKEN at /messages/0/content" in done.err


def test_stream_breaks_special_tokens(run: Run, named: Path) -> None:
    data = b"<|start|>user<|message|>a [INST] b<|end|>"
    done = run("stream", "-f", "harmony", "-t", "chatml", "--special-tokens", named, stdin=data)
    assert "a [\u200bINST] b" in done.out.decode()
    assert "control-token" in done.err


def test_batch_breaks_special_tokens_in_each_record(run: Run, named: Path, tmp_path: Path) -> None:
    inputs, out = tmp_path / "in.jsonl", tmp_path / "out"
    inputs.write_bytes(HOSTILE + b"\n")
    options = ("--verify", "--special-tokens", named, "--jobs", "1", "-q")
    done = run("batch", inputs, "-t", "harmony", "--output", out, *options)
    assert done.status == 0
    assert any("a [\u200bINST] b" in json.dumps(path.read_text(), ensure_ascii=False) for path in _written(out))


def _written(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "INST" in path.read_text(errors="replace")]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no token in it; give one token a line"),
        (b"{}", "has no token in it; give one token a line"),
        (b"a\n", "a special token must be a string of 2 to 128 characters, without U+200B, not 'a'"),
        (b'["<a>", 7]', "the list must hold strings only; give one token a line"),
        (b"\xff\xfe", "not UTF-8; give one token a line"),
    ],
)
def test_a_file_without_special_tokens_is_refused(run: Run, tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "tokens"
    path.write_bytes(data)
    done = run("-t", "chatml", "--special-tokens", path, stdin=HOSTILE)
    assert (done.status, done.out) == (2, b"")
    assert "OCB-OPTION" in done.err
    assert message in done.err


def test_special_tokens_cannot_come_from_standard_input(run: Run) -> None:
    done = run("-t", "chatml", "--special-tokens", "-", stdin=HOSTILE)
    assert done.status == 2
    assert "not from standard input" in done.err
