"""Read messages of frameworks, whose contents are parts of many kinds, by a reader for each shape.

A reader adds what a value says to a turn. It returns what it did not read, which stays beside the conversation, or None
if it read all of it. Readers are combined as the values are: members, lists, kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from ...model import Json
from ..fitting import as_list, as_object, members_of
from ..layout import Object
from ..media import is_data, part_with
from .turn import Turn


class Reader(Protocol):
    """Reads one shape of values."""

    def read(self, value: Json, turn: Turn) -> Json:
        """Add what a value says to a turn; return what was not read, or None."""
        ...


class Says:
    """A text of the turn."""

    def read(self, value: Json, turn: Turn) -> Json:
        """Add a text; an empty one is none."""
        if not isinstance(value, str):
            return value
        if value:
            turn.show({"type": "text", "text": value})
        return None


class Thinks:
    """A text that is thought."""

    def read(self, value: Json, turn: Turn) -> Json:
        """Add reasoning; an empty one is none."""
        if not isinstance(value, str):
            return value
        if value:
            turn.think(value)
        return None


class Begins:
    """A mark before the steps of an answer, each of which is a message."""

    def read(self, value: Json, turn: Turn) -> Json:
        """Begin another message."""
        turn.begin()
        return value or None


@dataclass(frozen=True, slots=True)
class Shows:
    """A medium.

    Attributes:
        address: the places of its address, or of its base64 data.
        media_type: the place of its media type.
        kind: what it is if it has no media type.
        filename: the place of its name.
    """

    address: tuple[str, ...]
    media_type: str = "mediaType"
    kind: str = "file"
    filename: str = "filename"

    def read(self, value: Json, turn: Turn) -> Json:
        """Add a part with the medium."""
        address, place = _first(value, self.address)
        media_type = at(value, self.media_type)
        if not isinstance(address, str) or not address:
            return value
        name = at(value, self.filename)
        name = name if isinstance(name, str) else None
        media_type = media_type if isinstance(media_type, str) else None
        part = part_with(address, media_type, self.kind, name)
        turn.show(part)
        named = name is not None and "file" in part
        in_address = is_data(address) or address.startswith(f"data:{media_type};")
        places = (*place, *([self.media_type] if in_address else []), *([self.filename] if named else []))
        return without(value, places)


@dataclass(frozen=True, slots=True)
class Calls:
    """A call, with its result where that is beside it.

    Attributes:
        name: the place of the name of the tool.
        arguments: the places that its arguments may have.
        identity: the place of its id.
        results: the places that its result may have.
    """

    name: str
    arguments: tuple[str, ...]
    identity: str
    results: tuple[str, ...] = ()

    def read(self, value: Json, turn: Turn) -> Json:
        """Add a call."""
        name = at(value, self.name)
        if not isinstance(name, str):
            return value
        turn.speak_as(_ASSISTANT)
        arguments, given_at = _first(value, self.arguments)
        result, result_at = _first(value, self.results)
        turn.call(name, arguments, at(value, self.identity), result)
        return without(value, (self.name, *given_at, self.identity, *result_at))


@dataclass(frozen=True, slots=True)
class Runs:
    """Code that is run: a call of a tool that takes a text.

    Attributes:
        name: the place of the name of the tool.
        text: the place of the code.
        identity: the place of its id.
    """

    name: str
    text: str
    identity: str

    def read(self, value: Json, turn: Turn) -> Json:
        """Add a call."""
        name, text = at(value, self.name), at(value, self.text)
        if not isinstance(name, str) or not isinstance(text, str):
            return value
        turn.speak_as(_ASSISTANT)
        turn.command(name, text, at(value, self.identity))
        return without(value, (self.name, self.text, self.identity))


@dataclass(frozen=True, slots=True)
class Replies:
    """The result of a call.

    Attributes:
        result: the places that it may have.
        identity: the place of the id of the call.
        name: the place of the name of the tool.
        nameless: the reader of a result of no tool; None if there is none.
    """

    result: tuple[str, ...]
    identity: str
    name: str = "name"
    nameless: Reader | None = None

    def read(self, value: Json, turn: Turn) -> Json:
        """Add a result."""
        result, place = _first(value, self.result)
        name = at(value, self.name)
        if result is None:
            return value
        if name is None and self.nameless is not None:
            return self.nameless.read(value, turn)
        turn.reply(result, at(value, self.identity), name if isinstance(name, str) else None)
        return without(value, (*place, self.identity, self.name))


@dataclass(frozen=True, slots=True)
class Names:
    """A text about a message of a tool.

    Attributes:
        member: the member of Chat Completions for it: the id of the call, or the name of the tool.
    """

    member: str

    def read(self, value: Json, turn: Turn) -> Json:
        """Set the member."""
        return None if isinstance(value, str) and turn.name_reply(self.member, value) else value


@dataclass(frozen=True, slots=True)
class As:
    """A value of another role than its message."""

    role: str
    reader: Reader

    def read(self, value: Json, turn: Turn) -> Json:
        """Read a value in a role."""
        turn.speak_as(self.role)
        return self.reader.read(value, turn)


@dataclass(frozen=True, slots=True)
class Texts:
    """A text of the turn, or another value."""

    other: Reader

    def read(self, value: Json, turn: Turn) -> Json:
        """Read a text or another value."""
        return (Says() if isinstance(value, str) else self.other).read(value, turn)


@dataclass(frozen=True, slots=True)
class Each:
    """A list of values that are read alike; a value that is not a list is read alone."""

    reader: Reader

    def read(self, value: Json, turn: Turn) -> Json:
        """Read the items."""
        items = as_list(value)
        if items is None:
            return self.reader.read(value, turn)
        rest = [self.reader.read(each, turn) for each in items]
        return None if all(each is None for each in rest) else [{} if each is None else each for each in rest]


@dataclass(frozen=True, slots=True)
class Members:
    """An object, of which some members are read in their order here.

    Attributes:
        readers: the reader of each member.
        without: a member that the object must not have.
    """

    readers: Mapping[str, Reader]
    without: str = ""

    def read(self, value: Json, turn: Turn) -> Json:
        """Read the members."""
        found = as_object(value)
        if found is None or self.without in found:
            return value
        rest = {key: reader.read(found[key], turn) for key, reader in self.readers.items() if key in found}
        return without_nulls({key: rest.get(key) if key in rest else each for key, each in found.items()}) or None


@dataclass(frozen=True, slots=True)
class Then:
    """A value of which another reader reads what the first one leaves."""

    first: Reader
    second: Reader

    def read(self, value: Json, turn: Turn) -> Json:
        """Read the value, and then what is left of it."""
        rest = self.first.read(value, turn)
        return None if rest is None else self.second.read(rest, turn)


@dataclass(frozen=True, slots=True)
class Kinds:
    """An object whose kind a member says.

    Attributes:
        key: the member.
        readers: the reader for each kind; one that ends in `-` is for all kinds that begin so, whose name follows.
    """

    key: str
    readers: Mapping[str, Reader]

    def read(self, value: Json, turn: Turn) -> Json:
        """Read an object by its kind."""
        found = members_of(value)
        kind = found.get(self.key)
        if not isinstance(kind, str):
            return value
        family, dash, name = kind.partition("-")
        reader = self.readers.get(kind) or self.readers.get(family + dash)
        if reader is None:
            return value
        inner = {key: each for key, each in found.items() if key != self.key}
        rest = reader.read({**inner, KIND_NAME: name} if kind not in self.readers else inner, turn)
        rest_members = {key: each for key, each in members_of(rest).items() if key != KIND_NAME}
        return {self.key: kind, **rest_members} if rest_members else None


def says(member: str) -> Members:
    """Return the reader of an object with a text of the turn."""
    return Members({member: Says()})


def thinks(member: str) -> Members:
    """Return the reader of an object with a text that is thought."""
    return Members({member: Thinks()})


def parts_of(member: str, key: str, readers: Mapping[str, Reader], *, or_texts: bool = False) -> Members:
    """Return the reader of an object with a list of parts, each of which is read by its kind.

    Args:
        member: the member of the object with the list.
        key: the member of a part with its kind.
        readers: the reader for each kind.
        or_texts: whether a part, or the list, may be a text in its place.
    """
    kinds = Kinds(key, readers)
    return Members({member: Each(Texts(kinds) if or_texts else kinds)})


KIND_NAME: Final = "kind name"
"""The member with the rest of a kind's word, for the reader of all kinds that begin alike."""
_ASSISTANT: Final = "assistant"


def at(value: Json, place: str) -> Json:
    """Return the value at a dotted place in an object or a list; None if there is none."""
    for step in place.split("."):
        items = as_list(value)
        value = members_of(value).get(step) if items is None else _item(items, step)
    return value


def _item(items: Sequence[Json], step: str) -> Json:
    return items[int(step)] if step.isdigit() and int(step) < len(items) else None


def _first(value: Json, places: Sequence[str]) -> tuple[Json, tuple[str, ...]]:
    """Return the first value at some places that is not null, and its place; None and no place if all are."""
    found = next(((each, (place,)) for place in places if (each := at(value, place)) is not None), None)
    return (None, ()) if found is None else found


def without(value: Json, places: Sequence[str]) -> Json:
    """Return an object without the values at some places, and without nulls; None if nothing is left."""
    items = as_list(value)
    out = dict(members_of(value)) if items is None else {str(at): each for at, each in enumerate(items)}
    for place in places:
        step, _, inner = place.partition(".")
        if not inner:
            out[step] = None
        elif out.get(step) is not None:
            out[step] = without(out[step], [inner])
    left = without_nulls(out)
    return None if not left else left if items is None else [left.get(key, {}) for key in out]


def without_nulls(members: Object) -> Object:
    """Return an object without members that are null."""
    return {key: each for key, each in members.items() if each is not None}
