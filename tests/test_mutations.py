"""The list of mutations can be run: each text is in its file, its replacement differs, and it is documented."""

from __future__ import annotations

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


def test_there_are_twenty_at_least() -> None:
    assert len({mutation.name for mutation in mutations()}) >= 20
