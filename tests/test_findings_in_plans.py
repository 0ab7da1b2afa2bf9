"""Findings about a message are reported wherever the message is, with plans as without."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, convert, formats
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.units.conversation import Conversation
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples

pytestmark = pytest.mark.usefixtures("all_plans_learned")

TIMES: Final = 6
"""The number of conversions after which plans write all similar conversations."""
VIDEO: Final = {"type": "video", "video": {"url": "https://example.org/a.mp4"}}
FUNCTION: Final = {"name": "f", "arguments": "{}"}


def user(wire: str, text: str, *odd: Any) -> Any:
    """The user's message: one text, and parts that an API does not have."""
    match wire:
        case "openai":
            return {"role": "user", "content": [{"type": "text", "text": text}, *odd] if odd else text}
        case "openai-responses":
            return {"role": "user", "content": [{"type": "input_text", "text": text}, *odd]}
        case "anthropic":
            return {"role": "user", "content": [{"type": "text", "text": text}, *odd]}
        case _:
            return {"role": "user", "parts" if wire == "gemini" else "content": [{"text": text}, *odd]}


def assistant(wire: str, text: str) -> Any:
    """The answer."""
    match wire:
        case "openai" | "anthropic":
            return {"role": "assistant", "content": text}
        case "openai-responses":
            return {"role": "assistant", "content": [{"type": "output_text", "text": text}]}
        case "gemini":
            return {"role": "model", "parts": [{"text": text}]}
        case _:
            return {"role": "assistant", "content": [{"text": text}]}


TEXT: Final = "the text"
"""A placeholder for a text that no other conversation has."""
ODD: Final[dict[tuple[str, str], Any]] = {
    **{
        (wire, "a part that it does not have"): user(wire, TEXT, VIDEO)
        for wire in ("openai", "openai-responses", "anthropic", "gemini", "bedrock-converse")
    },
    ("openai", "a number"): {"role": "user", "content": 2},
    ("openai", "an object"): {"role": "user", "content": {"a": "b"}},
    ("openai", "a key of another API"): {"role": "user", "content": TEXT, "parts": []},
    ("openai", "a call without a name"): {
        "role": "assistant",
        "content": TEXT,
        "tool_calls": [{"id": "c", "type": "function", "function": {**FUNCTION, "name": ""}}],
    },
    ("openai", "a legacy call without a name"): {
        "role": "assistant",
        "content": TEXT,
        "function_call": {**FUNCTION, "name": ""},
    },
    ("openai", "a legacy call that says nothing"): {
        "role": "assistant",
        "content": TEXT,
        "function_call": {"name": "", "arguments": ""},
    },
}
"""Wire and kind of oddity → a message with it."""
MESSAGES: Final = {"openai-responses": "input", "gemini": "contents"}


def request(wire: str, odd: Any, before: int, after: int, texts: Iterator[str]) -> bytes:
    """A request with turns before and after a message, with the next texts."""
    turns = [
        *[make(wire, TEXT) for _ in range(before) for make in (user, assistant)],
        odd,
        *[make(wire, TEXT) for _ in range(after) for make in (assistant, user)],
    ]
    made = json.dumps({"model": "m", MESSAGES.get(wire, "messages"): turns})
    return re.sub(TEXT, lambda _: next(texts), made).encode()


@examples(60)
@given(
    st.sampled_from(sorted(ODD)),
    st.sampled_from(sorted(formats())),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=3),
)
def test_findings_and_their_paths_are_the_same_with_plans(
    odd: tuple[str, str], target: str, sizes: list[tuple[int, int]]
) -> None:
    wire, _ = odd
    texts = map("Text {}.".format, count())
    for before, after in sizes:
        made = ""
        for _ in range(TIMES):
            made = request(wire, ODD[odd], before, after, texts)
            assert outcome(made, wire, target, PLANNED) == outcome(made, wire, target, PLAIN)


@pytest.mark.parametrize("name", [name for wire, name in ODD if wire == "openai" and "legacy call without" not in name])
def test_conversations_with_findings_are_read_and_written_by_plans(name: str) -> None:
    texts = map("Text {}.".format, count())
    made = [request("openai", ODD["openai", name], 1, 1, texts) for _ in range(TIMES)]
    for data in made:
        convert(data, source="openai", target="ocm-2.2-json", options=PLANNED)
    log = Log()
    reader, _ = adapter("openai")
    read = reader_for(reader, PLANNED).read(decode(made[-1], reader.kind, Log()), log)
    assert log.findings
    assert isinstance(read, Conversation)
    assert read.plan is not None
    assert isinstance(writer_for(adapter("ocm-2.2-json")[0], PLANNED).fill(read), Filled)


RELATIONS: Final[dict[str, list[Any]]] = {
    "replies without ids": [
        {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": FUNCTION}]},
        {"role": "tool", "content": TEXT},
        {"role": "tool", "content": TEXT},
    ],
    "calls with one id": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_a", "type": "function", "function": FUNCTION}] * 2,
        },
        *[{"role": "tool", "tool_call_id": "call_a", "content": TEXT} for _ in range(3)],
    ],
    "a reply without a call": [{"role": "tool", "tool_call_id": "call_b", "content": TEXT}],
}
"""Messages whose reader reports which reply answers which call."""


@pytest.mark.parametrize("source", ["openai", None])
@pytest.mark.parametrize("tools", [None, [{"type": "function", "function": {"name": "f"}}]], ids=["", "tools"])
@pytest.mark.parametrize("kind", RELATIONS)
def test_findings_about_replies_are_reported_of_each_text(kind: str, tools: object, source: str | None) -> None:
    """Such a text is not parsed once others like it were."""
    texts = map("Text {}.".format, count())
    reader = reader_for(adapter("openai")[0], PLANNED)
    planned = False
    for _ in range(TIMES):
        made = json.dumps({"model": "m", "messages": [user("openai", TEXT), *RELATIONS[kind], user("openai", TEXT)]})
        data = json.dumps({**json.loads(re.sub(TEXT, lambda _: next(texts), made)), "tools": tools}).encode()
        text = reader.split_text(data)
        planned = text is not None and reader.read_text(text) is not None
        found = convert(data, source=source, target="harmony", options=PLANNED).findings
        assert found == convert(data, source="openai", target="harmony", options=PLAIN).findings != ()
        with pytest.raises(BridgeError, match=found[0].code):
            convert(data, source=source, target="harmony", options=PLANNED, strict=True)
    assert planned


def test_an_empty_function_call_is_not_a_call() -> None:
    """Programs that write all members of a message write a `function_call` without name and arguments."""
    odd = ODD["openai", "a legacy call that says nothing"]
    data = {"messages": [{"role": "user", "content": "Hi"}, odd]}
    made = convert(data, source="openai", target="anthropic")
    assert made.output["messages"][1] == {"role": "assistant", "content": TEXT}
    assert [finding.detail for finding in made.findings] == [
        "function_call has neither a name nor arguments; it is kept as it is"
    ]
    assert "/messages/1/extras/openai/function_call" in {loss.path for loss in made.losses}
    assert convert(data, source="openai", target="openai").output == data
