"""Events that only have more text are recognised without parsing, and written without making them anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counting import calls_of
from ocml_bridge import Finding, FindingCode, Message, Options, Severity, decoder, encoder
from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Delta, End, Event, Start, Stop
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Transcript, replace
from ocml_bridge.options import DEFAULT
from ocml_bridge.stream.decoder import text_of
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.stream.repeats import PATIENCE, Frame, MoreText, Repeats
from ocml_bridge.testing.texts import ODD
from stream_pieces import events_in
from wire_facts import recorded

FOLDERS: Final = {
    "openai-sse": "chat-completions",
    "openai-responses-sse": "responses",
    "anthropic-sse": "anthropic",
    "gemini-sse": "google",
    "bedrock-converse": "bedrock",
}
WIRES: Final = tuple(FOLDERS)
FRAMES: Final = ("harmony", "chatml", "chatml:hermes", "chatml:hyperclova", "internlm2", "ocm-0.1", "ocm-2.2")
TEXT = Message("assistant", "", channel="final")
THOUGHT = Message("assistant", "", channel="analysis")
CALL = Message("assistant", "", channel="commentary", recipient="functions.f", call_id="c1", constraint="json")
HEADS: Final = {"text": TEXT, "thought": THOUGHT, "call": CALL}
PIECES: Final = [
    "Hello",
    " world",
    " world",
    ",",
    ' "quoted"',
    "\n",
    "é",
    "\\",
    "content",
    "x",
    '"}',
    "0",
    " \U0001f600",
    "-",
]
ARGUMENTS: Final = ['{"city"', ": ", '"Par', "is", '"', ', "n"', ": [1", ", 2", ", 3", ", 4", "]}"]


def answer(head: Message, pieces: list[str]) -> list[Event]:
    whole = replace(head, content="".join(pieces), end="call" if head is CALL else "end")
    document = Transcript((whole,))
    return [Start(0, head), *(Delta(0, piece) for piece in pieces), End(0, whole), Stop("stop", document)]


def written(stream: str, events: Sequence[Event]) -> list[bytes]:
    made = encoder(stream, visibility=DEBUG)
    out = [chunk for event in events for chunk in made.encode([event])]
    return [*out, *made.finish()]


def read(stream: str, chunks: list[Any], options: Options = DEFAULT) -> list[Event]:
    made = decoder(stream, options=options)
    return [*(event for chunk in chunks for event in made.feed(chunk)), *made.finish()]


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("stream", WIRES)
def test_a_stream_reads_the_same_without_plans(stream: str, kind: str) -> None:
    pieces = ARGUMENTS if kind == "call" else PIECES
    chunks = written(stream, answer(HEADS[kind], pieces))
    expected = read(stream, chunks, Options(plans=False))
    for cut in (chunks, [b"".join(chunks)], [b"".join(chunks[at : at + 3]) for at in range(0, len(chunks), 3)]):
        assert read(stream, cut) == expected


@given(st.lists(st.sampled_from([*ODD, *PIECES]).filter(bool), min_size=3), st.sampled_from(WIRES))
def test_odd_texts_read_the_same_without_plans(pieces: list[str], stream: str) -> None:
    chunks = written(stream, answer(TEXT, [pieces[0], *pieces]))
    assert read(stream, chunks) == read(stream, chunks, Options(plans=False))


@pytest.mark.parametrize("stream", WIRES)
def test_recorded_streams_read_the_same_without_plans(stream: str) -> None:
    for each in recorded(FOLDERS[stream], streams=True):
        texts = [json.dumps(event) for event in each.value]
        chunks = [f"{text}\n" if stream == "bedrock-converse" else f"data: {text}\n\n" for text in texts]
        assert read(stream, chunks) == read(stream, chunks, Options(plans=False)), each.case


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("stream", WIRES)
def test_more_text_takes_few_calls(stream: str, kind: str) -> None:
    """Where an event is parsed, it takes a hundred or more; arguments of Anthropic are made compact as they arrive."""
    few, many = (written(stream, answer(HEADS[kind], [" word"] * count)) for count in (100, 300))
    read(stream, few)  # modules that are needed only now are imported
    calls = (calls_of(lambda: read(stream, many)) - calls_of(lambda: read(stream, few))) / 200
    assert calls <= (50 if (stream, kind) == ("anthropic-sse", "call") else 29)


# --- what is recognised -----------------------------------------------------------------------------------------------


def text_at(path: str) -> Callable[[Object], MoreText | None]:
    def read_text(value: Object) -> MoreText | None:
        text = value.get(path)
        return MoreText(text, TEXTS.append) if isinstance(text, str) else None

    return read_text


TEXTS: list[str] = []


def recognised(data: str, following: str, *, varying: tuple[str, ...] = (), path: str = "text") -> list[str] | None:
    """The texts of a stream, behind an event from which it was learned; None if not all of it is such events."""
    repeats = Repeats(varying)
    repeats.learn(Frame("data: ", data, "\n\n"), json.loads(data), text_at(path))
    TEXTS.clear()
    at = 0
    while at < len(following):
        end = repeats.take(following, at)
        if end == at:
            return None
        at = end
    return [*TEXTS]


def frames(*values: str) -> str:
    return "".join(f"data: {value}\n\n" for value in values)


def test_what_is_equal_but_for_its_text_is_taken() -> None:
    following = frames('{"id": "a", "text": "c", "n": 1}', '{"id": "a", "text": "\\u0064\\"\\n\\ud83d\\ude00", "n": 1}')
    assert recognised('{"id": "a", "text": "b", "n": 1}', following) == ["c", 'd"\n\U0001f600']


@pytest.mark.parametrize(
    "other",
    [
        '{"id": "b", "text": "c", "n": 1}',
        '{"id": "a", "text": "c", "n": 2}',
        '{"id": "a", "text": "c", "n": 1, "m": 2}',
        '{"id": "a", "text": "c", "text": "d", "n": 1}',
        '{"id": "a", "text": "", "n": 1}',
        '{"id": "a", "text": null, "n": 1}',
        '{"id": "a", "text": "c\t", "n": 1}',
        '{"id": "a", "text": "c',
        "[DONE]",
    ],
)
def test_anything_else_is_left(other: str) -> None:
    assert recognised('{"id": "a", "text": "b", "n": 1}', frames(other)) is None


def test_an_event_that_is_cut_off_is_left() -> None:
    whole = frames('{"text": "c"}')
    assert all(recognised('{"text": "b"}', whole[:size]) is None for size in range(1, len(whole)))
    assert recognised('{"text": "b"}', whole) == ["c"]


def test_a_text_that_stands_twice_in_an_event_is_not_recognised() -> None:
    assert recognised('{"id": "b", "text": "b"}', frames('{"id": "b", "text": "c"}')) is None
    assert recognised('{"text": "b", "b": 1}', frames('{"text": "c", "b": 1}')) is None


def test_a_string_that_is_equal_to_a_text_in_another_spelling_is_not_taken_for_it() -> None:
    assert recognised('{"id": "b", "text": "\\u0062"}', frames('{"id": "c", "text": "\\u0062"}')) is None


def test_numbers_and_padding_vary() -> None:
    varying = ("number", "padding")
    data = '{"number": 9, "text": "b", "padding":"xyz"}'
    following = frames('{"number": 10, "text": "c", "padding":""}', '{"number": 11, "text": "d", "padding":"/+9"}')
    assert recognised(data, following, varying=varying) == ["c", "d"]
    for number in ("-1", "1.5", "01", '"1"', "1e5"):
        other = f'{{"number": {number}, "text": "c", "padding":""}}'
        assert recognised(data, frames(other), varying=varying) is None
    assert recognised(data, frames('{"number": 1, "text": "c", "padding":"\\n"}'), varying=varying) is None
    assert recognised(data, frames('{"number": 1, "text": "c", "padding":"\n"}'), varying=varying) is None


def test_what_never_repeats_is_soon_left() -> None:
    reads: list[int] = []

    def read_text(value: Object) -> MoreText:
        reads.append(value["n"])
        return MoreText(value["text"], TEXTS.append)

    repeats = Repeats()
    for number in range(3 * PATIENCE):
        data = json.dumps({"n": number, "text": "a"})
        assert repeats.take(frames(data), 0) == 0
        repeats.learn(Frame("data: ", data, "\n\n"), json.loads(data), read_text)
    assert max(reads) == PATIENCE - 1


def test_an_event_with_another_name_is_another_event() -> None:
    delta = '{"choices": [{"index": 0, "delta": {"content": "a"}}]}'
    for names in (("", "", "event: error\n", ""), ("event: a\n", "event: a\n", "", "event: error\n")):
        chunks = [f"{name}data: {delta}\n\n" for name in names]
        events = read("openai-sse", chunks)
        assert events == read("openai-sse", chunks, Options(plans=False))
        assert any(isinstance(event, Finding) and event.code is FindingCode.TRUNCATED for event in events)


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": {"content": [{"token": "a"}]}}]},
        {"choices": [{"index": 0, "delta": {"content": "a", "more": "b"}}]},
        {"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": {"completion_tokens": 1}},
        {"choices": [{"index": 0, "delta": {"reasoning": "a"}}]},
        {"choices": [{"index": 0, "delta": {"reasoning_content": "a", "content": ""}}]},
        {"choices": [{"index": 0, "delta": {"refusal": "a"}}]},
        {"choices": [{"index": 1, "delta": {"content": "a"}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "a"}}]}}]},
        {
            "choices": [
                {"index": 0, "delta": {"tool_calls": [{"index": 0, "id": None, "function": {"arguments": "a"}}]}}
            ]
        },
    ],
    ids=lambda chunk: json.dumps(chunk)[26:60],
)
def test_chunks_whose_members_are_merged_read_the_same_without_plans(chunk: Object) -> None:
    call = {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}]}
    first = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi", **call}}]}
    texts = [json.dumps(first), *(json.dumps(chunk).replace('"a"', f'"{text}"') for text in "abcde")]
    chunks = [f"data: {text}\n\n" for text in texts]
    assert read("openai-sse", chunks) == read("openai-sse", chunks, Options(plans=False))


# --- writing ----------------------------------------------------------------------------------------------------------

NOTHING = Finding(FindingCode.SHAPE, Severity.LAYOUT, "", "nothing of the answer")


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("stream", [*WIRES, "anthropic", "openai", "openai-responses", "gemini"])
def test_running_text_is_written_as_text_behind_something_else(stream: str, kind: str) -> None:
    """A finding between two texts is no part of an answer; behind it, an event is made anew."""
    events = answer(HEADS[kind], ARGUMENTS if kind == "call" else PIECES)
    apart = [each for event in events for each in ([event, NOTHING] if isinstance(event, Delta) else [event])]
    values = [events_in(b"".join(written(stream, each))) for each in (events, apart)]
    assert values[0] == values[1]


@pytest.mark.parametrize("stream", WIRES)
def test_messages_that_take_turns_are_written_as_one_by_one(stream: str) -> None:
    """Their deltas alternate, so that no text runs on."""
    first, second = replace(TEXT, content="ababab", end="end"), replace(CALL, content="{}", end="call")
    deltas = [event for _ in range(3) for event in (Delta(0, "a"), Delta(0, "b"))]
    events = [Start(0, TEXT), deltas[0], Start(1, CALL), *deltas[1:3], Delta(1, "{"), *deltas[3:], Delta(1, "}")]
    events += [End(0, first), End(1, second), Stop("tool_calls", Transcript((first, second)))]
    stop = read(stream, written(stream, events))[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    texts, calls = (
        "".join(text_of(each) for each in stop.document.messages if is_call(each) is x) for x in (False, True)
    )
    assert (texts, calls) == ("ababab", "{}")


@pytest.mark.parametrize("stream", [*WIRES, *FRAMES, "openai", "openai-responses", "anthropic", "gemini"])
def test_running_text_takes_few_calls(stream: str) -> None:
    few, many = (answer(TEXT, [" word"] * count) for count in (100, 300))
    written(stream, few)  # modules that are needed only now are imported
    calls = (calls_of(lambda: written(stream, many)) - calls_of(lambda: written(stream, few))) / 200
    assert calls <= 15


@given(st.lists(st.sampled_from([*ODD, *PIECES, "<", "|", "<|im_end|>", "<|end", "|>"])), st.sampled_from(FRAMES))
def test_a_text_that_passes_is_written_like_any_other(pieces: list[str], stream: str) -> None:
    plain, patient = encoder(stream), encoder(stream)
    assert isinstance(patient, TextEncoder)
    patient.passes = lambda: False
    for event in answer(TEXT, pieces):
        assert plain.encode([event]) == patient.encode([event])
