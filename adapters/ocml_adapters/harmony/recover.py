"""Headers that the official parser refuses, or reads as what was not meant: their evident meaning, and the rest.

Nothing is thrown away: what has no place is given back as `unplaced`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from .header import ATTRIBUTE, NAMED_ROLE, TO, TOOL_NAME, WORDS, Fields, implied_intent
from .syntax import ASSISTANT, CHANNEL, CHANNELS, CONSTRAIN, ROLES, TOOL


class Recovered(NamedTuple):
    """What a header evidently means.

    Attributes:
        fields: the fields.
        unplaced: the words that found no place, in order.
    """

    fields: Fields
    unplaced: str


_MARKED: Final = re.compile(rf"({re.escape(CHANNEL)}|{re.escape(CONSTRAIN)})")
_CLEAN: Final = re.compile(r"[A-Za-z0-9][\w.+/-]*")
_AFTER_ROLE: Final = re.compile(r"(assistant|developer|system|user)(?![A-Za-z0-9_]*\.)([^A-Za-z0-9]*)(.*)", re.DOTALL)


class _Sorter:
    """Puts each word of a header in its place."""

    def __init__(self, *, opened: bool) -> None:
        self.found: dict[str, str] = {}
        self.unplaced: list[str] = []
        self.marked = opened
        """Whether a word may be a header's: before the first marker of a text without `<|start|>` it hardly is."""
        self._opened = opened
        self._first = True

    def channel(self, value: str) -> None:
        """The last channel counts: models begin again inside a header."""
        before = self.found.get("channel")
        if before is not None and before != value:
            self.unplaced.append(before)
        self.found["channel"] = value

    def put(self, field: str, value: str) -> None:
        """The first value counts; the same again says nothing."""
        if self.found.setdefault(field, value) != value:
            self.unplaced.append(value)

    def word(self, word: str) -> None:
        """A word without a marker before it."""
        first, self._first = self._first, False
        attribute = ATTRIBUTE.match(word)
        if word.startswith(TO):
            self.put("recipient", word.removeprefix(TO))
        elif attribute is not None:
            self.put(attribute[1], attribute[2])
        elif first and (self._opened or word in ROLES):
            self._speaker(word)
        elif word == self.found.get("role"):
            pass
        elif not self.marked:
            self.unplaced.append(word)
        elif word in CHANNELS and "channel" not in self.found:
            self.found["channel"] = word
        elif "recipient" not in self.found and (word in ROLES or TOOL_NAME.fullmatch(word)):
            self.found["recipient"] = word
        elif _CLEAN.fullmatch(word) and "content_type" not in self.found:
            self.found["content_type"] = word
        else:
            self.unplaced.append(word)

    def _speaker(self, word: str) -> None:
        named, glued = NAMED_ROLE.fullmatch(word), _AFTER_ROLE.fullmatch(word)
        if word in ROLES:
            self.found["role"] = word
        elif word in CHANNELS:
            self.found["channel"] = word
        elif named is not None:
            self.found["role"], self.found["name"] = named[1], named[2]
        elif glued is not None:
            role, between, rest = glued.groups()
            self.found["role"] = role
            if rest in CHANNELS:
                self.found["channel"] = rest
            elif rest != role:
                between += rest
            if between:
                self.unplaced.append(between)
        else:
            self.found["role"], self.found["name"] = TOOL, word


def recover(raw: str, *, opened: bool) -> Recovered:
    """Read any header.

    Args:
        raw: what stands between `<|start|>` and `<|message|>`.
        opened: whether there was a `<|start|>`, so that the first word is the speaker.
    """
    sorter = _Sorter(opened=opened)
    for marker, text in _sections(raw):
        words = WORDS.findall(text)
        sorter.marked = sorter.marked or marker != ""
        if marker and words:
            if marker == CHANNEL:
                sorter.channel(words[0])
            elif words[0] not in CHANNELS or "channel" in sorter.found:
                sorter.put("constraint", words[0])
            del words[0]
        for word in words:
            sorter.word(word)
    found = sorter.found
    role = found.setdefault("role", ASSISTANT)
    if role == TOOL:
        found.setdefault("name", TOOL)
    found.setdefault("intent", implied_intent(role, None, found.get("channel"), found.get("recipient")) or "")
    fields = Fields(**{field: value for field, value in found.items() if value})
    return Recovered(fields, " ".join(sorter.unplaced))


def _sections(raw: str) -> Iterator[tuple[str, str]]:
    """Each marker (the first is none) with the text behind it."""
    parts = _MARKED.split(raw)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2], strict=True)


# --- bodies that begin in the header ----------------------------------------------------------------------------------

_LEAD: Final = re.compile(
    rf"[ \t\n\f\r]*(?:{re.escape(CHANNEL)}[ ]?[^\s<]+"
    rf"|{TO}\S+"
    rf"|{re.escape(CONSTRAIN)}[ ]?[\w.+/-]+(?=[\s\[{{\"]|$)"
    r"|(?:json|code)(?=[ ]?[\[{\"])"
    rf"|(?:call_id|name|intent|content_type)=\S+)"
)
_ROLE_WORD: Final = re.compile(r"[^\s<]+")


def split_body(raw: str, *, opened: bool) -> tuple[str, str]:
    """Where `<|message|>` is missing: what is still header, and the body that begins in it.

    Args:
        raw: from `<|start|>` (or the beginning of the text) to the stop token.
        opened: whether there was a `<|start|>`, so that the first word is the speaker.
    """
    at = 0
    if opened:
        word = _ROLE_WORD.match(raw)
        at = word.end() if word is not None else 0
    while (found := _LEAD.match(raw, at)) is not None:
        at = found.end()
    return raw[:at], raw[at:].removeprefix(" ")
