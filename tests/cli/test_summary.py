"""The last line of a conversion with losses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cli.conftest import Run
from ocml_bridge import Loss, LossCode, Message, Severity, Transcript, write
from ocml_bridge.chat.substance import Characters
from ocml_bridge.cli.summary import summary
from ocml_bridge.model import Media, Text
from ocml_bridge.report.policy import LENIENT


def lost(code: LossCode, path: str = "/messages/0", severity: Severity = Severity.LOST) -> Loss:
    return Loss(code, severity, path, "")


def test_losses_are_counted_under_common_names() -> None:
    losses = [lost(LossCode.CALL_ID), lost(LossCode.CALL_ID), lost(LossCode.ROLE, severity=Severity.CHANGED)]
    assert summary("harmony", losses) == "converted to harmony. Not carried over: 2 call ids. Changed: 1 role."


def test_media_are_counted_by_kind() -> None:
    parts = (Text("See:"), Media("image", url="u"), Media("image", url="v"), Media("audio", data="x"))
    document = Transcript((Message("user", parts),))
    result = write(document, "harmony")
    assert "Not carried over: 2 images, 1 audio recording." in summary("harmony", result.losses, document)


def test_the_name_of_a_file_is_a_loss_of_its_own() -> None:
    """A medium that is carried over without its file name is not a lost text; a medium that is lost is counted."""
    parts = (Text("See:"), Media("image", data="x", format="image/png", filename="cat.png"), Media("video", url="u"))
    document = Transcript((Message("user", parts),))
    result = write(document, "openai")
    [lost] = [loss for loss in result.losses if loss.severity is Severity.LOST]
    assert (lost.path, str(lost.code), str(lost.loss_class)) == ("/messages/0/content/1/filename", "content", "content")
    assert lost.detail == 'openai has no place for the file name "cat.png"'
    assert "Not carried over: 1 file name." in summary("openai", result.losses, document)
    [whole] = [loss for loss in write(document, "harmony").losses if loss.path == "/messages/0/content/1"]
    assert whole.detail == 'harmony has no place for an image named "cat.png"'


def test_the_detail_of_an_image_is_no_text() -> None:
    document = Transcript((Message("user", (Text("See:"), Media("image", url="u", detail="low"))),))
    result = write(document, "anthropic")
    assert "Not carried over: 1 level of detail." in summary("anthropic", result.losses, document)


@pytest.mark.parametrize("code", LossCode)
def test_every_code_has_a_name_in_the_summary(code: LossCode) -> None:
    line = summary("harmony", [lost(code), lost(code)])
    assert line.startswith("converted to harmony. Not carried over: 2 ")
    assert "-" not in line


def test_losses_of_layout_are_not_counted() -> None:
    assert summary("harmony", [lost(LossCode.LAYOUT, severity=Severity.LAYOUT)]) == "converted to harmony."


@pytest.mark.parametrize(
    ("characters", "code", "words"),
    [
        (
            Characters(1204, 1204),
            LossCode.CALL_ID,
            "All of the text is in the output (1,204 of 1,204 characters).",
        ),
        (
            Characters(1204, 1210),
            LossCode.CALL_ID,
            "All of the text is in the output (1,204 of 1,204 characters).",
        ),
        (
            Characters(1204, 1204),
            LossCode.MEDIA,
            "All of the text is in the output (1,204 of 1,204 characters).",
        ),
        (Characters(1204, 800), LossCode.MESSAGE, "800 of 1,204 characters of the text are in the output."),
        (Characters(5, 0), LossCode.EMPTIED, "0 of 5 characters of the text are in the output."),
    ],
)
def test_the_summary_has_the_number_of_characters(characters: Characters, code: LossCode, words: str) -> None:
    assert summary("harmony", [lost(code)], None, characters).endswith(f". {words}")


@pytest.mark.parametrize(
    ("characters", "code"), [(Characters(0, 0), LossCode.CALL_ID), (Characters(9, 40), LossCode.MESSAGE)]
)
def test_misleading_numbers_are_left_out(characters: Characters, code: LossCode) -> None:
    assert "characters" not in summary("harmony", [lost(code)], None, characters)


def test_an_allowed_conversion_that_empties_a_message_reports_it(run: Run) -> None:
    document = b'{"messages":[{"role":"user","content":[{"type":"speech","text":"Hello"}]}]}'
    done = run("-f", "openai", "-t", "harmony", stdin=document)
    assert (done.status, done.out) == (3, b"")
    assert "OCB-EMPTIED at /messages/0/content" in done.err
    done = run("-f", "openai", "-t", "harmony", "--allow", "media,emptied", stdin=document)
    assert done.status == 0
    assert done.err.splitlines()[-1] == (
        "<stdin>: converted to harmony. Not carried over: 1 part that was not understood, "
        "1 text that was not understood. 0 of 5 characters of the text are in the output."
    )


def test_a_response_with_several_answers_is_written_only_if_leaving_out_answers_is_allowed(run: Run) -> None:
    answers = ({"message": {"role": "assistant", "content": text}} for text in ("Yes.", "Or no."))
    document = json.dumps({"choices": [*answers]}).encode()
    done = run("-f", "openai", "-t", "harmony", stdin=document)
    assert (done.status, done.out) == (3, b"")
    assert "OCB-LOSS at /alternatives/0" in done.err
    assert done.err.rstrip().endswith("--allow alternatives writes the rest")
    done = run("-f", "openai", "-t", "harmony", "--allow", "alternatives", stdin=document)
    assert done.status == 0
    assert "Not carried over: 1 other answer" in done.err.splitlines()[-1]
    assert "4 of 10 characters" in done.err.splitlines()[-1]


def test_refuse_names_codes_and_classes(run: Run) -> None:
    named = b'{"messages":[{"role":"user","content":"Hi","name":"bob"}]}'
    for option, status in (("name", 3), ("structure", 3), ("content, bookkeeping", 0), ("nam", 2)):
        assert run("-f", "openai", "-t", "harmony", "--refuse", option, stdin=named).status == status
    assert run("-f", "openai", "-t", "harmony", "--strict", "--allow", "structure", stdin=named).status == 0


def test_a_text_on_a_terminal_ends_its_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = b'{"messages":[{"role":"user","content":"Hi"}]}'
    text = b"<|start|>user<|message|>Hi<|end|>"
    assert run("-t", "harmony", stdin=document).out == text
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run("-t", "harmony", stdin=document).out == text + b"\n"
    assert run("-t", "chatml", stdin=document).out == b"<|im_start|>user\nHi<|im_end|>\n"
    run("-t", "harmony", "-o", tmp_path / "out", stdin=document)
    assert (tmp_path / "out").read_bytes() == text


def test_every_lossy_conversion_has_a_summary(run: Run) -> None:
    every = write(Transcript((Message("user", "Hi", name="bob"),)), "harmony", policy=LENIENT)
    assert summary(every.target, every.losses, every.transcript, every.characters) == (
        "converted to harmony. Not carried over: 1 name. All of the text is in the output (2 of 2 characters)."
    )


CALL = (
    b'{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":'
    b'[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}]}'
)


def test_a_dialect_that_keeps_more_is_named(run: Run) -> None:
    hint = "<stdin>: the dialect chatml:hermes loses none of this; to write it, use -t chatml:hermes"
    assert run("-t", "chatml", stdin=CALL).err.splitlines()[-1] == hint
    assert hint not in run("-t", "chatml", "-q", stdin=CALL).err


@pytest.mark.parametrize("target", ["chatml:hermes", "chatml:openai", "harmony"])
def test_no_dialect_is_named_if_one_was_chosen_or_none_is_better(run: Run, target: str) -> None:
    assert "dialect" not in run("-t", target, stdin=CALL).err
