"""Unknown options are refused by the library and by the command, so that nobody relies on one that has no effect."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ocml_bridge import BridgeError, ErrorCode, Options, adapter, convert
from ocml_bridge.formats.adapter import FormatOption
from ocml_bridge.pipe import decoder


@pytest.mark.parametrize("option", [{"control_tokens": "refuze"}, {"control_tokens": None}])
def test_an_unknown_value_of_an_option_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(BridgeError, match=next(iter(option))) as caught:
        Options(**option)
    assert caught.value.code is ErrorCode.OPTION


@pytest.mark.parametrize(("target", "known"), [("harmony", "spec, oss, hf"), ("canonical", "none")])
def test_an_unknown_dialect_of_the_target_is_refused(target: str, known: str) -> None:
    request = {"messages": [{"role": "user", "content": "hi"}]}
    with pytest.raises(BridgeError, match=f"{target} has no dialect 'nope'; it has {known}$") as caught:
        convert(request, source="openai", target=target, options=Options(dialect="nope"))
    assert caught.value.code is ErrorCode.OPTION


REQUEST = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "reasoning": "Hm.", "content": "ok"}]}


def test_an_option_of_a_format_applies_only_to_that_format() -> None:
    options = Options(format_options={"reasoning": "reasoning_content"})
    output: Any = convert(REQUEST, source="openai", target="openai", options=options).output
    assert output["messages"][1]["reasoning_content"] == "Hm."
    assert convert(REQUEST, target="harmony", options=options).output == convert(REQUEST, target="harmony").output


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"resoning": "reasoning"}, "no format has an option 'resoning'; did you mean reasoning?"),
        ({"reasoning": "thinking"}, "reasoning cannot be 'thinking'; it is one of reasoning, reasoning_content"),
    ],
)
def test_unknown_options_and_values_are_refused(given: dict[str, str], words: str) -> None:
    with pytest.raises(BridgeError) as caught:
        convert(REQUEST, source="openai", target="openai", options=Options(format_options=given))
    assert caught.value.code is ErrorCode.OPTION
    assert words in caught.value.message


def test_a_format_option_is_a_string() -> None:
    with pytest.raises(BridgeError, match="a format option must be a string"):
        Options(format_options={"bos": None})  # type: ignore[dict-item]


def test_format_options_are_a_value_of_their_own() -> None:
    given = {"bos": "<s>"}
    options = Options(format_options=given)
    given["bos"] = "other"
    assert options == Options(format_options=(("bos", "<s>"),))
    assert hash(options) == hash(Options(format_options={"bos": "<s>"}))


def test_a_format_that_is_not_registered_has_options_too() -> None:
    loud = FormatOption("loud", "Whether it is loud.", default="no", choices=("no", "yes"))
    chatml = adapter("chatml")[0]
    own = replace(chatml, id="loud", options=(loud,), decoders={"loud": chatml.decoders["chatml"]})
    options = Options(format_options={"loud": "yes"})
    assert loud.of(options) == "yes"
    assert loud.of(Options()) == "no"
    assert convert(REQUEST, target=own, options=options).output == convert(REQUEST, target="chatml").output
    assert decoder(own, options=options).feed("<|im_start|>user\nHi") != []
    with pytest.raises(BridgeError, match="no format has an option 'loud'"):
        convert(REQUEST, target="chatml", options=options)
    with pytest.raises(BridgeError, match="no format has an option 'loud'"):
        decoder("chatml", options=options)


def test_an_option_may_belong_to_the_source_alone() -> None:
    """An adapter that is given as an object need not be registered, for reading and for writing."""
    own = replace(adapter("openai")[0], id="own", options=(FormatOption("colour", "Which colour.", default="blue"),))
    options = Options(format_options={"colour": "red"})
    assert convert(REQUEST, source=own, target="openai", options=options).output == REQUEST
    assert convert(REQUEST, source="openai", target=own, options=options).output == REQUEST
    with pytest.raises(BridgeError, match="colour"):
        convert(REQUEST, source="openai", target="openai", options=options)
