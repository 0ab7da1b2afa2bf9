"""Marks of a cache, sources of texts, and texts that are given to be cited, drawn for the laws."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..model import CacheMark, Citation, Passages

_INDICES = st.one_of(st.none(), st.integers(-1, 5))


def marks() -> SearchStrategy[CacheMark]:
    """Marks that say how long, and that do not."""
    return st.builds(CacheMark, st.sampled_from([None, None, "5m", "1h", ""]))


def vendors() -> SearchStrategy[str | None]:
    """To whom a file was uploaded, where that is said."""
    return st.sampled_from([None, None, "anthropic", "google", "openai", "x"])


def citations(
    words: SearchStrategy[str], texts: SearchStrategy[str], extras: SearchStrategy[Any]
) -> SearchStrategy[Citation]:
    """Sources: pages, files, and what nobody can find.

    Args:
        words: for addresses and ids.
        texts: for what is said of them.
        extras: what only one format can say, and how it is spelled.
    """
    word, text = st.one_of(st.none(), words), st.one_of(st.none(), texts)
    return st.builds(Citation, word, text, text, word, word, _INDICES, _INDICES, extras, extras, vendors())


def passages(texts: SearchStrategy[str], extras: SearchStrategy[Any]) -> SearchStrategy[Passages]:
    """What a search found, and documents in pieces.

    Args:
        texts: for what they say, and what is said of them.
        extras: what only one format can say.
    """
    text, several = st.one_of(st.none(), texts), st.lists(texts, max_size=3).map(tuple)
    citable, cache = st.sampled_from([None, True, False]), st.one_of(st.none(), marks())
    return st.builds(Passages, several, text, text, text, citable, extras, cache=cache)
