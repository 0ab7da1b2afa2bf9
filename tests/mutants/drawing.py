"""Changes of a file, as mutmut makes them, and a sample of them."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation import file_mutation
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode


class Mutant(NamedTuple):
    """One change of one file.

    Attributes:
        path: the file, from the root of the checkout.
        before, after: its text.
        first, last: the lines that are changed, counted from 1.
    """

    path: str
    before: str
    after: str
    first: int
    last: int

    @property
    def diff(self) -> str:
        """What is changed."""
        lines = unified_diff(self.before.splitlines(), self.after.splitlines(), self.path, self.path, "", "", 1, "")
        return "\n".join(lines)

    @property
    def key(self) -> str:
        """What names it in the list of those that mean the same: its file, and its lines as they were and are."""
        old, new = self.before.splitlines(), self.after.splitlines()
        tail = len(old) - self.last
        was = " ".join(line.strip() for line in old[self.first - 1 : self.last])
        now = " ".join(line.strip() for line in new[self.first - 1 : len(new) - tail])
        return f"{self.path}: {was} -> {now}"


@cache
def _mutations(root: Path, path: str) -> tuple[cst.Module, tuple[Any, ...]]:
    """A file, and the changes of its functions."""
    text = (root / path).read_text("utf-8")
    module = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    visitor = file_mutation.MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()), None)
    module.visit(visitor)
    inside = (each for each in visitor.mutations if isinstance(each.contained_by_top_level_function, cst.FunctionDef))
    return module.module, tuple(inside)


def count(root: Path, paths: Iterable[str]) -> int:
    """How many changes there are."""
    return sum(len(_mutations(root, path)[1]) for path in paths)


def draw(root: Path, paths: Iterable[str], most: int, seed: int) -> Iterator[Mutant]:
    """So many changes of files; all, where `most` is 0. The same seed draws the same of the same files."""
    every = [(path, at) for path in paths for at in range(len(_mutations(root, path)[1]))]
    random.Random(seed).shuffle(every)
    made = (made for path, at in every if (made := _made(root, path, at)) is not None)
    return islice(made, most or None)


def _made(root: Path, path: str, at: int) -> Mutant | None:
    """A change; None for one of types alone, of what is done once, when a function is defined, or of an assertion.

    None in the place of False is no change either: a condition takes both alike, and elsewhere types distinguish them.
    """
    module, mutations = _mutations(root, path)
    mutation = mutations[at]
    before = module.code
    changed: Any = module.deep_replace(mutation.original_node, mutation.mutated_node)
    after: str = changed.code
    if _meaning(before) == _meaning(after) or _only_asserts(before, after):
        return None
    old, new = before.splitlines(), after.splitlines()
    first, same = _alike(old, new), _alike(old[::-1], new[::-1])
    return Mutant(path, before, after, first + 1, max(first + 1, len(old) - same))


def _alike(one: list[str], other: list[str]) -> int:
    """How many lines two files have in common at their beginnings; at most all but one of the shorter."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, pair in pairs if pair[0] != pair[1]), min(len(one), len(other)) - 1)


def _only_asserts(before: str, after: str) -> bool:
    """Whether a change takes away that two lists must be as long as each other, which nothing else may depend on."""
    strict = "strict=True"
    return before.count(strict) > after.count(strict) and _meaning(before, _Lenient()) == _meaning(after, _Lenient())


def _meaning(text: str, view: ast.NodeTransformer | None = None) -> str:
    return ast.dump((view or _Untyped()).visit(ast.parse(text)))


class _Lenient(ast.NodeTransformer):
    """A module in which nothing is strict."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        return node


class _Untyped(ast.NodeTransformer):
    """A module without annotations, without defaults, which are made once, and with None for False."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "cast" and len(node.args) == 2:
            return node.args[1]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant(None) if node.value is False else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        node.annotation = ast.Constant(None)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        node.defaults = [ast.Constant(None) for _ in node.defaults]
        node.kw_defaults = [each and ast.Constant(None) for each in node.kw_defaults]
        return node
