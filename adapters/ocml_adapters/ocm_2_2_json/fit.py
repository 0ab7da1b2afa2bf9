"""What the JSON interchange can hold of a document: messages and their content; no header, no endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter, eq
from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.errors import BridgeError
from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import ByFormat, Completion, Document, Json, Message, Thought, Tools, Transcript, replace
from ocml_bridge.pairing import synthesise_ids
from ocml_bridge.text import developer, thoughts
from ocml_bridge.turns import as_transcript, infer_grouping, with_namespace
from ocml_bridge.visibility import channelled, closed

from .reader import is_tool, read_object
from .spelling import own, unknown_keys
from .syntax import HOME, MARKERS
from .writer import groups, is_wire_call, wire_object


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image of a document in the JSON interchange."""
    transcript = as_transcript(document, log) if isinstance(document, Completion) else document
    numbered = synthesise_ids(transcript.messages, HOME)
    messages = tuple(near(message, index, log) for index, message in enumerate(numbered))
    transcript = developer.empty(replace(transcript, messages=messages), _empty, log, target=HOME)
    transcript = developer.fit(transcript, log, lenient=False)
    spelled: list[Message] = []
    for group in groups(transcript.messages):
        spelled += fitted(group)
    image = Transcript(infer_grouping(spelled), tools=transcript.tools)
    return replace(image, layout=shape_layout(transcript.layout, len(groups(developer.spell(image)))))


def shape_layout(layout: ByFormat | None, objects: int) -> ByFormat | None:
    """The shape that a number of objects was read in, where they can have it."""
    shape = own(layout).get("shape")
    fits = (shape == "object" and objects == 1) or (shape == "lines" and objects > 1)
    return {HOME: {"shape": shape}} if fits else None


def _empty(message: Message, *, first: bool) -> Message:
    return replace(message, extras=_extras(message.extras))


def _extras(extras: ByFormat | None) -> ByFormat | None:
    kept = unknown_keys(own(extras))
    return {HOME: kept} if kept else None


def near(message: Message, index: int, log: Log) -> Message:
    """A message with what an object can say of it, alone or with others."""
    path = f"/messages/{index}"
    message = channelled(message)
    marked = message.role == "assistant" and message.channel == "analysis" and not is_wire_call(message)
    content = thoughts.tidy(
        narrow(message.content, {Thought, Tools} if marked else {Tools}, f"{path}/content", log, target=HOME)
    )
    message = replace(message, content=content, content_type=None, continues=False, failed=None, weight=None)
    if is_tool(message.role):
        message = replace(message, role="tool", name=message.role)
    if marked and any(MARKERS.neutralise(p.text) != p.text for p in thoughts.texts(content)):
        detail = "a thought marker meant as text is broken by U+200B"
        log.lose(LossCode.CONTROL_TOKEN, f"{path}/content", detail, Severity.CHANGED)
    if is_wire_call(message):
        call = replace(message, channel=message.channel or "commentary", intent=None, end="call")
        return closed(message, call)
    if message.role == "tool":
        name = with_namespace(message.name) if message.name is not None else None
        message = replace(message, name=name, recipient="assistant")
    if message.intent == "preamble" and message.channel == "final":
        message = replace(message, channel="commentary")
    return replace(message, constraint=None, end="end")


def fitted(group: Sequence[Message]) -> list[Message]:
    """Messages as reading their object gives them back; apart where one object cannot say them."""
    first = replace(group[0], extras=_extras(group[0].extras), layout=None)
    plain = [first, *(replace(message, extras=None) for message in group[1:])]
    for layout in (own(group[0].layout), {}):
        spelled = [replace(first, layout={HOME: layout}), *plain[1:]] if layout else plain
        back = _read_back(spelled)
        if back is not None and _same_but_grouping(back, spelled):
            return back
    return [first] if len(group) == 1 else [made for one in group for made in fitted([replace(one, layout=None)])]


def _read_back(group: list[Message]) -> list[Message] | None:
    layout, wire = own(group[0].layout), wire_object(group)
    whole = layout.get("object")
    if isinstance(whole, dict):
        wire = cast("dict[str, Json]", whole)
    else:
        nulls, order = layout.get("nulls", []), layout.get("order")
        if not _are_keys(nulls) or (order is not None and not _are_keys(order)):
            return None
        try:
            values = {**wire, **own(group[0].extras), **dict.fromkeys(cast("list[str]", nulls))}
            wire = {key: values[key] for key in cast("list[str]", order)} if order is not None else values
        except (KeyError, TypeError, ValueError):
            return None
        if len(wire) != len(values):
            return None
    try:
        return read_object(wire, "", 0, Log())
    except BridgeError:
        return None


def _are_keys(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(key, str) for key in cast("list[Json]", value))


def _same_but_grouping(back: list[Message], group: list[Message]) -> bool:
    """Whether two runs of messages say the same; how they are spelled may differ."""
    return len(back) == len(group) and all(map(eq, map(_says, back), map(_says, group)))


_says: Final = attrgetter(*(field.name for field in fields(Message) if field.name not in ("layout", "continues")))
