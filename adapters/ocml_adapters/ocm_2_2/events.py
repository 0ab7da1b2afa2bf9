"""Encode events as the events of §9, each a Server-Sent Event (the stream `ocm-2.2-events`).

An event is sent only if it was negotiated. Those that §9 does not define begin with `x-`. A `response.delta` never has
text that is hidden from end users; a `stream.Filter` before the encoder decides which other messages it gets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii as quote
from typing import Final, cast

from ocml_bridge.chat.turns import infer_grouping, is_call, is_reply, is_thought, parts_of
from ocml_bridge.chat.visibility import END_USER, hidden_by, is_preamble
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, Encoder, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Header, Json, Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_message
from ocml_bridge.report.report import report
from ocml_bridge.stream.decoder import header_of
from ocml_bridge.units.arrange import arrival_losses

from .encode import CallIds
from .syntax import ATTRIBUTES

STREAM: Final = "ocm-2.2-events"
"""The stream id."""
DELTA: Final = "response.delta"
FLUSH: Final = "response.delta.flush"
CANCEL: Final = "response.cancel"
TOOL_CANCEL: Final = "tool.cancel"
BEGIN: Final = "x-response.start"
ANALYSIS: Final = "x-analysis.delta"
TOOL: Final = "x-tool.delta"
DONE: Final = "x-response.done"

DEFAULT_EVENTS: Final = frozenset({DELTA, CANCEL, TOOL_CANCEL})
"""The events that are sent without negotiation: those in the example header of §2. A flush must be negotiated."""

_ERRORS: Final[dict[Reason, ErrorCode]] = dict.fromkeys(
    ("truncated", "length", "content_filter", "error"), ErrorCode.STREAM_TRUNCATED
)
"""The error by the reason of the end (§14: streaming ended without a stop token); a cancelled stream has none."""
_COMPLETE: Final = frozenset({"stop", "tool_calls"})
_MEMBERS: Final[dict[str, tuple[str, ...]]] = {DELTA: ("channel", "intent"), ANALYSIS: (), TOOL: ("call_id",)}
"""The fields of the message that each delta repeats."""
_NEWLINES: Final = re.compile(r"\n+")


def negotiated(header: Header | None) -> frozenset[str]:
    """Return the events that a document header asks for (§2, `capabilities.streaming`).

    Without such a member, the default events; none if its list is empty, or if its value is no list.
    """
    capabilities: Json = None if header is None else header.capabilities
    if not isinstance(capabilities, dict):
        return DEFAULT_EVENTS
    members = cast("dict[str, Json]", capabilities)
    if "streaming" not in members:
        return DEFAULT_EVENTS
    names = members["streaming"]
    if not isinstance(names, list):
        return frozenset()
    return frozenset(name for name in cast("list[Json]", names) if isinstance(name, str))


def delta_for(message: Message) -> str | None:
    """Return the type of the delta for a message's text, given its header; None if there is none."""
    if is_thought(message):
        return ANALYSIS
    if is_call(message):
        return TOOL
    is_visible = END_USER.hides(message) is None and not any(map(END_USER.hides_part, parts_of(message.content)))
    return DELTA if is_visible and message.role == "assistant" else None


@dataclass(slots=True)
class Outgoing:
    """A message whose text is sent as events.

    Attributes:
        id: its `message_id`.
        event: the type of its deltas.
        members: the JSON members that each delta repeats.
        message: the message as the client knows it, without its text.
        text: the pieces of its text.
        end: the complete message; None before its end.
        newlines: the number of newlines at the end of its text so far.
        is_known: whether an event about it was sent.
        is_unflushed: whether text was sent after the last flush.
        is_cancelled: whether the event that it was cut off was sent.
    """

    id: str
    event: str
    members: str
    message: Message
    text: list[str] = field(default_factory=list[str])
    end: Message | None = None
    newlines: int = 0
    is_known: bool = False
    is_unflushed: bool = False
    is_cancelled: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether the message has ended and was not cut off."""
        return self.end is not None and self.end.end is not None

    def set_header(self, message: Message, call_id: str | None) -> None:
        """Take the header of the message, all of which was sent."""
        self.message = replace(header_of(message), call_id=call_id, end=self.message.end)


class EventEncoder:
    """An encoder of one answer.

    Args:
        answer: its index, the ids of its calls, and the events that were negotiated.

    Attributes:
        losses: the losses; complete when the stream is over.
    """

    def __init__(self, answer: Answer) -> None:
        self.losses: list[Loss] = []
        self._events = DEFAULT_EVENTS if answer.events is None else answer.events
        self._ids = CallIds(answer)
        self._prefix = f"{answer.index}.m" if answer.index else "m"
        self._count = 0
        self._outgoing: dict[int, Outgoing] = {}
        self._last: Outgoing | None = None
        self._unanswered: dict[str, None] = {}
        """The ids of calls without a reply."""
        self._over = False

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the events to send, each a complete Server-Sent Event; none after the end."""
        out: list[str] = []
        for event in events:
            if self._over and not isinstance(event, Stop):
                continue
            match event:
                case Delta(number, text) | RefusalDelta(number, text):
                    outgoing = self._outgoing.get(number)
                    if outgoing is not None:
                        out += self._text(outgoing, text)
                case Start():
                    out += self._start(event)
                case End(number, message):
                    outgoing = self._outgoing.get(number)
                    if outgoing is not None:
                        out += self._end(outgoing, message)
                case Stop(reason, _, error):
                    if reason not in _COMPLETE:
                        out += self._cancel(reason, error or _ERRORS.get(reason))
                    self._over = True
                    self.losses = losses_of(event, self._outgoing, ended=DONE in self._events)
                case _:
                    pass
        return [line.encode("ascii") for line in out]

    def _start(self, start: Start) -> Iterator[str]:
        number, message, _ = start
        call_id = self._ids.of(start)
        if is_reply(message):
            self._unanswered.pop(call_id or "", None)
        elif is_call(message) and call_id is not None:
            self._unanswered[call_id] = None
        event = delta_for(message)
        if event is None or event not in self._events:
            return
        head = _head_of(event, message, call_id)
        members = _members({name: getattr(head, name) for name in _MEMBERS[event]})
        outgoing = self._last = self._outgoing[number] = Outgoing(f"{self._prefix}{number}", event, members, head)
        if BEGIN in self._events:
            outgoing.is_known = True
            outgoing.set_header(message, call_id)
            fields = {"role": message.role, "channel": message.channel}
            fields |= {key: getattr(outgoing.message, name) for key, name in ATTRIBUTES.items()}
            fields["constrain"] = message.constraint
            yield self._event(BEGIN, outgoing, _members(fields))

    def _event(self, name: str, outgoing: Outgoing, members: str) -> str:
        number, self._count = self._count, self._count + 1
        return f'event: {name}\ndata: {{"message_id":"{outgoing.id}","seq":{number}{members}}}\n\n'

    def _text(self, outgoing: Outgoing, text: str) -> Iterator[str]:
        outgoing.text.append(text)
        if outgoing.event != DELTA or FLUSH not in self._events:
            yield self._slice(outgoing, text)
            return
        slice_start = 0
        for at in _paragraph_ends(outgoing, text):
            yield self._slice(outgoing, text[slice_start:at])
            yield self._flush(outgoing)
            slice_start = at
        if slice_start < len(text):
            yield self._slice(outgoing, text[slice_start:])

    def _slice(self, outgoing: Outgoing, text: str) -> str:
        outgoing.is_unflushed = outgoing.is_known = True
        return self._event(outgoing.event, outgoing, f'{outgoing.members},"delta":{quote(text)}')

    def _flush(self, outgoing: Outgoing) -> str:
        outgoing.is_unflushed = False
        return self._event(FLUSH, outgoing, "")

    def _end(self, outgoing: Outgoing, message: Message) -> Iterator[str]:
        outgoing.end = message
        if outgoing.is_unflushed and outgoing.event == DELTA and FLUSH in self._events:
            yield self._flush(outgoing)
        if DONE in self._events and outgoing.is_known and message.end is not None:
            yield self._event(DONE, outgoing, f',"stop":"{message.end}"')

    def _cancel(self, reason: str, error: str | None) -> Iterator[str]:
        """Cancel the message that is not complete, and the calls without a reply."""
        if self._over:
            return
        self._over = True
        if CANCEL in self._events:
            last = self._last
            message_id = "null"
            if last is not None and last.is_known and not last.is_complete:
                last.is_cancelled, message_id = True, quote(last.id)
            members = _members({"reason": reason, "error": error})
            yield f'event: {CANCEL}\ndata: {{"message_id":{message_id}{members}}}\n\n'
        if TOOL_CANCEL in self._events:
            for call_id in self._unanswered:
                yield f'event: {TOOL_CANCEL}\ndata: {{"call_id":{quote(call_id)},"reason":{quote(reason)}}}\n\n'

    def finish(self, _usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return no events: §9 defines none for the end."""
        return []

    def fail(self, code: str, _message: str, /) -> list[bytes]:
        """Return the `response.cancel` of a stream that broke off."""
        return [line.encode("ascii") for line in self._cancel("error", code)]


def _head_of(event: str, message: Message, call_id: str | None) -> Message:
    """Return a message as its deltas alone describe it."""
    if event == TOOL:
        return Message("assistant", "", None, "commentary", None, call_id, end="call")
    if event == ANALYSIS:
        return Message("assistant", "", None, "analysis")
    if is_preamble(message):
        return Message("assistant", "", None, "commentary", intent="preamble")
    return Message("assistant", "", None, "final")


def _members(fields: dict[str, str | None]) -> str:
    """Return JSON members that follow others; None values are left out."""
    return "".join(f',"{key}":{quote(value)}' for key, value in fields.items() if value is not None)


def _paragraph_ends(outgoing: Outgoing, text: str) -> list[int]:
    """Return the ends of paragraphs in the next text: after the second newline of a run, which may begin earlier."""
    ends: list[int] = []
    before, outgoing.newlines = outgoing.newlines, 0
    for run in _NEWLINES.finditer(text):
        prior = before if run.start() == 0 else 0
        size = prior + len(run[0])
        if prior < 2 <= size:
            ends.append(run.start() + 2 - prior)
        if run.end() == len(text):
            outgoing.newlines = size
    return ends


# --- losses -----------------------------------------------------------------------------------------------------------


def losses_of(stop: Stop, outgoing: Mapping[int, Outgoing], *, ended: bool) -> list[Loss]:
    """Return the losses: what the document of a stream has, and the client does not know.

    Args:
        stop: the end of the stream, with the document.
        outgoing: the messages whose text was sent, by their numbers.
        ended: whether the ends of messages were sent.
    """
    log, document = Log(), stop.document
    known = {
        index: _image(each, ended=ended)
        for number, each in outgoing.items()
        if each.is_known and (index := stop.place(number)) is not None
    }
    if isinstance(document, Transcript):
        for index, message in enumerate(document.messages):
            if index not in known:
                drop_message(log, index, _why_not_sent(message))
        log.losses += arrival_losses([*known], STREAM)
    report(document, Transcript(infer_grouping([*known.values()])), log, target=STREAM, order=[*known])
    return log.losses


def _image(outgoing: Outgoing, *, ended: bool) -> Message:
    message = replace(outgoing.message, content="".join(outgoing.text))
    if ended and outgoing.end is not None:
        return replace(message, end=outgoing.end.end)
    return replace(message, end=None) if outgoing.is_cancelled else message


def _why_not_sent(message: Message) -> str:
    rule = hidden_by(message)
    why = (
        "the message is empty, or the client negotiated no event for it"
        if rule is None
        else f"the message is hidden from end users ({rule.name}, {rule.section})"
    )
    return f"{STREAM} does not show this message: {why}"


def encoder(answer: Answer, _options: Options) -> Encoder:
    """Return an encoder of the events of OpenChatML 2.2."""
    return EventEncoder(answer)
