"""Names of tools in the letters that a wire takes: what is declared, called, answered and chosen is renamed alike.

No two names become one. A name that was read from the wire itself stays, whatever its letters are.
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
"""The key of the layout of what was read with a word that the wire does not take."""


class Alphabet:
    """The words that a wire takes.

    Args:
        letters: that a word has, as in the brackets of a regular expression.
        longest: how many of them a word has at most.
        first: the letters that it begins with, where not all of them may.
    """

    def __init__(self, letters: str, longest: int, first: str | None = None) -> None:
        first = letters if first is None else first
        self._longest: Final = longest
        self._word: Final = re.compile(f"[{first}][{letters}]{{0,{longest - 1}}}")
        self._first: Final = re.compile(f"[{first}]")
        self._other: Final = re.compile(f"[^{letters}]")

    def takes(self, word: str) -> bool:
        """Whether the wire takes a word."""
        return self._word.fullmatch(word) is not None

    def nearest(self, word: str, used: Collection[str]) -> str:
        """The word of the wire that is most like one, and is none of those that are taken: `_` for any other letter."""
        plain = self._other.sub("_", word)
        if self._first.match(plain) is None:
            plain = f"_{plain}"
        plain = plain[: self._longest]
        made, number = plain, 1
        while made in used:
            number += 1
            made = f"{plain[: self._longest - len(str(number)) - 1]}_{number}"
        return made


class Spelling:
    """Words in an alphabet, each always the same.

    Args:
        alphabet: the wire's.
        words: that there are: of those that the wire takes none is given to another word.
        fixed: those of them that stay as they are.
    """

    def __init__(self, alphabet: Alphabet, words: Iterable[str] = (), fixed: Collection[str] = ()) -> None:
        self._alphabet = alphabet
        self._used = {*words, *fixed}
        self._known = {word: word for word in self._used if word in fixed or alphabet.takes(word)}

    def __call__(self, word: str) -> str:
        """A word as the wire has it."""
        made = self._known.get(word)
        if made is None:
            made = self._alphabet.nearest(word, self._used)
            self._used.add(made)
            self._known[word] = made
        return made


def _never(_: Message) -> bool:
    return False


class ToolAlphabet:
    """The names that a wire takes for tools.

    Args:
        notes: of its format.
        alphabet: of the names.
        is_hosted: whether a call is one of a tool of the server, whose name its type says.
    """

    def __init__(self, notes: Notes, alphabet: Alphabet, is_hosted: Callable[[Message], bool] = _never) -> None:
        self._notes: Final = notes
        self._alphabet: Final = alphabet
        self._is_hosted: Final = is_hosted

    # --- reading ------------------------------------------------------------------------------------------------------

    def note(self, name: str) -> dict[str, Any]:
        """What the layout says of a name that was read: nothing of one that the wire takes."""
        return {} if self._alphabet.takes(name) else {AS_IS: True}

    def note_choice(self, settings: Settings | None) -> dict[str, Any]:
        """What the layout of a request says of the names in its tool choice."""
        return {} if all(map(self._alphabet.takes, _chosen(settings))) else {AS_IS: True}

    def is_unchanged(self, layout: ByFormat | None) -> bool:
        """Whether something was read with a word that the wire does not take."""
        return self._notes.of(layout).get(AS_IS) is True

    # --- writing ------------------------------------------------------------------------------------------------------

    def fitted(self, items: Sequence[Item], around: Transcript) -> tuple[Sequence[Item], Transcript]:
        """A conversation whose tools have names that the wire takes, but for those that were read from it.

        Args:
            items: its messages.
            around: what stands around them, with the tools that are declared.
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
        return not head.bare and self._stays(head.message("", None))

    def _stays(self, message: Message) -> bool:
        return self.is_unchanged(message.layout) or self._is_hosted(message)

    def streamed(self, declared: Collection[str] = ()) -> StreamedNames:
        """The names of the calls of one answer, as they come.

        Args:
            declared: the names that who gets the answer has given to its tools, which stay.
        """
        return StreamedNames(Spelling(self._alphabet, fixed=declared), self._stays)


class StreamedNames:
    """Names of calls in an answer, in the letters of a wire.

    Args:
        spelling: of the names.
        stays: whether a call has a name that stays.
    """

    def __init__(self, spelling: Spelling, stays: Callable[[Message], bool]) -> None:
        self._spelling: Final = spelling
        self._stays: Final = stays

    def __call__(self, message: Message) -> Message:
        """A call with a name that the wire takes; any other message as it is."""
        recipient = message.recipient
        if recipient is None or not is_call(message) or self._stays(message):
            return message
        return replace(message, recipient=_recipient(recipient, self._spelling))


def _chosen(settings: Settings | None) -> list[str]:
    choice = None if settings is None else settings.tool_choice
    return [] if choice is None else list(map(name_of, choice.names))


def _names(message: Head | Message) -> Iterator[str]:
    """The name of the tool that a message calls, or answers for."""
    if message.recipient is not None and _calls(message):
        yield name_of(message.recipient)
    if message.role == "tool" and message.name:
        yield name_of(message.name)


def _calls(message: Head | Message) -> bool:
    return is_call(message) if isinstance(message, Message) else message.calls


def _recipient(recipient: str, spelling: Spelling) -> str:
    name = name_of(recipient)
    made = spelling(name)
    return recipient if made == name else recipient_of(made)


def _renamed(message: Head | Message, spelling: Spelling) -> dict[str, str]:
    """The members of a message that have other names."""
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
    made = spelling(name)
    if made == name:
        return tool
    namespace, bare = split_name(made)
    return replace(tool, name=bare, namespace=namespace)


def _alternative(one: Alternative, spelling: Spelling) -> Alternative:
    messages = tuple(
        replace(message, **names) if (names := _renamed(message, spelling)) else message for message in one.messages
    )
    return replace(one, messages=messages)
