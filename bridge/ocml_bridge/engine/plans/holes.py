"""Makes the function of an output plan, and finds the ids that a writer derived from others."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from ...units.conversation import ConversationPlan
from .fillers import Hole, filler
from .probes import PROBES, SUFFIX, shown

LONGEST: Final = 50_000
"""How long an output with a plan is at most without its values, in characters."""
_ID_AND_EDGES: Final = re.compile(f"([A-Za-z0-9_-]?){PROBES.pattern}([A-Za-z0-9_-]*)")
"""Matches a probe with the characters of ids before and after it."""


def build_of(
    output: Any,
    probes: Sequence[str],
    repeatable: Collection[int],
    encodes: Mapping[int, Callable[[str], Any] | None],
    labels: Mapping[int, Callable[[str], Any]],
    parsed: Collection[int],
    *,
    embedded: bool,
) -> Callable[[Sequence[str]], Any] | None:
    """Return a function that builds an output from values; None if a content does not stand in the output.

    In a text, a content must stand exactly once.

    Args:
        output: the output of a conversation with probes as its values.
        probes: these values.
        repeatable: the indices of values that may stand there any number of times.
        encodes: for each content that is written, by the index of its value: what converts it (`ContentClass.encode`).
        labels: for each label, by the index of its value: what converts the value to the label.
        parsed: the indices of contents that are converted before the output is built.
        embedded: as for `filler`.
    """
    holes: dict[str, Hole] = {}
    times: dict[Hole, int] = {}
    for number, text in enumerate(probes):
        encode, is_parsed = encodes.get(number), number in parsed
        hole = Hole((number,), None if is_parsed else labels.get(number, encode), is_parsed or number in labels)
        holes.setdefault(text if encode is None else shown(encode(text)), hole)
        if number not in repeatable:
            times[hole] = int(number in encodes)
    return filler(output, holes, times, longest=LONGEST, embedded=embedded)


def derived_ids(texts: Iterable[str], plan: ConversationPlan) -> set[tuple[int, str]] | None:
    """Return the ids in texts that were made unique with a suffix, such as `call_1_2`.

    Args:
        texts: the texts of an output and of its losses, with probes in place of ids.
        plan: of the conversation.

    Returns:
        The index of each such id among the values, and its suffix; None if an id was changed in any other way.
    """
    derived: set[tuple[int, str]] = set()
    for text in texts:
        for before, number, after in _ID_AND_EDGES.findall(text):
            if int(number) not in plan.ids or not (before or after):
                continue
            if before or SUFFIX.fullmatch(after) is None:
                return None
            derived.add((int(number), after))
    return derived
