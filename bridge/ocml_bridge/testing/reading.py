"""Check the laws of reading: what is read without findings is written back, and a refusal has a place."""

from __future__ import annotations

from typing import Final

from .. import registry
from ..convert import Reading, read, write
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import DEFAULT, Adapter, Kind
from ..json_values import jsontext
from ..json_values.json_lines import loads_lines
from ..model.misfit import misfit
from ..report.policy import LENIENT
from ..split import read_all

_NOT_IN_THE_SOURCE: Final = (ErrorCode.FORMAT_DOUBT, ErrorCode.DEPENDENCY, ErrorCode.VOCABULARY)
"""Refusals that have no place, because nothing in the source is wrong."""


def read_or_refused(adapter: str | Adapter, source: bytes) -> Reading | None:
    """Check laws 1 and 6 on any source.

    Returns:
        What it reads as; None if it is refused, with the place of what is wrong in it.
    """
    try:
        reading = read(source, adapter)
    except BridgeError as error:
        if error.offset is None and error.path is None and error.code not in _NOT_IN_THE_SOURCE:
            advice = "give the BridgeError an offset (text) or a path (JSON)"
            raise AssertionError(f"{source!r} is refused without a place: {error}; {advice}") from error
        return None
    fits_its_source(adapter, source, reading)
    return reading


def fits_its_source(adapter: str | Adapter, source: bytes, reading: Reading) -> None:
    """Check that a source was read as a document of the model, and law 1 if it was read without findings."""
    wrong = misfit(reading.transcript)
    assert wrong is None, f"{source!r} reads as something that is not a document: {wrong}"
    if not reading.findings:
        _written_back(adapter, source, reading)


def _written_back(adapter: str | Adapter, source: bytes, reading: Reading) -> None:
    """Check law 1: a text comes back byte for byte, JSON by its values. A dialect writes a text of another one anew."""
    found, _ = registry.adapter(adapter)
    back = write(reading.transcript, found, policy=LENIENT)
    if isinstance(back.output, str):
        assert back.data == source, f"{source!r} was read without findings, and is written back as {back.data!r}"
    elif _keeps_spelling(found):
        values = loads_lines(source.decode())
        values = jsontext.loads(source) if values is None else values
        written = jsontext.dumps(back.output)
        assert written == jsontext.dumps(values), (
            f"{source!r} was read without findings, and is written back as {written!r}"
        )


def _keeps_spelling(adapter: Adapter) -> bool:
    """Return whether a format has a layout. The canonical form has none, and leaves out what is null."""
    return adapter.writes_units(DEFAULT).home is not None


def two_are_parted(adapter: str | Adapter, sample: bytes) -> None:
    """Check law 11 on a sample that is there twice: it reads as one document, or `split` finds both.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        sample: a document of one conversation.
    """
    found, _ = registry.adapter(adapter)
    twice = sample * 2 if found.kind is Kind.TEXT else b"[" + sample + b"," + sample + b"]"
    read_or_refused(adapter, twice)
    try:
        read(twice, adapter)
        return
    except BridgeError as error:
        if error.code is not ErrorCode.SEVERAL:
            return
    assert found.split is not None, (
        f"{found.id} refuses {twice!r} as several conversations, and has no `split` to part them"
    )
    parts = [reading.transcript for reading in read_all(twice, adapter)]
    assert parts == [read(sample, adapter).transcript] * 2, f"{twice!r} is split into {parts}"
