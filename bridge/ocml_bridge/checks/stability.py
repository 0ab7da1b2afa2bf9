"""Whether what is written of a conversation goes on where what was written of its beginning ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..convert import write
from ..formats.adapter import DEFAULT, Adapter, Options
from ..model import Transcript, replace
from ..report.policy import LENIENT


def is_stable(document: Transcript, target: str | Adapter, *, options: Options = DEFAULT) -> bool:
    """Whether what is written of each beginning of a conversation begins what is written of all of it.

    Then a mask of what was new at each turn can be made by lengths, and what an engine has computed of the last request
    serves for the next. A beginning ends where a turn does. Each is written, so it takes long for a long conversation.

    Args:
        document: the conversation.
        target: a format id, or an adapter.
        options: how to write.
    """
    return goes_on(document, lambda one: write(one, target, options=options, policy=LENIENT).output)


def goes_on(document: Transcript, written: Callable[[Transcript], Any]) -> bool:
    """The same for whatever writes conversations, such as a profile."""
    shorter: Any = None
    for beginning in (*_beginnings(document), document):
        output = written(beginning)
        if shorter is not None and output[: len(shorter)] != shorter:
            return False
        shorter = output
    return True


def _beginnings(document: Transcript) -> Iterator[Transcript]:
    messages = document.messages
    for count in range(1, len(messages)):
        if not messages[count].continues:
            yield replace(document, messages=messages[:count], open_turn=None)
