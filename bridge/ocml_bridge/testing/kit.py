"""Check one adapter against the laws, with sample documents, with listed ones, and with those that hypothesis draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from unittest import SkipTest

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import registry
from ..convert import read, write
from ..errors import BridgeError
from ..events import Answer
from ..formats.adapter import Adapter, Kind, Options
from ..model import Document, Transcript
from ..report.policy import LENIENT
from . import damage, encoding, own_output, strategies, streams, visibility
from .calls import linked_transcripts
from .detection import recognises, takes_no_other
from .drawing import draw
from .edits import edited, other_words_fit
from .examples import EXAMPLES
from .laws import all_laws
from .own_output import TALK
from .plans import plans_change_nothing
from .reading import fits_its_source, read_or_refused, two_are_parted
from .shown import shown
from .spans import Unescape, prompt_is_sampled_behind, spans_hold
from .texts import texts_change_nothing
from .tokens import others_are_broken
from .untouched import untouched


def check_samples(adapter: str | Adapter, samples: Iterable[bytes], *, examples: int | None = None) -> None:
    """Check the laws on sample documents, on what they read as, and on both after edits; check that `sniff` knows them.

    A sample is written back (law 1), and two in a row are separated (law 11). What it reads as is checked against the
    other laws, also when messages are reworded, gone, repeated, moved or joined. It is damaged in one place, too: a
    token or a value is missing, is another, or is there twice, or something stands beside it.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        samples: valid documents of the format; each must read without findings.
        examples: the number of edits, and of damages.
    """
    takes_no_other(adapter)
    samples = [*samples]
    transcripts: list[Transcript] = []
    for sample in samples:
        recognises(adapter, sample)
        reading = read(sample, adapter)
        assert reading.findings == (), f"a sample reads with findings: {reading.findings}"
        fits_its_source(adapter, sample, reading)
        all_laws(reading.transcript, adapter)
        if isinstance(reading.transcript, Transcript):
            other_words_fit(reading.transcript, adapter)
            two_are_parted(adapter, sample)
            transcripts.append(reading.transcript)

    def laws_hold(document: Document) -> None:
        all_laws(document, adapter)
        plans_change_nothing(document, adapter)

    if transcripts:
        draw(edited(transcripts), laws_hold, examples, shown)
    is_text = registry.adapter(adapter)[0].kind is Kind.TEXT
    for sample in () if is_text else samples:
        untouched(adapter, damage.value_of(sample))
    if samples:
        damaged = st.sampled_from(samples).flatmap(damage.texts if is_text else damage.values)
        draw(damaged, lambda data: _read_and_check(adapter, data), examples)


def check_adapter(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int | None = None
) -> None:
    """Check the laws of `laws.LAWS` on documents, and on drawn ones with every choice of the format's own options.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: the strategy for documents; None for those of `examples.EXAMPLES`, and then a mix of any documents
            (`strategies.documents`), documents for the laws of pairing and visibility (`calls.linked_transcripts`,
            `visibility.documents`), and documents whose contents are pieces of the format's own output
            (`own_output.documents`).
        examples: the number of documents that are drawn.
    """
    others_are_broken(adapter)
    if documents is None:
        _each_listed(adapter, lambda document: all_laws(document, adapter))

    def laws_hold(drawn: tuple[Document, Options]) -> None:
        document, options = drawn
        all_laws(document, adapter, options)

    drawn = _documents(adapter) if documents is None else documents
    draw(st.tuples(drawn, _own_options(adapter)), laws_hold, examples, lambda drawn: shown(drawn[0]))


def _each_listed(adapter: str | Adapter, law: Callable[[Document], object]) -> None:
    """Hold to a law what the kit has a list of, and conversations about the format's own output."""
    for document in (*EXAMPLES, *own_output.conversations(adapter)):
        try:
            law(document)
        except Exception as error:
            error.add_note(f"found for {shown(document)}")
            raise


def _documents(adapter: str | Adapter) -> SearchStrategy[Document]:
    of_own_output = own_output.documents(adapter)
    return st.one_of(strategies.documents(), linked_transcripts(), visibility.documents(), of_own_output)


def _hold(
    adapter: str | Adapter,
    documents: SearchStrategy[Document] | None,
    law: Callable[[Document], None],
    examples: int | None,
) -> None:
    """Hold documents to a law: drawn ones, and those that are listed first unless the caller says what to draw."""
    if documents is None:
        _each_listed(adapter, law)
        documents = _documents(adapter)
    draw(documents, law, examples, shown)


def _own_options(adapter: str | Adapter) -> SearchStrategy[Options]:
    """Return a strategy for the choices of the options that a format declares for itself."""
    found, _ = registry.adapter(adapter)
    choices = {option.name: st.sampled_from(option.choices) for option in found.options if option.choices}
    return st.fixed_dictionaries({}, optional=choices).map(lambda chosen: Options(format_options=chosen))


def check_plans(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int | None = None
) -> None:
    """Check that documents are written and read the same with plans and without.

    Texts that differ from an earlier one only in contents and ids may be read without being parsed: they are compared
    with texts that are.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: as for `check_adapter`.
        examples: the number of documents that are drawn.
    """
    _hold(adapter, documents, lambda document: plans_change_nothing(document, adapter), examples)
    found, dialect = registry.adapter(adapter)
    _each_listed(adapter, lambda document: _texts_like_it(document, found, Options(dialect=dialect)))


def _texts_like_it(document: Document, adapter: Adapter, options: Options) -> None:
    with suppress(BridgeError):  # some documents cannot be written
        texts_change_nothing(write(document, adapter, options=options, policy=LENIENT).encode(), adapter)


def check_spans(
    adapter: str | Adapter,
    documents: SearchStrategy[Document] | None = None,
    *,
    unescape: Unescape = str,
    examples: int | None = None,
) -> None:
    """Check laws 9a to 9e and 9g: spans cover the output, match the contents, and do not change the output.

    Args:
        adapter: a format id, or an adapter with `frame_marks`.
        documents: as for `check_adapter`.
        unescape: undoes the escape of the format, if it escapes content.
        examples: the number of documents that are drawn.

    Raises:
        SkipTest: if the adapter has no `frame_marks`, so that its outputs have no spans.
    """
    found, dialect = registry.adapter(adapter)
    if found.frame_marks is None:
        raise SkipTest(f"{found.id} has no frame_marks, so its outputs have no spans")
    options = Options(dialect=dialect)
    prompt_is_sampled_behind(adapter, options)

    def laws_hold(document: Document) -> None:
        spans_hold(document, adapter, options, unescape=unescape)

    _hold(adapter, documents, laws_hold, examples)


def check_bytes(adapter: str | Adapter, *, examples: int | None = None) -> None:
    """Check laws 1 and 6: any text is read or raises a `BridgeError`; if it reads without findings, it is written back.

    An output of the format is damaged in each of its places. The drawn texts consist of pieces that are hard to read,
    and of pieces of the format's own output. Drawn documents of a JSON format are damaged in one place, and what they
    read as is checked against all laws.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        examples: the number of texts, and of damaged documents, that are drawn.
    """
    found, dialect = registry.adapter(adapter)
    options = Options(dialect=dialect)
    talk = own_output.text_of(TALK, adapter, options).encode()
    if found.kind is Kind.TEXT:
        listed = chain(map(str.encode, own_output.with_tokens(adapter, options)), damage.each_text(talk))
    else:
        listed = damage.each_value(talk)
    for source in listed:
        read_or_refused(adapter, source)
    texts = st.one_of(strategies.texts(), own_output.texts(adapter))
    draw(texts, lambda text: read_or_refused(adapter, text.encode()), examples)
    if found.kind is Kind.JSON:
        drawn = own_output.written(adapter, options).map(str.encode).flatmap(damage.values)
        draw(drawn, lambda data: _read_and_check(adapter, data), examples)


def _read_and_check(adapter: str | Adapter, source: bytes) -> None:
    """Hold a source to the laws of reading, and what it reads as to the others."""
    reading = read_or_refused(adapter, source)
    if reading is not None:
        all_laws(reading.transcript, adapter)


def check_streams(adapter: str | Adapter, *, examples: int | None = None) -> None:
    """Check laws 4 and 2 for the streams of a text format: they give the same results as whole documents.

    The decoder reads the texts of `check_bytes`, and outputs of listed and of drawn documents, cut anywhere. The
    encoder writes the documents of `check_adapter`, and what the decoder reads from the outputs of the listed ones.
    Streams with a framing of their own, such as server-sent events, are not checked.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        examples: the number of texts, and of documents.

    Raises:
        SkipTest: if the format is not text, or names no decoder and no encoder for its texts.
    """
    target, dialect = registry.adapter(adapter)
    options = Options(dialect=dialect)
    decoder, encoder = target.decoders.get(target.id), target.encoders.get(target.id)
    if target.kind is not Kind.TEXT:
        raise SkipTest(f"{target.id} is not a text format; streams with a framing of their own are not checked")
    if decoder is None and encoder is None:
        raise SkipTest(f"{target.id} names no decoder and no encoder of its texts")
    if decoder is not None:
        texts = st.one_of(strategies.texts(), own_output.texts(adapter), own_output.written(adapter, options))

        def decodes(cut: tuple[str, streams.Chunks, streams.Chunks]) -> None:
            text, *ways = cut
            streams.check_decoder(lambda: decoder(options), target, text, streams.all_cuts(text, *ways), None)

        def passes_on(document: Document) -> None:
            text = own_output.text_of(document, adapter, options)
            try:
                decoded = streams.check_decoder(lambda: decoder(options), target, text, streams.all_cuts(text), None)
                if encoder is not None:
                    encoding.check_passing_on(decoded.events, encoder(Answer(), options), target, text, options)
            except Exception as error:
                error.add_note(f"found for {text!r}")
                raise

        _each_listed(adapter, passes_on)
        cut = texts.flatmap(lambda text: st.tuples(st.just(text), streams.cuts(text), streams.byte_cuts(text)))
        draw(cut, decodes, examples)
    if encoder is not None:

        def encodes(document: Document) -> None:
            if isinstance(document, Transcript):
                encoding.check_encoder(lambda: encoder(Answer(), options), target, document, options)

        _hold(adapter, None, encodes, examples)
