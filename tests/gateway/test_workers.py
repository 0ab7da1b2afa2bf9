"""Large values are freed behind the work that threw them away, bit by bit; errors do not keep them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator

import pytest

from ocml_bridge.hosts.gateway.workers import discard, uncollected


class Item:
    """Tells when it is freed."""

    freed = 0

    def __del__(self) -> None:
        Item.freed += 1


@pytest.fixture(autouse=True)
def _nothing_freed_yet() -> Generator[None]:
    Item.freed = 0
    yield
    assert gc.isenabled()


VALUES: dict[str, Callable[[list[Item]], object]] = {
    "list": lambda items: list(items),
    "tuple": lambda items: tuple(items),
    "dict": lambda items: dict(enumerate(items)),
    "in others": lambda items: {"messages": [(1, list(items))]},
}


@pytest.mark.parametrize("shape", VALUES)
def test_discarded_values_are_freed_after_the_work(shape: str) -> None:
    def work(count: int) -> int:
        value = VALUES[shape]([Item() for _ in range(count)])
        discard(value)
        del value
        return Item.freed

    assert uncollected(work, 2_500) == 0
    assert Item.freed == 2_500


def test_an_error_does_not_keep_discarded_values() -> None:
    def work(count: int) -> None:
        value = {number: Item() for number in range(count)}
        discard(value)
        try:
            raise KeyError(len(value))
        except KeyError as error:
            raise ValueError(len(value)) from error

    with pytest.raises(ValueError, match="2500"):
        uncollected(work, 2_500)
    assert Item.freed == 2_500


def test_small_values_are_freed_as_ever() -> None:
    def work(count: int) -> int:
        value = [Item() for _ in range(count)]
        discard(value)
        del value
        return Item.freed

    assert uncollected(work, 10) == 10
    discard([Item()])
    assert Item.freed == 11
