"""Many streams at once: none lost, none mixed up, memory flat, and no dearer than passing them through."""

from __future__ import annotations

import pytest

from gateway.load import measure


def test_a_few_streams_at_once() -> None:
    ((gateway, passed, direct),), _ = measure(20, 1)
    assert (gateway.wrong, passed.wrong, direct.wrong) == (0, 0, 0)
    assert gateway.tokens == passed.tokens == direct.tokens == 20 * 5


@pytest.mark.long
def test_many_streams_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    ((gateway, passed, direct),), memory = measure(1000, 20)
    with capsys.disabled():
        print(f"\n{gateway}\n{passed}\n{direct}\nMB {memory}")
    assert (gateway.wrong, passed.wrong, direct.wrong) == (0, 0, 0)
    assert gateway.cpu < passed.cpu * 1.5
    assert gateway.p50 < passed.p50 * 3
    # What a stream needs it needs at its beginning: twenty seconds take no more than one.
    assert memory[2] < memory[1] * 1.5
