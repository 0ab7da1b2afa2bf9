"""The project's own source files as syntax trees, for the tests of its shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set
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


def imports(path: Path) -> Sequence[Import]:
    """Every import of a source file, relative ones made absolute."""
    return _of(path).imports


def calls(path: Path) -> Set[str]:
    """The names of all functions that a source file calls by their names alone."""
    return _of(path).calls


class _Source(NamedTuple):
    imports: Sequence[Import]
    calls: Set[str]


@cache
def _of(path: Path) -> _Source:
    """What is asked of a file; its tree, which is large, is not kept."""
    whole = tree(path)
    called = (node.func for node in ast.walk(whole) if isinstance(node, ast.Call))
    return _Source(tuple(_imports(path, whole)), {name.id for name in called if isinstance(name, ast.Name)})


def _imports(path: Path, whole: ast.Module) -> Iterator[Import]:
    package = dotted(path) if path.name == "__init__.py" else dotted(path)[:-1]
    at_once = {id(node) for node in whole.body}
    for node in ast.walk(whole):
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
