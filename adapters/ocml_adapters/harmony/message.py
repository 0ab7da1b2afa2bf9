"""Messages, and what stands around them, as the reader, the writers and the streams have them in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from ocml_bridge.boundary import EDGES
from ocml_bridge.model import Content, Message, Transcript, replace
from ocml_bridge.turns import lift_tools, lower_tools
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of

from .body import write_developer
from .header import Fields, fields_of, is_short, regular, spell
from .syntax import CHANNELS, DEVELOPER, HOME, NOTES, ROLES, START, SYSTEM, TOOL


def make(fields: Fields, content: Content, end: Any, layout: dict[str, Any], extras: dict[str, Any]) -> Message:
    """A message; an empty layout is none."""
    return Message(
        **fields._asdict(),
        content=content,
        end=end,
        layout={HOME: layout} if layout else None,
        extras={HOME: extras} if extras else None,
    )


def place_of_tools(items: Sequence[Item]) -> int:
    """The index of the developer's message with the tools, or where it goes: behind the leading system messages."""
    at = 0
    while at < len(items) and items[at][0].role == SYSTEM:
        at += 1
    return at


def lifted(items: list[Item], around: Transcript) -> Conversation:
    """A conversation: the tools of the first developer's message, where it has some, are declared apart.

    Args:
        items: the messages as they stand in the text; the list may be changed.
        around: the transcript without them, and without tools.
    """
    at = place_of_tools(items)
    if at == len(items) or items[at][1].__class__ is str:
        return Conversation(items, around)
    # The message behind it would take the tools in, if it is a developer's, too.
    as_written = messages_of(items[at : at + 2])
    left, tools, layout = lift_tools(as_written)
    if tools is None or lower_tools(Transcript(left, tools), layout) != as_written:
        return Conversation(items, around)
    if layout is not None:
        # Of the layout of a message that holds nothing else, only how the tools are spelled is theirs.
        section = NOTES.of(layout).get("tools")
        if layout != {HOME: {"tools": section}}:
            return Conversation(items, around)
        around = replace(around, layout={HOME: {**NOTES.of(around.layout), "tools": section}})
    items[at : at + 1] = map(item_of, left[: len(left) - len(as_written) + 1])
    return Conversation(items, replace(around, tools=tools))


def common_header(message: Message) -> str | None:
    """The header that says nothing but a role and a channel, as most do; None where there is more to say."""
    if (
        message.name is None
        and message.recipient is None
        and message.intent is None
        and message.constraint is None
        and message.content_type is None
    ):
        return _COMMON.get((message.role, message.channel))
    return None


_COMMON: Final = {
    (fields.role, fields.channel): START + spell(fields)
    for role in sorted(ROLES - {TOOL})
    for channel in (None, *sorted(CHANNELS))
    if regular(spell(fields := Fields(role, channel=channel))) == fields
}


def header_of(message: Message, *, prompted: bool) -> str:
    """The raw header, from `<|start|>` on; behind a generation prompt, what follows it."""
    if not prompted and message.layout is None and (common := common_header(message)) is not None:
        return common
    raw: Any = NOTES.of(message.layout).get("header") if message.layout is not None else None
    if raw is None:
        fields = fields_of(message)
        raw = _spelled(fields, prompted) if is_short(fields) else spell(fields, prompted=prompted)
    return raw if prompted else START + raw


@lru_cache(maxsize=2048)
def _spelled(fields: Fields, prompted: bool) -> str:
    return spell(fields, prompted=prompted)


def body_of(message: Message) -> str:
    """The body as it is meant, control tokens included."""
    content = message.content
    if isinstance(content, str) and message.role != DEVELOPER:
        return content
    layout = NOTES.of(message.layout)
    return write_developer(content, plain=layout.get("plain", False), section=layout.get("tools"))


# --- around messages --------------------------------------------------------------------------------------------------

LINE_END: Final = re.compile(r"\r?\n")
"""How a text file may end."""
_FINAL: Final = re.compile(r"\r?\n\Z")


def is_edge(text: str) -> bool:
    """Whether a text around the messages is the token that begins or ends a conversation, with white space at most."""
    return EDGES.is_trivia(text) and not text.isspace() and text != ""


def split_tail(text: str) -> tuple[str, str]:
    """What stands behind the messages of a text, and the line end of the file, which says nothing of it."""
    ending = _FINAL.search(text)
    at = len(text) if ending is None else ending.start()
    return (text[:at], text[at:]) if at == 0 or is_edge(text[:at]) else (text, "")


def remembered(
    layout: dict[str, Any], turn: Message | None, *, is_empty: bool, cut_off: bool, is_text: bool
) -> dict[str, Any]:
    """What of a transcript's layout is written.

    Args:
        layout: Harmony's, whose messages may be others by now.
        turn: the open turn.
        is_empty: whether there is no message.
        cut_off: whether the last message has no end.
        is_text: whether it is written as text, not as token ids.
    """
    members: dict[str, Any] = {}
    prompted = layout.get("prompted") is True
    if prompted and (not is_empty or (turn is not None and turn.channel is not None)):
        members["prompted"] = True
    tail, line_end = (text if isinstance(text := layout.get(key), str) else "" for key in ("tail", "line_end"))
    if is_text:
        tail, line_end = split_tail(tail + line_end)
    if not cut_off and ((LINE_END.fullmatch(tail) and not is_text) or (is_edge(tail) and turn is None)):
        members["tail"] = tail
    if not cut_off and is_text and LINE_END.fullmatch(line_end):
        members["line_end"] = line_end
    front = layout.get("front")
    if isinstance(front, str) and is_edge(front) and not prompted and not (is_empty and turn is None):
        members["front"] = front
    return members
