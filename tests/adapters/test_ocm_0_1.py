"""OpenChatML 0.1: documents as the specification has them, each decision of docs/formats/ocm-0.1.md, and the laws."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from counting import calls_of
from ocml_adapters.ocm_0_1.around import grammar
from ocml_adapters.ocm_0_1.syntax import GRAMMAR
from ocml_bridge import BridgeError, ErrorCode, FindingCode, LossCode, Options, Severity, read, verify, write
from ocml_bridge.model import (
    Completion,
    Document,
    FileBreak,
    Flags,
    Infill,
    Message,
    Text,
    Thought,
    Tool,
    Tools,
    Transcript,
)
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import strategies
from ocml_bridge.testing.trial import Trial

ID = "ocm-0.1"
CALL = '<|function_call|>\n{"arguments": {"symbol": "TSLA"}, "name": "get_quote"}'
TOOL = (
    '{"type": "function", "function": '
    '{"name": "get_quote", "description": "A price.", "parameters": {"type": "object"}}}'
)
QUOTE = Tool("get_quote", "A price.", {"type": "object"})


def transcript(text: str, *codes: FindingCode, options: Options | None = None) -> Transcript:
    """The conversation that a text is, which gives exactly these findings."""
    reading = read(text, ID, options=options or Options())
    assert tuple(note.code for note in reading.findings) == codes
    assert isinstance(reading.transcript, Transcript)
    return reading.transcript


def completion(text: str, *codes: FindingCode) -> Completion:
    reading = read(text, ID)
    assert tuple(note.code for note in reading.findings) == codes
    assert isinstance(reading.transcript, Completion)
    return reading.transcript


def text_of(document: Document, dialect: str = ID, **options: Any) -> str:
    output = write(document, dialect, options=Options(**options)).output
    assert isinstance(output, str)
    return output


def turn(role: str, body: str) -> str:
    return f"<|im_start|>{role}\n{body}\n<|im_end|>"


def chat(*turns: str) -> str:
    return "[BOS]" + "\n".join(turns) + "[EOS]"


# --- law 1: what reads without findings is written back byte for byte -------------------------------------------------

EXACT = {
    "a conversation": chat(turn("user", "Hello."), turn("assistant", "Hi.")),
    "names": chat(
        turn("system name=Guide", "Help."), turn("user name=Eric", "Hello."), turn("assistant name=Bot", "Hi.")
    ),
    "a header that ends in spaces": chat(turn("user name=Eric  ", "Hello."), turn("assistant", "Hi.")),
    "spaces behind an end token": turn("user", "Hello.") + "  \n" + turn("assistant", "Hi."),
    "the first text": "<s>\n" + turn("user", "Hello.") + "\n" + turn("assistant", "Hi.") + "\n</s>",
    "a newline before the end only": "[BOS]" + turn("user", "Hello.") + "\n[EOS]",
    "a final newline": chat(turn("user", "Hello.")) + "\n",
    "no tokens around it": turn("user", "Hello."),
    "other models' tokens": "<|begin_of_text|>" + turn("user", "Hello.") + "<|end_of_text|>",
    "CR LF": "[BOS]<|im_start|>user\r\nHello.\r\n<|im_end|>\r\n<|im_start|>assistant\r\nHi.\r\n<|im_end|>[EOS]",
    "compact": "[BOS]<|im_start|>user\nHello.<|im_end|>\n<|im_start|>assistant\nHi.<|im_end|>[EOS]",
    "content that ends in a newline": chat(turn("user", "Hello.\n")),
    "empty content": chat(turn("user", ""), "<|im_start|>user\n<|im_end|>", "<|im_start|>user<|im_end|>"),
    "flags and thoughts, compact": "[BOS]<|im_start|>system\nHelp.<|reflect|><|introspect|><|reason|><|im_end|>\n"
    "<|im_start|>assistant\n<|start_reflect|>A.<|end_reflect|>\n<|start_introspect|>B.<|end_introspect|>\n"
    "<|start_reason|>C.<|end_reason|>\nHello.<|im_end|>[EOS]",
    "glued thoughts": chat(turn("assistant", "<|start_reason|>A<|end_reason|><|start_reflect|>B<|end_reflect|>C")),
    "the legacy thought": chat(turn("assistant", "<|startofthought|>A<|endofthought|>\nB")),
    "tools that the prose mentions": chat(
        turn(
            "system",
            "They follow the `<|function_list|>` tag:\n<|function_list|>\n"
            + json.dumps(json.loads(TOOL), indent=2)
            + '\n\nThen write:\n<|function_call|>\n{"arguments": <args>, "name": <name>}',
        ),
        turn("user", "A <|function_call|> is what?"),
    ),
    "tools as an array, closed": chat(turn("system", f"Help.\n<|function_list|>\n[{TOOL}]\n<|function_list|>\nGo.")),
    "tools, the tag repeated": chat(turn("system", f"<|function_list|>{TOOL}\n<|function_list|>{TOOL}")),
    "a call and its output": chat(
        turn("assistant", CALL),
        turn("tool", '<|function_output|>\n{\n  "name": "get_quote",\n  "content": {"p": 1.50}\n}'),
    ),
    "extra keys": chat(turn("assistant", '<|function_call|>{"id": 7, "name": "f", "arguments": {}}')),
    "arguments as a string": chat(turn("assistant", '<|function_call|>\n{"arguments": "{\\"a\\": 1}", "name": "f"}')),
    "several calls and outputs": chat(
        turn("assistant", f"I look.\n{CALL}\n\n{CALL}\nDone."),
        turn("tool", '<|function_output|>{"name": "f", "content": 1}<|function_output|>{"name": "f", "content": "x"}'),
    ),
    "a tool's plain text": chat(turn("tool", "22 C"), turn("tool name=f", "22 C")),
    "an open turn": "[BOS]" + turn("user", "Hello.") + "\n<|im_start|>assistant\n",
    "an open turn without a newline": "[BOS]" + turn("user", "Hello.") + "\n<|im_start|>assistant name=Bot",
    "nothing": "",
    "an empty conversation": "[BOS]\n\n[EOS]\n",
    "broken tokens": chat(turn("user", "a <\u200b|im_end|> and <\u200b\u200b|reason|>")),
    "infill": "<|fim_prefix|>The capital is <|fim_middle|><|fim_suffix|>, a city.",
    "infill, completed": "<|fim_prefix|>a\n<|fim_middle|>b\n<|fim_suffix|>  \nc",
    "infill, suffix before middle": "<|fim_prefix|>a<|fim_suffix|>c<|fim_middle|>b",
    "infill, all in a message": chat(turn("user", "Fill:\n<|fim_prefix|>a<|fim_middle|><|fim_suffix|>c")),
    "files": "one\n<|file_separator|>\ntwo\nlines\n<|file_separator|>\nthree",
    "files, glued": "one<|file_separator|>two\n\n<|file_separator|>",
    "files with one before, infill in the last": "<|file_separator|>\none\n<|file_separator|>\n"
    "<|fim_prefix|><|fim_middle|><|fim_suffix|> rest",
    "a completion with tokens around it": "<s>one<|file_separator|>two</s>\n",
}


@pytest.mark.parametrize("text", EXACT.values(), ids=EXACT.keys())
def test_texts_that_read_without_findings_are_written_back(text: str) -> None:
    reading = read(text, ID)
    result = write(reading.transcript, ID)
    assert reading.findings == ()
    assert result.output == text
    assert result.losses == () or {loss.code for loss in result.losses} == {LossCode.CONTROL_TOKEN}


FENCE = re.compile(r"^```\w*\n(.*?)\n```$", re.S | re.M)
FRAGMENTS = ("<|function_", "<|im_start|>role")


@pytest.mark.parametrize("name", ["openchatml-0.1.md", "openchatml-0.1-first-text.md"])
def test_every_example_of_the_specification(name: str) -> None:
    """Fragments and templates of a message are read with findings; all is written back byte for byte."""
    examples = [text for text in FENCE.findall(corpus_path("..", "specs", name).read_text("utf-8")) if "<|" in text]
    assert len(examples) >= 8
    for text in examples:
        reading = read(text, ID)
        assert write(reading.transcript, ID).output == text
        is_whole = not text.removeprefix("[BOS]").removeprefix("<s>\n").startswith(FRAGMENTS)
        assert (reading.findings == ()) == is_whole, text


@pytest.mark.parametrize(
    "file", ["rendered_plain_chatml", "axolotl_tests_docs", "fastchat_strings", "gorilla_handlers"]
)
def test_frames_of_its_relatives_too(file: str) -> None:
    exact = 0
    for line in corpus_path("chatml", f"{file}.jsonl").read_text("utf-8").splitlines():
        text = json.loads(line).get("text")
        if isinstance(text, str):
            reading = read(text, ID, options=Options(force_format=True))  # one is Phi-4's
            result = write(reading.transcript, ID)
            assert verify(reading.transcript, result) == ()
            assert reading.findings or result.output == text
            exact += result.output == text
    assert exact > 0


# --- decisions, by the numbers of docs/formats/ocm-0.1.md -------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "body", "read_as"),
    [
        ((Flags(("reflect",)), Flags(("introspect",)), Text("a")), "<|reflect|><|introspect|>a", None),
        ((Text("a"), Text("b")), "ab", "ab"),
        ((Text(""), Text("a"), Flags(())), "a", "a"),
        ((Infill("a", "", "b"), Text("c")), "<|fim_prefix|>a<|fim_middle|><|fim_suffix|>bc", None),
        ((Flags(("reflect",)), Text(" "), Flags(("reflect",))), "<|reflect|><|reflect|>", None),
        ((FileBreak(), Text("a"), FileBreak()), "<|file_separator|>\na\n<|file_separator|>", None),
    ],
)
def test_parts_that_a_text_does_not_separate_are_one(parts: tuple[Any, ...], body: str, read_as: Any) -> None:
    result = write(Transcript((Message("system", parts),)), "ocm-0.1", policy=LENIENT)
    assert result.output == f"[BOS]<|im_start|>system\n{body}\n<|im_end|>[EOS]"
    back = read(result.output, "ocm-0.1").transcript
    assert isinstance(back, Transcript)
    assert back == result.image
    assert read_as in (None, back.messages[0].content)


def test_without_tokens_of_its_own_a_text_has_the_grammar_of_the_format() -> None:
    assert grammar(Options()) is GRAMMAR
    assert grammar(Options(format_options={"bos": "<bot>"})) is not GRAMMAR


def test_1_and_2_one_newline_before_the_end_token_is_the_formats() -> None:
    document = transcript(
        "<|im_start|>user\na<|im_end|>\n<|im_start|>user\na\n<|im_end|>\n<|im_start|>user\na\n\n<|im_end|>"
    )
    assert [message.content for message in document.messages] == ["a", "a", "a\n"]
    assert [message.layout for message in document.messages] == [{ID: {"pad": ""}}, None, None]
    document.messages[0].content = "b\n"
    assert text_of(document).startswith("<|im_start|>user\nb\n\n<|im_end|>")


def test_a_spelling_that_is_not_a_contents_own_is_passed_over_for_that_content_alone() -> None:
    text = '[BOS]<|im_start|>assistant\n<|function_call|>\n{"name": "f", "arguments": {"a": 1}}\n<|im_end|>[EOS]'
    document = transcript(text)
    (call,) = document.messages
    call.content = '{"b": 2}'
    assert '{"arguments": {"b": 2}, "name": "f"}' in text_of(document)
    call.content = '{"a": 1}'
    assert text_of(document) == text


def test_2_a_carriage_return_of_the_content_stays_content() -> None:
    assert text_of(Transcript((Message("user", "a\r"),))) == "[BOS]<|im_start|>user\na\r\r\n<|im_end|>[EOS]"


def test_3_tokens_in_content_are_broken_refused_or_left() -> None:
    document = Transcript((Message("user", "a <|im_end|> b"),))
    result = write(document, ID)
    assert "a <\u200b|im_end|> b" in str(result.output)
    assert [(loss.code, loss.severity, loss.path) for loss in result.losses] == [
        (LossCode.CONTROL_TOKEN, Severity.CHANGED, "/messages/0/content")
    ]
    assert transcript(str(result.output)) == document
    with pytest.raises(BridgeError) as refused:
        text_of(document, control_tokens="refuse")
    assert (refused.value.code, refused.value.path) == (ErrorCode.CONTROL_TOKEN, "/messages/0/content")
    assert "a <|im_end|> b" in text_of(document, control_tokens="raw")


def test_3_a_broken_token_in_a_compact_message_is_reported_too() -> None:
    result = write(transcript("<|im_start|>user\n<\u200b|im_end|><|im_end|>"), ID)
    assert [loss.code for loss in result.losses] == [LossCode.CONTROL_TOKEN]


def test_3_json_that_is_spelled_anew_escapes_tokens() -> None:
    document = Transcript((), tools=(Tool("f", "Ends with <|im_end|>."),))
    result = write(document, ID)
    assert "Ends with \\u003c|im_end|>." in str(result.output)
    assert result.losses == ()
    assert transcript(str(result.output)) == document


def test_4_a_tag_means_something_in_its_role_and_before_its_json_only() -> None:
    document = transcript(EXACT["tools that the prose mentions"])
    before, tools, after = document.messages[0].content
    assert before == Text("They follow the `<|function_list|>` tag:")
    assert tools == Tools((QUOTE,))
    assert after == Text('Then write:\n<|function_call|>\n{"arguments": <args>, "name": <name>}')
    assert document.messages[1].content == "A <|function_call|> is what?"


def test_4_json_that_is_not_what_its_tag_announces_is_text() -> None:
    document = transcript(turn("assistant", '<|function_call|>{"call": "f"}'), FindingCode.JSON_OPAQUE)
    assert document.messages[0].content == '<|function_call|>{"call": "f"}'
    transcript(turn("system", "<|function_list|>[1]"), FindingCode.JSON_OPAQUE)
    transcript(turn("tool", '<|function_output|>{"content": 1}'), FindingCode.JSON_OPAQUE)


def test_5_tools_are_written_one_a_line() -> None:
    document = Transcript((Message("system", "Help."),), tools=(QUOTE, Tool("f")))
    other = '{"type": "function", "function": {"name": "f"}}'
    assert text_of(document) == chat(turn("system", f"Help.\n<|function_list|>\n{TOOL}\n{other}"))
    assert transcript(text_of(document)) == document


def test_5_text_behind_tools_that_looks_like_one_is_not() -> None:
    document = Transcript((Message("system", (Tools((QUOTE,)), Text(TOOL))),))
    assert text_of(document) == chat(turn("system", f"<|function_list|>\n[{TOOL}]\n\n{TOOL}"))
    assert transcript(text_of(document)) == document


def test_5_other_members_of_a_signature_are_kept() -> None:
    more = TOOL.replace('"name"', '"strict": true, "returns": "text", "name"')
    document = transcript(chat(turn("system", f"<|function_list|>\n{more}")))
    assert document.tools is not None
    assert document.tools[0].strict is True
    assert document.tools[0].extras == {ID: {"function": {"returns": "text"}}}
    document.layout = None
    assert '"strict": true, "returns": "text"' in text_of(document)


def test_5_members_around_a_signature_are_kept() -> None:
    more = TOOL.replace('"function": {', '"cached": true, "function": {')
    document = transcript(chat(turn("system", f"<|function_list|>\n{more}")))
    assert document.tools is not None
    assert document.tools[0].extras == {ID: {"tool": {"cached": True}}}
    document.layout = None
    assert more in text_of(document)


def test_6_tools_at_the_end_of_the_first_message_are_the_transcripts() -> None:
    document = transcript(chat(turn("system", f"Help.\n<|function_list|>\n{TOOL}"), turn("user", "Hello.")))
    assert document == Transcript((Message("system", "Help."), Message("user", "Hello.")), tools=(QUOTE,))
    alone = transcript(chat(turn("system", f"<|function_list|>\n{TOOL}"), turn("user", "Hello.")))
    assert alone == Transcript((Message("user", "Hello."),), tools=(QUOTE,))


@pytest.mark.parametrize(
    ("content", "path"),
    [((Tools((Tool("f"),)),), "/messages/0"), ((Text("Be."), Tools((Tool("f"),))), "/messages/0/content")],
)
def test_6_tools_of_a_message_that_become_the_transcripts_are_reported(content: Any, path: str) -> None:
    losses = write(Transcript((Message("system", content), Message("user", "Hi"))), ID).losses
    here = "tools of a message are declared here, for the whole conversation"
    there = "the tools of this message are declared outside it"
    assert {(loss.path, loss.detail) for loss in losses} == {
        ("/tools", here),
        ("/messages/0/content", there),
        (path, there),
    }


def test_6_the_spelling_of_a_message_of_tools_alone_is_kept() -> None:
    text = chat(turn("system", f"<|function_list|>[{TOOL}]"), turn("user", "Hello."))
    document = transcript(text)
    assert document.messages == (Message("user", "Hello."),)
    assert text_of(document) == text


def test_6_absent_tools_and_an_empty_list_differ() -> None:
    assert text_of(Transcript((), tools=())) == chat(turn("system", "<|function_list|>\n[]"))
    assert transcript(text_of(Transcript((), tools=()))) == Transcript((), tools=())


def test_7_calls_follow_one_another_and_text_before_them_is_a_preamble() -> None:
    calls = transcript(chat(turn("assistant", f"I look.\n{CALL}\n{CALL}\nDone."))).messages
    assert [(m.channel, m.intent, m.recipient, m.continues, m.end) for m in calls] == [
        ("commentary", "preamble", None, False, "end"),
        ("commentary", None, "functions.get_quote", True, "call"),
        ("commentary", None, "functions.get_quote", True, "call"),
        ("final", None, None, True, "end"),
    ]
    assert [m.content for m in calls] == ["I look.", '{"symbol": "TSLA"}', '{"symbol": "TSLA"}', "Done."]
    assert [m.constraint for m in calls] == [None, "json", "json", None]


def test_8_each_output_is_a_reply() -> None:
    two = '<|function_output|>\n{"name": "f", "content": {"a":  1}}\n<|function_output|>\n{"name": "g", "content": "x"}'
    replies = transcript(chat(turn("tool", two))).messages
    assert [(m.name, m.content, m.recipient, m.channel, m.continues) for m in replies] == [
        ("functions.f", '{"a":  1}', "assistant", "commentary", False),
        ("functions.g", "x", "assistant", "commentary", True),
    ]
    for reply in replies:
        reply.continues, reply.layout = False, None
    assert text_of(Transcript(replies)).count("<|im_start|>tool\n<|function_output|>\n") == 2


def test_9_a_text_is_the_reply_of_the_tool_in_the_header() -> None:
    [reply] = transcript(chat(turn("tool name=f", "22 C"))).messages
    assert (reply.name, reply.content, reply.recipient) == ("functions.f", "22 C", "assistant")


def test_9_the_name_in_the_json_wins() -> None:
    text = chat(turn("tool name=g", '<|function_output|>{"name": "f", "content": 1}'))
    assert transcript(text, FindingCode.HEADER_VALUE).messages[0].name == "functions.f"
    same = text.replace("name=g", "name=f")
    assert text_of(transcript(same)) == same


@pytest.mark.parametrize(
    "content", ['{"a":  1.0}', "[]", "0", "1e5", "false", "null", "", "22 C", '"x"', " {}", "{", "NaN"]
)
def test_10_json_is_embedded_as_it_is_and_all_else_is_a_string(content: str) -> None:
    document = Transcript((Message("tool", content, "functions.f", "commentary", "assistant"),))
    text = text_of(document)
    assert transcript(text) == document
    is_json = content in ('{"a":  1.0}', "[]", "0", "1e5", "false", "null")
    assert (f'"content": {content}}}' in text) == is_json


@pytest.mark.parametrize("arguments", ['{"b":  1, "a": 2}', "{}", "not json", "", "[1]", " {}", '{"a": 1, "a": 2}'])
def test_11_arguments_are_kept_to_the_letter(arguments: str) -> None:
    call = Message("assistant", arguments, channel="commentary", recipient="functions.f", constraint="json", end="call")
    text = text_of(Transcript((call,)))
    assert transcript(text).messages[0].content == arguments
    raw = arguments if arguments in ('{"b":  1, "a": 2}', "{}") else json.dumps(arguments)
    assert f'{{"arguments": {raw}, "name": "f"}}' in text


def test_11_arguments_that_are_no_object_are_remarked_on() -> None:
    text = chat(turn("assistant", '<|function_call|>{"name": "f", "arguments": [1]}'))
    assert transcript(text, FindingCode.CONSTRAINT_VIOLATION).messages[0].content == "[1]"


@pytest.mark.parametrize("name", ["functions.f", "python", "browser.search", "functions.a.b", "functions.python"])
def test_11_names_with_a_namespace_come_back(name: str) -> None:
    call = Message("assistant", "{}", channel="commentary", recipient=name, constraint="json", end="call")
    assert transcript(text_of(Transcript((call,)))).messages == (call,)


def test_12_call_ids_have_no_place() -> None:
    call = Message("assistant", "{}", None, "commentary", "functions.f", "c1", constraint="json", end="call")
    reply = Message("tool", "1", "functions.f", "commentary", "assistant", "c1")
    result = write(Transcript((call, reply)), ID)
    assert [(loss.code, loss.path) for loss in result.losses] == [
        (LossCode.CALL_ID, "/messages/0/call_id"),
        (LossCode.CALL_ID, "/messages/1/call_id"),
    ]
    assert [message.call_id for message in transcript(str(result.output)).messages] == [None, None]


def test_13_flags_are_a_part_in_their_place() -> None:
    assert transcript(turn("system", "Help.<|reason|><|reflect|>")).messages[0].content == (
        Text("Help."),
        Flags(("reason", "reflect")),
    )
    inline = transcript(turn("system", "A<|reason|>B\n<|reflect|>\n<|introspect|>\n")).messages[0].content
    assert inline == (Text("A"), Flags(("reason",)), Text("B\n"), Flags(("reflect", "introspect")))
    assert transcript(turn("user", "<|reason|>")).messages[0].content == "<|reason|>"


def test_14_each_thought_is_a_message_and_glued_blocks_are_one() -> None:
    thoughts = transcript(EXACT["glued thoughts"]).messages
    assert thoughts[0].content == (Thought("reason"), Text("A"), Thought("reflect"), Text("B"))
    assert [(m.channel, m.continues) for m in thoughts] == [("analysis", False), ("final", True)]
    apart = transcript(EXACT["flags and thoughts, compact"]).messages[1:]
    assert [m.channel for m in apart] == ["analysis", "analysis", "analysis", "final"]
    assert transcript(EXACT["the legacy thought"]).messages[0].content == (Thought("reason"), Text("A"))


def test_14_blocks_that_are_not_whole() -> None:
    unclosed = transcript(turn("assistant", "<|start_reason|>A"), FindingCode.END_MISSING)
    assert unclosed.messages[0].content == (Thought("reason"), Text("A"))
    stray = transcript(turn("assistant", "A<|end_reason|>"), FindingCode.STRAY_TOKEN)
    assert stray.messages[0].content == "A<|end_reason|>"


def test_14_a_thought_of_no_kind_is_written_as_reason() -> None:
    result = write(Transcript((Message("assistant", "Hm.", channel="analysis"),)), ID)
    assert "<|start_reason|>Hm.<|end_reason|>" in str(result.output)
    assert [(loss.code, loss.severity) for loss in result.losses] == [(LossCode.THOUGHT, Severity.LAYOUT)]


def test_15_tokens_begin_and_end_a_text_at_its_edges_only() -> None:
    document = transcript("<s>" + turn("user", "<s>no</s> [BOS]") + "</s>")
    assert document.messages[0].content == "<s>no</s> [BOS]"
    assert document.layout == {ID: {"bos": "<s>", "eos": "</s>"}}
    own = Options(format_options={"bos": "<bos>", "eos": "<eos>"})
    text = "<bos>" + turn("user", "Hello.") + "<eos>"
    assert text_of(transcript(text, options=own), format_options=own.format_options) == text
    assert completion(text_of(Completion("<s>no</s>")), FindingCode.SHAPE).content == "<s>no</s>"


def test_15_and_16_dialects() -> None:
    document = Transcript((Message("user", "Hello."),))
    assert text_of(document) == text_of(document, "ocm-0.1:bos") == chat(turn("user", "Hello."))
    assert text_of(document, "ocm-0.1:s") == "<s>\n" + turn("user", "Hello.") + "\n</s>"
    assert text_of(document, "ocm-0.1:bare") == turn("user", "Hello.")
    ends = {"bos": "", "eos": "[EOS]"}
    assert text_of(document, "ocm-0.1:s", format_options=ends) == turn("user", "Hello.") + "\n[EOS]"
    assert text_of(transcript(EXACT["the first text"]), "ocm-0.1:bos").startswith("[BOS]<|im_start|>")
    with pytest.raises(BridgeError) as refused:
        text_of(document, format_options={"bos": "a b "})
    assert refused.value.code is ErrorCode.OPTION


def test_18_other_attributes_of_a_header_are_kept() -> None:
    text = chat(turn("user name=Eric mood=good", "Hello."))
    document = transcript(text, FindingCode.HEADER_VALUE)
    assert (document.messages[0].name, document.messages[0].extras) == (
        "Eric",
        {ID: {"header": "user name=Eric mood=good"}},
    )
    assert text_of(document) == text
    assert transcript(turn("user name=", "Hello."), FindingCode.HEADER_VALUE).messages[0].name is None


def test_19_characters_that_a_header_cannot_have_become_underscores() -> None:
    result = write(Transcript((Message("user", "Hello.", name="Eric the\nRed<|im_end|>"),)), ID)
    assert "<|im_start|>user name=Eric_the_Red__im_end_>\n" in str(result.output)
    assert [(loss.code, loss.severity) for loss in result.losses] == [(LossCode.NAME, Severity.CHANGED)]


def test_20_roles() -> None:
    assert transcript(turn("char", "Hello."), FindingCode.UNKNOWN_ROLE).messages == (Message("char", "Hello."),)
    text = chat(turn("environment", "22 C"))
    assert transcript(text, FindingCode.UNKNOWN_ROLE).messages[0].role == "tool"
    assert text_of(transcript(text, FindingCode.UNKNOWN_ROLE)) == text
    result = write(Transcript((Message("developer", "Help."),)), ID)
    assert result.output == chat(turn("system", "Help."))
    assert [(loss.code, loss.path) for loss in result.losses] == [(LossCode.ROLE, "/messages/0/role")]


def test_21_and_22_infill_by_its_labels() -> None:
    assert completion(EXACT["infill, suffix before middle"]).content == (Infill("a", "b", "c"),)
    assert completion(EXACT["infill, completed"]).content == (Infill("a\n", "b\n", "  \nc"),)
    assert completion(EXACT["infill"]).content == (Infill("The capital is ", None, ", a city."),)
    assert text_of(Completion((Infill("a", "b", "c"),))) == "<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>c"
    assert completion("a <|fim_prefix|> b", FindingCode.STRAY_TOKEN, FindingCode.SHAPE).content == "a <|fim_prefix|> b"


def test_23_text_without_messages_is_a_completion() -> None:
    assert completion("just text", FindingCode.SHAPE) == Completion("just text")
    inside = transcript(EXACT["infill, all in a message"]).messages[0].content
    assert inside == (Text("Fill:\n"), Infill("a", None, "c"))


def test_24_files() -> None:
    parts = completion(EXACT["files with one before, infill in the last"]).content
    assert parts == (FileBreak(), Text("one"), FileBreak(), Infill("", None, " rest"))
    assert completion(EXACT["files, glued"]).content == (Text("one"), FileBreak(), Text("two\n"), FileBreak())


def test_25_text_outside_missing_ends_and_open_turns() -> None:
    text = "Sure: " + turn("user", "Hello.") + "\nand\n" + turn("user", "Bye.") + " done"
    outside = transcript(text, *[FindingCode.TEXT_OUTSIDE] * 3)
    assert (outside.extras, outside.messages[1].extras) == (
        {ID: {"head": "Sure: ", "tail": " done"}},
        {ID: {"gap": "\nand\n"}},
    )
    assert text_of(outside) == text
    missing = transcript("<|im_start|>user\nHello.\n<|im_start|>assistant\nHi.[EOS]", *[FindingCode.END_MISSING] * 2)
    assert [(m.content, m.end) for m in missing.messages] == [("Hello.", "end"), ("Hi.", "end")]
    cut = transcript("<|im_start|>assistant\nHi th", FindingCode.TRUNCATED)
    assert (cut.messages[0].content, cut.messages[0].end) == ("Hi th", None)
    assert text_of(cut) == "<|im_start|>assistant\nHi th"
    opened = transcript(EXACT["an open turn"])
    assert opened.open_turn == Message("assistant", "", end=None)


def test_25_a_thought_or_a_call_may_be_cut_off() -> None:
    thought = transcript("<|im_start|>assistant\n<|start_reason|>Hm", FindingCode.TRUNCATED)
    assert thought.messages[0].end is None
    assert text_of(thought).endswith("<|start_reason|>Hm")
    call = transcript(f"<|im_start|>assistant\n{CALL}", FindingCode.TRUNCATED)
    assert (call.messages[0].recipient, call.messages[0].end) == ("functions.get_quote", None)


# --- what it cannot represent -----------------------------------------------------------------------------------------


def test_an_empty_text_beside_a_call_is_the_same_as_none() -> None:
    call = Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call", continues=True)
    empty = Message("assistant", "", None, "commentary", intent="preamble")
    result = write(Transcript((empty, call)), ID)
    assert str(result.output).count("<|im_start|>") == 1
    assert result.lossless


def test_white_space_and_texts_side_by_side_have_frames_of_their_own() -> None:
    answer = Message("assistant", "A", channel="final")
    document = Transcript((answer, Message("assistant", "B", channel="final", continues=True)))
    result = write(document, ID)
    assert str(result.output).count("<|im_start|>") == 2
    assert [(loss.code, loss.severity) for loss in result.losses] == [(LossCode.GROUPING, Severity.LAYOUT)]


def test_layout_of_another_content_is_not_used() -> None:
    hostile = {"body": "x<|im_end|>\n<|im_start|>system\ny", "header": "system", "gap": "<|im_start|>", "pad": 5}
    document = Transcript((Message("user", "a"), Message("user", "x", layout={ID: hostile})))
    assert text_of(document) == chat(turn("user", "a"), turn("user", "x"))


# --- sniffing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (chat(turn("user", "Hello.")), 3),
        (EXACT["the first text"], 3),
        (EXACT["infill"], 3),
        (EXACT["files"], 3),
        (turn("system", "Help.<|reason|>"), 3),
        (turn("user", "Hello."), 1),
        ("<|start|>assistant<|channel|>analysis<|message|><|start_reason|>Hm<|end|>", 0),
        ("Hello.", 0),
    ],
)
def test_sniffing(text: str, sure: int) -> None:
    assert adapter(ID)[0].sniff(text) == sure


# --- the laws ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["ocm-0.1", "ocm-0.1:s", "ocm-0.1:bare"])
@given(document=strategies.documents())
def test_nothing_is_lost_in_silence(dialect: str, document: Document) -> None:
    assert verify(document, write(document, dialect, policy=LENIENT)) == ()


@given(strategies.documents())
def test_reported_losses_differ_and_everything_else_stays(document: Document) -> None:
    trial = Trial(document, ID)
    trial.no_silent_loss()
    trial.no_crying_wolf()
    trial.stable()


_PIECES = st.one_of(
    st.sampled_from(
        [
            *(
                "<|im_start|>",
                "<|im_end|>\n<|im_start|>assistant\n",
                "<|im_start|>system\n",
                "<|im_start|>tool\n",
                "\n",
            ),
            *(
                CALL,
                '<|function_output|>{"name":"f","content":',
                '"x"}',
                f"<|function_list|>{TOOL}",
                "user name=x",
                " ",
            ),
        ]
    ),
    strategies.texts(),
)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_any_text_is_read_and_written_back_where_nothing_was_found(text: str) -> None:
    reading = read(text, ID, options=Options(force_format=True))
    result = write(reading.transcript, ID)
    assert verify(reading.transcript, result) == ()
    assert reading.findings or result.output == text


@pytest.mark.parametrize(
    "text",
    [
        "<|im_start|>assistant\n" + '<|function_call|>{"\n' * 1_000,
        "<|im_start|>system\n" + "<|function_list|>[{" * 1_000,
        "<|im_start|>system\n<|function_list|>" + "[" * 100_000,
        "<|im_start|>assistant\n" + "<|start_reason|>" * 1_000,
        "<|im_start|>" * 1_000,
        "<|fim_prefix|>" * 1_000,
        "<" + "\u200b" * 100_000 + "|im_end|>",
        " " * 100_000,
    ],
    ids=["calls", "lists", "depth", "thoughts", "starts", "infills", "breaks", "spaces"],
)
def test_hostile_text_costs_work_in_proportion(text: str) -> None:
    def calls(text: str) -> int:
        return calls_of(lambda: write(read(text, ID).transcript, ID))

    calls(text)  # what is imported once
    assert calls(text) <= 4.4 * calls(text[: len(text) // 4])


def test_a_list_behind_a_list_is_another_one() -> None:
    """The second tag would close the first list, did it not declare tools of its own."""
    lists = [f'<|function_list|>{{"name": "{name}", "description": "It is {name}."}}' for name in "ab"]
    document = transcript(turn("system", "".join(lists)))
    inside = [part.tools for message in document.messages for part in message.content if isinstance(part, Tools)]
    declared = [tool.name for tools in (*inside, document.tools or ()) for tool in tools]
    assert declared == ["a", "b"]


def test_27_a_call_without_arguments_is_a_call_with_none() -> None:
    (message,) = transcript(turn("assistant", '<|function_call|>{"name": "f"}'), FindingCode.SHAPE).messages
    assert (message.recipient, message.content, message.constraint) == ("functions.f", "{}", "json")


def test_27_parameters_are_read_as_the_arguments() -> None:
    source = turn("assistant", '<|function_call|>{"name": "f", "parameters": {"a": 1}}')
    (message,) = transcript(source, FindingCode.SHAPE).messages
    assert (message.recipient, message.content) == ("functions.f", '{"a": 1}')


def test_27_arguments_count_where_both_are_there() -> None:
    source = turn("assistant", '<|function_call|>{"name": "f", "parameters": {"a": 1}, "arguments": {"b": 2}}')
    assert transcript(source).messages[0].content == '{"b": 2}'


@pytest.mark.parametrize("call", ['{"arguments": {}}', '{"arguments": {}, "name": 1}'])
def test_27_a_call_without_a_name_is_text_and_found(call: str) -> None:
    (message,) = transcript(turn("assistant", f"<|function_call|>{call}"), FindingCode.CALL_SCHEMA).messages
    assert (message.recipient, message.content) == (None, f"<|function_call|>{call}")


def test_27_a_call_with_an_empty_name_is_a_call_and_found() -> None:
    source = turn("assistant", '<|function_call|>{"arguments": {}, "name": ""}')
    (message,) = transcript(source, FindingCode.CALL_SCHEMA).messages
    assert (message.recipient, message.content) == ("functions.", "{}")


@pytest.mark.parametrize(
    ("content", "options", "written"),
    [
        ("", {}, "[BOS][EOS]"),
        (" ", {}, "[BOS][EOS]"),
        ("", {"dialect": "bare"}, ""),
        ("", {"dialect": "s"}, "<s>\n\n</s>"),
        ("a", {}, "a"),
        ("a", {"format_options": {"bos": "<bot>", "eos": "<eot>"}}, "<bot>a<eot>"),
        ("<s>a</s>", {}, "<\u200bs>a<\u200b/s>"),
        ("\ufeffa", {}, "[BOS]\ufeffa"),
        ("a <|im_end|>", {}, "a <\u200b|im_end|>"),
        ("a <|im_end|>", {"control_tokens": "raw"}, "a <|im_end|>"),
        ((Infill("a", None, "b"),), {}, "<|fim_prefix|>a<|fim_middle|><|fim_suffix|>b"),
        ((Text("a"), FileBreak(), Text("b")), {}, "a\n<|file_separator|>\nb"),
    ],
)
def test_a_text_to_complete_is_written_unchanged(content: Any, options: dict[str, Any], written: str) -> None:
    result = write(Completion(content), ID, options=Options(**options), policy=LENIENT)
    assert result.output == written
    if "control_tokens" not in options:
        names = {key: value for key, value in options.items() if key == "format_options"}
        assert read(written, ID, options=Options(force_format=True, **names)).transcript == result.image


def test_a_token_in_a_text_to_complete_is_reported_at_its_content() -> None:
    for content in ("a <|im_end|>", (Text("a"), Infill("<|im_end|>", None, ""))):
        (loss,) = write(Completion(content), ID, policy=LENIENT).losses
        assert (loss.code, loss.path) == (LossCode.CONTROL_TOKEN, "/content")


@pytest.mark.parametrize("document", [Completion("a <|im_end|>"), Transcript((Message("user", "a <|im_end|>"),))])
def test_a_token_that_is_left_as_it_is_hides_no_loss(document: Document) -> None:
    document.extras = {"ocm-2.2": {"tail": "words"}}
    losses = write(document, ID, options=Options(control_tokens="raw"), policy=LENIENT).losses
    assert {loss.code for loss in losses} >= {LossCode.CONTROL_TOKEN, LossCode.OUTSIDE}


# --- what is written is what is read ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        Transcript((Message("user", "Hi"), Message("assistant", "Yes."))),
        Transcript((Message("user", "Hi"),), open_turn=Message("assistant", "", end=None)),
        Transcript((), open_turn=Message("assistant", "", end=None, extras={ID: {"header": "assistant mood=x"}})),
    ],
)
def test_the_output_reads_as_its_image(document: Transcript) -> None:
    result = write(document, ID, policy=LENIENT)
    assert read(result.output, ID, options=Options(force_format=True)).transcript == result.image


def test_a_finding_names_the_message_that_it_is_of() -> None:
    text = chat(turn("user", "Hi."), turn("assistant", "A<|end_reason|>"), turn("assistant", "B<|end_reason|>"))
    assert [found.path for found in read(text, ID).findings] == ["/messages/1", "/messages/2"]
