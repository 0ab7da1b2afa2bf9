"""Rename tools whose names have characters that a wire does not allow.

A tool gets the same new name in its declaration, its calls, their replies and the tool choice. Different names stay
different. A name that was read from the wire itself is not changed, whatever its characters are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from ..chat.turns import full_name, is_call, name_of, recipient_of, split_name
from ..model import Alternative, ByFormat, Message, Settings, Tool, Transcript, replace
from ..model.notes import Notes
from ..units.heads import Head, Item

AS_IS: Final = "as_is"
"""The key of the layout that marks a message, tool or request that was read with a name that the wire forbids."""


class Alphabet:
    """The names that a wire allows.

    Args:
        letters: the allowed characters, as in the brackets of a regular expression.
        longest: the maximum length of a name.
        first: the characters that a name may begin with; None for all allowed ones.

    Attributes:
        fits: returns something true for a name that the wire allows; faster than `takes`.
    """

    def __init__(self, letters: str, longest: int, first: str | None = None) -> None:
        first = letters if first is None else first
        self._longest: Final = longest
        self.fits: Final = re.compile(f"[{first}][{letters}]{{0,{longest - 1}}}").fullmatch
        self._first: Final = re.compile(f"[{first}]")
        self._other: Final = re.compile(f"[^{letters}]")

    def takes(self, word: str) -> bool:
        """Return whether the wire allows a name."""
        return self.fits(word) is not None

    def nearest(self, word: str, used: Collection[str]) -> str:
        """Return the nearest allowed name that is not used: `_` for forbidden characters, and a number if needed."""
        plain = self._other.sub("_", word)
        if self._first.match(plain) is None:
            plain = f"_{plain}"
        plain = plain[: self._longest]
        candidate, number = plain, 1
        while candidate in used:
            number += 1
            candidate = f"{plain[: self._longest - len(str(number)) - 1]}_{number}"
        return candidate


class Spelling:
    """A mapping of names to allowed names; the same name always gets the same result.

    Args:
        alphabet: the names that the wire allows.
        words: all names of the conversation, none of which is given to another name.
        fixed: the names that must not be changed.
    """

    def __init__(self, alphabet: Alphabet, words: Iterable[str] = (), fixed: Collection[str] = ()) -> None:
        self._alphabet = alphabet
        self._used = {*words, *fixed}
        self._known = {word: word for word in self._used if word in fixed or alphabet.takes(word)}

    def __call__(self, word: str) -> str:
        """Return the allowed name for a name."""
        name = self._known.get(word)
        if name is None:
            name = self._alphabet.nearest(word, self._used)
            self._used.add(name)
            self._known[word] = name
        return name


def _never(_: Message) -> bool:
    return False


class ToolAlphabet:
    """The names that a wire allows for tools.

    Args:
        notes: the notes of its format.
        alphabet: the allowed names.
        is_hosted: returns whether a call is of a tool that the API runs, which is named by the type of the call.
    """

    def __init__(self, notes: Notes, alphabet: Alphabet, is_hosted: Callable[[Message], bool] = _never) -> None:
        self._notes: Final = notes
        self._alphabet: Final = alphabet
        self._is_hosted: Final = is_hosted

    # --- reading ------------------------------------------------------------------------------------------------------

    def note(self, name: str) -> dict[str, Any]:
        """Return the layout for a name that was read: empty if the wire allows it."""
        return {} if self._alphabet.takes(name) else {AS_IS: True}

    def note_choice(self, settings: Settings | None) -> dict[str, Any]:
        """Return the layout of a request for the names in its tool choice: empty if the wire allows them."""
        return {} if all(map(self._alphabet.takes, _chosen(settings))) else {AS_IS: True}

    def is_unchanged(self, layout: ByFormat | None) -> bool:
        """Return whether a layout marks that the name was read from the wire although it forbids it."""
        return self._notes.of(layout).get(AS_IS) is True

    # --- writing ------------------------------------------------------------------------------------------------------

    def fitted(self, items: Sequence[Item], around: Transcript) -> tuple[Sequence[Item], Transcript]:
        """Rename the tools of a conversation whose names the wire forbids, except names that were read from it.

        Args:
            items: the messages.
            around: the document around them, with the declared tools.
        """
        others = [message for one in around.alternatives or () for message in one.messages]
        tools = around.tools or ()
        recipients = {head.recipient if head.calls else head.name for head, _, _ in items if head.calls or head.name}
        names = {name_of(each) for each in recipients if each}
        names |= {name for message in others for name in _names(message)}
        names |= {full_name(tool) for tool in tools}
        names.update(_chosen(around.settings))
        if all(map(self._alphabet.takes, names)):
            return items, around
        fixed = {name for head, _, _ in items if self._keeps(head) for name in _names(head)}
        fixed |= {name for message in others if self._stays(message) for name in _names(message)}
        fixed |= {full_name(tool) for tool in tools if self.is_unchanged(tool.layout)}
        if self.is_unchanged(around.layout):
            fixed.update(_chosen(around.settings))
        spelling = Spelling(self._alphabet, names, fixed)
        return [_item(item, spelling) for item in items], _around(around, spelling)

    def _keeps(self, head: Head) -> bool:
        return not head.bare and self._stays(head.example())

    def _stays(self, message: Message) -> bool:
        return self.is_unchanged(message.layout) or self._is_hosted(message)

    def streamed(self, declared: Collection[str] = ()) -> StreamedNames:
        """Return the renaming of calls in one answer, as they arrive.

        Args:
            declared: the names of the tools that the receiver of the answer has declared; they are not changed.
        """
        return StreamedNames(Spelling(self._alphabet, fixed=declared), self._stays)


class StreamedNames:
    """The renaming of calls in an answer.

    Args:
        spelling: the mapping of names.
        stays: returns whether the name of a call must not be changed.
    """

    def __init__(self, spelling: Spelling, stays: Callable[[Message], bool]) -> None:
        self._spelling: Final = spelling
        self._stays: Final = stays

    def __call__(self, message: Message) -> Message:
        """Return a call with a name that the wire allows; any other message unchanged."""
        recipient = message.recipient
        if recipient is None or not is_call(message) or self._stays(message):
            return message
        return replace(message, recipient=_recipient(recipient, self._spelling))


def _chosen(settings: Settings | None) -> list[str]:
    choice = None if settings is None else settings.tool_choice
    return [] if choice is None else list(map(name_of, choice.names))


def _names(message: Head | Message) -> Iterator[str]:
    """Yield the names of the tools that a message calls or replies for."""
    if message.recipient is not None and _calls(message):
        yield name_of(message.recipient)
    if message.role == "tool" and message.name:
        yield name_of(message.name)


def _calls(message: Head | Message) -> bool:
    return is_call(message) if isinstance(message, Message) else message.calls


def _recipient(recipient: str, spelling: Spelling) -> str:
    name = name_of(recipient)
    new_name = spelling(name)
    return recipient if new_name == name else recipient_of(new_name)


def _renamed(message: Head | Message, spelling: Spelling) -> dict[str, str]:
    """Return the fields of a message whose names change, with the new names."""
    out: dict[str, str] = {}
    if message.recipient is not None and _calls(message):
        out["recipient"] = _recipient(message.recipient, spelling)
    if message.role == "tool" and message.name:
        out["name"] = _recipient(message.name, spelling)
    return {key: name for key, name in out.items() if name != getattr(message, key)}


def _item(item: Item, spelling: Spelling) -> Item:
    head, content, call_id = item
    names = _renamed(head, spelling)
    return (head.replaced(**names), content, call_id) if names else item


def _around(around: Transcript, spelling: Spelling) -> Transcript:
    settings, tools, others = around.settings, around.tools, around.alternatives
    if settings is not None and settings.tool_choice is not None and settings.tool_choice.names:
        names = tuple(_recipient(name, spelling) for name in settings.tool_choice.names)
        settings = replace(settings, tool_choice=replace(settings.tool_choice, names=names))
    return replace(
        around,
        settings=settings,
        tools=None if tools is None else tuple(_tool(tool, spelling) for tool in tools),
        alternatives=None if others is None else tuple(_alternative(one, spelling) for one in others),
    )


def _tool(tool: Tool, spelling: Spelling) -> Tool:
    name = full_name(tool)
    new_name = spelling(name)
    if new_name == name:
        return tool
    namespace, bare_name = split_name(new_name)
    return replace(tool, name=bare_name, namespace=namespace)


def _alternative(alternative: Alternative, spelling: Spelling) -> Alternative:
    messages = tuple(
        replace(message, **names) if (names := _renamed(message, spelling)) else message
        for message in alternative.messages
    )
    return replace(alternative, messages=messages)
