"""Calls as tags: `<tool_call><function=f><parameter=k>…`."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_path
from ocml_adapters.chatml.markup.argument_types import typed, values_of
from ocml_adapters.chatml.markup.calls import Call, CallGrammar, Flaw, calls_in, stretches
from ocml_adapters.chatml.markup.calls_xml import TAGS, XmlCalls


def all_calls(grammar: CallGrammar, text: str) -> list[Call] | None:
    """The calls of a text of calls, white space, and nothing else."""
    return calls_in(stretches(grammar, text), text)


PYTHON, JSON = XmlCalls(), XmlCalls(python=False)
ONE = "<tool_call>\n<function=f>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>"
OSLO = Call("f", '{"city": "Oslo"}', untyped=True)


def call(name: str, **values: object) -> Call:
    return Call(name, json.dumps(values, ensure_ascii=False))


@pytest.mark.parametrize(
    ("number", "spelled"),
    [
        ("0", "0"),
        ("-7", "-7"),
        ("0.0", "0.0"),
        ("-0.0", "-0.0"),
        ("0e5", "0.0"),
        ("0.00E-9", "0.0"),
        ("1.50", "1.5"),
        ("1e2", "100.0"),
        ("1E400", "1E400"),
        ("-1e-400", "-1e-400"),
        ("0.1000000000000000000001", "0.1000000000000000000001"),
    ],
)
def test_a_number_is_spelled_as_python_does_unless_that_is_another_one(number: str, spelled: str) -> None:
    """`tojson` of templates and `str` spell floats alike; a number that no float represents stays as it is written."""
    written = PYTHON.write([Call("f", f'{{"x": {number}}}')])
    assert written is not None
    assert f"\n{spelled}\n" in written


def test_a_call_is_read() -> None:
    found = PYTHON.find(f"Let me look.\n\n{ONE}")
    assert found is not None
    assert (found.start, found.calls, found.mended, found.flaw) == (14, (OSLO,), False, None)


def test_a_call_without_parameters_has_nothing_to_type() -> None:
    assert all_calls(PYTHON, "<tool_call>\n<function=f>\n</function>\n</tool_call>") == [Call("f", "{}")]


def test_several_calls_are_read_one_behind_another() -> None:
    assert all_calls(PYTHON, f"{ONE}\n{ONE}{ONE}") == [OSLO] * 3


@pytest.mark.parametrize("text", ["no call at all", "", f"{ONE} and text"])
def test_text_that_is_not_calls_alone(text: str) -> None:
    assert not all_calls(PYTHON, text)


MENDED = {
    "no white space": "<tool_call><function=f><parameter=city>Oslo</parameter></function></tool_call>",
    "much white space": ONE.replace(">\n<", ">\r\n \t\n<"),
    "no opening tag": ONE.removeprefix("<tool_call>\n"),
    "no closing tag": ONE.removesuffix("\n</tool_call>"),
    "neither": ONE.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>"),
    "no end of the function": ONE.replace("</function>\n", ""),
    "two ends of the parameter": ONE.replace("</parameter>", "</parameter>\n</parameter>"),
    "no end of the parameter": ONE.replace("\n</parameter>", ""),
    "given twice": ONE.replace("<parameter", "<parameter=city>\nBergen\n</parameter>\n<parameter"),
}


@pytest.mark.parametrize("kind", MENDED)
def test_calls_as_models_write_them_are_read(kind: str) -> None:
    found = PYTHON.find(MENDED[kind])
    assert found is not None
    assert found.calls == (OSLO,)
    assert found.mended == ("white space" not in kind)
    assert found.end == len(MENDED[kind])


@pytest.mark.parametrize("end", range(1, len(ONE.removesuffix("</function>\n</tool_call>"))))
def test_a_call_that_breaks_off_is_cut_off_after_the_name_of_its_function(end: int) -> None:
    text = ONE[:end]
    found = PYTHON.find(text)
    assert found is None or (found.flaw, found.end) == (Flaw.CUT_OFF, end)
    assert found is not None or end < len("<tool_call>")
    names = [(call.name, call.whole) for call in found.calls] if found is not None else []
    assert names == [(OSLO.name, False)] * (f"<function={OSLO.name}>" in text)


@pytest.mark.parametrize("inner", ["\nwhat?\n", "<function=f>what?</function>"])
def test_calls_that_cannot_be_read_are_reported(inner: str) -> None:
    text = f"<tool_call>{inner}</tool_call>"
    found = PYTHON.find(f"{text}\n{ONE}")
    assert found is not None
    assert (found.start, found.end, found.calls, found.flaw) == (0, len(text), (), Flaw.OPAQUE)
    found = PYTHON.find(f"{text}\n{ONE}", found.end)
    assert found is not None
    assert found.calls == (OSLO,)


def test_a_missing_end_ends_the_call_where_the_next_begins() -> None:
    text = "<tool_call>\n<function=f>\n<parameter=city>\nOslo\n</parameter>\n" + ONE
    assert all_calls(PYTHON, text) == [OSLO, OSLO]


@pytest.mark.parametrize("text", ["The tag <function=f> begins a call.", "<function=f> begins a call."])
def test_words_about_the_markup_are_no_call(text: str) -> None:
    assert PYTHON.find(text) is None


@pytest.mark.parametrize(
    "value",
    ["a </parameter> b", "a <parameter=x>", "</function>.", "<tool_call>", "\n", " \n\n ", "", "</parameter", "\r\n"],
)
def test_most_texts_with_tags_can_be_values(value: str) -> None:
    text = PYTHON.write([call("f", a=value, b=1)])
    assert text is not None
    assert all_calls(PYTHON, text) == [Call("f", json.dumps({"a": value, "b": "1"}, ensure_ascii=False), untyped=True)]


@pytest.mark.parametrize(
    "bad",
    [
        call("f", a="1\n</parameter>\n</function>"),
        call("f", a="1\n<parameter=b>\n2"),
        call("f", **{"a>b": 1}),
        call("f", **{"": 1}),
        call("a\nb", a=1),
        call("f", a="\ud800"),
        Call("f", "not JSON"),
        Call("f", "[]"),
    ],
    ids=repr,
)
def test_arguments_that_cannot_be_spelled(bad: Call) -> None:
    assert PYTHON.write([call("f"), bad]) is None


def test_scalars_as_python_and_as_json() -> None:
    one = Call("f", '{"a": true, "b": null, "c": 1E-7, "d": [true, 1.50], "e": 9007199254740993, "f": 1e400}')
    for grammar, words in ((PYTHON, ["True", "None"]), (JSON, ["true", "null"])):
        text = grammar.write([one])
        assert text is not None
        values = re.findall(r">\n(.*)\n</parameter>", text)
        assert values == [*words, "1e-07", "[true, 1.5]", "9007199254740993", "1e400"]


SCHEMAS = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "object": {"type": "object"},
    "empty": {"type": "null"},
}
TEXTS = st.text(max_size=12) | st.lists(st.sampled_from([*TAGS, "\n", "x", "<parameter=a>", " "]), max_size=5).map(
    "".join
)
VALUES = {
    "string": TEXTS,
    "integer": st.integers(),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "list": st.lists(TEXTS | st.booleans() | st.none(), max_size=3),
    "object": st.dictionaries(TEXTS, TEXTS | st.integers(), max_size=3),
    "empty": st.none(),
}


@given(st.sampled_from([PYTHON, JSON]), st.lists(st.fixed_dictionaries({}, optional=VALUES), max_size=3))
def test_written_calls_read_as_the_same(grammar: XmlCalls, arguments: list[dict[str, object]]) -> None:
    calls = [call("f", **values) for values in arguments]
    text = grammar.write(calls)
    if text is None:
        assert any(tag in each.arguments for each in calls for tag in TAGS) or "\\ud" in ascii(calls)
        return
    read = all_calls(grammar, text)
    assert read is not None
    for each, before in zip(read, calls, strict=True):
        values = values_of(each.arguments)
        assert values is not None
        again = typed(values, {"type": "object", "properties": SCHEMAS})
        assert again == (before.arguments, (), ())


@given(
    st.lists(st.sampled_from([*TAGS, "f>", "\n", " ", "x", "<parameter=a>", "<function=f>"]), max_size=14).map("".join)
)
def test_any_text_is_read(text: str) -> None:
    at = 0
    while (found := PYTHON.find(text, at)) is not None:
        assert at <= found.start < found.end <= len(text)
        if found.flaw is None:
            assert found.calls
        else:  # the call that is cut off is there if its function is known
            assert [(found.flaw, call.whole) for call in found.calls] in ([], [(Flaw.CUT_OFF, False)])
        at = found.end


FAMILIES = {
    "qwen3-coder": PYTHON,
    "qwen3.5-think": PYTHON,
    "qwen3.5-nothink": PYTHON,
    "qwen3.8": JSON,
    "nemotron-3-nano": PYTHON,
    "nemotron-3-super": PYTHON,
    "step-3.5-flash": XmlCalls(between=""),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_calls_are_written_as_the_templates_write_them(family: str) -> None:
    seen = 0
    for line in corpus_path("chatml-dialects", "grid.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["family"] != family or "prompt" not in record:
            continue
        for message in record["request"]["messages"]:
            if message.get("tool_calls"):
                functions = [each["function"] for each in message["tool_calls"]]
                text = FAMILIES[family].write([Call(each["name"], each["arguments"]) for each in functions])
                assert text is not None
                assert text in record["prompt"]
                assert all_calls(FAMILIES[family], text) is not None
                seen += 1
    assert seen > 10
