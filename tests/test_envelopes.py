"""The envelope of similar documents is read and written once, with the same result as without plans."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, cast

import orjson
import pytest

from ocml_bridge import Options, Transcript, convert, read
from ocml_bridge.engine.plans.envelopes import SIZE, OpenedEnvelopes
from ocml_bridge.loss import Log
from ocml_bridge.model import CacheMark, Freeform, Tool
from ocml_bridge.model.cache_keys import LONGEST, fields_of, packed
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.ownership import POISON, poison
from ocml_bridge.testing.plans import everything_read, everything_written

Object = dict[str, Any]
FORMATS: Final = ("openai", "anthropic", "openai-responses", "gemini", "bedrock-converse", "sharegpt")
PLAIN: Final = Options(plans=False, force_format=True)
PLANNED: Final = Options(force_format=True)

SCHEMA: Final[Object] = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
TOOL: Final[Object] = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}
SYSTEM: Final[Object] = {"role": "system", "content": "Be brief."}
USER: Final[Object] = {"role": "user", "content": "Hi"}
ANSWER: Final[Object] = {"role": "assistant", "content": "Hel"}
PICTURE: Final[Object] = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.b/c.png"}}]}

MESSAGES: Final[tuple[list[Object], ...]] = (
    *([USER], [SYSTEM, USER], [SYSTEM, SYSTEM, USER]),
    *([SYSTEM, USER, ANSWER], [ANSWER], [PICTURE], []),
)
AROUND: Final[tuple[Object, ...]] = (
    {},
    {"model": "m"},
    {"model": "m", "max_tokens": 7, "temperature": 1},
    {"model": "m", "max_tokens": 7, "temperature": 1.0},
    {"model": "m", "stop": ["a", "b"], "user": None},
    {"tools": []},
    {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "look"}}, "metadata": {"a": [1, {}]}},
    {"tools": [TOOL, {"type": "web_search"}], "response_format": {"type": "json_schema", "json_schema": SCHEMA}},
    {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}},
)
REQUESTS: Final = [
    orjson.dumps(request)
    for messages, around in product(MESSAGES, AROUND)
    for request in ({"messages": messages, **around}, {**around, "messages": messages})
]


@pytest.mark.parametrize("name", FORMATS)
def test_any_envelope_with_any_messages_is_converted_as_without_plans(name: str) -> None:
    for data in REQUESTS:
        document = read(data, "openai", options=PLAIN).transcript
        assert everything_written(document, name, PLANNED) == everything_written(document, name, PLAIN)
        written = convert(data, source="openai", target=name, options=PLAIN, policy=LENIENT).encode()
        assert everything_read(written, name, PLANNED) == everything_read(written, name, PLAIN)


@pytest.mark.parametrize("name", FORMATS)
def test_values_that_are_read_and_written_belong_to_the_caller(name: str) -> None:
    request = orjson.dumps({"messages": [SYSTEM, USER], **AROUND[6]})
    data = convert(request, source="openai", target=name, policy=LENIENT).encode()
    for source, target, given in ((name, "openai", data), ("openai", name, request), (name, name, data)):
        results = list[tuple[bytes, str, str]]()
        for _ in range(4):  # met, learned, remembered, remembered
            result = convert(given, source=source, target=target, policy=LENIENT)
            results.append((result.encode(), repr(result.transcript), repr(result.losses)))
            assert POISON not in repr(result.output)
            poison([result.output, result.transcript, result.losses, result.image])
            cast("Any", result.transcript).settings = None
            for tool in cast("Any", result.image).tools or ():
                tool.description = POISON
        assert results == results[:1] * 4


def opened(requests: list[Object]) -> OpenedEnvelopes:
    """A memory that was given some requests."""
    memory = OpenedEnvelopes(adapter("openai")[0].reads_units(PLANNED))
    for request in requests:
        assert cast("Any", memory.split_units(request, Log())).units == request["messages"]
    return memory


def known(memory: OpenedEnvelopes) -> Any:
    return memory._cache  # pyright: ignore[reportPrivateUsage]


def test_requests_that_differ_only_in_messages_have_one_envelope() -> None:
    assert len(known(opened([{"model": "m", "messages": [USER] * number} for number in range(5)]))) == 1


def test_a_number_is_not_a_truth_value_and_the_order_of_keys_counts() -> None:
    kinds: list[Object] = [{"messages": [], "n": 1}, {"messages": [], "n": True}, {"n": 1, "messages": []}]
    assert len(known(opened(kinds))) == 3


def test_tools_with_a_mark_or_a_grammar_have_cache_keys() -> None:
    tools = [
        *(Tool("f", cache=mark) for mark in (None, CacheMark(), CacheMark("1h"))),
        *(Tool("f", freeform=form) for form in (Freeform(), Freeform("lark"), Freeform("lark", "start: x"))),
    ]
    keys = {packed(fields_of(Transcript(tools=(tool,)))) for tool in tools}
    assert len(keys) == len(tools)
    assert None not in keys


def test_the_cache_is_bounded() -> None:
    large: list[Object] = [
        {"messages": [], "metadata": {"number": number, "text": "x" * 200_000}} for number in range(30)
    ]
    assert 0 < len(known(opened(large))) * 200_000 <= SIZE
    assert len(known(opened([{"messages": [], "metadata": {"text": "x" * (LONGEST + 1)}}]))) == 0


def test_a_finding_about_an_envelope_is_reported_every_time() -> None:
    data = orjson.dumps({"messages": [USER], "tools": [{"type": "web_search"}]})
    assert [len(read(data, "openai").findings) for _ in range(3)] == [1, 1, 1]


def test_an_answer_to_be_continued_is_recognised_after_any_documents() -> None:
    for last in (USER, ANSWER, USER, ANSWER):
        document = read({"model": "m", "max_tokens": 7, "messages": [USER, last]}, "anthropic").transcript
        assert isinstance(document, Transcript)
        assert (document.messages[-1].end is None) is (last is ANSWER)
