"""A message object of the JSON interchange, for plans."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.conformance import Conformance, check_together
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.pairing import identified
from ocml_bridge.text import declared
from ocml_bridge.turns import declares_tools
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import grouped, turn_behind, with_grouping
from ocml_bridge.units.heads import Head, Item

from .fit import fitted, near, shape_layout
from .reader import is_tool, layout_of, listed, parted, path_of, read_object
from .spelling import own
from .syntax import CALL_ID, CHANNEL, CONTENT, HOME, INTENT, NAME, ROLE, THINKING, TOOL_CALL
from .writer import groups, is_merged, shaped, written

_LONGEST: Final = 200
"""The longest word that plans are made for, in characters."""
_TEXTS: Final = frozenset({CONTENT, THINKING, CALL_ID, "id", "arguments"})
"""Members that are contents and ids."""
_WORDS: Final = frozenset({ROLE, CHANNEL, NAME, INTENT, "recipient", "content_type"})


class ObjectReader:
    """Reads objects."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The objects of a document."""
        shape, objects = parted(source)
        return Parted(objects, Transcript(), document=shape)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """An object without contents and ids; None where it has members that are none of the format's."""
        if unit.__class__ is not dict:
            return None
        key: list[Hashable] = []
        values: list[str] = []
        called = unit.get(TOOL_CALL)
        if called is None:
            return (tuple(key), values) if _add(unit, key, values) else None
        if called.__class__ is not dict or not _add(called, key, values):
            return None
        others = unit.copy()
        del others[TOOL_CALL]
        key.append(tuple(unit))
        return (tuple(key), values) if _add(others, key, values) else None

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """An object that has a skeleton, with other contents and ids."""
        following = iter(values)
        called = unit.get(TOOL_CALL)
        call = None if called is None else _filled(called, following)
        return {key: call if key == TOOL_CALL else value for key, value in _filled(unit, following).items()}

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of an object.

        Raises:
            BridgeError: OCB-SHAPE for what is no message object, E-CALL-SCHEMA for a call without a recipient.
            ByDocument: where it lists calls, which must not be written in two ways in one turn.
        """
        messages = read_object(unit, path_of(at, cast("str", parted.document)), index, log)
        if listed(unit):
            raise ByDocument
        conformance = Conformance(log)
        for number, message in enumerate(messages, index):
            conformance.alone(message, f"/messages/{number}")
        return messages

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the tools out of the developer's message.

        Raises:
            ByDocument: where findings of ids or bodies stand among others.
        """
        check_together(items, log)
        found = declared.lifted(items, lenient=False)
        layout = layout_of(cast("str", parted.document), found.layout)
        return Conversation(with_grouping(found.items), Transcript((), found.tools, layout=layout))


def _add(members: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Add members to a skeleton; False for what is not for plans."""
    for name, value in members.items():
        key.append(name)
        if name in _TEXTS:
            if value.__class__ is not str or _MARK in value:
                return False
            if value:
                values.append(value)
            else:
                key.append(None)
        elif name in _WORDS and value.__class__ is str and len(value) <= _LONGEST:
            key.append(value)
        else:
            return False
    return True


def _filled(members: dict[str, Any], values: Iterator[str]) -> dict[str, Any]:
    return {name: next(values) if name in _TEXTS and value else value for name, value in members.items()}


_MARK: Final = "|start_"
"""What thought markers have in them, whole and broken ones; a text without it is read and written as it is."""


class ObjectWriter:
    """Writes objects. The state is the turn that the object before leaves open."""

    target = HOME
    home = HOME
    mark = _MARK
    start: State = None
    narrows = True
    groups = True
    keeps_ids = True
    guards_first = False

    def __init__(self, options: Options) -> None:
        self._options = options

    def inert(self, text: str) -> bool:
        """Whether a text holds no thought marker, whole or broken."""
        return _MARK not in text

    def relate(self, items: list[Item], around: Transcript) -> list[Item]:
        """The items with ids for calls that have none; a tool's name in place of the role pairs anew."""
        if any(is_tool(head.role) for head, _, _ in items):
            raise ByDocument
        return identified(items, HOME)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """What an object can say.

        Raises:
            ByDocument: where tools are declared in it.
        """
        if declares_tools(message):
            raise ByDocument
        return near(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message was read from one object with the one before it."""
        return is_merged(head.message("", None))

    def follows(self, head: Head) -> bool:
        """An object that was kept whole has its contents in it."""
        return "object" not in own(head.message("", None).layout)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """An object, and what it reads as.

        Raises:
            ByDocument: for messages that it cannot say together.
        """
        image: list[Message] = []
        for message in fitted(group):
            image.append(grouped(message, state))
            state = turn_behind(message)
        if len(groups(image)) > 1:
            raise ByDocument
        return Spelled(written(image), image, state)

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Where the developer's message with the tools goes."""
        return declared.place(items, around)

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The objects in their shape, with the tools in one of their own."""
        tools = None
        if around.tools:
            text, tools = declared.section(around.tools)
            units.insert(at, written([Message("developer", text)]))
        layout = shape_layout(around.layout, len(units))
        return Enclosed(shaped(units, layout), Transcript((), tools, layout=layout))
