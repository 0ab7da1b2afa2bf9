"""Law 2 for encoders: what is written as it comes reads as the document, but for what the encoder says it lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ..chat.visibility import DEBUG
from ..convert import read, write
from ..events import Delta, Encoder, Event
from ..formats.adapter import DEFAULT, Adapter, Options
from ..loss import Loss
from ..model import Document, Message, Transcript
from ..pipe import encoder
from ..report.policy import LENIENT
from ..report.report import unnamed
from ..stream import replay
from ..stream.encoder import TextEncoder


def in_pieces(events: Iterable[Event], size: int) -> Iterator[Event]:
    """The same events, with texts of a few characters."""
    for event in events:
        if isinstance(event, Delta):
            yield from (Delta(event.number, event.text[at : at + size]) for at in range(0, len(event.text), size))
        else:
            yield event


def encoded(events: Iterable[Event], target: str, options: Options = DEFAULT) -> tuple[str, list[Loss]]:
    """What an encoder writes, event by event, and what it could not say."""
    text, made = run(events, encoder(target, options=options, visibility=DEBUG))
    return text, made.losses


def run(events: Iterable[Event], made: Encoder) -> tuple[str, Encoder]:
    """What an encoder writes, event by event, and the encoder."""
    chunks = [chunk for event in events for chunk in made.encode([event])]
    return b"".join((*chunks, *made.finish())).decode(), made


def order_of(made: Encoder) -> tuple[int, ...] | None:
    """The order in which an encoder wrote the messages, where it moved replies."""
    return made.order if isinstance(made, TextEncoder) else None


def check_encoding(document: Transcript, target: str) -> str:
    """Hold the encoder of a stream against law 2, and against the writer of its format where both give messages alone.

    Args:
        document: any.
        target: the stream id, which is a format id.

    Returns:
        What the encoder writes.
    """
    return check_encoder(lambda: encoder(target), target, document)


def check_encoder(
    make: Callable[[], Encoder], reader: str | Adapter, document: Transcript, options: Options = DEFAULT
) -> str:
    """The same for an encoder whose format need not be registered.

    Args:
        make: makes a new encoder, which writes all that it is given.
        reader: the format id, or an adapter.
        document: any.
        options: what the encoder was made with.
    """
    text, made = run(replay(document), make())
    for size in (1, 3):
        assert run(in_pieces(replay(document), size), make())[0] == text, f"in pieces of {size} another text is written"
    back = read(text, reader, options=Options(force_format=True)).transcript
    order = order_of(made)
    lost = unnamed(document, back, made.losses, order)
    assert lost == [], f"the encoder does not say that these are lost: {lost}"
    if order is None and _is_messages_alone(document):
        whole = write(plain(document), reader, options=options, policy=LENIENT)
        same = whole.order is not None or plain(back) == plain(whole.image)
        assert same, "the encoder writes other messages than the writer"
    return text


def _is_messages_alone(document: Transcript) -> bool:
    """Whether a document has nothing but texts and its open turn: what else there is comes by no event, or late."""
    around = document.tools, document.header, document.settings, document.alternatives
    return around == (None,) * len(around) and all(isinstance(each.content, str) for each in document.messages)


def plain(document: Document) -> Transcript:
    """A transcript without how it was spelled, and without what only one format can say."""
    assert isinstance(document, Transcript)
    opening = None if document.open_turn is None else _plain(document.open_turn)
    return replace(
        document, messages=tuple(map(_plain, document.messages)), open_turn=opening, layout=None, extras=None
    )


def _plain(message: Message) -> Message:
    return replace(message, layout=None, extras=None)
