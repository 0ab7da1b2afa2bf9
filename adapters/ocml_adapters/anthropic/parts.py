"""Blocks that are parts of a message, both ways: text with its citations, images, documents; others are foreign parts.

The content of a message, or of a result, is a text or a list of them.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final, Literal, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.citations import WHOLE, CitationTable, Kind, read_citable, write_citable
from ocml_bridge.chat.turns import is_blank, parts_of
from ocml_bridge.chat.uploads import media_for
from ocml_bridge.json_values.data_urls import image_format, media_type, scheme
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, form_of, rest, shape
from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Citation, Content, Foreign, Json, Media, Part, Passages, Text, replace
from ocml_bridge.units.heads import Item

from .passages import CONTEXT, read_passages, write_passages
from .syntax import (
    CACHE,
    CITATIONS,
    DOCUMENT,
    EMPTY,
    EPHEMERAL,
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

_KINDS: Final[dict[str, Literal["image", "file"]]] = {IMAGE: "image", DOCUMENT: "file"}
_TYPES: Final = {kind: block for block, kind in _KINDS.items()}
_SOURCES: Final[dict[str, dict[str, str]]] = {
    "base64": {"data": "data", "media_type": "format"},
    "url": {"url": "url"},
    "file": {"file_id": "file_id"},
}
"""Type of a source → its members, and what they are called in the canonical form; the first one is needed."""
_PLAIN: Final = "text/plain"
"""The type of a document that the API takes as text: in the canonical form it is data like any other."""
_BARE_TEXT: Final = ("type", "text")


# --- reading ----------------------------------------------------------------------------------------------------------


def read_parts(raws: Sequence[Json]) -> tuple[tuple[Part, ...], Object]:
    """Parts, and by index how those were spelled that are not spelled as we would spell them."""
    parts: list[Part] = []
    forms: Object = {}
    for index, raw in enumerate(raws):
        part, form = _read_part(raw)
        parts.append(part)
        if form is not None:
            forms[str(index)] = form
    return tuple(parts), forms


def is_odd(part: Part) -> bool:
    """Whether a part is kept that the API does not have."""
    if not isinstance(part, Foreign):
        return False
    kind = cast("Object", part.value).get("type") if isinstance(part.value, OBJECT) else None
    return kind not in (*OPAQUE, *_KINDS)


def _read_part(raw: Json) -> tuple[Part, Json]:
    part: Part | None = None
    form: Json = None
    if isinstance(raw, OBJECT):
        block: Object = raw
        kind, text = block.get("type"), block.get("text")
        if kind == TEXT and isinstance(text, str):
            if tuple(block) == _BARE_TEXT:
                return Text(text), None
            made = Text(text, cache=read_mark(block.get(CACHE), EPHEMERAL))
            made.citations = read_citations(block.get(CITATIONS))
            known = tuple(_write_text(made))
            made.extras = NOTES.by_format(rest(block, known))
            return made, form_of(block, TEXT_ORDER, TEXT_KEYS, known)
        if kind in (SEARCH_RESULT, DOCUMENT) and (found := read_passages(block)) is not None:
            part, form = found[0], found[1] or None
        elif isinstance(kind, str) and kind in _KINDS and isinstance(block.get("source"), OBJECT):
            part, form = _read_media(block, _KINDS[kind])
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
    mark = read_mark(block.get(CACHE), EPHEMERAL)
    if mark is not None:
        outer.append(CACHE)
    extras = rest(block, outer)
    if more := rest(source, known):
        extras["source"] = more
    forms = {
        "form": form_of(block, MEDIA_ORDER, MEDIA_KEYS, outer),
        "source": form_of(source, SOURCE_ORDER, SOURCE_KEYS, known),
    }
    spelled = {key: form for key, form in forms.items() if form is not None}
    return Media(kind, **fields, extras=NOTES.by_format(extras), cache=mark), spelled or None


def _read_source(source: Object) -> tuple[dict[str, Any], list[str]] | None:
    """The fields that a source says, and its members that say them; None where it is none that we know."""
    kind: Any = source.get("type")
    if kind == TEXT and source.get("media_type") == _PLAIN and isinstance(source.get("data"), str):
        data = _encoded(source["data"])
        return None if data is None else ({"data": data, "format": _PLAIN}, ["type", "media_type", "data"])
    names = _SOURCES.get(kind) if isinstance(kind, str) else None
    if names is None:
        return None
    found = {ours: source[name] for name, ours in names.items() if isinstance(source.get(name), str)}
    needed = next(iter(names.values()))
    if needed not in found or found.get("format") == "" or not _is_of_web(found.get("url")):
        return None
    known = ["type", *(name for name, ours in names.items() if ours in found)]
    return ({**found, "vendor": VENDOR} if "file_id" in found else found), known


def _is_of_web(url: str | None) -> bool:
    """Whether an address is one that the API can ask for what is there; it takes no others."""
    return url is None or scheme(url) in (None, "http", "https")


def _encoded(text: str) -> str | None:
    try:
        return base64.b64encode(text.encode()).decode()
    except UnicodeEncodeError:
        return None


def _decoded(data: str) -> str | None:
    """The text that base64 data is, where it is spelled as we would."""
    try:
        text = base64.b64decode(data).decode()
    except ValueError:
        return None
    return text if _encoded(text) == data else None


def _is_same(written: Json, raw: Json) -> bool:
    """Whether a block is written as it was read, the order of its keys included."""
    if not isinstance(written, OBJECT) or written != raw or list(cast("Object", written)) != list(raw):
        return False
    return list(cast("Object", written)["source"]) == list(raw["source"])


# --- writing ----------------------------------------------------------------------------------------------------------


def can_hold(part: Part) -> bool:
    """Whether there is a place for this part."""
    return _write_part(part, None) is not None or (isinstance(part, Foreign) and part.format == HOME)


def write_parts(parts: Sequence[Part], forms: Json) -> list[Json]:
    """Parts as blocks, each in the spelling that is remembered by its index."""
    known = cast("Object", forms) if isinstance(forms, dict) else {}
    return [_write_part(part, known.get(str(index))) for index, part in enumerate(parts)]


def _write_part(part: Part, form: Json) -> Json:
    """A part as a block; None for one that there is no place for."""
    if isinstance(part, Text):
        block = _write_text(part)
        fixed = tuple(block)
        if part.extras is not None:
            block = add(block, NOTES.of(part.extras), TEXT_ORDER)
        return block if form is None else shape(block, form, fixed=fixed)
    if isinstance(part, Media):
        return _write_media(part, cast("Object", form) if isinstance(form, dict) else {})
    if isinstance(part, Passages):
        return write_passages(part, cast("Object", form) if isinstance(form, dict) else {})
    return part.value if isinstance(part, Foreign) and part.format == HOME else None


def _write_text(part: Text) -> Object:
    block: Object = {"type": TEXT, "text": part.text}
    if part.citations is not None and (written := write_citations(part.citations)):
        block[CITATIONS] = written
    if part.cache is not None:
        block[CACHE] = write_mark(part.cache, EPHEMERAL)
    return block


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
    if media.cache is not None:
        block[CACHE] = write_mark(media.cache, EPHEMERAL)
    more = {key: value for key, value in extras.items() if key != "source"}
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
    """The type of an image that nobody says: the API asks for it."""
    found = image_format(media.data or "") if media.media == "image" else None
    return None if found is None else f"image/{found}"


# --- the content of a message or a result -----------------------------------------------------------------------------


def read_content(raws: list[Json], *, alone: bool) -> tuple[Content, Object]:
    """Blocks that are parts, as content, and how that was spelled.

    Args:
        raws: the blocks.
        alone: whether nothing stands beside them, so that one text might have been written without a list.
    """
    parts, forms = read_parts(raws)
    layout: Object = {"parts": forms} if forms else {}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].is_bare:
        return parts[0].text, {"content": "list", **layout} if alone else layout
    has_blank = any(isinstance(part, Text) and is_blank(part.text) for part in parts)
    return parts, {**layout, EMPTY: True} if has_blank else layout


def write_content(content: Content, layout: Object) -> Json:
    """Content as text, as a list of blocks, or as the value that it was."""
    spelled = layout.get("content")
    if isinstance(content, str):
        return write_parts((Text(content),), layout.get("parts")) if spelled == "list" else content
    if spelled == "bare" and len(content) == 1:
        return write_parts(content, None)[0]
    return write_parts(parts_of(content), layout.get("parts"))


# --- citations --------------------------------------------------------------------------------------------------------

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
    VENDOR,
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
