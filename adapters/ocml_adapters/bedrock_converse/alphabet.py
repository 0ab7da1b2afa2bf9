"""Ids and names in the letters that the API takes; no two become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ocml_bridge.model import Settings, Tool, Transcript, replace
from ocml_bridge.turns import full_name, name_of, recipient_of, split_name
from ocml_bridge.units.heads import Head, Item

from .syntax import NOTES

AS_IS: Final = "as_is"
"""The key of the layout of what was read with an id or a name that the API does not take."""
_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST: Final = 64


def is_odd(name: str, call_id: str | None) -> bool:
    """Whether the API would not take a call with this name and id."""
    return not _NAME.fullmatch(name) or (call_id is not None and not _ID.fullmatch(call_id))


class _Fitted:
    """Words in an alphabet, each always as the same word."""

    def __init__(self, alphabet: re.Pattern[str], other: str, words: Sequence[str]) -> None:
        self._alphabet = alphabet
        self._other = other
        self._taken = set(words)
        self._known: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        if self._alphabet.fullmatch(word):
            return word
        found = self._known.get(word)
        if found is None:
            bare = re.sub(self._other, "_", word)[:_LONGEST] or "_"
            found, number = bare, 1
            while found in self._taken:
                number += 1
                found = f"{bare[: _LONGEST - len(str(number)) - 1]}_{number}"
            self._taken.add(found)
            self._known[word] = found
        return found


def is_fit(settings: Settings | None) -> bool:
    """Whether the API takes the names that a tool choice has."""
    return all(_NAME.fullmatch(name_of(name)) for name in _choice(settings))


def fitted(items: Sequence[Item], around: Transcript) -> tuple[Sequence[Item], Transcript]:
    """Calls, replies and declared tools with ids and names that the API takes, but for those that were read without."""
    ids = [call_id for _, _, call_id in items if call_id]
    names = [name_of(head.recipient) for head, _, _ in items if head.calls and head.recipient]
    declared = [full_name(tool) for tool in around.tools or ()]
    wanted = [name_of(name) for name in _choice(around.settings)]
    words = [*names, *declared, *wanted]
    if all(map(_ID.fullmatch, ids)) and all(map(_NAME.fullmatch, words)):
        return items, around
    fit_id, fit_name = _Fitted(_ID, r"[^a-zA-Z0-9_.:-]", ids), _Fitted(_NAME, r"[^a-zA-Z0-9_-]", words)
    around = replace(
        around, tools=None if around.tools is None else tuple(_tool(tool, fit_name) for tool in around.tools)
    )
    choice = None if around.settings is None else around.settings.tool_choice
    if around.settings is not None and choice is not None and NOTES.of(around.layout).get(AS_IS) is not True:
        chosen = tuple(recipient_of(fit_name(name_of(name))) for name in choice.names)
        around.settings = replace(around.settings, tool_choice=replace(choice, names=chosen))
    return [_item(item, fit_id, fit_name) for item in items], around


def _choice(settings: Settings | None) -> Sequence[str]:
    return () if settings is None or settings.tool_choice is None else settings.tool_choice.names


def _tool(tool: Tool, fit: _Fitted) -> Tool:
    name = full_name(tool)
    if fit(name) == name or NOTES.of(tool.layout).get(AS_IS) is True:
        return tool
    namespace, bare = split_name(fit(name))
    return replace(tool, name=bare, namespace=namespace)


def _item(item: Item, fit_id: _Fitted, fit_name: _Fitted) -> Item:
    head, content, call_id = item
    if (not call_id and not head.calls) or _is_kept(head):
        return item
    recipient = head.recipient
    if head.calls and recipient is not None and fit_name(name := name_of(recipient)) != name:
        head = head.replaced(recipient=recipient_of(fit_name(name)))
    return head, content, fit_id(call_id) if call_id else call_id


def _is_kept(head: Head) -> bool:
    return not head.bare and NOTES.of(head.message("", None).layout).get(AS_IS) is True
