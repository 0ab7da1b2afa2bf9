"""The answers to one request: each is decoded, cut at a stop string and encoded, without waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ...chat.visibility import Visibility
from ...errors import BridgeError
from ...events import Answer, Decoder, Encoder, Event, Reason, Stop
from ...formats.adapter import Options
from ...pipe import broken, encoder
from ...stream.completions import Piece, Sampled, take
from .amendments import AmendedEncoder
from .likely import Likely, one_by_one
from .preambles import PreambleMode, Preambles
from .recorder import Recorder
from .stopping import StopStrings
from .turn_memory import OwnMemory


class Choice:
    """One answer.

    Args:
        source: reads what the model writes.
        target: writes what the client reads, and is to see.
        stop: strings that end the answer.
        recorder: watches what the client does not see; None where nobody wants to know.
        preambles: what becomes of them; None where they are content.
        likely: watches which tokens it sees; None where nobody wants to know.

    Attributes:
        reason: why it is over; None while it is not.
    """

    def __init__(
        self,
        source: Decoder,
        target: Encoder,
        stop: Sequence[str],
        recorder: Recorder | None = None,
        preambles: Preambles | None = None,
        likely: Likely | None = None,
    ) -> None:
        self._source = source
        self._preambles = preambles
        self._likely = likely
        self._recorder = recorder
        self._stop = StopStrings(stop)
        self.target: Final = target
        self.reason: Reason | None = None

    def feed(self, piece: Piece) -> list[bytes]:
        """What the model wrote next.

        Raises:
            BridgeError: where it is not of the format.
        """
        if self.reason is not None:
            return []
        parts = [(piece, None)] if self._likely is None else one_by_one(piece)
        out = [chunk for part, token in parts for chunk in self._pass(take(self._source, part), token)]
        return out + self.finish("stop") if self._stop.found else out

    def finish(self, reason: Reason | None) -> list[bytes]:
        """The model writes no more, for the reason that its engine gives."""
        return self._pass(self._source.finish(reason)) if self.reason is None else []

    @property
    def is_cut(self) -> bool:
        """Whether a stop string ended it, so that the upstream need not go on."""
        return self._stop.found

    def fail(self, error: BridgeError) -> list[bytes]:
        """What came is no answer."""
        events = self._source.finish("error")
        self.reason = "error"
        return broken(events, self.target, error) if events else []

    def cancel(self) -> None:
        """Nobody listens any more."""
        if self.reason is None:
            self.reason = "cancelled"
            self._source.cancel()

    def _pass(self, events: Sequence[Event], token: Sampled | None = None) -> list[bytes]:
        if self._recorder is not None:
            self._recorder.take(events)
        if self._preambles is not None:
            events = self._preambles.apply(events)
        if self._likely is not None:
            self._likely.note(token, events)
        seen = self._stop.apply(events)
        if seen and isinstance(last := seen[-1], Stop):
            self.reason = last.reason
        return self.target.encode(seen) if self._recorder is None else self._recorder.encode(self.target, seen)


class Answering:
    """All answers to one request; what they share is said once.

    Args:
        source: makes what reads an answer.
        stream: what the client reads: a stream id.
        options: how to write it.
        answer: ids and times of the answers.
        visibility: what is passed on.
        stop: strings that end an answer.
        memory: remembers what led to calls; None where nothing is remembered.
        preambles: what becomes of them.
        logprobs: how many likely tokens to name at each place; None for no probabilities.
        legacy: whether a call is a `function_call`.
    """

    def __init__(
        self,
        source: Callable[[], Decoder],
        stream: str,
        options: Options,
        answer: Callable[[int], Answer],
        visibility: Visibility,
        stop: Sequence[str],
        memory: OwnMemory | None = None,
        preambles: PreambleMode = "content",
        *,
        logprobs: int | None = None,
        legacy: bool = False,
    ) -> None:
        self._preambles: PreambleMode = preambles
        self._memory = memory
        self._logprobs = logprobs
        self._legacy = legacy
        self._source = source
        self._stream = stream
        self._options = options
        self._answer = answer
        self._visibility = visibility
        self._stop = stop
        self.choices: dict[int, Choice] = {}

    def choice(self, index: int) -> Choice:
        """One of them, by the upstream's number."""
        if index not in self.choices:
            answer, recorder = self._answer(index), None
            if self._memory is not None:
                recorder = Recorder(self._memory.keep, preambles=self._preambles != "content")
                answer = replace(answer, call_id=recorder.call_id)
            preambles = None if self._preambles == "content" else Preambles(self._preambles)
            target = encoder(self._stream, answer=answer, options=self._options, visibility=self._visibility)
            likely = None if self._logprobs is None else Likely(self._logprobs)
            if likely is not None or self._legacy:
                target = AmendedEncoder(target, likely, legacy=self._legacy)
            self.choices[index] = Choice(self._source(), target, self._stop, recorder, preambles, likely)
        return self.choices[index]

    def in_order(self) -> list[Choice]:
        """All of them, by their numbers."""
        return [self.choices[index] for index in sorted(self.choices)]

    @property
    def broken(self) -> bool:
        """Whether one of them is not a whole answer."""
        return any(choice.reason in ("truncated", "error") for choice in self.choices.values())

    def end(self, usage: dict[str, object] | None) -> list[bytes]:
        """What stands behind all answers."""
        return self.choice(min(self.choices, default=0)).target.finish(usage)

    def cancel(self) -> None:
        """Nobody listens any more."""
        for choice in self.choices.values():
            choice.cancel()
