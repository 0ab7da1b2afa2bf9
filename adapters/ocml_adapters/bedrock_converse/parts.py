"""Read and write media (base64 data, addresses in S3, texts) and the citations of texts."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.chat.citations import Place, read_citable, write_citable
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import DOCUMENT_TYPES, image_format, scheme, sound_format
from ocml_bridge.json_values.form import Object, add, without
from ocml_bridge.json_values.parameters import items_of, members_of, nonempty_text
from ocml_bridge.model import Citation, Json, Media, replace
from ocml_bridge.wires.blocks.grammar import block_with, more_of, with_inner

from .syntax import CITATIONS, CONTENT, NOTES

# --- citations --------------------------------------------------------------------------------------------------------

LENGTHS: Final = "lengths"
"""The key of the extras of a cited text with the lengths of the texts that it was joined of."""
_CITED_TEXT, _LOCATION, _WEB = "sourceContent", "location", "web"


def read_citations(value: Json) -> tuple[Citation, ...] | None:
    """Return the citations of a text; None if there are none, or one is no object."""
    raws = items_of(value)
    if not raws or not all(isinstance(raw, dict) for raw in raws):
        return None
    return tuple(_read_citation(cast("Object", raw)) for raw in raws)


def _read_citation(raw: Object) -> Citation:
    location = members_of(raw.get(_LOCATION))
    web = members_of(location.get(_WEB))
    citation = Citation(
        nonempty_text(web.get("url")), nonempty_text(raw.get("title")), _only_text(raw.get(_CITED_TEXT))
    )
    fields = (("title", citation.title), (_CITED_TEXT, citation.cited_text))
    rest = more_of(raw, tuple(key for key, member in fields if member is not None))
    if citation.url is not None:
        rest.pop(_LOCATION)
        if more := with_inner(more_of(location, (_WEB,)), _WEB, more_of(web, ("url",))):
            rest[_LOCATION] = more
    citation.extras = NOTES.by_format(rest)
    return citation


def _only_text(value: Json) -> str | None:
    """Return the text of a list with one block that has only a text; None for any other value."""
    blocks = items_of(value)
    block = members_of(blocks[0]) if len(blocks) == 1 else {}
    return nonempty_text(block["text"]) if list(block) == ["text"] else None


def write_citations(citations: Sequence[Citation]) -> list[Json]:
    """Return the JSON of citations; those that the API has no place for are left out."""
    return [written for citation in citations if (written := _write_citation(citation))]


def _write_citation(citation: Citation) -> Object:
    out: Object = {} if citation.title is None else {"title": citation.title}
    if citation.cited_text is not None:
        out[_CITED_TEXT] = [{"text": citation.cited_text}]
    rest = dict(NOTES.of(citation.extras))
    if citation.url is not None:
        out[_LOCATION] = block_with(_WEB, {"url": citation.url}, members_of(rest.pop(_LOCATION, None)))
    return add(out, rest)


def cited_text(text: str, cited: Object) -> Object:
    """Return the value of a block with citations.

    Args:
        text: its text, which is split into the texts that it was joined of.
        cited: the citations, and the extras of the block.
    """
    lengths = items_of(cited.get(LENGTHS))
    pieces: list[Json] = [{"text": text}]
    if all(type(length) is int and length >= 0 for length in lengths) and sum(cast("list[int]", lengths)) == len(text):
        at = 0
        pieces = [] if lengths else pieces
        for length in cast("list[int]", lengths):
            pieces.append({"text": text[at : at + length]})
            at += length
    return add({CONTENT: pieces}, without(cited, LENGTHS))


class _TextCitations:
    """The citations that a text can have: each cites for the whole text."""

    def nearest(self, citation: Citation, place: Place) -> Citation | None:
        """Return a citation as it is read back; None if the format has no place for it."""
        for candidate in (citation, replace(citation, extras=None)):
            read = read_citations([written]) if (written := _write_citation(candidate)) else None
            if read is not None and write_citations(read) == [written]:
                return read[0]
        return None


TEXT_CITATIONS: Final = _TextCitations()


# --- media ------------------------------------------------------------------------------------------------------------

DOCUMENT: Final = "document"
CONTEXT: Final = "context"
"""The member of a document with the context in which it is given."""
_MEDIA: Final[dict[str, Any]] = {"image": "image", DOCUMENT: "file", "video": "video", "audio": "audio"}
"""The type of media by the kind of block."""
_BLOCKS: Final[dict[str, str]] = {media: block for block, media in _MEDIA.items()}
_FORMATS: Final = {mime: name for name, mime in DOCUMENT_TYPES.items()}
_NAMES: Final[dict[str, str]] = {
    "image/jpg": "jpeg",
    "video/quicktime": "mov",
    "video/x-matroska": "mkv",
    "video/x-flv": "flv",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
"""The formats of media types that have another name than their subtype."""
_TYPE_OF_TEXT: Final = DOCUMENT_TYPES["txt"]
_BYTES: Final = "bytes"
"""The member of a source with base64 data; in the layout, how the data are spelled otherwise."""
_INDEXED: Final = "indexed"
"""The layout of data that are an object with a member for each byte, as JavaScript writes them."""
_TEXT: Final = "text"
"""The layout of data that are a text."""
_PLAIN: Final = "plain"
"""The layout of data that are a text, of a document without a format, which is plain text."""
NAME: Final = "name"
"""The layout's key for the name of a document that no document gets which is written anew, for its characters or since
an earlier one has it."""
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9\s\-()\[\]]|\s(?=\s)")
LONGEST_NAME: Final = 200


def is_media(kind: str) -> bool:
    """Return whether a kind of block is a medium."""
    return kind in _MEDIA


def read_media(kind: str, inner: Object, more: Object) -> Media | None:
    """Return the medium of a block; None if it has neither data nor an address.

    Args:
        kind: the kind of the block.
        inner: its value under the key of this name.
        more: its other members.
    """
    format_, name = inner.get("format"), inner.get("name")
    source = _read_source(members_of(inner.get("source")))
    if source is None or not (format_ is None or isinstance(format_, str)):
        return None
    fields, layout, source_extras = source
    known = ["format", "source", *(["name"] if isinstance(name, str) else [])]
    if kind == DOCUMENT and (context := nonempty_text(inner.get(CONTEXT))) is not None:
        fields["context"] = context
        known.append(CONTEXT)
    if kind == DOCUMENT and (citable := read_citable(inner.get(CITATIONS))) is not None:
        fields["citable"] = citable
        known.append(CITATIONS)
    extras = with_inner(more, kind, with_inner(more_of(inner, tuple(known)), "source", source_extras))
    if kind == DOCUMENT and isinstance(name, str):
        fields["filename"] = name
        layout = {**layout, **layout_of_name(name)}
    fields["format"] = _type_of(kind, format_)
    if kind == DOCUMENT and format_ is None and layout.get(_BYTES) == _TEXT:
        fields["format"], layout = _TYPE_OF_TEXT, {**layout, _BYTES: _PLAIN}
    return Media(_MEDIA[kind], **fields, extras=NOTES.by_format(extras), layout=NOTES.by_format(layout))


def _read_source(source: Object) -> tuple[Object, Object, Object] | None:
    """Return the fields, the layout and the extras of a source; None if it has neither data nor an address."""
    data, location, text = source.get("bytes"), source.get("s3Location"), source.get("text")
    if isinstance(data, str):
        return {"data": data}, {}, more_of(source, ("bytes",))
    if isinstance(data, dict) and (base64_data := _base64_of_indexed(cast("Object", data))) is not None:
        return {"data": base64_data}, {_BYTES: _INDEXED}, more_of(source, ("bytes",))
    if isinstance(text, str):
        return (
            {"data": base64.b64encode(text.encode("utf-8", "replace")).decode()},
            {_BYTES: _TEXT},
            more_of(source, ("text",)),
        )
    if isinstance(uri := members_of(location).get("uri"), str):
        more = more_of(source, ("s3Location",))
        return {"url": uri}, {}, with_inner(more, "s3Location", more_of(members_of(location), ("uri",)))
    return None


def _base64_of_indexed(data: Object) -> str | None:
    """Return the base64 of bytes in an object with a member for each; None if it is no such object."""
    values = list(data.values())
    if list(data) != [str(at) for at in range(len(values))] or not all(type(each) is int for each in values):
        return None
    return base64.b64encode(bytes(values)).decode() if all(0 <= each < 256 for each in values) else None


def _type_of(kind: str, format_: str | None) -> str | None:
    """Return the media type of a format; for audio, the format itself."""
    if format_ is None or kind == "audio":
        return format_
    return DOCUMENT_TYPES.get(format_, f"application/{format_}") if kind == DOCUMENT else f"{kind}/{format_}"


# --- writing ----------------------------------------------------------------------------------------------------------


def write_media(media: Media) -> Object | None:
    """Return the block of a medium; None if it has neither data nor an address in S3, or an unknown format."""
    kind, media = _BLOCKS[media.media], media_for(media, None)
    source, format_ = _source(media), _format(media)
    if NOTES.of(media.layout).get(_BYTES) == _PLAIN and media.format == _TYPE_OF_TEXT:
        format_ = None
    if source is None or (format_ is None and kind != DOCUMENT):
        return None
    extras = NOTES.of(media.extras)
    inner: Object = {} if format_ is None else {"format": format_}
    if kind == DOCUMENT:
        inner["name"] = document_name(media.filename, NOTES.of(media.layout))
    inner["source"] = _source_with(source, members_of(members_of(extras.get(kind)).get("source")))
    if kind == DOCUMENT and media.context:
        inner[CONTEXT] = media.context
    if kind == DOCUMENT and media.citable is not None:
        inner[CITATIONS] = write_citable(media.citable)
    return block_with(kind, inner, extras)


def layout_of_name(name: str) -> Object:
    """Return the layout for the name of a document, which stays if it was read, whatever its characters are."""
    return {NAME: name} if document_name(name, {}) != name else {}


def document_name(name: str | None, layout: Object) -> str:
    """Return the name of a document in the characters that AWS's documentation names; an empty name stays empty.

    Args:
        name: the name, if the document has one.
        layout: the layout of the document. The API accepts other characters, such as `_`; a name that was read stays.
    """
    if name == "" or (name is not None and name == layout.get(NAME)):
        return name
    return _NOT_IN_NAMES.sub("-", name or "")[:LONGEST_NAME] or "document"


def _source(media: Media) -> Object | None:
    spelling: Json = NOTES.of(media.layout).get(_BYTES)
    address = media.url if media.data is None else media.data if scheme(media.data) else None
    if media.data is None or address is not None:
        return {"s3Location": {"uri": address}} if address is not None and address.startswith("s3://") else None
    raw = _decoded(media.data) if spelling in (_INDEXED, _TEXT, _PLAIN) else None
    if raw is not None and spelling == _INDEXED:
        return {"bytes": {str(at): byte for at, byte in enumerate(raw)}}
    if raw is not None:
        try:
            return {"text": raw.decode()}
        except UnicodeDecodeError:
            pass
    return {"bytes": media.data}


def _decoded(data: str) -> bytes | None:
    try:
        raw = base64.b64decode(data)
    except ValueError:
        return None
    return raw if base64.b64encode(raw).decode() == data else None


def _source_with(source: Object, extras: Object) -> Object:
    """Return a source with its extras, and with those of the object in it."""
    out = {
        key: add(cast("Object", value), extras.get(key)) if isinstance(value, dict) else value
        for key, value in source.items()
    }
    return add(out, extras)


def _format(media: Media) -> str | None:
    if media.media == "file":
        name = _FORMATS.get(media.format or "", (media.format or "").removeprefix("application/"))
        return name if name and "/" not in name else None
    if media.format:
        name = (sound_format(media) if media.media == "audio" else media.format) or ""
        return _NAMES.get(name) or name.rpartition("/")[2] or None
    if media.media == "image":
        return image_format(media.data or "")
    return None
