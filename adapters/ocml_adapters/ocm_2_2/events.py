"""The events of §9 as they come, as Server-Sent Events (the stream `ocm-2.2-events`).

An event is sent only where it was negotiated. Those that §9 does not know begin with `x-`. What is hidden from end
users is never in a `response.delta`, whoever asks; a `stream.Filter` before the encoder decides what else it is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii as quote
from typing import Final, cast

from ocml_bridge.chat.turns import infer_grouping, is_call, is_reply, is_thought, parts_of
from ocml_bridge.chat.visibility import END_USER, hidden_by, is_preamble
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Answer, Delta, Encoder, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Header, Json, Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_message
from ocml_bridge.report.report import report
from ocml_bridge.stream.decoder import header_of, text_of

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

UNASKED: Final = frozenset({DELTA, CANCEL, TOOL_CANCEL})
"""What is sent where nobody negotiated: what §2's own header lists. A flush is a hint that has to be asked for."""

_ERRORS: Final[dict[Reason, ErrorCode]] = dict.fromkeys(
    ("truncated", "length", "content_filter", "error"), ErrorCode.STREAM_TRUNCATED
)
"""§14: streaming ended without a stop token. One that was cancelled is no error."""
_WHOLE: Final = frozenset({"stop", "tool_calls"})
_HEADS: Final[dict[str, tuple[str, ...]]] = {DELTA: ("channel", "intent"), ANALYSIS: (), TOOL: ("call_id",)}
"""What each delta tells of its message."""
_NEWLINES: Final = re.compile(r"\n+")


def negotiated(header: Header | None) -> frozenset[str]:
    """The events that a document header asks for (§2, `capabilities.streaming`).

    Where it says nothing of them, those that need no asking; where it names none, or what it says is no list, none.
    """
    capabilities: Json = None if header is None else header.capabilities
    if not isinstance(capabilities, dict):
        return UNASKED
    known = cast("dict[str, Json]", capabilities)
    if "streaming" not in known:
        return UNASKED
    names = known["streaming"]
    if not isinstance(names, list):
        return frozenset()
    return frozenset(name for name in cast("list[Json]", names) if isinstance(name, str))


def event_of(message: Message) -> str | None:
    """The event that carries a message's text, by what its header says; None where there is none."""
    if is_thought(message):
        return ANALYSIS
    if is_call(message):
        return TOOL
    shown = END_USER.hides(message) is None and not any(map(END_USER.hides_part, parts_of(message.content)))
    return DELTA if shown and message.role == "assistant" else None


@dataclass(slots=True)
class Outgoing:
    """A message that events are to carry.

    Attributes:
        id: its `message_id`.
        event: the event that carries its text.
        head: what that event tells of the message each time.
        message: what is told of it, but for its text.
        text: the pieces of its text.
        end: the message itself, when it has ended.
        newlines: how many newlines its text ends in so far.
        sent: whether the client knows of it.
        fresh: whether text came behind the last flush.
        cancelled: whether the client was told that it breaks off.
    """

    id: str
    event: str
    head: str
    message: Message
    text: list[str] = field(default_factory=list[str])
    end: Message | None = None
    newlines: int = 0
    sent: bool = False
    fresh: bool = False
    cancelled: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether the message came to its end."""
        return self.end is not None and self.end.end is not None

    def whole(self, message: Message, call_id: str | None) -> None:
        """All that the message's header says is told."""
        self.message = replace(header_of(message), call_id=call_id, end=self.message.end)


class EventEncoder:
    """An encoder of one answer.

    Args:
        answer: its index, the ids of its calls, and the events that were negotiated.

    Attributes:
        losses: what was not sent; complete when the stream is over.
    """

    def __init__(self, answer: Answer) -> None:
        self.losses: list[Loss] = []
        self._events = UNASKED if answer.events is None else answer.events
        self._ids = CallIds(answer)
        self._prefix = f"{answer.index}.m" if answer.index else "m"
        self._sent = 0
        self._outgoing: dict[int, Outgoing] = {}
        self._last: Outgoing | None = None
        self._waiting: dict[str, None] = {}
        """The ids of calls that nobody has answered."""
        self._over = False

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The events to send, each a complete Server-Sent Event; none behind the end."""
        out: list[str] = []
        for event in events:
            if self._over and not isinstance(event, Stop):
                continue
            match event:
                case Delta(number, text) | RefusalDelta(number, text):
                    outgoing = self._outgoing.get(number)
                    if outgoing is not None:
                        out += self._more(outgoing, text)
                case Start():
                    out += self._start(event)
                case End(number, message):
                    outgoing = self._outgoing.get(number)
                    if outgoing is not None:
                        out += self._end(outgoing, message)
                case Stop(reason, document, error):
                    if reason not in _WHOLE:
                        out += self._cancel(reason, error or _ERRORS.get(reason))
                    self._over = True
                    self.losses = losses_of(document, list(self._outgoing.values()), ended=DONE in self._events)
                case _:
                    pass
        return [line.encode("ascii") for line in out]

    def _start(self, start: Start) -> Iterator[str]:
        number, message, _ = start
        call_id = self._ids.of(start)
        if is_reply(message):
            self._waiting.pop(call_id or "", None)
        elif is_call(message) and call_id is not None:
            self._waiting[call_id] = None
        event = event_of(message)
        if event is None or event not in self._events:
            return
        known = _known(event, message, call_id)
        head = _members({name: getattr(known, name) for name in _HEADS[event]})
        outgoing = self._last = self._outgoing[number] = Outgoing(f"{self._prefix}{number}", event, head, known)
        if BEGIN in self._events:
            outgoing.sent = True
            outgoing.whole(message, call_id)
            fields = {"role": message.role, "channel": message.channel}
            fields |= {key: getattr(outgoing.message, name) for key, name in ATTRIBUTES.items()}
            fields["constrain"] = message.constraint
            yield self._event(BEGIN, outgoing, _members(fields))

    def _event(self, name: str, outgoing: Outgoing, members: str) -> str:
        number, self._sent = self._sent, self._sent + 1
        return f'event: {name}\ndata: {{"message_id":"{outgoing.id}","seq":{number}{members}}}\n\n'

    def _more(self, outgoing: Outgoing, text: str) -> Iterator[str]:
        outgoing.text.append(text)
        if outgoing.event != DELTA or FLUSH not in self._events:
            yield self._slice(outgoing, text)
            return
        slice_start = 0
        for at in _paragraphs(outgoing, text):
            yield self._slice(outgoing, text[slice_start:at])
            yield self._flush(outgoing)
            slice_start = at
        if slice_start < len(text):
            yield self._slice(outgoing, text[slice_start:])

    def _slice(self, outgoing: Outgoing, text: str) -> str:
        outgoing.fresh = outgoing.sent = True
        return self._event(outgoing.event, outgoing, f'{outgoing.head},"delta":{quote(text)}')

    def _flush(self, outgoing: Outgoing) -> str:
        outgoing.fresh = False
        return self._event(FLUSH, outgoing, "")

    def _end(self, outgoing: Outgoing, message: Message) -> Iterator[str]:
        outgoing.end = message
        if outgoing.fresh and outgoing.event == DELTA and FLUSH in self._events:
            yield self._flush(outgoing)
        if DONE in self._events and outgoing.sent and message.end is not None:
            yield self._event(DONE, outgoing, f',"stop":"{message.end}"')

    def _cancel(self, reason: str, error: str | None) -> Iterator[str]:
        """Whatever is not complete will not be: the message, and the calls that wait for their replies."""
        if self._over:
            return
        self._over = True
        if CANCEL in self._events:
            last = self._last
            about = "null"
            if last is not None and last.sent and not last.is_complete:
                last.cancelled, about = True, quote(last.id)
            members = _members({"reason": reason, "error": error})
            yield f'event: {CANCEL}\ndata: {{"message_id":{about}{members}}}\n\n'
        if TOOL_CANCEL in self._events:
            for call_id in self._waiting:
                yield f'event: {TOOL_CANCEL}\ndata: {{"call_id":{quote(call_id)},"reason":{quote(reason)}}}\n\n'

    def finish(self, _usage: dict[str, object] | None = None, /) -> list[bytes]:
        """§9 has nothing behind the end."""
        return []

    def fail(self, code: str, _message: str, /) -> list[bytes]:
        """Say that the stream broke, by `response.cancel`."""
        return [line.encode("ascii") for line in self._cancel("error", code)]


def _known(event: str, message: Message, call_id: str | None) -> Message:
    """What deltas alone tell of a message."""
    if event == TOOL:
        return Message("assistant", "", None, "commentary", None, call_id, end="call")
    if event == ANALYSIS:
        return Message("assistant", "", None, "analysis")
    if is_preamble(message):
        return Message("assistant", "", None, "commentary", intent="preamble")
    return Message("assistant", "", None, "final")


def _members(fields: dict[str, str | None]) -> str:
    """Members of a JSON object behind others; what is absent is left out."""
    return "".join(f',"{key}":{quote(value)}' for key, value in fields.items() if value is not None)


def _paragraphs(outgoing: Outgoing, text: str) -> list[int]:
    """Where paragraphs end in the next text: behind the second newline of a run, however the run is cut."""
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


# --- what the client knows --------------------------------------------------------------------------------------------


def losses_of(document: Document, outgoing: Sequence[Outgoing], *, ended: bool) -> list[Loss]:
    """Everything that a document says and the client does not know.

    Args:
        document: what came.
        outgoing: the messages that were told of.
        ended: whether the client was told how messages end.
    """
    log, known = Log(), list[Message]()
    if isinstance(document, Transcript):
        waiting = (one for one in outgoing if one.sent)
        one = next(waiting, None)
        for index, message in enumerate(document.messages):
            if one is not None and one.end is not None and _is_same(message, one.end):
                known.append(_image(one, ended=ended))
                one = next(waiting, None)
            else:
                drop_message(log, index, _reason(message))
    report(document, Transcript(infer_grouping(known)), log, target=STREAM)
    return log.losses


def _is_same(message: Message, other: Message) -> bool:
    return _key(message) == _key(other)


def _key(message: Message) -> tuple[str | None, ...]:
    return message.role, message.channel, message.intent, message.recipient, text_of(message)


def _image(outgoing: Outgoing, *, ended: bool) -> Message:
    message = replace(outgoing.message, content="".join(outgoing.text))
    if ended and outgoing.end is not None:
        return replace(message, end=outgoing.end.end)
    return replace(message, end=None) if outgoing.cancelled else message


def _reason(message: Message) -> str:
    rule = hidden_by(message)
    why = (
        "the message is empty, or the client negotiated no event for it"
        if rule is None
        else f"the message is hidden from end users ({rule.name}, {rule.section})"
    )
    return f"{STREAM} does not show this message: {why}"


def encoder(answer: Answer, _options: Options) -> Encoder:
    """An encoder of the events of OpenChatML 2.2."""
    return EventEncoder(answer)
