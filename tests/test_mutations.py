"""The lists of mutations are valid: each text is in its file, its replacement differs, and it is documented."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from mutation_check import Mutation, mutations

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("mutation", mutations(), ids=lambda mutation: mutation.name)
def test_a_mutation_can_be_made(mutation: Mutation) -> None:
    assert mutation.text in (ROOT / mutation.file).read_text("utf-8")
    assert mutation.text != mutation.replacement
    place = mutation.file.removeprefix("adapters/ocml_adapters/").removeprefix("bridge/ocml_bridge/")
    assert f"| {mutation.name} | `{place}` |" in (ROOT / "docs" / "contributing.md").read_text("utf-8")


def test_there_are_at_least_twenty_mutations() -> None:
    assert len({mutation.name for mutation in mutations()}) >= 20


def is_there(change: str) -> bool:
    """Return whether the code that a change replaces is in its file, whatever the line breaks in it."""
    file, _, changed = change.partition(": ")
    code = "".join((ROOT / file).read_text("utf-8").split())
    parts = changed.split(" -> ")
    return any("".join(" -> ".join(parts[:count]).split()) in code for count in range(1, len(parts)))


def test_the_code_of_an_equivalent_change_exists() -> None:
    listed = tomllib.loads((ROOT / "tests" / "mutants" / "equivalent.toml").read_text("utf-8"))["same"]
    assert [entry["change"] for entry in listed if not is_there(entry["change"])] == []
