"""Read texts of templates whose turns have words for labels: Vicuna's speakers, Baize's, Alpaca's headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from ...model import Json
from ..edges import unended, unframed
from ..layout import Document, Object, Wording, misshapen
from ..messages import message, request

_END: Final = "</s>"
Template = Callable[[Json, Wording], "list[Object] | None"]
"""Returns the messages of a text in a template; None for any other text."""


def is_written(template: Template, fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a text in a template."""
    return template(fields.get("text"), wording) is not None


def read_written(template: Template, shown: str, fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of a text in a template.

    Raises:
        BridgeError: OCB-SHAPE if the text is not of the template; `shown` says what such a text has.
    """
    messages = template(fields["text"], wording)
    if messages is None:
        raise misshapen("/text", shown)
    return [Document(request(messages, None))]


def _without_open_answer(messages: list[Object]) -> list[Object]:
    """Return messages without a last answer that is still to be generated."""
    return messages[:-1] if messages[-1] == message("assistant", "") else messages


_SPEAKER: Final = re.compile(r"(?:(?<=\s)|(?<=</s>)|\A)(USER|ASSISTANT):")
_ROLES: Final = {"USER": "user", "ASSISTANT": "assistant"}


def vicuna(text: Json, wording: Wording) -> list[Object] | None:
    """Return the messages of a text in Vicuna's template; None for any other text.

    The text before the first speaker is a system message.

    Labels are in the middle of lines, where a text may contain their words as well. So they must alternate, and each
    answer but the last must end with its token unless all labels begin a line; and a text of one turn must begin with a
    system message about an assistant, or end with that token.
    """
    text = unframed(text)
    if text is None or "USER:" not in text:
        return None
    text = text.rstrip()
    found = list(_SPEAKER.finditer(text))
    if len(found) < 2 or any(each[1] != ("USER", "ASSISTANT")[at % 2] for at, each in enumerate(found)):
        return None
    pairs = [(_ROLES[one[1]], text[one.end() : two.start()].strip()) for one, two in pairwise(found)]
    last = text[found[-1].end() :].strip()
    system = text[: found[0].start()].strip()
    begin_lines = all(text.endswith("\n", 0, each.start()) for each in found)
    ended = begin_lines or all(content.endswith(_END) for role, content in pairs if role == "assistant")
    if not ended or not (len(found) > 2 or last.endswith(_END) or "assistant" in system.lower()):
        return None
    turns = [*pairs, (_ROLES[found[-1][1]], last)]
    messages = [message(role, content.removesuffix(_END).strip()) for role, content in turns]
    return _without_open_answer([message("system", system), *messages] if system else messages)


# --- Baize ------------------------------------------------------------------------------------------------------------

_BAIZE: Final = re.compile(r"\s*\[\|(Human|AI)\|\]\s*")
_BAIZE_ROLES: Final = {"Human": "user", "AI": "assistant"}


def baize(text: Json, wording: Wording) -> list[Object] | None:
    """Return the messages of a text in Baize's template, without an open turn; None for any other text."""
    text = unframed(text)
    if text is None or "[|Human|]" not in text:
        return None
    system, *turns = _BAIZE.split(text)
    if turns[0] != "Human":
        return None
    messages = [message(_BAIZE_ROLES[who], text) for who, text in zip(turns[::2], turns[1::2], strict=True)]
    messages[-1]["content"] = messages[-1]["content"].rstrip()
    if len(messages) > 1 and not messages[-1]["content"]:
        messages.pop()
    return [message("system", system.strip()), *messages] if system.strip() else messages


# --- Alpaca -----------------------------------------------------------------------------------------------------------

_HEADING: Final = re.compile(r"### (Instruction|Input|Response):[ \t]*\n?")
_ROUND: Final = re.compile(r"(?:Instruction (?:Input )?Response )+")


def headed(text: Json, wording: Wording) -> list[Object] | None:
    """Return the messages of a text in Alpaca's template (tatsu-lab/stanford_alpaca, `train.py`); None for others."""
    text = unframed(text)
    found = [] if text is None else list(_HEADING.finditer(text))
    if text is None or not _ROUND.fullmatch("".join(f"{each[1]} " for each in found)):
        return None
    system = text[: found[0].start()].strip()
    if system and "instruction" not in system.lower():
        return None
    messages = [message("system", system)] if system else []
    for label, end in zip(found, [*(each.start() for each in found[1:]), len(text)], strict=True):
        content = unended(text[label.end() : end])
        if label[1] == "Input":
            messages[-1]["content"] += f"{wording.separator}{content}" if content else ""
        else:
            messages.append(message("user" if label[1] == "Instruction" else "assistant", content))
    return _without_open_answer(messages)
