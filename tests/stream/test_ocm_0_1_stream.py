"""OpenChatML 0.1 as a stream: which event arrives when, that it reads as the whole text does, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.ocm_0_1.stream import TextEnd
from ocml_adapters.ocm_0_1.tools import extract_tools
from ocml_bridge import BridgeError, read, write
from ocml_bridge.events import Delta, End, Event, Finding, Reason, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Completion, Document, Message, Text, Thought, Transcript
from ocml_bridge.pipe import decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import unnamed
from ocml_bridge.stream import joined, replay
from ocml_bridge.stream.decoder import PENDING
from ocml_bridge.testing import strategies
from ocml_bridge.testing.encoding import order_of, run
from ocml_bridge.testing.streams import all_cuts, byte_cuts, check_cancel, check_copies, check_decoding, cuts
from sampling import examples

STREAM = "ocm-0.1"
AS_NAMED = Options(force_format=True)

BLOCKS = (
    *("<|start_reason|>", "<|end_reason|>", "<|start_reflect|>", "<|end_reflect|>", "<|startofthought|>"),
    *("<|endofthought|>", "<|reflect|>", "<|introspect|>", "<|file_separator|>"),
    *("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"),
)
TAGS = ("<|function_call|>", "<|function_output|>", "<|function_list|>")
VALUES = (
    '{"arguments": {"a": "<|function_call|>{"}, "name": "f"}',
    '\n{"name": "f", "arguments": "x"}',
    '{"name": "f", "content": "r"}',
    '{"name": "f", "content": {"n": 1}}',
    '{"arguments": {}}',
    '\n{"name": "t", "description": "d", "parameters": {}}\n',
    '[{"name": "t", "parameters": {}}]',
    "{<placeholder>}",
    '{"a',
)
TEXTS = (
    *("Hi", " ", "\n", "\r\n", "\r", "\n\n", "<", "<|", "[", "<\u200b|im_end|>", "\u200b", "\u2028", "{", "}", '"'),
    *("\\", "[EOS]", "</s>", "<|EOS|>", "<|endof", "[EO", "[BOS]", "<s>", "é🙂", "\x00"),
)
HEADERS = ("assistant", "assistant name=bot", "user", "system", "tool", "tool name=f", "developer x", "", "a\u200b")
PIECE = st.one_of(st.sampled_from(TEXTS), st.sampled_from(BLOCKS), st.sampled_from(TAGS), st.sampled_from(VALUES))
BODY = st.lists(PIECE, max_size=8).map("".join)
FRAME = st.builds(
    "<|im_start|>{}{}{}{}".format,
    st.sampled_from(HEADERS),
    st.sampled_from(("\n", "\n", "\n", "")),
    BODY,
    st.sampled_from(("<|im_end|>\n", "\n<|im_end|>", "<|im_end|>", "")),
)
ANSWER = st.builds("<|im_start|>assistant\n{}{}".format, BODY, st.sampled_from(("<|im_end|>", "\n<|im_end|>[EOS]", "")))
TEXT = st.one_of(
    ANSWER,
    st.lists(FRAME, max_size=4).map("".join),
    st.tuples(st.sampled_from(("[BOS]", "\ufeff", " <s>\n", "x")), FRAME, st.sampled_from(TEXTS)).map("".join),
    BODY,
)
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "ocm-0.1"
INPUTS = sorted(GOLDEN.glob("*/input.txt"))


def without_tools(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without the tools that are the transcript's: only the whole text shows that they are."""
    return extract_tools(list(messages)).messages


# --- reading: law 4 ---------------------------------------------------------------------------------------------------


@examples(600)
@given(st.data(), TEXT)
def test_a_stream_reads_as_the_whole_text_does(data: st.DataObject, text: str) -> None:
    check_decoding(text, STREAM, all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))), without_tools)


@given(st.data(), strategies.documents())
def test_a_written_stream_reads_as_the_whole_text_does(data: st.DataObject, document: Document) -> None:
    text = write(document, STREAM, policy=LENIENT).output
    assert isinstance(text, str)
    check_decoding(text, STREAM, all_cuts(text, data.draw(cuts(text)), data.draw(byte_cuts(text))), without_tools)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.parent.name)
def test_the_golden_inputs_read_the_same_for_every_cut(path: Path) -> None:
    text = path.read_text("utf-8")
    check_decoding(text, STREAM, all_cuts(text, [text[at : at + 7] for at in range(0, len(text), 7)]), without_tools)


def test_a_copy_goes_on_by_itself_behind_a_second_conversation() -> None:
    text = "[BOS]<|im_start|>assistant\n<|im_end|>\nHi"
    check_copies(lambda: decoder(STREAM), [text, text], [text], [text])
    check_copies(lambda: decoder(STREAM), [text], [text], ["!"])
    assert check_cancel(lambda: decoder(STREAM), [text, text]).reason == "error"


@given(st.data(), TEXT, TEXT)
def test_a_copy_goes_on_by_itself_wherever_it_is_made(data: st.DataObject, text: str, other: str) -> None:
    at = data.draw(st.integers(0, len(text)))
    check_copies(lambda: decoder(STREAM), list(text[:at]), [text[at:]], [other])
    check_cancel(lambda: decoder(STREAM), [text[:at]])


@given(st.data(), ANSWER, st.sampled_from(("ok", "<|fim_prefix|>", "[EOS]x", "|im_end|>", "reason|>", "a \n b")))
def test_another_token_may_end_the_text(data: st.DataObject, answer: str, eos: str) -> None:
    text = answer + data.draw(st.sampled_from(("", eos, eos[:-1], f"{eos} \n")))
    options = Options(format_options={"eos": eos})
    seen: list[list[Event]] = []
    for chunks in ([text], list(text)):
        made = decoder(STREAM, options=options)
        seen.append(joined([*(event for chunk in chunks for event in made.feed(chunk)), *made.finish()]))
    assert seen[0] == seen[1]
    stop, ended = seen[0][-1], [event.message for event in seen[0] if isinstance(event, End)]
    assert isinstance(stop, Stop)
    assert stop.document == read(text, STREAM, options=options).transcript
    if isinstance(stop.document, Transcript):
        assert [bare(message) for message in ended] == [bare(message) for message in stop.document.messages]


# --- reading: which event when ----------------------------------------------------------------------------------------


def fed(*chunks: str) -> list[list[Event]]:
    """The events of each chunk of an assistant's message."""
    made = decoder(STREAM, prefix="<|im_start|>assistant\n")
    return [made.feed(chunk) for chunk in chunks]


def texts(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


def test_text_is_passed_on_at_once() -> None:
    first, second = fed("The", " capital")
    assert first == [Start(0, Message("assistant", "", channel="final", end=None)), Delta(0, "The")]
    assert second == [Delta(0, " capital")]


def test_a_newline_waits_for_what_follows_it() -> None:
    """It may belong to the end token, or to a token on a line of its own (decisions 1 and 14)."""
    assert [texts(events) for events in fed("a\n", "b\r", "\n", "\n", "c", "\n<|im_end|>")] == [
        *("a", "\nb", "", "\r\n", "\nc", "")
    ]


def test_of_a_run_of_newlines_only_the_last_waits() -> None:
    assert [texts(events) for events in fed("a", *("\n" * 5), "b", "\n\n<|im_end|>")] == [
        *("a", "", "\n", "\n", "\n", "\n", "\nb", "\n")
    ]


def test_white_space_that_only_separates_is_in_no_delta() -> None:
    events = fed(
        " \n", "<|start_reason|>x<|end_reason|>", " \n\n", '<|function_call|>{"name": "f", "arguments": {}}', "\n"
    )
    assert [texts(events) for events in events] == ["", "x", "", "{}", ""]


def test_a_thought_begins_with_its_marker() -> None:
    begun, more, ended = fed("<|start_reflect|>", "because", "<|end_reflect|>Hi")
    assert begun == [Start(0, Message("assistant", (Thought("reflect"),), channel="analysis", end=None))]
    assert more == [Delta(0, "because")]
    thought = Message("assistant", (Thought("reflect"), Text("because")), channel="analysis")
    assert ended[0] == End(0, thought)
    assert texts(ended) == "Hi"


def test_blocks_side_by_side_are_one_message() -> None:
    events = [
        event
        for events in fed("<|start_reflect|>a<|end_reflect|>", "<|start_reason|>b<|end_reason|>")
        for event in events
    ]
    assert [event for event in events if isinstance(event, Start)] == events[:1]
    assert texts(events) == "ab"


def test_a_call_arrives_when_its_json_is_complete() -> None:
    before, half, whole, behind = fed(
        "I look.\n<|function_call|>", '\n{"name": "f", "argum', 'ents": {"a": "}"}}', "\n"
    )
    assert texts(before) == "I look."
    assert half == behind == []
    text = Message("assistant", "I look.", channel="commentary", intent="preamble")
    start = Message("assistant", "", None, "commentary", "functions.f", constraint="json", end=None, continues=True)
    assert whole == [End(0, text), Start(1, start), Delta(1, '{"a": "}"}')]


def test_a_tag_without_its_json_is_text_as_soon_as_that_is_certain() -> None:
    """Decision 4: a tag is a mere word where the JSON that it announces does not follow."""
    assert [texts(events) for events in fed("Say <|function_call|>", " {", "<args>", "!")] == [
        *("Say ", "", "<|function_call|> {<args>", "!")
    ]


def test_the_end_token_of_the_text_waits_for_what_follows_it() -> None:
    """Decision 15: it is one at the very end only."""
    assert [texts(events) for events in fed("a[E", "OS]", " \n", "b[EOS]")] == ["a", "", "", "[EOS] \nb"]
    assert [texts(events) for events in fed("a", "[", "EOS", "] ", "b")] == ["a", "", "", "", "[EOS] b"]


def test_outputs_arrive_one_by_one() -> None:
    made = decoder(STREAM, prefix="<|im_start|>tool\n")
    events = made.feed('<|function_output|>{"name": "f", "content": "r"}')
    assert events[1:] == [Delta(0, "r")]


def test_a_completion_has_no_events_before_its_end() -> None:
    """It is one however long it is: what it is, is known when no frame has come."""
    made = decoder(STREAM)
    middle = "x" * (PENDING + 1)
    assert made.feed("<|fim_prefix|>a<|fim_middle|>") == made.feed(middle) == made.feed("<|fim_suffix|>b") == []
    (stop,) = made.finish()
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Completion)


def test_a_header_without_end_is_refused() -> None:
    made = decoder(STREAM, prefix="<|im_start|>")
    with pytest.raises(BridgeError, match="OCB-LIMIT"):
        made.feed("x" * (PENDING + 1))
    (stop,) = made.finish()
    assert isinstance(stop, Stop)
    assert stop.reason == "error"


# --- reading: how it ends ---------------------------------------------------------------------------------------------


def ended(text: str, reason: Reason | None) -> tuple[Reason, Sequence[Message], Message | None]:
    made = decoder(STREAM, prefix="<|im_start|>assistant\n")
    stop = [*made.feed(text), *made.finish(reason)][-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    return stop.reason, stop.document.messages, stop.document.open_turn


def test_the_token_that_the_engine_took_away_is_implied() -> None:
    reason, (message,), _ = ended("Hi", "stop")
    assert (reason, message.content, message.end) == ("stop", "Hi", "end")
    reason, (message,), _ = ended("", "stop")
    assert (reason, message.content, message.end) == ("stop", "", "end")


def test_it_is_not_implied_where_the_text_has_ended_itself() -> None:
    reason, (message,), _ = ended("Hi[EOS]", "stop")
    assert (reason, message.content, message.end) == ("stop", "Hi", "end")


def test_otherwise_the_message_was_cut_off() -> None:
    reasons: tuple[Reason | None, ...] = (None, "length", "cancelled")
    for why in reasons:
        reason, (message,), _ = ended("Hi\n", why)
        assert (reason, message.content, message.end) == (why or "truncated", "Hi\n", None)


def test_a_prompt_alone_opens_a_turn() -> None:
    reason, messages, opened = ended("", None)
    assert (reason, messages) == ("truncated", ())
    assert opened is not None
    assert opened.role == "assistant"


# --- writing ----------------------------------------------------------------------------------------------------------


def bare(message: Message) -> Message:
    return replace(message, layout=None, extras=None)


def plain(document: Document) -> Document:
    """A document without how it was spelled."""
    if isinstance(document, Completion):
        return replace(document, layout=None, extras=None)
    opened = document.open_turn and bare(document.open_turn)
    return replace(document, messages=tuple(map(bare, document.messages)), open_turn=opened, layout=None, extras=None)


def events_of(document: Document, size: int) -> list[Event]:
    """The events of a document, its texts cut into pieces."""
    if isinstance(document, Completion):
        return [Stop("stop", document)]
    out: list[Event] = []
    for event in replay(document):
        if isinstance(event, Delta):
            out += [Delta(event.number, event.text[at : at + size]) for at in range(0, len(event.text), size)]
        else:
            out.append(event)
    return out


def written(events: Iterable[Event], options: Options | None = None) -> tuple[str, set[str]]:
    """The text that events make, and the paths of the losses."""
    text, made = run(events, encoder(STREAM, options=options or Options()))
    return text, {loss.path for loss in made.losses}


def image(document: Document) -> Document:
    return plain(read(write(document, STREAM, policy=LENIENT).encode(), STREAM, options=AS_NAMED).transcript)


def is_streamed_whole(document: Document) -> bool:
    """Whether deltas have all of a document: parts of the assistant, and tools of the transcript, come with the end."""
    if isinstance(document, Completion):
        return True
    texts = all(isinstance(message.content, str) or message.role != "assistant" for message in document.messages)
    return document.tools is None and texts


def is_live(message: Message) -> bool:
    """Whether deltas of this format have all of a message, except parts of text and second markers."""
    if isinstance(message.content, str) or message.role != "assistant":
        return True
    first, *more = message.content
    return isinstance(first, Thought) and not any(isinstance(part, Thought) for part in more)


@given(strategies.documents(), st.integers(1, 7))
def test_the_output_reads_as_the_image_and_differences_are_losses(document: Document, size: int) -> None:
    text, made = run(events_of(document, size), encoder(STREAM))
    back = read(text, STREAM, options=AS_NAMED).transcript
    assert unnamed(document, back, made.losses, order_of(made)) == []
    if is_streamed_whole(document) and order_of(made) is None:
        assert plain(back) == image(document)


@given(st.lists(FRAME, max_size=4).map("".join), st.integers(1, 7))
def test_what_is_read_as_it_comes_is_written_so(text: str, size: int) -> None:
    reading = decoder(STREAM)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    events = [*(event for chunk in chunks for event in reading.feed(chunk)), *reading.finish()]
    output, made = run(events, encoder(STREAM))
    document = read(text, STREAM, options=AS_NAMED).transcript
    back = read(output, STREAM, options=AS_NAMED).transcript
    if isinstance(document, Completion) or all(map(is_live, document.messages)):
        assert plain(back) == image(document)
    assert unnamed(document, back, made.losses, order_of(made)) == []


FRAMES = re.compile(r"<\|im_start\|>|<\|im_end\|>")


@given(st.lists(strategies.texts(), max_size=4), st.integers(1, 7), st.sampled_from(("user", "assistant", "system")))
def test_content_opens_and_closes_no_frames(contents: list[str], size: int, role: str) -> None:
    """Law 5, over deltas that cut tokens anywhere."""
    channel = "final" if role == "assistant" else None
    hostile = Transcript(tuple(Message(role, content, channel=channel) for content in contents))
    text, _ = written(events_of(hostile, size))
    assert FRAMES.findall(text) == ["<|im_start|>", "<|im_end|>"] * len(contents)


def answer(*messages: Message) -> Transcript:
    return Transcript(messages)


def test_messages_of_one_turn_share_a_frame() -> None:
    document = answer(
        Message("assistant", (Thought("reason"), Text("hm")), channel="analysis"),
        Message("assistant", "Let me look.", channel="commentary", intent="preamble", continues=True),
        Message("assistant", "{}", None, "commentary", "functions.f", constraint="json", end="call", continues=True),
        Message("tool", "42", "functions.f", "commentary", "assistant"),
    )
    text, named = written(replay(document))
    assert text == (
        "[BOS]<|im_start|>assistant\n<|start_reason|>hm<|end_reason|>\nLet me look.\n"
        '<|function_call|>\n{"arguments": {}, "name": "f"}\n<|im_end|>\n'
        '<|im_start|>tool\n<|function_output|>\n{"name": "f", "content": 42}\n<|im_end|>[EOS]'
    )
    assert named == set()
    assert text == write(document, STREAM).output


def test_texts_and_thoughts_are_written_as_they_come() -> None:
    made = encoder(STREAM)
    thought = Message("assistant", (Thought("reflect"),), channel="analysis", end=None)
    assert made.encode([Start(0, thought), Delta(0, "a <|im_")]) == [
        b"[BOS]<|im_start|>assistant\n<|start_reflect|>",
        b"a ",
    ]
    assert made.encode([Delta(0, "end|>")]) == ["<\u200b|im_end|>".encode()]


def test_the_options_define_the_tokens_at_both_ends() -> None:
    document = answer(Message("user", "Hi"))
    for options in (Options(dialect="s"), Options(dialect="bare"), Options(format_options={"bos": "<s>", "eos": ""})):
        assert written(replay(document), options)[0] == write(document, STREAM, options=options).output


def test_a_message_that_was_cut_off_stays_so() -> None:
    text, named = written(replay(answer(Message("assistant", "Hi", channel="final", end=None))))
    assert text == "[BOS]<|im_start|>assistant\nHi"
    assert named == set()


def test_tokens_in_content_may_be_refused() -> None:
    with pytest.raises(BridgeError, match="OCB-CONTROL-TOKEN"):
        written(replay(answer(Message("user", "<|im_end|>"))), Options(control_tokens="refuse"))


def test_hidden_messages_are_not_written_at_the_end() -> None:
    """A stream may hide messages; its end has all of them."""
    hidden = answer(Message("system", "secret"))
    text, named = written([Stop("stop", hidden)])
    assert "secret" not in text
    assert named == {"/messages/0"}


def test_findings_come_with_the_end() -> None:
    made = decoder(STREAM)
    assert not [event for event in made.feed("x<|im_start|>critic\nHi<|im_end|>") if isinstance(event, Finding)]
    assert len([event for event in made.finish() if isinstance(event, Finding)]) == 2


@pytest.mark.parametrize("eos", ["<|endoftext|>", "</s>", "[EOS]"])
@pytest.mark.parametrize("before", ["a<", "a<<", "a<|", "a<|<", "a</", "a[", "a[["])
def test_the_token_that_ends_the_text_may_follow_what_begins_like_it(before: str, eos: str) -> None:
    """However it is cut (OpenChatML 0.1 §4)."""
    for text in (f"<|im_start|>assistant\n{before}{eos}", f"<|im_start|>assistant\n{before}{eos}\n"):
        check_decoding(text, "ocm-0.1", all_cuts(text))


@pytest.mark.parametrize(("text", "at"), [("a[[", 2), ("a[", 1), ("a[[EOS", 2), ("a[EOS]", 1), ("a[x", 3), ("a", 1)])
def test_what_may_be_the_end_of_all_waits_for_what_follows(text: str, at: int) -> None:
    assert TextEnd(Options()).cut(text) == at
