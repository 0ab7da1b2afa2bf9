"""Read and write Server-Sent Events (WHATWG HTML §9.2), which transport the chunks of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from .utf8 import Characters

LIMIT: Final = 16_777_216
"""The maximum length of a line, and of the data of one event, in characters."""
_MARK: Final = "\ufeff"
_ERRORS: Final = frozenset({"error", '{"error"'})
"""What a line with an error begins with, before a colon."""


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
    beginning, comments, ids, retry times, unknown fields and events without data are ignored. An error is an event
    `error` if it is a field of its own (`error: {…}`, llama.cpp until September 2025), or a line without a field.

    Args:
        limit: the maximum length of a line, and of the data of one event, in characters.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._utf8 = Characters()
        self._started = False
        self._after_cr = False
        self._rest: list[str] = []
        self._length = 0
        self._name: str | None = None
        self._data: list[str] = []
        self._size = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits for the next chunk: the last one ended with the end of an event."""
        return not (self._rest or self._data or self._name or self._after_cr)

    def feed(self, data: str | bytes) -> list[ServerEvent]:
        """Take the next chunk; return the events that it completes.

        Raises:
            BridgeError: OCB-LIMIT if a line or an event is too long.
        """
        return list(self.events(data))

    def events(self, data: str | bytes) -> Iterator[ServerEvent]:
        """Yield the events of `feed` one after another, so that none before a line that is too long is lost."""
        *lines, rest = self._cut(self._utf8.decode(data))
        if self._rest and lines:
            lines[0] = "".join((*self._rest, lines[0]))
            self._rest, self._length = [], 0
        for line in lines:
            if line:
                self._line(line)
            elif self._data:
                yield self._end()
            else:
                self._name = None
        if rest:
            self._rest.append(rest)
            self._length += len(rest)
            self._check(self._length)

    def finish(self, *, unended: bool = False) -> list[ServerEvent]:
        """End the stream.

        Args:
            unended: whether to return an event that no empty line ends; browsers and official clients discard it.

        Raises:
            BridgeError: OCB-LIMIT.
        """
        events = [*self.events(self._utf8.finish())]
        if self._rest:
            self._line("".join(self._rest))
        if self._data:
            events.append(self._end())
        return events if unended else []

    def _cut(self, text: str) -> list[str]:
        """Cut a text at the ends of lines, which may be spelled in three ways; the last piece has no end yet."""
        if not self._started and text:
            self._started, text = True, text.removeprefix(_MARK)
        if self._after_cr and text.startswith("\n"):
            text = text[1:]
        if text:
            self._after_cr = text.endswith("\r")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text.split("\n")

    def _check(self, length: int) -> None:
        if length > self._limit:
            raise BridgeError(ErrorCode.LIMIT, f"a line of more than {self._limit} characters")

    def _line(self, line: str) -> None:
        """Take a line that is not empty."""
        self._check(len(line))
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field in _ERRORS:
            self._name, field, value = "error", "data", value if field == "error" else line
        if field == "data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self._limit + 1:
                raise BridgeError(ErrorCode.LIMIT, f"an event of more than {self._limit} characters")
        elif field == "event":
            self._name = value or None

    def _end(self) -> ServerEvent:
        """End an event that has data, and return it."""
        event = ServerEvent(self._name, "\n".join(self._data))
        self._name, self._data, self._size = None, [], 0
        return event
