"""Items of the Responses API and their messages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar, Final, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.pairing import name_replies
from ocml_bridge.turns import declares_tools, hoist_tools, places
from ocml_bridge.units.conversation import Conversation, conversation_of
from ocml_bridge.units.envelopes import Body, EnvelopeWriter
from ocml_bridge.units.grammar import ContentClass, Emptied, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import Prepared

from .calls import FUNCTION, is_object
from .envelopes import Place, cut_short, emptied, items_of, outline, refilled
from .items import MADE_UP
from .messages import INSTRUCTIONS, Instructions, declares_more_tools, is_instructions
from .nearest import linked, nearest, with_custom, with_kinds, with_names
from .notices import notice
from .shapes import read_shell, takes_instructions, write_shell
from .spelling import is_merged, read_item, spelled
from .syntax import FUNCTION_CALL, FUNCTION_OUTPUT, HOME, MESSAGE, NOTES

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
_FIRST: Final = "first"
"""The state before the first item, where what is said before all of them has a place."""
_TEXTS: Final = frozenset({"content", "arguments", "input", "output", "call_id"})
"""Members that are contents and ids."""
_WORDS: Final = frozenset({"type", "role", "name", "namespace", "status", "phase"})


# --- skeletons --------------------------------------------------------------------------------------------------------


def _add(item: dict[str, Any], key: list[Hashable], values: list[str]) -> bool:
    """Add members to a skeleton; False for what is not for plans."""
    for name, value in item.items():
        key.append(name)
        if value.__class__ is str:
            if name in _TEXTS:
                if value:
                    values.append(value)
                else:
                    key.append(None)
            elif name in _WORDS and len(value) <= _LONGEST:
                key.append(value)
            else:
                return False
        elif value.__class__ is list:
            if not _add_parts(value, key, values):
                return False
        elif value is None:
            key.append(False)
        else:
            return False
    return True


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """A list of at most one text, which says nothing else."""
    if not parts:
        key.append(())
        return True
    if len(parts) != 1 or parts[0].__class__ is not dict:
        return False
    for name, value in parts[0].items():
        key.append(name)
        if name == "text" and value.__class__ is str and value:
            values.append(value)
        elif name == "type" and value.__class__ is str and len(value) <= _LONGEST:
            key.append(value)
        elif value is None or value == []:
            key.append(value is None)
        else:
            return False
    key.append(0)
    return "text" in parts[0]


def _message(unit: Any) -> Skeleton | None:
    """The skeleton of a message that is one text, as most are."""
    role, text = unit["role"], unit["content"]
    if not (role.__class__ is text.__class__ is str) or not text or len(role) > _LONGEST:
        return None
    kind = unit.get("type")
    return ((kind, role), [text]) if kind is None or kind == MESSAGE else None


def _call(unit: Any) -> Skeleton | None:
    """The skeleton of a function's call."""
    name, call_id, body = unit["name"], unit["call_id"], unit["arguments"]
    if not (name.__class__ is call_id.__class__ is body.__class__ is str) or len(name) > _LONGEST:
        return None
    return ((FUNCTION_CALL, name), [call_id, body]) if call_id and body and unit["type"] == FUNCTION_CALL else None


def _output(unit: Any) -> Skeleton | None:
    """The skeleton of what it gave."""
    call_id, text = unit["call_id"], unit["output"]
    if not (call_id.__class__ is text.__class__ is str) or not (call_id and text):
        return None
    return (FUNCTION_OUTPUT, [call_id, text]) if unit["type"] == FUNCTION_OUTPUT else None


_PLAIN: Final[dict[tuple[str, ...], Callable[[Any], Skeleton | None]]] = {
    ("type", "role", "content"): _message,
    ("role", "content"): _message,
    ("type", "call_id", "name", "arguments"): _call,
    ("type", "call_id", "output"): _output,
}
"""The keys of the commonest items → what gives their skeletons."""


def _filled(value: Any, name: str, values: Iterator[str]) -> Any:
    if value.__class__ is list and value:
        return [{key: next(values) if key == "text" else inner for key, inner in value[0].items()}]
    return next(values) if name in _TEXTS and value.__class__ is str and value else value


# --- reading and writing ----------------------------------------------------------------------------------------------


class ItemReader(UnitReader):
    """Reads items."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """A document without its items.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        shell = read_shell(source, log)
        return Parted(shell.units, shell.around(), False, shell.place)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A request as its envelope and its items; None for a document of another shape."""
        return emptied(source)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """An item without contents and ids; None where it has other members that say something."""
        if unit.__class__ is not dict:
            return (INSTRUCTIONS, [str(unit)]) if unit.__class__ is Instructions else None
        plain = _PLAIN.get(tuple(unit))
        if plain is not None and (found := plain(unit)) is not None:
            return found
        key: list[Hashable] = []
        values: list[str] = []
        return (tuple(key), values) if _add(unit, key, values) else None

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """An item that has a skeleton, with other contents and ids."""
        if unit.__class__ is Instructions:
            return Instructions(values[0])
        following = iter(values)
        return {name: _filled(value, name, following) for name, value in unit.items()}

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of an item.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        if not isinstance(unit, (dict, Instructions)) or not unit:
            place = cast("Place", parted.document)(at)
            raise BridgeError(ErrorCode.SHAPE, "an item must be an object with a type or a role", path=place)
        made = read_item(unit, at)
        notice(unit, made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation in its turns, with the names of the tools whose calls are answered."""
        name_replies(items, log)
        cut_short(items, parted.around)
        return Conversation(with_grouping([*with_kinds(items, FUNCTION)]), parted.around)


class ItemWriter(EnvelopeWriter):
    """Writes items: a unit is one, or a list where messages that were read from one do not fit into it any more."""

    target = HOME
    home = HOME
    reader: ClassVar[type[UnitReader]] = ItemReader
    groups = True
    mixes_roles = True
    keeps_ids = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with tools apart from messages, with ids for calls that have none, and with names."""
        origins: Sequence[int] | None = None
        if _declares_tools(conversation.items):
            document = conversation.transcript
            conversation = conversation_of(hoist_tools(document, log))
            origins = places(document, log)
        items = with_names(with_kinds(linked(with_custom(conversation.items, conversation.around.tools))))
        start = _FIRST if takes_instructions(conversation.around) else None
        return Prepared(items, conversation.around, origins, start)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message was read from one item with the one before it."""
        return not head.bare and is_merged(head.message("", None))

    def follows(self, head: Head) -> bool:
        """What calls say tells their type where nothing else does; some bodies are JSON values."""
        layout = {} if head.bare else NOTES.of(head.message("", None).layout)
        if head.calls:
            return head.promises_json and "body" not in layout and "form" not in layout
        return "body" not in layout

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Whether what a tool is given is a JSON object."""
        layout = {} if head.bare else NOTES.of(head.message("", None).layout)
        if "body" in layout or not head.bare:
            return None
        return _OBJECT if is_object(content) else _OTHER

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """An item, and what it reads as; what is said before all items is one of them where it is not the first."""
        if state != _FIRST and is_instructions(group[0]):
            group[0].layout = None
        written = spelled(group)
        items = [{MADE_UP: str(item)} if isinstance(item, Instructions) else item for item in written.items]
        return Spelled(items[0] if len(items) == 1 else items, written.image, None)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The items."""
        return Body(items_of(units, around))

    def written(self, around: Transcript, body: Body) -> Json:
        """A request, a response, one of each, or a list of items."""
        return write_shell(around, body.units)

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Whether a request says something before its items."""
        return outline(units, around)

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """A request with other items."""
        return refilled(envelope, items_of(units, around))

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation in its turns, with the names of the tools whose calls are answered."""
        name_replies(items, Log())
        cut_short(items, around)
        return Conversation(with_grouping([*with_kinds(items, FUNCTION)]), around)


_OBJECT: Final = ContentClass('{"a": "', '"}')
_OTHER: Final = ContentClass()
"""What a tool is given: a JSON object, and anything else."""


def _declares_tools(items: Sequence[Item]) -> bool:
    """Whether tools are declared inside messages that were not read from items of additional tools."""
    return any(
        item[1].__class__ is not str
        and declares_tools(message := message_of(item))
        and not declares_more_tools(message)
        for item in items
    )
