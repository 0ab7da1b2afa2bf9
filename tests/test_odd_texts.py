"""A text with an odd spelling is written back unchanged, or has a finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from ocml_bridge import BridgeError, Options, Reading, read, write
from ocml_bridge.report.policy import LENIENT
from odd_texts import FIELDS, SPELLINGS, odd_texts
from sampling import sweep

FORCED = Options(force_format=True)


class Odd(NamedTuple):
    """An odd text, and what it reads as."""

    text: str
    reading: Reading


def readable(name: str, field: str) -> Iterator[Odd]:
    for text in sweep(odd_texts(name, field), 5):
        try:
            yield Odd(text, read(text, name, options=FORCED))
        except BridgeError:
            continue


@pytest.mark.sweep
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", SPELLINGS)
def test_a_text_without_findings_is_restored_and_any_other_is_written_as_it_was_read(name: str, field: str) -> None:
    seen = 0
    for text, reading in readable(name, field):
        seen += 1
        written = write(reading.transcript, name, policy=LENIENT)
        back = read(written.output, name, options=FORCED).transcript
        assert written.image == back, text
        if not reading.findings:
            assert written.output == text
    assert seen > 5
