"""Read rows with a prompt, two answers, and the better one's number or letter, scores, or a preference strength."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...loss import Finding
from ...model import Json
from .. import columns
from ..declared import read_tools
from ..exchange import INPUT, INSTRUCTION, read_prompt, shared
from ..fitting import as_object, items_of, without_members
from ..layout import Document, Layout, Object, Wording, noticed, parsed_or_none
from ..messages import are_messages, message, preference, request
from ..texts.rendered import continued, preferred
from .verdicts import LETTERS, side_of, unclear

_WHOLE: Final = "full_text"
_BETTER: Final = "better"
"""The field for the number or letter of the better answer, as it ends the name of the answer's column."""
_STRENGTH: Final = "strength"
"""The field for the preference strength: below 0 if the first answer is better, above 0 if the second is."""


_Pair = tuple[str, str]
"""The numbers or letters of two answers."""
_PAIRS: Final = (("0", "1"), ("1", "2"), ("a", "b"))


def _answer(side: str) -> str:
    return f"response_{side}"


def _score(side: str) -> str:
    return f"score_{side}"


def _with_question_text(fields: Object) -> tuple[Object, Object]:
    """Return the fields with the text of a question that is an object, as in WebGPT; and the other members of it."""
    question = as_object(fields.get(INSTRUCTION))
    if question is None or _WHOLE not in question:
        return fields, {}
    others = without_members(question, _WHOLE)
    return {**fields, INSTRUCTION: question[_WHOLE]}, {"question": others} if others else {}


def _pair(fields: Object) -> _Pair | None:
    """Return the numbers or letters of the two answers; None if the fields do not hold two texts."""
    return next((pair for pair in _PAIRS if all(isinstance(fields.get(_answer(side)), str) for side in pair)), None)


def is_compared(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt and two answers, and any field that says which one is better."""
    prompt = _with_question_text(fields)[0].get(INSTRUCTION)
    pair = _pair(fields)
    if pair is None or not (isinstance(prompt, str) or are_messages(prompt, wording)):
        return False
    return _BETTER in fields or _STRENGTH in fields or all(_score(side) in fields for side in pair)


def read_compared(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the prompt with the better and the worse answer; two conversations if neither is better.

    Raises:
        BridgeError: OCB-SHAPE if the prompt is neither a text nor messages.
    """
    pair = _pair(fields)
    assert pair is not None, "the row was found to be of the layout"
    (fields, extra_columns), tools = _with_question_text(fields), read_tools(fields)
    extra_columns |= _others(fields, pair)
    sides = [_conversation(fields, side, wording) for side in pair]
    better = _better(fields, pair)
    findings = _without_text(fields, pair)
    if found := continued(fields, [fields[_answer(side)] for side in pair], wording):
        if better is not None:
            return [preferred(found[better], found[1 - better])._replace(extra_columns=extra_columns)]
        doubts = tuple(unclear(fields.get(_BETTER, ""), f"/{_BETTER}"))
        return [
            each._replace(findings=(*each.findings, *doubts), path=f"/{_answer(side)}", extra_columns=extra_columns)
            for side, each in zip(pair, found, strict=True)
        ]
    if better is None:
        findings += unclear(fields.get(_BETTER, ""), f"/{_BETTER}")
        return [
            Document(request(messages, tools), tuple(findings), f"/{_answer(side)}", extra_columns)
            for side, messages in zip(pair, sides, strict=True)
        ]
    won, lost = sides[better], sides[1 - better]
    at = shared(won, lost)
    document = preference(won[:at], won[at:], lost[at:], tools)
    return [Document(document, tuple(findings), extra_columns=extra_columns)]


def _without_text(fields: Object, pair: _Pair) -> list[Finding]:
    """Return findings about questions and answers, turn by turn, that are null."""
    fields_of_turns = [name for side in pair if _turns(fields, side) for name in (INSTRUCTION, _answer(side))]
    nulls = [name for name in dict.fromkeys(fields_of_turns) if None in items_of(parsed_or_none(fields[name]))]
    return [noticed(f"/{name}", "a text in the list is null; it is read as an empty one") for name in nulls]


def _better(fields: Object, pair: _Pair) -> int | None:
    """Return the index of the better answer, which its column may repeat; None for neither."""
    if _BETTER in fields:
        texts = [fields[_answer(side)] for side in pair]
        if texts.count(fields[_BETTER]) == 1:
            return texts.index(fields[_BETTER])
        side = side_of(fields[_BETTER])
        return next((each.index(side) for each in (pair, LETTERS) if side is not None and side in each), None)
    strength = _number(fields.get(_STRENGTH))
    if strength is None:
        first, second = (_number(fields.get(_score(side))) for side in pair)
        strength = None if first is None or second is None else second - first
    return int(strength > 0) if strength else None


def _number(value: Json) -> float | None:
    """Return a number, or the number that a text spells; None for any other value."""
    try:
        return float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        return None


def _conversation(fields: Object, side: str, wording: Wording) -> list[Object]:
    """Return the prompt and an answer; if both are lists of texts, turn by turn."""
    turns = _turns(fields, side)
    if not turns:
        return [*read_prompt(fields, wording), message("assistant", fields[_answer(side)])]
    before = without_members(fields, INSTRUCTION, INPUT)
    pairs = [(message("user", question), message("assistant", text)) for question, text in turns]
    return [*read_prompt(before, wording), *(each for turn in pairs for each in turn)]


def _turns(fields: Object, side: str) -> list[tuple[str, str]]:
    """Return the questions with their answers if both are lists of as many texts; none otherwise."""
    prompts, answers = _texts(fields[INSTRUCTION]), _texts(fields[_answer(side)])
    if prompts is None or answers is None or len(prompts) != len(answers):
        return []
    return list(zip(prompts, answers, strict=True))


def _others(fields: Object, pair: _Pair) -> Object:
    """Return the fields that no conversation has: answers other than the two, and an input beside several turns."""
    others = {_answer(side) for side in columns.SIDES if side not in pair}
    others |= {INPUT} if any(_turns(fields, side) for side in pair) else set[str]()
    return {name: value for name, value in fields.items() if name in others}


def _texts(value: Json) -> list[str] | None:
    """Return the texts of a list that is given as JSON text, each null as an empty one; None for any other value."""
    if not isinstance(value, str) or not value.startswith("["):
        return None
    items = items_of(parsed_or_none(value))
    texts = [item or "" for item in items if isinstance(item, str | None)]
    return texts if texts and len(texts) == len(items) else None


_SCORES: Final = ("score", "winner_model", "rating", "reward")
"""The first word of the names of columns for the score of an answer, or for whether it won."""
_VERDICTS: Final = {
    _BETTER: (
        *("better_response_id", "preferred_response", "preference", "preferred", "winner", "choice", "better"),
        *("comparison", "chosen", "best"),
    ),
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
        **{_answer(side): columns.names_of_answer(side) for side in columns.SIDES},
        **_VERDICTS,
        **columns.PROMPT,
    },
    is_compared,
    read_compared,
    extra_columns=frozenset(_VERDICTS),
)
