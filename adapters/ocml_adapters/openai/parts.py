"""Content parts, both ways: text, image_url, video_url, input_audio, file, refusal; the annotations of a text.

What could not be written back exactly is kept whole, as a foreign part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.cache_marks import read_mark, write_mark
from ocml_bridge.chat.citations import CitationTable, Kind, Place, places
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.chat.uploads import media_for
from ocml_bridge.json_values.data_urls import data_url, media_type, opened, scheme, sound_format
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add
from ocml_bridge.model import CacheMark, Citation, Content, Foreign, Json, Media, Part, Refusal, Text, replace

from .syntax import BREAKPOINT, CACHE, EPHEMERAL, EXPLICIT, HOME, NOTES, VENDOR


class _Kind(NamedTuple):
    """A kind of media part: canonical kind, members and their canonical names, those needed, a possible data URL."""

    media: Any
    members: dict[str, str]
    needs: tuple[str, ...]
    inline: str | None


_KINDS: Final[dict[str, _Kind]] = {
    "image_url": _Kind("image", {"url": "url", "detail": "detail"}, ("url",), "url"),
    "video_url": _Kind("video", {"url": "url"}, ("url",), "url"),
    "input_audio": _Kind("audio", {"data": "data", "format": "format"}, ("data",), None),
    "file": _Kind(
        "file",
        {"file_id": "file_id", "filename": "filename", "file_data": "data"},
        ("file_id", "file_data"),
        "file_data",
    ),
}
_KEYS: Final = {kind.media: key for key, kind in _KINDS.items()}
_WEB: Final = ("http", "https")
_DATA, _ADDRESS = "data", "address"
"""The layout of a file or a sound whose address stands in the place of its data, as OpenRouter and Qwen take it."""
_EXTENSIONS: Final = frozenset({"audio_url", "input_video"})
"""Kinds of media parts that servers add, and that are kept as they are."""


# --- reading ----------------------------------------------------------------------------------------------------------


def read_parts(raws: list[Json]) -> tuple[tuple[Part, ...], Object]:
    """Parts, and by index the order of keys of those whose keys stand in another order than ours."""
    parts: list[Part] = []
    orders: Object = {}
    for index, raw in enumerate(raws):
        part = _read_part(raw)
        if part is not None and _is_plain(raw):
            parts.append(part)
            continue
        written = write_part(part) if part is not None else None
        if part is None or _with_mark(written, part, raw) != raw:
            parts.append(Foreign(HOME, raw))
            continue
        parts.append(part)
        if not _in_one_order(raw, cast("Object", written)):
            orders[str(index)] = _order_of(raw)
    return tuple(parts), orders


def is_odd(part: Part) -> bool:
    """Whether a part is kept that Chat Completions has not: not even servers that add kinds of media."""
    if not isinstance(part, Foreign):
        return False
    kind = cast("Object", part.value).get("type") if isinstance(part.value, OBJECT) else None
    return not isinstance(kind, str) or not (kind in _KINDS or kind in _EXTENSIONS)


def _is_plain(raw: Object) -> bool:
    return len(raw) == 2 and raw["type"] == "text" and next(iter(raw)) == "type"


def _read_part(raw: Json) -> Part | None:
    if not isinstance(raw, dict):
        return None
    part = cast("Object", raw)
    kind = part.get("type")
    if kind == "text":
        text = part.get("text")
        if not isinstance(text, str):
            return None
        if len(part) == 2:
            return Text(text)
        key, mark = _mark_of(part)
        extras = {name: value for name, value in part.items() if name not in ("type", "text", key)}
        return Text(text, NOTES.by_format(extras), cache=mark)
    if kind == "refusal":
        text = part.get("refusal")
        return Refusal(text) if isinstance(text, str) else None
    return _read_media(part, kind) if isinstance(kind, str) and kind in _KINDS else None


def _read_media(part: Object, key: str) -> Media | None:
    kind, inner = _KINDS[key], part.get(key)
    bare = isinstance(inner, str) and kind.needs == ("url",)
    inner = {"url": inner} if bare else inner
    if not isinstance(inner, dict):
        return None
    members = cast("Object", inner)
    fields: Object = {ours: members[name] for name, ours in kind.members.items() if isinstance(members.get(name), str)}
    if kind.inline is not None:
        _open_data_url(fields, kind.members[kind.inline])
    known = [name for name in kind.members if isinstance(members.get(name), str)]
    marked, mark = _mark_of(part)
    if fields.get("file_id"):
        fields["vendor"] = VENDOR
    extras: Object = {name: value for name, value in part.items() if name not in ("type", key, marked)}
    if unknown := {name: value for name, value in members.items() if name not in known}:
        extras[key] = unknown
    layout: Object = {"bare": True} if bare else {}
    if "data" in fields and scheme(fields["data"]) in _WEB:
        fields["url"], layout[_DATA] = fields.pop("data"), _ADDRESS
    return Media(kind.media, **fields, extras=NOTES.by_format(extras), layout=NOTES.by_format(layout), cache=mark)


def _mark_of(part: Object) -> tuple[str, CacheMark | None]:
    """The mark behind a part, and the key that it stands under; "" where there is none."""
    if (mark := read_mark(part.get(CACHE), EPHEMERAL)) is not None:
        return CACHE, mark
    return (BREAKPOINT, CacheMark()) if part.get(BREAKPOINT) == EXPLICIT else ("", None)


def _open_data_url(fields: Object, name: str) -> None:
    """Take a data URL apart into base64 data and its media type."""
    found = opened(fields.get(name, ""))
    if found is not None:
        del fields[name]
        fields["data"], fields["format"] = found


def _in_one_order(one: Object, other: Object) -> bool:
    """Whether two objects have the same keys in the same order, and so have the objects in them."""
    if [*one] != [*other]:
        return False
    return all([*value] == [*other[key]] for key, value in one.items() if value.__class__ is dict)


def _order_of(raw: Object) -> list[Any]:
    return [[key, list(cast("Object", value))] if isinstance(value, dict) else key for key, value in raw.items()]


# --- writing ----------------------------------------------------------------------------------------------------------


def write_part(part: Part) -> Json:
    """A part as Chat Completions has it; None for one that it has no place for."""
    if isinstance(part, Text):
        written: Object = {"type": "text", "text": part.text}
        if part.cache is not None:
            written[CACHE] = write_mark(part.cache, EPHEMERAL)
        return written if part.extras is None else add(written, NOTES.of(part.extras))
    if isinstance(part, Refusal):
        return {"type": "refusal", "refusal": part.text}
    if isinstance(part, Media):
        return _write_media(part)
    return part.value if isinstance(part, Foreign) and part.format == HOME else None


def _write_media(media: Media) -> Object | None:
    key, media = _KEYS[media.media], _in_place(media)
    kind, extras = _KINDS[key], NOTES.of(media.extras)
    if not _has_source(media):
        return None
    inner: Object = {}
    for name, ours in kind.members.items():
        value = _data_url(media) if name == kind.inline else _member(media, ours)
        if value is not None:
            inner[name] = value
    inner = add(inner, extras.get(key))
    bare = NOTES.of(media.layout).get("bare") is True and list(inner) == ["url"]
    written: Object = {"type": key, key: inner["url"] if bare else inner}
    if media.cache is not None:
        written[CACHE] = write_mark(media.cache, EPHEMERAL)
    return add(written, extras)


def _in_place(media: Media) -> Media:
    """Media without the file of another vendor, and with an address in the place of data where it was read there."""
    media = media_for(media, VENDOR)
    moved = NOTES.of(media.layout).get(_DATA) == _ADDRESS and media.data is None and scheme(media.url or "") in _WEB
    return replace(media, data=media.url, url=None) if moved and media.media in ("file", "audio") else media


def _member(media: Media, field: str) -> str | None:
    """A member of media as it is; a sound says its format without being a media type."""
    return sound_format(media) if field == "format" else getattr(media, field)


def _has_source(media: Media) -> bool:
    """Whether a part says where its media are, or has them in it."""
    kind = _KINDS[_KEYS[media.media]]
    for name in kind.needs:
        if (_data_url(media) if name == kind.inline else getattr(media, kind.members[name])) is not None:
            return True
    return False


def _data_url(media: Media) -> str | None:
    """The URL of an image or video; the data of a file, as a data URL where its media type is known."""
    if _KINDS[_KEYS[media.media]].inline == "url" and media.url is not None:
        return media.url
    if media.data is None or (media.media == "file" and (media.format is None or scheme(media.data))):
        return media.data
    return data_url(media.data, media_type(media))


def can_hold(part: Part) -> bool:
    """Whether Chat Completions has a place for this part."""
    if isinstance(part, Media):
        return _has_source(_in_place(part))
    return write_part(part) is not None or (isinstance(part, Foreign) and part.format == HOME)


def write_parts(parts: tuple[Part, ...], orders: Json) -> list[Json]:
    """Parts, each with its keys in the order remembered by index."""
    written = [write_part(part) for part in parts]
    if isinstance(orders, dict):
        for index, order in cast("Object", orders).items():
            if index.isdecimal() and len(index) < 10 and int(index) < len(written):
                names = [_step(item)[0] for item in cast("list[Json]", order)] if isinstance(order, list) else ()
                written[int(index)] = _arrange(_with_mark(written[int(index)], parts[int(index)], names), order)
    return written


def _with_mark(written: Json, part: Part, keys: Collection[str | None]) -> Json:
    """A part as it is written, with its mark under the key of the API where that is among some keys."""
    marked = isinstance(part, (Text, Media)) and part.cache is not None and part.cache.ttl is None
    if not marked or BREAKPOINT not in keys or not isinstance(written, OBJECT) or BREAKPOINT in written:
        return written
    return {BREAKPOINT if key == CACHE else key: value for key, value in cast("Object", written).items()} | {
        BREAKPOINT: dict(EXPLICIT)
    }


def _arrange(value: Json, order: Json) -> Json:
    """An object with its keys, and those of the objects in it, in an order."""
    if not isinstance(value, dict) or not isinstance(order, list) or not order:
        return cast("Json", value)
    default, out = cast("Object", value), dict[str, Any]()
    for item in cast("list[Json]", order):
        key, inner = _step(item)
        if key is not None and key in default:
            out[key] = _arrange(default[key], inner)
    return add(out, default)


def _step(item: Json) -> tuple[str | None, list[str]]:
    """A key of an order, and the order of the keys inside its value."""
    if not isinstance(item, list):
        return (item if isinstance(item, str) else None), []
    steps = cast("list[Json]", item)
    key, inner = steps if len(steps) == 2 else (None, None)
    if not isinstance(key, str) or not isinstance(inner, list):
        return None, []
    return key, [name for name in cast("list[Json]", inner) if isinstance(name, str)]


# --- images beside a text ---------------------------------------------------------------------------------------------


def images_in(value: Json) -> tuple[Media, ...]:
    """The images of a member that has those which a model made; none where one of them is not understood."""
    parts, orders = read_parts(cast("list[Json]", value)) if isinstance(value, ARRAY) else ((), {})
    images = tuple(part for part in parts if isinstance(part, Media) and part.media == "image")
    return images if len(images) == len(parts) and not orders else ()


def images_of(content: Content) -> list[Json]:
    """The images of content, as they stand in a member of their own."""
    images = [part for part in parts_of(content) if isinstance(part, Media) and part.media == "image"]
    return [write_part(image) for image in images if can_hold(image)]


def without_images(content: Content, count: Json) -> tuple[Content, list[Json]]:
    """Content without the images that stand in a member of their own, and those.

    Args:
        content: of a message.
        count: how many there are, as the layout says.
    """
    parts = parts_of(content)
    start = len(parts) - count if type(count) is int and 0 < count <= len(parts) else len(parts)
    images = parts[start:]
    if not images or not all(isinstance(part, Media) and part.media == "image" and can_hold(part) for part in images):
        return content, []
    left = parts[:start]
    bare = left[0].text if len(left) == 1 and isinstance(left[0], Text) and left[0].is_bare else left
    return bare or "", [write_part(part) for part in images]


# --- annotations ------------------------------------------------------------------------------------------------------

_RANGE: Final = {"start_index": "start", "end_index": "end"}
TABLE: Final = CitationTable(
    HOME,
    (
        Kind(
            "url_citation",
            {**_RANGE, "title": "title", "url": "url", "content": "cited_text"},
            "url",
            {"start_index": 0, "end_index": 0, "title": ""},
        ),
    ),
    VENDOR,
)
"""What a source says is OpenRouter's `content`."""


def cited(content: Content, value: Json) -> Content | None:
    """Content with the sources that annotations name; None where one of them is not understood, or of no text.

    Args:
        content: as it was read.
        value: of the member.
    """
    raws: Any = value
    if not isinstance(raws, ARRAY) or not raws:
        return None
    parts = list(parts_of(content)) if content else []
    texts = [index for index, part in enumerate(parts) if isinstance(part, Text)]
    grounds = dict(zip(texts, places([cast("Text", parts[index]).text for index in texts]), strict=True))
    found: dict[int, list[Citation]] = {}
    before = -1
    for raw in raws:
        index = _place_of(raw, grounds)
        citation = None if index is None else TABLE.read(_opened(raw), grounds[index])
        if index is None or citation is None or index < before:
            return None
        found.setdefault(index, []).append(citation)
        before = index
    for index, citations in found.items():
        parts[index] = replace(cast("Text", parts[index]), citations=tuple(citations))
    return tuple(parts)


def annotations_of(parts: Sequence[Part], at: int = 0) -> list[Json]:
    """The annotations of content; none for a source that is no page.

    Args:
        parts: of a message.
        at: how many characters stand before them.
    """
    texts = [part for part in parts if isinstance(part, Text)]
    out: list[Json] = []
    for text, (before, length) in zip(texts, places([text.text for text in texts]), strict=True):
        written = [TABLE.write(citation, Place(at + before, length)) for citation in text.citations or ()]
        out += [_nested(one) for one in written if one is not None]
    return out


def _opened(raw: Json) -> Json:
    """An annotation as one object: its type, and what it says of it; None for one of another shape."""
    if not isinstance(raw, OBJECT):
        return None
    members: Object = raw
    kind: Any = members.get("type")
    inner: Any = members.get(kind) if isinstance(kind, str) else None
    if list(members) != ["type", kind] or not isinstance(inner, OBJECT) or "type" in inner:
        return None
    return {"type": kind, **inner}


def _nested(opened: Object) -> Object:
    kind = opened["type"]
    return {"type": kind, kind: {key: value for key, value in opened.items() if key != "type"}}


def _place_of(raw: Json, grounds: dict[int, Place]) -> int | None:
    """The part that an annotation is of: the only text, else the one that has all of its characters."""
    if len(grounds) == 1:
        return next(iter(grounds))
    opened = _opened(raw)
    start, end = (opened.get(key) if isinstance(opened, OBJECT) else None for key in _RANGE)
    if type(start) is not int or type(end) is not int or start > end:
        return None
    holding = [index for index, (at, length) in grounds.items() if at <= start and end <= at + length and length]
    return holding[0] if len(holding) == 1 or (holding and start < end) else None
