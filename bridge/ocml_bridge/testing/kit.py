"""The laws on one adapter, given documents, a strategy that draws them, or sample texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import jsontext
from ..adapter import Adapter
from ..convert import Reading, read, write
from ..errors import BridgeError
from ..model import Document
from ..policy import LENIENT
from . import own_output, strategies, visibility
from .calls import linked_transcripts
from .laws import all_laws
from .plans import plans_change_nothing


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
