"""Read and write Server-Sent Events (WHATWG HTML §9.2), which transport the chunks of an answer."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..errors import BridgeError, ErrorCode

LIMIT: Final = 16_777_216
"""The maximum length of a line, and of the data of one event, in characters."""
_MARK: Final = "\ufeff"


class ServerEvent(NamedTuple):
    """One event.

    Attributes:
        name: its `event` field; None if it has none.
        data: its `data` lines, joined by line feeds.
    """

    name: str | None
    data: str


def write(data: str, name: str | None = None) -> bytes:
    """Return one event as bytes, with the empty line that ends it.

    Args:
        data: any text; each line of it becomes a `data` line, so a carriage return is read back as a line feed.
        name: the name of the event, without line breaks.
    """
    lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fields = [] if name is None else [f"event: {name}"]
    fields += [f"data: {line}" for line in lines]
    return "\n".join((*fields, "", "")).encode("utf-8", "replace")


def dumps(value: Any) -> str:
    """Return JSON for the data of an event: compact, and ASCII, because some readers take U+2028 for a line break."""
    return json.dumps(value, separators=(",", ":"))


def write_json(value: Any, name: str | None = None) -> bytes:
    """Return one event with JSON as its data."""
    field = "" if name is None else f"event: {name}\n"
    return f"{field}data: {dumps(value)}\n\n".encode("ascii")


class Reader:
    """Parse events from chunks, cut anywhere.

    Bytes are decoded as UTF-8; invalid ones become U+FFFD. Lines end in LF, CR or CRLF. A byte order mark at the
    beginning, comments, ids, retry times, unknown fields and events without data are ignored.

    Args:
        limit: the maximum length of a line, and of the data of one event, in characters.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._started = False
        self._after_cr = False
        self._rest: list[str] = []
        self._length = 0
        self._name: str | None = None
        self._data: list[str] = []
        self._size = 0

    def feed(self, data: str | bytes) -> list[ServerEvent]:
        """Take the next chunk; return the events that it completes.

        Raises:
            BridgeError: OCB-LIMIT if a line or an event is too long.
        """
        return list(self.events(data))

    def events(self, data: str | bytes) -> Iterator[ServerEvent]:
        """Yield the events of `feed` one after another, so that none before a line that is too long is lost."""
        for line in self._lines(data if isinstance(data, str) else self._utf8.decode(data)):
            event = self._line(line)
            if event is not None:
                yield event

    def finish(self, *, unended: bool = False) -> list[ServerEvent]:
        """End the stream.

        Args:
            unended: whether to return an event that no empty line ends; browsers and official clients discard it.

        Raises:
            BridgeError: OCB-LIMIT.
        """
        tail = [*self._lines(self._utf8.decode(b"", final=True)), self._tail()]
        events = [event for line in (*tail, "") if (event := self._line(line)) is not None]
        return events if unended else []

    def _lines(self, text: str) -> Iterator[str]:
        if not text:
            return
        if not self._started:
            self._started, text = True, text.removeprefix(_MARK)
        if self._after_cr and text.startswith("\n"):
            text = text[1:]
        self._after_cr = text.endswith("\r")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        *ended, rest = text.split("\n")
        for line in ended:
            self._wait(line)
            yield self._tail()
        self._wait(rest)

    def _wait(self, text: str) -> None:
        """Store a piece of a line until the rest of it arrives."""
        self._rest.append(text)
        self._length += len(text)
        if self._length > self._limit:
            raise BridgeError(ErrorCode.LIMIT, f"a line of more than {self._limit} characters")

    def _tail(self) -> str:
        """Return the stored line, which is complete."""
        line = "".join(self._rest)
        self._rest, self._length = [], 0
        return line

    def _line(self, line: str) -> ServerEvent | None:
        """Take a line; return the event that it ends, if it ends one."""
        if not line:
            name, data, self._name, self._data, self._size = self._name, self._data, None, [], 0
            return ServerEvent(name, "\n".join(data)) if data else None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self._limit + 1:
                raise BridgeError(ErrorCode.LIMIT, f"an event of more than {self._limit} characters")
        elif field == "event":
            self._name = value or None
        return None
