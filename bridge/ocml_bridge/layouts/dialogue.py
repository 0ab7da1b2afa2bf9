"""Read conversations in one text whose lines begin with the speaker: `USER: …`, `**You:** …`, `### Response: …`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from ..loss import Finding
from ..model import Json
from . import calls
from .edges import END, unended
from .layout import Document, Object, Wording, misshapen, noticed
from .messages import message, request, system_of

_NUMBER: Final = r"\d{1,3}"


class _Style(NamedTuple):
    """How texts name their speakers.

    Attributes:
        roles: the labels, and the roles of those who have them. A 1 stands for any number.
        begin: the pattern before a label.
        end: the pattern after it.
    """

    roles: Mapping[str, str]
    begin: str = f"(?:^|(?:{END}) ?)"
    end: str = r":[ \t]?"

    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of a label, which is its first group."""
        labels = "|".join(re.escape(label) for label in sorted(self.roles, key=len, reverse=True))
        return re.compile(rf"{self.begin}({labels.replace('1', _NUMBER)}){self.end}", re.MULTILINE)


_PEOPLE: Final = ("You", "User", "Human", "Me")
_MODELS: Final = ("Assistant", "ChatGPT", "Claude", "Gemini", "Copilot", "Grok", "DeepSeek", "AI", "Bot")
_OF_CHATS: Final = {**dict.fromkeys(_PEOPLE, "user"), **dict.fromkeys(_MODELS, "assistant"), "System": "system"}
"""The names in chats that people copy from pages, or export as Markdown."""
_EXPORTED: Final = {spelled: role for name, role in _OF_CHATS.items() for spelled in (name, name.upper(), name.lower())}
_HEADINGS: Final = {**_EXPORTED, "Prompt": "user", "Response": "assistant"}
_TALKS: Final = (
    _Style(
        {
            "SYSTEM": "system",
            "USER": "user",
            "HUMAN": "user",
            "ASSISTANT": "assistant",
            "FUNCTION RESPONSE": "tool",
            "FUNCTION_RESPONSE": "tool",
            "TOOL": "tool",
        }
    ),
    _Style({"System": "system", "User": "user", "Human": "user", "Assistant": "assistant", "Tool": "tool"}),
    _Style({"system": "system", "user": "user", "human": "user", "assistant": "assistant", "tool": "tool"}),
    _Style(
        {
            "### System": "system",
            "### Human": "user",
            "### User": "user",
            "### Assistant": "assistant",
            "### Response": "assistant",
        },
        begin="",  # anywhere in a line: Guanaco's texts have it after the text of the turn before
    ),
    _Style({"<human>": "user", "<bot>": "assistant"}),
    _Style({"System": "system", "User": "user", "Human": "user", "AI": "assistant"}),
    _Style({"System": "system", "User": "user", "Human": "user", "Bot": "assistant"}),
    _Style({"USER": "user", "HUMAN": "user", "AI": "assistant"}),
    _Style({"USER": "user", "HUMAN": "user", "BOT": "assistant"}),
    _Style({"Customer": "user", "Agent": "assistant"}),
    _Style({"<Human 1>": "user", "<Assistant 1>": "assistant"}, begin="", end="[:：][ \t]?"),  # RefGPT's Chinese texts
    _Style(_OF_CHATS, begin="^", end=r"(?: said)?:[ \t]?"),
    _Style(_EXPORTED, begin=r"^\*\*", end=r"(?: said)?(?::\*\*|\*\*:)[ \t]?"),
    _Style(_EXPORTED, begin="^#{1,6} ", end=r" said:?[ \t]*$"),
    *(_Style(_HEADINGS, begin=f"^{'#' * level} ", end=r":?[ \t]*$") for level in range(1, 7)),
)
STYLES: Final = (
    *_TALKS,
    _Style({"### Question": "user", "### Answer": "assistant"}, begin=""),
    _Style({"Question": "user", "Answer": "assistant"}),
    _Style({"Instruct": "user", "Output": "assistant"}),
)
"""A text has only labels of one style: the first that has its first label, and labels of both sides. Labels of
questions and answers may be a part of a prompt, and are read in whole texts only."""
_CHAT: Final = ("<start_chat>", "<end_chat>")
"""The tokens around the texts of RefGPT."""
_FENCE: Final = re.compile(r"\A\s*```[a-z]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@cache
def _pattern(style: int) -> re.Pattern[str]:
    return STYLES[style].pattern()


@cache
def _any_label() -> re.Pattern[str]:
    """Return the pattern of a label of any style."""
    return re.compile("|".join([_pattern(style).pattern for style in range(len(STYLES))]), re.MULTILINE)


def _speaker(style: int, label: str) -> str:
    """Return the role of a label."""
    return STYLES[style].roles[re.sub(_NUMBER, "1", label)]


def _style_of(text: str) -> int | None:
    """Return the index of the style of a text, which begins with a label and has turns of both sides; None if none."""
    begins = text.lstrip()[:40]
    if _any_label().match(begins) is None:
        return None
    styles = [style for style in range(len(STYLES)) if _pattern(style).match(begins)]
    return next((style for style in styles if _has_both(text, style)), None)


def _has_both(text: str, style: int) -> bool:
    return {"user", "assistant"} <= {_speaker(style, word) for word in _pattern(style).findall(text)}


def has_speakers(text: Json) -> bool:
    """Return whether a text begins with a label, and has turns of both the user and the assistant."""
    return isinstance(text, str) and _style_of(_unfenced(text)) is not None


def is_dialogue(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a text with labels of speakers."""
    return has_speakers(fields.get("text"))


def _unfenced(text: str) -> str:
    """Return the content of a code block if a text is one, or of RefGPT's tokens; the text otherwise."""
    found = _FENCE.match(text)
    return text.strip().removeprefix(_CHAT[0]).removesuffix(_CHAT[1]) if found is None else found[1]


def read_labelled(text: Json) -> list[Object] | None:
    """Return the messages of a text in which each turn begins with its speaker; None for any other text."""
    if not isinstance(text, str) or not has_speakers(text):
        return None
    bare = _unfenced(text).lstrip()
    style = _style_of(bare)
    assert style is not None
    found = list(_pattern(style).finditer(bare))
    ends = [*(each.start() for each in found[1:]), len(bare)]
    return [
        message(_speaker(style, label[1]), unended(bare[label.end() : end]))
        for label, end in zip(found, ends, strict=True)
    ]


def read_prompt(text: str) -> list[Object] | None:
    """Return the messages of a text that ends with the assistant's label, or with turns of NeMo; None for others."""
    if _NEMO in text:
        return _read_nemo(text)
    messages = read_labelled(text) if text.rstrip().endswith(":") and _is_talk(text) else None
    if not messages or messages[-1] != message("assistant", ""):
        return None
    return messages[:-1]


def _is_talk(text: str) -> bool:
    """Return whether the labels of a text are those of speakers."""
    style = _style_of(_unfenced(text))
    return style is not None and style < len(_TALKS)


_NEMO: Final = "<extra_id_1>"
_NEMO_TURN: Final = re.compile(r"\n<extra_id_1>(User|Assistant)\n")


def _read_nemo(text: str) -> list[Object] | None:
    """Return the messages of a question that is followed by further turns, each after a token (HelpSteer2)."""
    first, *rest = _NEMO_TURN.split(text)
    roles, texts = ["user", *map(str.lower, rest[::2])], [first, *rest[1::2]]
    if roles[-1] == "assistant" and not texts[-1].strip():
        del roles[-1], texts[-1]
    if _NEMO in "".join(texts) or roles != [("user", "assistant")[at % 2] for at in range(len(roles))]:
        return None
    return list(map(message, roles, texts)) if roles[-1] == "user" else None


def read_with_input(text: str, given: str) -> list[Object] | None:
    """Return the messages of a text with labels, and of a last question beside it; None for any other text (Guanaco).

    Args:
        text: the text, which must end with a turn of the assistant.
        given: the last question, with or without the user's label.
    """
    messages = read_labelled(text) if _is_talk(text) else None
    if messages is None or messages[-1]["role"] != "assistant" or not messages[-1]["content"]:
        return None
    style = _style_of(_unfenced(text))
    label = None if style is None else _pattern(style).match(given)
    if label is None or style is None:
        return [*messages, message("user", given)]
    is_question = _speaker(style, label[1]) == "user" and _pattern(style).search(given, label.end()) is None
    return [*messages, message("user", given[label.end() :].strip())] if is_question else None


def read_dialogue(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a text, after the system message of another column.

    Raises:
        BridgeError: OCB-SHAPE if the text has no speakers.
    """
    messages = read_labelled(fields["text"])
    if messages is None:
        raise misshapen("/text", "a text with the speaker before each turn, as `USER: …`")
    system = fields.get("system")
    if isinstance(system, str):
        system = re.sub(r"\A\s*SYSTEM:\s*", "", system).strip()
    messages = [*system_of(system, "/system"), *messages]
    findings = _without_none(messages)
    tools, messages, more = calls.extract_tools(messages)
    return [Document(request(messages, tools), (*findings, *more))]


def _without_none(messages: Sequence[Object]) -> list[Finding]:
    """Replace the content `None` before a tool's result, as Python prints a missing text, and return the findings."""
    found: list[Finding] = []
    for at, (each, behind) in enumerate(pairwise(messages)):
        if each["role"] == "assistant" and each["content"] == "None" and behind["role"] == "tool":
            each["content"] = None
            found.append(noticed(f"/messages/{at}/content", "the text says None for a call that it does not show"))
    return found
