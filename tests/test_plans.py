"""Plans change nothing but the time: output, losses, findings and image are those of the plain way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from corpus import corpus_cases
from ocml_bridge import BridgeError, Document, Options, Reading, Result, formats, read, write
from ocml_bridge.policy import LENIENT
from ocml_bridge.registry import adapter
from ocml_bridge.testing import strategies

PLAIN = Options(plans=False, force_format=True)
PLANNED = Options(force_format=True)
WRITTEN = [name for name in formats() if adapter(name)[0].writes_units is not None]
READ = [name for name in formats() if adapter(name)[0].reads_units is not None]


def everything_written(document: Document, target: str, options: Options) -> object:
    """What writing a document gives, or the error that it raises."""
    try:
        result: Result = write(document, target, options=options, policy=LENIENT)
    except BridgeError as error:
        return str(error)
    return result.encode(), sorted(map(repr, result.losses)), result.order, result.characters, result.origins


def everything_read(data: bytes, source: str, options: Options) -> object:
    """What reading a document gives, or the error that it raises."""
    try:
        reading: Reading = read(data, source, options=options)
    except BridgeError as error:
        return str(error)
    return reading.transcript, reading.findings


def hold(document: Document) -> None:
    for target in WRITTEN:
        assert everything_written(document, target, PLANNED) == everything_written(document, target, PLAIN)
    for source in READ:
        data = write(document, source, options=PLAIN, policy=LENIENT).encode()
        assert everything_read(data, source, PLANNED) == everything_read(data, source, PLAIN)


@given(strategies.documents())
def test_a_drawn_document_is_written_and_read_alike(document: Document) -> None:
    hold(document)


@given(strategies.documents())
def test_so_it_is_when_it_comes_from_another_format(document: Document) -> None:
    for source in formats():
        data = write(document, source, options=PLAIN, policy=LENIENT).encode()
        hold(read(data, source, options=PLAIN).transcript)


@pytest.mark.long
@settings(max_examples=5000)
@given(strategies.documents())
def test_a_drawn_document_is_written_and_read_alike_at_length(document: Document) -> None:
    hold(document)


def test_so_are_real_documents() -> None:
    for number, case in enumerate(corpus_cases()):
        if number % SAMPLE == 0:
            assert everything_read(case.data, case.format, PLANNED) == everything_read(case.data, case.format, PLAIN)
            try:
                hold(read(case.data, case.format, options=PLAIN).transcript)
            except BridgeError:
                continue


SAMPLE = 7
"""One real document in so many is looked at."""
