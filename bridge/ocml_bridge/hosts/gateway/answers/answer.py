"""Decode the answers to one request, cut them at stop strings, and encode them, without waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ....chat.visibility import Visibility
from ....errors import BridgeError
from ....events import Answer, Decoder, Encoder, Event, Reason, Stop
from ....formats.adapter import Options
from ....pipe import broken, encoder
from ....stream.completions import Piece, Sampled, take
from .amendments import AmendedCompletion, AmendedMessage
from .likely import Likely, one_by_one
from .preambles import PreambleMode, Preambles
from .recorder import Recorder
from .stopping import StopStrings
from .turn_memory import OwnMemory


class Choice:
    """One answer of a request.

    Args:
        source: the decoder of the model's output.
        target: the encoder of what the client may see.
        stop: finds the strings that end the answer.
        recorder: records what the client does not see; None to record nothing.
        preambles: handles preambles; None if they are content.
        likely: collects the tokens that the client sees; None without probabilities.

    Attributes:
        reason: the stop reason; None while the answer is in progress.
    """

    def __init__(
        self,
        source: Decoder,
        target: Encoder,
        stop: StopStrings,
        recorder: Recorder | None = None,
        preambles: Preambles | None = None,
        likely: Likely | None = None,
    ) -> None:
        self._source = source
        self._preambles = preambles
        self._likely = likely
        self._recorder = recorder
        self._stop = stop
        self.target: Final = target
        self.reason: Reason | None = None

    def feed(self, piece: Piece) -> list[bytes]:
        """Decode the next output of the model.

        Raises:
            BridgeError: if it is not of the format.
        """
        if self.reason is not None:
            return []
        parts = [(piece, None)] if self._likely is None else one_by_one(piece)
        out = [chunk for part, token in parts for chunk in self._pass(take(self._source, part), token)]
        return out + self.finish("stop") if self.is_cut else out

    def finish(self, reason: Reason | None) -> list[bytes]:
        """End the answer with the reason of the engine."""
        return self._pass(self._source.finish(reason)) if self.reason is None else []

    @property
    def is_cut(self) -> bool:
        """Return whether a stop string ended the answer, so that the upstream may stop."""
        return self._stop.found is not None

    def fail(self, error: BridgeError) -> list[bytes]:
        """End an answer that is not one."""
        events = self._source.finish("error")
        self.reason = "error"
        return broken(events, self.target, error) if events else []

    def cancel(self) -> None:
        """End the answer because the client left."""
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
    """All answers to one request, with their common parts.

    Args:
        source: makes the decoder of an answer.
        stream: the stream id of the client's format.
        options: how to write it.
        answer: ids and times of the answers.
        visibility: what is passed on.
        stop: strings that end an answer.
        memory: remembers the reasoning before calls; None to remember nothing.
        preambles: how preambles are passed on.
        logprobs: the number of likely tokens at each position; None for no probabilities.
        legacy: whether a call is a `function_call`.
        names_stop: whether an answer says which stop string ended it, as those of Messages do.
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
        names_stop: bool = False,
    ) -> None:
        self._names_stop = names_stop
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
        """Return the answer with the upstream's number."""
        if index not in self.choices:
            answer, recorder = self._answer(index), None
            if self._memory is not None:
                recorder = Recorder(self._memory.keep, preambles=self._preambles != "content")
                answer = replace(answer, call_id=recorder.call_id)
            preambles = None if self._preambles == "content" else Preambles(self._preambles)
            target = encoder(self._stream, answer=answer, options=self._options, visibility=self._visibility)
            likely = None if self._logprobs is None else Likely(self._logprobs)
            stop = StopStrings(self._stop)
            if self._names_stop:
                target = AmendedMessage(target, stop)
            elif likely is not None or self._legacy:
                target = AmendedCompletion(target, likely, legacy=self._legacy)
            self.choices[index] = Choice(self._source(), target, stop, recorder, preambles, likely)
        return self.choices[index]

    def in_order(self) -> list[Choice]:
        """Return all answers, by their numbers."""
        return [self.choices[index] for index in sorted(self.choices)]

    @property
    def broken(self) -> bool:
        """Return whether any of the answers is incomplete."""
        return any(choice.reason in ("truncated", "error") for choice in self.choices.values())

    def end(self, usage: dict[str, object] | None) -> list[bytes]:
        """Return the end of the stream after all answers."""
        return self.choice(min(self.choices, default=0)).target.finish(usage)

    def cancel(self) -> None:
        """End all answers because the client left."""
        for choice in self.choices.values():
            choice.cancel()
