"""The short way through Chat Completions JSON: where it is taken, it reads what the long way reads."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import strategies_openai as wire
from ocml_adapters.openai import reader, tools
from ocml_adapters.openai.plain import read_plain
from ocml_adapters.openai.syntax import REASONING_TEXTS as REASONING
from ocml_adapters.openai.tools import _read_plain_call as plain_call  # pyright: ignore[reportPrivateUsage]
from ocml_adapters.openai.tools import _read_plain_tool as plain_tool  # pyright: ignore[reportPrivateUsage]
from ocml_bridge import BridgeError
from ocml_bridge.adapter import DEFAULT
from ocml_bridge.jsontext import dumps
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message
from ocml_bridge.model.codec import to_json
from weights import in_order, mostly


@contextmanager
def the_long_way() -> Generator[None]:
    """Reading without what knows the commonest shapes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "read_plain", _not_one)
        patch.setattr(tools, "_read_plain_call", _nothing)
        patch.setattr(tools, "_read_plain_tool", _nothing)
        yield


def _not_one(wires: object, start: int, messages: object) -> int:
    return start


def _nothing(*_: object) -> None:
    return None


def told(source: Json) -> tuple[bytes, list[Any]] | tuple[str, str | None]:
    """The transcript as JSON, where the order of keys tells, with the findings; or code and place of the error."""
    log = Log()
    try:
        return dumps(to_json(reader.read(source, DEFAULT, log))), list(log.findings)
    except BridgeError as error:
        return error.code, error.path


def is_read_alike(source: Json) -> None:
    with the_long_way():
        expected = told(source)
    assert told(source) == expected


# --- what is plain ----------------------------------------------------------------------------------------------------

NO_MEMBERS: Any = {}
NO_ITEMS: Any = []
CALL: dict[str, Any] = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ASKED: Any = {"role": "assistant", "content": None, "tool_calls": [CALL]}
PLAIN: tuple[Any, ...] = (
    *({"role": role, "content": "Hi."} for role in ("system", "developer", "user", "assistant")),
    {"role": "user", "content": ""},
    {"role": "tool", "tool_call_id": "c1", "content": "4"},
    *({"role": "assistant", key: "Hm.", "content": "Hi."} for key in ("reasoning", "reasoning_content", "thinking")),
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "content": "Wait.", "tool_calls": [CALL, {**CALL, "id": "c2"}]},
    {"role": "assistant", "reasoning": "Hm.", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "thinking": "Hm.", "content": "Wait.", "tool_calls": [CALL]},
)
ODD: tuple[Any, ...] = (
    *(None, "Hi.", NO_ITEMS, NO_MEMBERS, {"role": "user"}, {"content": "Hi."}, {"content": "Hi.", "role": "user"}),
    *({"role": role, "content": "Hi."} for role in ("tool", "function", "critic", "", None, 1, ["user"], {"a": 1})),
    *(
        {"role": "user", "content": content}
        for content in (None, 1, NO_ITEMS, NO_MEMBERS, [{"type": "text", "text": "Hi."}])
    ),
    *({"role": "user", "content": "Hi.", key: "x"} for key in ("name", "x", "tool_calls")),
    *({"role": role, "tool_call_id": "c1", "content": "4"} for role in ("user", "function")),
    *({"role": "tool", "tool_call_id": call_id, "content": "4"} for call_id in ("", None, 1)),
    *({"role": "tool", "tool_call_id": "c1", "content": content} for content in ("", None, NO_ITEMS)),
    *({"role": "assistant", "reasoning": thought, "content": "Hi."} for thought in ("", None, ["Hm."])),
    *({"role": "assistant", "reasoning": "Hm.", "content": content} for content in ("", None, NO_ITEMS)),
    {"role": "user", "reasoning": "Hm.", "content": "Hi."},
    {"role": "assistant", "reasoning_details": NO_ITEMS, "content": "Hi."},
    *(
        {"role": "assistant", "content": None, "tool_calls": calls}
        for calls in (None, NO_ITEMS, NO_MEMBERS, [1], [CALL, NO_MEMBERS])
    ),
    *({"role": "assistant", "content": content, "tool_calls": [CALL]} for content in ("", NO_ITEMS, 1)),
    {"role": "user", "content": None, "tool_calls": [CALL]},
    {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": {"name": "f"}}]},
    {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
    {"role": "tool", "tool_call_id": "c2", "content": "4"},
)


def is_plain(message: Json) -> bool:
    """Whether a wire message is read in one step; where it is not, nothing is read of it."""
    made: list[Message] = []
    before = [ASKED] if isinstance(message, dict) and "tool_call_id" in message else []
    at = read_plain([*before, message], 0, made)
    assert (at > len(before)) == (len(made) > len(before))
    return at > len(before)


@pytest.mark.parametrize("message", PLAIN, ids=str)
def test_what_servers_and_clients_write_is_plain(message: Json) -> None:
    assert is_plain(message)
    is_read_alike({"messages": [message]})
    is_read_alike({"messages": [ASKED, message]})


@pytest.mark.parametrize("message", ODD, ids=str)
def test_what_needs_a_closer_look_is_not(message: Json) -> None:
    assert not is_plain(message)
    is_read_alike({"messages": [message]})
    is_read_alike({"messages": [ASKED, message]})
    is_read_alike({"messages": [ASKED, message, {"role": "tool", "tool_call_id": "c1", "content": "5"}]})


# --- both ways --------------------------------------------------------------------------------------------------------

Object = dict[str, Any]

VALUES: tuple[Any, ...] = (
    *(None, "", [], {}, 0, 1, False, True, ["user"], {"a": 1}, [{"type": "text", "text": ""}], "\ud800"),
    *([{"type": "text", "text": "a"}], [{"type": "refusal", "refusal": "No."}], [CALL]),
    *("tool", "assistant", "function", "custom", "critic"),
)
CHANGES = (
    *("its own", "its own", "its own", "its own", "its own", "missing", "first", "last", "instead"),
    *("name", "x", "refusal", "tool_calls", "reasoning", "reasoning_details", "function_call", "custom", "strict"),
)
"""What may be odd: a member's value, that it is missing, its place, the object as a whole; or a member more."""


def _changed(members: Object, place: int, change: str, value: Any) -> Any:
    key = list(members)[place % len(members)]
    others = {each: members[each] for each in members if each != key}
    changed: Object = {
        "its own": {**members, key: value},
        "missing": others,
        "first": {key: members[key], **others},
        "last": {**others, key: members[key]},
        "instead": value,
    }
    return changed.get(change, {**members, change: value})


def nearly(objects: SearchStrategy[Object]) -> SearchStrategy[Any]:
    """Objects as they are, mostly."""
    odd = st.builds(_changed, objects, st.integers(0, 3), st.sampled_from(CHANGES), st.sampled_from(VALUES))
    return mostly(objects, odd)


def an_object(**members: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return nearly(in_order(**members))


TEXTS = st.sampled_from(("Hi.", "Hi.", "a\n\nb", "{}", ""))
FULL_TEXTS = st.sampled_from(("Hi.", "Hm.", "{}"))
TOOLS = st.sampled_from(
    (
        *("f", "f", "f", "get_weather", "python", "browser.search", "functions.f", "x.functions.f", "functions.python"),
        *("functions.functions.f", "functions.", "functions", ".", ".f", "f.", "user", "all", "assistant", "a b", ""),
    )
)
IDS = st.sampled_from(("c1", "c1", "c2", "c3"))
ASSISTANT, NOTHING, FUNCTION = st.just("assistant"), st.none(), st.just("function")
CALLS = an_object(id=IDS, type=FUNCTION, function=an_object(name=TOOLS, arguments=TEXTS))
CALL_LISTS = st.lists(CALLS, min_size=1, max_size=2)
MESSAGES = st.one_of(
    an_object(role=st.sampled_from(("system", "developer", "user", "assistant")), content=TEXTS),
    an_object(role=st.just("tool"), tool_call_id=IDS, content=FULL_TEXTS),
    an_object(role=ASSISTANT, content=NOTHING | FULL_TEXTS, tool_calls=CALL_LISTS),
    *(an_object(**{"role": ASSISTANT, key: FULL_TEXTS, "content": FULL_TEXTS}) for key in REASONING),
    *(
        an_object(**{"role": ASSISTANT, key: FULL_TEXTS, "content": NOTHING | FULL_TEXTS, "tool_calls": CALL_LISTS})
        for key in REASONING
    ),
)
SCHEMAS: tuple[Any, ...] = ({"type": "object", "properties": {}}, {"properties": {"b": 1, "a": True}}, {}, True, None)
DECLARED = an_object(name=TOOLS, description=TEXTS, parameters=st.sampled_from(SCHEMAS))
DECLARATIONS = st.one_of(
    an_object(type=FUNCTION, function=DECLARED), an_object(type=st.just("custom"), custom=DECLARED)
)
LISTS = st.lists(MESSAGES, max_size=4)
REQUESTS = st.one_of(
    LISTS,
    in_order(messages=LISTS),
    in_order(messages=LISTS, tools=st.lists(DECLARATIONS, max_size=2)),
    in_order(messages=LISTS, functions=st.lists(DECLARED, max_size=2)),
    in_order(choices=st.tuples(in_order(message=MESSAGES)).map(list)),
)


def wires_of(source: list[Any] | Object) -> list[Any]:
    """The messages of a list or of a request."""
    return source if isinstance(source, list) else source.get("messages", [])


def test_both_ways_read_the_same_and_the_short_one_is_often_taken() -> None:
    taken: list[bool] = []

    @settings(max_examples=500)
    @given(REQUESTS)
    def read_the_same(source: Any) -> None:
        is_read_alike(source)
        taken.extend(map(is_plain, wires_of(source)))

    read_the_same()
    assert sum(taken) > len(taken) / 3


@settings(max_examples=500)
@given(wire.DOCUMENTS)
def test_both_ways_read_the_same_whatever_it_is(source: Any) -> None:
    is_read_alike(source)


# --- calls and tools --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["f", "python", "browser.search", "functions.f", "x.functions.f", "a b", "."])
def test_a_call_that_says_all_is_plain(name: str) -> None:
    assert plain_call({**CALL, "function": {"name": name, "arguments": "not JSON"}}, None) is not None


@pytest.mark.parametrize(
    "changes",
    [
        *({"id": call_id} for call_id in ("", None, 1)),
        *({"type": kind} for kind in ("custom", "", None)),
        *({"function": {"name": name, "arguments": "{}"}} for name in ("", None)),
        *({"function": {"name": "f", "arguments": arguments}} for arguments in (None, NO_MEMBERS, 1)),
        *({"function": inner} for inner in ({"arguments": "{}", "name": "f"}, {"name": "f"}, NO_ITEMS, None)),
    ],
    ids=str,
)
def test_one_that_has_more_to_remember_is_not(changes: Any) -> None:
    assert plain_call({**CALL, **changes}, None) is None


TOOL: Any = {"name": "f", "description": "Does.", "parameters": {"type": "object"}}


@pytest.mark.parametrize(
    "changes", [NO_MEMBERS, *({key: ""} for key in TOOL), {"name": "browser.open"}, {"parameters": False}], ids=str
)
def test_a_tool_is_plain_where_it_has_name_description_and_parameters(changes: Any) -> None:
    assert plain_tool({"type": "function", "function": {**TOOL, **changes}}) is not None


@pytest.mark.parametrize(
    "tool",
    [
        *({"type": kind, "function": TOOL} for kind in ("custom", "", None)),
        *({"type": "function", "function": {**TOOL, key: None}} for key in TOOL),
        *({"type": "function", "function": {**TOOL, key: 1}} for key in ("name", "description", "strict")),
        *(
            {"type": "function", "function": inner}
            for inner in ({"name": "f"}, dict(reversed(TOOL.items())), "f", None)
        ),
    ],
    ids=str,
)
def test_and_only_there(tool: Any) -> None:
    assert plain_tool(tool) is None
