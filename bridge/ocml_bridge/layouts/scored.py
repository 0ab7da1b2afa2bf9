"""A request of Gemini with a pair of answers to it, one preferred, as its preference tuning takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from ..convert import read
from ..model import Alternative, Json, Transcript
from ..model.codec import to_json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording, misshapen

CONTENTS: Final = "contents"
COMPLETIONS: Final = "completions"
_FORMAT: Final = "gemini"


def are_scored(fields: Object, wording: Wording) -> bool:
    """Whether contents stand there, and two answers to them, each with another score."""
    return bool(as_list(fields.get(CONTENTS))) and _answers(fields.get(COMPLETIONS)) is not None


def _answers(value: Json) -> tuple[Object, Object] | None:
    """The better answer and the worse one; None for what is no pair of answers."""
    found = [as_object(each) or {} for each in as_list(value) or []]
    answers = [as_object(each.get("completion")) for each in found]
    scores = [each.get("score") for each in found]
    if len(found) != 2 or None in answers or not all(isinstance(score, (int, float)) for score in scores):
        return None
    one, other = cast("tuple[Object, Object]", tuple(answers))
    first, second = cast("list[float]", scores)
    return None if first == second else (one, other) if first > second else (other, one)


def read_scored(fields: Object, wording: Wording) -> Sequence[Document]:
    """The conversation that goes on with the better answer, and beside it the worse one.

    Raises:
        BridgeError: OCB-SHAPE for what is no pair of answers, or what the reader of contents raises.
    """
    pair = _answers(fields.get(COMPLETIONS))
    if pair is None:
        raise misshapen(f"/{COMPLETIONS}", "two answers, each a `completion` with a `score`")
    request = {name: value for name, value in fields.items() if name != COMPLETIONS}
    contents = as_list(fields.get(CONTENTS)) or []
    prompt, *readings = [read({**request, CONTENTS: [*contents, *more]}, _FORMAT) for more in ((), *zip(pair))]
    at = len(cast("Transcript", prompt.transcript).messages)
    best, worst = [cast("Transcript", each.transcript) for each in readings]
    rejected = Alternative(worst.messages[at:], at, "rejected")
    return [Document(to_json(replace(best, alternatives=(rejected,))), readings[0].findings)]
