"""Moves replies to where a reader without call ids pairs them with their calls: after them, in their order.

(OpenChatML 0.1 §8.4.) No field of the image shows which call a reply answers. So the pairs of the document are compared
with those of its image, in every format. If they differ, replies are moved after the calls of their turn; those that
are misread in any order are reported, so that no reply silently answers another call.
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


def rearranged(messages: Sequence[Message], order: Sequence[int]) -> tuple[Message, ...]:
    """Return messages in another order, with `continues` adapted to it.

    A message continues the message before it if it did so in the original order and still follows that message, or if
    it is a call in the place of a call that did.
    """
    out: list[Message] = []
    for place, index in enumerate(order):
        message = messages[index]
        follows = place > 0 and order[place - 1] == index - 1
        swapped = is_call(message) and is_call(messages[place])
        joined = messages[place].continues if swapped else message.continues and (follows or place == index == 0)
        out.append(message if message.continues is joined else replace(message, continues=joined))
    return tuple(out)


# --- misread replies --------------------------------------------------------------------------------------------------


def misread(
    messages: Sequence[Message],
    pairs: Mapping[int, int],
    image: Sequence[Message],
    order: Sequence[int] | None = None,
) -> dict[int, int | None]:
    """Return the replies that answer another call in the image than in the document.

    A call may be written as text. Then a reply must answer the same call for readers who know that this text is a call,
    and for those who do not.

    Args:
        messages: the messages of the document.
        pairs: index of each reply → index of its call, in the document.
        image: the messages of the image.
        order: the index in the document of each message of the image; None if they are the same messages in order.

    Returns:
        Index of each such reply → index of the call that it answers in the image, or None if it answers none there; all
        are indices in the document.
    """
    origins = (range(len(messages)) if order is None else order)[: len(image)]
    lost = [at for at, index in enumerate(origins) if is_call(messages[index]) and not is_call(image[at])]
    read = pair(image)
    if pairs == read and order is None and not lost:
        return {}
    with_lost = list(image)
    for at in lost:
        with_lost[at] = Message("assistant", "", recipient=messages[origins[at]].recipient, end="call")
    understood = pair(with_lost) if lost else read
    place = {index: at for at, index in enumerate(origins)}
    wrong: dict[int, int | None] = {}
    for at, index in enumerate(origins):
        if not is_reply(image[at]):
            continue
        call = place.get(pairs[index]) if index in pairs else None
        for answers in (understood.get(at), read.get(at, call)):
            if answers != call:
                wrong.setdefault(index, None if answers is None else origins[answers])
    return wrong


# --- the order --------------------------------------------------------------------------------------------------------


class Arrangement(NamedTuple):
    """An order of messages in which replies answer their calls without ids.

    Attributes:
        order: the indices of all messages.
        linked: the indices of the calls and replies for whose sake the order differs.
    """

    order: Sequence[int]
    linked: frozenset[int]


def arrangement_for(
    messages: Sequence[Message], pairs: Mapping[int, int], wrong: Mapping[int, int | None]
) -> Arrangement | None:
    """Return an order in which as many misread replies as possible are read as in the document.

    The turn of a misread reply's call, and that of the call that it answers in the image, are put in order: replies
    after all calls of the turn, in the order of these; and a call without a reply after the calls of the same tool that
    have one.

    Args:
        messages: the messages of the document.
        pairs: index of each reply → index of its call, in the document.
        wrong: the misread replies, as `misread` returned them.

    Returns:
        None if no message has to move.
    """
    replies = {call: reply for reply, call in pairs.items()}
    calls_of = {call: calls for calls in turns(messages) for call in calls}
    ends = (call for reply, read in wrong.items() for call in (pairs.get(reply), read))
    affected = {calls[0]: calls for call in ends if call is not None and (calls := calls_of.get(call)) is not None}
    at_place = list(range(len(messages)))
    replies_after: dict[int, list[int]] = {}
    for calls in affected.values():
        sorted_calls = _answered_first(messages, calls, replies)
        for place, call in zip(calls, sorted_calls, strict=True):
            at_place[place] = call
        replies_after[_end_of_wire(messages, calls[-1])] = [replies[call] for call in sorted_calls if call in replies]
    moving = {reply for group in replies_after.values() for reply in group}
    order: list[int] = []
    for place, index in enumerate(at_place):
        if index not in moving:
            order.append(index)
        order += replies_after.get(place, ())
    if order == list(range(len(messages))):
        return None
    return Arrangement(order, frozenset(moving.union(*affected.values())))


def _answered_first(messages: Sequence[Message], calls: Sequence[int], replies: Mapping[int, int]) -> list[int]:
    """Return the calls of a turn; unanswered ones that come before an answered call of their tool go to the end."""
    staying: list[int] = []
    moving: list[int] = []
    answered: set[str | None] = set()
    for call in reversed(calls):
        if call in replies:
            answered.add(messages[call].recipient)
        (moving if call not in replies and messages[call].recipient in answered else staying).append(call)
    return [*reversed(staying), *reversed(moving)]


def _end_of_wire(messages: Sequence[Message], index: int) -> int:
    """Return the index of the last message of the wire message that has a message."""
    while index + 1 < len(messages) and messages[index + 1].continues and not is_reply(messages[index + 1]):
        index += 1
    return index


def gathered(items: Sequence[Item], in_turn: Callable[[Message], bool]) -> Sequence[int] | None:
    """Return an order in which the replies to each turn directly follow it, in the order of its calls.

    Some APIs require that although they have call ids.

    Args:
        items: the messages of a conversation.
        in_turn: returns whether a message belongs to the turn that calls, as a reply of a tool that the server runs
            does.

    Returns:
        The indices of the messages; None if they are in that order.
    """
    if paired_in_order(items) is not None:
        return None
    messages = messages_of(items)
    pairs = {call: reply for reply, call in pair(messages).items() if not in_turn(messages[reply])}
    replies_after: dict[int, list[int]] = {}
    for calls in turns(messages):
        if replies := [pairs[call] for call in calls if call in pairs]:
            replies_after.setdefault(_end_of_turn(messages, calls[-1], in_turn), []).extend(replies)
    moving = {reply for replies in replies_after.values() for reply in replies}
    order: list[int] = []
    for index in range(len(messages)):
        if index not in moving:
            order.append(index)
        order += replies_after.get(index, ())
    return None if order == list(range(len(messages))) else order


def _end_of_turn(messages: Sequence[Message], index: int, in_turn: Callable[[Message], bool]) -> int:
    """Return the index of the last message of the turn that has a call."""
    while index + 1 < len(messages) and messages[index + 1].continues and in_turn(messages[index + 1]):
        index += 1
    return index


# --- the report -------------------------------------------------------------------------------------------------------


def moved(order: Sequence[int]) -> list[int]:
    """Return the indices of messages whose place differs, in their original order."""
    return [index for index, stood in sorted(zip(order, sorted(order), strict=True)) if index != stood]


def gathered_losses(order: Sequence[int], target: str) -> list[Loss]:
    """Return a loss for each message that moves because replies have to follow their calls."""
    detail = f"{target} has replies directly after their calls; this message moves"
    return [Loss(LossCode.ORDER, Severity.LAYOUT, f"/messages/{index}", detail) for index in moved(order)]


def arrival_losses(order: Sequence[int], target: str) -> list[Loss]:
    """Return a loss for each message that moves because a stream is written in the order in which it arrives."""
    detail = f"{target} has messages in the order in which they came; this message moves"
    return [Loss(LossCode.ORDER, Severity.CHANGED, f"/messages/{index}", detail) for index in moved(order)]


def order_losses(messages: Sequence[Message], arrangement: Arrangement, target: str) -> list[Loss]:
    """Return a loss for each call and reply that moves."""
    return [
        Loss(
            LossCode.ORDER,
            Severity.CHANGED,
            f"/messages/{index}",
            f"{target} has no call ids, so replies move after their calls, in the order of the calls"
            if is_reply(messages[index])
            else f"{target} has no call ids, so a call without a reply moves after the calls with replies",
        )
        for index in moved(arrangement.order)
        if index in arrangement.linked
    ]


def pairing_losses(wrong: Mapping[int, int | None], target: str) -> list[Loss]:
    """Return a loss for each reply that is read as the answer to another call, given what `misread` returned."""
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
