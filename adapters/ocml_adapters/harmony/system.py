"""The texts of system and developer messages, made of values as the official encoder makes them.

Conversion does not need it: the texts themselves are canonical. It is for those who build prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge import jsontext
from ocml_bridge.model import Json
from ocml_bridge.text.typescript import ParsedTools, render_tools

from .syntax import INSTRUCTIONS

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


def render_developer(instructions: str | None, formats: Sequence[ResponseFormat]) -> str:
    """A developer message's text without its tools: for the official encoder, formats are part of the instructions."""
    sections = [] if instructions is None else [INSTRUCTIONS + instructions]
    return "\n\n".join([*sections, *([_FORMATS, *map(_render_format, formats)] if formats else [])])


def _render_format(described: ResponseFormat) -> str:
    comment = "" if described.description is None else f"// {described.description}\n"
    return f"## {described.name}\n\n{comment}{jsontext.compact(described.schema)}"
