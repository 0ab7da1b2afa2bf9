"""What a body is. The developer's has a form of its own: instructions under a heading, then declared tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.model import Content, Json, Text, Tool, Tools
from ocml_bridge.text.typescript import DEFAULT_NAMESPACE, declare, parse_tools, render_tools
from ocml_bridge.turns import parts_of

from .syntax import DEVELOPER, HOME, INSTRUCTIONS, TOOLS

DESCRIPTION: Final = "namespace"
"""In the extras of a namespace's first tool: what describes the namespace."""
SECTION: Final = f"{TOOLS}\n\n## "
"""What a section of declared tools begins with."""


class Body(NamedTuple):
    """What a body says.

    Attributes:
        content: the content that it is.
        plain: whether it is a developer's without the heading that we write.
        section: the section of its declared tools, where it is not spelled as we would spell it.
        opaque: whether it has such a section that stays text, because it is not understood.
    """

    content: Content
    plain: bool = False
    section: str | None = None
    opaque: bool = False


def read_body(role: str, text: str) -> Body:
    """The content that a body is."""
    return read_developer(text) if role == DEVELOPER else Body(text)


def read_developer(body: str) -> Body:
    """A developer's body: instructions, then tools.

    Tools are structured where writing them gives the same text, and where the text is what the chat template of gpt-oss
    writes in its place; that one is kept.
    """
    at = body.rfind(SECTION)
    first = len(INSTRUCTIONS) + 2 if body.startswith(INSTRUCTIONS) else 0
    if at != 0 and not (at >= first and body.startswith("\n\n", at - 2)):
        return Body(*_instructions(body))
    section = body[at:]
    tools, raw = _read_tools(section), None
    if tools is None:
        tools, raw = read_template(section), section
    if tools is None:
        return Body(*_instructions(body), opaque=True)
    if at == 0:
        return Body((tools,), section=raw)
    text, plain = _instructions(body[: at - 2])
    return Body((Text(text), tools), plain, raw)


def _instructions(text: str) -> tuple[str, bool]:
    rest = text.removeprefix(INSTRUCTIONS)
    return rest, len(rest) == len(text)


_DEFAULT: Final = re.compile(r"(?m)(, // default: .*),$")


def read_template(section: str) -> Tools | None:
    """Tools as the chat template of gpt-oss spells them: a comma stands behind the comment that names a default."""
    spelled = _DEFAULT.sub(r"\1", section)
    return None if spelled == section else _read_tools(spelled)


def _read_tools(section: str) -> Tools | None:
    found = parse_tools(section)
    if found is None:
        return None
    if found.tools and not found.descriptions:
        return Tools(found.tools)
    tools, notes = list(found.tools), dict(found.descriptions)
    if not tools:
        return Tools(()) if notes == {DEFAULT_NAMESPACE: ""} else None
    for index, tool in enumerate(tools):
        note = notes.pop(_namespace(tool), None)
        if note is not None:
            tools[index] = Tool(
                tool.name, tool.description, tool.parameters, tool.namespace, {HOME: {DESCRIPTION: note}}
            )
    return None if notes else Tools(tuple(tools))


def _namespace(tool: Tool) -> str:
    return DEFAULT_NAMESPACE if tool.namespace is None else tool.namespace


def write_tools(tools: Sequence[Tool]) -> str:
    """Tools as the section that declares them; that there are none is said as the official encoder says it."""
    notes: dict[str, str] = {} if tools else {DEFAULT_NAMESPACE: ""}
    for tool in tools:
        extras: dict[str, Any] = (tool.extras or {}).get(HOME) or {}
        note = extras.get(DESCRIPTION)
        if isinstance(note, str):
            notes.setdefault(_namespace(tool), note)
    return render_tools(tools, notes)


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
            declares = isinstance(section, str) and section.startswith(SECTION) and _read_tools(section) is None
            same = declares and read_template(cast("str", section)) == tools
            sections.append(cast("str", section) if same else write_tools(tools.tools))
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


def declared(tools: tuple[Tool, ...]) -> tuple[str, Body]:
    """The section that declares tools, and what it is read as."""
    described = not tools or any(HOME in tool.extras for tool in tools if tool.extras)
    found = None if described else declare(tools)
    return spell_developer((Tools(tools),), {}) if found is None else (found[0], Body((Tools(found[1]),)))


def is_in_place(role: str, content: Content) -> bool:
    """Whether declared tools stand where Harmony has them: last in a developer's message."""
    if isinstance(content, str):
        return True
    declared = [isinstance(part, Tools) for part in content]
    return not any(declared) or (role == DEVELOPER and declared[-1] and sum(declared) == 1)
