"""The test kit for adapters of third parties, on our own adapters and on one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from ocml_adapters.canonical.units import DocumentWriter
from ocml_adapters.chatml.plain import Frames
from ocml_bridge import LossCode, Message, formats, read
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.testing import check_adapter, check_bytes, check_plans, check_samples, check_streams
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.writer import Prepared


@pytest.fixture
def unshrunk() -> Iterator[None]:
    """Whoever only asks whether a law fails need not wait for the smallest document."""
    settings.load_profile("no-shrinking")
    yield
    settings.load_profile("normal")


GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.parametrize("name", formats())
def test_our_adapters_pass_the_kit(name: str) -> None:
    if name == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    samples = [path.read_bytes() for path in sorted((GOLDEN / name).glob("*/input.*")) if "invalid-" not in str(path)]
    check_samples(name, [sample for sample in samples if read(sample, name).findings == ()])
    examples = settings().max_examples
    check_adapter(name, examples=examples)
    check_bytes(name, examples=examples)
    check_plans(name, examples=examples // 2)
    check_streams(name, examples=examples // 3)


def test_an_adapter_that_loses_in_silence_is_caught(unshrunk: None) -> None:
    """Its image keeps names that its writer does not write."""

    class Pretending(Frames):
        def nearest(self, message: Message, index: int, log: Log) -> Message | None:
            return message if isinstance(message.content, str) else super().nearest(message, index, log)

    with pytest.raises(AssertionError):
        check_adapter(replace(adapter("chatml")[0], writes_units=Pretending))


def test_an_adapter_that_cries_wolf_is_caught(unshrunk: None) -> None:

    class Crying(DocumentWriter):
        def prepare(self, conversation: Conversation, log: Log) -> Prepared:
            log.lose(LossCode.NAME, "/messages/0/name", "it says so, but it is there")
            return super().prepare(conversation, log)

    with pytest.raises(AssertionError):
        check_adapter(replace(adapter("canonical")[0], writes_units=Crying))


def test_a_decoder_that_reads_otherwise_than_its_reader_is_caught(unshrunk: None) -> None:
    decoders = {"chatml": adapter("internlm2")[0].decoders["internlm2"]}
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        check_streams(replace(adapter("chatml")[0], decoders=decoders, encoders={}))


def test_an_encoder_that_writes_otherwise_than_its_writer_is_caught(unshrunk: None) -> None:
    encoders = {"chatml": adapter("internlm2")[0].encoders["internlm2"]}
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        check_streams(replace(adapter("chatml")[0], decoders={}, encoders=encoders))
