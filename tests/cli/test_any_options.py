"""A command with any options ends with a documented status, and never with an internal error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest

from cli.conftest import Run
from ocml_bridge import formats
from ocml_bridge.cli import command
from ocml_bridge.errors import ExitCode
from sampling import sweep
from sources import ROOT

CONTEXT = click.Context(command)
COMMANDS = sorted({*command.list_commands(CONTEXT)} - {"serve", "playground"})
"""All commands except those that run until they are stopped."""
INPUTS = {
    "chat.json": "openai/reasoning",
    "talk.ocm": "ocm-2.2/function-call",
    "answer.txt": "harmony/function-call",
    "row.json": "sharegpt/function-call",
}
ROWS = """\
{"messages":[{"role":"user","content":"Hi"}]}
{"conversations":[]}
{"text":"<|im_start|>user\\nHi<|im_end|>"}
"""
FORMATS = [*formats(), "chatml:hermes", "harmony:oss", "openai-sse", "anthropic-sse", "nothing", ""]
FILES = [*INPUTS, "rows.jsonl", "out", "out/deeper", ".", "-", "nothing.txt"]
VALUES: dict[str, list[str]] = {
    "FORMAT": FORMATS,
    "FILE": FILES,
    "FOLDER": ["out", ".", "rows.jsonl"],
    "NAME": ["gpt-oss", "qwen3", "auto", "sharegpt", "messages", "text", "nothing"],
    "N": ["0", "1", "2", "-1", "x"],
}
"""Values of options, by their placeholder in the help."""
STATUSES = {value for name, value in vars(ExitCode).items() if name.isupper()} - {ExitCode.INTERRUPTED}
WORDS = ["content", "layout", "all", "last", "assistant", "high", "0", "1", "a=b", "2026-01-01", "{}", "<|x|>", "é", ""]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the inputs."""
    monkeypatch.chdir(tmp_path)
    for name, case in INPUTS.items():
        (source,) = (ROOT / "golden" / case).glob("input.*")
        shutil.copy(source, tmp_path / name)
    (tmp_path / "rows.jsonl").write_text(ROWS)
    return tmp_path


def line(name: str, random: Random) -> Iterator[str]:
    """A command line: some options with values that they may or may not take, and some inputs."""
    yield name
    parameters: Any = command.get_command(CONTEXT, name)
    options = [each for each in parameters.params if isinstance(each, click.Option) and "--help" not in each.opts]
    for option in random.sample(options, min(len(options), random.randrange(5))):
        yield option.opts[-1]
        if not option.is_flag:
            choices = option.type.choices if isinstance(option.type, click.Choice) else ()
            named = VALUES.get(str(option.metavar).strip("[].").partition("|")[0], WORDS)
            yield str(random.choice([*choices] or [*named, *named, *WORDS]))
    yield from random.choices([*INPUTS, "rows.jsonl"], k=random.randrange(3))


@pytest.mark.sweep
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_with_any_options_ends_with_a_documented_status(run: Run, name: str) -> None:
    for seed in sweep(range(200), 41):
        arguments = [*line(name, Random(f"{name} {seed}"))]
        done = run(*arguments, stdin=b'{"messages":[{"role":"user","content":"Hi"}]}')
        assert done.status in STATUSES, arguments
        assert "this is a bug" not in done.err, (arguments, done.err)
        assert "Traceback" not in done.err, (arguments, done.err)
