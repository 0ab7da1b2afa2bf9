"""Chat Completions JSON as servers, logs and people write it: every member there, absent, empty or of another type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_TEXTS = st.sampled_from(
    ["", "a", "b", "a\n\nb", "f", "functions.f", "x.y", "python", "user", "{}", '{"a":1}', "data:image/png;base64,AA=="]
)
_EMPTY_VALUES: list[Any] = [None, "", [], {}, 0, False, [{"type": "text", "text": ""}]]
EMPTY = st.sampled_from(_EMPTY_VALUES)
ANY = st.one_of(_TEXTS, EMPTY, st.integers(), st.dictionaries(_TEXTS, _TEXTS, max_size=2), st.lists(_TEXTS, max_size=2))


def _mostly(strategy: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.one_of(strategy, strategy, strategy, strategy, ANY)


def _some(members: Mapping[str, SearchStrategy[Any]], always: tuple[str, ...] = ()) -> SearchStrategy[dict[str, Any]]:
    """Objects with some of the members, in any order."""

    def chosen(keys: list[str]) -> SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({key: members[key] for key in keys})

    some = st.lists(st.sampled_from(sorted(members)), unique=True)
    return (
        some.map(lambda keys: [*keys, *(key for key in always if key not in keys)])
        .flatmap(st.permutations)
        .flatmap(chosen)
    )


_TEXT = _mostly(_TEXTS)
_INNER = _some({"name": _TEXT, "arguments": _TEXT, "input": _TEXT, "x": ANY})
_CALL: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {
            "id": _TEXTS,
            "type": st.just("function"),
            "function": st.fixed_dictionaries({"name": _TEXTS, "arguments": _TEXT}),
        }
    ),
    _some(
        {
            "id": _TEXT,
            "type": _mostly(st.sampled_from(["function", "custom"])),
            "function": _mostly(_INNER),
            "custom": _mostly(_INNER),
            "index": ANY,
        }
    ),
)
_PART: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": _TEXTS}),
    st.fixed_dictionaries({"type": st.just("refusal"), "refusal": _TEXTS}),
    _some(
        {
            "type": st.sampled_from(["text", "image_url", "input_audio", "audio_url", "file", "refusal", "video_url"]),
            "text": _TEXT,
            "refusal": _TEXT,
            "image_url": _mostly(_some({"url": _TEXT, "detail": _TEXT, "size": ANY})),
            "audio_url": _mostly(_some({"url": _TEXT, "size": ANY})),
            "input_audio": _mostly(_some({"data": _TEXT, "format": _TEXT})),
            "file": _mostly(_some({"file_id": _TEXT, "file_data": _TEXT, "filename": _TEXT})),
            "cache": ANY,
        },
        ("type",),
    ),
)
_DETAIL: SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries({"type": st.just("reasoning.text"), "text": _TEXTS}),
    _some(
        {
            "type": st.sampled_from(["reasoning.text", "reasoning.summary", "reasoning.encrypted"]),
            "text": _TEXT,
            "summary": _TEXTS,
            "signature": _TEXTS,
        }
    ),
)
ROLES = st.sampled_from(["assistant", "assistant", "assistant", "user", "system", "tool", "tool", "function", "x", ""])
MESSAGE = _some(
    {
        "role": ROLES,
        "content": st.one_of(_TEXTS, _TEXTS, _mostly(st.lists(_mostly(_PART), max_size=3))),
        "name": _TEXT,
        "tool_call_id": _TEXT,
        "tool_calls": _mostly(st.lists(_mostly(_CALL), max_size=3)),
        "function_call": _mostly(_INNER),
        "refusal": _TEXT,
        "reasoning": _TEXT,
        "reasoning_content": _TEXT,
        "reasoning_details": _mostly(st.lists(_mostly(_DETAIL), max_size=3)),
        "thinking": _TEXT,
        "weight": ANY,
        "annotations": ANY,
    },
    ("role",),
)
_MESSAGES = st.lists(MESSAGE, max_size=5)
_DECLARED = _some({"name": _TEXT, "description": _TEXT, "parameters": ANY, "strict": ANY, "format": ANY})
_TOOL = _some(
    {
        "type": _mostly(st.sampled_from(["function", "custom", "web_search"])),
        "function": _mostly(_DECLARED),
        "custom": _mostly(_DECLARED),
        "cache_control": ANY,
    }
)
REQUEST = _some(
    {
        "messages": _MESSAGES,
        "tools": _mostly(st.lists(_mostly(_TOOL), max_size=3)),
        "functions": _mostly(st.lists(_mostly(_DECLARED), max_size=2)),
        "model": ANY,
        "metadata": ANY,
        "choices": ANY,
    },
    ("messages",),
)
_CHOICE = _some(
    {"index": ANY, "message": MESSAGE, "logprobs": ANY, "finish_reason": st.sampled_from(["stop", "length"])},
    ("message",),
)
RESPONSE = _some({"id": ANY, "choices": st.lists(_CHOICE, min_size=1, max_size=2), "usage": ANY}, ("choices",))
PREFERENCE = _some(
    {"input": REQUEST, "preferred_output": _MESSAGES, "non_preferred_output": _MESSAGES}, ("input", "preferred_output")
)
DOCUMENTS: SearchStrategy[Any] = st.one_of(_MESSAGES, REQUEST, REQUEST, RESPONSE, PREFERENCE)

_KEYS = st.sampled_from(["role", "content", "name", "tool_calls", "refusal", "reasoning", "id", "type", "function"])
_FORM: SearchStrategy[Any] = st.lists(st.one_of(_KEYS, st.tuples(_KEYS, EMPTY).map(list)), max_size=5)
_SPELLING: SearchStrategy[Any] = st.one_of(
    ANY,
    _FORM,
    st.just(True),
    st.sampled_from(
        ["list", "bare", "part", "function", "function_call", "custom", "response", "preference", "parsed"]
    ),
    st.dictionaries(st.sampled_from(["form", "inner", "kind", "name", "arguments", "messages"]), st.one_of(ANY, _FORM)),
    st.lists(st.dictionaries(st.sampled_from(["message", "at", "tool", "type", "text"]), ANY, max_size=3), max_size=2),
    st.just({"0": [["image_url", ["detail", "url"]], "type"]}),
    _MESSAGES,
)
NONSENSE = st.dictionaries(
    st.sampled_from(
        (
            *("form", "call", "content", "reasoning", "refusal", "parts", "role", "name", "shape", "functions"),
            *("preferred", "tools", "choices", "input", "messages", "tool_calls", "function_call", "custom", "bare"),
            "reasoning_details",
        )
    ),
    _SPELLING,
    min_size=1,
    max_size=3,
).map(lambda notes: {"openai": notes})
"""Extras and layout under our own key that no reader of ours made."""
