"""The tools that the model has of its own, as the official encoder declares them in the system message."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ocml_bridge.model import Json, Message, Tool
from ocml_bridge.text.typescript import ParsedTools

from .syntax import BROWSER, PYTHON

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
    """The section that declares own tools by their namespaces; None for none."""
    if not namespaces:
        return None
    tools = _BROWSER if BROWSER in namespaces else ()
    return ParsedTools(tools, {name: _DESCRIPTIONS[name] for name in sorted(namespaces)})


def namespace_of(message: Message) -> str | None:
    """The namespace of the own tool that a message calls, or that it is the reply of, as far as its name tells."""
    named = message.name if message.role == "tool" else message.recipient
    namespace = (named or "").partition(".")[0]
    return namespace if namespace in _DESCRIPTIONS and (namespace == named) == (namespace == PYTHON) else None
