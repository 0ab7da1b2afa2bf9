"""Read and write blocks that are parts of a message or a result: texts with citations, images, documents, passages.

All other blocks become foreign parts.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final, Literal, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.citations import WHOLE, CitationTable, Kind, read_citable, write_citable
from ocml_bridge.chat.turns import is_blank, parts_of
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import image_format, media_type, scheme
from ocml_bridge.json_values.form import OBJECT, Object, add, form_of, rest, shape, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Citation, Content, Foreign, Json, Media, Part, Passages, Text, replace
from ocml_bridge.units.heads import Item
from ocml_bridge.units.relations import indices_of

from .passages import CONTEXT, read_passages, write_passages
from .syntax import (
    CACHE,
    CITATIONS,
    DOCUMENT,
    EMPTY,
    HOME,
    IMAGE,
    MEDIA_KEYS,
    MEDIA_ORDER,
    NOTES,
    OPAQUE,
    SEARCH_RESULT,
    SOURCE_KEYS,
    SOURCE_ORDER,
    TEXT,
    TEXT_KEYS,
    TEXT_ORDER,
    VENDOR,
)

KINDS: Final[dict[str, Literal["image", "file"]]] = {IMAGE: "image", DOCUMENT: "file"}
_TYPES: Final = {kind: block for block, kind in KINDS.items()}
_SOURCES: Final[dict[str, dict[str, str]]] = {
    "base64": {"data": "data", "media_type": "format"},
    "url": {"url": "url"},
    "file": {"file_id": "file_id"},
}
"""The members of each type of source, and the fields of the canonical form; the first one is required."""
_PLAIN: Final = "text/plain"
"""The media type of a document that the API accepts as text. In the canonical form it is base64 data like any other."""
_BARE_TEXT: Final = ("type", "text")
EMPTY_TEXT: Final[Object] = {"type": TEXT, "text": ""}


# --- reading ----------------------------------------------------------------------------------------------------------


def read_parts(raws: Sequence[Json]) -> tuple[tuple[Part, ...], Object]:
    """Return the parts of blocks, and the form of each, by its index as text, that the writer would spell otherwise."""
    parts: list[Part] = []
    forms: Object = {}
    for index, raw in enumerate(raws):
        part, form = _read_part(raw)
        parts.append(part)
        if form is not None:
            forms[str(index)] = form
    return tuple(parts), forms


def is_empty_text(raw: Json) -> bool:
    """Return whether a block is a text that is empty, and has no other members."""
    return raw == EMPTY_TEXT and tuple(members_of(raw)) == _BARE_TEXT


def is_unknown(part: Part) -> bool:
    """Return whether a part is a foreign part of a type that the API does not define."""
    return isinstance(part, Foreign) and members_of(part.value).get("type") not in (*OPAQUE, *KINDS)


def _read_part(raw: Json) -> tuple[Part, Json]:
    part: Part | None = None
    form: Json = None
    if isinstance(raw, OBJECT):
        block: Object = raw
        kind, text = block.get("type"), block.get("text")
        if kind == TEXT and isinstance(text, str):
            if tuple(block) == _BARE_TEXT:
                return Text(text), None
            text_part = Text(text, cache=CONTROL.read(block))
            text_part.citations = TABLE.read_all(block.get(CITATIONS), WHOLE)
            known = _keys_of_text(text_part)
            text_part.extras = NOTES.by_format(rest(block, known))
            return text_part, form_of(block, TEXT_ORDER, TEXT_KEYS, known)
        if kind in (SEARCH_RESULT, DOCUMENT) and (passages := read_passages(block)) is not None:
            part, form = passages[0], passages[1] or None
        elif isinstance(kind, str) and kind in KINDS and isinstance(block.get("source"), OBJECT):
            part, form = _read_media(block, KINDS[kind])
    if part is None or not _is_same(_write_part(part, form), raw):
        return Foreign(HOME, raw), None
    return part, form


def _read_media(block: Object, kind: Literal["image", "file"]) -> tuple[Media | None, Json]:
    source: Object = block["source"]
    source_fields = _read_source(source)
    if source_fields is None:
        return None, None
    fields, known = source_fields
    outer = ["type", "source"]
    if kind == "file" and isinstance(block.get("title"), str) and block["title"]:
        fields["filename"] = block["title"]
        outer.append("title")
    if kind == "file" and isinstance(block.get(CONTEXT), str) and block[CONTEXT]:
        fields["context"] = block[CONTEXT]
        outer.append(CONTEXT)
    if kind == "file" and (citable := read_citable(block.get(CITATIONS))) is not None:
        fields["citable"] = citable
        outer.append(CITATIONS)
    mark = CONTROL.read(block)
    if mark is not None:
        outer.append(CACHE)
    extras = rest(block, outer)
    if more := rest(source, known):
        extras["source"] = more
    forms = {
        "form": form_of(block, MEDIA_ORDER, MEDIA_KEYS, outer),
        "source": form_of(source, SOURCE_ORDER, SOURCE_KEYS, known),
    }
    forms = {key: form for key, form in forms.items() if form is not None}
    return Media(kind, **fields, extras=NOTES.by_format(extras), cache=mark), forms or None


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


def _is_same(written: Json, raw: Json) -> bool:
    """Return whether a block is written as it was read, with the same order of keys."""
    if not isinstance(written, OBJECT) or written != raw or list(cast("Object", written)) != list(raw):
        return False
    return list(cast("Object", written)["source"]) == list(raw["source"])


# --- writing ----------------------------------------------------------------------------------------------------------


def can_hold(part: Part) -> bool:
    """Return whether the format has a place for a part."""
    return _write_part(part, None) is not None or (isinstance(part, Foreign) and part.format == HOME)


def write_parts(parts: Sequence[Part], forms: Json) -> list[Json]:
    """Return the blocks of parts, each in its form.

    Args:
        parts: the parts.
        forms: the forms by index, as `read_parts` returns them; None if there are none.
    """
    by_index = members_of(forms)
    return [_write_part(part, by_index.get(str(index))) for index, part in enumerate(parts)]


def _write_part(part: Part, form: Json) -> Json:
    """Return the block of a part; None if the format has no place for it."""
    if isinstance(part, Text):
        block = _write_text(part)
        fixed = tuple(block)
        if part.extras is not None:
            block = add(block, NOTES.of(part.extras), TEXT_ORDER)
        return block if form is None else shape(block, form, fixed=fixed)
    if isinstance(part, Media):
        return _write_media(part, members_of(form))
    if isinstance(part, Passages):
        return write_passages(part, members_of(form))
    return part.value if isinstance(part, Foreign) and part.format == HOME else None


def _keys_of_text(part: Text) -> tuple[str, ...]:
    """Return the keys of the block of a text that was read, without its extras."""
    cited = () if part.citations is None else (CITATIONS,)
    return (*_BARE_TEXT, *cited) if part.cache is None else (*_BARE_TEXT, *cited, CACHE)


def _write_text(part: Text) -> Object:
    block: Object = {"type": TEXT, "text": part.text}
    if part.citations and (written := TABLE.write_all(part.citations, WHOLE)):
        block[CITATIONS] = written
    return block | CONTROL.write(part.cache)


def _write_media(media: Media, forms: Object) -> Object | None:
    kind, source = _TYPES.get(media.media), _write_source(media_for(media, VENDOR))
    if kind is None or source is None:
        return None
    extras = NOTES.of(media.extras)
    source = shape(add(source, extras.get("source"), SOURCE_ORDER), forms.get("source"), fixed=source)
    block: Object = {"type": kind, "source": source}
    if kind == DOCUMENT and media.filename:
        block["title"] = media.filename
    if kind == DOCUMENT and media.context:
        block[CONTEXT] = media.context
    if kind == DOCUMENT and media.citable is not None:
        block[CITATIONS] = write_citable(media.citable)
    block |= CONTROL.write(media.cache)
    more = without(extras, "source")
    return shape(add(block, more, MEDIA_ORDER), forms.get("form"), fixed=block)


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


# --- the content of a message or a result -----------------------------------------------------------------------------


def read_content(raws: list[Json], *, alone: bool) -> tuple[Content, Object]:
    """Return the content of blocks that are parts, and its layout.

    Args:
        raws: the blocks.
        alone: whether they are all blocks of the wire message or result, so that one text could be written as a text.
    """
    parts, forms = read_parts(raws)
    layout: Object = {"parts": forms} if forms else {}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].is_bare:
        return parts[0].text, {"content": "list", **layout} if alone else layout
    has_blank = any(isinstance(part, Text) and is_blank(part.text) for part in parts)
    return parts, {**layout, EMPTY: True} if has_blank else layout


def write_content(content: Content, layout: Object) -> Json:
    """Return content as a text, as a list of blocks, or as the bare value that was read, depending on its layout."""
    spelling = layout.get("content")
    if isinstance(content, str):
        return write_parts((Text(content),), layout.get("parts")) if spelling == "list" else content
    if spelling == "bare" and len(content) == 1:
        return write_parts(content, None)[0]
    return write_parts(parts_of(content), layout.get("parts"))


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
