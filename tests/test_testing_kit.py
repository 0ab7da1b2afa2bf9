"""The test kit for adapters of third parties, on our own adapters and on one that is wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from ocml_adapters.canonical.units import DocumentWriter
from ocml_adapters.chatml.plain import Frames
from ocml_adapters.chatml.reader import TextReader
from ocml_adapters.ocm_2_2_json.units import ObjectReader
from ocml_bridge import LossCode, Message, Options, Transcript, formats, read
from ocml_bridge.errors import BridgeError
from ocml_bridge.events import Delta, End, Event, Start, Stop
from ocml_bridge.formats.adapter import FormatOption, Source
from ocml_bridge.loss import Log
from ocml_bridge.model import Json
from ocml_bridge.options import Policy
from ocml_bridge.registry import adapter
from ocml_bridge.spans.frames import FrameMarks
from ocml_bridge.testing import (
    all_laws,
    check_adapter,
    check_bytes,
    check_growth,
    check_plans,
    check_samples,
    check_spans,
    check_streams,
)
from ocml_bridge.testing.drawing import draw
from ocml_bridge.testing.plans import plans_change_nothing
from ocml_bridge.testing.streams import check_order
from ocml_bridge.text.im import Grammar
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.reader import SplitDocument
from ocml_bridge.units.writer import Prepared
from sampling import sweep

CHATML = b"<|im_start|>user\nHi<|im_end|>\n"
GOLDEN = Path(__file__).parents[1] / "golden"


def _samples(name: str) -> None:
    samples = [path.read_bytes() for path in sorted((GOLDEN / name).glob("*/input.*")) if "invalid-" not in str(path)]
    valid = [sample for sample in samples if read(sample, name).findings == ()]
    check_samples(name, valid, examples=settings().max_examples // 2)


CHECKS: dict[str, Callable[[str], None]] = {
    "samples": _samples,
    "adapter": lambda name: check_adapter(name),
    "bytes": lambda name: check_bytes(name),
    "plans": lambda name: check_plans(name, examples=settings().max_examples // 2),
    "streams": lambda name: check_streams(name, examples=settings().max_examples // 3),
}


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "check"), sweep(product(formats(), CHECKS), 4))
def test_our_adapters_pass_the_kit(name: str, check: str) -> None:
    if name == "harmony-tokens":
        pytest.importorskip("openai_harmony", reason="harmony-tokens needs the official encoder")
    CHECKS[check](name)


def test_an_adapter_with_an_unreported_loss_is_caught(unshrunk: None) -> None:
    """Its image keeps names that its writer does not write."""

    class Pretending(Frames):
        def nearest(self, message: Message, index: int, log: Log) -> Message | None:
            return message if isinstance(message.content, str) else super().nearest(message, index, log)

    with pytest.raises(AssertionError) as caught:
        check_adapter(replace(adapter("chatml")[0], writes_units=Pretending))
    message = str(caught.value)
    assert "the image, which write_unit, enclose and relate_image return, is not what the reader reads:" in message
    assert re.search(r"/messages/\d/\w+: .* in the image, .* in the output", message)


def test_an_adapter_with_a_false_loss_is_caught(unshrunk: None) -> None:

    class Crying(DocumentWriter):
        def prepare(self, conversation: Conversation, log: Log) -> Prepared:
            log.lose(LossCode.NAME, "/messages/0/name", "it says so, but it is there")
            return super().prepare(conversation, log)

    with pytest.raises(AssertionError):
        check_adapter(replace(adapter("canonical")[0], writes_units=Crying))


def test_a_reader_that_fails_at_a_value_of_another_type_is_caught(unshrunk: None) -> None:
    """It assumes that every object with a role has a text."""

    class Trusting(ObjectReader):
        def split_units(self, source: str | Json, log: Log) -> SplitDocument:
            split = super().split_units(source, log)
            return split._replace(units=[{**unit, "role": unit["role"].lower()} for unit in split.units])

    with pytest.raises((AttributeError, KeyError, TypeError)):
        check_bytes(replace(adapter("ocm-2.2-json")[0], reads_units=Trusting), examples=50)


def test_a_decoder_that_differs_from_its_reader_is_caught(unshrunk: None) -> None:
    decoders = {"chatml": adapter("internlm2")[0].decoders["internlm2"]}
    with pytest.raises(AssertionError, match=r".") as caught:
        check_streams(replace(adapter("chatml")[0], decoders=decoders, encoders={}))
    assert caught.value.__notes__[0].startswith("found for '<|im_start|>")


def test_an_encoder_that_differs_from_its_writer_is_caught(unshrunk: None) -> None:
    encoders = {"chatml": adapter("internlm2")[0].encoders["internlm2"]}
    with pytest.raises(AssertionError) as caught:
        check_streams(replace(adapter("chatml")[0], decoders={}, encoders=encoders))
    assert caught.value.__notes__[0].startswith('found for {"type":"transcript","messages":[')


class Heard:
    """A decoder of Harmony whose events are changed."""

    def __init__(self, options: Options, change: Callable[[Event], Event]) -> None:
        self.inner, self.change = adapter("harmony")[0].decoders["harmony"](options), change

    def feed(self, data: Any) -> list[Event]:
        return [self.change(event) for event in self.inner.feed(data)]

    def finish(self, reason: Any = None) -> list[Event]:
        return [self.change(event) for event in self.inner.finish(reason)]

    def cancel(self) -> list[Event]:
        return [self.change(event) for event in self.inner.cancel()]


def as_an_answer(event: Event, kind: type[Start] | type[End]) -> Event:
    """Return a start or an end of a preamble as that of an answer."""
    if isinstance(event, kind) and event.message.intent == "preamble":
        return event._replace(message=replace(event.message, channel="final", intent=None))
    return event


@pytest.mark.parametrize(
    ("kind", "keeps_encoder", "message"),
    [
        (End, False, "the messages of the End events are not those of the document"),
        (Start, True, "a text of the format has other messages after its decoder and its encoder"),
    ],
)
def test_streams_of_a_text_before_a_call_are_checked_without_luck(
    unshrunk: None, kind: type[Start] | type[End], keeps_encoder: bool, message: str
) -> None:
    """A decoder may announce such a text as an answer; an encoder that writes it at once writes another message."""
    harmony = adapter("harmony")[0]

    def decoder(options: Options) -> Any:
        return Heard(options, lambda event: as_an_answer(event, kind))

    decoders: Any = {"harmony": decoder}
    encoders: Any = harmony.encoders if keeps_encoder else {}
    with pytest.raises(AssertionError, match=message):
        check_streams(replace(harmony, decoders=decoders, encoders=encoders), examples=1)


def test_a_delta_without_text_is_an_error_of_the_decoder() -> None:
    begun = Message("user", "", end=None)
    events = [Start(0, begun), Delta(0, ""), End(0, begun), Stop("stop", Transcript())]
    with pytest.raises(AssertionError, match="a Delta of message 0 has no text; emit none if there is no text"):
        check_order(events)


def test_an_exception_of_a_writer_is_raised_with_the_document() -> None:
    class Failing(Frames):
        def enclose(self, *arguments: Any, **options: Any) -> Any:
            raise LookupError("no such frame")

    with pytest.raises(LookupError) as caught:
        check_bytes(replace(adapter("chatml")[0], writes_units=Failing))
    assert 'document: {"type":"transcript","messages":[' in caught.value.__notes__[0]


def test_a_kit_without_hypothesis_names_the_extra() -> None:
    program = "import sys; sys.modules['hypothesis'] = None; import ocml_bridge.testing"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "hypothesis is missing: pip install 'ocml-convert[testing]'" in done.stderr


@pytest.mark.parametrize(
    ("check", "given", "why"),
    [
        (
            check_streams,
            replace(adapter("chatml")[0], decoders={}, encoders={}),
            "no decoder and no encoder of its texts",
        ),
        (check_streams, "openai", "openai is not a text format"),
        (check_spans, "openai", "openai has no frame_marks"),
    ],
)
def test_a_check_that_does_not_apply_is_skipped_with_a_reason(check: Callable[..., None], given: Any, why: str) -> None:
    with pytest.raises(SkipTest, match=why):
        check(given)


def never(source: Source) -> int:
    return 0


def always(source: Source) -> int:
    return 3


def test_a_sniffer_that_does_not_know_its_own_format_is_caught() -> None:
    with pytest.raises(AssertionError, match="a-format: sniff gives 0 for a sample"):
        check_samples(replace(adapter("chatml")[0], id="a-format", sniff=never), [CHATML])


def test_a_sniffer_that_takes_other_formats_for_its_own_is_caught() -> None:
    with pytest.raises(AssertionError, match="a-format: sniff gives 3 for what is certainly"):
        check_samples(replace(adapter("chatml")[0], id="a-format", sniff=always), [CHATML])


def test_a_sniffer_that_fails_is_caught() -> None:
    def fails(source: Source) -> int:
        raise LookupError("it looks for what is not there")

    with pytest.raises(LookupError):
        check_samples(replace(adapter("chatml")[0], sniff=fails), [CHATML])


def test_the_laws_are_checked_with_the_values_of_a_formats_own_options(unshrunk: None) -> None:
    """Names are lost without a report, but only with one value of the option."""
    lying = FormatOption("names", "Whether names are written.", "yes", ("yes", "no"))

    class Pretending(Frames):
        def nearest(self, message: Message, index: int, log: Log) -> Message | None:
            pretends = lying.of(self.options) == "no" and isinstance(message.content, str)
            return message if pretends else super().nearest(message, index, log)

    check_adapter(replace(adapter("chatml")[0], writes_units=Pretending), examples=50)
    with pytest.raises(AssertionError):
        check_adapter(replace(adapter("chatml")[0], writes_units=Pretending, options=(lying,)))


def unguarded(policy: Policy) -> Callable[[Options], Frames]:
    """Writes ChatML with a fixed policy for control tokens instead of that of the options."""
    return lambda options: Frames(replace(options, control_tokens=policy))


def test_a_format_whose_contents_make_its_own_tokens_is_caught() -> None:
    """The token has no meaning for the reader: only the adapter's own list shows that it has one for a model."""
    chatml = adapter("chatml")[0]
    careless = replace(chatml, id="a-format", writes_units=unguarded("raw"), frame_tokens=lambda: ("<|im_sep|>",))
    with pytest.raises(AssertionError, match="voice"):
        all_laws(Transcript((Message("user", "a<|im_sep|>b"),)), careless)


def test_a_token_that_is_broken_without_a_report_is_caught() -> None:
    class Silent(Frames):
        def write_unit(self, *arguments: Any, log: Log, **options: Any) -> Any:
            return super().write_unit(*arguments, log=Log(), **options)

    with pytest.raises(AssertionError, match=r"1 U\+200B are in the output and not in the document"):
        all_laws(Transcript((Message("user", "<|im_end|>"),)), replace(adapter("chatml")[0], writes_units=Silent))


def test_a_writer_that_ignores_the_policy_refuse_is_caught() -> None:
    careless = replace(adapter("chatml")[0], writes_units=unguarded("neutralise"))
    with pytest.raises(AssertionError, match=r"refuse'\) is ignored at /messages/0/content.*options\.control_tokens"):
        all_laws(Transcript((Message("user", "<|im_end|>"),)), careless)


def test_a_format_without_a_list_of_added_tokens_is_caught() -> None:
    with pytest.raises(AssertionError, match=r"set the adapter's added_tokens to other_tokens\(TOKENS\)"):
        check_adapter(replace(adapter("chatml")[0], added_tokens=None), examples=1)


@pytest.mark.parametrize(
    ("marks", "advice"),
    [
        pytest.param(
            FrameMarks(("<|im_start|>",), ("<|im_end|>",), "assistant"),
            "FrameMarks.prompt has to match exactly what is between the start token and the end of the prompt",
            id="prompt is too short",
        ),
        pytest.param(
            FrameMarks(("<|im_start|>",), ("<|im_end|>",), "model\n"),
            "FrameMarks.prompt has to match exactly what is between the start token and the end of the prompt",
            id="prompt is none of a frame",
        ),
        pytest.param(
            FrameMarks(("<|im_start|>",), ("<|im_end|>",), "[a-z]+\n"),
            "FrameMarks.prompt has to match exactly what is between the start token and the end of the prompt",
            id="prompt is that of any frame",
        ),
        pytest.param(
            FrameMarks(("<|im_start|>",), ("<|end|>",), "assistant\n"),
            "add the token to FrameMarks.ends",
            id="end is another token",
        ),
    ],
)
def test_marks_that_do_not_fit_the_frames_are_caught(marks: FrameMarks, advice: str, unshrunk: None) -> None:
    with pytest.raises(AssertionError, match=advice):
        check_spans(replace(adapter("chatml")[0], frame_marks=marks), examples=50)


def test_a_wrong_prompt_of_a_format_without_open_turns_is_caught_by_its_sampled_spans(unshrunk: None) -> None:
    class Closed(Frames):
        def prepare(self, conversation: Conversation, log: Log) -> Prepared:
            prepared = super().prepare(conversation, log)
            return prepared._replace(around=replace(prepared.around, open_turn=None))

    marks = FrameMarks(("<|im_start|>",), ("<|im_end|>",), "model\n")
    with pytest.raises(AssertionError, match=r"of the assistant is not sampled; FrameMarks\.prompt has to match"):
        check_spans(replace(adapter("chatml")[0], writes_units=Closed, frame_marks=marks), examples=50)


def test_a_reader_with_quadratic_time_is_caught() -> None:
    class Searching(TextReader):
        def split_units(self, source: str, log: Log) -> SplitDocument:
            assert all(source[at:].count("<|im_never|>") == 0 for at in range(0, len(source), 24))
            return super().split_units(source, log)

    with pytest.raises(AssertionError, match=r"the reader takes \d+ times as long for a document 8 times as large"):
        check_growth(replace(adapter("chatml")[0], reads_units=Searching))


def test_a_nearest_message_that_depends_on_the_content_is_caught_with_the_difference() -> None:
    """The engine calls the method once, with a placeholder for the content, and keeps the result for equal heads."""

    class Reading(Frames):
        def nearest(self, message: Message, index: int, log: Log) -> Message | None:
            if message.content == "no":
                message.role = "system"
            return super().nearest(message, index, log)

    document = Transcript((Message("user", "no"),))
    with pytest.raises(AssertionError) as caught:
        plans_change_nothing(document, replace(adapter("chatml")[0], writes_units=Reading))
    message = str(caught.value)
    assert "a document is written otherwise with plans than without" in message
    assert "output with plans: b'<|im_start|>user\\nno<|im_end|>" in message
    assert "output without: b'<|im_start|>system\\nno<|im_end|>" in message
    assert 'document: {"type":"transcript","messages":[{"role":"user","content":"no"' in message
    assert "`nearest` may depend on the content of a message only in content" in message


def test_a_check_of_frames_comes_before_the_refusal_of_a_later_conversation() -> None:
    """A stream meets the frames in this order, so a reader that checks them refuses a text for the same reason."""
    grammar = Grammar(("<start>",), ("<end>",))
    text = "<start>user\nHi<end><bos><start>user\nBye<end>"
    frames: list[str] = []
    with pytest.raises(BridgeError, match="OCB-SEVERAL"):
        grammar.frames(text, lambda frame: frames.append(frame.body))
    assert frames == ["Hi"]


def test_an_output_that_its_reader_refuses_is_shown() -> None:
    class Unending(Frames):
        def enclose(self, *arguments: Any, **options: Any) -> Any:
            return super().enclose(*arguments, **options)._replace(output="no frames")

    with pytest.raises(AssertionError, match=r"the output cannot be read: OCB-.*\ndocument: .*\noutput: no frames"):
        all_laws(Transcript((Message("user", "Hi"),)), replace(adapter("chatml")[0], writes_units=Unending))


def test_a_text_format_without_tokens_is_warned_that_none_are_checked() -> None:
    silent = replace(adapter("chatml")[0], id="a-format", frame_tokens=None, frame_marks=None)
    with pytest.warns(UserWarning, match=r"a-format names neither frame_tokens nor frame_marks.*law 13"):
        check_adapter(silent, documents=st.just(Transcript()), examples=1)


def test_the_search_for_a_smaller_document_ends() -> None:
    tried = 0

    def law(numbers: list[int]) -> None:
        nonlocal tried
        tried += 1
        assert sum(numbers) < 10_000

    with pytest.raises(AssertionError):
        draw(st.lists(st.integers(), max_size=50), law, 100)
    assert tried <= 100 + 500 + 5
