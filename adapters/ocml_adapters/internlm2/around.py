"""What stands around the messages: the spelling, the tail, and the frame that declares the transcript's tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.model import Json, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.edges import by_format, gap_behind, is_trivia, kept_by, may_stand
from ocml_bridge.text.im import Frame
from ocml_bridge.units.heads import Item, message_of

from .syntax import GRAMMAR, HOME, SPELLINGS
from .tools import declares, normal, tools_of

_PLACE: Final = "tools_at"
"""The key of how many messages stand before the tools."""
_EDGES: Final = "tools"
"""The key of how the tools' frame is spelled."""


def dialect_of(around: Transcript) -> str:
    """The dialect that a transcript remembers, or the default one."""
    spelling = kept_by(HOME, around.layout).get("spelling")
    return spelling if isinstance(spelling, str) and spelling in SPELLINGS else "im"


def tail_of(around: Transcript, last: Frame | None) -> str:
    """What stands behind the last frame, remembered or by default."""
    raw = kept_by(HOME, around.layout, around.extras).get("tail")
    if isinstance(raw, str) and may_stand(raw, GRAMMAR, last) and (last is not None or not raw.strip()):
        return raw
    return gap_behind(last)


def around_of(dialect: str, tail: str, last: Frame | None, opening: Message | None) -> Transcript:
    """A transcript without messages and tools, with what it remembers of how it is spelled.

    Args:
        dialect: how most tokens are spelled.
        tail: what stands behind the last frame.
        last: that frame.
        opening: the open turn.
    """
    layout: dict[str, Json] = {} if dialect == "im" else {"spelling": dialect}
    extras: dict[str, Json] = {}
    if tail != gap_behind(last):
        (layout if is_trivia(tail) else extras)["tail"] = tail
    return Transcript(open_turn=opening, layout=by_format(HOME, layout), extras=by_format(HOME, extras))


# --- declared tools ---------------------------------------------------------------------------------------------------


def declared_in(around: Transcript) -> tuple[Tool, ...] | None:
    """The transcript's tools, where they are written: a list without any is only where it was read from this format."""
    return around.tools if around.tools or _PLACE in kept_by(HOME, around.layout) else None


def message_with_tools(tools: Sequence[Tool], around: Transcript) -> Message:
    """The message that declares tools, with what a transcript remembers of its frame."""
    layout, extras = (
        by_format(HOME, cast("dict[str, Json]", edges)) if isinstance(edges := kept.get(_EDGES), dict) else None
        for kept in (kept_by(HOME, around.layout), kept_by(HOME, around.extras))
    )
    return Message("system", (Tools(tuple(map(normal, tools))),), layout=layout, extras=extras)


def default_place(items: Sequence[Item]) -> int:
    """Where the transcript's tools stand by default: behind the system messages that lead, before other tools."""
    for at, item in enumerate(items):
        if item[0].role != "system" or (not isinstance(item[1], str) and declares(message_of(item))):
            return at
    return len(items)


def place_of(around: Transcript, most: int) -> int:
    """How many messages stand before the transcript's tools, remembered or by default (`most`)."""
    at = kept_by(HOME, around.layout).get(_PLACE)
    return at if isinstance(at, int) and 0 <= at <= most else most


def with_tools(around: Transcript, declared: Message, at: int, most: int) -> Transcript:
    """A transcript without messages, with the tools that a message declares.

    Args:
        around: the transcript.
        declared: the message.
        at: how many messages stand before it.
        most: how many do by default.
    """
    layout, extras = kept_by(HOME, around.layout), kept_by(HOME, around.extras)
    tools = tools_of(declared)
    if at != most or not tools:
        layout[_PLACE] = at
    for kept, edges in ((layout, declared.layout), (extras, declared.extras)):
        if edges is not None:
            kept[_EDGES] = edges[HOME]
    return replace(around, tools=tools, layout=by_format(HOME, layout), extras=by_format(HOME, extras))
