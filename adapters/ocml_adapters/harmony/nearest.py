"""What Harmony holds of one message: a header without attributes, a body of text, tools in the developer's message."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, cast

from ocml_bridge.chat.turns import is_thought
from ocml_bridge.chat.visibility import channelled, is_exposed
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tools, replace
from ocml_bridge.report.narrowing import narrow

from .frames import Scanner, pieces_of
from .header import (
    WORDS,
    Fields,
    fields_of,
    fields_without_id,
    implied_intent,
    is_header,
    is_own_spelling,
    is_short,
    regular,
    spell,
)
from .message import make, spell_developer
from .syntax import (
    ASSISTANT,
    BROADCAST,
    CONTROL,
    DEVELOPER,
    END_OF_TEXT,
    HOME,
    MENTIONABLE,
    NOTES,
    ROLES,
    SPEC,
    SPECIALS,
    START,
    TOOL,
)


def nearest(message: Message, path: str, log: Log) -> Message:
    """A message with a content that a body can say; its frame shows what can be held of the rest.

    Args:
        message: any whose tools stand where Harmony has them.
        path: where it stands in the document.
        log: takes what is lost.
    """
    return narrowed(message, (Tools,) if message.role == DEVELOPER else (), path, log)


def narrowed(message: Message, holds: tuple[type[Any], ...], path: str, log: Log) -> Message:
    """A message with text, and with only those kinds of parts; it is on `analysis` where a part told its privacy."""
    if isinstance(message.content, str):
        return message
    message = channelled(message)
    private = is_thought(message)
    content = narrow(message.content, holds, f"{path}/content", log, target=HOME, private=private)
    return replace(message, content=content)


def framed(message: Message, options: Options, *, prompted: bool, last: bool) -> tuple[Message, str]:
    """A message as its frame reads, and the body of that frame.

    Args:
        message: the nearest that Harmony holds.
        options: `dialect` and `training` count.
        prompted: whether it begins behind a generation prompt.
        last: whether nothing follows.
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
        # There it would be the end.
        mentions = [token for token in mentions if token != END_OF_TEXT]
    if mentions:
        members["mentions"] = mentions
    end = message.end if last or message.end else "end"
    if last and options.training and end is not None and answers(fields):
        end = "return"
    return make(fields, content, end, members, {}), body


def answers(fields: Fields | Message) -> bool:
    """Whether a header is that of a final answer, which a training line ends with."""
    return fields.role == ASSISTANT and fields.channel == "final"


def _mentions(value: Any, content: str, fields: Fields) -> list[str]:
    """Tokens that stood in the body as such, as long as they still cannot be taken for the end of it."""
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
    """A message with nothing but what its header says.

    Args:
        message: the nearest that Harmony holds.
        options: `dialect` counts.
        prompted: whether it begins behind a generation prompt.
    """
    fields, members = _header(message, NOTES.of(message.layout), options, prompted=prompted)
    return make(fields, "", None, members, {})


def opened(turn: Message, options: Options, *, prompted: bool) -> Message:
    """An open turn as it reads back."""
    if fields_of(turn) == Fields(turn.role) and turn.role in ROLES and not prompted:
        return Message(turn.role, "", end=None)
    made = headed(turn, options, prompted=prompted)
    if made.role == TOOL and (made.name or "").startswith(ASSISTANT) and made.recipient != ASSISTANT:
        # Where it replies to anybody else, it reads as an answer that begins directly behind the assistant's role.
        return headed(replace(turn, recipient=ASSISTANT), options, prompted=prompted)
    return made


def keeps_header(message: Message, options: Options) -> bool:
    """Whether a message's header is written as it came."""
    message = channelled(message)
    return _remembered_header(fields_of(message), NOTES.of(message.layout), options, prompted=False) is not None


def _header(
    message: Message, layout: dict[str, Any], options: Options, *, prompted: bool
) -> tuple[Fields, dict[str, Any]]:
    """The fields that a header can hold, and the raw header where it says just that in another spelling."""
    fields = fields_of(message)
    raw = _remembered_header(fields, layout, options, prompted=prompted)
    if raw is not None:
        return fields, {"header": raw}
    fields = fields_without_id(message)
    fields, raw = (_spelled_again if is_short(fields) else _spelled)(fields, options.dialect or SPEC, prompted)
    return fields, {} if raw is None else {"header": raw}


def _spelled(fields: Fields, dialect: str, prompted: bool) -> tuple[Fields, str | None]:
    """The nearest fields that a header can hold, and its text where that is not the one that is written by default."""
    fields = nearest_fields(fields, dialect)
    raw = spell(fields, dialect, prompted=prompted)
    return fields, raw if is_own_spelling(raw, fields, prompted=prompted) else None


_spelled_again: Final = lru_cache(maxsize=2048)(_spelled)


def _remembered_header(fields: Fields, layout: dict[str, Any], options: Options, *, prompted: bool) -> str | None:
    """The raw header that came with a message, where it still says what the message says, and is worth keeping."""
    raw = layout.get("header")
    if not isinstance(raw, str) or options.dialect is not None:
        return None
    if not is_header(raw) or regular(raw, prompted) != fields:
        return None
    return raw if is_own_spelling(raw, fields, prompted=prompted) else None


def nearest_fields(fields: Fields, dialect: str) -> Fields:
    """The nearest fields that read back as they are, with our reader and with the official one.

    Args:
        fields: what a message says.
        dialect: how the header is to be spelled.
    """
    fields = _in_dialect(fields, dialect)
    role = fields.role if fields.role in ROLES else "user"
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
    if is_exposed(_as_message(fields), _as_message(fitting)):
        fitting = fitting._replace(channel="analysis", intent=None)
    if recipient is None:
        return fitting
    if fields.constraint is not None:
        return fitting._replace(constraint=_word(fields.constraint, fitting, "constraint"))
    return fitting._replace(content_type=_word(fields.content_type, fitting, "content_type"))


def _as_message(fields: Fields) -> Message:
    return Message(content="", **fields._asdict())


def _in_dialect(fields: Fields, dialect: str) -> Fields:
    if dialect == "oss" and fields.constraint is None:
        return fields._replace(constraint=fields.content_type, content_type=None)
    if dialect == "hf" and fields.constraint is not None:
        return fields._replace(constraint=None, content_type=fields.constraint)
    return fields


def header_word(recipient: str) -> str:
    """A recipient as a header can hold it."""
    return _word(recipient, Fields(ASSISTANT), "recipient") or ""


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
