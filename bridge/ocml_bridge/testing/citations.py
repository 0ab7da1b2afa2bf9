"""Draw cache marks, citations and passages for the laws."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..model import CacheMark, Citation, Passages

_INDICES = st.one_of(st.none(), st.integers(-1, 5))


def marks() -> SearchStrategy[CacheMark]:
    """Draw cache marks, with a lifetime and without."""
    return st.builds(CacheMark, st.sampled_from([None, None, "5m", "1h", ""]))


def vendors() -> SearchStrategy[str | None]:
    """Draw the vendor of an uploaded file, or None."""
    return st.sampled_from([None, None, "anthropic", "google", "openai", "x"])


def citations(
    words: SearchStrategy[str], texts: SearchStrategy[str], extras: SearchStrategy[Any]
) -> SearchStrategy[Citation]:
    """Draw citations of pages, of files, and without any source.

    Args:
        words: draws URLs and ids.
        texts: draws titles and cited texts.
        extras: draws extras and layout.
    """
    word, text = st.one_of(st.none(), words), st.one_of(st.none(), texts)
    return st.builds(Citation, word, text, text, word, word, _INDICES, _INDICES, extras, extras, vendors())


def passages(texts: SearchStrategy[str], extras: SearchStrategy[Any]) -> SearchStrategy[Passages]:
    """Draw search results and documents in passages.

    Args:
        texts: draws texts, titles, sources and contexts.
        extras: draws extras and layout.
    """
    text, several = st.one_of(st.none(), texts), st.lists(texts, max_size=3).map(tuple)
    citable, cache = st.sampled_from([None, True, False]), st.one_of(st.none(), marks())
    return st.builds(Passages, several, text, text, text, citable, extras, cache=cache, layout=extras)
