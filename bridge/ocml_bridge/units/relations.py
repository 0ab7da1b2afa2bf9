"""Relations between messages that are quick to find: unambiguous pairs of replies and calls, tools among messages.

`pairing.py` pairs replies and calls in any conversation; the functions of this module return None if that is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..chat.transform import remaining
from ..chat.turns import hoist_tools
from ..loss import Log
from ..model import Tools
from .conversation import Conversation, conversation_of
from .heads import Item


def paired_in_order(items: Sequence[Item]) -> dict[int, int] | None:
    """Pair replies with calls if all calls of each turn are answered directly after it, in their order.

    In such a conversation, replies answer the same calls whether they are paired by id, by name or by order.

    Returns:
        Index of each reply that answers a call → index of that call; None if a call is not answered in that way.
    """
    pairs: dict[int, int] = {}
    if "tool" not in [item[0].role for item in items]:  # faster than a generator
        return pairs
    calls: list[int] = []
    answered = 0
    for index, (head, _, call_id) in enumerate(items):
        if head.role == "tool":
            if answered == len(calls):
                continue
            call = items[calls[answered]]
            if call_id not in (None, call[2]) or head.name not in (None, call[0].recipient):
                return None
            pairs[index] = calls[answered]
            answered += 1
        elif head.calls:
            if answered:
                if answered != len(calls):
                    return None
                calls, answered = [], 0
            calls.append(index)
        elif answered != len(calls):
            return None
    return pairs if answered == len(calls) else None


def paired_by_id(items: Sequence[Item]) -> dict[int, int | None] | None:
    """Pair replies with calls by their ids alone, if the ids of open calls differ.

    In such a conversation, replies answer the same calls in any format that keeps ids, whatever happens to turns and
    names.

    Returns:
        Index of each reply → index of the call that it answers, or None if no call is open. None if ids are not enough:
        two open calls have the same id, a call has none, or a reply has an id that no open call has.
    """
    pairs: dict[int, int | None] = {}
    if "tool" not in [item[0].role for item in items]:
        return pairs
    waiting: dict[str | None, int] = {}
    for index, (head, _, call_id) in enumerate(items):
        if head.role == "tool":
            call = waiting.pop(call_id, None)
            if call is None and waiting:
                return None
            pairs[index] = call
        elif head.calls:
            if not call_id or call_id in waiting:
                return None
            waiting[call_id] = index
    return pairs


def indices_of(items: Sequence[Item], origins: Sequence[int] | None) -> Sequence[int]:
    """Return the index in the document of each item, given their origins as `Prepared` has them."""
    return range(len(items)) if origins is None else origins


def declares_tools(items: Sequence[Item]) -> bool:
    """Return whether a message declares tools among its parts."""
    of_parts = [item[1] for item in items if item[1].__class__ is not str]  # faster than a generator
    return any(isinstance(part, Tools) for content in of_parts for part in content)


def with_tools_apart(
    conversation: Conversation, log: Log, *, declare: Callable[[Sequence[Item]], bool] = declares_tools
) -> tuple[Conversation, Sequence[int] | None]:
    """Move the tools that messages declare to the tools of the transcript (`chat.turns.hoist_tools`).

    Args:
        conversation: the document; it is not changed.
        log: takes the losses.
        declare: returns whether messages declare tools that have no place there.

    Returns:
        The conversation, and for each of its items the index of its message in the document; None in place of the
        indices if no message was moved or left out.
    """
    if not declare(conversation.items):
        return conversation, None
    document = conversation.transcript
    return conversation_of(hoist_tools(document, log)), remaining(len(document.messages), log.losses)
