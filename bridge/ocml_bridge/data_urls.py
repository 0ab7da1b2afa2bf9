"""Data in base64, as JSON wires have media in them: data URLs (RFC 2397), and what images are told by."""

from __future__ import annotations

import re
from typing import Final

_DATA_URL: Final = re.compile(r"data:([^;,]*);base64,")


def opened(url: str) -> tuple[str, str | None] | None:
    """The base64 data of a data URL, and its media type where it names one; None for any other address."""
    found = _DATA_URL.match(url)
    return None if found is None else (url[found.end() :], found[1] or None)


def data_url(data: str, media_type: str | None) -> str:
    """The data URL of base64 data."""
    return f"data:{media_type or ''};base64,{data}"


_BEGINNINGS: Final[dict[str, str]] = {"iVBOR": "png", "/9j/": "jpeg", "R0lG": "gif", "UklG": "webp"}
"""How the base64 of images begins → their format."""


def image_format(data: str) -> str | None:
    """The format of an image, such as `png`, by how its base64 begins; None where that does not tell it."""
    return next((name for begin, name in _BEGINNINGS.items() if data.startswith(begin)), None)
