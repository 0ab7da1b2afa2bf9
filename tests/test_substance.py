"""The text of a document that is counted, and messages that are emptied."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import Completion, Document, Loss, LossCode, Message, Severity, Tool, Transcript, convert, write
from ocml_bridge.chat.substance import characters, emptied, evident_text, opaque_field, vanished
from ocml_bridge.model import (
    Alternative,
    Foreign,
    Header,
    Infill,
    Media,
    Part,
    Refusal,
    Text,
    Thought,
    Tools,
    replace,
)
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import compared

OPAQUE = Foreign("openai", {"type": "speech", "text": "Hello"})


def user(*parts: Part) -> Message:
    return Message("user", parts)


@pytest.mark.parametrize(
    ("document", "count"),
    [
        (Transcript(), 0),
        (Transcript((Message("user", "héllo"), Message("assistant", "yes", channel="final"))), 8),
        (Transcript((Message("assistant", "hm", channel="analysis"),)), 2),
        (Transcript((Message("assistant", '{"a":1}', recipient="functions.f", call_id="c1"),)), 7),
        (Transcript((Message("tool", "22", name="functions.f", recipient="assistant"),)), 2),
        (Transcript((user(Text("ab"), Media("image", url="https://example.org"), Refusal("no")),)), 4),
        (Transcript((user(Thought("reflect"), Tools((Tool("f", "described"),)), OPAQUE),)), 5),
        (Transcript(tools=(Tool("f", "described"),), header=Header(version="2.2"), extras={"x": {"k": "text"}}), 0),
        (Transcript((Message("user", "hi"),), alternatives=(Alternative((Message("user", "hey"),), 0, "choice"),)), 5),
        (Completion((Infill("ab", "c", "d"),)), 4),
        (Completion((Infill("ab", None, "d"),)), 3),
    ],
)
def test_these_characters_of_a_document_are_counted(document: Document, count: int) -> None:
    assert characters(document) == count


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ({"type": "input_text", "text": "Hello"}, 5),
        ({"type": "text", "value": "Hello"}, 5),
        ({"text": "Hello"}, 5),
        ("Hello", 5),
        ({"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}, 4),
        ({"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "15 C"}]}, 4),
        ({"toolResult": {"toolUseId": "x", "content": [{"text": "15 C"}], "status": "success"}}, 4),
        ({"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmF0dXJl"}, 3),
        ({"type": "note", "body": "two words"}, 9),
        ({"type": "video", "id": 1}, 0),
        ({"type": "video_url", "video_url": {"url": "https://example.org/a b.mp4"}}, 0),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO\nRw0K"}}, 0),
        (None, 0),
        (17, 0),
    ],
)
def test_evident_text_of_an_unread_part_is_counted(value: Any, count: int) -> None:
    assert evident_text(value) == count


def test_a_deep_value_is_counted() -> None:
    value: Any = "x"
    for _ in range(50_000):
        value = {"text": [value]}
    assert evident_text(value) == 1


def codes(message: Message, target: str) -> list[LossCode]:
    return [loss.code for loss in write(Transcript((message,)), target, policy=LENIENT).losses]


TEXTS = ["harmony", "ocm-0.1", "ocm-2.2", "ocm-2.2-json", "internlm2", "chatml"]


@pytest.mark.parametrize("target", [*TEXTS, "anthropic", "gemini", "bedrock-converse"])
def test_a_message_without_any_readable_part_is_emptied(target: str) -> None:
    assert LossCode.EMPTIED in codes(user(OPAQUE), target)
    assert LossCode.EMPTIED in codes(user(Media("image", url="https://example.org"), OPAQUE), target)


@pytest.mark.parametrize("target", ["harmony", "ocm-2.2", "chatml"])
def test_a_message_with_a_readable_part_is_not_emptied(target: str) -> None:
    assert LossCode.EMPTIED not in codes(user(Text("Look:"), OPAQUE), target)


def test_a_message_without_text_is_not_emptied() -> None:
    assert LossCode.EMPTIED not in codes(user(Media("image", url="https://example.org")), "harmony")
    assert LossCode.EMPTIED not in codes(user(Foreign("openai", {"type": "video", "id": 1})), "harmony")
    assert LossCode.EMPTIED not in codes(user(), "harmony")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("<|im_start|>user\n<|im_end|>How?", "/extras/chatml/tail"),
        ("<|im_start|>user\n<|im_end|>How?<|im_start|>assistant\n<|im_end|>", "/messages/1/extras/chatml/gap"),
    ],
    ids=["behind all messages", "between messages"],
)
def test_text_that_is_only_outside_of_messages_is_emptied(text: str, path: str) -> None:
    result = convert(text, source="chatml", target="harmony", policy=LENIENT)
    emptied = [loss.path for loss in result.losses if loss.code is LossCode.EMPTIED]
    assert (emptied, result.characters) == ([path], (4, 0))
    assert convert(text, source="chatml", target="chatml").output == text


def test_text_outside_of_messages_is_lost_and_not_emptied_if_messages_have_text() -> None:
    beside = convert("<|im_start|>user\nHi<|im_end|>How?<|im_end|>", source="chatml", target="harmony")
    assert LossCode.EMPTIED not in {loss.code for loss in beside.losses}


def test_a_message_that_a_target_leaves_out_by_rule_is_lost_and_not_emptied() -> None:
    thought = Message("assistant", (OPAQUE,), channel="analysis")
    assert codes(thought, "chatml") == [LossCode.MESSAGE]


def test_a_format_that_keeps_the_part_empties_nothing() -> None:
    assert codes(user(OPAQUE), "openai") == []
    assert codes(user(OPAQUE), "canonical") == []


@pytest.mark.parametrize("target", ["harmony", "anthropic", "gemini", "bedrock-converse", "openai-responses"])
def test_text_under_unknown_keys_is_emptied_if_there_is_no_content(target: str) -> None:
    for wire in ({"text": "Hello"}, {"content": None, "audio": {"id": "a b", "transcript": "Hello"}}):
        result = convert({"messages": [{"role": "user", **wire}]}, source="openai", target=target, policy=LENIENT)
        assert [loss.path for loss in result.losses if loss.code is LossCode.EMPTIED] == ["/messages/0/extras"]
        assert result.characters == (5, 0)
        assert convert({"messages": [{"role": "user", **wire}]}, source="openai", target="openai").characters == (5, 5)


def test_other_keys_of_a_message_without_content_are_not_text() -> None:
    for wire in ({"content": None, "annotations": [{"title": "two words"}]}, {"content": "", "note": "two words"}):
        convert({"messages": [{"role": "user", **wire}]}, source="openai", target="harmony")
    known: dict[str, Any] = {"role": "user", "content": "Hi", "text": "Hello"}
    assert convert({"messages": [known]}, source="openai", target="harmony").characters == (2, 2)


def test_the_loss_has_the_path_of_the_message_in_the_source() -> None:
    thought = Message("assistant", "Hm.", channel="analysis")
    document = Transcript((Message("user", "Hi"), thought, user(OPAQUE), user(Text("a"))))
    losses = write(document, "chatml", policy=LENIENT).losses
    assert [loss.path for loss in losses if loss.code is LossCode.EMPTIED] == ["/messages/2/content"]


def test_a_report_has_the_number_of_characters() -> None:
    result = convert({"messages": [{"role": "user", "content": "Hello"}]}, source="openai", target="harmony")
    assert result.report()["characters"] == {"read": 5, "written": 5}


def test_reasoning_that_is_left_out_is_not_counted_in_the_output() -> None:
    document = Transcript((Message("user", "Hi"), Message("assistant", "Hm.", channel="analysis")))
    assert write(document, "chatml").characters == (5, 2)


def test_a_stray_token_outside_of_messages_is_not_counted() -> None:
    text = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<|im_end|><|im_end|>\n"
    assert convert(text, source="chatml", target="harmony").characters == (2, 2)
    assert convert(f"{text}more", source="chatml", target="harmony").characters == (6, 2)


def test_a_message_with_an_image_is_not_emptied_by_its_other_members() -> None:
    checks = [{"id": "sc_1", "code": "malicious_instructions", "message": "There are instructions on the screen."}]
    screen = {"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="}
    call = {"type": "computer_call", "call_id": "c", "action": {"type": "screenshot"}}
    answer = {"type": "computer_call_output", "call_id": "c", "output": screen, "acknowledged_safety_checks": checks}
    result = convert(
        [{"role": "user", "content": "Look."}, call, answer], source="openai-responses", target="anthropic"
    )
    assert "emptied" not in [loss.code for loss in result.losses]


@pytest.mark.parametrize(
    ("parts", "left", "paths"),
    [
        ((OPAQUE,), "", ["/messages/0/content"]),
        ((OPAQUE,), "Hello", []),
        ((Text("Hi."), OPAQUE), "", []),
        ((Text(""), OPAQUE), "", ["/messages/0/content"]),
        ((Media("image", url="https://example.org"),), "", []),
    ],
)
def test_only_a_message_whose_whole_text_was_unread_is_emptied(
    parts: tuple[Part, ...], left: str, paths: list[str]
) -> None:
    document, image = Transcript((user(*parts),)), Transcript((Message("user", left),))
    assert emptied(document, image, ()) == paths
    found = compared(document, image, (), target="x").losses
    assert [loss.path for loss in found if loss.code is LossCode.EMPTIED] == paths


def test_a_message_that_is_left_out_by_rule_is_not_emptied_as_well() -> None:
    document = Transcript((user(OPAQUE), Message("user", "Hi.")))
    image = Transcript((Message("user", "Hi."),))
    dropped = Loss(LossCode.MESSAGE, Severity.LOST, "/messages/0", "x has no place for it")
    assert [loss.code for loss in compared(document, image, [dropped], target="x").losses] == [LossCode.MESSAGE]


# --- what has vanished ------------------------------------------------------------------------------------------------

WHOLE, SHORT = Completion((Infill("ab", "c", "d"),)), Completion((Infill("ab", None, "d"),))
CUT = Loss(LossCode.CONTENT, Severity.CHANGED, "/messages/1/content", "is shorter")


@pytest.mark.parametrize(
    ("back", "losses", "paths"),
    [
        (SHORT, [], ["/content"]),
        (Transcript(), [], ["/content"]),
        (WHOLE, [], []),
        (Transcript((Message("user", "abcd"),)), [], []),
        (SHORT, [Loss(LossCode.CONTENT, Severity.LOST, "/content/0/middle", "is lost")], []),
        (SHORT, [Loss(LossCode.CONTENT, Severity.LAYOUT, "/content/0/middle", "is spelled")], ["/content"]),
        (SHORT, [Loss(LossCode.EXTRAS, Severity.LOST, "/extras", "is lost")], ["/content"]),
    ],
)
def test_a_text_to_be_completed_is_missing_if_less_of_it_is_left_than_was_reported(
    back: Document, losses: list[Loss], paths: list[str]
) -> None:
    assert vanished(WHOLE, back, losses) == paths


@pytest.mark.parametrize(
    ("texts", "losses", "order", "indices"),
    [
        (("Hi", "Hello"), [], None, []),
        (("Hi", "Hell"), [], None, [1]),
        (("Hi",), [], None, [1]),
        ((), [], None, [0, 1]),
        (("Hi", "Hell"), [CUT], None, []),
        (("H", "Hell"), [CUT], None, [0]),
        (("Hi", "Hell"), [CUT._replace(path="/messages/0/content")], None, [1]),
        (("Hi", "Hell"), [CUT._replace(path="/messages/1/content/0")], None, []),
        (("Hi", "Hell"), [CUT._replace(path="/messages/1/name")], None, [1]),
        (("Hi", "Hell"), [CUT._replace(path="/messages/11/content")], None, [1]),
        (("Hi", "Hell"), [CUT._replace(code=LossCode.EXTRAS)], None, [1]),
        (("Hi", "Hell"), [CUT._replace(severity=Severity.LAYOUT)], None, [1]),
        (("Hello",), [CUT._replace(code=LossCode.MESSAGE, path="/messages/0")], None, []),
        (("Hello", "Hi"), [], (1, 0), []),
        (("Hello", "H"), [], (1, 0), [0]),
    ],
)
def test_messages_that_are_shorter_without_a_report_are_found(
    texts: tuple[str, ...], losses: list[Loss], order: tuple[int, ...] | None, indices: list[int]
) -> None:
    document = Transcript((Message("user", "Hi"), Message("user", "Hello")))
    back = Transcript(tuple(Message("user", text) for text in texts))
    assert vanished(document, back, losses, order) == [f"/messages/{index}/content" for index in indices]


def test_an_emptied_message_has_its_path_in_the_document_even_if_messages_were_moved() -> None:
    document = Transcript((user(OPAQUE), user(Text("a")), user(OPAQUE)))
    image = Transcript((Message("user", "a"), Message("user", ""), Message("user", "b")))
    assert emptied(document, image, (), (1, 2, 0)) == ["/messages/2/content"]
    assert emptied(document, image, {"/messages/0"}) == ["/messages/2/content"]
    assert emptied(document, image, {"/messages/0", "/messages/2"}) == []


def test_text_outside_of_messages_is_emptied_if_no_message_has_text() -> None:
    spoken, silent = Message("user", "Hi"), Message("user", "", extras={"x/y": {"gap": " more "}})
    document = Transcript((silent,), extras={"x": {"tail": "text", "other": "text", "gap": "<|im_end|>", "front": 7}})
    paths = ["/extras/x/tail", "/messages/0/extras/x~1y/gap"]
    assert emptied(document, Transcript((Message("user", ""),)), ()) == paths
    assert emptied(document, Transcript((spoken,)), ()) == []
    assert emptied(replace(document, messages=(spoken,)), Transcript(), ()) == []
    assert emptied(document, Completion(""), ()) == emptied(Completion(""), document, ()) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("<|im_end|>", 0),
        (" <|im_end|> more <|x|>\n", 4),
        ("<|a|b|>", 7),
        (f"<|{'x' * 64}|>", 0),
        (f"<|{'x' * 65}|>", 69),
    ],
)
def test_tokens_and_space_outside_of_messages_are_not_counted(text: str, count: int) -> None:
    assert characters(Transcript(extras={"x": {"tail": text, "text": "not outside"}})) == count
    assert characters(Transcript((Message("user", "Hi", extras={"x": {"gap": text}}),))) == 2 + count


def test_text_in_extras_of_a_message_is_counted_only_without_content() -> None:
    beside = {"x": {"text": "Hello", "note": "two words"}}
    assert characters(Transcript((Message("user", "", extras=beside),))) == 5
    assert characters(Transcript((Message("user", "Hi", extras=beside),))) == 2
    assert characters(Transcript((Message("user", (Media("image", url="u"),), extras=beside),))) == 0
    several = Transcript((), alternatives=(Alternative((Message("user", "", extras=beside),), 0, "choice"),))
    assert characters(several) == 5


def test_json_in_another_spelling_is_not_missing_and_other_changed_text_is() -> None:
    for old, new, paths in (('{"a": [1]}', '{"a":[1]}', []), ("a  b", "a b", ["/messages/0/content"])):
        one, other = Transcript((Message("user", old),)), Transcript((Message("user", new),))
        assert vanished(one, other, ()) == paths
    parts = Transcript((Message("user", (Text('{"a": 1}'), Text(" "))),))
    assert vanished(parts, Transcript((Message("user", '{"a":1}'),)), ()) == ["/messages/0/content"]


def test_text_in_extras_is_counted_for_a_message_whose_parts_have_no_text() -> None:
    unread: dict[str, Any] = {"openai": {"reasoning_content": "It is not known what this is."}}
    without_text = Message("user", (Foreign("openai", {"type": "video", "id": 1}),), extras=unread)
    assert opaque_field(without_text) == "extras"
    picture = Media("image", url="https://example.org")
    assert opaque_field(replace(without_text, content=(picture,))) is None
