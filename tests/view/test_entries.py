"""A document as a list of items."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ocml_bridge import Completion, Finding, FindingCode, Loss, LossCode, Message, Severity, Transcript, write
from ocml_bridge.model import FileBreak, Foreign, Infill, Media, Text, Thought
from ocml_bridge.view import DEBUG, END_USER, view_of
from ocml_bridge.view.blocks import Look, blocks_of
from ocml_bridge.view.characters import visible
from ocml_bridge.view.compare import Mark, compare
from ocml_bridge.view.entries import Entry, Gap, Kind, View

USER = Message("user", "hi")
ANSWER = Message("assistant", "yes", channel="final")
THOUGHT = Message("assistant", "hm", channel="analysis")


def call(name: str, text: str = '{"a":[1,2]}', call_id: str | None = None) -> Message:
    recipient = f"functions.{name}"
    return Message("assistant", text, channel="commentary", recipient=recipient, call_id=call_id, end="call")


def reply(name: str, text: str = '{"ok":true}', call_id: str | None = None) -> Message:
    return Message("tool", text, name=f"functions.{name}", recipient="assistant", channel="commentary", call_id=call_id)


def entries(view: View) -> list[Entry]:
    return [item for item in view.items if isinstance(item, Entry)]


class TestCalls:
    TALK = Transcript(
        (USER, call("f", call_id="1"), call("g", call_id="2"), reply("g", "G", "2"), reply("f", call_id="1"), ANSWER)
    )

    def test_are_one_line_without_arguments_and_results(self) -> None:
        _, first, second, _ = entries(view_of(self.TALK))
        assert (first.kind, first.name, first.veiled, first.answered) == (Kind.CALL, "functions.f", True, True)
        assert (first.blocks, first.facts, first.answers) == ((), (), ())
        assert second.name == "functions.g"

    def test_have_their_replies_beside_them(self) -> None:
        listed = entries(view_of(self.TALK, visibility=DEBUG))
        assert [entry.index for entry in listed] == [0, 1, 2, 5]
        assert [[answer.index for answer in entry.answers] for entry in listed] == [[], [4], [3], []]

    def test_json_is_laid_out_and_what_is_no_json_is_left(self) -> None:
        listed = entries(view_of(self.TALK, visibility=DEBUG))
        assert listed[1].blocks[0].look is Look.JSON
        assert listed[1].blocks[0].text == '{\n  "a": [\n    1,\n    2\n  ]\n}'
        assert listed[2].answers[0].blocks[0].text == "G"

    def test_a_reply_that_reports_an_error_has_its_label(self) -> None:
        (entry,) = entries(view_of(Transcript((replace(reply("f"), failed=True),)), visibility=DEBUG))
        assert entry.label == "Reply, failed"

    def test_a_reply_to_no_call_is_an_item_of_its_own(self) -> None:
        (entry,) = view_of(Transcript((reply("f"),)), visibility=DEBUG).items
        assert isinstance(entry, Entry)
        assert entry.kind is Kind.REPLY
        assert isinstance(view_of(Transcript((reply("f"),))).items[0], Gap)

    def test_debugging_shows_facts_that_the_label_does_not_have(self) -> None:
        talk = Transcript(
            (*self.TALK.messages, Message("assistant", "", end=None, extras={"openai": {"logprobs": 1}}, weight=0))
        )
        listed = entries(view_of(talk, visibility=DEBUG))
        assert dict(listed[1].facts) == {"call id": "1"}
        assert dict(listed[-1].facts) == {"end": "cut off", "weight in training": "0", "only in openai": "logprobs"}


class TestNotes:
    FINDINGS = (
        Finding(FindingCode.CONSTRAINT_VIOLATION, Severity.CHANGED, "/messages/1/content", "the secret is no JSON"),
        Finding(FindingCode.END_MISSING, Severity.CHANGED, "/messages/0", "no end before the next"),
        Finding(FindingCode.SHAPE, Severity.CHANGED, "/messages/0/extras/openai", "kept: secret"),
        Finding(FindingCode.BYTE_ORDER_MARK, Severity.LAYOUT, "", "left out"),
        Finding(FindingCode.SHAPE, Severity.CHANGED, "/messages/77", "elsewhere"),
    )

    def test_are_shown_with_their_message(self) -> None:
        view = view_of(Transcript((USER, THOUGHT)), self.FINDINGS, DEBUG)
        first, second = entries(view)
        assert [note.code for note in first.notes] == ["end-missing", "shape"]
        assert [note.detail for note in second.notes] == ["the secret is no JSON"]
        assert [note.code for note in view.notes] == ["byte-order-mark", "shape"]

    def test_of_hidden_messages_have_no_contents(self) -> None:
        view = view_of(Transcript((USER, THOUGHT)), self.FINDINGS)
        assert "secret" not in repr(view)
        gap = view.items[1]
        assert isinstance(gap, Gap)
        assert [(note.code, note.path) for note in gap.notes] == [
            ("E-BODY-CONSTRAINT-VIOLATION", "/messages/1/content")
        ]


class TestContent:
    def test_a_completion_is_one_item(self) -> None:
        completion = Completion((Infill("before", None, "behind"), FileBreak(), Text("next")))
        (entry,) = entries(view_of(completion))
        assert entry.kind is Kind.COMPLETION
        assert [block.text for block in entry.blocks] == ["before", "", "behind", "next file", "next"]

    def test_media_are_cards_and_data_is_only_measured(self) -> None:
        image = Media("image", url="data:image/svg+xml;base64," + "A" * 9_000)
        sound = Media("audio", data="A" * 4_000, format="wav")
        (entry,) = entries(view_of(Transcript((Message("user", (image, sound)),))))
        assert [block.look for block in entry.blocks] == [Look.CARD, Look.CARD]
        assert len(repr(entry)) < 1_200
        assert dict(entry.blocks[1].facts) == {"format": "wav", "data": "3,000 bytes, not shown"}

    def test_embedded_bitmaps_are_shown_and_no_format_that_can_have_scripts(self) -> None:
        def shown(media_type: str, data: str = "iVBORw0KGgo=") -> str:
            return blocks_of(Message("user", (Media("image", data=data, format=media_type),)), END_USER)[0].image

        assert shown("image/png") == "data:image/png;base64,iVBORw0KGgo="
        assert shown("image/svg+xml") == shown("text/html") == shown("image/png", '"><script>') == ""

    def test_an_unknown_role_is_quoted_so_that_it_passes_for_no_other(self) -> None:
        listed = entries(view_of(Transcript((Message("User", "x"), Message("", "y")))))
        assert [(entry.kind, entry.label) for entry in listed] == [(Kind.OTHER, "“User”"), (Kind.OTHER, "“”")]

    def test_the_open_turn_is_shown(self) -> None:
        view = view_of(Transcript((USER,), open_turn=Message("assistant", "", end=None)))
        assert view.open_turn == "Assistant"

    @pytest.mark.parametrize(
        ("text", "seen"),
        [
            ("a\x00b\x1b[1m\x7f", "a␀b␛[1m␡"),
            ("one\r\ntwo\rthree\tfour", "one\ntwo␍three\tfour"),
            ("\x9b31m", "‹U+009B›31m"),
            ("\u202eabc", "‹U+202E›abc"),
            ("\ud800x", "\ufffdx"),
            ("שלום \u200f😀", "שלום \u200f😀"),
        ],
    )
    def test_every_character_can_be_seen(self, text: str, seen: str) -> None:
        assert visible(text) == seen


class TestComparison:
    TALK = Transcript(
        (
            Message("system", "s"),
            Message("user", "hi", name="bob"),
            THOUGHT,
            call("f", call_id="c"),
            reply("f", call_id="c"),
            ANSWER,
        )
    )

    def test_marks_each_message_with_its_outcome(self) -> None:
        comparison = compare(self.TALK, "harmony", visibility=DEBUG)
        marks = [row.mark for row in comparison.rows]
        assert marks[0] is Mark.SAME
        assert marks[1] is Mark.LOST
        assert [note.code for note in comparison.rows[1].notes] == ["name"]
        assert comparison.rows[1].differs == {"name"}
        assert not comparison.lossless

    def test_a_loss_has_its_place_in_the_output(self) -> None:
        places = {
            target: [note.place for row in compare(self.TALK, target, visibility=DEBUG).rows[1:3] for note in row.notes]
            for target in ("chatml", "harmony", "harmony-tokens", "openai")
        }
        assert places["harmony"][0] == "line 1, column 35"
        assert places["harmony-tokens"][0] == "tokens 5 to 9"
        assert places["chatml"][-1] == ""  # the thought is not there
        assert set(places["openai"]) <= {""}

    def test_a_loss_of_a_hidden_message_has_no_place(self) -> None:
        talk = Transcript((USER, Message("assistant", "secret <|end|>", channel="analysis", name="bob")))
        rows = compare(talk, "harmony").rows
        assert [note.place for row in rows for note in row.notes] == [""] * len(rows[1].notes)

    def test_every_loss_is_shown_once(self) -> None:
        for target in ("harmony", "chatml", "openai", "ocm-0.1", "internlm2", "ocm-2.2", "canonical"):
            comparison = compare(self.TALK, target, visibility=DEBUG)
            noted = [*comparison.notes, *(note for row in comparison.rows for note in row.notes)]
            losses = write(self.TALK, target).losses
            assert sorted((note.code, note.path, note.detail) for note in noted) == sorted(
                (str(loss.code), loss.path, loss.detail) for loss in losses
            )
            assert not comparison.unreported

    def test_a_lost_message_has_nothing_beside_it_and_the_rest_lines_up(self) -> None:
        comparison = compare(self.TALK, "chatml", visibility=DEBUG)
        assert [row.gone for row in comparison.rows] == [False, False, True, False, False, False]
        last = comparison.rows[-1]
        assert last.left is not None
        assert last.right is not None
        assert last.left.blocks == last.right.blocks

    def test_messages_that_a_target_would_expose_are_counted_and_not_shown(self) -> None:
        comparison = compare(self.TALK, "chatml")
        assert comparison.exposed == 1  # the call's arguments become a visible answer
        assert comparison.rows[3].exposed
        assert '"a"' not in repr(comparison)
        assert '\\"a\\"' not in repr(comparison)

    def test_a_thought_marker_s_thought_is_not_shown_on_the_other_side_either(self) -> None:
        content = (Text("open"), Thought("reason"), Text("secret"))
        comparison = compare(Transcript((USER, Message("assistant", content, channel="final"))), "openai")
        assert "secret" not in repr(comparison)
        assert comparison.exposed == 0
        assert comparison.rows[1].left is not None
        assert [block.text for block in comparison.rows[1].left.blocks if not block.withheld] == ["open"]

    def test_a_message_of_which_a_part_is_hidden_is_not_exposed_by_the_rest_of_it(self) -> None:
        message = Message("user", (Text("open"), Foreign("openai", {"video_url": {"url": "https://x/y.mp4"}})))
        comparison = compare(Transcript((message,)), "harmony")
        assert comparison.exposed == 0
        (row,) = comparison.rows
        assert row.right is not None
        assert [block.text for block in row.right.blocks] == ["open"]

    def test_a_visible_message_that_differs_in_layout_only_has_no_notes(self) -> None:
        message = Message("user", "open", layout={"openai": {"form": ["content", "role"]}})
        comparison = compare(Transcript((message,)), "harmony")
        (row,) = comparison.rows
        assert row.notes == ()
        assert row.mark is Mark.LAYOUT
        assert comparison.verdict == "harmony holds the whole conversation; only the layout differs."

    def test_a_lossless_target_has_its_verdict(self) -> None:
        comparison = compare(self.TALK, "canonical")
        assert comparison.verdict == "canonical holds the whole conversation, and gives it back unchanged."
        assert {row.mark for row in comparison.rows} == {Mark.SAME}
        assert "cannot hold the whole conversation" in compare(self.TALK, "chatml").verdict

    def test_findings_are_counted_beside_losses(self) -> None:
        finding = Finding(FindingCode.END_MISSING, Severity.CHANGED, "/messages/1", "no end")
        comparison = compare(self.TALK, "canonical", [finding])
        assert comparison.tally == (("end-missing", Severity.CHANGED, True, 1),)
        assert comparison.rows[1].mark is Mark.SAME

    def test_a_completion_is_compared_too(self) -> None:
        comparison = compare(Completion((Infill("a", None, "c"),)), "openai", visibility=DEBUG)
        assert len(comparison.rows) == 1
        assert comparison.tally[0][0] == LossCode.COMPLETION


def test_a_view_is_the_same_whatever_the_losses_are_called() -> None:
    loss = Loss(LossCode.NAME, Severity.LOST, "/messages/0/name", "no place")
    (entry,) = entries(view_of(Transcript((USER,)), [loss]))
    assert [(note.code, note.found, note.detail) for note in entry.notes] == [("name", False, "no place")]
