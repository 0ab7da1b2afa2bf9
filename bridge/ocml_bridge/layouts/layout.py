"""What a layout is: the columns in which rows of a dataset hold a conversation, and how these make a document.

A layout makes documents of a format that there is; what is lost of them in another format is that format's to say. A
row is written only if reading it gives the document again, so a layout needs no list of what it cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..loss import Finding, FindingCode, Loss, LossCode, Severity
from ..model import Json
from .fitting import same, without

Object = dict[str, Any]
"""A JSON object: a row, or the fields of a layout with their values."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What datasets of one layout spell in their own words.

    Attributes:
        role: the keys of a turn that may say whose it is, the first is written.
        text: the keys that may hold what it says.
        roles: words for whose a turn is → roles, in small letters.
        separator: what stands between an instruction and its input.
        thoughts: tags that the thought before an answer stands in; none where tags are text.
        calls: whether calls, results and tools may stand in texts, in tags (`calls`).
    """

    role: tuple[str, ...] = ("role", "from")
    text: tuple[str, ...] = ("content", "value", "text", "contentParts")
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    separator: str = "\n"
    thoughts: tuple[str, ...] = ()
    calls: bool = False

    @property
    def has_words_of_chat(self) -> bool:
        """Whether messages as Chat Completions has them are read as they are."""
        return not self.roles and "role" in self.role and "content" in self.text


class Document(NamedTuple):
    """A conversation of a row.

    Attributes:
        value: as the layout's format has it.
        findings: what was mended or assumed.
        path: where in its row it ends, where the row has several.
        beside: what the row says of it that is no conversation: columns of its own.
    """

    value: Json
    findings: tuple[Finding, ...] = ()
    path: str | None = None
    beside: Mapping[str, Json] = MappingProxyType({})


Fits = Callable[[Object, Wording], bool]
Reads = Callable[[Object, Wording], Sequence[Document]]
Writes = Callable[[Json, Wording], Object]


@dataclass(frozen=True, slots=True)
class Layout:
    """One way in which rows hold conversations.

    Attributes:
        name: by which a plan names it.
        title: what it is called, for people.
        format: of the documents that it makes.
        columns: its fields, each with the names that its column may have; the first is written.
        fits: whether a row with these fields is of this layout.
        reads: makes the documents of the fields; raises `BridgeError` with a path for fields that make none.
        writes: makes the fields of a document; None where nobody trains on the layout.
        wording: its words.
        beside: fields whose columns travel beside the conversation all the same, as it does not say all of them.
        without: columns that a row of it does not have: what is said in them would not be read.
        doubts: columns beside which nobody can tell that a row is of it, such as the choices of a question: a plan has
            to name it.
        requires: columns that a row has to have beside the conversation, each with the names that they may have.
        drops: members of messages that it has no place for, and what their loss is called.
        whole: whether the row is the document, with all its columns.
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
    beside: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    doubts: frozenset[str] = frozenset()
    drops: Mapping[str, LossCode] = field(default_factory=dict[str, LossCode])
    whole: bool = False

    def fields(self, row: Object) -> Object:
        """The fields that a row has, under the layout's own names for them; null is no value."""
        return row if self.whole else {name: row[column] for name, column in self.sources(row).items()}

    def sources(self, row: Object) -> dict[str, str]:
        """The fields that a row has, each with the column that it stands in."""
        found: dict[str, str] = {}
        for name, columns in self.columns.items():
            column = next((each for each in _present(columns, row) if row[each] is not None), None)
            if column is not None:
                found[name] = column
        return found

    def read_columns(self, row: Object) -> frozenset[str]:
        """The columns of a row that its conversation is read from; all others travel beside it."""
        if self.whole:
            return frozenset(row)
        found: set[str] = set()
        for columns in (names for name, names in self.columns.items() if name not in self.beside):
            present = _present(columns, row)
            found.update([each for each in present if row[each] is not None][:1] or present[:1])
        return frozenset(found)

    def may_have(self, row: Object) -> bool:
        """Whether a row with such columns may be of this layout, whatever stands in them."""
        required = all(any(each in row for each in columns) for columns in self.requires.values())
        free = all(row.get(column) is None for column in self.without)
        return required and free and (self.whole or bool(self.sources(row)))

    def has(self, row: Object) -> bool:
        """Whether a row is of this layout."""
        return self.may_have(row) and self.fits(self.fields(row), self.wording)

    def read(self, row: Object) -> Sequence[Document]:
        """The documents of a row.

        Raises:
            BridgeError: OCB-SHAPE with a path into the row.
        """
        return self.reads(self.fields(row), self.wording)

    def write(self, document: Json) -> tuple[Object, Sequence[Loss]]:
        """The row of a document, and what the layout has no place for.

        Raises:
            BridgeError: OCB-SHAPE where the layout cannot hold the conversation, saying why; OCB-OPTION where nobody
                trains on it.
        """
        if self.writes is None:
            raise BridgeError(ErrorCode.OPTION, f"rows of the layout {self.name} can be read, but not written")
        fitted, losses = without(document, self.drops)
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
        """The layout of a dataset that has other names for columns, and words of its own."""
        names = {key: (each,) for key, each in columns.items()}
        return replace(self, columns={**self.columns, **names}, wording=wording)


def _present(columns: Sequence[str], row: Object) -> list[str]:
    """The columns of a row that go by some names, in their order; where none does, those that differ in capitals."""
    exact = [each for each in columns if each in row]
    if exact or all(name.islower() for name in row):
        return exact
    by_name = {name.lower(): name for name in reversed(row)}
    return [by_name[each] for each in columns if each in by_name]


def unfit(name: str, reason: str) -> BridgeError:
    """Why a layout cannot hold a document."""
    return BridgeError(ErrorCode.SHAPE, f"the layout {name} cannot hold this: {reason}")


def misshapen(path: str, wanted: str) -> BridgeError:
    """What is wrong with a field of a row."""
    return BridgeError(ErrorCode.SHAPE, f"expected {wanted}", path=path)


def noticed(path: str, detail: str) -> Finding:
    """Something of a row that was mended."""
    return Finding(FindingCode.SHAPE, Severity.CHANGED, path, detail)


def parsed(value: Json, path: str) -> Json:
    """A value that may be given as its JSON text.

    Raises:
        BridgeError: OCB-JSON for a text that is none.
    """
    if not isinstance(value, str):
        return value
    try:
        return jsontext.loads(value)
    except BridgeError as error:
        raise BridgeError(error.code, f"not JSON text: {error.message}", path=path) from error
