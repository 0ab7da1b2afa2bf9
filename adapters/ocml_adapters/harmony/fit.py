"""What of a document Harmony can hold: headers without attributes, bodies of text, tools in the developer's message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Document, Message, Tool, Tools, Transcript, own_copy
from ocml_bridge.text import developer
from ocml_bridge.turns import as_transcript, hoist_tools, infer_grouping, lower_tools, pair, places

from .body import is_in_place, path_of, placed, read_developer, write_developer, write_tools
from .frames import Scanner, pieces_of
from .header import (
    WORDS,
    Fields,
    fields_of,
    implied_intent,
    is_header,
    is_own_spelling,
    is_short,
    regular,
    said_by,
    spell,
)
from .message import assemble, body_of, common_header, header_of, layout_of, make
from .reader import LINE_END
from .syntax import (
    ASSISTANT,
    BROADCAST,
    CONTROL,
    HOME,
    INSTRUCTIONS,
    MENTIONABLE,
    ROLES,
    SPEC,
    START,
    TOOL,
)

TARGET: Final = "harmony"


Spelling = Callable[[dict[str, Any], str, str, Sequence[str]], dict[str, Any]]
"""What else of a message's layout is kept, given that layout, the raw header, the body, and the tokens in the body."""


def fit(document: Document, options: Options, log: Log, spelling: Spelling | None = None) -> Transcript:
    """The transcript that reading the output gives back.

    Args:
        document: what is to be written.
        options: `dialect` and `training` count.
        log: parts without a place are reported here.
        spelling: what else of a message's layout is kept, for token ids.
    """
    if isinstance(document, Completion):
        return as_transcript(document, log)
    plain = _plain_image(document, options)
    if plain is not None:
        return plain
    hoisted = _tools_in_place(document, log)
    paired = list(placed(hoisted, None if hoisted is document else places(document, log)))
    lowered = [message for _, message in paired]
    names = _names_of_replies(lowered)
    layout = layout_of(document.layout)
    prompted = layout.get("prompted") is True and _leads(lowered, document.open_turn)
    messages: list[Message] = []
    for index, (place, message) in enumerate(paired):
        tool, first = names.get(index), prompted and index == 0
        last = index == len(lowered) - 1 and document.open_turn is None
        held = _plainly_held(message, tool, options, prompted=first, last=last)
        if held is None:
            held = _message(message, tool, place, options, log, prompted=first, last=last)
        if spelling is not None and _has_spelling(message):
            held = _spelled(held, message, spelling, prompted=first)
        messages.append(held)
    _end_as_trained(messages, options)
    open_turn = _open_turn(document.open_turn, options, prompted=prompted and not messages)
    kept = _kept_layout(layout, messages, open_turn, prompted=prompted)
    image = assemble(messages, open_turn, kept, {})
    if len(image.messages) < len(messages):
        _report_lifted(paired, log)
    return image


def _plain_image(transcript: Transcript, options: Options) -> Transcript | None:
    """The image of a transcript that has nothing special, as most have: its tools need a message of their own.

    None for any other.
    """
    if options.training or transcript.open_turn is not None or _has_spelling(transcript):
        return None
    held: list[Message] = []
    for message in transcript.messages:
        plain = _plainly_held(message, None, options, prompted=False, last=False)
        if plain is None:
            return None
        held.append(plain)
    tools = transcript.tools
    if tools is not None:
        content, _ = read_developer(write_tools(tools))
        if len(content) != 1 or not isinstance(declared := content[0], Tools):
            return None
        tools = declared.tools
    image = Transcript(infer_grouping(held), tools)
    return transcript if image == transcript else image


def _has_spelling(source: Message | Transcript) -> bool:
    """Whether a message or transcript says how Harmony spelled it."""
    return source.layout is not None and HOME in source.layout


def _report_lifted(paired: Sequence[tuple[int | None, Message]], log: Log) -> None:
    """A developer message of the document that holds nothing but tools is the transcript's tools."""
    place, message = next((place, message) for place, message in paired if message.role != "system")
    if place is not None:
        severity = Severity.LAYOUT if message.content == "" else Severity.CHANGED
        log.lose(LossCode.TOOLS_MOVED, path_of(place), "it holds nothing but the declared tools", severity)


def _tools_in_place(transcript: Transcript, log: Log) -> Transcript:
    """Tools that stand where Harmony has no place for them are declared apart, and so in the developer's message."""
    if not all(map(is_in_place, lower_tools(transcript))):
        # Parts are left out first: their paths count the tools that then move out.
        texts = tuple(_texts(message, f"/messages/{at}", log) for at, message in enumerate(transcript.messages))
        transcript = hoist_tools(replace(transcript, messages=texts), log)
    if not transcript.tools or _is_read(transcript.tools):
        return transcript
    # What would not be read as tools would be read as a message that nobody sent.
    tools = developer.image(transcript.tools)
    return replace(transcript, tools=tools if tools and _is_read(tools) else None)


def _texts(message: Message, path: str, log: Log) -> Message:
    return replace(message, content=narrow(message.content, (Tools,), f"{path}/content", log, target=TARGET))


def _is_read(tools: tuple[Tool, ...]) -> bool:
    return isinstance(read_developer(write_tools(tools))[0], tuple)


def _spelled(held: Message, source: Message, spelling: Spelling, *, prompted: bool) -> Message:
    layout = layout_of(held.layout)
    header, body = header_of(held, prompted=prompted), body_of(held)
    more = spelling(layout_of(source.layout), header.removeprefix(START), body, layout.get("mentions", ()))
    return replace(held, layout={HOME: {**layout, **more}}) if more else held


def _names_of_replies(messages: Sequence[Message]) -> dict[int, str]:
    """For replies without a name, the tool that they answer."""
    if not any(message.role == TOOL and message.name is None for message in messages):
        return {}
    return {reply: messages[call].recipient or TOOL for reply, call in pair(messages).items()}


def _leads(messages: Sequence[Message], open_turn: Message | None) -> bool:
    """Whether what comes first can begin behind a generation prompt."""
    if messages:
        return messages[0].role == ASSISTANT
    return open_turn is not None and open_turn.role == ASSISTANT


# --- one message ------------------------------------------------------------------------------------------------------


def _message(
    message: Message, tool: str | None, place: int | None, options: Options, log: Log, *, prompted: bool, last: bool
) -> Message:
    layout = layout_of(message.layout)
    fields, kept = _header(message, tool, layout, options, prompted=prompted)
    holds = (Tools,) if fields.role == "developer" else ()
    content = narrow(message.content, holds, f"{path_of(place)}/content", log, target=TARGET)
    if holds:
        plain = layout.get("plain") is True and not write_developer(content, plain=True).startswith(INSTRUCTIONS)
        content, plain = read_developer(write_developer(content, plain=plain))
        if plain:
            kept["plain"] = True
    mentions = _mentions(layout.get("mentions"), content) if isinstance(content, str) else []
    if mentions:
        kept["mentions"] = mentions
    return make(fields, content, message.end if last or message.end else "end", kept, {})


def _plainly_held(
    message: Message, tool: str | None, options: Options, *, prompted: bool, last: bool
) -> Message | None:
    """The image of a message that has nothing of Harmony's own to keep and whose header says it all, as most do.

    It is the message itself where nothing is left out.
    """
    layout = message.layout
    if not isinstance(message.content, str) or message.role == "developer" or (layout is not None and HOME in layout):
        return None
    if message.end is None and not last:
        return None
    if prompted or common_header(message) is None:
        fields = said_by(message)
        if not is_short(fields) or not _is_whole(fields, tool, options.dialect or SPEC, prompted):
            return None
    if message.call_id is None and layout is None and message.extras is None:
        return message
    held = own_copy(message)
    held.call_id = held.layout = held.extras = None
    return held


@lru_cache(maxsize=2048)
def _is_whole(fields: Fields, tool: str | None, dialect: str, prompted: bool) -> bool:
    """Whether a header can say these fields, and is spelled as we spell it."""
    if _held(fields, tool, dialect) != fields:
        return False
    return not is_own_spelling(spell(fields, dialect, prompted=prompted), fields, prompted=prompted)


def _header(
    message: Message, tool: str | None, layout: dict[str, Any], options: Options, *, prompted: bool
) -> tuple[Fields, dict[str, Any]]:
    """The fields that a header can hold, and the raw header where it says just that in another spelling."""
    fields, raw = fields_of(message), layout.get("header")
    if isinstance(raw, str) and options.dialect is None and _is_kept(raw, fields, prompted=prompted):
        return fields, {"header": raw}
    held = _held if is_short(fields) else _held.__wrapped__
    dialect = options.dialect or SPEC
    fields = held(said_by(message), tool, dialect)
    raw = spell(fields, dialect, prompted=prompted)
    return fields, {"header": raw} if is_own_spelling(raw, fields, prompted=prompted) else {}


def _is_kept(raw: str, fields: Fields, *, prompted: bool) -> bool:
    """Whether a raw header that came with a message still says what the message says, and is worth keeping."""
    if not is_header(raw) or regular(raw, prompted) != fields:
        return False
    return is_own_spelling(raw, fields, prompted=prompted)


@lru_cache(maxsize=2048)
def _held(fields: Fields, tool: str | None, dialect: str) -> Fields:
    """The nearest fields that read back as they are, with our reader and with the official one."""
    fields = _in_dialect(fields, dialect)
    role = fields.role if fields.role in ROLES else "user"
    name = recipient = None
    if role == TOOL:
        name = _word(fields.name or tool, Fields(TOOL, recipient=ASSISTANT), "name") or TOOL
        recipient = fields.recipient or ASSISTANT
    elif fields.recipient is not None:
        recipient = fields.recipient
    recipient = None if recipient == BROADCAST else _word(recipient, Fields(ASSISTANT), "recipient")
    if role == TOOL:
        recipient = recipient or ASSISTANT
    channel = _word(fields.channel, Fields(ASSISTANT), "channel")
    held = Fields(role, name, channel, recipient, intent=implied_intent(role, name, channel, recipient))
    if recipient is None:
        return held
    if fields.constraint is not None:
        return held._replace(constraint=_word(fields.constraint, held, "constraint"))
    return held._replace(content_type=_word(fields.content_type, held, "content_type"))


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


def _mentions(value: Any, content: str) -> list[str]:
    """Tokens that stood in the body as such, as long as they still cannot be taken for the end of it."""
    if not isinstance(value, list):
        return []
    listed = cast("list[Any]", value)
    kept = sorted({token for token in listed if isinstance(token, str) and token in MENTIONABLE and token in content})
    if not kept:
        return []
    frames = Scanner().feed(pieces_of(f"<|start|>user<|message|>{CONTROL.neutralise(content, kept)}<|end|>"))
    return kept if len(frames) == 1 and sorted(frames[0].mentions) == kept else []


# --- around the messages ----------------------------------------------------------------------------------------------


def _end_as_trained(messages: list[Message], options: Options) -> None:
    last = messages[-1] if options.training and messages else None
    if last is not None and last.role == ASSISTANT and last.channel == "final" and last.end is not None:
        messages[-1] = replace(last, end="return")


def _open_turn(turn: Message | None, options: Options, *, prompted: bool) -> Message | None:
    if turn is None:
        return None
    if fields_of(turn) == Fields(turn.role) and turn.role in ROLES and not prompted:
        return Message(turn.role, "", end=None)
    fields, kept = _header(turn, None, layout_of(turn.layout), options, prompted=prompted)
    return make(fields, "", None, kept, {})


def _kept_layout(
    layout: dict[str, Any], messages: Sequence[Message], open_turn: Message | None, *, prompted: bool
) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if prompted and (messages or (open_turn is not None and open_turn.channel is not None)):
        kept["prompted"] = True
    tail = layout.get("tail")
    ended = open_turn is not None or not messages or messages[-1].end is not None
    if isinstance(tail, str) and LINE_END.fullmatch(tail) and ended:
        kept["tail"] = tail
    return kept
