"""Check one adapter against the laws, with sample documents or with documents that hypothesis draws."""

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
from .damage import damaged
from .detection import recognises, takes_no_other
from .laws import all_laws
from .plans import plans_change_nothing
from .spans import Unescape, prompt_is_sampled_behind, spans_hold
from .tokens import others_are_broken


def check_samples(adapter: str | Adapter, samples: Iterable[bytes]) -> None:
    """Check law 1 on sample documents, the other laws on what they read as, and that `sniff` recognises them.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        samples: valid documents of the format; each must read without findings.
    """
    takes_no_other(adapter)
    for sample in samples:
        recognises(adapter, sample)
        reading = read(sample, adapter)
        assert reading.findings == (), f"a sample reads with findings: {reading.findings}"
        _written_back(adapter, sample, reading)
        all_laws(reading.transcript, adapter)


def check_adapter(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int = 200
) -> None:
    """Check the laws of `laws.LAWS` on drawn documents, with every choice of the format's own options.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: the strategy for documents; None for a mix of any documents (`strategies.documents`), documents for
            the laws of pairing and visibility (`calls.linked_transcripts`, `visibility.documents`), and documents whose
            contents are pieces of the format's own output (`own_output.documents`).
        examples: the number of documents.
    """
    others_are_broken(adapter)

    def laws_hold(drawn: tuple[Document, Options]) -> None:
        document, options = drawn
        all_laws(document, adapter, options)

    drawn = _documents(adapter) if documents is None else documents
    _draw(st.tuples(drawn, _own_options(adapter)), laws_hold, examples)


def _documents(adapter: str | Adapter) -> SearchStrategy[Document]:
    of_own_output = own_output.documents(adapter)
    return st.one_of(strategies.documents(), linked_transcripts(), visibility.documents(), of_own_output)


def _own_options(adapter: str | Adapter) -> SearchStrategy[Options]:
    """Return a strategy for the choices of the options that a format declares for itself."""
    found, _ = registry.adapter(adapter)
    choices = {option.name: st.sampled_from(option.choices) for option in found.options if option.choices}
    return st.fixed_dictionaries({}, optional=choices).map(lambda chosen: Options(format_options=chosen))


def check_plans(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int = 200
) -> None:
    """Check that drawn documents are written and read the same with plans and without.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: as for `check_adapter`.
        examples: the number of documents.
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
    """Check laws 9a to 9e and 9g: spans cover the output, match the contents, and do not change the output.

    Args:
        adapter: a format id, or an adapter with `frame_marks`.
        documents: as for `check_adapter`.
        unescape: undoes the escape of the format, if it escapes content.
        examples: the number of documents.
    """
    drawn = _documents(adapter) if documents is None else documents
    options = Options(dialect=registry.adapter(adapter)[1])

    prompt_is_sampled_behind(adapter, options)

    def laws_hold(document: Document) -> None:
        spans_hold(document, adapter, options, unescape=unescape)

    _draw(drawn, laws_hold, examples)


def check_bytes(adapter: str | Adapter, *, examples: int = 200) -> None:
    """Check laws 1 and 6: any text is read or raises a `BridgeError`; if it reads without findings, it is written back.

    The texts consist of pieces that are hard to read, and of pieces of the format's own output. For a JSON format there
    are as many documents in which one value is missing or is another; what they read as is held to all laws.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        examples: the number of texts, and of damaged documents.
    """

    def total(text: str) -> None:
        try:
            reading = read(text.encode(), adapter)
        except BridgeError:
            return
        if not reading.findings:
            _written_back(adapter, text.encode(), reading)

    def survives(data: bytes) -> None:
        try:
            transcript = read(data, adapter).transcript
        except BridgeError:
            return
        all_laws(transcript, adapter)

    _draw(st.one_of(strategies.texts(), own_output.texts(adapter)), total, examples)
    target, dialect = registry.adapter(adapter)
    if target.kind is Kind.JSON:
        _draw(damaged(adapter, Options(dialect=dialect)), survives, examples)


def check_streams(adapter: str | Adapter, *, examples: int = 100) -> None:
    """Check laws 4 and 2 for the streams of a text format: they give the same results as whole documents.

    The decoder reads the texts of `check_bytes`, and outputs of drawn documents, cut anywhere. The encoder writes the
    documents of `check_adapter`. Streams with a framing of their own, such as server-sent events, are not checked.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        examples: the number of texts, and of documents.
    """
    target, dialect = registry.adapter(adapter)
    options = Options(dialect=dialect)
    decoder, encoder = target.decoders.get(target.id), target.encoders.get(target.id)
    if target.kind is not Kind.TEXT:
        return
    assert decoder or encoder, f"{target.id} names no decoder and no encoder of its texts: no stream was checked"
    if decoder is not None:
        texts = st.one_of(strategies.texts(), own_output.texts(adapter), own_output.written(adapter, options))

        def decodes(cut: tuple[str, streams.Chunks, streams.Chunks]) -> None:
            text, *ways = cut
            streams.check_decoder(lambda: decoder(options), target, text, streams.all_cuts(text, *ways), None)

        cut = texts.flatmap(lambda text: st.tuples(st.just(text), streams.cuts(text), streams.byte_cuts(text)))
        _draw(cut, decodes, examples)
    if encoder is not None:

        def encodes(document: Document) -> None:
            if isinstance(document, Transcript):
                encoding.check_encoder(lambda: encoder(Answer(), options), target, document, options)

        _draw(_documents(adapter), encodes, examples)


def _written_back(adapter: str | Adapter, source: bytes, reading: Reading) -> None:
    """Check that a source that was read without findings is written back: a text byte for byte, JSON by its values."""
    back = write(reading.transcript, adapter, policy=LENIENT)
    if isinstance(back.output, str):
        assert back.data == source, f"{source!r} was read without findings, and is written back as {back.data!r}"
        return
    values = jsontext.loads_lines(source.decode())
    values = jsontext.loads(source) if values is None else values
    assert jsontext.dumps(back.output) == jsontext.dumps(values), f"{source!r} is written back with other values"


def _draw(strategy: SearchStrategy[Any], law: Callable[[Any], None], examples: int) -> None:
    """Run a check on drawn values, which are the same in each run."""
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    configured = settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=health
    )
    run: Callable[[], None] = configured(given(strategy)(law))
    run()
