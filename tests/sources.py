"""The project's own source files as syntax trees, for the tests that hold its shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BRIDGE = ROOT / "bridge" / "ocml_bridge"
ADAPTERS = ROOT / "adapters" / "ocml_adapters"


class Import(NamedTuple):
    """One module that a source file imports.

    Attributes:
        module: its absolute name.
        lazy: whether it is imported inside a function or for the type checker alone.
    """

    module: str
    lazy: bool


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def modules(package: Path) -> list[Path]:
    """Every source file of a package."""
    return sorted(package.rglob("*.py"))


def dotted(path: Path) -> tuple[str, ...]:
    """The module's name as steps: bridge/ocml_bridge/text/im.py → ("ocml_bridge", "text", "im")."""
    base = BRIDGE.parent if path.is_relative_to(BRIDGE) else ADAPTERS.parent
    steps = path.relative_to(base).with_suffix("").parts
    return steps[:-1] if steps[-1] == "__init__" else steps


def imports(path: Path) -> Iterator[Import]:
    """Every import of a source file, relative ones made absolute."""
    package = dotted(path) if path.name == "__init__.py" else dotted(path)[:-1]
    at_once = {id(node) for node in tree(path).body}
    for node in ast.walk(tree(path)):
        lazy = id(node) not in at_once
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, lazy)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *(node.module.split(".") if node.module else ())))
            for alias in node.names:
                name = f"{module}.{alias.name}"
                yield Import(name if name in _own_modules() else module, lazy)


@cache
def _own_modules() -> frozenset[str]:
    return frozenset(".".join(dotted(path)) for package in (BRIDGE, ADAPTERS) for path in modules(package))
