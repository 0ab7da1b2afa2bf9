"""Decode a model's answer that continues the last turn of its prompt, and emit the events of the answer only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import Final

from ..chat.turns import content_of, is_call, parts_of
from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Delta, End, Event, Named, PartEnd, Reason, RefusalDelta, Signed, Start, Stop
from ..loss import Finding, FindingCode, Severity
from ..model import Content, Message, Part, Text, Transcript, replace
from .decoder import settle, text_of


class AnswerDecoder(Decoder):
    """A decoder of the text after the end of a prompt.

    If the prompt has begun a message, only the rest of it belongs to the answer. Messages are numbered from the first
    one of the answer. The answer ends where the model begins another conversation, or where, after a text for the user
    or a call, it begins a message of another author.

    Args:
        source: the decoder of the format; it reads the end of the prompt, then the answer.
        prefix: the end of the prompt, as text or token ids.
        prefill: the messages with which the prompt begins the answer; the last of them is unfinished.
    """

    def __init__(self, source: Decoder, prefix: str | Sequence[int], prefill: Sequence[Message]) -> None:
        self._source = source
        self._prefilled = len(text_of(prefill[-1])) if prefill else 0
        self._skipped = 0
        """How many characters of the prefilled message have arrived."""
        self._ended: list[Message] = []
        """The messages of the answer that have ended."""
        self._over = False
        """Whether a message of another author has begun after the answer."""
        events = source.feed(prefix) if isinstance(prefix, str) else source.feed_tokens(prefix)
        self._first = sum(isinstance(event, End) for event in events)
        """The number of the answer's first message."""
        self._waiting = self._of_answer(
            event for event in events if isinstance(event, (Start, Delta)) and event.number >= self._first
        )

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk."""
        try:
            return self._next(self._source.feed(data))
        except BridgeError as error:
            return self._ignore_after_answer(error)

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids."""
        try:
            return self._next(self._source.feed_tokens(ids))
        except BridgeError as error:
            return self._ignore_after_answer(error)

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return its last events."""
        return self._next(self._source.finish(reason))

    def cancel(self) -> list[Event]:
        """End the stream because its consumer has cancelled it."""
        return self._next(self._source.cancel())

    def _ignore_after_answer(self, error: BridgeError) -> list[Event]:
        """Return no events if the answer is over, or if another conversation begins, which the source reports again.

        Raises:
            BridgeError: any other error.
        """
        if not self._over and error.code is not ErrorCode.SEVERAL:
            raise error
        return []

    def _next(self, events: list[Event]) -> list[Event]:
        # The fast path: nearly every chunk is more text of a message.
        if (
            not (self._waiting or self._prefilled or self._over)
            and len(events) == 1
            and isinstance(event := events[0], Delta)
        ):
            return [Delta(event.number - self._first, event.text)] if self._first else events
        waiting, self._waiting = self._waiting, []
        return waiting + self._of_answer(events)

    def _of_answer(self, events: Iterable[Event]) -> list[Event]:
        """Return the events of the answer for those of the prompt with the answer."""
        out: list[Event] = []
        for event in events:
            self._over = self._over or self._begins_other_author(event)
            if self._over and not isinstance(event, Stop):
                continue
            match event:
                case Start(number, message, hosted):
                    out.append(Start(number - self._first, self._without_prompt(number, message), hosted))
                case Delta(number, text):
                    if text := self._behind_prompt(number, text):
                        out.append(Delta(number - self._first, text))
                case RefusalDelta() | PartEnd() | Signed():
                    out.append(event._replace(number=event.number - self._first))
                case End(number, message):
                    self._ended.append(self._without_prompt(number, message))
                    out.append(End(number - self._first, self._ended[-1]))
                case Stop():
                    out += self._stopped(event)
                case Finding():
                    out += self._finding(event)
                case Named():
                    out.append(event)
        return out

    def _behind_prompt(self, number: int, text: str) -> str:
        """Return the text of a delta without what the prompt has of it: the beginning of the first message."""
        if number != self._first or self._skipped == self._prefilled:
            return text
        skipped = min(len(text), self._prefilled - self._skipped)
        self._skipped += skipped
        return text[skipped:]

    def _begins_other_author(self, event: Event) -> bool:
        """Return whether an event begins a message of another author after an answer to the user, or after a call."""
        if not (isinstance(event, Start) and self._ended) or event.message.role == "assistant":
            return False
        last = self._ended[-1]
        return last.role == "assistant" and (is_call(last) or last.channel in (None, "final"))

    def _without_prompt(self, number: int, message: Message) -> Message:
        """Return a message without what the prompt has of it; the first message of the answer continues nothing."""
        if number != self._first:
            return message
        if message.continues:
            message = replace(message, continues=False)
        return (
            replace(message, content=_without_beginning(message.content, self._prefilled))
            if self._prefilled
            else message
        )

    def _finding(self, finding: Finding) -> Sequence[Finding]:
        """Return a finding with its path in the answer; nothing if it is about the prompt."""
        match = _INDEX.match(finding.path)
        if match is None or not self._first:
            return (finding,)
        number = int(match[1]) - self._first
        return () if number < 0 else (finding._replace(path=f"/messages/{number}{finding.path[match.end() :]}"),)

    def _stopped(self, stop: Stop) -> Sequence[Event]:
        """Return the end of the answer, with a document without the prompt."""
        if self._over or stop.error is ErrorCode.SEVERAL:
            document = Transcript(tuple(self._ended))
            return (_ANOTHERS if self._over else _ANOTHER, Stop(settle("stop", document), document))
        document, declaration_at, first = stop.document, stop.declaration_at, self._first
        if not isinstance(document, Transcript):
            return (stop,)
        if declaration_at is not None:
            first, declaration_at = (first - 1, None) if declaration_at < first else (first, declaration_at - first)
        messages = tuple(starmap(self._without_prompt, enumerate(document.messages[first:], self._first)))
        # The prompt declared the tools, unless a message of the answer did.
        document = replace(document, messages=messages, tools=None if declaration_at is None else document.tools)
        return (stop._replace(document=document, declaration_at=declaration_at),)


_ANOTHER: Final = Finding(
    FindingCode.TEXT_OUTSIDE, Severity.CHANGED, "", "the model started another conversation; the rest is left out"
)
_ANOTHERS: Final = _ANOTHER._replace(detail="the model went on with what somebody else says; the rest is left out")
_INDEX: Final = re.compile(r"/messages/(\d+)")


def _without_beginning(content: Content, length: int) -> Content:
    """Return content without its first characters, across its text parts."""
    if isinstance(content, str):
        return content[length:]
    remaining: list[Part] = []
    for part in parts_of(content):
        if isinstance(part, Text) and length:
            cut, length = part.text[length:], max(0, length - len(part.text))
            if cut:
                remaining.append(replace(part, text=cut))
        else:
            remaining.append(part)
    return content_of(remaining)
