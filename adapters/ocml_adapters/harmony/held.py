"""What a header can hold of what a message says."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ocml_bridge.model import Message
from ocml_bridge.visibility import is_exposed

from .header import LONG, WORDS, Fields, implied_intent, is_header, is_short, regular, spell
from .syntax import ASSISTANT, BROADCAST, ROLES, TOOL


def held(fields: Fields, tool: str | None, dialect: str) -> Fields:
    """The nearest fields that read back as they are, with our reader and with the official one.

    Args:
        fields: what a message says.
        tool: the tool that a reply answers for, where it does not say so.
        dialect: how the header is to be spelled.
    """
    return (_held_again if is_short(fields) and len(tool or "") < LONG else _held)(fields, tool, dialect)


def _held(fields: Fields, tool: str | None, dialect: str) -> Fields:
    fields = _in_dialect(fields, dialect)
    role = fields.role if fields.role in ROLES else "user"
    name = recipient = None
    if role == TOOL:
        name = _word(fields.name or tool, Fields(TOOL, recipient=ASSISTANT), "name")
        recipient = fields.recipient or ASSISTANT
    elif fields.recipient is not None:
        recipient = fields.recipient
    recipient = None if recipient == BROADCAST else _word(recipient, Fields(ASSISTANT), "recipient")
    if role == TOOL:
        recipient = recipient or ASSISTANT
    channel = _word(fields.channel, Fields(ASSISTANT), "channel")
    fitting = Fields(role, name, channel, recipient, intent=implied_intent(role, name, channel, recipient))
    if is_exposed(_said(fields), _said(fitting)):
        fitting = fitting._replace(channel="analysis", intent=None)
    if recipient is None:
        return fitting
    if fields.constraint is not None:
        return fitting._replace(constraint=_word(fields.constraint, fitting, "constraint"))
    return fitting._replace(content_type=_word(fields.content_type, fitting, "content_type"))


def _said(fields: Fields) -> Message:
    return Message(content="", **fields._asdict())


_held_again: Final = lru_cache(maxsize=2048)(_held)


def _in_dialect(fields: Fields, dialect: str) -> Fields:
    if dialect == "oss" and fields.constraint is None:
        return fields._replace(constraint=fields.content_type, content_type=None)
    if dialect == "hf" and fields.constraint is not None:
        return fields._replace(constraint=None, content_type=fields.constraint)
    return fields


def _word(value: str | None, around: Fields, field: str) -> str | None:
    """A value as a header can hold it: what would part or end it becomes `_`; None where nothing is left."""
    if value is None or _is_sound(around._replace(**{field: value})):
        return value
    word = "_".join(WORDS.findall("".join(_PLAIN.get(char, char) if char.isprintable() else " " for char in value)))
    if field == "name" and word in ROLES:
        word = f"functions.{word}"
    return word if word and _is_sound(around._replace(**{field: word})) else None


_PLAIN: Final = dict.fromkeys("<>|=:", " ")


def _is_sound(fields: Fields) -> bool:
    fields = fields._replace(intent=implied_intent(*fields[:4]))
    raw = spell(fields)
    return is_header(raw) and regular(raw) == fields
