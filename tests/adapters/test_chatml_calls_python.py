"""Calls as a list in Python: `<|tool_call_start|>[f(a=1)]<|tool_call_end|>`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from ocml_adapters.chatml.markup.calls import Call, CallGrammar, Flaw, calls_in, stretches
from ocml_adapters.chatml.markup.calls_python import PythonCalls
from ocml_adapters.chatml.markup.segments import LIST, LIST_END


def all_calls(grammar: CallGrammar, text: str) -> list[Call] | None:
    """The calls of a text of calls, white space, and nothing else."""
    return calls_in(stretches(grammar, text), text)


JSON, PYTHON = PythonCalls(), PythonCalls(python=True, escaped=False)


def listed(inner: str) -> str:
    return f"{LIST}{inner}{LIST_END}"


def arguments_of(inner: str) -> object:
    found = JSON.find(listed(f"[f(a={inner})]"))
    assert found is not None
    return json.loads(found.calls[0].arguments)["a"] if found.calls else found.flaw


def test_calls_are_read() -> None:
    found = JSON.find("Yes." + listed("[f(city='P', n=2, b=True, o={\"k\": null}), ns.g-1( ), ]"))
    assert found is not None
    assert (found.start, found.mended, found.flaw) == (4, False, None)
    assert found.calls == (Call("f", '{"city": "P", "n": 2, "b": true, "o": {"k": null}}'), Call("ns.g-1", "{}"))


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        ("'it\\'s \"so\"'", 'it\'s "so"'),
        ('"it\'s \\"so\\" \\/"', 'it\'s "so" /'),
        ("'a\\n\\t\\\\ \\x41\\u00e9\\U0001F600\\ud83d\\ude00 \\d \\0'", "a\n\t\\ Aé😀😀 \\d \0"),
        ("'two\nlines'", "two\nlines"),
        ("'a, b=1), g('", "a, b=1), g("),
        ("['a', \"b\", [None, null], {'k': True,}, ]", ["a", "b", [None, None], {"k": True}]),
        ("-1.5e3", -1500.0),
        ("9007199254740993", 9007199254740993),
        ("''", ""),
        ("{}", {}),
    ],
)
def test_literals(inner: str, value: object) -> None:
    assert arguments_of(inner) == value


@pytest.mark.parametrize(
    ("inner", "value"),
    [
        # vllm-project/vllm, tests/tool_parsers/test_lfm2_tool_parser.py: sets and zeros before a number.
        ("{'urgent', 'bug'}", ["urgent", "bug"]),
        ("07", 7),
        # The same repository, tool_parsers/utils.py: tuples, and a plus sign.
        ("(800, 600)", [800, 600]),
        ("(4,)", [4]),
        ("()", []),
        ("(3)", 3),
        ("+5", 5),
        ("-007.5", -7.5),
        (".5", 0.5),
        ("-5.", -5.0),
        # ml-explore/mlx-lm, mlx_lm/tool_parsers/pythonic.py, and SGLang's lfm2_detector.py read with Python's parser.
        ("'''it's\n\"so\"'''", 'it\'s\n"so"'),
        ('"""a\\n"b" \\"\\"\\" """', 'a\n"b" """ '),
        ("['''''', '']", ["", ""]),
        ("[{'x': {1, 2}}, ([1], {'k': (True,)})]", [{"x": [1, 2]}, [[1], {"k": [True]}]]),
    ],
)
def test_literals_that_json_does_not_have_are_mended(inner: str, value: object) -> None:
    assert arguments_of(inner) == value
    found = JSON.find(listed(f"[f(a={inner})]"))
    assert found is not None
    assert found.mended


@pytest.mark.parametrize(
    "inner",
    [
        "",
        "b",
        "1 2",
        "[1",
        "[1,,2]",
        "[,]",
        "{1: 2}",
        "(1]",
        "[1}",
        "(,)",
        "-+5",
        "{1, 'k': 2}",
        "g(1)",
        "1_000",
        "f'a'",
        "[1)",
        "1, a=2",
        "...",
    ],
)
def test_an_argument_that_is_no_literal_is_reported(inner: str) -> None:
    assert arguments_of(inner) is Flaw.OPAQUE


@pytest.mark.parametrize("inner", ["", "[]", "f", "[f]", "[f(1)]", "[f(a=1) g()]", "[f(a=1)] g()", "[{}]", "[1]"])
def test_text_that_is_no_list_of_calls_is_reported(inner: str) -> None:
    text = listed(inner) + "text"
    found = JSON.find(text)
    assert found is not None
    assert (found.calls, found.flaw, found.end) == ((), Flaw.OPAQUE, len(text) - 4)


def test_unescaped_quotes() -> None:
    found = JSON.find(listed("[f(a='it's a \\n, isn't it', b=2), f(a='don't')]"))
    assert found is not None
    assert [json.loads(call.arguments)["a"] for call in found.calls] == ["it's a \\n, isn't it", "don't"]
    assert found.mended


def test_a_list_in_json_is_read() -> None:
    found = JSON.find(listed('[{"name": "f", "arguments": {"a": "<|tool_call|>"}}]'))
    assert found is not None
    assert found.calls == (Call("f", '{"a": "<|tool_call|>"}'),)
    assert found.mended


def test_the_end_may_be_missing_behind_a_whole_list() -> None:
    found = JSON.find(listed("[f(a=1)]").removesuffix(LIST_END))
    assert found is not None
    assert (found.calls, found.mended) == ((Call("f", '{"a": 1}'),), True)


@pytest.mark.parametrize("end", range(len(LIST), len(listed("[f(a='x', b=[1])]")) - len(LIST_END)))
def test_a_list_that_breaks_off_is_none(end: int) -> None:
    text = listed("[f(a='x', b=[1])]")[:end]
    found = JSON.find(text)
    assert found is not None
    assert (found.calls, found.flaw, found.end) == ((), Flaw.CUT_OFF, end)


def test_strings_are_escaped_where_they_have_to_be() -> None:
    plain, quoted = Call("f", '{"a": "it\'s\\nso"}'), Call("f", '{"a": "C:\\\\new"}')
    assert JSON.write([plain]) == listed("[f(a='it\\'s\\nso')]")
    assert PYTHON.write([plain]) == listed("[f(a='it's\nso')]")
    assert PYTHON.write([quoted]) == JSON.write([quoted]) == listed("[f(a='C:\\\\new')]")


def test_lists_as_python_and_as_json() -> None:
    call = Call("f", '{"a":["x",true,{"b":null}],"o":{"p":true}}')
    assert JSON.write([call]) == listed('[f(a=["x", true, {"b": null}], o={"p": true})]')
    assert PYTHON.write([call]) == listed("[f(a=['x', True, {'b': None}], o={\"p\": true})]")


@pytest.mark.parametrize(
    "bad",
    [Call("f(", "{}"), Call("f", '{"a b": 1}'), Call("f", '{"": 1}'), Call("", "{}"), Call("f", "[]"), Call("f", "{")],
)
def test_arguments_that_cannot_be_spelled(bad: Call) -> None:
    assert JSON.write([bad]) is None


def test_no_calls_are_no_list() -> None:
    assert JSON.write([]) is None


def test_deep_nesting_is_refused() -> None:
    assert arguments_of("[" * 100_000 + "]" * 100_000) is Flaw.OPAQUE


TEXTS = st.text(max_size=12) | st.lists(
    st.sampled_from(["'", '"', "\\", ",", ")", "]", " a=", "\n", "x", "(", "\u2028", "\t"]), max_size=8
).map("".join)
SCALARS = TEXTS | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)
CALLS = st.lists(
    st.dictionaries(st.sampled_from(["a", "b_1", "größe"]), VALUES).map(
        lambda values: Call("ns.f", json.dumps(values, ensure_ascii=False))
    ),
    min_size=1,
    max_size=3,
)


@given(st.sampled_from([JSON, PYTHON]), CALLS)
def test_written_calls_read_as_the_same(grammar: PythonCalls, calls: list[Call]) -> None:
    text = grammar.write(calls)
    if text is None:
        assert "\\ud" in ascii(calls)
        return
    read = all_calls(grammar, text)
    assert read is not None
    assert [json.loads(each.arguments) for each in read] == [json.loads(each.arguments) for each in calls]


@given(st.text(alphabet="[](){}=,:'\"\\ anf1.\n", max_size=30).map(lambda inner: LIST + inner))
def test_any_text_is_read(text: str) -> None:
    found = JSON.find(text)
    assert found is not None
    assert found.start < found.end <= len(text)
    assert bool(found.calls) == (found.flaw is None)
    assert all(isinstance(json.loads(call.arguments), dict) for call in found.calls)


def test_calls_are_written_as_the_template_writes_them() -> None:
    seen = 0
    for line in corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["family"] != "lfm2.5-8b" or "prompt" not in record:
            continue
        for message in record["request"]["messages"]:
            if message.get("tool_calls"):
                calls = [
                    Call(each["function"]["name"], each["function"]["arguments"]) for each in message["tool_calls"]
                ]
                text = PYTHON.write(calls)
                assert text is not None
                if "\\n literal" not in calls[0].arguments:
                    assert text in record["prompt"]
                seen += 1
    assert seen > 10


def test_calls_are_written_as_the_models_write_them() -> None:
    seen = 0
    for line in corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["family"] != "lfm2" or not record["name"].endswith("-in-content"):
            continue
        for message in record["request"]["messages"]:
            found = JSON.find(message["content"]) if message["role"] == "assistant" else None
            if found is not None:
                assert found.calls
                assert JSON.write(found.calls) == message["content"][found.start : found.end]
                seen += 1
    assert seen > 10
