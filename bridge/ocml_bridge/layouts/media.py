"""Read and write columns of media: their entries are addresses, and parts of messages stand for them.

Such a part only says what it is, as `{"type": "image"}` (TRL); `index` may say which entry it is. It may also be a text
in the text, as `<image>` (LLaMA-Factory).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from ..json_values.data_urls import data_url, image_format
from ..loss import Finding
from ..model import Json
from . import columns
from .fitting import as_list, as_object, members_of, objects_of, without_members
from .layout import Document, Object, Reads, Wording, Writes, noticed

_KINDS: Final = {name: kind[:-1] for kind, names in columns.MEDIA.items() for name in names}
"""Column → the kind of its media: `image`, `video` or `audio`."""
_COLUMNS: Final = {names[0]: kind[:-1] for kind, names in columns.MEDIA.items()}
"""The column that is written → the kind of its media."""
FIELDS: Final = {name: (name,) for name in _KINDS}
"""The columns of media, as fields of a layout."""


_FORMATS: Final = {
    **{each: each for each in ("wav", "flac", "ogg", "mp4", "webm", "jpeg", "png", "gif", "webp")},
    "mp3": "mpeg",
    "m4a": "mp4",
    "mov": "quicktime",
    "jpg": "jpeg",
}
"""The end of a path → the second half of a media type."""


def address_of(entry: Json, kind: str) -> str | None:
    """Return the address of a medium: a text, or of what `datasets` stores the data or the path; None for others."""
    if isinstance(entry, str):
        return entry
    stored = members_of(entry)
    data, path = members_of(stored.get("bytes")).get("base64"), stored.get("path")
    name = path if isinstance(path, str) else ""
    if not isinstance(data, str):
        return name or None
    known = image_format(data) if kind == "image" else _FORMATS.get(name.rpartition(".")[2].lower())
    return data_url(data, f"{kind}/{known}" if known else None)


def addresses_of(value: Json, kind: str) -> list[str] | None:
    """Return the addresses of the media of a column, which may hold one of them; None if one has no address."""
    listed = as_list(value)
    addresses = [address_of(each, kind) for each in ([value] if listed is None else listed)]
    return None if None in addresses else [each for each in addresses if each is not None]


def with_addresses(fields: Object) -> tuple[Object, Object]:
    """Return fields whose columns of media are lists of addresses, where each has one, and what else these say."""
    given = {name: addresses_of(fields[name], _KINDS[name]) for name in columns.MEDIA if name in fields}
    known = {name: addresses for name, addresses in given.items() if addresses is not None}
    others = {name: rest for name in known if (rest := _rest_of(fields[name]))}
    return ({**fields, **known} if known else fields), others


def _rest_of(value: Json) -> list[Object]:
    """Return the members of the entries of a column besides their addresses; [] if there are none."""
    listed = as_list(value)
    rest: list[Object] = []
    for entry in objects_of([value] if listed is None else listed):
        data = members_of(entry.get("bytes"))
        used = "bytes" if isinstance(data.get("base64"), str) else "path"
        left = {name: each for name, each in entry.items() if name != used and each is not None}
        about = without_members(data, "base64")
        rest.append({**left, **({"bytes": about} if about else {})})
    return rest if any(rest) else []


def part_of(kind: str, address: str) -> Object:
    """Return a part of Chat Completions with a medium that has an address."""
    return {"type": f"{kind}_url", f"{kind}_url": {"url": address}}


def part_with(address: str, media_type: str | None, kind: str = "file", filename: str | None = None) -> Object:
    """Return a part of Chat Completions with a medium that has an address, or base64 data.

    Args:
        address: the URL, the path of a file, or the data.
        media_type: the media type, which says of what kind the medium is.
        kind: the kind of a medium without a media type of its kind.
        filename: the name of a file.
    """
    family = str(media_type or "").partition("/")[0]
    kind = family if family in _KINDS.values() else kind
    if is_data(address):
        address = data_url(address, media_type)
    if kind != "file":
        return part_of(kind, address)
    return {"type": "file", "file": {"file_data": address, **({} if filename is None else {"filename": filename})}}


def is_data(address: str) -> bool:
    """Return whether an address is base64 data, which has no colon, as a URL has, and no dot, as a file's path has."""
    return ":" not in address[:_LONGEST_SCHEME] and "." not in address


_LONGEST_SCHEME: Final = 20


def with_media(reads: Reads, fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the documents of some fields, with the media of columns in the place of the parts that stand for them.

    Media stay beside the conversation if nothing stands for them, or if they are not as many as their places.
    """
    media = {name: fields[name] for name in FIELDS if name in fields}
    documents = reads({name: value for name, value in fields.items() if name not in media}, wording)
    return [_placed(each, media) for each in documents] if media else documents


def _placed(document: Document, media: Object) -> Document:
    addresses = {name: addresses_of(value, _KINDS[name]) for name, value in media.items()}
    counts = {_KINDS[name]: len(each) for name, each in addresses.items() if each is not None}
    value = _with_places(document.value, counts)
    messages = _messages_in(value)
    kinds = Counter([*(part["type"] for part in _places(messages)), *_named_in(messages)])
    left, findings, entries = dict(media), list[Finding](), dict[str, list[str]]()
    for name, given in media.items():
        kind, found = _KINDS[name], addresses[name]
        if not kinds[kind] or kind in entries:
            continue
        if found is None or len(found) != kinds[kind]:
            detail = f"the messages have {kinds[kind]} places for media, and {name!r} does not have as many; it is kept"
            findings.append(noticed(f"/{name}", detail))
            continue
        entries[kind] = found
        del left[name]
        if rest := _rest_of(given):
            left[name] = rest
    _replace(messages, entries)
    findings += unnamed([text for each in messages for text in _texts_of(each.get("content"))], media)
    more = {**document.extra_columns, **left}
    return document._replace(value=value, findings=(*document.findings, *findings), extra_columns=more)


def unnamed(texts: Sequence[str], media: Object) -> list[Finding]:
    """Return findings on columns of media, if texts name media and none of the kind of these columns."""
    columns_by_kind = {_KINDS[name]: name for name in _KINDS if media.get(name)}
    named = dict.fromkeys(kind for text in texts if "<" in text for kind in _PLACE.findall(text))
    if not named or not columns_by_kind or any(kind in columns_by_kind for kind in named):
        return []
    shown = ", ".join(f"<{kind}>" for kind in named)
    return [
        noticed(f"/{name}", f"the texts have {shown}, and no column of media has that; {name!r} has no place in them")
        for name in columns_by_kind.values()
    ]


_CHOSEN: Final = "preferred_output"


def _messages_in(value: Json) -> list[Object]:
    """Return the messages of a document whose media may be in columns: all but a rejected answer."""
    given = members_of(value)
    request = as_object(given.get("input")) or given
    return [*objects_of(request.get("messages")), *objects_of(given.get(_CHOSEN))]


_PLACE: Final = re.compile(f"<({'|'.join(dict.fromkeys(_KINDS.values()))})>")
"""A text that stands for a medium, as in ShareGPT's texts (LLaMA-Factory, ms-swift)."""


def _named_in(messages: Sequence[Object]) -> list[str]:
    """Return the kinds of the media that texts name."""
    texts = [text for each in messages for text in _texts_of(each.get("content"))]
    return [kind for text in texts if "<" in text for kind in _PLACE.findall(text)]


def _texts_of(content: Json) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [part["text"] for part in objects_of(content) if _is_plain_text(part)]


def _is_plain_text(part: Object) -> bool:
    return part.keys() == {"type", "text"} and part["type"] == "text" and isinstance(part["text"], str)


def _with_places(value: Json, counts: Mapping[str, int]) -> Json:
    """Return a document with parts in the place of the texts that name media, if these are as many as the media."""
    messages = _messages_in(value)
    named, places = Counter(_named_in(messages)), {part["type"] for part in _places(messages)}
    kinds = frozenset({kind for kind in named if counts.get(kind) == named[kind]} - places)
    return _changed(value, lambda message: _split(message, kinds)) if kinds else value


def _changed(value: Json, change: Callable[[Object], Object]) -> Json:
    """Return a document whose messages are changed, all but those of a rejected answer."""
    given = members_of(value)
    lists = {name: given[name] for name in ("messages", _CHOSEN) if name in given}
    out = {**given, **{name: list(map(change, objects_of(found))) for name, found in lists.items()}}
    request = as_object(given.get("input"))
    if request is not None:
        out["input"] = {**request, "messages": list(map(change, objects_of(request.get("messages"))))}
    return out


def _split(message: Object, kinds: frozenset[str]) -> Object:
    """Return a message with parts in the place of the texts that name media of some kinds."""
    content = message.get("content")
    if kinds.isdisjoint(_named_in([message])):
        return message
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else objects_of(content)
    return {**message, "content": [piece for part in parts for piece in _pieces(part, kinds)]}


def _pieces(part: Object, kinds: frozenset[str]) -> Iterator[Object]:
    if not _is_plain_text(part):
        yield part
        return
    start = 0
    for found in _PLACE.finditer(part["text"]):
        if found[1] in kinds:
            yield from _text(part["text"][start : found.start()])
            yield {"type": found[1]}
            start = found.end()
    yield from _text(part["text"][start:])


def _text(text: str) -> Iterator[Object]:
    if text:
        yield {"type": "text", "text": text}


def _places(messages: Sequence[Object]) -> Iterator[Object]:
    """Yield the parts of messages that stand for a medium."""
    for each in messages:
        yield from filter(_is_place, objects_of(each.get("content")))


def _is_place(part: Object) -> bool:
    return part.get("type") in _KINDS.values() and part.keys() <= {"type", "index"}


def _replace(messages: Sequence[Object], entries: dict[str, list[str]]) -> None:
    """Put media in their places, which are changed in place: in their order, or by their index if all have one."""
    for kind, addresses in entries.items():
        places = [each for each in _places(messages) if each["type"] == kind]
        indices = [each.get("index") for each in places]
        named = sorted(map(str, indices)) == sorted(map(str, range(len(places))))
        order = [int(str(index)) for index in indices] if named else range(len(places))
        for place, at in zip(places, order, strict=True):
            place.clear()
            place.update(part_of(kind, addresses[at]))


# --- writing ----------------------------------------------------------------------------------------------------------


def in_columns(writes: Writes, document: Json, wording: Wording, *, as_text: bool = False) -> Object:
    """Return the fields of a document with its media in columns, and what stands for them in their places.

    Args:
        writes: returns the fields of a document without media.
        document: the document.
        wording: the words of the layout.
        as_text: whether a text stands for a medium (LLaMA-Factory); otherwise a part does (TRL).
    """
    addresses: dict[str, list[str]] = {}

    def taken_out(part: Object) -> Object:
        for column, kind in _COLUMNS.items():
            address = members_of(part.get(f"{kind}_url")).get("url")
            if isinstance(address, str) and part == part_of(kind, address):
                addresses.setdefault(column, []).append(address)
                return {"type": kind}
        return part

    def change(message: Object) -> Object:
        parts = as_list(message.get("content")) or []
        places = [taken_out(members_of(part)) for part in parts]
        if places == parts:
            return message
        is_text = as_text and all(_is_place(each) or _is_plain_text(each) for each in places)
        text = "".join([f"<{each['type']}>" if _is_place(each) else each["text"] for each in places]) if is_text else ""
        return {**message, "content": text if is_text else places}

    return {**writes(_changed(document, change), wording), **addresses}
