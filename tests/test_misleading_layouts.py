"""The layout of a document does not change its content: with the layout of another document it is written as itself."""

from __future__ import annotations

import json

import pytest

from ocml_bridge import BridgeError, Reading, Transcript, read, write
from ocml_bridge.model import replace
from ocml_bridge.report.policy import LENIENT
from odd_texts import FIELDS, SPELLINGS, odd_texts
from sampling import sweep
from test_odd_members import FORCED, KINDS, in_silence, odd, read_or_refused, words
from wire_pieces import PIECES


def laid_out(document: Transcript, other: Transcript) -> Transcript | None:
    """A document with the layout of another, member by member; None where they have not as many."""
    tools, others = document.tools or (), other.tools or ()
    if len(document.messages) != len(other.messages) or len(tools) != len(others):
        return None
    return replace(
        document,
        messages=tuple(
            replace(one, layout=its.layout) for one, its in zip(document.messages, other.messages, strict=True)
        ),
        tools=tuple(replace(one, layout=its.layout) for one, its in zip(tools, others, strict=True)) or document.tools,
        layout=other.layout,
    )


@pytest.mark.sweep
@pytest.mark.parametrize(("wire", "kind"), KINDS)
def test_no_word_is_lost_without_a_report_with_a_layout_of_another_document(wire: str, kind: str) -> None:
    first, *others = odd(PIECES[wire][kind])
    base = read(json.dumps(first[1]), wire).transcript
    assert isinstance(base, Transcript)
    for name, document in sweep(others, 13):
        reading = read_or_refused(json.dumps(document), wire)
        if isinstance(reading, BridgeError):
            continue
        other = reading.transcript
        assert isinstance(other, Transcript)
        for one, layout in ((base, other), (other, base)):
            mixed = laid_out(one, layout)
            if mixed is not None:
                written = set(words(write(replace(mixed, layout=None), "canonical").output))
                places = {(word, place) for word, place in written if "/layout/" not in place}
                there = write(mixed, wire, policy=LENIENT)
                assert in_silence(places, there) == [], (name, one is base)
                assert read(there.output, wire, options=FORCED).transcript == there.image, (name, one is base)


@pytest.mark.sweep
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", SPELLINGS)
def test_the_text_is_written_correctly_with_a_layout_of_another_document(name: str, field: str) -> None:
    plain = transcript_of(next(odd_texts(name, "body")), name)
    assert plain is not None
    for other in filter(None, (transcript_of(text, name) for text in sweep(odd_texts(name, field), 5))):
        for document, layout in ((plain, other), (other, plain)):
            mixed = laid_out(document, layout)
            if mixed is not None:
                there = write(mixed, name, policy=LENIENT)
                assert read(there.output, name, options=FORCED).transcript == there.image


def transcript_of(text: str, name: str) -> Transcript | None:
    """The conversation that a text is; None where it is none."""
    reading = read_or_refused(text, name)
    return reading.transcript if isinstance(reading, Reading) and isinstance(reading.transcript, Transcript) else None
