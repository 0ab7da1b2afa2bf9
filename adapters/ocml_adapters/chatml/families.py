"""Define the families of models: how each writes calls, replies, thoughts and tools inside ChatML's frames.

The content of a frame does not depend on its family, because the reader reads every spelling. The family decides how a
frame is written, and so which details of a text the layout has to remember.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ocml_bridge.model import Tool, replace

from .headers import CALLS, ENVIRONMENT, REPLY, THOUGHT, TOOLS
from .markup import tool_words as words
from .markup.calls import CallGrammar, Markup
from .markup.calls_params import ParamCalls
from .markup.calls_python import IN_LINES, PythonCalls
from .markup.calls_xml import XmlCalls
from .markup.tools_docstrings import DocstringTools
from .markup.tools_json import read_lines, read_list, write_functions, write_lines, write_list, write_rows
from .markup.tools_xml import XmlTools
from .syntax import HYPERCLOVA, MARKS, MINICPM, OLMO, OUTPUT

UNTYPED: Final = (XmlCalls, ParamCalls)
"""The grammars of calls whose values are texts without types, which declared tools give them."""


class ToolList(NamedTuple):
    """How a list of tools is read and written.

    Attributes:
        read: returns the tools of a text, or None if the text is no such list.
        write: returns the text of tools, which `read` reads back.
        raw: writes without breaking tokens; None if the list has an escape, so that it can hold any tool.
    """

    read: Callable[[str], tuple[Tool, ...] | None]
    write: Callable[[Sequence[Tool]], str]
    raw: Callable[[Sequence[Tool]], str] | None = None

    def nearest(self, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Return the nearest tools that the list can hold.

        A tool that is not read back loses its description, then also its parameters; if that is not enough, it is left
        out.
        """
        if self.raw is None or self._holds(tools):
            return tools
        declarable: list[Tool] = []
        for tool in tools:
            bare = Tool(tool.name, namespace=tool.namespace)
            writable = next(
                (each for each in (tool, replace(tool, description=None), bare) if self._holds([each])), None
            )
            if writable is not None:
                declarable.append(writable)
        return declarable if self._holds(declarable) else ()

    def _holds(self, tools: Sequence[Tool]) -> bool:
        read = self.read(self.write(tools))
        return read is not None and len(read) == len(tools)


class Declaration(NamedTuple):
    """How a system frame declares tools.

    Attributes:
        before: the text before the list.
        after: the text after the list.
        tools: the syntax of the list.
        gap: the text between the declaration and the system text.
        leads: whether the declaration is before the system text.
        alone: whether the declaration has a frame of its own, before that of the system text.
        header: the header of its frame; if it is not that of a system text, the frame holds nothing else.
        empty: whether a list without tools is one.
    """

    before: str
    after: str
    tools: ToolList
    gap: str = "\n\n"
    leads: bool = False
    alone: bool = False
    header: str = "system"
    empty: bool = False


class Thoughts(NamedTuple):
    """How a thought is written.

    Attributes:
        open: the text before it.
        close: the text after it.
        gap: the text between the closed thought and what follows in its frame.
        alone: the text after the closed thought if nothing follows in its frame.
        before_call: the gap before a call; None if it is `gap`.
    """

    open: str = "<think>\n"
    close: str = "\n</think>"
    gap: str = "\n\n"
    alone: str = "\n\n"
    before_call: str | None = None

    def gap_before(self, *, call: bool) -> str:
        """Return the gap between a thought and what follows: a call, or something else."""
        return self.gap if self.before_call is None or not call else self.before_call


class Responses(NamedTuple):
    """How the replies of tools are written.

    Attributes:
        role: the role of their frame.
        open: the text before each reply.
        close: the text after each reply.
        between: the text between two replies in one frame; None if each reply has its own frame.
        end: the text after the last reply of a frame.
        closing: the same if no message follows the frame; None if it is `end`.
        gap: the text after the frame.
    """

    role: str = "user"
    open: str = "<tool_response>\n"
    close: str = "\n</tool_response>"
    between: str | None = "\n"
    end: str = ""
    closing: str | None = None
    gap: str = "\n"

    def end_of(self, *, closing: bool) -> str:
        """Return the text after the last reply of a frame.

        Args:
            closing: whether no message follows the frame.
        """
        return self.closing if closing and self.closing is not None else self.end


class Apart(NamedTuple):
    """The frames of their own that thoughts and calls have. Calls that go together are a JSON list in one frame.

    Attributes:
        thought: the header of a thought.
        calls: the header of calls.
        after_calls: the gap after calls.
        after_answer: the gap after an answer that no calls follow.
    """

    thought: str
    calls: str
    after_calls: str
    after_answer: str


class Family(NamedTuple):
    """How one family of models writes a conversation.

    Attributes:
        name: the dialect, or the dialect and the family (`qwen-xml/step-3.5`).
        declaration: how tools are declared.
        thoughts: how thoughts are written.
        responses: how replies are written.
        first_gap: the text before a call that begins a frame.
        text_gap: the text between a text and the first call.
        call_gap: the text between two calls.
        end: the text after the last call.
        grammar: the grammar of calls; None if calls are JSON.
        apart: the frames of their own for thoughts and calls; None if they stand in the frame of the answer.
    """

    name: str
    declaration: Declaration
    thoughts: Thoughts = Thoughts()
    responses: Responses = Responses()
    first_gap: str = ""
    text_gap: str = "\n"
    call_gap: str = "\n"
    end: str = ""
    grammar: CallGrammar | None = None
    apart: Apart | None = None

    @property
    def calls(self) -> Markup:
        """The syntax of calls."""
        return "json" if self.grammar is None else self.grammar.markup


_LINES: Final = ToolList(read_lines, write_lines)
_LIST: Final = ToolList(read_list, write_list)
_ROWS: Final = ToolList(read_list, write_rows)
_FUNCTIONS: Final = ToolList(read_list, write_functions)


class _WithoutEscape(NamedTuple):
    """A list without an escape, which is written with its tokens broken; a decoder with it can be pickled.

    Attributes:
        grammar: the grammar of the list.
    """

    grammar: XmlTools | DocstringTools

    def write(self, tools: Sequence[Tool]) -> str:
        """Return the text of tools."""
        return MARKS.neutralise(self.grammar.write(tools))

    def read(self, text: str) -> tuple[Tool, ...] | None:
        """Return the tools of a text; None if writing them gives another text."""
        tools = self.grammar.read(MARKS.restore(text))
        return tools if tools is not None and self.write(tools) == text else None


def _without_escape(grammar: XmlTools | DocstringTools) -> ToolList:
    """Return a list without an escape."""
    tools = _WithoutEscape(grammar)
    return ToolList(tools.read, tools.write, grammar.write)


_CODER: Final = _without_escape(XmlTools())
_NEMOTRON: Final = _without_escape(XmlTools(first=("type", "description", "enum"), last=("required",)))
_NOUS: Final = _without_escape(DocstringTools())


def _named(*families: Family) -> dict[str, Family]:
    return {family.name: family for family in families}


def _qwen_3_5(name: str, before: str = "", *, python: bool = False) -> Family:
    declaration = Declaration(before + words.QWEN_3_5.before, words.QWEN_3_5.after, _LINES, leads=True)
    return Family(name, declaration, text_gap="\n\n", grammar=XmlCalls(python=python))


def _coder(name: str, around: words.Words) -> Family:
    return Family(
        name, Declaration(*around, _CODER), responses=Responses(end="\n"), text_gap="\n\n", grammar=XmlCalls()
    )


def _nemotron(name: str, thoughts: Thoughts) -> Family:
    return Family(
        name,
        Declaration(*words.NEMOTRON, _NEMOTRON),
        thoughts,
        Responses(end="\n"),
        end="\n",
        grammar=XmlCalls(),
    )


def _bielik(name: str, around: words.Words) -> Family:
    thoughts = Thoughts(gap="\n", alone="\n", before_call="\n\n")
    replies = Responses(open=OUTPUT, close="", between="")
    return Family(name, Declaration(*around, _ROWS), thoughts, replies, first_gap="\n")


def _lfm_2_5(name: str, grammar: PythonCalls) -> Family:
    return Family(
        name,
        Declaration(*words.LFM2_5, _LIST, gap="\n"),
        Thoughts("<think>", "</think>", "", ""),
        Responses("tool", "", "", between=None),
        text_gap="",
        grammar=grammar,
    )


FAMILIES: Final = _named(
    Family("hermes", Declaration(*words.HERMES, _LINES)),
    Family("hermes/qwen2.5-json", Declaration(*words.HERMES_JSON, _LINES)),
    Family("hermes/qwen2.5-doubled", Declaration(*words.HERMES_DOUBLED, _LINES)),
    Family("hermes/hermes-4", Declaration(*words.HERMES_4, _LINES)),
    Family("hermes/falcon-h1", Declaration(*words.FALCON_H1, _LINES, gap="\n")),
    Family("hermes/falcon-h1r", Declaration(*words.FALCON_H1R, _LINES, gap="\n")),
    _bielik("hermes/bielik-3", words.BIELIK),
    _bielik("hermes/bielik-3-think", words.BIELIK_THINKING),
    Family(
        "nous",
        Declaration(*words.NOUS, _NOUS, alone=True, empty=True),
        responses=Responses(role="tool", end="\n", closing="", gap=""),
    ),
    _coder("qwen-xml", words.QWEN_CODER),
    Family("qwen-xml/nanbeige", Declaration(*words.NANBEIGE, _LINES), grammar=XmlCalls()),
    Family("qwen-xml/iquest", Declaration(*words.IQUEST, _CODER), grammar=XmlCalls()),
    Family("qwen-xml/mimo", Declaration(*words.MIMO, _CODER), grammar=XmlCalls()),
    _qwen_3_5("qwen-xml/qwen3.5", python=True),
    _qwen_3_5("qwen-xml/qwen3.6"),
    _qwen_3_5("qwen-xml/qwen3.8", words.EFFORT_XHIGH),
    _qwen_3_5("qwen-xml/qwen3.8-low", words.EFFORT_LOW),
    _nemotron("qwen-xml/nemotron-3", Thoughts(gap="\n", alone="")),
    _nemotron("qwen-xml/nemotron-3-ultra", Thoughts(close="</think>", gap="", alone="", before_call="\n")),
    _coder("qwen-xml/qwen3-coder-vllm", words.QWEN_CODER_VLLM),
    Family(
        "qwen-xml/step-3.5",
        Declaration(*words.STEP, _LINES),
        Thoughts(gap="\n", alone="\n"),
        Responses("tool_response", "<tool_response>", "</tool_response>", between=""),
        text_gap="",
        call_gap="",
        grammar=XmlCalls(between=""),
    ),
    Family(
        "lfm2",
        Declaration(*words.LFM2, _LIST, gap="\n"),
        responses=Responses("tool", "<|tool_response_start|>", "<|tool_response_end|>", between=None),
        text_gap="",
        grammar=PythonCalls(),
    ),
    _lfm_2_5("lfm2/lfm2.5", PythonCalls(python=True, escaped=False)),
    _lfm_2_5("lfm2/lfm2.5-vl", PythonCalls()),
    Family(MINICPM, Declaration(*words.MINICPM_5, _LINES), grammar=ParamCalls()),
    Family(
        HYPERCLOVA,
        Declaration("", "", _FUNCTIONS, alone=True, header=TOOLS, empty=True),
        responses=Responses(REPLY, "", "", between=None),
        apart=Apart(THOUGHT, CALLS, "<|stop|>\n", "<|endofturn|>\n"),
    ),
    Family(
        OLMO,
        Declaration(*words.OLMO, _LIST, gap="", empty=True),
        Thoughts("<think>", "</think>", "\n\n", ""),
        Responses(ENVIRONMENT, "", "", between=None),
        text_gap="",
        grammar=PythonCalls(json=True, tags=IN_LINES),
    ),
)
"""Name → family. The first family of each dialect is written if only the dialect is known."""
