"""Read rows of ms-swift with a rejected answer: the chosen answer is in the conversation.

ms-swift, `docs/source_en/Customization/Custom-dataset.md` and `swift/llm/dataset/preprocessor/core.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ...model import Json
from ..exchange import HISTORY, INPUT, INSTRUCTION, OUTPUT, SYSTEM, is_exchange, read_answer, read_prompt, shared
from ..fitting import as_object, items_of, members_of, without_members
from ..layout import Document, Object, Wording, misshapen
from ..messages import CALLS, ROLES, are_messages
from ..turns import CHOSEN, CONVERSATIONS, SHAREGPT, is_text_turn, read_turn, read_turns

REJECTED: Final = "rejected"
_EXCHANGE: Final = (INSTRUCTION, INPUT, OUTPUT, HISTORY)


class _Preference(NamedTuple):
    """The turns that two conversations have in common, and the remaining turns of both."""

    before: Sequence[Json]
    chosen: Sequence[Json]
    rejected: Sequence[Json]


def is_rejecting(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a conversation and a rejected answer, or a rejected conversation."""
    return REJECTED in fields and _preference(fields, wording) is not None


def read_rejecting(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation with the chosen and the rejected answer, as a row of ShareGPT.

    Raises:
        BridgeError: OCB-SHAPE if the fields do not hold a preference.
    """
    found = _preference(fields, wording)
    if found is None:
        raise misshapen(f"/{REJECTED}", "an answer to the conversation beside it, other than the one in it")
    before, chosen, rejected = ([read_turn(each, wording) for each in turns] for turns in found)
    around = without_members(fields, *_EXCHANGE, CONVERSATIONS, REJECTED)
    return read_turns(
        {**around, CONVERSATIONS: before, CHOSEN: _turn_or_list(chosen), REJECTED: _turn_or_list(rejected)}, SHAREGPT
    )


def _turn_or_list(turns: list[Json]) -> Json:
    """Return an answer in ShareGPT's form: one turn, or a list."""
    return turns[0] if len(turns) == 1 else turns


def _preference(fields: Object, wording: Wording) -> _Preference | None:
    """Return the preference of a row; None if it has none.

    A rejected text replaces the last turn; rejected turns replace all turns after the last question, unless they are
    the whole conversation.
    """
    turns, rejected = _turns(fields, wording), fields.get(REJECTED)
    rejected = rejected if as_object(rejected) is None else [rejected]
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
    """Return the turns of a row, the last of which was chosen; none if it has no turns, or turns that are not texts."""
    if CONVERSATIONS in fields:
        return _texts(fields[CONVERSATIONS], wording)
    if OUTPUT not in fields or not is_exchange(fields, wording):
        return []
    prompt = without_members(fields, SYSTEM)  # `SYSTEM` is a field of ShareGPT, too
    return _texts([*read_prompt(prompt, wording), *read_answer(fields[OUTPUT], wording, f"/{OUTPUT}")], wording)


def _texts(value: Json, wording: Wording) -> list[Json]:
    """Return turns that are texts; none for any other value."""
    turns = items_of(value)
    listed = [members_of(turn) for turn in turns]
    texts = all(is_text_turn(turn) and any(isinstance(turn.get(key), str) for key in wording.text) for turn in listed)
    return turns if texts and are_messages(value, wording) else []


def _is_answer(turn: Json) -> bool:
    """Return whether a turn is the assistant's, or a call."""
    found = members_of(turn)
    word = str(found.get("role", found.get("from")))
    return word in CALLS or ROLES.get(word.lower(), word) == "assistant"


def _answer_like(turn: Json, text: str) -> Object:
    """Return an answer with a text, under the keys of another turn."""
    found = members_of(turn)
    key = next(key for key in SHAREGPT.text if key in found)
    speaker = next(key for key in SHAREGPT.role if key in found)
    return {speaker: "assistant" if found[speaker] in CALLS else found[speaker], key: text}
