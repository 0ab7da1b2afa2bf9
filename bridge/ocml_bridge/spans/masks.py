"""Make loss masks for training from spans: as ranges of an output, as weights of tokens, and as labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from ..chat.turns import is_thought
from ..model import Document, Message, Transcript
from .positions import index_of
from .span import Span

Mask = Literal["assistant", "last", "no-reasoning", "weights", "all"]
"""What is trained on: `assistant`: all that a model would have sampled; `last`: of that, only what comes after the last
message of another role; `no-reasoning`: all but private thoughts; `weights`: all, with the weight of each message;
`all`: the whole output."""
MASKS: Final[tuple[Mask, ...]] = get_args(Mask)
IGNORED: Final = -100
"""The label of a token that is not trained on."""


class Run(NamedTuple):
    """A range of an output that is trained on.

    Attributes:
        start: the first index, in the units of the spans (characters or tokens).
        end: the index after the last one.
        weight: the weight in training.
    """

    start: int
    end: int
    weight: float


def runs(spans: Sequence[Span], mask: Mask, document: Document) -> list[Run]:
    """Return the ranges of an output that are trained on; adjacent ranges of equal weight are joined.

    Args:
        spans: the spans of the output, in order.
        mask: what is trained on.
        document: the document of the spans' paths.
    """
    messages = document.messages if isinstance(document, Transcript) else ()
    last = _last(spans) if mask == "last" else 0
    out: list[Run] = []
    for number, span in enumerate(spans):
        weight = _weight(span, mask, messages) if number >= last else 0
        if not weight:
            continue
        if out and out[-1].end == span.start and out[-1].weight == weight:
            out[-1] = Run(out[-1].start, span.end, weight)
        else:
            out.append(Run(span.start, span.end, weight))
    return out


def _weight(span: Span, mask: Mask, messages: Sequence[Message]) -> float:
    if mask == "all":
        return 1
    if mask == "weights":
        return span.weight
    if mask == "no-reasoning":
        index = index_of(span.path)
        if index is not None and index < len(messages) and is_thought(messages[index]):
            return 0
    return 1 if span.sampled else 0


def _last(spans: Sequence[Span]) -> int:
    """Return the index of the first span after the last message that a model would not have sampled."""
    of_models = {index_of(span.path) for span in spans if span.sampled}
    others = [number for number, span in enumerate(spans) if span.path and index_of(span.path) not in of_models]
    return others[-1] + 1 if others else 0


def by_token(pieces: Sequence[Run], count: int) -> list[float]:
    """Return the weight of each token.

    Args:
        pieces: ranges of tokens.
        count: the number of tokens.
    """
    weights: list[float] = [0] * count
    for start, end, weight in pieces:
        weights[start:end] = [weight] * (end - start)
    return weights


def labels(ids: Sequence[int], pieces: Sequence[Run]) -> list[int]:
    """Return token ids as labels, with `IGNORED` for the tokens that are not trained on."""
    out = [IGNORED] * len(ids)
    for start, end, _ in pieces:
        out[start:end] = ids[start:end]
    return out


def training_row(output: Any, spans: Sequence[Span], mask: Mask, document: Document) -> dict[str, Any]:
    """Return a row of training data for an output.

    Args:
        output: a text, or token ids.
        spans: the spans of the output.
        mask: what is trained on.
        document: the document of the spans' paths.

    Returns:
        For a text: `text`, and in `loss_mask` the ranges that are trained on, with their weights. For token ids:
        `input_ids`, `labels`, and in `loss_mask` the weight of each token.
    """
    pieces = runs(spans, mask, document)
    if isinstance(output, str):
        return {"text": output, "loss_mask": [[*piece] for piece in pieces]}
    ids = [*output]
    return {"input_ids": ids, "labels": labels(ids, pieces), "loss_mask": by_token(pieces, len(ids))}
