"""The examples of README.md and of the page on versions are run, and print what is shown."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ocml_bridge import formats
from ocml_bridge.registry import adapter
from sources import ROOT

README = (ROOT / "README.md").read_text("utf-8")
VERSIONS = (ROOT / "docs" / "versioning.md").read_text("utf-8")
SESSIONS = re.findall(r"^```console\n(.*?)^```", README + VERSIONS, re.MULTILINE | re.DOTALL)
"""Sessions of a shell: each line after `$ ` is run, and prints what is below it."""


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `ocml-convert` is the one of this checkout."""
    command = tmp_path / "bin" / "ocml-convert"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ocml_bridge "$@"\n')
    command.chmod(0o755)
    packages = os.pathsep.join((str(ROOT / "bridge"), str(ROOT / "adapters")))
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": packages}


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session_prints_what_is_shown(shell: dict[str, str], tmp_path: Path, session: str) -> None:
    (tmp_path / "golden").symlink_to(ROOT / "golden")
    seen = ""
    for line in re.findall(r"^\$ (.*)$", session, re.MULTILINE):
        done = subprocess.run(
            ("sh", "-c", line), cwd=tmp_path, env=shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        output = done.stdout.decode()
        # A text that ends without a newline cannot be shown as such.
        seen += f"$ {line}\n{output}" + ("\n" if output and not output.endswith("\n") else "")
    assert seen == session


def test_examples_of_the_library_return_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_pages_have_examples() -> None:
    assert len(SESSIONS) > 1


def test_the_table_of_formats_has_the_registered_formats(request: pytest.FixtureRequest) -> None:
    """`pytest --accept` writes it."""
    rows = ["| id | what it is | dialects |", "| --- | --- | --- |"]
    for name in formats():
        found = adapter(name)[0]
        dialects = ", ".join(f"`{dialect}`" for dialect in found.dialects)
        rows.append(f"| [`{name}`](docs/formats/{name}.md) | {found.title} | {dialects} |")
    start = README.index(rows[0])
    end = README.index("\n\n", start)
    table = "\n".join(rows)
    if request.config.getoption("--accept"):
        (ROOT / "README.md").write_text(README[:start] + table + README[end:], "utf-8")
    else:
        assert README[start:end] == table
