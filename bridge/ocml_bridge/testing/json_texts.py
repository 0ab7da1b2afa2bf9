"""Check that JSON texts which are read without being parsed read as those that are parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Final

from .. import registry
from ..engine.plans.json_texts import split_text
from ..engine.reading import Reader
from ..errors import BridgeError
from ..formats.adapter import Adapter, Kind, Options
from ..formats.source import decode
from ..json_values import jsontext
from ..loss import Log
from ..units.conversation import whole

_TIMES: Final = 6
"""How often a text is read before similar ones are read by its plan."""
_LONG: Final = (64, 65, 201)
"""Lengths at which some texts are no longer part of a key."""
ODD: Final = (
    *("", " ", "\n", "x", " lead", "trail ", "trail\n", "\x00", "\x1f", "\ufeffx", "\u200b", "\u00e9\u2028\U0001f600"),
    *('"', "\\", '\\"', 'quote " and \\', "null", "true", "12", "{}", "[]", '{"a": 1}', '{"a":1}', " {"),
    *("<|im_end|>", "<|end|>", "<think>a</think>b", "<tool_call>", "<image>", "|start_of_thought|", "## Tools"),
    *("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA", "https://a.b/c.png", "file-abc", "iVBORw0KGgoAAAANSUhEUgAA"),
    *("user", "assistant", "system", "tool", "call_1", "call_2", "a b c", "functions.f", "Probe0001Text", "[BOS]"),
    *("x" * length for length in _LONG),
)
"""Texts that a format may treat in a special way."""


def texts_change_nothing(data: bytes, adapter: str | Adapter, odd: Sequence[str] = ODD) -> int:
    """Check that texts with other strings in places of a JSON text are read as a reader without plans reads them.

    Args:
        data: any text.
        adapter: a JSON format.
        odd: the strings; each is put into one place, and some into all places at once.

    Returns:
        How many texts were read without being parsed.
    """
    text = split_text(data)
    if text is None:
        return 0
    grammar = registry.adapter(adapter)[0].reads_units(Options(force_format=True))
    reader, without = Reader(grammar), Reader(grammar, plans=False)
    for _ in range(_TIMES):
        read_by(reader, data)
    found = 0
    for like in _edited(text.pieces, odd):
        by_plan, is_planned = read_by(reader, like)
        parsed, _ = read_by(without, like)
        assert by_plan == parsed, (
            f"a text reads otherwise if it is not parsed\nas one like others: {by_plan}\nparsed: {parsed}\n"
            f"source: {like.decode('utf-8', 'replace')}\n"
            "what to do: `are_only_values` of the UnitReader may return True only for texts that no key depends on"
        )
        found += is_planned
    return found


def read_by(reader: Reader, data: bytes) -> tuple[str, bool]:
    """Return all that a reader reads in a text, or its error; and whether the text was not parsed."""
    text, log = reader.split_text(data), Log()
    known = None if text is None else reader.read_text(text)
    if known is not None:
        return f"{whole(known)} {log.findings}", True
    try:
        document = reader.read(decode(data, Kind.JSON, log), log, text)
    except BridgeError as error:
        return str(error), False
    return f"{whole(document)} {log.findings}", False


def _edited(pieces: Sequence[bytes], odd: Sequence[str]) -> Iterator[bytes]:
    """Yield a text with each of some strings in a place, and with every seventh of them in all places."""
    places = [at for at in range(1, len(pieces), 2) if not pieces[at + 1].lstrip().startswith(b":")]
    for number, (string, place) in enumerate(zip(odd, cycle(places), strict=False)):
        spelled = jsontext.dumps(string)[1:-1]
        edited = [*pieces]
        for at in [place] if number % 7 else places:
            edited[at] = spelled
        yield b'"'.join(edited)
