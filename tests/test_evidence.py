"""Evidence of a kind of document: the marks, the places where they are looked for, and which of several decides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, cast

import jsonpointer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge.recognise import Inside, Recognised, inside, recognise, sure_in
from ocml_bridge.recognise.marks import Check, Mark, Place, anything, holding, like, listing, something, words
from ocml_bridge.recognise.walk import walk
from ocml_bridge.recognise.wires import GENERAL, SPECIFIC
from recognised_examples import EXAMPLES

JSON: list[Any] = [
    example for examples in EXAMPLES.values() for example in examples if isinstance(example, (dict, list))
]


# --- what counts ------------------------------------------------------------------------------------------------------

VALUES: dict[str, Any] = {
    "null": None,
    "a number": 1,
    "an empty text": "",
    "a text": "ab",
    "a longer text": "abc",
    "an empty list": [],
    "a list of texts": ["a"],
    "a list of lists": [["a"]],
    "an empty object": {},
    "an object": {"a": 1},
    "an object of more": {"a": None, "b": 2},
    "a list of an object": [{"a": 1}, 5],
    "a list of an object of more": [{"b": 1, "c": 2}],
    "a list of another and then one": [{"c": 2}, {"a": 1}],
}
ACCEPTED: dict[str, tuple[Check, list[str]]] = {
    "words": (words("ab", "c"), ["a text"]),
    "anything": (anything, [name for name in VALUES if name != "null"]),
    "something": (
        something,
        [name for name, value in VALUES.items() if value and isinstance(value, (str, list))],
    ),
    "listing": (listing("a", "b"), ["a list of an object", "a list of an object of more"]),
    "listing without": (listing("a", "b", without="c"), ["a list of an object"]),
    "holding": (holding("a"), ["an object", "an object of more"]),
    "holding both": (holding("a", "b"), ["an object of more"]),
    "like": (like("a."), ["a text"]),
    "a type": (dict, ["an empty object", "an object", "an object of more"]),
}


@pytest.mark.parametrize(("check", "accepted"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_check_accepts_these_values(check: Check, accepted: list[str]) -> None:
    mark = Mark(Place.DOCUMENT, {"x": check})
    assert [name for name, value in VALUES.items() if mark.fits({"x": value})] == accepted
    assert not mark.fits({"y": "ab"})


def test_a_mark_is_all_of_its_members_and_none_of_those_that_it_excludes() -> None:
    mark = Mark(Place.DOCUMENT, {"a": str, "b": int}, frozenset({"c", "d"}))
    assert mark.fits({"b": 1, "x": None, "a": ""})
    for other in ({"a": ""}, {"b": 1}, {"a": 1, "b": 1}, {"a": "", "b": ""}):
        assert not mark.fits(other)
    for name in "cd":
        assert not mark.fits({"a": "", "b": 1, name: None})


@pytest.mark.parametrize(
    ("members", "value", "cited"),
    [
        ({"type": words("t")}, {"type": "t"}, ("t", "/0")),
        ({"type": str}, {"type": "t"}, ("t", "/0")),
        ({"role": words("model")}, {"role": "model"}, ("model", "/0/role")),
        ({"text": str}, {"text": "words"}, ("text", "/0/text")),
        ({"text": str, "type": str}, {"type": "t", "text": "words"}, ("text", "/0/text")),
        ({"tools": list}, {"tools": []}, ("tools", "/0/tools")),
        ({"type": like(".*")}, {"type": "t" * 41}, ("t" * 40, "/0")),
    ],
)
def test_evidence_is_a_value_that_was_looked_for_or_the_key(
    members: dict[str, Check], value: Any, cited: tuple[str, str]
) -> None:
    assert Mark(Place.DOCUMENT, members).cited(value, "/0") == cited


@pytest.mark.parametrize(
    ("text", "evidence", "line", "column"),
    [
        ("<|im_start|>user\nHi", "<|im_start|>", 1, 1),
        ("\n\n  <|im_start|>user\nHi", "<|im_start|>", 3, 3),
        ("\n<s>\n<|im_start|>user\n", "<s>\n<|im_start|>", 2, 1),
        (': ping\n\ndata: {"choices":[]}', 'data: {"choices":[', 3, 1),
        ('Here:\n\n```json\n{"a": 1}', "```json", 3, 1),
        ("[BOS]<|im_start|>user\\nHi", "<|im_start|>user\\n", 1, 6),
        ("id," + "x" * 60 + ",text\n", "id," + "x" * 37, 1, 1),
    ],
)
def test_evidence_in_a_text_is_its_beginning_or_the_part_that_decides(
    text: str, evidence: str, line: int, column: int
) -> None:
    found = recognise(text)
    assert found is not None
    assert (found.evidence, found.line, found.column, found.path) == (evidence, line, column, None)
    assert found.cited == f"`{evidence}` at {line}:{column}"


# --- where it is looked for -------------------------------------------------------------------------------------------

MESSAGES = (
    *("messages", "input", "output", "contents", "conversations", "conversation", "history"),
    *("preferred_output", "prompt", "chosen", "rejected"),
)
CALL: dict[str, Any] = {"role": "assistant", "content": [{"type": "text"}, {"type": "tool_use", "name": "f"}]}


@pytest.mark.parametrize("records", [False, True], ids=["a document", "a list"])
@pytest.mark.parametrize("key", MESSAGES)
def test_every_list_of_messages_is_looked_at(key: str, records: bool) -> None:
    document: Any = {"id": 1, key: ["no message", None, {"role": "user", "content": "Hi"}, CALL]}
    found = recognise([None, document] if records else document)
    assert found is not None
    assert (found.evidence, found.path) == ("tool_use", f"{'/1' * records}/{key}/3/content/1")


@pytest.mark.parametrize("example", JSON, ids=lambda each: json.dumps(each)[:40])
def test_a_path_leads_to_the_evidence(example: Any) -> None:
    found = recognise(example)
    assert found is not None
    assert found.path is not None
    value = jsonpointer.resolve_pointer(example, found.path)
    named = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else value
    assert found.evidence in (str(named)[:40], found.path.rpartition("/")[2])


@pytest.mark.parametrize(
    "source",
    [
        {"input": {"messages": "none"}},
        {"input": {"messages": [5]}},
        {"choices": {"message": CALL}},
        {"choices": [5, {"message": 5}]},
        {"tools": {"input_schema": {}}},
        {"tools": ["f", None]},
        {"history": {"0": CALL}},
        [{"role": "user", "parts": {"text": "Hi"}}],
        [{"role": "user", "parts": ["Hi"]}],
    ],
)
def test_values_of_another_shape_are_skipped(source: Any) -> None:
    assert recognise(source) is None


# --- which of it decides ----------------------------------------------------------------------------------------------


def slowly(source: Any) -> Recognised | None:
    """The first object that is certainly of a specific kind, else of any kind, else possibly: every mark is tried."""
    for kinds, certain in ((SPECIFIC, True), ((*SPECIFIC, *GENERAL), True), ((*SPECIFIC, *GENERAL), False)):
        marks = [(mark, kind) for kind in kinds for mark in kind.marks]
        for place, value, at in walk(source):
            fitting = [(mark, kind) for mark, kind in marks if mark.place is place and mark.fits(value)]
            if fitting and fitting[0][0].certain >= certain:
                mark, kind = fitting[0]
                evidence, path = mark.cited(value, "".join(f"/{step}" for step in at))
                return Recognised(kind, evidence, mark.certain, path=path)
    return None


def with_one_less(value: Any) -> Iterator[Any]:
    """A value without one of its members or items, each in turn, and with each of them one less."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        for key in members:
            yield {name: member for name, member in members.items() if name != key}
            yield from ({**members, key: less} for less in with_one_less(members[key]))
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for at, item in enumerate(items):
            yield [*items[:at], *items[at + 1 :]]
            yield from ([*items[:at], less, *items[at + 1 :]] for less in with_one_less(item))


def test_the_first_mark_of_the_first_object_with_a_mark_decides() -> None:
    for example in JSON:
        for value in (example, *with_one_less(example)):
            assert recognise(value) == slowly(value), value


@given(st.lists(st.sampled_from(JSON), min_size=2, max_size=3))
def test_the_first_mark_decides_among_evidence_of_several_kinds(examples: list[Any]) -> None:
    objects = [cast("dict[str, Any]", each) for each in examples if isinstance(each, dict)]
    lists = [cast("list[Any]", each) for each in examples if isinstance(each, list)]
    for value in ({name: member for each in objects for name, member in each.items()}, [*chain(*lists)], examples):
        assert recognise(value) == slowly(value)


def test_only_certain_evidence_of_a_specific_kind_is_sure() -> None:
    for example in JSON:
        found = slowly(example)
        specific = found is not None and found.certain and found.kind in SPECIFIC
        assert sure_in(example) == (found if specific else None), example


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (
            b'\xef\xbb\xbf{"messages": []}\n{"chosen": "a", "rejected": "b"}',
            "a preference record (chosen and rejected)",
        ),
        ('\n [{"lc": 1, "type": "constructor"}]', "a dump of LangChain messages"),
        ('{"a": 1}\n{"mapping": {}}\n', "a ChatGPT export"),
        ("{'mapping': {}}", "a Python value, as `print` shows it"),
        ('{"a": 1}\nno JSON', None),
        (b"\xffPAR1 <|im_start|>", None),
        (b"<|im_start|>user\n\xff", "ChatML"),
    ],
)
def test_bytes_and_texts_of_json_are_what_their_values_are(data: str | bytes, name: str | None) -> None:
    found = recognise(data)
    assert (None if found is None else found.kind.name) == name


# --- a conversation within other JSON ---------------------------------------------------------------------------------

TURN = {"role": "user", "content": "Hi"}
CONVERSATIONS: list[Any] = [
    *([TURN], {"messages": [{"from": "human"}]}, {"choices": [{"message": TURN}]}, {"input": [TURN]}),
    *({"contents": [TURN]}, {"conversations": [TURN]}, {"output": [TURN]}),
]
NOT: list[Any] = [[], ["role"], [{"content": "Hi"}], {"messages": []}, {"messages": TURN}, {"input": "Hi"}, "x", None]
STEPS = st.lists(st.sampled_from(["a", "b2", "_c", "a b", "d-e", "é", 0, 1, 9]), min_size=1, max_size=6)


def planted(steps: list[str | int], value: Any) -> Any:
    for step in reversed(steps):
        value = {"other": None, step: value} if isinstance(step, str) else [*[NOT[at % 6] for at in range(step)], value]
    return value


def taken(query: str, value: Any) -> Any:
    """The value that `jq` takes out with a filter of names and indexes."""
    steps = re.findall(r'\.([A-Za-z_]\w*)|\["([^"]*)"\]|\[(\d+)\]', query)
    assert query == "." * (query[:2] == ".[") + "".join(
        f".{name}" if name else f'["{key}"]' if key else f"[{index}]" for name, key, index in steps
    )
    for name, key, index in steps:
        value = value[int(index)] if index else value[name or key]
    return value


@given(STEPS, st.sampled_from(CONVERSATIONS))
def test_a_conversation_is_found_and_its_path_and_its_filter_lead_to_it(
    steps: list[str | int], conversation: Any
) -> None:
    source = planted(steps, conversation)
    found = inside(source)
    assert found is not None
    assert found.path == "".join(f"/{step}" for step in steps)
    assert found.query.startswith(".")
    assert taken(found.query, source) == conversation


@pytest.mark.parametrize("value", NOT)
def test_values_that_are_not_a_conversation_are_not_found(value: Any) -> None:
    assert inside({"a": value, "b": {"c": value}}) is None


@given(STEPS.filter(lambda steps: len(steps) <= 4), st.integers(0, 4), st.sampled_from(CONVERSATIONS))
def test_a_conversation_in_a_string_of_json_is_found(steps: list[str | int], outside: int, conversation: Any) -> None:
    source = planted([*steps[:outside], "body"], json.dumps(planted(steps[outside:], conversation)))
    found = inside(source)
    assert found is not None
    assert found.path == "".join(f"/{step}" for step in [*steps[:outside], "body"])
    query, _, behind = found.query.partition(" | fromjson")
    parsed = json.loads(taken(query, source))
    assert taken(behind.removeprefix(" | "), parsed) if behind else parsed == conversation


def test_the_nearest_is_found_first_and_the_whole_is_not_inside() -> None:
    assert inside({"a": {"b": [TURN]}, "c": [TURN]}) == Inside("/c", ".c")
    assert inside({"a": [TURN], "c": [TURN]}) == Inside("/a", ".a")
    assert inside([TURN]) is None


def test_the_search_ends_at_some_depth_and_after_some_values() -> None:
    deep: Any = [TURN]
    for depth in range(1, 9):
        deep = {"a": deep}
        assert (inside(deep) is not None) == (depth <= 6)
    assert inside([*[None] * 9, [TURN]]) == Inside("/9", ".[9]")
    assert inside([*[None] * 10, [TURN]]) is None
    wide = {str(at): {"a": None} for at in range(1000)}
    assert inside({**wide, "last": {"a": [TURN]}}) is None
