"""Read and write the parts that all readers and writers share.

These are the developer's body with its declared tools, the header of a message, and the text around messages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import extract_tools, insert_tools, parts_of
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
    """A body, read.

    Attributes:
        content: the content.
        plain: whether it is a developer's body without the heading `# Instructions`.
        section: the section of declared tools, if we would write it differently.
        opaque: whether it has a section of tools that is not understood and stays text.
        unread: the names of the declared tools whose parameters are not understood and stay text.
    """

    content: Content
    plain: bool = False
    section: str | None = None
    opaque: bool = False
    unread: tuple[str, ...] = ()


def read_body(role: str, text: str) -> Body:
    """Read the body of a message with a role."""
    return read_developer(text) if role == DEVELOPER else Body(text)


def read_developer(body: str) -> Body:
    """Read a developer's body: instructions, then a section of tools."""
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
    """Write the content of a developer message as its body: instructions, then a section of tools.

    Args:
        content: the content.
        plain: whether to leave out the heading of the instructions.
        section: the section of tools in the layout; it is used if it still declares the same tools.
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
    """Write the content of a developer message; return the body, and what it reads as.

    Args:
        content: the content.
        layout: Harmony's layout of the message.
    """
    plain = layout.get("plain") is True and not write_developer(content, plain=True).startswith(INSTRUCTIONS)
    body = write_developer(content, plain=plain, section=layout.get("tools"))
    return body, read_developer(body)


def declared(tools: tuple[Tool, ...], layout: dict[str, Any]) -> tuple[str, Body]:
    """Write the section that declares tools; return it, and what it reads as.

    Args:
        tools: the tools.
        layout: Harmony's layout of the message, or of the document, that declares them.
    """
    described = "tools" in layout or not tools or any(HOME in tool.extras for tool in tools if tool.extras)
    found = None if described else declare(tools)
    return spell_developer((Tools(tools),), layout) if found is None else (found[0], Body((Tools(found[1]),)))


def is_readable(tools: tuple[Tool, ...], read: Body) -> bool:
    """Return whether a section reads as the same number of tools, and leaves no other parameters as text than before.

    Args:
        tools: the tools that the section was written for.
        read: what the section reads as.
    """
    (content,) = read.content if len(read.content) == 1 else (None,)
    if not isinstance(content, Tools) or len(content.tools) != len(tools):
        return False
    return all(
        signature_of(tool) == signature_of(one) for tool, one in zip(by_namespace(tools), content.tools, strict=True)
    )


def is_in_place(role: str, content: Content) -> bool:
    """Return whether declared tools, if there are any, are the last part of a developer message, and the only ones."""
    if isinstance(content, str):
        return True
    declared = [isinstance(part, Tools) for part in content]
    return not any(declared) or (role == DEVELOPER and declared[-1] and sum(declared) == 1)


def make(fields: Fields, content: Content, end: Any, layout: dict[str, Any], extras: dict[str, Any]) -> Message:
    """Build a message from the fields of its header; an empty layout, or empty extras, become None."""
    return Message(
        **fields._asdict(),
        content=content,
        end=end,
        layout={HOME: layout} if layout else None,
        extras={HOME: extras} if extras else None,
    )


def place_of_tools(items: Sequence[Item]) -> int:
    """Return the index after all leading system messages: a developer message with the tools is, or belongs, there."""
    at = 0
    while at < len(items) and items[at][0].role == SYSTEM:
        at += 1
    return at


def with_extracted_tools(items: list[Item], around: Transcript) -> Conversation:
    """Return the conversation; tools that the first developer message declares become the tools of the document.

    They stay in the message if writing them would not give the same messages again, or if its layout has more than the
    spelling of the tools.

    Args:
        items: the messages as they stand in the text; the list may be changed.
        around: the transcript without its messages and without tools.
    """
    at = place_of_tools(items)
    if at == len(items) or items[at][1].__class__ is str:
        return Conversation(items, around)
    # The next message counts, too: if it is a developer message, the tools would be written into it.
    as_written = messages_of(items[at : at + 2])
    left, tools, layout = extract_tools(as_written)
    if tools is None or insert_tools(Transcript(left, tools), layout) != as_written:
        return Conversation(items, around)
    if layout is not None:
        # The message is gone: its layout moves to the document, which can store only the spelling of the tools.
        section = NOTES.of(layout).get("tools")
        if layout != {HOME: {"tools": section}}:
            return Conversation(items, around)
        around = replace(around, layout={HOME: {**NOTES.of(around.layout), "tools": section}})
    items[at : at + 1] = map(item_of, left[: len(left) - len(as_written) + 1])
    declaration_at = at if len(left) < len(as_written) else None
    return Conversation(items, replace(around, tools=tools), declaration_at=declaration_at)


def common_header(message: Message) -> str | None:
    """Return the header, from `<|start|>` on, of a message with only a role and a channel; None for all others."""
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
    """Return the raw header, from `<|start|>` on; after a generation prompt, without `<|start|>` and the role."""
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
    """Return the body of a message, before control tokens in it are broken."""
    content = message.content
    if isinstance(content, str) and message.role != DEVELOPER:
        return content
    layout = NOTES.of(message.layout)
    return write_developer(content, plain=layout.get("plain", False), section=layout.get("tools"))


# --- around messages --------------------------------------------------------------------------------------------------

LINE_END: Final = re.compile(r"\r?\n")
"""A line end, as at the end of a text file."""
_FINAL: Final = re.compile(r"\r?\n\Z")


def is_edge(text: str) -> bool:
    """Return whether a text consists of tokens that begin or end a conversation, and white space."""
    return EDGES.is_trivia(text) and not text.isspace() and text != ""


def split_tail(text: str) -> tuple[str, str]:
    """Split the text after the messages into a tail and the line end of the file ("" if there is none)."""
    ending = _FINAL.search(text)
    at = len(text) if ending is None else ending.start()
    return (text[:at], text[at:]) if at == 0 or is_edge(text[:at]) else (text, "")


def remembered(
    layout: dict[str, Any], turn: Message | None, *, is_empty: bool, cut_off: bool, is_text: bool
) -> dict[str, Any]:
    """Return the members of a transcript's layout that still fit its messages.

    Args:
        layout: Harmony's layout of the transcript, whose messages may have changed.
        turn: the open turn.
        is_empty: whether there is no message.
        cut_off: whether the last message has no end.
        is_text: whether the output is text, not token ids.
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
