"""Recognise events of a stream that differ from the one before only in a text, without parsing them.

Nearly every event of an answer only has more text. Apart from it, and from numbers and padding that say nothing, it is
the same as the event before. So an event is split at its text, and what comes next is compared with the pieces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from json import JSONDecodeError, decoder, dumps
from typing import Final, NamedTuple, cast

from ..errors import BridgeError
from ..json_values import jsontext
from ..json_values.form import Object
from .sse import LIMIT

PATIENCE: Final = 16
"""How many events are split in vain before no more are."""
_PROBE: Final = "\x1a0"
"""Replaces the text of an event, to find out whether the event was split at its text."""
_NUMBER: Final = re.compile("0|[1-9][0-9]*")
_PADDING: Final = re.compile(r'"[^"\\\x00-\x1f]*"')
_scan: Final[Callable[[str, int], tuple[str, int]]] = vars(decoder)["scanstring"]
"""Returns the string of JSON after an opening quotation mark, and the index after its closing one."""


class Frame(NamedTuple):
    """An event as it stands in a stream.

    Attributes:
        before: what stands before its data.
        data: its data: JSON.
        behind: what stands behind its data.
    """

    before: str
    data: str
    behind: str


class MoreText(NamedTuple):
    """What an event has that only has more text of a message.

    Attributes:
        text: the text.
        take: takes the text of an event that is otherwise equal, as the decoder would take that event. It is a method
            of the decoder, perhaps with arguments (`partial`), so that it is copied with the decoder.
    """

    text: str
    take: Callable[[str], None]


Read = Callable[[Object], MoreText | None]
"""Returns what an object has that only has more text; None for any other object."""


class Repeats:
    """Recognises events that are equal to the last one but for a text.

    Args:
        varying: the keys of members that say nothing: a whole number, or a string without escapes.
    """

    def __init__(self, varying: Collection[str] = ()) -> None:
        keys = "|".join(map(re.escape, varying))
        self._varying: Final = re.compile(rf'"(?:{keys})": ?([0-9]+(?=[,}}])|"[^"\\]*")') if varying else None
        self._take: Callable[[str], None] | None = None
        self._steps: list[tuple[str, int, re.Pattern[str] | None]] = []
        """The pieces of the event, each with its length and with what matches what follows it; None for the text."""
        self._end = ""
        """The last piece."""
        self._unused = 0

    def take(self, stream: str, at: int) -> int:
        """Take an event if it is equal to the one that was learned but for its text.

        Args:
            stream: a piece of the stream.
            at: where the event begins in it.

        Returns:
            Where it ends; `at` if there is no such event.
        """
        take = self._take
        if take is None or len(stream) > LIMIT:  # a line in it may be too long
            return at
        end, text = at, ""
        for piece, length, pattern in self._steps:
            if not stream.startswith(piece, end):
                return at
            end += length
            if pattern is not None:
                match = pattern.match(stream, end)
                if match is None:
                    return at
                end = match.end()
                continue
            try:
                text, end = _scan(stream, end)
            except JSONDecodeError:
                return at
        if not text or not stream.startswith(self._end, end):
            return at
        self._unused = 0
        take(text)
        return end + len(self._end)

    def forget(self) -> None:
        """Forget the event that was learned: another one comes, which may change what such an event means."""
        self._take = None

    def learn(self, frame: Frame, value: Object, read: Read) -> None:
        """Learn an event, if it only has more text.

        Args:
            frame: the event.
            value: its data, parsed.
            read: reads such an object.
        """
        more = read(value) if self._unused < PATIENCE else None
        if more is None or not more.text:
            return
        self._unused += 1
        places = self._places(more.text, frame.data)
        if places is None:
            return
        at, pieces = 0, list[str]()
        for place in places:
            pieces.append(frame.data[at : place.start])
            at = place.end
        last = frame.data[at:]
        fillings = [_FILLINGS[place.pattern] for place in places]
        probed = "".join([*(part for pair in zip(pieces, fillings, strict=True) for part in pair), last])
        if _text_of(probed, read) == _PROBE:
            pieces[0] = frame.before + pieces[0]
            patterns = [place.pattern for place in places]
            self._steps = list(zip(pieces, map(len, pieces), patterns, strict=True))
            self._end = last + frame.behind
            self._take = more.take

    def _places(self, text: str, data: str) -> list[_Place] | None:
        """Return where a text and what varies stand in data; None if the text does not stand in it exactly once."""
        spellings = {dumps(text), dumps(text, ensure_ascii=False)}
        texts = [match for spelling in spellings for match in re.finditer(re.escape(spelling), data)]
        if len(texts) != 1:
            return None
        varying = () if self._varying is None else self._varying.finditer(data)
        places = [_Place(*match.span(1), _PADDING if match[1][0] == '"' else _NUMBER) for match in varying]
        return sorted([_Place(texts[0].start() + 1, texts[0].end(), None), *places], key=lambda place: place.start)


class _Place(NamedTuple):
    """Where something stands in data that differs from event to event.

    Attributes:
        start: the index of its first character.
        end: the index after its last one.
        pattern: matches all that may stand there; None for the text, after its opening quotation mark.
    """

    start: int
    end: int
    pattern: re.Pattern[str] | None


_FILLINGS: Final = {None: dumps(_PROBE)[1:], _NUMBER: "0", _PADDING: '""'}
"""What may stand at a place, by its pattern."""


def _text_of(data: str, read: Read) -> str | None:
    """Return the text of an event that only has more text; None for any other."""
    try:
        value = jsontext.loads(data)
    except BridgeError:
        return None
    more = read(cast("Object", value)) if isinstance(value, dict) else None
    return None if more is None else more.text
