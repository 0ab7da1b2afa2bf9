"""`docs/ocml-convert.1` is the man page, made from the commands. `pytest tests/test_man_page.py --accept` writes it."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
from collections.abc import Iterator

import click
import pytest

from ocml_bridge import adapter, formats
from ocml_bridge.cli import command
from ocml_bridge.cli.commands import COMMANDS
from ocml_bridge.cli.conversion_command import take_format_options
from ocml_bridge.common.lazy import find
from sources import ROOT

PAGE = ROOT / "docs" / "ocml-convert.1"
ENVIRONMENT = {
    "NO_COLOR": "If it is set and not empty, nothing is coloured.",
    "OCML_UPSTREAM_KEY": "The key that 'serve' sends to the upstream server.",
    "OCML_SEAL_KEYS": "The keys that 'serve' seals call ids with, so that several gateways understand them.",
    "OCML_INTERNLM2_TOKENIZER": "The file of the vocabulary that 'internlm2-tokens' needs.",
    "TIKTOKEN_ENCODINGS_BASE": "A folder with the vocabulary that 'harmony-tokens' needs, not the installed one.",
}


def escaped(text: str) -> str:
    """Text as roff has it: dashes are those that one types, and no line is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def prose(text: str) -> Iterator[str]:
    """Paragraphs; those after a backspace character keep their lines, as in click."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        first, _, rest = paragraph.partition("\n")
        if first == "\b":
            yield from (".PP", ".RS 4", ".nf", *map(escaped, rest.splitlines()), ".fi", ".RE")
        else:
            yield from (".PP", escaped(" ".join(paragraph.split())))


def entry(head: str, text: str) -> tuple[str, ...]:
    return ".TP", head, escaped(text)


def option_of(option: click.Parameter, context: click.Context) -> Iterator[str]:
    record = option.get_help_record(context)
    if isinstance(option, click.Option) and record is not None:
        spelled, text = record
        yield from entry(f"\\fB{escaped(spelled)}\\fR", " ".join(text.split()))


def about(name: str, found: click.Command, parent: click.Context) -> Iterator[str]:
    with click.Context(found, parent, info_name=name) as context:
        pieces = " ".join(found.collect_usage_pieces(context))
        yield from (f'.SS "{name}"', f"\\fB{escaped(context.command_path)}\\fR {escaped(pieces)}")
        yield from prose(found.help or "")
        for option in found.get_params(context):
            yield from option_of(option, context)


def page() -> str:
    with click.Context(command, info_name="ocml-convert", **command.context_settings) as context:
        take_format_options(context)
        lines = [
            '.\\" Made from the commands by pytest tests/test_man_page.py --accept',
            '.TH OCML-CONVERT 1 "" "ocml-convert" "User Commands"',
            ".SH NAME",
            "ocml\\-convert \\- convert chat transcripts from one format to another",
            ".SH SYNOPSIS",
            "\\fBocml\\-convert\\fR [COMMAND] [OPTIONS] [FILE]",
            ".SH DESCRIPTION",
            *prose(command.help or ""),
            ".SH OPTIONS",
        ]
        for option in command.get_params(context):
            lines += option_of(option, context)
        lines += [".SH COMMANDS"]
        for name in command.list_commands(context):
            lines += about(name, find(COMMANDS[name]), context)
    lines += [".SH FORMATS"]
    for name in formats():
        found, _ = adapter(name)
        dialects = f" Dialects: {', '.join(found.dialects)}." if found.dialects else ""
        lines += entry(f"\\fB{escaped(name)}\\fR", f"{found.title}.{dialects}")
    lines += [".SH ENVIRONMENT"]
    for name, text in ENVIRONMENT.items():
        lines += entry(f"\\fB{name}\\fR", text)
    return "\n".join(lines) + "\n"


def test_the_page_is_made_from_the_help_of_the_commands(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    made = page()
    if request.config.getoption("--accept"):
        PAGE.write_text(made, "utf-8")
    assert PAGE.read_text("utf-8") == made


def test_every_command_format_and_option_is_in_it() -> None:
    text = PAGE.read_text("utf-8").replace("\\-", "-")
    for name in (*COMMANDS, *formats(), "--dry-run", "--control-tokens", "--drop-analysis", "--upstream"):
        assert name in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_page_is_valid_roff() -> None:
    done = subprocess.run(
        ("groff", "-man", "-Tutf8", "-ww", "-z", str(PAGE)), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
