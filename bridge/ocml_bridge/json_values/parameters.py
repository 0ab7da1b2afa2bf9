"""The parameters of a JSON request or response as the settings of a conversation, both ways, by a format's table.

A `Parameter` is one member that says settings: one, or several at once. Most formats remember the spelling of each
(`read`, `write`): what we would write otherwise (another key, one text for a list of one) stands under `settings` in
the layout, and counts for as long as it is read as the same. Formats that remember the spelling of a whole document
take settings out of it and put them back (`take`, `put`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ..model import Json, Settings, Usage
from ..model.settings import READERS, count
from . import jsontext
from .form import Object

SETTINGS: Final = "settings"
"""The key of the layout that remembers the spelling of settings."""
Keys = tuple[str, ...]
"""The keys that lead to a value in an object."""


class Parameter(NamedTuple):
    """One member of a request or response.

    Attributes:
        fields: of the settings, that it may say.
        read: the settings of a value, by field; none where it is not understood.
        write: the value of settings by field, beside other members of the same object; None where they have no place.
        places: where in an object the settings stand, if others may stand beside them; () for a value that is nothing
            but the settings.
    """

    fields: tuple[str, ...]
    read: Callable[[Json], Object]
    write: Callable[[Object, Object], Json]
    places: tuple[Keys, ...] = ()


def as_it_is(value: Any) -> Json:
    """A setting that is written as it is, as a JSON value."""
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value


def parameter(
    field: str,
    read: Callable[[Json], Any],
    write: Callable[[Any], Json] = as_it_is,
    places: tuple[Keys, ...] = (),
) -> Parameter:
    """A member that says one setting.

    Args:
        field: of the settings.
        read: the setting of a value; None where it is none.
        write: the value of a setting; None where it has no place here.
        places: where in an object it stands.
    """

    def settings_of(value: Json) -> Object:
        setting = read(value)
        return {} if setting is None else {field: setting}

    def value_of(settings: Object, _: Object) -> Json:
        setting = settings.get(field)
        return None if setting is None else write(setting)

    return Parameter((field,), settings_of, value_of, places)


def plain_parameter(field: str) -> Parameter:
    """A member that says one setting in its own form: a number, a text, a flag, or a list of texts."""
    return parameter(field, READERS[field])


def usage_at(places: Mapping[str, Keys]) -> Parameter:
    """The parameter that tells the numbers of tokens, each at its place in an object.

    Args:
        places: number → the keys that lead to it.
    """

    def read(value: Json) -> Usage | None:
        numbers = {name: found for name, keys in places.items() if (found := count(value_at(value, keys))) is not None}
        return Usage(**numbers) if numbers else None

    def write(usage: Usage) -> Json:
        out: Object = {}
        for name, keys in places.items():
            if (number := getattr(usage, name)) is not None:
                out = with_value(out, keys, number)
        return out

    return parameter("usage", read, write, tuple(places.values()))


# --- objects ----------------------------------------------------------------------------------------------------------


def members_of(value: Json) -> Object:
    """The members of an object; none for any other value."""
    return cast("Object", value) if isinstance(value, dict) else {}


def value_at(value: Json, keys: Keys) -> Json:
    """What stands at a place in an object; None where nothing does."""
    for key in keys:
        value = members_of(value).get(key)
    return value


def with_value(value: Json, keys: Keys, inner: Json) -> Object:
    """An object with a value at a place in it."""
    key, *deeper = keys
    members = members_of(value)
    return {**members, key: with_value(members.get(key), tuple(deeper), inner) if deeper else inner}


def _has_null(value: Json, keys: Keys) -> bool:
    """Whether null stands at a place in an object."""
    around = members_of(value_at(value, keys[:-1]))
    return keys[-1] in around and around[keys[-1]] is None


def _is_free(value: Json, keys: Keys) -> bool:
    """Whether a value can be put at a place in an object without taking the place of another."""
    for key in keys:
        if not isinstance(value, dict):
            return value is None
        value = cast("Object", value).get(key)
    return value is None


def _has_values(value: Json) -> bool:
    """Whether there is anything but null in an object."""
    return any(map(_has_values, members_of(value).values())) if isinstance(value, dict) else value is not None


def _is_spelled(raw: Json, written: Json) -> bool:
    """Whether a value is spelled as we would, the order of keys and the kind of number included."""
    return raw is written or (type(raw) is type(written) and jsontext.dumps(raw) == jsontext.dumps(written))


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


# --- one member -------------------------------------------------------------------------------------------------------


def _beside(raw: Json, settings: Object, parameter: Parameter) -> Object:
    """What a member says beside settings, with null in their places; nothing where it says nothing else."""
    if not parameter.places:
        return {}
    written = parameter.write(settings, members_of(raw))
    for keys in parameter.places:
        if value_at(written, keys) is not None and value_at(raw, keys) is not None:
            raw = with_value(raw, keys, None)
    return members_of(raw) if _has_values(raw) else {}


def _among(parameter: Parameter, settings: Object, others: Object) -> Object | None:
    """The member that says settings among what else it says; None where that leaves no place for them."""
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
    return {field: setting for field, setting in zip(_FIELDS, _values(settings), strict=True) if setting is not None}


_FIELDS: Final = tuple(each.name for each in fields(Settings))
_values: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*_FIELDS)


# --- all of them ------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """The settings of a document.

    Attributes:
        settings: None where it has none.
        keys: those that say them.
        spelled: values that we would spell otherwise, by key.
        others: what objects say beside settings, by key, with null in the settings' places.
    """

    settings: Settings | None
    keys: list[str]
    spelled: Object
    others: Object


class Parameters:
    """The parameters that a format has.

    Args:
        table: key → the settings that it says. Of two for one setting the first is believed; the first is written. A
            key with dots leads into objects, for `take` and `put`.
        rename: gives the keys of an object as the table has them, for `take`.

    Attributes:
        names: the keys.
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

    # --- documents whose members are remembered one by one ------------------------------------------------------------

    def read(self, document: Object) -> Read:
        """The settings that a request or response has among its members."""
        found: Object = {}
        keys: list[str] = []
        spelled: Object = {}
        others: Object = {}
        for key in [key for key in self._table if key in document]:
            parameter, raw = self._table[key], document[key]
            members = parameter.read(raw)
            if not members or not found.keys().isdisjoint(members):
                continue
            found |= members
            keys.append(key)
            if beside := _beside(raw, members, parameter):
                others[key] = beside
                written = _among(parameter, members, beside)
            else:
                written = None if key in self._second else parameter.write(members, {})
            if not _is_spelled(raw, written):
                spelled[key] = raw
        return Read(Settings(**found) if found else None, keys, spelled, others)

    def write(self, settings: Settings | None, spelled: Json, extras: Object) -> Object:
        """The members that say settings.

        Args:
            settings: what to say.
            spelled: how it was spelled, from the layout.
            extras: what is said beside them, in which some have their place.
        """
        out: Object = {}
        if settings is None:
            return out
        left = _by_field(settings)
        for key, raw in members_of(spelled).items():
            if key in self._table and self._says(key, raw, left, extras):
                self._add(out, left, key, raw)
        beside = {key: members_of(extras[key]) for key in self._shared if key in extras} if extras else {}
        for key, others in beside.items():
            if key not in out and any(_has_null(others, keys) for keys in self._table[key].places):
                self._add(out, left, key, self._member(key, left, others))
        for field, key in self._first.items():
            if field in left and key not in out:
                self._add(out, left, key, self._member(key, left, beside.get(key)))
        return out

    def _says(self, key: str, raw: Json, settings: Object, extras: Object) -> bool:
        """Whether a member still says just these settings, beside what the extras have."""
        parameter = self._table[key]
        members = parameter.read(raw)
        if not members or not all(_is_same(members.get(field), settings.get(field)) for field in parameter.fields):
            return False
        return _beside(raw, members, parameter) == members_of(extras.get(key))

    def _member(self, key: str, settings: Object, others: Object | None) -> Json:
        """The member that says settings, with what else it says where that leaves a place for them."""
        parameter = self._table[key]
        among = _among(parameter, settings, others) if others else None
        return parameter.write(settings, {}) if among is None else among

    def _add(self, out: Object, left: Object, key: str, value: Json) -> None:
        """Add a member, if it says settings; they need not be said again."""
        if value is not None and (members := self._table[key].read(value)):
            out[key] = value
            for field in members:
                left.pop(field, None)

    # --- documents that are remembered whole --------------------------------------------------------------------------

    def take(self, document: Object, but: Collection[str] = ()) -> tuple[Settings | None, Object]:
        """The settings of a document, and the document without them.

        Args:
            document: a request or response.
            but: fields of the settings that it does not say, whatever it has in their places.
        """
        found: Object = {}
        for keys, parameter in self._paths:
            if parameter.fields[0] in but:
                continue
            value = self._at(document, keys)
            if parameter.places:
                value = self._parts(value, parameter.places)
            members = {} if value is None else parameter.read(value)
            if not members or not found.keys().isdisjoint(members):
                continue
            if parameter.write(members, {}) is not None:
                found |= members
                for place in parameter.places or ((),):
                    document = self._without(document, (*keys, *place))
        return Settings(**found) if found else None, document

    def put(self, settings: Settings | None, document: Object) -> Object:
        """A document with settings at their places, as far as they have one; what is not read back is left out."""
        left = {} if settings is None else _by_field(settings)
        for keys, parameter in self._paths:
            value = None if left.keys().isdisjoint(parameter.fields) else parameter.write(left, {})
            if value is None or not parameter.read(value):
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
        """An object with nothing but what it has at some places; None where that is nothing."""
        out: Object = {}
        for place in places:
            if (part := self._at(value, place)) is not None:
                out = with_value(out, place, part)
        return out or None

    def _without(self, value: Object, keys: Keys) -> Object:
        """An object without what it has at a place; objects that this leaves empty are left out."""
        key, *deeper = keys
        value = self._rename(value)
        inner: Json = value.get(key)
        if deeper and isinstance(inner, dict) and (left := self._without(cast("Object", inner), tuple(deeper))):
            return {**value, key: left}
        return {name: member for name, member in value.items() if name != key}
