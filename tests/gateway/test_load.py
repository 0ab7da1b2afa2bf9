"""500 streams at once for 20 seconds: none lost, none mixed up, and memory flat."""

from __future__ import annotations

import pytest

from gateway.load import measure


def test_a_few_streams_at_once() -> None:
    through, direct, _ = measure(20, 1)
    assert (through.wrong, direct.wrong) == (0, 0)
    assert through.tokens == direct.tokens == 20 * 5


@pytest.mark.long
def test_many_streams_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    through, direct, memory = measure(500, 20)
    with capsys.disabled():
        print(f"\n{through}\n{direct}\nMB {memory}")
    assert (through.wrong, direct.wrong) == (0, 0)
    # What a stream needs it needs at its beginning: twenty seconds take no more than one.
    assert memory[2] < memory[1] * 1.5
