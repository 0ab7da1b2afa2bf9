"""The events of OpenChatML 2.2 §9: what is sent, what has to be negotiated, what is never sent."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_adapters.ocm_2_2.events import DEFAULT_EVENTS, negotiated
from ocml_bridge import BridgeError, ErrorCode, Message, Transcript
from ocml_bridge.chat.turns import infer_grouping, is_call, is_thought, parts_of
from ocml_bridge.chat.visibility import DEBUG, END_USER, hidden_by
from ocml_bridge.events import Answer, Delta, End, Event, Reason, RefusalDelta, Start, Stop
from ocml_bridge.loss import LossCode
from ocml_bridge.model import Header, Json, Refusal, Text, Thought
from ocml_bridge.model.diff import diff
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.report import covered
from ocml_bridge.stream import Filter, replay
from ocml_bridge.testing.strategies import transcripts

OF_9 = frozenset({"response.delta", "response.delta.flush", "response.cancel", "tool.cancel"})
EXTENSIONS = frozenset({"x-response.start", "x-analysis.delta", "x-tool.delta", "x-response.done"})
ALL = OF_9 | EXTENSIONS

Sent = list[tuple[str, dict[str, Any]]]


def parsed(data: bytes) -> Sent:
    """Server-Sent Events as a client reads them: each is two lines and a blank one."""
    blocks = data.decode("ascii").split("\n\n")
    assert blocks.pop() == ""
    out: Sent = []
    for block in blocks:
        name, line = block.split("\n")
        assert name.startswith("event: ")
        assert line.startswith("data: ")
        out.append((name[7:], json.loads(line[6:])))
    return out


def sent(events: Iterable[Event], names: Iterable[str] | None = None, **about: Any) -> Sent:
    asked = None if names is None else frozenset(names)
    return parsed(
        b"".join(encoder("ocm-2.2-events", answer=Answer(events=asked, **about), visibility=DEBUG).encode(events))
    )


CALL = Message("assistant", "{}", None, "commentary", "functions.f", "wx1", constraint="json", end="call")
REPLY = Message("tool", "1", "functions.f", "commentary", "assistant", "wx1")
PLAN = Message("assistant", "Plan.", channel="commentary", intent="preamble")
HM = Message("assistant", "Hm.", channel="analysis")
FOUR = Message("assistant", "4.", channel="final", end="return")
TURN = Transcript((Message("user", "2 + 2?"), HM, PLAN, CALL, REPLY, FOUR))


# --- what is sent -----------------------------------------------------------------------------------------------------


def test_answers_and_preambles_are_what_users_see() -> None:
    assert sent(replay(TURN)) == [
        (
            "response.delta",
            {"message_id": "m2", "seq": 0, "channel": "commentary", "intent": "preamble", "delta": "Plan."},
        ),
        ("response.delta", {"message_id": "m5", "seq": 1, "channel": "final", "delta": "4."}),
    ]


def test_members_of_a_message_that_deltas_have_are_no_loss() -> None:
    """Its role, its channel, its intent, and the id of a call; not the members that only the first event has."""
    made = encoder("ocm-2.2-events", answer=Answer(events=ALL - {"x-response.start"}), visibility=DEBUG)
    made.encode(replay(TURN))
    lost = {loss.path for loss in made.losses}
    assert lost - {"/messages/2/continues"} == {  # the recipient of a call shows which messages are one turn
        *("/messages/0", "/messages/3/recipient", "/messages/3/constraint", "/messages/4")
    }


def test_no_channel_is_the_final_one() -> None:
    ((_, data),) = sent(replay(Transcript((Message("assistant", "Hi."),))))
    assert data["channel"] == "final"


def test_everything_that_can_be_asked_for() -> None:
    names = [name for name, _ in sent(replay(TURN), ALL)]
    thought = ["x-response.start", "x-analysis.delta", "x-response.done"]
    shown = ["x-response.start", "response.delta", "response.delta.flush", "x-response.done"]
    assert names == [*thought, *shown, "x-response.start", "x-tool.delta", "x-response.done", *shown]


def test_a_call_with_all_members_of_its_header() -> None:
    assert sent(replay(Transcript((CALL,))), ALL) == [
        (
            "x-response.start",
            {
                "message_id": "m0",
                "seq": 0,
                "role": "assistant",
                "channel": "commentary",
                "to": "functions.f",
                "call_id": "wx1",
                "constrain": "json",
            },
        ),
        ("x-tool.delta", {"message_id": "m0", "seq": 1, "call_id": "wx1", "delta": "{}"}),
        ("x-response.done", {"message_id": "m0", "seq": 2, "stop": "call"}),
    ]


def test_a_call_without_an_id_gets_one() -> None:
    events = sent(replay(Transcript((replace(CALL, call_id=None),))), ALL, call_id="id-{}".format)
    assert {data.get("call_id") for _, data in events} == {"id-0", None}


def test_a_refusal_is_shown() -> None:
    refused = Message("assistant", "", channel="final", end=None)
    assert sent([Start(0, refused), RefusalDelta(0, "No.")]) == [
        ("response.delta", {"message_id": "m0", "seq": 0, "channel": "final", "delta": "No."})
    ]


def test_answers_that_share_a_stream_have_their_own_ids() -> None:
    ((_, data),) = sent(replay(Transcript((FOUR,))), index=1)
    assert data["message_id"] == "1.m0"


def test_escapes_and_literal_blocks_are_decoded() -> None:
    text = "<|start|>assistant<|channel|>final<|message|>a <<|end|> <|literal|><|call|><|endliteral|>\u2028<|return|>"
    pipe = Pipe(decoder("ocm-2.2"), encoder("ocm-2.2-events", visibility=DEBUG))
    events = parsed(b"".join([*map(pipe.feed, text), pipe.finish()]))
    assert "".join(data["delta"] for _, data in events) == "a <|end|> <|call|>\u2028"


# --- paragraphs -------------------------------------------------------------------------------------------------------


def shape(events: Sent) -> list[str]:
    """Texts between flushes."""
    out = [""]
    for name, data in events:
        if name == "response.delta.flush":
            out.append("")
        else:
            out[-1] += data["delta"]
    return out


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("one", ["one", ""]),
        ("one\n\ntwo", ["one\n\n", "two", ""]),
        ("one\n\n\n\ntwo\nthree\n\n", ["one\n\n", "\n\ntwo\nthree\n\n", ""]),
        ("", [""]),
    ],
)
def test_a_flush_follows_a_blank_line_and_the_end(text: str, paragraphs: list[str]) -> None:
    message = Message("assistant", text, channel="final")
    document = Transcript((message,))
    for cut in (replay(document), [Start(0, message), *(Delta(0, char) for char in text), End(0, message)]):
        assert shape(sent(cut, OF_9)) == paragraphs
    assert shape(sent(replay(document))) == [text]


# --- negotiation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (None, DEFAULT_EVENTS),
        (Header("2.2"), DEFAULT_EVENTS),
        (Header("2.2", capabilities={"channels": ["final"]}), DEFAULT_EVENTS),
        (
            Header("2.2", capabilities={"streaming": ["response.delta", "x-tool.delta"]}),
            {"response.delta", "x-tool.delta"},
        ),
        (Header("2.2", capabilities={"streaming": []}), frozenset[str]()),
        (Header("2.2", capabilities={"streaming": None}), frozenset[str]()),
        (Header("2.2", capabilities={"streaming": "response.delta"}), frozenset[str]()),
        (Header("2.2", capabilities={"streaming": [1, "tool.cancel"]}), {"tool.cancel"}),
    ],
)
def test_the_header_defines_the_negotiated_events(header: Header | None, names: frozenset[str]) -> None:
    assert negotiated(header) == names


def test_the_header_of_the_specification_negotiates_the_default_events() -> None:
    listed: list[Json] = ["response.delta", "response.cancel", "tool.cancel"]
    assert negotiated(Header("2.2", capabilities={"streaming": listed})) == DEFAULT_EVENTS


def sliced(document: Transcript, reason: Reason | None, chance: random.Random) -> Iterator[Event]:
    for event in replay(document, reason):
        if not isinstance(event, Delta):
            yield event
            continue
        at = chance.randint(0, len(event.text))
        yield from (Delta(event.number, text) for text in (event.text[:at], event.text[at:]) if text)


REASONS: tuple[Reason | None, ...] = (None, "stop", "length", "cancelled", "truncated", "error")


@given(transcripts(), st.frozensets(st.sampled_from(sorted(ALL))), st.sampled_from(REASONS), st.integers(0, 2**32))
def test_only_negotiated_events_are_sent_and_the_rest_is_a_loss(
    document: Transcript, names: frozenset[str], reason: Reason | None, seed: int
) -> None:
    made = encoder("ocm-2.2-events", answer=Answer(events=names), visibility=DEBUG)
    events = parsed(b"".join(made.encode(sliced(document, reason, random.Random(seed)))))
    assert {name for name, _ in events} <= names
    assert all(name in OF_9 or name.startswith("x-") for name, _ in events)
    counted = [data["seq"] for _, data in events if "seq" in data]
    assert counted == list(range(len(counted)))
    for name, data in events:
        if "message_id" in data and data["message_id"] is not None and name != "response.cancel":
            message = document.messages[int(data["message_id"][1:])]
            assert carries(name, message)
    paths = {loss.path for loss in made.losses}
    gone = {f"/messages/{index}" for index in range(len(document.messages))} & paths
    assert all(covered(difference.path, paths) for difference in diff(document, client(events, names), gone)), "law 2"
    for index, message in enumerate(document.messages):
        asked = any(carries(name, message) for name in names & DELTAS)
        is_visible = "x-response.start" in names or delta_text(message) != ""
        assert (f"/messages/{index}" in paths) == (not (asked and is_visible))


DELTAS = frozenset({"response.delta", "x-analysis.delta", "x-tool.delta"})


def delta_text(message: Message) -> str:
    """The text in the deltas of a message: its texts and its refusal."""
    return "".join(part.text for part in parts_of(message.content) if isinstance(part, (Text, Refusal)))


def carries(name: str, message: Message) -> bool:
    """Whether an event may be about a message, by §5, §9 and §11."""
    shown = message.role == "assistant" and hidden_by(message) is None
    if name.startswith("response."):
        return shown
    if name == "x-analysis.delta":
        return is_thought(message)
    return is_call(message) if name == "x-tool.delta" else shown or is_thought(message) or is_call(message)


def client(events: Sent, names: frozenset[str]) -> Transcript:
    """What a client puts together that knows what was negotiated, and what is sent."""
    messages: dict[str, Message] = {}
    ends: dict[str, Any] = {}
    for name, data in events:
        key = data.get("message_id", "")
        if name == "x-response.start":
            header = {_FIELDS.get(field, field): value for field, value in data.items()}
            messages[key] = Message(content="", **{k: v for k, v in header.items() if k not in ("message_id", "seq")})
        elif name in DELTAS:
            known = messages.get(key) or Message("assistant", "", channel=_CHANNELS.get(name, data.get("channel")))
            known = replace(known, call_id=data.get("call_id", known.call_id), intent=data.get("intent", known.intent))
            messages[key] = replace(known, content=f"{known.content}{data['delta']}")
            ends.setdefault(key, "call" if name == "x-tool.delta" else "end")
        elif name == "x-response.done":
            ends[key] = data["stop"]
    for name, data in events:
        if name == "response.cancel" and data["message_id"] is not None:
            ends[data["message_id"]] = None
    if "x-response.done" in names:
        done = {data["message_id"] for name, data in events if name == "x-response.done"}
        ends = {key: ends.get(key) if key in done else None for key in messages}
    # Of an empty call only the first event is sent.
    whole = [replace(known, end=ends.get(key, "call" if is_call(known) else "end")) for key, known in messages.items()]
    return Transcript(infer_grouping(whole))


_FIELDS = {"to": "recipient", "constrain": "constraint"}
_CHANNELS = {"x-analysis.delta": "analysis", "x-tool.delta": "commentary"}


# --- what is never sent -----------------------------------------------------------------------------------------------


def test_nothing_hidden_is_ever_a_response() -> None:
    """Not even to clients that may see everything."""
    hidden = Transcript(
        (
            Message("system", "secret", channel="final"),
            Message("developer", "secret"),
            Message("assistant", "secret", channel="analysis"),
            Message("assistant", "secret", channel="commentary"),
            Message("assistant", "secret", channel="commentary", intent="status"),
            Message("assistant", "secret", channel="final", intent="debug"),
            Message("assistant", "secret", channel="inner"),
            Message("assistant", "secret", recipient="functions.f", end="call"),
            Message("tool", "secret", "functions.f"),
            Message("user", "secret"),
        )
    )
    made = encoder("ocm-2.2-events", answer=Answer(events=OF_9), visibility=DEBUG)
    assert made.encode(Filter(DEBUG).apply(replay(hidden, "stop"))) == []
    assert [loss.path for loss in made.losses] == [f"/messages/{index}" for index in range(10)]
    assert {loss.code for loss in made.losses} == {LossCode.MESSAGE}


def test_text_after_a_thoughts_marker_is_no_response() -> None:
    begun = Message("assistant", (Thought("reason"),), channel="final", end=None)
    assert sent([Start(0, begun), Delta(0, "secret")], ALL) == []


def test_a_thought_is_sent_to_those_who_negotiated_it_and_may_see_it() -> None:
    names = {"x-analysis.delta"}
    assert [data["delta"] for _, data in sent(Filter(DEBUG).apply(replay(TURN)), names)] == ["Hm."]
    assert sent(Filter(END_USER).apply(replay(TURN)), names) == []


def test_messages_that_a_filter_withheld_are_losses() -> None:
    made = encoder("ocm-2.2-events", answer=Answer(events=ALL), visibility=DEBUG)
    made.encode(Filter(END_USER).apply(replay(TURN)))
    assert [loss.path for loss in made.losses if loss.code is LossCode.MESSAGE] == [
        "/messages/0",
        "/messages/1",
        "/messages/3",
        "/messages/4",
    ]


# --- when it breaks off -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        ("cancelled", None),
        ("length", "E-STREAM-TRUNCATED"),
        ("content_filter", "E-STREAM-TRUNCATED"),
        (None, "E-STREAM-TRUNCATED"),
    ],
)
def test_an_answer_that_breaks_off_is_cancelled(reason: Reason | None, error: str | None) -> None:
    reader = decoder("ocm-2.2", prefix="<|start|>assistant<|channel|>final<|message|>Hel")
    about: dict[str, Any] = {"message_id": "m0", "reason": reason or "truncated"}
    events = sent([Start(0, replace(FOUR, content="", end=None)), Delta(0, "Hel"), *reader.finish(reason)])
    assert events[-1] == ("response.cancel", about if error is None else about | {"error": error})


def test_an_answer_that_ended_is_not() -> None:
    assert [name for name, _ in sent(replay(TURN))] == ["response.delta"] * 2


def test_unanswered_calls_are_cancelled_with_it() -> None:
    second = replace(CALL, call_id="wx2", end=None)
    events = replay(Transcript((CALL, REPLY, second)), "cancelled")
    assert sent(events) == [
        ("response.cancel", {"message_id": None, "reason": "cancelled"}),
        ("tool.cancel", {"call_id": "wx2", "reason": "cancelled"}),
    ]


def test_a_failure_is_sent_once() -> None:
    made = encoder("ocm-2.2-events", visibility=DEBUG)
    made.encode([Start(0, replace(FOUR, content="", end=None)), Delta(0, "4")])
    assert parsed(b"".join(made.fail("E-PARSE-HEADER", "a header"))) == [
        ("response.cancel", {"message_id": "m0", "reason": "error", "error": "E-PARSE-HEADER"})
    ]
    assert made.fail("OCB-INTERNAL", "again") == []
    assert made.encode([Stop("error", Transcript())]) == []
    assert made.finish() == []


def test_text_before_a_malformed_header_is_sent_before_the_cancellation() -> None:
    pipe = Pipe(decoder("ocm-2.2"), encoder("ocm-2.2-events", visibility=DEBUG))
    with pytest.raises(BridgeError) as error:
        pipe.feed("<|start|>assistant<|channel|>final<|message|>4.<|end|><|start|>user<|end|>")
    shown, cancelled = parsed(pipe.finish())
    assert shown[1]["delta"] == "4."
    assert cancelled == ("response.cancel", {"message_id": None, "reason": "error", "error": "E-PARSE-HEADER"})
    assert pipe.fail(error.value) == b""


def test_nothing_follows_a_cancellation() -> None:
    pipe = Pipe(decoder("ocm-2.2"), encoder("ocm-2.2-events", visibility=DEBUG))
    with pytest.raises(BridgeError) as error:
        pipe.feed("<|start|>assistant<|channel|>final<|message|>5.<|end|><|start|>user<|end|>")
    assert [name for name, _ in parsed(pipe.fail(error.value) + pipe.finish())] == ["response.delta", "response.cancel"]


def test_an_answer_behind_which_the_stream_broke_does_not_look_whole() -> None:
    pipe = Pipe(decoder("openai-sse"), encoder("ocm-2.2"))
    begun = pipe.feed('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    assert (begun + pipe.fail(BridgeError(ErrorCode.JSON, "no"))).endswith(b"<|message|>Hi<|end|>\n")
