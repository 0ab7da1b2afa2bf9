"""Texts that differ from earlier ones only in contents and ids are read without being parsed, to the same end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace as replace_of
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import corpus_cases
from ocml_adapters.openai.units import WireReader
from ocml_bridge import BridgeError, Message, Options, convert, read
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.engine.plans.payoff import LONGEST, PATIENCE, SHORTEST, Payoff
from ocml_bridge.engine.plans.pieces import JsonSplitter
from ocml_bridge.engine.plans.texts import UNSPLIT
from ocml_bridge.engine.reading import Reader
from ocml_bridge.engine.writing import Writer
from ocml_bridge.formats.adapter import Kind
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.model import replace
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.texts import ODD, edited, read_by, texts_change_nothing
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument
from sampling import sweep

pytestmark = pytest.mark.usefixtures("all_plans_learned")

GOLDEN: Final = Path(__file__).parents[1] / "golden"
FORMATS: Final = [
    *("openai", "openai-responses", "anthropic", "gemini", "bedrock-converse"),
    *("ocm-2.2-json", "canonical", "sharegpt", "chatml-json"),
    *("harmony", "chatml", "internlm2", "ocm-0.1", "ocm-2.2"),
]
OPTIONS: Final = Options(force_format=True)

# --- splitting --------------------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from('ab"\\/ \n\t{}[]:,é\U0001f600'))
values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=12,
)


def strings_in(value: object) -> Iterator[str]:
    """The strings in a JSON value, keys among them, in the order of the text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from strings_in(inner)


def numbers_in(value: object) -> Iterator[int | float]:
    """The numbers in a JSON value, in the order of the text."""
    if isinstance(value, dict):
        value = list(cast("dict[str, object]", value).values())
    if isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from numbers_in(inner)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


@given(values, st.sampled_from([None, 2]), st.booleans())
def test_every_second_piece_is_a_string_and_numbers_follow(value: object, indent: int | None, ascii_only: bool) -> None:
    splitter = JsonSplitter()
    text = splitter.split(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    strings, numbers = list(strings_in(value)), [str(number).lstrip("-") for number in numbers_in(value)]
    if text is None:
        assert not strings
        return
    assert [json.loads(b'"' + piece + b'"') for piece in text.pieces[1::2]] == strings
    assert json.loads(splitter.joined(text.pieces)) == value
    with_numbers = splitter.with_numbers(text)
    assert (with_numbers is None) == (not numbers)
    if with_numbers is not None:
        assert with_numbers.pieces[: len(text.pieces)] == text.pieces
        assert [number.decode() for number in with_numbers.pieces[len(text.pieces) :: 2]] == numbers
        assert json.loads(splitter.joined(with_numbers.pieces)) == value


@given(st.binary())
def test_any_bytes_can_be_split(data: bytes) -> None:
    text = JsonSplitter().split(data)
    assert text is None or len(text.pieces) % 2


@pytest.mark.parametrize("name", ["ocm-0.1", "chatml", "internlm2"])
def test_a_start_token_without_a_header_is_not_followed_through_the_whole_text(name: str) -> None:
    """Or a text of start tokens takes the square of its length."""
    grammar = adapter(name)[0].reads_units(Options())
    frame = "<|im_start|>user\n"
    assert grammar.pieces(f"{frame}Hello") == ["", frame, "Hello"]
    alone = f"<|im_start|>{'x' * 1000}\n"
    assert grammar.pieces(alone) == [alone]


def test_a_text_with_half_a_surrogate_pair_is_not_split() -> None:
    assert JsonSplitter().split('{"a": "\ud800"}') is None


# --- reading ----------------------------------------------------------------------------------------------------------


def documents(format_id: str) -> Iterator[bytes]:
    """The golden cases of a format, and those of Chat Completions converted to it."""
    for path in sorted((GOLDEN / format_id).rglob("input.*")):
        yield path.read_bytes()
    for path in sorted((GOLDEN / "openai").rglob("input.json")):
        with suppress(BridgeError):  # some are invalid
            yield convert(path.read_bytes(), source="openai", target=format_id, policy=LENIENT).encode()


@pytest.mark.sweep
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_text_like_others_is_read_as_without_plans(format_id: str) -> None:
    odd = cycle(ODD)
    found = sum(
        texts_change_nothing(data, format_id, [*islice(odd, len(sweep(3 * ODD, 3)))]) for data in documents(format_id)
    )
    # A format whose keys may depend on any text parses all texts.
    assert (found > 0) == adapter(format_id)[0].reads_units(OPTIONS).are_only_values([])


@pytest.mark.sweep
def test_a_real_text_like_others_is_read_as_without_plans() -> None:
    real = [case.data for case in corpus_cases() if case.format == "openai"]
    odd = cycle(ODD)
    assert sum(texts_change_nothing(data, "openai", [*islice(odd, 6)]) for data in sweep(real, 9))


def test_a_format_whose_keys_depend_on_a_text_is_caught() -> None:
    class Reading(WireReader):
        def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
            found = super().skeleton(unit, before)
            return None if found is None else ((found[0], "12" in found[1]), found[1])

        def read_unit(self, unit: Any, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
            messages = super().read_unit(unit, at, index, split, log)
            return [replace(each, name="number") if each.content == "12" else each for each in messages]

    with pytest.raises(AssertionError, match="`are_only_values` of the UnitReader may return True only"):
        texts_change_nothing(orjson.dumps(REQUEST), replace_of(adapter("openai")[0], reads_units=Reading), ["12"] * 6)


REQUEST: Final[dict[str, Any]] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
}


def learned(reader: Reader, document: object) -> bool:
    data = orjson.dumps(document)
    return [read_by(reader, data) for _ in range(8)][-1][1]


def openai_reader() -> Reader:
    return Reader(adapter("openai")[0].reads_units(OPTIONS))


def test_a_text_with_other_contents_is_not_parsed() -> None:
    reader = openai_reader()
    assert learned(reader, REQUEST)
    again = json.dumps(REQUEST, separators=(",", ":")).replace("Hi", 'a \\"b\\" \\\\').replace("Ho", "\\u00e9")
    result, was_known = read_by(reader, again.encode())
    assert was_known
    assert "é" in result
    assert result == read_by(Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False), again.encode())[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b'"user"', b'"system"', id="role"),
        pytest.param(b'"Hi"', b'""', id="empty"),
        pytest.param(b'"Hi"', b'"\\ud800"', id="half a surrogate pair"),
        pytest.param(b'"Hi"', b'"\\x"', id="invalid escape"),
        pytest.param(b'"Hi"', b'"\xff"', id="not UTF-8"),
        pytest.param(b'"Hi"', b'"a\nb"', id="line break"),
        pytest.param(b'"Hi"', b"1", id="number"),
        pytest.param(b'"m"', b'"another model"', id="model"),
        pytest.param(b"}]}", b"}]}]", id="too much"),
        pytest.param(b"}]}", b"}]", id="too little"),
    ],
)
def test_a_text_that_differs_in_more_is_parsed(old: bytes, new: bytes) -> None:
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)
    assert learned(reader, REQUEST)
    other = orjson.dumps(REQUEST).replace(old, new)
    result, was_known = read_by(reader, other)
    assert not was_known
    assert result == read_by(without, other)[0]


ROW: Final = {"id": 7, "temperature": 0.5, "shift": -3, **REQUEST}


@pytest.mark.parametrize("number", ["0", "8", "12345", "100000000000000"])
def test_a_text_with_another_whole_number_as_its_label_is_not_parsed(number: str) -> None:
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)
    assert learned(reader, ROW)
    other = orjson.dumps(ROW).replace(b'"id":7', b'"id":' + number.encode())
    assert read_by(reader, other) == (read_by(without, other)[0], True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(
            (b'"id":7', b'"id":' + number)
            for number in (b'"7"', b"-7", b"7.0", b"7e1", b"07", b"7 7", b"null", b"9" * 20)
        ),
        *((b"0.5", b"0.7"), (b"-3", b"-4"), (b"-3", b"3"), (b"[{", b"[1,{"), (b"}]}", b"}]}1")),
    ],
)
def test_a_text_with_another_number_elsewhere_is_parsed(old: bytes, new: bytes) -> None:
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)
    assert learned(reader, ROW)
    other = orjson.dumps(ROW).replace(old, new)
    assert other != orjson.dumps(ROW)
    assert read_by(reader, other) == (read_by(without, other)[0], False)


def test_a_number_that_is_zero_is_read_as_others_are() -> None:
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)
    assert learned(reader, {"id": 0, **REQUEST})
    assert learned(reader, {**REQUEST, "id": 0})
    for number in (0, 1, 0):
        data = orjson.dumps({"id": number, **REQUEST})
        assert read_by(reader, data) == (read_by(without, data)[0], True)


def test_findings_are_reported_for_each_text() -> None:
    """Something unknown is found in the envelope of each document."""
    document = {**REQUEST, "tools": [{"type": "unknown"}]}
    assert not learned(openai_reader(), document)


def test_texts_with_findings_are_soon_not_split() -> None:
    reader, data = openai_reader(), orjson.dumps({**REQUEST, "tools": [{"type": "unknown"}]})
    for _ in range(PATIENCE):
        read_by(reader, data)
    assert reader.split_text(data) is UNSPLIT


def test_ids_that_repeat_in_another_way_are_related_in_another_way() -> None:
    call = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_a", "content": "1"},
    ]
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)
    assert learned(reader, {"messages": messages})
    data = orjson.dumps({"messages": messages})
    same, other = (
        data.replace(b"call_a", b"call_b"),
        data.replace(b'"tool_call_id":"call_a"', b'"tool_call_id":"call_b"'),
    )
    assert read_by(reader, same)[1]
    assert not read_by(reader, other)[1]
    assert read_by(reader, other)[0] == read_by(without, other)[0]


def test_whether_a_citation_covers_its_text_depends_on_the_text() -> None:
    """The text that a plan is learned from may be as long as a probe."""
    annotation = {"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://a.b", "title": "A"}
    grammar = adapter("openai-responses")[0].reads_units(OPTIONS)
    reader, without = Reader(grammar), Reader(grammar, plans=False)
    for text in ("with a source",) * 8 + ("null", "no", "another text"):
        part = {"type": "output_text", "text": text, "annotations": [annotation]}
        data = orjson.dumps([{"type": "message", "role": "assistant", "content": [part]}])
        assert read_by(reader, data)[0] == read_by(without, data)[0]


# --- when plans are learned -------------------------------------------------------------------------------------------


def texts_of(source: str) -> list[bytes]:
    """A plain conversation and one with a call, in a format."""
    call = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    answered: list[Any] = [
        *REQUEST["messages"],
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_a", "content": "1"},
        {"role": "assistant", "content": "One."},
    ]
    requests = [{"model": "m", "messages": REQUEST["messages"]}, {"model": "m", "messages": answered, "tools": tools}]
    return [convert(orjson.dumps(each), source="openai", target=source, policy=LENIENT).data for each in requests]


def read_again(reader: Reader, data: bytes, kind: Kind) -> tuple[Conversation, bool]:
    """Read a text; return whether it was not parsed."""
    text = reader.split_text(data)
    known = None if text is None else reader.read_text(text)
    document = known or reader.read(decode(data, kind, Log()), Log(), text)
    assert isinstance(document, Conversation)
    return document, known is not None


@pytest.mark.parametrize(
    "source", ["openai", "anthropic", "openai-responses", "gemini", "harmony", "internlm2", "ocm-2.2"]
)
def test_the_third_text_of_a_kind_is_neither_parsed_nor_written_unit_by_unit(source: str) -> None:
    """The second one teaches all plans at once."""
    read_as, targets = adapter(source)[0], [adapter(target)[0] for target in ("openai", "harmony", source)]
    for data in texts_of(source):
        reader, writers = Reader(read_as.reads_units(OPTIONS)), [Writer(each.writes_units(OPTIONS)) for each in targets]
        by_plan: list[list[bool]] = []
        for _ in range(3):
            conversation, was_not_parsed = read_again(reader, data, read_as.kind)
            by_plan.append([was_not_parsed, *(isinstance(writer.fill(conversation), Filled) for writer in writers)])
        assert by_plan[2] == [True] * 4, by_plan


ODD_CONTENTS: Final = ("Hi ", " Hi", " ", "1", '{"a":1}', "<think>x</think> y", "a <|im_end|> b <|end|>", "<tool_call>")


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("odd", ODD_CONTENTS)
def test_odd_contents_do_not_keep_other_conversations_from_plans(odd: str, target: str) -> None:
    """They were met first, and cannot be written by a plan."""
    reader, writer = openai_reader(), Writer(adapter(target)[0].writes_units(OPTIONS))
    filled: list[bool] = []
    for content in [odd] * 5 + ["a", "b", "c", "d", "e"]:
        messages = [{"role": role, "content": content} for role in ("system", "user", "assistant")]
        conversation, _ = read_again(reader, orjson.dumps({"model": "m", "messages": messages}), Kind.JSON)
        filled.append(isinstance(writer.fill(conversation), Filled))
    assert filled[-1]


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("odd", ['{"a":', "", '"x"', ' {"a":1} ', '{"a":1,"a":2}', '{"a":"<|end|>"}', "null"])
def test_odd_arguments_do_not_keep_other_calls_from_plans(odd: str, target: str) -> None:
    """Arguments and results of several classes are written by several plans."""
    reader, writer = openai_reader(), Writer(adapter(target)[0].writes_units(OPTIONS))
    filled: list[bool] = []
    for number in range(36):
        arguments, reply = (odd, "{}") if number < 4 else ('{"a":1}', "1 %" if number % 2 else '{"b":2}')
        call = {"id": "call_a", "type": "function", "function": {"name": "f", "arguments": arguments}}
        messages = [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_a", "content": reply},
        ]
        conversation, _ = read_again(reader, orjson.dumps({"model": "m", "messages": messages}), Kind.JSON)
        filled.append(isinstance(writer.fill(conversation), Filled))
    assert all(filled[-2:])


@pytest.mark.parametrize("size", [64, 65, 1000])
def test_a_long_text_in_an_unknown_member_is_a_value(size: int) -> None:
    """SWE-agent's trajectories have a `thought` that repeats the content."""
    reader, without = openai_reader(), Reader(adapter("openai")[0].reads_units(OPTIONS), plans=False)

    def data(letter: str) -> bytes:
        text = letter * size
        messages = [
            {"role": "user", "content": f"{letter}?"},
            {"role": "assistant", "content": text, "thought": text, "action": "open a.py"},
        ]
        return orjson.dumps({"model": "m", "messages": messages})

    for letter in "ab":
        read_by(reader, data(letter))
    assert read_by(reader, data("c")) == (read_by(without, data("c"))[0], size > 64)


def test_texts_with_an_empty_content_have_plans_next_to_those_with_a_text_there() -> None:
    reader = openai_reader()

    def is_planned(answer: str) -> bool:
        messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": answer}]
        return read_by(reader, orjson.dumps({"model": "m", "messages": messages}))[1]

    for answer in ("A", "B", "C", "", "", "", ""):
        is_planned(answer)
    assert is_planned("D")
    assert is_planned("")


# --- whether texts are split ------------------------------------------------------------------------------------------


def test_texts_that_never_repeat_are_soon_not_split() -> None:
    reader = openai_reader()
    for number in range(PATIENCE):
        read_by(reader, orjson.dumps({**REQUEST, "stop": ["a"] * number}))
    assert reader.split_text(orjson.dumps(REQUEST)) is UNSPLIT


def test_texts_are_split_again_once_most_conversations_have_plans() -> None:
    payoff = Payoff()
    while payoff.pays:
        payoff.failed()
    for _ in range(3 * PATIENCE):
        payoff.skipped(likely=True)
        payoff.skipped(likely=False)
    assert not payoff.pays
    for _ in range(2 * PATIENCE + 1):
        payoff.skipped(likely=True)
    assert payoff.pays


def test_each_pause_in_vain_is_followed_by_a_longer_one() -> None:
    payoff, pauses = Payoff(), list[int]()
    for _ in range(9):
        while payoff.pays:
            payoff.failed()
        pauses.append(0)
        while not payoff.pays:
            payoff.skipped(likely=True)
            pauses[-1] += 1
    assert [pause - 1 for pause in pauses] == [min(SHORTEST << number, LONGEST) for number in range(9)]


def test_a_third_of_failures_does_not_matter() -> None:
    payoff = Payoff()
    for _ in range(10 * PATIENCE):
        payoff.failed()
        payoff.succeeded()
        payoff.succeeded()
    assert payoff.pays


# --- formats that are not named ---------------------------------------------------------------------------------------


def outcome_of(data: str | bytes, options: Options) -> object:
    """What is read in data whose format is not named, or the code of the error."""
    try:
        return read(data, options=options)
    except BridgeError as error:
        return error.code


@pytest.mark.sweep
@pytest.mark.parametrize("format_id", FORMATS[:9])
def test_the_format_of_a_text_like_others_is_detected_as_without_plans(format_id: str) -> None:
    odd = cycle(ODD)
    for data in documents(format_id):
        for _ in range(7):
            outcome_of(data, Options())
        text = JsonSplitter().split(data)
        for pieces in edited(JsonSplitter(), [] if text is None else text.pieces, [*islice(odd, 6)]):
            like = JsonSplitter().joined(pieces)
            assert outcome_of(like, Options()) == outcome_of(like, Options(plans=False))


def test_a_text_like_others_is_not_detected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def request(text: str) -> bytes:
        return orjson.dumps({"model": "m", "messages": [{"role": "user", "content": text}]})

    options = Options(training=True)  # with options of its own, the reader has met no other texts
    for number in range(9):
        read(request(f"a new text {number}"), options=options)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules["ocml_bridge.convert"], "opened", None)
        assert read(request("another"), options=options).source == "openai"


def test_a_word_in_a_label_is_looked_at() -> None:
    """An unknown member of a request is its label; the same member makes another format."""

    def labelled(kind: str, text: str) -> bytes:
        return orjson.dumps({"type": kind, "messages": [{"role": "user", "content": text}]})

    for number in range(9):
        assert read(labelled("conversation", f"a text with a label {number}")).source == "openai"
    assert read(labelled("transcript", "a text with a label")).source == "canonical"
