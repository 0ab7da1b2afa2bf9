"""Describe what the public chat templates of ChatML models do, one `Template` for each profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from .markup.tool_words import BIELIK_REMINDER, EFFORT_LOW, EFFORT_XHIGH, OLMO_TOOLS
from .syntax import HYPERCLOVA, MINICPM, OLMO

_OPEN_THOUGHT: Final = "<think>\n"
_BLANK_THOUGHT: Final = "<think>\n\n</think>\n\n"
_EMPTY_THOUGHT: Final = "<think></think>"
"""Empty thoughts, begun and ended."""

OFF: Final = "none"
"""The effort that turns thinking off."""
PREAMBLE: Final = "preamble"
THOUGHT: Final = "thought"
Strips = Mapping[str, Callable[[str], str]]
"""Role, `preamble` or `thought` → the function that removes white space at the ends of its texts."""


class Effort(NamedTuple):
    """A reasoning effort for which a template has words.

    Attributes:
        words: the words, which the system frame begins with.
        family: the family that writes the frames; if its declaration of tools comes first, it includes the words.
        alone: the words if the request has no system text and no tools.
    """

    words: str
    family: str
    alone: str = ""


class Template(NamedTuple):
    """What a chat template does.

    Attributes:
        family: the family that writes its frames; None for ChatML without markup.
        bos: the token that the prompt begins with.
        system: the system text if the request has neither one nor tools; None for no frame.
        system_tools: the same if the request has tools.
        empty_system: whether an empty system text has a frame.
        empty_gap: whether an empty system text leaves its gap before the tools.
        empty_list: where a list without tools is written: nowhere, beside the default system text, or always.
        shows_calls: whether calls are shown.
        shows_text: whether text beside calls is shown.
        thoughts: which thoughts are shown: all, those after the last message of the user (`current`) or of the user or
            a tool (`latest`), or none.
        empty: the text in the place of a thought that would be shown, if there is none.
        last: the same for the last message of the request, if `empty` is "".
        dropped: the text in the place of a thought that is not shown.
        gap: the text between one of these three and a call.
        gap_text: the text between `dropped` and a text without calls.
        opening: the text that the answer begins with.
        opening_off: the same if thinking is turned off; None if the template cannot turn it off.
        opening_asked: the same if the request has an effort; "" if it makes no difference.
        rests: whether thinking is turned off unless the request asks for it.
        decides: whether the model writes the rest of its header, and so decides whether it thinks, unless the request
            does; the header of a thought, and an empty thought, then say what the request asks for.
        efforts: reasoning effort → its words; the first is the default.
        strips: the functions that remove white space at the ends of texts.
        end: the token that ends a last answer, if no turn follows; "" for the token of every frame.
        reminder: the text after the system text of a request without tools, unless thinking is turned off.
    """

    family: str | None
    bos: str = ""
    system: str | None = None
    system_tools: str | None = None
    empty_system: bool = True
    empty_gap: bool = True
    empty_list: Literal["never", "default", "always"] = "never"
    shows_calls: bool = True
    shows_text: bool = True
    thoughts: Literal["all", "current", "latest", "none"] = "none"
    empty: str = ""
    last: str = ""
    dropped: str = ""
    gap: str = ""
    gap_text: str = ""
    opening: str = ""
    opening_off: str | None = None
    opening_asked: str = ""
    rests: bool = False
    decides: bool = False
    efforts: Mapping[str, Effort] = MappingProxyType({})
    strips: Strips = MappingProxyType({})
    end: str = ""
    reminder: str = ""


_QWEN_2_5: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_QWEN_2: Final = "You are a helpful assistant."
_MIMO: Final = "You are MiMo, an AI assistant developed by Xiaomi."
_SMOLLM: Final = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
_CODER: Final = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
_TEXTS: Final = ("system", "user", "assistant", "tool", PREAMBLE, THOUGHT)


def _without_breaks(text: str) -> str:
    return text.strip("\n")


_QWEN_3_5: Final = Template(
    "qwen-xml/qwen3.5",
    empty_gap=False,
    thoughts="current",
    empty=_BLANK_THOUGHT,
    opening=_OPEN_THOUGHT,
    opening_off=_BLANK_THOUGHT,
    strips=dict.fromkeys(_TEXTS, str.strip),
)

_QWEN_3: Final = Template(
    "hermes", thoughts="current", last=_BLANK_THOUGHT, opening_off=_BLANK_THOUGHT, strips={THOUGHT: _without_breaks}
)

_QWEN_3_CODER: Final = Template("qwen-xml", system_tools=_CODER, strips={PREAMBLE: str.strip})

_NEMOTRON: Final = Template(
    "qwen-xml/nemotron-3",
    system="",
    empty_gap=False,
    thoughts="current",
    empty=_EMPTY_THOUGHT,
    dropped=_EMPTY_THOUGHT,
    gap="\n",
    gap_text="\n",
    opening=_OPEN_THOUGHT,
    opening_off=_EMPTY_THOUGHT,
    strips={"assistant": str.rstrip, PREAMBLE: str.strip},
)


_STEP: Final = Template(
    "qwen-xml/step-3.5", bos="<s>", thoughts="current", empty="<think>\n\n</think>\n", opening=_OPEN_THOUGHT
)


def _efforts_of_step(*names: str) -> dict[str, Effort]:
    """Return the efforts of Step-3.7, which are written as they are asked for; without one there are no words."""
    words = {"": "", **{name: f"Reasoning: {name}\n\n" for name in names}}
    return {name: Effort(text, "qwen-xml/step-3.5", text) for name, text in words.items()}


_LFM_2: Final = Template("lfm2", bos="<|startoftext|>", empty_system=False, empty_gap=False)


def _olmo(introduction: str) -> Template:
    """Return the template of a release of Olmo, given what its default system text begins with."""
    return Template(
        OLMO,
        system=f"{introduction}You do not currently have access to any functions. ",
        system_tools=f"{introduction}{OLMO_TOOLS}",
        empty_list="default",
        end="<|endoftext|>",
    )


TEMPLATES: Final = {
    "chatml": Template(None, shows_calls=False),
    "smollm2": Template(None, system=_SMOLLM, system_tools=_SMOLLM, shows_calls=False),
    "qwen2": Template(None, system=_QWEN_2, system_tools=_QWEN_2, shows_calls=False),
    "qwen2.5": Template("hermes", system=_QWEN_2_5, system_tools=_QWEN_2_5),
    "mimo": Template("hermes", system=_MIMO, system_tools=_MIMO),
    "qwq": Template("hermes", system_tools="", opening=_OPEN_THOUGHT, opening_off=f"{_OPEN_THOUGHT}</think>"),
    "qwen3": _QWEN_3,
    "qwen3-2507": Template("hermes"),
    "qwen3-thinking": _QWEN_3._replace(opening=_OPEN_THOUGHT, opening_off=None),
    "hermes": Template("nous", bos="<|begin_of_text|>", empty_list="always", shows_text=False),
    "qwen3-coder": _QWEN_3_CODER,
    "qwen3-coder-vllm": _QWEN_3_CODER._replace(family="qwen-xml/qwen3-coder-vllm"),
    "qwen3.5": _QWEN_3_5,
    "qwen3.5-small": _QWEN_3_5._replace(rests=True),
    "qwen3.6": _QWEN_3_5._replace(family="qwen-xml/qwen3.6"),
    "qwen3.8": _QWEN_3_5._replace(
        family="qwen-xml/qwen3.6",
        thoughts="all",
        empty_system=False,
        efforts={
            "xhigh": Effort(EFFORT_XHIGH, "qwen-xml/qwen3.8", EFFORT_XHIGH.rstrip("\n")),
            "medium": Effort("", "qwen-xml/qwen3.6"),
            "low": Effort(EFFORT_LOW, "qwen-xml/qwen3.8-low", EFFORT_LOW.rstrip("\n")),
        },
    ),
    "nemotron-3": _NEMOTRON,
    "nemotron-3-ultra": _NEMOTRON._replace(
        family="qwen-xml/nemotron-3-ultra", gap_text="", strips={"assistant": str.rstrip}
    ),
    "step-3.5": _STEP,
    "step-3.7": _STEP._replace(efforts=_efforts_of_step("low", "medium", "high")),
    "lfm2": _LFM_2,
    "lfm2.5": _LFM_2._replace(family="lfm2/lfm2.5", thoughts="current"),
    "lfm2.5-vl": _LFM_2._replace(family="lfm2/lfm2.5-vl", thoughts="current"),
    "bielik-3": Template(
        "hermes/bielik-3-think",
        bos="<s>",
        system_tools="",
        empty_system=False,
        thoughts="all",
        opening=_OPEN_THOUGHT,
        opening_off="",
        rests=True,
        efforts={OFF: Effort("", "hermes/bielik-3")},
        strips={"assistant": str.lstrip, PREAMBLE: str.lstrip, THOUGHT: str.strip},
        reminder=BIELIK_REMINDER,
    ),
    "minicpm5": _QWEN_3._replace(family=MINICPM, bos="<s>", last="", opening_asked=_OPEN_THOUGHT),
    "olmo-3": _olmo("You are a helpful function-calling AI assistant. "),
    "olmo-3.1": _olmo(
        "You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your model weights "
        "are available at https://huggingface.co/allenai. "
    ),
    "hyperclova-x": Template(
        HYPERCLOVA,
        system="",
        system_tools="",
        empty_list="always",
        thoughts="latest",
        decides=True,
        strips=dict.fromkeys(("assistant", PREAMBLE, THOUGHT), _without_breaks),
    ),
}
"""Name of the profile → template."""
