"""What the JSON interchange can hold of messages: who speaks, their content, calls; no endings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import with_namespace
from ocml_bridge.chat.visibility import channelled, closed
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import ByFormat, Message, Thought, Tools, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text import thoughts

from .objects import Object, is_marked, is_wire_call, plain_object, spelled_object, unknown_keys
from .reader import is_tool, read_object
from .syntax import HOME, MARKERS, NOTES


def nearest(message: Message, path: str, log: Log) -> Message:
    """The message with what an object can say of it, alone or with others.

    Args:
        message: any. Tools that are declared in it stay there.
        path: where it stands in the document.
        log: takes what is lost of its content.
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


class Written(NamedTuple):
    """An object, and the messages that it reads as."""

    wire: Object
    image: Sequence[Message]


def written(group: Sequence[Message]) -> list[Written]:
    """The object of messages that were read from one; an object for each where one does not say them together.

    Args:
        group: the messages, each the nearest that the format can hold.
    """
    first, *others = group
    together = [first, *(replace(message, extras=None) for message in others)]
    for wire in (spelled_object(together, NOTES.of(first.layout)), plain_object(together)):
        if wire is not None and list(map(_says, image := _read_back(wire))) == list(map(_says, together)):
            return [Written(wire, image)]
    return [Written(wire, _read_back(wire)) for wire in (plain_object([message]) for message in group)]


def _read_back(wire: Object) -> list[Message]:
    try:
        return read_object(wire, "", 0, Log())
    except BridgeError:
        return []


_says: Final = attrgetter(*(field.name for field in fields(Message) if field.name not in ("layout", "continues")))


def report_broken_markers(message: Message, path: str, log: Log) -> None:
    """Report that a thought marker which is meant as text is broken in an object."""
    if is_marked(message) and any(MARKERS.neutralise(one.text) != one.text for one in thoughts.texts(message.content)):
        detail = "a thought marker in the text is broken up by U+200B"
        log.lose(LossCode.CONTROL_TOKEN, f"{path}/content", detail, Severity.CHANGED)
