"""What is to be known of a conversation as a whole: which reply answers which call, where that is plain; its tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..chat.turns import hoist_tools, places
from ..loss import Log
from ..model import Tools
from .conversation import Conversation, conversation_of
from .heads import Item


def paired_in_order(items: Sequence[Item]) -> dict[int, int] | None:
    """Index of each reply that answers a call → index of that call.

    Then replies answer the same calls whether they are paired by id, by name or by order, and others answer none.

    Returns:
        None unless the calls of each turn are answered behind them, all of them and in order.
    """
    pairs: dict[int, int] = {}
    if "tool" not in [item[0].role for item in items]:  # a list is looked through faster than a generator
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
    """Index of each reply → index of the call that it answers, or None where no call waits at all.

    Then replies answer the same calls wherever ids are kept, whatever becomes of turns and names.

    Returns:
        None where ids do not tell all: there are replies, and two calls that wait have the same, or a reply has
        another than those that wait.
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


def declares_tools(items: Sequence[Item]) -> bool:
    """Whether tools are declared inside messages."""
    several = [item[1] for item in items if item[1].__class__ is not str]  # a list is made faster than a generator runs
    return any(isinstance(part, Tools) for content in several for part in content)


def with_tools_apart(
    conversation: Conversation, log: Log, *, declare: Callable[[Sequence[Item]], bool] = declares_tools
) -> tuple[Conversation, Sequence[int] | None]:
    """A conversation with its tools apart from messages, as `hoist_tools` does it.

    Args:
        conversation: it.
        log: takes what is moved.
        declare: whether there are tools among messages which have no place there.

    Returns:
        The conversation, and for each of its items the index of its message in the document; None where these are the
        same.
    """
    if not declare(conversation.items):
        return conversation, None
    document = conversation.transcript
    return conversation_of(hoist_tools(document, log)), places(document, log)
