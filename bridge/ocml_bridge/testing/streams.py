"""Check law 4 (stream = batch): a decoder's events do not depend on the cuts, and its document is the reader's."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import NamedTuple, cast

from hypothesis import strategies as st

from ..chat.turns import extract_tools, is_call, parts_of
from ..chat.visibility import is_private
from ..convert import read
from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Delta, End, Event, Named, PartEnd, Reason, RefusalDelta, Signed, Start, Stop
from ..formats.adapter import Adapter, Options
from ..loss import Finding, without_message
from ..model import ByFormat, Json, Message, Part, Signature, Text, Transcript
from ..pipe import decoder
from ..report.result import Reading
from ..stream import accumulate, joined
from ..stream.decoder import header_of, text_of
from .shown import differences, shown

Chunk = str | bytes | list[int]
Chunks = Sequence[Chunk]

# --- ways to cut ------------------------------------------------------------------------------------------------------


def _ranges(size: int) -> st.SearchStrategy[list[slice]]:
    places = st.lists(st.integers(0, size), max_size=12).map(lambda at: sorted({0, *at, size}))
    return places.map(lambda at: [slice(start, end) for start, end in pairwise(at)])


def cuts(text: str) -> st.SearchStrategy[list[Chunk]]:
    """Draw ways to cut a text."""
    return _ranges(len(text)).map(lambda parts: [text[part] for part in parts])


def byte_cuts(text: str) -> st.SearchStrategy[list[Chunk]]:
    """Draw ways to cut the UTF-8 bytes of a text, also inside of characters; a text without UTF-8 is not cut."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return st.just([text])
    return _ranges(len(data)).map(lambda parts: [data[part] for part in parts])


def id_cuts(ids: list[int]) -> st.SearchStrategy[list[Chunk]]:
    """Draw ways to cut token ids."""
    return _ranges(len(ids)).map(lambda parts: [ids[part] for part in parts])


def all_cuts(text: str, *more: Chunks) -> list[Chunks]:
    """Return ways to cut a text: whole, character by character, byte by byte if it has UTF-8, and the given ones."""
    ways: list[Chunks] = [[text], list(text), *more]
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return ways
    return [*ways, [data[at : at + 1] for at in range(len(data))]]


# --- playing ----------------------------------------------------------------------------------------------------------


class Decoded(NamedTuple):
    """The result of decoding.

    Attributes:
        events: the events, with adjacent deltas of a message joined.
        failed: the code of the error that the decoder raised; None if it raised none.
    """

    events: list[Event]
    failed: ErrorCode | None

    @property
    def stop(self) -> Stop:
        """The last event."""
        last = self.events[-1]
        assert isinstance(last, Stop)
        return last


def feed(used: Decoder, chunk: Chunk) -> list[Event]:
    """Return the events of a decoder for a chunk of text, bytes, or token ids."""
    return used.feed_tokens(chunk) if isinstance(chunk, list) else used.feed(chunk)


def events_of(used: Decoder, chunks: Iterable[Chunk], reason: Reason | None = None) -> Decoded:
    """Decode chunks; check that the decoder raises at most once, and has no events after `Stop`."""
    events, failed = _fed(used, chunks)
    events += used.finish(reason)
    assert used.finish(reason) == used.cancel() == [], "there are events after the stop"
    return Decoded(joined(events), failed)


def _fed(
    used: Decoder, chunks: Iterable[Chunk], failed: ErrorCode | None = None
) -> tuple[list[Event], ErrorCode | None]:
    """Return the events of a decoder for chunks, and the code of the error that it raised, now or before."""
    events: list[Event] = []
    for chunk in chunks:
        try:
            events += feed(used, chunk)
        except BridgeError as error:
            assert failed is None, "a decoder raises once at most"
            failed = error.code
    return events, failed


# --- the law ----------------------------------------------------------------------------------------------------------

Extract = Callable[[Sequence[Message]], Sequence[Message]]
"""Returns the messages of a stream without the tools that the document declares outside of messages."""


def _extract(messages: Sequence[Message]) -> Sequence[Message]:
    return extract_tools(messages).messages


def check_decoding(
    source: str | list[int], stream: str, ways: Iterable[Chunks], extract: Extract | None = _extract
) -> Decoded:
    """Compare the decoder of a stream with the reader of its format, for several ways to cut the source.

    Args:
        source: text or token ids.
        stream: the stream id, which is a format id.
        ways: ways to cut the source.
        extract: removes declared tools from the messages of the stream, if the document has tools; None to skip the
            comparison of messages for such documents.

    Returns:
        The result of decoding the source in one chunk.
    """
    return check_decoder(lambda: decoder(stream), stream, source, ways, extract)


def check_decoder(
    make: Callable[[], Decoder],
    reader: str | Adapter,
    source: str | list[int],
    ways: Iterable[Chunks],
    extract: Extract | None = _extract,
) -> Decoded:
    """Check the same for a decoder whose format need not be registered.

    Args:
        make: makes a new decoder.
        reader: the format id, or an adapter.
        source: text or token ids.
        ways: ways to cut the source.
        extract: as for `check_decoding`.
    """
    decoded = events_of(make(), [source])
    for chunks in ways:
        cut = events_of(make(), chunks)
        if cut != decoded:
            other, event = _first_difference(cut, decoded)
            raise AssertionError(
                f"{chunks!r:.200} is decoded otherwise than the whole\n"
                f"of the chunks: {other!r:.500}\nof the whole: {event!r:.500}"
            )
    check_order(decoded.events)
    batch = read_at_once(source, reader)
    if isinstance(batch, ErrorCode):
        assert decoded.stop == Stop("error", Transcript(), batch), (
            f"the reader refuses the text with {batch}, and the stream ends with {decoded.stop}; "
            "an error that it raises early has to be the one that the reader raises first: "
            "use the same checks in the same order"
        )
        assert decoded.failed in (None, batch), f"the stream fails with {decoded.failed}, the reader with {batch}"
        return decoded
    assert decoded.failed is None, f"the stream fails with {decoded.failed}, and the reader reads the text"
    if decoded.stop.document != batch.transcript:
        differ = differences(decoded.stop.document, batch.transcript, ("the stream", "the reader"))
        raise AssertionError(f"the stream ends with another document than the reader reads\n{differ}")
    findings = [event for event in decoded.events if isinstance(event, Finding)]
    if decoded.stop.declaration_at is not None:
        findings = without_message(findings, decoded.stop.declaration_at)
    assert sorted(findings) == sorted(batch.findings), f"a stream has {findings}, and the reader has {batch.findings}"
    check_messages(decoded, extract)
    return decoded


def _first_difference(one: Decoded, other: Decoded) -> tuple[object, object]:
    """Return what two results do not have in common: the first event, or the code of the error."""
    pairs = zip_longest(one.events, other.events)
    return next((pair for pair in pairs if pair[0] != pair[1]), (one.failed, other.failed))


def read_at_once(source: str | list[int], reader: str | Adapter) -> Reading | ErrorCode:
    """Return what the reader of a format reads, or the code of the error that it raises."""
    try:
        return read(cast("str | Json", source), reader, options=Options(force_format=True))
    except BridgeError as error:
        return error.code


def check_order(events: Sequence[Event]) -> None:
    """Check that messages start and end in order, deltas come between, and `Stop` is last."""
    started = ended = 0
    for event in events[:-1]:
        match event:
            case Start(number, message):
                assert number == started, f"message {number} begins, but message {started} is the next to begin"
                within = "a message begins within another one only if it continues it"
                assert number == ended or message.continues, f"message {number} begins before {ended} ends; {within}"
                started += 1
            case Delta(number, text) | RefusalDelta(number, text):
                assert text, f"a Delta of message {number} has no text; emit none if there is no text"
                assert ended <= number < started, f"a Delta of message {number}, which is not open"
            case Signed(number) | PartEnd(number):
                assert ended <= number < started, f"an event of message {number}, which is not open"
            case End(number):
                assert number == ended < started, f"message {number} ends, but message {ended} is the next to end"
                ended += 1
            case Finding() | Named():
                pass
            case Stop():
                raise AssertionError("a stop before the end")


def check_messages(decoded: Decoded, extract: Extract | None) -> None:
    """Check that the events of each message add up to the message, and all of them to the document."""
    document = decoded.stop.document
    heads: dict[int, Message] = {}
    texts: dict[int, str] = {}
    parts: dict[int, list[Part]] = {}
    signed: dict[int, tuple[Signature, str]] = {}
    ended: list[Message] = []
    for event in decoded.events:
        match event:
            case Start(number, message):
                heads[number], texts[number], parts[number] = message, "", []
            case Delta(number, text):
                texts[number] += text
            case PartEnd(number, part):
                head = heads[number]
                assert head.role == "assistant", "only an answer has parts that end"
                assert not is_call(head), "only an answer has parts that end"
                assert not is_private(head), "only an answer has parts that end"
                parts[number].append(part)
                came = "".join(each.text for each in parts[number] if isinstance(each, Text))
                assert texts[number] == came, "a part ends when all its text has come"
            case Signed(number, signature):
                signed[number] = (signature, texts[number])
            case End(number, message):
                came, text = texts[number], text_of(message)
                assert came == text, f"the Deltas of message {number} are {came!r}, and its text is {text!r} in the end"
                assert tuple(parts[number]) == tuple(parts_of(message.content))[: len(parts[number])]
                assert signed.get(number) in (None, (message.signature, texts[number]))
                header = heads[number]
                start, end = settled(header), settled(header_of(message))
                assert start == end, f"message {number} begins as {start!r}, and is {end!r} in the end"
                assert header.signature in (None, message.signature)
                assert is_in(header.extras, message.extras)
                assert is_in(header.layout, message.layout)
                ended.append(message)
            case _:
                pass
    assert len(heads) == len(ended), f"{len(heads)} messages begin, and {len(ended)} end"
    assert accumulate(decoded.events) == document
    so_far = accumulate(decoded.events[:-1])
    assert isinstance(so_far, Transcript)
    assert so_far.messages == tuple(ended)
    if isinstance(document, Transcript) and (document.tools is None or extract is not None):
        whole = ended if extract is None or document.tools is None else extract(ended)
        emitted, messages = list(map(bare, whole)), list(map(bare, document.messages))
        assert emitted == messages, (
            "the messages of the End events are not those of the document\n"
            f"the events: {shown(emitted)}\nthe document: {shown(messages)}"
        )


def settled(header: Message) -> Message:
    """Return a head without the fields that depend on what follows: whether a text is a preamble or a thought."""
    header = replace(header, content="", continues=False, extras=None, layout=None, signature=None)
    if header.role == "assistant" and not is_call(header) and header.channel in ("final", "commentary", "analysis"):
        return replace(header, channel=None, intent=None)
    return header


def is_in(head: ByFormat | None, whole: ByFormat | None) -> bool:
    """Return whether extras (or layout) of a whole message have the keys of those of its `Start`, and the same types.

    Other values may differ, such as an encrypted text.
    """
    for name, members in (head or {}).items():
        final = (whole or {}).get(name, {})
        if not members.keys() <= final.keys() or any(members.get(key) != final.get(key) for key in ("type", "kind")):
            return False
    return True


def bare(message: Message) -> Message:
    """Return a message without layout, extras and grouping."""
    return replace(message, layout=None, extras=None, continues=False)


# --- copies, and an end before the end --------------------------------------------------------------------------------


def check_copies(make: Callable[[], Decoder], first: Chunks, one: Chunks, other: Chunks) -> None:
    """Check that a copy and a pickled decoder continue independently of the original.

    Args:
        make: makes a new decoder.
        first: the chunks before the copy is made.
        one: the further chunks for the original.
        other: the further chunks for the copies.
    """
    original = make()
    events_before, failed_before = _fed(original, first)
    copy, unpickled = original.copy(), cast("Decoder", pickle.loads(pickle.dumps(original)))
    for used, rest in ((original, one), (copy, other), (unpickled, other)):
        events, failed = _fed(used, rest, failed_before)
        continued = Decoded(joined([*events_before, *events, *used.finish()]), failed)
        assert continued == events_of(make(), [*first, *rest])


def check_cancel(make: Callable[[], Decoder], chunks: Chunks) -> Stop:
    """Check that a cancelled stream stops exactly once; return its `Stop`."""
    used = make()
    _fed(used, chunks)
    stop = used.cancel()[-1]
    assert isinstance(stop, Stop)
    assert stop.reason in ("cancelled", "error")
    assert used.cancel() == used.finish() == []
    return stop
