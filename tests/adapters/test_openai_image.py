"""OpenAI messages: what becomes of documents of other formats, and of documents that misuse our own key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import strategies_openai as wire
from ocml_bridge import LossCode, Message, Severity, Tool, Transcript, read, write
from ocml_bridge.formats.adapter import DEFAULT, Options
from ocml_bridge.model import Completion, Document, Infill, Media, Text, Tools
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import laws, strategies

REPLY = Message("tool", "5", "functions.get_weather", "commentary", "assistant")
PREAMBLE = Message("assistant", "I look.", channel="commentary", intent="preamble")
CALL = Message("assistant", "{}", None, "commentary", "functions.get_weather", "c1", constraint="json", end="call")


def messages_of(document: Document) -> Any:
    output: Any = write(document, "openai").output
    return output["messages"]


def _spoilt(document: Transcript, notes: list[Any]) -> Transcript:
    """A transcript with nonsense under our own key, in itself, its messages and its tools."""
    extras, layout, *rows = notes
    tools = document.tools and tuple(replace(tool, extras=extras, layout=layout) for tool in document.tools)
    pairs = zip(document.messages, rows, strict=False)
    messages = [replace(message, extras=row, layout=layout) for message, row in pairs]
    messages += document.messages[len(messages) :]
    return replace(document, messages=tuple(messages), tools=tools, extras=extras, layout=layout)


SPOILT = st.builds(_spoilt, strategies.transcripts(), st.lists(wire.NONSENSE, min_size=2, max_size=8))
OPTIONS = st.sampled_from([DEFAULT, Options(format_options={"reasoning": "reasoning_content"})])


@given(st.one_of(strategies.documents(), SPOILT), OPTIONS)
def test_the_image_is_what_is_read_back(document: Document, options: Options) -> None:
    result = write(document, "openai", options=options, policy=LENIENT)
    assert read(result.encode(), "openai", options=replace(options, force_format=True)).transcript == result.image


@given(st.one_of(strategies.documents(), SPOILT), OPTIONS)
def test_any_document_keeps_the_laws(document: Document, options: Options) -> None:
    laws.all_laws(document, "openai", options)


def lost(document: Document) -> list[tuple[LossCode, Severity, str]]:
    return [(loss.code, loss.severity, loss.path) for loss in write(document, "openai").losses]


def test_calls_from_formats_without_ids_get_some_and_replies_are_linked() -> None:
    document = Transcript((replace(CALL, call_id=None), REPLY))
    called, replied = messages_of(document)
    assert (called["tool_calls"][0]["id"], replied["tool_call_id"]) == ("call_1", "call_1")
    assert lost(document) == [(LossCode.CALL_ID, Severity.LAYOUT, f"/messages/{at}/call_id") for at in (0, 1)]


def test_a_call_read_without_an_id_stays_without() -> None:
    calls = [{"type": "function", "function": {"name": "f", "arguments": ""}}]
    wires = [{"role": "assistant", "content": None, "tool_calls": calls}]
    assert write(read(wires, "openai").transcript, "openai").output == wires


def test_a_reply_without_its_call_has_the_name() -> None:
    document = Transcript((replace(REPLY, call_id="c9"),))
    assert messages_of(document) == [{"role": "tool", "tool_call_id": "c9", "name": "get_weather", "content": "5"}]


def test_a_preamble_goes_into_the_message_of_the_call_that_follows() -> None:
    (message,) = messages_of(Transcript((PREAMBLE, CALL)))
    assert (message["content"], len(message["tool_calls"])) == ("I look.", 1)


def test_commentary_without_a_call_reads_as_final() -> None:
    document = Transcript((Message("assistant", "x", channel="commentary", intent="status"),))
    assert lost(document) == [
        (LossCode.CHANNEL, Severity.CHANGED, "/messages/0/channel"),
        (LossCode.INTENT, Severity.LOST, "/messages/0/intent"),
    ]


def test_tools_in_a_message_are_declared_in_the_request() -> None:
    document = Transcript((Message("developer", (Text("Be brief."), Tools((Tool("f"),)))),))
    assert write(document, "openai").output == {
        "messages": [{"role": "developer", "content": "Be brief."}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }


def test_a_text_to_be_completed_becomes_a_users_message() -> None:
    document = Completion((Infill("a", None, "b"),))
    assert messages_of(document) == [{"role": "user", "content": "ab"}]
    assert lost(document) == [(LossCode.COMPLETION, Severity.CHANGED, "")]


def test_media_that_chat_completions_cannot_point_at_is_reported() -> None:
    """Servers take the addresses of images, videos and sounds; a file has none."""
    document = Transcript((Message("user", (Text("read"), Media("file", url="u"))),))
    assert lost(document) == [(LossCode.MEDIA, Severity.LOST, "/messages/0/content/1")]
    assert lost(Transcript((Message("user", (Text("hear"), Media("audio", url="u"))),))) == []
