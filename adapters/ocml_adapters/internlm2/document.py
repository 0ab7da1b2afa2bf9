"""Transcript ↔ the messages that stand in the text, the declared tools among them, and what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ocml_bridge.model import Json, Message, Tools, Transcript
from ocml_bridge.text.edges import by_format, gap_behind, is_trivia, kept_by, may_stand
from ocml_bridge.text.im import Frame

from .syntax import GRAMMAR, HOME, SPELLINGS
from .tools import place, tools_of


def assemble(
    messages: Sequence[Message],
    opening: Message | None,
    tools: tuple[Message, int] | None,
    dialect: str,
    tail: str,
    last: Frame | None,
    most: int,
) -> Transcript:
    """The transcript of messages, with what it must remember of their surroundings.

    Args:
        messages: all but the one that the transcript's tools are from.
        opening: the open turn.
        tools: that one, and how many messages stand before it.
        dialect: how most tokens are spelled.
        tail: what stands behind the last frame.
        last: that frame.
        most: where the tools stand by default.
    """
    layout = layout_for(dialect)
    extras: dict[str, Json] = {}
    if tail != gap_behind(last):
        (layout if is_trivia(tail) else extras)["tail"] = tail
    if tools is not None:
        declared, at = tools
        # A list without tools is written only where it was read.
        if at != most or not tools_of(declared):
            layout["tools_at"] = at
        if declared.layout is not None:
            layout["tools"] = declared.layout[HOME]
        if declared.extras is not None:
            extras["tools"] = declared.extras[HOME]
    return Transcript(
        tuple(messages),
        None if tools is None else tools_of(tools[0]),
        open_turn=opening,
        layout=by_format(HOME, layout),
        extras=by_format(HOME, extras),
    )


def layout_for(dialect: str) -> dict[str, Json]:
    """What a transcript remembers of its dialect."""
    return {} if dialect == "im" else {"spelling": dialect}


def lower_tools(transcript: Transcript) -> tuple[list[Message], int | None]:
    """The messages with the transcript's tools in one of their own, and its index; None where there are none."""
    messages = list(transcript.messages)
    if transcript.tools is None:
        return messages, None
    layout, extras = kept_by(HOME, transcript.layout), kept_by(HOME, transcript.extras)
    most, at = place(messages), layout.get("tools_at")
    at = at if isinstance(at, int) and 0 <= at <= most else most
    declared = Message("system", (Tools(transcript.tools),))
    declared.layout, declared.extras = (
        {HOME: cast("dict[str, Json]", edges)} if isinstance(edges := kept.get("tools"), dict) else None
        for kept in (layout, extras)
    )
    messages.insert(at, declared)
    return messages, at


def tail_of(transcript: Transcript, last: Frame | None) -> str:
    """What stands behind the last frame, remembered or by default."""
    raw = kept_by(HOME, transcript.layout, transcript.extras).get("tail")
    if isinstance(raw, str) and may_stand(raw, GRAMMAR, last) and (last is not None or not raw.strip()):
        return raw
    return gap_behind(last)


def dialect_of(transcript: Transcript) -> str:
    """The dialect that a transcript remembers, or the default one."""
    spelling = kept_by(HOME, transcript.layout).get("spelling")
    return spelling if isinstance(spelling, str) and spelling in SPELLINGS else "im"
