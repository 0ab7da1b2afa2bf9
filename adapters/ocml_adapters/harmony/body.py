"""What a body is. The developer's has a form of its own: instructions under a heading, then declared tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.model import Content, Json, Message, Text, Tool, Tools, Transcript
from ocml_bridge.text.typescript import DEFAULT_NAMESPACE, parse_tools, render_tools
from ocml_bridge.turns import developer_place, lower_tools, parts_of

from .syntax import HOME, INSTRUCTIONS, TOOLS

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
    return read_developer(text) if role == "developer" else Body(text)


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
