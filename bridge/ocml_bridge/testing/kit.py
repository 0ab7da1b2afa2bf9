"""The laws on one adapter, given documents, a strategy that draws them, or sample texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import registry
from ..convert import Reading, read, write
from ..errors import BridgeError
from ..events import Answer
from ..formats.adapter import Adapter, Kind, Options
from ..json_values import jsontext
from ..model import Document, Transcript
from ..report.policy import LENIENT
from . import encoding, own_output, strategies, streams, visibility
from .calls import linked_transcripts
from .laws import all_laws
from .plans import plans_change_nothing
from .spans import Unescape, spans_hold


def check_samples(adapter: str | Adapter, samples: Iterable[bytes]) -> None:
    """Law 1, and the other laws on what the samples say.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        samples: documents of the format that are right in every way: each must read without findings.
    """
    for sample in samples:
        reading = read(sample, adapter)
        assert reading.findings == (), f"a sample reads with findings: {reading.findings}"
        _written_back(adapter, sample, reading)
        all_laws(reading.transcript, adapter)


def check_adapter(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int = 200
) -> None:
    """The laws in `laws.LAWS` on drawn documents.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: what draws the documents; None for any document at all (`strategies.documents`), and for those that
            reach the laws of meaning (`calls.linked_transcripts`, `visibility.documents`), and those whose contents are
            made of what the format itself writes (`own_output.documents`).
        examples: how many to draw.
    """

    def laws_hold(document: Document) -> None:
        all_laws(document, adapter)

    _draw(_documents(adapter) if documents is None else documents, laws_hold, examples)


def _documents(adapter: str | Adapter) -> SearchStrategy[Document]:
    own = own_output.documents(adapter)
    return st.one_of(strategies.documents(), linked_transcripts(), visibility.documents(), own)


def check_plans(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int = 200
) -> None:
    """What is written and read of drawn documents with plans is what is written and read without.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: as for `check_adapter`.
        examples: how many to draw.
    """
    drawn = _documents(adapter) if documents is None else documents
    _draw(drawn, lambda document: plans_change_nothing(document, adapter), examples)


def check_spans(
    adapter: str | Adapter,
    documents: SearchStrategy[Document] | None = None,
    *,
    unescape: Unescape = str,
    examples: int = 200,
) -> None:
    """Laws 9a to 9e: the spans of an output are all of it, say what stands at their paths, and change nothing else.

    Args:
        adapter: a format id, or an adapter with `frame_marks`.
        documents: as for `check_adapter`.
        unescape: undoes the escape of the format, where content is not written as it is.
        examples: how many to draw.
    """
    drawn = _documents(adapter) if documents is None else documents
    options = Options(dialect=registry.adapter(adapter)[1])

    def laws_hold(document: Document) -> None:
        spans_hold(document, adapter, options, unescape=unescape)

    _draw(drawn, laws_hold, examples)


def check_bytes(adapter: str | Adapter, *, examples: int = 200) -> None:
    """Laws 1 and 6: any text gives a document or a `BridgeError`; one that is read without findings is written back.

    The texts are made of what breaks readers, and of what the format itself writes.
    """

    def total(text: str) -> None:
        try:
            reading = read(text.encode(), adapter)
        except BridgeError:
            return
        if not reading.findings:
            _written_back(adapter, text.encode(), reading)

    _draw(st.one_of(strategies.texts(), own_output.texts(adapter)), total, examples)


def check_streams(adapter: str | Adapter, *, examples: int = 100) -> None:
    """Laws 4 and 2 for the streams of a text format: what is read and written as it comes is what is so at once.

    The decoder is given the texts of `check_bytes` and what the format writes of drawn documents, cut anywhere; the
    encoder the documents of `check_adapter`. Streams that are framed otherwise than the format's documents, such as
    server-sent events, are not looked at.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        examples: how many texts to draw, and how many documents.
    """
    found, dialect = registry.adapter(adapter)
    options = Options(dialect=dialect)
    decoder, encoder = found.decoders.get(found.id), found.encoders.get(found.id)
    if found.kind is not Kind.TEXT:
        return
    if decoder is not None:
        texts = st.one_of(strategies.texts(), own_output.texts(adapter), own_output.written(adapter, options))

        def decodes(cut: tuple[str, streams.Chunks, streams.Chunks]) -> None:
            text, *ways = cut
            streams.check_decoder(lambda: decoder(options), found, text, streams.all_cuts(text, *ways), None)

        cut = texts.flatmap(lambda text: st.tuples(st.just(text), streams.cuts(text), streams.byte_cuts(text)))
        _draw(cut, decodes, examples)
    if encoder is not None:

        def encodes(document: Document) -> None:
            if isinstance(document, Transcript):
                encoding.check_encoder(lambda: encoder(Answer(), options), found, document, options)

        _draw(_documents(adapter), encodes, examples)


def _written_back(adapter: str | Adapter, source: bytes, reading: Reading) -> None:
    """What was read without findings is written as it was: a text byte for byte, JSON value for value."""
    back = write(reading.transcript, adapter, policy=LENIENT)
    if isinstance(back.output, str):
        assert back.data == source, f"{source!r} was read without findings, and is written back as {back.data!r}"
        return
    values = jsontext.loads_lines(source.decode())
    values = jsontext.loads(source) if values is None else values
    assert jsontext.dumps(back.output) == jsontext.dumps(values), f"{source!r} is written back with other values"


def _draw(strategy: SearchStrategy[Any], law: Callable[[Any], None], examples: int) -> None:
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    drawn = settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=health
    )
    run: Callable[[], None] = drawn(given(strategy)(law))
    run()
