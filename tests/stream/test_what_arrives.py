"""What arrives of a stream, piece by piece: events and objects, values of several chunks, and the end."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from ocml_bridge import BridgeError, Options, decoder
from ocml_bridge.events import Delta, Stop
from ocml_bridge.stream.assembled import merged, object_of, objects_of
from ocml_bridge.stream.compacting import Compactor
from ocml_bridge.stream.sse import Reader
from ocml_bridge.stream.values import Values

TEXTS: Final = {
    "ocm-0.1": "[BOS]<|im_start|>assistant\n",
    "ocm-2.2": "version: 2.2\n<|start|>assistant<|channel|>final<|message|>",
    "harmony": "<|start|>assistant<|channel|>final<|message|>",
    "internlm2": "<|im_start|>assistant\n",
    "chatml": "<|im_start|>assistant\n",
}
"""By format, the prefix of an answer."""


# --- events and objects -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "arrived"),
    [
        ('event: a\ndata: {"b": 1}\n\n', [("a", {"b": 1})]),
        ('data: {"b":\ndata: 1}\n\ndata: 2\n\n', [(None, {"b": 1}), (None, 2)]),
        ("event: a\ndata: 1\n\ndata: 2\n\n", [("a", 1), (None, 2)]),
        ("event: a\nevent:\ndata: 1\n\n", [(None, 1)]),
        (": said\n\nevent: a\n\ndata:1\r\n\r\ndata: 2\r\r", [(None, 1), (None, 2)]),
        ("data: [7]\n\n", [(None, [7])]),
        ("data: 1", [(None, 1)]),
        ('\ufeff\n data: 1\n\n{"a": 1}\n\n', [(None, 1)]),
        ('{"a": 1}\n{"b": 2}', [(None, {"a": 1}), (None, {"b": 2})]),
        ('[{"a": {"b": 1}},\n{"c": "{"}\n]', [(None, {"a": {"b": 1}}), (None, {"c": "{"})]),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_events_are_the_same_for_every_cut(data: str, arrived: list[Any], size: int) -> None:
    values = Values()
    found = [one for at in range(0, len(data), size) for one in values.events(data[at : at + size])]
    assert [(event.name, json.loads(event.data)) for event in (*found, *values.finish())] == arrived


@pytest.mark.parametrize(("first", "second", "fits"), [(10, 9, True), (10, 10, False), (0, 19, False), (0, 14, True)])
def test_an_event_is_as_long_as_its_data(first: int, second: int, *, fits: bool) -> None:
    """A line of it has a name before its data, and is no longer either."""
    data = f"data: {'x' * first}\ndata: {'y' * second}\n\n"
    if fits:
        assert [event.data for event in Reader(20).events(data)] == [f"{'x' * first}\n{'y' * second}"]
    else:
        with pytest.raises(BridgeError, match="of more than 20 characters"):
            list(Reader(20).events(data))


# --- chunks joined ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "together"),
    [
        ([], None),
        ([None, None], None),
        ([1], 1),
        ([1, None, 2], 2),
        (["a", "a"], "a"),
        (["a", "b"], "b"),
        ([[1], [2, 3]], [1, 2, 3]),
        ([[1], [1]], [1]),
        ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
        ([{"a": [1], "b": 1}, {"a": [2]}], {"a": [1, 2], "b": 1}),
        ([{"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}], {"a": {"b": 2, "c": 3}}),
        ([[1], {"a": 1}], {"a": 1}),
        ([{"a": 1}, [1]], [1]),
    ],
)
def test_lists_are_continued_objects_by_member_and_else_the_last_counts(values: list[Any], together: Any) -> None:
    assert merged(values) == together


@pytest.mark.parametrize(
    ("value", "objects", "expected"),
    [
        (None, [], []),
        ([], [], []),
        ([{"a": 1}, {}], [{"a": 1}, {}], []),
        ([{"a": 1}, 1], [{"a": 1}], ["one of the parts is not an object; it is left out"]),
        ({}, [], ["the parts are not a list; they are left out"]),
    ],
)
def test_a_value_that_is_no_list_of_objects_is_reported(value: Any, objects: list[Any], expected: list[str]) -> None:
    notes = list[str]()
    assert [*objects_of(value, "the parts", notes.append)] == objects
    assert notes == expected


@pytest.mark.parametrize(
    ("value", "found", "expected"),
    [({"a": 1}, {"a": 1}, []), (None, {}, []), ([], {}, ["the part is not an object; it is left out"])],
)
def test_a_value_that_is_no_object_is_reported(value: Any, found: Any, expected: list[str]) -> None:
    notes = list[str]()
    assert object_of(value, "the part", notes.append) == found
    assert notes == expected


@pytest.mark.parametrize(
    ("source", "compact"),
    [
        ('{"a": 1.50, "b": [true , null]}', '{"a":1.5,"b":[true,null]}'),
        ('"\\u00e9\\/\\n"', '"é/\\n"'),
        ('"\\ud83d\\ude00"', '"😀"'),
        ("1.0e2 ", "100.0"),
        # What is no JSON is left as it is, but for the white space.
        ('"\\x"', '"\\x"'),
        ('"a\\', '"a\\'),
        ('"\\u12', '"\\u12'),
        ('"\\u12"', '"\\u12"'),
        ("[1 2", "[12"),
        ("tru", "tru"),
        ("-", "-"),
    ],
)
def test_json_comes_out_compact(source: str, compact: str) -> None:
    whole, pieces = Compactor(), Compactor()
    assert whole.feed(source) + whole.finish() == compact
    assert "".join([*map(pieces.feed, source), pieces.finish()]) == compact


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [(), ("<bot>",)])
@pytest.mark.parametrize("name", TEXTS)
def test_events_after_the_end_are_ignored(name: str, named: tuple[str, ...]) -> None:
    for end in ("finish", "cancel"):
        made = decoder(name, options=Options(special_tokens=named))
        made.feed(TEXTS[name] + "Hi")
        assert isinstance(getattr(made, end)()[-1], Stop)
        assert made.feed("more") == made.finish() == made.cancel() == []


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
@pytest.mark.parametrize("named", [(), ("<bot>",)])
@pytest.mark.parametrize("name", TEXTS)
def test_the_end_has_the_reason_that_is_given(name: str, named: tuple[str, ...], reason: Any) -> None:
    made = decoder(name, options=Options(special_tokens=named))
    made.feed(TEXTS[name] + "Hi")
    stop = made.finish(reason)[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == reason


@pytest.mark.parametrize("reason", ["stop", "tool_calls"])
@pytest.mark.parametrize("name", TEXTS)
def test_an_engine_may_report_either_reason_for_calls_and_an_answer(name: str, reason: Any) -> None:
    made = decoder(name)
    made.feed(TEXTS[name] + "Hi")
    stop = made.finish(reason)[-1]
    assert isinstance(stop, Stop)
    assert stop.reason == "stop"  # nothing is called


@pytest.mark.parametrize("named", [(), ("<bot>",)])
@pytest.mark.parametrize("name", TEXTS)
def test_a_character_may_come_in_two_chunks(name: str, named: tuple[str, ...]) -> None:
    made = decoder(name, options=Options(special_tokens=named))
    sent = f"{TEXTS[name]}é <\u200bbot> 😀".encode()
    events = [event for at in range(len(sent)) for event in made.feed(sent[at : at + 1])]
    text = "".join(event.text for event in [*events, *made.finish()] if isinstance(event, Delta))
    is_mended = named and name != "ocm-2.2"  # an envelope is nobody's prompt: no tokens are broken in it
    assert text == ("é <bot> 😀" if is_mended else "é <\u200bbot> 😀")
