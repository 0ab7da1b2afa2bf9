"""OpenChatML 2.2 as text: the text around its frames, and where its tools are declared."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ocml_bridge import BridgeError, ErrorCode, FindingCode, LossCode, Message, Tool, Transcript, convert, read, write
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Header
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.laws import all_laws

TOOL: Final = Tool("look", "Ends with <|end|> and <|start|>.", {"type": "object", "properties": {}})
CALL: Final = Message("assistant", "{}", None, "commentary", "functions.f", "c1", end="call")
REPLY: Final = Message("tool", "1", "functions.f", call_id="c1")
LONG: Final = 17_000
"""More characters than a header is read with."""
OPEN: Final = "<|start|>assistant<|channel|>final"


@pytest.mark.parametrize("plans", [True, False])
@pytest.mark.parametrize("before", [(), (Message("developer", "Be brief."),)])
def test_a_token_in_a_declared_tool_is_escaped(before: tuple[Message, ...], *, plans: bool) -> None:
    document = Transcript((*before, Message("user", "Hi.")), (TOOL,))
    text = write(document, "ocm-2.2", options=Options(plans=plans)).output
    assert "<<|end|> and <<|start|>" in str(text)
    back = read(text, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    assert back.tools is not None
    assert back.tools[0].description == TOOL.description
    assert back.messages == document.messages


def test_text_before_the_open_turn_is_found_and_kept() -> None:
    text = f"version: 2.2\n<|start|>user<|message|>Hi.<|end|>\nbetween\n{OPEN}"
    reading = read(text, "ocm-2.2")
    assert [(finding.code, finding.path) for finding in reading.findings] == [
        (FindingCode.TEXT_OUTSIDE, "/open_turn/extras/ocm-2.2/before")
    ]
    assert write(reading.transcript, "ocm-2.2").output == text


def test_an_open_turn_that_is_private_stays_so_where_its_channel_cannot_be_written() -> None:
    document = Transcript((Message("user", "Hi."),), open_turn=Message("assistant", "", channel="my notes", end=None))
    assert str(write(document, "ocm-2.2").output).endswith("<|start|>assistant<|channel|>analysis")


def test_the_text_before_a_message_stays_behind_a_frame_of_tools() -> None:
    text = (
        "version: 2.2\n<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n"
        "// Looks.\ntype look = () => any;\n\n} // namespace functions<|end|>\nbetween\n"
        "<|start|>user<|message|>Hi.<|end|>\n"
    )
    assert write(read(text, "ocm-2.2").transcript, "ocm-2.2").output == text


def test_a_message_that_is_cut_off_ends_where_tools_follow_it() -> None:
    document = Transcript((Message("system", "Be", end=None),), (TOOL,))
    result = write(document, "ocm-2.2")
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.ENDING, "/messages/0/end")]
    all_laws(document, "ocm-2.2")


@pytest.mark.parametrize(("role", "end"), [("user", "<|end|>"), ("assistant", "<|return|>")])
def test_a_message_that_is_cut_off_ends_where_text_follows_it(role: str, end: str) -> None:
    message = Message(role, "Hi", channel="final" if role == "assistant" else None, end=None)
    document = Transcript((message,), extras={"ocm-2.2": {"tail": "bye\n"}})
    result = write(document, "ocm-2.2", policy=LENIENT)
    assert str(result.output).endswith(f"<|message|>Hi{end}bye\n")
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.ENDING, "/messages/0/end")]
    all_laws(document, "ocm-2.2")


def test_the_end_of_an_answer_is_remembered_only_for_the_last() -> None:
    text = "version: 2.2\n<|start|>assistant<|channel|>final<|message|>4.<|end|>\n"
    answer = read(text, "ocm-2.2").transcript
    assert isinstance(answer, Transcript)
    assert answer.messages[0].layout == {"ocm-2.2": {"end": "<|end|>"}}
    longer = Transcript((*answer.messages, Message("user", "Why?")))
    back = read(write(longer, "ocm-2.2").output, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    assert back.messages[0].layout is None


@pytest.mark.parametrize("recipient", ["functions.f", "a b"])
def test_a_reply_to_a_call_that_cannot_be_written_is_reported(recipient: str) -> None:
    document = Transcript((Message("assistant", "{}", None, "commentary", recipient, "c1", end="call"), REPLY))
    lost = [loss.path for loss in write(document, "ocm-2.2", policy=LENIENT).losses if loss.code is LossCode.PAIRING]
    assert lost == ([] if recipient == "functions.f" else ["/messages/1"])


def test_an_id_that_no_header_can_have_is_left_out_and_not_replaced() -> None:
    document = Transcript((Message("assistant", "{}", None, "commentary", "functions.f", "a b", end="call"),))
    text = str(write(document, "ocm-2.2", policy=LENIENT).output)
    assert "call_id" not in text
    all_laws(document, "ocm-2.2")


def test_a_header_is_kept_as_it_stood_whatever_id_was_seen_with_it_before() -> None:
    layout = {"ocm-2.2": {"header": "assistant to=functions.f  call_id=c1<|channel|>commentary"}}
    first = Message("assistant", "{}", None, "commentary", "functions.f", "c2", end="call", layout=layout)
    second = Message("assistant", "{}", None, "commentary", "functions.f", "c1", end="call", layout=layout)
    assert "f  call_id" not in str(write(Transcript((first,)), "ocm-2.2").output)
    assert "f  call_id=c1" in str(write(Transcript((second,)), "ocm-2.2").output)


def test_a_malformed_header_is_reported_before_a_malformed_frame_behind_it() -> None:
    text = "version: 2.2\n<|start|>user what<|message|>Hi.<|end|>\n<|start|>user<|message|>a <|start|>"
    with pytest.raises(BridgeError, match="what"):
        read(text, "ocm-2.2")


# --- headers that the specification does not know ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (
            "<|start|>user mood=good tone=<|message|>Hi.<|end|>",
            [("header-value", "/messages/0", "§6 does not define the attributes mood, tone; they are kept")],
        ),
        (
            "<|start|>user name=<|message|>Hi.<|end|>",
            [("header-value", "/messages/0", "the attribute name= has no value")],
        ),
        (
            "<|start|>user<|message|>a <|channel|> b<|end|>",
            [
                (
                    "stray-token",
                    "/messages/0/content",
                    "<|channel|> in a body should be escaped (§3); it is read as text",
                )
            ],
        ),
        (
            "<|start|>assistant<|channel|>final text/plain more<|message|>Hi.<|return|>",
            [
                (
                    "header-recovered",
                    "/messages/0/channel",
                    "the header 'assistant<|channel|>final text/plain more' is read as on final",
                )
            ],
        ),
        ("<|start|>assistant<|channel|>final text/plain<|message|>Hi.<|return|>", []),
    ],
)
def test_undefined_contents_of_a_frame_are_findings_and_come_back(
    frame: str, found: list[tuple[str, str, str]]
) -> None:
    text = f"version: 2.2\n{frame}\n"
    reading = read(text, "ocm-2.2")
    assert [(finding.code, finding.path, finding.detail) for finding in reading.findings] == found
    assert write(reading.transcript, "ocm-2.2").output == text


def test_attributes_that_are_not_defined_stay_when_the_message_is_edited() -> None:
    document = read("version: 2.2\n<|start|>user  mood=good<|message|>Hi.<|end|>\n", "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert document.messages[0].extras == {"ocm-2.2": {"attributes": {"mood": "good"}}}
    document.messages[0].name = "bob"
    result = write(document, "ocm-2.2")
    assert result.output == "version: 2.2\n<|start|>user name=bob mood=good<|message|>Hi.<|end|>\n"
    all_laws(document, "ocm-2.2")


@pytest.mark.parametrize(
    ("attributes", "written"),
    [
        ({"mood": ""}, " mood="),
        ({"mood": "very good"}, ""),
        ({"a=b": "c"}, ""),
        ({"channel of": "c"}, ""),
        ({"name": "bob"}, ""),
        ({"mood": 1}, ""),
        ({}, ""),
    ],
)
def test_only_values_that_a_header_can_have_are_written_as_attributes(attributes: dict[str, Any], written: str) -> None:
    document = Transcript((Message("user", "Hi.", extras={"ocm-2.2": {"attributes": attributes}}),))
    text = str(write(document, "ocm-2.2").output)
    assert text.endswith(f"<|start|>user{written}<|message|>Hi.<|end|>\n")
    all_laws(document, "ocm-2.2")


@pytest.mark.parametrize(
    ("message", "lost"),
    [
        (Message("user", "Hi.", "b" * LONG, channel="final"), ["/messages/0/name"]),
        (Message("user", "Hi.", extras={"ocm-2.2": {"attributes": {"mood": "b" * LONG}}}), ["/messages/0/extras"]),
        (Message("b" * LONG, "Hi."), ["/messages/0/role"]),
    ],
)
def test_a_header_is_no_longer_than_it_is_read(message: Message, lost: list[str]) -> None:
    trial = all_laws(Transcript((message,)), "ocm-2.2")
    assert [loss.path[: len(lost[0])] for loss in trial.result.losses] == lost
    assert len(trial.data) < LONG


# --- the header of the document ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["List<int>", "a|b", "a>", "naïve", "功能"])
def test_a_header_can_have_visible_characters_that_are_no_token(value: str) -> None:
    text = (
        f"version: 2.2\n<|start|>assistant to=functions.{value} call_id={value}<|channel|>commentary<|constrain|>json"
        f"<|message|>{{}}<|call|>\n<|start|>tool to=assistant call_id={value} name=functions.{value}"
        "<|channel|>commentary<|message|>1<|end|>\n"
    )
    result = convert(text, source="ocm-2.2", target="ocm-2.2")
    assert (result.findings, result.losses, result.output) == ((), (), text)
    all_laws(result.document, "ocm-2.2")


@pytest.mark.parametrize("value", ["a\x00b", "a\u00a0b", "a\u200bb", "a\u2028b", "\ufeffb"])
def test_a_value_that_cannot_be_written_again_is_a_finding(value: str) -> None:
    text = f"version: 2.2\n<|start|>user name={value}<|message|>Hi<|end|>\n"
    result = convert(text, source="ocm-2.2", target="ocm-2.2")
    assert [(finding.code, finding.path) for finding in result.findings] == [
        (FindingCode.HEADER_VALUE, "/messages/0/name")
    ]
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.NAME, "/messages/0/name")]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("a: &x 1\nb: *x\n", "aliases"),
        (f"a: {'[' * 60}{']' * 60}\n", "nests too deep"),
        (f"a: {'[' * 5_000}{']' * 5_000}\n", "nests too deep"),
        ("a: 1\na: 2\n", "a key twice"),
        ("a: {b: 1, b: 2}\n", "a key twice"),
    ],
)
def test_a_header_of_the_document_that_is_not_plain_is_refused(header: str, message: str) -> None:
    with pytest.raises(BridgeError, match=message) as caught:
        read(f"version: 2.2\n{header}<|start|>user<|message|>Hi.<|end|>\n", "ocm-2.2")
    assert (caught.value.code, caught.value.offset) == (ErrorCode.PARSE_HEADER, 0)


@pytest.mark.parametrize(
    "raw",
    [
        "version: 2.2\n<|start|>user<|message|>x<|end|>\n",
        "<|start|>user<|message|>x<|end|>\nversion: 2.2\n",
        "version: 2.2",
        "version: 2.1\n",
        "not a header\n",
    ],
)
def test_a_remembered_header_of_the_document_is_checked_before_it_is_used(raw: str) -> None:
    document = Transcript((Message("user", "Hi."),), header=Header("2.2", layout={"ocm-2.2": {"raw": raw}}))
    assert write(document, "ocm-2.2").output == "version: 2.2\n<|start|>user<|message|>Hi.<|end|>\n"


@pytest.mark.parametrize("end", ["<|call|><|end|>", "<|return|><|end|>"])
def test_a_terminator_of_two_tokens_comes_back(end: str) -> None:
    """Reading 15; that of a message whose text was edited, too."""
    head = "assistant to=functions.f call_id=c<|channel|>commentary" if "call" in end else "assistant<|channel|>final"
    text = f"version: 2.2\n<|start|>{head}<|message|>1{end}\n"
    document = read(text, "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert write(document, "ocm-2.2").output == text
    document.messages[0].content = "2"
    assert write(document, "ocm-2.2").output == text.replace(">1<", ">2<")


@pytest.mark.parametrize(("body", "content"), [("a<", "a<"), ("a<<", "a<<"), ("<|literal|>a<|endliteral|><", "a<")])
def test_a_body_from_elsewhere_does_not_escape_the_token_that_ends_it(body: str, content: str) -> None:
    message = Message("user", content, layout={"ocm-2.2": {"body": body}})
    document = Transcript((message, Message("user", "z")))
    back = read(write(document, "ocm-2.2").output, "ocm-2.2").transcript
    assert isinstance(back, Transcript)
    assert [each.content for each in back.messages] == [content, "z"]
    all_laws(document, "ocm-2.2")


def test_generation_settings_without_a_field_are_kept_for_this_format() -> None:
    text = "version: 2.2\ngeneration_settings: {temperature: 0.5, beams: 4, model: m}\n"
    document = read(text, "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert document.settings is not None
    assert document.settings.temperature == 0.5
    assert document.extras == {"ocm-2.2": {"generation_settings": {"beams": 4, "model": "m"}}}


def test_a_header_whose_comment_names_a_token_comes_back() -> None:
    text = "version: 2.2 # each message begins with <|start|>, like this\n<|start|>user<|message|>Hi<|end|>\n"
    result = convert(text, source="ocm-2.2", target="ocm-2.2")
    assert (result.findings, result.losses, result.output) == ((), (), text)
    assert write(read(text.partition("\n")[0], "ocm-2.2").transcript, "ocm-2.2").output == text.partition("\n")[0]


@pytest.mark.parametrize("header", ["version: 2.2", "version: 2.2\nmodel:  m", "# a note\nversion: 2.2"])
def test_a_header_alone_comes_back_and_ends_its_line_before_a_message(header: str) -> None:
    document = read(header, "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert write(document, "ocm-2.2").output == header
    longer = Transcript((Message("user", "Hi."),), header=document.header, settings=document.settings)
    text = str(write(longer, "ocm-2.2").output)
    assert text.endswith("\n<|start|>user<|message|>Hi.<|end|>\n")
    assert read(text, "ocm-2.2").findings == ()


def test_text_before_and_behind_the_messages_is_found_and_kept() -> None:
    text = "hello\n<|start|>user<|message|>Hi.<|end|>\nbehind"
    reading = read(text, "ocm-2.2", options=Options(force_format=True))
    assert [finding.path for finding in reading.findings if finding.code is FindingCode.TEXT_OUTSIDE] == [
        "/extras/ocm-2.2/front",
        "/extras/ocm-2.2/tail",
    ]
    assert reading.transcript.extras == {"ocm-2.2": {"front": "hello\n", "tail": "\nbehind"}}
    assert write(reading.transcript, "ocm-2.2").output == text


@pytest.mark.parametrize("front", ["", "\n\n", "hello\n"])
def test_a_text_without_a_header_is_written_back_without_one(front: str) -> None:
    text = f"{front}<|start|>user<|message|>Hi.<|end|>\n"
    document = read(text, "ocm-2.2", options=Options(force_format=True)).transcript
    result = write(document, "ocm-2.2", policy=LENIENT)
    assert result.output == text
    assert result.image == document
    assert isinstance(document, Transcript)
    assert (document.layout or {})["ocm-2.2"] == {"header": "absent"} | ({"front": front} if front.isspace() else {})


@pytest.mark.parametrize(
    ("header", "channel"),
    [
        ("assistant to=functions.f<|channel|>final<|channel|>commentary", "final"),
        ("assistant<|channel|>final<|channel|>commentary", "commentary"),
        ("user<|channel|>final<|channel|>commentary", "final"),
    ],
)
def test_of_two_channels_of_an_assistants_header_the_more_private_counts(header: str, channel: str) -> None:
    document = read(f"version: 2.2\n<|start|>{header}<|message|>{{}}<|call|>\n", "ocm-2.2").transcript
    assert isinstance(document, Transcript)
    assert document.messages[0].channel == channel
