"""The eight laws of the contract of loss, for every ordered pair of formats (docs/loss.md)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from ocml_bridge import Document, Options, formats, read, write
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import laws, strategies
from sampling import Pairs, every_pair, some_pairs

FORMATS = formats()


def as_read_from(document: Document, source: str) -> Document:
    """The document after it was written in a format and read back: the part that the format can represent."""
    return read(write(document, source, policy=LENIENT).encode(), source, options=Options(force_format=True)).transcript


def check_laws(pairs: Pairs, document: Document) -> None:
    for source, targets in pairs.items():
        known = as_read_from(document, source)
        for target in targets:
            laws.all_laws(known, target)


@given(strategies.documents(), some_pairs())
def test_the_laws_are_kept_for_every_ordered_pair(document: Document, pairs: Pairs) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    check_laws(pairs, document)


@pytest.mark.long
@settings(max_examples=5000)
@given(strategies.documents())
def test_the_laws_are_kept_for_every_ordered_pair_at_length(document: Document) -> None:
    check_laws(every_pair(), document)


@given(strategies.documents())
def test_a_conversion_is_deterministic(document: Document) -> None:
    """Law 7: the same document gives the same bytes and the same report."""
    for target in FORMATS:
        one, other = (write(document, target, policy=LENIENT) for _ in range(2))
        assert (one.encode(), one.losses) == (other.encode(), other.losses)


@given(strategies.documents())
def test_writing_never_changes_the_document(document: Document) -> None:
    before = repr(document)
    for target in FORMATS:
        write(document, target, policy=LENIENT)
    assert repr(document) == before
