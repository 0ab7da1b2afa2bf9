"""Decide which signatures an API accepts."""

from __future__ import annotations

from ..model import Message, Signature


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
