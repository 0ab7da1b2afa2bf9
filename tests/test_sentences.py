"""Sentences of losses, findings and refusals are whole sentences, because people read them after a conversion."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge import BridgeError, Message, Options, Tool, Transcript, decoder, encoder, profile, read, write
from ocml_bridge.checks.calls import check_calls
from ocml_bridge.loss import Finding, Loss
from ocml_bridge.model import Completion, Json, Settings, Tools
from ocml_bridge.report.policy import LENIENT

FORCED = Options(force_format=True)


def call(arguments: str = "{}", name: str = "functions.f", **fields: Any) -> Message:
    members: dict[str, Any] = {"channel": "commentary", "constraint": "json", "end": "call", **fields}
    return Message("assistant", arguments, recipient=name, **members)


def as_sentence(note: Loss | Finding) -> str:
    return f"{note.severity} {note.code} {note.path}: {note.detail}"


# --- losses -----------------------------------------------------------------------------------------------------------

THOUGHT = Message("narrator", "Hm.", channel="analysis")
HI = Message("user", "Hi")
LOST: dict[str, tuple[Transcript, str, str]] = {
    "spaces in arguments": (
        Transcript((HI, call('{"a":  1}'))),
        "chatml:lfm2",
        "changed content /messages/1/content: chatml writes the JSON of the arguments with other spacing or escapes",
    ),
    "no spaces in arguments": (
        Transcript((HI, call('{"a":1}'))),
        "chatml:lfm2",
        "layout content /messages/1/content: chatml writes the JSON of the arguments with other spacing or escapes",
    ),
    "a thought of somebody else's": (
        Transcript((THOUGHT,)),
        "chatml:hermes",
        "lost message /messages/0: chatml has private reasoning of the assistant only",
    ),
    "a blank thought": (
        Transcript((HI, Message("assistant", " ", channel="analysis"))),
        "chatml:hermes",
        "lost message /messages/1: chatml has no place for reasoning without text",
    ),
    "tools of a message": (
        Transcript((Message("system", (Tools((Tool("f"),)),)),)),
        "chatml:hermes",
        "layout tools-moved /tools: the tools of this message are declared once for the conversation",
    ),
}


@pytest.mark.parametrize(("document", "target", "sentence"), LOST.values(), ids=LOST)
def test_sentences_of_losses(document: Transcript, target: str, sentence: str) -> None:
    assert sentence in [as_sentence(loss) for loss in write(document, target, policy=LENIENT).losses]


@pytest.mark.parametrize("target", ["chatml", "harmony", "internlm2", "ocm-0.1"])
def test_sentences_about_a_token_that_is_broken_kept_or_refused(target: str) -> None:
    token = {"chatml": "<|im_end|>", "harmony": "<|end|>", "internlm2": "[UNUSED_TOKEN_145]"}.get(target, "<|im_end|>")
    document = Transcript((Message("user", f"It is {token}."),))
    left = write(document, target, options=Options(control_tokens="raw"), policy=LENIENT).losses
    sentence = f"{token} at /messages/0/content is written as it is and may be read as a token"
    assert f"changed control-token : {sentence}" in [as_sentence(loss) for loss in left]
    with pytest.raises(BridgeError) as caught:
        write(document, target, options=Options(control_tokens="refuse"))
    assert caught.value.path == "/messages/0/content"
    assert caught.value.message == (
        f"the content holds {token} as text, which this format cannot escape; "
        "use --control-tokens neutralise, or a format with an escape (ocm-2.2) or without tokens in text"
    )


def test_the_sentence_about_a_token_that_was_broken_before() -> None:
    document = Transcript((Message("user", "It is <\u200b|im_end|>."),))
    left = write(document, "chatml", options=Options(control_tokens="raw"), policy=LENIENT).losses
    sentence = "a broken token at /messages/0/content is written as it is and may be read as a token"
    assert [as_sentence(loss) for loss in left] == [f"changed control-token : {sentence}"]
    with pytest.raises(BridgeError, match="the content holds a broken token as text, which this format cannot escape"):
        write(document, "chatml", options=Options(control_tokens="refuse"))


# --- findings ---------------------------------------------------------------------------------------------------------


def of_hyperclova(body: str, end: str = "<|im_end|>") -> str:
    return f"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant -> tool/function_call\n{body}{end}"


def of_qwen(body: str) -> str:
    return f"<|im_start|>assistant\n{body}<|im_end|>\n"


def of_2_2(*frames: str) -> str:
    return "version: 2.2\n" + "".join(f"<|start|>{frame}\n" for frame in frames)


CALLED = "assistant to=functions.f call_id=c<|channel|>commentary<|constrain|>json<|message|>{}<|call|>"
FOUND: dict[str, tuple[Any, str, str]] = {
    "no list of calls": (
        of_hyperclova("Hm."),
        "chatml",
        "/messages/1/content: the frame does not name its tools; its text is read as private",
    ),
    "a list of calls without an end": (
        of_hyperclova('[{"name": "f", "arguments": {}}', end=""),
        "chatml",
        "/messages/1/content: the list of calls has no end",
    ),
    "arguments without types": (
        of_qwen("<tool_call>\n<function=f>\n<parameter=a>\n5\n</parameter>\n</function>\n</tool_call>"),
        "chatml",
        "/messages/0/content: no schema gives a type for a; the value is read as text",
    ),
    "markup in a list": (
        [{"token": "<|im_start|>"}, "system\n<tools>", {"token": "<|im_end|>"}],
        "chatml-json",
        "/messages/0/content: `<tools>` is read as text here: this format does not read the markup of Hermes and Qwen",
    ),
    "JSON with comments": (
        '{"messages": [{"role": "user", "content": "Hi"}]} // a comment',
        "openai",
        ": JSON has no comments; the comments are left out",
    ),
    "a role": (
        of_2_2("narrator<|message|>a<|end|>"),
        "ocm-2.2",
        "/messages/0/role: §4 has no role 'narrator'; the role is kept as it is",
    ),
    "a channel": (
        of_2_2("assistant<|channel|>other<|message|>a<|end|>"),
        "ocm-2.2",
        "/messages/0/channel: §5 has no channel 'other'; the channel is kept as it is",
    ),
    "an intent": (
        of_2_2("assistant intent=other<|channel|>commentary<|message|>a<|end|>"),
        "ocm-2.2",
        "/messages/0/intent: §6 has no intent 'other'; the intent is kept as it is",
    ),
    "a preamble": (
        of_2_2("assistant intent=preamble<|channel|>final<|message|>a<|end|>"),
        "ocm-2.2",
        "/messages/0/channel: a preamble belongs on commentary, not on final (§5)",
    ),
    "a call without an id": (
        of_2_2(CALLED.replace(" call_id=c", "")),
        "ocm-2.2",
        "/messages/0/call_id: a call and its reply must carry an id (§8.2)",
    ),
    "a call on another channel": (
        of_2_2(CALLED.replace("commentary", "analysis")),
        "ocm-2.2",
        "/messages/0/channel: a function must be called on commentary (§8.3)",
    ),
    "a reply without a name": (
        of_2_2(CALLED, "tool call_id=c to=assistant<|channel|>commentary<|message|>1<|end|>"),
        "ocm-2.2",
        "/messages/1/name: a tool's reply must name the tool (§4, §6)",
    ),
    "a reply to nothing": (
        of_2_2("tool name=functions.f call_id=d to=assistant<|channel|>commentary<|message|>1<|end|>"),
        "ocm-2.2",
        "/messages/0/call_id: no earlier call has this id (§8.2)",
    ),
    "a body that is no JSON": (
        of_2_2(CALLED.replace("{}", "{")),
        "ocm-2.2",
        "/messages/0/content: the body is not JSON, which <|constrain|>json requires (§6)",
    ),
    "a content that is no JSON": (
        of_2_2("user content_type=json<|message|>a<|end|>"),
        "ocm-2.2",
        "/messages/0/content: the body is not JSON, which content_type=json requires (§6)",
    ),
    "an id twice": (
        of_2_2(CALLED, CALLED),
        "ocm-2.2",
        "/messages/1/call_id: an earlier call has the same id, and ids must be unique (§8.2)",
    ),
}


@pytest.mark.parametrize(("source", "name", "sentence"), FOUND.values(), ids=FOUND)
def test_sentences_of_findings(source: Any, name: str, sentence: str) -> None:
    findings = read(source, name, options=FORCED).findings
    assert sentence in [f"{finding.path}: {finding.detail}" for finding in findings]


@pytest.mark.parametrize(
    ("arguments", "parameters", "sentence"),
    [
        ("[1]", {"type": "object"}, "/messages/0/content: the arguments are not a JSON object"),
        ("{}", "text", "/tools/0/parameters: calls are not checked against these parameters: "),
    ],
)
def test_sentences_about_calls_that_do_not_fit_their_tools(arguments: str, parameters: Json, sentence: str) -> None:
    [finding] = check_calls(Transcript((call(arguments),), (Tool("f", None, parameters),)))
    assert f"{finding.path}: {finding.detail}".startswith(sentence)


# --- refusals ---------------------------------------------------------------------------------------------------------

QUESTION = {"messages": [{"role": "user", "content": "Hi"}]}
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no list": (
        lambda: read({"a": 1}, "chatml-json", options=FORCED),
        'ChatML as JSON must be a list of {"token": …} objects and strings',
    ),
    "no item of a list": (
        lambda: read([{"token": "<|im_start|>"}, 5], "chatml-json", options=FORCED),
        'an item must be a string or {"token": "…"}',
    ),
    "parsed JSON": (
        lambda: read([1], "chatml", options=FORCED),
        "a text format is read from str or bytes, not from parsed JSON",
    ),
    "a path": (
        lambda: read(Path("a.txt"), "chatml"),  # pyright: ignore[reportArgumentType]
        "data must be str, bytes or parsed JSON, not a PosixPath; give what is in the file: path.read_bytes()",
    ),
    "a file": (
        lambda: read(io.BytesIO(b""), "chatml"),  # pyright: ignore[reportArgumentType]
        "data must be str, bytes or parsed JSON, not a BytesIO; give what is in the file: file.read()",
    ),
    "a buffer": (
        lambda: read(bytearray(b""), "chatml"),  # pyright: ignore[reportArgumentType]
        "data must be str, bytes or parsed JSON, not a bytearray; give bytes(data)",
    ),
    "nothing": (
        lambda: read(" \n"),
        "the input is empty, and no format can be recognised in it; name one with `source`",
    ),
    "another format": (
        lambda: read("<|im_start|>user\nHi<|im_end|>\n", "harmony"),
        (
            "the input is not harmony but ChatML (`<|im_start|>` at 1:1); the format chatml reads it "
            "(`source` chatml); to read it as harmony anyway, use `force_format`"
        ),
    ),
    "a kind of data that a plan reads": (
        lambda: read([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}]),
        (
            "this looks like messages of Vercel's AI SDK (UIMessage) (`text` at /0/parts/0); "
            "`ocml-convert batch --plan auto` reads such rows"
        ),
    ),
    "a format that is not read": (
        lambda: read("> User: Hi\n> Assistant: Hello\n"),
        (
            "this looks like a dialogue in lists or quotations (`> User:` at 1:1); "
            "no format reads that: write its messages as JSON, each with `role` and `content`"
        ),
    ),
    "a stream for a format": (
        lambda: read("", "openai-sse"),
        "openai-sse is a stream; convert it with `ocml-convert stream`, or ocml_bridge.decoder and encoder",
    ),
    "no dialect": (
        lambda: read("", "chatml:zzz"),
        "chatml has no dialect 'zzz'; the dialects are ",
    ),
    "no dialects": (lambda: read("", "openai:zzz"), "openai has no dialect 'zzz'; the format has none"),
    "no stream to read": (lambda: decoder("zzz"), "no stream 'zzz' can be read; these can: "),
    "no stream to write": (lambda: encoder("zzz"), "no stream 'zzz' can be written; these can: "),
    "no profile": (lambda: profile("zzz"), "there is no profile 'zzz'; there are "),
    "no name of a profile": (lambda: profile(None), "name a profile or a format"),
    "an effort without a profile": (
        lambda: profile(None, "chatml").prompt(QUESTION, effort="low"),
        "a date and an effort need a profile; name one with --profile",
    ),
    "no date": (lambda: profile("gpt-oss").prompt(QUESTION, date="today"), "'today' is not a date: YYYY-MM-DD"),
    "a text to complete": (
        lambda: profile("gpt-oss").prompt(read(write(Completion("def f"), "ocm-0.1").data, "ocm-0.1")),
        "a text to complete is not a conversation, and has no turn to open",
    ),
}


@pytest.mark.parametrize(("ask", "message"), REFUSED.values(), ids=REFUSED)
def test_sentences_of_refusals(ask: Callable[[], object], message: str) -> None:
    with pytest.raises(BridgeError) as caught:
        ask()
    assert caught.value.message.startswith(message)
    assert caught.value.message == message or message.endswith((": ", " "))


# --- prompts ----------------------------------------------------------------------------------------------------------

ASKED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "another effort": (
        "gpt-oss",
        {"reasoning_effort": "low"},
        {"effort": "high"},
        "changed settings /settings/reasoning_effort: the effort high replaces the request's low",
    ),
    "no tools": (
        "gpt-oss",
        {"tools": []},
        {},
        "layout tools /tools: a prompt leaves out an empty list of tools",
    ),
}


@pytest.mark.parametrize(("name", "members", "asked", "sentence"), ASKED.values(), ids=ASKED)
def test_sentences_about_prompts(name: str, members: dict[str, Any], asked: dict[str, Any], sentence: str) -> None:
    prompt = profile(name).prompt({**QUESTION, **members}, **asked)
    assert sentence in [as_sentence(loss) for loss in prompt.losses]


def test_the_sentence_about_an_open_turn_in_a_training_line() -> None:
    document = Transcript(
        (HI, Message("assistant", "Ho", channel="final")), open_turn=Message("assistant", "", end=None)
    )
    line = profile("gpt-oss").prompt(document, options=Options(training=True))
    assert "layout open-turn /open_turn: a line to train on has no open turn" in [
        as_sentence(loss) for loss in line.losses
    ]


def test_the_sentence_about_an_effort_that_a_template_cannot_name() -> None:
    document = Transcript((HI,), settings=Settings(reasoning_effort="high"))
    prompt = profile("hyperclova-x").prompt(document)
    sentence = "the prompt asks for reasoning; the chat template cannot say how much"
    assert f"changed settings /settings/reasoning_effort: {sentence}" in [as_sentence(loss) for loss in prompt.losses]
