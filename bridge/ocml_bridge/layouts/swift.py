"""Rows of ms-swift with an answer that was rejected: the conversation stands there whole, with the one that was chosen.

ms-swift, `docs/source_en/Customization/Custom-dataset.md` and `swift/llm/dataset/preprocessor/core.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..model import Json
from .exchange import HISTORY, INPUT, INSTRUCTION, OUTPUT, SYSTEM, is_exchange, read_answer, read_prompt, shared
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen
from .messages import ROLES, are_messages
from .turns import CALLS, CHOSEN, CONVERSATIONS, SHAREGPT, is_text_turn, read_turn, read_turns

REJECTED: Final = "rejected"
_EXCHANGE: Final = (INSTRUCTION, INPUT, OUTPUT, HISTORY)


class _Preference(NamedTuple):
    """What was said first, and the two ways in which it went on: lists of turns."""

    before: Sequence[Json]
    chosen: Sequence[Json]
    rejected: Sequence[Json]


def is_rejecting(fields: Object, wording: Wording) -> bool:
    """Whether a conversation stands there with what was rejected: an answer, or a conversation that went on apart."""
    return REJECTED in fields and _preference(fields, wording) is not None


def read_rejecting(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation, with the answer that was chosen and the one that was rejected, as a row of ShareGPT.

    Raises:
        BridgeError: OCB-SHAPE for other fields.
    """
    found = _preference(fields, wording)
    if found is None:
        raise misshapen(f"/{REJECTED}", "an answer to the conversation beside it, other than the one in it")
    before, chosen, rejected = ([read_turn(each, wording) for each in turns] for turns in found)
    around = {name: value for name, value in fields.items() if name not in (*_EXCHANGE, CONVERSATIONS, REJECTED)}
    return read_turns({**around, CONVERSATIONS: before, CHOSEN: _given(chosen), REJECTED: _given(rejected)}, SHAREGPT)


def _given(turns: list[Json]) -> Json:
    """An answer as ShareGPT gives it: one turn, or a list."""
    return turns[0] if len(turns) == 1 else turns


def _preference(fields: Object, wording: Wording) -> _Preference | None:
    """The preference of a row; None for one that has none.

    An answer that is rejected as a text stands in place of the last turn; as turns, of all that follow what was asked,
    if they are not the conversation from its beginning.
    """
    turns, rejected = _turns(fields, wording), fields.get(REJECTED)
    if not turns or not _is_answer(turns[-1]):
        return None
    if isinstance(rejected, str):
        return _Preference(turns[:-1], turns[-1:], [_answer_like(turns[-1], rejected)])
    others = _texts(rejected, wording)
    if not others or not _is_answer(others[-1]):
        return None
    at = shared(turns, others)
    if at:
        return _Preference(turns[:at], turns[at:], others[at:])
    prompts = [number for number, turn in enumerate(turns, 1) if not _is_answer(turn)]
    at = prompts[-1] if prompts else 0
    return _Preference(turns[:at], turns[at:], others) if _is_answer(others[0]) else None


def _turns(fields: Object, wording: Wording) -> list[Json]:
    """The turns of a row, whose last one was chosen; none for a row without any, and for turns that are not texts."""
    if CONVERSATIONS in fields:
        return _texts(fields[CONVERSATIONS], wording)
    if OUTPUT not in fields or not is_exchange(fields, wording):
        return []
    prompt = {name: value for name, value in fields.items() if name != SYSTEM}  # which has a column in ShareGPT, too
    return _texts([*read_prompt(prompt, wording), *read_answer(fields[OUTPUT], wording, f"/{OUTPUT}")], wording)


def _texts(value: Json, wording: Wording) -> list[Json]:
    """Turns that are texts; none for any other value."""
    turns = as_list(value) or []
    listed = [as_object(turn) or {} for turn in turns]
    texts = all(is_text_turn(turn) and any(isinstance(turn.get(key), str) for key in wording.text) for turn in listed)
    return turns if texts and are_messages(value, wording) else []


def _is_answer(turn: Json) -> bool:
    """Whether a turn is the assistant's, who says something or calls."""
    found = as_object(turn) or {}
    word = str(found.get("role", found.get("from")))
    return word in CALLS or ROLES.get(word.lower(), word) == "assistant"


def _answer_like(turn: Json, text: str) -> Object:
    """An answer that is a text, in the words of another turn."""
    found = as_object(turn) or {}
    key = next(key for key in SHAREGPT.text if key in found)
    speaker = next(key for key in SHAREGPT.role if key in found)
    return {speaker: "assistant" if found[speaker] in CALLS else found[speaker], key: text}
