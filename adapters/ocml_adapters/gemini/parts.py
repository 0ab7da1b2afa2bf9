"""Media and citations, both ways: `inlineData`, `fileData` by its address, and the sources of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.citations import Place
from ocml_bridge.chat.uploads import media_for, vendor_at
from ocml_bridge.json_values.data_urls import image_format, media_type, scheme
from ocml_bridge.json_values.form import OBJECT, Object
from ocml_bridge.model import Citation, Content, Json, Media, Text, Transcript, replace
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.wires.blocks.grammar import AFTER, EMPTY, WIRE, added, more_of

from .syntax import CANDIDATES, FILE, HOME, INLINE, NOTES, VENDOR, keys

# --- media ------------------------------------------------------------------------------------------------------------

_WHERE: Final[dict[str, tuple[str, str]]] = {INLINE: ("data", "data"), FILE: ("fileUri", "url")}
"""Kind of part → its member with the data or the address, and our name for that."""
_ELSEWHERE: Final = "s3"
"""The scheme of addresses that the API cannot ask for what is there; it takes those of the web and of Google's."""
_KINDS: Final = ("image", "video", "audio")
_USUAL: Final[dict[str, str]] = {"image": "image/jpeg", "video": "video/mp4", "audio": "audio/wav"}
"""The type of media whose type nobody says: the API asks for one."""
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
    """Media of a part; None where it is not said where they are.

    Args:
        kind: of the part.
        inner: what it holds.
        more: what stands beside that.
    """
    key, field = _WHERE[kind]
    where, mime, name = inner.get(key), inner.get("mimeType"), inner.get("displayName")
    if not isinstance(where, str):
        return None
    known = [key]
    main = "file"
    if isinstance(mime, str) and mime:
        known.append("mimeType")
        main = mime.partition("/")[0].lower()
    if isinstance(name, str) and name:
        known.append("displayName")
    if rest := more_of(inner, tuple(known)):
        more = {**more, kind: rest}
    fields: Object = {field: where, "format": mime if "mimeType" in known else None}
    fields["filename"] = name if "displayName" in known else None
    fields["vendor"] = vendor_at(where) if field == "url" else None
    return Media(cast("Any", main if main in _KINDS else "file"), **fields, extras={HOME: more} if more else None)


def write_media(media: Media) -> Object | None:
    """Media as a part; None where there is neither data nor an address, which may stand in the place of data."""
    media = media_for(media, VENDOR)
    where = media.url if media.data is None else media.data
    if where is None or scheme(where) == _ELSEWHERE:
        return None
    kind = FILE if media.data is None or scheme(where) else INLINE
    key, _ = _WHERE[kind]
    extras = NOTES.of(media.extras)
    mime = _mime(media)
    inner: Object = {} if mime is None else {"mimeType": mime}
    inner[key] = where
    if media.filename:
        inner["displayName"] = media.filename
    own = {name: value for name, value in extras.items() if name != kind}
    return added({kind: added(inner, extras.get(kind))}, own)


def _mime(media: Media) -> str | None:
    if media.format:
        return media_type(media)
    if media.media == "file":
        return None
    if media.media == "image" and (shown := image_format(media.data or "")) is not None:
        return f"image/{shown}"
    ending = next((end for end in _ENDINGS if (media.url or "").lower().endswith(end)), "")
    guess = _ENDINGS.get(ending, "")
    return guess if guess.startswith(media.media) else _USUAL[media.media]


# --- citations --------------------------------------------------------------------------------------------------------


class _CitedElsewhere:
    """How a part names its sources: it does not, but its candidate does, of those that were read from there."""

    def nearest(self, citation: Citation, _place: Place, /) -> Citation | None:
        """The citation as it is, where the candidate tells it; None for any other one."""
        return citation if NOTES.of(citation.layout).get(_PLACE) == _CANDIDATE else None


_PLACE, _CANDIDATE = "place", "candidate"
"""The note of a citation that the candidate tells."""
CITED_ELSEWHERE: Final = _CitedElsewhere()
_CHUNKS: Final = ("web", "retrievedContext", "maps")
"""The kinds of sources."""


class _Support(NamedTuple):
    """A range of bytes of a part, what stands there, and the sources that it rests on."""

    part: int
    start: int
    end: int | None
    text: str | None
    sources: list[Citation]


def with_citations(items: list[Item], around: Transcript) -> None:
    """Give the texts of an answer the citations that its candidate tells; the list is changed."""
    supports = list(_supports(_candidate(around)))
    if not supports:
        return
    at = 0
    for index, (head, content, call_id) in enumerate(items):
        message = head.message(content, call_id)
        own = (message.extras or {}).get(HOME, {})
        is_text = message.role == "assistant" and not head.calls and message.channel != "analysis"
        # An empty message may be no part at all, which nothing can be cited for.
        if is_text and content != "" and (cited := _cited(content, at, supports)) is not content:
            items[index] = (
                (*_with_extras(head, own, cited), call_id) if isinstance(content, str) else (head, cited, call_id)
            )
        silent = content == "" and (message.layout or {}).get(HOME, {}).get(EMPTY) == "none"
        behind: Json = own.get(AFTER)
        at += 0 if silent else 1 if isinstance(content, str) or not is_text else len(content)
        at += len(cast("list[Json]", behind)) if isinstance(behind, list) else 0


def _with_extras(head: Head, own: Object, cited: Content) -> tuple[Head, Content]:
    """A message of one text that has become a part: what is said beside the text is said of that part."""
    beside = {key: value for key, value in own.items() if key not in (AFTER, WIRE)}
    if not beside:
        return head, cited
    [text] = cast("tuple[Text]", cited)
    extras = dict(head.message("", None).extras or {})
    extras.pop(HOME)
    extras |= NOTES.by_format({key: value for key, value in own.items() if key not in beside}) or {}
    return head.replaced(extras=extras or None), (replace(text, extras=NOTES.by_format(beside)),)


def _cited(content: Content, at: int, supports: Sequence[_Support]) -> Content:
    """The content of a message whose first part stands at a place, with its citations."""
    parts = list[Any]((Text(content),) if isinstance(content, str) else content)
    changed = False
    for index, part in enumerate(parts):
        if isinstance(part, Text) and (found := tuple(_of_part(part.text, at + index, supports))):
            parts[index], changed = replace(part, citations=found), True
    return tuple(parts) if changed else content


def _of_part(text: str, at: int, supports: Sequence[_Support]) -> Iterator[Citation]:
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
        whole = (start, last) == (0, len(text))
        for source in support.sources:
            yield source if whole else replace(source, start=start, end=last)


def _candidate(around: Transcript) -> Object:
    """What the first candidate of a response says beside its content."""
    given: Json = (around.extras or {}).get(HOME, {}).get(CANDIDATES)
    first = cast("list[Json]", given)[0] if isinstance(given, list) and given else None
    return keys(cast("Object", first)) if isinstance(first, dict) else {}


def _supports(candidate: Object) -> Iterator[_Support]:
    grounding = _object(candidate.get("groundingMetadata"))
    chunks = [_source(chunk) for chunk in _objects(grounding.get("groundingChunks"))]
    for support in _objects(grounding.get("groundingSupports")):
        segment = _object(support.get("segment"))
        given: Json = support.get("groundingChunkIndices")
        indices = [each for each in cast("list[Json]", given) if type(each) is int] if isinstance(given, list) else []
        found = [chunks[each] for each in indices if 0 <= each < len(chunks)]
        sources = [source for source in found if source is not None]
        start, end, part = (_number(segment.get(key)) for key in ("startIndex", "endIndex", "partIndex"))
        if sources and segment:
            text = segment.get("text")
            yield _Support(part or 0, start or 0, end, text if isinstance(text, str) else None, sources)
    recited = _object(candidate.get("citationMetadata"))
    for one in _objects(recited.get("citationSources", recited.get("citations"))):
        source = _page(one)
        if source is not None:
            start, end = (_number(one.get(key)) for key in ("startIndex", "endIndex"))
            yield _Support(0, start or 0, end, None, [source])


def _source(chunk: Object) -> Citation | None:
    """The source that a chunk of what was found is."""
    return next((_page(_object(chunk[kind])) for kind in _CHUNKS if kind in chunk), None)


def _page(members: Object) -> Citation | None:
    url, title, text = (members.get(key) for key in ("uri", "title", "text"))
    if not isinstance(url, str) or not url:
        return None
    made = Citation(url, title if isinstance(title, str) and title else None, text if isinstance(text, str) else None)
    made.layout = NOTES.by_format({_PLACE: _CANDIDATE})
    return made


def _object(value: Json) -> Object:
    return keys(cast("Object", value)) if isinstance(value, OBJECT) else {}


def _objects(value: Json) -> list[Object]:
    return [_object(item) for item in cast("list[Json]", value)] if isinstance(value, list) else []


def _number(value: Json) -> int | None:
    return value if type(value) is int else None
