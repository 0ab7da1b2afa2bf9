"""The JSON interchange of OpenChatML 2.2: objects of several messages, what an edited document keeps, what is lost."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_adapters.ocm_2_2_json.sniff import sniff
from ocml_bridge import BridgeError, ErrorCode, FindingCode, LossCode, Message, Transcript, read, write
from ocml_bridge.formats.adapter import Options
from ocml_bridge.json_values.json_lines import Lines
from ocml_bridge.model import Document, Tool, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.result import Result

ID = "ocm-2.2-json"
FORCED = Options(force_format=True)


@pytest.fixture(params=[True, False], ids=["plans", "plain"])
def options(request: pytest.FixtureRequest) -> Options:
    return Options(plans=request.param)


def written(document: Document, options: Options) -> Result:
    result = write(document, ID, options=options, policy=LENIENT)
    assert read(result.output, ID).transcript == result.image
    return result


def output_of(document: Document, options: Options) -> Any:
    return written(document, options).output


def messages_of(source: Any) -> tuple[Message, ...]:
    transcript = read(source, ID).transcript
    assert isinstance(transcript, Transcript)
    return transcript.messages


def places(result: Result) -> list[tuple[str, str]]:
    """What is lost or changed, and where."""
    return [(loss.code, loss.path) for loss in result.losses if loss.severity != "layout"]


CALL: dict[str, Any] = {"id": "c1", "recipient": "functions.f", "arguments": "{}"}
OBJECT: dict[str, Any] = {
    "mood": "calm",
    "role": "assistant",
    "thinking": "Hm.",
    "content": "Wait.",
    "name": None,
    "channel": "commentary",
    "tool_call": CALL,
}


class TestAnObjectOfSeveralMessages:
    def test_is_written_as_it_was_read(self, options: Options) -> None:
        assert [message.content for message in messages_of(OBJECT)] == ["Hm.", "Wait.", "{}"]
        output = output_of(read(OBJECT, ID).transcript, options)
        assert output == OBJECT
        assert list(output) == list(OBJECT)

    def test_is_written_with_the_words_of_today(self, options: Options) -> None:
        first, second, call = messages_of(OBJECT)
        edited = Transcript((first, replace(second, content="Go."), call))
        assert output_of(edited, options) == [{**OBJECT, "content": "Go."}]

    def test_becomes_several_where_one_cannot_have_the_order(self, options: Options) -> None:
        first, second, call = messages_of(OBJECT)
        result = written(Transcript((call, replace(second, layout={ID: {"merged": True}}), first)), options)
        assert result.output == [
            {"role": "assistant", "channel": "commentary", "tool_call": CALL},
            {"role": "assistant", "channel": "commentary", "content": "Wait."},
            {"role": "assistant", "channel": "analysis", "content": "Hm.", "mood": "calm"},
        ]
        assert places(result) == []

    @pytest.mark.parametrize("layout", [{"order": ["role"]}, {"nulls": 1}, {"object": {"role": 1}}, {"order": [1]}])
    def test_is_not_spelled_by_a_layout_that_does_not_fit(self, layout: Any, options: Options) -> None:
        document = Transcript((Message("user", "Hi", layout={ID: layout}),))
        assert output_of(document, options) == [{"role": "user", "content": "Hi"}]


class TestWhatDependsOnTheWholeDocument:
    def test_a_role_that_names_a_tool_reads_as_the_answer_to_a_call(self, options: Options) -> None:
        call = Message("assistant", "{}", channel="commentary", recipient="functions.f", call_id="c1", end="call")
        result = written(Transcript((call, Message("functions.f", "1"))), options)
        assert (LossCode.PAIRING, "/messages/1") in places(result)

    def test_calls_in_a_list_are_the_other_way_of_calling(self) -> None:
        reading = read(
            [{"role": "assistant", "content": "", "tool_call": CALL, "tool_calls": [{**CALL, "id": "c2"}]}], ID
        )
        assert [(finding.code, finding.path) for finding in reading.findings] == [("mixed-calls", "/messages/2")]

    def test_tools_follow_the_text_of_the_developer(self, options: Options) -> None:
        document = Transcript((Message("system", "S"), Message("developer", "D")), tools=(Tool("f"),))
        assert [item["role"] for item in output_of(document, options)] == ["system", "developer"]
        assert places(written(document, options)) == []

    def test_losses_of_a_message_that_becomes_the_place_of_the_tools_are_reported(self, options: Options) -> None:
        document = Transcript((Message("developer", "", weight=0.5),), tools=(Tool("f"),))
        assert places(written(document, options)) == [(LossCode.WEIGHT, "/messages/0/weight")]


class TestACallOfAnotherShape:
    def test_that_is_nested_is_read_and_found(self) -> None:
        nested = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        source = [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [nested]}]
        reading = read(source, ID, options=FORCED)
        assert isinstance(reading.transcript, Transcript)
        (_, call) = reading.transcript.messages
        assert (call.recipient, call.content, call.call_id, call.channel) == ("functions.f", "{}", "c", "commentary")
        (finding,) = reading.findings
        assert (finding.code, finding.path) == (FindingCode.SHAPE, "/messages/1")
        assert "nested as in Chat Completions" in finding.detail

    @pytest.mark.parametrize(
        ("members", "code", "path"),
        [
            ({"tool_calls": {}}, ErrorCode.SHAPE, "/1/tool_calls"),
            ({"tool_calls": [CALL, 1]}, ErrorCode.SHAPE, "/1/tool_calls/1"),
            ({"tool_call": 1}, ErrorCode.SHAPE, "/1/tool_call"),
            ({"tool_call": {"arguments": "{}"}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"type": "custom", "function": {"name": "f"}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": ""}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": "f", "more": 1}}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
            ({"tool_call": {"function": {"name": "f"}, "more": 1}}, ErrorCode.CALL_SCHEMA, "/1/tool_call"),
        ],
    )
    def test_that_is_none_is_refused_at_its_place(self, members: Any, code: ErrorCode, path: str) -> None:
        with pytest.raises(BridgeError) as caught:
            read([{"role": "user", "content": "Hi."}, {"role": "assistant", **members}], ID, options=FORCED)
        assert (caught.value.code, caught.value.path) == (code, path)


def test_a_value_that_is_neither_a_message_nor_a_list_is_refused() -> None:
    with pytest.raises(BridgeError, match="a message object or a list of them") as caught:
        read(5, ID, options=FORCED)
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, "")


# --- the page of the format, reading by reading -----------------------------------------------------------------------


def user(text: str, **members: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **members}


def assistant(**members: Any) -> dict[str, Any]:
    return {"role": "assistant", **members}


BLOCK = "# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = () => any;\n\n} // namespace functions"
Fields = tuple[str, str | None, Any, str | None, str | None, str | None]
"""Whose a message is, its channel, its content, its name, its recipient, its id."""


def spoken(role: str, content: str, channel: str | None = None) -> Fields:
    return (role, channel, content, None, None, None)


def called(arguments: str, call_id: str | None) -> Fields:
    return ("assistant", "commentary", arguments, None, "functions.f", call_id)


def replied(name: str, call_id: str | None) -> Fields:
    return ("tool", None, "1", name, "assistant", call_id)


WITHOUT_ID = {"recipient": "functions.f", "arguments": "{}"}
LISTED = {**CALL, "id": "c2", "arguments": [1]}
READINGS: dict[str, tuple[Any, list[Fields], list[tuple[str, str]]]] = {
    "31: thinking, content, call": (
        [assistant(channel="commentary", content="I look.", intent="preamble", tool_call=CALL, thinking="Hm.")],
        [
            ("assistant", "analysis", "Hm.", None, None, None),
            ("assistant", "commentary", "I look.", None, None, None),
            called("{}", "c1"),
        ],
        [],
    ),
    "31: a preamble on the channel final": (
        [assistant(channel="final", content="I look.", intent="preamble", thinking="Hm.")],
        [("assistant", "analysis", "Hm.", None, None, None), ("assistant", "commentary", "I look.", None, None, None)],
        [("unknown-channel", "/messages/1/channel")],
    ),
    "31: a call has the channel of an object without content": (
        [assistant(channel="analysis", tool_call={**CALL, "content_type": "json"})],
        [("assistant", "analysis", "{}", None, "functions.f", "c1")],
        [("call-channel", "/messages/0/channel")],
    ),
    "31: a speaker's name is that of all messages": (
        [assistant(name="bob", content="I look.", tool_call=CALL)],
        [
            ("assistant", None, "I look.", "bob", None, None),
            ("assistant", "commentary", "{}", "bob", "functions.f", "c1"),
        ],
        [],
    ),
    "31: an object without contents": (
        [user("Hi"), {"role": "user"}],
        [spoken("user", "Hi", None), spoken("user", "", None)],
        [],
    ),
    "32: calls in a list": (
        [assistant(tool_calls=[CALL, {**CALL, "id": "c2", "arguments": {"a": 1}}])],
        [
            called("{}", "c1"),
            called('{"a":1}', "c2"),
        ],
        [],
    ),
    "32: both ways of calling in one turn": (
        [assistant(tool_calls=[CALL]), assistant(tool_call={**CALL, "id": "c2"})],
        [
            called("{}", "c1"),
            called("{}", "c2"),
        ],
        [("mixed-calls", "/messages/1")],
    ),
    "32: both ways of calling in two turns": (
        [assistant(tool_calls=[CALL]), user("Go on."), assistant(tool_call={**CALL, "id": "c2"})],
        [
            called("{}", "c1"),
            spoken("user", "Go on.", None),
            called("{}", "c2"),
        ],
        [],
    ),
    "33: a reply": (
        [assistant(tool_call=CALL), {"role": "tool", "name": "f", "call_id": "c1", "content": "1"}],
        [
            called("{}", "c1"),
            replied("functions.f", "c1"),
        ],
        [],
    ),
    "35: a value in place of the arguments": (
        [
            assistant(tool_call={"id": "c1", "recipient": "functions.f"}),
            assistant(tool_call={**CALL, "id": "c2", "arguments": [1]}),
        ],
        [
            called("", "c1"),
            called("[1]", "c2"),
        ],
        [],
    ),
    "36: a role with a dot": (
        [assistant(tool_call=CALL), {"role": "functions.f", "content": "1", "call_id": "c1"}],
        [
            called("{}", "c1"),
            replied("functions.f", "c1"),
        ],
        [],
    ),
    "36: a built-in tool": (
        [{"role": "python", "content": "1", "call_id": "c1"}],
        [replied("python", "c1")],
        [("reply-unpaired", "/messages/0/call_id")],
    ),
    "37: a call and a reply without an id": (
        [
            assistant(tool_call=WITHOUT_ID),
            {"role": "tool", "name": "functions.f", "content": "1"},
        ],
        [
            called("{}", None),
            replied("functions.f", None),
        ],
        [("call-id-missing", "/messages/0/call_id"), ("call-id-missing", "/messages/1/call_id")],
    ),
    "37: an unknown role, channel and intent": (
        [user("Hi", channel="x"), {"role": "robot", "content": "Hi"}, user("Hi", intent="y")],
        [
            spoken("user", "Hi", "x"),
            spoken("robot", "Hi", None),
            spoken("user", "Hi", None),
        ],
        [
            ("unknown-channel", "/messages/0/channel"),
            ("unknown-role", "/messages/1/role"),
            ("unknown-intent", "/messages/2/intent"),
        ],
    ),
    "38: a block of another spelling": (
        [{"role": "developer", "content": BLOCK.replace("type f", " type  f")}],
        [spoken("developer", BLOCK.replace("type f", " type  f"), None)],
        [],
    ),
}
"""Reading → what is read, the messages, and what is found."""


def fields_of(message: Message) -> Fields:
    return (message.role, message.channel, message.content, message.name, message.recipient, message.call_id)


@pytest.mark.parametrize("name", READINGS)
def test_readings(name: str) -> None:
    source, messages, found = READINGS[name]
    reading = read(source, ID, options=FORCED)
    assert isinstance(reading.transcript, Transcript)
    assert list(map(fields_of, reading.transcript.messages)) == messages
    assert [(finding.code, finding.path) for finding in reading.findings] == found
    assert reading.transcript.tools is None


@pytest.mark.parametrize("name", READINGS)
def test_every_reading_comes_back(name: str, options: Options) -> None:
    source = READINGS[name][0]
    for shaped in (source, Lines([user("Hi"), *source]), source[0]):
        result = write(read(shaped, ID, options=FORCED).transcript, ID, options=options, policy=LENIENT)
        assert (type(result.output), result.output) == (type(shaped), shaped)
        assert result.losses == ()


def test_38_tools_are_in_the_first_message_of_the_developer(options: Options) -> None:
    source = [{"role": "developer", "content": f"Be kind.\n\n{BLOCK}"}, user("Hi")]
    reading = read(source, ID)
    assert isinstance(reading.transcript, Transcript)
    assert fields_of(reading.transcript.messages[0]) == spoken("developer", "Be kind.", None)
    assert reading.transcript.tools == (Tool("f"),)
    assert output_of(reading.transcript, options) == source


def test_38_tools_alone_are_no_message(options: Options) -> None:
    source = [{"role": "developer", "content": BLOCK}, user("Hi", channel="x")]
    reading = read(source, ID)
    assert isinstance(reading.transcript, Transcript)
    assert list(map(fields_of, reading.transcript.messages)) == [spoken("user", "Hi", "x")]
    assert [finding.path for finding in reading.findings] == ["/messages/0/channel"]
    assert output_of(reading.transcript, options) == source


NO_MESSAGES: list[tuple[Any, str, str]] = [
    *((each, "", "a message must be an object with a role") for each in (1, {}, {"role": 1})),
    *(
        (user("Hi", **{key: 1}), f"/{key}", f"{key} must be a text")
        for key in ("content", "thinking", "channel", "name", "call_id", "intent")
    ),
    *(
        (assistant(tool_call={**CALL, key: 1}), f"/tool_call/{key}", f"{key} must be a text")
        for key in CALL
        if key != "arguments"
    ),
    (assistant(tool_call=1), "/tool_call", "a tool call must be an object"),
    (assistant(tool_call={}), "/tool_call", "a tool call names no recipient"),
    (assistant(tool_calls=1), "/tool_calls", "tool_calls must be a list"),
    (assistant(tool_calls=[CALL, 1]), "/tool_calls/1", "a tool call must be an object"),
]


@pytest.mark.parametrize(("message", "path", "detail"), NO_MESSAGES)
def test_an_invalid_message_is_refused_with_its_path(message: Any, path: str, detail: str) -> None:
    with pytest.raises(BridgeError) as caught:
        read([user("Hi"), message], ID, options=FORCED)
    assert (caught.value.path, caught.value.message.partition(";")[0]) == (f"/1{path}", detail)


def test_38_other_members_of_a_message_of_tools_come_back(options: Options) -> None:
    source = [{"mood": "calm", "role": "developer", "content": BLOCK}, user("Hi")]
    assert output_of(read(source, ID).transcript, options) == source


SNIFFED: list[tuple[Any, int]] = [
    ([user("Hi", channel="final")], 3),
    ([assistant(tool_call=CALL)], 3),
    ([user("Hi")], 1),
    (user("Hi"), 1),
    ([[user("Hi")], [user("Hi", channel="final")]], 1),
    ([], 0),
    ([user("Hi"), 1], 0),
    ([{"content": "Hi"}], 0),
    ([{"role": "robot", "content": "Hi"}], 1),
    ({"role": "robot", "content": "Hi"}, 0),
    ([{"role": "user", "content": []}], 0),
    *(
        ([user("Hi"), assistant(content="Hi", **{key: []})], 0)
        for key in ("tool_calls", "parts", "messages", "choices")
    ),
    ("Hi", 0),
]


@pytest.mark.parametrize(("source", "certainty"), SNIFFED)
def test_objects_are_known_by_their_keys(source: Any, certainty: int) -> None:
    assert sniff(source) == certainty


def test_a_thought_of_a_message_has_its_name() -> None:
    """OCM 2.2 §10: one object has a thought beside the answer."""
    wire = {"role": "assistant", "name": "bob", "thinking": "Hm.", "content": "Yes."}
    document = read([wire], "ocm-2.2-json").transcript
    assert isinstance(document, Transcript)
    assert [(message.name, message.channel) for message in document.messages] == [("bob", "analysis"), ("bob", None)]


def test_a_marker_that_has_no_meaning_is_not_broken() -> None:
    """Thought markers have one in the assistant's analysis only; elsewhere nothing of them is changed or reported."""
    text = "a <|start_reflect|> b"
    written = write(Transcript((Message("user", text), Message("assistant", text, channel="final"))), "ocm-2.2-json")
    output: Any = written.output
    assert [message["content"] for message in output] == [text, text]
    assert not written.losses


def test_the_legacy_role_of_a_reply_becomes_its_name() -> None:
    (written,) = write(Transcript((Message("functions.f", "1"),)), "ocm-2.2-json", policy=LENIENT).output
    assert (written["role"], written["name"]) == ("tool", "functions.f")
