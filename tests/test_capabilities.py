"""The table of what each format can represent (`ocml-convert matrix`) is made by writing documents; these are valid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ocml_adapters.chatml.plain import Frames
from ocml_bridge import BridgeError, ErrorCode, Transcript
from ocml_bridge.checks.capabilities import PROBES, Feature, Level, capabilities
from ocml_bridge.formats.adapter import Adapter, Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message
from ocml_bridge.registry import adapter


def level(name: str | Adapter, feature: Feature) -> Level:
    found = capabilities(adapter(name)[0])
    assert found is not None
    return found[feature]


def test_every_feature_is_tried() -> None:
    assert {*PROBES, Feature.CONTROL_TOKENS} == set(Feature)


def test_the_canonical_form_represents_every_feature() -> None:
    """So each document has the feature that it is for, at the path that is checked."""
    for feature, probes in PROBES.items():
        assert level("canonical", feature) is Level.YES
        for document, path in probes:
            assert path == "" or isinstance(document, Transcript)


@pytest.mark.parametrize(
    ("name", "feature", "expected"),
    [
        ("chatml", Feature.NAMES, Level.YES),
        ("chatml", Feature.THOUGHTS, Level.NO),
        ("chatml", Feature.CONTROL_TOKENS, Level.PARTLY),
        ("chatml-json", Feature.CONTROL_TOKENS, Level.YES),
        ("openai", Feature.CALL_IDS, Level.YES),
        ("openai", Feature.CONTROL_TOKENS, Level.YES),
        ("openai", Feature.OPEN_TURN, Level.NO),
        ("harmony", Feature.CALL_IDS, Level.NO),
        ("harmony", Feature.CHANNELS, Level.PARTLY),
        ("ocm-0.1", Feature.INFILL, Level.YES),
        ("ocm-2.2", Feature.HEADER, Level.YES),
    ],
)
def test_levels_are_those_of_the_specifications(name: str, feature: Feature, expected: Level) -> None:
    assert level(name, feature) is expected


class Nameless(Frames):
    """ChatML without names."""

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        return super().nearest(replace(message, name=None), index, log)


def test_a_format_that_leaves_out_a_feature_has_the_level_no() -> None:
    assert level(replace(adapter("chatml")[0], writes_units=Nameless), Feature.NAMES) is Level.NO


class Forgetful(Frames):
    """ChatML without texts that have a token in them."""

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        forgotten = "<|im_start|>" in str(message.content)
        return super().nearest(replace(message, content="") if forgotten else message, index, log)


def test_a_format_that_leaves_out_texts_with_tokens_has_the_level_no() -> None:
    assert level(replace(adapter("chatml")[0], writes_units=Forgetful), Feature.CONTROL_TOKENS) is Level.NO


def test_a_format_whose_vocabulary_is_missing_has_no_levels() -> None:
    def missing(options: Options) -> Frames:
        raise BridgeError(ErrorCode.VOCABULARY, "no vocabulary")

    assert capabilities(replace(adapter("chatml")[0], writes_units=missing)) is None
