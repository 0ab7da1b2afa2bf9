"""Chosen tests in a process that loads the product anew: `python -m mutants.anew FILE`, which has their names."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest


class Chosen:
    """A plugin of pytest that leaves the other tests out.

    Args:
        names: of the tests.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep those that are chosen."""
        items[:] = [item for item in items if item.nodeid in self._names]


def main() -> int:
    names: list[str] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    files = sorted({name.partition("::")[0] for name in names})
    line = [*files, "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-profile=no-shrinking"]
    return pytest.main(line, plugins=[Chosen(set(names))])


if __name__ == "__main__":
    sys.exit(main())
