"""Convert the parameters of a JSON request or response to settings of a conversation and back, by a format's table.

A `Parameter` is one member with one or more settings. There are two ways to keep their spelling:

* Most formats use `read` and `write`. The raw value of a member that the writer would spell differently (another key, a
  text in place of a list of one) is stored under `settings` in the layout. It is written again as long as it still
  reads as the same settings.
* Formats that store the spelling of a whole document use `take` and `put`, which remove the settings from the document
  and insert them again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ..model import AnswerFormat, Json, Settings, Usage
from ..model.settings import READERS, count
from . import jsontext
from .form import Object

SETTINGS: Final = "settings"
"""The key of the layout under which the spelling of settings is stored."""
Keys = tuple[str, ...]
"""The path of a value in an object."""


class Parameter(NamedTuple):
    """One member of a request or response.

    Attributes:
        fields: the fields of `Settings` that it may have.
        read: returns the settings in a value, by field; empty if the value is not understood.
        write: returns the value for settings by field, given the other members of the same object; None if they have
            no place in it.
        places: the paths of the settings in the value, if it is an object that may have other members; () if the value
            is only the settings.
        beside: for `take` and `put`, the paths of other members on which the settings depend, such as numbers of tokens
            that a sum includes; they stay in the document.
    """

    fields: tuple[str, ...]
    read: Callable[[Json], Object]
    write: Callable[[Object, Object], Json]
    places: tuple[Keys, ...] = ()
    beside: tuple[Keys, ...] = ()


def as_it_is(value: Any) -> Json:
    """Return a setting as a JSON value: tuples become lists."""
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value


def parameter(
    field: str,
    read: Callable[[Json], Any],
    write: Callable[[Any], Json] = as_it_is,
    places: tuple[Keys, ...] = (),
) -> Parameter:
    """Return the parameter for a member with one setting.

    Args:
        field: the field of `Settings`.
        read: returns the setting of a value; None if the value is invalid.
        write: returns the value of a setting; None if the setting has no place in it.
        places: as in `Parameter`.
    """

    def settings_of(value: Json) -> Object:
        setting = read(value)
        return {} if setting is None else {field: setting}

    def value_of(settings: Object, _: Object) -> Json:
        setting = settings.get(field)
        return None if setting is None else write(setting)

    return Parameter((field,), settings_of, value_of, places)


def plain_parameter(field: str) -> Parameter:
    """Return the parameter for a member whose value is the setting: a number, a text, a flag, or a list of texts."""
    return parameter(field, READERS[field])


def usage_at(places: Mapping[str, Keys]) -> Parameter:
    """Return the parameter for an object with token counts.

    Args:
        places: for each field of `Usage`, its path in the object.
    """

    def read(value: Json) -> Usage | None:
        counts = {name: number for name, keys in places.items() if (number := count(value_at(value, keys))) is not None}
        return Usage(**counts) if counts else None

    def write(usage: Usage) -> Json:
        out: Object = {}
        for name, keys in places.items():
            if (number := getattr(usage, name)) is not None:
                out = with_value(out, keys, number)
        return out

    return parameter("usage", read, write, tuple(places.values()))


# --- objects ----------------------------------------------------------------------------------------------------------


def schema_members(form: AnswerFormat) -> Object:
    """Return what an answer format says of its schema, for APIs that require a name of every schema."""
    named = {"name": "answer"} if form.type == "json_schema" else {}
    members = ("name", "description", "schema", "strict")
    return {**named, **{name: value for name in members if (value := getattr(form, name)) is not None}}


def members_of(value: Json) -> Object:
    """Return an object; an empty one for any other value."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]  # a cast takes longer


def items_of(value: Json) -> list[Json]:
    """Return a list; an empty one for any other value."""
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def only_object(value: Json) -> Object:
    """Return the only item of a list, if it is an object; an empty object for any other value."""
    items = items_of(value)
    return members_of(items[0]) if len(items) == 1 else {}


def nonempty_text(value: Json) -> str | None:
    """Return a text that is not empty; None for any other value."""
    return value if isinstance(value, str) and value else None


def value_at(value: Json, keys: Keys) -> Json:
    """Return the value at a path in an object, or None if there is none."""
    for key in keys:
        value = members_of(value).get(key)
    return value


def with_value(value: Json, keys: Keys, inner: Json) -> Object:
    """Return an object with a value at a path in it."""
    key, *deeper = keys
    members = members_of(value)
    return {**members, key: with_value(members.get(key), tuple(deeper), inner) if deeper else inner}


def _has_null(value: Json, keys: Keys) -> bool:
    """Return whether there is a null at a path in an object."""
    parent = members_of(value_at(value, keys[:-1]))
    return keys[-1] in parent and parent[keys[-1]] is None


def _is_free(value: Json, keys: Keys) -> bool:
    """Return whether a value can be put at a path in an object without overwriting another value."""
    for key in keys:
        if not isinstance(value, dict):
            return value is None
        value = cast("Object", value).get(key)
    return value is None


def _has_values(value: Json) -> bool:
    """Return whether there is any value but null in an object, at any depth."""
    return any(map(_has_values, members_of(value).values())) if isinstance(value, dict) else value is not None


def _is_spelled(raw: Json, written: Json) -> bool:
    """Return whether two values are spelled alike, with the order of keys and the types of numbers."""
    return raw is written or (type(raw) is type(written) and jsontext.dumps(raw) == jsontext.dumps(written))


def _is_same(old: Any, new: Any) -> bool:
    return type(old) is type(new) and old == new


# --- one member -------------------------------------------------------------------------------------------------------


def _other_members(raw: Json, settings: Object, parameter: Parameter) -> Object:
    """Return the other members of a parameter's object, with null in place of the settings; {} if there are none."""
    if not parameter.places:
        return {}
    written = parameter.write(settings, members_of(raw))
    for keys in parameter.places:
        if value_at(written, keys) is not None and value_at(raw, keys) is not None:
            raw = with_value(raw, keys, None)
    return members_of(raw) if _has_values(raw) else {}


def _combined(parameter: Parameter, settings: Object, others: Object) -> Object | None:
    """Return a parameter's object with settings and other members; None if both have a value in the same place."""
    written = parameter.write(settings, others)
    out = others
    for keys in parameter.places:
        if (part := value_at(written, keys)) is None:
            continue
        if not _is_free(out, keys):
            return None
        out = with_value(out, keys, part)
    return out if parameter.read(out).keys() == parameter.read(written).keys() else None


def _by_field(settings: Settings) -> Object:
    """Return the settings that are not None, by field."""
    return {field: setting for field, setting in zip(_FIELDS, _values(settings), strict=True) if setting is not None}


_FIELDS: Final = tuple(each.name for each in fields(Settings))
_values: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*_FIELDS)


# --- all of them ------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """The settings of a document.

    Attributes:
        settings: the settings; None if the document has none.
        keys: the keys of the members that they were read from.
        spelled: the values that the writer would spell differently, by key.
        others: the other members of objects with settings, by key, with null in the places of the settings.
    """

    settings: Settings | None
    keys: list[str]
    spelled: Object
    others: Object


class Parameters:
    """The parameters of a format.

    Args:
        table: the parameters by key. If several keys have the same setting, the first one is read, and the first one
            is written. For `take` and `put`, a key with dots is a path into objects.
        rename: for `take`, returns an object with its keys as they are in the table.

    Attributes:
        names: the keys of the table.
    """

    def __init__(self, table: Mapping[str, Parameter], rename: Callable[[Object], Object] = dict) -> None:
        self.names: Final = frozenset(table)
        self._table: Final = table
        self._rename: Final = rename
        self._shared: Final = [key for key, each in table.items() if each.places]
        self._paths: Final = [(tuple(key.split(".")), each) for key, each in table.items()]
        first: dict[str, str] = {}
        for key, each in table.items():
            for field in each.fields:
                first.setdefault(field, key)
        self._first: Final = first
        self._second: Final = table.keys() - first.values()

    # --- formats that store the spelling of each member ---------------------------------------------------------------

    def read(self, document: Object) -> Read:
        """Read the settings among the members of a request or response."""
        settings: Object = {}
        keys: list[str] = []
        spelled: Object = {}
        others: Object = {}
        for key in [key for key in self._table if key in document]:
            parameter, raw = self._table[key], document[key]
            members = parameter.read(raw)
            if not members or not settings.keys().isdisjoint(members):
                continue
            settings |= members
            keys.append(key)
            if other_members := _other_members(raw, members, parameter):
                others[key] = other_members
                written = _combined(parameter, members, other_members)
            else:
                written = None if key in self._second else parameter.write(members, {})
            if not _is_spelled(raw, written):
                spelled[key] = raw
        return Read(Settings(**settings) if settings else None, keys, spelled, others)

    def write(self, settings: Settings | None, spelled: Json, extras: Object) -> Object:
        """Return the members for settings.

        Args:
            settings: the settings.
            spelled: the raw values that `read` stored, from the layout.
            extras: the extras of the document, which have the other members of objects with settings.
        """
        out: Object = {}
        if settings is None:
            return out
        left = _by_field(settings)
        for key, raw in members_of(spelled).items():
            if key in self._table and self._is_current(key, raw, left, extras):
                self._add(out, left, key, raw)
        objects = {key: members_of(extras[key]) for key in self._shared if key in extras} if extras else {}
        for key, others in objects.items():
            if key not in out and any(_has_null(others, keys) for keys in self._table[key].places):
                self._add(out, left, key, self._member(key, left, others))
        for field, key in self._first.items():
            if field in left and key not in out:
                self._add(out, left, key, self._member(key, left, objects.get(key)))
        return out

    def _is_current(self, key: str, raw: Json, settings: Object, extras: Object) -> bool:
        """Return whether a stored raw value still has exactly these settings, and the other members in the extras."""
        parameter = self._table[key]
        members = parameter.read(raw)
        if not members or not all(_is_same(members.get(field), settings.get(field)) for field in parameter.fields):
            return False
        return _other_members(raw, members, parameter) == members_of(extras.get(key))

    def _member(self, key: str, settings: Object, others: Object | None) -> Json:
        """Return the value for settings; it has the other members of the same object if they leave a place for them."""
        parameter = self._table[key]
        combined = _combined(parameter, settings, others) if others else None
        return parameter.write(settings, {}) if combined is None else combined

    def _add(self, out: Object, left: Object, key: str, value: Json) -> None:
        """Add a member to `out` if it has settings, and remove these settings from `left`."""
        if value is not None and (members := self._table[key].read(value)):
            out[key] = value
            for field in members:
                left.pop(field, None)

    # --- formats that store the spelling of the whole document --------------------------------------------------------

    def take(self, document: Object, but: Collection[str] = ()) -> tuple[Settings | None, Object]:
        """Return the settings of a document, and the document without them.

        Args:
            document: a request or response.
            but: fields of `Settings` that are not read.
        """
        settings: Object = {}
        for keys, parameter in self._paths:
            if parameter.fields[0] in but:
                continue
            value = self._at(document, keys)
            others = self._parts(value, parameter.beside) or {}
            if parameter.places and (value := self._parts(value, parameter.places)) is not None:
                value = {**value, **others}
            members = {} if value is None else parameter.read(value)
            if not members or not settings.keys().isdisjoint(members):
                continue
            if (written := parameter.write(members, others)) is not None:
                settings |= members
                for place in parameter.places or ((),):
                    is_written = not place or value_at(written, place) is not None
                    # A number that would not be written, and changes nothing, stays where it is.
                    if is_written or parameter.read(self._without(members_of(value), place)) != members:
                        document = self._without(document, (*keys, *place))
        return Settings(**settings) if settings else None, document

    def put(self, settings: Settings | None, document: Object) -> Object:
        """Insert settings into a document; those that have no place, or would not be read back, are left out."""
        left = {} if settings is None else _by_field(settings)
        for keys, parameter in self._paths:
            if left.keys().isdisjoint(parameter.fields):
                continue
            others = self._parts(self._at(document, keys), parameter.beside) or {}
            value = parameter.write(left, others)
            if value is None or not parameter.read({**members_of(value), **others} if others else value):
                continue
            for field in parameter.fields:
                left.pop(field, None)
            for place in parameter.places or ((),):
                if (part := value_at(value, place)) is not None:
                    document = with_value(document, (*keys, *place), part)
        return document

    def _at(self, value: Json, keys: Keys) -> Json:
        for key in keys:
            value = self._rename(cast("Object", value)).get(key) if isinstance(value, dict) else None
        return value

    def _parts(self, value: Json, places: tuple[Keys, ...]) -> Object | None:
        """Return an object with only the values at some paths; None if there are none."""
        out: Object = {}
        for place in places:
            if (part := self._at(value, place)) is not None:
                out = with_value(out, place, part)
        return out or None

    def _without(self, value: Object, keys: Keys) -> Object:
        """Return an object without the value at a path; objects that become empty are removed, too."""
        key, *deeper = keys
        value = self._rename(value)
        inner: Json = value.get(key)
        if deeper and isinstance(inner, dict) and (left := self._without(cast("Object", inner), tuple(deeper))):
            return {**value, key: left}
        return {name: member for name, member in value.items() if name != key}
