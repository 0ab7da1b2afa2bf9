"""Rows of a prompt with two answers, and what says which one is better: its number or letter, a score, a strength."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ..errors import BridgeError
from ..json_values import jsontext
from ..model import Json
from . import columns
from .exchange import INPUT, INSTRUCTION, read_prompt, read_tools, shared
from .fitting import as_list, as_object
from .layout import Document, Layout, Object, Wording
from .messages import are_messages, message, preference, request

_WHOLE: Final = "full_text"
_BETTER: Final = "better"
"""Which answer is the better one: the number or the letter at the end of the name of its column."""
_STRENGTH: Final = "strength"
"""How much better the second is than the first, which is the better one below 0."""


class _Pair(NamedTuple):
    """The numbers or letters of two answers."""

    first: str
    second: str


_PAIRS: Final = (_Pair("0", "1"), _Pair("1", "2"), _Pair("a", "b"))
_SIDE: Final = re.compile(r"(?:.*[\W_]|(?:response|answer|output))?([012ab])")
"""Words such as `1`, `a`, `model_a`, `response_1`: what stands for an answer at their end."""


def _answer(side: str) -> str:
    return f"response_{side}"


def _score(side: str) -> str:
    return f"score_{side}"


def _asked(fields: Object) -> tuple[Object, Object]:
    """The fields with the text of a question that says more of itself, as in WebGPT; and what it says beside."""
    question = as_object(fields.get(INSTRUCTION))
    if question is None or _WHOLE not in question:
        return fields, {}
    others = {name: value for name, value in question.items() if name != _WHOLE}
    return {**fields, INSTRUCTION: question[_WHOLE]}, {"question": others} if others else {}


def _pair(fields: Object) -> _Pair | None:
    """The two answers that stand there; None where there are not two texts."""
    for pair in _PAIRS:
        if all(isinstance(fields.get(_answer(side)), str) for side in pair):
            return pair
    return None


def is_compared(fields: Object, wording: Wording) -> bool:
    """Whether a prompt stands there with two answers, and something says which one is better."""
    prompt = _asked(fields)[0].get(INSTRUCTION)
    pair = _pair(fields)
    if pair is None or not (isinstance(prompt, str) or are_messages(prompt, wording)):
        return False
    return _BETTER in fields or _STRENGTH in fields or all(_score(side) in fields for side in pair)


def read_compared(fields: Object, wording: Wording) -> Sequence[Document]:
    """The prompt with the better answer and the other one; where neither is better, two conversations.

    Raises:
        BridgeError: OCB-SHAPE for a prompt that is none.
    """
    pair = _pair(fields)
    assert pair is not None, "the row was found to be of the layout"
    (fields, beside), tools = _asked(fields), read_tools(fields)
    sides = [_conversation(fields, side, wording) for side in pair]
    better = _better(fields, pair)
    if better is None:
        return [
            Document(request(messages, tools), path=f"/{_answer(side)}", beside=beside)
            for side, messages in zip(pair, sides, strict=True)
        ]
    won, lost = sides[better], sides[1 - better]
    at = shared(won, lost)
    return [Document(preference(won[:at], won[at:], lost[at:], tools), beside=beside)]


def _better(fields: Object, pair: _Pair) -> int | None:
    """Which of the two answers is the better one; None for neither."""
    if _BETTER in fields:
        found = _SIDE.fullmatch(str(fields[_BETTER]).strip().lower().removesuffix(".0"))
        return pair.index(found[1]) if found is not None and found[1] in pair else None
    strength = _number(fields.get(_STRENGTH))
    if strength is None:
        first, second = (_number(fields.get(_score(side))) for side in pair)
        strength = None if first is None or second is None else second - first
    return int(strength > 0) if strength else None


def _number(value: Json) -> float | None:
    """A number, or a text that is one, as tables have it."""
    try:
        return float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        return None


def _conversation(fields: Object, side: str, wording: Wording) -> list[Object]:
    """What was asked and answered; turn by turn, where the texts of all turns stand in lists."""
    answer = fields[_answer(side)]
    asked, answers = _texts(fields[INSTRUCTION]), _texts(answer)
    if asked is None or answers is None or len(asked) != len(answers):
        return [*read_prompt(fields, wording), message("assistant", answer)]
    beside = {name: value for name, value in fields.items() if name not in (INSTRUCTION, INPUT)}
    turns = zip(asked, answers, strict=True)
    pairs = [(message("user", question), message("assistant", text)) for question, text in turns]
    return [*read_prompt(beside, wording), *(each for turn in pairs for each in turn)]


def _texts(value: Json) -> list[str] | None:
    """The texts of the list whose JSON a text is."""
    if not isinstance(value, str) or not value.startswith("["):
        return None
    try:
        items = as_list(jsontext.loads(value))
    except BridgeError:
        return None
    texts = [item for item in items or [] if isinstance(item, str)]
    return texts if texts and len(texts) == len(items or []) else None


_SCORES: Final = ("score", "winner_model")
"""What the columns are called that say how good an answer is, or whether it won, before its number or letter."""
_VERDICTS: Final = {
    _BETTER: ("better_response_id", "preferred_response", "preference", "preferred", "winner", "choice", "better"),
    _STRENGTH: ("preference_strength", "overall_preference"),
    **{_score(side): tuple([f"{word}_{side}" for word in _SCORES]) for side in columns.SIDES},
}
COMPARED: Final = Layout(
    "compared",
    "a prompt with two answers, and which one is better (HelpSteer, PKU-SafeRLHF, WebGPT, SHP, LMSYS)",
    "openai",
    {
        INSTRUCTION: (
            *("prompt", "instruction", "question", "query", "context", "history", "post"),
            *columns.TURNS[:3],
        ),
        INPUT: (INPUT,),
        **{_answer(side): columns.of_side(side) for side in columns.SIDES},
        **_VERDICTS,
        **columns.PROMPT,
    },
    is_compared,
    read_compared,
    beside=frozenset(_VERDICTS),
)
