"""Prepare a conversation for the API, which refuses two documents of one name in a request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeGuard

from ocml_bridge.model import Media, Part, Passages, replace
from ocml_bridge.units.heads import Item

from .parts import LONGEST_NAME, NAME, document_name
from .syntax import NOTES

_ROOM: Final = LONGEST_NAME - 10
"""The length of a name to which a number is added."""


def with_different_names(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items with different names of documents: `report`, `report-2`. Names that were read here stay."""
    documents = [part for _, content, _ in items if not isinstance(content, str) for part in filter(_is_named, content)]
    names = [_key(document_name(_name(part), NOTES.of(part.layout))) for part in documents]
    if len(set(names)) == len(names):
        return items
    namer = _Namer(names)
    return [(head, content if isinstance(content, str) else namer(content), id_) for head, content, id_ in items]


def mark_repeated_names(items: list[Item]) -> None:
    """Mark the documents with the name of an earlier one, so that they keep it; the list is changed."""
    seen: set[str] = set()
    for at, (head, content, call_id) in enumerate(items):
        if not isinstance(content, str) and any(map(_is_named, content)):
            items[at] = (head, tuple([_marked(part, seen) for part in content]), call_id)


def _marked(part: Part, seen: set[str]) -> Part:
    if not _is_named(part) or (name := _name(part)) is None:
        return part
    if _key(name) in seen:
        return replace(part, layout=NOTES.adding(part.layout, {NAME: name}))
    seen.add(_key(name))
    return part


def _is_named(part: Part) -> TypeGuard[Media | Passages]:
    """Return whether a part is written as a document, which has a name."""
    return part.media == "file" if isinstance(part, Media) else isinstance(part, Passages) and part.source is None


def _name(part: Media | Passages) -> str | None:
    return part.filename if isinstance(part, Media) else part.title


def _key(name: str) -> str:
    return name.casefold()


class _Namer:
    """Gives documents names that differ, in the order of the documents.

    Args:
        names: the names of all documents; none that is made up is one of them.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._all_names = set(names)
        self._seen: set[str] = set()
        self._numbers: dict[str, int] = {}

    def __call__(self, content: Iterable[Part]) -> tuple[Part, ...]:
        """Return content whose documents have names that no earlier one has."""
        return tuple([self._renamed(part) if _is_named(part) else part for part in content])

    def _renamed(self, part: Media | Passages) -> Part:
        layout = NOTES.of(part.layout)
        name = document_name(_name(part), layout)
        if _key(name) not in self._seen or layout.get(NAME) == name:
            self._seen.add(_key(name))
            return part
        new = self._numbered(name[:_ROOM])
        return replace(part, filename=new) if isinstance(part, Media) else replace(part, title=new)

    def _numbered(self, name: str) -> str:
        number = self._numbers.get(_key(name), 1)
        new = name
        while _key(new) in self._all_names:
            number += 1
            new = f"{name}-{number}"
        self._all_names.add(_key(new))
        self._numbers[_key(name)] = number
        return new
