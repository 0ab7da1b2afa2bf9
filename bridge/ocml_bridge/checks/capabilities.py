"""Measure what a format can hold: for each feature, write documents that have it, and look at the losses."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

from ..convert import write
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter
from ..loss import Loss, LossCode, Severity
from ..model import (
    Alternative,
    CacheMark,
    Citation,
    Completion,
    Document,
    FileBreak,
    Flags,
    Header,
    Infill,
    Media,
    Message,
    Refusal,
    Settings,
    Signature,
    Text,
    Thought,
    Tool,
    Transcript,
    replace,
)
from ..report.policy import LENIENT
from ..report.report import covered


class Feature(StrEnum):
    """A feature that a format may be able to hold."""

    SYSTEM = "system messages"
    DEVELOPER = "developer messages"
    UNKNOWN_ROLES = "unknown roles"
    NAMES = "speakers' names"
    THOUGHTS = "private reasoning"
    THOUGHT_KINDS = "kinds of thought"
    CHANNELS = "channels"
    INTENTS = "intents"
    CALLS = "tool calls"
    PARALLEL_CALLS = "several calls in a turn"
    RAW_CALLS = "calls whose input is not JSON"
    CALL_IDS = "call ids"
    REPLIES = "tool replies"
    FAILED_REPLIES = "replies that report an error"
    TOOLS = "declared tools"
    TOOL_SCHEMAS = "whole tool schemas"
    CONSTRAINTS = "constraints on bodies"
    ENDINGS = "how a message ended"
    TRUNCATION = "a message cut off"
    GROUPING = "which messages were one"
    WEIGHTS = "training weights"
    SIGNATURES = "signatures of thoughts and calls"
    CACHE = "marks of a cache"
    CITATIONS = "sources of a text"
    MEDIA = "images, video, audio, files"
    REFUSALS = "refusals"
    FLAGS = "thought flags"
    INFILL = "fill-in-the-middle"
    FILES = "file sequences"
    HEADER = "a document header"
    SETTINGS = "settings"
    OPEN_TURN = "the open turn"
    ALTERNATIVES = "alternatives"
    CONTROL_TOKENS = "control tokens as text"


class Level(StrEnum):
    """How well a format holds a feature."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


Capabilities = Mapping[Feature, Level]
"""How well a format holds each feature."""


def capabilities(adapter: Adapter) -> Capabilities | None:
    """Return how well a format holds each feature, or None if the format needs a library that is not installed.

    Args:
        adapter: the format; its default dialect is measured.
    """
    return _measured(adapter)


@lru_cache(maxsize=64)
def _measured(adapter: Adapter) -> Capabilities | None:
    try:
        return {feature: _level(feature, adapter) for feature in Feature}
    except BridgeError as error:
        if error.code in (ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY):
            return None
        raise


def _level(feature: Feature, adapter: Adapter) -> Level:
    if feature is Feature.CONTROL_TOKENS:
        return _level_of_tokens(adapter)
    holds = [_holds(feature, probe, adapter) for probe in PROBES[feature]]
    return Level.YES if all(holds) else Level.PARTLY if any(holds) else Level.NO


def _holds(feature: Feature, probe: Probe, adapter: Adapter) -> bool:
    document, path = probe
    losses = [loss for loss in write(document, adapter, policy=LENIENT).losses if _touches(loss, path)]
    return not any(feature in _IN_LAYOUT or loss.severity is not Severity.LAYOUT for loss in losses)


def _level_of_tokens(adapter: Adapter) -> Level:
    """Return how well a format holds its own control tokens as text: partly if the writer breaks them."""
    output = write(_TALK, adapter, policy=LENIENT).encode().decode()
    result = write(_talk(Message("user", output)), adapter, policy=LENIENT)
    is_broken = any(loss.code is LossCode.CONTROL_TOKEN for loss in result.losses)
    if is_broken:
        return Level.PARTLY
    return Level.NO if any(_touches(loss, "/messages/0/content") for loss in result.losses) else Level.YES


def _touches(loss: Loss, path: str) -> bool:
    """Return whether the path of a loss is at, above or below a path."""
    return covered(loss.path, {path}) or covered(path, {loss.path})


_IN_LAYOUT: Final = frozenset({Feature.ENDINGS, Feature.GROUPING, Feature.CHANNELS})
"""Features that are not supported if there is any loss, even one with the severity `layout`."""


# --- the documents ----------------------------------------------------------------------------------------------------

_USER: Final = Message("user", "hi")
_ANSWER: Final = Message("assistant", "yes", channel="final")
_THOUGHT: Final = Message("assistant", "hm", channel="analysis")
_CUT: Final = Message("assistant", "ye", channel="final", end=None)
_PREAMBLE: Final = Message("assistant", "wait", channel="commentary", intent="preamble")
_SIMPLE: Final = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
_RICH: Final = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "additionalProperties": False}


def _call(name: str = "f", *, call_id: str | None = None, continues: bool = False) -> Message:
    recipient = f"functions.{name}"
    call = Message("assistant", '{"a":1}', channel="commentary", recipient=recipient, constraint="json", end="call")
    return replace(call, call_id=call_id, continues=continues)


_CITATION: Final = Citation("https://example.org", "x")
_REPLY: Final = Message("tool", "1", name="functions.f", channel="commentary", recipient="assistant")
_CODE: Final = Message("assistant", "print(1)", channel="commentary", recipient="python", end="call")


def _talk(*messages: Message) -> Transcript:
    return Transcript(messages)


Probe = tuple[Document, str]
"""A document, and the path at which nothing may be lost."""

_TALK: Final = _talk(Message("system", "x"), _USER, _call(), _REPLY, _ANSWER)
PROBES: Final[Mapping[Feature, tuple[Probe, ...]]] = {
    Feature.SYSTEM: ((_talk(Message("system", "x"), _USER), "/messages/0"),),
    Feature.DEVELOPER: ((_talk(Message("developer", "x"), _USER), "/messages/0"),),
    Feature.UNKNOWN_ROLES: ((_talk(Message("narrator", "x")), "/messages/0"),),
    Feature.NAMES: ((_talk(Message("user", "x", name="bob")), "/messages/0/name"),),
    Feature.THOUGHTS: (
        (_talk(_USER, _THOUGHT, Message("assistant", "yes", channel="final", continues=True)), "/messages/1"),
    ),
    Feature.THOUGHT_KINDS: (
        (
            _talk(_USER, Message("assistant", (Thought("reflect"), Text("hm")), channel="analysis"), _ANSWER),
            "/messages/1/content",
        ),
    ),
    Feature.CHANNELS: (
        (_talk(_USER, Message("assistant", "x", channel="commentary")), "/messages/1/channel"),
        (_talk(_USER, Message("assistant", "x")), "/messages/1/channel"),
    ),
    Feature.INTENTS: (
        (_talk(_USER, _PREAMBLE, _call(continues=True)), "/messages/1/intent"),
        (_talk(_USER, Message("assistant", "x", channel="commentary", intent="status")), "/messages/1/intent"),
    ),
    Feature.CALLS: ((_talk(_USER, _call()), "/messages/1"),),
    Feature.PARALLEL_CALLS: ((_talk(_USER, _call(), _call("g", continues=True)), "/messages"),),
    Feature.RAW_CALLS: ((_talk(_USER, _CODE), "/messages/1"),),
    Feature.CALL_IDS: ((_talk(_USER, _call(call_id="c9")), "/messages/1/call_id"),),
    Feature.REPLIES: ((_talk(_USER, _call(), _REPLY), "/messages/2"),),
    Feature.FAILED_REPLIES: ((_talk(_USER, _call(), replace(_REPLY, failed=True)), "/messages/2/failed"),),
    Feature.TOOLS: ((Transcript((_USER,), tools=(Tool("f", "Does.", _SIMPLE),)), "/tools"),),
    Feature.TOOL_SCHEMAS: (
        (Transcript((_USER,), tools=(Tool("f", "Does.", _SIMPLE),)), "/tools/0/parameters"),
        (Transcript((_USER,), tools=(Tool("f", "Does.", _RICH),)), "/tools/0/parameters"),
    ),
    Feature.CONSTRAINTS: (
        (_talk(_USER, _call()), "/messages/1/constraint"),
        (_talk(_USER, Message("assistant", "{}", channel="final", constraint="json")), "/messages/1/constraint"),
    ),
    Feature.ENDINGS: (
        (_talk(_USER, Message("assistant", "yes", channel="final", end="return")), "/messages/1/end"),
        (_talk(_USER, Message("assistant", "yes", channel="commentary", end="return"), _USER), "/messages/1/end"),
    ),
    Feature.TRUNCATION: (
        (_talk(_USER, _CUT), "/messages/1/end"),
        (_talk(_USER, _CUT, _USER, _ANSWER), "/messages/1/end"),
    ),
    Feature.GROUPING: (
        (_talk(_USER, _PREAMBLE, _call(continues=True)), "/messages/2/continues"),
        (_talk(_USER, _ANSWER, _call(continues=True)), "/messages/2/continues"),
    ),
    Feature.SIGNATURES: (
        (_talk(_USER, replace(_THOUGHT, signature=Signature("x", "anthropic")), _ANSWER), "/messages/1/signature"),
        (_talk(_USER, replace(_call(), signature=Signature("x", "google")), _REPLY), "/messages/1/signature"),
        (
            _talk(_USER, replace(_THOUGHT, content="", signature=Signature("x", "openai", sealed=True)), _ANSWER),
            "/messages/1/signature",
        ),
    ),
    Feature.CACHE: (
        (_talk(Message("user", (Text("x", cache=CacheMark()), Text("y")))), "/messages/0/content/0/cache"),
        (_talk(_USER, _call(), replace(_REPLY, cache=CacheMark())), "/messages/2/cache"),
    ),
    Feature.CITATIONS: (
        (
            _talk(_USER, replace(_ANSWER, content=(Text("x", citations=(_CITATION,)),))),
            "/messages/1/content/0/citations",
        ),
    ),
    Feature.WEIGHTS: ((_talk(_USER, replace(_ANSWER, weight=0)), "/messages/1/weight"),),
    Feature.MEDIA: (
        (_talk(Message("user", (Text("x"), Media("image", url="https://a/b.png")))), "/messages/0/content"),
    ),
    Feature.REFUSALS: ((_talk(_USER, Message("assistant", (Refusal("no"),), channel="final")), "/messages/1/content"),),
    Feature.FLAGS: ((_talk(Message("system", (Text("x"), Flags(("reason",))))), "/messages/0/content"),),
    Feature.INFILL: ((Completion((Infill("a", None, "c"),)), ""), (Completion((Infill("a", "b", "c"),)), "")),
    Feature.FILES: ((Completion((Text("a\n"), FileBreak(), Text("\nb"))), ""),),
    Feature.HEADER: ((Transcript((_USER,), header=Header(version="2.2", profiles={"harmony": {}})), "/header"),),
    Feature.SETTINGS: (
        (Transcript((_USER,), settings=Settings(model="m", temperature=0.5, stop=("x",))), "/settings"),
    ),
    Feature.ALTERNATIVES: (
        (Transcript((_USER, _ANSWER), alternatives=(Alternative((_ANSWER,), 1, "rejected"),)), "/alternatives"),
        (Transcript((_USER, _ANSWER), alternatives=(Alternative((_USER,), 0, "fork"),)), "/alternatives"),
    ),
    Feature.OPEN_TURN: ((Transcript((_USER,), open_turn=Message("assistant", "", end=None)), "/open_turn"),),
}
