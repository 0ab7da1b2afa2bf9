"""Render system and developer messages from values, as the official encoder does.

Only the profile (`profile.py`) needs this, to build prompts: in conversions, the texts themselves are canonical. The
system message also declares the model's own tools.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge.json_values import jsontext
from ocml_bridge.model import Json, Message, Tool
from ocml_bridge.text.typescript import ParsedTools, render_tools

from .syntax import BROWSER, INSTRUCTIONS, PYTHON

_CUTOFF: Final = "Knowledge cutoff: "
_DATE: Final = "Current date: "
_EFFORT: Final = "Reasoning: "
_CHANNELS: Final = "# Valid channels: "
_REQUIRED: Final = " Channel must be included for every message."
_FUNCTIONS: Final = "\nCalls to these tools must go to the commentary channel: 'functions'."
_FORMATS: Final = "# Response Formats"


@dataclass(slots=True)
class SystemContent:
    """The values of a system message; None leaves a value out.

    Attributes:
        identity: the text at the beginning.
        cutoff: the date of the knowledge cutoff.
        date: the current date.
        effort: the reasoning effort: low, medium or high.
        tools: the built-in tools, and the descriptions of their namespaces (`browser`, `python`).
        channels: the valid channels; () leaves the section out.
        channel_required: whether to write that every message must have a channel.
        functions_line: whether to write that calls of functions must go to commentary.
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
    """Return the text of a system message, exactly as the official encoder renders it for the same values."""
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
    """A format that answers must have.

    Attributes:
        name: its name.
        schema: its JSON Schema.
        description: its description, on one line; None if there is none.
    """

    name: str
    schema: Json
    description: str | None = None


def render_developer(instructions: str | None, formats: Sequence[ResponseFormat]) -> str:
    """Return the text of a developer message without its tools; formats follow the instructions, or replace them."""
    sections = [] if instructions is None else [INSTRUCTIONS + instructions]
    return "\n\n".join([*sections, *([_FORMATS, *map(_render_format, formats)] if formats else [])])


def _render_format(described: ResponseFormat) -> str:
    comment = "" if described.description is None else f"// {described.description}\n"
    return f"## {described.name}\n\n{comment}{jsontext.compact(described.schema)}"


# --- the model's own tools --------------------------------------------------------------------------------------------
#
# As the official encoder declares them in the system message.

_DESCRIPTIONS: Final = {
    BROWSER: """Tool for browsing.
The `cursor` appears in brackets before each browsing display: `[{cursor}]`.
Cite information from the tool using the following format:
`【{cursor}†L{line_start}(-L{line_end})?】`, for example: `【6†L9-L11】` or `【8†L3】`.
Do not quote more than 10 words directly from the tool output.
sources=web (default: web)""",
    PYTHON: (
        "Use this tool to execute Python code in your chain of thought. The code will not be shown to the user. This "
        "tool should be used for internal reasoning, but not for code that is intended to be visible to the user (e.g. "
        "when creating plots, tables, or files).\n\n"
        "When you send a message containing Python code to python, it will be executed in a stateful Jupyter notebook "
        "environment. python will respond with the output of the execution or time out after 120.0 seconds. The drive "
        "at '/mnt/data' can be used to save and persist user files. Internet access for this session is UNKNOWN. "
        "Depends on the cluster."
    ),
}
_NUMBER: Final[dict[str, Json]] = {"type": "number", "default": -1}
_STRING: Final[dict[str, Json]] = {"type": "string"}


def _tool(name: str, description: str, properties: dict[str, Json], *required: str) -> Tool:
    parameters: dict[str, Json] = {"type": "object", "properties": properties, "required": [*required]}
    return Tool(name, description, parameters, BROWSER)


_BROWSER: Final = (
    _tool(
        "search",
        "Searches for information related to `query` and displays `topn` results.",
        {"query": _STRING, "topn": {"type": "number", "default": 10}, "source": _STRING},
        "query",
    ),
    _tool(
        "open",
        """Opens the link `id` from the page indicated by `cursor` starting at line number `loc`, showing `num_lines` \
lines.
Valid link ids are displayed with the formatting: `【{id}†.*】`.
If `cursor` is not provided, the most recent page is implied.
If `id` is a string, it is treated as a fully qualified URL associated with `source`.
If `loc` is not provided, the viewport will be positioned at the beginning of the document or centered on the most \
relevant passage, if available.
Use this function without `id` to scroll to a new location of an opened page.""",
        {
            "id": {"type": ["number", "string"], "default": -1},
            "cursor": _NUMBER,
            "loc": _NUMBER,
            "num_lines": _NUMBER,
            "view_source": {"type": "boolean", "default": False},
            "source": _STRING,
        },
    ),
    _tool(
        "find",
        "Finds exact matches of `pattern` in the current page, or the page given by `cursor`.",
        {"pattern": _STRING, "cursor": _NUMBER},
        "pattern",
    ),
)


def declaration(namespaces: Collection[str]) -> ParsedTools | None:
    """Return the declaration of the model's own tools in some namespaces; None if there are none."""
    if not namespaces:
        return None
    tools = _BROWSER if BROWSER in namespaces else ()
    return ParsedTools(tools, {name: _DESCRIPTIONS[name] for name in sorted(namespaces)})


def namespace_of(message: Message) -> str | None:
    """Return the namespace of the model's own tool that a message calls or is a reply of, by its name; else None."""
    named = message.name if message.role == "tool" else message.recipient
    namespace = (named or "").partition(".")[0]
    return namespace if namespace in _DESCRIPTIONS and (namespace == named) == (namespace == PYTHON) else None
