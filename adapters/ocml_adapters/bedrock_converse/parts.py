"""Media and citations, both ways: bytes in base64, addresses in S3, texts; the sources of a text."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.chat.citations import Place, read_citable, write_citable
from ocml_bridge.chat.uploads import media_for
from ocml_bridge.json_values.data_urls import image_format, scheme, sound_format
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Citation, Json, Media, replace
from ocml_bridge.wires.blocks.grammar import added, more_of

from .syntax import CITATIONS, CONTENT, HOME, NOTES

# --- citations --------------------------------------------------------------------------------------------------------

LENGTHS: Final = "lengths"
"""The key of the extras of a cited text that says how long the texts are that it is made of."""
_WORDS, _LOCATION, _WEB = "sourceContent", "location", "web"


def read_citations(value: Json) -> tuple[Citation, ...] | None:
    """The citations of a text; None where there is none, or one is not understood."""
    raws = cast("list[Json]", value) if isinstance(value, list) else []
    if not raws or not all(isinstance(raw, dict) for raw in raws):
        return None
    return tuple(_read(cast("Object", raw)) for raw in raws)


def _read(raw: Object) -> Citation:
    title, location = raw.get("title"), raw.get(_LOCATION)
    places = cast("Object", location) if isinstance(location, dict) else {}
    web = cast("Object", places[_WEB]) if isinstance(places.get(_WEB), dict) else {}
    citation = Citation(_text(web.get("url")), _text(title), _words(raw.get(_WORDS)))
    known = [key for key, member in (("title", citation.title), (_WORDS, citation.cited_text)) if member is not None]
    rest = more_of(raw, tuple(known))
    if citation.url is not None:
        rest.pop(_LOCATION)
        within = more_of(web, ("url",))
        if beside := {**more_of(places, (_WEB,)), **({_WEB: within} if within else {})}:
            rest[_LOCATION] = beside
    citation.extras = {HOME: rest} if rest else None
    return citation


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def _words(value: Json) -> str | None:
    """What a source says, where that is one text and nothing else."""
    blocks = cast("list[Json]", value) if isinstance(value, list) else []
    block = cast("Object", blocks[0]) if len(blocks) == 1 and isinstance(blocks[0], dict) else {}
    return _text(block["text"]) if list(block) == ["text"] else None


def write_citations(citations: Sequence[Citation]) -> list[Json]:
    """Citations as the API has them; those that it has no place for are left out."""
    return [written for one in citations if (written := _write(one))]


def _write(citation: Citation) -> Object:
    out: Object = {} if citation.title is None else {"title": citation.title}
    if citation.cited_text is not None:
        out[_WORDS] = [{"text": citation.cited_text}]
    rest: Object = dict((citation.extras or {}).get(HOME, {}))
    if citation.url is not None:
        given: Json = rest.pop(_LOCATION, None)
        beside = cast("Object", given) if isinstance(given, dict) else {}
        out[_LOCATION] = added({_WEB: added({"url": citation.url}, beside.get(_WEB))}, beside)
    return added(out, rest)


def cited_text(text: str, cited: Object) -> Object:
    """What a block has that cites: a text in the pieces that it was made of, and what it cites."""
    given: Json = cited.get(LENGTHS)
    lengths = cast("list[Json]", given) if isinstance(given, list) else []
    pieces: list[Json] = [{"text": text}]
    if all(type(length) is int and length >= 0 for length in lengths) and sum(cast("list[int]", lengths)) == len(text):
        at = 0
        pieces = [] if lengths else pieces
        for length in cast("list[int]", lengths):
            pieces.append({"text": text[at : at + length]})
            at += length
    return added({CONTENT: pieces}, {key: value for key, value in cited.items() if key != LENGTHS})


class _Sources:
    """How a text names its sources: all of it rests on each."""

    def nearest(self, citation: Citation, place: Place) -> Citation | None:
        """A citation as it is read again; None for one that there is no place for."""
        for given in (citation, replace(citation, extras=None)):
            found = read_citations([written]) if (written := _write(given)) else None
            if found is not None and write_citations(found) == [written]:
                return found[0]
        return None


SOURCES: Final = _Sources()


# --- media ------------------------------------------------------------------------------------------------------------

DOCUMENT: Final = "document"
CONTEXT: Final = "context"
"""The member of a document that tells what is said of it."""
_MEDIA: Final[dict[str, Any]] = {"image": "image", DOCUMENT: "file", "video": "video", "audio": "audio"}
_BLOCKS: Final[dict[str, str]] = {ours: block for block, ours in _MEDIA.items()}
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_DOCUMENTS: Final[dict[str, str]] = {
    "pdf": "application/pdf",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "html": "text/html",
    "txt": "text/plain",
    "md": "text/markdown",
}
_FORMATS: Final = {mime: name for name, mime in _DOCUMENTS.items()}
_NAMES: Final[dict[str, str]] = {
    "image/jpg": "jpeg",
    "video/quicktime": "mov",
    "video/x-matroska": "mkv",
    "video/x-flv": "flv",
    "video/x-ms-wmv": "wmv",
    "video/3gpp": "three_gp",
}
"""Media types → formats that are called otherwise here."""
_TYPE_OF_TEXT: Final = _DOCUMENTS["txt"]
_BYTES: Final = "bytes"
_INDEXED: Final = "indexed"
"""The layout of bytes that JavaScript dumped: an object with a member for each."""
_TEXT: Final = "text"
_PLAIN: Final = "plain"
"""The layout of data that is a text, and of a plain one whose format goes without saying."""
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9\s\-()\[\]]|\s(?=\s)")
_LONGEST_NAME: Final = 200


def is_media(kind: str) -> bool:
    """Whether a kind of block is media."""
    return kind in _MEDIA


def read_media(kind: str, inner: Object, more: Object) -> Media | None:
    """Media of a block; None where it is not said where they are.

    Args:
        kind: of the block.
        inner: what it holds.
        more: what stands beside that.
    """
    source, format_, name = inner.get("source"), inner.get("format"), inner.get("name")
    where = _where(cast("Object", source)) if isinstance(source, dict) else None
    if where is None or not (format_ is None or isinstance(format_, str)):
        return None
    fields, layout, rest = where
    known = ["format", "source", *(["name"] if isinstance(name, str) else [])]
    if kind == DOCUMENT and (context := _text(inner.get(CONTEXT))) is not None:
        fields["context"] = context
        known.append(CONTEXT)
    if kind == DOCUMENT and (citable := read_citable(inner.get(CITATIONS))) is not None:
        fields["citable"] = citable
        known.append(CITATIONS)
    inside = more_of(inner, tuple(known))
    if rest:
        inside["source"] = rest
    if inside:
        more = {**more, kind: inside}
    if kind == DOCUMENT and isinstance(name, str):
        fields["filename"] = name
    fields["format"] = _type_of(kind, format_)
    if kind == DOCUMENT and format_ is None and layout == {_BYTES: _TEXT}:
        fields["format"], layout = _TYPE_OF_TEXT, {_BYTES: _PLAIN}
    return Media(
        _MEDIA[kind], **fields, extras={HOME: more} if more else None, layout={HOME: layout} if layout else None
    )


def _where(source: Object) -> tuple[Object, Object, Object] | None:
    """The fields of media that say where they are, how that is spelled, and what else is said."""
    data, place, text = source.get("bytes"), source.get("s3Location"), source.get("text")
    if isinstance(data, str):
        return {"data": data}, {}, more_of(source, ("bytes",))
    if isinstance(data, dict) and (plain := _indexed(cast("Object", data))) is not None:
        return {"data": plain}, {_BYTES: _INDEXED}, more_of(source, ("bytes",))
    if isinstance(text, str):
        return (
            {"data": base64.b64encode(text.encode("utf-8", "replace")).decode()},
            {_BYTES: _TEXT},
            more_of(source, ("text",)),
        )
    if isinstance(place, dict) and isinstance(uri := cast("Object", place).get("uri"), str):
        rest = more_of(source, ("s3Location",))
        if beside := more_of(cast("Object", place), ("uri",)):
            rest["s3Location"] = beside
        return {"url": uri}, {}, rest
    return None


def _indexed(data: Object) -> str | None:
    """The base64 of bytes that stand in an object by their places."""
    values = list(data.values())
    if list(data) != [str(at) for at in range(len(values))] or not all(type(each) is int for each in values):
        return None
    return base64.b64encode(bytes(values)).decode() if all(0 <= each < 256 for each in values) else None


def _type_of(kind: str, format_: str | None) -> str | None:
    """The media type of a format; sounds are known by their format alone."""
    if format_ is None or kind == "audio":
        return format_
    return _DOCUMENTS.get(format_, f"application/{format_}") if kind == DOCUMENT else f"{kind}/{format_}"


# --- writing ----------------------------------------------------------------------------------------------------------


def write_media(media: Media) -> Object | None:
    """Media as a block; None where they are neither data nor in S3, or of a format that has no name here."""
    kind, media = _BLOCKS[media.media], media_for(media, None)
    source, format_ = _source(media), _format(media)
    if NOTES.of(media.layout).get(_BYTES) == _PLAIN and media.format == _TYPE_OF_TEXT:
        format_ = None
    if source is None or (format_ is None and kind != DOCUMENT):
        return None
    extras = NOTES.of(media.extras)
    inside: Json = extras.get(kind)
    within = cast("Object", inside) if isinstance(inside, dict) else {}
    inner: Object = {} if format_ is None else {"format": format_}
    if kind == DOCUMENT:
        inner["name"] = document_name(media.filename)
    inner["source"] = _deeper(source, within.get("source"))
    if kind == DOCUMENT and media.context:
        inner[CONTEXT] = media.context
    if kind == DOCUMENT and media.citable is not None:
        inner[CITATIONS] = write_citable(media.citable)
    own = {key: value for key, value in extras.items() if key != kind}
    return added({kind: added(inner, within)}, own)


def document_name(name: str | None) -> str:
    """The name of a document in the letters that the API allows; one that was read stays as it was, even empty."""
    if name == "":
        return name
    return _NOT_IN_NAMES.sub("-", name or "")[:_LONGEST_NAME] or "document"


def _source(media: Media) -> Object | None:
    how: Json = NOTES.of(media.layout).get(_BYTES)
    address = media.url if media.data is None else media.data if scheme(media.data) else None
    if media.data is None or address is not None:
        return {"s3Location": {"uri": address}} if address is not None and address.startswith("s3://") else None
    raw = _decoded(media.data) if how in (_INDEXED, _TEXT, _PLAIN) else None
    if raw is not None and how == _INDEXED:
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


def _deeper(source: Object, more: Json) -> Object:
    """A source with what else is said of it."""
    rest = cast("Object", more) if isinstance(more, dict) else {}
    out = {
        key: added(cast("Object", value), rest.get(key)) if isinstance(value, dict) else value
        for key, value in source.items()
    }
    return added(out, rest)


def _format(media: Media) -> str | None:
    if media.media == "file":
        found = _FORMATS.get(media.format or "", (media.format or "").removeprefix("application/"))
        return found if found and "/" not in found else None
    if media.format:
        name = (sound_format(media) if media.media == "audio" else media.format) or ""
        return _NAMES.get(name) or name.rpartition("/")[2] or None
    if media.media == "image":
        return image_format(media.data or "")
    return None
