"""Decide what the API of a vendor accepts: signatures, and files that were uploaded to the vendor."""

from __future__ import annotations

from typing import Final

from ..model import Citation, Media, Message, Signature, replace

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


def signature_by(message: Message, vendor: str) -> Signature | None:
    """Return the signature of a message if the API of a vendor may accept it, else None.

    A signature without a vendor may be anybody's. A sealed signature replaces the text, so the message must have none.

    Args:
        message: the message.
        vendor: the vendor of the API.
    """
    signature = message.signature
    if signature is None or signature.vendor not in (None, vendor) or not signature.value:
        return None
    return None if signature.sealed and message.content else signature
