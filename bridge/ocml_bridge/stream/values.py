"""Parse the JSON objects of a stream: the data of Server-Sent Events, a list, or objects one after another."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..model import Json
from . import sse

DONE: Final = "[DONE]"
"""The data of the last event of some servers."""
_TOKEN: Final = re.compile(r'["\\{}]')
_BETWEEN: Final = re.compile(r"[\s,\[\]]*")
_MARK: Final = "\ufeff"


class Arrived(NamedTuple):
    """One value of a stream.

    Attributes:
        name: the name of the server-sent event with the value; None if it has none.
        value: the JSON value, usually an object; or `DONE`.
    """

    name: str | None
    value: Json


class Values:
    """Parse JSON values from chunks, cut anywhere.

    Args:
        limit: the maximum length of a value, in characters.
    """

    def __init__(self, limit: int = sse.LIMIT) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._objects: _Objects | None = None
        self._events: sse.Reader | None = None
        self._limit = limit
        self._started = False

    def events(self, data: str | bytes) -> Iterator[Arrived]:
        """Take the next chunk; yield the values that it completes.

        Raises:
            BridgeError: OCB-JSON if the text is not JSON; OCB-LIMIT if a value is too long.
        """
        text = data if isinstance(data, str) else self._utf8.decode(data)
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
                yield Arrived(None, jsontext.loads(raw))
        elif self._events is not None:
            yield from map(_arrived, self._events.events(text))

    def finish(self) -> Iterator[Arrived]:
        """End the stream; yield the values that are complete although nothing ends them.

        Raises:
            BridgeError: OCB-JSON if a value is not complete.
        """
        yield from self.events(self._utf8.decode(b"", final=True))
        if self._events is not None:
            yield from map(_arrived, self._events.finish(unended=True))


def _arrived(event: sse.ServerEvent) -> Arrived:
    return Arrived(event.name, DONE if event.data.strip() == DONE else jsontext.loads(event.data))


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
