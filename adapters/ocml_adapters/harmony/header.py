"""Read the header of a frame by the official grammar, and write it in each dialect.

`parse` follows the official parser word for word (openai-harmony 0.0.8 and oss-harmony 0.0.11 agree). `regular` refuses
also those headers that this parser silently misreads. `recover.py` reads all other headers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ocml_bridge.chat.turns import FUNCTIONS, is_call
from ocml_bridge.model import Content, Ending, Message
from ocml_bridge.text.channels import evident

from .syntax import ASSISTANT, BROADCAST, CHANNEL, CHANNELS, CONSTRAIN, HOME, NOTES, ROLES, SPEC, START, TOKEN, TOOL


class Fields(NamedTuple):
    """The fields of a message that a header holds, and those of OpenChatML 2.2 headers."""

    role: str
    name: str | None = None
    channel: str | None = None
    recipient: str | None = None
    content_type: str | None = None
    constraint: str | None = None
    call_id: str | None = None
    intent: str | None = None


class Parsed(NamedTuple):
    """A header as the official parser reads it.

    Attributes:
        fields: the fields.
        addressed: whether `to=` marks the recipient; also True if there is no recipient.
    """

    fields: Fields
    addressed: bool


# The official parser splits words at ASCII white space, but ends the name of a channel at any white space.
WORDS: Final = re.compile(r"[^ \t\n\f\r]+")
_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_CHANNEL: Final = re.compile(re.escape(CHANNEL) + f"([^<{_SPACE}]*)")
TO: Final = "to="
_OTHER_SPACE: Final = re.compile(r"\s")
"""White space: what is left of it in a value after parsing is invisible, but part of a word to the official parser."""


def parse(raw: str, *, prompted: bool = False) -> Parsed | None:
    """Read a header as the official parser does; return None if that parser refuses it.

    Args:
        raw: the text between `<|start|>` and `<|message|>`.
        prompted: whether the header follows a generation prompt, which has the role `assistant` already.
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
    """Return the role and, for tools, the name: an unknown first word is a tool's name if another word follows it."""
    first = words[0]
    if first in ROLES:
        return first, first if first == TOOL else None
    if len(words) > 1 or first.startswith(TO):
        return TOOL, first
    return None, None


ATTRIBUTE: Final = re.compile(r"(call_id|name|intent|content_type)=(.*)", re.DOTALL)
"""Attributes of OpenChatML 2.2 headers; Harmony has none of them."""
NAMED_ROLE: Final = re.compile(f"({'|'.join(sorted(ROLES - {TOOL}))}):(.+)", re.DOTALL)
"""A role with a name, as the official encoder writes it for roles other than `tool`; its parser does not read it."""
TOOL_NAME: Final = re.compile(r"python|[A-Za-z_][\w-]*\.[\w.-]+")
"""A name that only a tool has: with a namespace before a dot, or `python`, the built-in tool without one."""


CALLED: Final = re.compile(f"{ASSISTANT}({re.escape(FUNCTIONS)}.+)", re.DOTALL)
"""The assistant's role with the name of a called function glued to it, as a model writes after a generation prompt."""


def regular(raw: str, prompted: bool = False) -> Fields | None:
    """Read a regular header: one that the official parser reads as a person does. Return None for any other header.

    A reply of a tool without a recipient is regular, too: the official encoder writes it, though its parser refuses it.
    """
    return _cached(raw, prompted) if len(raw) < LONG else _regular(raw, prompted)


LONG: Final = 256
"""Headers of this many characters, or more, are not cached."""


def is_short(fields: Fields) -> bool:
    """Return whether fields are short enough to be cached."""
    return len("".join(filter(None, fields))) < LONG


def is_call_to_tool(fields: Fields) -> bool:
    """Return whether a message with these fields is a call."""
    return is_call(Message(fields.role, "", recipient=fields.recipient))


def is_header(raw: str) -> bool:
    """Return whether a raw header contains no control tokens but `<|channel|>` and `<|constrain|>`."""
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
    # The official parser reads the role `tool` alone as the name of the tool, too; no tool has this name.
    name = None if fields.role == TOOL and fields.name == TOOL else fields.name
    return None if odd else fields._replace(name=name, intent=implied_intent(*fields[:4]))


_cached = lru_cache(maxsize=2048)(_regular)


_DOUBLED: Final = re.compile(f"({'|'.join(sorted(ROLES))})\\1+")

_GLUED: Final = re.compile(f"{ASSISTANT}(?:{'|'.join(sorted(CHANNELS))}|{TO}.*)", re.DOTALL)
"""The assistant's role with a channel or a recipient glued to it, as a model writes after a generation prompt."""


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
    """Return `preamble` for the assistant's commentary without a recipient (OpenChatML 2.2 §12.6), else None."""
    return "preamble" if role == ASSISTANT and channel == "commentary" and recipient is None else None


_FIELDS: Final = attrgetter(*Fields._fields)


def fields_of(message: Message) -> Fields:
    """Return the fields of a message."""
    return Fields(*_FIELDS(message))


def fields_without_id(message: Message) -> Fields:
    """Return the fields of a message without its call id, which a Harmony header cannot hold."""
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
    """Return whether a raw header must be stored in the layout, because `spell` would write these fields differently.

    This is always so for a reply of a tool without a recipient: the writer adds the recipient.
    """
    return raw != spell(fields, prompted=prompted) or (fields.role == TOOL and not fields.recipient)


def spell(fields: Fields, dialect: str = SPEC, *, prompted: bool = False) -> str:
    """Write a header as the official encoder of a dialect does; after a generation prompt, without the role."""
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


def build_message(
    fields: Fields, content: Content, end: Ending | None, layout: dict[str, Any], extras: dict[str, Any]
) -> Message:
    """Build a message from the fields of its header; an empty layout, or empty extras, become None."""
    return Message(
        **fields._asdict(),
        content=content,
        end=end,
        layout={HOME: layout} if layout else None,
        extras={HOME: extras} if extras else None,
    )


def common_header(message: Message) -> str | None:
    """Return the header, from `<|start|>` on, of a message with only a role and a channel; None for all others."""
    if (
        message.name is None
        and message.recipient is None
        and message.intent is None
        and message.constraint is None
        and message.content_type is None
    ):
        return _COMMON.get((message.role, message.channel))
    return None


_COMMON: Final = {
    (fields.role, fields.channel): START + spell(fields)
    for role in sorted(ROLES - {TOOL})
    for channel in (None, *sorted(CHANNELS))
    if regular(spell(fields := Fields(role, channel=channel))) == fields
}


def header_of(message: Message, *, prompted: bool) -> str:
    """Return the raw header, from `<|start|>` on; after a generation prompt, without `<|start|>` and the role."""
    if not prompted and message.layout is None and (common := common_header(message)) is not None:
        return common
    raw: Any = NOTES.of(message.layout).get("header") if message.layout is not None else None
    if raw is None:
        fields = fields_of(message)
        raw = _spelled(fields, prompted) if is_short(fields) else spell(fields, prompted=prompted)
    return raw if prompted else START + raw


@lru_cache(maxsize=2048)
def _spelled(fields: Fields, prompted: bool) -> str:
    return spell(fields, prompted=prompted)


def short(text: str) -> str:
    """Return a text for a sentence, in quotes; the beginning of a long one."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def in_words(fields: Fields) -> str:
    """Return fields for a sentence."""
    return ", ".join(f"{field} {value}" for field, value in fields._asdict().items() if value is not None)
