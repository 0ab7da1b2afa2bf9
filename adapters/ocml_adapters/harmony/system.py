"""What system and developer messages say, as values: the forms that the official encoder writes, out and in.

Conversion does not need it: the texts themselves are canonical. It is for those who build or inspect prompts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from ocml_bridge import jsontext
from ocml_bridge.model import Json
from ocml_bridge.text.typescript import ParsedTools, parse_tools, render_tools

from .syntax import INSTRUCTIONS, TOOLS

_CUTOFF: Final = "Knowledge cutoff: "
_DATE: Final = "Current date: "
_EFFORT: Final = "Reasoning: "
_CHANNELS: Final = "# Valid channels: "
_REQUIRED: Final = " Channel must be included for every message."
_FUNCTIONS: Final = "\nCalls to these tools must go to the commentary channel: 'functions'."
_FORMATS: Final = "# Response Formats"


@dataclass(slots=True)
class SystemContent:
    """A system message as the official encoder writes it.

    Attributes:
        identity: the text that it begins with, of any length; None for none.
        cutoff: the date that the model's knowledge ends.
        date: the current one.
        effort: low, medium or high.
        tools: built-in tools with the descriptions of their namespaces (`browser`, `python`); None for no section.
        channels: the valid ones; () for no section.
        channel_required: whether every message must have one.
        functions_line: whether calls of functions are told to go to commentary.
    """

    identity: str | None = None
    cutoff: str | None = None
    date: str | None = None
    effort: str | None = None
    tools: ParsedTools | None = None
    channels: tuple[str, ...] = ()
    channel_required: bool = False
    functions_line: bool = False


def render_system(content: SystemContent) -> str:
    """A system message's text: token for token what the official encoder renders for the same values."""
    about = [content.identity, _labelled(_CUTOFF, content.cutoff), _labelled(_DATE, content.date)]
    lines = [line for line in about if line is not None]
    sections = ["\n".join(lines)] if lines else []
    if content.effort is not None:
        sections.append(_EFFORT + content.effort)
    if content.tools is not None:
        sections.append(render_tools(content.tools.tools, content.tools.descriptions))
    if content.channels:
        required = _REQUIRED if content.channel_required else ""
        functions = _FUNCTIONS if content.functions_line else ""
        sections.append(f"{_CHANNELS}{', '.join(content.channels)}.{required}{functions}")
    return "\n\n".join(sections)


def _labelled(label: str, value: str | None) -> str | None:
    return None if value is None else label + value


_CHANNEL_SECTION: Final = re.compile(
    rf"(?:^|\n\n){_CHANNELS}([^\n]+?)\.({re.escape(_REQUIRED)})?({re.escape(_FUNCTIONS)})?\Z"
)
_EFFORT_SECTION: Final = re.compile(rf"(?:^|\n\n){_EFFORT}(low|medium|high)\Z")
_ABOUT: Final = {
    "date": re.compile(rf"(?:^|\n){_DATE}([^\n]*)\Z"),
    "cutoff": re.compile(rf"(?:^|\n){_CUTOFF}([^\n]*)\Z"),
}


def parse_system(text: str) -> SystemContent | None:
    """The inverse of `render_system`.

    Returns:
        Values that render to this very text; None where the text has nothing of that form.
    """
    rest, found = text, SystemContent()
    channels = _CHANNEL_SECTION.search(rest)
    if channels is not None:
        found.channels = tuple(channels[1].split(", "))
        found.channel_required, found.functions_line = channels[2] is not None, channels[3] is not None
        rest = rest[: channels.start()]
    rest, found.tools = _split_tools(rest)
    effort = _EFFORT_SECTION.search(rest)
    if effort is not None:
        found.effort, rest = effort[1], rest[: effort.start()]
    for name, pattern in _ABOUT.items():
        line = pattern.search(rest)
        if line is not None:
            setattr(found, name, line[1])
            rest = rest[: line.start()]
    if rest or text.startswith("\n"):
        found.identity = rest
    if found in (SystemContent(), SystemContent(text)) or render_system(found) != text:
        return None
    return found


def _split_tools(text: str) -> tuple[str, ParsedTools | None]:
    """A text without the section of tools at its end, and the tools."""
    at = text.rfind(f"{TOOLS}\n\n## ")
    if at < 0 or (at > 0 and not text.startswith("\n\n", at - 2)):
        return text, None
    tools = parse_tools(text[at:])
    return (text, None) if tools is None else (text[: max(at - 2, 0)], tools)


# --- the developer ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ResponseFormat:
    """A form that answers must have.

    Attributes:
        name: of the format.
        schema: JSON Schema.
        description: what it is for, on one line; None for none.
    """

    name: str
    schema: Json
    description: str | None = None


@dataclass(slots=True)
class DeveloperContent:
    """A developer message: instructions, response formats, tools.

    Attributes:
        instructions: None for none.
        formats: they are part of the instructions for the official encoder, which knows none.
        tools: declared tools with the descriptions of their namespaces; None for no section.
        formats_last: whether the formats stand behind the tools, as the format's own documentation has them.
    """

    instructions: str | None = None
    formats: tuple[ResponseFormat, ...] = ()
    tools: ParsedTools | None = None
    formats_last: bool = False


def render_developer(content: DeveloperContent) -> str:
    """A developer message's text; with the formats in the instructions, it is what the official encoder renders."""
    sections: list[str] = [] if content.instructions is None else [INSTRUCTIONS + content.instructions]
    formats = [_FORMATS, *map(_render_format, content.formats)] if content.formats else []
    tools = [] if content.tools is None else [render_tools(content.tools.tools, content.tools.descriptions)]
    sections += [*tools, *formats] if content.formats_last else [*formats, *tools]
    return "\n\n".join(sections)


def _render_format(described: ResponseFormat) -> str:
    comment = "" if described.description is None else f"// {described.description}\n"
    return f"## {described.name}\n\n{comment}{jsontext.compact(described.schema)}"


_FORMAT: Final = re.compile(r"\n\n## ([^\n]+)\n\n(?:// ([^\n]*)\n)?([^\n]+)")


def parse_developer(text: str) -> DeveloperContent | None:
    """The inverse of `render_developer`.

    Returns:
        Values that render to this very text; None where the text has nothing of that form.
    """
    last, first = _parse_developer(text, formats_last=True), _parse_developer(text, formats_last=False)
    plain = DeveloperContent(text.removeprefix(INSTRUCTIONS)) if text.startswith(INSTRUCTIONS) else DeveloperContent()
    for found in (last if last.formats and last.tools else first, plain):
        if found != DeveloperContent() and render_developer(found) == text:
            return found
    return None


def _parse_developer(text: str, *, formats_last: bool) -> DeveloperContent:
    found = DeveloperContent(formats_last=formats_last)
    if formats_last:
        text, found.formats = _split_formats(text)
        text, found.tools = _split_tools(text)
    else:
        text, found.tools = _split_tools(text)
        text, found.formats = _split_formats(text)
    if text.startswith(INSTRUCTIONS):
        found.instructions = text.removeprefix(INSTRUCTIONS)
    return found


def _split_formats(text: str) -> tuple[str, tuple[ResponseFormat, ...]]:
    """A text without the response formats at its end, and those."""
    at = text.rfind(f"{_FORMATS}\n\n## ")
    if at < 0 or (at > 0 and not text.startswith("\n\n", at - 2)):
        return text, ()
    formats: list[ResponseFormat] = []
    end = at + len(_FORMATS)
    while (found := _FORMAT.match(text, end)) is not None:
        schema: Any = jsontext.parse(found[3])
        if schema is None:
            break
        formats.append(ResponseFormat(found[1], schema.value, found[2]))
        end = found.end()
    return (text[: max(at - 2, 0)], tuple(formats)) if end == len(text) and formats else (text, ())
