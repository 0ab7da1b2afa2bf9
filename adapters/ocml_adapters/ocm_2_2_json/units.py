"""Message objects of the JSON interchange, and their messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.boundary import is_list_of_lists, several_documents
from ocml_bridge.formats.conformance import check_alone, check_together, is_regular
from ocml_bridge.json_values import jsontext
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.text.control import stands_alone
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared, UnitWriter

from .nearest import nearest, report_broken_markers, written
from .objects import Object, is_merged
from .reader import listed, read_object
from .syntax import CALL_ID, CHANNEL, CONTENT, HOME, INTENT, NAME, NOTES, ROLE, THINKING, TOOL_CALL

_LONGEST: Final = 200
"""The longest word that plans are made for, in characters."""
_TEXTS: Final = frozenset({CONTENT, THINKING, CALL_ID, "id", "arguments"})
"""Members that are contents and ids."""
_WORDS: Final = frozenset({ROLE, CHANNEL, NAME, INTENT, "recipient", "content_type"})
_MARK: Final = "|start_"
"""What thought markers have in them, whole and broken ones; a text without it is read and written as it is."""


class ObjectReader(UnitReader):
    """Reads objects."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The objects of a document: of a list, of JSON lines, or the one that it is.

        Raises:
            BridgeError: OCB-SHAPE for any other value; OCB-SEVERAL for a list of lists of objects.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        if isinstance(source, dict):
            return Parted([source], Transcript(), document="object", envelope="object")
        if not isinstance(source, list):
            raise BridgeError(ErrorCode.SHAPE, "a document must be a message object or a list of them", path="")
        shape = "lines" if isinstance(source, jsontext.Lines) else "list"
        return Parted(cast("list[Json]", source), Transcript(), document=shape, envelope=shape)

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
        """
        messages = read_object(unit, "" if parted.document == "object" else f"/{at}", index, log)
        for number, message in enumerate(messages, index):
            check_alone(message, f"/messages/{number}", log)
        return messages

    def is_related_alike(self, head: Head, content: str) -> bool:
        """Whether a message holds no section of tools, and nothing is to be found of what it says."""
        return developer.is_plain(head, content) and is_regular(head, content)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the tools out of the developer's message."""
        check_together(items, log, _listed_calls(items, parted.units))
        found = developer.lifted(items, lenient=False)
        layout: Object = {} if parted.document == "list" else {"shape": cast("str", parted.document)}
        if found.spelling.layout is not None:
            layout["tools_message"] = found.spelling.layout[HOME]
        around = Transcript((), found.tools, layout={HOME: layout} if layout else None)
        return Conversation(with_grouping(found.items), around, lifted=found.at)


def _listed_calls(items: Sequence[Item], units: Sequence[Any]) -> set[int]:
    """The indices of the calls that stand in lists; they are the last messages of their objects."""
    counts = [listed(unit) for unit in units]
    if not any(counts):
        return set()
    starts = [at for at, (head, _, _) in enumerate(items) if not is_merged(head.message("", None))]
    ends = [*starts[1:], len(items)]
    return {at for end, count in zip(ends, counts, strict=True) for at in range(end - count, end)}


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


class ObjectWriter(UnitWriter):
    """Writes objects.

    A unit is the object of the messages that were read from it, or a list of objects where one cannot say them.
    """

    target = HOME
    home = HOME
    keeps_signatures = False
    mark = _MARK
    groups = True
    keeps_ids = True
    embeds = True

    def inert(self, text: str) -> bool:
        """Whether a text holds no thought marker, whole or broken."""
        return _MARK not in text

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with ids for calls that have none, and with its tools behind what the developer says."""
        items, near = identified(conversation.items, HOME), partial(self.nearest, log=log)
        return developer.lowered(items, conversation.around, near, log, target=HOME, lenient=False)

    def is_prepared_alike(self, head: Head, content: str) -> bool:
        """Whether a message holds no section of tools."""
        return developer.is_plain(head, content)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Whether a text is no part of a marker, and none of a section of tools."""
        return stands_alone(text) and developer.is_plain(head, text)

    def nearest(self, message: Message, index: int, log: Log) -> Message:
        """What an object can say of it."""
        return nearest(message, f"/messages/{index}", log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message was read from one object with the one before it."""
        return is_merged(head.message("", None))

    def follows(self, head: Head) -> bool:
        """An object that was kept whole has its contents in it."""
        return "object" not in NOTES.of(head.message("", None).layout)

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """An object, and what it reads as."""
        for message, path in zip(group, paths, strict=True):
            report_broken_markers(message, path, log)
        objects = written(group)
        wires = [made.wire for made in objects]
        image = [message for made in objects for message in made.image]
        return Spelled(wires if len(wires) > 1 else wires[0], image, None)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The objects in the shape that they were read in, where they can have it; else in a list."""
        objects: list[Json] = []
        for unit in units:
            if unit.__class__ is list:
                objects += unit
            else:
                objects.append(unit)
        shape = NOTES.of(around.layout).get("shape")
        image = Transcript((), around.tools or None, layout={HOME: {"shape": shape}})
        if shape == "object" and len(objects) == 1:
            return Enclosed(objects[0], image)
        if shape == "lines" and len(objects) > 1:
            return Enclosed(jsontext.Lines(objects), image)
        image.layout = None
        return Enclosed(objects, image)

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The messages in their turns, with the tools apart from them."""
        found = developer.lifted(items, lenient=False, tools=around.tools)
        return Conversation(with_grouping(found.items), replace(around, tools=found.tools))
