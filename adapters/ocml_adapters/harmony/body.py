"""What a body is. The developer's has a form of its own: instructions under a heading, then declared tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from ocml_bridge.model import Content, Message, Text, Tool, Tools, Transcript
from ocml_bridge.text.typescript import DEFAULT_NAMESPACE, parse_tools, render_tools
from ocml_bridge.turns import developer_place, lower_tools, parts_of

from .syntax import HOME, INSTRUCTIONS, TOOLS

DESCRIPTION: Final = "namespace"
"""In the extras of a namespace's first tool: what describes the namespace."""
SECTION: Final = f"{TOOLS}\n\n## "
"""What a section of declared tools begins with."""


def read_body(role: str, text: str) -> tuple[Content, bool]:
    """The content that a body is, and whether it is a developer's without the heading that we write."""
    return read_developer(text) if role == "developer" else (text, False)


def read_developer(body: str) -> tuple[Content, bool]:
    """A developer's body as content, and whether it is plain: without the heading `# Instructions`.

    Tools are structured only where writing them gives the same text.
    """
    at = body.rfind(SECTION)
    first = len(INSTRUCTIONS) + 2 if body.startswith(INSTRUCTIONS) else 0
    if at == 0 or (at >= first and body.startswith("\n\n", at - 2)):
        tools = _read_tools(body[at:])
        if tools is not None:
            if at == 0:
                return (tools,), False
            text, plain = _instructions(body[: at - 2])
            return (Text(text), tools), plain
    return _instructions(body)


def _instructions(text: str) -> tuple[str, bool]:
    rest = text.removeprefix(INSTRUCTIONS)
    return rest, len(rest) == len(text)


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


def write_developer(content: Content, *, plain: bool) -> str:
    """A developer's content as body: instructions, then tools."""
    sections: list[str] = []
    for part in parts_of(content):
        if isinstance(part, Text):
            sections.append(part.text if plain else INSTRUCTIONS + part.text)
        else:
            sections.append(write_tools(cast("Tools", part).tools))
    return "\n\n".join(sections)


def is_in_place(message: Message) -> bool:
    """Whether the tools that a message declares stand where Harmony has them: last in a developer's message."""
    if isinstance(message.content, str):
        return True
    declared = [isinstance(part, Tools) for part in message.content]
    return not any(declared) or (message.role == "developer" and declared[-1] and sum(declared) == 1)


def placed(transcript: Transcript, places: Sequence[int] | None = None) -> Iterator[tuple[int | None, Message]]:
    """The messages with the transcript's tools in them, each with its index; one made for the tools has none.

    `places` are the indices of the messages in the document that they are from, where that has more.
    """
    messages, lowered = transcript.messages, lower_tools(transcript)
    indices: Sequence[int | None] = range(len(messages)) if places is None else places
    if len(lowered) > len(messages):
        at = developer_place(messages)
        indices = (*indices[:at], None, *indices[at:])
    return zip(indices, lowered, strict=True)


def path_of(place: int | None) -> str:
    """The path of what `placed` gives."""
    return "/tools" if place is None else f"/messages/{place}"
