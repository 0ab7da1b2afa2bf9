"""ShareGPT rows: public ones come back, and they read as a person reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from ocml_adapters.sharegpt.sniff import sniff
from ocml_adapters.sharegpt.turns import read_turn
from ocml_bridge import BridgeError, Options, convert, detect, read, write
from ocml_bridge.errors import ErrorCode
from ocml_bridge.model import Media, Message, Text, Tool, Transcript, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.split import read_all
from ocml_bridge.testing.laws import all_laws
from outcomes import PLAIN, PLANNED, outcome


def human(text: str, **more: Any) -> dict[str, Any]:
    return {"from": "human", "value": text, **more}


def gpt(text: str, **more: Any) -> dict[str, Any]:
    return {"from": "gpt", "value": text, **more}


def call(text: str) -> dict[str, Any]:
    return {"from": "function_call", "value": text}


def result(text: str) -> dict[str, Any]:
    return {"from": "observation", "value": text}


def row(*turns: dict[str, Any], **columns: Any) -> dict[str, Any]:
    return {"conversations": list(turns), **columns}


def transcript(document: Any) -> Transcript:
    found = read(document, "sharegpt").transcript
    assert isinstance(found, Transcript)
    return found


def comes_back(document: Any) -> bool:
    return json.dumps(convert(document, source="sharegpt", target="sharegpt").output) == json.dumps(document)


# --- public data ------------------------------------------------------------------------------------------------------


def public_rows() -> Iterator[dict[str, Any]]:
    for path in sorted(corpus_path("legacy").iterdir()):
        text = path.read_text("utf-8")
        if path.suffix == ".json":
            rows: list[Any] = json.loads(text) if text.lstrip().startswith("[") else [json.loads(text)]
        else:
            rows = [json.loads(line) for line in text.splitlines() if line] if path.suffix == ".jsonl" else []
        yield from (each for each in rows if isinstance(each, dict) and "conversations" in each)


def test_public_rows_come_back_without_a_finding() -> None:
    rows = list(public_rows())
    assert len(rows) >= 800
    for each in rows:
        assert detect(each) == "sharegpt"
        assert read(each, "sharegpt").findings == ()
        assert comes_back(each)


def test_public_rows_have_the_same_turns_in_chat_completions() -> None:
    """Every turn is one message there, or one call, with the words of the turn."""
    for each in public_rows():
        request: Any = convert(each, source="sharegpt", target="openai", policy=LENIENT).output
        messages: list[Any] = request["messages"] if "messages" in request else request["input"]["messages"]
        turns = each["conversations"]
        assert len(messages) == len(turns)
        for turn, message in zip(turns, messages, strict=True):
            if turn["from"] == "function_call":
                wanted = json.loads(turn["value"])
                (made,) = message["tool_calls"]
                assert made["function"]["name"] == wanted["name"]
                assert json.loads(made["function"]["arguments"]) == wanted["arguments"]
            else:
                assert message["content"] == turn["value"]


# --- readings ---------------------------------------------------------------------------------------------------------

F, G = ('{"name": "f", "arguments": {"a": 1}}', '{"name": "g", "arguments": {}}')
WEIGHTS = ("weight", "loss_weight", "train", "loss")
ANSWERS: list[Any] = ["a", gpt("a"), [gpt("a")], [gpt("a"), human("b"), gpt("c")]]
"""The forms of an answer that is preferred or not."""


@pytest.mark.parametrize(
    "document",
    [
        row({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}),
        {"conversation": [human("Hi")], "lang": "en"},
        [human("Hi"), gpt("Hello", loss=False)],
        row(human("Hi"), gpt("<think>\n\n</think>\n\nHello")),
        row(human("Hi"), gpt("  <think>a</think>Hello")),
        row(human("Hi"), gpt("<think>\na\n</think>\n\n")),
        row(human("Hi"), gpt("<think> never closed")),
        row(human("Hi"), call('[{"name":"f"}]'), {"from": "observation", "value": ""}),
        row(human("Hi"), call('{"arguments": {"a": 1}, "name": "f", "note": 2}')),
        row(human("Hi"), call("f(1)")),
        row(human("Hi"), tools="no JSON", system=""),
        row(human("Hi"), tools=[{"name": "f", "note": 1}]),
        row(human("Hi"), tools='[{"type": "function", "function": {"name": "f"}, "note": 1}]'),
        row(human("Hi"), tools=[{"note": 1, "function": {"parameters": {}, "name": "f"}, "type": "function"}]),
        row(human("<image> and <image>"), images=["only-one.png"]),
        row(human("Hi"), chosen="a", rejected="b"),
        row(human("Hi"), chosen=[gpt("a")], rejected=[gpt("b"), human("c")]),
        row(human("Hi"), chosen=gpt("a")),
        *(row(human("Hi"), chosen=one, rejected=other) for one in ANSWERS for other in ANSWERS),
        *(row(human("Hi", **{key: value})) for key in WEIGHTS for value in (0, 1, 0.5, True, False, None)),
        row(human("Hi", weight=1, loss=False), gpt("Hello", train_detail=[[0, 2]])),
        row(human("Hi"), call(F), call(G), result("1"), result("2"), gpt("Both.")),
        row(human("Hi"), call(f"[{F}, {G}]"), result("1"), result("2")),
        row(human("Hi"), gpt("<think>\na\n</think>"), gpt("Hello")),
        row(human("Hi"), gpt("<think>\na\n</think>\n\nHello"), gpt("Again")),
        row(human("Hi"), gpt("a"), human("b"), human("c")),
        row({"from": "system", "value": "S"}, human("Hi"), system="T"),
        row({"from": "robot", "value": None}, {"value": "Hi", "from": "human"}),
        {"tools": "[]", "lang": None, "conversations": [human("Hi")], "system": "S"},
        {"messages": [human("Hi")], "n": 0},
        row(human("<image>"), gpt("<image>"), images=["i"]),
        row(human("<image><audio>"), system="<video>", images=["i"], audios=["a"], videos=["v"], lang="en"),
        row(human("<video><image>"), lang="en", images=["i"], videos=["v"]),
        row(human("<video><image>"), videos=["v"], lang="en", images=["i"]),
        row(human("<image>"), chosen="a", images=["i"], tools="none"),
        row(human("<image>"), images=["i"], chosen="a", rejected="b", tools="[]"),
        row(human("<image>"), images=[{"path": "i"}]),
        row({"from": "human" * 30, "value": "Hi"}),
        row(),
    ],
)
def test_1_everything_comes_back(document: Any) -> None:
    assert comes_back(document)


def test_2_a_thought_precedes_its_answer_or_call() -> None:
    first, second = transcript(row(gpt("<think>\na\n</think>\n\nb"))).messages
    assert (first.channel, first.content, second.channel, second.content) == ("analysis", "a", "final", "b")
    thought, called = transcript(row(call('<think>x</think>{"name": "f", "arguments": {}}'))).messages
    assert (thought.content, called.recipient) == ("x", "functions.f")


def test_3_arguments_are_their_json_or_its_text() -> None:
    given = '[{"name": "f", "arguments": {"a": 1.50}}, {"name": "f", "arguments": "{\\"a\\":2}"}, {"name": "f"}]'
    assert [message.content for message in transcript(row(call(given))).messages] == ['{"a": 1.50}', '{"a":2}', "{}"]


def test_4_a_call_that_is_no_json_is_no_answer() -> None:
    reading = read(row(call("f(1)")), "sharegpt")
    (message,) = transcript(row(call("f(1)"))).messages
    assert (message.recipient, message.content) == ("functions.", "f(1)")
    assert [finding.code for finding in reading.findings] == ["shape"]


def test_5_results_answer_the_calls_in_order() -> None:
    both = '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'
    results = {"from": "observation", "value": "1\n</tool_response>\n<tool_response>\n2"}
    replies = transcript(row(call(both), results)).messages[2:]
    assert [(reply.name, reply.content) for reply in replies] == [("functions.f", "1"), ("functions.g", "2")]


def test_6_text_before_a_call_is_a_preamble() -> None:
    text, _ = transcript(row(gpt("I look."), call('{"name": "f", "arguments": {}}'))).messages
    assert (text.channel, text.intent) == ("commentary", "preamble")


def test_7_placeholders_are_media() -> None:
    (message,) = transcript(row(human("a<image>b<video>"), videos=["v"], images=["i"])).messages
    assert message.content == (Text("a"), Media("image", url="i"), Text("b"), Media("video", url="v"))
    (message, _) = transcript(row(human("Hi"), system="a<image>", images=["i"])).messages
    assert message.content == (Text("a"), Media("image", url="i"))


def test_7_placeholders_are_media_in_answers_and_results() -> None:
    """As LLaMA-Factory counts them."""
    _, answer = transcript(
        row(human("Draw."), gpt("<think>\nA cat?\n</think>\n\n<image>Here."), images=["i"])
    ).messages[1:]
    assert answer.content == (Media("image", url="i"), Text("Here."))
    results = result("1\n</tool_response>\n<tool_response>\n<image>2")
    asked, _, first, second = transcript(row(human("<image>"), call(F), results, images=["i", "j"])).messages
    assert asked.content == (Media("image", url="i"),)
    assert (first.content, second.content) == ("1", (Media("image", url="j"), Text("2")))


@pytest.mark.parametrize(
    "turn",
    [
        gpt("Write <image> there."),
        gpt("<think>\n<image>\n</think>\n\nHello"),
        {"from": "function_call", "value": '{"name": "f", "arguments": {"a": "<image>"}}'},
        {"from": "observation", "value": "<image>"},
    ],
)
def test_7_an_answer_may_mention_a_placeholder(turn: Any) -> None:
    """Then those of whoever asks count."""
    document = row(human("<image>"), turn, images=["i"])
    assert transcript(document).messages[0].content == (Media("image", url="i"),)
    assert comes_back(document)


@pytest.mark.parametrize("count", [0, 2])
def test_7_placeholders_are_texts_where_there_are_not_as_many_media(count: int) -> None:
    document = row(human("<image>"), images=["i"] * count)
    assert transcript(document).messages[0].content == "<image>"
    assert comes_back(document)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_media_of_answers_and_results_are_left_out_where_a_text_mentions_a_placeholder(role: str) -> None:
    mentioning = Message("assistant", "So <image> it is.", channel="final")
    asked = Message("user", (Text("Look: "), Media("image", url="i")))
    shown = Message(role, (Text("Here: "), Media("image", url="j")))
    written = write(Transcript((asked, mentioning, shown)), "sharegpt", policy=LENIENT)
    assert written.output["images"] == ["i"]
    assert ("media", "/messages/2/content/1") in [(loss.code, loss.path) for loss in written.losses]
    assert transcript(written.output).messages[0].content == asked.content


def test_media_are_left_out_where_a_text_would_be_taken_for_their_place() -> None:
    document = Transcript((Message("user", (Text("is <image> a tag?"), Media("image", url="i"))),))
    result = write(document, "sharegpt", policy=LENIENT)
    assert result.output == row(human("is <image> a tag?"))
    assert [(loss.code, loss.path) for loss in result.losses] == [("media", "/messages/0/content/1")]


def test_tools_are_a_text_of_functions() -> None:
    tools = (Tool("f", "Does.", {"type": "object"}, strict=True),)
    written: Any = write(Transcript((Message("user", "Hi"),), tools), "sharegpt").output
    assert json.loads(written["tools"]) == [
        {"name": "f", "description": "Does.", "parameters": {"type": "object"}, "strict": True}
    ]
    assert transcript(written).tools == tools


@pytest.mark.parametrize(
    "message",
    [
        Message("assistant", "<think>a</think>b", channel="final"),
        Message("assistant", "a</think>b", channel="analysis"),
        Message("tool", "1\n</tool_response>\n<tool_response>\n2", channel="commentary", recipient="assistant"),
        Message("assistant", "<\u200bthink>a</think>b", channel="final"),
    ],
)
def test_12_text_that_would_be_misread_is_broken_and_comes_back(message: Message) -> None:
    result = write(Transcript((message,)), "sharegpt", policy=LENIENT)
    assert "control-token" in [loss.code for loss in result.losses]
    assert [each.content for each in transcript(result.output).messages] == [message.content]


def test_a_list_of_rows_is_several_conversations() -> None:
    rows = [row(human("a")), row(human("b"))]
    with pytest.raises(BridgeError) as error:
        read(rows, "sharegpt")
    assert error.value.code is ErrorCode.SEVERAL
    assert [reading.transcript for reading in read_all(rows, "sharegpt")] == [transcript(each) for each in rows]


A_ROW = "expected a row with 'conversations', or a list of turns with 'from' and 'value'"
NO_TEXT: dict[str, Any] = {"from": "human", "value": 1}
NO_ROWS: list[Any] = [
    {},
    3,
    [],
    {"conversations": [[]]},
    row({"from": 1, "value": ""}),
    row(human("Hi"), NO_TEXT),
    row(human("Hi"), {"from": "gpt"}),
    [human("Hi"), NO_TEXT],
    {"messages": [{"role": "user", "content": "Hi"}]},
]


@pytest.mark.parametrize("document", NO_ROWS)
def test_an_invalid_row_is_refused(document: Any) -> None:
    with pytest.raises(BridgeError) as error:
        read(document, "sharegpt", options=Options(force_format=True))
    assert (error.value.code, error.value.path) == (ErrorCode.SHAPE, "")
    assert error.value.message.startswith(A_ROW)


@pytest.mark.parametrize("answers", [{"chosen": NO_TEXT, "rejected": "b"}, {"chosen": "a", "rejected": [gpt("b"), 1]}])
def test_answers_that_are_none_are_columns(answers: dict[str, Any]) -> None:
    found = transcript(row(human("Hi"), **answers))
    assert (found.alternatives, found.extras) == (None, {"sharegpt": answers})


SNIFFED: list[tuple[Any, int]] = [
    (row(human("Hi")), 3),
    ([human("Hi"), gpt("Hello")], 3),
    (row({"role": "user", "content": "Hi"}), 3),
    ([row(human("Hi")), row(human("Hi"))], 3),
    ([{"role": "user", "content": "Hi"}], 0),
    (row(), 1),
    ([row(human("Hi")), row()], 1),
    ([row(human("Hi")), 1], 0),
    ([], 0),
    (3, 0),
]


@pytest.mark.parametrize(("document", "certainty"), SNIFFED)
def test_a_row_is_known_by_the_keys_of_its_turns(document: Any, certainty: int) -> None:
    assert sniff(document) == certainty


# --- what is edited ---------------------------------------------------------------------------------------------------


def edited(document: Any, **fields: Any) -> Any:
    """A row with another last message."""
    found = transcript(document)
    messages = (*found.messages[:-1], replace(found.messages[-1], **fields))
    return write(replace(found, messages=messages), "sharegpt", policy=LENIENT).output


def test_an_edited_text_keeps_its_place() -> None:
    turn = {"value": "Hello", "id": 1, "from": "chatgpt"}
    before: Any = {"lang": "en", "conversations": [human("Hi"), turn], "tools": "[]"}
    after: Any = {**before, "conversations": [human("Hi"), {**turn, "value": "Bye"}]}
    assert json.dumps(edited(before, content="Bye")) == json.dumps(after)


def test_a_word_for_another_speaker_is_not_kept() -> None:
    before = row(human("Hi"), {"from": "chatgpt", "value": "Hello"})
    assert edited(before, role="user", channel=None) == row(human("Hi"), human("Hello"))


BETWEEN = "\n</tool_response>\n<tool_response>\n"


@pytest.mark.parametrize(
    ("role", "text", "turn"),
    [
        ("gpt", "<think>a</think>b", gpt("<\u200bthink>a</think>b")),
        ("Bard", "b", gpt("b")),
        ("function_call", '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]', None),
        ("observation", f"a{BETWEEN}b", result(f"a{BETWEEN}b".replace("</", "<\u200b/"))),
        ("human", "Hi", human("Hi")),
    ],
)
def test_a_role_that_is_a_word_for_a_speaker_is_that_speaker(role: str, text: str, turn: dict[str, Any] | None) -> None:
    written = write(Transcript((Message("user", "Hi"), Message(role, text))), "sharegpt")
    assert written.output == row(human("Hi"), gpt(text) if turn is None else turn)
    assert ("role", "/messages/1/role") in [(loss.code.value, loss.path) for loss in written.losses]
    all_laws(written.document, "sharegpt")


def test_the_spelling_of_a_call_is_kept_for_the_same_call() -> None:
    before = row(human("Hi"), call('{"arguments":{"a":1},"name":"f"}'))
    assert edited(before, weight=0.5) == row(human("Hi"), {**call('{"arguments":{"a":1},"name":"f"}'), "weight": 0.5})
    assert edited(before, content='{"a": 2}') == row(human("Hi"), call('{"name": "f", "arguments": {"a": 2}}'))


@pytest.mark.parametrize(("weight", "kept"), [(1, {"train": True}), (0, {"train": False}), (0.5, {"train": 0.5})])
def test_a_weight_has_the_key_that_it_had(weight: float, kept: dict[str, Any]) -> None:
    assert edited(row(human("Hi"), gpt("Hello", train=True)), weight=weight) == row(human("Hi"), gpt("Hello", **kept))


def test_the_system_text_stays_in_its_column() -> None:
    found = transcript(row(human("Hi"), system="S"))
    first, second = found.messages
    changed = replace(found, messages=(replace(first, content="T"), second))
    assert write(changed, "sharegpt").output == row(human("Hi"), system="T")
    turned = replace(found, messages=(second, first))
    assert write(turned, "sharegpt").output == row(human("Hi"), {"from": "system", "value": "S"})


@pytest.mark.parametrize("turn", [{"from": "gpt"}, {"from": "gpt", "value": 1}])
def test_a_turn_without_a_text_is_refused_with_its_place(turn: dict[str, Any]) -> None:
    with pytest.raises(BridgeError) as caught:
        read_turn(turn, "/conversations/1")
    assert (caught.value.code, caught.value.path) == (ErrorCode.SHAPE, "/conversations/1/value")


@pytest.mark.parametrize("plans", [True, False])
@pytest.mark.parametrize("key", ["\0", "\0column", "\0chosen", "\0media", "\0x"])
def test_no_member_of_a_turn_is_taken_for_a_mark(key: str, plans: bool) -> None:
    """No document can contain the marks that the writer puts on a turn until it has its place."""
    row = {"conversations": [{"from": "human", "value": "Hi", key: [1]}, {"from": "gpt", "value": "Yes."}]}
    for _ in range(6):
        result = convert(row, source="sharegpt", target="sharegpt", options=Options(plans=plans))
        assert (result.output, result.losses) == (row, ())


def test_a_call_beside_one_that_is_no_json_stays() -> None:
    opaque = Message("assistant", "look(around)", None, "commentary", "functions.", constraint="json", end="call")
    opaque.layout = {"sharegpt": {"opaque": True}}
    call = replace(opaque, content="{}", recipient="functions.keep", layout=None)
    for first, *others in ((opaque, call), (call, opaque), (opaque, call, opaque), (opaque, opaque)):
        document = Transcript((first, *(replace(other, continues=True) for other in others)))
        all_laws(document, "sharegpt")
        back = cast("Transcript", read(write(document, "sharegpt").output, "sharegpt").transcript)
        assert [each.content for each in back.messages] == [each.content for each in document.messages]


# --- turns like earlier ones ------------------------------------------------------------------------------------------

FORMS = (
    *(human("{}"), gpt("{}"), gpt("<think>\n{}\n</think>\n\n{}"), gpt("<think>\n{}\n</think>"), result("{}")),
    *(gpt("<think>{}</think>{}"), gpt(" <think>\n{}</think>\n{}"), gpt("<think>{}"), gpt("{}</think>{}"), gpt("")),
    *(human("<think>{}</think>{}"), {"from": "GPT", "value": "<think>{}</think>{}"}, gpt("{}", weight=0)),
    call('{"name": "f", "arguments": {"a": "{}"}}'),
    call('<think>\n{}\n</think>\n\n{"name": "f", "arguments": {"a": "{}"}}'),
    *(call("<think>{}</think>{}"), call("{}")),
)
TEXTS = ("Hi.", "a\nb", "", "\n", "\na", "a\n", " ", "<", "<think>", "</think>", "<\u200b/think>", "<image>", "{}", '"')


@given(
    st.lists(st.sampled_from(FORMS), min_size=1, max_size=4), st.lists(st.sampled_from(TEXTS), min_size=8, max_size=8)
)
def test_a_row_like_earlier_ones_is_converted_as_without_plans(turns: list[dict[str, Any]], texts: list[str]) -> None:
    """Rows with the same turns differ in their texts and thoughts."""

    def filled(words: list[str]) -> bytes:
        left = iter(words)
        found = row(*({**turn, "value": re.sub(r"\{\}", lambda _: next(left), turn["value"])} for turn in turns))
        return json.dumps(found).encode()

    for target in ("openai", "sharegpt"):
        for number in range(9):
            outcome(filled([f"word {number}"] * 8), "sharegpt", target, PLANNED)
        data = filled(texts)
        assert outcome(data, "sharegpt", target, PLANNED) == outcome(data, "sharegpt", target, PLAIN)
