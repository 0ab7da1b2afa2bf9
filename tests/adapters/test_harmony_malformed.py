"""Harmony as models really write it: what malformed output evidently means, and no word of it lost."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from corpus import corpus_path
from counting import calls_of
from harmony_answers import chunks_of
from harmony_judge import records
from harmony_text import CALL, assistant, codes, is_exact, messages, read_text
from ocml_adapters.harmony.official import as_official
from ocml_adapters.harmony.syntax import TOKEN
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import (
    BridgeError,
    ErrorCode,
    FindingCode,
    LossCode,
    Message,
    Options,
    Transcript,
    read,
    write,
)
from ocml_bridge.events import Delta, Finding, Stop
from ocml_bridge.pipe import decoder
from ocml_bridge.testing.laws import all_laws

# --- malformed output -------------------------------------------------------------------------------------------------

A = "assistant"


MALFORMED: dict[str, tuple[str, Message]] = {
    "1 a constraint without a recipient": (
        "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}<|return|>",
        assistant("{}", channel="final", constraint="json", end="return"),
    ),
    "1 a content type without a recipient": (
        "<|channel|>final json<|message|>{}<|return|>",
        assistant("{}", channel="final", content_type="json", end="return"),
    ),
    "2 attributes of OpenChatML 2.2, a call": (
        "<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{}<|call|>",
        assistant("{}", channel="commentary", recipient="functions.f", call_id="c1", constraint="json", end="call"),
    ),
    "2 attributes of OpenChatML 2.2, a reply": (
        "<|start|>tool name=functions.f call_id=c1 to=assistant<|channel|>commentary<|message|>1<|end|>",
        Message("tool", "1", name="functions.f", channel="commentary", recipient=A, call_id="c1"),
    ),
    "2 attributes of OpenChatML 2.2, an intent": (
        "<|start|>assistant intent=status<|channel|>commentary content_type=markdown<|message|>x<|end|>",
        assistant("x", channel="commentary", intent="status", content_type="markdown"),
    ),
    "3 the recipient twice": (
        "<|start|>assistant to=functions.f<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
        CALL,
    ),
    "3 a space behind the marker": (
        "<|start|>assistant to=functions.f<|channel|>commentary <|constrain|> json<|message|>{}<|call|>",
        CALL,
    ),
    "3 the type before the recipient": (
        "<|start|>assistant<|channel|>commentary <|constrain|>json to=functions.f<|message|>{}<|call|>",
        CALL,
    ),
    "3 the most private channel counts": (
        "<|channel|>commentary to=assistant<|channel|>analysis<|message|>x<|end|>",
        assistant("x", channel="analysis", recipient=A),
    ),
    "3 a channel marker without a channel": (
        "<|start|>assistant<|channel|><|message|>x<|end|>",
        assistant("x", channel="analysis"),
    ),
    "3 a channel marker without a channel, a call": (
        "<|channel|> to=functions.f <|constrain|>json<|message|>{}<|call|>",
        assistant("{}", recipient="functions.f", constraint="json", end="call"),
    ),
    "3 the first channel counts in a call": (
        "<|channel|>commentary to=functions.f<|channel|>analysis<|constrain|>json<|message|>{}<|call|>",
        CALL,
    ),
    "3 the tool for the channel": (
        "<|start|>assistant<|channel|>f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>",
        assistant("{}", channel="commentary", recipient="f", constraint="json", end="call"),
    ),
    "3 a private channel before a shown one": (
        "<|channel|>analysis<|channel|>final<|message|>x<|end|>",
        assistant("x", channel="analysis"),
    ),
    "3 a private channel behind a shown one": (
        "<|channel|>final<|channel|>analysis<|message|>x<|end|>",
        assistant("x", channel="analysis"),
    ),
    "3 question marks behind a channel": (
        "<|channel|>analysis??<|message|>x<|end|>",
        assistant("x", channel="analysis"),
    ),
    "3 question marks behind commentary: nobody is meant": (
        "<|channel|>commentary?<|message|>x<|end|>",
        assistant("x", channel="commentary"),
    ),
    "3 question marks behind the channel of a call": (
        "<|channel|>commentary? to=functions.f <|constrain|>json<|message|>{}<|call|>",
        CALL,
    ),
    "3 white space that is not ASCII": (
        "<|channel|>commentary to=functions.f\u3000<|constrain|>json<|message|>{}<|call|>",
        CALL,
    ),
    "3 capital letters": ("<|channel|>Final<|message|>x<|return|>", assistant("x", channel="final", end="return")),
    "3 a channel twice": ("<|channel|>analysis analysis<|message|>x<|end|>", assistant("x", channel="analysis")),
    "3 prose behind a channel": (
        "<|channel|>analysis we should use python now<|message|>x<|end|>",
        assistant("x", channel="analysis"),
    ),
    "4 the channel for the role": ("<|start|>final<|message|>x<|end|>", assistant("x", channel="final")),
    **{
        f"4 a misspelt thought without a channel marker: {header}": (
            f"{header}<|message|>x<|end|>",
            assistant("x", channel="analysis"),
        )
        for header in (
            *("analysi", "nalysis", "anaalysis", "AnaIysis", "jsonanalysis"),
            *("<|start|>assistantassistantanalysis", "<|start|>assistantcodeanalysis", "<|start|>assistant analysi"),
        )
    },
    "4 a tool whose name ends so": ("<|start|>dataanalysis<|message|>x<|end|>", Message("tool", "x", "dataanalysis")),
    "4 the role twice": (
        "<|start|>assistantassistant<|channel|>final<|message|>x<|end|>",
        assistant("x", channel="final"),
    ),
    "4 the recipient for the role": (
        "<|start|>to=functions.f<|channel|>commentary<|message|>{}<|call|>",
        assistant("{}", channel="commentary", recipient="functions.f", end="call"),
    ),
    "4 no role": ("<|start|><|channel|>final<|message|>x<|end|>", assistant("x", channel="final")),
    "4 the name of a speaker": ("<|start|>user:bob<|message|>x<|end|>", Message("user", "x", name="bob")),
    "4 a tool by its bare name": ("<|start|>bash<|message|>x<|end|>", Message("tool", "x", name="bash")),
    "5 a body in the header": (
        "<|start|>assistant<|channel|>final The answer is 4.<|return|>",
        assistant("The answer is 4.", channel="final", end="return"),
    ),
    "5 arguments in the header": (
        '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json {"a": 1}<|call|>',
        assistant('{"a": 1}', channel="commentary", recipient="functions.f", constraint="json", end="call"),
    ),
    "5 a body without any header, and more to come": (
        "I must refuse<|end|>",
        assistant("I must refuse", channel="analysis"),
    ),
    "5 a body without any header that ends the answer": (
        "I must refuse<|return|>",
        assistant("I must refuse", end="return"),
    ),
    "5 an answer behind the generation prompt": (
        "<|start|>assistantHello there<|return|>",
        assistant("Hello there", end="return"),
    ),
    "5 a JSON answer behind the generation prompt": (
        '<|start|>assistant{"a": 1}<|return|>',
        assistant('{"a": 1}', end="return"),
    ),
    "8 no token at all": ('{"answer": 4}', assistant('{"answer": 4}')),
}


@pytest.mark.parametrize(("text", "expected"), MALFORMED.values(), ids=list(MALFORMED))
def test_malformed_output_is_read_as_what_it_evidently_means(text: str, expected: Message) -> None:
    (message,) = messages(text)
    message.layout = message.extras = None
    assert message == expected
    assert codes(text) & {FindingCode.HEADER_RECOVERED, FindingCode.TEXT_OUTSIDE}


def test_text_without_a_place_in_a_header_is_kept_beside_it() -> None:
    (message,) = messages('<|start|>assistant<|channel|>bash<|channel|>commentary<|message|>{"p":1}<|call|>')
    assert message.channel == "bash"
    assert message.extras == {"harmony": {"header": "commentary"}}


@pytest.mark.parametrize("channel", ["??", "thinking", "notes"])
def test_an_unknown_channel_is_kept_and_found(channel: str) -> None:
    text = f"<|start|>assistant<|channel|>{channel}<|message|>x<|end|>"
    assert messages(text)[0].channel == channel
    assert codes(text) == {FindingCode.UNKNOWN_CHANNEL}
    assert write(read_text(text), "harmony").output == text


def test_a_missing_end_token_before_another_message() -> None:
    text = "<|channel|>analysis<|message|>t<|start|>assistant<|channel|>final<|message|>Hello!<|return|>"
    assert [(m.content, m.end) for m in messages(text)] == [("t", "end"), ("Hello!", "return")]
    assert codes(text) == {FindingCode.END_MISSING}


@pytest.mark.parametrize(
    ("arguments", "after", "content"),
    [
        # waybarrios/vllm-mlx, tests/test_harmony_parsers.py and test_api_utils.py.
        ('{"loc": "SF"}', "final", "Done"),
        ('{"loc": "SF"}\n', "final", "Done"),
        ('{"path": "/etc/hosts"\n', "final", "Done"),
        (' {"a": "\\\\\\"<|channel|>final<|message|>"}', "analysis", "t"),
        ('{"a": 1}', "commentary to=functions.g", "{}"),
    ],
)
def test_a_message_that_begins_between_the_strings_of_arguments(arguments: str, after: str, content: str) -> None:
    call = f"<|channel|>commentary to=functions.f <|constrain|>json<|message|>{arguments}"
    text = f"{call}<|channel|>{after}<|message|>{content}<|end|>"
    first, second = messages(text)
    assert (first.recipient, first.content) == ("functions.f", arguments)
    assert (second.channel, second.content) == (after.split()[0], content)
    assert FindingCode.END_MISSING in codes(text)
    for size in (1, 3, 1000):
        source = decoder("harmony")
        events = [event for chunk in chunks_of(text, size) for event in source.feed(chunk)] + source.finish()
        stop = events[-1]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        assert stop.document.messages == (first, second)


@pytest.mark.parametrize("body", ['{"a": "<|channel|>final<|message|>"}', 'print("a")<|channel|>final<|message|>'])
def test_a_header_in_a_string_or_in_code_begins_no_message(body: str) -> None:
    text = f"<|channel|>commentary to=functions.f<|message|>{body}<|call|>"
    assert [each.content for each in messages(text)] == [body]


@pytest.mark.parametrize(
    ("header", "channel"), [("functions.f<|channel|>a b", "a"), ("functions.f<|channel|>a<b", "a<b")]
)
def test_a_reply_on_what_is_no_channel(header: str, channel: str) -> None:
    text = f"<|start|>{header}<|message|>1<|end|>"
    (reply,) = messages(text)
    assert (reply.role, reply.name, reply.channel) == ("tool", "functions.f", channel)
    assert f"the header '{header}' is read as" in read(text, "harmony").findings[0].detail


def test_a_start_token_inside_a_body_that_begins_no_message_is_text() -> None:
    text = "<|start|>user<|message|>print <|start|> and <|channel|>!<|end|>"
    assert messages(text)[0].content == "print <|start|> and <|channel|>!"
    (finding,) = read(text, "harmony").findings
    assert finding.code is FindingCode.STRAY_TOKEN
    assert finding.detail == "<|channel|>, <|start|> in the body is read as text"
    assert write(read_text(text), "harmony").output == text


def test_a_doubled_start_token_and_repeated_stop_tokens_are_left_out() -> None:
    text = "<|start|><|start|>user<|message|>x<|end|><|end|><|return|>"
    assert messages(text) == (Message("user", "x"),)
    assert codes(text) == {FindingCode.STRAY_TOKEN}


def test_white_space_between_messages_is_left_out() -> None:
    text = "<|start|>user<|message|>a<|end|>\n\n<|start|>user<|message|>b<|end|>"
    assert [m.content for m in messages(text)] == ["a", "b"]
    assert codes(text) == {FindingCode.TEXT_OUTSIDE}


def test_text_between_and_behind_messages_is_kept_apart() -> None:
    text = "<|start|>user<|message|>a<|end|> 364 <|start|>user<|message|>b<|return|>tail"
    transcript = read_text(text)
    assert transcript.messages[1].extras == {"harmony": {"before": " 364 "}}
    assert transcript.extras == {"harmony": {"after": "tail"}}
    losses = write(transcript, "harmony").losses
    assert [(loss.code, loss.path) for loss in losses] == [
        (LossCode.OUTSIDE, "/messages/1/extras/harmony/before"),
        (LossCode.OUTSIDE, "/extras/harmony/after"),
    ]


def test_a_call_that_breaks_off_in_its_header_is_kept_with_the_text_after_it() -> None:
    broken = "<|start|>assistant to=functions.f<|channel|>commentary<|call|>"
    for tail in ("", "tail"):
        reading = read(f"<|start|>user<|message|>a<|end|>{broken}{tail}", "harmony")
        assert isinstance(reading.transcript, Transcript)
        assert reading.transcript.messages == (Message("user", "a"),)
        assert reading.transcript.extras == {"harmony": {"after": f"{broken}{tail}"}}
        assert {finding.path for finding in reading.findings} == {""}
    for between in ("", "x"):
        behind = messages(f"{broken}{between}<|start|>user<|message|>a<|end|>")
        assert behind == (Message("user", "a", extras={"harmony": {"before": f"{broken}{between}"}}),)


@pytest.mark.parametrize("header", ["<|channel|>final", "<|channel|>commentary", "<|channel|>final "])
def test_a_body_that_begins_in_a_header_behind_a_generation_prompt_is_found_once(header: str) -> None:
    """The header itself is a whole one: behind a generation prompt, the role is the prompt's."""
    reading = read(f"{header}hello there", "harmony", options=Options(force_format=True))
    found = [finding.detail for finding in reading.findings if finding.code is FindingCode.HEADER_RECOVERED]
    assert found == ["<|message|> is missing: the header runs into the body"]


def test_an_answer_whose_tokens_were_left_out() -> None:
    text = (
        "analysisWe need the weather.assistantcommentary to=functions.get_weather json"
        '{"city":"Paris"}assistantfinalIt is sunny.'
    )
    assert messages(text) == (
        assistant("We need the weather.", channel="analysis"),
        assistant(
            '{"city":"Paris"}',
            channel="commentary",
            recipient="functions.get_weather",
            constraint="json",
            end="call",
            continues=True,
        ),
        assistant("It is sunny.", channel="final"),
    )
    assert codes(text) == {FindingCode.HEADER_RECOVERED}


def test_a_thought_whose_tokens_were_left_out_is_not_shown_if_the_answer_breaks_off_within_it() -> None:
    """sgl-project/sglang, test/registered/unit/parser/test_harmony_parser.py: an answer has only a thought so far."""
    for text in ("analysisThe user typed random strings.", "analysisWe need it.commentary to=functions.f"):
        (message,) = messages(text)
        assert (message.channel, message.content) == ("analysis", text.removeprefix("analysis"))
        assert codes(text) == {FindingCode.HEADER_RECOVERED}
    assert messages("analysis of the text: it is good.")[0].channel is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Conversations with gpt-oss that its users published, without the control tokens.
        (
            'analysisNeed it.assistantcommentary to=functions.glob json{"p":"}analysis"}commentaryanalysisNo results.',
            [
                ("analysis", None, "Need it."),
                ("commentary", "glob", '{"p":"}analysis"}'),
                ("analysis", None, "No results."),
            ],
        ),
        (
            'analysisIt.assistantcommentary to=functions.globcommentary json{"p":1}analysisNo.assistantfinalDone',
            [
                *[("analysis", None, "It."), ("commentary", "glob", '{"p":1}')],
                *[("analysis", None, "No."), ("final", None, "Done")],
            ],
        ),
        # A call whose header is cut off is none.
        (
            "analysisI will call a tool.assistantcommentary to=functions.calculate",
            [("analysis", None, "I will call a tool."), ("analysis", None, "commentary to=functions.calculate")],
        ),
    ],
)
def test_calls_in_an_answer_whose_tokens_were_left_out(text: str, expected: list[Any]) -> None:
    found = [
        (each.channel, each.recipient and each.recipient.removeprefix("functions."), each.content)
        for each in messages(text)
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("after", "content"),
    [
        # Answers of gpt-oss in public repositories, in which a word or a tag stands in place of `<|message|>`.
        ('answer<|constrain|>{"a": 1}', '{"a": 1}'),
        ('JSON {"a": 1}', '{"a": 1}'),
        ("<DAFNY_CODE>\nfunction f()", "<DAFNY_CODE>\nfunction f()"),
        ("python\nprint(1)", "\nprint(1)"),
        ("Paris", "Paris"),
        ("The answer is 4.", "The answer is 4."),
    ],
)
def test_no_word_of_a_text_after_constrain_is_lost(after: str, content: str) -> None:
    (message,) = messages(f"<|start|>assistant<|channel|>final <|constrain|>{after}<|return|>")
    assert (message.channel, message.content) == ("final", content)


def test_a_call_elsewhere_than_on_commentary_and_one_that_did_not_end_as_a_call() -> None:
    text = "<|start|>assistant to=functions.f<|channel|>analysis<|message|>{}<|end|>"
    assert codes(text) == {FindingCode.CALL_CHANNEL, FindingCode.CALL_ENDING}
    assert codes("<|start|>assistant to=python<|channel|>analysis<|message|>1<|call|>") == set()


def test_a_reply_without_recipient_is_written_back_as_it_was() -> None:
    text = "<|start|>functions.f<|message|>1<|end|>"
    assert messages(text)[0].recipient is None
    assert codes(text) == {FindingCode.HEADER_RECOVERED}
    assert write(read_text(text), "harmony").output == text
    assert write(read_text(text), "harmony:spec").output == "<|start|>functions.f to=assistant<|message|>1<|end|>"


@pytest.mark.parametrize(
    ("header", "recipient", "beside"),
    [
        ('assistant to={"a": 1} commentary', '{"a":', "1}"),
        ("assistant to=[x commentary", "[x", None),
        ('assistant to=functions.f{"a": 1} commentary', "functions.f", '{"a": 1}'),
        ("assistant to= to=functions.f commentary", "functions.f", None),
    ],
)
def test_what_a_recipient_is_written_with_is_kept(header: str, recipient: str, beside: str | None) -> None:
    """Models write arguments into headers; what can be no name is the recipient where nothing else is."""
    document = read(f"<|start|>{header}<|message|>{{}}<|call|>", "harmony").transcript
    assert isinstance(document, Transcript)
    [message] = document.messages
    assert (message.role, message.recipient) == ("assistant", recipient)
    assert (message.extras or {}).get("harmony", {}).get("header") == beside


def test_an_empty_text_is_an_empty_transcript() -> None:
    assert read_text("") == Transcript()
    assert is_exact("")


def test_only_text_is_read() -> None:
    with pytest.raises(BridgeError) as caught:
        read([1], "harmony")
    assert caught.value.code is ErrorCode.SHAPE


@pytest.mark.parametrize(
    "piece",
    [
        "<|start|>",
        "<|channel|>",
        "<|start|><|channel|>",
        "<|start|>assistant",
        "<|constrain|>x",
        '{"a": "<|channel|>',
        "<|end|>",
        "<|start|>user<|message|>",
        "assistantfinal",
        " ",
        "a ",
        "# Tools\n\n## ",
        "<\u200b",
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "<|start|>assistant{}<|message|>x",
        "<|start|>developer<|message|>{}<|end|>",
        '<|start|>assistant to=functions.f<|message|>{"a": "{}"}<|call|>',
    ],
)
def test_work_grows_with_the_length(piece: str, around: str) -> None:
    def work(count: int) -> int:
        return calls_of(lambda: write(read_text(around.replace("{}", piece * count)), "harmony"))

    work(1)  # what is imported once
    assert work(1200) <= 4.4 * work(300)


# --- the corpus -------------------------------------------------------------------------------------------------------

OTHERWISE = {
    *("harmonyparser_test.go:32", "report:0", "report:1", "report:2", "report:3", "report:4", "report:18", "report:21"),
}
"""Texts that the official parser reads as what was not meant: see the deviations in docs/formats/harmony.md."""

CASES = ("avllm_docs", "gptoss_repo_strings", "ollama_harmony_cases", "openai_harmony_tests_docs")
FILES = (*CASES, "openai_harmony_testdata_cases", "reported_malformed_headers")


AS_NAMED = Options(force_format=True)
"""Some of the texts are of other formats, which is doubted."""


def corpus_cases(name: str) -> list[dict[str, Any]]:
    lines = corpus_path("harmony", f"{name}.jsonl").read_text("utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line]
    for case in cases:
        if case.get("kind") == "header":
            case["text"] = f"<|start|>{case['text']}<|message|>BODY<|end|>"
    return [case for case in cases if "reference_parse" in case]


@pytest.mark.parametrize("name", FILES)
def test_the_corpus_is_read_as_the_official_parser_reads_it_or_with_findings(name: str) -> None:
    for case in corpus_cases(name):
        reading = read(case["text"], "harmony", options=AS_NAMED)
        transcript = cast("Transcript", reading.transcript)
        strict = case["reference_parse"]["strict"]
        if "error" in strict:
            assert reading.findings or transcript.open_turn is not None, case["id"]
        elif case["id"] in OTHERWISE:
            assert records(transcript) != strict["messages"]
            assert reading.findings, case["id"]
        else:
            assert records(transcript) == strict["messages"], case["id"]
        if not reading.findings:
            assert write(transcript, "harmony").output == case["text"], case["id"]


@pytest.mark.parametrize("name", FILES)
def test_no_word_of_what_the_official_parser_refuses_is_lost(name: str) -> None:
    for case in corpus_cases(name):
        if "error" in case["reference_parse"]["strict"]:
            reading = read(case["text"], "harmony", options=AS_NAMED)
            kept = all_text(cast("Transcript", reading.transcript))
            for word in re.findall(r"[^\s–]+", TOKEN.sub(" ", case["text"])):
                assert word.removeprefix("to=").replace("assistant", "") in kept, (case["id"], word)


def all_text(transcript: Transcript) -> str:
    """All texts of a transcript, in fields, bodies and extras."""
    turns = [as_official(turn) for turn in [transcript.open_turn] if turn is not None]
    values = [value for record in records(transcript) + turns for value in record.values()]
    sources = [transcript, *transcript.messages]
    return "\n".join([*values, *(text for one in sources for text in (one.extras or {}).get("harmony", {}).values())])


def test_the_official_fixtures_are_written_back_byte_for_byte() -> None:
    files = [
        file
        for file in sorted(corpus_path("harmony", "openai_harmony_testdata").glob("*.txt"))
        if not file.read_text("utf-8")[0].isdigit()
    ]
    assert len(files) == 21
    found: dict[str, set[FindingCode]] = {}
    for file in files:
        text = file.read_bytes().decode()
        reading = read(text, "harmony")
        assert write(reading.transcript, "harmony").output == text, file.name
        if reading.findings:
            found[file.stem] = {finding.code for finding in reading.findings}
    assert found == {
        "test_does_not_drop_if_ongoing_analysis": {FindingCode.HEADER_RECOVERED},
        "test_tool_response_parsing": {FindingCode.TRUNCATED},
    }


@pytest.mark.parametrize("between", ["the words of no header", "", " ", "assistant and more words", "user<|channel|>"])
def test_a_start_token_that_no_header_follows_is_mentioned(between: str) -> None:
    """Reading 6: only a regular header and `<|message|>` behind it begin another message."""
    body = f"Write <|start|>{between}<|message|>, then the text."
    reading = read(f"<|start|>assistant<|channel|>final<|message|>{body}<|return|>", "harmony")
    assert isinstance(reading.transcript, Transcript)
    assert [message.content for message in reading.transcript.messages] == [body]
    assert [finding.code for finding in reading.findings] == ["stray-token"]


ENDED = {
    "an answer": ("<|start|>assistant<|channel|>final<|message|>Four.", "return"),
    "reasoning": ("<|start|>assistant<|channel|>analysis<|message|>Hm.", "end"),
    "a call": ("<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}", "call"),
}


@pytest.mark.parametrize(("text", "end"), ENDED.values(), ids=list(ENDED))
@pytest.mark.parametrize("reason", [None, "stop"])
def test_the_token_that_ends_the_text_ends_the_message_before_it(text: str, end: str, reason: Any) -> None:
    """gpt-oss may sample it, too; it is no text of a message."""
    body = text.rpartition("<|message|>")[2]
    wanted = read(f"{text}<|endoftext|>", "harmony")
    assert isinstance(wanted.transcript, Transcript)
    assert [(each.content, each.end) for each in wanted.transcript.messages] == [(body, end)]
    assert {finding.code for finding in wanted.findings} == {FindingCode.END_MISSING}
    ids = load_encoding().encode(f"{text}<|endoftext|>", allowed_special="all")
    for size in (1, 2, 1000):
        source, tokens = decoder("harmony"), decoder("harmony-tokens")
        events = [event for chunk in chunks_of(f"{text}<|endoftext|>", size) for event in source.feed(chunk)]
        of_ids = [event for at in range(0, len(ids), size) for event in tokens.feed_tokens(ids[at : at + size])]
        for received in (events + source.finish(reason), of_ids + tokens.finish(reason)):
            assert "".join(event.text for event in received if isinstance(event, Delta)) == body
            assert isinstance(received[-1], Stop)
            assert received[-1].document == wanted.transcript


def test_the_same_token_elsewhere_in_a_body_is_text() -> None:
    text = "<|start|>assistant<|channel|>final<|message|>a<|endoftext|> b<|return|>"
    assert messages(text)[0].content == "a<|endoftext|> b"
    source = decoder("harmony")
    events = [event for piece in chunks_of(text, 3) for event in source.feed(piece)] + source.finish()
    assert "".join(event.text for event in events if isinstance(event, Delta)) == "a<|endoftext|> b"
    user = "<|start|>user<|message|>What is <|endoftext|><|end|>"
    assert write(read_text(user), "harmony").output == user


def test_among_ids_the_spelling_of_that_token_is_text() -> None:
    message = Message("assistant", "Say <|endoftext|>", channel="final", end=None)
    for name in ("harmony", "harmony-tokens"):
        all_laws(Transcript((message,)), name)
    ids = cast("list[int]", write(Transcript((message,)), "harmony-tokens").output)
    source = decoder("harmony-tokens")
    events = [event for number in ids for event in source.feed_tokens([number])] + source.finish()
    assert "".join(event.text for event in events if isinstance(event, Delta)) == message.content
    assert isinstance(stop := events[-1], Stop)
    assert stop.document == Transcript((message,))


@pytest.mark.parametrize("name", ["x", "shell", "functions.f"])
def test_the_header_of_a_tool_whose_turn_is_open_is_no_answer(name: str) -> None:
    document = Transcript(open_turn=Message("tool", "", name=name, end=None))
    for target in ("harmony", "harmony-tokens"):
        all_laws(document, target)
    turn = read_text(f"<|start|>{name} to=assistant").open_turn
    assert turn is not None
    assert (turn.role, turn.name, turn.recipient) == ("tool", name, "assistant")


@pytest.mark.parametrize("words", ["commentary", " commentary", "analysis", "assistant", "commentary to=functions.f"])
@pytest.mark.parametrize(
    "before", ["commentary to=functions.f <|constrain|>json<|message|>{}<|call|>", "analysis<|message|>Hm.<|end|>"]
)
def test_a_header_that_breaks_off_after_another_message_is_no_answer(before: str, words: str) -> None:
    """The model stops after the first words of another header, which has no token yet (openai/harmony, issue 60)."""
    for token in ("", "<|return|>"):
        reader = decoder("harmony", prefix="<|start|>assistant")
        events = [*reader.feed(f"<|channel|>{before}{words}{token}"), *reader.finish("stop")]
        stop = events[-1]
        assert isinstance(stop, Stop)
        assert isinstance(stop.document, Transcript)
        assert len(stop.document.messages) == 1
        assert "text-outside" in {event.code for event in events if isinstance(event, Finding)}
        text = f"<|start|>assistant<|channel|>{before}{words}{token}"
        document = read(text, "harmony").transcript
        assert isinstance(document, Transcript)
        assert [message.content for message in document.messages] == [stop.document.messages[0].content]
        assert words.strip() in str((document.extras, document.messages[-1].extras))


def test_an_answer_without_a_header_after_another_message_is_one() -> None:
    reader = decoder("harmony", prefix="<|start|>assistant")
    events = [*reader.feed("<|channel|>analysis<|message|>Hm.<|end|>final answer: 4"), *reader.finish("stop")]
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert [message.content for message in stop.document.messages] == ["Hm.", "final answer: 4"]
