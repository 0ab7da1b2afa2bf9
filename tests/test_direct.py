"""Image and output in one step: where an adapter offers that, it gives what `fit` and `write` give, faster."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import strategies_schema as some
from ocml_bridge import BridgeError, LossCode, Message, Tool, Transcript, convert, make_sidecar, read, write
from ocml_bridge.adapter import DEFAULT, Adapter, Kind, Options
from ocml_bridge.jsontext import dumps
from ocml_bridge.loss import Log
from ocml_bridge.model import Completion, Document, Header, Refusal, Text, Thought, Tools
from ocml_bridge.model.codec import to_json
from ocml_bridge.registry import BUILT_IN, adapter
from ocml_bridge.testing import strategies
from perf.corpus import conversations
from test_golden import CASES, name, source
from weights import mostly

DIRECT = [format_id for format_id in BUILT_IN if adapter(format_id)[0].direct is not None]
"""The formats whose adapter offers it."""
each_format = pytest.mark.parametrize("format_id", DIRECT)


# --- both ways --------------------------------------------------------------------------------------------------------


@contextmanager
def step_by_step(format_id: str) -> Generator[Adapter]:
    """The adapter without the short way, which its `fit` would take, too."""
    folder = BUILT_IN[format_id].partition(":")[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{folder}.fit.direct", _nothing)
        yield replace(adapter(format_id)[0], direct=None)


def _nothing(document: Document, options: Options) -> None:
    return None


def spelled(value: Any) -> bytes:
    """A document or an output as JSON: the order of keys tells here, and so does `true` from `1`."""
    return dumps(to_json(value))


def is_taken(format_id: str, document: Document, options: Options = DEFAULT) -> bool:
    """Whether the short way is taken; where it is, it leads where the long way does, and that has nothing to report."""
    direct = adapter(format_id)[0].direct
    assert direct is not None
    log = Log()
    with step_by_step(format_id) as careful:
        try:
            found = direct(document, options, False)
        except BridgeError as error:
            with pytest.raises(BridgeError, match=error.code):
                careful.fit(document, options, log)
            return False
        if found is None:
            return False
        image, output = found
        expected = careful.fit(document, options, log)
        assert spelled(image) == spelled(expected)
        assert spelled(output) == spelled(careful.write(expected, options, log))
    assert log.losses == log.findings == []
    if isinstance(output, str):
        assert output == output.encode().decode()
    return True


# --- documents --------------------------------------------------------------------------------------------------------

TEXTS = mostly(
    st.sampled_from(("Hi.", "Yes.", "a < b", "<think>", "é 😀", "one\n\ntwo\n", "{}", "# Instructions\n\nBe brief.")),
    st.just(""),
    st.text(st.characters(codec="utf-8"), max_size=6),
)
KEYED = st.sampled_from((None, None, {"openai": {"reasoning": ["reasoning_content"]}}))
NAMES = st.sampled_from(("functions.f", "functions.f", "functions.get_weather", "python", "browser.search"))
IDS = st.sampled_from(("c1", "c2", "c3", "call_1"))

Turn = list[Message]


def _said(role: str, text: str) -> Turn:
    return [Message(role, text)]


def _answered(text: str, thought: str | None, layout: Any) -> Turn:
    answer = Message("assistant", text, channel="final", continues=thought is not None)
    return [answer] if thought is None else [_thought(thought, layout), answer]


def _thought(text: str, layout: Any) -> Message:
    return Message("assistant", text, channel="analysis", layout=layout)


def _called(before: list[Message], calls: list[tuple[str, str]], arguments: str, answered: bool) -> Turn:
    turn = [*before, *(_call(call_id, tool, arguments) for call_id, tool in calls)]
    for at, message in enumerate(turn):
        message.continues = at > 0
    replies = [_reply(call_id, tool, arguments) for call_id, tool in calls]
    return [*turn, *replies] if answered else turn


def _call(call_id: str, tool: str, arguments: str) -> Message:
    return Message(
        "assistant", arguments, channel="commentary", recipient=tool, call_id=call_id, constraint="json", end="call"
    )


def _reply(call_id: str, tool: str, text: str) -> Message:
    return Message("tool", text, name=tool, channel="commentary", recipient="assistant", call_id=call_id)


def _preamble(text: str) -> Message:
    return Message("assistant", text, channel="commentary", intent="preamble")


FULL_TEXTS = TEXTS.filter(bool)
BEFORE_CALLS: SearchStrategy[list[Message]] = st.one_of(
    st.just(()).map(list[Message]),
    st.tuples(st.builds(_thought, FULL_TEXTS, KEYED)).map(list),
    st.tuples(st.builds(_preamble, FULL_TEXTS)).map(list),
    st.tuples(st.builds(_thought, FULL_TEXTS, KEYED), st.builds(_preamble, FULL_TEXTS)).map(list),
)
CALLS = st.lists(st.tuples(IDS, NAMES), min_size=1, max_size=2, unique_by=lambda call: call[0])
PLAIN_TURNS: SearchStrategy[Turn] = st.one_of(
    st.builds(_said, st.sampled_from(("user", "user", "system", "developer")), TEXTS),
    st.builds(_answered, TEXTS.filter(bool), st.none() | FULL_TEXTS, KEYED),
    st.builds(
        _called, BEFORE_CALLS, CALLS, st.sampled_from(("{}", '{"a":1}', "")), st.sampled_from((True, True, False))
    ),
)

PLACES: tuple[Any, ...] = (
    *({"openai": {"reasoning": [key]}} for key in ("reasoning", "reasoning_content", "thinking", "reasoning_details")),
    {"openai": {"reasoning": ["reasoning_content"]}, "ocm-2.2": {"header": "assistant"}},
    {"openai": {"reasoning": ["reasoning_content"], "form": ["content", "role"]}},
    *({"openai": {"content": "list"}}, {"openai": {"form": ["content", "role"]}}, {"openai": {"call_id": "absent"}}),
    *({"openai": {"call": {"kind": "custom"}}}, {"openai": {"role": "function"}}, {"openai": {"weight": 0}}),
    *({"harmony": {key: value}} for key, value in (("header", "user"), ("plain", True), ("mentions", ["<|start|>"]))),
    *({"ocm-2.2": {"header": "user"}}, {}, {"openai": {}}, {"harmony": {}}),
)
"""Extras or layout: what readers make of it, and what none makes."""
ODD_TEXTS: tuple[Any, ...] = (
    *("", "<|end|>", "<\u200b|end|>", "<\u200b\u200b|start|>x", "a<|channel|>final", "<|", "\ud800", "x\udfff<|end|>"),
    *("# Tools\n\n## functions\n", "Be brief.\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n"),
    "# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = () => any;\n\n} // namespace functions",
    *((), (Text("a"), Text("b")), (Text("a"),), (Text("a", {"openai": {"x": 1}}),), (Refusal("No."),)),
    *((Thought("reason"), Text("a")), (Tools((Tool("f"),)),), (Text("a"), Tools((Tool("f"),)))),
)
ODD_WORDS = (None, "", "a b", "f<|end|>", "\ud800", "a\u2028b", "x" * 300)
ODD: dict[str, tuple[Any, ...]] = {
    "role": ("system", "developer", "user", "assistant", "tool", "function", "critic", *ODD_WORDS[1:]),
    "content": ODD_TEXTS,
    "name": ("bob", "user", "functions.f", "functions.g", "python", "tool", *ODD_WORDS),
    "channel": ("analysis", "commentary", "final", "odd", *ODD_WORDS),
    "recipient": (
        *("functions.f", "functions.", "functions.functions.f", "f", "python", "browser.search", "functions.python"),
        *("assistant", "user", "all", "functions.a b", *ODD_WORDS),
    ),
    "call_id": ("c1", "c2", *ODD_WORDS),
    "failed": (True, False),
    "weight": (0, 1, 0.5),
    "intent": ("preamble", "status", "debug", *ODD_WORDS),
    "content_type": ("json", "code", *ODD_WORDS),
    "constraint": ("json", "regex", *ODD_WORDS),
    "end": (None, "end", "call", "return"),
    "continues": (False, True),
    "extras": (None, *PLACES),
    "layout": (None, *PLACES),
}
"""Field of a message → what it may be turned into."""
Edit = tuple[int, str, Any]
EDITS: SearchStrategy[Edit] = st.one_of(
    *(st.tuples(st.integers(0, 7), st.just(field), st.sampled_from(values)) for field, values in ODD.items())
)

STRING: Any = {"type": "string"}
SCHEMAS: tuple[Any, ...] = (
    *(None, {}, True, {"type": "object"}, {"type": "object", "properties": {}}, {"properties": {"a": STRING}}),
    {"type": "object", "properties": {"city": {"type": "string", "description": "The city."}}, "required": ["city"]},
    {"properties": {"city": STRING}, "type": "object"},
    {"type": "object", "properties": {"a": {"type": "integer", "default": 3, "minimum": 0}}, "required": []},
    {"type": "object", "properties": {"a": {"description": "d", "type": "number", "default": 1.0}}},
    {"type": "object", "properties": {"a": {"type": "boolean", "default": 1}}},
    {"type": "object", "properties": {"a": {"type": "number", "default": 2**64}}},
    {"type": "object", "properties": {"a": {"type": "string", "enum": ["x", "<|end|>"]}}},
)
TOOLS: tuple[Tool, ...] = (
    *(Tool("f", "Does.", schema) for schema in SCHEMAS),
    *(Tool(tool) for tool in ("f", "get_weather", "a b", "x.y", "", "f<|end|>", "é", "\ud800")),
    *(Tool("f", about) for about in ("", "one\ntwo", "<|end|>", "// x", "} // namespace functions", "\ud800")),
    *(Tool("f", None, None, space) for space in ("browser", "functions", "python", "", "a.b", "# Tools\n\n## x")),
    *(Tool("f", "Does.", None, None, extras) for extras in PLACES),
    *(Tool("f", "Does.", None, None, None, layout) for layout in PLACES),
    Tool("f", None, None, None, {"harmony": {"description": "Some tools."}}),
    Tool("f", None, None, None, {"openai": {"custom": {}}}),
)
DECLARED: SearchStrategy[tuple[Tool, ...] | None] = mostly(
    st.none(),
    st.lists(st.sampled_from(TOOLS), max_size=2).map(tuple),
    st.lists(st.builds(Tool, st.just("f"), st.just("Does."), st.sampled_from(SCHEMAS)), max_size=2).map(tuple),
    some.tools(st.none() | some.kept_schemas, st.sampled_from(("Does.", "<b>"))).map(tuple),
)
AROUND: tuple[dict[str, Any], ...] = (
    {"header": Header("2.2")},
    *({"open_turn": Message(role, "", end=None)} for role in ("assistant", "user", "x y")),
    *({"extras": kept} for kept in PLACES),
    *({"layout": kept} for kept in PLACES),
    *({"layout": {"openai": {"shape": shape}}} for shape in ("list", "response", "preference", "request", 1)),
    {"layout": {"openai": {"functions": True}}},
    {"layout": {"openai": {"form": ["tools", "messages"]}}},
    {"extras": {"openai": {"model": "gpt", "messages": []}}},
    {
        "extras": {"openai": {"choices": [{"message": None, "finish_reason": "length"}]}},
        "layout": {"openai": {"shape": "response"}},
    },
    *({"layout": {"harmony": kept}} for kept in ({"prompted": True}, {"tail": "\n"}, {"tail": "x"})),
)
"""What stands around the messages."""


def _conversation(turns: list[Turn], edits: list[Edit], tools: tuple[Tool, ...] | None, around: Any) -> Transcript:
    """Turns as copies, each edit made where there is a message at its place."""
    messages = [replace(message) for turn in turns for message in turn]
    for place, field, value in edits:
        if messages:
            setattr(messages[place % len(messages)], field, value)
    return Transcript(tuple(messages), tools, **around)


CONVERSATIONS = st.builds(
    _conversation,
    st.lists(PLAIN_TURNS, max_size=4),
    mostly(st.just([]), st.lists(EDITS, min_size=1, max_size=2)),
    DECLARED,
    mostly(st.just({}), st.sampled_from(AROUND)),
)
"""Conversations in which hardly anything is odd."""
DOCUMENTS: SearchStrategy[Document] = mostly(CONVERSATIONS, strategies.documents(), st.builds(Completion, TEXTS))
OPTIONS = mostly(
    st.just(DEFAULT),
    st.builds(
        Options,
        dialect=st.sampled_from((None, "spec", "oss", "hf")),
        control_tokens=st.sampled_from(("neutralise", "refuse", "raw")),
        reasoning=st.sampled_from(("reasoning", "reasoning_content")),
        training=st.booleans(),
    ),
)


# --- the law ----------------------------------------------------------------------------------------------------------


@each_format
def test_both_ways_lead_to_the_same_place_and_the_short_one_is_often_taken(format_id: str) -> None:
    taken: list[bool] = []

    @settings(max_examples=800)
    @given(DOCUMENTS, OPTIONS)
    def lead_to_the_same_place(document: Document, options: Options) -> None:
        taken.append(is_taken(format_id, document, options))

    lead_to_the_same_place()
    assert sum(taken) > len(taken) / 3


@each_format
@pytest.mark.parametrize("case", CASES, ids=name)
def test_both_ways_lead_to_the_same_place_for_golden_documents(case: Path, format_id: str) -> None:
    try:
        document = read(source(case), case.parent.name).transcript
    except BridgeError:
        return
    is_taken(format_id, document)


SPOKEN: dict[str, Message] = {
    "role": Message("user", "Hi."),
    "content": Message("user", "Hi."),
    "name": _reply("c1", "functions.f", "4"),
    "channel": Message("assistant", "Hi."),
    "recipient": _call("c1", "functions.f", "{}"),
    "call_id": _call("c1", "functions.f", "{}"),
    "intent": _preamble("Hi."),
    "content_type": _reply("c1", "functions.f", "4"),
    "constraint": _call("c1", "functions.f", "{}"),
}
"""A field → a message that may say something there."""


@each_format
@pytest.mark.parametrize("field", SPOKEN)
@pytest.mark.parametrize("text", ["\ud800", "x\udfff"], ids=ascii)
def test_half_of_a_surrogate_pair_is_reported_wherever_it_stands(text: str, field: str, format_id: str) -> None:
    document = Transcript((replace(SPOKEN[field], **{field: text}),))
    is_taken(format_id, document)
    with step_by_step(format_id) as careful:
        expected = write(document, careful)
    assert write(document, format_id) == expected


# --- what is plain ----------------------------------------------------------------------------------------------------


@cache
def requests() -> list[bytes]:
    """Conversations as they are measured, as the JSON of requests."""
    return list(islice(conversations(), 300))


@each_format
def test_requests_of_every_day_take_the_short_way(format_id: str) -> None:
    taken = [is_taken(format_id, read(request, "openai").transcript) for request in requests()]
    assert taken == [True] * 300


@each_format
def test_convert_reports_the_same_either_way(format_id: str) -> None:
    with step_by_step(format_id) as careful:
        expected = [convert(request, source="openai", target=careful) for request in requests()]
    assert [convert(request, source="openai", target=format_id) for request in requests()] == expected


@each_format
def test_write_reports_the_same_either_way(format_id: str) -> None:
    @settings(max_examples=150)
    @given(CONVERSATIONS)
    def reports_the_same(document: Transcript) -> None:
        with step_by_step(format_id) as careful:
            expected = write(document, careful)
        assert write(document, format_id) == expected

    reports_the_same()


# --- what is known to be sound ----------------------------------------------------------------------------------------

HALF = "\ud800"
ESCAPED = '{"a": "\\ud800"}'
"""JSON in which an escape stands for half of a surrogate pair: text that UTF-8 holds, as long as nobody reads it."""
VERBATIM = [format_id for format_id in BUILT_IN if adapter(format_id)[0].verbatim]
SOURCES = [format_id for format_id in BUILT_IN if adapter(format_id)[0].kind is Kind.JSON and "tokens" not in format_id]


@each_format
@pytest.mark.parametrize("source", SOURCES)
def test_half_of_a_surrogate_pair_is_reported_wherever_it_comes_from(source: str, format_id: str) -> None:
    document = Transcript((Message("user", f"Hi.{HALF}"), Message("assistant", "Yes.", channel="final")))
    data = write(document, source).data
    assert b"\\ud800" in data
    result = convert(data, source=source, target=format_id)
    assert result.data.decode()
    if format_id == "harmony":
        assert LossCode.SURROGATE in {loss.code for loss in result.losses}


@each_format
def test_half_of_a_surrogate_pair_is_reported_where_a_sidecar_brings_it_back(format_id: str) -> None:
    document = Transcript((Message("user", "Hi.", intent=f"x{HALF}"),))
    written = write(document, "openai")
    result = convert(written.data, source="openai", target=format_id, sidecar=make_sidecar(written))
    assert result.data.decode()
    assert result.transcript == document


@pytest.mark.parametrize("format_id", VERBATIM)
def test_a_reader_that_takes_text_as_it_stands_resolves_no_escape(format_id: str) -> None:
    call: dict[str, Any] = {"id": ESCAPED, "type": "function", "function": {"name": ESCAPED, "arguments": ESCAPED}}
    tool: dict[str, Any] = {"name": ESCAPED, "description": ESCAPED, "parameters": {"default": ESCAPED}}
    wires: list[dict[str, Any]] = [
        {"role": "user", "name": ESCAPED, "content": [{"type": "text", "text": ESCAPED}, {"type": "x", "x": ESCAPED}]},
        {"role": "assistant", "content": ESCAPED, "tool_calls": [call], "reasoning_details": [{"text": ESCAPED}]},
        {"role": "assistant", "content": None, "function_call": {"name": ESCAPED, "arguments": {"a": ESCAPED}}},
        {"role": "tool", "tool_call_id": ESCAPED, "content": ESCAPED},
    ]
    data = dumps({"messages": wires, "tools": [{"type": "function", "function": tool}], "metadata": ESCAPED})
    document = read(data, format_id).transcript
    assert orjson.loads(orjson.dumps(to_json(document))) == to_json(document)
