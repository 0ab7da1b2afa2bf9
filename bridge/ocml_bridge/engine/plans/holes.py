"""Makes the function of an output plan, and finds the ids that a writer derived from others."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from ...loss import Loss
from ...units.conversation import ConversationPlan
from .fillers import Hole, filler
from .probes import PROBES, SUFFIX, shown, texts_in

LONGEST: Final = 50_000
"""How long an output with a plan is at most without its values, in characters."""
_ID_AND_EDGES: Final = re.compile(f"([A-Za-z0-9_-]?){PROBES.pattern}([A-Za-z0-9_-]*)")
"""Matches a probe with the characters of ids before and after it."""
_BETWEEN: Final = "\n"
"""Separates texts: it is no character of ids."""


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
    times: dict[str, int] = {}
    for number, text in enumerate(probes):
        encode, is_parsed = encodes.get(number), number in parsed
        hole = Hole((number,), None if is_parsed else labels.get(number, encode), is_parsed or number in labels)
        text_there = text if encode is None else shown(encode(text))
        if number not in repeatable:
            if text_there in holes:
                return None
            times[text_there] = int(number in encodes)
        holes.setdefault(text_there, hole)
    return filler(output, holes, times, longest=LONGEST, embedded=embedded)


def derived_ids(output: Any, losses: Sequence[Loss], plan: ConversationPlan) -> set[tuple[int, str]] | None:
    """Return the ids that were made unique with a suffix, such as `call_1_2`.

    Args:
        output: an output with probes in place of ids.
        losses: its losses.
        plan: of the conversation.

    Returns:
        The index of each such id among the values, and its suffix; None if an id was changed in any other way.
    """
    derived: set[tuple[int, str]] = set()
    if not plan.ids:
        return derived
    texts = _BETWEEN.join([*(text for _, text in texts_in(output)), *(loss.detail for loss in losses)])
    for before, number, after in _ID_AND_EDGES.findall(texts):
        if int(number) not in plan.ids or not (before or after):
            continue
        if before or SUFFIX.fullmatch(after) is None:
            return None
        derived.add((int(number), after))
    return derived
