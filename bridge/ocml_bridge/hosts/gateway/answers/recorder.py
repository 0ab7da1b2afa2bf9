"""Record the messages of an answer before each of its calls that the client does not see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from ....chat.turns import is_call
from ....chat.visibility import is_preamble, is_private
from ....events import Delta, Encoder, End, Event, Start
from ....model import Message
from .turn_memory import Hidden


class Recorder:
    """Records one answer as it arrives.

    Args:
        keep: remembers the hidden messages before a call, and returns the call's id.
        preambles: whether preambles are hidden from the client, too.
    """

    def __init__(self, keep: Callable[[tuple[Hidden, ...]], str], *, preambles: bool) -> None:
        self._keep: Final = keep
        self._preambles = preambles
        self._texts: dict[int, list[str]] = {}
        self._waiting: list[tuple[list[str], bool]] = []
        self._opening: int | None = None
        self._calls: dict[int, tuple[Hidden, ...]] = {}
        self._encoded: int | None = None

    def take(self, events: Iterable[Event]) -> None:
        """Record the next events of the answer."""
        texts = self._texts
        for event in events:
            if type(event) is Delta:
                if (pieces := texts.get(event[0])) is not None:
                    pieces.append(event[1])
            elif isinstance(event, Start):
                self._start(event.number, event.message)

    def _start(self, number: int, message: Message) -> None:
        if is_call(message):
            self._calls[number] = self._collected()
        elif is_private(message) or (self._preambles and is_preamble(message)):
            pieces: list[str] = []
            self._texts[number] = pieces
            self._waiting.append((pieces, is_preamble(message)))
        elif self._opening is None:
            # The first visible message: hidden messages before it open the turn.
            self._opening = len(self._waiting)

    def _collected(self) -> tuple[Hidden, ...]:
        """Return the hidden messages since the previous call."""
        waiting, self._waiting = self._waiting, []
        opening, self._opening = self._opening or 0, 0
        return tuple(
            Hidden(text, is_preamble, at < opening)
            for at, (pieces, is_preamble) in enumerate(waiting)
            if (text := "".join(pieces))
        )

    def encode(self, encoder: Encoder, events: Sequence[Event]) -> list[bytes]:
        """Return the output of an encoder for events; the calls get the ids of the recorder."""
        out: list[bytes] = []
        waiting: list[Event] = []
        for event in events:
            if isinstance(event, Start | End):
                out += encoder.encode(waiting)
                self._encoded = event.number
                out += encoder.encode([event])
                waiting = []
            else:
                waiting.append(event)
        return out + encoder.encode(waiting) if waiting else out

    def call_id(self, _: int) -> str:
        """Return the id of the call that is being encoded; encoders request ids only for calls that they write."""
        hidden = () if self._encoded is None else self._calls.pop(self._encoded, ())
        return self._keep(hidden)
