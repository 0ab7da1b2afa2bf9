"""Annotations of a text, both ways: pages and files that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.citations import CitationTable, Kind, Place
from ocml_bridge.form import ARRAY
from ocml_bridge.model import Citation, Json

from .syntax import HOME

_RANGE: Final = {"start_index": "start", "end_index": "end"}
_FILE: Final = {"file_id": "file_id", "filename": "filename"}
TABLE: Final = CitationTable(
    HOME,
    (
        Kind(
            "url_citation",
            {**_RANGE, "url": "url", "title": "title"},
            "url",
            {"start_index": 0, "end_index": 0, "title": ""},
        ),
        Kind("file_citation", _FILE, "file_id", {"filename": "", "index": 0}),
        Kind("container_file_citation", {**_RANGE, **_FILE}, None, {}),
        Kind("file_path", {"file_id": "file_id"}, None, {"index": 0}),
    ),
)
"""Indices count the characters of the text, but for `index`, of which nobody says for certain what it counts."""


def read_annotations(value: Json, text: str) -> tuple[Citation, ...] | None:
    """The sources that a text names; None where it names none, or one is not understood."""
    raws: Any = value
    if not isinstance(raws, ARRAY) or not raws:
        return None
    found = tuple(made for raw in raws if (made := TABLE.read(raw, Place(0, len(text)))) is not None)
    return found if len(found) == len(raws) else None


def write_annotations(citations: Sequence[Citation], text: str) -> list[Json]:
    """Citations as annotations of a text; those that there is no place for are left out."""
    return [made for one in citations if (made := TABLE.write(one, Place(0, len(text)))) is not None]
