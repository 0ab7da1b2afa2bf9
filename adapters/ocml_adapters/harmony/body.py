"""What a body is. The developer's has a form of its own: instructions under a heading, then declared tools."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from ocml_bridge.model import Content, Json, Text, Tool, Tools
from ocml_bridge.text.typescript import declare
from ocml_bridge.turns import parts_of

from .syntax import DEVELOPER, HOME, INSTRUCTIONS
from .tools import SECTION, by_namespace, read_section, signature_of, write_tools


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
