"""Read headers that the official parser refuses or misreads, and find bodies that begin in a header.

`recover` sorts the words of a header into fields; words that fit no field are returned as `unplaced`, so that nothing
is lost. `split_body` and `unheaded` read frames without a `<|message|>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call
from ocml_bridge.model import Message
from ocml_bridge.text.channels import chosen, evident, meant

from .header import ATTRIBUTE, CALLED, NAMED_ROLE, TO, TOOL_NAME, Fields, implied_intent, is_call_to_tool, regular
from .syntax import ASSISTANT, CHANNEL, CHANNELS, CONSTRAIN, IDS, MAX_HEADER, ROLES, TOOL


class Recovered(NamedTuple):
    """A header, read by its evident meaning.

    Attributes:
        fields: the fields.
        unplaced: the words that belong to no field, in order.
    """

    fields: Fields
    unplaced: str


_MARKED: Final = re.compile(rf"({re.escape(CHANNEL)}|{re.escape(CONSTRAIN)})")
_TO: Final = re.compile("to[=:]")
"""The mark of a recipient, as the format has it and as models misspell it."""
_RECIPIENT: Final = re.compile(r"[^{\[\"]+")
_MOST_WORDS: Final = 2
_CLEAN: Final = re.compile(r"[A-Za-z0-9][\w.+/-]*")
_AFTER_ROLE: Final = re.compile(r"(assistant|developer|system|user)(?![A-Za-z0-9_]*\.)([^A-Za-z0-9]*)(.*)", re.DOTALL)


class _Sorter:
    """Sorts the words of a header into fields.

    Args:
        opened: whether the header follows a `<|start|>`.
        named: whether a `<|channel|>` names its channel. If not, a first word that evidently is one does, so that no
            private text is shown.

    Attributes:
        found: the fields so far.
        unplaced: the words that belong to no field.
    """

    def __init__(self, *, opened: bool, named: bool) -> None:
        self.found: dict[str, str] = {}
        self.channels: list[str] = []
        """The word after each `<|channel|>` ("" if there is none), and channels without the token."""
        self.unplaced: list[str] = []
        self.marked = opened
        """Whether words count as parts of a header: without a `<|start|>`, only after a token or a leading channel."""
        self._opened = opened
        self._named = named
        self._first = True

    def section(self, words: list[str]) -> None:
        """Sort the words after a token, or before the first; more than two words without a key are prose: unplaced."""
        speaker = int(self._first and self._opened)
        prose = sum(not _has_key(word) for word in words[speaker:]) > _MOST_WORDS
        lead = -1 if self._named or self.channels else int(words[:1] == [ASSISTANT])
        for at, word in enumerate(words):
            if at == lead and (channel := self._channel(word)) in CHANNELS:
                self.channels.append(channel)
                self._first = False
            elif prose and at >= speaker and not _has_key(word):
                self.unplaced.append(word)
            else:
                self.word(word)

    def _channel(self, word: str) -> str:
        """Return the channel that the first word means, or the one after the role; any other word unchanged."""
        rest = word
        while rest.startswith(ASSISTANT):
            rest = rest.removeprefix(ASSISTANT)
        may_be_tool = self._first and self._opened and rest == word
        return evident(rest) if may_be_tool else meant(rest)

    def put(self, field: str, value: str) -> None:
        """Set a field, unless it has a value already; another value is unplaced."""
        if self.found.setdefault(field, value) != value:
            self.unplaced.append(value)

    def word(self, word: str) -> None:
        """Sort a word that does not directly follow a token."""
        first, self._first = self._first, False
        attribute = ATTRIBUTE.match(word)
        if _TO.match(word):
            recipient = _RECIPIENT.match(word, len(TO))
            if len(word) > len(TO):  # else it names nobody
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
    """Read any header by its evident meaning.

    Args:
        raw: the text between `<|start|>` and `<|message|>`.
        opened: whether it follows a `<|start|>`, so that its first word is the role or the name of a tool.
    """
    again = _second_call(raw)
    if again > 0:
        fields, unplaced = recover(raw[again:], opened=False)
        return Recovered(fields, f"{raw[:again].strip()} {unplaced}".rstrip())
    sorter = _Sorter(opened=opened, named=CHANNEL in raw)
    for marker, text in _sections(raw):
        words = text.split()
        sorter.marked = sorter.marked or marker != "" or words[:1] in _CHANNEL_WORDS
        if marker == CHANNEL:
            named = bool(words) and not _has_key(words[0])
            sorter.channels.append(words.pop(0) if named else "")
        elif marker and words:
            if words[0] in CHANNELS and not sorter.channels:
                sorter.channels.append(words.pop(0))
            else:
                sorter.put("constraint", words.pop(0))
        sorter.section(words)
    found = sorter.found
    found.setdefault("role", ASSISTANT)
    if found.get("name") == TOOL:
        del found["name"]
    _place_channels(sorter)
    fields = Fields(**{field: value for field, value in found.items() if value})
    return Recovered(fields, " ".join(sorter.unplaced))


def _second_call(raw: str) -> int:
    """Return the index of a second call's header, after the arguments of a call without an end; -1 if there is none."""
    to = raw.rfind(TO)
    end = max(raw.rfind("}", 0, to), raw.rfind("]", 0, to)) + 1 if to > 0 else 0
    arguments = end > 0 and ("{" in raw[:end] or "[" in raw[:end])
    return end if arguments and _BEFORE_TO.fullmatch(raw, end, to) else -1


_BEFORE_TO: Final = re.compile(rf"\s*(?:{re.escape(CHANNEL)})?\s*(?:analysis|commentary|final)?\s*")
_CHANNEL_WORDS: Final = tuple([channel] for channel in sorted(CHANNELS))


def _has_key(word: str) -> bool:
    return _TO.match(word) is not None or ATTRIBUTE.match(word) is not None


def _place_channels(sorter: _Sorter) -> None:
    """Choose one of the channels; the others are unplaced. A misspelled channel, or a type, implies no intent.

    Text for users has no type: a header on commentary with a type is that of a call whose recipient is missing.
    """
    found, names = sorter.found, sorter.channels
    tool = names[0] if len(names) > 1 else ""
    if "recipient" not in found and "constraint" in found and "commentary" in names[1:] and _is_tool(tool):
        # There is a type, and the first channel is no channel: it is the name of the called tool.
        found["recipient"] = names.pop(0)
    message = Message(found["role"], "", recipient=found.get("recipient"))
    channel = chosen(names, answers=message.role == ASSISTANT and not is_call(message))
    if channel is not None:
        found["channel"] = channel
        sorter.unplaced += [name for name in names if name and name != channel]
    if channel in names and {found.get("constraint"), found.get("content_type")} <= _NO_TYPES:
        found.setdefault("intent", implied_intent(message.role, None, channel, message.recipient) or "")


_NO_TYPES: Final = frozenset({None, *CHANNELS})
"""What is no type at the place of one."""


def _is_tool(word: str) -> bool:
    return _CLEAN.fullmatch(word) is not None and evident(word) not in CHANNELS


@lru_cache(maxsize=256)
def says_text(raw: str, *, opened: bool) -> bool:
    """Return whether a header is that of the assistant's text, not of a call."""
    fields = (regular(raw) if opened else None) or recover(raw, opened=opened).fields
    return fields.role == ASSISTANT and not is_call_to_tool(fields)


def _sections(raw: str) -> Iterator[tuple[str, str]]:
    """Yield the text before the first token, with "", then each token with the text after it."""
    parts = _MARKED.split(raw)
    yield "", parts[0]
    yield from zip(parts[1::2], parts[2::2], strict=True)


# --- bodies that begin in the header ----------------------------------------------------------------------------------

_VALUE: Final = r"[^\s<{\[\"]"
"""A character of a value in a header from which a body may follow without `<|message|>`: JSON begins a body."""


def _lead(kind: str) -> re.Pattern[str]:
    """Return the pattern of a part of a header, if the word after `<|constrain|>` is as `kind` says."""
    return re.compile(
        rf"[ \t\n\f\r]*(?:{re.escape(CHANNEL)}[ ]?({_VALUE}*)"
        rf"|{TO}{_VALUE}+"
        rf"|{re.escape(CONSTRAIN)}(?:[ ]?{kind})?"
        r"|(?:json|code)(?=[ ]?[\[{\"])"
        rf"|(?:call_id|name|intent|content_type)=\S+)"
    )


_LEAD: Final = _lead(r"[\w.+/-]+(?=[\s\[{\"]|$)")
_LEAD_OF_TEXT: Final = _lead(
    rf"(?:(?i:json|code|python|text|markdown|html|xml|yaml|sql|bash|javascript)(?=[\s\[{{\"]|$)"
    rf"|[\w.+/-]+(?=\s*[\[{{]|{re.escape(CONSTRAIN)}))"
)
"""In the header of a text, most words after `<|constrain|>` are its beginning, because `<|message|>` is missing."""


_ROLE_WORD: Final = re.compile(r"[^\s<]+")
_ROLES: Final = tuple(ROLES)


def unheaded(raw: str, *, opened: bool) -> str | None:
    """Return the text of a frame that has neither `<|message|>` nor a header, but perhaps the assistant's role.

    A generation prompt ends with this role, and the model may directly continue with its answer, or with an answer
    whose control tokens were left out.

    Returns:
        None if there is a header, or no text.
    """
    if CHANNEL in raw or CONSTRAIN in raw or (opened and (_is_speaker(raw) or _is_reply(raw))):
        return None
    text = raw.removeprefix(ASSISTANT) if opened else raw
    header = opened and text[:1].isspace() and (_LEAD.match(text) or text.lstrip().startswith(TO))
    if not text.strip() or is_unfinished_header(text) or header:
        return None
    return text


def _is_reply(raw: str) -> bool:
    """Return whether a header is that of a reply to the assistant: the name of a tool may begin with `assistant`."""
    fields = regular(raw)
    return fields is not None and fields.role == TOOL and fields.recipient == ASSISTANT


def _is_speaker(raw: str) -> bool:
    """Return whether the first word belongs to a header: a role other than the assistant's, a channel or a tool."""
    found = _ROLE_WORD.match(raw)
    if found is None or raw.startswith(ASSISTANT):
        return False
    word = found[0]
    if word.startswith(TO) or word in CHANNELS or TOOL_NAME.fullmatch(word) is not None or raw.startswith(_ROLES):
        return True
    return len(raw) < MAX_HEADER and regular(raw) is not None


_HEADER_WORDS: Final = re.compile(rf"\s*(?:{ASSISTANT})?\s*(?:analysis|commentary|final)?\s*(?:{TO}[\w.-]+)?\s*")


def is_only_header(text: str) -> bool:
    """Return whether a text between frames is nothing but the beginning of a header, as a model breaks off in it."""
    return text.strip() != "" and _HEADER_WORDS.fullmatch(text) is not None


def is_unfinished_header(text: str) -> bool:
    """Return whether a text is a control token or the beginning of one."""
    return any(token.startswith(text) for token in IDS)


def split_body(raw: str, *, opened: bool) -> tuple[str, str]:
    """Split a frame without `<|message|>` into its header and its body.

    Args:
        raw: the text from `<|start|>` (or from the beginning of the text) to the stop token.
        opened: whether it follows a `<|start|>`, so that its first word is the role or the name of a tool.
    """
    at = 0
    if opened:
        word = _ROLE_WORD.match(raw)
        at = word.end() if word is not None else 0
    marker, lead = at, _LEAD if TO in raw else _LEAD_OF_TEXT
    while marker >= 0:
        at = marker
        while (found := lead.match(raw, at)) is not None:
            at = found.end() if found[1] is None else _end_of_channel(raw, found)
        # Text before a channel is still header.
        marker = raw.find(CHANNEL, at)
    return raw[:at], raw[at:].removeprefix(" ")


def _end_of_channel(raw: str, found: re.Match[str]) -> int:
    """Return the index after the name of a channel that a body may follow without a space.

    If the word neither is nor begins with a channel, and no more of a header follows, it belongs to the body.
    """
    word = found[1]
    if not word or evident(word) in CHANNELS or _MORE.match(raw, found.end()):
        return found.end()
    glued = _GLUED.match(word)
    return found.start(1) + (0 if glued is None else glued.end())


_MORE: Final = re.compile(rf"\s*(?:{re.escape(CHANNEL)}|{re.escape(CONSTRAIN)}|{TO})")
_GLUED: Final = re.compile(r"(?:analysis|commentary|final)(?=\w)")
"""The name of a channel with the first word of a body glued to it."""
