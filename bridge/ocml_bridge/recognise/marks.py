"""What a kind of data is told by: marks of JSON objects at their places, patterns of text, first bytes of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, cast

from ..model import Json

Object = dict[str, Json]
Check = type | frozenset[str] | Callable[[Json], bool]
"""What the value of a member must be: of a type, one of some words, or what a function says yes to."""


class Place(Enum):
    """Where in a JSON document an object stands."""

    DOCUMENT = "the document, or a record of a list"
    MESSAGE = "an item of a list of messages"
    PART = "an item of a message's `content`"
    PIECE = "an item of a message's `parts`"
    TOOL = "an item of `tools`"


@dataclass(frozen=True, slots=True)
class Mark:
    """Members that tell a kind.

    Attributes:
        place: where the object stands that has them.
        members: each of them must be there, and be what it is checked for; the first one is cited as evidence.
        without: members of which none may be there.
        certain: whether nothing else has them.
    """

    place: Place
    members: Mapping[str, Check]
    without: frozenset[str] = frozenset()
    certain: bool = True

    def fits(self, value: Object) -> bool:
        """Whether an object has this mark."""
        for key, check in self.members.items():
            if key not in value or not _holds(check, value[key]):
                return False
        return self.without.isdisjoint(value)

    def cited(self, value: Object, path: str) -> tuple[str, str]:
        """What an object is told by, and the JSON pointer to it."""
        key, check = next(iter(self.members.items()))
        word = value[key]
        shown = word if isinstance(word, str) and (key == "type" or isinstance(check, frozenset)) else key
        return shown[:40], path if key == "type" else f"{path}/{key}"


def _holds(check: Check, value: Json) -> bool:
    if isinstance(check, type):
        return isinstance(value, check)
    return isinstance(value, str) and value in check if isinstance(check, frozenset) else check(value)


class Pattern(NamedTuple):
    """What text is told by.

    Attributes:
        text: a regular expression for what a text begins with, behind white space; its match, or its group where it
            has one, is cited as evidence.
        shown: what it stands for, for people.
        certain: whether nothing else begins like this.
    """

    text: re.Pattern[str]
    shown: str
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of data that people have.

    Attributes:
        name: what it is called, with its article where it has one.
        marks: what tells it in JSON.
        patterns: what tells it in text.
        signatures: what a file of it begins with, where it is neither JSON nor text.
        format: the id of the format that reads it, whether there is one yet or not.
        advice: what to do with it, where no format reads it as it is.
    """

    name: str
    marks: tuple[Mark, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    signatures: tuple[bytes, ...] = ()
    format: str | None = None
    advice: str | None = None


class Recognised(NamedTuple):
    """What data was recognised as.

    Attributes:
        kind: what it is.
        evidence: what it was told by.
        certain: whether nothing else has that.
        path: the JSON pointer to the evidence; None where it is not JSON.
        line: the line of the evidence, from 1; None where it is not text.
        column: its column, from 1.
    """

    kind: Kind
    evidence: str
    certain: bool
    path: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def cited(self) -> str:
        """The evidence and its place, as a sentence has them."""
        if self.line is not None:
            return f"`{self.evidence}` at {self.line}:{self.column}"
        return f"`{self.evidence}` at {self.path}" if self.path is not None else self.evidence


# --- checks -----------------------------------------------------------------------------------------------------------


def words(*allowed: str) -> frozenset[str]:
    """The value is one of these words."""
    return frozenset(allowed)


def anything(value: Json) -> bool:
    """The value is not null."""
    return value is not None


def something(value: Json) -> bool:
    """The value is a text or a list that is not empty."""
    return isinstance(value, (str, list)) and bool(cast("str | list[Json]", value))


def listing(*keys: str, without: str = "") -> Check:
    """The value is a list, and its first item an object that has one of these keys, and not another one."""

    def check(value: Json) -> bool:
        first = cast("list[Json]", value)[0] if isinstance(value, list) and value else None
        return isinstance(first, dict) and without not in first and any(key in first for key in keys)

    return check


def holding(*keys: str) -> Check:
    """The value is an object that has all of these keys."""

    def check(value: Json) -> bool:
        return isinstance(value, dict) and all(key in value for key in keys)

    return check


def like(pattern: str) -> Check:
    """The value is a text that a regular expression matches as a whole."""
    compiled = re.compile(pattern)

    def check(value: Json) -> bool:
        return isinstance(value, str) and compiled.fullmatch(value) is not None

    return check
