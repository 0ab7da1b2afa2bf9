"""Trainers' own code that reads rows, without what it trains with: what it imports from elsewhere is stood in for.

`OCML_TRAINERS` names a folder with their packages, which need nothing else:

    pip install --no-deps --target FOLDER trl axolotl llamafactory torchtune unsloth_zoo
"""

from __future__ import annotations
import __future__

import ast
import builtins
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


class _Double(type):
    """A class in place of any other: it may be subclassed, called, used as a decorator, and asked for more."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Double(name, (), {})

    def __or__(cls, _other: object) -> Any:
        return cls

    def __add__(cls, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __getitem__(cls, _key: object) -> Any:
        return cls

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if cls.__base__ is not object:
            return super().__call__(*arguments, **options)
        return arguments[0] if arguments and callable(arguments[0]) else _Double(cls.__name__, (), {})


class _Names(dict[str, Any]):
    """The names of a module; those that it has from elsewhere are doubles."""

    def __missing__(self, name: str) -> Any:
        if hasattr(builtins, name):
            raise KeyError(name)
        return _Double(name, (), {})


def trainer(module: str, *others: str) -> Any:
    """The definitions of a trainer's module; skips the test where it is not there.

    Args:
        module: its name.
        others: modules of the trainer that it has names from, to be run before it.
    """
    names = _Names(__name__=module)
    for each in (*others, module):
        path = Path(os.environ.get("OCML_TRAINERS", ""), *each.split(".")).with_suffix(".py")
        if not path.is_file():
            pytest.skip(f"no {module}: OCML_TRAINERS names a folder with trainers' packages")
        tree = ast.parse(path.read_bytes())
        tree.body = [node for node in tree.body if not _is_foreign(node)]
        with _module(module):
            exec(compile(tree, str(path), "exec", __future__.annotations.compiler_flag, dont_inherit=True), names)
    return type(module, (), {name: staticmethod(value) if callable(value) else value for name, value in names.items()})


@contextmanager
def _module(name: str) -> Generator[None]:
    """A module of a name, as long as dataclasses look for the one that they are of."""
    sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        del sys.modules[name]


def _is_foreign(node: ast.stmt) -> bool:
    """Whether a statement imports something that is not of the standard library."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] not in sys.stdlib_module_names
    return isinstance(node, ast.Import) and any(
        each.name.partition(".")[0] not in sys.stdlib_module_names for each in node.names
    )
