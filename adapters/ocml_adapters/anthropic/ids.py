"""Ids of calls as the API takes them: of its alphabet, and no two calls with one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.pairing import identified, pair
from ocml_bridge.units.heads import Head, Item, messages_of

from .notes import notes_in
from .syntax import HOME, LAWFUL_ID

_OUTSIDE: Final = re.compile(r"[^a-zA-Z0-9_-]")
_KEPT: Final = "kept"
"""The note of a call or reply whose id is written as it was read."""


def with_ids(items: Sequence[Item]) -> Sequence[Item]:
    """The items, each call with an id of its own that the API takes, and each reply with that of its call."""
    if _are_lawful(items):
        return items
    items = identified(items, HOME)
    return items if _are_lawful(items) else _renamed(items)


def _are_lawful(items: Sequence[Item]) -> bool:
    """Whether all calls and replies have ids that the API takes, and no two calls have one."""
    matches = LAWFUL_ID.fullmatch
    calls: set[str] = set()
    for head, _, call_id in items:
        if not (head.calls or head.role == "tool"):
            continue
        if call_id is None or call_id in calls or matches(call_id) is None:
            if call_id is None or head.calls or matches(call_id) is None:
                return False
        elif head.calls:
            calls.add(call_id)
    return True


def _renamed(items: Sequence[Item]) -> Sequence[Item]:
    pairs = pair(messages_of(items))
    taken = {call_id for _, _, call_id in items if call_id is not None}
    seen: set[str] = set()
    out = list(items)
    for index, (head, content, call_id) in enumerate(items):
        if call_id is None or _note(head) == _KEPT:
            made = call_id
        elif head.calls:
            made = call_id
            if call_id in seen or LAWFUL_ID.fullmatch(call_id) is None:
                made = lawful(call_id, taken)
        elif index in pairs and items[pairs[index]][2] == call_id:
            made = out[pairs[index]][2]
        else:
            made = call_id if LAWFUL_ID.fullmatch(call_id) is not None else lawful(call_id, taken)
        if made is not None:
            seen.add(made)
            taken.add(made)
        if made != call_id:
            out[index] = (head.replaced(call_id=made), content, made)
    return out


def lawful(call_id: str, taken: Collection[str]) -> str:
    """An id like one, that the API takes and nothing else has."""
    base = _OUTSIDE.sub("_", call_id) or "call"
    number, made = 1, base
    while made in taken:
        number += 1
        made = f"{base}_{number}"
    return made


def _note(head: Head) -> object:
    return None if head.bare else notes_in(head.message("", None).layout).get("call_id")


def note_repeated(items: list[Item], log: Log) -> None:
    """Remember of each call whose id an earlier one has that it was read so. It changes the list.

    Args:
        items: the messages of a conversation.
        log: takes what is noticed.
    """
    calls = [item[2] for item in items if item[0].calls]
    if len(set(calls)) == len(calls):
        return
    seen: set[str] = set()
    for index, (head, content, call_id) in enumerate(items):
        if call_id is None or not head.calls:
            continue
        if call_id in seen:
            detail = "an earlier call has this id; the API asks for unique ones"
            log.find(FindingCode.CALL_ID_REPEATED, f"/messages/{index}/call_id", detail)
            layout = head.message("", call_id).layout or {}
            noted = {**layout, HOME: {**notes_in(layout), "call_id": _KEPT}}
            items[index] = (head.replaced(layout=noted), content, call_id)
        seen.add(call_id)
