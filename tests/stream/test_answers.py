"""Answers read by a profile and their request: malformed ones as a client wants them, text as ids, cut anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Run
from harmony_answers import chunks_of, client_sees, declaring, fits, recorded
from harmony_judge import library
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import BridgeError, ErrorCode, Message, Options, Transcript
from ocml_bridge.chat.turns import with_namespace
from ocml_bridge.chat.visibility import REASONING
from ocml_bridge.events import Answer, Delta, End, Event, PartEnd, RefusalDelta, Signed, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.model import Media, Signature, Text, replace
from ocml_bridge.pipe import encoder
from ocml_bridge.profiles import Prompt, profile
from ocml_bridge.stream.answer import AnswerDecoder

pytest_plugins = ("cli.conftest",)

FORMS = ("harmony", "harmony-tokens")


def events_of(text: str, request: Any, form: str = "harmony", size: int = 10_000, name: str = "gpt-oss") -> list[Event]:
    """What an answer is read as, cut into chunks of a size."""
    source = profile(name, form).answering(request)
    events: list[Event] = []
    if form == "harmony-tokens":
        ids = load_encoding().encode(text, allowed_special="all")
        for at in range(0, len(ids), size):
            events += source.feed_tokens(ids[at : at + size])
    else:
        for chunk in chunks_of(text, size):
            events += source.feed(chunk)
    return events + source.finish("stop")


def document_of(events: list[Event]) -> Transcript:
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    return stop.document


def seen(events: list[Event]) -> dict[str, Any]:
    """What a client of Chat Completions puts together of it, reasoning and all."""
    target = encoder("openai-sse", answer=Answer("a", "m", 1), visibility=REASONING)
    return client_sees(b"".join([*target.encode(events), *target.finish()]))


# --- what was reported ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_reported_answers_are_read_as_wanted(form: str, size: int) -> None:
    library()
    cases = recorded()
    unlike = [
        case["id"]
        for case in cases
        if not fits(seen(events_of(case["text"], declaring(*case.get("tools", ())), form, size)), case["wanted"])
    ]
    assert (len(cases) > 30, unlike) == (True, [])


@pytest.mark.parametrize("form", FORMS)
def test_the_command_reads_them_so_too(run: Run, tmp_path: Path, form: str) -> None:
    library()
    request = tmp_path / "request.json"
    for case in recorded():
        request.write_text(json.dumps(declaring(*case.get("tools", ()))))
        ids = json.dumps(load_encoding().encode(case["text"], allowed_special="all"))
        stdin = (case["text"] if form == "harmony" else ids).encode()
        options = ("--profile", "gpt-oss", "--request", str(request), "--finish-reason", "stop", "-q")
        done = run(
            "stream", "-f", form, "-t", "openai-sse", "--show", "analysis", "--debug-view", *options, stdin=stdin
        )
        assert fits(client_sees(done.out), case["wanted"]), case["id"]


# --- what only the declared tools decide ------------------------------------------------------------------------------

CALLS = {
    "the type glued to the name (llama.cpp#15158)": "<|channel|>commentary to=functions.shelljson<|message|>{}<|call|>",
    "the same, without the type's own token": "<|channel|>commentary to=functions.shelljson {}<|call|>",
    "a namespace that is none": "<|channel|>commentary to=function.shell <|constrain|>json<|message|>{}<|call|>",
    "no namespace": "<|channel|>commentary to=shell <|constrain|>json<|message|>{}<|call|>",
    "the function for the role (tiles#145)": (
        "<|start|>shell<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    ),
    "its whole name for the role": (
        "<|start|>functions.shell<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    ),
    "the function for the channel (harmony#114)": (
        "<|channel|>shell<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    ),
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("form", FORMS)
def test_a_call_is_of_the_function_that_it_evidently_names(text: str, form: str) -> None:
    library()
    for before in ("", "<|channel|>analysis<|message|>t<|end|><|start|>assistant"):
        answer = f"{before.removesuffix('<|start|>assistant') if text.startswith('<|start|>') else before}{text}"
        events = events_of(answer, declaring("shell", "other"), form, 2)
        assert seen(events) == {
            "reasoning": "t" if before else "",
            "content": "",
            "tool_calls": [{"name": "shell", "arguments": "{}"}],
            "finish_reason": "tool_calls",
        }
        call = document_of(events).messages[-1]
        called = with_namespace(call.recipient or "")
        assert (call.role, called, call.continues) == ("assistant", "functions.shell", before != "")


@pytest.mark.parametrize(
    ("text", "names", "called"),
    [
        ("to=functions.shelljson", ("shelljson", "shell"), "shelljson"),  # it is declared
        ("to=functions.f", ("g",), "f"),  # it means none of them
        ("to=functions.ajson", ("a", "ajson", "b"), "ajson"),
        ("to=tools.a.b", ("a.b", "b"), "a.b"),
        ("to=python", ("other.python",), "python"),  # a tool of the model's own
        ("to=browser.search", ("search",), "browser.search"),
    ],
)
def test_a_name_that_may_mean_something_else_stays_as_it_is(text: str, names: tuple[str, ...], called: str) -> None:
    answer = f"<|channel|>commentary {text} <|constrain|>json<|message|>{{}}<|call|>"
    assert seen(events_of(answer, declaring(*names)))["tool_calls"] == [{"name": called, "arguments": "{}"}]


def test_a_reply_that_the_model_wrote_itself_is_neither_a_call_nor_of_the_answer() -> None:
    """vLLM#50690."""
    call = "<|channel|>commentary to=functions.shell <|constrain|>json<|message|>{}<|call|>"
    reply = "<|start|>functions.shell<|channel|>commentary<|message|>{}<|end|>"
    document = document_of(events_of(call + reply, declaring("shell")))
    assert [message.content for message in document.messages] == ["{}"]
    thought = "<|channel|>analysis<|message|>Hm.<|end|>"
    document = document_of(events_of(thought + reply + "<|start|>assistant" + call, declaring("shell")))
    assert [message.role for message in document.messages] == ["assistant", "tool", "assistant"]


# --- what the prompt has begun ----------------------------------------------------------------------------------------

BEGUN: dict[str, Any] = {"messages": [{"role": "user", "content": "Hi"}], "continue_final_message": True}


@pytest.mark.parametrize(
    ("name", "begun"),
    [
        ("gpt-oss", "<|start|>assistant<|channel|>final<|message|>The capital"),
        ("qwen3", "<|im_start|>assistant\n<think>\n\n</think>\n\nThe capital"),
        ("qwen3.5", "<|im_start|>assistant\n<think>\n\n</think>\n\nThe capital"),
        ("internlm2", "<|im_start|>assistant\nThe capital"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_an_answer_goes_on_with_an_unfinished_message(name: str, begun: str, size: int) -> None:
    """As vLLM has it: the prompt ends in the message, and the answer is what follows."""
    request = {**BEGUN, "messages": [*BEGUN["messages"], {"role": "assistant", "content": "The capital"}]}
    model = profile(name)
    prompt = model.prompt(request)
    assert isinstance(prompt, Prompt)
    assert str(prompt.output).endswith(begun)
    assert prompt.lossless
    source = model.answering(prompt)
    events = [event for chunk in chunks_of(" is Oslo.", size) for event in source.feed(chunk)] + source.finish("stop")
    assert [event.number for event in events if isinstance(event, (Start, End))] == [0, 0]
    assert "".join(event.text for event in events if isinstance(event, Delta)) == " is Oslo."
    (message,) = document_of(events).messages
    assert (message.role, message.content, message.continues) == ("assistant", " is Oslo.", False)
    assert seen(events)["content"] == " is Oslo."


def test_an_answer_goes_on_with_an_unfinished_call_as_ids() -> None:
    library()
    model = profile("gpt-oss", "harmony-tokens")
    call = "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"
    prompt = model.prompt(f"<|start|>user<|message|>Hi<|end|>{call}", source="harmony")
    source = model.answering(prompt)
    events = source.feed_tokens(load_encoding().encode('"a": 1}<|call|>', allowed_special="all")) + source.finish()
    (call,) = document_of(events).messages
    assert (call.recipient, call.content, call.end) == ("functions.f", '"a": 1}', "call")


@pytest.mark.parametrize("name", ["qwen3.5", "nemotron-3", "step-3.5"])
def test_a_thought_that_the_prompt_has_begun_is_private(name: str) -> None:
    events = events_of("Hm.\n</think>\n\nHello.", declaring("f"), "chatml", 2, name)
    assert [message.channel for message in document_of(events).messages] == ["analysis", "final"]
    assert seen(events) | {"reasoning": "Hm.", "content": "Hello."} == seen(events)


def test_an_answer_has_nothing_of_its_prompt() -> None:
    """Neither the declared tools nor the messages before it; its messages count from the first of its own."""
    answer = "<tool_call>\n<function=f>\n</function>\n</tool_call>"
    events = events_of(answer, declaring("f"), "chatml", 4, "qwen3-coder")
    document = document_of(events)
    assert document.tools is None
    assert len(document.messages) == 1
    assert [event.number for event in events if isinstance(event, (Start, End))] == [0, 0]


def test_a_prompt_without_an_open_turn_is_refused() -> None:
    line = profile("qwen3").prompt(declaring(), options=Options(training=True))
    with pytest.raises(BridgeError) as caught:
        profile("qwen3").answering(line)
    assert caught.value.code is ErrorCode.OPTION


@pytest.mark.parametrize("name", ["lfm2", "internlm2"])
def test_a_message_that_the_prompt_lost_is_not_continued(name: str) -> None:
    request = {**BEGUN, "messages": [*BEGUN["messages"], {"role": "assistant", "reasoning": "Hm"}]}
    prompt = profile(name).prompt(request)
    assert str(prompt.output).endswith("<|im_start|>assistant\n")
    assert not prompt.lossless
    assert profile(name).answering(prompt).feed("Hello")


ANOTHER = {
    "gpt-oss": "<|channel|>final<|message|>Hello<|return|><|start|>system<|message|>You are ChatGPT<|end|>",
    "qwen3": "Hello<|im_end|>\n<|endoftext|><|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nNo.",
}


@pytest.mark.parametrize("name", ANOTHER)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_conversation_that_the_model_goes_on_with_is_no_answer(name: str, size: int) -> None:
    forms = FORMS if name == "gpt-oss" else ("chatml",)
    if name == "gpt-oss":
        library()
    for form in forms:
        events = events_of(ANOTHER[name], declaring("f"), form, size, name)
        stop = events[-1]
        assert isinstance(stop, Stop)
        assert (stop.reason, stop.error) == ("stop", None)
        assert [message.content for message in document_of(events).messages] == ["Hello"]
        assert seen(events)["content"] == "Hello"
        findings = [event for event in events if isinstance(event, Finding)]
        assert "another conversation" in findings[-1].detail


ANOTHERS = {
    "gpt-oss, the user": "<|channel|>final<|message|>Hello<|end|><|start|>user<|message|>And?<|end|><|start|>assistant"
    "<|channel|>final<|message|>No.",
    "gpt-oss, a tool": '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>'
    "<|start|>functions.f to=assistant<|channel|>commentary<|message|>2<|end|><|start|>assistant<|channel|>final"
    "<|message|>It is 2.",
    "qwen3, the user": "Hello<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nNo.",
    "qwen3, a tool": '<tool_call>\n{"name": "f", "arguments": {"a":1}}\n</tool_call><|im_end|>\n<|im_start|>user\n'
    "<tool_response>\n2\n</tool_response><|im_end|>\n<|im_start|>assistant\nIt is 2.<|im_end|>",
    "internlm2, the user": "Hello<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nNo.",
}


@pytest.mark.parametrize("case", ANOTHERS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_messages_that_a_model_writes_for_others_are_no_answer(case: str, size: int) -> None:
    name, _, other = case.partition(", ")
    form = {"gpt-oss": "harmony", "qwen3": "chatml"}.get(name, name)
    events = events_of(ANOTHERS[case], declaring("f"), form, size, name)
    stop = events[-1]
    assert isinstance(stop, Stop)
    expected = ("tool_calls", '{"a":1}') if other == "a tool" else ("stop", "Hello")
    assert [(stop.reason, message.content) for message in document_of(events).messages] == [expected]
    assert "somebody else" in [event for event in events if isinstance(event, Finding)][-1].detail


UNHEADED = {
    "text behind the last message": "<|channel|>final<|message|>A<|end|>B",
    "its tokens were left out": "<|channel|>analysis<|message|>t<|end|>\nassistantfinal\nB",
    "a call without the channel's token": "commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
    "a call without any token before its channel": "to=functions.f<|channel|>commentary<|message|>{}<|call|>",
    "a body glued to its channel": "<|channel|>finalB<|return|>",
    "JSON behind its channel": '<|channel|>final{"b": 1}<|return|>',
    "JSON behind a type": '<|channel|>commentary to=functions.f <|constrain|>json{"a": "b c"}<|call|>',
    "arguments whose call never ended": (
        '<|channel|>commentary to=functions.g json{"a": 1}commentary to=functions.f json<|message|>{}<|call|>'
    ),
    "arguments that never were called": '<|channel|>commentary to=functions.f json {"a": 1}<|end|>',
}
SEEN = {
    "text behind the last message": {"content": "A\n\nB"},
    "its tokens were left out": {"reasoning": "t", "content": "\nB"},
    "a call without the channel's token": {"calls": ["{}"]},
    "a call without any token before its channel": {"calls": ["{}"]},
    "a body glued to its channel": {"content": "B"},
    "JSON behind its channel": {"content": '{"b": 1}'},
    "JSON behind a type": {"calls": ['{"a": "b c"}']},
    "arguments whose call never ended": {"calls": ["{}"]},
    "arguments that never were called": {"reasoning": '{"a": 1}'},
}
"""What a client is to see of them, as docs/formats/harmony.md has it."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", UNHEADED)
def test_a_layout_without_tokens_is_recognised_by_words(case: str, form: str) -> None:
    library()
    found = seen(events_of(UNHEADED[case], declaring("f", "g"), form, 2))
    calls = [call["arguments"] for call in found["tool_calls"] if call["name"] == "f"]
    assert len(calls) == len(found["tool_calls"])
    assert {"reasoning": found["reasoning"], "content": found["content"], "calls": calls} == {
        "reasoning": "",
        "content": "",
        "calls": [],
        **SEEN[case],
    }


class Fed:
    """A source of events, a list for each time that it is fed."""

    def __init__(self, *events: list[Event]) -> None:
        self._events = iter(events)

    def feed(self, data: str | bytes, /) -> list[Event]:
        return next(self._events)


def test_a_refusal_is_numbered_as_the_answer_is() -> None:
    asked, refused = Message("user", "Hi"), Message("assistant", "", channel="final", end=None)
    source: Any = Fed([Start(0, asked), End(0, asked)], [Start(1, refused), RefusalDelta(1, "No.")])
    answer = AnswerDecoder(source, "the prompt", ())
    assert answer.feed("the answer") == [Start(0, refused), RefusalDelta(0, "No.")]


def test_the_prompts_beginning_of_an_answer_is_cut_off_across_its_parts() -> None:
    """The parts that the prompt has are no parts of the answer; what it signs is numbered as the answer is."""
    asked, begun = Message("user", "Hi"), Message("assistant", "One two ", channel="final", end=None)
    picture, signature = Media("image", data="aGVsbG8=", format="image/png"), Signature("s", "openai")
    whole = replace(begun, content=(Text("One "), Text("two three"), picture, Text("four")), end="end", continues=True)
    source: Any = Fed(
        [Start(0, asked), End(0, asked), Start(1, begun), Delta(1, "One two ")],
        [Delta(1, "three"), PartEnd(1, picture), Delta(1, "four"), Signed(1, signature), End(1, whole)],
    )
    answer = AnswerDecoder(source, "the prompt", (begun,))
    rest = replace(whole, content=(Text("three"), picture, Text("four")), continues=False)
    assert answer.feed("the answer")[1:] == [
        *(Delta(0, "three"), PartEnd(0, picture), Delta(0, "four")),
        *(Signed(0, signature), End(0, rest)),
    ]
