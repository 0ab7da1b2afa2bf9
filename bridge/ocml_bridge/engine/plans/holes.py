"""What makes outputs like one of other contents and ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from ...units.conversation import ConversationPlan
from .fillers import Hole, filler
from .probes import PROBES, SUFFIX, shown

LONGEST: Final = 50_000
"""The longest output without its contents that is remembered, in characters."""
_ID_AND_EDGES: Final = re.compile(f"([A-Za-z0-9_-]?){PROBES.pattern}([A-Za-z0-9_-]*)")
"""What stands for an id, with what an id may have beside it."""


def build_of(
    output: Any,
    probes: Sequence[str],
    often: Collection[int],
    encodes: Mapping[int, Callable[[str], Any] | None],
    labels: Mapping[int, Callable[[str], Any]],
    *,
    embedded: bool,
) -> Callable[[Sequence[str]], Any] | None:
    """What makes outputs like one of contents and ids; None where a content does not stand there once.

    Args:
        output: the one.
        probes: that stand in it.
        often: which of the values may stand there any number of times.
        encodes: how each content stands there; None where it stands there as it is.
        labels: what makes members around the messages of the values that they are.
        embedded: as for `filler`.
    """
    holes: dict[str, Hole] = {}
    times: dict[Hole, int] = {}
    for slot, text in enumerate(probes):
        encode = encodes.get(slot)
        hole = Hole((slot,), labels.get(slot, encode))
        holes.setdefault(text if encode is None else shown(encode(text)), hole)
        if slot not in often:
            times[hole] = int(slot in encodes)
    return filler(output, holes, times, longest=LONGEST, embedded=embedded)


def derived_ids(texts: Iterable[str], plan: ConversationPlan) -> set[tuple[int, str]] | None:
    """The ids in some texts that were made of others, such as `call_1_2`; None where one was made otherwise.

    Which other ids there are decides how they are made.
    """
    found: set[tuple[int, str]] = set()
    for text in texts:
        for before, number, behind in _ID_AND_EDGES.findall(text):
            if int(number) not in plan.same or not (before or behind):
                continue
            if before or SUFFIX.fullmatch(behind) is None:
                return None
            found.add((int(number), behind))
    return found
