"""Media as JSON wires have them: data URLs (RFC 2397), other addresses, media types, and what images are told by."""

from __future__ import annotations

import re
from typing import Final

from ..model import Media

_DATA_URL: Final = re.compile(r"data:([^;,]*);base64,")


_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def scheme(address: str) -> str | None:
    """The scheme of an address that names a place, such as `https` or `s3`, in small letters; None where there is none.

    Data URLs name no place.
    """
    found = _SCHEME.match(address)
    return None if found is None else found[1].lower()


def opened(url: str) -> tuple[str, str | None] | None:
    """The base64 data of a data URL, and its media type where it names one; None for any other address."""
    found = _DATA_URL.match(url)
    return None if found is None else (url[found.end() :], found[1] or None)


def data_of(url: str) -> str | None:
    """The base64 data of a data URL; None for any other address."""
    found = _DATA_URL.match(url) if url.startswith("data:") else None
    return None if found is None else url[found.end() :]


def data_url(data: str, media_type: str | None) -> str:
    """The data URL of base64 data."""
    return f"data:{media_type or ''};base64,{data}"


def media_type(media: Media) -> str | None:
    """The media type of media, where they say any: a bare format, such as `webp`, is one of its kind."""
    if not media.format or "/" in media.format:
        return media.format
    return f"{'application' if media.media == 'file' else media.media}/{media.format}"


_SOUNDS: Final[dict[str, str]] = {"mpeg": "mp3", "x-mp3": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav"}
"""Subtypes of sounds → what APIs call them that have no media types."""


def sound_format(media: Media) -> str | None:
    """The format of a sound as APIs have it that have no media types, such as `mp3`."""
    kind, _, name = (media.format or "").rpartition("/")
    return _SOUNDS.get(name, name) if kind == "audio" else media.format


_BEGINNINGS: Final[dict[str, str]] = {"iVBOR": "png", "/9j/": "jpeg", "R0lG": "gif", "UklG": "webp"}
"""How the base64 of images begins → their format."""
BINARY: Final = frozenset({"iVBOR", "/9j/"})
"""Beginnings of images that no text has."""


def image_format(data: str) -> str | None:
    """The format of an image, such as `png`, by how its base64 begins; None where that does not tell it."""
    return _BEGINNINGS.get(beginning(data))


def beginning(data: str) -> str:
    """What tells the format of an image in how its base64 begins; "" where that does not tell it."""
    return next((begin for begin in _BEGINNINGS if data.startswith(begin)), "")
