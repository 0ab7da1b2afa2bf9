"""ChatML with the markup of model families; the numbers are those of docs/formats/chatml.md, "Dialects"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings

from corpus import corpus_path
from ocml_bridge import BridgeError, FindingCode, LossCode, Severity, convert, decoder, read, write
from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Media, Message, Text, Tool, Tools, Transcript, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import check_adapter, check_bytes, check_plans, laws
from sampling import sweep
from strategies_chatml import TURNS

DIALECTS = ("hermes", "nous", "qwen-xml", "lfm2", "hyperclova", "olmo", "minicpm")
"""Those that are written."""
OTHERS = frozenset({"gpt-oss", "internlm2-tool", "bielik-3"})
"""Templates of the grid that are not read as ChatML's dialects."""
READ = (
    *("chatml-plain", "qwen2.5-vl", "qwen2.5", "qwen3", "qwen3-0.6b", "qwen3-vl", "qwq", "hermes-2-pro"),
    *("qwen3-coder", "qwen3.5-think", "qwen3.5-nothink", "qwen3.8", "nemotron-3-nano", "nemotron-3-super"),
    *("step-3.5-flash", "lfm2", "lfm2.5-8b"),
)
"""Templates of the grid that are read."""


THOUGHT = "<think>\nHm.\n</think>\n\n"
ONE_CALL = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'


def transcript(text: str) -> Transcript:
    document = read(text, "chatml").transcript
    assert isinstance(document, Transcript)
    return document


def found(text: str) -> list[FindingCode]:
    return [finding.code for finding in read(text, "chatml").findings]


def back(text: str) -> Any:
    return write(read(text, "chatml").transcript, "chatml", policy=LENIENT).output


def answer(body: str) -> str:
    return f"<|im_start|>assistant\n{body}<|im_end|>\n"


def call(arguments: str = "{}", name: str = "f") -> Message:
    return Message("assistant", arguments, None, "commentary", f"functions.{name}", constraint="json", end="call")


# --- what templates render --------------------------------------------------------------------------------------------


class Rendered(NamedTuple):
    """A request, and the prompt that a public template makes of it."""

    family: str
    name: str
    request: dict[str, Any]
    prompt: str
    ignored: list[str]


@cache
def grid() -> tuple[Rendered, ...]:
    lines = corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if "prompt" in record]
    return tuple(
        Rendered(record["family"], record["name"], record["request"], record["prompt"], record["ignored"])
        for record in records
        if record["family"] not in OTHERS
    )


def rendered(family: str) -> Iterator[Rendered]:
    yield from (each for each in grid() if each.family == family)


def asked(request: dict[str, Any], ignored: list[str]) -> list[tuple[str, str, str, object]]:
    """What is compared of a request's messages: all that the template renders of them."""
    out: list[tuple[str, str, str, object]] = []
    for index, message in enumerate(request["messages"]):
        seen = {key: value for key, value in message.items() if f"/messages/{index}/{key}" not in ignored}
        calls = [
            (call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"))
            for call in seen.get("tool_calls") or ()
        ]
        thought = seen.get("reasoning_content") or seen.get("reasoning") or ""
        out.append((seen["role"], (seen.get("content") or "").strip(), thought.strip(), calls))
    return out


def declared(request: dict[str, Any], ignored: list[str]) -> list[Any]:
    return [] if "/tools" in ignored else request.get("tools") or []


CHANGED_BY_TEMPLATES = {
    "argument-types": "a null is the text `None`",
    "argument-types-two": "a null is the text `None`",
    "tools-odd": "no parameters are an empty list of them",
    "no-arguments-long-replies": "no parameters are an empty list of them",
    "empty-system": "an empty system message is left out",
    "call-null-content": "content without a value is the text `null`",
}
"""Requests of which some templates write something else, and what; they come back unchanged."""
MARKED = frozenset(READ) - {"chatml-plain", "qwen2.5-vl", "qwen2.5", "qwen3", "qwen3-0.6b", "qwen3-vl", "qwq"}
"""Templates that do so."""


@pytest.mark.parametrize("family", READ)
def test_what_a_template_renders_reads_as_the_request_and_comes_back(family: str) -> None:
    count = 0
    for each in rendered(family):
        assert back(each.prompt) == each.prompt, each.name
        count += 1
        if family in MARKED and (each.name in CHANGED_BY_TEMPLATES or each.name.endswith("-in-content")):
            continue
        made: Any = convert(each.prompt, source="chatml", target="openai", policy=LENIENT).output
        read_back, wanted = asked(made, []), asked(each.request, each.ignored)
        while read_back[0][0] == "system" and (wanted[0][0] != "system" or len(read_back) > len(wanted)):
            del read_back[0]  # a default text of the template's own
        assert [(role, calls) for role, _, _, calls in read_back] == [(role, calls) for role, _, _, calls in wanted]
        for (_, text, thought, _), (_, content, reasoning, _) in zip(read_back, wanted, strict=True):
            # Templates add their text on effort, and leave thoughts of earlier turns out.
            assert text == content or (family in MARKED and content in text), each.name
            assert thought == reasoning or (family in MARKED and thought == ""), each.name
        assert declared(made, []) == declared(each.request, each.ignored), each.name
    assert count > 20


def test_every_rendered_conversation_comes_back() -> None:
    texts = [path.read_text("utf-8") for path in sorted(corpus_path("chatml-dialects").glob("*.txt"))]
    assert [text for text in texts if back(text) != text] == []
    assert len(texts) > 60


@pytest.mark.sweep
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_templates_render_keeps_the_laws_in_every_dialect(dialect: str) -> None:
    for each in sweep(grid()[::23], 3):
        laws.all_laws(transcript(each.prompt), f"chatml:{dialect}")


# --- the laws ---------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.parametrize(("dialect", "check"), sweep(product(DIALECTS, [check_adapter, check_bytes, check_plans]), 2))
def test_the_laws(dialect: str, check: Any) -> None:
    check(f"chatml:{dialect}", examples=settings().max_examples)


@given(TURNS)
@example("<|im_start|>assistant/think\n")
@example("<|im_start|>assistant -> tool/function_call\n<|im_start|>assistant\n<|im_end|>\n")
@example("<|im_start|>assistant/think\n<think><|im_start|>assistant\n<|im_end|>\n")
@example("<|im_start|>environment\n<|im_end|>\n<|im_start|>assistant/think\n<|im_end|>\n")
@example("<|im_start|>assistant/think\n\n</think>\n\n<|im_end|>\n")
def test_any_markup_comes_back_and_keeps_the_laws(text: str) -> None:
    options = Options(force_format=True)
    try:
        reading = read(text, "chatml", options=options)
    except BridgeError:
        return
    assert write(reading.transcript, "chatml", policy=LENIENT).output == text
    laws.all_laws(reading.transcript, "chatml")
    for dialect in DIALECTS:
        laws.all_laws(reading.transcript, f"chatml:{dialect}")


@pytest.mark.parametrize(
    ("body", "thought", "shown"),
    [
        ("<think>\na\n</think>\n\n<think>\nb\n</think>\n\nHi", ["a", "b"], ["Hi"]),
        ("Hi\n<think>\nb\n</think>\n\nbye", ["b"], ["Hi", "bye"]),
        ('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<think>b</think>', ["b"], ["{}"]),
        ("<tool_call>no call <think>b</think></tool_call>", ["b"], ["<tool_call>no call ", "</tool_call>"]),
        ("Hi <think>b", ["b"], ["Hi "]),
        ("Behind `<think>` stands what is thought.", [], ["Behind `<think>` stands what is thought."]),
        ("```\n<think>b</think>\n```", ["b"], ["```", "```"]),
    ],
)
def test_1_a_thought_is_one_wherever_it_begins(body: str, thought: list[str], shown: list[str]) -> None:
    messages = transcript(answer(body)).messages
    assert [each.content for each in messages if is_thought(each)] == thought
    assert [each.content for each in messages if not is_thought(each)] == shown
    assert back(answer(body)) == answer(body)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_odd_markup_keeps_the_laws_in_every_dialect(dialect: str) -> None:
    for body in (
        "</think>\n</think>\n\n\n<think><think>",
        "<think>\na\n\n</think>\n\n\nHi\n\n<function=f>\n</function>\n\n",
    ):
        laws.all_laws(transcript(answer(body)), f"chatml:{dialect}")


@pytest.mark.parametrize("body", ["<think></think><think>", "</think>", "<think>\n</think>\n`"])
def test_7_an_answer_without_a_word_is_no_open_turn(body: str) -> None:
    document = transcript(f"<|im_start|>assistant\n{body}")
    assert document.messages
    for dialect in DIALECTS:
        laws.all_laws(document, f"chatml:{dialect}")


def test_2_a_tag_in_a_string_behind_the_arguments_is_none() -> None:
    (made,) = transcript(answer('<tool_call>\n{"arguments": {}, "name": "f</tool_call>"}\n</tool_call>')).messages
    assert (made.content, made.recipient) == ("{}", "functions.f</tool_call>")


@pytest.mark.parametrize("body", [f"{THOUGHT}{ONE_CALL}", f"Hi\n{ONE_CALL}", f"{ONE_CALL}\nHi", f"{THOUGHT}Hi"])
def test_2_all_messages_of_a_frame_have_its_name(body: str) -> None:
    text = answer(body).replace("assistant", "assistant name=bob")
    assert [message.name for message in transcript(text).messages] == ["bob", "bob"]
    assert back(text) == text


def test_2_text_after_the_json_of_a_call_is_text() -> None:
    body = '<tool_call>{"name": "f", "arguments": {"a": 1}} and more</tool_call>'
    messages = transcript(answer(body)).messages
    assert [each.content for each in messages] == ['{"a": 1}', " and more\n"]
    assert back(answer(body)) == answer(body)


def test_2_a_call_that_breaks_off_before_the_end_is_none() -> None:
    broken = '<tool_call>\n{"name": "f", "arguments": {"a": "\n'
    whole = '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    calls = [each for each in transcript(answer(broken + whole)).messages if is_call(each)]
    assert [each.recipient for each in calls] == ["functions.g"]
    (cut,) = transcript(f"<|im_start|>assistant\n{broken}").messages
    assert (cut.recipient, cut.end) == ("functions.f", None)


# --- thoughts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "thought", "text"),
    [
        ("<think>\nHm.\n</think>\n\nYes.", "Hm.", "Yes."),
        ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
        ("<think>\nHm.\n\n</think>\n\n\nYes.", "Hm.\n", "\nYes."),
        ("<think>\n\nHm. \n</think> Yes.\n", "\nHm. ", " Yes.\n"),
        ("Hm.\n</think>\nYes.", "Hm.", "Yes."),
        ("<think>\nI could <tool_call>.\n</think>\n\nNo.", "I could <tool_call>.", "No."),
    ],
)
def test_1_text_before_the_first_end_tag_is_the_thought(body: str, thought: str, text: str) -> None:
    messages = transcript(answer(body)).messages
    assert [(message.channel, message.content) for message in messages] == [("analysis", thought), ("final", text)]
    assert found(answer(body)) == []
    assert back(answer(body)) == answer(body)


def test_1_a_thought_that_is_cut_off_is_never_content() -> None:
    text = "<|im_start|>assistant\n<think>\nHm, I"
    (message,) = transcript(text).messages
    assert (message.channel, message.content, message.end) == ("analysis", "Hm, I", None)
    assert found(text) == [FindingCode.TRUNCATED]
    assert back(text) == text


def test_1_a_thought_without_a_word_is_remembered_and_no_message() -> None:
    text = answer("<think>\n\n</think>\n\nYes.")
    assert [(message.channel, message.content) for message in transcript(text).messages] == [("final", "Yes.")]
    assert back(text) == text


# --- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        '<tool_call>\n{"name": "f", "arguments": {"s": "</tool_call>"}}\n</tool_call>',
        '<tool_call>{"name":"f","arguments":{"s": "</tool_call>"}}</tool_call>',
        '<tool_call>\n{"arguments": {"s": "</tool_call>"}, "name": "f"}\n</tool_call>\n',
        '<tool_call>\n{"name": "f", "parameters": {"s": "</tool_call>"}}\n</tool_call>',
        '<tool_call>\n{"name": "f", "arguments": "{\\"s\\": \\"</tool_call>\\"}"}\n</tool_call>',
    ],
)
def test_2_a_call_ends_with_its_json(body: str) -> None:
    assert [(made.content, made.recipient) for made in transcript(answer(body)).messages] == [
        ('{"s": "</tool_call>"}', "functions.f")
    ]
    assert found(answer(body)) == []
    assert back(answer(body)) == answer(body)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{{"name": "f", "arguments": {"a": 1}}}', FindingCode.JSON_REPAIRED),
        ('{"name": "f", "arguments": {"a": 1,}}', FindingCode.JSON_REPAIRED),
        ("{'name': 'f', 'arguments': {'a': 1}}", FindingCode.JSON_REPAIRED),
        ('{"name": "f", "arguments": {"a": 1}, "id": 7}', FindingCode.SHAPE),
    ],
)
def test_2_calls_that_are_not_quite_json_are_mended(body: str, code: FindingCode) -> None:
    text = answer(f"<tool_call>\n{body}\n</tool_call>")
    (made,) = transcript(text).messages
    assert (json.loads(str(made.content)), made.recipient) == ({"a": 1}, "functions.f")
    assert found(text) == [code]
    assert back(text) == text


def test_2_a_call_that_cannot_be_read_stays_text_and_is_reported() -> None:
    text = answer("<tool_call>\nf(1)\n</tool_call>")
    (made,) = transcript(text).messages
    assert (made.channel, made.content) == ("final", "<tool_call>\nf(1)\n</tool_call>")
    assert found(text) == [FindingCode.JSON_OPAQUE]
    assert back(text) == text


def test_2_a_call_that_breaks_off_is_read_as_a_call() -> None:
    text = '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {"a": "x'
    (made,) = transcript(text).messages
    assert (made.content, made.recipient, made.end) == ('{"a": "x', "functions.f", None)
    assert found(text) == [FindingCode.TRUNCATED, FindingCode.TRUNCATED]
    assert back(text) == text


def test_2_several_calls_and_the_text_before_them_are_one_turn() -> None:
    text = answer(
        'I look.\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    )
    preamble, one, other = transcript(text).messages
    assert (preamble.content, preamble.channel, preamble.intent) == ("I look.", "commentary", "preamble")
    assert (one.recipient, other.recipient) == ("functions.f", "functions.g")
    assert [message.continues for message in (preamble, one, other)] == [False, True, True]
    assert write(Transcript(transcript(text).messages), "chatml:hermes").output == text


# --- replies, tools, open turns ---------------------------------------------------------------------------------------


def test_4_replies_in_one_frame_answer_the_calls_in_order() -> None:
    text = answer(
        '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n'
        '<tool_call>\n{"name": "g", "arguments": {}}\n</tool_call>'
    )
    text += "<|im_start|>user\n<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response><|im_end|>\n"
    replies = transcript(text).messages[2:]
    assert [(reply.role, reply.name, reply.content) for reply in replies] == [
        ("tool", "functions.f", "1"),
        ("tool", "functions.g", "2"),
    ]
    assert [reply.continues for reply in replies] == [False, True]
    assert back(text) == text


def test_4_replies_are_written_into_one_frame() -> None:
    replies = (Message("tool", "1", "functions.f", "commentary", "assistant"), Message("tool", "2", "functions.f"))
    output = write(Transcript((call(), call(), *replies)), "chatml:hermes").output
    assert isinstance(output, str)
    assert output.count("<|im_start|>user\n<tool_response>") == 1


@pytest.mark.parametrize("dialect", ["hermes", "nous", "qwen-xml"])
def test_4_replies_in_frames_of_their_own_stay_there(dialect: str) -> None:
    one, other = (Message("tool", str(n), "functions.f", "commentary", "assistant") for n in range(2))
    document = Transcript((call(), replace(call(), continues=True), one, other))
    apart = replace(other, layout={"chatml": {"apart": True}})
    text = str(write(replace(document, messages=(*document.messages[:3], apart)), f"chatml:{dialect}").output)
    frames = text.split("<|im_start|>")[-2:]
    assert ["0" in frame for frame in frames] == [True, False]
    assert transcript(text).messages[-1] == apart
    assert back(text) == text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_4_replies_are_recognised_as_of_their_family(dialect: str) -> None:
    reply = Message("tool", "1", "functions.f", "commentary", "assistant")
    text = str(write(Transcript((call(), reply, Message("assistant", "So."))), f"chatml:{dialect}").output)
    assert transcript(text).layout == {"chatml": {"family": dialect}}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_4_replies_are_recognised_before_an_open_turn_too(dialect: str) -> None:
    """No message follows it, so `nous` ends it otherwise than the first."""
    reply = Message("tool", "1", "functions.f", "commentary", "assistant")
    document = Transcript((call(), reply, call(), reply), open_turn=Message("assistant", ""))
    text = str(write(document, f"chatml:{dialect}").output)
    assert ("</tool_response>\n<|im_end|>" in text, "</tool_response><|im_end|>" in text) == ENDS[dialect]
    assert transcript(text).layout == {"chatml": {"family": dialect}}
    assert back(text) == text


ENDS = {dialect: (dialect in ("nous", "qwen-xml"), dialect in ("hermes", "nous", "minicpm")) for dialect in DIALECTS}
"""Dialect → whether a reply has a line end behind its closing tag, and whether one has none."""


@pytest.mark.parametrize("other", DIALECTS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_4_the_header_of_a_reply_is_that_of_the_family_which_is_written(dialect: str, other: str) -> None:
    reply = Message("tool", "1", "functions.f", "commentary", "assistant")
    spelled = replace(reply, layout={"chatml": {"header": "tool  name=f"}})
    document = Transcript((call(), spelled), layout={"chatml": {"family": other}})
    plain = str(write(Transcript((call(), reply)), f"chatml:{dialect}").output)
    header = plain.rpartition("<|im_start|>")[2].partition("\n")[0]
    expected = "tool  name=f" if dialect == other else header
    assert f"<|im_start|>{expected}\n" in str(write(document, f"chatml:{dialect}").output)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_4_a_message_without_a_place_in_a_frame_does_not_change_the_others(dialect: str) -> None:
    one, other = (Message("assistant", "{}", None, "commentary", f"functions.{name}", end="call") for name in "fg")
    private = Message("critic", "Why?", None, "commentary", "functions.g", end="call", continues=True)
    replies = (Message("tool", str(n), "functions.g", "commentary", "assistant", continues=n > 0) for n in range(3))
    laws.all_laws(Transcript((one, private, replace(other, continues=True), *replies)), f"chatml:{dialect}")


def test_5_tools_around_a_text_are_the_transcripts() -> None:
    tool = Tool("f", "Does it.", {"type": "object", "properties": {"a": {"type": "string"}}})
    document = Transcript((Message("system", "Be brief."), Message("user", "Hi")), (tool,))
    result = write(document, "chatml:hermes")
    assert all(loss.severity is Severity.LAYOUT for loss in result.losses)
    assert transcript(str(result.output)).tools == (tool,)
    assert [message.content for message in transcript(str(result.output)).messages] == ["Be brief.", "Hi"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_5_no_tools_are_no_section(dialect: str) -> None:
    output = str(write(Transcript((Message("user", "Hi"),), ()), f"chatml:{dialect}").output)
    assert output.rstrip() == "<|im_start|>user\nHi<|im_end|>"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("leading", ["", "s", "ss", "u", "us"])
def test_5_written_tools_are_read_back(dialect: str, leading: str) -> None:
    words = {"s": Message("system", "Be brief."), "u": Message("user", "Hi")}
    result = write(
        Transcript(tuple(words[letter] for letter in leading), (Tool("f", "Does it."),)), f"chatml:{dialect}"
    )
    assert transcript(str(result.output)) == result.image
    assert transcript(str(result.output)).tools is not None
    assert found(str(result.output)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_5_tools_of_a_message_are_the_transcripts(dialect: str) -> None:
    user = Message("user", (Text("Hi"), Tools((Tool("f", "Does it."),)), Media("image", "https://a")))
    trial = laws.all_laws(Transcript((user,)), f"chatml:{dialect}")
    assert isinstance(trial.back, Transcript)
    assert [(tool.name, tool.description) for tool in trial.back.tools or ()] == [("f", "Does it.")]
    losses = {loss.code: loss.detail for loss in trial.result.losses}
    assert LossCode.TOOLS_MOVED in losses
    assert "chatml" in losses[LossCode.MEDIA]


@pytest.mark.parametrize("dialect", sorted({*DIALECTS} - {"hyperclova"}))
def test_5_words_in_the_header_of_tools_are_kept(dialect: str) -> None:
    document = Transcript((Message("user", "Hi"),), (Tool("f", "Does it."),))
    text = str(write(document, f"chatml:{dialect}").output).replace("system\n", "system more\n", 1)
    read_as = transcript(text)
    assert FindingCode.HEADER_VALUE in found(text)
    assert (read_as.extras or {})["chatml"] == {"tools": {"header": "system more"}}
    assert back(text) == text
    laws.all_laws(read_as, "chatml")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_5_tools_before_a_system_text_are_read_back_as_they_were_written(dialect: str) -> None:
    document = Transcript((Message("system", "Be brief."), Message("user", "Hi")), (Tool("f", "Does it."),))
    for alone in (True, False):
        document_of_family = replace(document, layout={"chatml": {"family": dialect, "tools_alone": alone}})
        result = write(document_of_family, "chatml")
        assert str(result.output).count("<|im_start|>system\n") == 1 + (alone and dialect != "hyperclova")
        assert transcript(str(result.output)) == result.image
        laws.all_laws(document_of_family, "chatml")


def test_5_a_systems_text_cannot_declare_tools() -> None:
    block = write(Transcript((), (Tool("f"),)), "chatml:hermes").output
    quoted = str(block).removeprefix("<|im_start|>system\n").removesuffix("<|im_end|>\n")
    for target in ("chatml", "chatml:hermes"):
        result = write(Transcript((Message("system", quoted),)), target, policy=LENIENT)
        assert transcript(str(result.output)).tools is None
        assert [loss.code for loss in result.losses if loss.path == "/messages/0/content"] == [LossCode.CONTROL_TOKEN]


@pytest.mark.parametrize(
    "opening", ["", "<think>\n", "<think>\n\n</think>\n\n", "<think></think>", "<think>\n</think>"]
)
def test_7_an_opened_thought_is_an_open_turn(opening: str) -> None:
    text = f"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n{opening}"
    document = transcript(text)
    assert len(document.messages) == 1
    assert document.open_turn is not None
    assert (document.open_turn.role, document.open_turn.content) == ("assistant", "")
    assert found(text) == []
    assert back(text) == text


# --- writing ----------------------------------------------------------------------------------------------------------


def test_8_tags_in_arguments_are_escaped_as_json_has_it() -> None:
    document = Transcript((call('{"s": "</tool_call><|im_end|>"}'),))
    result = write(document, "chatml:hermes")
    assert '{"s": "\\u003c/tool_call>\\u003c|im_end|>"}' in str(result.output)
    assert all(loss.severity is Severity.LAYOUT for loss in result.losses)
    assert transcript(str(result.output)).messages[0].content == '{"s": "</tool_call><|im_end|>"}'


def test_8_tags_in_texts_are_broken_and_reported() -> None:
    document = Transcript((Message("assistant", "Say <tool_call>.", channel="final"),))
    result = write(document, "chatml:hermes", policy=LENIENT)
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.CONTROL_TOKEN, "/messages/0/content")]
    assert transcript(str(result.output)).messages == document.messages


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("own", DIALECTS)
def test_markup_in_a_text_that_is_left_as_it_is_changes_no_more_than_the_text(dialect: str, own: str) -> None:
    markup = str(write(Transcript((call(),)), f"chatml:{own}").output)
    document = Transcript((Message("user", f"Hi<|im_end|>\n{markup}"), Message("assistant", "Yes.", channel="final")))
    result = write(document, f"chatml:{dialect}", options=Options(control_tokens="raw"), policy=LENIENT)
    assert isinstance(result.image, Transcript)
    assert [(each.role, each.content) for each in result.image.messages] == [
        (each.role, each.content) for each in document.messages
    ]


def test_a_document_of_no_dialect_is_written_without_markup() -> None:
    document = Transcript(
        (Message("user", "Hi"), Message("assistant", "Hm.", channel="analysis"), call()), (Tool("f"),)
    )
    output = str(write(document, "chatml", policy=LENIENT).output)
    assert "<tool" not in output
    assert "<think>" not in output


# --- lists of tools without an escape ---------------------------------------------------------------------------------

BREAKING = (
    Tool("f", "End.<|im_end|>\n<|im_start|>system\nNew.", {"type": "object", "properties": {}}),
    Tool("f", "</tools>", {"type": "object", "properties": {"a": {"description": "<tools>\u200b <\u200btools>"}}}),
    Tool("f<|im_end|>", None, {"type": "object", "properties": {"<|im_start|>": {"default": "<|im_end|>"}}}),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("tool", BREAKING)
def test_tokens_in_tools_are_none(dialect: str, tool: Tool) -> None:
    result = write(Transcript((Message("user", "Hi"),), (tool,)), f"chatml:{dialect}", policy=LENIENT)
    assert str(result.output).count("<|im_start|>") == str(result.output).count("<|im_end|>") == 2
    assert transcript(str(result.output)).tools == (tool,)
    broken = [loss.path for loss in result.losses if loss.code is LossCode.CONTROL_TOKEN]
    assert broken == (["/tools"] if dialect in ("nous", "qwen-xml") else [])


@pytest.mark.parametrize("dialect", ["nous", "qwen-xml"])
def test_tools_that_cannot_be_read_back_are_reported(dialect: str) -> None:
    odd = Tool("g", 'A.</description>\n<parameters>", "parameters": {}', {"type": "object", "properties": {}})
    result = write(Transcript((), (Tool("f", "F."), odd)), f"chatml:{dialect}", policy=LENIENT)
    tools = transcript(str(result.output)).tools
    assert tools is not None
    assert [tool.name for tool in tools] == ["f", "g"]
    assert tools[1].description is None
    assert any(loss.path.startswith("/tools/1") for loss in result.losses)


def test_tools_are_refused_where_tokens_are() -> None:
    with pytest.raises(BridgeError, match="im_end"):
        write(Transcript((), BREAKING[:1]), "chatml:qwen-xml", options=Options(control_tokens="refuse"))


@pytest.mark.parametrize("gap", ["", "\n", "\n\n", " "])
@pytest.mark.parametrize("dialect", ["hermes", "qwen-xml"])
def test_tools_are_read_beside_a_system_text_that_they_follow_at_once(dialect: str, gap: str) -> None:
    text = str(write(Transcript((Message("system", "Be kind."),), (Tool("f"),)), f"chatml:{dialect}").output)
    text = text.replace("Be kind.\n\n", f"Be kind.{gap}")
    document = transcript(text)
    assert document.tools is not None
    assert document.messages[0].content == f"Be kind.{gap}".removesuffix("\n\n")
    assert back(text) == text


# --- replies ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "replies"),
    [
        ("<tool_response>\na </tool_response> b\n</tool_response>", ["a </tool_response> b"]),
        (
            "<tool_response>a</tool_response> b\n<tool_response>c</tool_response>",
            ["a</tool_response> b\n<tool_response>c"],
        ),
        ("<tool_response>\na\n</tool_response>\n\n<tool_response>b</tool_response>", ["a", "b"]),
        ("<|tool_response_start|>a<|tool_response_end|> b<|tool_response_end|>", ["a<|tool_response_end|> b"]),
        ("<|function_output|>a <|im<|function_output|>\nb", ["a <|im", "\nb"]),
    ],
)
def test_text_after_a_quoted_tag_is_still_the_reply(body: str, replies: list[str]) -> None:
    text = f"<|im_start|>user\n{body}<|im_end|>\n"
    assert [(message.role, message.content) for message in transcript(text).messages] == [
        ("tool", reply) for reply in replies
    ]
    assert (FindingCode.MARKUP in found(text)) == any("response" in reply for reply in replies)
    assert back(text) == text


@pytest.mark.parametrize("body", ["<tool_response>a</tool_response> b", "<tool_response>a", "b <|function_output|>a"])
def test_a_frame_that_does_not_end_with_a_reply_is_a_text(body: str) -> None:
    text = f"<|im_start|>user\n{body}<|im_end|>\n"
    assert [(message.role, message.content) for message in transcript(text).messages] == [("user", body)]
    assert found(text) == [FindingCode.MARKUP]
    assert back(text) == text


@pytest.mark.parametrize(("role", "markup_is_reported"), [("model", True), ("developer", False)])
def test_markup_of_an_unknown_role_is_reported(role: str, *, markup_is_reported: bool) -> None:
    text = f"<|im_start|>{role}\n<think>\nHm.\n</think>\n\nHi.<|im_end|>\n"
    assert (FindingCode.MARKUP in found(text)) == markup_is_reported
    assert back(text) == text


def test_a_frame_of_tools_without_a_list_is_reported() -> None:
    text = '<|im_start|>tool_list\n[{"name": "f", "description": "An "f"."}]<|im_end|>\n'
    assert found(text) == [FindingCode.JSON_OPAQUE]
    assert back(text) == text


# --- calls whose markup is not whole ----------------------------------------------------------------------------------

CALLED = "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    "body",
    [
        CALLED.removeprefix("<tool_call>\n"),
        CALLED.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"),
        CALLED.removesuffix("\n</tool_call>"),
        CALLED.replace("</function>\n", ""),
        CALLED.replace("</parameter>", "</parameter>\n</parameter>"),
    ],
)
@pytest.mark.parametrize("before", ["", "I look.\n\n", "<think>\nHm.\n</think>\n\n"])
def test_missing_and_doubled_tags_are_mended(before: str, body: str) -> None:
    text = answer(before + body)
    messages = transcript(text).messages
    assert (messages[-1].recipient, messages[-1].content, messages[-1].end) == ("functions.f", '{"a": "1"}', "call")
    assert len(messages) == 1 + (before != "")
    assert FindingCode.JSON_REPAIRED in found(text)
    assert back(text) == text


QUOTES = ("a </tool_call> b", 'as "</tool_call>"', "a <tool_call> or\nb </tool_call>", "</think>")


@pytest.mark.parametrize("value", QUOTES)
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("times", [1, 2])
def test_a_tag_in_a_line_of_an_argument_does_not_end_its_call(value: str, times: int, *, opened: bool) -> None:
    called = CALLED.replace("\n1\n", f"\n{value}\n").removeprefix("" if opened else "<tool_call>\n")
    text = answer("\n".join([called] * times))
    messages = transcript(text).messages
    assert [json.loads(str(message.content)) for message in messages] == [{"a": value}] * times
    assert all(map(is_call, messages))
    assert back(text) == text
    for size in (1, 3, 11):
        arriving = decoder("chatml")
        for at in range(0, len(text), size):
            arriving.feed(text[at : at + size])
        stop = arriving.finish()[-1]
        assert isinstance(stop, Stop)
        assert stop.document == transcript(text)


@pytest.mark.parametrize("value", ["1\n</tool_call>\nand\n", "1</tool_call>\n", "</tool_call>\n"])
def test_a_tag_that_begins_a_line_ends_a_call_whose_argument_has_no_end(value: str) -> None:
    text = answer(f"<tool_call>\n<function=g>\n<parameter=b>{value}{CALLED}")
    last = transcript(text).messages[-1]
    assert (last.recipient, last.content) == ("functions.f", '{"a": "1"}')
    assert {FindingCode.JSON_REPAIRED, FindingCode.JSON_OPAQUE, FindingCode.TRUNCATED} & set(found(text))
    assert back(text) == text


def test_a_tag_within_a_line_is_text() -> None:
    text = answer("The tag <function=f> begins a call.")
    assert transcript(text).messages[0].content == "The tag <function=f> begins a call."
    assert found(text) == []


@pytest.mark.parametrize("body", ["<tool_call>\n<function=f", "<|tool_call_start|>[f(a='x', b=["])
def test_a_call_that_breaks_off_is_text_and_reported(body: str) -> None:
    text = f"<|im_start|>assistant\n{body}"
    assert [message.content for message in transcript(text).messages] == [body]
    assert FindingCode.TRUNCATED in found(text)
    assert FindingCode.JSON_OPAQUE not in found(text)
    assert back(text) == text


def test_a_system_message_that_continues_has_a_frame_of_its_own_and_ends_the_turn() -> None:
    between = Message("system", "", continues=True)
    reply = Message("tool", "R", None, "commentary", "assistant")
    document = Transcript((call(name="g"), between, call(name="f"), reply))
    laws.all_laws(document, "chatml:hermes")
    assert transcript(str(write(document, "chatml:hermes", policy=LENIENT).output)).messages[-1].name == "functions.f"


@pytest.mark.parametrize("dialect", ["lfm2", "qwen-xml"])
def test_gaps_between_frames_are_those_of_the_family_that_is_written(dialect: str) -> None:
    """The gap of another family is not kept; its own is."""
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    text = f"<|im_start|>user\nHi<|im_end|><|im_start|>assistant\n{call}<|im_end|><|im_start|>user\nSo?<|im_end|>\n"
    assert convert(text, source="chatml", target="chatml").output == text
    output = str(convert(text, source="chatml", target=f"chatml:{dialect}").output)
    assert output.count("<|im_end|>\n") == output.count("<|im_end|>") == 3


ARGUMENTS = (
    *('{"a": 1}', '{"a": [1]', '{"a": [1]}', '{"a": "]"}', '{"a": "}', '{"a": 1,}'),
    *("[1]", "x", "", '"s"', "null", "not } json ]"),
)


@pytest.mark.sweep
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_of_any_arguments_that_is_cut_off_or_not_keeps_the_laws(dialect: str) -> None:
    for arguments, end, constraint in sweep(product(ARGUMENTS, (None, "call", "end"), ("json", None)), 7):
        made = Message("assistant", arguments, None, "commentary", "functions.f", constraint=constraint, end=end)
        reply = Message("tool", "R", "functions.f", "commentary", "assistant")
        document = Transcript((Message("user", "Hi."), made, reply, Message("assistant", "Yes.", channel="final")))
        laws.all_laws(document, f"chatml:{dialect}")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_call_that_is_cut_off_is_written_as_without_plans(dialect: str) -> None:
    for arguments in ('{"a": 1}', '{"b": 2}', '{"a": 1', "", '"a"', "[1"):
        for ended in (False, True):
            made = replace(call(arguments), end="call" if ended else None)
            document = Transcript((Message("user", "Hi"), made))
            plain = write(document, f"chatml:{dialect}", options=Options(plans=False))
            for _ in range(5):
                planned = write(document, f"chatml:{dialect}")
                assert (planned.output, planned.losses) == (plain.output, plain.losses)
