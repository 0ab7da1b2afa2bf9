"""Data URLs (RFC 2397) in base64, as JSON wires have media in them."""

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
