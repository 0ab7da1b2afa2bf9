"""What a completions server sends (`/v1/completions`): its stream of Server-Sent Events, or one JSON body.

`CompletionsReader` takes the bytes apart; `CompletionsDecoder` is a decoder of one answer that arrives so, for a
`Pipe`. Neither waits: what fetches the bytes is another's.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, cast

import orjson

from ..errors import BridgeError, ErrorCode
from ..events import Decoder, Event, Reason
from .sse import LIMIT, Reader

REASONS: Final[dict[str, Reason]] = {"stop": "stop", "length": "length", "content_filter": "content_filter"}
"""What an engine may say of its end; anything else leaves it open why the answer is over."""
DONE: Final = "[DONE]"
"""The data of the last event of a stream."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token that could stand at a place.

    Attributes:
        text: its spelling.
        logprob: the logarithm of its probability.
        bytes: its bytes, where the engine says them.
    """

    text: str
    logprob: float
    bytes: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """A token that was written.

    Attributes:
        token: itself.
        top: the most likely tokens at its place.
    """

    token: Alternative
    top: tuple[Alternative, ...] = ()


@dataclass(slots=True)  # not frozen: one is made of every token
class Piece:
    """What a server says next of one answer.

    Attributes:
        index: of the answer.
        text: what it wrote.
        ids: the same as token ids, where they were asked for; a text among them stands for ids that the server left
            out, and holds no control token.
        reason: why the answer is over, in the server's word; None while it is not.
        sampled: the same token by token with probabilities, where they were asked for.
    """

    index: int = 0
    text: str = ""
    ids: Sequence[int | str] | None = None
    reason: str | None = None
    sampled: tuple[Sampled, ...] = ()

    @property
    def end(self) -> Reason | None:
        """The reason in the word that a decoder's `finish` takes; None where the server has none of them."""
        return REASONS.get(self.reason or "")


class Chunk(NamedTuple):
    """One message of a server.

    Attributes:
        pieces: of answers.
        usage: the numbers of tokens, once they are known.
        error: what went wrong, as the server says it; None where nothing did.
    """

    pieces: tuple[Piece, ...] = ()
    usage: dict[str, object] | None = None
    error: Any = None


ReadChunk = Callable[[object], Chunk]
"""Takes a message of a server, parsed, apart.

Raises:
    BridgeError: OCB-SHAPE for what is no completion.
"""


def read_chunk(message: object) -> Chunk:
    """Take a message of `/v1/completions` apart: an event of its stream, or its whole body.

    Raises:
        BridgeError: OCB-SHAPE for what is no completion.
    """
    body = members(message)
    if body.get("error") is not None:
        return Chunk(error=body["error"])
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise BridgeError(ErrorCode.SHAPE, "the server's answer is not a completion: it has no list of choices")
    return Chunk(tuple(_piece(choice) for choice in cast("list[object]", choices)), members(body.get("usage")) or None)


def _piece(choice: object) -> Piece:
    body = members(choice)
    index, text, ids, reason = (body.get(key) for key in ("index", "text", "token_ids", "finish_reason"))
    return Piece(
        index if isinstance(index, int) else 0,
        text if isinstance(text, str) else "",
        cast("list[int | str]", ids) if isinstance(ids, list) else None,
        # Some servers say "" while an answer goes on.
        reason if isinstance(reason, str) and reason else None,
        tuple(_sampled(members(body.get("logprobs")))) if body.get("logprobs") else (),
    )


def _sampled(logprobs: dict[str, Any]) -> Iterator[Sampled]:
    """The `logprobs` of a completion: lists side by side."""
    tokens, values = logprobs.get("tokens") or (), logprobs.get("token_logprobs") or ()
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    for token, value, top in zip(tokens, values, tops, strict=False):
        likely = tuple(Alternative(str(text), float(each)) for text, each in members(top).items())
        yield Sampled(Alternative(str(token), float(value or 0.0)), likely)


def members(value: object) -> dict[str, Any]:
    """The members of a JSON object; none of anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


class CompletionsReader:
    """Bytes of a completions server → chunks, however the bytes are cut.

    Args:
        read: takes a message apart; another one for servers that speak otherwise.
        limit: the longest message, in characters.

    Attributes:
        done: whether the server said that its stream is over.
    """

    def __init__(self, read: ReadChunk = read_chunk, *, limit: int = LIMIT) -> None:
        self._read = read
        self._events = Reader(limit)
        self.done = False

    def feed(self, data: bytes) -> Iterator[Chunk]:
        """The messages that are complete with the next bytes of a stream.

        Raises:
            BridgeError: OCB-JSON, OCB-SHAPE, OCB-LIMIT: messages before the place are given before it is raised.
        """
        for event in self._events.events(data):
            if self.done or event.data == DONE:
                self.done = True
                return
            yield self.whole(event.data)

    def whole(self, data: str | bytes) -> Chunk:
        """One message: the body of an answer that is not streamed.

        Raises:
            BridgeError: OCB-JSON, OCB-SHAPE.
        """
        try:
            message = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise BridgeError(ErrorCode.JSON, "the server sent what is not JSON") from error
        return self._read(message)


def take(source: Decoder, piece: Piece) -> list[Event]:
    """Give a decoder what a server said.

    Raises:
        BridgeError: where it is not of the decoder's format.
    """
    if piece.ids is not None:
        return source.feed_tokens(piece.ids)
    return source.feed(piece.text) if piece.text else []


class CompletionsDecoder:
    """A decoder of one answer that arrives as the stream of a completions server.

    Text and token ids go to the decoder behind it, and so does the server's reason for the end.

    Args:
        source: reads what the model writes.
        reader: takes the server's messages apart.

    Attributes:
        usage: the numbers of tokens, once the server has said them.
    """

    def __init__(self, source: Decoder, reader: CompletionsReader | None = None) -> None:
        self._source = source
        self._reader = CompletionsReader() if reader is None else reader
        self._reason: Reason | None = None
        self.usage: dict[str, object] | None = None

    def feed(self, data: str | bytes) -> list[Event]:
        """Take the next bytes of the stream.

        Raises:
            BridgeError: where they are no completion or an error, are of several answers, or not of the model's format.
        """
        events: list[Event] = []
        for chunk in self._reader.feed(data.encode() if isinstance(data, str) else data):
            if chunk.error is not None:
                message = members(chunk.error).get("message", chunk.error)
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
        """What a completions server sends is bytes.

        Raises:
            BridgeError: OCB-OPTION.
        """
        raise BridgeError(ErrorCode.OPTION, "a completions server's stream is bytes, which contain the ids")

    def finish(self, reason: Reason | None = None) -> list[Event]:
        """Nothing more comes; the server's own reason counts where it gave one."""
        return self._source.finish(self._reason or reason)

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self._source.cancel()

    def copy(self) -> Self:
        """A decoder that goes on from here on its own."""
        made = copy.copy(self)
        made._source, made._reader = self._source.copy(), copy.deepcopy(self._reader)
        return made
