"""What public chat templates do with a request, as data: which frames a prompt has.

How a frame is spelled is a family's (`families`). A template shows which messages there are: the system text where a
request has none, which thoughts and calls are shown again, and how the answer is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from .markup.tool_words import EFFORT_LOW, EFFORT_XHIGH

OFF: Final = "none"
"""The effort that turns thinking off."""
_OPEN: Final = "<think>\n"
_CLOSED: Final = "<think>\n\n</think>\n\n"
_NOTHING: Final = "<think></think>"
"""Thoughts without a word, begun and ended."""

PREAMBLE: Final = "preamble"
THOUGHT: Final = "thought"
Strips = Mapping[str, Callable[[str], str]]
"""What takes white space off the ends of texts: of a role's, of a text beside calls, of a thought."""


class Effort(NamedTuple):
    """How much to think, where a template has words for that.

    Attributes:
        words: what the system's frame begins with.
        family: how frames are spelled, since tools stand behind the words.
    """

    words: str
    family: str


class Template(NamedTuple):
    """What a chat template does.

    Attributes:
        family: how its frames are spelled; None for ChatML without any markup.
        bos: the token that the prompt begins with.
        system: the system text where the request has none; None for no frame.
        tools: where that stands: only with tools, only without, or in both cases (None).
        empty_system: whether a system text that is empty has a frame.
        empty_gap: whether, in front of tools, what stands between is written behind such a text.
        always_tools: whether tools are declared where there are none.
        shows_calls: whether calls are shown.
        shows_text: whether the text beside calls is shown.
        thoughts: which thoughts are shown: all, those behind the last message of the user's, or none.
        empty: what stands for a thought that would be shown, where there is none.
        last: the same in the last message of all, where `empty` says nothing.
        dropped: what stands for one that is not shown.
        gap: what stands behind these before a call.
        gap_text: what stands behind `dropped` before a text alone.
        opening: what an answer is begun with.
        opening_off: the same where thinking is turned off; None where it cannot be.
        efforts: how much to think → how that is told.
        strips: what is taken off the ends of texts.
    """

    family: str | None
    bos: str = ""
    system: str | None = None
    tools: bool | None = None
    empty_system: bool = True
    empty_gap: bool = True
    always_tools: bool = False
    shows_calls: bool = True
    shows_text: bool = True
    thoughts: Literal["all", "current", "none"] = "none"
    empty: str = ""
    last: str = ""
    dropped: str = ""
    gap: str = ""
    gap_text: str = ""
    opening: str = ""
    opening_off: str | None = None
    efforts: Mapping[str, Effort] = MappingProxyType({})
    strips: Strips = MappingProxyType({})


_QWEN_2_5: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_CODER: Final = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
_TEXTS: Final = ("system", "user", "assistant", "tool", PREAMBLE, THOUGHT)


def _without_breaks(text: str) -> str:
    return text.strip("\n")


_QWEN_3_5: Final = Template(
    "qwen-xml/qwen3.5",
    empty_gap=False,
    thoughts="current",
    empty=_CLOSED,
    opening=_OPEN,
    opening_off=_CLOSED,
    strips=dict.fromkeys(_TEXTS, str.strip),
)

_NEMOTRON: Final = Template(
    "qwen-xml/nemotron-3",
    system="",
    tools=False,
    empty_gap=False,
    thoughts="current",
    empty=_NOTHING,
    dropped=_NOTHING,
    gap="\n",
    gap_text="\n",
    opening=_OPEN,
    opening_off=_NOTHING,
    strips={"assistant": str.rstrip, PREAMBLE: str.strip},
)

TEMPLATES: Final = {
    "chatml": Template(None, shows_calls=False),
    "qwen2.5": Template("hermes", system=_QWEN_2_5),
    "qwen3": Template(
        "hermes", thoughts="current", last=_CLOSED, opening_off=_CLOSED, strips={THOUGHT: _without_breaks}
    ),
    "qwen3-2507": Template("hermes"),
    "hermes": Template("nous", bos="<|begin_of_text|>", always_tools=True, shows_text=False),
    "qwen3-coder": Template("qwen-xml", system=_CODER, tools=True, strips={PREAMBLE: str.strip}),
    "qwen3.5": _QWEN_3_5,
    "qwen3.6": _QWEN_3_5._replace(family="qwen-xml/qwen3.6"),
    "qwen3.8": _QWEN_3_5._replace(
        family="qwen-xml/qwen3.6",
        thoughts="all",
        empty_system=False,
        efforts={
            "xhigh": Effort(EFFORT_XHIGH, "qwen-xml/qwen3.8"),
            "medium": Effort("", "qwen-xml/qwen3.6"),
            "low": Effort(EFFORT_LOW, "qwen-xml/qwen3.8-low"),
        },
    ),
    "nemotron-3": _NEMOTRON,
    "nemotron-3-ultra": _NEMOTRON._replace(
        family="qwen-xml/nemotron-3-ultra", gap_text="", strips={"assistant": str.rstrip}
    ),
    "step-3.5": Template(
        "qwen-xml/step-3.5", bos="<s>", thoughts="current", empty="<think>\n\n</think>\n", opening=_OPEN
    ),
    "lfm2": Template("lfm2", bos="<|startoftext|>", empty_system=False),
    "lfm2.5": Template("lfm2/lfm2.5", bos="<|startoftext|>", empty_system=False, thoughts="current"),
}
"""By the name of the profile. Of efforts, the first is what a model is told where nobody asks for one."""
