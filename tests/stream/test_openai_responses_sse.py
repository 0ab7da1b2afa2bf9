"""`openai-responses-sse`: events of servers are the response that they make; what is written is what clients need."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ocml_bridge import Message, Transcript, read
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, End, Reason, RefusalDelta, Start, Stop
from ocml_bridge.loss import Finding, LossCode, Severity, named
from ocml_bridge.model import Refusal, Text, replace
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.report import covered, unnamed
from ocml_bridge.stream import replay
from ocml_bridge.testing import strategies
from ocml_bridge.testing.streams import (
    Decoded,
    all_cuts,
    byte_cuts,
    check_copies,
    check_messages,
    check_order,
    events_of,
)
from sampling import examples
from wire_facts import recorded

HOME = "openai-responses"
STREAM = "openai-responses-sse"
ANSWER = Answer("resp_7", "gpt", 1_700_000_000)


def sse(events: list[Any]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def values(chunks: list[bytes]) -> list[Any]:
    """The data of events, each of which has its type twice."""
    found: list[Any] = []
    for event in b"".join(chunks).decode("ascii").split("\n\n")[:-1]:
        name, data = event.split("\n")
        found.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {found[-1]['type']}"
    assert [value["sequence_number"] for value in found] == list(range(len(found)))
    return found


def types(chunks: list[bytes]) -> list[str]:
    return [value["type"].removeprefix("response.") for value in values(chunks)]


def decoded(events: list[Any], reason: Reason | None = None) -> Decoded:
    return events_of(decoder(STREAM), [sse(events)], reason)


def encoded(
    document: Transcript, reason: Reason = "stop", usage: dict[str, object] | None = None
) -> tuple[list[bytes], Any]:
    made = encoder(STREAM, answer=ANSWER, visibility=DEBUG)
    chunks = [chunk for event in replay(document, reason) for chunk in made.encode([event])]
    return [*chunks, *made.finish(usage)], made


def thought(text: str) -> Message:
    return Message("assistant", text, channel="analysis")


def final(text: str) -> Message:
    return Message("assistant", text, channel="final")


def call(name: str, body: str, call_id: str | None = None) -> Message:
    return Message("assistant", body, None, "commentary", name, call_id, constraint="json", end="call")


# --- recorded streams -------------------------------------------------------------------------------------------------


def test_a_recorded_stream_is_the_response_that_ends_it_however_it_is_cut() -> None:
    cases = recorded(HOME.removeprefix("openai-"), streams=True)
    assert len(cases) > 40
    for case in cases:
        events = case.value
        (last,) = [event for event in events if event["type"] in ("response.completed", "response.incomplete")]
        batch = read(last["response"], HOME)
        text = sse(events)
        whole = events_of(decoder(STREAM), [text])
        assert whole.stop.document == batch.transcript, case.case
        found = [event for event in whole.events if isinstance(event, Finding)]
        assert sorted(found) == sorted(batch.findings), case.case
        check_order(whole.events)
        check_messages(whole, None)
        for chunks in ([text[at : at + 301] for at in range(0, len(text), 301)], [json.dumps(events)]):
            assert events_of(decoder(STREAM), chunks) == whole, case.case


def test_the_events_without_the_last_response_give_the_same_messages() -> None:
    """A response repeats all items at the end; encrypted values are excluded, because they differ each time."""
    for case in recorded("responses", streams=True)[::5]:
        whole = cast("Transcript", decoded(case.value).stop.document)
        bare = [bare_of(event) for event in case.value]
        document = cast("Transcript", decoded(bare).stop.document)
        assert list(map(_unsealed, document.messages)) == list(map(_unsealed, whole.messages))


def _unsealed(message: Message) -> Message:
    """A message without what only the API can read."""
    return replace(message, extras=None, signature=None)


def bare_of(event: Any) -> Any:
    return {**event, "response": {**event["response"], "output": []}} if "response" in event else event


@examples(40)
@given(st.data())
def test_a_stream_reads_the_same_for_every_cut(data: st.DataObject) -> None:
    events = recorded("responses", streams=True)[data.draw(st.sampled_from([3, 12, 25]))].value
    text = sse([event for event in events if "delta" not in event["type"]] + events[-1:])
    whole = events_of(decoder(STREAM), [text])
    for chunks in all_cuts(text, data.draw(byte_cuts(text)))[1:]:
        assert events_of(decoder(STREAM), chunks) == whole
    check_copies(lambda: decoder(STREAM), [text[:400]], [text[400:]], [text[400:900]])


def test_a_stream_that_breaks_off_ends_in_a_message_that_was_cut_off() -> None:
    cases = {(case.case, case.kind): case.value for case in recorded("responses", streams=True)}
    events = cases["simpleRequest", "response-streaming"]
    at = next(at for at, event in enumerate(events) if event["type"] == "response.output_text.delta")
    stop = decoded(events[: at + 1]).stop
    assert stop.reason == "truncated"
    message = cast("Transcript", stop.document).messages[-1]
    assert (message.content, message.end) == ("Paris", None)
    assert decoded(events[: at + 1], "stop").stop.reason == "stop"


# --- what servers send ------------------------------------------------------------------------------------------------

COMPLETED: Any = {"type": "response.completed", "response": {"object": "response", "status": "completed", "output": []}}
FAILED: Any = {
    "type": "response.failed",
    "response": {"object": "response", "status": "failed", "output": [], "error": {"code": "x", "message": "no"}},
}
CALL: Any = {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": ""}
MESSAGE: Any = {"type": "message", "id": "msg_1", "status": "in_progress", "role": "assistant", "content": []}
TEXT: Any = {"type": "output_text", "text": "a", "annotations": []}
ADDED: Any = {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE}


def test_a_call_that_ends_as_what_it_found_is_no_call_of_the_client() -> None:
    """vercel/ai, packages/perplexity/src/__fixtures__/agent-web-search.chunks.txt: the item changes its type."""
    begun = {**CALL, "arguments": '{"queries":["q"]}', "name": "search_web", "status": "completed"}
    found = {"queries": ["q"], "results": [{"id": 1, "url": "https://example.org"}], "type": "search_results"}
    message = {**MESSAGE, "status": "completed", "content": [TEXT]}
    response = {**COMPLETED["response"], "output": [found, message]}
    events = [
        {**ADDED, "item": begun},
        {"type": "response.output_item.done", "output_index": 0, "item": found},
        {**ADDED, "output_index": 1, "item": {**MESSAGE, "content": None}},
        {**more("a"), "output_index": 1},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {**COMPLETED, "response": response},
    ]
    for count in (5, 6):
        whole = decoded(events[:count], "stop")
        messages = cast("Transcript", whole.stop.document).messages
        assert [message.recipient for message in messages] == ["perplexity.search_web", "assistant", None]
        check_messages(whole, None)
    assert whole.stop.document == read(response, HOME).transcript
    assert [event.detail for event in whole.events if isinstance(event, Finding)] == [
        "a call ends as an item of another type; the item is kept"
    ]


@pytest.mark.parametrize(
    ("status", "reason"),
    [("completed", "stop"), ("incomplete", "length"), (None, "stop"), ("in_progress", "truncated")],
)
def test_a_whole_response_is_the_answer(status: str | None, reason: str) -> None:
    message = {**MESSAGE, "status": "completed", "content": [TEXT]}
    response: Any = {"object": "response", "status": status, "output": [message]}
    whole = events_of(decoder(STREAM), [f"data: {json.dumps(response)}\n\n"], None)
    assert (whole.stop.document, whole.stop.reason) == (read(response, HOME).transcript, reason)


def test_a_call_that_begins_completed_is_read_when_it_ends() -> None:
    begun = {**CALL, "arguments": "{}", "status": "completed"}
    events = [{**ADDED, "item": begun}, {"type": "response.output_item.done", "output_index": 0, "item": begun}]
    for count in (1, 2):
        whole = decoded([*events[:count], COMPLETED])
        (message,) = cast("Transcript", whole.stop.document).messages
        assert (message.recipient, message.content) == ("functions.f", "{}")
        check_messages(whole, None)


def more(text: str) -> Any:
    return {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}


def test_a_text_that_only_the_done_event_has_is_a_delta() -> None:
    done: Any = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"}
    for events in ([ADDED, done], [ADDED, more("He"), done]):
        assert [event.text for event in decoded(events).events if isinstance(event, Delta)] == ["Hello"]


def test_citations_of_an_answer_are_in_no_other() -> None:
    citation = {"type": "url_citation", "url": "https://example.org", "title": "A", "start_index": 0, "end_index": 2}
    cited: Any = {"type": "response.output_text.annotation.added", "output_index": 0, "content_index": 0}
    citing = decoded([ADDED, {**cited, "annotation": citation}, more("Hi"), COMPLETED])
    assert "example.org" in repr(citing.stop.document)
    assert "example.org" not in repr(decoded([ADDED, more("Hi"), COMPLETED]).stop.document)


def test_a_done_text_that_differs_from_its_deltas_is_reported_and_not_used() -> None:
    content: Any = [{"type": "output_text", "text": "Bye", "annotations": []}]
    item: Any = {**MESSAGE, "status": "completed", "content": content}
    done: Any = {"type": "response.output_item.done", "output_index": 0, "item": item}
    completed = {**COMPLETED, "response": {**COMPLETED["response"], "output": [item]}}
    result = decoded([ADDED, more("Hello"), done, completed])
    assert cast("Transcript", result.stop.document).messages[0].content == "Hello"
    assert {event.code for event in result.events if isinstance(event, Finding)} == {"shape"}


def event(kind: str, **members: Any) -> Any:
    return {"type": f"response.{kind}", "output_index": 0, **members}


@pytest.mark.parametrize(
    ("odd", "detail"),
    [
        (event("function_call_arguments.delta", output_index=7, delta="x"), "names an item that has not begun"),
        (event("content_part.added", output_index="0", part=TEXT), "names an item that has not begun"),
        (event("output_item.added", output_index=1, item={}), "an item is not an object with a type"),
        (event("output_item.added", output_index=1, item="x"), "an item is not an object with a type"),
        (event("output_item.done", output_index=1, item=None), "an item is not an object with a type"),
        (event("output_text.delta", content_index=-1, delta="x"), "has no index for its part"),
        (event("output_text.delta", content_index=10_000, delta="x"), "has no index for its part"),
        (event("output_text.delta", content_index=True, delta="x"), "has no index for its part"),
        (event("content_part.added", content_index=None, part=TEXT), "has no index for its part"),
        (event("output_text.delta", content_index=0, delta=1), "a text delta is not a text"),
        (event("output_text.done", content_index=0, text="Bye"), "a finished text differs from its deltas"),
        (event("output_text.delta", content_index=0, delta="", odd=1), "has a member 'odd' that is not known"),
    ],
)
def test_an_odd_event_is_left_out_and_found(odd: Any, detail: str) -> None:
    result = decoded([ADDED, more("He"), odd, more("llo"), COMPLETED])
    assert [message.content for message in cast("Transcript", result.stop.document).messages] == ["Hello"]
    assert [detail in found.detail for found in result.events if isinstance(found, Finding)] == [True]


HELLO: Any = {**TEXT, "text": "Hello"}
IMPLIED: dict[str, tuple[list[Any], list[Any]]] = {
    # BerriAI/litellm, issue 22102; openai/codex, pull request 12798
    "the response has the item": (
        [event("output_text.delta", item_id="m", content_index=0, delta=text) for text in ("Hel", "lo")],
        [
            {"type": "reasoning", "id": "rs", "summary": []},
            {"type": "message", "role": "assistant", "id": "m", "phase": "final_answer", "content": [HELLO]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        ],
    ),
    # Oaklight/llm-rosetta, issue 56
    "the response has no item": ([{"type": "response.output_text.delta", "delta": text} for text in ("Hel", "lo")], []),
    # Sophomoresty/gemini-web2api, pull request 57
    "only the end of the text comes": ([{"type": "response.output_text.done", "text": "Hello"}], []),
    "the item comes whole": (
        [
            event("output_text.delta", delta="Hello"),
            event("output_item.done", item={"type": "message", "role": "assistant", "content": [HELLO]}),
        ],
        [],
    ),
    "the item is another one": (
        [event("output_text.delta", output_index=7, delta="Hello")],
        [{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}],
    ),
}


@pytest.mark.parametrize("case", IMPLIED)
def test_a_text_whose_item_has_not_begun_is_there_once(case: str) -> None:
    events, output = IMPLIED[case]
    completed = {**COMPLETED, "response": {**COMPLETED["response"], "output": output}}
    result = decoded([*events, completed])
    document = cast("Transcript", result.stop.document)
    assert [message.content for message in document.messages if message.content and not message.recipient] == ["Hello"]
    assert [message.recipient for message in document.messages if message.recipient] == ["functions.f"] * (
        "function_call" in str(output)
    )
    assert {found.detail for found in result.events if isinstance(found, Finding)} == {
        "a text has no item that has begun; it waits for the end"
    }


@pytest.mark.parametrize(
    "late",
    [
        event("output_text.delta", content_index=0, delta="x"),
        event("output_text.done", content_index=0, text="Hello there"),
        event("refusal.delta", content_index=1, delta="x"),
        event("content_part.added", content_index=1, part=TEXT),
        event("content_part.done", content_index=0, part={**TEXT, "text": "Hello there"}),
        event("output_text.annotation.added", content_index=0, annotation={"type": "url_citation", "url": "https://a"}),
    ],
    ids=lambda late: late["type"],
)
def test_deltas_after_the_end_of_an_item_are_left_out_and_reported(late: Any) -> None:
    done = event("output_item.done", item={**MESSAGE, "status": "completed", "content": [{**TEXT, "text": "Hello"}]})
    in_time, too_late = (
        decoded([ADDED, more("Hello"), done, COMPLETED]),
        decoded([ADDED, more("Hello"), done, late, COMPLETED]),
    )
    assert too_late.stop.document == in_time.stop.document
    assert [event for event in in_time.events if isinstance(event, Finding)] == []
    found = [event.detail for event in too_late.events if isinstance(event, Finding)]
    assert found == ["an event comes after the end of its item; the event is left out"]


def test_an_item_without_an_index_is_found_by_its_id() -> None:
    by_id = {"type": "response.output_text.delta", "item_id": "msg_1", "content_index": 0, "delta": "lo"}
    done = {"type": "response.output_item.done", "item": {**MESSAGE, "content": [{**TEXT, "text": "Hello"}]}}
    result = decoded([ADDED, more("Hel"), by_id, done, COMPLETED])
    assert [message.content for message in cast("Transcript", result.stop.document).messages] == ["Hello"]
    assert [found for found in result.events if isinstance(found, Finding)] == []


def test_a_second_item_with_an_index_is_one_of_its_own() -> None:
    other = event("output_item.added", item={**MESSAGE, "id": "msg_2"})
    result = decoded([ADDED, more("one"), other, more("two"), COMPLETED])
    assert [message.content for message in cast("Transcript", result.stop.document).messages] == ["one", "two"]
    assert ["the same index" in found.detail for found in result.events if isinstance(found, Finding)] == [True]


def test_an_item_that_is_whole_as_another_type_is_of_that_type() -> None:
    call = {"type": "custom_tool_call", "id": "msg_1", "call_id": "c", "name": "f", "input": "x"}
    part = event("content_part.added", content_index=0, part={**TEXT, "text": ""})
    document = decoded([ADDED, part, event("output_item.done", item=call)], "stop").stop.document
    assert isinstance(document, Transcript)
    assert [(message.recipient, message.content) for message in document.messages] == [("functions.f", "x")]


def test_sources_that_come_behind_a_text_are_its_own() -> None:
    source = {"type": "url_citation", "url": "https://a", "title": "A", "start_index": 1, "end_index": 2}
    cited = event("output_text.annotation.added", content_index=0, annotation_index=0, annotation=source)
    begun = event("content_part.added", content_index=0, part={**TEXT, "text": ""})
    (message,) = cast("Transcript", decoded([ADDED, begun, more("Hi"), cited, COMPLETED]).stop.document).messages
    (part,) = cast("tuple[Text]", message.content)
    assert part.citations is not None
    assert [(one.url, one.title, one.start, one.end) for one in part.citations] == [("https://a", "A", 1, 2)]


def test_items_may_interleave() -> None:
    second = {**ADDED, "output_index": 1, "item": CALL}
    arguments: Any = {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}"}
    result = decoded([ADDED, second, more("a"), arguments, more("b"), COMPLETED])
    messages = cast("Transcript", result.stop.document).messages
    assert [(message.recipient, message.content) for message in messages] == [(None, "ab"), ("functions.f", "{}")]


ITEMS: Any = (
    thought("Hm."),
    final("Ab"),
    replace(final(""), content=(Text("One."), Refusal("No."), Text("Two."))),
    call("functions.f", '{"a":1}', "c1"),
    replace(call("functions.g", "ls -l", "c2"), constraint=None),
    replace(thought("So."), content_type="summary"),
    Message("assistant", "I look.", channel="commentary", intent="preamble"),
)


@given(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4), st.data())
def test_interleaved_items_are_read_whole_and_in_order(items: list[Message], data: st.DataObject) -> None:
    """Each waits for those before it, and then nothing of it is left out or repeated."""
    items = [replace(item, continues=at > 0) for at, item in enumerate(items)]
    begin, *events, end = values(encoded(Transcript(tuple(items)))[0])
    rows = [[event for event in events if event.get("output_index") == at] for at in range(len(events))]
    rows = [row for row in rows if row]
    mixed: list[Any] = []
    while rows:
        row = rows[data.draw(st.integers(0, len(rows) - 1))]
        mixed.append(row.pop(0))
        rows = [row for row in rows if row]
    played = decoded([begin, *mixed, end])
    check_order(played.events)
    check_messages(played, None)


def test_items_that_arrive_in_another_order_than_in_the_response_stay_in_it() -> None:
    """They were passed on as they came."""
    texts: list[Any] = [
        {**MESSAGE, "id": f"msg_{at}", "content": [{**TEXT, "text": text}]} for at, text in enumerate("ab")
    ]
    late, early = (
        [
            event("output_item.added", output_index=at, item={**MESSAGE, "id": f"msg_{at}"}),
            event("output_text.delta", output_index=at, content_index=0, delta=texts[at]["content"][0]["text"]),
            event("output_item.done", output_index=at, item=texts[at]),
        ]
        for at in (0, 1)
    )
    completed = {**COMPLETED, "response": {**COMPLETED["response"], "output": texts}}
    played = decoded([*early, *late, completed])
    check_messages(played, None)
    assert [message.content for message in cast("Transcript", played.stop.document).messages] == ["b", "a"]
    assert ["differs from the items" in found.detail for found in played.events if isinstance(found, Finding)] == [True]


def test_an_error_ends_the_stream_and_earlier_text_is_the_document() -> None:
    for error in ({"type": "error", "code": "x", "message": "no", "param": None}, FAILED):
        result = decoded([ADDED, more("Hi"), error])
        assert result.stop.reason == "error"
        assert cast("Transcript", result.stop.document).messages[0].content == "Hi"
        (found,) = [event for event in result.events if isinstance(event, Finding)]
        assert (found.code, found.detail) == ("E-STREAM-TRUNCATED", "the server cut the stream off: no")


def test_done_behind_everything_is_taken_and_padding_is_not() -> None:
    text = sse([ADDED, {**more("Hi"), "obfuscation": "xxxx"}, COMPLETED]) + "data: [DONE]\n\n"
    stop = events_of(decoder(STREAM), [text]).stop
    assert stop.reason == "stop"
    assert "obfuscation" not in repr(stop.document)


def test_thoughts_behind_their_summary_are_an_item_of_their_own() -> None:
    reasoning: Any = {"type": "reasoning", "id": "rs_1", "summary": []}
    events: list[Any] = [
        {"type": "response.output_item.added", "output_index": 0, "item": reasoning},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "Sum."},
        {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hm."},
    ]
    result = decoded(events, "stop")
    messages = cast("Transcript", result.stop.document).messages
    assert [(one.content, one.content_type) for one in messages] == [("Sum.", "summary"), ("Hm.", None)]
    check_messages(result, None)


def test_items_after_a_summary_and_its_thoughts_keep_their_kinds() -> None:
    """The item is two messages, and so each that ends is the one that began with its number."""
    summary, body = {"type": "summary_text", "text": "Sum."}, {"type": "reasoning_text", "text": "Hm."}
    reasoning: Any = {"type": "reasoning", "id": "rs_1", "summary": []}
    call: Any = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}
    events: list[Any] = [
        {"type": "response.output_item.added", "output_index": 0, "item": reasoning},
        {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "Sum."},
        {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hm."},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {**reasoning, "summary": [summary], "content": [body]},
        },
        {"type": "response.output_item.added", "output_index": 1, "item": {**call, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}"},
        {"type": "response.output_item.done", "output_index": 1, "item": call},
    ]
    result = decoded(events, "stop")
    begun = {event.number: event.message.recipient for event in result.events if isinstance(event, Start)}
    ended = {event.number: event.message.recipient for event in result.events if isinstance(event, End)}
    assert begun == ended == {0: None, 1: None, 2: "functions.f"}
    check_messages(result, None)


WORDS = st.sampled_from(["", "x", "message", "msg_1", "assistant", "output_text"])
KEYS = st.sampled_from(["type", "text", "content", "id"])
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    [
        *("response.output_item.added", "response.output_item.done", "response.content_part.added"),
        *("response.content_part.done", "response.output_text.delta", "response.output_text.done"),
        *("response.refusal.delta", "response.completed", "error", "response.function_call_arguments.delta"),
        *("response.reasoning_summary_text.delta", "response.reasoning_text.done", "response.incomplete"),
        *("response.output_text.annotation.added", "response.web_search_call.searching", "x"),
    ]
)
REASONING: Any = {"type": "reasoning", "summary": []}
MEMBERS: dict[str, Any] = {
    **dict.fromkeys(("output_index", "content_index", "summary_index"), st.integers(0, 2) | JUNK),
    "item_id": st.sampled_from(["msg_1", "y"]) | JUNK,
    **dict.fromkeys(("delta", "text", "arguments"), st.sampled_from(["a", "bc", ""]) | JUNK),
    "item": st.sampled_from([MESSAGE, REASONING, CALL]) | JUNK,
    "part": st.sampled_from([TEXT, {"type": "refusal", "refusal": "n"}]) | JUNK,
    "annotation": JUNK,
    "response": st.sampled_from([COMPLETED["response"], {"output": [MESSAGE]}]) | JUNK,
}
EVENTS = st.fixed_dictionaries({"type": KINDS}, optional=MEMBERS)


@examples(250)
@example([{"type": "response.output_item.added", "item": {"type": []}}])
@given(st.lists(EVENTS, max_size=8))
def test_whatever_comes_is_a_document_and_its_events_agree_with_it(events: list[Any]) -> None:
    result = decoded(events)
    check_order(result.events)
    check_messages(result, None)
    assert events_of(decoder(STREAM), list(sse(events))) == result


# --- what is written --------------------------------------------------------------------------------------------------


def test_an_answer_is_the_sequence_that_clients_need() -> None:
    chunks, made = encoded(Transcript((thought("Hm."), final("Hi"), call("functions.f", "{}", "c1"))))
    assert types(chunks) == [
        *("created", "in_progress"),
        *(
            "output_item.added",
            "content_part.added",
            "reasoning_text.delta",
            "reasoning_text.done",
            "content_part.done",
        ),
        "output_item.done",
        *("output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done"),
        "output_item.done",
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"),
        "completed",
    ]
    # The text is over before the call, so it gets no phase, and reads as a preamble.
    lost = [(loss.code, loss.path) for loss in made.losses if loss.severity is not Severity.LAYOUT]
    assert lost == [("channel", "/messages/1/channel")]
    output = values(chunks)[-1]["response"]["output"]
    assert [item["type"] for item in output] == ["reasoning", "message", "function_call"]
    assert [part["text"] for part in output[1]["content"]] == ["Hi"]


def test_a_preamble_has_its_phase() -> None:
    preamble = Message("assistant", "I look.", channel="commentary", intent="preamble")
    chunks, _ = encoded(Transcript((preamble, call("functions.f", "{}", "c"))))
    added = [value for value in values(chunks) if value["type"] == "response.output_item.added"]
    assert added[0]["item"]["phase"] == "commentary"


def test_a_custom_tools_call_is_one_and_a_summary_is_one() -> None:
    python = Message("assistant", "print(1)", None, "commentary", "python", "c", end="call")
    summary = replace(thought("Sum."), content_type="summary")
    chunks, _ = encoded(Transcript((summary, python)))
    assert "reasoning_summary_text.delta" in types(chunks)
    assert "custom_tool_call_input.delta" in types(chunks)
    output = values(chunks)[-1]["response"]["output"]
    assert output[0]["summary"] == [{"type": "summary_text", "text": "Sum."}]
    assert (output[1]["type"], output[1]["name"], output[1]["input"]) == ("custom_tool_call", "python", "print(1)")


def test_a_refusal_is_a_part_of_its_own() -> None:
    made = encoder(STREAM, answer=ANSWER, visibility=DEBUG)
    events = (Start(0, final("")), Delta(0, "No. "), RefusalDelta(0, "I cannot."))
    chunks = [chunk for event in events for chunk in made.encode([event])]
    assert types(chunks)[-3:] == ["content_part.done", "content_part.added", "refusal.delta"]
    whole, _ = encoded(Transcript((replace(final(""), content=(Text("No. "), Refusal("I cannot."))),)))
    parts = values(whole)[-1]["response"]["output"][0]["content"]
    assert [part["type"] for part in parts] == ["output_text", "refusal"]


def test_a_refusal_that_only_the_end_has_is_sent_as_one() -> None:
    made = encoder(STREAM, answer=ANSWER, visibility=DEBUG)
    whole = replace(final(""), content=(Text("No. "), Refusal("I cannot.")))
    events = (Start(0, final("")), Delta(0, "No. "), End(0, whole), Stop("stop", Transcript((whole,))))
    events_sent = values([chunk for event in events for chunk in made.encode([event])])
    assert [value["delta"] for value in events_sent if value["type"] == "response.refusal.delta"] == ["I cannot."]
    assert [value["delta"] for value in events_sent if value["type"] == "response.output_text.delta"] == ["No. "]


@pytest.mark.parametrize(
    ("reason", "last", "details"),
    [
        ("stop", "response.completed", None),
        ("tool_calls", "response.completed", None),
        ("length", "response.incomplete", {"reason": "max_output_tokens"}),
        ("content_filter", "response.incomplete", {"reason": "content_filter"}),
    ],
)
def test_a_whole_answer_ends_once(reason: Reason, last: str, details: Any) -> None:
    chunks, _ = encoded(Transcript((final("Hi"),)), reason)
    end = values(chunks)[-1]
    assert (end["type"], end["response"]["incomplete_details"]) == (last, details)


def test_an_answer_that_broke_off_never_ends_in_completed() -> None:
    for reason in ("truncated", "error"):
        chunks, _ = encoded(Transcript((replace(final("Hi"), end=None),)), reason)
        end = values(chunks)[-1]
        assert (end["type"], end["response"]["error"]["code"]) == ("response.failed", "E-STREAM-TRUNCATED")
        assert end["response"]["output"][0]["status"] == "incomplete"


def test_the_numbers_of_tokens_are_in_the_last_event() -> None:
    usage: dict[str, object] = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    chunks, _ = encoded(Transcript((final("Hi"),)), usage=usage)
    assert values(chunks)[-1]["response"]["usage"] == {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 3,
    }
    pytest.importorskip("openai.types.responses").ResponseCompletedEvent.model_validate(values(chunks)[-1])


def without_layout(document: Transcript) -> tuple[Message, ...]:
    return tuple(replace(message, layout=None) for message in document.messages)


@given(strategies.transcripts())
def test_losses_of_any_document_are_reported(document: Transcript) -> None:
    chunks, made = encoded(document)
    values(chunks)
    back = cast("Transcript", events_of(decoder(STREAM), chunks).stop.document)
    plain = replace(back, messages=without_layout(back), settings=None, layout=None, extras=None)
    assert unnamed(replace(document, messages=without_layout(document), settings=None), plain, made.losses) == []
    places = {
        f"/messages/{at}/layout/{name}" for at, message in enumerate(document.messages) for name in message.layout or ()
    }
    known = named(made.losses)
    inside = {place for place in places for path in known if path.startswith(f"{place}/")}
    assert [place for place in places - inside if not covered(place, known)] == []


@given(strategies.transcripts())
@examples(25)
def test_the_official_types_take_every_event(document: Transcript) -> None:
    events = pytest.importorskip("openai.types.responses")
    adapter = pytest.importorskip("pydantic").TypeAdapter(events.ResponseStreamEvent)
    for value in values(encoded(document)[0]):
        if value["type"] != "response.failed" and "usage" not in value.get("response", {}):
            adapter.validate_python(value)


def test_the_official_client_puts_the_answer_together() -> None:
    lib = pytest.importorskip("openai.lib.streaming.responses._responses")
    types_ = pytest.importorskip("openai.types.responses")
    from openai import omit
    from openai._models import construct_type_unchecked

    chunks, _ = encoded(Transcript((thought("Hm."), final("Hello"), call("functions.f", '{"a":1}', "c1"))))
    state = lib.ResponseStreamState(input_tools=omit, text_format=omit)
    events: list[Any] = []
    for value in values(chunks):
        events += state.handle_event(construct_type_unchecked(value=value, type_=types_.ResponseStreamEvent))
    done = events[-1].response
    assert done.output_text == "Hello"
    assert [item.type for item in done.output] == ["reasoning", "message", "function_call"]
    assert done.output[2].arguments == '{"a":1}'


# --- between wires ----------------------------------------------------------------------------------------------------


def test_a_pipe_from_chat_completions_keeps_messages_and_calls() -> None:
    for case in recorded("chat-completions", streams=True):
        chunks = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in case.value) + "data: [DONE]\n\n"
        pipe = Pipe(decoder("openai-sse"), encoder(STREAM, answer=ANSWER, visibility=DEBUG))
        out = pipe.feed(chunks) + pipe.finish()
        source = cast("Transcript", events_of(decoder("openai-sse"), [chunks]).stop.document)
        back = cast("Transcript", events_of(decoder(STREAM), [out]).stop.document)
        assert [(one.channel, one.content, one.recipient, one.call_id) for one in back.messages] == [
            (one.channel, one.content, one.recipient, one.call_id) for one in source.messages
        ], case.case


def test_losses_name_what_a_client_cannot_know() -> None:
    _, made = encoded(Transcript((Message("user", "Hi"), final("Hello"))))
    assert (LossCode.MESSAGE, "/messages/0") in {(loss.code, loss.path) for loss in made.losses}


@pytest.mark.parametrize(
    ("item", "subject"),
    [
        ({"type": "message", "role": "assistant", "content": []}, "reasoning_text"),
        ({"type": "message", "role": "assistant", "content": []}, "reasoning_summary_text"),
        ({"type": "message", "role": "assistant", "content": []}, "function_call_arguments"),
        ({"type": "reasoning", "summary": []}, "output_text"),
        ({"type": "reasoning", "summary": []}, "refusal"),
    ],
)
def test_a_text_that_its_item_is_not_made_of_is_left_out_and_found(item: Any, subject: str) -> None:
    """No server may leak a thought into a message."""
    result = decoded(
        [
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": f"response.{subject}.delta", "output_index": 0, "content_index": 0, "delta": "SECRET"},
            COMPLETED,
        ]
    )
    assert "SECRET" not in repr(result.stop.document)
    assert not any(isinstance(event, Delta) for event in result.events)
    found = [event.detail for event in result.events if isinstance(event, Finding)]
    assert found == ["a text does not fit its item; it is left out"]


# --- pieces that only the whole item has ------------------------------------------------------------------------------

SHELL: Any = {
    "type": "shell_call",
    "id": "sh_1",
    "call_id": "c1",
    "status": "completed",
    "action": {"commands": ["ls"]},
}
DRAWN: Any = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBORw0KGgo="}
PIECES: list[tuple[Any, Any]] = [
    (SHELL, {"type": "response.shell_call_command.delta", "output_index": 0, "command_index": 0, "delta": "l"}),
    (SHELL, {"type": "response.shell_call_command.done", "output_index": 0, "command_index": 0, "command": "ls"}),
    (DRAWN, {"type": "response.image_generation_call.partial_image", "item_id": "ig_1", "partial_image_b64": "iVBO"}),
]
MISSING = "pieces of an item came without the whole item; they are left out"


def details_in(result: Decoded) -> list[str]:
    return [event.detail for event in result.events if isinstance(event, Finding)]


@pytest.mark.parametrize(("item", "piece"), PIECES)
def test_pieces_that_are_not_put_together_are_in_the_whole_item_or_missed(item: Any, piece: Any) -> None:
    begun = {"type": "response.output_item.added", "output_index": 0, "item": {**item, "status": "in_progress"}}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    whole = decoded([begun, piece, done, COMPLETED])
    assert details_in(whole) == []
    assert MISSING in details_in(decoded([begun, piece]))


@pytest.mark.parametrize(
    ("event", "found"),
    [
        ({"type": "response.audio.delta", "delta": "UklGRg=="}, ["an event is not understood; the event is left out"]),
        (
            {"type": "response.audio.transcript.delta", "delta": "Hi"},
            ["an event is not understood; the event is left out"],
        ),
        ({"type": "response.audio.done", "sequence_number": 3}, []),
        ({"type": "response.web_search_call.searching", "item_id": "ws_1", "output_index": 0}, []),
        ({"type": "keepalive", "sequence_number": 4}, []),
    ],
)
def test_an_unknown_event_is_a_finding_if_it_has_contents(event: Any, found: list[str]) -> None:
    assert details_in(decoded([event, COMPLETED])) == found


# --- texts that come before their deltas, and without any -------------------------------------------------------------

SPEECH: Any = {"type": "message", "id": "m_1", "role": "assistant", "content": []}
PLAIN: Any = {"type": "output_text", "text": "Hel", "annotations": []}
SUMMED_UP: Any = {"type": "reasoning", "id": "r_1", "summary": [{"type": "summary_text", "text": "Hel"}]}
LO: Any = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "lo"}
BEGINNINGS: list[tuple[Any, list[Any]]] = [
    ({**SPEECH, "content": [PLAIN]}, [LO]),
    (SPEECH, [{"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": PLAIN}, LO]),
    (SPEECH, [LO | {"type": "response.content_part.done", "part": {**PLAIN, "text": "Hello"}}]),
    (SUMMED_UP, [LO | {"type": "response.reasoning_summary_text.delta", "summary_index": 0}]),
    (
        {"type": "custom_tool_call", "call_id": "c1", "name": "f", "input": "Hel"},
        [LO | {"type": "response.custom_tool_call_input.delta"}],
    ),
]


@pytest.mark.parametrize(("item", "events"), BEGINNINGS)
def test_a_text_that_an_item_begins_with_is_passed_on(item: Any, events: list[Any]) -> None:
    result = decoded([{"type": "response.output_item.added", "output_index": 0, "item": item}, *events])
    assert "".join(event.text for event in result.events if isinstance(event, Delta)) == "Hello"
    check_messages(result, None)


def test_a_part_of_a_message_that_is_reasoning_is_no_text() -> None:
    thought = {"type": "reasoning_text", "text": "SECRET"}
    part = {"type": "response.content_part.added", "output_index": 0, "content_index": 0, "part": thought}
    result = decoded([{"type": "response.output_item.added", "output_index": 0, "item": SPEECH}, part, LO])
    assert not any(isinstance(event, Delta) for event in result.events)
    check_messages(result, None)


def test_an_item_that_came_whole_is_not_replaced_by_another_text() -> None:
    """It was passed on."""
    done = {"type": "response.output_item.done", "output_index": 0, "item": {**SPEECH, "content": [PLAIN]}}
    other = {**SPEECH, "content": [{**PLAIN, "text": "Bye"}]}
    result = decoded([done, {**COMPLETED, "response": {**COMPLETED["response"], "output": [other]}}])
    check_messages(result, None)
    assert details_in(result) == ["the response differs from the items that were streamed; the streamed items are kept"]
