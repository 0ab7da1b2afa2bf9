"""What was written, as it is seen: all of it, in pieces that know their message, each loss at its place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from ocml_bridge import Message, Options, Text, Thought, Tool, Transcript, write
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.spans import SpanKind
from ocml_bridge.testing.strategies import transcripts
from ocml_bridge.view import DEBUG, END_USER, Visibility
from ocml_bridge.view.characters import visible
from ocml_bridge.view.written import Written, written
from sampling import examples

TALK = Transcript(
    (
        Message("system", "secret <|end|>", end="end"),
        Message("user", "Hi", name="bob", end="end"),
        Message("assistant", "Hello.", channel="final", end="end"),
    )
)


def seen(transcript: Transcript, target: str, visibility: Visibility = DEBUG) -> Written:
    spans = target in ("harmony", "chatml", "ocm-2.2", "ocm-0.1", "internlm2")
    result = write(transcript, target, policy=LENIENT, spans=spans, options=Options())
    return written(result, visibility, target)


def text_of(it: Written) -> str:
    return "".join(run.text for frame in it.frames for piece in frame.pieces for run in piece.runs)


@pytest.mark.parametrize("target", ["harmony", "chatml", "ocm-2.2", "ocm-0.1", "internlm2"])
@examples(15)
@given(transcripts())
def test_the_pieces_are_the_output(target: str, transcript: Transcript) -> None:
    pieces, output = text_of(seen(transcript, target)), visible(write(transcript, target, policy=LENIENT).output)
    assert without_returns(pieces) == without_returns(output)


def without_returns(text: str) -> str:
    """A content that ends in CR shows it, although the line feed of its frame follows."""
    return re.sub("␍+\n", "\n", text)


def test_a_content_that_ends_in_a_carriage_return_shows_it() -> None:
    transcript = Transcript((Message("assistant", "Hi.\r", channel="final", end="end"),))
    assert "Hi.␍␍\n<|im_end|>" in text_of(seen(transcript, "ocm-0.1"))


def test_pieces_know_whose_they_are() -> None:
    frames = [(frame.message, frame.speaker) for frame in seen(TALK, "harmony").frames]
    assert frames == [(0, "system"), (1, "user"), (2, "assistant")]


def test_tokens_are_distinguished_from_text_that_looks_like_them() -> None:
    pieces = [piece for frame in seen(TALK, "harmony").frames for piece in frame.pieces]
    tokens = [run.text for piece in pieces for run in piece.runs if run.is_token]
    assert set(tokens) == {"<|start|>", "<|channel|>", "<|message|>", "<|end|>"}
    assert not any(run.is_token for piece in pieces if piece.kind is SpanKind.BODY for run in piece.runs)


def test_a_loss_is_marked_in_its_frame() -> None:
    result = write(TALK, "harmony", policy=LENIENT, spans=True)
    marked = {
        result.losses[mark.number - 1].code: (frame.message, mark.touches)
        for frame in written(result, DEBUG, "harmony").frames
        for piece in frame.pieces
        for mark in piece.marks
    }
    assert marked == {"control-token": (0, "content"), "name": (1, "structure")}


def test_hidden_contents_are_named_and_not_shown() -> None:
    it = seen(TALK, "harmony", END_USER)
    assert "secret" not in text_of(it)
    assert [(frame.message, frame.pieces[0].withheld) for frame in it.frames] == [(0, "system"), (1, ""), (2, "")]
    parts = Transcript((Message("assistant", (Text("open"), Thought("reason"), Text("secret")), end="end"),))
    assert "secret" not in text_of(seen(parts, "ocm-0.1", END_USER))
    tools = Transcript((TALK.messages[1],), tools=(Tool("secret"),))
    assert "secret" not in text_of(seen(tools, "harmony", END_USER))


def test_losses_of_hidden_messages_have_no_place() -> None:
    pieces = [piece for frame in seen(TALK, "harmony", END_USER).frames for piece in frame.pieces]
    assert [piece.withheld for piece in pieces if piece.withheld] == ["system"]
    assert [mark.touches for piece in pieces for mark in piece.marks] == ["structure"]


def test_json_is_shown_to_those_who_see_everything() -> None:
    assert seen(TALK, "openai").text.startswith('{\n  "messages": [')
    hidden = seen(TALK, "openai", END_USER)
    assert (hidden.text, hidden.withheld) == ("", "it has fields that end users do not see")


def test_token_ids_are_shown_as_what_they_spell() -> None:
    talk = Transcript((Message("user", "Hi \u65e5\u672c \U0001f9ff", end="end"),))
    result = write(talk, "harmony-tokens", policy=LENIENT, spans=True)
    runs = [run for frame in written(result, DEBUG, "x").frames for piece in frame.pieces for run in piece.runs]
    assert "".join(run.text for run in runs) == write(talk, "harmony").output
    assert [number for run in runs for number in run.ids] == result.output
    assert [run.text for run in runs if run.is_token] == ["<|start|>", "<|message|>", "<|end|>"]
    assert any(len(run.ids) > 1 for run in runs)  # a character of several ids
