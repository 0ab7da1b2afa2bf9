"""Families of models: how each spells calls, replies, thoughts and tools in ChatML's frames.

What a frame says does not depend on the family: every spelling is read. A family tells how it is written, and so what
of a text's spelling has to be remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

from ocml_bridge.model import Tool, replace

from .markup import tool_words as words
from .markup.calls import CallGrammar
from .markup.calls_python import PythonCalls
from .markup.calls_xml import XmlCalls
from .markup.tools_json import NousTools, read_lines, read_list, write_lines, write_list
from .markup.tools_xml import XmlTools
from .syntax import MARKS

Markup = Literal["json", "xml", "python"]
"""How calls are written: as JSON (Hermes), as XML (Qwen3-Coder), as Python (LFM2)."""


class ToolList(NamedTuple):
    """How tools are listed.

    Attributes:
        read: the tools of a text; None where it is no such list.
        write: the text of tools, so that `read` gives them back where it can be read.
        raw: the same with tokens as they are; None where the list has an escape, and holds any tool.
    """

    read: Callable[[str], tuple[Tool, ...] | None]
    write: Callable[[Sequence[Tool]], str]
    raw: Callable[[Sequence[Tool]], str] | None = None

    def nearest(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Tools as the list can hold them.

        One whose texts would not be read back has no description, or no more than its name, or is left out.
        """
        if self.raw is None or self._holds(tools):
            return tools
        declared: list[Tool] = []
        for tool in tools:
            bare = Tool(tool.name, namespace=tool.namespace)
            near = next((each for each in (tool, replace(tool, description=None), bare) if self._holds([each])), None)
            declared += [] if near is None else [near]
        return declared if self._holds(declared) else ()

    def _holds(self, tools: Sequence[Tool]) -> bool:
        read = self.read(self.write(tools))
        return read is not None and len(read) == len(tools)


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
        alone: what stands behind it where nothing follows.
        before_call: what stands between it and a call; None for `gap`.
    """

    open: str = "<think>\n"
    close: str = "\n</think>"
    gap: str = "\n\n"
    alone: str = "\n\n"
    before_call: str | None = None

    def gap_before(self, *, call: bool) -> str:
        """What stands between it and what follows."""
        return self.gap if self.before_call is None or not call else self.before_call


class Responses(NamedTuple):
    """How the replies of tools are written.

    Attributes:
        role: of their frame.
        open: what stands before each.
        close: what stands behind each.
        between: what stands between two in one frame; None where each has its own.
        end: what stands behind the last.
        closing: the same where no message follows; None for no difference.
        gap: what stands behind their frame.
    """

    role: str = "user"
    open: str = "<tool_response>\n"
    close: str = "\n</tool_response>"
    between: str | None = "\n"
    end: str = ""
    closing: str | None = None
    gap: str = "\n"

    def end_of(self, *, closing: bool) -> str:
        """What stands behind the last; `closing`: no message follows."""
        return self.closing if closing and self.closing is not None else self.end


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
        grammar: how calls are spelled that are no JSON; None where they are.
    """

    name: str
    calls: Markup
    declaration: Declaration
    thoughts: Thoughts = Thoughts()
    responses: Responses = Responses()
    text_gap: str = "\n"
    call_gap: str = "\n"
    end: str = ""
    grammar: CallGrammar | None = None


_LINES: Final = ToolList(read_lines, write_lines)
_LIST: Final = ToolList(read_list, write_list)


def _without_escape(grammar: XmlTools | NousTools) -> ToolList:
    """A list in which tokens are broken, since it has no escape."""

    def write(tools: Sequence[Tool]) -> str:
        return MARKS.neutralise(grammar.write(tools))

    def read(text: str) -> tuple[Tool, ...] | None:
        tools = grammar.read(MARKS.restore(text))
        return tools if tools is not None and write(tools) == text else None

    return ToolList(read, write, grammar.write)


_CODER: Final = _without_escape(XmlTools())
_NEMOTRON: Final = _without_escape(XmlTools(first=("type", "description", "enum"), last=("required",)))
_NOUS: Final = _without_escape(NousTools())


def _named(*families: Family) -> dict[str, Family]:
    return {family.name: family for family in families}


def _qwen_3_5(name: str, before: str = "", *, python: bool = False) -> Family:
    declaration = Declaration(before + words.QWEN_3_5.before, words.QWEN_3_5.after, _LINES, leads=True)
    return Family(name, "xml", declaration, text_gap="\n\n", grammar=XmlCalls(python=python))


def _nemotron(name: str, thoughts: Thoughts) -> Family:
    return Family(
        name,
        "xml",
        Declaration(*words.NEMOTRON, _NEMOTRON),
        thoughts,
        Responses(end="\n"),
        end="\n",
        grammar=XmlCalls(),
    )


FAMILIES: Final = _named(
    Family("hermes", "json", Declaration(*words.HERMES, _LINES)),
    Family(
        "nous",
        "json",
        Declaration(*words.NOUS, _NOUS, alone=True),
        responses=Responses(role="tool", end="\n", closing="", gap=""),
    ),
    Family(
        "qwen-xml",
        "xml",
        Declaration(*words.QWEN_CODER, _CODER),
        responses=Responses(end="\n"),
        text_gap="\n\n",
        grammar=XmlCalls(),
    ),
    _qwen_3_5("qwen-xml/qwen3.5", python=True),
    _qwen_3_5("qwen-xml/qwen3.6"),
    _qwen_3_5("qwen-xml/qwen3.8", words.EFFORT_XHIGH),
    _qwen_3_5("qwen-xml/qwen3.8-low", words.EFFORT_LOW),
    _nemotron("qwen-xml/nemotron-3", Thoughts(gap="\n", alone="")),
    _nemotron("qwen-xml/nemotron-3-ultra", Thoughts(close="</think>", gap="", alone="", before_call="\n")),
    Family(
        "qwen-xml/step-3.5",
        "xml",
        Declaration(*words.STEP, _LINES),
        Thoughts(gap="\n", alone="\n"),
        Responses("tool_response", "<tool_response>", "</tool_response>", between=""),
        text_gap="",
        call_gap="",
        grammar=XmlCalls(between=""),
    ),
    Family(
        "lfm2",
        "python",
        Declaration(*words.LFM2, _LIST, gap="\n"),
        responses=Responses("tool", "<|tool_response_start|>", "<|tool_response_end|>", between=None),
        text_gap="",
        grammar=PythonCalls(),
    ),
    Family(
        "lfm2/lfm2.5",
        "python",
        Declaration(*words.LFM2_5, _LIST, gap="\n"),
        Thoughts("<think>", "</think>", "", ""),
        Responses("tool", "", "", between=None),
        text_gap="",
        grammar=PythonCalls(python=True, escaped=False),
    ),
)
"""By name; the first of each dialect is the one that is written where only the dialect is named."""
