"""A conversion that loses calls or thoughts names the dialect of the same format that would keep them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .. import registry
from ..convert import write
from ..formats.adapter import Options
from ..loss import Loss, Severity
from ..model import Document, Transcript
from ..report.policy import LENIENT
from .output import matters
from .summary import counted_by_noun

_ENOUGH: Final = 100
"""How many messages are tried in other dialects."""


def better_dialect(document: Document, target: str, options: Options) -> str | None:
    """A sentence that names the dialect with the fewest losses; None where the one that was written has no more.

    Args:
        document: what was written.
        target: the format as it was named; another dialect is looked for only where none was.
        options: those of the conversion.
    """
    adapter, dialect = registry.adapter(target)
    if dialect is not None or options.dialect is not None or len(adapter.dialects) < 2:
        return None
    if isinstance(document, Transcript):
        document = replace(document, messages=document.messages[:_ENOUGH])
    lost = {name: _lost(document, f"{adapter.id}:{name}", options) for name in adapter.dialects}
    best = min(adapter.dialects, key=lambda name: len(lost[name]))
    if len(lost[best]) >= len(lost[adapter.dialects[0]]):
        return None
    left = f"loses only {counted_by_noun(lost[best], document)}" if lost[best] else "loses none of this"
    return f"the dialect {adapter.id}:{best} {left}; to write it, use -t {adapter.id}:{best}"


def _lost(document: Document, target: str, options: Options) -> list[Loss]:
    """What a dialect loses that matters."""
    losses = write(document, target, options=options, policy=LENIENT).losses
    return [loss for loss in losses if matters(loss) and loss.severity is Severity.LOST]
