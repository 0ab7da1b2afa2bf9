"""Ids of calls as they come (§6, §8.2): every call has one, and its reply echoes it."""

from __future__ import annotations

from ocml_bridge.events import Answer, Start
from ocml_bridge.pairing import Pairing
from ocml_bridge.turns import is_call


class CallIds:
    """Gives each call without an id one, and each reply without one its call's, as `pairing.identified` does.

    Args:
        answer: gives the ids; one that is taken already is passed over.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._pairing = Pairing()
        self._ids: dict[int, str | None] = {}
        self._taken: set[str] = set()
        self._made = 0

    def of(self, start: Start) -> str | None:
        """The call id of a message that begins; messages are asked for in order, each once."""
        number, message = start
        answered = self._pairing.feed(number, message)
        known = message.call_id
        if known is None and is_call(message):
            known = self._make()
        elif known is None and answered is not None:
            known = self._ids[answered]
        if known is not None:
            self._taken.add(known)
        self._ids[number] = known
        return known

    def _make(self) -> str:
        made = ""
        # One more than there are: who gives ids may repeat them all.
        for _ in range(len(self._taken) + 1):
            made = self._answer.call_id(self._made)
            self._made += 1
            if made not in self._taken:
                break
        return made
