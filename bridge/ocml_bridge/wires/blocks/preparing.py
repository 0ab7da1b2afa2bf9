"""Bring a conversation into the order that wires of blocks require, before its messages are written.

Instructions go to the system prompt, replies directly after their calls, and adjacent texts into one message if the
format requires it. Each change is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ...chat.turns import parts_of
from ...loss import Log, Loss, LossCode, Severity
from ...model import Message, Transcript, replace
from ...report.report import compared
from ...units.conversation import Conversation
from ...units.heads import Head, Item, item_of, message_of
from ...units.pairing import links_of, pair
from ...units.relations import indices_of, paired_in_order, with_tools_apart
from ...units.writer import Prepared
from .grammar import ROLE, TOP, Grammar, kind_of
from .joining import has_no_block, is_apart

Near = Callable[[Message, int, Log], Message | None]
"""Returns the nearest message that the format can hold for a message and its index, and reports the losses."""


def prepared(grammar: Grammar, conversation: Conversation, near: Near, log: Log) -> Prepared:
    """Prepare a conversation for writing.

    Args:
        grammar: the grammar of the format.
        conversation: the conversation.
        near: returns the nearest message.
        log: receives the losses.
    """
    conversation, origins = with_tools_apart(conversation, log)
    items = list(conversation.items)
    indices = list(indices_of(items, origins))
    _place_system(grammar, items)
    order = _answers_first(grammar, items)
    if order is not None:
        items = [items[at] for at in order]
        origins = indices = [indices[at] for at in order]
    fused = _fused(grammar, items, indices, near, log) if _may_fuse(grammar, items) else set[int]()
    if order is not None:
        _report_moved(grammar, items, indices, fused, near, log)
    if fused:
        items = [item for at, item in enumerate(items) if at not in fused]
        origins = [index for at, index in enumerate(indices) if at not in fused]
    return Prepared(items, conversation.around, origins)


def _place_system(grammar: Grammar, items: list[Item]) -> None:
    """Give the leading instructions the role `system`; later ones get the role `user`, or `system` if it may follow."""
    if _INSTRUCTING.isdisjoint([item[0].role for item in items]):
        return
    leading = True
    for at, (head, content, call_id) in enumerate(items):
        if head.role not in _INSTRUCTING:
            leading = False
            continue
        role = "system" if leading or grammar.has_system else "user"
        if head.role == role or (head.role == "system" and grammar.side(head.example()) != TOP):
            continue
        items[at] = (head.replaced(role=role), content, call_id)


_INSTRUCTING: Final = frozenset({"system", "developer"})

# --- replies before all else ------------------------------------------------------------------------------------------


def _answers_first(grammar: Grammar, items: Sequence[Item]) -> list[int] | None:
    """Return the order of items in which calls are followed by their replies, in the order of the calls.

    None if the items have this order already. Messages that were read from the format itself are not moved.
    """
    if paired_in_order(items) is not None:
        return None
    pairs = pair(links_of(items))
    order: list[int] = []
    stretch: list[int] = []
    for at, (head, _, _) in enumerate(items):
        if head.role == "user" or (head.role == "tool" and not _is_of_model(grammar, head)):
            stretch.append(at)
            continue
        order += _sorted(grammar, stretch, items, pairs)
        stretch = []
        order.append(at)
    order += _sorted(grammar, stretch, items, pairs)
    return None if order == list(range(len(items))) else order


def _is_of_model(grammar: Grammar, head: Head) -> bool:
    """Return whether a reply is in a wire message of the assistant, such as the output of its code."""
    return grammar.roles.get(grammar.side(head.example()).lower()) == "assistant"


def _is_placed(grammar: Grammar, head: Head) -> bool:
    """Return whether the position of a message was read from the format, so that it must not be moved."""
    return head.continues or (not head.bare and is_apart(grammar, head.example()))


def _report_moved(
    grammar: Grammar, items: Sequence[Item], indices: Sequence[int], fused: set[int], near: Near, log: Log
) -> None:
    """Report the replies that move forward, among the messages that are written."""
    written = [
        (item, index)
        for at, (item, index) in enumerate(zip(items, indices, strict=True))
        if at not in fused and near(message_of(item), index, Log()) is not None
    ]
    for (item, index), position in zip(written, sorted(index for _, index in written), strict=True):
        if index > position and item[0].role == "tool":
            detail = f"{grammar.home} has the replies of a turn first, in the order of their calls; this message moves"
            log.lose(LossCode.ORDER, f"/messages/{index}", detail, Severity.CHANGED)


def _sorted(grammar: Grammar, stretch: Sequence[int], items: Sequence[Item], pairs: Mapping[int, int]) -> Sequence[int]:
    """Sort the messages after calls: first the replies to the calls, then the others, also replies to no call."""
    if not stretch or stretch[0] == 0 or any(_is_placed(grammar, items[at][0]) for at in stretch[1:]):
        return stretch
    answers = sorted((at for at in stretch if at in pairs), key=lambda at: pairs[at])
    return [*answers, *(at for at in stretch if at not in pairs)]


# --- texts that become one --------------------------------------------------------------------------------------------


_KNOWN: Final = frozenset({"system", "user", "assistant", "tool"})


def _may_fuse(grammar: Grammar, items: Sequence[Item]) -> bool:
    """Return whether there may be texts that must be joined."""
    before, called = "", False
    for head, content, _ in items:
        texts = head.role == before != "tool" and not (called or head.calls)
        if texts and (before == "system" or grammar.joins_texts):
            return True
        # A message may be left out, so that its neighbours become adjacent.
        odd = not content or not isinstance(content, str) or grammar.refuses(content) or head.role not in _KNOWN
        if grammar.joins_texts and odd:
            return True
        before, called = head.role, head.calls
    return False


def _fused(grammar: Grammar, items: list[Item], indices: Sequence[int], near: Near, log: Log) -> set[int]:
    """Join adjacent texts that must be one wire message into the first of them; the list is changed.

    Returns:
        The indexes of the items that were joined to an earlier one.
    """
    dropped: set[int] = set()
    joins: set[int] = set()
    first: tuple[int, str, Message] | None = None
    leading = True
    for at, item in enumerate(items):
        message = near(message_of(item), indices[at], Log())
        if message is None:
            continue
        side = grammar.side(message)
        leading = leading and side == TOP
        if side == TOP and not leading:
            side = message.role
        fits = first is not None and first[1] == side and kind_of(message) == "text" and not is_apart(grammar, message)
        if first is None or not fits or not (side == TOP or grammar.joins_texts):
            is_text = kind_of(message) == "text" and not has_no_block(grammar, message)
            first = (at, side, message) if is_text else None
            continue
        start, _, head = first
        for joined in (at,) if start in joins else (start, at):
            log.losses += _losses_in(grammar, items[joined], indices[joined], near)
        joins.add(start)
        detail = f"{grammar.home} joins this message to message {indices[start]}"
        log.lose(LossCode.MESSAGE, f"/messages/{indices[at]}", detail, Severity.CHANGED)
        if isinstance(items[start][1], str):  # of parts, each is compared
            detail = f"message {indices[at]} follows in this message"
            log.lose(LossCode.CONTENT, f"/messages/{indices[start]}/content", detail, Severity.CHANGED)
        content = (*parts_of(head.content), *parts_of(message.content))
        head = replace(head, content=content, layout=_role_of(grammar, head))
        items[start] = item_of(head)
        first = (start, side, head)
        dropped.add(at)
    return dropped


def _losses_in(grammar: Grammar, item: Item, index: int, near: Near) -> list[Loss]:
    """Return what the content of a message loses before it is joined to another one.

    Args:
        grammar: the grammar of the format.
        item: the message.
        index: its index in the document.
        near: returns the nearest message.
    """
    log, message = Log(), message_of(item)
    image = near(message, 0, log)
    if image is None or isinstance(message.content, str):
        return [loss._replace(path=_moved(loss.path, index)) for loss in log.losses]
    losses = compared(Transcript((message,)), Transcript((image,)), log.losses, target=grammar.home).losses
    return [
        loss._replace(path=_moved(loss.path, index))
        for loss in losses
        if loss in log.losses or (loss.severity is not Severity.LAYOUT and loss.path.startswith("/messages/0/content"))
    ]


def _moved(path: str, index: int) -> str:
    """Return the path of the only message of a document as that of a message with an index."""
    return f"/messages/{index}{path.removeprefix('/messages/0')}"


def _role_of(grammar: Grammar, message: Message) -> dict[str, dict[str, object]] | None:
    """Return the layout of a message with its role only; the rest of it describes a text that has changed."""
    role = grammar.notes.of(message.layout).get(ROLE)
    return None if role is None else {grammar.home: {ROLE: role}}


# --- replies ----------------------------------------------------------------------------------------------------------


def named(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items; a reply without a name gets that of the tool whose call it answers, also again."""
    if not any(head.role == "tool" and head.name is None for head, _, _ in items):
        return items
    pairs, out = pair(links_of(items)), list(items)
    by_id: dict[str | None, str | None] = {}
    for at, (head, content, call_id) in enumerate(items):
        if head.calls:
            by_id[call_id] = head.recipient
        elif head.role == "tool" and head.name is None:
            call = pairs.get(at)
            tool = items[call][0].recipient if call is not None else by_id.get(call_id) if call_id else None
            out[at] = (head.replaced(name=tool), content, call_id)
    return out
