"""What is asked of every encoder of text: it writes the image as it comes, and names what it could not say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ocml_bridge import Document, Loss, Transcript, read, write
from ocml_bridge.adapter import DEFAULT, Options
from ocml_bridge.events import Delta, Encoder, Event
from ocml_bridge.model import Message
from ocml_bridge.pipe import encoder
from ocml_bridge.policy import LENIENT
from ocml_bridge.report import unnamed
from ocml_bridge.stream import replay
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.visibility import DEBUG


def slowly(events: Iterable[Event], size: int) -> Iterator[Event]:
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


def check_writing(document: Transcript, target: str) -> str:
    """Hold an encoder against law 2, and against `fit` where the document has nothing apart from its messages."""
    text, made = run(replay(document), encoder(target))
    assert all(encoded(slowly(replay(document), size), target)[0] == text for size in (1, 3))
    back = read(text, target, options=Options(force_format=True)).transcript
    assert unnamed(document, back, made.losses, order_of(made)) == []
    if (
        order_of(made) is None
        and document.tools is None
        and all(isinstance(message.content, str) for message in document.messages)
    ):
        image = write(plain(document), target, policy=LENIENT).image
        assert plain(back) == plain(image)
    return text


def plain(document: Document) -> Transcript:
    """A transcript without how it was spelled, and without what only one format can say."""
    assert isinstance(document, Transcript)
    opening = None if document.open_turn is None else _plain(document.open_turn)
    return replace(
        document, messages=tuple(map(_plain, document.messages)), open_turn=opening, layout=None, extras=None
    )


def _plain(message: Message) -> Message:
    return replace(message, layout=None, extras=None)
