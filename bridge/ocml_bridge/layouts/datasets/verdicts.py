"""Read the word or number that says which of two answers is better."""

from __future__ import annotations

import re
from typing import Final

from ...loss import Finding
from ...model import Json
from ..layout import noticed

LETTERS: Final[tuple[str, str]] = ("a", "b")
"""The letters of two answers, or of the models that gave them: the answers may have numbers (PPE)."""
_NOUNS: Final = (
    *("response", "answer", "output", "completion", "generation", "reply", "text", "summary", "ref", "conversation"),
    *("model", "assistant", "system", "agent", "bot", "chatbot", "option", "choice", "candidate", "side"),
)
"""What may be before the number or letter of an answer; the name of a model ends with a number, too."""
_NAMED: Final = rf"(?:(?!not)(?:[a-z]+[\s_-])?(?:{'|'.join(_NOUNS)})[\s_:#-]?)?([012ab])"
_SIDE: Final = re.compile(_NAMED)
"""A word that ends with the number or letter of an answer, such as `1`, `a`, `model_a` or `response_1`."""
_PLACES: Final = {"left": "a", "right": "b"}
"""Where people see the better answer (Label Studio)."""
_ORDER: Final = re.compile(rf"{_NAMED}\s*(>+|<+)\s*{_NAMED}")
"""An order of both answers, such as `A>B` (JudgeBench)."""
_NEITHER: Final = re.compile(r".*(?:tie|both|neither|equal|same|draw|none|null|no[\W_]preference|=).*", re.DOTALL)
"""A text that says that neither answer is better."""
_NO_SIDE: Final = frozenset({"", "0", "-1"})
"""Further verdicts that no answer is better, if none has this number."""


def side_of(value: Json) -> str | None:
    """Return the number or letter of the better answer; None if a verdict names none."""
    verdict = _verdict(value)
    if verdict in _PLACES:
        return _PLACES[verdict]
    if _NEITHER.fullmatch(verdict):
        return None
    if (order := _ORDER.fullmatch(verdict)) is not None:
        first, sign, second = order.groups()
        return first if sign[0] == ">" else second
    found = _SIDE.fullmatch(verdict)
    return None if found is None else found[1]


def unclear(value: Json, path: str) -> list[Finding]:
    """Return a finding about a verdict that names no answer and does not say that neither is better."""
    verdict = _verdict(value)
    if verdict in _NO_SIDE or _NEITHER.fullmatch(verdict):
        return []
    return [noticed(path, "this does not say which of the answers is better; each is read as a conversation")]


def _verdict(value: Json) -> str:
    """Return the text of a verdict without the brackets that may be around it (`[[A]]`, MT-Bench)."""
    return str(value).strip().strip("[]").lower().removesuffix(".0")
