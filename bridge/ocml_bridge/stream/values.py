"""Split a stream into its JSON objects: the data of Server-Sent Events, a list, or objects one after another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ..errors import BridgeError, ErrorCode
from . import sse

_TOKEN: Final = re.compile(r'["\\{}]')
_BETWEEN: Final = re.compile(r"[\s,\[\]]*")
_MARK: Final = "\ufeff"


class Values:
    """Split chunks, cut anywhere, into the texts of JSON values. An object that is no server-sent event has no name.

    Args:
        limit: the maximum length of a value, in characters.
    """

    def __init__(self, limit: int = sse.LIMIT) -> None:
        self._objects: _Objects | None = None
        self._events: sse.Reader | None = None
        self._limit = limit
        self._started = False

    def events(self, text: str) -> Iterator[sse.ServerEvent]:
        """Take the next chunk; yield the events that it completes.

        Raises:
            BridgeError: OCB-JSON if there is anything else between objects; OCB-LIMIT if a value is too long.
        """
        if not self._started:
            text = text.removeprefix(_MARK).lstrip()
            if not text:
                return
            self._started = True
            if text[0] in "[{":
                self._objects = _Objects(self._limit)
            else:
                self._events = sse.Reader(self._limit)
        if self._objects is not None:
            for raw in self._objects.feed(text):
                yield sse.ServerEvent(None, raw)
        elif self._events is not None:
            yield from self._events.events(text)

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits for the next chunk: the last one ended with the end of an event."""
        if self._events is not None:
            return self._events.is_idle
        return self._objects is not None and self._objects.depth == 0

    def finish(self) -> Iterator[sse.ServerEvent]:
        """End the stream; yield the events that are complete although nothing ends them."""
        if self._events is not None:
            yield from self._events.finish(unended=True)


class _Objects:
    """Split a text, cut anywhere, into its JSON objects; white space, commas and brackets separate them."""

    def __init__(self, limit: int) -> None:
        self.depth = 0
        self._limit = limit
        self._quoted = False
        self._escaped = False
        self._pieces: list[str] = []
        self._size = 0

    def feed(self, text: str) -> Iterator[str]:
        start, skipped = 0, 0 if self._escaped else -1
        if self._escaped and text:
            self._escaped = False
        if self.depth == 0:
            start = self._between(text, 0)
        for match in _TOKEN.finditer(text, start):
            at, token = match.start(), match[0]
            if at == skipped or at < start:
                continue
            if token == '"':
                self._quoted = not self._quoted
            elif self._quoted:
                if token == "\\":
                    skipped = at + 1
                    self._escaped = skipped == len(text)
            elif token in "{}":
                self.depth += 1 if token == "{" else -1
                if self.depth == 0:
                    yield "".join((*self._pieces, text[start : at + 1]))
                    self._pieces, self._size = [], 0
                    start = self._between(text, at + 1)
        if self.depth:
            self._pieces.append(text[start:])
            self._size += len(text) - start
            if self._size > self._limit:
                raise BridgeError(ErrorCode.LIMIT, f"a value of more than {self._limit} characters")

    def _between(self, text: str, at: int) -> int:
        """Return the index of the next object, after the separators."""
        match = _BETWEEN.match(text, at)
        end = at if match is None else match.end()
        if end < len(text) and text[end] != "{":
            raise BridgeError(ErrorCode.JSON, f"not JSON: {text[end : end + 20]!r} between the objects of a stream")
        return end
