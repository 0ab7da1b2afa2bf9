"""Wire messages of Chat Completions, for plans: what in one is content or id, and what reading and writing one need."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Message, Tools, Transcript
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, item_of, messages_of
from ocml_bridge.units.relations import with_ids

from .envelopes import EnvelopeReader, EnvelopeWriter
from .fit import fitted, joined, linked, near, stage_of
from .form import Object
from .reader import checked, name_replies, notice, read_message
from .syntax import CONTENT, FUNCTION, HOME, REASONING_TEXTS, TOOL_CALLS
from .tools import call_layout

_LONGEST: Final = 200
"""The longest name that plans are made for, in characters."""
Add = Callable[[str, Any, list[Hashable], list[str]], bool]
"""Adds a member to a skeleton: to its key, and contents and ids to its values; False for one that is not for plans."""


def _add_text(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    if value.__class__ is str:
        if value:
            values.append(value)
        key.append(not value)
    elif value is None:
        key.append(None)
    elif name == CONTENT and (text := _one_text(value)):
        values.append(text)
        key.append("list")
    else:
        return False
    return True


def _add_word(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    key.append(value)
    return value.__class__ is str and len(value) <= _LONGEST


def _add_calls(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    if not value:
        return _add_nothing(name, value, key, values)
    return value.__class__ is list and all(_add_call(call, key, values) for call in value)


def _add_call(call: Any, key: list[Hashable], values: list[str]) -> bool:
    if call.__class__ is not dict or len(call) != 3:
        return False
    call_id, function = call.get("id"), call.get("function")
    if function.__class__ is not dict or call_id.__class__ is not str or not call_id or len(function) != 2:
        return False
    name, arguments = function.get("name"), function.get("arguments")
    if not (name.__class__ is arguments.__class__ is str) or call.get("type") != "function" or len(name) > _LONGEST:
        return False
    key += (tuple(call), tuple(function), name, not arguments)
    for member in call:
        if member == "id":
            values.append(call_id)
        elif member == "function" and arguments:
            values.append(arguments)
    return True


def _add_nothing(name: str, value: Any, key: list[Hashable], values: list[str]) -> bool:
    """A member that says nothing."""
    key.append((name, repr(value)))
    return not (value or value.__class__ in _NUMBERS)


_MEMBERS: Final[dict[str, Add]] = {
    **dict.fromkeys((CONTENT, "tool_call_id", *REASONING_TEXTS), _add_text),
    **dict.fromkeys(("role", "name"), _add_word),
    TOOL_CALLS: _add_calls,
}


def _kinds(keys: tuple[str, ...]) -> tuple[tuple[str, Add], ...] | None:
    """How each member of a wire message is added; None where one is not for plans."""
    if sum(key in REASONING_TEXTS for key in keys) > 1:
        return None
    return tuple((key, _MEMBERS.get(key, _add_nothing)) for key in keys)


class WireReader:
    """Reads wire messages."""

    def __init__(self) -> None:
        self._kinds = Memo[tuple[str, ...], "tuple[tuple[str, Add], ...] | None"](1024)
        self._named = Memo[tuple[Head, str], Head](4096)
        self.part = EnvelopeReader().part

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A wire message without contents and ids; None where it has other members that say something."""
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
        wire = checked(unit, at, cast("Callable[[int], str]", parted.document))
        made = read_message(wire)
        notice(wire, made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the names of the tools whose calls are answered."""
        waiting: dict[str, str | None] = {}
        renamed: list[tuple[int, Item]] = []
        for at, (head, content, call_id) in enumerate(items):
            if head.role == "tool":
                tool = waiting.pop(call_id, None) if call_id is not None else None
                if tool is None:
                    break
                if head.name is None:
                    renamed.append((at, (self._with_name(head, tool), content, call_id)))
            elif head.calls:
                if call_id is None or call_id in waiting:
                    break
                waiting[call_id] = head.recipient
        else:
            for at, item in renamed:
                items[at] = item
            return Conversation(items, parted.around)
        messages = messages_of(items)
        name_replies(messages, log)
        return Conversation(list(map(item_of, messages)), parted.around)

    def _with_name(self, head: Head, tool: str) -> Head:
        if not head.shared:
            return head.replaced(name=tool)
        found = self._named.get((head, tool))
        return self._named.keep((head, tool), head.replaced(name=tool)) if found is None else found


_NEW: Any = ()
_TEXT: Final = frozenset({("role", "content"), ("content", "role")})
_NUMBERS: Final = frozenset({int, float, bool})


def _one_text(value: Any) -> str | None:
    """The text of content that is one part of text and says nothing else."""
    if value.__class__ is not list or len(value) != 1 or value[0].__class__ is not dict:
        return None
    part = value[0]
    if tuple(part) != ("type", "text") or part["type"] != "text" or part["text"].__class__ is not str:
        return None
    return part["text"]


def _filled(key: str, value: Any, values: Iterator[str]) -> Any:
    add = _MEMBERS.get(key)
    if add is _add_text:
        return next(values) if isinstance(value, str) else [{**value[0], "text": next(values)}]
    return [_filled_call(call, values) for call in value] if add is _add_calls else value


def _filled_call(call: Object, values: Iterator[str]) -> Object:
    out = dict(call)
    for member in call:
        if member == "id":
            out["id"] = next(values)
        elif member == FUNCTION and call[FUNCTION]["arguments"]:
            out[FUNCTION] = {**call[FUNCTION], "arguments": next(values)}
    return out


class WireWriter:
    """Writes wire messages."""

    target = HOME
    home = HOME
    mark = None
    start: State = None
    groups = True
    keeps_ids = True
    guards_first = False

    def __init__(self, options: Options) -> None:
        self._options = options
        self._envelopes = EnvelopeWriter()

    def inert(self, text: str) -> bool:
        """Any text is written as it is."""
        return True

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items with ids for calls that have none; those of an image have the names that their calls tell."""
        if around.alternatives is not None or any(
            content.__class__ is not str and any(isinstance(part, Tools) for part in content) for _, content, _ in items
        ):
            raise ByDocument
        if _names_follow(items):
            return items
        numbered = with_ids(items, HOME)
        if numbered is None:
            numbered = list(map(item_of, linked(messages_of(items))))
        if not _names_follow(numbered):
            raise ByDocument
        return numbered

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Texts in thoughts and calls, parts that are known elsewhere."""
        return near(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in one wire message with the one before it."""
        one, other = (each.message("" if each.empty else "x", None) for each in (before, head))
        return joined(one, stage_of(one), other, stage_of(other))

    def follows(self, head: Head) -> bool:
        """Arguments that were read as JSON values are written as such."""
        layout = call_layout(head.message("", None))
        return layout.get("arguments") is None and "raw" not in layout

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A wire message, and what it reads as."""
        wire, image = fitted(group, self._options)
        return Spelled(wire, image, None)

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Tools are not declared among the messages."""
        return -1

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The document around the wire messages."""
        return self._envelopes.enclose(units, around)


def _names_follow(items: Sequence[Item]) -> bool:
    """Whether each reply has the id of a call that waits, and the name that this call has."""
    waiting: dict[str, str | None] = {}
    for head, _, call_id in items:
        if head.role == "tool":
            if call_id is None or head.name is None or waiting.pop(call_id, None) != head.name:
                return False
        elif head.calls:
            if call_id is None or call_id in waiting:
                return False
            waiting[call_id] = head.recipient
    return True
