"""Check that texts which are read without being parsed read as those that are parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any, Final

from .. import registry
from ..engine.plans.pieces import Splitter, splitter_for
from ..engine.reading import Reader
from ..errors import BridgeError
from ..formats.adapter import Adapter, Kind, Options
from ..formats.source import decode
from ..loss import Log
from ..units.conversation import whole

_TIMES: Final = 7
"""How often a text is read before similar ones are read by its plan."""
_LONG: Final = (64, 65, 201)
"""Lengths at which some texts are no longer part of a key."""
ODD: Final = (
    *("", " ", "\n", "x", " lead", "trail ", "trail\n", "\x00", "\x1f", "\ufeffx", "\u200b", "\u00e9\u2028\U0001f600"),
    *('"', "\\", '\\"', 'quote " and \\', "null", "true", "12", "{}", "[]", '{"a": 1}', '{"a":1}', " {"),
    *("<|im_end|>", "<|end|>", "<think>a</think>b", "<tool_call>", "<image>", "|start_of_thought|", "## Tools"),
    *("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA", "https://a.b/c.png", "file-abc", "iVBORw0KGgoAAAANSUhEUgAA"),
    *("# Tools\n\nx", "# Instructions\n\nx", "[{}]", "List of tools: []", "<", "<|", "a < b", "</s>", "a\r", "\na"),
    *("<|start|>user<|message|>x<|end|>", "<|im_start|>user\nx<|im_end|>\n", "<|\u200bend|>", "<\u200b|im_end|>"),
    *("user", "assistant", "system", "tool", "call_1", "call_2", "a b c", "functions.f", "Probe0001Text", "[BOS]"),
    *("x" * length for length in _LONG),
)
"""Texts that a format may treat in a special way."""


def texts_change_nothing(data: str | bytes, adapter: str | Adapter, odd: Sequence[str] = ODD) -> int:
    """Check that texts with other strings in places of a text are read as a reader without plans reads them.

    Args:
        data: any text.
        adapter: the format.
        odd: the strings; each is put into one place, and some into all places at once.

    Returns:
        How many texts were read without being parsed.
    """
    found, _ = registry.adapter(adapter)
    grammar = found.reads_units(Options(force_format=True))
    splitter = splitter_for(grammar)
    text = None if splitter is None else splitter.split(data)
    if splitter is None or text is None:
        return 0
    reader, without = Reader(grammar), Reader(grammar, plans=False)
    for _ in range(_TIMES):
        read_by(reader, data, found.kind)
    count = 0
    for pieces in edited(splitter, text.pieces, odd):
        like = splitter.joined(pieces)
        by_plan, is_planned = read_by(reader, like, found.kind)
        parsed, _ = read_by(without, like, found.kind)
        assert by_plan == parsed, (
            f"a text reads otherwise if it is not parsed\nas one like others: {by_plan}\nparsed: {parsed}\n"
            f"source: {like!r}\n"
            "what to do: `are_only_values` of the UnitReader may return True only for texts that no key depends on"
        )
        count += is_planned
    return count


def read_by(reader: Reader, data: str | bytes, kind: Kind = Kind.JSON) -> tuple[str, bool]:
    """Return all that a reader reads in a text, or its error; and whether the text was not parsed."""
    text, log = reader.split_text(data), Log()
    known = None if text is None else reader.read_text(text)
    if known is not None:
        return f"{whole(known)} {[] if known.plan is None else [*known.plan.findings]}", True
    try:
        document = reader.read(decode(data, kind, log), log, text)
    except BridgeError as error:
        return str(error), False
    return f"{whole(document)} {log.findings}", False


def edited(splitter: Splitter, pieces: Sequence[Any], odd: Sequence[str]) -> Iterator[list[Any]]:
    """Yield a text with each of some strings in a place, and with every seventh of them in all places."""
    places = [at for at in range(splitter.first, len(pieces), 2) if not splitter.is_key(pieces, at)]
    for number, (string, place) in enumerate(zip(odd, cycle(places), strict=False)):
        edited = [*pieces]
        for at in [place] if number % 7 else places:
            edited[at] = splitter.spelled(string)
        yield edited
