"""Make a list of items of a document: who speaks, the visible content, and notes on it.

Every string in a view is safe to show (`characters`); hidden content is not in it, only counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from ..chat.turns import is_call, is_reply, is_thought
from ..chat.visibility import END_USER, Visibility, is_preamble
from ..loss import Finding, Loss, LossCode, Severity
from ..model import Completion, Document, Message, Transcript
from ..units.pairing import pair
from .blocks import Block, block_of_tool, blocks_of
from .characters import visible
from .facts import document_facts, message_facts


class Kind(StrEnum):
    """The kind of an item; each looks different, and not only by its colour."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    USER = "user"
    ASSISTANT = "assistant"
    THOUGHT = "thought"
    PREAMBLE = "preamble"
    COMMENTARY = "commentary"
    CALL = "call"
    REPLY = "reply"
    COMPLETION = "completion"
    OTHER = "other"


LABELS: Final[dict[Kind, str]] = {
    Kind.SYSTEM: "System",
    Kind.DEVELOPER: "Developer",
    Kind.USER: "User",
    Kind.ASSISTANT: "Assistant",
    Kind.THOUGHT: "Assistant, thinking",
    Kind.PREAMBLE: "Assistant, preamble",
    Kind.COMMENTARY: "Commentary",
    Kind.CALL: "Call",
    Kind.REPLY: "Reply",
    Kind.COMPLETION: "Text to complete",
}
"""The labels of items; one of the kind `other` has its role in quotes, as it may be `User`."""


@dataclass(frozen=True, slots=True)
class Note:
    """A finding or a loss, for people.

    Attributes:
        code: its code.
        severity: lost, changed or layout.
        path: its JSON pointer.
        detail: a sentence; about hidden content it says only that it is hidden.
        found: whether it is a finding.
        place: the place of a loss in the output, in words; "" if it is not known.
        number: the number of a loss, from 1; 0 for a finding.
    """

    code: str
    severity: Severity
    path: str
    detail: str
    found: bool
    place: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A visible message.

    Attributes:
        index: its place in the transcript, from 0.
        kind: its kind.
        label: the speaker.
        name: the name of the speaker or the tool; "" for none.
        blocks: the visible content.
        facts: the names and values of its other fields, if hidden content is shown.
        notes: findings and losses.
        answers: the replies to a call.
        veiled: whether only the existence of a call is shown.
        answered: whether a call has a reply.
        private: whether it is hidden from end users.
    """

    index: int
    kind: Kind
    label: str
    name: str
    blocks: tuple[Block, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()
    answers: tuple[Entry, ...] = ()
    veiled: bool = False
    answered: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """Successive hidden messages.

    Attributes:
        counts: the numbers of messages by the reason why they are hidden.
        notes: findings and losses.
    """

    counts: tuple[tuple[str, int], ...]
    notes: tuple[Note, ...] = ()

    @property
    def total(self) -> int:
        """Return the number of messages."""
        return sum(count for _, count in self.counts)


@dataclass(frozen=True, slots=True)
class View:
    """The visible content of a document.

    Attributes:
        items: messages and gaps, in the order of the conversation.
        preface: the declared tools.
        facts: the fields of the header and the settings.
        notes: findings and losses of the whole document.
        hidden: the numbers of hidden messages by reason.
        total: the number of messages.
        open_turn: the label of the open turn; "" for none.
        debug: whether hidden content is shown.
    """

    items: tuple[Entry | Gap, ...]
    preface: tuple[Block, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]
    hidden: tuple[tuple[str, int], ...]
    total: int
    open_turn: str
    debug: bool


def messages_of(document: Document) -> tuple[Message, ...]:
    """Return the messages; a text to be completed is a message without a speaker."""
    if isinstance(document, Completion):
        return (Message(Kind.COMPLETION, document.content),)
    return document.messages


def kind_of(message: Message) -> Kind:
    """Return the kind of a message."""
    if is_call(message):
        return Kind.CALL
    if is_reply(message):
        return Kind.REPLY
    if is_thought(message):
        return Kind.THOUGHT
    if is_preamble(message):
        return Kind.PREAMBLE
    if message.channel == "commentary":
        return Kind.COMMENTARY
    return _ROLES.get(message.role, Kind.OTHER)


_ROLES: Final = {str(kind): kind for kind in (Kind.SYSTEM, Kind.DEVELOPER, Kind.USER, Kind.ASSISTANT, Kind.COMPLETION)}


class Numbered(NamedTuple):
    """A finding or a loss.

    Attributes:
        number: the number of losses up to it.
        note: the finding or loss as it was reported.
    """

    number: int
    note: Finding | Loss


class EntryMaker:
    """Makes entries of messages one by one.

    Args:
        messages: the messages of the document.
        notes: findings and losses, which go to the messages that they are about.
        visibility: what is shown.
        place: returns the place of a loss in the output.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        notes: Iterable[Finding | Loss],
        visibility: Visibility,
        place: Callable[[Loss], str] | None = None,
    ) -> None:
        self._place = place
        self.messages = messages
        self.visibility = visibility
        self.pairs = pair(messages)
        self.answers: dict[int, list[int]] = {}
        for reply, call in self.pairs.items():
            self.answers.setdefault(call, []).append(reply)
        self.notes: dict[int | None, list[Numbered]] = {}
        number = 0
        for note in notes:
            number += isinstance(note, Loss)
            self.notes.setdefault(_index_of(note.path, len(messages)), []).append(Numbered(number, note))

    def entry(self, index: int, *, alone: bool = False) -> Entry | None:
        """Return the entry of a message; None if it is hidden.

        Args:
            index: the index of the message.
            alone: whether to leave out the replies to it.
        """
        message = self.messages[index]
        hidden = self.visibility.hides(message)
        kind = kind_of(message)
        veiled = kind is Kind.CALL and hidden == "tool"
        if hidden is not None and not veiled:
            return None
        blocks = () if veiled else blocks_of(message, self.visibility)
        replies = self.answers.get(index, [])
        answers = () if alone or veiled else tuple(e for reply in replies if (e := self.entry(reply)) is not None)
        return Entry(
            index=index,
            kind=kind,
            label=_label(message, kind),
            name=visible((message.recipient if kind is Kind.CALL else message.name) or ""),
            blocks=blocks,
            facts=message_facts(message) if self.visibility.debug and kind is not Kind.COMPLETION else (),
            notes=self.notes_on(index, whole=not any(block.withheld for block in blocks), shown=True)
            if not veiled
            else self.notes_on(index, whole=False),
            answers=answers,
            veiled=veiled,
            answered=bool(replies),
            private=self.visibility.debug and END_USER.hides(message) is not None,
        )

    def notes_on(self, index: int | None, *, whole: bool, shown: bool = False) -> tuple[Note, ...]:
        """Return the notes on a message, or on what is outside of messages (None).

        Args:
            index: the index of the message.
            whole: whether all of it is visible; notes must not reveal hidden content.
            shown: whether it is visible at all; notes on layout outside of it are left out.
        """
        notes = self.notes.get(index, ())
        if shown and not self.visibility.debug:
            notes = [
                one
                for one in notes
                if one.note.severity is not Severity.LAYOUT or not _HIDDEN_FIELDS.search(one.note.path)
            ]
        return tuple(self._note(*one, whole) for one in notes)

    def _note(self, number: int, note: Finding | Loss, whole: bool) -> Note:
        open_to_reader = self.visibility.debug or (whole and not _HIDDEN_FIELDS.search(note.path))
        found = isinstance(note, Finding)
        detail = note.detail if open_to_reader else _neutral_detail(note, found)
        place = self._place(note) if open_to_reader and self._place is not None and isinstance(note, Loss) else ""
        number = 0 if found else number
        return Note(str(note.code), note.severity, visible(note.path), visible(detail), found, place, number)


def _label(message: Message, kind: Kind) -> str:
    label = LABELS.get(kind) or f"“{visible(message.role)}”"
    return f"{label}, failed" if message.failed else label


def _neutral_detail(note: Finding | Loss, found: bool) -> str:
    """Return a sentence about a note on hidden content that does not reveal it."""
    if note.code is LossCode.MESSAGE:
        return "The output would not have this hidden message."
    return _VAGUE["found" if found else note.severity].format(note.code.replace("-", " "))


_VAGUE: Final[dict[str, str]] = {
    "found": "The reader repaired or assumed something in hidden content: {}.",
    Severity.LOST: "The output would not have the {} of this hidden content.",
    Severity.CHANGED: "The output would change the {} of this hidden content.",
    Severity.LAYOUT: "The output would write the {} of this hidden content differently.",
}
_HIDDEN_FIELDS: Final = re.compile(r"/(?:extras|layout)(?:/|$)|^/(?:tools|settings|alternatives)(?:/|$)")
"""Fields of a visible message that end users do not see."""
_PLACE: Final = re.compile(r"/messages/(\d+)(?:/|$)")


def _index_of(path: str, count: int) -> int | None:
    found = _PLACE.match(path)
    if found is not None and int(found[1]) < count:
        return int(found[1])
    return 0 if count and re.match(r"/content(?:/|$)", path) else None


def view_of(document: Document, notes: Iterable[Finding | Loss] = (), visibility: Visibility = END_USER) -> View:
    """Return the view of a document.

    Args:
        document: the document.
        notes: findings and losses; each goes to the message in its path.
        visibility: what is shown.
    """
    messages = messages_of(document)
    maker = EntryMaker(messages, notes, visibility)
    items: list[Entry | Gap] = []
    hidden: list[int] = []
    for index in range(len(messages)):
        if index in maker.pairs:  # it is in the entry of its call
            continue
        entry = maker.entry(index)
        if entry is None:
            hidden.append(index)
            continue
        if hidden:
            items.append(_gap(maker, hidden))
            hidden = []
        items.append(entry)
    if hidden:
        items.append(_gap(maker, hidden))
    debug = visibility.debug
    tools = document.tools if isinstance(document, Transcript) and "developer" in visibility.show else None
    return View(
        items=tuple(items),
        preface=tuple(block_of_tool(tool) for tool in tools or ()),
        facts=document_facts(document) if isinstance(document, Transcript) and debug else (),
        notes=maker.notes_on(None, whole=True),
        hidden=_total(item for item in items if isinstance(item, Gap)),
        total=len(messages),
        open_turn=_open_turn(document),
        debug=debug,
    )


def _gap(maker: EntryMaker, hidden: Sequence[int]) -> Gap:
    names = (maker.visibility.hides(maker.messages[index]) or "" for index in hidden)
    notes = tuple(note for index in hidden for note in maker.notes_on(index, whole=False))
    return Gap(_counted(names), notes)


def _counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(names).items())


def _total(gaps: Iterable[Gap]) -> tuple[tuple[str, int], ...]:
    counter = Counter[str]()
    for gap in gaps:
        counter.update(dict(gap.counts))
    return tuple(counter.most_common())


def _open_turn(document: Document) -> str:
    if not isinstance(document, Transcript) or document.open_turn is None:
        return ""
    return (
        LABELS[_ROLES[document.open_turn.role]]
        if document.open_turn.role in _ROLES
        else visible(document.open_turn.role)
    )
