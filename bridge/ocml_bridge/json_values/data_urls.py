"""Read and write data URLs (RFC 2397), and find out the media type or format of media."""

from __future__ import annotations

import base64
import re
from typing import Any, Final

from ..model import Media

_DATA_URL: Final = re.compile(r"data:([^;,]*);base64,")


_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def scheme(address: str) -> str | None:
    """Return the scheme of a URL with `://`, such as `https` or `s3`, in lower case; None for others, as data URLs."""
    match = _SCHEME.match(address)
    return None if match is None else match[1].lower()


def split_data_url(url: str) -> tuple[str, str | None] | None:
    """Return the base64 data of a data URL, and its media type or None; None for any other URL."""
    match = _DATA_URL.match(url)
    return None if match is None else (url[match.end() :], match[1] or None)


def open_data_url(fields: dict[str, Any], name: str) -> None:
    """Replace a data URL in a field of media by its base64 data and its media type."""
    parsed = split_data_url(fields.get(name, ""))
    if parsed is not None:
        del fields[name]
        fields["data"], fields["format"] = parsed


def data_of(url: str) -> str | None:
    """Return the base64 data of a data URL; None for any other URL."""
    match = _DATA_URL.match(url) if url.startswith("data:") else None
    return None if match is None else url[match.end() :]


def text_of_file(media: Media) -> str | None:
    """Return the text of a file of a text type, such as plain text or CSV.

    None for other media, and if the data is not the base64 of UTF-8.
    """
    if media.media != "file" or media.data is None or not (media.format or "").startswith("text/"):
        return None
    try:
        return base64.b64decode(media.data, validate=True).decode()
    except ValueError:
        return None


def data_url(data: str, media_type: str | None) -> str:
    """Return the data URL of base64 data."""
    return f"data:{media_type or ''};base64,{data}"


def media_type(media: Media) -> str | None:
    """Return the media type of media, or None if it has no format: `webp` of an image becomes `image/webp`."""
    if not media.format or "/" in media.format:
        return media.format
    return f"{'application' if media.media == 'file' else media.media}/{media.format}"


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
DOCUMENT_TYPES: Final[dict[str, str]] = {
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
"""The media types of documents, by the extension of their names."""
DOCUMENT: Final = "document"
"""The name of a document without one, for APIs that require one."""


def name_of_file(media: Media) -> str:
    """Return a name for a file without one, with the extension of its type if that is known: `document.pdf`."""
    extension = next((each for each, kind in DOCUMENT_TYPES.items() if kind == media_type(media)), None)
    return DOCUMENT if extension is None else f"{DOCUMENT}.{extension}"


_SOUNDS: Final[dict[str, str]] = {"mpeg": "mp3", "x-mp3": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav"}
"""The names of audio formats in APIs without media types, by subtype."""


def sound_format(media: Media) -> str | None:
    """Return the format of a sound for APIs without media types, such as `mp3`."""
    kind, _, name = (media.format or "").rpartition("/")
    return _SOUNDS.get(name, name) if kind == "audio" else media.format


def field_of(media: Media, name: str) -> str | None:
    """Return a field of media as an API has it that has no media types, but formats of sounds."""
    return sound_format(media) if name == "format" else getattr(media, name)


_BEGINNINGS: Final[dict[str, str]] = {"iVBOR": "png", "/9j/": "jpeg", "R0lG": "gif", "UklG": "webp"}
"""The formats of images, by the prefix of their base64 data."""
BINARY: Final = frozenset({"iVBOR", "/9j/"})
"""The prefixes that cannot be the base64 data of a text."""


def image_format(data: str) -> str | None:
    """Return the format of an image, such as `png`, from the prefix of its base64 data; None if it is unknown."""
    return _BEGINNINGS.get(beginning(data))


def image_of(data: str) -> Media:
    """Return the image with these base64 data, whose prefix shows its format if that is known."""
    known = image_format(data)
    return Media("image", data=data, format=None if known is None else f"image/{known}")


def beginning(data: str) -> str:
    """Return the prefix of an image's base64 data that shows its format; "" if it is unknown."""
    return next((begin for begin in _BEGINNINGS if data.startswith(begin)), "")
