"""Make decoders and encoders by stream id, and connect a decoder to an encoder.

A stream id is a format id, or a format id with a framing: `openai-sse`, `ocm-2.2-events`.
"""

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

_Factory = TypeVar("_Factory")


def decoder(stream: str | Adapter, *, options: Options = DEFAULT, prefix: str | bytes | Sequence[int] = "") -> Decoder:
    """Return a decoder, which reads a stream as it arrives.

    Args:
        stream: a stream id, with `:dialect` if another than the default one is wanted; or an adapter.
        options: how to read.
        prefix: the text, or the token ids, before the stream. `Profile.answering` returns a decoder with the right
            prefix for a model's answer.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN if there is no such stream.
    """
    stream, options = _in_dialect(stream, options)
    adapter, make = _find(stream, lambda adapter: adapter.decoders, "read")
    registry.check_format_options(options, stream)
    result = make(options)
    added = added_to(adapter, options)
    if added is not None:
        from .stream.added_tokens import MendingDecoder

        result = MendingDecoder(result, added)
    if isinstance(prefix, (str, bytes)):
        if prefix:
            result.feed(prefix)
    else:
        result.feed_tokens(prefix)
    return result


def encoder(
    stream: str, *, answer: Answer | None = None, options: Options = DEFAULT, visibility: Visibility | None = None
) -> Encoder:
    """Return an encoder, which writes a stream event by event.

    Streams for clients leave out private reasoning by default.

    Args:
        stream: a stream id, with `:dialect` if another than the default one is wanted.
        answer: ids and times of the answer.
        options: how to write.
        visibility: which messages are written; None for the default of the stream (`audience`).

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN if there is no such stream.
    """
    # Imported here, as below, because conversions of whole documents do not need them.
    from .events import Answer
    from .stream.response import ResponseEncoder
    from .stream.visible import FilteredEncoder

    named, options = _in_dialect(stream, options)
    adapter, make = _find(named, lambda adapter: adapter.encoders, "written")
    registry.check_format_options(options)
    result = make(answer or Answer(), options)
    whole = isinstance(result, ResponseEncoder) and result.whole
    added = added_to(adapter, options)
    if added is not None:
        from .stream.added_tokens import GuardedEncoder

        result = GuardedEncoder(result, adapter, added, options)
    seen = audience(adapter.id if isinstance(named, Adapter) else named) if visibility is None else visibility
    return result if seen is None else FilteredEncoder(result, seen, whole=whole)


def answer_ids(stream: str) -> str:
    """Return the prefix of the ids of answers in a stream, such as `chatcmpl-`; "" if the format requires none.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN if there is no such stream that can be written.
    """
    return _find(_in_dialect(stream, DEFAULT)[0], lambda adapter: adapter.encoders, "written")[0].answer_ids


def _in_dialect(stream: str | Adapter, options: Options) -> tuple[str | Adapter, Options]:
    """Split `stream:dialect`; return the stream, and the options with the dialect."""
    if isinstance(stream, Adapter) or ":" not in stream:
        return stream, options
    adapter, dialect = registry.adapter(stream)
    return adapter, replace(options, dialect=dialect)


def audience(stream: str) -> Visibility | None:
    """Return which messages are written to a stream by default; None for all of them.

    Text formats are for models and for archives, so everything is written. The reader of any other stream is a client,
    which runs the tools and must not see private reasoning.
    """
    from .chat.visibility import APPLICATION

    whole = stream in registry.formats() and registry.adapter(stream)[0].kind is Kind.TEXT
    return None if whole else APPLICATION


def streams() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of the streams that can be read, and of those that can be written."""
    adapters, _ = registry.load_all()
    return (
        tuple(name for adapter in adapters for name in adapter.decoders),
        tuple(name for adapter in adapters for name in adapter.encoders),
    )


def _find(
    stream: str | Adapter, table: Callable[[Adapter], Mapping[str, _Factory]], done: str
) -> tuple[Adapter, _Factory]:
    """Return the adapter of a stream, and the function that makes its decoder or encoder.

    Args:
        stream: a stream id, or an adapter.
        table: returns the decoders, or the encoders, of an adapter.
        done: "read" or "written", for the error.
    """
    if isinstance(stream, Adapter):
        factory = table(stream).get(stream.id)
        if factory is not None:
            return stream, factory
        stream = stream.id
    names = [name for name in registry.formats() if stream == name or stream.startswith(f"{name}-")]
    if names:
        adapter = registry.adapter(max(names, key=len))[0]
        factory = table(adapter).get(stream)
        if factory is not None:
            return adapter, factory
    known = streams()[done == "written"]
    choices = with_choices(did_you_mean(stream, known), f"these can: {', '.join(known)}")
    raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"no stream {stream!r} can be {done}{choices}")


class Pipe:
    """Convert a stream: bytes in, bytes out.

    Args:
        source: decodes the input.
        target: encodes the events.
        visibility: which messages are written; None for the encoder's own setting.
    """

    def __init__(self, source: Decoder, target: Encoder, visibility: Visibility | None = None) -> None:
        from .stream.visible import FilteredEncoder

        self._source = source
        self._target = target
        if visibility is not None:
            filtered = isinstance(target, FilteredEncoder)
            self._target = target.showing(visibility) if filtered else FilteredEncoder(target, visibility)

    def feed(self, data: str | bytes) -> bytes:
        """Convert the next chunk, cut anywhere; return b"" if it completes nothing that can be written.

        Raises:
            BridgeError: if the input is not in the format.
        """
        return self._out(self._source.feed(data))

    def finish(self, reason: Reason | None = None, usage: dict[str, object] | None = None) -> bytes:
        """End the input; return the rest of the output.

        Args:
            reason: why the stream ended, as for `Decoder.finish`.
            usage: token counts, as for `Encoder.finish`.
        """
        return self._out(self._source.finish(reason)) + b"".join(self._target.finish(usage))

    def fail(self, error: BridgeError) -> bytes:
        """Return the output for the input before an error, and the error as the target format writes it.

        Args:
            error: what `feed` raised.
        """
        events = self._source.finish("error")
        return b"".join(broken(events, self._target, error)) if events else b""

    def cancel(self) -> None:
        """Stop: the client has disconnected."""
        self._source.cancel()

    def _out(self, events: Sequence[Event]) -> bytes:
        return b"".join(self._target.encode(events))


def broken(events: Sequence[Event], target: Encoder, error: BridgeError) -> list[bytes]:
    """Encode the last events of a stream that could not be decoded further, with the error in place of an end.

    Args:
        events: what the decoder's `finish("error")` returned.
        target: the encoder.
        error: what the decoder raised.
    """
    *before, stop = events
    out = [*target.encode(before), *target.fail(error.code, error.message)]
    return [*out, *target.encode([stop])]
