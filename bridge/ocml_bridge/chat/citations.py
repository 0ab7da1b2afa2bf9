"""Citations as wires say them: objects of a type, whose members are a table for each type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from ..json_values.form import OBJECT, Object, add, form_of, rest, shape
from ..model import Citation, Json, Text, replace
from .uploads import citation_for

_NUMBERS: Final = frozenset({"start", "end"})


@dataclass(frozen=True)
class Kind:
    """A type of citation.

    Attributes:
        name: the type.
        fields: its members, in our order, and the fields that they are.
        needs: the field that a citation read elsewhere must have to be one of this type; None for a type that is
            never made of such.
        required: the members that it must have, and what they are where nothing is known.
    """

    name: str
    fields: dict[str, str]
    needs: str | None
    required: dict[str, Json]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """Its keys, in our order."""
        return ("type", *self.fields, *(key for key in self.required if key not in self.fields))

    @cached_property
    def always(self) -> frozenset[str]:
        """Its keys that are always written."""
        return frozenset(("type", *self.required))


class Place(NamedTuple):
    """The text of a citation among the texts that indices count.

    Attributes:
        at: how many characters stand before it.
        length: how many it has.
    """

    at: int
    length: int


WHOLE: Final = Place(0, 0)
"""Of the text of a citation that says no indices."""


class Citations(Protocol):
    """What a format holds of citations."""

    def nearest(self, citation: Citation, place: Place, /) -> Citation | None:
        """A citation as it is read again; None for one that the format has no place for."""
        ...


@dataclass(frozen=True, slots=True)
class CitationTable:
    """How a format says citations.

    Attributes:
        home: the format id.
        kinds: the types that it has; of those that fit a citation, the first is written.
        vendor: whose files it cites by their ids.
    """

    home: str
    kinds: tuple[Kind, ...]
    vendor: str

    def read(self, value: Json, place: Place) -> Citation | None:
        """The citation that an object is; None for one that could not be written back.

        Args:
            value: the object.
            place: of the text that it stands at.
        """
        if not isinstance(value, OBJECT):
            return None
        members: Object = value
        kind = self._called(members.get("type"))
        if kind is None:
            return None
        fields = {field: members[key] for key, field in kind.fields.items() if _fits(field, members.get(key))}
        keys = [key for key, field in kind.fields.items() if field in fields]
        citation = Citation(**_within(fields, place), vendor=self.vendor if "file_id" in fields else None)
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
        """A citation as an object; None for one that the format has no place for."""
        citation = citation_for(citation, self.vendor)
        extras = (citation.extras or {}).get(self.home, {})
        kind = self._called(extras.get("type")) or self._kind_of(citation)
        if kind is None:
            return None
        members: Object = {"type": kind.name}
        for key, field in kind.fields.items():
            value = getattr(citation, field)
            if field in _NUMBERS:
                value = place.at + (value if value is not None else place.length if field == "end" else 0)
            if value is not None:
                members[key] = value
        fixed = tuple(members)
        written = add(add(members, extras), {k: v for k, v in kind.required.items() if k not in extras}, kind.order)
        return shape(written, (citation.layout or {}).get(self.home, {}).get("form"), fixed=fixed)

    def nearest(self, citation: Citation, place: Place) -> Citation | None:
        """A citation as it is read again; None for one that the format has no place for."""
        written = self.write(citation, place)
        if written is not None and (found := self.read(written, place)) is not None:
            return found
        written = self.write(replace(citation, extras=None, layout=None), place)
        return None if written is None else self.read(written, place)

    def _called(self, name: Any) -> Kind | None:
        for kind in self.kinds:
            if kind.name == name:
                return kind
        return None

    def _kind_of(self, citation: Citation) -> Kind | None:
        """The type that is written of a citation which says none."""
        for kind in self.kinds:
            if kind.needs and getattr(citation, kind.needs) is not None:
                return kind
        return None


def _fits(field: str, value: Json) -> bool:
    return type(value) is int if field in _NUMBERS else isinstance(value, str) and value != ""


def _within(fields: dict[str, Any], place: Place) -> dict[str, Any]:
    """Fields whose indices count the characters of the text, and which say none where it is all of the text."""
    counted = {key: value - place.at if key in _NUMBERS else value for key, value in fields.items()}
    if (counted.get("start"), counted.get("end")) == (0, place.length):
        del counted["start"], counted["end"]
    return counted


def joined(texts: Sequence[Text]) -> tuple[Citation, ...] | None:
    """The citations of texts that become one, each of its own characters of that; None where there are none."""
    if len(texts) == 1:
        return texts[0].citations
    found: list[Citation] = []
    for text, (at, length) in zip(texts, places([text.text for text in texts]), strict=True):
        for citation in text.citations or ():
            end = length if citation.end is None else citation.end
            found.append(replace(citation, start=at + (citation.start or 0), end=at + end))
    return tuple(found) or None


def _members(value: Object) -> list[tuple[str, type, Json]]:
    """What an object has, in order: False is not 0."""
    return [(key, type(member), member) for key, member in value.items()]


def places(texts: Sequence[str]) -> list[Place]:
    """The places of texts whose characters are counted through."""
    at, found = 0, list[Place]()
    for text in texts:
        found.append(Place(at, len(text)))
        at += len(text)
    return found
