"""Read and write the body of a frame; a developer's has instructions, then a section of declared tools."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.model import Content, Json, Message, Text, Tool, Tools
from ocml_bridge.text.typescript import declare

from .syntax import DEVELOPER, HOME, INSTRUCTIONS, NOTES
from .tools import SECTION, by_namespace, read_section, signature_of, write_tools


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


def write_section(tools: tuple[Tool, ...], layout: dict[str, Any]) -> tuple[str, Body]:
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


def body_of(message: Message) -> str:
    """Return the body of a message, before control tokens in it are broken."""
    content = message.content
    if isinstance(content, str) and message.role != DEVELOPER:
        return content
    layout = NOTES.of(message.layout)
    return write_developer(content, plain=layout.get("plain", False), section=layout.get("tools"))
