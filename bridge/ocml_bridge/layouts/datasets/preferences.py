"""Read rows that say which of several answers is the better one, and list their layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Final, cast

from ...convert import read
from ...model import Alternative, Json, Transcript
from ...model.codec import to_json
from .. import columns, exchange, media
from ..declared import read_tools
from ..exchange import INSTRUCTION, is_number, is_text_or_messages, read_answer, read_prompt, shared
from ..fitting import as_list, as_object, items_of, members_of, objects_of, without_members
from ..layout import Document, Layout, Object, Wording, misshapen
from ..messages import are_messages, preference, request, respelled_all
from ..texts.rendered import continued, preferred
from .verdicts import LETTERS, side_of, unclear

# --- answers of two models, and the one that won (Chatbot Arena) ------------------------------------------------------

SIDES: Final = ("conversation_a", "conversation_b")
WINNER: Final = "winner"
_WINS: Final = dict(zip(LETTERS, (SIDES, SIDES[::-1]), strict=True))
"""The side that won and the side that lost, for each letter of the winner."""


def is_battle(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold two conversations and the winner."""
    return isinstance(fields.get(WINNER), str) and all(are_messages(fields.get(side), wording) for side in SIDES)


def read_battle(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the prompt with the winning answer and the other one; two conversations if neither won."""
    sides = {side: respelled_all(fields[side], wording, f"/{side}") for side in SIDES}
    order = _WINS.get(side_of(fields[WINNER]) or "")
    if order is None:
        findings = tuple(unclear(fields[WINNER], f"/{WINNER}"))
        return [Document(request(messages, None), findings, f"/{side}") for side, messages in sides.items()]
    won, lost = (sides[side] for side in order)
    at = shared(won, lost)
    return [Document(preference(won[:at], won[at:], lost[at:], None))]


# --- several answers to a prompt, each with its rank or its score (Nectar, UltraFeedback) -----------------------------

ANSWERS: Final = "answers"
SCORES: Final = "scores"
_TEXTS: Final = ("answer", "response", "text", "content", "completion")
_RANK: Final = "rank"
"""The member for the rank of an answer, of which the lowest is the best."""
_SCORES: Final = ("overall_score", "score", "pm_score")
"""Members for the score of an answer, of which the highest is the best."""


def is_ranked(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt with answers that are ranked or scored."""
    return is_text_or_messages(fields.get(INSTRUCTION)) and bool(_ranked(_scored(fields)))


def _scored(fields: Object) -> Sequence[Json]:
    """Return the answers with their ranks or scores, which may be in a list of their own (distilabel)."""
    answers, scores = items_of(fields.get(ANSWERS)), items_of(fields.get(SCORES))
    listed = members_of(fields.get(ANSWERS))
    if "text" in listed:  # a list for each member (ELI5)
        answers, scores = items_of(listed["text"]), items_of(listed.get("score"))
    if len(answers) != len(scores) or not all(isinstance(each, str) for each in answers):
        return answers
    return [{"answer": answer, "score": score} for answer, score in zip(answers, scores, strict=True)]


def read_ranked(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the prompt with its best and its worst answer; with the first one if all are equal.

    Raises:
        BridgeError: OCB-SHAPE if the answers are not ranked.
    """
    ranked = _ranked(_scored(fields))
    if not ranked:
        raise misshapen(f"/{ANSWERS}", "answers, each with a rank or a score")
    prompt, tools = read_prompt(fields, wording), read_tools(fields)
    best, worst = min(ranked, key=itemgetter(0)), max(ranked, key=itemgetter(0))
    if found := continued(fields, [best[1], worst[1]], wording):
        return [found[0] if best[0] == worst[0] else preferred(*found)]
    chosen, rejected = (read_answer(each[1], wording, f"/{ANSWERS}") for each in (best, worst))
    if best[0] == worst[0]:
        return [Document(request([*prompt, *chosen], tools))]
    return [Document(preference(prompt, chosen, rejected, tools))]


def _ranked(answers: Sequence[Json]) -> list[tuple[float, Json]] | None:
    """Return the answers, each with its rank or its negative score; None if any has neither."""
    found: list[tuple[float, Json]] = []
    for each in answers:
        answer = members_of(each)
        text = next((answer[name] for name in _TEXTS if is_text_or_messages(answer.get(name))), None)
        score = next((-answer[name] for name in _SCORES if is_number(answer.get(name))), None)
        badness = answer[_RANK] if is_number(answer.get(_RANK)) else score
        if text is None or badness is None:
            return None
        found.append((badness, text))
    return found


# --- a prompt with one answer, and a label for its quality ------------------------------------------------------------


def is_labelled_completion(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a prompt, as a text or as messages without an answer, and its completion."""
    last = members_of((items_of(fields.get(INSTRUCTION)) or [None])[-1])
    return last.get("role") != "assistant" and exchange.is_completion(fields, wording)


# --- a request of Gemini with a preferred and another answer, as its preference tuning takes them ---------------------

CONTENTS: Final = "contents"
COMPLETIONS: Final = "completions"
_FORMAT: Final = "gemini"


def are_scored(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold contents and two answers with different scores."""
    return bool(as_list(fields.get(CONTENTS))) and _answers(fields.get(COMPLETIONS)) is not None


def _answers(value: Json) -> tuple[Object, Object] | None:
    """Return the better answer and the worse one; None for any other value."""
    found = objects_of(value)
    answers = [as_object(each.get("completion")) for each in found]
    scores = [each.get("score") for each in found]
    if len(found) != 2 or None in answers or not all(isinstance(score, (int, float)) for score in scores):
        return None
    one, other = cast("tuple[Object, Object]", tuple(answers))
    first, second = cast("list[float]", scores)
    return None if first == second else (one, other) if first > second else (other, one)


def read_scored(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation with the better answer, and the worse one as its alternative.

    Raises:
        BridgeError: OCB-SHAPE if there is no pair of answers, or as the reader of contents raises it.
    """
    pair = _answers(fields.get(COMPLETIONS))
    if pair is None:
        raise misshapen(f"/{COMPLETIONS}", "two answers, each a `completion` with a `score`")
    request = without_members(fields, COMPLETIONS)
    contents = items_of(fields.get(CONTENTS))
    return _preferred(_FORMAT, [{**request, CONTENTS: [*contents, *more]} for more in ((), *zip(pair))])


def _preferred(source: str, requests: Sequence[Object]) -> Sequence[Document]:
    """Return the conversation of a request without an answer, with its better answer, and with its worse one."""
    prompt, *readings = [read(each, source) for each in requests]
    at = len(cast("Transcript", prompt.transcript).messages)
    best, worst = [cast("Transcript", each.transcript) for each in readings]
    rejected = Alternative(worst.messages[at:], at, "rejected")
    return [Document(to_json(replace(best, alternatives=(rejected,))), readings[0].findings)]


# --- a request of Converse whose last message has a preferred and another answer, as Amazon Nova's DPO takes them -----

MESSAGES: Final = "messages"
_CANDIDATES: Final = "candidates"
_LABELS: Final = ("preferred", "non-preferred")


def are_labelled(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold messages, the last of which has two answers, one of them preferred."""
    return _labelled(fields.get(MESSAGES)) is not None


def _labelled(value: Json) -> list[Object] | None:
    """Return the preferred and the other answer of the last message; None for any other value."""
    messages = objects_of(value)
    found = objects_of(messages[-1].get(_CANDIDATES)) if messages else []
    by_label = {each.get("preferenceLabel"): without_members(each, "preferenceLabel") for each in found}
    return [by_label[label] for label in _LABELS] if len(found) == 2 and by_label.keys() == {*_LABELS} else None


def read_labelled(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation with the preferred answer, and the other one as its alternative.

    Raises:
        BridgeError: OCB-SHAPE if there is no pair of answers, or as the reader of Converse raises it.
    """
    pair = _labelled(fields.get(MESSAGES))
    if pair is None:
        raise misshapen(f"/{MESSAGES}", "a last message with two candidates, of which one is preferred")
    *messages, last = objects_of(fields[MESSAGES])
    around = without_members(last, _CANDIDATES)
    answers = [[], *([{**around, **each}] for each in pair)]
    return _preferred(_CONVERSE, [{**fields, MESSAGES: [*messages, *answer]} for answer in answers])


_CONVERSE: Final = "bedrock-converse"


_ANSWERS: Final = ("answer", "response", "output", "completion", "solution")
"""Columns of an answer that are those of the chosen one next to a rejected one."""

# --- the layouts ------------------------------------------------------------------------------------------------------

PREFERENCES: Final[tuple[Layout, ...]] = (
    Layout(
        "preference",
        "a prompt with an answer that was chosen and one that was rejected (TRL, LLaMA-Factory)",
        "openai",
        {
            "instruction": (
                *("prompt", "instruction", "question", "query", "context_messages", *columns.TURNS),
                *("problem", "user_prompt", "user_message", "user", "human", "task", "message", "context", "post"),
            ),
            "input": ("input",),
            "chosen": (*columns.CHOSEN, "response_j", "pos_resp", *_ANSWERS),
            "rejected": (*columns.REJECTED, "response_k", "neg_resp"),
            **columns.HISTORY,
            **columns.PROMPT,
            exchange.PARALLEL: (exchange.PARALLEL,),
            **media.FIELDS,
        },
        exchange.is_preference,
        partial(media.with_media, exchange.read_preference),
        partial(media.in_columns, exchange.write_preference),
        wording=Wording(role=("role", "from", "sender", "speaker", "author")),
    ),
    Layout(
        "arena",
        "the conversations of two models, and which one won (Chatbot Arena)",
        "openai",
        {**{side: (side, f"messages_{side[-1]}") for side in SIDES}, WINNER: (WINNER,)},
        is_battle,
        read_battle,
        extra_columns=frozenset({WINNER}),
    ),
    Layout(
        "ranked",
        "a prompt with answers that are ranked or scored (Nectar, UltraFeedback)",
        "openai",
        {
            "instruction": ("prompt", "instruction", "question", "context_messages", "context", "title"),
            "input": ("selftext",),
            ANSWERS: ("answers", "completions", "generations", "responses"),
            SCORES: ("ratings", "scores", "rewards"),
            **columns.PROMPT,
        },
        is_ranked,
        read_ranked,
        extra_columns=frozenset({ANSWERS, SCORES}),
    ),
    Layout(
        "gemini-preference",
        "a request of Gemini with two answers and their scores (Vertex AI's preference tuning)",
        "canonical",
        {
            **{each: (each,) for each in (CONTENTS, COMPLETIONS, "tools")},
            "system_instruction": ("system_instruction", "systemInstruction"),
        },
        are_scored,
        read_scored,
    ),
    Layout(
        "nova-preference",
        "a request of Converse with two answers, of which one is preferred (Amazon Nova's DPO)",
        "canonical",
        {each: (each,) for each in (MESSAGES, "system", "toolConfig")},
        are_labelled,
        read_labelled,
    ),
)
WON: Final = Layout(
    "won",
    "a prompt with the answer that won and the one that lost",
    "openai",
    {
        "instruction": ("prompt", "instruction", "question", "query"),
        "chosen": ("winner",),
        "rejected": ("loser",),
        **columns.PROMPT,
    },
    exchange.is_preference,
    exchange.read_preference,
    without=frozenset(
        (*columns.SEVERAL, *(f"model{between}{side}" for between in ("_", "") for side in columns.SIDES))
    ),
)
"""Next to other answers, or to the names of models, the winner is one of these."""
