"""Wire messages of Chat Completions and their messages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Alternative, Json, Message, Transcript, replace
from ocml_bridge.ownership import key_of
from ocml_bridge.pairing import name_replies
from ocml_bridge.transform import missing
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body, Branches
from ocml_bridge.units.grammar import Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.media import Medium, add_medium, next_medium, of_address
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.writer import Prepared
from ocml_bridge.wires.blanks import without_blanks
from ocml_bridge.wires.documents import SHAPE
from ocml_bridge.wires.shell import Shell
from ocml_bridge.wires.units import DocumentReader, DocumentWriter

from .calls import call_layout, with_call_types
from .nearest import joins, linked, nearest, with_names
from .reader import notice, read_message
from .shapes import DOCUMENTS, UNITS, branches_of, read_alternatives, write_document
from .spelling import spelled
from .syntax import (
    ANNOTATIONS,
    BLOCKS,
    CONTENT,
    DETAILS,
    FUNCTION,
    FUNCTION_CALL,
    HOME,
    MESSAGES,
    NOTES,
    REASONING_TEXTS,
    TOOL_CALLS,
)

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
_CALL: Final = ("id", "type", FUNCTION)
"""The members of the commonest calls."""
_TEXT: Final = frozenset({("role", "content"), ("content", "role")})
"""The members of the commonest messages."""
_IMAGE: Final = "image_url"
"""The type of a part that is an image, and its member."""
_LONGEST_PART: Final = 1000
"""The longest part other than text, packed."""
_SCALARS: Final = frozenset({str, int, bool, type(None)})
_REPEATING: Final = frozenset({DETAILS, BLOCKS, ANNOTATIONS, FUNCTION_CALL, "refusal"})
"""Members that say what a text says, too, or say it in its place."""
_NEW: Any = ()
"""Stands for members that have not been looked at."""

# --- skeletons --------------------------------------------------------------------------------------------------------

Add = Callable[[str, Any, list[Hashable], list[str]], bool]
"""Adds a member to a skeleton: to its key, and contents and ids to its values; False for one that is not for plans."""


def _add_text(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    if value.__class__ is str:
        if value:
            values.append(value)
        key.append(not value)
    elif value is None:
        key.append(None)
    else:
        return name == CONTENT and value.__class__ is list and value != [] and _add_parts(value, key, values)
    return True


def _add_parts(parts: list[Any], key: list[Hashable], values: list[str]) -> bool:
    """Parts: of texts, all but the text; of images, all but the address; any other whole, where it is short."""
    for part in parts:
        if part.__class__ is not dict or not _REPEATING.isdisjoint(part):
            return False
        if _is_text(part):
            values.append(part["text"])
            key.append(tuple(part) if len(part) == 2 else ("text", key_of({**part, "text": None})))
        else:
            is_value = add_medium(_image_in(part), key, values)
            packed = key_of(_with_address(part, None) if is_value else part)
            key.append(packed)
            if len(packed) > _LONGEST_PART:
                return False
    return True


def _image_in(part: Object) -> Medium | None:
    """The image in a part that is one; None where it is not for plans."""
    inner: Any = part.get(_IMAGE) if part.get("type") == _IMAGE else None
    return of_address(inner.get("url") if inner.__class__ is dict else inner)


def _with_address(part: Object, address: str | None) -> Object:
    """A part that is an image, with another address."""
    inner = part[_IMAGE]
    return {**part, _IMAGE: {**inner, "url": address} if isinstance(inner, dict) else address}


def _is_text(part: Object) -> bool:
    """Whether a part is one of text that says something."""
    return part.get("type") == "text" and part.get("text").__class__ is str and part["text"] != ""


def _add_word(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    key.append(value)
    return value is None or (value.__class__ is str and len(value) <= _LONGEST)


def _add_calls(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    if not value:
        return _add_other(name, value, key, values)
    return value.__class__ is list and all(_add_call(call, key, values) for call in value)


def _add_call(call: Any, key: list[Hashable], values: list[str]) -> bool:
    if call.__class__ is not dict:
        return False
    call_id, function = call.get("id"), call.get(FUNCTION)
    if function.__class__ is not dict or call_id.__class__ is not str or not call_id or len(function) != 2:
        return False
    name, arguments = function.get("name"), function.get("arguments")
    if not (name.__class__ is arguments.__class__ is str) or len(name) > _LONGEST:
        return False
    members = tuple(call)
    key += (members, tuple(function), name, not arguments)
    if members == _CALL and call["type"] == FUNCTION:
        values += (call_id, arguments) if arguments else (call_id,)
        return True
    for member, value in call.items():
        if member == "id":
            values.append(call_id)
        elif member == FUNCTION:
            if arguments:
                values.append(arguments)
        elif not (member == "type" and value == FUNCTION) and not _add_other(member, value, key, values):
            return False
    return True


def _add_other(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """A member that is the same in many messages, such as a mark or the name of an agent; a long text is a value."""
    if value and name in _REPEATING:
        return False
    if _is_long(value):
        key.append((name, str))
        values.append(value)
        return True
    if value.__class__ in _SCALARS:
        key.append((name, value, value.__class__))
        return True
    packed = key_of(value)
    key.append((name, packed))
    return len(packed) <= _LONGEST


def _is_long(value: Any) -> bool:
    """Whether an unknown member is a text that hardly two messages have."""
    return value.__class__ is str and len(value) > _LONGEST


_MEMBERS: Final[dict[str, Add]] = {
    **dict.fromkeys((CONTENT, "tool_call_id", *REASONING_TEXTS), _add_text),
    **dict.fromkeys(("role", "name"), _add_word),
    TOOL_CALLS: _add_calls,
}


def _filled(key: str, value: Any, values: Iterator[str]) -> Any:
    add = _MEMBERS.get(key)
    if add is _add_text:
        if isinstance(value, str):
            return next(values)
        return [_filled_part(part, values) for part in value]
    if add is _add_calls:
        return [_filled_call(call, values) for call in value]
    return _filled_other(value, values) if add is None else value


def _filled_part(part: Object, values: Iterator[str]) -> Object:
    if _is_text(part):
        return {**part, "text": next(values)}
    image = _image_in(part)
    return part if image is None else _with_address(part, next_medium(image, values))


def _filled_other(value: Any, values: Iterator[str]) -> Any:
    return next(values).ljust(_LONGEST + 1) if _is_long(value) else value


def _filled_call(call: Object, values: Iterator[str]) -> Object:
    out = dict(call)
    for member in call:
        if member == "id":
            out["id"] = next(values)
        elif member == FUNCTION and call[FUNCTION]["arguments"]:
            out[FUNCTION] = {**call[FUNCTION], "arguments": next(values)}
        elif member != FUNCTION:
            out[member] = _filled_other(call[member], values)
    return out


def _kinds(keys: tuple[str, ...]) -> tuple[tuple[str, Add], ...] | None:
    """How each member of a wire message is added; None where one is not for plans."""
    if sum(key in REASONING_TEXTS for key in keys) > 1:
        return None
    return tuple((key, _MEMBERS.get(key, _add_other)) for key in keys)


# --- reading and writing ----------------------------------------------------------------------------------------------


class WireReader(DocumentReader):
    """Reads wire messages."""

    looks_at_contents = False
    documents = DOCUMENTS
    request = UNITS

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._kinds = Memo[tuple[str, ...], "tuple[tuple[str, Add], ...] | None"](1024)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A wire message without contents and ids; None where something else in it is long, or spelled oddly."""
        if unit.__class__ is not dict:
            return None
        keys = tuple(unit)
        if keys in _TEXT:
            role, text = unit["role"], unit["content"]
            if text.__class__ is role.__class__ is str and text:
                return (keys, role), [text]
        kinds = self._kinds.get(keys, _NEW)
        if kinds is _NEW:
            kinds = self._kinds.keep(keys, _kinds(keys))
        if kinds is None:
            return None
        key: list[Hashable] = [keys]
        values: list[str] = []
        for name, add in kinds:
            if not add(name, unit[name], key, values):
                return None
        return tuple(key), values

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A wire message that has a skeleton, with other contents and ids."""
        following = iter(values)
        return {key: _filled(key, value, following) if value else value for key, value in unit.items()}

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a wire message.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        wire = cast("Shell", parted.document).message(unit, at)
        made = read_message(wire)
        notice(wire, made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered, and with the other answers."""
        name_replies(items, log)
        branches = cast("Shell", parted.document).branches
        if not branches:
            return Conversation(items, parted.around)
        alternatives = tuple(read_alternatives(branches, items, log))
        return Conversation(items, replace(parted.around, alternatives=alternatives))


class WireWriter(DocumentWriter):
    """Writes wire messages, each without regard to those before it: there is but one state."""

    looks_at_contents = False
    target = HOME
    home = HOME
    reader: ClassVar[type[UnitReader]] = WireReader
    documents = DOCUMENTS
    request = UNITS
    groups = True
    keeps_ids = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with all tools apart from messages, with ids for calls that have none, and with names.

        A reply whose call does not tell its tool's name is given the layout of one that says it.
        """
        conversation, origins = with_tools_apart(conversation, log)
        items, origins = without_blanks(conversation.items, origins, log, target=HOME)
        around = conversation.around
        if around.alternatives is not None:
            indices = range(len(items)) if origins is None else origins
            around = replace(around, alternatives=_placed(around.alternatives, items, indices, log))
        return Prepared(with_names(linked(with_call_types(items, around.tools))), around, origins)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one wire message with the one before it."""
        one, other = (each.message("" if each.empty else "x", None) for each in (before, head))
        return joins(one, other)

    def follows(self, head: Head) -> bool:
        """Arguments that were read as JSON values are written as such."""
        layout = call_layout(head.message("", None))
        return layout.get("arguments") is None and "raw" not in layout

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A wire message, and what it reads as."""
        wire, image = spelled(group, self.options)
        return Spelled(wire, image, None)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The wire messages, and those of the other answers."""
        return Body(units, [self._wires(one.messages) for one in around.alternatives or ()])

    def written(self, around: Transcript, body: Body) -> Json:
        """A request, a response, a line of preferences or a list of messages."""
        return write_document(around, body)

    def branches(self, parted: Parted, around: Transcript) -> Branches | None:
        """The other answers of a document that was read."""
        return branches_of(parted)

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Nothing of the wire messages of a request matters to what stands around them."""
        return MESSAGES if SHAPE not in NOTES.of(around.layout) else None

    def _wires(self, messages: Sequence[Message]) -> list[Json]:
        """The wire messages of an alternative."""
        items = with_names(linked(list(map(item_of, messages))))
        groups: list[list[Message]] = []
        for index, item in enumerate(items):
            message = nearest(message_of(item), index, Log())
            if message is None:
                continue
            if groups and joins(groups[-1][-1], message):
                groups[-1].append(message)
            else:
                groups.append([message])
        return [spelled(group, self.options)[0] for group in groups]

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered."""
        name_replies(items, Log())
        return Conversation(items, around)


def _placed(
    alternatives: Sequence[Alternative], items: Sequence[Item], origins: Sequence[int], log: Log
) -> tuple[Alternative, ...]:
    """The alternatives of a document, each behind as many messages as are left there.

    Args:
        alternatives: the document's.
        items: its messages.
        origins: for each of them its index in the document.
        log: what was lost already.
    """
    nearer = Log()
    for index, item in zip(origins, items, strict=True):
        nearest(message_of(item), index, nearer)
    dropped = missing([*log.losses, *nearer.losses])
    return tuple(replace(one, at=one.at - sum(index < one.at for index in dropped)) for one in alternatives)
