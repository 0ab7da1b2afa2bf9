"""Break added tokens (`Options.special_tokens`) in the output of an encoder, and restore them before a decoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..chat.transform import remaining, renumber
from ..engine.added_tokens import WRITTEN_RAW, broken_places, refused
from ..engine.input import text_reader
from ..errors import BridgeError
from ..events import Decoder, Encoder, Event, Reason, Stop
from ..formats.adapter import Adapter, AddedTokens, Options
from ..loss import Loss
from ..model import Transcript
from ..text.added_tokens import Breaker, Passage
from .utf8 import Characters


class MendingDecoder(Decoder):
    """A decoder that restores broken added tokens in the text and passes it to another decoder.

    Args:
        source: the other decoder.
        added: the added tokens.
    """

    def __init__(self, source: Decoder, added: AddedTokens) -> None:
        self._source = source
        self._passage = Passage(added, Breaker.restore)
        self._utf8 = Characters()

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk."""
        return self._source.feed(self._passage.feed(self._utf8.decode(data)))

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids."""
        return self._source.feed_tokens(ids)

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """End the stream; return its last events."""
        return [*self._rest(), *self._source.finish(reason)]

    def cancel(self) -> list[Event]:
        """End the stream because its consumer has cancelled it."""
        return [*self._rest(), *self._source.cancel()]

    def _rest(self) -> list[Event]:
        rest = self._passage.feed(self._utf8.finish()) + self._passage.finish()
        try:
            return self._source.feed(rest)
        except BridgeError:
            return []  # the source reports the error when it finishes


class GuardedEncoder:
    """An encoder that breaks the added tokens in the output of another encoder.

    Args:
        target: the other encoder.
        adapter: the adapter of its format.
        added: the added tokens.
        options: how to write.
    """

    def __init__(self, target: Encoder, adapter: Adapter, added: AddedTokens, options: Options) -> None:
        self._target = target
        self._adapter = adapter
        self._options = options
        self._passage = Passage(added, Breaker.neutralise)
        self._plain: list[bytes] = []
        self._safe: list[str] = []
        self._losses: list[Loss] = []

    @property
    def losses(self) -> list[Loss]:
        """The losses of the other encoder, and the tokens that were broken; complete when the stream is over."""
        return [*self._target.losses, *self._losses]

    def encode(self, events: Iterable[Event], /) -> list[bytes]:
        """Return the text of events, in UTF-8.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the policy is to refuse and content contains an added token; at the end
                OCB-OPTION if the format itself writes an added token.
        """
        events = list(events)
        plain = self._target.encode(events)
        safe = [self._passage.feed(chunk.decode()) for chunk in plain]
        stop = next((event for event in events if isinstance(event, Stop)), None)
        refusing = self._passage.edited and self._options.control_tokens == "refuse"
        if stop is not None or refusing:
            safe.append(self._passage.finish())
        self._plain += plain
        self._safe += safe
        if refusing:
            raise refused(self._broken())
        if stop is not None and self._passage.edited:
            self._losses = self._broken(stop)
        return plain if self._options.control_tokens == "raw" else [text.encode() for text in safe if text]

    def _broken(self, stop: Stop | None = None) -> list[Loss]:
        """Return the losses of the broken tokens, with paths in the document of `stop` if it is known."""
        if self._options.control_tokens == "raw":
            return [WRITTEN_RAW]
        read = text_reader(self._adapter, self._options)
        losses = broken_places(self._adapter, read(b"".join(self._plain).decode()), "".join(self._safe), read)
        if stop is None or not isinstance(stop.document, Transcript):
            return losses
        origins = remaining(len(stop.document.messages), self._target.losses, getattr(self._target, "order", None))
        return list(renumber(losses, origins))

    def finish(self, usage: dict[str, object] | None = None, /) -> list[bytes]:
        """Return the output after the last message."""
        return self._target.finish(usage)

    def fail(self, code: str, message: str, /) -> list[bytes]:
        """Return the output for an error that broke the stream."""
        return self._target.fail(code, message)
