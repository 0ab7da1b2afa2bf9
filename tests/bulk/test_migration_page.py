"""The commands of the pages on migration and layouts are run, and print what the pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sources import ROOT


def sessions_of(name: str) -> list[str]:
    page = (ROOT / "docs" / name).read_text("utf-8")
    return re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def run_page(folder: Path, sessions: list[str]) -> list[str]:
    """The output of the page's sessions, run one after the other in a folder."""
    command = folder / "bin" / "ocml-convert"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ocml_bridge "$@"\n')
    command.chmod(0o755)
    packages = os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters")))
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": packages, "LC_ALL": "C"}
    work = folder / "work"
    work.mkdir()
    seen: list[str] = []
    for session in sessions:
        shown = ""
        for line in re.findall(r"^\$ (.*)$", session, re.MULTILINE):
            done = subprocess.run(
                ("sh", "-c", line),
                cwd=work,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            shown += f"$ {line}\n{done.stdout.decode()}"
        seen.append(shown)
    return seen


@pytest.mark.parametrize(("name", "least"), [("migration.md", 6), ("layouts.md", 2)])
def test_the_page_shows_what_the_commands_give(name: str, least: int, tmp_path: Path) -> None:
    sessions = sessions_of(name)
    assert len(sessions) >= least
    assert run_page(tmp_path, sessions) == sessions
