"""The header of a frame: the official grammar, and how each dialect spells one.

`parse` follows the official parser word for word (openai-harmony 0.0.8 and oss-harmony 0.0.11 agree); `regular` is the
same without the readings in which that parser is silently wrong. What is not regular goes to `recover`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import FUNCTIONS, is_call
from ocml_bridge.model import Message
from ocml_bridge.text.channels import evident

from .syntax import ASSISTANT, BROADCAST, CHANNEL, CHANNELS, CONSTRAIN, ROLES, SPEC, TOKEN, TOOL


class Fields(NamedTuple):
    """What a header says, by the names of a message's fields."""

    role: str
    name: str | None = None
    channel: str | None = None
    recipient: str | None = None
    content_type: str | None = None
    constraint: str | None = None
    call_id: str | None = None
    intent: str | None = None


class Parsed(NamedTuple):
    """What the official parser makes of a header.

    Attributes:
        fields: the result.
        addressed: whether the recipient, where there is one, was marked by `to=`.
    """

    fields: Fields
    addressed: bool


# The white space of the official parser: words part at the ASCII kind, values of channels end at any kind.
WORDS: Final = re.compile(r"[^ \t\n\f\r]+")
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_CHANNEL: Final = re.compile(re.escape(CHANNEL) + f"([^<{_SPACE}]*)")
TO: Final = "to="
_OTHER_SPACE: Final = re.compile(r"\s")
"""What the official parser takes for a part of a word, and no reader sees there."""


def parse(raw: str, *, prompted: bool = False) -> Parsed | None:
    """Read a header as the official parser does, or None where it refuses.

    Args:
        raw: what stands between `<|start|>` and `<|message|>`.
        prompted: whether the text begins behind a generation prompt, so that the role `assistant` is known.
    """
    channel = None
    found = _CHANNEL.search(raw)
    if found is not None:
        channel = found[1]
        if not channel:
            return None
        raw = raw[: found.start()] + raw[found.end() :]
    words = WORDS.findall(raw.strip(_SPACE).replace(CONSTRAIN, f" {CONSTRAIN}"))
    role, name = ASSISTANT, None
    if not prompted:
        if not words:
            return None
        role, name = _speaker(words)
        if role is None:
            return None
        if role == TOOL and name != TOOL:
            del words[0]
    if words and words[0] == role:
        del words[0]
    if len(words) > 2 or (len(words) == 2 and words[1].startswith(TO)):
        return None
    kind = words.pop() if len(words) == 2 else None
    recipient = words[0].removeprefix(TO) if words else None
    constraint = kind.removeprefix(CONSTRAIN) if kind is not None and kind.startswith(CONSTRAIN) else None
    fields = Fields(role, name, channel, recipient, kind if constraint is None else None, constraint)
    return Parsed(fields, not words or words[0].startswith(TO))


def _speaker(words: list[str]) -> tuple[str | None, str | None]:
    """Role and, for tools, name, by the first word: an unknown word is a tool's name where another word follows."""
    first = words[0]
    if first in ROLES:
        return first, first if first == TOOL else None
    if len(words) > 1 or first.startswith(TO):
        return TOOL, first
    return None, None


ATTRIBUTE: Final = re.compile(r"(call_id|name|intent|content_type)=(.*)", re.DOTALL)
"""Attributes of OpenChatML 2.2 headers; Harmony has none of them."""
NAMED_ROLE: Final = re.compile(f"({'|'.join(sorted(ROLES - {TOOL}))}):(.+)", re.DOTALL)
"""How the official encoder writes the name of a speaker who is not a tool; its parser does not read it."""
TOOL_NAME: Final = re.compile(r"python|[A-Za-z_][\w-]*\.[\w.-]+")
"""What only a tool is called: its namespace stands before a dot, or it is the built-in without one."""


CALLED: Final = re.compile(f"{ASSISTANT}({re.escape(FUNCTIONS)}.+)", re.DOTALL)
"""The assistant's role with the function that it calls glued to it, as behind a generation prompt."""


def regular(raw: str, prompted: bool = False) -> Fields | None:
    """Read a header that says the same to the official parser and to a person; None for any other.

    A tool's reply without recipient is one: the official encoder writes it, though its parser refuses it.
    """
    return _cached(raw, prompted) if len(raw) < LONG else _regular(raw, prompted)


LONG: Final = 256
"""Headers of this many characters are not remembered."""


def is_short(fields: Fields) -> bool:
    """Whether fields are short enough to be remembered."""
    return len("".join(filter(None, fields))) < LONG


def is_call_to_tool(fields: Fields) -> bool:
    """Whether the message with these fields is a call."""
    return is_call(Message(fields.role, "", recipient=fields.recipient))


def is_header(raw: str) -> bool:
    """Whether a raw header is one to every reader: of tokens, only those of a header stand in it."""
    return not (set(TOKEN.findall(raw)) - {CHANNEL, CONSTRAIN})


def _regular(raw: str, prompted: bool) -> Fields | None:
    parsed = parse(raw, prompted=prompted)
    if parsed is None:
        return _reply(raw) if not prompted else None
    fields = parsed.fields
    odd = (
        not parsed.addressed
        or (fields.name is not None and _is_odd_name(fields.name))
        or (fields.content_type is not None and ATTRIBUTE.match(fields.content_type) is not None)
        or (fields.channel is not None and evident(fields.channel) != fields.channel)
        or any(value is not None and _OTHER_SPACE.search(value) for value in fields[1:6])
        or any(value is not None and (CHANNEL in value or CONSTRAIN in value) for value in fields[3:6])
    )
    # To the official parser a header that names no tool is one of a tool called `tool`; nobody is.
    name = None if fields.role == TOOL and fields.name == TOOL else fields.name
    return None if odd else fields._replace(name=name, intent=implied_intent(*fields[:4]))


_cached = lru_cache(maxsize=2048)(_regular)


_DOUBLED: Final = re.compile(f"({'|'.join(sorted(ROLES))})\\1+")

_GLUED: Final = re.compile(f"{ASSISTANT}(?:{'|'.join(sorted(CHANNELS))}|{TO}.*)", re.DOTALL)
"""The assistant's role with what should stand behind a token glued to it, as behind a generation prompt."""


def _is_odd_name(name: str) -> bool:
    return any(
        (
            _DOUBLED.fullmatch(name),
            _GLUED.fullmatch(name),
            CALLED.match(name),
            name.startswith(TO),
            ATTRIBUTE.match(name),
            NAMED_ROLE.match(name),
            CHANNEL in name,
            CONSTRAIN in name,
        )
    )


def _reply(raw: str) -> Fields | None:
    name, marker, channel = raw.partition(CHANNEL)
    if (
        TOOL_NAME.fullmatch(name) is None
        or CALLED.match(name)
        or (marker and not WORDS.fullmatch(channel))
        or "<" in channel
    ):
        return None
    return Fields(TOOL, name, channel if marker else None)


def implied_intent(role: str, name: str | None, channel: str | None, recipient: str | None) -> str | None:
    """Commentary for nobody in particular is a preamble for the user (OpenChatML 2.2 §12.6)."""
    return "preamble" if role == ASSISTANT and channel == "commentary" and recipient is None else None


_FIELDS: Final = attrgetter(*Fields._fields)


def fields_of(message: Message) -> Fields:
    """What a message's header has to say."""
    return Fields(*_FIELDS(message))


def fields_without_id(message: Message) -> Fields:
    """What a header can say of a message: all but its call id."""
    return Fields(
        message.role,
        message.name,
        message.channel,
        message.recipient,
        message.content_type,
        message.constraint,
        intent=message.intent,
    )


def is_own_spelling(raw: str, fields: Fields, *, prompted: bool) -> bool:
    """Whether a header has to be kept as it is: it is not what we would write for these fields.

    A tool's reply without recipient always is, because we would write one.
    """
    return raw != spell(fields, prompted=prompted) or (fields.role == TOOL and fields.recipient is None)


def spell(fields: Fields, dialect: str = SPEC, *, prompted: bool = False) -> str:
    """Write a header as the official encoder of a dialect does; behind a generation prompt, without the role."""
    who = "" if prompted else (fields.name or TOOL) if fields.role == TOOL else fields.role
    to = "" if fields.recipient is None or fields.recipient == BROADCAST else f" {TO}{fields.recipient}"
    channel = "" if fields.channel is None else f"{CHANNEL}{fields.channel}"
    if fields.constraint is not None:
        kind = f" {CONSTRAIN}{fields.constraint}"
    else:
        kind = "" if fields.content_type is None else f" {fields.content_type}"
    if dialect == "oss" and fields.channel == "commentary":
        return f"{who}{channel}{to}{kind}"
    return f"{who}{to}{channel}{kind}"
