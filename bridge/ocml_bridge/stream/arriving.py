"""What decoders share that take a stream of values, such as Server-Sent Events with JSON in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, Protocol, Self, cast

from ..errors import BridgeError, ErrorCode
from ..events import Event, Named, Reason
from ..json_values.form import Object
from ..loss import FindingCode, Severity
from ..model import Json
from .decoder import LiveLog
from .identity import named_in


class Arrivals(Protocol):
    """Takes the chunks of a stream apart."""

    def events(self, data: str | bytes, /) -> Iterable[Any]:
        """What is complete with the next chunk."""
        ...


class ArrivingDecoder(ABC):
    """A decoder of one stream.

    Args:
        arrivals: takes its chunks apart.

    Attributes:
        log: takes findings and events.
        failed: whether the stream broke, or the server says that it cannot go on.
        done: whether the stream says that nothing more comes.
        closed: whether it is over, and everything was said.
    """

    def __init__(self, arrivals: Arrivals) -> None:
        self.log = LiveLog()
        self.failed = self.done = self.closed = False
        self._arrivals = arrivals
        self._noted: set[str] = set()
        self._named = Named()

    @abstractmethod
    def take_one(self, arrived: Any) -> None:
        """Take one of the values of the stream."""

    @abstractmethod
    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes; a second time there is nothing to say.

        Args:
            reason: why, where the stream itself does not say.
        """

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is wanted."""
        return self.closed or self.failed or self.done

    def take_all(self, arrived: Iterable[Any]) -> None:
        """Take values, one after the other, until nothing more is wanted.

        What stands behind that is not looked at: in another chunk it would not be, either.
        """
        for one in arrived:
            self.take_one(one)
            if self.is_closed:
                return

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk of the stream, cut anywhere.

        Raises:
            BridgeError: OCB-JSON for data that is not JSON, OCB-LIMIT for what is too long.
        """
        if self.is_closed:
            return []
        try:
            self.take_all(self._arrivals.events(data))
        except BridgeError:
            self.failed = True
            raise
        return self.log.take()

    def feed_tokens(self, _ids: Sequence[int | str], /) -> list[Event]:
        """Chunks are text.

        Raises:
            BridgeError: OCB-OPTION.
        """
        raise BridgeError(ErrorCode.OPTION, "this stream is text; to stream token ids, use harmony-tokens")

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self.finish("cancelled")

    def copy(self) -> Self:
        """A decoder that goes on from here; takes time in proportion to what was read."""
        return deepcopy(self)

    def note(self, detail: str) -> None:
        """Say what had to be mended, once."""
        if detail not in self._noted:
            self._noted.add(detail)
            self.log.find(FindingCode.SHAPE, "", detail)

    def name(self, members: Object) -> None:
        """Say which answer it is, where that is not said yet.

        Args:
            members: what stands around the messages of a response.
        """
        named = named_in(members, self._named)
        if named != self._named:
            self._named = named
            self.log.events.append(named)

    def fail(self, error: Json) -> None:
        """The server says that it cannot go on."""
        self.failed = True
        reason = cast("Object", error).get("message") if isinstance(error, dict) else error
        has_reason = isinstance(reason, str) and reason
        detail = f"the server cut the stream off: {reason}" if has_reason else "the server cut the stream off"
        self.log.find(FindingCode.TRUNCATED, "", detail, Severity.LOST)
