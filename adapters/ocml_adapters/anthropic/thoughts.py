"""Thoughts as blocks, both ways: thinking with its signature, and thinking that is sealed."""

from __future__ import annotations

from typing import Final

from ocml_bridge.form import Object, form_of, rest
from ocml_bridge.model import Message, Signature
from ocml_bridge.signatures import signature_by

from .notes import by_format, with_notes
from .syntax import HOME, REDACTED, REDACTED_ORDER, THINKING, THINKING_ORDER

VENDOR: Final = "anthropic"
"""Whose signatures the API takes back."""
_BARE: Final = ("type", "thinking")


def read_thinking(block: Object) -> Message | None:
    """The thought that a block is; its text may be empty, and sealed in its signature."""
    text, signature = block.get("thinking"), block.get("signature")
    if not isinstance(text, str) or not (signature is None or isinstance(signature, str)):
        return None
    return _thought(text, Signature(signature, VENDOR) if signature else None, block, _BARE, THINKING_ORDER)


def read_redacted(block: Object) -> Message | None:
    """The sealed thought that a block is, which nobody can read."""
    data = block.get("data")
    if not isinstance(data, str) or not data:
        return None
    return _thought("", Signature(data, VENDOR, sealed=True), block, REDACTED_ORDER, REDACTED_ORDER)


def _thought(
    text: str, signature: Signature | None, block: Object, known: tuple[str, ...], order: tuple[str, ...]
) -> Message:
    """A thought with what else its block says, and how; as many keys are known as the signature is one of."""
    taken = known if signature is None else order
    form = form_of(block, order, frozenset(order), taken)
    layout = {} if form is None else {"form": form}
    message = Message("assistant", text, None, "analysis", signature=signature)
    message.extras, message.layout = by_format(rest(block, taken)), by_format(layout)
    return message


def is_from_here(message: Message) -> bool:
    """Whether a thought was made by a model of this API, or read from a block: it takes back those, and no others."""
    return signature_of(message) is not None or any(
        homes is not None and HOME in homes for homes in (message.extras, message.layout)
    )


def signature_of(message: Message) -> Signature | None:
    """The signature of a thought, where it is one that the API may have made."""
    return signature_by(message, VENDOR)


def write_thought(message: Message) -> Object:
    """A thought as a block."""
    signature = signature_of(message)
    if signature is not None and signature.sealed:
        return with_notes(message, {"type": REDACTED, "data": signature.value}, REDACTED_ORDER, REDACTED_ORDER)
    block: Object = {"type": THINKING, "thinking": message.content}
    if signature is not None:
        return with_notes(message, {**block, "signature": signature.value}, THINKING_ORDER, THINKING_ORDER)
    if not is_from_here(message):
        block["signature"] = ""
    return with_notes(message, block, THINKING_ORDER, _BARE)
