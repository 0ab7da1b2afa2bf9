"""Fit messages to the Responses API: the nearest message; ids, types and names of calls and replies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.chat.turns import as_text, is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.common.memo import Memo
from ocml_bridge.json_values.form import without
from ocml_bridge.loss import Log
from ocml_bridge.model import Foreign, Media, Message, Part, Refusal, Text, Tool, Tools, replace
from ocml_bridge.model.notes import MERGED
from ocml_bridge.report.narrowing import drop_private, drop_silent, fitted, narrow, with_own_extras
from ocml_bridge.units.heads import LIMIT, Head, Item, message_of
from ocml_bridge.units.pairing import NamedReplies, links_of, pair
from ocml_bridge.units.relations import paired_by_id
from ocml_bridge.wires.freeform import custom_calls

from .calls import CUSTOM, is_custom
from .item_members import ABSENT
from .items import spelled
from .messages import add_preamble, has_unknown_phase, is_additional_tools, signature_of
from .parts import TABLE, can_hold
from .syntax import FINAL_ANSWER, HOME, NOTES, PHASE

_HOLDS: Final = (Text, Media, Foreign, Refusal)


def nearest(message: Message, index: int, log: Log) -> Message | None:
    """Return the nearest message that the Responses API can hold, or None; report the losses.

    Thoughts and calls contain one text; other messages contain the parts that the format has.

    Args:
        message: the message.
        index: its index in the document.
        log: receives the losses.
    """
    content, is_assistant_call = message.content, message.role == "assistant" and is_call(message)
    thought = not is_assistant_call and is_private(message) and not has_unknown_phase(message)
    if thought and message.role != "assistant":
        return drop_private(log, index, HOME)
    if thought and message.channel != "analysis":
        message = replace(message, channel="analysis")
    if isinstance(content, str):
        return drop_silent(log, index, HOME) if thought and not content and _says_nothing(message) else message
    path, declares = f"/messages/{index}/content", is_additional_tools(message)
    if is_assistant_call or (thought and not _is_text_with_notes(content)):
        content = narrow(content, (), path, log, target=HOME, hoisted=True, private=thought)
    elif thought:
        content = with_own_extras(narrow(content, (Text,), path, log, target=HOME, hoisted=True, private=True), HOME)
    else:
        holds = (Tools,) if declares else _HOLDS
        table = TABLE if message.role == "assistant" else None
        able = None if declares else can_hold
        content = fitted(content, holds, path, log, target=HOME, able=able, citations=table, hoisted=not declares)
    return replace(message, content=content)


def _says_nothing(thought: Message) -> bool:
    """Return whether a thought without a text has nothing of the API's: it would refuse the id that an item needs."""
    notes = NOTES.of(thought.extras) or NOTES.of(thought.layout)
    return not notes and signature_of(thought) is None


def _is_text_with_notes(content: Sequence[Part]) -> bool:
    """Return whether content has one text, with extras, mark or citations; several texts would be several thoughts."""
    texts = [part for part in content if isinstance(part, Text) or as_text(part) is not None]
    text = texts[0] if len(texts) == 1 else None
    return isinstance(text, Text) and bool(NOTES.of(text.extras) or text.cache or text.citations)


# --- replies ----------------------------------------------------------------------------------------------------------


def with_call_types(items: Sequence[Item], tools: Sequence[Tool] | None) -> Sequence[Item]:
    """Return the items; calls of tools that are declared as custom ones get the layout of a custom tool's call."""
    out: list[Item] = []
    for at in custom_calls(items, tools):
        head, content, call_id = items[at]
        if _has_type(head):
            continue
        out = out or list(items)
        out[at] = (head.replaced(layout=NOTES.adding(head.layout, {"kind": CUSTOM})), content, call_id)
    return out or items


def with_reply_types(items: Sequence[Item], kind: str = CUSTOM) -> Sequence[Item]:
    """Return the items; replies to calls of custom tools get the layout of their kind, unless their type is known.

    Args:
        items: the messages, in order.
        kind: the kind that such a reply gets. Writing uses `CUSTOM`. Reading uses `FUNCTION`, for replies that were
            items of a function's output although the call is of a custom tool.
    """
    if not any(head.calls and not head.promises_json for head, _, _ in items):
        return items
    pairs = paired_by_id(items)
    out: list[Item] = []
    for reply, call in (pair(links_of(items)) if pairs is None else pairs).items():
        head, content, call_id = items[reply]
        answered = items[call] if call is not None else None
        if answered is None or answered[0].promises_json or not _is_custom(answered):
            continue
        if _has_type(head):
            continue
        out = out or list(items)
        out[reply] = (head.replaced(layout=NOTES.adding(head.layout, {"kind": kind})), content, call_id)
    return out or items


def _has_type(head: Head) -> bool:
    """Return whether extras or layout show the type of item that a call or a reply is written as."""
    layout = NOTES.of(head.layout)
    return bool(NOTES.of(head.extras).get("type")) or not layout.keys().isdisjoint(("kind", MERGED))


def _is_custom(item: Item) -> bool:
    call = nearest(message_of(item), 0, Log())
    return call is not None and not NOTES.of(call.extras).get("type") and is_custom(call)


with_names: Final = NamedReplies(
    HOME,
    nearest,
    image=lambda message: message if NOTES.is_merged(message.layout) else spelled([message]).image[0],
    named=lambda message: spelled([message], named=True).image[0],
)
"""Returns the items; a reply whose tool would not follow from its call gets the layout of a reply with a name."""


# --- phases -----------------------------------------------------------------------------------------------------------


def _before_calls(items: Sequence[Item]) -> list[int]:
    """Return the indices of the assistant's texts that a call follows, with only texts and thoughts between."""
    out: list[int] = []
    called = False
    for at in range(len(items) - 1, -1, -1):
        head = items[at][0]
        if head.role != "assistant":
            called = False
        elif head.calls:
            called = True
        elif called and head.channel in ("final", "commentary", None):
            out.append(at)
    return out


def read_preambles(items: list[Item]) -> None:
    """Make the assistant's texts before calls preambles if they have no phase; the list is changed."""
    for at in _before_calls(items):
        head, content, call_id = items[at]
        if head.channel == "final":
            items[at] = (_preamble(head), content, call_id)


def _preamble(head: Head) -> Head:
    """Return the head of a text as it is before a call; equal heads share one."""
    preamble = _preambles.get(head)
    if preamble is None:
        message = head.example()
        add_preamble(message)
        preamble = head.replaced(channel=message.channel, intent=message.intent, layout=message.layout)
        if head.shared:
            _preambles.keep(head, preamble)
    return preamble


_preambles: Final = Memo[Head, Head](LIMIT)


def with_phases(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items; a final text before a call gets the phase that says so, a preamble before no call its own."""
    preambles, out = set(_before_calls(items)), list[Item]()
    for at, (head, content, call_id) in enumerate(items):
        if head.role != "assistant" or head.calls:
            continue
        notes = NOTES.of(head.layout)
        if at in preambles and head.channel in ("final", None) and PHASE not in notes:
            notes = {**notes, PHASE: FINAL_ANSWER}
        elif at not in preambles and notes.get(PHASE) == ABSENT:
            notes = without(notes, PHASE)
        else:
            continue
        out = out or list(items)
        out[at] = (head.replaced(layout=NOTES.by_format(notes)), content, call_id)
    return out or items
