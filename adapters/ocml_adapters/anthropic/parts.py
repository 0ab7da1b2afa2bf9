"""Read and write blocks that are parts of a message or a result: texts with citations, images, documents, passages.

All other blocks become foreign parts.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final, Literal

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.citations import WHOLE, CitationTable, Kind
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import image_format, media_type, scheme
from ocml_bridge.json_values.form import OBJECT, Object, add, rest, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Citation, Foreign, Json, Media, Part, Passages, Text, replace
from ocml_bridge.units.heads import Item
from ocml_bridge.units.relations import indices_of

from .passages import OF_DOCUMENTS, read_labels, read_passages, write_labels, write_passages
from .syntax import (
    CACHE,
    CITATIONS,
    DOCUMENT,
    HOME,
    IMAGE,
    NOTES,
    OPAQUE,
    SEARCH_RESULT,
    TEXT,
    VENDOR,
)

KINDS: Final[dict[str, Literal["image", "file"]]] = {IMAGE: "image", DOCUMENT: "file"}
_LABELS: Final[dict[str, dict[str, str]]] = {"image": {CACHE: "cache"}, "file": {**OF_DOCUMENTS, "title": "filename"}}
_TYPES: Final = {kind: block for block, kind in KINDS.items()}
PART_KINDS: Final = frozenset({TEXT, SEARCH_RESULT, *KINDS})
"""The types of blocks that are parts."""
_SOURCES: Final[dict[str, dict[str, str]]] = {
    "base64": {"data": "data", "media_type": "format"},
    "url": {"url": "url"},
    "file": {"file_id": "file_id"},
}
"""The members of each type of source, and the fields of the canonical form; the first one is required."""
_PLAIN: Final = "text/plain"
"""The media type of a document that the API accepts as text. In the canonical form it is base64 data like any other."""
_BARE_TEXT: Final = ("type", "text")


# --- reading ----------------------------------------------------------------------------------------------------------


def is_unknown(part: Part) -> bool:
    """Return whether a part is a foreign part of a type that the API does not define."""
    return isinstance(part, Foreign) and members_of(part.value).get("type") not in (*OPAQUE, *KINDS)


def read_part(block: Object, kind: str) -> Part | None:
    """Return the part of a block; None if it is not understood.

    Args:
        block: the block.
        kind: its type.
    """
    if kind == TEXT:
        return _read_text(block)
    if kind in (SEARCH_RESULT, DOCUMENT) and (passages := read_passages(block)) is not None:
        return passages
    return _read_media(block, KINDS[kind]) if kind in KINDS and isinstance(block.get("source"), OBJECT) else None


def _read_text(block: Object) -> Text | None:
    text = block.get("text")
    if not isinstance(text, str) or tuple(block) == _BARE_TEXT:
        return Text(text) if isinstance(text, str) else None
    part = Text(text, cache=CONTROL.read(block))
    part.citations = TABLE.read_all(block.get(CITATIONS), WHOLE)
    cited = () if part.citations is None else (CITATIONS,)
    part.extras = NOTES.by_format(rest(block, (*_BARE_TEXT, *cited, *(() if part.cache is None else (CACHE,)))))
    return part


def _read_media(block: Object, kind: Literal["image", "file"]) -> Media | None:
    source: Object = block["source"]
    source_fields = _read_source(source)
    if source_fields is None:
        return None
    fields, known = source_fields
    labels, extras = read_labels(block, _LABELS[kind], "type", "source")
    if more := rest(source, known):
        extras["source"] = more
    return Media(kind, **fields, **labels, extras=NOTES.by_format(extras))


def _read_source(source: Object) -> tuple[dict[str, Any], list[str]] | None:
    """Return the fields of a source and the keys that they are read from; None for an unknown source."""
    kind: Any = source.get("type")
    if kind == TEXT and source.get("media_type") == _PLAIN and isinstance(source.get("data"), str):
        data = _encoded(source["data"])
        return None if data is None else ({"data": data, "format": _PLAIN}, ["type", "media_type", "data"])
    names = _SOURCES.get(kind) if isinstance(kind, str) else None
    if names is None:
        return None
    fields = {field: source[name] for name, field in names.items() if isinstance(source.get(name), str)}
    required = next(iter(names.values()))
    if required not in fields or fields.get("format") == "" or not _is_of_web(fields.get("url")):
        return None
    known = ["type", *(name for name, field in names.items() if field in fields)]
    return ({**fields, "vendor": VENDOR} if "file_id" in fields else fields), known


def _is_of_web(url: str | None) -> bool:
    """Return whether the API can fetch an address, or there is none; it accepts no others."""
    return url is None or scheme(url) in (None, "http", "https")


def _encoded(text: str) -> str | None:
    try:
        return base64.b64encode(text.encode()).decode()
    except UnicodeEncodeError:
        return None


def _decoded(data: str) -> str | None:
    """Return the text of base64 data; None if it is no text, or not the base64 that the reader makes of this text."""
    try:
        text = base64.b64decode(data).decode()
    except ValueError:
        return None
    return text if _encoded(text) == data else None


# --- writing ----------------------------------------------------------------------------------------------------------


def can_hold(part: Part) -> bool:
    """Return whether the format has a place for a part."""
    return write_part(part) is not None or (isinstance(part, Foreign) and part.format == HOME)


def write_part(part: Part) -> Json:
    """Return the block of a part; None if the format has no place for it."""
    if isinstance(part, Text):
        block: Object = {"type": TEXT, "text": part.text}
        if part.citations and (written := TABLE.write_all(part.citations, WHOLE)):
            block[CITATIONS] = written
        return add(block | CONTROL.write(part.cache), NOTES.of(part.extras))
    if isinstance(part, Media):
        return _write_media(part)
    if isinstance(part, Passages):
        return write_passages(part)
    return part.value if isinstance(part, Foreign) and part.format == HOME else None


def _write_media(media: Media) -> Object | None:
    kind, source = _TYPES.get(media.media), _write_source(media_for(media, VENDOR))
    if kind is None or source is None:
        return None
    extras = NOTES.of(media.extras)
    labels = write_labels(media, _LABELS[media.media])
    block: Object = {"type": kind, "source": add(source, extras.get("source")), **labels}
    return add(block, without(extras, "source"))


def _write_source(media: Media) -> Object | None:
    if media.data is not None:
        is_text = media.media == "file" and (media.format or "").startswith("text/")
        text = _decoded(media.data) if is_text else None
        if text is not None:
            return {"type": TEXT, "media_type": _PLAIN, "data": text}
        format_ = media_type(media) or _type_of_image(media)
        typed = {"media_type": format_} if format_ else {}
        return {"type": "base64", **typed, "data": media.data}
    if media.url is not None:
        return {"type": "url", "url": media.url} if _is_of_web(media.url) else None
    return None if media.file_id is None else {"type": "file", "file_id": media.file_id}


def _type_of_image(media: Media) -> str | None:
    """Return the media type of an image by its data, or None: the API requires a type."""
    subtype = image_format(media.data or "") if media.media == "image" else None
    return None if subtype is None else f"image/{subtype}"


# --- citations --------------------------------------------------------------------------------------------------------

_INDEX: Final = "encrypted_index"
"""The member by which the API recognises its own search result."""
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
    VENDOR,
)
"""The kinds of citations. Each cites for the whole of its text; its positions are positions in the source."""


def without_unknown(items: Sequence[Item], origins: Sequence[int] | None, log: Log) -> Sequence[Item]:
    """Return the items of a request without the citations that were not read from this API.

    The API requires a member by which it recognises its own citations, which no others have.

    Args:
        items: the items, in order.
        origins: for each item, the index of its message in the document; None if they are the same.
        log: receives the losses.
    """
    edited: list[Item] | None = None
    for at, (head, content, call_id) in enumerate(items):
        if isinstance(content, str) or all(_known_citations_of(part) == _citations_of(part) for part in content):
            continue
        edited = list(items) if edited is None else edited
        path = f"/messages/{indices_of(items, origins)[at]}/content"
        parts = [
            replace(part, citations=_known_citations_of(part) or None) if isinstance(part, Text) else part
            for part in content
        ]
        for index, part in enumerate(content):
            if _known_citations_of(part) != _citations_of(part):
                detail = f"{HOME} refuses a citation without its {_INDEX}; --unsigned keep writes an empty one"
                log.lose(LossCode.CITATIONS, f"{path}/{index}/citations", detail)
        edited[at] = (head, tuple(parts), call_id)
    return items if edited is None else edited


def _citations_of(part: object) -> tuple[Citation, ...]:
    return (part.citations or ()) if isinstance(part, Text) else ()


def _known_citations_of(part: object) -> tuple[Citation, ...]:
    """Return the citations of a part that were read from this format."""
    return tuple(each for each in _citations_of(part) if HOME in {**(each.extras or {}), **(each.layout or {})})
