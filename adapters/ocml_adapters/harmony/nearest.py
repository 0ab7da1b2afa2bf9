"""Find the nearest message that Harmony can hold.

Its header has no attributes, its body is text, and only a developer message may declare tools. A raw header in the
layout is used again if it still reads as the fields of the message.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_thought
from ocml_bridge.chat.visibility import channelled, is_exposed
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tools, replace
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.plain import is_hidden_role

from .body import spell_developer
from .frames import Scanner, pieces_of
from .header import (
    WORDS,
    Fields,
    build_message,
    fields_of,
    fields_without_id,
    implied_intent,
    is_header,
    is_own_spelling,
    is_short,
    regular,
    spell,
)
from .syntax import (
    ASSISTANT,
    BROADCAST,
    CONTROL,
    DEVELOPER,
    END_OF_TEXT,
    HOME,
    MAX_HEADER,
    MENTIONABLE,
    NOTES,
    ROLES,
    SPEC,
    SPECIALS,
    START,
    TOOL,
)


def nearest(message: Message, path: str, log: Log) -> Message:
    """Return the message with a content that a body can hold; `framed` changes its other fields.

    Args:
        message: a message; its tools, if any, are in their place (`is_in_place`).
        path: the path of the message in the document.
        log: receives the losses.
    """
    return narrowed(message, (Tools,) if message.role == DEVELOPER else (), path, log)


def narrowed(message: Message, holds: tuple[type[Any], ...], path: str, log: Log) -> Message:
    """Return a message with text and parts of certain types only; a private content puts it on channel `analysis`.

    Args:
        message: a message.
        holds: the types of parts that it may have apart from text.
        path: the path of the message in the document.
        log: receives the losses.
    """
    if isinstance(message.content, str):
        return message
    message = channelled(message)
    private = is_thought(message)
    content = narrow(message.content, holds, f"{path}/content", log, target=HOME, private=private)
    return replace(message, content=content)


def framed(message: Message, options: Options, *, prompted: bool, last: bool) -> tuple[Message, str]:
    """Return the message that the frame of a message reads as, and the body of that frame.

    Args:
        message: a message, as `nearest` returned it.
        options: `dialect` and `training` are used.
        prompted: whether the message follows a generation prompt.
        last: whether nothing follows the message.
    """
    layout = NOTES.of(message.layout)
    fields, members = _header(message, layout, options, prompted=prompted)
    content = message.content
    if fields.role == DEVELOPER:
        body, read = spell_developer(content, layout)
        content = read.content
        if read.plain:
            members["plain"] = True
        if read.section is not None:
            members["tools"] = read.section
    else:
        body = cast("str", content)
    mentions = _mentions(layout.get("mentions"), content, fields) if isinstance(content, str) else []
    if last and message.end is None and body.endswith(END_OF_TEXT):
        # At the end of the last body, this token would be read as the end token.
        mentions = [token for token in mentions if token != END_OF_TEXT]
    if mentions:
        members["mentions"] = mentions
    end = message.end if last or message.end else "end"
    if last and options.training and end is not None and answers(fields):
        end = "return"
    return build_message(fields, content, end, members, {}), body


def answers(fields: Fields | Message) -> bool:
    """Return whether a header is that of a final answer, which ends a training example."""
    return fields.role == ASSISTANT and fields.channel == "final"


def _mentions(value: Any, content: str, fields: Fields) -> list[str]:
    """Return the tokens in the content that may be written unbroken: those that still read as text in this body.

    Args:
        value: `mentions` of the layout: the tokens that were text in the body that was read.
        content: the content.
        fields: the fields of the header.
    """
    if not isinstance(value, list):
        return []
    listed = {token for token in cast("list[Any]", value) if isinstance(token, str) and token in content}
    inert = {token for token in listed if SPECIALS.plain.fullmatch(token) is not None}
    mentionable = sorted(listed & MENTIONABLE)
    if not mentionable:
        return sorted(inert)
    header = START + spell(fields._replace(channel=None))
    frames = Scanner().feed(pieces_of(f"{header}<|message|>{CONTROL.neutralise(content, mentionable)}<|end|>"))
    is_one = len(frames) == 1 and sorted(frames[0].mentions) == mentionable
    return sorted({*mentionable, *inert}) if is_one else sorted(inert)


# --- headers ----------------------------------------------------------------------------------------------------------


def headed(message: Message, options: Options, *, prompted: bool) -> Message:
    """Return a message with only what its header can hold.

    Args:
        message: a message, as `nearest` returned it.
        options: `dialect` is used.
        prompted: whether the message follows a generation prompt.
    """
    fields, members = _header(message, NOTES.of(message.layout), options, prompted=prompted)
    return build_message(fields, "", None, members, {})


def opened(turn: Message, options: Options, *, prompted: bool) -> Message:
    """Return an open turn as it reads after it was written."""
    if fields_of(turn) == Fields(turn.role) and turn.role in ROLES and not prompted:
        return Message(turn.role, "", end=None)
    made = headed(turn, options, prompted=prompted)
    if made.role == TOOL and (made.name or "").startswith(ASSISTANT) and made.recipient != ASSISTANT:
        # With any other recipient, it would read as text of the assistant that directly follows the role.
        return headed(replace(turn, recipient=ASSISTANT), options, prompted=prompted)
    return made


def keeps_header(message: Message, options: Options) -> bool:
    """Return whether the raw header in the layout of a message is used again."""
    message = channelled(message)
    return _remembered_header(fields_of(message), NOTES.of(message.layout), options, prompted=False) is not None


def _header(
    message: Message, layout: dict[str, Any], options: Options, *, prompted: bool
) -> tuple[Fields, dict[str, Any]]:
    """Return the nearest fields that a header can hold, and the layout: the raw header, if `spell` writes another."""
    fields = fields_of(message)
    raw = _remembered_header(fields, layout, options, prompted=prompted)
    if raw is not None:
        return fields, {"header": raw}
    fields = fields_without_id(message)
    fields, raw = (_spelled_again if is_short(fields) else _spelled)(fields, options.dialect or SPEC, prompted)
    return fields, {} if raw is None else {"header": raw}


def _spelled(fields: Fields, dialect: str, prompted: bool) -> tuple[Fields, str | None]:
    """Return the nearest fields that a header can hold, and the raw header if it is not the default spelling."""
    fields = nearest_fields(fields, dialect)
    raw = spell(fields, dialect, prompted=prompted)
    return fields, raw if is_own_spelling(raw, fields, prompted=prompted) else None


_spelled_again: Final = lru_cache(maxsize=2048)(_spelled)


def _remembered_header(fields: Fields, layout: dict[str, Any], options: Options, *, prompted: bool) -> str | None:
    """Return the raw header in the layout, or None.

    It is used if it still reads as the fields and is not the default spelling, and if no `dialect` is chosen.
    """
    raw = layout.get("header")
    if not isinstance(raw, str) or options.dialect is not None:
        return None
    if not is_header(raw) or regular(raw, prompted) != fields:
        return None
    return raw if is_own_spelling(raw, fields, prompted=prompted) else None


def nearest_fields(fields: Fields, dialect: str) -> Fields:
    """Return the nearest fields that read the same after they are written, with our reader and with the official one.

    Args:
        fields: the fields of a message.
        dialect: the dialect of the header.
    """
    whole = _in_dialect(fields, dialect)
    fields = _bounded(whole)
    role = fields.role if fields.role in ROLES else ASSISTANT if is_hidden_role(fields.role) else "user"
    name = recipient = None
    if role == TOOL:
        name = _word(fields.name or None, Fields(TOOL, recipient=ASSISTANT), "name")
        recipient = fields.recipient or ASSISTANT
    elif fields.recipient is not None:
        recipient = fields.recipient
    recipient = None if recipient == BROADCAST else _word(recipient, Fields(ASSISTANT), "recipient")
    if role == TOOL:
        recipient = recipient or ASSISTANT
    channel = _word(fields.channel, Fields(ASSISTANT), "channel")
    fitting = Fields(role, name, channel, recipient, intent=implied_intent(role, name, channel, recipient))
    if is_exposed(_as_message(whole), _as_message(fitting)):
        fitting = fitting._replace(channel="analysis", intent=None)
    if recipient is None:
        return fitting
    if fields.constraint is not None:
        return fitting._replace(constraint=_word(fields.constraint, fitting, "constraint"))
    return fitting._replace(content_type=_word(fields.content_type, fitting, "content_type"))


_VALUES: Final = ("name", "channel", "recipient", "content_type", "constraint")
_MARKERS: Final = 256
"""More characters than stand in a header beside its values."""


def _bounded(fields: Fields) -> Fields:
    """The fields without the longest ones, where a header with all of them would be longer than one may be."""
    values = {name: len(getattr(fields, name) or "") for name in _VALUES}
    while sum(values.values()) > MAX_HEADER - _MARKERS:
        longest = max(values, key=lambda name: values[name])
        fields, values[longest] = fields._replace(**{longest: None}), 0
    return fields


def _as_message(fields: Fields) -> Message:
    return Message(content="", **fields._asdict())


def _in_dialect(fields: Fields, dialect: str) -> Fields:
    if dialect == "oss" and fields.constraint is None:
        return fields._replace(constraint=fields.content_type, content_type=None)
    if dialect == "hf" and fields.constraint is not None:
        return fields._replace(constraint=None, content_type=fields.constraint)
    return fields


def header_word(recipient: str) -> str:
    """Return a recipient as a header can hold it; "" if nothing of it is left."""
    return _word(recipient, Fields(ASSISTANT), "recipient") or ""


def _word(value: str | None, around: Fields, field: str) -> str | None:
    """Return a value as a header can hold it; None if nothing of it is left.

    Characters that would split or end the value become `_`.

    Args:
        value: the value.
        around: the other fields of a header that it is tried in.
        field: the name of its field.
    """
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
    return is_header(raw) and SPECIALS.is_free(raw) and regular(raw) == fields
