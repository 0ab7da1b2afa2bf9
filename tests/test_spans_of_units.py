"""The messages of one unit have separate spans, whatever their contents, with and without plans."""

from __future__ import annotations

from typing import Final

import pytest

from ocml_bridge import Message, Options, Transcript, write
from ocml_bridge.model import Text, Tool, Tools, replace
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.result import Result
from ocml_bridge.spans import Span
from ocml_bridge.testing.spans import tiles

FORMATS: Final = ("harmony", "chatml:hermes", "chatml:qwen-xml", "chatml:lfm2", "ocm-0.1", "ocm-2.2", "internlm2")
ARGUMENTS: Final = {
    "a token": '{"a":"<|im_end|><|end|>"}',
    "text": "a b",
    "a number": "1",
    "JSON with spaces": '{ "a" : [1, 2] }',
}


def calling(count: int, arguments: str, *, text: str = "I look.", weight: float | None = None) -> Transcript:
    """A turn with a text, and calls of several functions with the same arguments."""
    calls = [
        Message(
            *("assistant", arguments, None, "commentary", f"functions.look_{number:02}_up", f"id_{number:02}_"),
            constraint="json",
            end="call",
            continues=True,
            weight=weight,
        )
        for number in range(count)
    ]
    preamble = Message("assistant", text, channel="commentary", intent="preamble", weight=weight)
    return Transcript((Message("user", "Now?"), preamble, *calls))


def written(document: Transcript, target: str) -> Result:
    """The result, whose spans are the same however often similar units were written before."""
    plain = write(document, target, spans=True, policy=LENIENT, options=Options(plans=False))
    for _ in range(3):
        planned = write(document, target, spans=True, policy=LENIENT)
        assert (planned.output, planned.spans) == (plain.output, plain.spans)
    tiles(plain)
    return plain


def bodies(result: Result) -> list[Span]:
    return [span for span in result.spans or () if span.kind == "body"]


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize(
    ("count", "arguments"), [(2, "a token"), (2, "text"), (3, "JSON with spaces"), (20, "a number"), (20, "a token")]
)
def test_equal_arguments_of_several_calls_are_each_after_their_own_name(
    target: str, arguments: str, count: int
) -> None:
    if (target, arguments, count) == ("chatml:lfm2", "a token", 20):
        pytest.skip("of so many calls that have no common shape, not all arguments are looked for")
    result = written(calling(count, ARGUMENTS[arguments]), target)
    output, (*_, text), calls = result.output, bodies(result)[: -count or None], bodies(result)[-count:]
    assert output[text.start : text.end] == "I look."
    assert [span.path for span in calls] == [f"/messages/{number + 2}/content" for number in range(count)]
    assert len({output[span.start : span.end] for span in calls}) == 1, "as they are equal"
    behind = text.end
    for number, span in enumerate(calls):
        name = output.index(f"look_{number:02}_up", behind)
        assert (name < span.start) is (target != "ocm-0.1"), "there the name stands behind"
        behind = span.end


@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("odd", [0, 1, 2])
@pytest.mark.parametrize("arguments", ['{ "a" : [1, 2] }', '{"a":"<|im_end|><|end|>"}'])
def test_arguments_in_another_spelling_are_between_the_others(target: str, odd: int, arguments: str) -> None:
    document = calling(3, '{"a":[1,2]}')
    messages = [*document.messages]
    messages[2 + odd] = replace(messages[2 + odd], content=arguments)
    result = written(replace(document, messages=tuple(messages)), target)
    texts = [result.output[span.start : span.end] for span in bodies(result)[-3:]]
    assert len({text for at, text in enumerate(texts) if at != odd}) == 1
    assert [span.path for span in bodies(result)[-3:]] == [f"/messages/{number}/content" for number in (2, 3, 4)]


@pytest.mark.parametrize("target", FORMATS)
def test_a_text_with_a_token_before_arguments_with_one(target: str) -> None:
    result = written(calling(2, '{"a":"<|im_end|><|end|>"}', text="I <|im_end|><|end|> look."), target)
    text = next(span for span in bodies(result) if span.path == "/messages/1/content")
    shown = result.output[text.start : text.end].replace("\u200b", "").replace("<<|", "<|")
    assert shown == "I <|im_end|><|end|> look."


@pytest.mark.parametrize("target", FORMATS)
def test_messages_of_one_unit_have_their_own_weights(target: str) -> None:
    light = calling(2, "{}", weight=0.25)
    result = written(replace(light, messages=(*light.messages[:-1], replace(light.messages[-1], weight=1))), target)
    counted = {
        index: {
            span.weight for span in result.spans or () if span.sampled and span.path.startswith(f"/messages/{index}")
        }
        for index in range(4)
    }
    assert counted == {0: set(), 1: {0.25}, 2: {0.25}, 3: {1}}


LONG: Final = "Looks for what is not there. " * 20


@pytest.mark.parametrize("description", ["Looks.", LONG], ids=["short", "long"])
def test_a_text_before_declared_tools_is_not_a_tool(description: str) -> None:
    tools = Tools((Tool("look", description, {"type": "object", "properties": {}}),))
    result = written(Transcript((Message("developer", (Text("Before <|end|>."), tools)),)), "harmony")
    shown = {span.path: result.output[span.start : span.end] for span in result.spans or ()}
    declared = [text for text in shown.values() if description in text]
    assert len(declared) == 1
    assert "Before" not in declared[0]


@pytest.mark.parametrize("target", FORMATS)
def test_a_call_without_arguments_has_no_body(target: str) -> None:
    result = written(calling(2, "", text=""), target)
    assert [span.path for span in bodies(result) if span.path != "/messages/0/content"] in (
        [],
        ["/messages/2/content", "/messages/3/content"],  # without arguments, an empty object is written
    )
