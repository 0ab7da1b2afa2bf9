"""Law 4, stream = batch: a decoder says the same however its input is cut, and ends with what the reader reads."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, cast

from hypothesis import strategies as st

from ..chat.turns import is_call, lift_tools
from ..convert import read
from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Delta, End, Event, Named, Reason, RefusalDelta, Signed, Start, Stop
from ..formats.adapter import Adapter, Options
from ..loss import Finding, without_message
from ..model import ByFormat, Json, Message, Signature, Transcript
from ..pipe import decoder
from ..report.result import Reading
from ..stream import accumulate, joined
from ..stream.decoder import header_of, text_of

Chunk = str | bytes | list[int]
Chunks = Sequence[Chunk]

# --- ways to cut ------------------------------------------------------------------------------------------------------


def _ranges(size: int) -> st.SearchStrategy[list[slice]]:
    places = st.lists(st.integers(0, size), max_size=12).map(lambda at: sorted({0, *at, size}))
    return places.map(lambda at: [slice(start, end) for start, end in pairwise(at)])


def cuts(text: str) -> st.SearchStrategy[list[Chunk]]:
    """Ways to cut a text at a few places."""
    return _ranges(len(text)).map(lambda parts: [text[part] for part in parts])


def byte_cuts(text: str) -> st.SearchStrategy[list[Chunk]]:
    """Ways to cut the UTF-8 of a text anywhere, also inside of characters; a text that has none stays whole."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return st.just([text])
    return _ranges(len(data)).map(lambda parts: [data[part] for part in parts])


def id_cuts(ids: list[int]) -> st.SearchStrategy[list[Chunk]]:
    """Ways to cut token ids."""
    return _ranges(len(ids)).map(lambda parts: [ids[part] for part in parts])


def all_cuts(text: str, *more: Chunks) -> list[Chunks]:
    """A text whole, in characters, in the bytes of its UTF-8 where it has one, and in other ways."""
    ways: list[Chunks] = [[text], list(text), *more]
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return ways
    return [*ways, [data[at : at + 1] for at in range(len(data))]]


# --- playing ----------------------------------------------------------------------------------------------------------


class Decoded(NamedTuple):
    """What a decoder gives.

    Attributes:
        events: its events, with the deltas of a message in one piece.
        failed: the code of the error that it raises; None where it raises none.
    """

    events: list[Event]
    failed: ErrorCode | None

    @property
    def stop(self) -> Stop:
        """The last event."""
        last = self.events[-1]
        assert isinstance(last, Stop)
        return last


def feed(made: Decoder, chunk: Chunk) -> list[Event]:
    """The events of a chunk of text, bytes, or token ids."""
    return made.feed_tokens(chunk) if isinstance(chunk, list) else made.feed(chunk)


def events_of(made: Decoder, chunks: Iterable[Chunk], reason: Reason | None = None) -> Decoded:
    """What a decoder gives for chunks; it raises once at most, and has no more events behind the stop."""
    events: list[Event] = []
    failed: ErrorCode | None = None
    for chunk in chunks:
        try:
            events += feed(made, chunk)
        except BridgeError as error:
            assert failed is None, "a decoder raises once at most"
            failed = error.code
    events += made.finish(reason)
    assert made.finish(reason) == made.cancel() == [], "there are events after the stop"
    return Decoded(joined(events), failed)


# --- the law ----------------------------------------------------------------------------------------------------------

Lift = Callable[[Sequence[Message]], Sequence[Message]]
"""What is left of messages as they came where the document has their tools apart."""


def _lifted(messages: Sequence[Message]) -> Sequence[Message]:
    return lift_tools(messages).messages


def check_decoding(
    source: str | list[int], stream: str, ways: Iterable[Chunks], lifted: Lift | None = _lifted
) -> Decoded:
    """Hold the decoder of a stream against the reader of its format, however the source is cut.

    Args:
        source: text or token ids.
        stream: the stream id, which is a format id.
        ways: ways to cut the source.
        lifted: what is left of the messages as they came, where the document has tools of its own; None not to ask.

    Returns:
        What the decoder gives for the whole.
    """
    return check_decoder(lambda: decoder(stream), stream, source, ways, lifted)


def check_decoder(
    make: Callable[[], Decoder],
    reader: str | Adapter,
    source: str | list[int],
    ways: Iterable[Chunks],
    lifted: Lift | None = _lifted,
) -> Decoded:
    """The same for a decoder whose format need not be registered.

    Args:
        make: makes a new decoder.
        reader: the format id, or an adapter.
        source: text or token ids.
        ways: ways to cut the source.
        lifted: as for `check_decoding`.
    """
    decoded = events_of(make(), [source])
    for chunks in ways:
        assert events_of(make(), chunks) == decoded, f"{chunks!r:.200} is decoded otherwise than the whole"
    check_order(decoded.events)
    batch = read_at_once(source, reader)
    if isinstance(batch, ErrorCode):
        assert decoded.stop == Stop("error", Transcript(), batch)
        assert decoded.failed in (None, batch)
        return decoded
    assert decoded.failed is None
    assert decoded.stop.document == batch.transcript, "the stream ends with another document than the reader reads"
    found = [event for event in decoded.events if isinstance(event, Finding)]
    if decoded.stop.lifted is not None:
        found = without_message(found, decoded.stop.lifted)
    assert sorted(found) == sorted(batch.findings)
    check_messages(decoded, lifted)
    return decoded


def read_at_once(source: str | list[int], reader: str | Adapter) -> Reading | ErrorCode:
    """What the reader of a format reads, or the code of the error that it raises."""
    try:
        return read(cast("str | Json", source), reader, options=Options(force_format=True))
    except BridgeError as error:
        return error.code


def check_order(events: Sequence[Event]) -> None:
    """Messages start in order and end in order; the text of one stands between; nothing follows the stop."""
    started = ended = 0
    for event in events[:-1]:
        match event:
            case Start(number, message):
                assert number == started
                assert number == ended or message.continues, "only within one wire message"
                started += 1
            case Delta(number, text) | RefusalDelta(number, text):
                assert text
                assert ended <= number < started
            case Signed(number):
                assert ended <= number < started
            case End(number):
                assert number == ended < started
                ended += 1
            case Finding() | Named():
                pass
            case Stop():
                raise AssertionError("a stop before the end")


def check_messages(decoded: Decoded, lifted: Lift | None) -> None:
    """The events of each message make the message."""
    document = decoded.stop.document
    heads: dict[int, Message] = {}
    texts: dict[int, str] = {}
    signed: dict[int, tuple[Signature, str]] = {}
    ended: list[Message] = []
    for event in decoded.events:
        match event:
            case Start(number, message):
                heads[number], texts[number] = message, ""
            case Delta(number, text):
                texts[number] += text
            case Signed(number, signature):
                signed[number] = (signature, texts[number])
            case End(number, message):
                assert texts[number] == text_of(message)
                assert signed.get(number) in (None, (message.signature, texts[number]))
                header = heads[number]
                assert settled(header) == settled(header_of(message))
                assert header.signature in (None, message.signature)
                assert is_in(header.extras, message.extras)
                assert is_in(header.layout, message.layout)
                ended.append(message)
            case _:
                pass
    assert len(heads) == len(ended)
    assert accumulate(decoded.events) == document
    so_far = accumulate(decoded.events[:-1])
    assert isinstance(so_far, Transcript)
    assert so_far.messages == tuple(ended)
    if isinstance(document, Transcript) and (document.tools is None or lifted is not None):
        whole = ended if lifted is None or document.tools is None else lifted(ended)
        assert list(map(bare, whole)) == list(map(bare, document.messages))


def settled(header: Message) -> Message:
    """A header without what only the rest of a nested message tells: whether a text is a preamble, or was a thought."""
    header = replace(header, content="", continues=False, extras=None, layout=None, signature=None)
    if header.role == "assistant" and not is_call(header) and header.channel in ("final", "commentary", "analysis"):
        return replace(header, channel=None, intent=None)
    return header


def is_in(head: ByFormat | None, whole: ByFormat | None) -> bool:
    """Whether a whole message has what its beginning has of what only one format says, and is of the kind it was.

    What is encrypted may be another text by then.
    """
    for name, members in (head or {}).items():
        has = (whole or {}).get(name, {})
        if not members.keys() <= has.keys() or any(members.get(key) != has.get(key) for key in ("type", "kind")):
            return False
    return True


def bare(message: Message) -> Message:
    """A message without how it was spelled."""
    return replace(message, layout=None, extras=None, continues=False)


# --- copies, and an end before the end --------------------------------------------------------------------------------


def check_copies(make: Callable[[], Decoder], first: Chunks, one: Chunks, other: Chunks) -> None:
    """A copy goes on from where it was made, and neither knows of the other; a pickled decoder goes on likewise."""
    made = make()
    heads = [event for chunk in first for event in feed(made, chunk)]
    copy, thawed = made.copy(), cast("Decoder", pickle.loads(pickle.dumps(made)))
    for reader, rest in ((made, one), (copy, other), (thawed, other)):
        events = [event for chunk in rest for event in feed(reader, chunk)]
        assert joined([*heads, *events, *reader.finish()]) == events_of(make(), [*first, *rest]).events


def check_cancel(make: Callable[[], Decoder], chunks: Chunks) -> Stop:
    """A stream that is cancelled stops, and only once."""
    made = make()
    for chunk in chunks:
        feed(made, chunk)
    stop = made.cancel()[-1]
    assert isinstance(stop, Stop)
    assert stop.reason in ("cancelled", "error")
    assert made.cancel() == made.finish() == []
    return stop
