"""Give the probabilities of the tokens that a client sees (`logprobs`), and of no private reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ....chat.turns import is_call
from ....chat.visibility import is_private
from ....events import Delta, End, Event, Start
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

    Tokens wait until the decoder has passed on their text. Those that a visible text consists of are shown; the others
    are markup. A text may turn out to be a thought at its end; its tokens are dropped, unless a stream has passed them
    on already.

    Args:
        top: the number of likely tokens at each position.
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._visible: set[int] = set()
        self._waiting: list[tuple[str, Sampled | None]] = []
        """The texts that wait, each with its token; None if the beginning of the token's text has shown it."""
        self._shown: list[tuple[int, Sampled]] = []
        """The tokens that are shown next, each with the number of its message."""

    def note(self, token: Sampled | None, events: Sequence[Event]) -> None:
        """Add a token, and the events that it produced."""
        if token is not None:
            self._waiting.append((token.token.text, token))
        if not events:
            return
        for event in events:
            if isinstance(event, Start) and not (is_call(event.message) or is_private(event.message)):
                self._visible.add(event.number)
        deltas = [event for event in events if isinstance(event, Delta) and event.number in self._visible]
        if deltas:
            text = "".join(delta.text for delta in deltas)
            self._shown += [(deltas[0].number, each) for each in self._own(text, last=events[0] is not deltas[0])]
        if not deltas or events[-1] is not deltas[-1]:
            self._waiting.clear()
        thoughts = {event.number for event in events if isinstance(event, End) and is_private(event.message)}
        self._shown = [each for each in self._shown if each[0] not in thoughts]

    def _own(self, text: str, *, last: bool) -> list[Sampled]:
        """Return the tokens of a text, and let the rest wait; return all if it is not theirs, as parts of characters.

        Args:
            text: the text.
            last: whether its last occurrence is the right one, because markup comes before it.
        """
        waiting, self._waiting = self._waiting, []
        whole = "".join(each for each, _ in waiting)
        begin = whole.rfind(text) if last else whole.find(text)
        if begin < 0:
            return [token for _, token in waiting if token is not None]
        own: list[Sampled] = []
        at, end = 0, begin + len(text)
        for each, token in waiting:
            is_own = at < end and at + len(each) > begin
            if is_own and token is not None:
                own.append(token)
            at += len(each)
            if at > end:
                self._waiting.append((each[max(0, len(each) - (at - end)) :], None if is_own else token))
        return own

    def take(self) -> list[dict[str, Any]]:
        """Return the tokens of the text that is passed on now, as Chat Completions has them."""
        tokens = [self._entry(token) for _, token in self._shown]
        self._shown.clear()
        return tokens

    def _entry(self, token: Sampled) -> dict[str, Any]:
        top = sorted(token.top, key=lambda each: -each.logprob)[: self._top]
        return {**_alternative(token.token), "top_logprobs": [_alternative(each) for each in top]}


def _alternative(token: Alternative) -> dict[str, Any]:
    spelled = token.text.encode("utf-8", "replace") if token.bytes is None else token.bytes
    return {"token": token.text, "logprob": token.logprob, "bytes": list(spelled)}
