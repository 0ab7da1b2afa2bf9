"""Whose signatures an API takes back."""

from __future__ import annotations

from ..model import Message, Signature


def signature_by(message: Message, vendor: str) -> Signature | None:
    """The signature of a message that a vendor may have made; one of which nobody is named may be anybody's.

    Args:
        message: any; one that is empty may be sealed, and a text stands beside its signature.
        vendor: whose API it is.
    """
    signature = message.signature
    if signature is None or signature.vendor not in (None, vendor) or not signature.value:
        return None
    return None if signature.sealed and message.content else signature
