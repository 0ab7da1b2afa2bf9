"""All screens of help on a terminal of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from ocml_bridge.cli.commands import COMMANDS
from ocml_bridge.cli.conversion_command import ConversionCommand
from ocml_bridge.common.lazy import find

from .conftest import Run

SCREENS = ("", *COMMANDS)
EXAMPLE = re.compile(r"^  (ocml-convert|cat) ")


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest, run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a command's help."""
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*([request.param] if request.param else []), "--help")
    assert (done.status, done.err) == (0, "")
    return done.out.decode().splitlines()


def options(command: click.Command) -> Iterator[click.Option]:
    params = command.every_param() if isinstance(command, ConversionCommand) else command.params
    return (each for each in params if isinstance(each, click.Option))


def test_a_screen_of_help_fits_and_has_no_markup(screen: list[str]) -> None:
    for line in screen:
        assert len(line) <= 80, line
        assert line.isprintable(), line
        assert not re.search(r"\\b|``|:param|\bArgs:|\bRaises:|noqa|[a-z,]\.\.\.$", line), line


def test_each_example_stays_on_its_line(screen: list[str]) -> None:
    """If the help were refilled, an example would be followed by another one or by prose on the same line."""
    for line in screen:
        if EXAMPLE.match(line):
            assert line.count("ocml-convert") == 1, line
            assert not line.endswith((",", "-")), line


def test_a_screen_of_help_begins_with_a_sentence(screen: list[str]) -> None:
    assert screen[0].startswith("Usage: ocml-convert ")
    text = " ".join(" ".join(screen[2:]).split())
    assert re.match(r"[A-Z][^.]{10,}\.", text), text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    for option in options(find(COMMANDS[name])):
        assert re.fullmatch(r"[A-Z0-9'].{8,}\.(  \[default: .*\])?", option.help or ""), option.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_values_of_options_have_names_of_their_own(name: str) -> None:
    """The placeholder of a value is not the name of a Python type."""
    for option in options(find(COMMANDS[name])):
        if not option.is_flag and not isinstance(option.type, click.Choice):
            assert option.metavar, option.opts


def test_short_names_are_understood_everywhere(run: Run) -> None:
    assert run("-h") == run("--help")
    assert run("check", "-h") == run("check", "--help")
    assert run("-V") == run("--version")


def test_every_command_has_its_whole_sentence(run: Run) -> None:
    text = " ".join(run("--help").out.decode().split())
    for name, place in COMMANDS.items():
        assert f" {name} {find(place).get_short_help_str(limit=200)}" in text
