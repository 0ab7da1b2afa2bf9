"""The dialect of HyperCLOVA X: reading 17 of docs/formats/chatml.md, "Dialects"."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ocml_bridge import FindingCode, Message, Options, Tool, Transcript, read, write
from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.chat.visibility import DEBUG, hidden_by
from ocml_bridge.events import Delta, Start
from ocml_bridge.model import replace
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.profiles import profile
from ocml_bridge.stream import replay
from ocml_bridge.testing import laws
from ocml_bridge.testing.streams import check_decoding

START, END = "<|im_start|>", "<|im_end|>"
THOUGHT = f"{START}assistant/think\nHm.{END}\n"
CALLS = (
    f"{START}assistant -> tool/function_call\n"
    f'[{{"name": "f", "arguments": {{"a": 1}}}}, {{"name": "g", "arguments": {{}}}}]{END}<|stop|>\n'
)
REPLIES = "".join(f"{START}tool/function_call\n{reply}{END}\n" for reply in ("one", "two"))
ANSWER = f"{START}assistant\nYes.{END}<|endofturn|>\n"
ASKED = f"{START}user\nWhy?{END}\n"
NO_TOOLS = f"{START}tool_list\n{END}\n"
TOOLS = f'{START}tool_list\n[{{"name": "f", "description": "Looks.", "parameters": {{"type": "object"}}}}]{END}\n'


def transcript(text: str) -> Transcript:
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    return document


def check_read(text: str) -> Transcript:
    """Check that a text comes back and keeps the laws, also as a stream; return what it reads as."""
    document = transcript(text)
    assert write(document, "chatml").output == text
    for target in ("chatml", "chatml:hyperclova", "chatml:hermes", "chatml-json"):
        laws.all_laws(document, target)
    check_decoding(text, "chatml", [list(text), [text[at : at + 7] for at in range(0, len(text), 7)]])
    return document


def test_a_conversation_is_read_and_written_anew_as_it_was() -> None:
    text = TOOLS + f"{START}system\nBe brief.{END}\n" + ASKED + THOUGHT + CALLS + REPLIES + THOUGHT + ANSWER
    document = check_read(text)
    assert document.layout == {"chatml": {"family": "hyperclova"}}
    assert document.tools == (Tool("f", "Looks.", {"type": "object"}),)
    _, _, thought, one, other, first, second, again, answer = document.messages
    assert (thought.role, thought.channel, thought.content) == ("assistant", "analysis", "Hm.")
    assert [(each.recipient, each.content) for each in (one, other)] == [
        ("functions.f", '{"a": 1}'),
        ("functions.g", "{}"),
    ]
    assert [each.continues for each in (one, other, again, answer)] == [True, True, False, True]
    assert [(each.role, each.name) for each in (first, second)] == [("tool", "functions.f"), ("tool", "functions.g")]
    assert write(Transcript(document.messages, document.tools), "chatml:hyperclova").output == text


def test_a_thought_never_reaches_a_client() -> None:
    document = transcript(NO_TOOLS + ASKED + THOUGHT + ANSWER)
    assert [each.content for each in document.messages if hidden_by(each) is None] == ["Why?", "Yes."]
    contents = [each["content"] for each in json.loads(write(document, "openai").data)["messages"]]
    assert contents == ["Why?", "Yes."]


@pytest.mark.parametrize("header", ["assistant -> tool/function_call", "assistant -> tool/other", "assistant -> tool"])
def test_a_frame_for_calls_that_names_no_tool_is_private(header: str) -> None:
    text = f"{ASKED}{START}{header}\nf(1){END}<|stop|>\n{ANSWER}"
    document = check_read(text)
    assert is_thought(document.messages[1])
    assert [finding.code for finding in read(text, "chatml").findings] == [FindingCode.JSON_OPAQUE]


@pytest.mark.parametrize(
    "body",
    ['{"name": "f", "input": {"a": 1}}', '{"name": "f", "arguments": {"a": 1}}', ' [{"name":"f","input":{"a": 1}}]\n'],
)
def test_a_call_may_be_no_list_and_have_an_input(body: str) -> None:
    text = f"{ASKED}{START}assistant -> tool/function_call\n{body}{END}<|stop|>"
    (made,) = filter(is_call, check_read(text).messages)
    assert (made.recipient, made.content) == ("functions.f", '{"a": 1}')
    assert read(text, "chatml").findings == ()


def test_calls_that_are_cut_off_are_read_as_far_as_they_go() -> None:
    calls = '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {"b'
    text = f"{ASKED}{START}assistant -> tool/function_call\n{calls}"
    _, one, other = check_read(text).messages
    assert [(each.recipient, each.content, each.end) for each in (one, other)] == [
        ("functions.f", "{}", "call"),
        ("functions.g", '{"b', None),
    ]


def test_calls_that_are_not_quite_json_are_repaired() -> None:
    text = (
        f"{ASKED}{START}assistant -> tool/function_call\n[{{'name': 'f', 'arguments': {{'a': True}}}},]{END}<|stop|>\n"
    )
    (made,) = filter(is_call, check_read(text).messages)
    assert made.content == '{"a": true}'
    assert [finding.code for finding in read(text, "chatml").findings] == [FindingCode.JSON_REPAIRED]


@pytest.mark.parametrize("turn", [f"{START}assistant/think\n", f"{START}assistant/think\n{END}\n{START}assistant\n"])
def test_the_prompt_opens_a_turn_with_or_without_a_thought(turn: str) -> None:
    text = NO_TOOLS + ASKED + turn
    document = check_read(text)
    assert document.open_turn is not None
    assert document.open_turn.role == "assistant"


def test_a_thought_is_passed_on_as_it_comes_and_as_one() -> None:
    reader = decoder("chatml", prefix=f"{NO_TOOLS}{ASKED}{START}assistant")
    assert reader.feed("/think\nHm") == [
        Start(1, Message("assistant", "", channel="analysis", end=None)),
        Delta(1, "Hm"),
    ]
    reader.feed(f"{END}\n{START}assistant")
    opening = Message("assistant", "", channel="final", end=None, continues=True)
    assert reader.feed("\nYes") == [Start(2, opening), Delta(2, "Yes")]


def test_what_other_dialects_put_into_a_frame_stays_there() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    document = check_read(
        f"{ASKED}{THOUGHT}{START}assistant\n<think>\nSo.\n</think>\n\nI look.\n{call}{END}\n"
        f"{START}assistant\n<think>\nAlone.\n</think>{END}\n{START}assistant\n{call}{END}\n"
    )
    assert [each.channel for each in document.messages[1:]] == [
        *("analysis", "analysis", "commentary", "commentary", "analysis", "commentary")
    ]


@pytest.mark.parametrize("role", ["assistant/think", "tool/function_call", "tool_list"])
def test_a_role_that_is_a_header_of_the_dialect_is_written_as_what_it_means(role: str) -> None:
    document = Transcript((Message("user", "Hi"), Message(role, "[]"), Message("assistant", "Yes.", channel="final")))
    for target in ("chatml", "chatml:hyperclova", "chatml:hermes", "chatml-json"):
        laws.all_laws(document, target)
    for target in ("chatml", "chatml:hermes"):
        assert role not in str(write(document, target).output)


def test_a_thought_by_its_role_is_private_and_other_roles_are_not() -> None:
    roles = ("assistant/think", "tool/function_call", "tool_list")
    for role in roles:
        for target in ("chatml:hyperclova", "chatml:hermes"):
            image = write(Transcript((Message("user", "Hi"), Message(role, "[]"))), target).image
            assert isinstance(image, Transcript)
            hidden = [each.role for each in image.messages if is_thought(each)]
            assert hidden == (["assistant"] if role == "assistant/think" else []), (role, target)


@pytest.mark.parametrize("text", [ASKED + NO_TOOLS, TOOLS + NO_TOOLS + ASKED, NO_TOOLS + TOOLS + ASKED])
def test_only_the_first_list_of_tools_is_one(text: str) -> None:
    assert sorted(each.role for each in check_read(text).messages) == ["system", "user"]


@pytest.mark.parametrize("text", [ASKED + ANSWER, ASKED + ANSWER + ASKED])
def test_texts_are_recognised_by_the_tokens_after_turns(text: str) -> None:
    assert check_read(text).layout == {"chatml": {"family": "hyperclova"}}
    assert read(text, "chatml").findings == ()


def test_a_header_for_tools_declares_none_behind_the_first_system_text() -> None:
    text = TOOLS.partition("\n")[2].removesuffix(f"{END}\n")
    forged = Message("system", text, layout={"chatml": {"header": "tool_list"}})
    document = Transcript(
        (Message("system", "Be brief."), forged, Message("user", "Why?")), layout={"chatml": {"family": "hyperclova"}}
    )
    result = write(document, "chatml")
    assert "tool_list" not in str(result.output)
    assert transcript(str(result.output)) == result.image
    assert isinstance(result.image, Transcript)
    assert (result.image.tools, [each.content for each in result.image.messages]) == (None, ["Be brief.", text, "Why?"])
    laws.all_laws(document, "chatml")


def test_a_reply_has_no_header_of_the_user() -> None:
    reply = Message("tool", "one", "functions.f", layout={"chatml": {"header": "user"}})
    document = Transcript((Message("user", "Why?"), reply), layout={"chatml": {"family": "hyperclova"}})
    assert write(document, "chatml").output == f"{ASKED}{START}tool/function_call\none{END}\n"
    laws.all_laws(document, "chatml")


def test_calls_that_arrive_are_written_into_one_list() -> None:
    text = NO_TOOLS + ASKED + THOUGHT + CALLS + REPLIES + ANSWER
    for pieces in ([text], list(text)):
        pipe = Pipe(decoder("chatml"), encoder("chatml:hyperclova"))
        out = b"".join([*map(pipe.feed, pieces), pipe.finish()]).decode()
        assert CALLS in out
        assert transcript(out).messages == transcript(text).messages


def test_a_call_behind_an_answer_begins_a_turn_whose_replies_are_its_own() -> None:
    one = Message("assistant", "{}", channel="commentary", recipient="functions.f", end="call")
    answer, other = Message("assistant", "Yes.", channel="final"), replace(one, recipient="functions.g")
    document = Transcript((Message("user", "Why?"), one, answer, other, Message("tool", "two")))
    image = laws.all_laws(document, "chatml:hyperclova").result.image
    assert isinstance(image, Transcript)
    assert image.messages[-1].name == "functions.g"


@pytest.mark.parametrize("end", [None, "call"])
def test_a_call_that_another_follows_is_whole_in_the_list(end: Any) -> None:
    one = Message("assistant", '{"a": 1}', channel="commentary", recipient="functions.f", end=end)
    other = replace(one, content="{}", recipient="functions.g", end="call", continues=True)
    writer = encoder("chatml:hyperclova", visibility=DEBUG)
    events = replay(Transcript((Message("user", "Why?"), one, other)), "tool_calls")
    assert CALLS in b"".join(writer.encode(events)).decode()


def test_tokens_behind_turns_are_not_written_without_the_dialect() -> None:
    start, end = {"token": START}, {"token": END}
    source: list[Any] = [start, "user\nHi", end, "<|stop|>\n", start, "assistant\nYes.", end, "<|endofturn|>\n"]
    document = read(source, "chatml-json").transcript
    for target in ("chatml", "chatml:hyperclova", "chatml:hermes", "chatml-json"):
        laws.all_laws(document, target)
    assert "<|" not in str(write(document, "chatml").output).replace(START, "").replace(END, "")


# --- prompts, as the public chat template renders them ----------------------------------------------------------------

MODEL = profile("hyperclova-x")
WHY = {"role": "user", "content": "Why?"}
DECLARED = {
    "type": "function",
    "function": {"name": "f", "description": "Looks.", "parameters": {"type": "object"}},
}
NO_SYSTEM = f"{START}system\n{END}\n"


@pytest.mark.parametrize(
    ("effort", "turn"),
    [
        (None, f"{START}assistant"),
        ("high", f"{START}assistant/think\n"),
        ("none", f"{START}assistant/think\n{END}\n{START}assistant\n"),
    ],
)
def test_the_model_decides_whether_it_thinks_unless_the_request_does(effort: str | None, turn: str) -> None:
    prompt = MODEL.prompt({"messages": [WHY], **({"reasoning_effort": effort} if effort else {})})
    assert prompt.output == f"{NO_TOOLS}{NO_SYSTEM}{ASKED}{turn}"
    settings = [loss.severity for loss in prompt.losses if loss.path == "/settings/reasoning_effort"]
    assert settings == (["changed"] if effort == "high" else [])


def test_thoughts_behind_the_last_reply_are_shown() -> None:
    call: Any = {"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    other: Any = {"type": "function", "function": {"name": "g", "arguments": "{}"}}
    messages: Any = [
        {"role": "system", "content": "Be brief."},
        WHY,
        {"role": "assistant", "reasoning": "Look.", "tool_calls": [call | {"id": "c1"}, other | {"id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
        {"role": "tool", "tool_call_id": "c2", "content": "two"},
        {"role": "assistant", "reasoning": "Hm.", "content": "Yes."},
    ]
    begun = TOOLS + f"{START}system\nBe brief.{END}\n" + ASKED + CALLS + REPLIES
    prompt = MODEL.prompt({"messages": messages[:-1], "tools": [DECLARED]})
    assert prompt.output == f"{begun}{START}assistant"
    assert [(loss.code, loss.path) for loss in prompt.losses if loss.severity == "lost"][:1] == [
        ("thought", "/messages/2")
    ]
    line = MODEL.prompt({"messages": messages, "tools": [DECLARED]}, options=Options(training=True))
    assert line.output == begun + THOUGHT + ANSWER


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("\nYes.<|im_end|><|endofturn|>", [("final", "Yes.")]),
        (
            "/think\nHm.<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|><|endofturn|>",
            [("analysis", "Hm."), ("final", "Yes.")],
        ),
        (
            ' -> tool/function_call\n[{"name": "f", "arguments": {"a": 1}}]<|im_end|><|stop|>',
            [("commentary", '{"a": 1}')],
        ),
    ],
)
def test_an_answer_goes_on_in_the_header(answer: str, expected: list[tuple[str, str]]) -> None:
    for chunks in ([answer], list(answer)):
        reader = MODEL.answering({"messages": [WHY], "tools": [DECLARED]})
        events = [event for chunk in chunks for event in reader.feed(chunk)] + reader.finish("stop")
        stop: Any = events[-1]
        assert [(each.channel, each.content) for each in stop.document.messages] == expected


def test_what_follows_a_thought_in_the_same_frame_stays_in_it_and_what_has_a_frame_keeps_it() -> None:
    joined = f"{START}assistant\n<think>\na\n</think>\n\nb<think>\nc\n</think>\n\n{END}\n"
    document = check_read(f"{ASKED}{THOUGHT}{joined}{START}assistant\nd{END}\n")
    assert [(each.content, each.continues) for each in document.messages[1:]] == [
        *(("Hm.", False), ("a", True), ("b", True), ("c", True), ("d", False))
    ]
