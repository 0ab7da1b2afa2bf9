"""Define the evidence for a kind of data: members of JSON objects, beginnings of texts, first bytes of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, NamedTuple, cast

from ..model import Json

Object = dict[str, Json]


class Typed(NamedTuple):
    """A condition on a value that must be of a type.

    Attributes:
        of: the type.
        holds: returns whether a value of this type meets the condition.
    """

    of: type
    holds: Callable[[Any], bool]


Check = type | frozenset[str] | Typed | Callable[[Json], bool]
"""A condition on the value of a member: its type, one of some words, a condition on values of a type, or any other."""


class Place(Enum):
    """The place of an object in a JSON document."""

    DOCUMENT = "the document, or a record of a list"
    MESSAGE = "an item of a list of messages"
    PART = "an item of a message's `content`"
    PIECE = "an item of a message's `parts`"
    TOOL = "an item of `tools`"


@dataclass(frozen=True, slots=True)
class Mark:
    """Members of an object that are evidence for a kind.

    Attributes:
        place: the place of the object.
        members: the conditions on members, all of which must hold; the first member is cited as evidence.
        without: members that must not be there.
        certain: whether no other kind has these members.
    """

    place: Place
    members: Mapping[str, Check]
    without: frozenset[str] = frozenset()
    certain: bool = True

    def fits(self, value: Object) -> bool:
        """Return whether an object has this mark."""
        for key, check in self.members.items():
            if key not in value or not _holds(check, value[key]):
                return False
        return self.without.isdisjoint(value)

    def may_fit(self, value: Object) -> bool:
        """Return whether an object may have this mark, by the names and types of its members and by their words."""
        for key, check in self.members.items():
            if key not in value or not _may_hold(check, value[key]):
                return False
        return self.without.isdisjoint(value)

    def cited(self, value: Object, path: str) -> tuple[str, str]:
        """Return the evidence in an object that has this mark, and the JSON pointer to it.

        Args:
            value: the object.
            path: the JSON pointer to the object.
        """
        key, check = next(iter(self.members.items()))
        word = value[key]
        shown = word if isinstance(word, str) and (key == "type" or isinstance(check, frozenset)) else key
        return shown[:40], path if key == "type" else f"{path}/{key}"


def _holds(check: Check, value: Json) -> bool:
    if not _may_hold(check, value):
        return False
    if isinstance(check, Typed):
        return check.holds(value)
    return isinstance(check, (type, frozenset)) or check(value)


def _may_hold(check: Check, value: Json) -> bool:
    """Return whether a check may hold for a value, by its type, or by its word."""
    if isinstance(check, frozenset):
        return isinstance(value, str) and value in check
    kind = check.of if isinstance(check, Typed) else check
    return not isinstance(kind, type) or isinstance(value, kind)


def marked(place: Place, *without: str, certain: bool = True, **members: Check) -> Mark:
    """Return the mark of an object at a place with some members, and without others."""
    return Mark(place, members, frozenset(without), certain)


PLANNED: Final = "`ocml-convert batch --plan auto` reads such rows"
"""The advice for rows of datasets."""
PREVIEWED: Final = "`ocml-convert batch --preview` reads the file as one conversation"
"""The advice for layouts that are previews."""


class Pattern(NamedTuple):
    """A beginning of a text that is evidence for a kind.

    Attributes:
        text: a regular expression for the beginning of a text, after white space; its match, or its group if it has
            one, is cited as evidence.
        shown: a description of the beginning, for people.
        certain: whether no other kind begins like this.
    """

    text: re.Pattern[str]
    shown: str
    certain: bool = True


def begins(pattern: str, shown: str, *, certain: bool = True) -> Pattern:
    """Return the evidence that a text begins with a regular expression, which people are shown as `shown`."""
    return Pattern(re.compile(pattern), shown, certain)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of data.

    Attributes:
        name: its name in a sentence, with an article if it needs one.
        marks: the evidence in JSON.
        patterns: the evidence in text.
        signatures: the first bytes of a binary file.
        format: the id of the format that reads it, or would read it if there were one.
        advice: what to do with it if no format reads it as it is.
    """

    name: str
    marks: tuple[Mark, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    signatures: tuple[bytes, ...] = ()
    format: str | None = None
    advice: str | None = None


planned: Final = partial(Kind, advice=PLANNED)
"""Returns a kind of rows of datasets."""


def beginning(
    name: str,
    pattern: str,
    shown: str,
    *,
    certain: bool = True,
    format_id: str | None = None,
    advice: str | None = None,
) -> Kind:
    """Return the kind of texts that begin with a regular expression; the arguments are those of `begins` and `Kind`."""
    return Kind(name, patterns=(begins(pattern, shown, certain=certain),), format=format_id, advice=advice)


class Recognised(NamedTuple):
    """The result of recognising data.

    Attributes:
        kind: the kind of data.
        evidence: the evidence.
        certain: whether no other kind has this evidence.
        path: the JSON pointer to the evidence; None if the data is not JSON.
        line: the line of the evidence, from 1; None if the data is not text.
        column: the column of the evidence, from 1.
    """

    kind: Kind
    evidence: str
    certain: bool
    path: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def cited(self) -> str:
        """The evidence and its place, for a sentence."""
        if self.line is not None:
            return f"`{self.evidence}` at {self.line}:{self.column}"
        return f"`{self.evidence}` at {self.path}" if self.path is not None else self.evidence


# --- checks -----------------------------------------------------------------------------------------------------------


def words(*allowed: str) -> frozenset[str]:
    """Return the check that a value is one of these words."""
    return frozenset(allowed)


def anything(value: Json) -> bool:
    """Check that a value is not null."""
    return value is not None


def something(value: Json) -> bool:
    """Check that a value is a text or a list that is not empty."""
    return isinstance(value, (str, list)) and bool(cast("str | list[Json]", value))


def among(key: str) -> Check:
    """Return the check that a value is a list, an item of which is an object with the key."""

    def check(items: list[Json]) -> bool:
        return any(isinstance(each, dict) and key in each for each in items)

    return Typed(list, check)


def of_types(*types: str) -> Check:
    """Return the check that a value is a list, an item of which is an object of one of these types."""

    def check(items: list[Json]) -> bool:
        return any(isinstance(each, dict) and cast("Object", each).get("type") in types for each in items)

    return Typed(list, check)


def listing(*keys: str, without: str = "") -> Check:
    """Return the check that a value is a list whose first item is an object with one of these keys.

    Args:
        keys: the keys.
        without: a key that the object must not have.
    """

    def check(items: list[Json]) -> bool:
        first = items[0] if items else None
        return isinstance(first, dict) and without not in first and any(key in first for key in keys)

    return Typed(list, check)


def holding(*keys: str) -> Check:
    """Return the check that a value is an object with all of these keys."""

    def check(value: Object) -> bool:
        return all(key in value for key in keys)

    return Typed(dict, check)


def like(pattern: str) -> Check:
    """Return the check that a value is a text that a regular expression matches as a whole."""
    compiled = re.compile(pattern)

    def check(text: str) -> bool:
        return compiled.fullmatch(text) is not None

    return Typed(str, check)
