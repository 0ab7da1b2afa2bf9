"""Files that were uploaded to a vendor: only its own API finds them again."""

from __future__ import annotations

from typing import Final

from ..model import Citation, Media, replace

_STORES: Final[dict[str, str]] = {"https://generativelanguage.googleapis.com/": "google"}
"""How the addresses begin at which a vendor has the files that were uploaded to it → that vendor."""


def vendor_at(address: str) -> str | None:
    """The vendor that has an uploaded file at an address; None for an address where anybody may look."""
    return next((vendor for begin, vendor in _STORES.items() if address.startswith(begin)), None)


def media_for(media: Media, vendor: str | None) -> Media:
    """Media as a vendor's API finds them: without a file that was uploaded to another vendor.

    Args:
        media: any; a file of which no vendor is named may be anybody's.
        vendor: whose API it is; None for one that has no files of its own.
    """
    if media.vendor in (None, vendor):
        return media
    if media.file_id is not None:
        return replace(media, file_id=None, vendor=None)
    return replace(media, url=None, vendor=None)


def citation_for(citation: Citation, vendor: str) -> Citation:
    """A citation as a vendor's API understands it: without the id of a file that was uploaded to another vendor."""
    return citation if citation.vendor in (None, vendor) else replace(citation, file_id=None, vendor=None)
