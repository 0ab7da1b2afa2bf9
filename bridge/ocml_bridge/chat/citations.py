"""Read and write citations of JSON wires by a table: for each type of citation, its members and their fields."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from ..common.memo import Memo
from ..json_values.form import OBJECT, Object, add, form_of, is_in_order, rest, shape
from ..json_values.parameters import items_of
from ..model import Citation, Json, Text, replace
from .vendors import citation_for

_NUMBERS: Final = frozenset({"start", "end"})
_SCALARS: Final = frozenset({str, int, float, bool})
_SPELLINGS: Final = 256
"""How many spellings of citations a table caches."""
_UNKNOWN: Final[Any] = object()
"""The default of look-ups in the cache, in which None says that a citation needs more than its spelling."""
_ENABLED: Final = "enabled"


@dataclass(frozen=True)
class Kind:
    """A type of citation.

    Attributes:
        name: the value of its member `type`.
        fields: the fields of `Citation` by member, in the order in which they are written.
        needs: the field that a citation from another format must have to be written as this type; None if none is.
        required: the members that must be there, with their default values.
    """

    name: str
    fields: dict[str, str]
    needs: str | None
    required: dict[str, Json]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Its keys, in the order in which they are written."""
        return ("type", *self.fields, *(key for key in self.required if key not in self.fields))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its fields that are always written: the range of characters."""
        return _NUMBERS.intersection(self.fields.values())

    @cached_property
    def always(self) -> frozenset[str]:
        """Its keys that are always written."""
        return frozenset(("type", *self.required))


class Place(NamedTuple):
    """The position of a citation's text in the texts that the indices of the wire count through.

    Attributes:
        at: the number of characters before it.
        length: the number of its characters.
    """

    at: int
    length: int


WHOLE: Final = Place(0, 0)
"""The place for citations without indices."""


class Citations(Protocol):
    """How a format narrows citations."""

    def nearest(self, citation: Citation, place: Place, /) -> Citation | None:
        """Return a citation as the format reads it back, or None if the format has no place for it."""
        ...


class _Spelling(NamedTuple):
    """How the citations with certain members are read.

    Attributes:
        fields: the fields of `Citation`, each with the member that has it.
        has_range: whether these fields are a range of characters as well.
        extras: the members that no field has.
        kind: the type, if the writer would choose another one; else None.
    """

    fields: tuple[tuple[str, str], ...]
    has_range: bool
    extras: tuple[str, ...]
    kind: str | None


@dataclass(frozen=True)
class CitationTable:
    """The citations of a format.

    Attributes:
        home: the format id.
        kinds: its types; a citation is written as the first type that fits.
        vendor: the vendor whose files it cites by their ids.
    """

    home: str
    kinds: tuple[Kind, ...]
    vendor: str

    @cached_property
    def _spellings(self) -> Memo[Hashable, _Spelling | None]:
        return Memo(_SPELLINGS)

    def read(self, value: Json, place: Place) -> Citation | None:
        """Return the citation of a JSON object, or None if it could not be written back as it is.

        Args:
            value: the object.
            place: the place of its text.
        """
        if not isinstance(value, OBJECT):
            return None
        members: Object = value
        kind = self._kind_named(members.get("type"))
        if kind is None:
            return None
        classes = tuple([each.__class__ if each or each.__class__ is int else None for each in members.values()])
        key = kind.name, tuple(members), classes
        spelling = self._spellings.get(key, _UNKNOWN)
        if spelling is _UNKNOWN:
            spelling = self._spellings.keep(key, self._spelling(kind, key[1], classes))
        if spelling is None:
            return self._read_otherwise(kind, members, place)
        fields = {field: members[key] for field, key in spelling.fields}
        citation = Citation(**(_relative(fields, place) if spelling.has_range else fields))
        if citation.file_id is not None:
            citation.vendor = self.vendor
        extras: Object = {} if spelling.kind is None else {"type": spelling.kind}
        for key in spelling.extras:
            extras[key] = members[key]
        citation.extras = {self.home: extras} if extras else None
        return citation

    def _spelling(self, kind: Kind, keys: tuple[str, ...], classes: tuple[type[Any] | None, ...]) -> _Spelling | None:
        """Return how citations are read that are surely written back as they are; None for others.

        Args:
            kind: the type of the citations.
            keys: their keys, in order.
            classes: the class of each member, None for one that is empty.
        """
        if not (_SCALARS.issuperset(classes) and kind.always.issubset(keys) and is_in_order(keys, kind.order)):
            return None
        by_key = dict(zip(keys, classes, strict=True))
        fields = {
            field: key for key, field in kind.fields.items() if by_key.get(key) is (int if field in _NUMBERS else str)
        }
        if not kind.numbers <= fields.keys():
            return None
        others = tuple([key for key in keys if key != "type" and key not in fields.values()])
        written_as = next((each for each in self.kinds if each.needs in fields), None)
        return _Spelling(tuple(fields.items()), bool(kind.numbers), others, None if written_as is kind else kind.name)

    def _read_otherwise(self, kind: Kind, members: Object, place: Place) -> Citation | None:
        """Return the citation of an object in any spelling, or None if it could not be written back as it is.

        Args:
            kind: its type.
            members: the object.
            place: the place of its text.
        """
        fields = {field: members[key] for key, field in kind.fields.items() if _is_valid(field, members.get(key))}
        keys = [key for key, field in kind.fields.items() if field in fields]
        citation = Citation(**_relative(fields, place), vendor=self.vendor if "file_id" in fields else None)
        extras = rest(members, ("type", *keys))
        if self._kind_of(citation) is not kind:
            extras = {"type": kind.name, **extras}
        types = [key for key, value in kind.required.items() if key in members and members[key] == value]
        form = form_of(members, kind.order, kind.always, ("type", *keys, *types))
        citation.extras = {self.home: extras} if extras else None
        citation.layout = None if form is None else {self.home: {"form": form}}
        written = self.write(citation, place)
        return citation if written is not None and _members(written) == _members(members) else None

    def write(self, citation: Citation, place: Place) -> Object | None:
        """Return a citation as a JSON object, or None if the format has no place for it."""
        citation = citation_for(citation, self.vendor)
        extras = (citation.extras or {}).get(self.home, {})
        kind = self._kind_named(extras.get("type")) or self._kind_of(citation)
        if kind is None:
            return None
        members: Object = {"type": kind.name}
        for key, field in kind.fields.items():
            value = getattr(citation, field)
            if field in _NUMBERS:
                value = place.at + (value if value is not None else place.length if field == "end" else 0)
            if value is not None:
                members[key] = value
        written = members
        if extras or not kind.required.keys() <= members.keys():
            written = add(add(members, extras), {k: v for k, v in kind.required.items() if k not in extras}, kind.order)
        form = (citation.layout or {}).get(self.home, {}).get("form")
        return written if form is None else shape(written, form, fixed=tuple(members))

    def read_all(self, value: Json, place: Place) -> tuple[Citation, ...] | None:
        """Return the citations in a list; None if there are none, or one is not understood."""
        raws = items_of(value)
        citations = tuple(citation for raw in raws if (citation := self.read(raw, place)) is not None)
        return citations if citations and len(citations) == len(raws) else None

    def write_all(self, citations: Sequence[Citation] | None, place: Place) -> list[Json]:
        """Return the list of citations; those that the format has no place for are left out."""
        return [written for citation in citations or () if (written := self.write(citation, place)) is not None]

    def nearest(self, citation: Citation, place: Place) -> Citation | None:
        """Return a citation as the format reads it back, or None if the format has no place for it."""
        written = self.write(citation, place)
        if written is not None and (back := self.read(written, place)) is not None:
            return back
        written = self.write(replace(citation, extras=None, layout=None), place)
        return None if written is None else self.read(written, place)

    def _kind_named(self, name: Any) -> Kind | None:
        for kind in self.kinds:
            if kind.name == name:
                return kind
        return None

    def _kind_of(self, citation: Citation) -> Kind | None:
        """Return the first type that fits a citation from another format, or None."""
        for kind in self.kinds:
            if kind.needs and getattr(citation, kind.needs) is not None:
                return kind
        return None


def _is_valid(field: str, value: Json) -> bool:
    return type(value) is int if field in _NUMBERS else isinstance(value, str) and value != ""


def _relative(fields: dict[str, Any], place: Place) -> dict[str, Any]:
    """Return fields with indices into the citation's own text, without indices if they cover all of it."""
    result = {key: value - place.at if key in _NUMBERS else value for key, value in fields.items()}
    if (result.get("start"), result.get("end")) == (0, place.length):
        del result["start"], result["end"]
    return result


def read_citable(value: Json) -> bool | None:
    """Return whether a document may be cited, as in `{"enabled": true}`; None for any other value."""
    if not isinstance(value, OBJECT) or list(value) != [_ENABLED]:
        return None
    enabled: Json = value[_ENABLED]
    return enabled if isinstance(enabled, bool) else None


def write_citable(citable: bool) -> Object:
    """Return whether a document may be cited as a JSON object."""
    return {_ENABLED: citable}


def joined(texts: Sequence[Text]) -> tuple[Citation, ...] | None:
    """Return the citations of texts that are joined, with indices into the joined text; None if there are none."""
    if len(texts) == 1:
        return texts[0].citations
    citations: list[Citation] = []
    for text, (at, length) in zip(texts, places([text.text for text in texts]), strict=True):
        for citation in text.citations or ():
            end = length if citation.end is None else citation.end
            citations.append(replace(citation, start=at + (citation.start or 0), end=at + end))
    return tuple(citations) or None


def _members(value: Object) -> list[tuple[str, type, Json]]:
    """Return the members of an object with their types, for a comparison in which False is not 0."""
    return [(key, type(member), member) for key, member in value.items()]


def places(texts: Sequence[str]) -> list[Place]:
    """Return the places of consecutive texts."""
    at, result = 0, list[Place]()
    for text in texts:
        result.append(Place(at, len(text)))
        at += len(text)
    return result
