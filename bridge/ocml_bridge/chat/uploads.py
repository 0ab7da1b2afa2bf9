"""Recognise files that were uploaded to a vendor, and remove them for the APIs of other vendors."""

from __future__ import annotations

from typing import Final

from ..model import Citation, Media, replace

_STORES: Final[dict[str, str]] = {"https://generativelanguage.googleapis.com/": "google"}
"""The vendors of uploaded files, by the prefix of their URLs."""


def vendor_at(address: str) -> str | None:
    """Return the vendor whose uploaded file a URL is, or None for a public URL."""
    return next((vendor for begin, vendor in _STORES.items() if address.startswith(begin)), None)


def media_for(media: Media, vendor: str | None) -> Media:
    """Return media for a vendor's API: without the id or URL of a file that was uploaded to another vendor.

    Args:
        media: the media; a file without a vendor may be anybody's.
        vendor: the vendor of the API; None for an API without uploads.
    """
    if media.vendor in (None, vendor):
        return media
    if media.file_id is not None:
        return replace(media, file_id=None, vendor=None)
    return replace(media, url=None, vendor=None)


def citation_for(citation: Citation, vendor: str) -> Citation:
    """Return a citation for a vendor's API: without the id of a file that was uploaded to another vendor."""
    return citation if citation.vendor in (None, vendor) else replace(citation, file_id=None, vendor=None)
