"""Completions in shells: commands, options, formats, dialects, streams, profiles, codes, files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete, get_completion_class

from ocml_bridge.cli import command
from ocml_bridge.cli.commands import COMMANDS
from ocml_bridge.cli.completion import joined

SHELLS = ("bash", "zsh", "fish")
OFFERED: dict[tuple[str, ...], list[str]] = {
    ("",): ["check", "view", "file"],
    ("ba",): ["batch"],
    ("--st",): ["--strict"],
    ("--v",): ["--version", "--verify", "--verbose"],
    ("in.json", "--allow", ""): ["structure", "media"],
    ("in.json", "--allow", "media,ali"): [],
    ("in.json", "--allow", "media,alt"): ["media,alternatives"],
    ("-t", "har"): ["harmony", "harmony-tokens"],
    ("in.json", "--to", "harmony:"): ["harmony:spec", "harmony:oss", "harmony:hf"],
    ("in.json", "-t", "chatml", "--profile", "gpt"): ["gpt-oss"],
    ("in.json", "--unsi"): ["--unsigned"],
    ("batch", "--prof"): ["--profile"],
    ("batch", "data", "-f", "sh"): ["sharegpt"],
    ("check", "-f", "bed"): ["bedrock-converse"],
    ("stream", "-t", "anthropic-"): ["anthropic-sse"],
    ("stream", "-f", "harmony", "--profile", "gpt"): ["gpt-oss"],
    ("serve", "-f", "internlm2:"): ["internlm2:im"],
}


def completer(shell: str) -> ShellComplete:
    found = get_completion_class(shell)
    assert found is not None
    return found(command, {}, "ocml-convert", "_OCML_CONVERT_COMPLETE")


@pytest.mark.parametrize("words", OFFERED, ids=" ".join)
def test_completions_are_the_words_that_may_follow(words: tuple[str, ...]) -> None:
    found = completer("zsh").get_completions([*words[:-1]], words[-1])
    offered = [item.value if item.type == "plain" else item.type for item in found]
    assert [name for name in OFFERED[words] if name not in offered] == []
    assert OFFERED[words] or not offered


def test_all_commands_are_completed() -> None:
    found = completer("zsh").get_completions([], "")
    assert {item.value for item in found if item.type == "plain"} == set(COMMANDS)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_its_completions(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each shell passes the line and the current word in its own way."""
    monkeypatch.setenv("COMP_WORDS", "ocml-convert in.json -t internlm2-")
    monkeypatch.setenv("COMP_CWORD", "internlm2-" if shell == "fish" else "3")
    assert "internlm2-tokens" in completer(shell).complete()


def test_words_with_colons_are_completed_in_bash() -> None:
    assert joined(["in.json", "-t", "harmony", ":"]) == ["in.json", "-t", "harmony:"]
    assert joined(["-t", "harmony", ":", "o", "x"]) == ["-t", "harmony:o", "x"]
    assert joined([""]) == [""]


BASH = """
eval "$(_OCML_CONVERT_COMPLETE=bash_source ocml-convert)"
compopt() { :; }
COMP_WORDS=(ocml-convert %s); COMP_CWORD=%d
_ocml_convert_completion ocml-convert
echo "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(("typed", "offered"), [(["ba"], "batch"), (["a", "-t", "harmony", ":", "o"], "oss")])
def test_completions_in_bash_itself(typed: list[str], offered: str, tmp_path: Path) -> None:
    """Bash runs the script, and offers what the script prints: after a colon, only the rest of the word."""
    program = tmp_path / "ocml-convert"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ocml_bridge "$@"\n')
    program.chmod(0o755)
    script = f"PATH={tmp_path}:$PATH\n" + BASH % (" ".join(typed), len(typed))
    done = subprocess.run(("bash", "-c", script), capture_output=True, text=True, check=True)
    assert done.stdout.split() == [offered]
