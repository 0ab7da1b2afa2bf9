"""Give the probabilities of the tokens that a client sees (`logprobs`), and of no private reasoning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ....chat.turns import is_call
from ....chat.visibility import is_private
from ....events import Delta, Event, Start
from ....stream.completions import Alternative, Piece, Sampled


def one_by_one(piece: Piece) -> Iterator[tuple[Piece, Sampled | None]]:
    """Yield a piece token by token, each with its probability; as a whole if it cannot be split."""
    sampled, ids, text = piece.sampled, piece.ids, piece.text
    if ids is not None and len(ids) == len(sampled):
        yield from ((replace(piece, ids=[number]), token) for number, token in zip(ids, sampled, strict=True))
    elif ids is None and sampled and "".join(token.token.text for token in sampled).startswith(text):
        for token in sampled:
            # The token that the engine stopped at has a probability, and is left out of the text.
            yield replace(piece, text=text[: len(token.token.text)]), token
            text = text[len(token.token.text) :]
    else:
        yield piece, None


class Likely:
    """Collects the tokens of the text that a client sees.

    A token belongs to the visible text that it, or a later one, produces, unless another event comes before that.

    Args:
        top: the number of likely tokens at each position.
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._visible: set[int] = set()
        self._waiting: list[Sampled] = []
        self._shown: list[Sampled] = []

    def note(self, token: Sampled | None, events: Iterable[Event]) -> None:
        """Add a token, and the events that it produced."""
        deltas = [self._is_visible(event) for event in events]
        if token is not None and all(deltas):
            self._waiting.append(token)
        if any(deltas):
            self._shown += self._waiting
        if deltas:
            self._waiting.clear()

    def _is_visible(self, event: Event) -> bool:
        if isinstance(event, Start) and not (is_call(event.message) or is_private(event.message)):
            self._visible.add(event.number)
        return isinstance(event, Delta) and event.number in self._visible

    def take(self) -> list[dict[str, Any]]:
        """Return the tokens of the text that is passed on now, as Chat Completions has them."""
        tokens = [self._entry(token) for token in self._shown]
        self._shown.clear()
        return tokens

    def _entry(self, token: Sampled) -> dict[str, Any]:
        top = sorted(token.top, key=lambda each: -each.logprob)[: self._top]
        return {**_alternative(token.token), "top_logprobs": [_alternative(each) for each in top]}


def _alternative(token: Alternative) -> dict[str, Any]:
    spelled = token.text.encode("utf-8", "replace") if token.bytes is None else token.bytes
    return {"token": token.text, "logprob": token.logprob, "bytes": list(spelled)}
