"""Laws of the view of any transcript."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import Document, Message, Transcript, write
from ocml_bridge.chat.turns import parts_of
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.strategies import transcripts
from ocml_bridge.units.pairing import pair
from ocml_bridge.view import DEBUG, END_USER, compare, view_of
from ocml_bridge.view.entries import Entry, Gap
from ocml_bridge.view.html import comparison_page, view_page
from sampling import examples

TARGETS = ("ocm-0.1", "ocm-2.2", "harmony", "internlm2", "chatml", "openai", "canonical")
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@examples(60)
@given(transcripts())
def test_every_message_is_shown_once_or_counted_once(transcript: Transcript) -> None:
    whole = view_of(transcript, visibility=DEBUG)
    shown = [index for item in whole.items if isinstance(item, Entry) for index in _indexes(item)]
    assert sorted(shown) == list(range(len(transcript.messages)))
    view = view_of(transcript)
    counted = sum(item.total for item in view.items if isinstance(item, Gap))
    seen = sum(isinstance(item, Entry) for item in view.items)
    assert counted + seen + len(pair(transcript.messages)) == len(transcript.messages)


def _indexes(entry: Entry) -> list[int]:
    return [entry.index, *(index for answer in entry.answers for index in _indexes(answer))]


@examples(60)
@given(transcripts(), st.booleans())
def test_pages_can_be_made_of_anything(transcript: Transcript, debug: bool) -> None:
    page = view_page(view_of(transcript, visibility=DEBUG if debug else END_USER), name="x", source="canonical")
    assert ACTING.search(page) is None
    assert page.count("<script>") == 1


@pytest.mark.parametrize("target", TARGETS)
@examples(25)
@given(transcripts())
def test_comparisons_show_every_loss_once_and_leave_nothing_unreported(target: str, transcript: Transcript) -> None:
    comparison = compare(transcript, target, visibility=DEBUG)
    notes = [*comparison.notes, *(note for row in comparison.rows for note in row.notes)]
    assert sorted(str(note.code) for note in notes) == sorted(
        str(loss.code) for loss in write(transcript, target, policy=LENIENT).losses
    )
    assert comparison.unreported == ()
    assert ACTING.search(comparison_page(comparison, name="x", source="canonical")) is None


SECRET = "Zq7secretZq7"


def _sealed(document: Document) -> Transcript:
    """A transcript in which everything hidden has the same word, and nothing shown has it."""
    assert isinstance(document, Transcript)
    messages = list[Message]()
    for message in document.messages:
        hidden = END_USER.hides(message) is not None or any(map(END_USER.hides_part, parts_of(message.content)))
        channel, recipient = message.channel, message.recipient
        kept = Message(message.role, SECRET if hidden else "open", channel=channel, recipient=recipient)
        kept.name, kept.intent, kept.end, kept.continues = message.name, message.intent, message.end, message.continues
        if hidden == (END_USER.hides(kept) is not None):
            messages.append(kept)
    return Transcript(tuple(messages))


@pytest.mark.parametrize("target", TARGETS)
@examples(25)
@given(transcripts().map(_sealed))
def test_messages_hidden_in_the_source_are_on_neither_side(target: str, transcript: Transcript) -> None:
    assert SECRET not in view_page(view_of(transcript), name="x", source="canonical")
    assert SECRET not in comparison_page(compare(transcript, target), name="x", source="canonical")
