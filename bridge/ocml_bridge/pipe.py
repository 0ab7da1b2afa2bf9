"""Streams by their ids: a decoder, an encoder, and one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from . import registry
from .adapter import DEFAULT, Adapter, Options
from .errors import BridgeError, ErrorCode

if TYPE_CHECKING:
    from .events import Answer, Decoder, Encoder, Event, Reason
    from .visibility import Visibility

_Made = TypeVar("_Made")


def decoder(stream: str, *, options: Options = DEFAULT, prefix: str | bytes | Sequence[int] = "") -> Decoder:
    """What reads a stream as it arrives.

    Args:
        stream: a format id, or how a format is framed: `openai-sse`.
        options: how to read.
        prefix: what stands before the stream: the generation prompt that a model's answer continues, as text or as
            token ids.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN where there is no such stream.
    """
    made = _find(stream, lambda adapter: adapter.decoders, "read")(options)
    if isinstance(prefix, (str, bytes)):
        if prefix:
            made.feed(prefix)
    else:
        made.feed_tokens(prefix)
    return made


def encoder(stream: str, *, answer: Answer | None = None, options: Options = DEFAULT) -> Encoder:
    """What writes a stream as it comes.

    Args:
        stream: a format id, or how a format is framed: `openai-sse`, `ocm-2.2-events`.
        answer: ids and times.
        options: how to write.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN where there is no such stream.
    """
    # Imported here, as below: whoever converts whole documents needs nothing of streams.
    from .events import Answer

    return _find(stream, lambda adapter: adapter.encoders, "written")(answer or Answer(), options)


def streams() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the streams that can be read, and of those that can be written."""
    adapters = [registry.adapter(name)[0] for name in registry.formats()]
    return (
        tuple(name for adapter in adapters for name in adapter.decoders),
        tuple(name for adapter in adapters for name in adapter.encoders),
    )


def _find(stream: str, table: Callable[[Adapter], Mapping[str, _Made]], done: str) -> _Made:
    names = [name for name in registry.formats() if stream == name or stream.startswith(f"{name}-")]
    if names:
        made = table(registry.adapter(max(names, key=len))[0]).get(stream)
        if made is not None:
            return made
    known = streams()[done == "written"]
    raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"no stream {stream!r} can be {done}; these can: {', '.join(known)}")


class Pipe:
    """Bytes in, bytes out: a decoder, what may be seen of it, and an encoder.

    Args:
        source: reads what comes.
        target: writes what goes.
        visibility: what is passed on; None for everything.
    """

    def __init__(self, source: Decoder, target: Encoder, visibility: Visibility | None = None) -> None:
        self._source = source
        self._target = target
        from .stream.visible import Filter

        self._filter = None if visibility is None else Filter(visibility)

    def feed(self, data: str | bytes) -> bytes:
        """The next chunk, cut anywhere; b"" while there is nothing to say.

        Raises:
            BridgeError: where what comes is not of the format.
        """
        return self._out(self._source.feed(data))

    def finish(self, reason: Reason | None = None, usage: dict[str, object] | None = None) -> bytes:
        """Nothing more comes: the rest."""
        return self._out(self._source.finish(reason)) + b"".join(self._target.finish(usage))

    def fail(self, error: BridgeError) -> bytes:
        """What came before the place that cannot be read, and that the stream broke there, for whoever listens."""
        events = self._seen(self._source.finish("error"))
        return b"".join(broken(events, self._target, error)) if events else b""

    def cancel(self) -> None:
        """Nobody listens any more."""
        self._source.cancel()

    def _out(self, events: Sequence[Event]) -> bytes:
        return b"".join(self._target.encode(self._seen(events)))

    def _seen(self, events: Sequence[Event]) -> Sequence[Event]:
        return events if self._filter is None else self._filter.apply(events)


def broken(events: Sequence[Event], target: Encoder, error: BridgeError) -> list[bytes]:
    """The last events of a stream that cannot be read on, with the error in place of an end."""
    *said, stop = events
    out = [*target.encode(said), *target.fail(error.code, error.message)]
    return [*out, *target.encode([stop])]
