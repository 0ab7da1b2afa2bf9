"""The product in packages: each file is in one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sources import ADAPTERS, BRIDGE, ROOT

APART = {"engine/plans": "plans", "wires/blocks": "blocks"}
"""Folders within folders that are packages of their own."""
GRAMMARS = frozenset({"actions", "arguments", "body", "edges", "frames", "header", "markup", "scanner"}) | {
    *("segments", "syntax")
}
"""Modules and folders of adapters that define how the text of a format is split, or the JSON of its blocks."""
FIRST = ("model", "chat", "units", "report", "engine", "plans", "grammars")
"""What everything else depends on: at least 95 of a hundred changes of it are to be noticed."""


def packages() -> dict[str, tuple[str, ...]]:
    """The files of each package, as paths from the root of the checkout; those that matter most go first."""
    found: dict[str, list[str]] = {name: [] for name in FIRST}
    for name, path in _files():
        found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    return {name: tuple(paths) for name, paths in found.items()}


def _files() -> Iterator[tuple[str, Path]]:
    for path in sorted(BRIDGE.rglob("*.py")):
        folder, *rest = path.relative_to(BRIDGE).parts
        if rest:
            yield APART.get(f"{folder}/{rest[0]}", folder), path
        else:
            yield "report" if path.stem == "loss" else "convert", path
    for path in sorted(ADAPTERS.rglob("*.py")):
        name, *rest = path.relative_to(ADAPTERS).parts
        if rest:
            is_grammar = Path(rest[0]).stem in GRAMMARS
            yield "grammars" if is_grammar else f"adapters/{name}", path
