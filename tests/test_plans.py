"""Plans change only the time: output, losses, findings and image are the same as without plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import product
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus import corpus_cases
from ocml_bridge import (
    BridgeError,
    Document,
    Message,
    Options,
    Transcript,
    convert,
    formats,
    read,
    write,
)
from ocml_bridge.engine.plans.probes import probe
from ocml_bridge.model import CacheMark, Json, Tool
from ocml_bridge.registry import adapter
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing import strategies
from ocml_bridge.testing.plans import everything_read, everything_written
from sampling import examples, formats_in_turn, some_formats

PLAIN = Options(plans=False, force_format=True)
PLANNED = Options(force_format=True)
SETTINGS = [
    Options(control_tokens="raw"),
    Options(control_tokens="refuse"),
    Options(training=True),
    Options(format_options={"reasoning": "reasoning_content"}),
    Options(special_tokens=("hi", "tool")),
]


def check(document: Document, names: Sequence[str] | None = None) -> None:
    for name in formats() if names is None else names:
        assert everything_written(document, name, PLANNED) == everything_written(document, name, PLAIN)
        data = write(document, name, options=PLAIN, policy=LENIENT).encode()
        assert everything_read(data, name, PLANNED) == everything_read(data, name, PLAIN)


@given(strategies.documents())
def test_a_drawn_document_is_converted_as_without_plans(document: Document) -> None:
    check(document)


def check_from(sources: Sequence[str], document: Document) -> None:
    for source in sources:
        data = write(document, source, options=PLAIN, policy=LENIENT).encode()
        check(read(data, source, options=PLAIN).transcript)


@examples(80)  # each is written in every format as it comes from some, with plans and without
@given(strategies.documents(), some_formats(4))
def test_a_document_from_another_format_is_converted_as_without_plans(
    document: Document, sources: Sequence[str]
) -> None:
    check_from(sources, document)


@pytest.mark.long
@settings(max_examples=1000)
@given(strategies.documents())
def test_a_document_from_another_format_is_converted_as_without_plans_at_length(document: Document) -> None:
    check_from(formats(), document)


@pytest.mark.long
@settings(max_examples=5000)
@given(strategies.documents())
def test_a_drawn_document_is_converted_as_without_plans_at_length(document: Document) -> None:
    check(document)


def test_text_that_utf_8_cannot_represent_is_converted_as_without_plans() -> None:
    check(Transcript((Message("user", "half a pair: \ud83d"), Message("assistant", "yes", channel="final"))))


def test_real_documents_are_converted_as_without_plans() -> None:
    for number, case in enumerate(corpus_cases()):
        if number % SAMPLE == 0:
            assert everything_read(case.data, case.format, PLANNED) == everything_read(case.data, case.format, PLAIN)
            try:
                check(read(case.data, case.format, options=PLAIN).transcript, formats_in_turn(number // SAMPLE, 6))
            except BridgeError:
                continue


SAMPLE = 17
"""One of so many real documents is checked."""


THOUGHT = Message("assistant", "Hm.", channel="analysis")
CALLED = Message("assistant", "", "f", "commentary", "x", "", constraint="json", end="call")
TOKEN = Message("assistant", "<|im_start|>", channel="commentary", intent="preamble")
CALL = Message("assistant", "{}", None, "commentary", "functions.f", "call_1", constraint="json", end="call")
REPLY = Message("tool", "", "functions.f", "commentary", "assistant", "c1")


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(Transcript((CALLED,)), id="an empty id"),
        pytest.param(Transcript((CALLED, replace(REPLY, call_id=None))), id="a reply to a call with an empty id"),
        pytest.param(Transcript((Message("assistant", "<|start_reflect|>", channel="analysis"),)), id="a marker"),
        pytest.param(Transcript((THOUGHT, Message("system", ""), Message("user", "a")), (Tool("x"),)), id="tools"),
        pytest.param(Transcript((), (Tool("x", namespace="<|start|>"),)), id="a token in tools"),
        pytest.param(Transcript((TOKEN, CALL, REPLY, REPLY)), id="two replies to a call that becomes text"),
    ],
)
def test_documents_of_earlier_bugs_are_converted_as_without_plans(document: Transcript) -> None:
    check(document)


DIALECTS = [f"{name}:{dialect}" for name in formats() for dialect in adapter(name)[0].dialects]


@given(strategies.documents(), st.sampled_from(SETTINGS))
def test_documents_are_converted_as_without_plans_with_any_options(document: Document, options: Options) -> None:
    for target in [*formats(), *DIALECTS]:
        planned = everything_written(document, target, options)
        plain = everything_written(document, target, replace(options, plans=False))
        # Where several places are refused, either may be named first.
        refused = options.control_tokens == "refuse" and isinstance(planned, str) and isinstance(plain, str)
        assert refused or planned == plain, target


NAMED = (Options(format_options={"bos": "<bot>", "eos": "<eot>"}), Options(special_tokens=("<bot>", "<eot>")))


@pytest.mark.parametrize("options", NAMED, ids=["edges", "tokens"])
def test_tokens_that_options_name_are_broken_with_plans_and_without(options: Options) -> None:
    document = Transcript((Message("user", "a <bot> b <eot>"), Message("assistant", "<eot>", channel="final")))
    for target in formats():
        planned = write(document, target, options=options, policy=LENIENT)
        plain = write(document, target, options=replace(options, plans=False), policy=LENIENT)
        assert (planned.encode(), planned.losses) == (plain.encode(), plain.losses)
        for source in ("ocm-0.1", target):
            data = write(document, source, options=options, policy=LENIENT).encode()
            assert everything_read(data, source, options) == everything_read(
                data, source, replace(options, plans=False)
            )


ODD_BODIES: dict[str, tuple[str, str]] = {
    "internlm2": ("<|im_start|>user\n{}<|im_end|>\n", "<|plugin|>"),
    "ocm-0.1": ("[BOS]<|im_start|>user\n{}\n<|im_end|>\n[EOS]", "<|fim_prefix|>"),
    "ocm-2.2": ("version: 2.2\n<|start|>user<|message|>{}<|end|>\n", "<|literal|>x<|endliteral|>"),
}
"""A text of the format, and a body in it with another than the default spelling."""


@pytest.mark.parametrize("target", ODD_BODIES)
def test_a_kept_spelling_is_written_only_for_its_own_content(target: str) -> None:
    text, body = ODD_BODIES[target]
    odd = cast("Transcript", read(text.format(body), target).transcript).messages[0]
    others = [replace(odd, content=content) for content in "abc"]
    document = Transcript((odd, others[0], odd, others[1], odd, others[2]))
    assert everything_written(document, target, PLANNED) == everything_written(document, target, PLAIN)
    assert str(write(document, target, options=PLANNED).output).count(body) == 3


@pytest.mark.parametrize("behind", ["<", "<<", "<|", "\n", " "])
def test_a_truncated_text_is_read_as_without_plans_whatever_its_end(behind: str) -> None:
    for target, begun in (
        ("ocm-2.2", "version: 2.2\n<|start|>user<|message|>"),
        ("harmony", "<|start|>user<|message|>"),
    ):
        for text in ("a", "b", "c", f"d{behind}"):
            data = f"{begun}{text}".encode()
            assert everything_read(data, target, PLANNED) == everything_read(data, target, PLAIN)


class Role(StrEnum):
    USER = "user"


@pytest.mark.parametrize("target", formats())
def test_values_that_are_not_literals_are_written_as_without_plans(target: str) -> None:
    """A message made in Python may have members of enumerations, numbers that JSON does not have, or other marks."""
    marked = Message("user", "d", cache=cast("CacheMark", {"type": "ephemeral"}))
    odd = Message(Role.USER, "a"), Message(Role.USER, "b", weight=float("inf")), Message("user", "c"), marked
    for message in odd:
        document = Transcript((message,))
        assert everything_written(document, target, PLANNED) == everything_written(document, target, PLAIN)


@pytest.mark.parametrize("target", formats())
def test_a_text_that_looks_like_a_probe_is_written_as_without_plans(target: str) -> None:
    probes = [probe(number) for number in range(4)]
    texts = [*probes, "".join(probes), f"<|end|>{probes[0]}"]
    for text, name in product(texts, (None, *probes)):
        document = Transcript((Message("user", text, name), Message("assistant", "x", channel="final")))
        assert everything_written(document, target, PLANNED) == everything_written(document, target, PLAIN)


def test_a_change_of_a_result_does_not_change_the_next_conversion() -> None:
    answer = b'{"reasoning_content":"b","content":"c","role":"assistant"}'
    data = b'{"messages":[{"content":"a","role":"user"},%b],"model":"m"}' % answer
    for target in formats():
        first = convert(data, source="openai", target=target)
        before = first.encode()
        transcript = cast("Transcript", first.transcript)
        assert transcript.settings is not None
        transcript.settings.model = "another"
        for message in transcript.messages:
            message.content, message.role = "changed", "system"
            for members in (message.layout or {}).values():
                members.clear()
        if not isinstance(first.output, str):
            cast("dict[str, Json] | list[Json]", first.output).clear()
        assert convert(data, source="openai", target=target).encode() == before
