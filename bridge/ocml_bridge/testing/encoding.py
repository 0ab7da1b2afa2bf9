"""Check law 2 for encoders: the stream reads as the document, except for the losses that the encoder reports."""

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
from .shown import differences, places


def in_pieces(events: Iterable[Event], size: int) -> Iterator[Event]:
    """Yield the same events, with deltas of at most `size` characters."""
    for event in events:
        if isinstance(event, Delta):
            yield from (Delta(event.number, event.text[at : at + size]) for at in range(0, len(event.text), size))
        else:
            yield event


def encoded(events: Iterable[Event], target: str, options: Options = DEFAULT) -> tuple[str, list[Loss]]:
    """Return the output of an encoder for some events, and its losses."""
    text, used = run(events, encoder(target, options=options, visibility=DEBUG))
    return text, used.losses


def run(events: Iterable[Event], used: Encoder) -> tuple[str, Encoder]:
    """Encode events one by one; return the output, and the encoder."""
    chunks = [chunk for event in events for chunk in used.encode([event])]
    return b"".join((*chunks, *used.finish())).decode(), used


def order_of(used: Encoder) -> tuple[int, ...] | None:
    """Return the order in which an encoder wrote the messages, or None if it did not move replies."""
    return used.order if isinstance(used, TextEncoder) else None


def check_encoding(document: Transcript, target: str) -> str:
    """Check law 2 for the encoder of a stream, and compare it with the writer of its format.

    Args:
        document: any document.
        target: the stream id, which is a format id.

    Returns:
        The output of the encoder.
    """
    return check_encoder(lambda: encoder(target), target, document)


def check_encoder(
    make: Callable[[], Encoder], reader: str | Adapter, document: Transcript, options: Options = DEFAULT
) -> str:
    """Check the same for an encoder whose format need not be registered.

    Args:
        make: makes a new encoder that hides no message.
        reader: the format id, or an adapter.
        document: any document.
        options: the options that the encoder is made with.
    """
    text, used = run(replay(document), make())
    for size in (1, 3):
        assert run(in_pieces(replay(document), size), make())[0] == text, f"in pieces of {size} another text is written"
    back = read(text, reader, options=Options(force_format=True)).transcript
    order = order_of(used)
    lost = unnamed(document, back, used.losses, order)
    if lost:
        lines = "\n".join(places(lost, ("the document", "the output")))
        raise AssertionError(f"the encoder does not report that these are lost:\n{lines}\noutput: {text!r}")
    if order is None and _is_messages_alone(document):
        whole = write(plain(document), reader, options=options, policy=LENIENT)
        encoded_image, written_image = plain(back), plain(whole.image)
        if whole.order is None and encoded_image != written_image:
            differ = differences(written_image, encoded_image, ("the writer", "the encoder"))
            raise AssertionError(
                f"the encoder writes other messages than the writer\n{differ}\n"
                f"output of the writer: {whole.encode()!r}\noutput of the encoder: {text!r}"
            )
    return text


def check_passing_on(
    decoded: Iterable[Event], used: Encoder, reader: str | Adapter, text: str, options: Options = DEFAULT
) -> None:
    """Check that an encoder writes the messages of a text of its own format when the format's decoder passes it on.

    The `Start` of a decoder knows less than that of a whole document: a text that it announces as an answer may turn
    out to be a preamble in its `End`.

    Args:
        decoded: the events of the decoder for the text.
        used: a new encoder that hides no message.
        reader: the format id, or an adapter.
        text: an output of the format.
        options: the options that the text was written with.
    """
    again = Options(dialect=options.dialect, force_format=True)
    source = read(text, reader, options=again).transcript
    if not isinstance(source, Transcript) or not _is_messages_alone(source):
        return
    output, _ = run(decoded, used)
    back = plain(read(output, reader, options=again).transcript)
    if order_of(used) is None and plain(source).messages != back.messages:
        differ = differences(plain(source), back, ("the text", "the encoder"))
        raise AssertionError(
            "a text of the format has other messages after its decoder and its encoder; what a text is (a preamble, "
            f"an answer) is certain only in its End\n{differ}\nthe text: {text!r}\noutput of the encoder: {output!r}"
        )


def _is_messages_alone(document: Transcript) -> bool:
    """Return whether a document has only text messages and an open turn; other data have no event, or come late."""
    others = document.tools, document.header, document.settings, document.alternatives
    return others == (None,) * len(others) and all(isinstance(each.content, str) for each in document.messages)


def plain(document: Document) -> Transcript:
    """Return a transcript without layout and extras."""
    assert isinstance(document, Transcript)
    opening = None if document.open_turn is None else _plain(document.open_turn)
    return replace(
        document, messages=tuple(map(_plain, document.messages)), open_turn=opening, layout=None, extras=None
    )


def _plain(message: Message) -> Message:
    return replace(message, layout=None, extras=None)
