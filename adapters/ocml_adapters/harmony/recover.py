"""Headers that the official parser refuses, or reads as what was not meant: their evident meaning, and the rest.

Nothing is thrown away: what has no place is given back as `unplaced`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call
from ocml_bridge.model import Message
from ocml_bridge.text.channels import chosen, evident

from .header import ATTRIBUTE, CALLED, NAMED_ROLE, TO, TOOL_NAME, Fields, implied_intent, is_call_to_tool, regular
from .syntax import ASSISTANT, CHANNEL, CHANNELS, CONSTRAIN, IDS, MAX_HEADER, ROLES, TOOL


class Recovered(NamedTuple):
    """What a header evidently means.

    Attributes:
        fields: the fields.
        unplaced: the words that found no place, in order.
    """

    fields: Fields
    unplaced: str


_MARKED: Final = re.compile(rf"({re.escape(CHANNEL)}|{re.escape(CONSTRAIN)})")
_RECIPIENT: Final = re.compile(r"[^{\[\"]+")
_MOST_WORDS: Final = 2
_CLEAN: Final = re.compile(r"[A-Za-z0-9][\w.+/-]*")
_AFTER_ROLE: Final = re.compile(r"(assistant|developer|system|user)(?![A-Za-z0-9_]*\.)([^A-Za-z0-9]*)(.*)", re.DOTALL)


class _Sorter:
    """Puts each word of a header in its place."""

    def __init__(self, *, opened: bool) -> None:
        self.found: dict[str, str] = {}
        self.channels: list[str] = []
        """What stands behind each channel marker."""
        self.unplaced: list[str] = []
        self.marked = opened
        """Whether a word may be a header's: before the first marker of a text without `<|start|>` it hardly is."""
        self._opened = opened
        self._first = True

    def section(self, words: list[str]) -> None:
        """The words behind one marker, or before the first. More than two that have no key are prose, no header."""
        speaker = int(self._first and self._opened)
        prose = sum(not _has_key(word) for word in words[speaker:]) > _MOST_WORDS
        for at, word in enumerate(words):
            if prose and at >= speaker and not _has_key(word):
                self.unplaced.append(word)
            else:
                self.word(word)

    def put(self, field: str, value: str) -> None:
        """The first value counts; the same again says nothing."""
        if self.found.setdefault(field, value) != value:
            self.unplaced.append(value)

    def word(self, word: str) -> None:
        """A word without a marker before it."""
        first, self._first = self._first, False
        attribute = ATTRIBUTE.match(word)
        if word.startswith(TO):
            recipient = _RECIPIENT.match(word, len(TO))
            if word != TO:  # which names nobody
                self.put("recipient", word[len(TO) :] if recipient is None else recipient[0])
            if recipient is not None and recipient.end() < len(word):
                self.unplaced.append(word[recipient.end() :])
        elif attribute is not None:
            self.put(attribute[1], attribute[2])
        elif first and (self._opened or word in ROLES):
            self._speaker(word)
        elif word == self.found.get("role") or word in self.channels:
            pass
        elif not self.marked:
            self.unplaced.append(word)
        elif word in CHANNELS and not self.channels:
            self.channels.append(word)
        elif "recipient" not in self.found and (word in ROLES or TOOL_NAME.fullmatch(word)):
            self.found["recipient"] = word
        elif _CLEAN.fullmatch(word) and "content_type" not in self.found:
            self.found["content_type"] = word
        else:
            self.unplaced.append(word)

    def _speaker(self, word: str) -> None:
        named, glued, called = NAMED_ROLE.fullmatch(word), _AFTER_ROLE.fullmatch(word), CALLED.fullmatch(word)
        if word in ROLES:
            self.found["role"] = word
        elif word in CHANNELS:
            self.channels.append(word)
        elif named is not None:
            self.found["role"], self.found["name"] = named[1], named[2]
        elif called is not None:
            self.found["role"], self.found["recipient"] = ASSISTANT, called[1]
        elif glued is not None:
            role, between, rest = glued.groups()
            self.found["role"] = role
            if rest in CHANNELS:
                self.channels.append(rest)
            elif rest.startswith(TO):
                self.word(rest)
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
    again = _second_call(raw)
    if again > 0:
        fields, unplaced = recover(raw[again:], opened=False)
        return Recovered(fields, f"{raw[:again].strip()} {unplaced}".rstrip())
    sorter = _Sorter(opened=opened)
    for marker, text in _sections(raw):
        words = text.split()
        sorter.marked = sorter.marked or marker != "" or words[:1] in _CHANNEL_WORDS
        if marker == CHANNEL:
            named = bool(words) and not _has_key(words[0])
            sorter.channels.append(words.pop(0) if named else "")
        elif marker and words:
            if words[0] not in CHANNELS or sorter.channels:
                sorter.put("constraint", words[0])
            del words[0]
        sorter.section(words)
    found = sorter.found
    found.setdefault("role", ASSISTANT)
    if found.get("name") == TOOL:
        del found["name"]
    _place_channels(sorter)
    fields = Fields(**{field: value for field, value in found.items() if value})
    return Recovered(fields, " ".join(sorter.unplaced))


def _second_call(raw: str) -> int:
    """Where the header of another call begins behind the arguments of one that never had an end; -1 for nowhere."""
    to = raw.rfind(TO)
    end = max(raw.rfind("}", 0, to), raw.rfind("]", 0, to)) + 1 if to > 0 else 0
    arguments = end > 0 and ("{" in raw[:end] or "[" in raw[:end])
    return end if arguments and _BEFORE_TO.fullmatch(raw, end, to) else -1


_BEFORE_TO: Final = re.compile(rf"\s*(?:{re.escape(CHANNEL)})?\s*(?:analysis|commentary|final)?\s*")
_CHANNEL_WORDS: Final = tuple([channel] for channel in sorted(CHANNELS))


def _has_key(word: str) -> bool:
    return word.startswith(TO) or ATTRIBUTE.match(word) is not None


def _place_channels(sorter: _Sorter) -> None:
    """Settle which channel counts; the others are unplaced. A near miss implies nothing of whom it is for."""
    found, names = sorter.found, sorter.channels
    tool = names[0] if len(names) > 1 else ""
    if "recipient" not in found and "constraint" in found and "commentary" in names[1:] and _is_tool(tool):
        # A type is promised, and where the channel should stand, another name does: the tool that is called.
        found["recipient"] = names.pop(0)
    message = Message(found["role"], "", recipient=found.get("recipient"))
    channel = chosen(names, answers=message.role == ASSISTANT and not is_call(message))
    if channel is not None:
        found["channel"] = channel
        sorter.unplaced += [name for name in names if name and name != channel]
    if channel in names:
        found.setdefault("intent", implied_intent(message.role, None, channel, message.recipient) or "")


def _is_tool(word: str) -> bool:
    return _CLEAN.fullmatch(word) is not None and evident(word) not in CHANNELS


@lru_cache(maxsize=256)
def says_text(raw: str, *, opened: bool) -> bool:
    """Whether a header is that of an assistant's text, and not of a call."""
    fields = (regular(raw) if opened else None) or recover(raw, opened=opened).fields
    return fields.role == ASSISTANT and not is_call_to_tool(fields)


def _sections(raw: str) -> Iterator[tuple[str, str]]:
    """Each marker (the first is none) with the text behind it."""
    parts = _MARKED.split(raw)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2], strict=True)


# --- bodies that begin in the header ----------------------------------------------------------------------------------

_VALUE: Final = r"[^\s<{\[\"]"
"""A character of a header's value, where no token tells where the body begins: JSON begins a body."""
_LEAD: Final = re.compile(
    rf"[ \t\n\f\r]*(?:{re.escape(CHANNEL)}[ ]?({_VALUE}*)"
    rf"|{TO}{_VALUE}+"
    rf"|{re.escape(CONSTRAIN)}(?:[ ]?[\w.+/-]+(?=[\s\[{{\"]|$))?"
    r"|(?:json|code)(?=[ ]?[\[{\"])"
    rf"|(?:call_id|name|intent|content_type)=\S+)"
)


_ROLE_WORD: Final = re.compile(r"[^\s<]+")
_ROLES: Final = tuple(ROLES)


def unheaded(raw: str, *, opened: bool) -> str | None:
    """What a frame without `<|message|>` says that has no header but the assistant's role; None where there is more.

    A generation prompt ends in that role, and a model may go on with its answer, or with an answer whose tokens were
    left out.
    """
    if CHANNEL in raw or CONSTRAIN in raw or (opened and (_is_speaker(raw) or _is_reply(raw))):
        return None
    text = raw.removeprefix(ASSISTANT) if opened else raw
    header = opened and text[:1].isspace() and (_LEAD.match(text) or text.lstrip().startswith(TO))
    if not text.strip() or is_unfinished_header(text) or header:
        return None
    return text


def _is_reply(raw: str) -> bool:
    """Whether a header is that of a tool's reply to the assistant, though the tool's name begins as its role."""
    fields = regular(raw)
    return fields is not None and fields.role == TOOL and fields.recipient == ASSISTANT


def _is_speaker(raw: str) -> bool:
    """Whether a header's first word says who speaks, other than the assistant: a role, a channel, a tool."""
    found = _ROLE_WORD.match(raw)
    if found is None or raw.startswith(ASSISTANT):
        return False
    word = found[0]
    if word.startswith(TO) or word in CHANNELS or TOOL_NAME.fullmatch(word) is not None or raw.startswith(_ROLES):
        return True
    return len(raw) < MAX_HEADER and regular(raw) is not None


def is_unfinished_header(text: str) -> bool:
    """Whether a text is the beginning of a token, or a whole one."""
    return any(token.startswith(text) for token in IDS)


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
    marker = at
    while marker >= 0:
        at = marker
        while (found := _LEAD.match(raw, at)) is not None:
            at = found.end() if found[1] is None else _end_of_channel(raw, found)
        # What stands before a channel is no body.
        marker = raw.find(CHANNEL, at)
    return raw[:at], raw[at:].removeprefix(" ")


def _end_of_channel(raw: str, found: re.Match[str]) -> int:
    """Where a channel's name ends that nothing tells from a body: behind what evidently is one, or before the word."""
    word = found[1]
    if not word or evident(word) in CHANNELS or _MORE.match(raw, found.end()):
        return found.end()
    glued = _GLUED.match(word)
    return found.start(1) + (0 if glued is None else glued.end())


_MORE: Final = re.compile(rf"\s*(?:{re.escape(CHANNEL)}|{re.escape(CONSTRAIN)}|{TO})")
_GLUED: Final = re.compile(r"(?:analysis|commentary|final)(?=\w)")
"""A channel's name with the first word of a body behind it."""


# --- answers whose tokens were left out in decoding: `analysisThe user asks…assistantfinalHello` ----------------------

_TARGET: Final = r" ?to=([\w.-]+?)"
_MARKER: Final = re.compile(
    r"(?:^|assistant)"
    rf"(?:{_TARGET}(?= |analysis|commentary|final))? ?"
    r"(analysis|commentary|final)"
    r"(?: to=([\w.-]+?)(?= |json|code|[\[{\"]|$))?"
    r"(?: ?(json|code)(?=\s*[\[{\"]))?"
)


_NAMED: Final = tuple(f"{ASSISTANT}{channel}" for channel in CHANNELS)

STRIPPED: Final = re.compile(r" ?(?:analysis|commentary|final)")
"""What such an answer begins with."""


def read_stripped(text: str) -> list[Message] | None:
    """The messages of a text that begins with a channel's name and names another behind the word `assistant`.

    One name is enough behind that word, and where a recipient and a type stand behind it, and then JSON.

    Returns:
        None for any other text.
    """
    text = text.lstrip()
    marks = list(_MARKER.finditer(text))
    if not marks or marks[0].start() != 0:
        return None
    if len(marks) == 1 and None in marks[0].groups()[2:] and not text.startswith(_NAMED):
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [_marked(mark, text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]


def _marked(mark: re.Match[str], content: str) -> Message:
    before, channel, behind, kind = mark.groups()
    recipient = before or behind
    return Message(
        ASSISTANT,
        content,
        channel=channel,
        recipient=recipient,
        constraint=kind if recipient is not None else None,
        intent=implied_intent(ASSISTANT, None, channel, recipient),
        end="end" if recipient is None else "call",
    )
