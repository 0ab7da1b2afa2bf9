"""Masks of what is trained on, made of spans: as runs of an output, for each token, and as labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from ..chat.turns import is_thought
from ..model import Document, Message, Transcript
from .positions import index_of
from .span import Span

Mask = Literal["assistant", "last", "no-reasoning", "weights", "all"]
"""What is trained on.

All that a model would have written; of that, what stands behind the last message of somebody else; all but its private
thoughts; all, each message by its weight; the whole output.
"""
MASKS: Final[tuple[Mask, ...]] = get_args(Mask)
IGNORED: Final = -100
"""The label of a token that is not trained on."""


class Run(NamedTuple):
    """A piece of an output that is trained on.

    Attributes:
        start: where it begins, counted as the spans are.
        end: where it ends.
        weight: what it counts.
    """

    start: int
    end: int
    weight: float


def runs(spans: Sequence[Span], mask: Mask, document: Document) -> list[Run]:
    """What of an output is trained on; what stands side by side and counts alike is one piece.

    Args:
        spans: all of the output, in order.
        mask: what is trained on.
        document: that the paths of the spans lead into.
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
    """The number of the first span behind the last message that no model would have written."""
    of_models = {index_of(span.path) for span in spans if span.sampled}
    others = [number for number, span in enumerate(spans) if span.path and index_of(span.path) not in of_models]
    return others[-1] + 1 if others else 0


def by_token(pieces: Sequence[Run], count: int) -> list[float]:
    """What each token counts, of so many."""
    weights: list[float] = [0] * count
    for start, end, weight in pieces:
        weights[start:end] = [weight] * (end - start)
    return weights


def labels(ids: Sequence[int], pieces: Sequence[Run]) -> list[int]:
    """Ids as labels: those that are trained on, and `IGNORED` for all others."""
    out = [IGNORED] * len(ids)
    for start, end, _ in pieces:
        out[start:end] = ids[start:end]
    return out


def training_row(output: Any, spans: Sequence[Span], mask: Mask, document: Document) -> dict[str, Any]:
    """An output as a row to train on.

    Args:
        output: a text, or token ids.
        spans: what stands where in it.
        mask: what is trained on.
        document: that the paths of the spans lead into.

    Returns:
        Of a text `text`, and `loss_mask` as the pieces that are trained on, each with its weight; of token ids
        `input_ids`, `labels`, and in `loss_mask` what each token counts.
    """
    pieces = runs(spans, mask, document)
    if isinstance(output, str):
        return {"text": output, "loss_mask": [[*piece] for piece in pieces]}
    ids = [*output]
    return {"input_ids": ids, "labels": labels(ids, pieces), "loss_mask": by_token(pieces, len(ids))}
