"""Define the events of a stream, and the interfaces of decoders and encoders.

Events are plain values. A decoder turns chunks into events, an encoder turns events into chunks. Neither waits, reads a
clock or invents an id (sans-IO), so both fit into any program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal, NamedTuple, Protocol, Self

from .errors import BridgeError, ErrorCode
from .loss import Finding, Loss
from .model import Document, Message, Part, Signature, Transcript

Reason = Literal["stop", "tool_calls", "length", "content_filter", "cancelled", "truncated", "error"]
"""Why a stream ended.

The first four are finish reasons of an engine. `cancelled`: the client disconnected. `truncated`: the stream broke off
without a reason (E-STREAM-TRUNCATED). `error`: the input was not in the format.
"""


class Named(NamedTuple):
    """The stream has identified the answer. This comes before the first message, and again when more is known.

    Attributes:
        id: the id of the answer; None if the stream does not give it, as for the others.
        model: the name of the model that answers.
        created: the time of the answer, in seconds since 1970.
    """

    id: str | None = None
    model: str | None = None
    created: int | None = None


class Start(NamedTuple):
    """A message begins.

    Attributes:
        number: the number of the message in the stream, from 0.
        message: the message without content, with `end` None. Fields that depend on what follows are final only in its
            `End`: a text is a preamble if calls follow it. Extras of the source format are set as far as they are
            known: the id of an item, the type of a hosted tool's call. So is the signature.
        hosted: whether it is a call that the source's API runs itself; a client of another API must not run it.
    """

    number: int
    message: Message
    hosted: bool = False


class Delta(NamedTuple):
    """More text of a message: of its content, of a call's arguments, or of a thought."""

    number: int
    text: str


class RefusalDelta(NamedTuple):
    """More text of a message's refusal."""

    number: int
    text: str


class PartEnd(NamedTuple):
    """A part of a message is complete, and something else of the answer follows: mostly the next part of the message.

    The parts of a message end in order, and the last one ends with its message. A stream that does not show where
    parts end has none of these events. The text of a text has come in deltas; any other part comes here, whole. Only
    an answer has them: no thought, call or reply.

    Attributes:
        number: the number of the message in the stream.
        part: the part.
    """

    number: int
    part: Part


class Signed(NamedTuple):
    """The text of a message is complete, and this is its signature.

    Messages end in order. So the `End` of a signed thought waits if a text before it may still become a preamble, but
    some APIs write the signature before the next message begins. The `End` has the signature again.

    Attributes:
        number: the number of the message in the stream.
        signature: the signature of the message.
    """

    number: int
    signature: Signature


class End(NamedTuple):
    """A message is complete; messages end in order.

    Attributes:
        number: the number of the message in the stream.
        message: the whole message; its `end` is None if the stream is cut off inside it.
    """

    number: int
    message: Message


class Stop(NamedTuple):
    """The stream is over. Every stream ends with exactly one of these events.

    Attributes:
        reason: why the stream ended.
        document: the document, as a reader of the whole text returns it.
        error: the code of the error, if the reason is `error`.
        declaration_at: the number of the message that became the document's declared tools and is not among its
            messages; None if there is none.
        places: for each message by its number, its index in the document, or None if it is not among its messages.
            `places` itself is None if the document has the messages in the order of the stream.
    """

    reason: Reason
    document: Document
    error: ErrorCode | None = None
    declaration_at: int | None = None
    places: tuple[int | None, ...] | None = None

    def place(self, number: int) -> int | None:
        """Return the index in the document of the message with this number, or None if it is not among its messages."""
        if self.places is not None:
            index = self.places[number] if number < len(self.places) else None
        elif self.declaration_at is None or number < self.declaration_at:
            index = number
        else:
            index = None if number == self.declaration_at else number - 1
        # A stream that cannot be read to its end has had messages, and no document.
        count = len(self.document.messages) if isinstance(self.document, Transcript) else 0
        return index if index is not None and index < count else None


Event = Named | Start | Delta | RefusalDelta | PartEnd | Signed | End | Finding | Stop
"""Any event; a `Finding` is what the decoder repaired or assumed."""


class Decoder(Protocol):
    """Turns chunks into events. The events do not depend on how the stream is cut, except for where deltas are cut."""

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Decode the next chunk, cut anywhere: text, or bytes of UTF-8.

        Raises:
            BridgeError: if the input is not in the format; call `finish` for the last events.
        """
        ...

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:  # noqa: ARG002
        """Decode the next token ids.

        Args:
            ids: the token ids; a text among them stands for tokens whose ids are unknown, and has no control token.

        Raises:
            BridgeError: OCB-OPTION if the format is not made of token ids.
        """
        raise BridgeError(ErrorCode.OPTION, "this stream is text; to stream token ids, use harmony-tokens")

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return the last events.

        Args:
            reason: the finish reason of the engine; None if the stream just ended. With `stop`, an unfinished message
                is complete, because the engine removes the token that it stops at.
        """
        ...

    def cancel(self) -> list[Event]:
        """End the stream because the client disconnected; an unfinished message stays unfinished."""
        return self.finish("cancelled")

    def copy(self) -> Self:
        """Return an independent decoder in the same state, for beams and speculative decoding."""
        return deepcopy(self)


class Encoder(Protocol):
    """Turns events into chunks. Each chunk is complete in itself: an SSE event, a piece of text."""

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, by paths into the document of `Stop`."""
        ...

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the chunks for some events; there are none while output has to wait for later events."""
        ...

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the chunks that end the stream. If several answers share a stream, call this on one encoder only.

        Args:
            usage: token counts, if the client wants them.
        """
        ...

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the chunks that tell the client of an error.

        Args:
            code: the code of the error.
            message: its message.
        """
        ...


NO_ID: Final = "chatcmpl-0"
"""The default id of an answer."""


def numbered(number: int) -> str:
    """Return the id of a call by its number in the answer, from 0."""
    return f"call_{number + 1}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The id, the time and other data of an answer that an encoder cannot make up, since it has no clock and no chance.

    `id`, `model` and `created` are replaced by those of the stream (`Named`) if they are defaults or provisional.

    Attributes:
        id: the id of the answer.
        model: the name of the model that answers.
        created: the time of the answer, in seconds since 1970.
        index: the index of this answer among several answers to one request.
        call_id: returns an id for a call without one, by the number of the call in the answer, from 0. None derives it
            from `id` and `index`, so that it is unique among answers with different ids; if `id` is the default, the
            ids are `call_1` and so on.
        events: the events that the client understands (OpenChatML 2.2 `capabilities.streaming`); None if unknown.
        tools: the names of the tools that the client declared. A call of one of them is written under this name, even
            if the format would not allow the name.
        provisional: which of `id`, `model` and `created` are made up, for a stream that does not give them.
        freeform: the names of those of `tools` that take a text. A call of one of them is written as one with a text,
            if the format has such calls.
    """

    id: str = NO_ID
    model: str = ""
    created: int = 0
    index: int = 0
    call_id: Callable[[int], str] | None = None
    events: frozenset[str] | None = None
    tools: frozenset[str] = frozenset()
    provisional: frozenset[str] = frozenset()
    freeform: frozenset[str] = frozenset()

    def named(self, named: Named) -> Answer:
        """Return the answer with the stream's id, model and time in place of those that are defaults or provisional."""
        is_set = {"id": self.id != NO_ID, "model": bool(self.model), "created": bool(self.created)}
        fixed = {name for name, is_fixed in is_set.items() if is_fixed} - self.provisional
        return replace(self, **{key: value for key, value in named._asdict().items() if value and key not in fixed})

    def id_of_call(self, number: int) -> str:
        """Return an id for a call without one, by its number in the answer, from 0."""
        if self.call_id is not None:
            return self.call_id(number)
        if self.id == NO_ID:
            return numbered(number)
        return f"call_{sha256(f'{self.id}/{self.index}/{number}'.encode()).hexdigest()[:24]}"
