"""What is kept although the Responses API does not have it so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.form import Object
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Foreign, Json, Message
from ocml_bridge.turns import FUNCTIONS, is_call

from .calls import PARSED
from .messages import has_unknown_phase
from .syntax import NOTES, ROLES


def notice(unit: Json, made: Sequence[Message], index: int, log: Log) -> None:
    """Note what is kept of an item.

    Args:
        unit: the item.
        made: its messages.
        index: the place of the first of these.
        log: where it is noted.
    """
    if not isinstance(unit, dict):
        return
    item = cast("Object", unit)
    if made and made[0].role == "tool" and item.get("role") == "tool":
        detail = "a tool's reply has the shape of Chat Completions; it is read as a reply"
        log.find(FindingCode.SHAPE, f"/messages/{index}", detail)
    for at, message in enumerate(made, index):
        path, layout = f"/messages/{at}", NOTES.of(message.layout)
        if message.role not in ROLES and message.role != "tool":
            detail = f"the Responses API has no role {message.role[:40]!r}; the role is kept as it is"
            log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail)
        if layout.get("content") == "item":
            kind = str(item.get("type"))[:40]
            log.find(FindingCode.SHAPE, path, f"an item of type {kind!r} is not understood; it is kept as it is")
        elif layout.get("content") == "bare":
            log.find(
                FindingCode.SHAPE,
                f"{path}/content",
                "content is neither a text nor a list of parts; it is kept as it is",
            )
        elif isinstance(message.content, tuple):
            for place, part in enumerate(message.content):
                if isinstance(part, Foreign):
                    detail = "this part of the content is not understood; it is kept as it is"
                    log.find(FindingCode.SHAPE, f"{path}/content/{place}", detail)
        if layout.get("body") == PARSED:
            log.find(
                FindingCode.SHAPE, f"{path}/content", "the value is not a text but other JSON; it is kept as it is"
            )
        if is_call(message) and message.recipient == FUNCTIONS:
            detail = f"a call has an empty name; it is read as a call to {FUNCTIONS!r}, which is not a tool"
            log.find(FindingCode.SHAPE, f"{path}/recipient", detail)
        if has_unknown_phase(message):
            detail = f"the Responses API has no phase {str(message.channel)[:40]!r}; it is kept as the channel"
            log.find(FindingCode.UNKNOWN_CHANNEL, f"{path}/channel", detail)
