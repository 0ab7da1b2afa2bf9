"""Read and write media (`inlineData`, and `fileData` by its address), and read the citations of an answer's texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.citations import Place
from ocml_bridge.chat.vendors import media_for, vendor_at
from ocml_bridge.json_values.data_urls import image_format, media_type, scheme
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, members_of, nonempty_text
from ocml_bridge.model import Citation, Content, Json, Media, Text, Transcript, replace
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.wires.blocks.grammar import AFTER, EMPTY, block_extras, block_with, more_of, with_inner

from .syntax import CANDIDATES, FILE, HOME, INLINE, NOTES, VENDOR, keys

# --- media ------------------------------------------------------------------------------------------------------------

_ADDRESS: Final[dict[str, tuple[str, str]]] = {INLINE: ("data", "data"), FILE: ("fileUri", "url")}
"""The member of each kind of part with the data or the address, and the field of the canonical form for it."""
_UNREACHABLE: Final = "s3"
"""The scheme of addresses that the API cannot fetch; it accepts those of the web and of Google's storage."""
_KINDS: Final = ("image", "video", "audio")
_DEFAULT_TYPES: Final[dict[str, str]] = {"image": "image/jpeg", "video": "video/mp4", "audio": "audio/wav"}
"""The media type of media without one, because the API requires one."""
_ENDINGS: Final[dict[str, str]] = {
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".heic": "image/heic",
    ".webm": "video/webm",
    ".mov": "video/quicktime",
    ".mp3": "audio/mp3",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}


def read_media(kind: str, inner: Object, more: Object) -> Media | None:
    """Return the medium of a part; None if it has neither data nor an address.

    Args:
        kind: the kind of the part.
        inner: its value under the key of this name.
        more: its other members.
    """
    key, field = _ADDRESS[kind]
    address, mime, name = inner.get(key), inner.get("mimeType"), inner.get("displayName")
    if not isinstance(address, str):
        return None
    known = [key]
    main = "file"
    if isinstance(mime, str) and mime:
        known.append("mimeType")
        main = mime.partition("/")[0].lower()
    if isinstance(name, str) and name:
        known.append("displayName")
    more = with_inner(more, kind, more_of(inner, tuple(known)))
    fields: Object = {field: address, "format": mime if "mimeType" in known else None}
    fields["filename"] = name if "displayName" in known else None
    fields["vendor"] = vendor_at(address) if field == "url" else None
    return Media(cast("Any", main if main in _KINDS else "file"), **fields, extras={HOME: more} if more else None)


def write_media(media: Media) -> Object | None:
    """Return the part of a medium; None if it has neither data nor an address that the API can fetch."""
    media = media_for(media, VENDOR)
    address = media.url if media.data is None else media.data  # the data may be an address, too
    if address is None or scheme(address) == _UNREACHABLE:
        return None
    kind = FILE if media.data is None or scheme(address) else INLINE
    key, _ = _ADDRESS[kind]
    mime = _mime(media)
    inner: Object = {} if mime is None else {"mimeType": mime}
    inner[key] = address
    if media.filename:
        inner["displayName"] = media.filename
    return block_with(kind, inner, NOTES.of(media.extras))


def _mime(media: Media) -> str | None:
    if media.format:
        return media_type(media)
    if media.media == "file":
        return None
    if media.media == "image" and (subtype := image_format(media.data or "")) is not None:
        return f"image/{subtype}"
    ending = next((end for end in _ENDINGS if (media.url or "").lower().endswith(end)), "")
    guess = _ENDINGS.get(ending, "")
    return guess if guess.startswith(media.media) else _DEFAULT_TYPES[media.media]


# --- citations --------------------------------------------------------------------------------------------------------
#
# The parts of an answer have no citations. Its candidate has them: they refer to ranges of bytes in its parts.


class _CandidateCitations:
    """The citations that the texts of a part can have: only those that were read from its candidate."""

    def nearest(self, citation: Citation, _place: Place, /) -> Citation | None:
        """Return a citation that was read from the candidate, which still has it; None for any other one."""
        return citation if NOTES.of(citation.layout).get(_PLACE) == _CANDIDATE else None


_PLACE, _CANDIDATE = "place", "candidate"
"""The layout of a citation that was read from the candidate."""
CITED_BY_CANDIDATE: Final = _CandidateCitations()
_CHUNKS: Final = ("web", "retrievedContext", "maps")
"""The kinds of sources."""


class _Support(NamedTuple):
    """A range of a part that is supported by sources.

    Attributes:
        part: the index of the part.
        start: the first byte of the range.
        end: the byte after it; None for the end of the part.
        text: the text of the range, if the candidate has it.
        sources: the citations, without positions.
    """

    part: int
    start: int
    end: int | None
    text: str | None
    sources: list[Citation]


def with_citations(items: list[Item], around: Transcript) -> None:
    """Add the citations of the candidate to the texts of an answer; the list is changed.

    Args:
        items: the messages of the answer.
        around: the transcript without messages, whose extras have the candidate.
    """
    supports = list(_supports(_candidate(around)))
    if not supports:
        return
    at = 0
    for index, (head, content, call_id) in enumerate(items):
        message = head.message(content, call_id)
        extras = NOTES.of(message.extras)
        is_text = message.role == "assistant" and not head.calls and message.channel != "analysis"
        # An empty message may have no part, so that it cannot have citations.
        if is_text and content != "" and (cited := _cited(content, at, supports)) is not content:
            items[index] = (
                (*_with_extras(head, extras, cited), call_id) if isinstance(content, str) else (head, cited, call_id)
            )
        has_no_part = content == "" and NOTES.of(message.layout).get(EMPTY) == "none"
        at += 0 if has_no_part else 1 if isinstance(content, str) or not is_text else len(content)
        at += len(items_of(extras.get(AFTER)))


def _with_extras(head: Head, extras: Object, cited: Content) -> tuple[Head, Content]:
    """Move the extras of a message's only text to the part that it has become.

    Args:
        head: the head of the message.
        extras: the extras of this format.
        cited: the content with its citations, one part.
    """
    of_block = block_extras(extras)
    if not of_block:
        return head, cited
    [text] = cast("tuple[Text]", cited)
    by_format = dict(head.extras or {})
    by_format.pop(HOME)
    by_format |= NOTES.by_format({key: value for key, value in extras.items() if key not in of_block}) or {}
    return head.replaced(extras=by_format or None), (replace(text, extras=NOTES.by_format(of_block)),)


def _cited(content: Content, at: int, supports: Sequence[_Support]) -> Content:
    """Return the content of a message with its citations; `at` is the index of its first part."""
    parts = list[Any]((Text(content),) if isinstance(content, str) else content)
    changed = False
    for index, part in enumerate(parts):
        if isinstance(part, Text) and (citations := tuple(_citations_of(part.text, at + index, supports))):
            parts[index], changed = replace(part, citations=citations), True
    return tuple(parts) if changed else content


def _citations_of(text: str, at: int, supports: Sequence[_Support]) -> Iterator[Citation]:
    """Yield the citations of the text of a part; supports whose ranges or texts do not match it are ignored."""
    data: bytes | None = None
    for support in supports:
        if support.part != at:
            continue
        if data is None:
            data = text.encode("utf-8", "surrogatepass")
        end = len(data) if support.end is None else support.end
        if not 0 <= support.start <= end <= len(data):
            continue
        try:
            before, cited_text = (data[place].decode() for place in (slice(support.start), slice(support.start, end)))
        except UnicodeDecodeError:
            continue
        if support.text is not None and support.text != cited_text:
            continue
        start, last = len(before), len(before) + len(cited_text)
        cites_all = (start, last) == (0, len(text))
        for source in support.sources:
            yield source if cites_all else replace(source, start=start, end=last)


def _candidate(around: Transcript) -> Object:
    """Return the first candidate of a response without its content."""
    candidates = items_of(NOTES.of(around.extras).get(CANDIDATES))
    return _object(candidates[0]) if candidates else {}


def _supports(candidate: Object) -> Iterator[_Support]:
    """Yield the supported ranges of a candidate: of its grounding, and of texts that it recites."""
    grounding = _object(candidate.get("groundingMetadata"))
    chunks = [_source(chunk) for chunk in _objects(grounding.get("groundingChunks"))]
    for support in _objects(grounding.get("groundingSupports")):
        segment = _object(support.get("segment"))
        indices = [each for each in items_of(support.get("groundingChunkIndices")) if type(each) is int]
        cited_chunks = [chunks[each] for each in indices if 0 <= each < len(chunks)]
        sources = [source for source in cited_chunks if source is not None]
        start, end, part = (_number(segment.get(key)) for key in ("startIndex", "endIndex", "partIndex"))
        if sources and segment:
            text = segment.get("text")
            yield _Support(part or 0, start or 0, end, text if isinstance(text, str) else None, sources)
    recited = _object(candidate.get("citationMetadata"))
    for members in _objects(recited.get("citationSources", recited.get("citations"))):
        source = _page(members)
        if source is not None:
            start, end = (_number(members.get(key)) for key in ("startIndex", "endIndex"))
            yield _Support(0, start or 0, end, None, [source])


def _source(chunk: Object) -> Citation | None:
    """Return the citation of a grounding chunk, or None."""
    return next((_page(_object(chunk[kind])) for kind in _CHUNKS if kind in chunk), None)


def _page(members: Object) -> Citation | None:
    url, title, text = (members.get(key) for key in ("uri", "title", "text"))
    if not isinstance(url, str) or not url:
        return None
    page = Citation(url, nonempty_text(title), text if isinstance(text, str) else None)
    page.layout = NOTES.by_format({_PLACE: _CANDIDATE})
    return page


def _object(value: Json) -> Object:
    return keys(members_of(value))


def _objects(value: Json) -> list[Object]:
    return list(map(_object, items_of(value)))


def _number(value: Json) -> int | None:
    return value if type(value) is int else None
