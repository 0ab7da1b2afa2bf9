"""Reasoning items, both ways: a message for each text of what was thought, or of its summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.form import Object
from ocml_bridge.model import Json, Message, Signature, Text
from ocml_bridge.turns import parts_of

from .items import MERGED, Opened, closed
from .parts import read_parts, write_parts
from .syntax import NOTES, REASONING_KEYS, REASONING_ORDER, REASONING_TEXT, SUMMARY, SUMMARY_TEXT

VENDOR: Final = "openai"
"""Whose reasoning the API takes back encrypted."""
ENCRYPTED: Final = "encrypted_content"
_TYPES: Final = {"content": REASONING_TEXT, SUMMARY: SUMMARY_TEXT}


def read_reasoning(item: Object, at: int | None) -> list[Message]:
    """The thoughts of an item: the texts of `content`, where it has none those of `summary`.

    An item without a readable text is a thought all the same. What it is encrypted in is the signature of its last
    message.
    """
    key, found = "content", _read_texts(item, "content")
    if found is None:
        key, found = SUMMARY, _read_texts(item, SUMMARY)
    texts, spelling = found or ([], {})
    sealed: Json = item.get(ENCRYPTED)
    signature = Signature(sealed, VENDOR, sealed=True) if isinstance(sealed, str) and sealed else None
    known = [*([key] if texts else []), *([] if signature is None else [ENCRYPTED])]
    opened = Opened(item, REASONING_ORDER, REASONING_KEYS, known, at)
    opened.layout.update(spelling)
    messages = [
        Message(
            "assistant",
            text.text if text.is_bare else (text,),
            channel="analysis",
            content_type=SUMMARY if key == SUMMARY and texts else None,
        )
        for text in texts or [Text("")]
    ]
    opened.give(messages[0])
    for message in messages[1:]:
        message.layout = NOTES.by_format({**MERGED})
    if not opened.end:
        messages[-1].end = None
    messages[-1].signature = signature
    return messages


def _read_texts(item: Object, key: str) -> tuple[list[Text], Object] | None:
    """The texts of a list, and how they were spelled; None where there are none, or anything else."""
    raws: Json = item.get(key)
    if not isinstance(raws, list) or not raws:
        return None
    parts, spelling = read_parts(cast("list[Json]", raws), _TYPES[key])
    texts = [part for part in parts if isinstance(part, Text) and part.text]
    return (texts, spelling) if len(texts) == len(parts) else None


def signature_of(thought: Message) -> Signature | None:
    """What a thought is encrypted in, where the API can read it: it signs nothing else."""
    signature = thought.signature
    own = signature is not None and signature.sealed and signature.vendor in (None, VENDOR) and signature.value
    return signature if own else None


def write_reasoning(group: Sequence[Message]) -> Object:
    """The item of thoughts that were read from one, or of one thought."""
    key = SUMMARY if all(message.content_type == SUMMARY for message in group) else "content"
    parts = tuple(part for message in group for part in parts_of(message.content) if part != Text(""))
    out: Object = {"type": "reasoning"}
    if parts:
        out[key] = write_parts(parts, _TYPES[key], NOTES.of(group[0].layout))
    signature = next(filter(None, map(signature_of, reversed(group))), None)
    if signature is not None:
        out[ENCRYPTED] = signature.value
    if SUMMARY not in out and SUMMARY not in NOTES.of(group[0].extras):
        out = {"type": "reasoning", SUMMARY: [], **out}
    return closed(out, group, REASONING_ORDER, needs_id=True)
