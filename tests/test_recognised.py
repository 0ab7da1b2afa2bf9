"""Recognised kinds of data and their names; `docs/recognised.md` is their table, and `pytest --accept` writes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from time import process_time
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, convert, formats
from ocml_bridge.recognise import KINDS, Kind, recognise
from ocml_bridge.recognise.lookup import Lookup
from ocml_bridge.recognise.marks import Mark, Place
from ocml_bridge.testing.strategies import json_values
from recognised_examples import EXAMPLES

PAGE = Path(__file__).parents[1] / "docs" / "recognised.md"
CASES = [(name, example) for name, examples in EXAMPLES.items() for example in examples]


@pytest.mark.parametrize(("name", "example"), CASES, ids=[f"{name} {number}" for number, (name, _) in enumerate(CASES)])
def test_each_kind_is_recognised_by_its_name(name: str, example: Any) -> None:
    found = recognise(example)
    assert found is not None
    assert found.kind.name == name


MARKS = [mark for kind in KINDS for mark in kind.marks]
VALUES: list[Any] = ["user", "function", "", [], [{}], [{"role": "user"}], {}, {"type": "text"}, None, True, 1]


@given(st.data())
def test_the_evidence_is_the_first_mark_that_fits(data: st.DataObject) -> None:
    names = sorted(data.draw(st.sampled_from(MARKS)).members) + data.draw(st.lists(st.sampled_from(["role", "id"])))
    lookup, place = Lookup(KINDS), data.draw(st.sampled_from(Place))
    for _ in range(3):  # what the first one teaches must hold for the others
        value = {name: data.draw(st.sampled_from(VALUES)) for name in names}
        row = lookup.best(place, value)
        first = next((mark for mark in MARKS if mark.place is place and mark.fits(value)), None)
        assert (None if row is None else row.mark) == first


@pytest.mark.parametrize(("name", "example"), [case for case in CASES if isinstance(case[1], (dict, list))])
def test_json_is_recognised_parsed_as_text_and_as_bytes(name: str, example: Any) -> None:
    text = json.dumps(example, indent=2)
    assert recognise(text) == recognise(text.encode()) == recognise(example)


@pytest.mark.parametrize(
    ("data", "what", "to_do"),
    [
        (
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>",
            "a Llama 3 prompt",
            "reads such texts",
        ),
        ("<s>[INST] Hi [/INST]", "a Mistral or Llama 2 prompt", "reads such texts"),
        ([{"type": "human", "data": {"content": "Hi"}}], "a dump of LangChain messages", "--plan auto"),
        (
            {"gen_ai.input.messages": []},
            "attributes of an OpenTelemetry span (gen_ai)",
            "`ocml-convert batch --plan spans` reads them as a column: jq -c '{attributes: .}' FILE",
        ),
    ],
)
def test_the_error_for_a_kind_that_no_format_reads_names_it_with_advice(data: Any, what: str, to_do: str) -> None:
    with pytest.raises(BridgeError) as caught:
        convert(data, target="openai")
    assert f"this looks like {what} (" in caught.value.message
    assert to_do in caught.value.message


def test_every_kind_has_an_example() -> None:
    assert list(EXAMPLES) == [kind.name for kind in KINDS]


def test_the_evidence_is_named_with_its_place() -> None:
    found = recognise('{"messages": [{"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}]}')
    assert found is not None
    assert (found.evidence, found.path) == ("tool_use", "/messages/0/content/0")
    assert found.cited == "`tool_use` at /messages/0/content/0"
    text = recognise("\n <s>[INST] Hi [/INST]")
    assert text is not None
    assert text.cited == "`<s>[INST]` at 2:2"


CALL: dict[str, Any] = {"role": "assistant", "content": [{"type": "tool_use", "name": "f"}]}
TOOL: dict[str, Any] = {"name": "f", "input_schema": {}}


@pytest.mark.parametrize(
    ("source", "path"),
    [
        (CALL, "/content/0"),
        ([CALL], "/0/content/0"),
        ([{"messages": [CALL]}], "/0/messages/0/content/0"),
        ({"input": {"messages": [CALL]}}, "/input/messages/0/content/0"),
        ({"choices": [{"message": CALL}]}, "/choices/0/message/content/0"),
        ({"choices": ["none", {"message": CALL}]}, "/choices/1/message/content/0"),
        ({"tools": [TOOL]}, "/tools/0/input_schema"),
        ([{"tools": [TOOL]}], "/0/tools/0/input_schema"),
        ({"role": "user", "tools": [TOOL]}, "/tools/0/input_schema"),
    ],
    ids=str,
)
def test_evidence_is_searched_in_documents_messages_and_lists_of_either(source: Any, path: str) -> None:
    found = recognise(source)
    assert found is not None
    assert (found.kind.name, found.path) == ("an Anthropic Messages request", path)


def test_a_message_in_a_list_is_not_a_document() -> None:
    assert recognise([{"role": "user", "tools": [TOOL]}]) is None


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        "Hello there.",
        "The answer, in short: 4.",
        '{"answer": 42}',
        "[1, 2, 3]",
        {},
        [],
        5,
        None,
        "<b>bold</b>",
        b"",
    ],
)
def test_data_without_a_mark_are_not_recognised(nothing: Any) -> None:
    assert recognise(nothing) is None


@pytest.mark.parametrize(
    "text",
    [
        "Write `<|im_start|>user` in front of it.",
        "Use [INST] and [/INST].",
        "Start with <start_of_turn>.",
        "The token is <|begin_of_text|>.",
    ],
)
def test_text_that_quotes_a_token_is_not_a_prompt(text: str) -> None:
    assert recognise(text) is None


LINES = st.lists(st.sampled_from(['{"a": 1}', "[1]", "no JSON", "{", ""])).map("\n".join)


@given(st.one_of(json_values(), st.lists(json_values()), st.text(), st.binary(), LINES))
def test_recognition_never_raises_an_error(data: Any) -> None:
    recognise(data)


# --- the page ---------------------------------------------------------------------------------------------------------

WHERE = {
    Place.DOCUMENT: "",
    Place.MESSAGE: " in a message",
    Place.PART: " in a part of `content`",
    Place.PIECE: " in an item of `parts`",
    Place.TOOL: " in a tool",
}


def evidence_of(kind: Kind) -> str:
    marks = [f"{shown(mark)}{WHERE[mark.place]}{'' if mark.certain else '?'}" for mark in kind.marks]
    patterns = [f"begins with {pattern.shown}{'' if pattern.certain else '?'}" for pattern in kind.patterns]
    return "; ".join(dict.fromkeys([*marks, *patterns, *(["the first bytes"] if kind.signatures else [])]))


def shown(mark: Mark) -> str:
    key, check = next(iter(mark.members.items()))
    words = sorted(cast("frozenset[str]", check)) if isinstance(check, frozenset) else []
    if key == "type" and words:
        named = ", ".join(f"`{word}`" for word in words)
    else:
        named = f"`{key}: {' / '.join(words)}`" if words else f"`{key}`"
    beside = " and ".join(f"`{name}`" for name in list(mark.members)[1:])
    return named + (f" next to {beside}" if beside else "") + (" without `type`" if "type" in mark.without else "")


def read_by(kind: Kind) -> str:
    if kind.format in formats():
        return f"[`{kind.format}`](formats/{kind.format}.md)"
    return kind.advice or "nothing yet: write its messages as JSON, each with `role` and `content`"


def table() -> str:
    rows = [f"| {kind.name} | {evidence_of(kind)} | {read_by(kind)} |" for kind in KINDS]
    cells = "\n".join(rows).replace("<|", "<\\|").replace("|>", "\\|>")
    return f"| kind | evidence | read by, or what to do |\n| --- | --- | --- |\n{cells}"


def test_the_page_has_the_table_of_recognised_kinds(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text("utf-8")
    pattern = r"(<!-- generated: table -->\n).*?(<!-- end -->)"
    made = re.sub(pattern, lambda found: f"{found[1]}\n{table()}\n\n{found[2]}", text, flags=re.DOTALL)
    if request.config.getoption("--accept"):
        PAGE.write_text(made, "utf-8")
    assert PAGE.read_text("utf-8") == made


@pytest.mark.parametrize("piece", ["_", "*", "#", "> ", "a", "a,", "a\t", "-", "\n", "#\n", ":\n", "[", "<", " "])
def test_a_long_repetition_of_one_mark_takes_linear_time(piece: str) -> None:
    """A pattern that could divide such a run in many ways would try them all."""
    began = process_time()
    recognise(piece * 28 + "[")
    assert process_time() - began < 1
