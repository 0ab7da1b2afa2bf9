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
_OF_ID: Final = re.compile("[A-Za-z0-9_-]")
"""Matches a character of an id."""
_WITH_REST: Final = re.compile(f"{PROBES.pattern}({_OF_ID.pattern}*)")
"""Matches a probe with the characters of an id behind it."""
_BETWEEN: Final = "\n"
"""Stands before and between texts: it is no character of ids."""


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
    texts = _BETWEEN.join(["", *(text for _, text in texts_in(output)), *(loss.detail for loss in losses)])
    for found in _WITH_REST.finditer(texts):
        number, at, suffix = int(found[1]), found.start(), found[2]
        is_begun = _OF_ID.match(texts, at - 1) is not None
        if number not in plan.ids or not (is_begun or suffix):
            continue
        if is_begun or SUFFIX.fullmatch(suffix) is None:
            return None
        derived.add((number, suffix))
    return derived
