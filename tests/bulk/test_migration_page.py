"""The commands of docs/migration.md are run, and give what is shown there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from sources import ROOT

PAGE = (ROOT / "docs" / "migration.md").read_text("utf-8")
SESSIONS = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def run_page(folder: Path) -> list[str]:
    """The page's sessions as they are when run in a folder, one behind the other."""
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
    for session in SESSIONS:
        told = ""
        for line in re.findall(r"^\$ (.*)$", session, re.MULTILINE):
            done = subprocess.run(
                ("sh", "-c", line),
                cwd=work,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            told += f"$ {line}\n{done.stdout.decode()}"
        seen.append(told)
    return seen


def test_the_page_shows_what_the_commands_give(tmp_path: Path) -> None:
    assert len(SESSIONS) > 5
    assert run_page(tmp_path) == SESSIONS
