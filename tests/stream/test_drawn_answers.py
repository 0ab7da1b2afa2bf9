"""No word of an answer is lost, however it goes wrong: 5,000 drawn ones, beside the official parser in tolerant mode.

Either official library serves (`openai-harmony`, `oss-harmony`); the one that is installed is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from drawn_answers import FUNCTIONS, Writer
from harmony_answers import declaring
from harmony_judge import library
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge.events import Decoder, Event, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.model import Transcript
from ocml_bridge.profiles import profile
from ocml_bridge.stream.accumulate import accumulate
from ocml_bridge.stream.decoder import text_of

WORD = re.compile(r"w\d+")
REST = "the rest is left out"
"""The end of the finding that an answer ends before its text does."""
READERS = {form: profile("gpt-oss", form).answering(declaring(*FUNCTIONS)) for form in ("harmony", "harmony-tokens")}


def words(text: str) -> set[str]:
    return set(WORD.findall(text))


def in_messages(document: Transcript) -> set[str]:
    """The words of all messages: their contents, and prose in place of a header."""
    headers = [str((message.extras or {}).get("harmony", {}).get("header", "")) for message in document.messages]
    return words(" ".join([*map(text_of, document.messages), *headers]))


def read_by(source: Decoder, answer: str | Sequence[int], cuts: list[int]) -> tuple[Transcript, bool]:
    """The document of an answer that comes in pieces, and whether a finding reports that the rest is no part of it."""
    pieces = [answer[one:other] for one, other in pairwise([0, *cuts, len(answer)])]
    events: list[Event] = []
    for piece in pieces:
        events += source.feed(piece) if isinstance(piece, str) else source.feed_tokens(piece)
    events += source.finish("stop")
    stop = events[-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    accumulated = accumulate(events)
    assert isinstance(accumulated, Transcript)
    assert accumulated.messages == stop.document.messages
    return stop.document, any(isinstance(event, Finding) and event.detail.endswith(REST) for event in events)


def read_officially(ids: Sequence[int]) -> set[str]:
    """The words in bodies, as the official parser has them that raises as little as it can."""
    h = library()
    parser: Any = h.StreamableParser(load_encoding(), h.Role.ASSISTANT, strict=False)
    try:
        for number in ids:
            parser.process(number)
        parser.process_eos()
    except h.HarmonyError:
        pass  # what came before is what it read
    return words(" ".join(part.text for message in parser.messages for part in message.content))


def fields(document: Transcript) -> list[Any]:
    return [(each.role, each.name, each.channel, each.recipient, each.content) for each in document.messages]


def check(count: int, seed: int) -> None:
    library()
    encoding, writer, random, cut = load_encoding(), Writer(seed), Random(seed), 0
    for _ in range(count):
        answer = writer.answer()
        ids = encoding.encode(answer, allowed_special="all")
        documents = [
            read_by(source.copy(), given, sorted(random.sample(range(len(given)), min(3, len(given)))))
            for source, given in zip(READERS.values(), (answer, ids), strict=True)
        ]
        (document, is_cut), (by_ids, is_cut_by_ids) = documents
        assert (fields(document), is_cut) == (fields(by_ids), is_cut_by_ids), f"text and ids: {answer}"
        if is_cut:
            cut += 1
            assert document.messages, f"nothing is left: {answer}"
            continue
        assert words(answer) <= words(repr(document)), f"gone: {answer}"
        assert read_officially(ids) & set(writer.body_words) <= in_messages(document), (
            f"the official parser has: {answer}"
        )
    assert cut < count / 3


def test_no_word_is_lost() -> None:
    check(150, 1)


@pytest.mark.long
def test_no_word_of_5000_answers_is_lost() -> None:
    check(5_000, 2)
