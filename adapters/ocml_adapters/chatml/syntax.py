"""ChatML v0: a header of one line and a text, between two tokens.

Raw text (`chatml`): `<|im_start|>role⏎text<|im_end|>⏎`. List (`chatml-json`): `{"token": …}` objects and strings, where
whatever a string says is data. Both are one sequence of frames and share the home `chatml`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ocml_bridge.model.notes import Notes
from ocml_bridge.spans import FrameMarks
from ocml_bridge.text.added_tokens import beside
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.im import Grammar
from ocml_bridge.text.specials import CHATML

HOME: Final = "chatml"
NOTES: Final = Notes(HOME)
OPENAI: Final = "openai"
"""The dialect without any markup in its text."""
START: Final = "<|im_start|>"
END: Final = "<|im_end|>"
GRAMMAR: Final = Grammar((START,), (END,))
SPECIALS: Final = (
    *(START, END, *CHATML),
    *(f"<|tool_{what}_{edge}|>" for what in ("list", "call", "response") for edge in ("start", "end")),
)
"""The tokens that content must not hold as they are: those of frames, and those that only models know."""
CONTROL: Final = ControlTokens(SPECIALS)
MARKED: Final = (*SPECIALS, "<tools>", "</tools>", "<function=")
"""The tokens and the tags of dialects that must not stand in JSON."""
MARKS: Final = ControlTokens(MARKED)
CONTROLS: Final = {
    "system": ControlTokens((*SPECIALS, "<tools>", "List of tools: ")),
    "assistant": ControlTokens((*SPECIALS, "<function=")),
    "call": ControlTokens((*SPECIALS, "<function=", "</function>", "<parameter=", "</parameter>")),
}
"""Role → what the text of its messages must not hold: tools and calls begin with it."""
ANYWHERE: Final = ControlTokens((*SPECIALS, "<tools>", "List of tools: ", "<function="))
"""What the text of some role's messages must not hold."""
added_tokens: Final = beside(CONTROL)
FRAME_MARKS: Final = FrameMarks(
    (START,),
    (END,),
    r"assistant(?!\S)[^\n]*\n(?:<think>\s*</think>\s*)?",
    ("</think>", "</tool_call>", "</tool_response>", "<|tool_call_end|>", "<|tool_response_end|>"),
)
"""A model is prompted with its header's line, and writes all behind it but a thought that templates say is none."""


def frame_tokens() -> tuple[str, ...]:
    """The tokens that messages, and the thoughts and calls inside of them, are made with."""
    return SPECIALS


def control_of(role: str) -> ControlTokens:
    """What the text of a role's messages must not hold."""
    return CONTROLS.get(role, CONTROL)


def may_be_markup(text: str, role: str | None = None) -> bool:
    """Whether there may be a token or a tag in a text, whole or broken; of some role's where none is named."""
    if "<" not in text and "ist of tools: " not in text:
        return False
    return "<tool" in text or not (ANYWHERE if role is None else control_of(role)).is_free(text)


class Form(NamedTuple):
    """One of the two spellings.

    Attributes:
        id: its format id.
        grammar: how text is taken apart; None for the list, whose tokens are apart already.
        opening: whether the line of an open turn's header is ended by default.
    """

    id: str
    grammar: Grammar | None
    opening: bool


TEXT: Final = Form("chatml", GRAMMAR, opening=True)
LIST: Final = Form("chatml-json", None, opening=False)

MARKUP: Final[dict[str, tuple[str, ...]]] = {
    "system": ("<tools>",),
    "assistant": ("<tool_call>", "<think>"),
    "user": ("<tool_response>",),
    "tool": ("<tool_response>",),
}
"""Role → tags of Hermes and Qwen in its messages, which say what a message is, and are text to OpenAI's ChatML."""
