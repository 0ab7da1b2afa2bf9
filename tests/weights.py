"""How often a drawn value is odd, and the order of members."""

from __future__ import annotations

from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Drawn = TypeVar("Drawn")


def mostly(usual: SearchStrategy[Drawn], *others: SearchStrategy[Drawn], share: int = 4) -> SearchStrategy[Drawn]:
    """The first `share` times as often as all others together; `one_of` takes what is named twice for one."""
    kinds = (*[usual] * share * len(others), *others)
    return st.integers(0, len(kinds) - 1).flatmap(lambda at: kinds[at])


def in_order(**members: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Objects with just these members; `fixed_dictionaries` gives them any order."""
    return st.tuples(*members.values()).map(lambda values: dict(zip(members, values, strict=True)))
