"""What a client knows of a stream of events, beside the document that it was: the difference is what was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ocml_bridge.loss import Log, Loss
from ocml_bridge.model import Document, Message, Transcript, replace
from ocml_bridge.narrowing import drop_message
from ocml_bridge.report import report
from ocml_bridge.stream.decoder import header_of, text_of
from ocml_bridge.turns import infer_grouping
from ocml_bridge.visibility import hidden_by

STREAM: Final = "ocm-2.2-events"
"""The stream id."""


@dataclass(slots=True)
class Told:
    """A message that events are to tell of.

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


def losses_of(document: Document, told: Sequence[Told], *, ended: bool) -> list[Loss]:
    """Everything that a document says and the client does not know.

    Args:
        document: what came.
        told: the messages that were told of.
        ended: whether the client was told how messages end.
    """
    log, known = Log(), list[Message]()
    if isinstance(document, Transcript):
        waiting = (one for one in told if one.sent)
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


def _image(told: Told, *, ended: bool) -> Message:
    message = replace(told.message, content="".join(told.text))
    if ended and told.end is not None:
        return replace(message, end=told.end.end)
    return replace(message, end=None) if told.cancelled else message


def _reason(message: Message) -> str:
    rule = hidden_by(message)
    why = (
        "it says nothing, or no event of it was negotiated"
        if rule is None
        else f"it is hidden from end users ({rule.name}, {rule.section})"
    )
    return f"{STREAM} was not to tell of it: {why}"
