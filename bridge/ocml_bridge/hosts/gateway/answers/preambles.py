"""Handle preambles, which the model writes to the user before a call: as content, as reasoning, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from ....chat.visibility import is_preamble
from ....events import Delta, End, Event, PartEnd, RefusalDelta, Signed, Start
from ....model import replace

PreambleMode = Literal["content", "reasoning", "nothing"]


class Preambles:
    """Turns preambles that are known as such when they begin into reasoning, or removes them.

    Args:
        mode: `reasoning` or `nothing`.
    """

    def __init__(self, mode: PreambleMode) -> None:
        self._drops: Final = mode == "nothing"
        self._numbers: set[int] = set()

    def apply(self, events: Sequence[Event]) -> list[Event]:
        """Return the events without preambles."""
        out: list[Event] = []
        for event in events:
            if isinstance(event, Start) and is_preamble(event.message):
                self._numbers.add(event.number)
            if isinstance(event, (Start, End)) and event.number in self._numbers:
                if not self._drops:
                    out.append(event._replace(message=replace(event.message, channel="analysis", intent=None)))
            elif isinstance(event, PartEnd) and event.number in self._numbers:
                pass  # reasoning has no parts that end
            elif not (
                self._drops and isinstance(event, (Delta, RefusalDelta, Signed)) and event.number in self._numbers
            ):
                out.append(event)
        return out
