"""Fit messages to the JSON interchange, which has roles, names, contents and calls, but no endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Final

from ocml_bridge.chat.turns import with_namespace
from ocml_bridge.chat.visibility import channelled, closed
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import ByFormat, Message, Thought, Tools, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text import thoughts
from ocml_bridge.units.grammar import WrittenUnit

from .objects import Object, is_marked, is_wire_call, plain_object, spelled_object, unknown_keys
from .reader import is_tool, read_object
from .syntax import HOME, MARKERS, NOTES


def nearest(message: Message, path: str, log: Log) -> Message:
    """Return the nearest message that an object can hold, alone or together with others.

    Args:
        message: the message; tools that are declared in it stay in it.
        path: its JSON pointer.
        log: receives the losses of its content.
    """
    message = channelled(message)
    holds = {Thought, Tools} if is_marked(message) else {Tools}
    message = replace(
        message,
        content=thoughts.tidy(narrow(message.content, holds, f"{path}/content", log, target=HOME)),
        content_type=None,
        continues=False,
        failed=None,
        weight=None,
        signature=None,
        cache=None,
        extras=_extras(message.extras),
    )
    if is_tool(message.role):
        message = replace(message, role="tool", name=message.role)
    if is_wire_call(message):
        call = replace(message, channel=message.channel or "commentary", intent=None, end="call")
        return closed(message, call)
    if message.role == "tool":
        name = with_namespace(message.name) if message.name is not None else None
        message = replace(message, name=name, recipient="assistant")
    if message.intent == "preamble" and message.channel == "final":
        message = replace(message, channel="commentary")
    return replace(message, constraint=None, end="end")


def _extras(extras: ByFormat | None) -> ByFormat | None:
    unknown = unknown_keys(NOTES.of(extras))
    return {HOME: unknown} if unknown else None


def spelled(group: Sequence[Message]) -> WrittenUnit:
    """Return the object of messages, or a list with one object for each if they do not fit into one.

    Args:
        group: the messages, each as `nearest` returns it.
    """
    first, *others = group
    together = [first, *(replace(message, extras=None) for message in others)]
    for wire in (spelled_object(together, NOTES.of(first.layout)), plain_object(together)):
        if wire is not None and list(map(_meaning_of, image := _read_back(wire))) == list(map(_meaning_of, together)):
            return WrittenUnit(wire, image, None)
    wires = [plain_object([message]) for message in group]
    image = [message for wire in wires for message in _read_back(wire)]
    return WrittenUnit(wires if len(wires) > 1 else wires[0], image, None)


def _read_back(wire: Object) -> list[Message]:
    try:
        return read_object(wire, "", 0, Log())
    except BridgeError:
        return []


_meaning_of: Final = attrgetter(*(field.name for field in fields(Message) if field.name not in ("layout", "continues")))


def report_broken_markers(message: Message, path: str, log: Log) -> None:
    """Report that a thought marker in a text is broken."""
    texts = [part.text for part in thoughts.texts(message.content)] if is_marked(message) else []
    if any(MARKERS.neutralise(text) != text for text in texts):
        detail = "a thought marker in the text is broken up by U+200B"
        log.lose(LossCode.CONTROL_TOKEN, f"{path}/content", detail, Severity.CHANGED)
