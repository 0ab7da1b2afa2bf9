"""An answer read behind the end of its prompt: what the prompt says is not passed on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Final, Self

from ..events import Decoder, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ..loss import Finding
from ..model import Content, Message, Part, Text, Transcript, replace
from ..turns import content_of, parts_of
from .decoder import text_of


class AnswerDecoder:
    """A decoder of what stands behind the end of a prompt.

    Of a message that the prompt has begun, the answer is what comes behind that. Messages count from the first one of
    the answer.

    Args:
        source: reads the end of the prompt, and the answer behind it.
        prefix: the end of the prompt, as text or token ids.
        messages: those of its last turn that it has begun; the last of them is unfinished.
    """

    def __init__(self, source: Decoder, prefix: str | Sequence[int], messages: Sequence[Message]) -> None:
        self._source = source
        self._begun = len(text_of(messages[-1])) if messages else 0
        self._skipped = 0
        """How much of what the prompt has begun came by now."""
        events = source.feed(prefix) if isinstance(prefix, str) else source.feed_tokens(prefix)
        self._first = sum(isinstance(event, End) for event in events)
        """The number of the answer's first message."""
        self._waiting = self._passed(
            event for event in events if isinstance(event, (Start, Delta)) and event.number >= self._first
        )
        self._direct = not (self._waiting or self._first or self._begun)

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk."""
        events = self._source.feed(data)
        return events if self._direct else self._next(events)

    def feed_tokens(self, ids: Sequence[int], /) -> list[Event]:
        """Take the next token ids."""
        events = self._source.feed_tokens(ids)
        return events if self._direct else self._next(events)

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes."""
        return self._next(self._source.finish(reason))

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self._next(self._source.cancel())

    def copy(self) -> Self:
        """A decoder that goes on from here."""
        return deepcopy(self)

    def _next(self, events: Iterable[Event]) -> list[Event]:
        waiting, self._waiting = self._waiting, []
        return waiting + self._passed(events)

    def _passed(self, events: Iterable[Event]) -> list[Event]:
        """Events as the answer has them."""
        out: list[Event] = []
        for event in events:
            match event:
                case Start(number, message):
                    out.append(Start(number - self._first, self._own(number, message)))
                case Delta(number, text):
                    if number == self._first and self._skipped < self._begun:
                        text = text[self._begun - self._skipped :]
                        self._skipped += len(event.text) - len(text)
                    if text:
                        out.append(Delta(number - self._first, text))
                case RefusalDelta(number, text):
                    out.append(RefusalDelta(number - self._first, text))
                case End(number, message):
                    out.append(End(number - self._first, self._own(number, message)))
                case Stop():
                    out.append(self._stopped(event))
                case Finding():
                    out += self._found(event)
        return out

    def _own(self, number: int, message: Message) -> Message:
        """A message as the answer has it."""
        if number != self._first:
            return message
        if message.continues and self._first:
            message = replace(message, continues=False)
        return replace(message, content=_behind(message.content, self._begun)) if self._begun else message

    def _found(self, finding: Finding) -> Sequence[Finding]:
        """A finding by its path in the answer; none where it is of the prompt."""
        index = _INDEX.match(finding.path)
        if index is None or not self._first:
            return (finding,)
        number = int(index[1]) - self._first
        return () if number < 0 else (finding._replace(path=f"/messages/{number}{finding.path[index.end() :]}"),)

    def _stopped(self, stop: Stop) -> Stop:
        document = stop.document
        if not isinstance(document, Transcript):
            return stop
        lifted = stop.lifted
        before = self._first
        if lifted is not None and lifted < before:
            before, lifted = before - 1, None
        elif lifted is not None:
            lifted -= self._first
        messages = [
            self._own(number, message) for number, message in enumerate(document.messages[before:], self._first)
        ]
        document = replace(document, messages=tuple(messages), tools=None if self._first else document.tools)
        return stop._replace(document=document, lifted=lifted)


_INDEX: Final = re.compile(r"/messages/(\d+)")


def _behind(content: Content, length: int) -> Content:
    """A content without its first characters."""
    if isinstance(content, str):
        return content[length:]
    left: list[Part] = []
    for part in parts_of(content):
        if isinstance(part, Text) and length:
            cut, length = part.text[length:], max(0, length - len(part.text))
            if cut:
                left.append(replace(part, text=cut))
        else:
            left.append(part)
    return content_of(left)
