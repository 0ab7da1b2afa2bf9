"""What a body is: the developer's message has a frame of its own around instructions and tools (see DeveloperContent)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.model import Content, Part, Text, Tool, Tools
from ocml_bridge.text.typescript import DEFAULT_NAMESPACE, parse_tools, render_tools
from ocml_bridge.turns import parts_of

from .syntax import HOME, INSTRUCTIONS, TOOLS

DESCRIPTION: Final = "namespace"
"""In the extras of a namespace's first tool: what describes the namespace."""
_SECTION: Final = f"{TOOLS}\n\n## "


def read_developer(body: str) -> tuple[Content, bool]:
    """A developer's body as content, and whether it is plain: without the heading `# Instructions`.

    Tools are structured only where writing them gives the same text.
    """
    at = body.rfind(_SECTION)
    if at == 0 or (at > 0 and body.startswith("\n\n", at - 2)):
        tools = _read_tools(body[at:])
        if tools is not None:
            if at == 0:
                return (tools,), False
            text, plain = _instructions(body[: at - 2])
            return (Text(text), tools), plain
    return _instructions(body)


def _instructions(text: str) -> tuple[str, bool]:
    rest = text.removeprefix(INSTRUCTIONS)
    return rest, rest is text or len(rest) == len(text)


def _read_tools(section: str) -> Tools | None:
    found = parse_tools(section)
    if found is None:
        return None
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


def write_developer(content: Content, *, plain: bool) -> str:
    """A developer's content as body: instructions, then tools."""
    sections: list[str] = []
    for part in parts_of(content):
        if isinstance(part, Text):
            sections.append(part.text if plain else INSTRUCTIONS + part.text)
        else:
            sections.append(write_tools(cast("Tools", part).tools))
    return "\n\n".join(sections)


def is_developer_content(parts: Sequence[Part]) -> bool:
    """Whether a developer's message can be made of these parts: a text, tools, or a text and then tools."""
    kinds = [type(part) for part in parts]
    return kinds in ([Text], [Tools], [Text, Tools])
