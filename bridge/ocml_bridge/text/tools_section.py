"""Read and write the `# Tools` section of a developer message, in which Harmony and OpenChatML 2.2 declare tools.

The section is TypeScript (`text.typescript`) after the text of the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..model import Tool, replace
from .typescript import declare, parse_tools, render_tools

SECTION: Final = "# Tools\n\n"
_GAP: Final = "\n\n"


class Section(NamedTuple):
    """A section after the text of a developer message.

    Attributes:
        before: the text before the section.
        tools: the tools that the section declares.
        raw: the text of the section, if it is not the text that would be written; else None.
    """

    before: str
    tools: tuple[Tool, ...]
    raw: str | None


def section_of(text: str, *, lenient: bool) -> Section | None:
    """Return the section at the end of a developer message's text, or None if there is none."""
    before, section = "", text
    if not text.startswith(SECTION):
        before, _, tools = text.rpartition(_GAP + SECTION)
        if not before:
            return None
        section = SECTION + tools
    parsed = parse_tools(section, lenient=lenient)
    if parsed is None or not parsed.tools or parsed.descriptions:
        return None
    raw = section if lenient and render_tools(parsed.tools) != section else None
    return Section(before, parsed.tools, raw)


def with_section(text: str, tools: tuple[Tool, ...], raw: str | None = None) -> str:
    """Append a section to the text of a developer message.

    Args:
        text: the text; may be empty.
        tools: the tools.
        raw: the stored text of the section; used if it declares exactly these tools.
    """
    section = raw if raw is not None and _declares(raw, tools) else render_tools(tools)
    return f"{text}{_GAP}{section}" if text else section


def _declares(section: str, tools: tuple[Tool, ...]) -> bool:
    """Return whether a section declares these tools and contains nothing else."""
    parsed = parse_tools(section, lenient=True) if section.startswith(SECTION) else None
    return parsed is not None and parsed.tools == tools and not parsed.descriptions


def nearest_tools(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the image of tools: the nearest tools that a section can hold.

    A tool whose description would be read differently loses it; a tool whose schema has no TypeScript loses the schema.
    A tool whose name cannot be declared is omitted.
    """
    declared = _written_tools(tuple(tools))
    if declared is not None:
        return declared
    out: list[Tool] = []
    for tool in tools:
        described = Tool(tool.name, tool.description, namespace=tool.namespace)
        for candidate in (tool, replace(tool, description=None), described, replace(described, description=None)):
            if (alone := _written_tools((candidate,))) is not None:
                out += alone
                break
    return _written_tools(tuple(out)) or ()


def _written_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...] | None:
    """Return the tools that reading their section gives, in its order; None if it would not be read."""
    declared = declare(tools)
    return None if declared is None else declared[1]


def section_for(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """Return the section of tools, and the tools that it can hold; none if writing them again would change them."""
    readable = nearest_tools(tools) if tools else ()
    declared = declare(readable) if readable else None
    return declared if declared is not None and declared[1] == readable else ("", ())
