"""A chunk costs the same however long the stream is: work and memory are counted for every stream, read and written."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import pytest

from counting import calls_of, peak_of
from ocml_bridge import Transcript, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Event
from ocml_bridge.pipe import decoder, encoder, streams
from ocml_bridge.stream import replay
from sampling import sweep
from test_growth import ALLOWED, TIMES, name_of, text, turns

pytestmark = pytest.mark.usefixtures("settled_heap")

READABLE, WRITABLE = streams()
SIZES = {turns: 12, text: 20}


def source_of(document: Transcript, stream: str) -> bytes | list[int]:
    output: Any = None if stream.endswith("-sse") else write(document, stream).output
    if isinstance(output, (str, list)):
        return output.encode() if isinstance(output, str) else cast("list[int]", output)
    made = encoder(stream, visibility=DEBUG)
    return b"".join((*made.encode(replay(document)), *made.finish()))


def fed(source: bytes | list[int], stream: str) -> list[Event]:
    made, events = decoder(stream), list[Event]()
    for at in range(0, len(source), 5):
        chunk = source[at : at + 5]
        events += made.feed_tokens(chunk) if isinstance(chunk, list) else made.feed(chunk)
    return events + made.finish()


def write_all(document: Transcript, stream: str) -> None:
    made = encoder(stream, visibility=DEBUG)
    for event in replay(document):
        made.encode([event])
    made.finish()


@pytest.mark.sweep
@pytest.mark.parametrize(("stream", "shape"), sweep(product(READABLE, SIZES), 5), ids=name_of)
def test_reading(stream: str, shape: Any) -> None:
    small, large = (source_of(shape(SIZES[shape] * times), stream) for times in (1, TIMES))
    fed(large, stream)
    assert calls_of(lambda: fed(large, stream)) <= calls_of(lambda: fed(small, stream)) * ALLOWED
    assert peak_of(lambda: fed(large, stream)) <= peak_of(lambda: fed(small, stream)) * ALLOWED


@pytest.mark.sweep
@pytest.mark.parametrize(("stream", "shape"), sweep(product(WRITABLE, SIZES), 5), ids=name_of)
def test_writing(stream: str, shape: Any) -> None:
    small, large = (shape(SIZES[shape] * times) for times in (1, TIMES))
    write_all(large, stream)
    assert calls_of(lambda: write_all(large, stream)) <= calls_of(lambda: write_all(small, stream)) * ALLOWED
    assert peak_of(lambda: write_all(large, stream)) <= peak_of(lambda: write_all(small, stream)) * ALLOWED
