"""Conversations as they are written in blocks: where the system speaks, and texts that have to be one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ...chat.transform import missing
from ...chat.turns import parts_of
from ...loss import Log, LossCode, Severity
from ...model import Alternative, Message, replace
from ...units.conversation import Conversation
from ...units.heads import Head, Item, item_of, message_of
from ...units.pairing import links_of, pair
from ...units.relations import paired_in_order, with_tools_apart
from ...units.writer import Prepared
from .grammar import ROLE, TOP, Grammar, kind_of
from .joining import is_apart

Near = Callable[[Message, int, Log], Message | None]
"""The nearest message that a format can hold."""


def prepared(grammar: Grammar, conversation: Conversation, near: Near, log: Log) -> Prepared:
    """A conversation with its tools apart from messages, and with what the system says in its place.

    Args:
        grammar: the format's.
        conversation: the document.
        near: the nearest message.
        log: takes what is lost.
    """
    conversation, origins = with_tools_apart(conversation, log)
    items = list(conversation.items)
    indices = list(range(len(items)) if origins is None else origins)
    _place_system(grammar, items)
    order = _answers_first(grammar, items)
    if order is not None:
        items = [items[at] for at in order]
        origins = indices = [indices[at] for at in order]
    fused = _fused(grammar, items, indices, near, log) if _may_fuse(grammar, items) else set[int]()
    if order is not None:
        _note_moved(grammar, items, indices, fused, near, log)
    around = conversation.around
    if around.alternatives is not None:
        around = replace(around, alternatives=_placed(around.alternatives, items, indices, fused, near, log))
    if fused:
        items = [item for at, item in enumerate(items) if at not in fused]
        origins = [index for at, index in enumerate(indices) if at not in fused]
    return Prepared(items, around, origins)


def _place_system(grammar: Grammar, items: list[Item]) -> None:
    """Give the first instructions to the system; those behind them stay where they are, as the format can have them."""
    if _INSTRUCTING.isdisjoint([item[0].role for item in items]):
        return
    leading = True
    for at, (head, content, call_id) in enumerate(items):
        if head.role not in _INSTRUCTING:
            leading = False
            continue
        role = "system" if leading or grammar.has_system else "user"
        if head.role == role or (head.role == "system" and grammar.side(head.message("", None)) != TOP):
            continue
        items[at] = (head.replaced(role=role), content, call_id)


_INSTRUCTING: Final = frozenset({"system", "developer"})

# --- replies before all else ------------------------------------------------------------------------------------------


def _answers_first(grammar: Grammar, items: Sequence[Item]) -> list[int] | None:
    """The order in which what follows calls begins with their replies, in the order of the calls; None where it does.

    What was read from the format itself stays as it was.
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
    """Whether a reply stands among what the model says, such as what its code printed."""
    return grammar.roles.get(grammar.side(head.message("", None)).lower()) == "assistant"


def _is_placed(grammar: Grammar, head: Head) -> bool:
    """Whether a message was read where it stands: in a wire message with the one before it, or apart from that."""
    return head.continues or (not head.bare and is_apart(grammar, head.message("", None)))


def _note_moved(
    grammar: Grammar, items: Sequence[Item], indices: Sequence[int], fused: set[int], near: Near, log: Log
) -> None:
    """Report the replies that go before what they stood behind, among the messages that are left."""
    left = [
        (item, index)
        for at, (item, index) in enumerate(zip(items, indices, strict=True))
        if at not in fused and near(message_of(item), index, Log()) is not None
    ]
    for (item, index), stood in zip(left, sorted(index for _, index in left), strict=True):
        if index > stood and item[0].role == "tool":
            detail = f"{grammar.home} has the replies of a turn first, in the order of their calls; this message moves"
            log.lose(LossCode.ORDER, f"/messages/{index}", detail, Severity.CHANGED)


def _sorted(grammar: Grammar, stretch: Sequence[int], items: Sequence[Item], pairs: Mapping[int, int]) -> Sequence[int]:
    """What follows calls, the replies to them first; a reply to no call stays behind what it stands behind."""
    if not stretch or stretch[0] == 0 or any(_is_placed(grammar, items[at][0]) for at in stretch[1:]):
        return stretch
    answers = sorted((at for at in stretch if at in pairs), key=lambda at: pairs[at])
    return [*answers, *(at for at in stretch if at not in pairs)]


# --- texts that become one --------------------------------------------------------------------------------------------


def _may_fuse(grammar: Grammar, items: Sequence[Item]) -> bool:
    """Whether there may be texts that have to be one."""
    before, called = "", False
    for head, content, _ in items:
        texts = head.role == before != "tool" and not (called or head.calls)
        if texts and (before == "system" or grammar.joins_texts):
            return True
        # A message may be left out, and its neighbours stand side by side.
        odd = not content or content.__class__ is not str or head.role not in ("system", "user", "assistant", "tool")
        if grammar.joins_texts and odd:
            return True
        before, called = head.role, head.calls
    return False


def _fused(grammar: Grammar, items: list[Item], indices: Sequence[int], near: Near, log: Log) -> set[int]:
    """Put texts that stand side by side into the first of them, where they have to be one wire message.

    The list is changed.

    Returns:
        The places of those that are in another one now.
    """
    dropped: set[int] = set()
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
            first = (at, side, message) if kind_of(message) == "text" else None
            continue
        start, _, head = first
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


def _role_of(grammar: Grammar, message: Message) -> dict[str, dict[str, object]] | None:
    """What a message remembers of its role; the rest of its spelling is of its text alone."""
    role = grammar.notes.of(message.layout).get(ROLE)
    return None if role is None else {grammar.home: {ROLE: role}}


# --- alternatives -----------------------------------------------------------------------------------------------------


def _placed(
    alternatives: Sequence[Alternative],
    items: Sequence[Item],
    indices: Sequence[int],
    fused: set[int],
    near: Near,
    log: Log,
) -> tuple[Alternative, ...]:
    """The alternatives of a document, each behind as many messages as are left there."""
    nearer = Log()
    for at, item in enumerate(items):
        if at not in fused:
            near(message_of(item), indices[at], nearer)
    dropped = missing([*log.losses, *nearer.losses])
    return tuple(replace(one, at=one.at - sum(index < one.at for index in dropped)) for one in alternatives)


# --- replies ----------------------------------------------------------------------------------------------------------


def named(items: Sequence[Item]) -> Sequence[Item]:
    """The items, each reply without a name with that of the tool whose call it answers."""
    if not any(head.role == "tool" and head.name is None for head, _, _ in items):
        return items
    pairs, out = pair(links_of(items)), list(items)
    for reply, call in pairs.items():
        head, content, call_id = items[reply]
        if head.name is None:
            out[reply] = (head.replaced(name=items[call][0].recipient), content, call_id)
    return out
