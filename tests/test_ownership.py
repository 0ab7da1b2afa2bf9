"""Law 14: values that the API takes and returns belong to the caller, who may change them (docs/loss.md)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ocml_bridge import Message, Result, Tool, Transcript, convert, make_sidecar, read, verify, write
from ocml_bridge.convert import convert_unshared
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.json_values.json_lines import Lines
from ocml_bridge.loss import Loss
from ocml_bridge.model import CacheMark, Signature
from ocml_bridge.model.ownership import own, own_json
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import strategies
from ocml_bridge.testing.ownership import POISON, poison
from prompts import prompt
from sampling import Pairs, every_pair, examples, some_pairs

Object = dict[str, Any]

SCHEMA: Object = {
    "type": "object",
    "properties": {
        "who": {"oneOf": [{"type": "string"}, {"type": "number", "minimum": 3}]},
        "amount": {"type": "integer", "minimum": 0, "description": "x"},
    },
    "required": ["amount"],
}
REQUEST: Object = {
    "messages": [{"role": "user", "content": "hi", "metadata": {"case": [1]}}],
    "tools": [{"type": "function", "function": {"name": "refund", "description": "Refunds.", "parameters": SCHEMA}}],
}
HARMONY = (
    "<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n// Refunds.\n"
    "type refund = (_: {\norder: string,\namount: number,\n}) => any;\n\n} // namespace functions<|end|>"
    "<|start|>user<|message|>hi<|end|>"
)


def a_request() -> Object:
    """The request, the test's own."""
    return json.loads(json.dumps(REQUEST))


def parameters_in(result: Result) -> Object:
    output: Any = result.output
    return output["tools"][0]["function"]["parameters"]


def test_a_change_of_a_tool_in_one_request_is_not_in_the_output_of_another() -> None:
    one = convert(HARMONY, source="harmony", target="openai")
    parameters_in(one)["properties"]["tenant"] = {"const": "customer-A-secret"}
    other = convert(HARMONY.replace("hi", "hello"), source="harmony", target="openai")
    assert b"customer-A-secret" not in other.data
    assert "tenant" not in repr(other.transcript)


def test_a_change_of_an_output_does_not_change_later_reports() -> None:
    request = json.dumps(REQUEST)
    first = convert(request, source="openai", target="harmony")
    assert not first.lossless
    back = parameters_in(convert(first.data, source="harmony", target="openai"))
    back.clear()
    back.update(a_request()["tools"][0]["function"]["parameters"])
    again = convert(request, source="openai", target="harmony")
    assert (again.data, again.losses) == (first.data, first.losses)
    assert verify(again.transcript, again) == ()


def of_text(data: bytes, source: str, target: str) -> Result:
    return convert(data, source=source, target=target, policy=LENIENT)


def of_values(data: bytes, source: str, target: str) -> Result:
    values = read_values(data, source)
    result = convert(values, source=source, target=target, policy=LENIENT)
    poison(values)
    return result


def read_values(data: bytes, source: str) -> Any:
    """The output in a format as the caller gets it: JSON values, or text."""
    return own_json(write(read(data, source).transcript, source).output)


def of_unshared(data: bytes, source: str, target: str) -> Result:
    """Like `of_values`, for values that nobody changes: they are not copied, and are not changed."""
    values = read_values(data, source)
    before = repr(values)
    result = convert_unshared(values, source=source, target=target, policy=LENIENT)
    assert contents(result) == contents(of_values(data, source, target))
    assert repr(values) == before
    return result


def contents(result: Result) -> tuple[bytes, tuple[Loss, ...], str]:
    return result.data, result.losses, repr(result.transcript)


def of_transcript(data: bytes, source: str, target: str) -> Result:
    document = read(data, source).transcript
    result = write(document, target, policy=LENIENT)
    poison(document)
    return result


WAYS: tuple[Callable[[bytes, str, str], Result], ...] = (of_text, of_values, of_unshared, of_transcript)


@examples(12)
@given(strategies.transcripts(), st.lists(strategies.tools(), min_size=1, max_size=3).map(tuple), some_pairs())
@example(read(a_request(), "openai").transcript, (Tool("refund", "Refunds.", SCHEMA),), every_pair())
def test_nothing_is_shared_between_conversions_of_any_ordered_pair(
    document: Transcript, tools: tuple[Tool, ...], pairs: Pairs
) -> None:
    pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    document = replace(document, tools=tools, open_turn=None)
    texts = {source: write(document, source, policy=LENIENT).data for source in pairs}
    for source, data in texts.items():
        for target in pairs[source]:
            for way in WAYS:
                result = way(data, source, target)
                before = contents(result)
                again = way(data, source, target)
                poison([again.output, again.transcript, again.report(), make_sidecar(again)])
                assert again.data == result.data
                after = way(data, source, target)
                assert contents(after) == before
                assert POISON not in repr((result.output, result.transcript))


def test_output_and_transcript_share_nothing() -> None:
    result = convert(a_request(), source="openai", target="openai")
    data, sidecar = result.data, make_sidecar(result)
    poison(result.output)
    assert POISON not in repr(result.transcript)
    poison(result.transcript)
    assert result.data == data == convert(a_request(), source="openai", target="openai").data
    assert make_sidecar(result) == sidecar


def test_a_change_of_an_output_is_kept() -> None:
    result = convert(a_request(), source="openai", target="openai")
    parameters_in(result)["additionalProperties"] = False
    assert parameters_in(result)["additionalProperties"] is False


def test_a_prompt_shares_nothing_with_its_request() -> None:
    request = a_request()
    result = prompt(request, "harmony", profile="gpt-oss")
    before = (result.data, repr(result.transcript))
    poison(request)
    assert (result.data, repr(result.transcript)) == before


def test_a_sidecar_shares_nothing_with_documents_read_with_it() -> None:
    result = convert(a_request(), source="openai", target="chatml")
    sidecar = make_sidecar(result)
    spelled = json.dumps(sidecar)
    reading = read(result.data, "chatml", sidecar=sidecar)
    assert reading.transcript == result.transcript
    poison(reading.transcript)
    assert json.dumps(sidecar) == spelled


def leaves(hint: Any) -> set[Any]:
    """The types that a hint is of, one or a union."""
    hints = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
    return {get_origin(each) or each for each in hints}


def test_only_these_fields_of_a_message_are_mutable() -> None:
    """The other fields are immutable, so a message without these three is not copied."""
    plain = {str, bool, int, float, type(None), Literal, Signature, CacheMark}
    hints = {name: hint for name, hint in get_type_hints(Message).items() if name in Message.__match_args__}
    mutable = {name for name, hint in hints.items() if not leaves(hint) <= plain}
    assert mutable == {"content", "extras", "layout"}


def test_a_document_without_mutable_values_is_not_copied() -> None:
    plain = Transcript((Message("user", "hi"), Message("assistant", "hello")))
    assert own(plain) is plain
    deep = Transcript((Message("user", "hi"), Message("user", "hi", extras={"openai": {"seed": [1]}})))
    assert own(deep) == deep
    assert own(deep).messages[0] is deep.messages[0]
    assert own(deep).messages[1].extras is not deep.messages[1].extras


class Labels(dict[str, Any]):
    """A dict that is more than one."""


def test_a_copy_equals_its_values() -> None:
    values: Any = [1, 1.0, True, None, "\ud800", 2**70, float("inf"), [], {}, Lines([{"a": Labels(b=[1])}])]
    copied = own_json(values)
    assert repr(copied) == repr(values)
    assert type(copied[-1]) is Lines
    assert copied[-1][0] is not values[-1][0]


def test_values_that_contain_themselves_are_refused() -> None:
    endless: Any = Lines()
    endless.append(endless)
    with pytest.raises(BridgeError) as caught:
        own_json(endless)
    assert caught.value.code is ErrorCode.LIMIT
