"""Rows with several answers to a prompt, each with its rank or its score (Nectar, UltraFeedback)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Json
from .exchange import read_prompt, read_tools
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .messages import message, preference, request

INSTRUCTION: Final = "instruction"
ANSWERS: Final = "answers"
_TEXTS: Final = ("answer", "response", "text", "content")
_RANKS: Final = ("rank",)
"""What says how good an answer is, where the least is the best."""
_SCORES: Final = ("overall_score", "score")
"""The same, where the most is the best."""


def is_ranked(fields: Object, wording: Wording) -> bool:
    """Whether a prompt stands there with answers that are ranked or scored."""
    answers = as_list(fields.get(ANSWERS))
    return isinstance(fields.get(INSTRUCTION), str) and bool(answers) and _ranked(answers or []) is not None


def read_ranked(fields: Object, wording: Wording) -> Sequence[Document]:
    """The prompt with its best answer and its worst one; where all are as good, with the first.

    Raises:
        BridgeError: OCB-SHAPE for answers that are not ranked.
    """
    ranked = _ranked(as_list(fields[ANSWERS]) or [])
    if not ranked:
        raise misshapen(f"/{ANSWERS}", "answers, each with a rank or a score")
    prompt, tools = read_prompt(fields, wording), read_tools(fields)
    best, worst = min(ranked, key=_order), max(ranked, key=_order)
    chosen = [message("assistant", best[1])]
    if best[0] == worst[0]:
        return [Document(request([*prompt, *chosen], tools))]
    return [Document(preference(prompt, chosen, [message("assistant", worst[1])], tools))]


def _order(answer: tuple[float, str]) -> float:
    return answer[0]


def _ranked(answers: Sequence[Json]) -> list[tuple[float, str]] | None:
    """The answers, each with how bad it is; None where that is not said of all of them."""
    found: list[tuple[float, str]] = []
    for each in answers:
        answer = as_object(each) or {}
        text = next((answer[name] for name in _TEXTS if isinstance(answer.get(name), str)), None)
        rank = next((answer[name] for name in _RANKS if _is_number(answer.get(name))), None)
        score = next((-answer[name] for name in _SCORES if _is_number(answer.get(name))), None)
        badness = score if rank is None else rank
        if text is None or badness is None:
            return None
        found.append((badness, text))
    return found


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
