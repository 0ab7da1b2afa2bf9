"""Read the output of a completions server (`/v1/completions`): a stream of Server-Sent Events, or one JSON body.

`CompletionsReader` parses the bytes; `CompletionsDecoder` decodes one answer in them, for a `Pipe`. Neither does any
input or output: the caller fetches the bytes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, cast

import orjson

from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Event, Reason
from ..json_values.parameters import members_of
from .sse import LIMIT, Reader

REASONS: Final[dict[str, Reason]] = {"stop": "stop", "length": "length", "content_filter": "content_filter"}
"""The finish reasons of servers that a decoder knows; any other leaves it open why the answer is over."""
DONE: Final = "[DONE]"
"""The data of the last event of a stream."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token with its probability at one position.

    Attributes:
        text: the text of the token.
        logprob: the logarithm of its probability.
        bytes: its bytes, if the server has sent them.
    """

    text: str
    logprob: float
    bytes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """A token that the model has generated.

    Attributes:
        token: the token.
        top: the most likely tokens at its position.
    """

    token: Alternative
    top: tuple[Alternative, ...] = ()


@dataclass(slots=True)  # not frozen: one is created for every token
class Piece:
    """The next piece of one answer.

    Attributes:
        index: the index of the answer.
        text: the generated text.
        ids: the text as token ids, if they were requested; a string among them replaces ids that the server left out,
            and contains no control token.
        reason: the server's finish reason; None before the end.
        sampled: the tokens of the text with their probabilities, if they were requested.
    """

    index: int = 0
    text: str = ""
    ids: Sequence[int | str] | None = None
    reason: str | None = None
    sampled: tuple[Sampled, ...] = ()

    @property
    def end(self) -> Reason | None:
        """The reason for a decoder's `finish`; None if the server has sent none, or another one."""
        return REASONS.get(self.reason or "")


class Chunk(NamedTuple):
    """One message of a server.

    Attributes:
        pieces: the pieces of answers in it.
        usage: the numbers of tokens; None if it has none.
        error: the server's error; None if there was none.
    """

    pieces: tuple[Piece, ...] = ()
    usage: dict[str, object] | None = None
    error: Any = None


ReadChunk = Callable[[object], Chunk]
"""Reads a parsed message of a server.

Raises:
    BridgeError: OCB-SHAPE if it is no completion.
"""


def read_chunk(message: object) -> Chunk:
    """Read a parsed message of `/v1/completions`: an event of its stream, or its whole body.

    Raises:
        BridgeError: OCB-SHAPE if it is no completion.
    """
    body = members_of(message)
    # Versions of vLLM before 0.10 send the error itself.
    error = body if body.get("object") == "error" else body.get("error")
    if error is not None:
        return Chunk(error=error)
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise BridgeError(ErrorCode.SHAPE, "the server's answer is not a completion: it has no list of choices")
    return Chunk(
        tuple(_piece(choice) for choice in cast("list[object]", choices)), members_of(body.get("usage")) or None
    )


def _piece(choice: object) -> Piece:
    body = members_of(choice)
    index, text, ids, reason = (body.get(key) for key in ("index", "text", "token_ids", "finish_reason"))
    return Piece(
        index if isinstance(index, int) else 0,
        text if isinstance(text, str) else "",
        cast("list[int | str]", ids) if isinstance(ids, list) else None,
        # Some servers send "" before the end of an answer.
        reason if isinstance(reason, str) and reason else None,
        tuple(_sampled(members_of(body.get("logprobs")))) if body.get("logprobs") else (),
    )


def _sampled(logprobs: dict[str, Any]) -> Iterator[Sampled]:
    """Yield the tokens of a completion's `logprobs`, which are parallel lists."""
    tokens, values = logprobs.get("tokens") or (), logprobs.get("token_logprobs") or ()
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    for token, value, top in zip(tokens, values, tops, strict=False):
        likely = tuple(Alternative(str(text), float(each)) for text, each in members_of(top).items())
        yield Sampled(Alternative(str(token), float(value or 0.0)), likely)


class CompletionsReader:
    """Parse the bytes of a completions server, cut anywhere, as chunks.

    Args:
        read: reads a parsed message; replace it for servers with other messages.
        limit: the maximum length of a message, in characters.

    Attributes:
        done: whether the server has announced the end of its stream.
    """

    def __init__(self, read: ReadChunk = read_chunk, *, limit: int = LIMIT) -> None:
        self._read = read
        self._events = Reader(limit)
        self.done = False

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """Take the next bytes of a stream; yield the messages that they complete.

        Raises:
            BridgeError: OCB-JSON, OCB-SHAPE, OCB-LIMIT; earlier messages are yielded before it is raised.
        """
        for event in self._events.events(data):
            if self.done or event.data == DONE:
                self.done = True
                return
            yield self.whole(event.data)

    def whole(self, data: str | bytes) -> Chunk:
        """Return one message: the body of an answer that is not streamed.

        Raises:
            BridgeError: OCB-JSON, OCB-SHAPE.
        """
        try:
            message = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise BridgeError(ErrorCode.JSON, "the server sent what is not JSON") from error
        return self._read(message)


def take(source: Decoder, piece: Piece) -> list[Event]:
    """Feed a decoder with the ids or the text of a piece.

    Raises:
        BridgeError: if they are not in the decoder's format.
    """
    if piece.ids is not None:
        return source.feed_tokens(piece.ids)
    return source.feed(piece.text) if piece.text else []


class CompletionsDecoder:
    """A decoder of one answer in the stream of a completions server.

    It passes text, token ids and the server's finish reason to the decoder of the model's format.

    Args:
        source: the decoder of the model's format.
        reader: parses the server's bytes.

    Attributes:
        usage: the numbers of tokens, after the server has sent them.
    """

    def __init__(self, source: Decoder, reader: CompletionsReader | None = None) -> None:
        self._source = source
        self._reader = CompletionsReader() if reader is None else reader
        self._reason: Reason | None = None
        self.usage: dict[str, object] | None = None

    def feed(self, data: str | bytes) -> list[Event]:
        """Take the next bytes of the stream.

        Raises:
            BridgeError: if they are no completion or an error, have several answers, or are not in the model's format.
        """
        events: list[Event] = []
        for chunk in self._reader.feed(data.encode() if isinstance(data, str) else data):
            if chunk.error is not None:
                message = members_of(chunk.error).get("message", chunk.error)
                raise BridgeError(ErrorCode.STREAM_TRUNCATED, f"the server failed: {str(message)[:200]}")
            self.usage = chunk.usage or self.usage
            for piece in chunk.pieces:
                events += self._take(piece)
        return events

    def _take(self, piece: Piece) -> list[Event]:
        if piece.index != 0:
            raise BridgeError(ErrorCode.SHAPE, "the stream has several answers: separate them with a CompletionsReader")
        self._reason = piece.end or self._reason
        return take(self._source, piece)

    def feed_tokens(self, _ids: Sequence[int | str], /) -> list[Event]:
        """Refuse token ids: a completions server sends bytes.

        Raises:
            BridgeError: OCB-OPTION, always.
        """
        raise BridgeError(ErrorCode.OPTION, "a completions server's stream is bytes, which contain the ids")

    def finish(self, reason: Reason | None = None) -> list[Event]:
        """End the stream; return its last events. The server's finish reason overrides the caller's."""
        return self._source.finish(self._reason or reason)

    def cancel(self) -> list[Event]:
        """End the stream because its consumer has cancelled it."""
        return self._source.cancel()

    def copy(self) -> Self:
        """Return an independent decoder in the same state."""
        duplicate = copy.copy(self)
        duplicate._source, duplicate._reader = self._source.copy(), copy.deepcopy(self._reader)
        return duplicate
