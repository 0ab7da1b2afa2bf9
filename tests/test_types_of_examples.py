"""The Python of README.md and the docs passes pyright, and mypy as strict as it can be, as a caller's own code does."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from sources import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LEFT_TO_THE_READER = {
    "gateway": "import httpx\nclient = httpx.AsyncClient()\n",
    "migration": "from typing import Any\nspark: Any = None\n",
}
"""Definitions that the programs of a page use."""
UNTYPED = frozenset({"adding-a-format", "api"})
"""A guide with functions without annotations, and with signatures."""
TYPED = [page for page in PAGES if page.stem not in UNTYPED and BLOCK.search(page.read_text("utf-8"))]


def is_session(block: str) -> bool:
    return block.startswith(">>> ")


def typed_lines(block: str) -> Iterator[str]:
    """The lines of a session that are Python. What it shows is an expression, which a program would use."""
    for line in re.findall(r"^(?:>>>|\.\.\.) ?(.*)$", block, re.MULTILINE):
        shown = re.match(r"(?!from |import |for |assert |print\()[\w(\[][^=]*$", line)
        yield f"print({line})" if shown else line


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with programs: the sessions of each page as one, every other block as one."""
    folder = tmp_path_factory.mktemp("examples")
    for page in TYPED:
        blocks = BLOCK.findall(page.read_text("utf-8"))
        sessions = "\n".join(line for block in blocks if is_session(block) for line in typed_lines(block))
        given = LEFT_TO_THE_READER.get(page.stem, "")
        programs = [sessions, *(given + block for block in blocks if not is_session(block))]
        for number, program in enumerate(programs):
            (folder / f"{page.stem.replace('-', '_')}_{number}.py").write_text(program + "\n", "utf-8")
    return folder


def test_there_are_examples() -> None:
    assert len(TYPED) >= 5


@pytest.mark.long
@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed (the extra lint)")
def test_pyright(programs: Path) -> None:
    settings = f'{{"extraPaths": ["{ROOT}/bridge", "{ROOT}/adapters"], "reportTypedDictNotRequiredAccess": true}}'
    (programs / "pyrightconfig.json").write_text(settings)
    line = (sys.executable, "-m", "pyright", "-p", str(programs), "--pythonpath", sys.executable)
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.long
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed (the extra lint)")
def test_mypy(programs: Path) -> None:
    line = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-incremental", ".")
    done = subprocess.run(line, cwd=programs, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
