"""Families of models: how each spells calls, replies, thoughts and tools in ChatML's frames.

What a frame says does not depend on the family: every spelling is read. A family tells how it is written, and so what
of a text's spelling has to be remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from ocml_bridge.model import Tool

from .tools_json import read_lines, read_list, write_lines, write_list

Markup = Literal["json", "xml", "python"]
"""How calls are written: as JSON (Hermes), as XML (Qwen3-Coder), as Python (LFM2)."""


class ToolList(NamedTuple):
    """How tools are listed.

    Attributes:
        read: the tools of a text; None where it is no such list.
        write: the text of tools, so that `read` gives them back.
    """

    read: Callable[[str], tuple[Tool, ...] | None]
    write: Callable[[Sequence[Tool]], str]


class Declaration(NamedTuple):
    """How a system frame declares tools.

    Attributes:
        before: the text in front of the list.
        after: the text behind it.
        tools: the list.
        gap: what stands between the system's text and all that.
        leads: whether the tools stand in front of the system's text.
        alone: whether they have a frame of their own, before the system's.
    """

    before: str
    after: str
    tools: ToolList
    gap: str = "\n\n"
    leads: bool = False
    alone: bool = False


class Thoughts(NamedTuple):
    """How a thought is written.

    Attributes:
        open: what stands before it.
        close: what stands behind it.
        gap: what stands between it and what follows.
    """

    open: str = "<think>\n"
    close: str = "\n</think>"
    gap: str = "\n\n"


class Responses(NamedTuple):
    """How the replies of tools are written.

    Attributes:
        role: of their frame.
        open: what stands before each.
        close: what stands behind each.
        between: what stands between two in one frame; None where each has its own.
        end: what stands behind the last.
    """

    role: str = "user"
    open: str = "<tool_response>\n"
    close: str = "\n</tool_response>"
    between: str | None = "\n"
    end: str = ""


class Family(NamedTuple):
    """How one family of models is spoken to.

    Attributes:
        name: the dialect's, or one of its own behind that: `qwen-xml/step`.
        calls: how calls are written.
        declaration: how tools are declared.
        thoughts: how thoughts are written.
        responses: how replies are written.
        text_gap: what stands between a text and the first call.
        call_gap: what stands between two calls.
        end: what stands behind the last call.
        bos: the token that a prompt begins with.
    """

    name: str
    calls: Markup
    declaration: Declaration
    thoughts: Thoughts = Thoughts()
    responses: Responses = Responses()
    text_gap: str = "\n"
    call_gap: str = "\n"
    end: str = ""
    bos: str = ""

    @property
    def dialect(self) -> str:
        """The dialect that the family speaks."""
        return self.name.partition("/")[0]


_LINES: Final = ToolList(read_lines, write_lines)
_LIST: Final = ToolList(read_list, write_list)
_HERMES: Final = Declaration(
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>",
    _LINES,
)

FAMILIES: Final[dict[str, Family]] = {family.name: family for family in (Family("hermes", "json", _HERMES),)}
"""By name; the first of each dialect is the one that is written where only the dialect is named."""
DIALECTS: Final = tuple(dict.fromkeys(family.dialect for family in FAMILIES.values()))
