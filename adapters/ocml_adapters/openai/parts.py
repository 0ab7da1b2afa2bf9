"""Read and write content parts: text, image_url, video_url, input_audio, audio_url, file, document_url, refusal.

A part that would not be written back exactly is read as a foreign part.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.vendors import media_for
from ocml_bridge.json_values.data_urls import data_url, field_of, media_type, name_of_file, open_data_url, scheme
from ocml_bridge.json_values.form import OBJECT, Object, add, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import CacheMark, Foreign, Json, Media, Part, Passages, Refusal, Text, replace
from ocml_bridge.wires.blocks.values import object_in, text_of

from .syntax import BREAKPOINT, CACHE, EXPLICIT, HOME, IN_CAMEL, NOTES, VENDOR, in_camel, named


class _Kind(NamedTuple):
    """A type of media part.

    Attributes:
        media: the kind of `Media`.
        members: the fields of `Media` by the members of the part.
        needs: the members of which one is needed.
        inline: the member that may be a data URL, or None.
    """

    media: Any
    members: dict[str, str]
    needs: tuple[str, ...]
    inline: str | None


_KINDS: Final[dict[str, _Kind]] = {
    "image_url": _Kind("image", {"url": "url", "detail": "detail"}, ("url",), "url"),
    "video_url": _Kind("video", {"url": "url"}, ("url",), "url"),
    "audio_url": _Kind("audio", {"url": "url"}, ("url",), "url"),
    "input_audio": _Kind("audio", {"data": "data", "format": "format"}, ("data",), None),
    "document_url": _Kind("file", {"url": "url"}, ("url",), "url"),
    "file": _Kind(
        "file",
        {"file_id": "file_id", "filename": "filename", "file_data": "data"},
        ("file_id", "file_data"),
        "file_data",
    ),
}
_KEYS: Final = {kind.media: key for key, kind in _KINDS.items()}
_SOUND_AT_URL: Final = "audio_url"
"""The part for a sound with a URL, which servers add; the API itself has only sounds with data."""
_DOCUMENT: Final = "document_url"
"""The part for a file with a URL, which only Mistral's API has: a file is written so only if it was read so."""
_PASSAGES: Final = "document"
"""The part, and its member, with a document that Cohere's models can cite: an `id`, and `data`."""
_WEB: Final = ("http", "https")
_PART: Final = "part"
"""The key of the layout for the type of such a part, and of a document."""
_DATA, _ADDRESS, _URL, _OBJECT = "data", "address", "url", "object"
"""The layout of a file or a sound that has a URL in place of its data, as OpenRouter and Qwen accept it, of a sound
that has its data in a URL, and of a document whose data is an object."""
_FILE, _NAME = "file", "filename"
_UNNAMED: Final = "unnamed"
"""The layout of a file with data that was read without a name, which the API requires."""
_EXTENSIONS: Final = frozenset({"input_video"})
"""Types of media parts that servers add, and that are read as foreign parts without a finding."""


# --- reading ----------------------------------------------------------------------------------------------------------


def read_parts(raws: list[Json]) -> tuple[tuple[Part, ...], Object]:
    """Return the parts, and by index the order of keys of parts that would be written in another order."""
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
    """Return whether a part is of a type that neither Chat Completions nor a server with additional types has."""
    if not isinstance(part, Foreign):
        return False
    kind = cast("Object", part.value).get("type") if isinstance(part.value, OBJECT) else None
    return not isinstance(kind, str) or not (kind in _KINDS or kind in _EXTENSIONS)


def _is_plain(raw: Object) -> bool:
    return len(raw) == 2 and raw["type"] == "text" and next(iter(raw)) == "type"


def _read_part(raw: Json) -> Part | None:
    if not isinstance(raw, dict):
        return None
    part, camel = named(cast("Object", raw))
    kind = part.get("type")
    if kind == "text":
        text = part.get("text")
        if not isinstance(text, str):
            return None
        if len(part) == 2:
            return Text(text)
        key, mark = _mark_of(part)
        extras = without(part, "type", "text", key)
        return Text(text, NOTES.by_format(extras), cache=mark)
    if kind == "refusal":
        text = part.get("refusal")
        return Refusal(text) if isinstance(text, str) else None
    if kind == _PASSAGES:
        return _read_document(part)
    media = _read_media(part, kind) if isinstance(kind, str) and kind in _KINDS else None
    if media is not None and camel:
        media.layout = NOTES.adding(media.layout, {IN_CAMEL: camel})
    return media


def _read_document(part: Object) -> Passages | None:
    """Return the passage of a document whose data is a text, or an object, which is its compact JSON."""
    members = members_of(part.get(_PASSAGES))
    data: Json = members.get(_DATA)
    text = data if isinstance(data, str) else text_of(data) if isinstance(data, dict) else None
    if text is None:
        return None
    key, mark = _mark_of(part)
    inner = without(members, _DATA)
    more = without(part, "type", _PASSAGES, key)
    extras = {**({_PASSAGES: inner} if inner else {}), **more}
    layout: Object = {_PART: _PASSAGES, **({} if data is text else {_DATA: _OBJECT})}
    return Passages((text,), extras=NOTES.by_format(extras), cache=mark, layout=NOTES.by_format(layout))


def _read_media(part: Object, key: str) -> Media | None:
    kind, inner = _KINDS[key], part.get(key)
    bare = isinstance(inner, str) and len(kind.needs) == 1
    inner = {kind.needs[0]: inner} if bare else inner
    if not isinstance(inner, dict):
        return None
    members = cast("Object", inner)
    fields: Object = {ours: members[name] for name, ours in kind.members.items() if isinstance(members.get(name), str)}
    if kind.inline is not None:
        open_data_url(fields, kind.members[kind.inline])
    known = [name for name in kind.members if isinstance(members.get(name), str)]
    marked, mark = _mark_of(part)
    if fields.get("file_id"):
        fields["vendor"] = VENDOR
    extras: Object = without(part, "type", key, marked)
    if unknown := {name: value for name, value in members.items() if name not in known}:
        extras[key] = unknown
    layout: Object = {**({_PART: key} if key == _DOCUMENT else {}), **({"bare": True} if bare else {})}
    if key == _FILE and _lacks_name(members):
        layout[_UNNAMED] = True
    if "data" in fields and scheme(fields["data"]) in _WEB:
        fields["url"], layout[_DATA] = fields.pop("data"), _ADDRESS
    elif key == _SOUND_AT_URL and "data" in fields:
        layout[_DATA] = _URL
    return Media(kind.media, **fields, extras=NOTES.by_format(extras), layout=NOTES.by_format(layout), cache=mark)


def _lacks_name(members: Object) -> bool:
    """Return whether a file has base64 data, but neither a name nor an id; OpenAI's API refuses it."""
    data: Json = members.get("file_data")
    is_given = isinstance(data, str) and scheme(data) is None
    return is_given and members.get(_NAME) is None and members.get("file_id") is None


def _mark_of(part: Object) -> tuple[str, CacheMark | None]:
    """Return the key of a part's cache mark, and the mark; "" and None if it has none."""
    if (mark := CONTROL.read(part)) is not None:
        return CACHE, mark
    return (BREAKPOINT, CacheMark()) if part.get(BREAKPOINT) == EXPLICIT else ("", None)


def _in_one_order(raw: Object, written: Object) -> bool:
    """Return whether two objects, and the objects in them, have the same keys in the same order."""
    if [*raw] != [*written]:
        return False
    return all([*value] == [*written[key]] for key, value in raw.items() if value.__class__ is dict)


def _order_of(raw: Object) -> list[Any]:
    return [[key, list(cast("Object", value))] if isinstance(value, dict) else key for key, value in raw.items()]


# --- writing ----------------------------------------------------------------------------------------------------------


def write_part(part: Part) -> Json:
    """Return a part in JSON; None if Chat Completions has no place for it."""
    if isinstance(part, Text):
        written: Object = {"type": "text", "text": part.text, **CONTROL.write(part.cache)}
        return written if part.extras is None else add(written, NOTES.of(part.extras))
    if isinstance(part, Refusal):
        return {"type": "refusal", "refusal": part.text}
    if isinstance(part, Media):
        return _write_media(part)
    if isinstance(part, Passages):
        return _write_document(part)
    return part.value if isinstance(part, Foreign) and part.format == HOME else None


def _write_document(part: Passages) -> Object | None:
    """Return a document as it was read; None for passages of other formats, which are written as text."""
    extras, layout = NOTES.of(part.extras), NOTES.of(part.layout)
    bare = Passages(part.texts[:1], extras=part.extras, cache=part.cache, layout=part.layout)
    if layout.get(_PART) != _PASSAGES or part != bare:
        return None
    text = part.texts[0]
    data = object_in(text) if layout.get(_DATA) == _OBJECT else None
    written: Object = {
        "type": _PASSAGES,
        _PASSAGES: {**members_of(extras.get(_PASSAGES)), _DATA: text if data is None else data},
        **CONTROL.write(part.cache),
    }
    return add(written, without(extras, _PASSAGES))


def _write_media(media: Media) -> Object | None:
    media = _in_place(media)
    key = _key_of(media)
    kind, extras = _KINDS[key], NOTES.of(media.extras)
    if not _has_source(media):
        return None
    inner: Object = {}
    for name, ours in kind.members.items():
        value = _data_url(media, kind) if name == kind.inline else field_of(media, ours)
        if value is not None:
            inner[name] = value
    inner = add(inner, extras.get(key))
    layout = NOTES.of(media.layout)
    if key == _FILE and _lacks_name(inner) and layout.get(_UNNAMED) is not True:
        inner = {_NAME: name_of_file(media), **inner}
    bare = layout.get("bare") is True and tuple(inner) == kind.needs
    written: Object = {"type": key, key: inner[kind.needs[0]] if bare else inner, **CONTROL.write(media.cache)}
    return in_camel(add(written, extras), layout.get(IN_CAMEL))


def _key_of(media: Media) -> str:
    """Return the type of the part for media; sounds have one for data and one for URLs."""
    if media.media == "file" and NOTES.of(media.layout).get(_PART) == _DOCUMENT and (media.url or media.data):
        return _DOCUMENT
    if media.media != "audio":
        return _KEYS[media.media]
    in_url = media.url is not None if media.data is None else NOTES.of(media.layout).get(_DATA) == _URL
    return _SOUND_AT_URL if in_url else _KEYS[media.media]


def _in_place(media: Media) -> Media:
    """Return media without the file id of another vendor, and with its URL in place of data if it was read so."""
    media = media_for(media, VENDOR)
    moved = NOTES.of(media.layout).get(_DATA) == _ADDRESS and media.data is None and scheme(media.url or "") in _WEB
    return replace(media, data=media.url, url=None) if moved and media.media in ("file", "audio") else media


def _has_source(media: Media) -> bool:
    """Return whether media have a URL, a file id or data that can be written."""
    kind = _KINDS[_key_of(media)]
    for name in kind.needs:
        if (_data_url(media, kind) if name == kind.inline else getattr(media, kind.members[name])) is not None:
            return True
    return False


def _data_url(media: Media, kind: _Kind) -> str | None:
    """Return the URL of media that may have one; or the data, as a data URL if the media type is known."""
    if kind.inline == "url" and media.url is not None:
        return media.url
    if media.data is None or (media.media == "file" and (media.format is None or scheme(media.data))):
        return media.data
    return data_url(media.data, media_type(media))


def can_hold(part: Part) -> bool:
    """Return whether Chat Completions has a place for a part."""
    if isinstance(part, Media):
        return _has_source(_in_place(part))
    return write_part(part) is not None or (isinstance(part, Foreign) and part.format == HOME)


def write_parts(parts: tuple[Part, ...], orders: Json) -> list[Json]:
    """Return parts in JSON, with the order of keys that the layout has for their index."""
    written = [write_part(part) for part in parts]
    if isinstance(orders, dict):
        for index, order in cast("Object", orders).items():
            if index.isdecimal() and len(index) < 10 and int(index) < len(written):
                names = [_step(item)[0] for item in cast("list[Json]", order)] if isinstance(order, list) else ()
                written[int(index)] = _arrange(_with_mark(written[int(index)], parts[int(index)], names), order)
    return written


def _with_mark(written: Json, part: Part, keys: Collection[str | None]) -> Json:
    """Return a written part, with its cache mark under the key of the API if that is among these keys."""
    marked = isinstance(part, (Text, Media, Passages)) and part.cache is not None and part.cache.ttl is None
    if not marked or BREAKPOINT not in keys or not isinstance(written, OBJECT) or BREAKPOINT in written:
        return written
    return {BREAKPOINT if key == CACHE else key: value for key, value in cast("Object", written).items()} | {
        BREAKPOINT: dict(EXPLICIT)
    }


def _arrange(value: Json, order: Json) -> Json:
    """Return an object with its keys, and those of the objects in it, in an order."""
    if not isinstance(value, dict) or not isinstance(order, list) or not order:
        return cast("Json", value)
    default, out = cast("Object", value), dict[str, Any]()
    for item in cast("list[Json]", order):
        key, inner = _step(item)
        if key is not None and key in default:
            out[key] = _arrange(default[key], inner)
    return add(out, default)


def _step(item: Json) -> tuple[str | None, list[str]]:
    """Return the key of an item of an order, and the order of the keys inside its value."""
    if not isinstance(item, list):
        return (item if isinstance(item, str) else None), []
    steps = cast("list[Json]", item)
    key, inner = steps if len(steps) == 2 else (None, None)
    if not isinstance(key, str) or not isinstance(inner, list):
        return None, []
    return key, [name for name in cast("list[Json]", inner) if isinstance(name, str)]
