"""Check whether the output of a conversation begins with the output of each of its prefixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..convert import write
from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Transcript, replace
from ..report.policy import LENIENT


def is_stable(document: Transcript, target: str | Adapter, *, options: Options = DEFAULT) -> bool:
    """Return whether the output of each prefix of a conversation is a prefix of the output of the whole.

    If so, loss masks for each turn can be made from the lengths of outputs, and an engine can reuse its prefix cache
    from one turn to the next. A prefix ends where a wire message does. Each prefix is written, which takes long for a
    long conversation.

    Args:
        document: the conversation.
        target: a format id, or an adapter.
        options: how to write.
    """
    return goes_on(document, lambda prefix: write(prefix, target, options=options, policy=LENIENT).output)


def goes_on(document: Transcript, written: Callable[[Transcript], Any]) -> bool:
    """Return the same for another writer, such as a profile.

    Args:
        document: the conversation.
        written: writes a conversation; returns its output.
    """
    shorter: Any = None
    for prefix in (*_prefixes(document), document):
        output = written(prefix)
        if shorter is not None and output[: len(shorter)] != shorter:
            return False
        shorter = output
    return True


def _prefixes(document: Transcript) -> Iterator[Transcript]:
    messages = document.messages
    for count in range(1, len(messages)):
        if not messages[count].continues:
            yield replace(document, messages=messages[:count], open_turn=None)
