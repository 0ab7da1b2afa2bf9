"""Define the tokens, the notes and the two formats of ChatML v0: a header line and a text between two tokens.

Raw text (`chatml`) is `<|im_start|>role⏎text<|im_end|>⏎`. The list (`chatml-json`) has `{"token": …}` objects for
tokens; its strings are data, whatever they contain. Both are a sequence of frames, and share the home `chatml` in
layout and extras.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from ocml_bridge.formats.boundary import ENDS, TURN_ENDS
from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import other_tokens
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.im import Grammar
from ocml_bridge.text.specials import CHATML

HOME: Final = "chatml"
NOTES: Final = Notes(HOME)
OPENAI: Final = "openai"
"""The dialect without markup: OpenAI's ChatML."""
HYPERCLOVA: Final = "hyperclova"
"""The dialect of HyperCLOVA X."""
MINICPM: Final = "minicpm"
"""The dialect of MiniCPM5."""
OLMO: Final = "olmo"
"""The dialect of Olmo 3."""
START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
TOOL_LIST: Final = "<|function_list|>"
"""The token around the list of tools in Bielik's system text."""
OUTPUT: Final = "<|function_output|>"
"""The token before a reply in Bielik's user frames."""
SPECIALS: Final = (
    *(START, END, *CHATML),
    *(f"<|tool_{what}_{edge}|>" for what in ("list", "call", "response") for edge in ("start", "end")),
    *("<function_calls>", "</function_calls>", TOOL_LIST, OUTPUT),
)
"""The tokens that content must not contain: those of frames, and special tokens of the models."""
CLOSERS: Final = frozenset(ENDS).intersection(SPECIALS)
"""The tokens that end a text, and with it a last frame without an end token, as templates of Olmo write it."""
GRAMMAR: Final = Grammar((START,), (END,), closers=CLOSERS)
CONTROL: Final = ControlTokens(SPECIALS)
CALLS_WITHOUT_TOKENS: Final = ("<function=", "<function name=")
"""What calls begin with in dialects whose calls do not begin with a token."""
MARKED: Final = (*SPECIALS, "<tools>", "</tools>", *CALLS_WITHOUT_TOKENS, "<functions>", "</functions>")
"""The tokens and the tags of dialects that JSON must not contain."""
MARKS: Final = ControlTokens(MARKED)
LIST_OF_TOOLS: Final = "List of tools: "
"""The words before the tools in LFM2's system text."""
_LIST: Final = LIST_OF_TOOLS[1:]
"""The same without the first letter, after which they are broken in other texts."""
CONTROLS: Final = {
    "system": ControlTokens((*SPECIALS, "<tools>", "<functions>", LIST_OF_TOOLS)),
    "assistant": ControlTokens((*SPECIALS, *CALLS_WITHOUT_TOKENS)),
    "call": ControlTokens((*SPECIALS, "<function=", "</function>", "<parameter=", "</parameter>")),
}
"""Role → the tokens and tags that the text of its messages must not contain, because tools or calls begin with them;
`call` is for arguments that are written as tags or as Python."""
ANYWHERE: Final = ControlTokens((*SPECIALS, "<tools>", "<functions>", LIST_OF_TOOLS, *CALLS_WITHOUT_TOKENS))
"""All that the text of at least one role must not contain."""
added_tokens: Final = other_tokens(CONTROL)
FRAME_MARKS: Final = FrameMarks(
    (START,),
    (END,),
    r"assistant(?:(?=/think\n| -> tool)|(?!\S)[^\n]*\n(?:<think>\s*</think>\s*)?)",
    ("</think>", "</tool_call>", "</tool_response>", "<|tool_call_end|>", "<|tool_response_end|>", "</function_calls>"),
)
"""The marks of frames, for spans. The prompt of a model ends after the header line, or after an empty thought that the
template writes. HyperCLOVA X itself writes the rest of a header that says that it thinks or calls."""


def ends_turn(gap: str) -> bool:
    """Return whether the text after a frame has a token that only HyperCLOVA X writes there."""
    return any(token in gap for token in TURN_ENDS)


def frame_tokens() -> tuple[str, ...]:
    """Return the tokens of frames, and of the thoughts and calls inside them."""
    return SPECIALS


def control_of(role: str) -> ControlTokens:
    """Return the tokens and tags that the text of a role's messages must not contain."""
    return CONTROLS.get(role, CONTROL)


def with_marks(texts: Iterable[str]) -> list[str]:
    """Return the texts that have what tokens and tags begin with; no other text may be markup."""
    return [text for text in texts if "<" in text or _LIST in text]


def may_be_markup(text: str, role: str | None = None) -> bool:
    """Return whether a text may contain a token or a tag, intact or broken, of a role, or of any role if it is None."""
    return ("<" in text or _LIST in text) and (
        "<tool" in text or not (ANYWHERE if role is None else control_of(role)).is_free(text)
    )


class Form(NamedTuple):
    """One of the two formats of ChatML.

    Attributes:
        id: the format id.
        grammar: the grammar that finds tokens in a text; None for the list, in which tokens are items.
        open_turn_newline: whether the header of an open turn ends with a newline by default.
    """

    id: str
    grammar: Grammar | None
    open_turn_newline: bool


TEXT: Final = Form("chatml", GRAMMAR, open_turn_newline=True)
LIST: Final = Form("chatml-json", None, open_turn_newline=False)

MARKUP: Final[dict[str, tuple[str, ...]]] = {
    "system": ("<tools>", TOOL_LIST),
    "assistant": ("<tool_call>", "<think>", "</think>", "</tool_call>"),
    "user": ("<tool_response>", OUTPUT),
    "tool": ("<tool_response>", "</tool_response>", "<|tool_response_end|>", OUTPUT),
}
"""Role → tags of Hermes and Qwen that have a meaning in its messages in a dialect, and are text in OpenAI's ChatML."""
