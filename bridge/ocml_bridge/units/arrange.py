"""Replies where a reader without call ids finds their calls: behind them, in their order (OpenChatML 0.1 §8.4).

Which call a reply answers is a relation: no field of the image shows that it changed. So the pairs of a document are
compared with those of its image, whatever the format is. Where they differ, replies are moved behind the calls of their
turn; what no move can keep is reported. A gap is never closed by another call's reply in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..chat.turns import is_call, is_reply
from ..loss import Loss, LossCode, Severity
from ..model import Message, replace
from .heads import Item, messages_of
from .pairing import pair, turns
from .relations import paired_in_order


def in_order(messages: Sequence[Message], order: Sequence[int]) -> tuple[Message, ...]:
    """Messages in another order; one continues the message before it where it did, or where a call takes its place."""
    out: list[Message] = []
    for place, index in enumerate(order):
        message = messages[index]
        follows = place > 0 and order[place - 1] == index - 1
        swapped = is_call(message) and is_call(messages[place])
        joined = messages[place].continues if swapped else message.continues and (follows or place == index == 0)
        out.append(message if message.continues is joined else replace(message, continues=joined))
    return tuple(out)


# --- what is read -----------------------------------------------------------------------------------------------------


def misread(
    messages: Sequence[Message],
    pairs: Mapping[int, int],
    image: Sequence[Message],
    order: Sequence[int] | None = None,
) -> dict[int, int | None]:
    """The replies that an image gives to another call than the document does.

    Args:
        messages: of the document.
        pairs: of its replies, each with the call that it answers.
        image: the messages of the image.
        order: for each message of the image, its index in the document; None where all are there, in order.

    Returns:
        Index of each such reply → index of the call that it is read as the answer to; None where it is to none.
    """
    origins = (range(len(messages)) if order is None else order)[: len(image)]
    lost = [at for at, index in enumerate(origins) if is_call(messages[index]) and not is_call(image[at])]
    if lost:
        # The calls are there as text, and whoever reads it will look for their replies.
        image = list(image)
        for at in lost:
            image[at] = Message("assistant", "", recipient=messages[origins[at]].recipient, end="call")
    read = pair(image)
    if pairs == read and order is None:
        return {}
    place = {index: at for at, index in enumerate(origins)}
    wrong: dict[int, int | None] = {}
    for at, index in enumerate(origins):
        if not is_reply(image[at]):
            continue
        call, answers = pairs.get(index), read.get(at)
        if answers != (None if call is None else place.get(call)):
            wrong[index] = None if answers is None else origins[answers]
    return wrong


# --- where to --------------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """Messages in an order that gives replies to their calls where ids are not read.

    Attributes:
        order: indices of the messages.
        linked: those of the calls and replies that had to be put in order.
    """

    order: Sequence[int]
    linked: frozenset[int]


def plan_for(messages: Sequence[Message], pairs: Mapping[int, int], wrong: Mapping[int, int | None]) -> Plan | None:
    """The order in which the replies that are misread are read as they are meant, as far as an order can do it.

    In each turn that a misread reply is from, or is read into, replies stand behind the calls, in the order of these. A
    call without a reply goes behind the calls of the same tool that have one, where it stood before one of them.

    Returns:
        None where nothing has to move.
    """
    replies = {call: reply for reply, call in pairs.items()}
    calls_of = {call: calls for calls in turns(messages) for call in calls}
    ends = (call for reply, read in wrong.items() for call in (pairs.get(reply), read))
    affected = {calls[0]: calls for call in ends if call is not None and (calls := calls_of.get(call)) is not None}
    at_place = list(range(len(messages)))
    behind: dict[int, list[int]] = {}
    for calls in affected.values():
        sorted_calls = _answered_first(messages, calls, replies)
        for place, call in zip(calls, sorted_calls, strict=True):
            at_place[place] = call
        behind[_end_of_wire(messages, calls[-1])] = [replies[call] for call in sorted_calls if call in replies]
    going = {reply for group in behind.values() for reply in group}
    order: list[int] = []
    for place, index in enumerate(at_place):
        if index not in going:
            order.append(index)
        order += behind.get(place, ())
    if order == list(range(len(messages))):
        return None
    return Plan(order, frozenset(going.union(*affected.values())))


def _answered_first(messages: Sequence[Message], calls: Sequence[int], replies: Mapping[int, int]) -> list[int]:
    """The calls of a turn; those without a reply that stand before an answered call of their tool go to the end."""
    stay: list[int] = []
    go: list[int] = []
    answered: set[str | None] = set()
    for call in reversed(calls):
        if call in replies:
            answered.add(messages[call].recipient)
        (go if call not in replies and messages[call].recipient in answered else stay).append(call)
    return [*reversed(stay), *reversed(go)]


def _end_of_wire(messages: Sequence[Message], index: int) -> int:
    """The index of the last message of the wire message that a message is in."""
    while index + 1 < len(messages) and messages[index + 1].continues and not is_reply(messages[index + 1]):
        index += 1
    return index


def gathered(items: Sequence[Item], in_turn: Callable[[Message], bool]) -> Sequence[int] | None:
    """The order in which the replies to each turn stand directly behind it, in the order of its calls.

    Some wires ask for that although they have ids.

    Args:
        items: the messages of a conversation.
        in_turn: whether a message stands in the turn that calls: a reply of a tool that the server runs may.

    Returns:
        Indices of the messages; None where they stand so.
    """
    if paired_in_order(items) is not None:
        return None
    messages = messages_of(items)
    pairs = {call: reply for reply, call in pair(messages).items() if not in_turn(messages[reply])}
    behind: dict[int, list[int]] = {}
    for calls in turns(messages):
        if replies := [pairs[call] for call in calls if call in pairs]:
            behind.setdefault(_end_of_turn(messages, calls[-1], in_turn), []).extend(replies)
    going = {reply for replies in behind.values() for reply in replies}
    order: list[int] = []
    for index in range(len(messages)):
        if index not in going:
            order.append(index)
        order += behind.get(index, ())
    return None if order == list(range(len(messages))) else order


def _end_of_turn(messages: Sequence[Message], index: int, in_turn: Callable[[Message], bool]) -> int:
    """The index of the last message of the turn that a call is in."""
    while index + 1 < len(messages) and messages[index + 1].continues and in_turn(messages[index + 1]):
        index += 1
    return index


# --- the report -------------------------------------------------------------------------------------------------------


def moved(order: Sequence[int]) -> list[int]:
    """The indices of messages that do not stand where they stood, in their order there."""
    return [index for index, stood in sorted(zip(order, sorted(order), strict=True)) if index != stood]


def gathered_losses(order: Sequence[int], target: str) -> list[Loss]:
    """A loss for each message that stands elsewhere because replies are gathered behind their calls."""
    detail = f"{target} has replies directly after their calls; this message moves"
    return [Loss(LossCode.ORDER, Severity.LAYOUT, f"/messages/{index}", detail) for index in moved(order)]


def arrival_losses(order: Sequence[int], target: str) -> list[Loss]:
    """A loss for each message that stands elsewhere because a stream is written in the order in which it comes."""
    detail = f"{target} has messages in the order in which they came; this message moves"
    return [Loss(LossCode.ORDER, Severity.CHANGED, f"/messages/{index}", detail) for index in moved(order)]


def order_losses(messages: Sequence[Message], plan: Plan, target: str) -> list[Loss]:
    """A loss for each call and reply that was put in order and does not stand where it stood."""
    return [
        Loss(
            LossCode.ORDER,
            Severity.CHANGED,
            f"/messages/{index}",
            f"{target} has no call ids, so replies move after their calls, in the order of the calls"
            if is_reply(messages[index])
            else f"{target} has no call ids, so a call without a reply moves after the calls with replies",
        )
        for index in moved(plan.order)
        if index in plan.linked
    ]


def pairing_losses(wrong: Mapping[int, int | None], target: str) -> list[Loss]:
    """A loss for each reply that is read as the answer to another call."""
    return [
        Loss(
            LossCode.PAIRING,
            Severity.CHANGED,
            f"/messages/{reply}",
            f"in {target} this reply answers no call"
            if call is None
            else f"in {target} this reply answers the call at /messages/{call}",
        )
        for reply, call in sorted(wrong.items())
    ]
