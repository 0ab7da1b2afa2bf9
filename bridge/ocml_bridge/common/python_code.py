"""Parses Python expressions in texts that nobody has checked, such as calls that a model wrote as code.

Nothing is run: an expression becomes a syntax tree, or the value of a literal.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from threading import Lock
from typing import Any, Final, cast

_filters: Final = Lock()
"""Held while warnings are ignored, because their filters belong to the whole process."""


def expression(text: str) -> ast.expr | None:
    """Return the syntax tree of an expression; None if the text is no expression, or nests too deep for the parser."""
    try:
        # The parser warns of odd escapes and numbers, which are nothing that the user of a conversion can mend.
        with _filters, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def value_of(node: ast.expr | None, words: Mapping[str, object] | None = None) -> tuple[Any] | None:
    """Return the value of a literal, in a tuple; None if an expression is anything else, or nests too deep.

    Args:
        node: the expression, which is changed where it has one of the words; None if a text is none.
        words: names that stand for values, such as `true`; None for no such names.
    """
    if node is None:
        return None
    try:
        return (ast.literal_eval(_Words(words).visit(node) if words is not None else node),)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None


class _Words(ast.NodeTransformer):
    """Replaces names by the values for which they stand."""

    def __init__(self, words: Mapping[str, object]) -> None:
        self._words: Final = words

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(cast("Any", self._words[node.id])) if node.id in self._words else node


class _Arrays(ast.NodeTransformer):
    """Replaces arrays of numpy in a list or an object by the lists in them."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        is_array = isinstance(node.func, ast.Name) and node.func.id == "array" and len(node.args) == 1
        return self.visit(node.args[0]) if is_array and isinstance(node.args[0], ast.List) else node


def literal(text: str, *, arrays: bool = False) -> Any:
    """Return the value of a text that is a literal; None for any other text, and for `None`.

    Args:
        text: the text.
        arrays: whether arrays of numpy are read as their lists.
    """
    node = expression(text.lstrip(" \t"))
    if arrays and node is not None and "array(" in text:
        try:
            node = cast("ast.expr", _Arrays().visit(node))
        except RecursionError:
            return None
    value = value_of(node)
    return None if value is None else value[0]
