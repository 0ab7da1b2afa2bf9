"""Server-Sent Events: what a reader makes of any bytes, cut anywhere, and what a writer makes of any data."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ocml_bridge import BridgeError
from ocml_bridge.errors import ErrorCode
from ocml_bridge.stream.sse import Reader, ServerEvent, write

PIECES = (
    *(
        "data",
        "data:",
        "data: ",
        "data:  x",
        "event: e",
        "event:",
        "id: 1",
        "retry: 5",
        ": ping",
        ":",
        "x: y",
        "\ufeff",
    ),
    *("\n", "\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", " ", "a", "é🙂", "\u2028", "\x85", "\0", "{}", "[DONE]"),
)
SOUP = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


def whole(text: str | bytes) -> list[ServerEvent]:
    reader = Reader()
    return [*reader.feed(text), *reader.finish(unended=True)]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("data: a\n\n", [(None, "a")]),
        ("data:a\n\n", [(None, "a")]),
        ("data:  a\n\n", [(None, " a")]),
        ("data\n\n", [(None, "")]),
        ("data: a\ndata: b\n\n", [(None, "a\nb")]),
        ("event: e\ndata: a\n\ndata: b\n\n", [("e", "a"), (None, "b")]),
        ("data: a\r\n\r\ndata: b\r\n\r\n", [(None, "a"), (None, "b")]),
        ("data: a\r\rdata: b\r\r", [(None, "a"), (None, "b")]),
        (": ping\n\ndata: a\n: ping\n\n", [(None, "a")]),
        ("\ufeffdata: a\n\n", [(None, "a")]),
        ("data: \ufeffa\n\n", [(None, "\ufeffa")]),
        ("id: 1\nretry: 2\nx: y\ndata: a\n\n", [(None, "a")]),
        ("event: e\n\ndata: a\n\n", [(None, "a")]),
        ("data: a\u2028b\x85c\x0bd\n\n", [(None, "a\u2028b\x85c\x0bd")]),
        ("\n\n\n", []),
    ],
)
def test_events_are_read_as_the_standard_defines_them(text: str, events: list[tuple[str | None, str]]) -> None:
    assert Reader().feed(text) == events


@given(SOUP, st.data())
def test_the_same_events_come_however_bytes_are_cut(text: str, data: st.DataObject) -> None:
    body = text.encode()
    for ways in (list(text), [body[at : at + 1] for at in range(len(body))]):
        reader = Reader()
        assert [event for chunk in ways for event in reader.feed(chunk)] + reader.finish(unended=True) == whole(text)
    at = data.draw(st.integers(0, len(body)))
    reader = Reader()
    assert [*reader.feed(body[:at]), *reader.feed(body[at:]), *reader.finish(unended=True)] == whole(text)


@example("a\r\nb\rc\n\r", None)
@given(st.text(), st.sampled_from([None, "response.delta"]))
def test_the_output_is_read_back(data: str, name: str | None) -> None:
    lines = data.replace("\r\n", "\n").replace("\r", "\n")
    assert Reader().feed(write(data, name)) == [(name, lines.encode("utf-8", "replace").decode())]


def test_bytes_that_are_no_utf_8_are_replaced() -> None:
    assert Reader().feed(b"data: a\xffb\n\n") == [(None, "a\ufffdb")]
    reader = Reader()
    assert reader.feed(b"data: \xc3") == []
    assert reader.finish(unended=True) == [(None, "\ufffd")]


def test_an_event_that_nothing_ends_counts_only_if_asked_for() -> None:
    for text in ("data: a", "data: a\n", "data: a\r"):
        asked, official = Reader(), Reader()
        assert asked.feed(text) == official.feed(text) == []
        assert asked.finish(unended=True) == [(None, "a")]
        assert official.finish() == []


@pytest.mark.parametrize("text", ["data: " + "x" * 100, "data: " + "x" * 100 + "\n\n", "data: xxxxxx\n" * 9, ":" * 100])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_lines_and_events_are_bounded_and_earlier_events_are_returned(text: str, size: int) -> None:
    reader = Reader(limit=40)
    text = "data: a\n\n" + text
    seen: list[ServerEvent] = []
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    with pytest.raises(BridgeError) as caught:
        seen.extend(event for piece in pieces for event in reader.events(piece))
    assert caught.value.code is ErrorCode.LIMIT
    assert seen == [(None, "a")]


def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    reader = Reader()
    for _ in range(200_000):
        reader.feed("x")
    assert reader.feed("\n\n") == []
