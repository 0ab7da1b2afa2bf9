"""Texts as templates of earlier models made them: Llama 2's `[INST]`, which Mistral has too, Vicuna's `USER:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from ..model import Json
from .layout import Document, Object, Wording, misshapen
from .messages import message, request

_INSTRUCTION: Final = re.compile(r"\[(/?)INST\]")
_SYSTEM: Final = re.compile(r"\s*<<SYS>>\s*(.*?)\s*<</SYS>>\s*", re.DOTALL)
_BEGIN: Final = "<s>"
_END: Final = "</s>"


def is_instructed(fields: Object, wording: Wording) -> bool:
    """Whether a text of Llama 2's template stands there."""
    return _instructed(fields.get("text")) is not None


def read_instructed(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of such a text.

    Raises:
        BridgeError: OCB-SHAPE for another text.
    """
    return [_document(_instructed(fields["text"]), "a text in which `[INST]` and `[/INST]` take turns")]


def _instructed(text: Json) -> list[Object] | None:
    """The messages of a text in Llama 2's template; None for any other text."""
    if not isinstance(text, str):
        return None
    found = list(_INSTRUCTION.finditer(text))
    if not found or len(found) % 2 or any(bool(each[1]) is not bool(at % 2) for at, each in enumerate(found)):
        return None
    if text[: found[0].start()].strip() not in ("", _BEGIN):
        return None
    messages: list[Object] = []
    ends = [*(each.start() for each in found[1:]), len(text)]
    for label, end in zip(found, ends, strict=True):
        said = text[label.end() : end]
        if label[1]:
            messages.append(message("assistant", _answer(said)))
            continue
        system = None if messages else _SYSTEM.match(said)
        if system is not None:
            messages.append(message("system", system[1]))
            said = said[system.end() :]
        messages.append(message("user", said.strip()))
    return _asked(messages)


def _answer(said: str) -> str:
    """What an answer says, without the tokens that end it and begin what is behind it."""
    return said.strip().removesuffix(_BEGIN).rstrip().removesuffix(_END).strip()


def _asked(messages: list[Object]) -> list[Object]:
    """Messages without the answer that is still to come."""
    return messages[:-1] if messages[-1] == message("assistant", "") else messages


_SPEAKER: Final = re.compile(r"(?:(?<=\s)|(?<=</s>)|\A)(USER|ASSISTANT):")
_ROLES: Final = {"USER": "user", "ASSISTANT": "assistant"}


def is_vicuna(fields: Object, wording: Wording) -> bool:
    """Whether a text of Vicuna's template stands there."""
    return _vicuna(fields.get("text")) is not None


def read_vicuna(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation of such a text; what stands before the first speaker is the system's.

    Raises:
        BridgeError: OCB-SHAPE for another text.
    """
    return [_document(_vicuna(fields["text"]), "a text in which `USER:` and `ASSISTANT:` take turns")]


def _vicuna(text: Json) -> list[Object] | None:
    """The messages of a text in Vicuna's template; None for any other text.

    Speakers stand in the middle of lines, where a text may name them as well. So they take turns, and each answer but
    the last ends with its token, where not all of them begin a line; and a text of one turn begins with what the system
    says to an assistant, or ends with that token.
    """
    if not isinstance(text, str):
        return None
    text = text.strip().removeprefix(_BEGIN)
    found = list(_SPEAKER.finditer(text))
    if len(found) < 2 or any(each[1] != ("USER", "ASSISTANT")[at % 2] for at, each in enumerate(found)):
        return None
    pairs = [(_ROLES[one[1]], text[one.end() : two.start()].strip()) for one, two in pairwise(found)]
    last = text[found[-1].end() :].strip()
    system = text[: found[0].start()].strip()
    lined = all(text.endswith("\n", 0, each.start()) for each in found)
    ended = lined or all(said.endswith(_END) for role, said in pairs if role == "assistant")
    if not ended or not (len(found) > 2 or last.endswith(_END) or "assistant" in system.lower()):
        return None
    said = [*pairs, (_ROLES[found[-1][1]], last)]
    messages = [message(role, content.removesuffix(_END).strip()) for role, content in said]
    return _asked([message("system", system), *messages] if system else messages)


def _document(messages: list[Object] | None, wanted: str) -> Document:
    if messages is None:
        raise misshapen("/text", wanted)
    return Document(request(messages, None))
