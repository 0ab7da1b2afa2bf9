"""Canonical JSON represents every document of today, also one that looks like a document of an earlier schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.canonical.sniff import sniff
from ocml_bridge import BridgeError, ErrorCode, read, write
from ocml_bridge.model import ByFormat, Completion, Json, Message, Settings, Transcript
from ocml_bridge.model.codec import from_json, json_schema
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


@pytest.mark.parametrize("more", [{}, {"settings": {}}, {"settings": {"model": "n"}}])
def test_settings_are_null_only_where_a_document_could_be_of_an_earlier_schema(more: dict[str, Any]) -> None:
    document = {"type": "transcript", "messages": [{"role": "user", "content": "Hi."}], **more}
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
def test_an_invalid_value_is_named_with_its_path(text: str) -> None:
    path, words = MISFITS[text]
    with pytest.raises(BridgeError) as caught:
        read(text, "canonical")
    error = caught.value
    assert (error.code, error.path) == (ErrorCode.SHAPE, path)
    assert error.message.startswith("not the canonical form: ")
    assert words in error.message
    assert error.message.endswith("; see 'ocml-convert schema'")
    assert error.__cause__ is not None


def test_the_schema_names_its_version_of_json_schema() -> None:
    assert json_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"


# --- documents of an earlier schema -----------------------------------------------------------------------------------

MESSAGE: dict[str, Any] = {"role": "user", "content": "Hi."}
THOUGHT: dict[str, Any] = {"role": "assistant", "content": "Hm.", "channel": "analysis"}
CALL: dict[str, Any] = {"role": "assistant", "content": "{}", "recipient": "functions.f"}
GRAMMAR = {"syntax": "lark", "definition": "start: A"}


def transcript(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"type": "transcript", "messages": [*messages], **members}


def tool(**members: Any) -> dict[str, Any]:
    return {"name": "f", **members}


def within(place: Sequence[str], value: Any) -> dict[str, Any]:
    """An object with a value at a place."""
    key, *deeper = place
    return {key: within(deeper, value) if deeper else value}


def extras(**of: Any) -> dict[str, Any]:
    return {"extras": {name.replace("__", ".").replace("_", "-"): members for name, members in of.items()}}


def declared_in_a_message(**members: Any) -> dict[str, Any]:
    return transcript({"role": "developer", "content": [{"type": "tools", "tools": [tool(), tool(**members)]}]})


def signed(message: dict[str, Any], vendor: str, *, sealed: bool = False) -> dict[str, Any]:
    return {**message, "signature": {"value": "s", "vendor": vendor, **({"sealed": True} if sealed else {})}}


KEPT = {"x": 1}
MOVED: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "a weight": (
        transcript(
            MESSAGE,
            {**MESSAGE, **extras(openai={"weight": 0})},
            {**MESSAGE, **extras(openai={"weight": 0.5, "x": 1}, chatml=KEPT)},
        ),
        transcript(MESSAGE, {**MESSAGE, "weight": 0}, {**MESSAGE, "weight": 0.5, **extras(openai=KEPT, chatml=KEPT)}),
        ["/messages/1/extras/openai/weight", "/messages/2/extras/openai/weight"],
    ),
    "a model in the header": (
        transcript(MESSAGE, header={"model": "m", "version": "2.2"}),
        transcript(MESSAGE, header={"version": "2.2"}, settings={"model": "m"}),
        ["/header/model"],
    ),
    "settings in the header": (
        transcript(MESSAGE, header={"generation_settings": {"temperature": 0.5, "x": 1}}, **extras(chatml=KEPT)),
        transcript(
            MESSAGE,
            header={},
            settings={"temperature": 0.5},
            **extras(chatml=KEPT, ocm_2__2={"generation_settings": {"x": 1}}),
        ),
        ["/header/generation_settings"],
    ),
    "settings of a request": (
        transcript(MESSAGE, **extras(openai={"model": "m", "seed": 7, "user": "u"})),
        transcript(MESSAGE, settings={"model": "m", "seed": 7}, **extras(openai={"user": "u"})),
        ["/extras/openai/model", "/extras/openai/seed"],
    ),
    "settings of a request and nothing else": (
        transcript(MESSAGE, **extras(openai={"model": "m"}, chatml=KEPT)),
        transcript(MESSAGE, settings={"model": "m"}, **extras(chatml=KEPT)),
        ["/extras/openai/model"],
    ),
    **{
        f"a strict tool of {home}": (
            transcript(MESSAGE, tools=[tool(), tool(extras={home: {"function": {"strict": True, "x": 1}, "y": 2}})]),
            transcript(MESSAGE, tools=[tool(), tool(extras={home: {"function": KEPT, "y": 2}}, strict=True)]),
            [f"/tools/1/extras/{home}/function/strict"],
        )
        for home in ("openai", "chatml", "ocm-0.1")
    },
    "a strict tool of a message": (
        declared_in_a_message(extras={"openai": {"function": {"strict": False}}, "chatml": KEPT}),
        declared_in_a_message(extras={"chatml": KEPT}, strict=False),
        ["/messages/0/content/0/tools/1/extras/openai/function/strict"],
    ),
    "a custom tool": (
        transcript(
            MESSAGE,
            tools=[tool(**extras(openai={"custom": {"format": {"type": "grammar", "grammar": GRAMMAR}, "x": 1}}))],
        ),
        transcript(
            MESSAGE,
            tools=[
                tool(
                    **extras(openai={"custom": {"x": 1}}), freeform={"syntax": "lark", "grammar": GRAMMAR["definition"]}
                )
            ],
        ),
        ["/tools/0/extras/openai"],
    ),
    "a custom tool of Responses": (
        transcript(
            MESSAGE,
            tools=[tool(**extras(openai_responses={"type": "custom", "format": {"type": "grammar", **GRAMMAR}}))],
        ),
        transcript(MESSAGE, tools=[tool(freeform={"syntax": "lark", "grammar": GRAMMAR["definition"]})]),
        ["/tools/0/extras/openai-responses"],
    ),
    **{
        f"a signature at {'/'.join(place)}": (
            transcript(
                MESSAGE, {**message, "extras": within(place, "s")}, {**message, "extras": within((place[0], "x"), 1)}
            ),
            transcript(
                MESSAGE, signed(message, vendor, sealed=sealed), {**message, "extras": within((place[0], "x"), 1)}
            ),
            [f"/messages/1/extras/{'/'.join(place)}"],
        )
        for place, message, vendor, sealed in (
            (("anthropic", "signature"), THOUGHT, "anthropic", False),
            (("anthropic", "redacted"), THOUGHT, "anthropic", True),
            (("bedrock-converse", "reasoningContent", "reasoningText", "signature"), THOUGHT, "anthropic", False),
            (("bedrock-converse", "reasoningContent", "redactedContent"), THOUGHT, "anthropic", True),
            (("gemini", "thoughtSignature"), CALL, "google", False),
            (("openai-responses", "encrypted_content"), THOUGHT, "openai", True),
        )
    },
}
"""What had another place in an earlier schema → a document of then, the same today, and the places that it left."""


@pytest.mark.parametrize("name", MOVED)
def test_members_of_an_earlier_schema_move_to_their_place_and_are_reported(name: str) -> None:
    then, now, paths = MOVED[name]
    reading = read(then, "canonical")
    assert [(finding.code, finding.severity) for finding in reading.findings] == [("earlier-form", "layout")] * len(
        paths
    )
    assert [finding.path for finding in reading.findings] == paths
    assert write(reading.transcript, "canonical").output == now
    assert read(now, "canonical").findings == ()


@pytest.mark.parametrize("name", [name for name in MOVED if "header" not in name])
def test_a_document_of_today_that_looks_like_an_earlier_one_is_none(name: str) -> None:
    document = from_json(MOVED[name][0])
    reading = read(write(document, "canonical").output, "canonical")
    assert reading.transcript == document
    assert reading.findings == ()


GOOGLES: dict[str, Any] = {"gemini": {"thoughtSignature": "s"}}
OF_TODAY: list[dict[str, Any]] = [
    {**MESSAGE, "extras": GOOGLES},
    {"role": "assistant", "content": "Yes.", "channel": "final", "extras": GOOGLES},
    {**signed(THOUGHT, "google"), **extras(anthropic={"signature": "t"})},
    {**THOUGHT, **extras(anthropic={"signature": ""})},
    {**MESSAGE, "weight": 1, **extras(openai={"weight": 0})},
    {**MESSAGE, **extras(openai={"weight": True})},
]


@pytest.mark.parametrize("message", OF_TODAY)
def test_members_that_an_earlier_schema_had_in_the_same_place_stay(message: dict[str, Any]) -> None:
    reading = read(transcript(message), "canonical")
    assert reading.findings == ()
    assert write(reading.transcript, "canonical").output == transcript(message)


SNIFFED: list[tuple[Any, bool]] = [
    (transcript(MESSAGE), True),
    ([transcript(MESSAGE), transcript()], True),
    ({"type": "completion", "content": "Once"}, True),
    ([], False),
    ([transcript(MESSAGE), MESSAGE], False),
    ({"type": "transcript"}, False),
    ({"type": "story", "messages": []}, False),
    ("transcript", False),
]


@pytest.mark.parametrize(("source", "is_canonical"), SNIFFED)
def test_a_canonical_document_is_known_by_its_type(source: Any, is_canonical: bool) -> None:
    assert sniff(source) == (3 if is_canonical else 0)


def test_members_that_mean_the_same_as_their_absence_are_named() -> None:
    document = {
        "type": "transcript",
        "tools": None,
        "settings": {"temperature": None},
        "messages": [
            {"role": "user", "name": None, "content": "Hi", "extras": None},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes", "extras": None}], "end": None},
        ],
    }
    reading = read(document, "canonical")
    assert [(finding.code, finding.severity, finding.path) for finding in reading.findings] == [
        ("default-member", "layout", path) for path in ("", "/settings", "/messages/0", "/messages/1/content/0")
    ]
    assert reading.findings[2].detail.endswith(": name, extras")
    assert write(reading.transcript, "canonical").output == {
        "type": "transcript",
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": [{"type": "text", "text": "Yes"}], "end": None},
        ],
        "settings": {},
    }


def test_an_end_that_is_written_out_is_named_too() -> None:
    (finding,) = read({"type": "transcript", "messages": [{"role": "user", "content": "Hi", "end": "end"}]}).findings
    assert (finding.code, finding.path) == ("default-member", "/messages/0")
