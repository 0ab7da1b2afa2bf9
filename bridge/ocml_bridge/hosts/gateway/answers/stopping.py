"""Find stop strings in the text that the client sees; an engine would find them in reasoning and headers, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....chat.turns import is_call
from ....chat.visibility import is_private
from ....events import Delta, End, Event, Start, Stop


class StopStrings:
    """Ends the answer at the first stop string; text that may begin one waits.

    Args:
        strings: the strings that end the answer.

    Attributes:
        found: the string that was found; after that, only the end is passed on. None before.
    """

    def __init__(self, strings: Sequence[str]) -> None:
        self._strings = [string for string in strings if string]
        self._beginnings = frozenset(string[:size] for string in self._strings for size in range(1, len(string)))
        self._longest = max(map(len, self._strings), default=1) - 1
        self._text: dict[int, str] = {}
        self.found: str | None = None

    def apply(self, events: Iterable[Event]) -> list[Event]:
        """Return the events up to a stop string."""
        if not self._strings:
            return list(events)
        out: list[Event] = []
        for event in events:
            if isinstance(event, Stop):
                out.append(event if self.found is None else event._replace(reason="stop"))
            elif self.found is None:
                self._pass(event, out)
        return out

    def _pass(self, event: Event, out: list[Event]) -> None:
        if isinstance(event, Start) and not (is_call(event.message) or is_private(event.message)):
            self._text[event.number] = ""
            out.append(event)
        elif isinstance(event, Delta) and event.number in self._text:
            self._search(event.number, event.text, out)
        elif isinstance(event, End) and event.number in self._text:
            self._say(event.number, self._text.pop(event.number), out)
            out.append(event)
        else:
            out.append(event)

    def _search(self, number: int, text: str, out: list[Event]) -> None:
        text = self._text[number] + text
        places = [(at, string) for string in self._strings if (at := text.find(string)) >= 0]
        if places:
            at, self.found = min(places)
            self._say(number, text[:at], out)
            return
        for at in range(max(0, len(text) - self._longest), len(text)):
            if text[at:] in self._beginnings:
                break
        else:
            at = len(text)
        self._text[number] = text[at:]
        self._say(number, text[:at], out)

    def _say(self, number: int, text: str, out: list[Event]) -> None:
        if text:
            out.append(Delta(number, text))
