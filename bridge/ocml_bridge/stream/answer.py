"""An answer read behind the end of its prompt: what the prompt says is not passed on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import starmap
from typing import Final, Self

from ..chat.turns import content_of, is_call, parts_of
from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Delta, End, Event, Named, Reason, RefusalDelta, Signed, Start, Stop
from ..loss import Finding, FindingCode, Severity
from ..model import Content, Message, Part, Text, Transcript, replace
from .decoder import settle, text_of


class AnswerDecoder:
    """A decoder of what stands behind the end of a prompt.

    Of a message that the prompt has begun, the answer is what comes behind that. Messages count from the first one of
    the answer. Where a model goes on behind the end of the conversation and begins another, or goes on behind a text
    for the user or a call with what somebody else says, the answer is what stands before that.

    Args:
        source: reads the end of the prompt, and the answer behind it.
        prefix: the end of the prompt, as text or token ids.
        prefill: the messages of its last turn that it has begun; the last of them is unfinished.
    """

    def __init__(self, source: Decoder, prefix: str | Sequence[int], prefill: Sequence[Message]) -> None:
        self._source = source
        self._prefilled = len(text_of(prefill[-1])) if prefill else 0
        self._skipped = 0
        """How much of what the prompt has begun came by now."""
        self._ended: list[Message] = []
        """The messages of the answer that have ended."""
        self._over = False
        """Whether somebody else speaks behind the answer."""
        events = source.feed(prefix) if isinstance(prefix, str) else source.feed_tokens(prefix)
        self._first = sum(isinstance(event, End) for event in events)
        """The number of the answer's first message."""
        self._waiting = self._passed(
            event for event in events if isinstance(event, (Start, Delta)) and event.number >= self._first
        )

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk."""
        try:
            return self._next(self._source.feed(data))
        except BridgeError as error:
            return self._go_on(error)

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids."""
        try:
            return self._next(self._source.feed_tokens(ids))
        except BridgeError as error:
            return self._go_on(error)

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes."""
        return self._next(self._source.finish(reason))

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self._next(self._source.cancel())

    def copy(self) -> Self:
        """A decoder that goes on from here."""
        return deepcopy(self)

    def _go_on(self, error: BridgeError) -> list[Event]:
        """Nothing, behind the answer, or where another conversation begins, which the source says again in the end.

        Raises:
            BridgeError: any other error.
        """
        if not self._over and error.code is not ErrorCode.SEVERAL:
            raise error
        return []

    def _next(self, events: list[Event]) -> list[Event]:
        # Nearly every chunk is more text of a message.
        if (
            not (self._waiting or self._prefilled or self._over)
            and len(events) == 1
            and isinstance(event := events[0], Delta)
        ):
            return [Delta(event.number - self._first, event.text)] if self._first else events
        waiting, self._waiting = self._waiting, []
        return waiting + self._passed(events)

    def _passed(self, events: Iterable[Event]) -> list[Event]:
        """Events as the answer has them."""
        out: list[Event] = []
        for event in events:
            self._over = self._over or self._is_anothers(event)
            if self._over and not isinstance(event, Stop):
                continue
            match event:
                case Start(number, message, hosted):
                    out.append(Start(number - self._first, self._own(number, message), hosted))
                case Delta(number, text):
                    if number == self._first and self._skipped < self._prefilled:
                        text = text[self._prefilled - self._skipped :]
                        self._skipped += len(event.text) - len(text)
                    if text:
                        out.append(Delta(number - self._first, text))
                case RefusalDelta(number, text):
                    out.append(RefusalDelta(number - self._first, text))
                case Signed(number, signature):
                    out.append(Signed(number - self._first, signature))
                case End(number, message):
                    self._ended.append(self._own(number, message))
                    out.append(End(number - self._first, self._ended[-1]))
                case Stop():
                    out += self._stopped(event)
                case Finding():
                    out += self._found(event)
                case Named():
                    out.append(event)
        return out

    def _is_anothers(self, event: Event) -> bool:
        """Whether somebody else begins to speak behind an answer to the user, or behind a call."""
        if not (isinstance(event, Start) and self._ended) or event.message.role == "assistant":
            return False
        last = self._ended[-1]
        return last.role == "assistant" and (is_call(last) or last.channel in (None, "final"))

    def _own(self, number: int, message: Message) -> Message:
        """A message as the answer has it: nothing stands before its first one, which the prompt may have begun."""
        if number != self._first:
            return message
        if message.continues:
            message = replace(message, continues=False)
        return replace(message, content=_behind(message.content, self._prefilled)) if self._prefilled else message

    def _found(self, finding: Finding) -> Sequence[Finding]:
        """A finding by its path in the answer; none where it is of the prompt."""
        index = _INDEX.match(finding.path)
        if index is None or not self._first:
            return (finding,)
        number = int(index[1]) - self._first
        return () if number < 0 else (finding._replace(path=f"/messages/{number}{finding.path[index.end() :]}"),)

    def _stopped(self, stop: Stop) -> Sequence[Event]:
        """The end of the answer: its document has nothing of the prompt."""
        if self._over or stop.error is ErrorCode.SEVERAL:
            document = Transcript(tuple(self._ended))
            return (_ANOTHERS if self._over else _ANOTHER, Stop(settle("stop", document), document))
        document, lifted, first = stop.document, stop.lifted, self._first
        if not isinstance(document, Transcript):
            return (stop,)
        if lifted is not None:
            first, lifted = (first - 1, None) if lifted < first else (first, lifted - first)
        messages = tuple(starmap(self._own, enumerate(document.messages[first:], self._first)))
        # Tools are the answer's own only where one of its messages declares them.
        document = replace(document, messages=messages, tools=None if lifted is None else document.tools)
        return (stop._replace(document=document, lifted=lifted),)


_ANOTHER: Final = Finding(
    FindingCode.TEXT_OUTSIDE, Severity.CHANGED, "", "the model started another conversation; the rest is left out"
)
_ANOTHERS: Final = _ANOTHER._replace(detail="the model went on with what somebody else says; the rest is left out")
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
