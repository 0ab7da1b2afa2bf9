"""Messages, what stands around them, and the developer's body, as readers, writers and streams have them in common."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import lift_tools, lower_tools, parts_of
from ocml_bridge.formats.boundary import EDGES
from ocml_bridge.model import Content, Json, Message, Text, Tool, Tools, Transcript, replace
from ocml_bridge.text.typescript import declare
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.heads import Item, item_of, messages_of

from .header import Fields, fields_of, is_short, regular, spell
from .syntax import CHANNELS, DEVELOPER, HOME, INSTRUCTIONS, NOTES, ROLES, START, SYSTEM, TOOL
from .tools import SECTION, by_namespace, read_section, signature_of, write_tools

# --- the developer's body ---------------------------------------------------------------------------------------------


class Body(NamedTuple):
    """What a body says.

    Attributes:
        content: the content that it is.
        plain: whether it is a developer's without the heading that we write.
        section: the section of its declared tools, where it is not spelled as we would spell it.
        opaque: whether it has such a section that stays text, because it is not understood.
        unread: of declared tools, the names of those whose parameters stay text.
    """

    content: Content
    plain: bool = False
    section: str | None = None
    opaque: bool = False
    unread: tuple[str, ...] = ()


def read_body(role: str, text: str) -> Body:
    """The content that a body is."""
    return read_developer(text) if role == DEVELOPER else Body(text)


def read_developer(body: str) -> Body:
    """A developer's body: instructions, then tools."""
    at = body.rfind(SECTION)
    first = len(INSTRUCTIONS) + 2 if body.startswith(INSTRUCTIONS) else 0
    if at != 0 and not (at >= first and body.startswith("\n\n", at - 2)):
        return Body(*_instructions(body))
    section = read_section(body[at:])
    if section is None:
        return Body(*_instructions(body), opaque=True)
    tools, raw, unread = section
    if at == 0:
        return Body((tools,), section=raw, unread=unread)
    text, plain = _instructions(body[: at - 2])
    return Body((Text(text), tools), plain, raw, unread=unread)


def _instructions(text: str) -> tuple[str, bool]:
    rest = text.removeprefix(INSTRUCTIONS)
    return rest, len(rest) == len(text)


def write_developer(content: Content, *, plain: bool, section: Json = None) -> str:
    """A developer's content as body: instructions, then tools.

    Args:
        content: its content.
        plain: without the heading of the instructions.
        section: how the tools are spelled, where that still says the same.
    """
    sections: list[str] = []
    for part in parts_of(content):
        if isinstance(part, Text):
            sections.append(part.text if plain else INSTRUCTIONS + part.text)
        else:
            tools = cast("Tools", part)
            read = read_section(section) if isinstance(section, str) and section.startswith(SECTION) else None
            raw = read.raw if read is not None and read.tools == tools else None
            sections.append(raw or write_tools(tools.tools))
    return "\n\n".join(sections)


def spell_developer(content: Content, layout: dict[str, Any]) -> tuple[str, Body]:
    """A developer's content as body, and what that is read as.

    Args:
        content: its content.
        layout: how the message that it is of was spelled.
    """
    plain = layout.get("plain") is True and not write_developer(content, plain=True).startswith(INSTRUCTIONS)
    body = write_developer(content, plain=plain, section=layout.get("tools"))
    return body, read_developer(body)


def declared(tools: tuple[Tool, ...], layout: dict[str, Any]) -> tuple[str, Body]:
    """The section that declares tools, and what it is read as.

    Args:
        tools: that are declared.
        layout: how they were spelled.
    """
    described = "tools" in layout or not tools or any(HOME in tool.extras for tool in tools if tool.extras)
    found = None if described else declare(tools)
    return spell_developer((Tools(tools),), layout) if found is None else (found[0], Body((Tools(found[1]),)))


def is_readable(tools: tuple[Tool, ...], read: Body) -> bool:
    """Whether a section is read as just so many tools, and none stays text that is not so already."""
    (content,) = read.content if len(read.content) == 1 else (None,)
    if not isinstance(content, Tools) or len(content.tools) != len(tools):
        return False
    return all(
        signature_of(tool) == signature_of(one) for tool, one in zip(by_namespace(tools), content.tools, strict=True)
    )


def is_in_place(role: str, content: Content) -> bool:
    """Whether declared tools stand where Harmony has them: last in a developer's message."""
    if isinstance(content, str):
        return True
    declared = [isinstance(part, Tools) for part in content]
    return not any(declared) or (role == DEVELOPER and declared[-1] and sum(declared) == 1)


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
    return Conversation(items, replace(around, tools=tools), lifted=at if len(left) < len(as_written) else None)


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
