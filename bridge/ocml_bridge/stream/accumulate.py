"""Put events together to a transcript, and replay a transcript as events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from ..chat.turns import is_hosted
from ..events import Delta, End, Event, Named, PartEnd, Reason, RefusalDelta, Signed, Start, Stop
from ..loss import Finding
from ..model import Document, Message, Part, Refusal, Text, Transcript, replace
from .decoder import header_of, rest_of, settle


def accumulate(events: Iterable[Event]) -> Document:
    """Return the document that the events so far describe.

    Before the end of the stream, it contains unfinished messages with the text that has arrived; after it, it is the
    document that a reader of the whole text returns.
    """
    started: dict[int, Message] = {}
    texts: dict[int, list[str]] = {}
    refusals: dict[int, list[str]] = {}
    for event in events:
        match event:
            case Start(index, message):
                started[index], texts[index] = message, []
            case Delta(index, text):
                texts[index].append(text)
            case RefusalDelta(index, text):
                refusals.setdefault(index, []).append(text)
            case Signed(index, signature):
                started[index] = replace(started[index], signature=signature)
            case End(index, message):
                started[index] = message
                texts.pop(index, None)
            case Stop(_, document):
                return document
            case Finding() | Named() | PartEnd():
                pass
    for index, pieces in texts.items():
        refused = "".join(refusals.get(index, ()))
        text = "".join(pieces)
        with_refusal: tuple[Part, ...] = (*((Text(text),) if text else ()), Refusal(refused))
        started[index] = replace(started[index], content=with_refusal if refused else text)
    return Transcript(tuple(started[index] for index in sorted(started)))


def joined(events: Iterable[Event]) -> list[Event]:
    """Join adjacent deltas of the same message: the result does not depend on how a stream is cut into chunks."""
    out: list[Event] = []
    for kind, group in groupby(events, _kind_of_text):
        if kind is None:
            out += group
        else:
            make, number = kind
            texts = [event.text for event in group if isinstance(event, (Delta, RefusalDelta))]
            out.append(make(number, "".join(texts)))
    return out


def _kind_of_text(event: Event) -> tuple[type[Delta | RefusalDelta], int] | None:
    """Return what deltas that are joined have in common; None for any other event."""
    return (type(event), event.number) if isinstance(event, (Delta, RefusalDelta)) else None


def replay(document: Transcript, reason: Reason | None = None) -> Iterator[Event]:
    """Yield the events of a transcript: for each message `Start`, a `Delta` for each text, and `End`; then `Stop`.

    Args:
        document: the transcript.
        reason: why the stream is over; None to infer it from the last messages.
    """
    for index, message in enumerate(document.messages):
        yield Start(index, replace(header_of(message), signature=message.signature), is_hosted(message))
        yield from rest_of(index, message)
        if refused := _refusal_of(message):
            yield RefusalDelta(index, refused)
        yield End(index, message)
    yield Stop(reason or settle(None, document), document)


def _refusal_of(message: Message) -> str:
    parts = () if isinstance(message.content, str) else message.content
    return "".join(part.text for part in parts if isinstance(part, Refusal))
