"""The ledger of tool calls (OpenChatML 2.2 §8.2, §18): what is open, what answers what, what comes too late."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ocml_bridge.chat.turns import is_call, is_reply
from ocml_bridge.errors import ErrorCode
from ocml_bridge.events import Delta, End, Start, Stop
from ocml_bridge.model import Message, Tool, Transcript
from ocml_bridge.stream import Answered, Call, Failed, Fault, Ledger, Opened, Rejected
from ocml_bridge.stream.accumulate import replay
from ocml_bridge.stream.ledger import Note
from ocml_bridge.units.pairing import pair
from sampling import examples

F, G = "functions.f", "functions.g"


def call(call_id: str | None = None, name: str = F, arguments: str = "{}") -> Message:
    return Message("assistant", arguments, channel="commentary", recipient=name, call_id=call_id, end="call")


def reply(call_id: str | None = None, name: str | None = F, content: str = "ok") -> Message:
    return Message("tool", content, name=name, channel="commentary", recipient="assistant", call_id=call_id)


def opened(notes: list[Note]) -> Call:
    """The call of the only note, which opens it."""
    (note,) = notes
    assert isinstance(note, Opened)
    return note.call


def rejected(notes: list[Note]) -> tuple[str, str | None]:
    (note,) = notes
    assert isinstance(note, Rejected)
    return note.code, note.call_id


class TestById:
    def test_replies_come_in_any_order(self) -> None:
        ledger = Ledger()
        one, two = (opened(ledger.call(call(each), now_ms=0)) for each in ("a", "b"))
        assert ledger.open == (one, two)
        assert ledger.reply(reply("b"), now_ms=1) == [Answered(two, reply("b"))]
        assert ledger.reply(reply("a"), now_ms=2) == [Answered(one, reply("a"))]
        assert ledger.open == ()

    def test_unknown_and_doubled_replies_are_reported(self) -> None:
        ledger = Ledger()
        ledger.call(call("a"), now_ms=0)
        assert rejected(ledger.reply(reply("b"), now_ms=0)) == (Fault.UNKNOWN, "b")
        ledger.reply(reply("a"), now_ms=0)
        assert rejected(ledger.reply(reply("a"), now_ms=0)) == (Fault.DOUBLED, "a")

    def test_an_id_is_unique_among_open_calls(self) -> None:
        ledger = Ledger()
        first = opened(ledger.call(call("a"), now_ms=0))
        assert rejected(ledger.call(call("a", G), now_ms=0)) == (Fault.ID_TAKEN, "a")
        assert ledger.open == (first,)

    def test_an_id_may_come_again_in_a_later_turn(self) -> None:
        """As in real transcripts, whose ids begin with call_1 in each turn."""
        ledger = Ledger()
        for _ in range(2):
            again = opened(ledger.call(call("a"), now_ms=0))
            assert ledger.reply(reply("a"), now_ms=0) == [Answered(again, reply("a"))]


class TestWithoutIds:
    """As in Harmony, which has none."""

    def test_calls_get_one(self) -> None:
        ledger = Ledger()
        assert [opened(ledger.call(call(), now_ms=0)).call_id for _ in range(3)] == ["call_1", "call_2", "call_3"]

    def test_it_is_made_by_the_given_function_and_unique(self) -> None:
        ledger = Ledger(call_id=lambda _: "id")
        assert [opened(ledger.call(call(), now_ms=0)).call_id for _ in range(3)] == ["id", "id_2", "id_3"]

    def test_it_may_be_named_by_a_reply(self) -> None:
        ledger = Ledger()
        one = opened(ledger.call(call(), now_ms=0))
        assert ledger.reply(reply("call_1"), now_ms=0) == [Answered(one, reply("call_1"))]

    def test_replies_go_by_name_and_then_by_order(self) -> None:
        ledger = Ledger()
        one, two, three = (opened(ledger.call(call(name=name), now_ms=0)) for name in (F, G, F))
        assert ledger.reply(reply(name=G), now_ms=0) == [Answered(two, reply(name=G))]
        assert ledger.reply(reply(), now_ms=0) == [Answered(one, reply())]
        assert ledger.reply(reply(name=None), now_ms=0) == [Answered(three, reply(name=None))]
        assert rejected(ledger.reply(reply(), now_ms=0)) == (Fault.DOUBLED, "call_3")
        assert rejected(ledger.reply(reply(name="functions.h"), now_ms=0)) == (Fault.UNKNOWN, None)

    def test_the_latest_turn_goes_first_and_earlier_ones_are_not_forgotten(self) -> None:
        ledger = Ledger()
        old, other = (opened(ledger.call(call(name=name), now_ms=0)) for name in (F, G))
        ledger.reply(reply(name=G), now_ms=0)
        new = opened(ledger.call(call(), now_ms=0))
        assert other.message.recipient == G
        assert ledger.reply(reply(), now_ms=0) == [Answered(new, reply())]
        assert ledger.reply(reply(), now_ms=0) == [Answered(old, reply())]


class TestTime:
    def test_a_call_may_have_its_own_deadline(self) -> None:
        """§8.2: `deadline_ms` in its JSON body."""
        ledger = Ledger()
        made = opened(ledger.call(call("a", arguments='{"q": 1, "deadline_ms": 250}'), now_ms=1_000))
        assert (made.deadline, ledger.next_deadline) == (1_250, 1_250)
        assert ledger.expire(1_249) == []
        assert ledger.expire(1_250) == [Failed(made, ErrorCode.TOOL_TIMEOUT, "no reply within 250 ms")]
        assert (ledger.open, ledger.next_deadline, ledger.expire(9_999)) == ((), None, [])

    @pytest.mark.parametrize(
        "arguments",
        ['{"deadline_ms": "soon"}', '{"deadline_ms": -1}', '{"deadline_ms": true}', '{"a": {"deadline_ms": 1}}',
         '["deadline_ms"]', '{"deadline_ms": 1', "{}", ""],
    )  # fmt: skip
    def test_an_invalid_number_of_milliseconds_is_no_deadline(self, arguments: str) -> None:
        assert opened(Ledger().call(call("a", arguments=arguments), now_ms=0)).deadline is None

    def test_the_program_knows_better(self) -> None:
        made = opened(Ledger().call(call("a", arguments='{"deadline_ms": 5}'), now_ms=1, deadline_ms=7))
        assert made.deadline == 8

    def test_at_the_deadline_a_reply_is_late(self) -> None:
        ledger = Ledger()
        made = opened(ledger.call(call("a"), now_ms=0, deadline_ms=10))
        first, second = ledger.reply(reply("a"), now_ms=10)
        assert first == Failed(made, ErrorCode.TOOL_TIMEOUT, "no reply within 10 ms")
        assert rejected([second]) == (Fault.LATE, "a")

    def test_time_does_not_go_back(self) -> None:
        ledger = Ledger()
        ledger.expire(100)
        assert opened(ledger.call(call("a"), now_ms=50, deadline_ms=10)).deadline == 110

    def test_the_earliest_fails_first(self) -> None:
        ledger = Ledger()
        for name, deadline in (("a", 30), ("b", 10), ("c", 20)):
            ledger.call(call(name), now_ms=0, deadline_ms=deadline)
        assert [note.call.call_id for note in ledger.expire(25) if isinstance(note, Failed)] == ["b", "c"]


class TestCancelling:
    def test_a_call_is_cancelled_once(self) -> None:
        ledger = Ledger()
        made = opened(ledger.call(call("a"), now_ms=0, deadline_ms=5))
        assert ledger.cancel("a", "the user left") == [Failed(made, ErrorCode.TOOL_CANCELLED, "the user left")]
        assert rejected(ledger.cancel("a")) == (Fault.LATE, "a")
        assert rejected(ledger.cancel("b")) == (Fault.UNKNOWN, "b")
        assert rejected(ledger.reply(reply("a"), now_ms=1)) == (Fault.LATE, "a")
        assert ledger.expire(9) == []

    def test_an_answered_call_cannot_be_cancelled(self) -> None:
        ledger = Ledger()
        ledger.call(call("a"), now_ms=0)
        ledger.reply(reply("a"), now_ms=0)
        assert rejected(ledger.cancel("a")) == (Fault.DOUBLED, "a")


class TestWhatMustNotRun:
    def test_a_call_that_broke_off(self) -> None:
        ledger = Ledger()
        assert rejected(ledger.call(replace(call("a"), end=None), now_ms=0)) == ("E-STREAM-TRUNCATED", "a")
        assert ledger.open == ()

    def test_a_call_that_does_not_fit_its_tool(self) -> None:
        pytest.importorskip("jsonschema_rs")
        ledger = Ledger([Tool("f", parameters={"properties": {"n": {"type": "integer"}}, "required": ["n"]})])
        (note,) = ledger.call(call("a", arguments='{"n": "x"}'), now_ms=0)
        assert note == Rejected("E-CALL-SCHEMA", "a", 'the value is not of type "integer"', "/n")
        assert rejected(ledger.call(call("b", G), now_ms=0)) == ("E-CALL-SCHEMA", "b")
        assert opened(ledger.call(call("a", arguments='{"n": 1, "deadline_ms": 4}'), now_ms=0)).deadline == 4

    def test_arguments_are_checked_only_where_asked(self) -> None:
        assert opened(Ledger().call(call("a", arguments="not JSON"), now_ms=0))


def test_a_stream_is_followed_by_its_ends() -> None:
    ledger = Ledger()
    thought = Message("assistant", "hm", channel="analysis")
    events = [Start(0, thought), Delta(0, "hm"), End(0, thought), Start(1, call("a")), Delta(1, "{}")]
    assert [note for event in events for note in ledger.feed(event, 0)] == []
    made = opened(ledger.feed(End(1, call("a", arguments='{"deadline_ms": 3}')), 0))
    assert ledger.feed(Stop("tool_calls", Transcript()), 2) == []
    assert ledger.open == (made,)
    assert ledger.feed(End(2, reply("a")), 2) == [Answered(made, reply("a"))]


# --- laws -------------------------------------------------------------------------------------------------------------

IDS: Final = st.sampled_from([None, "a", "b", "call_1", "call_2"])
NAMES: Final = st.sampled_from([F, G])
OTHERS: Final = st.sampled_from([Message("user", "hi"), Message("assistant", "hm", channel="analysis")])


def joined(message: Message) -> Message:
    return replace(message, continues=True)


MESSAGES: Final = st.one_of(
    st.builds(call, IDS, NAMES),
    st.builds(reply, IDS, NAMES | st.none()),
    OTHERS,
    (st.builds(call, IDS, NAMES) | OTHERS).map(joined),
)


@given(st.lists(MESSAGES, max_size=12))
def test_it_pairs_as_readers_of_whole_transcripts_do(messages: list[Message]) -> None:
    """Where no id is open twice and none is given: what is paired, the ledger pairs the same; it guesses at no id."""
    ledger = Ledger(call_id=lambda number: f"given {number}")
    document = Transcript(tuple(messages))
    answers: dict[int, Message] = {}
    notes: list[list[Note]] = [ledger.feed(event, 0) for event in replay(document) if isinstance(event, End)]
    if any(isinstance(note, Rejected) and note.code == Fault.ID_TAKEN for each in notes for note in each):
        return
    for index, each in enumerate(notes):
        for note in each:
            if isinstance(note, Answered):
                answers[index] = note.call.message
    for index, of in pair(messages).items():
        if messages[index].call_id in (None, messages[of].call_id):
            assert answers[index] is messages[of]


@dataclass
class Model:
    """One call as the simplest possible ledger knows it."""

    name: str
    deadline: int | None
    state: str = "open"


class Machine(RuleBasedStateMachine):
    """A ledger beside a plain list of calls, gone through each time. All calls have their own ids."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        self.calls: dict[str, Model] = {}
        self.now = 0
        self.answered: list[str] = []

    def expected(self) -> list[tuple[str, str]]:
        """The calls whose time is over now."""
        due = [
            (model.deadline, at, call_id)
            for at, (call_id, model) in enumerate(self.calls.items())
            if model.state == "open" and model.deadline is not None and model.deadline <= self.now
        ]
        for _, _, call_id in due:
            self.calls[call_id].state = "late"
        return [("E-TOOL-TIMEOUT", call_id) for _, _, call_id in sorted(due)]

    def codes_and_ids(self, notes: list[Note]) -> list[tuple[str, str | None]]:
        out: list[tuple[str, str | None]] = []
        for note in notes:
            if isinstance(note, Rejected):
                out.append((note.code, note.call_id))
            elif isinstance(note, Failed):
                out.append((note.code, note.call.call_id))
            else:
                out.append((type(note).__name__, note.call.call_id))
        return out

    @rule(passed=st.integers(0, 3), name=NAMES, deadline=st.none() | st.integers(0, 5))
    def call(self, passed: int, name: str, deadline: int | None) -> None:
        self.now += passed
        call_id = f"id {len(self.calls)}"
        expected = [*self.expected(), ("Opened", call_id)]
        body = "{}" if deadline is None else f'{{"deadline_ms": {deadline}}}'
        assert self.codes_and_ids(self.ledger.call(call(call_id, name, body), now_ms=self.now)) == expected
        self.calls[call_id] = Model(name, None if deadline is None else self.now + deadline)

    @rule(passed=st.integers(0, 3), number=st.integers(0, 5))
    def reply(self, passed: int, number: int) -> None:
        self.now += passed
        expected = self.expected()
        call_id = f"id {number}"
        model = self.calls.get(call_id)
        state = "unknown" if model is None else model.state
        code = {"open": "Answered", "answered": Fault.DOUBLED, "late": Fault.LATE, "unknown": Fault.UNKNOWN}[state]
        notes = self.codes_and_ids(self.ledger.reply(reply(call_id, F), now_ms=self.now))
        assert notes == [*expected, (code, call_id)]
        if model is not None and state == "open":
            model.state = "answered"
            self.answered.append(call_id)

    @rule(passed=st.integers(0, 3), name=NAMES | st.none())
    def unnamed_reply(self, passed: int, name: str | None) -> None:
        """To some open call of that name if there is one; the examples above define which one."""
        self.now += passed
        expected = self.expected()
        fitting = {i for i, model in self.calls.items() if model.state == "open" and name in (None, model.name)}
        notes = self.codes_and_ids(self.ledger.reply(reply(None, name), now_ms=self.now))
        assert notes[:-1] == expected
        what, call_id = notes[-1]
        assert (what == "Answered") == bool(fitting)
        if fitting:
            assert call_id in fitting
            self.calls[call_id].state = "answered"
            self.answered.append(call_id)

    @rule(number=st.integers(0, 5))
    def cancel(self, number: int) -> None:
        call_id = f"id {number}"
        model = self.calls.get(call_id)
        state = "unknown" if model is None else model.state
        codes = {"open": "E-TOOL-CANCELLED", "answered": Fault.DOUBLED, "late": Fault.LATE, "unknown": Fault.UNKNOWN}
        assert self.codes_and_ids(self.ledger.cancel(call_id)) == [(codes[state], call_id)]
        if model is not None and state == "open":
            model.state = "late"

    @rule(passed=st.integers(0, 3))
    def wait(self, passed: int) -> None:
        self.now += passed
        assert self.codes_and_ids(self.ledger.expire(self.now)) == self.expected()

    @invariant()
    def the_open_calls_are_the_model_s(self) -> None:
        waiting = [call_id for call_id, model in self.calls.items() if model.state == "open"]
        assert [each.call_id for each in self.ledger.open] == waiting

    @invariant()
    def nothing_is_answered_twice(self) -> None:
        assert len(set(self.answered)) == len(self.answered)

    @invariant()
    def the_next_deadline_is_the_earliest(self) -> None:
        deadlines = [each.deadline for each in self.ledger.open if each.deadline is not None]
        assert self.ledger.next_deadline == min(deadlines, default=None)


TestMachine = Machine.TestCase
TestMachine.settings = settings(examples(150), stateful_step_count=25)


@given(st.lists(MESSAGES, max_size=12))
def test_every_call_and_reply_is_reported_exactly_once(messages: list[Message]) -> None:
    ledger = Ledger()
    for message in messages:
        notes = ledger.feed(End(0, message), 0)
        assert len(notes) == (is_call(message) or is_reply(message))


def test_time_is_linear_in_the_number_of_calls() -> None:
    """Open calls of other names, and calls that were answered, are not gone through again."""
    ledger = Ledger()
    for _ in range(20_000):
        ledger.call(call(), now_ms=0, deadline_ms=10)
        ledger.feed(End(0, Message("user", "next")), 0)
    assert len(ledger.open) == 20_000
    for _ in range(20_000):
        assert rejected(ledger.reply(reply(name=G), now_ms=0)) == (Fault.UNKNOWN, None)
    for _ in range(20_000):
        ledger.reply(reply(), now_ms=0)
    assert ledger.open == ()
