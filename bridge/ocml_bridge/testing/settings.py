"""Draw settings of conversations for the laws."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..model import AnswerFormat, Settings, ToolChoice, Usage

_NUMBERS = st.sampled_from([None, None, 0, 1, 0.5, 1.0, 2])
_COUNTS = st.sampled_from([None, None, None, 0, 1, 4096])


def settings(
    words: SearchStrategy[str], texts: SearchStrategy[str], schemas: SearchStrategy[Any]
) -> SearchStrategy[Settings]:
    """Draw settings.

    Args:
        words: draws names.
        texts: draws any text.
        schemas: draws JSON Schemas.
    """
    word, choices, flags = st.one_of(st.none(), words), st.lists(words, max_size=2).map(tuple), [None, True, False]
    answers = st.builds(
        AnswerFormat,
        st.sampled_from(["text", "json_object", "json_schema"]),
        word,
        st.one_of(st.none(), schemas),
        st.one_of(st.none(), texts),
        st.sampled_from(flags),
    )
    chosen = st.builds(ToolChoice, st.sampled_from(["none", "auto", "required"]), choices)
    return st.builds(
        Settings,
        model=word,
        temperature=_NUMBERS,
        top_p=_NUMBERS,
        top_k=_COUNTS,
        presence_penalty=_NUMBERS,
        max_tokens=_COUNTS,
        stop=st.one_of(st.none(), st.lists(texts, max_size=2).map(tuple)),
        seed=_COUNTS,
        n=_COUNTS,
        reasoning_effort=word,
        verbosity=word,
        modalities=st.one_of(st.none(), choices),
        response_format=st.one_of(st.none(), answers),
        tool_choice=st.one_of(st.none(), chosen),
        parallel_tool_calls=st.sampled_from(flags),
        usage=st.one_of(st.none(), st.builds(Usage, _COUNTS, _COUNTS, _COUNTS, _COUNTS, _COUNTS)),
        filtered=st.sampled_from([None, None, True]),
        metadata=st.one_of(st.none(), st.dictionaries(texts, texts, min_size=1, max_size=2)),
        store=st.sampled_from(flags),
        service_tier=word,
        safety_identifier=word,
        prompt_cache_key=word,
        prompt_cache_retention=word,
        user=word,
        stream=st.sampled_from(flags),
    )
