"""A conversation as it arrives: events, and what makes and takes them.

Events are plain values. A decoder makes them of chunks, an encoder makes chunks of them; neither waits, reads a clock
or makes up an id (sans-IO), so both fit into any program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, NamedTuple, Protocol, Self

from .errors import ErrorCode
from .loss import Finding, Loss
from .model import Document, Message, Signature

Reason = Literal["stop", "tool_calls", "length", "content_filter", "cancelled", "truncated", "error"]
"""Why a stream is over.

The first four are what an engine says, too. `cancelled`: nobody listens any more. `truncated`: it broke off, and nobody
said why (E-STREAM-TRUNCATED). `error`: what came is not of the format.
"""


class Named(NamedTuple):
    """The stream says which answer it is; that comes before the first message, again where more of it is known.

    Attributes:
        id: of the answer; None where the stream does not say, as below.
        model: the name of the model that gives it.
        created: when, in seconds since 1970.
    """

    id: str | None = None
    model: str | None = None
    created: int | None = None


class Start(NamedTuple):
    """A message begins.

    Attributes:
        number: of the message in the stream, from 0.
        message: what its header says; without content, and not ended. What only the rest of a nested message can tell
            (a text is a preamble if calls follow it) is settled by its `End`. What only the format has that it
            comes from is in the extras, as far as it is known: the id of an item, the type of a hosted tool's call. So
            is its signature.
        hosted: whether it is a call that the API runs itself, which no client of another is to run.
    """

    number: int
    message: Message
    hosted: bool = False


class Delta(NamedTuple):
    """More text of a message: of what it says, of a call's arguments, of a thought."""

    number: int
    text: str


class RefusalDelta(NamedTuple):
    """More text of a message's refusal."""

    number: int
    text: str


class Signed(NamedTuple):
    """The text of a message is whole, and signed.

    Messages end in order, so a signed thought behind a text that may still become a preamble ends long after its last
    word. What other APIs want to hear of it before anything else begins is told by this event; its `End` says it again.

    Attributes:
        number: of the message in the stream.
        signature: what it is signed with.
    """

    number: int
    signature: Signature


class End(NamedTuple):
    """A message is complete; messages end in order.

    Attributes:
        number: of the message in the stream.
        message: the whole of it; its `end` is None where the stream is cut off inside it.
    """

    number: int
    message: Message


class Stop(NamedTuple):
    """The stream is over; it is always the last event, and there is one.

    Attributes:
        reason: why.
        document: what was read, as a reader of the whole text reads it.
        error: the code of what went wrong, where the reason is `error`.
        lifted: the number of the message that is the document's declared tools, and no message of it; None for none.
        places: the index in the document of each message by its number, None for one that is no message there, where
            the document has them in another order than the stream; else None.
    """

    reason: Reason
    document: Document
    error: ErrorCode | None = None
    lifted: int | None = None
    places: tuple[int | None, ...] | None = None

    def place(self, number: int) -> int | None:
        """The index in the document of the message with this number; None for one that is no message there."""
        if self.places is not None:
            return self.places[number] if number < len(self.places) else None
        if self.lifted is None or number < self.lifted:
            return number
        return None if number == self.lifted else number - 1


Event = Named | Start | Delta | RefusalDelta | Signed | End | Finding | Stop
"""One thing that happened; a `Finding` is what the decoder had to mend or assume."""


class Decoder(Protocol):
    """Chunks → events. However a stream is cut into chunks, the events are the same, but for where deltas are cut."""

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk, cut anywhere: text, or bytes of UTF-8.

        Raises:
            BridgeError: where what comes is not of the format; `finish` then says the rest.
        """
        ...

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids.

        Args:
            ids: of tokens; a text among them stands for ids that nobody knows, and holds no control token.

        Raises:
            BridgeError: OCB-OPTION where the format is not made of token ids.
        """
        ...

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes.

        Args:
            reason: what the engine says; with `stop` (it took away the token that it stopped at) an unfinished message
                is complete. None where the stream just ended.
        """
        ...

    def cancel(self) -> list[Event]:
        """Nobody listens any more: what is unfinished stays so."""
        ...

    def copy(self) -> Self:
        """A decoder that goes on from here on its own, for beams and speculative decoding."""
        ...


class Encoder(Protocol):
    """Events → chunks. Each chunk is complete in itself: an SSE event, a piece of text."""

    @property
    def losses(self) -> list[Loss]:
        """What could not be said so far, by paths into the document of `Stop`."""
        ...

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """The chunks that events make; none while something has to be held back."""
        ...

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """What stands behind everything. Where several answers share a stream, one encoder of them is asked.

        Args:
            usage: the numbers of tokens, where they were asked for.
        """
        ...

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Say that the stream broke, so that a client notices."""
        ...


NO_ID: Final = "chatcmpl-0"
"""The id of an answer that nobody gave one."""


def numbered(number: int) -> str:
    """The id of a call by its number in the answer, from 0."""
    return f"call_{number + 1}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an encoder is told about the answer, since it has no clock and no chance of its own.

    What nobody gave (the defaults of id, model and time) and what is provisional is as the stream says it (`Named`).

    Attributes:
        id: of the answer.
        model: the name of the model that gives it.
        created: when, in seconds since 1970.
        index: which of several answers to one request.
        call_id: gives a call that has no id one, by its number in the answer from 0; None for ids that are made of the
            answer's, so that no two answers with ids of their own have one in common. Where nobody gave the answer one,
            they are `call_1` and so on.
        events: what the client understands (OpenChatML 2.2 `capabilities.streaming`); None where it did not say.
        tools: the names of the tools that the client has declared: a call of one has its name, also where the format
            takes only others.
        provisional: which of `id`, `model` and `created` are made up, for a stream that does not say them.
    """

    id: str = NO_ID
    model: str = ""
    created: int = 0
    index: int = 0
    call_id: Callable[[int], str] | None = None
    events: frozenset[str] | None = None
    tools: frozenset[str] = frozenset()
    provisional: frozenset[str] = frozenset()

    def named(self, named: Named) -> Answer:
        """The same answer, as far as nobody else gave it a name with that of the stream."""
        own = {"id": self.id != NO_ID, "model": bool(self.model), "created": bool(self.created)}
        given = {name for name, is_given in own.items() if is_given} - self.provisional
        return replace(self, **{key: value for key, value in named._asdict().items() if value and key not in given})

    def id_of_call(self, number: int) -> str:
        """The id of a call that has none, by its number in the answer."""
        if self.call_id is not None:
            return self.call_id(number)
        if self.id == NO_ID:
            return numbered(number)
        return f"call_{sha256(f'{self.id}/{self.index}/{number}'.encode()).hexdigest()[:24]}"
