"""Define the unit reader and the unit writer of the JSON interchange; a unit is a message object."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.boundary import is_list_of_lists, several_documents
from ocml_bridge.formats.conformance import check_alone, check_together, is_regular
from ocml_bridge.json_values.json_lines import Lines
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.text.control import stands_alone
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Enclosed, Skeleton, SplitDocument, State, Unit, WrittenUnit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.pairing import identified
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared, UnitWriter

from .nearest import nearest, report_broken_markers, spelled
from .objects import Object
from .reader import count_listed_calls, read_object
from .syntax import CALL_ID, CHANNEL, CONTENT, HOME, INTENT, NAME, NOTES, ROLE, THINKING, TOOL_CALL

_LONGEST: Final = 200
"""The maximum length of a word in a skeleton, in characters."""
_TEXTS: Final = frozenset({CONTENT, THINKING, CALL_ID, "id", "arguments"})
"""The members that are contents and ids."""
_WORDS: Final = frozenset({ROLE, CHANNEL, NAME, INTENT, "recipient", "content_type"})
"""The members whose values are part of the key."""
_MARK: Final = "|start_"
"""The text that all thought markers contain, whole or broken; a text without it is read and written unchanged."""


class ObjectReader(UnitReader):
    """The unit reader."""

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a document into its objects: a list, JSON lines, or one object.

        Raises:
            BridgeError: OCB-SHAPE for any other value; OCB-SEVERAL for a list of lists of objects.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        if isinstance(source, dict):
            return SplitDocument([source], Transcript(), document="object", envelope="object")
        if not isinstance(source, list):
            raise BridgeError(ErrorCode.SHAPE, "a document must be a message object or a list of them", path="")
        shape = "lines" if isinstance(source, Lines) else "list"
        return SplitDocument(cast("list[Json]", source), Transcript(), document=shape, envelope=shape)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return an object without contents and ids; None if it has unknown members, or a text with a marker."""
        if unit.__class__ is not dict:
            return None
        key: list[Hashable] = []
        values: list[str] = []
        call = unit.get(TOOL_CALL)
        if call is None:
            return (tuple(key), values) if _add(unit, key, values) else None
        if call.__class__ is not dict or not _add(call, key, values):
            return None
        others = unit.copy()
        del others[TOOL_CALL]
        key.append(tuple(unit))
        return (tuple(key), values) if _add(others, key, values) else None

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty or has a marker: what else a text says is in no key."""
        return all(texts) and not any(_MARK in text for text in texts)

    def with_values(self, unit: Any, values: Sequence[str]) -> Unit:
        """Return an object that has a skeleton, with other contents and ids."""
        following = iter(values)
        call = unit.get(TOOL_CALL)
        filled_call = None if call is None else _filled(call, following)
        return {key: filled_call if key == TOOL_CALL else value for key, value in _filled(unit, following).items()}

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of an object.

        Raises:
            BridgeError: OCB-SHAPE if it is no message object, E-CALL-SCHEMA if a call has no recipient.
        """
        messages = read_object(unit, "" if split.document == "object" else f"/{at}", index, log)
        for number, message in enumerate(messages, index):
            check_alone(message, f"/messages/{number}", log)
        return messages

    def relates_by_head(self, head: Head, content: str) -> bool:
        """Return whether a message certainly has no section of tools, and no findings that depend on its content."""
        return developer.is_plain(head, content) and is_regular(head, content)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation, with the tools taken out of the developer message."""
        check_together(items, log, _listed_calls(items, split.units))
        extracted = developer.extract_tools(items, lenient=False)
        layout: Object = {} if split.document == "list" else {"shape": cast("str", split.document)}
        layout |= extracted.spelling.notes(HOME)
        around = Transcript((), extracted.tools, layout={HOME: layout} if layout else None)
        return Conversation(with_grouping(extracted.items), around, declaration_at=extracted.at)


def _listed_calls(items: Sequence[Item], units: Sequence[Any]) -> set[int]:
    """Return the indices of the calls that are in lists; they are the last messages of their objects."""
    counts = [count_listed_calls(unit) for unit in units]
    if not any(counts):
        return set()
    starts = [at for at, (head, _, _) in enumerate(items) if not NOTES.is_merged(head.layout)]
    ends = [*starts[1:], len(items)]
    return {at for end, count in zip(ends, counts, strict=True) for at in range(end - count, end)}


def _add(members: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Append members to the key and the values of a skeleton; return False if there is none."""
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
    """The unit writer.

    A unit is the object of the messages that were read from it, or a list of objects if they no longer fit it.
    """

    target = HOME
    home = HOME
    keeps_signatures = False
    mark = _MARK
    groups = True
    keeps_ids = True
    embeds = True

    def inert(self, text: str) -> bool:
        """Return whether a text has no thought marker, whole or broken."""
        return _MARK not in text

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: give ids to calls without one, and put the tools into the developer message."""
        items, nearest_message = identified(conversation.items, HOME), partial(self.nearest, log=log)
        around = conversation.around
        spelling = developer.spelling_of(NOTES.of(around.layout), HOME)
        return developer.insert_tools(
            items, around, nearest_message, log, target=HOME, lenient=False, spelling=spelling
        )

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether a message certainly has no section of tools."""
        return developer.is_plain(head, content)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text cannot be part of a marker or of a section of tools."""
        return stands_alone(text) and developer.is_plain(head, text)

    def nearest(self, message: Message, index: int, log: Log) -> Message:
        """Return the nearest message that an object can hold."""
        return nearest(message, f"/messages/{index}", log)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message was read from the same object as the previous one."""
        return NOTES.is_merged(head.layout)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether an object does not depend on its content: it does if it is stored in the layout."""
        return "object" not in NOTES.of(head.layout)

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return an object, and the messages that are read from it."""
        for message, path in zip(group, paths, strict=True):
            report_broken_markers(message, path, log)
        return spelled(group)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the objects in the shape that was read, if they fit it; otherwise a list."""
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
            return Enclosed(Lines(objects), image)
        image.layout = None
        return Enclosed(objects, image)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation: messages are grouped, and tools are taken out of the developer message."""
        extracted = developer.extract_tools(items, lenient=False, tools=around.tools)
        notes = {**NOTES.of(around.layout), **extracted.spelling.notes(HOME)}
        layout = {HOME: notes} if notes else None
        return Conversation(with_grouping(extracted.items), replace(around, tools=extracted.tools, layout=layout))
