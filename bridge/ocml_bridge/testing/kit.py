"""The laws on one adapter, given documents, a strategy that draws them, or sample texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .. import jsontext
from ..adapter import Adapter
from ..convert import read, write
from ..errors import BridgeError
from ..model import Document
from ..policy import LENIENT
from . import strategies, visibility
from .calls import linked_transcripts
from .laws import all_laws


def check_samples(adapter: str | Adapter, samples: Iterable[bytes]) -> None:
    """Law 1, and the other laws on what the samples say.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        samples: documents of the format that are right in every way: each must read without findings.
    """
    for sample in samples:
        reading = read(sample, adapter)
        assert reading.findings == (), f"a sample reads with findings: {reading.findings}"
        back = write(reading.transcript, adapter, policy=LENIENT)
        if isinstance(back.output, str):
            assert back.data == sample, "a sample is not written back byte for byte"
        else:
            values = jsontext.loads_lines(sample.decode())
            values = jsontext.loads(sample) if values is None else values
            assert jsontext.dumps(back.output) == jsontext.dumps(values), "a sample's values come back changed"
        all_laws(reading.transcript, adapter)


def check_adapter(
    adapter: str | Adapter, documents: SearchStrategy[Document] | None = None, *, examples: int = 200
) -> None:
    """The laws in `laws.LAWS` on drawn documents.

    Args:
        adapter: a format id, or an adapter that need not be registered.
        documents: what draws the documents; None for any document at all (`strategies.documents`), and for those that
            reach the laws of meaning (`calls.linked_transcripts`, `visibility.documents`).
        examples: how many to draw.
    """

    def laws_hold(document: Document) -> None:
        all_laws(document, adapter)

    if documents is None:
        documents = st.one_of(strategies.documents(), linked_transcripts(), visibility.documents())
    _draw(documents, laws_hold, examples)


def check_bytes(adapter: str | Adapter, *, examples: int = 200) -> None:
    """Law 6: any text, made of what breaks readers, gives a document or a `BridgeError`."""

    def total(text: str) -> None:
        try:
            read(text.encode(), adapter)
        except BridgeError:
            return

    _draw(strategies.texts(), total, examples)


def _draw(strategy: SearchStrategy[Any], law: Callable[[Any], None], examples: int) -> None:
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    drawn = settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=health
    )
    run: Callable[[], None] = drawn(given(strategy)(law))
    run()
