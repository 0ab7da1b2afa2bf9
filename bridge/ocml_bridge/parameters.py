"""The parameters of a JSON request or response as the settings of a conversation, both ways, by a format's table.

A setting is spelled under the first key that has it, as `Parameter.write` gives it. What was read otherwise (another
key, one text for a list of one) is remembered under `settings` in the layout, for as long as it is read as the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from . import jsontext
from .form import Object
from .model import Json, Settings, Usage
from .model.settings import count

SETTINGS: Final = "settings"
"""The key of the layout that remembers the spelling of settings."""
Places = Mapping[str, tuple[str, ...]]
"""Where in an object the parts of a setting stand: name → keys."""


class Parameter(NamedTuple):
    """One key of a request or response.

    Attributes:
        field: of the settings.
        read: the setting of a value; None where it is none.
        write: the value of a setting; None where it has no place here.
        places: of an object that says more than the setting, where in it the setting stands.
    """

    field: str
    read: Callable[[Json], Any]
    write: Callable[[Any], Json]
    places: Places | None = None


def as_it_is(value: Any) -> Json:
    """A setting that is written as it is, as a JSON value."""
    return list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value


def members_of(value: Json) -> Object:
    """The members of an object; none for any other value."""
    return cast("Object", value) if isinstance(value, dict) else {}


# --- settings inside objects that say more ----------------------------------------------------------------------------


def value_at(value: Json, keys: tuple[str, ...]) -> Json:
    """What stands at a place in an object; None where nothing does."""
    for key in keys:
        value = members_of(value).get(key)
    return value


def with_value(value: Json, keys: tuple[str, ...], inner: Json) -> Object:
    """An object with a value at a place in it."""
    key, *deeper = keys
    members = members_of(value)
    return {**members, key: with_value(members.get(key), tuple(deeper), inner) if deeper else inner}


def _without(value: Json, setting: Any, places: Places) -> Object:
    """An object with null in place of each part of a setting that it says."""
    for name, keys in places.items():
        if _part(setting, name) is not None:
            value = with_value(value, keys, None)
    return members_of(value)


def _with(value: Json, setting: Any, places: Places) -> Object | None:
    """An object with each part of a setting in place of its null; None where one has no place."""
    for name, keys in places.items():
        if (part := _part(setting, name)) is None:
            continue
        around = value_at(value, keys[:-1])
        if not isinstance(around, dict) or cast("Object", around).get(keys[-1], 0) is not None:
            return None
        value = with_value(value, keys, part)
    return members_of(value)


def _part(setting: Any, name: str) -> Json:
    return setting if isinstance(setting, str) else getattr(setting, name)


def _says_more(value: Json) -> bool:
    """Whether there is anything but null in an object."""
    return any(_says_more(one) for one in members_of(value).values()) if isinstance(value, dict) else value is not None


def usage_at(places: Places) -> Parameter:
    """The parameter that tells the numbers of tokens, each at its place in an object."""

    def read(value: Json) -> Usage | None:
        numbers = {name: found for name, keys in places.items() if (found := count(value_at(value, keys))) is not None}
        return Usage(**numbers) if numbers else None

    def write(usage: Usage) -> Json:
        out: Object = {}
        for name, keys in places.items():
            if (number := getattr(usage, name)) is not None:
                out = with_value(out, keys, number)
        return out

    return Parameter("usage", read, write, places)


# --- all of them ------------------------------------------------------------------------------------------------------


class Read(NamedTuple):
    """The settings of a document.

    Attributes:
        settings: None where it has none.
        keys: those that say them.
        spelled: values that we would spell otherwise, by key.
        others: what objects say beside a setting, by key, with null in the setting's place.
    """

    settings: Settings | None
    keys: list[str]
    spelled: Object
    others: Object


class Parameters:
    """The parameters that a format has.

    Args:
        table: key → the setting that it is. Of two for one setting the first is believed; the first is written.

    Attributes:
        names: the keys.
    """

    def __init__(self, table: Mapping[str, Parameter]) -> None:
        self.names: Final = frozenset(table)
        self._table: Final = table
        keys: dict[str, tuple[str, ...]] = {}
        for key, parameter in table.items():
            keys[parameter.field] = (*keys.get(parameter.field, ()), key)
        self._keys: Final = keys
        self._values: Final[Callable[[Settings], tuple[Any, ...]]] = attrgetter(*keys)

    def read(self, document: Object) -> Read:
        """Take the settings out of a request or response."""
        found: Object = {}
        keys: list[str] = []
        spelled: Object = {}
        others: Object = {}
        for key in [key for key in self._table if key in document]:
            parameter, raw = self._table[key], document[key]
            if parameter.field in found:
                continue
            setting = parameter.read(raw)
            if setting is None:
                continue
            found[parameter.field] = setting
            keys.append(key)
            if parameter.places is not None and _says_more(rest := _without(raw, setting, parameter.places)):
                others[key] = rest
            elif key != self._keys[parameter.field][0] or not _is_spelled(raw, parameter.write(setting)):
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
        spellings = members_of(spelled)
        for keys, setting in zip(self._keys.values(), self._values(settings), strict=True):
            if setting is not None and (member := self._member(setting, keys, spellings, extras)) is not None:
                out[member[0]] = member[1]
        return out

    def _member(self, setting: Any, keys: tuple[str, ...], spelled: Object, extras: Object) -> tuple[str, Json] | None:
        for key in keys if spelled or extras else ():
            parameter = self._table[key]
            candidates = [spelled[key]] if key in spelled else []
            if parameter.places is not None and key in extras:
                candidates.append(_with(extras[key], setting, parameter.places))
            for raw in candidates:
                if raw is not None and _is_same(parameter.read(raw), setting):
                    return key, raw
        first = self._table[keys[0]]
        written = first.write(setting)
        return None if first.read(written) is None else (keys[0], written)


def _is_spelled(raw: Json, written: Json) -> bool:
    """Whether a value is spelled as we would, the order of keys and the kind of number included."""
    return raw is written or (type(raw) is type(written) and jsontext.dumps(raw) == jsontext.dumps(written))


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
