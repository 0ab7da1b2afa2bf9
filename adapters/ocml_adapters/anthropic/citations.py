"""Citations of texts, both ways: of what was found in the web, and of documents and search results in the request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.citations import WHOLE, CitationTable, Kind
from ocml_bridge.form import ARRAY
from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Citation, Json, Text, replace
from ocml_bridge.units.heads import Item

from .syntax import HOME

_INDEX: Final = "encrypted_index"
"""The member by which the API knows again what it found in the web."""
_DOCUMENT: Final = {"cited_text": "cited_text", "document_title": "title", "file_id": "file_id"}
TABLE: Final = CitationTable(
    HOME,
    (
        Kind(
            "web_search_result_location",
            {"cited_text": "cited_text", "url": "url", "title": "title"},
            "url",
            {"cited_text": "", "title": None, _INDEX: ""},
        ),
        Kind("search_result_location", {"cited_text": "cited_text", "source": "url", "title": "title"}, None, {}),
        *(Kind(name, _DOCUMENT, None, {}) for name in ("char_location", "page_location", "content_block_location")),
    ),
)
"""A citation is of all of its text; what it says of places is where in the source they are."""


def read_citations(value: Json) -> tuple[Citation, ...] | None:
    """The citations of a text; None where there is none, or one is not understood."""
    raws: Any = value
    if not isinstance(raws, ARRAY) or not raws:
        return None
    found = tuple(made for raw in raws if (made := TABLE.read(raw, WHOLE)) is not None)
    return found if len(found) == len(raws) else None


def write_citations(citations: Sequence[Citation]) -> list[Json]:
    """Citations as the API has them; those that it has no place for are left out."""
    return [made for one in citations if (made := TABLE.write(one, WHOLE)) is not None]


def without_unknown(items: Sequence[Item], places: Sequence[int] | None, log: Log) -> Sequence[Item]:
    """The items of a request without those citations that the API has not made: it asks for what it knows them by.

    Args:
        items: in order.
        places: for each the index of its message in the document; None where they are all of these.
        log: takes what is left out.
    """
    made: list[Item] | None = None
    for at, (head, content, call_id) in enumerate(items):
        if isinstance(content, str) or all(_known(part) == _cited(part) for part in content):
            continue
        made = list(items) if made is None else made
        path = f"/messages/{at if places is None else places[at]}/content"
        parts = [replace(part, citations=_known(part) or None) if isinstance(part, Text) else part for part in content]
        for index, part in enumerate(content):
            if _known(part) != _cited(part):
                detail = f"{HOME} refuses a citation without its {_INDEX}; --unsigned keep writes an empty one"
                log.lose(LossCode.CITATIONS, f"{path}/{index}/citations", detail)
        made[at] = (head, tuple(parts), call_id)
    return items if made is None else made


def _cited(part: object) -> tuple[Citation, ...]:
    return (part.citations or ()) if isinstance(part, Text) else ()


def _known(part: object) -> tuple[Citation, ...]:
    return tuple(one for one in _cited(part) if HOME in {**(one.extras or {}), **(one.layout or {})})
