"""Streams by their ids: a decoder, an encoder, and one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from . import registry
from .common.suggestions import did_you_mean, with_choices
from .engine.added_tokens import added_to
from .errors import BridgeError, ErrorCode
from .formats.adapter import DEFAULT, Adapter, Kind, Options

if TYPE_CHECKING:
    from .chat.visibility import Visibility
    from .events import Answer, Decoder, Encoder, Event, Reason

_Made = TypeVar("_Made")


def decoder(stream: str | Adapter, *, options: Options = DEFAULT, prefix: str | bytes | Sequence[int] = "") -> Decoder:
    """What reads a stream as it arrives.

    Args:
        stream: a format id, with a dialect where wanted, or how a format is framed: `openai-sse`; or an adapter.
        options: how to read.
        prefix: what stands before the stream, as text or as token ids; a model's answer is read by its profile
            (`Profile.answering`).

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN where there is no such stream.
    """
    stream, options = _in_dialect(stream, options)
    adapter, make = _find(stream, lambda adapter: adapter.decoders, "read")
    registry.check_format_options(options, stream)
    made = make(options)
    added = added_to(adapter, options)
    if added is not None:
        from .stream.added_tokens import MendingDecoder

        made = MendingDecoder(made, added)
    if isinstance(prefix, (str, bytes)):
        if prefix:
            made.feed(prefix)
    else:
        made.feed_tokens(prefix)
    return made


def encoder(
    stream: str, *, answer: Answer | None = None, options: Options = DEFAULT, visibility: Visibility | None = None
) -> Encoder:
    """What writes a stream as it comes. Streams for clients hold no private reasoning unless that is asked for.

    Args:
        stream: a format id, with a dialect where wanted, or how a format is framed: `openai-sse`, `ocm-2.2-events`.
        answer: ids and times.
        options: how to write.
        visibility: what is written; None for what the readers of the stream are to see (`audience`).

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN where there is no such stream.
    """
    # Imported here, as below: whoever converts whole documents needs nothing of streams.
    from .events import Answer
    from .stream.visible import FilteredEncoder

    named, options = _in_dialect(stream, options)
    adapter, make = _find(named, lambda adapter: adapter.encoders, "written")
    registry.check_format_options(options, stream)
    made = make(answer or Answer(), options)
    added = added_to(adapter, options)
    if added is not None:
        from .stream.added_tokens import GuardedEncoder

        made = GuardedEncoder(made, adapter, added, options)
    seen = audience(adapter.id if isinstance(named, Adapter) else named) if visibility is None else visibility
    return made if seen is None else FilteredEncoder(made, seen)


def answer_ids(stream: str) -> str:
    """What the ids of answers begin with in a stream that is written; "" where the format asks for nothing.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN where there is no such stream.
    """
    return _find(_in_dialect(stream, DEFAULT)[0], lambda adapter: adapter.encoders, "written")[0].answer_ids


def _in_dialect(stream: str | Adapter, options: Options) -> tuple[str | Adapter, Options]:
    """A stream without the dialect that it names, and the options with it."""
    if isinstance(stream, Adapter) or ":" not in stream:
        return stream, options
    adapter, dialect = registry.adapter(stream)
    return adapter, replace(options, dialect=dialect)


def audience(stream: str) -> Visibility | None:
    """What the readers of a stream are to see unless somebody asks for more; None for everything.

    A text format is what models read, and transcripts are kept in: it is written whole. Any other stream is a client's,
    who runs the tools and is not to see private reasoning.
    """
    from .chat.visibility import APPLICATION

    whole = stream in registry.formats() and registry.adapter(stream)[0].kind is Kind.TEXT
    return None if whole else APPLICATION


def streams() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the streams that can be read, and of those that can be written."""
    adapters, _ = registry.load_all()
    return (
        tuple(name for adapter in adapters for name in adapter.decoders),
        tuple(name for adapter in adapters for name in adapter.encoders),
    )


def _find(stream: str | Adapter, table: Callable[[Adapter], Mapping[str, _Made]], done: str) -> tuple[Adapter, _Made]:
    if isinstance(stream, Adapter):
        made = table(stream).get(stream.id)
        if made is not None:
            return stream, made
        stream = stream.id
    names = [name for name in registry.formats() if stream == name or stream.startswith(f"{name}-")]
    if names:
        adapter = registry.adapter(max(names, key=len))[0]
        made = table(adapter).get(stream)
        if made is not None:
            return adapter, made
    known = streams()[done == "written"]
    choices = with_choices(did_you_mean(stream, known), f"these can: {', '.join(known)}")
    raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"no stream {stream!r} can be {done}{choices}")


class Pipe:
    """Bytes in, bytes out: a decoder, and behind it an encoder.

    Args:
        source: reads what comes.
        target: writes what goes.
        visibility: what is passed on, in place of what the encoder was made to write; None for just that.
    """

    def __init__(self, source: Decoder, target: Encoder, visibility: Visibility | None = None) -> None:
        from .stream.visible import FilteredEncoder

        self._source = source
        self._target = target
        if visibility is not None:
            filtered = isinstance(target, FilteredEncoder)
            self._target = target.showing(visibility) if filtered else FilteredEncoder(target, visibility)

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
        events = self._source.finish("error")
        return b"".join(broken(events, self._target, error)) if events else b""

    def cancel(self) -> None:
        """Nobody listens any more."""
        self._source.cancel()

    def _out(self, events: Sequence[Event]) -> bytes:
        return b"".join(self._target.encode(events))


def broken(events: Sequence[Event], target: Encoder, error: BridgeError) -> list[bytes]:
    """The last events of a stream that cannot be read on, with the error in place of an end."""
    *before, stop = events
    out = [*target.encode(before), *target.fail(error.code, error.message)]
    return [*out, *target.encode([stop])]
