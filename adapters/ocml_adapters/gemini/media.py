"""Media, both ways: data in the request (`inlineData`), and files by their address (`fileData`)."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from ocml_bridge.blocks.grammar import added, more_of
from ocml_bridge.form import Object
from ocml_bridge.model import Media

from .syntax import FILE, HOME, INLINE, NOTES

_WHERE: Final[dict[str, tuple[str, str]]] = {INLINE: ("data", "data"), FILE: ("fileUri", "url")}
"""Kind of part → its member with the data or the address, and our name for that."""
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
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
    return Media(cast("Any", main if main in _KINDS else "file"), **fields, extras={HOME: more} if more else None)


def write_media(media: Media) -> Object | None:
    """Media as a part; None where there is neither data nor an address, which may stand in the place of data."""
    where = media.url if media.data is None else media.data
    if where is None:
        return None
    kind = FILE if media.data is None or _ADDRESS.match(where) else INLINE
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
        return media.format if "/" in media.format else f"{_type_of(media)}/{media.format}"
    if media.media == "file":
        return None
    ending = next((end for end in _ENDINGS if (media.url or "").lower().endswith(end)), "")
    guess = _ENDINGS.get(ending, "")
    return guess if guess.startswith(media.media) else _USUAL[media.media]


def _type_of(media: Media) -> str:
    return "application" if media.media == "file" else media.media
