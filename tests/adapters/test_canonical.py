"""Canonical JSON holds every document of today, also one that looks like a document of an earlier schema."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, ErrorCode, read, write
from ocml_bridge.model import ByFormat, Completion, Json, Message, Settings, Transcript
from ocml_bridge.model.codec import json_schema
from ocml_bridge.model.settings import READERS

EARLIER: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.sampled_from(["", "m", "auto", 0, 1.5, True, None, ["a"], {}]) for key in READERS},
        "weight": st.sampled_from([0, 0.5, "", None, True]),
        "user": st.just("u"),
    },
)
"""Members of requests and of their messages, as documents of the first schema had them among the extras."""
EXTRAS: st.SearchStrategy[ByFormat | None] = st.none() | EARLIER.map(lambda members: {"openai": members})
MESSAGES = st.builds(Message, st.just("user"), st.just("Hi."), weight=st.none() | st.just(0), extras=EXTRAS)
TRANSCRIPTS = st.builds(
    Transcript,
    st.lists(MESSAGES, max_size=3).map(lambda messages: tuple(messages)),
    settings=st.none() | st.just(Settings()) | st.just(Settings(model="n")),
    extras=EXTRAS,
)


@given(TRANSCRIPTS | st.builds(Completion, st.just("Once"), extras=EXTRAS))
def test_extras_of_requests_stay_extras(document: Transcript | Completion) -> None:
    result = write(document, "canonical")
    reading = read(result.data, "canonical")
    assert result.losses == ()
    assert reading.findings == ()
    assert reading.transcript == document


@pytest.mark.parametrize("said", [{}, {"settings": {}}, {"settings": {"model": "n"}}])
def test_null_says_that_a_document_is_of_today_only_where_it_could_be_an_earlier_one(said: dict[str, Any]) -> None:
    document = {"type": "transcript", "messages": [{"role": "user", "content": "Hi."}], **said}
    assert write(read(document, "canonical").transcript, "canonical").output == document
    extras = {"openai": {"model": "m"}}
    written = cast("dict[str, Any]", write(Transcript(extras=extras, settings=None), "canonical").output)
    assert written == {"type": "transcript", "messages": [], "extras": extras, "settings": None}


MISFITS: dict[str, tuple[str, str]] = {
    '{"type":"transcript","messages":[{"role":"user"}]}': ("/messages/0/content", "Field required"),
    '{"type":"transcript","messages":[{"role":5,"content":"x"}]}': ("/messages/0/role", "should be a valid string"),
    '{"type":"transcript","messages":[{"role":"u","content":"x","a~b/c":1}]}': ("/messages/0/a~0b~1c", "Unexpected"),
    '{"type":"transcript","messages":[],"tools":[{"name":"f","x":1}]}': ("/tools/0/x", "Unexpected"),
    '{"type":"story"}': ("", "'story'"),
    '{"messages":[]}': ("", "'type'"),
    "[]": ("", "not the canonical form"),
}


@pytest.mark.parametrize("text", MISFITS)
def test_what_does_not_fit_is_named_with_its_place(text: str) -> None:
    path, says = MISFITS[text]
    with pytest.raises(BridgeError) as caught:
        read(text, "canonical")
    error = caught.value
    assert (error.code, error.path) == (ErrorCode.SHAPE, path)
    assert error.message.startswith("not the canonical form: ")
    assert says in error.message
    assert error.message.endswith("; see 'ocml-convert schema'")
    assert error.__cause__ is not None


def test_the_schema_says_which_json_schema_it_is() -> None:
    assert json_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
