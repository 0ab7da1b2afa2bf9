"""Define layouts: the columns in which rows of a dataset hold a conversation, and how these make a document.

A layout makes documents of a known format; what another format loses of them is reported as for any document. A row is
written only if reading it returns the same document, so a layout needs no list of what it cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Loss, LossCode, Severity
from ..model import Json
from .columns import FURTHER_QUESTIONS
from .fitting import same, without

Object = dict[str, Any]
"""A JSON object: a row, or the fields of a layout with their values."""
_INSTRUCTION: Final = "instruction"


@dataclass(frozen=True, slots=True)
class Wording:
    """The keys and words in which the datasets of a layout spell turns.

    Attributes:
        role: the keys of a turn that may hold its role; the first is written.
        text: the keys of a turn that may hold its content.
        roles: words for roles, in lower case → roles.
        separator: the text between an instruction and its input.
        thoughts: tags around the reasoning before an answer; empty if tags are text.
        calls: whether texts may hold calls, results and tools in tags (`calls`).
    """

    role: tuple[str, ...] = ("role", "from")
    text: tuple[str, ...] = ("content", "value", "text", "contentParts", "message", "utterance", "prompt")
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    separator: str = "\n"
    thoughts: tuple[str, ...] = ()
    calls: bool = False

    @property
    def has_words_of_chat(self) -> bool:
        """Return whether messages in the form of Chat Completions are read unchanged."""
        return not self.roles and "role" in self.role and "content" in self.text


class Document(NamedTuple):
    """A conversation of a row.

    Attributes:
        value: the document, in the layout's format.
        findings: what was repaired or assumed.
        path: the JSON pointer to its end in the row, if the row has several conversations; None otherwise.
        extra_columns: values of the row that belong to the conversation and are not part of the document, by column.
    """

    value: Json
    findings: tuple[Finding, ...] = ()
    path: str | None = None
    extra_columns: Mapping[str, Json] = MappingProxyType({})


Fits = Callable[[Object, Wording], bool]
Reads = Callable[[Object, Wording], Sequence[Document]]
Writes = Callable[[Json, Wording], Object]


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which rows hold conversations.

    Attributes:
        name: its name in plans.
        title: its description in messages and docs.
        format: the format of its documents.
        columns: its fields, each with the names that its column may have; the first is written.
        fits: whether a row with these fields is of this layout.
        reads: returns the documents of the fields; raises `BridgeError` with a path if there are none.
        writes: returns the fields of a document; None if the layout is only read.
        respells: returns a document in the layout's own words, before it is written; None if it is written unchanged.
        wording: its keys and words.
        extra_columns: fields whose columns are kept as extra columns, too, as the document does not hold all of them.
        unread: fields that are not read if another field is there, by that one: their columns are extra columns then.
        without: columns that a row must not have, because they would not be read.
        doubts: columns that make it uncertain whether a row is of this layout, such as the choices of a question: then
            a plan has to name the layout.
        doubted_by: whether a column with a name makes it uncertain, too; None if only `doubts` do.
        requires: further columns that a row must have, each with the names that it may have.
        drops: members of messages that it has no place for, each with the code of the loss.
        whole: whether the row is the document, with all its columns.
        preview: whether its reading may change with any release; only plans with `preview` read it.
    """

    name: str
    title: str
    format: str
    columns: Mapping[str, tuple[str, ...]]
    fits: Fits
    reads: Reads
    writes: Writes | None = None
    wording: Wording = Wording()
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    extra_columns: frozenset[str] = frozenset()
    unread: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    without: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    doubted_by: Callable[[str], bool] | None = None
    drops: Mapping[str, LossCode] = field(default_factory=dict[str, LossCode])
    whole: bool = False
    preview: bool = False
    respells: Callable[[Json], Json] | None = None

    def fields(self, row: Object) -> Object:
        """Return the fields that a row has, under the layout's own names for them, without nulls."""
        return row if self.whole else {name: row[column] for name, column in self.sources(row).items()}

    def sources(self, row: Object) -> dict[str, str]:
        """Return the fields of a row that are read, each with its column."""
        found: dict[str, str] = {}
        for name, columns in self.columns.items():
            column = next((each for each in _present(columns, row) if row[each] is not None), None)
            if column is not None:
                found[name] = column
        unread = self._unread(found)
        return {name: column for name, column in found.items() if name not in unread} if unread else found

    def _unread(self, fields: Collection[str]) -> frozenset[str]:
        """Return the fields that are not read if a row has some fields."""
        return frozenset[str]().union(*[self.unread[name] for name in fields if name in self.unread])

    def read_columns(self, row: Object) -> frozenset[str]:
        """Return the columns of a row that its conversation is read from; all others are extra columns."""
        if self.whole:
            return frozenset(row)
        found: set[str] = set()
        beside = self.extra_columns | self._unread(self.sources(row))
        for columns in (names for name, names in self.columns.items() if name not in beside):
            present = _present(columns, row)
            found.update([each for each in present if row[each] is not None][:1] or present[:1])
        return frozenset(found)

    def may_have(self, row: Object) -> bool:
        """Return whether a row with such columns may be of this layout, whatever their values."""
        required = all(any(each in row for each in columns) for columns in self.requires.values())
        free = all(row.get(column) is None for column in self.without)
        return required and free and (self.whole or bool(self.sources(row)))

    def doubtful(self, columns: Collection[str]) -> list[str]:
        """Return the columns of a row, of some with values, that make it uncertain whether it is of this layout."""
        by_name = self.doubted_by
        instruction = self.sources(dict.fromkeys(columns, True)).get(_INSTRUCTION, "")
        further = FURTHER_QUESTIONS if _plain(instruction) == _INSTRUCTION else frozenset[str]()
        of_others = [each for each in columns if each.strip() in self.doubts or (by_name is not None and by_name(each))]
        known = {name for names in self.columns.values() for name in names}
        return [each for each in of_others if _plain(each) not in known] + [
            each for each in columns if _plain(each) in further
        ]

    def has(self, row: Object) -> bool:
        """Return whether a row is of this layout."""
        return self.may_have(row) and self.fits(self.fields(row), self.wording)

    def read(self, row: Object) -> Sequence[Document]:
        """Return the documents of a row.

        Raises:
            BridgeError: OCB-SHAPE with a path into the row.
        """
        return self.reads(self.fields(row), self.wording)

    def write(self, document: Json) -> tuple[Object, Sequence[Loss]]:
        """Return the row of a document, and what the layout has no place for.

        Raises:
            BridgeError: OCB-SHAPE if the layout cannot hold the conversation, with the reason; OCB-OPTION if the layout
                is only read.
        """
        if self.writes is None:
            raise BridgeError(ErrorCode.OPTION, f"rows of the layout {self.name} can be read, but not written")
        fitted, losses = without(document if self.respells is None else self.respells(document), self.drops)
        try:
            fields = self.writes(fitted, self.wording)
            row = fields if self.whole else {self.columns[name][0]: value for name, value in fields.items()}
            back = [each.value for each in self.read(row)]
        except BridgeError as error:
            raise error if error.code is ErrorCode.SHAPE else unfit(self.name, error.message) from error
        if len(back) != 1 or not same(back[0], fitted):
            raise unfit(self.name, "the row would read as another conversation")
        return row, losses

    def renamed(self, columns: Mapping[str, str], wording: Wording) -> Layout:
        """Return the layout of a dataset that has other names for columns, and other words.

        A column that is named for a field is read for no other field.
        """
        names = {key: (each,) for key, each in columns.items()}
        used = frozenset(columns.values())
        others = {key: tuple([each for each in known if each not in used]) for key, known in self.columns.items()}
        return replace(self, columns={**others, **names}, wording=wording)


def _present(columns: Sequence[str], row: Object) -> list[str]:
    """Return the columns of a row with one of some names, in the order of the names.

    If none is exact, they are found in any case, and with spaces around them, as tables have them that people typed.
    """
    exact = [each for each in columns if each in row]
    if exact or all(name.islower() and name == name.strip() for name in row):
        return exact
    by_name = {_plain(name): name for name in reversed(row)}
    return [by_name[each] for each in columns if each in by_name]


def _plain(name: str) -> str:
    """Return the name of a column in small letters, and without spaces around it."""
    return name.strip().lower()


def in_columns(path: str | None, sources: Mapping[str, str]) -> str | None:
    """Return a path into the fields of a row as a path into its columns.

    Args:
        path: the path; None if there is none.
        sources: the fields with their columns.
    """
    _, slash, rest = (path or "").partition("/")
    name, *inner = rest.split("/")
    column = sources.get(name) if slash else None
    return path if column is None else "/".join(("", column.replace("~", "~0").replace("/", "~1"), *inner))


def unfit(name: str, reason: str) -> BridgeError:
    """Return the error for a document that a layout cannot hold."""
    return BridgeError(ErrorCode.SHAPE, f"the layout {name} cannot hold this: {reason}")


def misshapen(path: str, wanted: str) -> BridgeError:
    """Return the error for a field of a row that has another shape."""
    return BridgeError(ErrorCode.SHAPE, f"expected {wanted}", path=path)


def noticed(path: str, detail: str) -> Finding:
    """Return a finding about a row that was repaired."""
    return Finding(FindingCode.SHAPE, Severity.CHANGED, path, detail)


def parsed_or_none(text: str) -> Json:
    """Return the value of a JSON text; None for any other text."""
    try:
        return jsontext.loads(text)
    except BridgeError:
        return None


def parsed(value: Json, path: str) -> Json:
    """Return a value that may be given as its JSON text.

    Raises:
        BridgeError: OCB-JSON if a text is not JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return jsontext.loads(value)
    except BridgeError as error:
        raise BridgeError(error.code, f"not JSON text: {error.message}", path=path) from error
