"""Probabilities of what a client sees (`logprobs`): of no other token, as those of private reasoning would tell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ...chat.turns import is_call
from ...chat.visibility import is_private
from ...events import Delta, Event, Start
from ...stream.completions import Alternative, Piece, Sampled


def one_by_one(piece: Piece) -> Iterator[tuple[Piece, Sampled | None]]:
    """A piece token by token, each with its probability; as a whole where it cannot be taken apart."""
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
    """Which tokens made the text that a client sees.

    A token belongs to the visible text that it, or a later one, brings about, unless anything else happens meanwhile.

    Args:
        top: how many likely tokens to name at each place.
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._visible: set[int] = set()
        self._waiting: list[Sampled] = []
        self._shown: list[Sampled] = []

    def note(self, token: Sampled | None, events: Iterable[Event]) -> None:
        """Take a token, and what it brought about."""
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
        """The tokens of the text that is passed on now, as Chat Completions has them."""
        tokens = [self._entry(token) for token in self._shown]
        self._shown.clear()
        return tokens

    def _entry(self, token: Sampled) -> dict[str, Any]:
        top = sorted(token.top, key=lambda each: -each.logprob)[: self._top]
        return {**_alternative(token.token), "top_logprobs": [_alternative(each) for each in top]}


def _alternative(token: Alternative) -> dict[str, Any]:
    spelled = token.text.encode("utf-8", "replace") if token.bytes is None else token.bytes
    return {"token": token.text, "logprob": token.logprob, "bytes": list(spelled)}
