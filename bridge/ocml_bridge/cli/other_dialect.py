"""Name the dialect of the same format that would keep calls or reasoning that a conversion loses."""

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
"""The number of messages that are tried in other dialects."""


def better_dialect(document: Document, target: str, options: Options) -> str | None:
    """Return a sentence with the dialect that loses least; None if it is the one that was written.

    Args:
        document: the document that was written.
        target: the target as it was named; another dialect is looked for only if it names no dialect.
        options: the options of the conversion.
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
    """Return the losses of a dialect that matter."""
    losses = write(document, target, options=options, policy=LENIENT).losses
    return [loss for loss in losses if matters(loss) and loss.severity is Severity.LOST]
