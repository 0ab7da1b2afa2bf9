"""What each format says that it can hold (`ocml-convert matrix`), checked by writing it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ocml_bridge import Completion, Document, Message, Severity, Tool, Transcript, formats, write
from ocml_bridge.adapter import Feature, Level
from ocml_bridge.loss import Loss, LossCode
from ocml_bridge.model import Alternative, FileBreak, Flags, Header, Infill, Media, Refusal, Settings, Text, Thought
from ocml_bridge.policy import LENIENT
from ocml_bridge.registry import adapter
from ocml_bridge.report import covered

USER = Message("user", "hi")
ANSWER = Message("assistant", "yes", channel="final")
THOUGHT = Message("assistant", "hm", channel="analysis")
CUT = Message("assistant", "ye", channel="final", end=None)
PREAMBLE = Message("assistant", "wait", channel="commentary", intent="preamble")
SIMPLE = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
RICH = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "additionalProperties": False}
TOKENS = "<|end|><|im_end|><|start|>[UNUSED_TOKEN_145]<|function_call|>{}<|action_start|><|literal|>"


def call(name: str = "f", **more: object) -> Message:
    fields: dict[str, object] = {
        "channel": "commentary",
        "recipient": f"functions.{name}",
        "constraint": "json",
        "end": "call",
    }
    return Message("assistant", '{"a":1}', **{**fields, **more})  # type: ignore[arg-type]


REPLY = Message("tool", "1", name="functions.f", channel="commentary", recipient="assistant")
CODE = Message("assistant", "print(1)", channel="commentary", recipient="python", end="call")


def talk(*messages: Message) -> Transcript:
    return Transcript(messages)


Probe = tuple[Document, str]
"""A document, and the path that must come back."""

PROBES: dict[Feature, tuple[Probe, ...]] = {
    Feature.SYSTEM: ((talk(Message("system", "x"), USER), "/messages/0"),),
    Feature.DEVELOPER: ((talk(Message("developer", "x"), USER), "/messages/0"),),
    Feature.UNKNOWN_ROLES: ((talk(Message("narrator", "x")), "/messages/0"),),
    Feature.NAMES: ((talk(Message("user", "x", name="bob")), "/messages/0/name"),),
    Feature.THOUGHTS: (
        (talk(USER, THOUGHT, Message("assistant", "yes", channel="final", continues=True)), "/messages/1"),
    ),
    Feature.THOUGHT_KINDS: (
        (
            talk(USER, Message("assistant", (Thought("reflect"), Text("hm")), channel="analysis"), ANSWER),
            "/messages/1/content",
        ),
    ),
    Feature.CHANNELS: (
        (talk(USER, Message("assistant", "x", channel="commentary")), "/messages/1/channel"),
        (talk(USER, Message("assistant", "x")), "/messages/1/channel"),
    ),
    Feature.INTENTS: (
        (talk(USER, PREAMBLE, call(continues=True)), "/messages/1/intent"),
        (talk(USER, Message("assistant", "x", channel="commentary", intent="status")), "/messages/1/intent"),
    ),
    Feature.CALLS: ((talk(USER, call()), "/messages/1"),),
    Feature.PARALLEL_CALLS: ((talk(USER, call(), call("g", continues=True)), "/messages"),),
    Feature.RAW_CALLS: ((talk(USER, CODE), "/messages/1"),),
    Feature.CALL_IDS: ((talk(USER, call(call_id="c9")), "/messages/1/call_id"),),
    Feature.REPLIES: ((talk(USER, call(), REPLY), "/messages/2"),),
    Feature.FAILED_REPLIES: ((talk(USER, call(), replace(REPLY, failed=True)), "/messages/2/failed"),),
    Feature.TOOLS: ((Transcript((USER,), tools=(Tool("f", "Does.", SIMPLE),)), "/tools"),),
    Feature.TOOL_SCHEMAS: (
        (Transcript((USER,), tools=(Tool("f", "Does.", SIMPLE),)), "/tools/0/parameters"),
        (Transcript((USER,), tools=(Tool("f", "Does.", RICH),)), "/tools/0/parameters"),
    ),
    Feature.CONSTRAINTS: (
        (talk(USER, call()), "/messages/1/constraint"),
        (talk(USER, Message("assistant", "{}", channel="final", constraint="json")), "/messages/1/constraint"),
    ),
    Feature.ENDINGS: (
        (talk(USER, Message("assistant", "yes", channel="final", end="return")), "/messages/1/end"),
        (talk(USER, Message("assistant", "yes", channel="commentary", end="return"), USER), "/messages/1/end"),
    ),
    Feature.TRUNCATION: (
        (talk(USER, CUT), "/messages/1/end"),
        (talk(USER, CUT, USER, ANSWER), "/messages/1/end"),
    ),
    Feature.GROUPING: (
        (talk(USER, PREAMBLE, call(continues=True)), "/messages/2/continues"),
        (talk(USER, ANSWER, call(continues=True)), "/messages/2/continues"),
    ),
    Feature.WEIGHTS: ((talk(USER, replace(ANSWER, weight=0)), "/messages/1/weight"),),
    Feature.MEDIA: (
        (talk(Message("user", (Text("x"), Media("image", url="https://a/b.png")))), "/messages/0/content"),
    ),
    Feature.REFUSALS: ((talk(USER, Message("assistant", (Refusal("no"),), channel="final")), "/messages/1/content"),),
    Feature.FLAGS: ((talk(Message("system", (Text("x"), Flags(("reason",))))), "/messages/0/content"),),
    Feature.INFILL: ((Completion((Infill("a", None, "c"),)), ""), (Completion((Infill("a", "b", "c"),)), "")),
    Feature.FILES: ((Completion((Text("a\n"), FileBreak(), Text("\nb"))), ""),),
    Feature.HEADER: ((Transcript((USER,), header=Header(version="2.2", profiles={"harmony": {}})), "/header"),),
    Feature.SETTINGS: ((Transcript((USER,), settings=Settings(model="m", temperature=0.5, stop=("x",))), "/settings"),),
    Feature.ALTERNATIVES: (
        (Transcript((USER, ANSWER), alternatives=(Alternative((ANSWER,), 1, "rejected"),)), "/alternatives"),
        (Transcript((USER, ANSWER), alternatives=(Alternative((USER,), 0, "fork"),)), "/alternatives"),
    ),
    Feature.OPEN_TURN: ((Transcript((USER,), open_turn=Message("assistant", "", end=None)), "/open_turn"),),
    Feature.CONTROL_TOKENS: ((talk(Message("user", TOKENS)), "/messages/0/content"),),
}

ANY_SEVERITY = {Feature.ENDINGS, Feature.GROUPING, Feature.CHANNELS}
"""Of these even a difference of layout says that the feature itself is not held."""


def touches(loss: Loss, path: str) -> bool:
    return covered(loss.path, {path}) or covered(path, {loss.path})


def is_held(feature: Feature, probe: Probe, target: str) -> bool:
    document, path = probe
    losses = [loss for loss in write(document, target, policy=LENIENT).losses if touches(loss, path)]
    return not any(feature in ANY_SEVERITY or loss.severity is not Severity.LAYOUT for loss in losses)


def measured(feature: Feature, target: str) -> Level:
    if feature is Feature.CONTROL_TOKENS:
        losses = write(PROBES[feature][0][0], target).losses
        # Broken by U+200B and mended by our reader: there, but not for everyone.
        return Level.PARTLY if any(loss.code is LossCode.CONTROL_TOKEN for loss in losses) else Level.YES
    held = [is_held(feature, probe, target) for probe in PROBES[feature]]
    return Level.YES if all(held) else Level.PARTLY if any(held) else Level.NO


@pytest.mark.parametrize("target", formats())
@pytest.mark.parametrize("feature", Feature)
def test_a_format_holds_what_it_says(feature: Feature, target: str) -> None:
    if target == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    assert adapter(target)[0].capabilities.level(feature) is measured(feature, target)


def test_every_feature_is_tried() -> None:
    assert set(PROBES) == set(Feature)
