"""What of a document Harmony can hold: headers without attributes, bodies of text, tools in the developer's message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Content, Document, Message, Tool, Tools, Transcript, replace
from ocml_bridge.pairing import pair
from ocml_bridge.text import developer
from ocml_bridge.turns import as_transcript, hoist_tools, is_thought, lower_tools, places, says_nothing
from ocml_bridge.visibility import channelled

from .around import LINE_END, is_edge, split_tail
from .body import is_in_place, path_of, placed, read_developer, write_developer, write_tools
from .frames import Scanner, pieces_of
from .header import Fields, fields_of, is_header, is_own_spelling, regular, said_by, spell
from .held import held
from .message import assemble, body_of, header_of, layout_of, make
from .syntax import (
    ASSISTANT,
    CONTROL,
    HOME,
    INSTRUCTIONS,
    MENTIONABLE,
    ROLES,
    SPEC,
    SPECIALS,
    START,
    SYSTEM,
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
        held = _message(message, tool, path_of(place), options, log, prompted=first, last=last)
        if spelling is not None and _has_spelling(message):
            held = _spelled(held, message, spelling, prompted=first)
        messages.append(held)
    _end_as_trained(messages, options)
    _end_before_system(messages, document.open_turn)
    open_turn = opened(document.open_turn, options, prompted=prompted and not messages)
    kept = _kept_layout(layout, messages, open_turn, prompted=prompted, is_text=spelling is None)
    image = assemble(messages, Transcript(open_turn=open_turn, layout={HOME: kept} if kept else None))
    if len(image.messages) < len(messages):
        _report_lifted(paired, document, log)
    return image


def _has_spelling(source: Message | Transcript) -> bool:
    """Whether a message or transcript says how Harmony spelled it."""
    return source.layout is not None and HOME in source.layout


def _report_lifted(paired: Sequence[tuple[int | None, Message]], document: Transcript, log: Log) -> None:
    """A developer message of the document that holds nothing but tools is the transcript's tools."""
    place = next(place for place, message in paired if message.role != "system")
    if place is not None:
        severity = Severity.LAYOUT if says_nothing(document.messages[place]) else Severity.CHANGED
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
    message = channelled(message)
    return replace(message, content=_narrowed(message, (Tools,), f"{path}/content", log))


def texts(message: Message, index: int, log: Log) -> Message:
    """A message with its content as a text; parts without a place are reported."""
    message = channelled(message)
    return replace(message, content=_narrowed(message, (), f"/messages/{index}/content", log))


def _narrowed(message: Message, holds: tuple[type[Any], ...], path: str, log: Log) -> Content:
    return narrow(message.content, holds, path, log, target=TARGET, private=is_thought(message))


def _is_read(tools: tuple[Tool, ...]) -> bool:
    return isinstance(read_developer(write_tools(tools)).content, tuple)


def _spelled(held: Message, source: Message, spelling: Spelling, *, prompted: bool) -> Message:
    layout = dict(layout_of(held.layout))
    # Among ids, only control tokens are told from their text.
    mentions = [token for token in layout.pop("mentions", ()) if token in MENTIONABLE]
    if mentions:
        layout["mentions"] = mentions
    header, body = header_of(held, prompted=prompted), body_of(held)
    layout |= spelling(layout_of(source.layout), header.removeprefix(START), body, mentions)
    return replace(held, layout={HOME: layout} if layout else None)


def _names_of_replies(messages: Sequence[Message]) -> dict[int, str]:
    """For replies without a name, the tool whose call they answer, or will be read to answer: Harmony has no ids."""
    nameless = [at for at, message in enumerate(messages) if message.role == TOOL and not message.name]
    if not nameless:
        return {}
    names = {reply: messages[call].recipient or TOOL for reply, call in pair(messages).items()}
    if all(at in names for at in nameless):
        return names
    bare = [replace(message, name=message.name or names.get(at), call_id=None) for at, message in enumerate(messages)]
    return {reply: messages[call].recipient or TOOL for reply, call in pair(bare).items()} | names


def _leads(messages: Sequence[Message], open_turn: Message | None) -> bool:
    """Whether what comes first can begin behind a generation prompt."""
    if messages:
        return messages[0].role == ASSISTANT
    return open_turn is not None and open_turn.role == ASSISTANT


# --- one message ------------------------------------------------------------------------------------------------------


def fitted(message: Message, path: str, options: Options, log: Log, *, last: bool) -> Message:
    """A message as its frame reads back, wherever it stands among others but the first behind a prompt.

    Args:
        message: any but a reply that has no name.
        path: where it stands in the document.
        options: `dialect` and `training` count.
        log: parts without a place are reported here.
        last: whether nothing follows.
    """
    made = _message(message, None, path, options, log, prompted=False, last=last)
    if last:
        _end_as_trained(one := [made], options)
        made = one[0]
    return made


def _message(
    message: Message, tool: str | None, path: str, options: Options, log: Log, *, prompted: bool, last: bool
) -> Message:
    message = channelled(message)
    layout = layout_of(message.layout)
    fields, kept = _header(message, tool, layout, options, prompted=prompted)
    holds = (Tools,) if fields.role == "developer" else ()
    content = _narrowed(message, holds, f"{path}/content", log)
    if holds:
        plain = layout.get("plain") is True and not write_developer(content, plain=True).startswith(INSTRUCTIONS)
        body = read_developer(write_developer(content, plain=plain, section=layout.get("tools")))
        content = body.content
        if body.plain:
            kept["plain"] = True
        if body.section is not None:
            kept["tools"] = body.section
    mentions = _mentions(layout.get("mentions"), content, fields) if isinstance(content, str) else []
    if mentions:
        kept["mentions"] = mentions
    return make(fields, content, message.end if last or message.end else "end", kept, {})


def _header(
    message: Message, tool: str | None, layout: dict[str, Any], options: Options, *, prompted: bool
) -> tuple[Fields, dict[str, Any]]:
    """The fields that a header can hold, and the raw header where it says just that in another spelling."""
    fields, raw = fields_of(message), layout.get("header")
    if isinstance(raw, str) and options.dialect is None and _is_kept(raw, fields, prompted=prompted):
        return fields, {"header": raw}
    dialect = options.dialect or SPEC
    fields = held(said_by(message), tool, dialect)
    raw = spell(fields, dialect, prompted=prompted)
    return fields, {"header": raw} if is_own_spelling(raw, fields, prompted=prompted) else {}


def _is_kept(raw: str, fields: Fields, *, prompted: bool) -> bool:
    """Whether a raw header that came with a message still says what the message says, and is worth keeping."""
    if not is_header(raw) or regular(raw, prompted) != fields:
        return False
    return is_own_spelling(raw, fields, prompted=prompted)


def _mentions(value: Any, content: str, fields: Fields) -> list[str]:
    """Tokens that stood in the body as such, as long as they still cannot be taken for the end of it."""
    if not isinstance(value, list):
        return []
    listed = {token for token in cast("list[Any]", value) if isinstance(token, str) and token in content}
    inert = {token for token in listed if SPECIALS.plain.fullmatch(token) is not None}
    kept = sorted(listed & MENTIONABLE)
    if not kept:
        return sorted(inert)
    header = START + spell(fields._replace(channel=None))
    frames = Scanner().feed(pieces_of(f"{header}<|message|>{CONTROL.neutralise(content, kept)}<|end|>"))
    return sorted({*kept, *inert}) if len(frames) == 1 and sorted(frames[0].mentions) == kept else sorted(inert)


# --- around the messages ----------------------------------------------------------------------------------------------


def _end_as_trained(messages: list[Message], options: Options) -> None:
    last = messages[-1] if options.training and messages else None
    if last is not None and last.role == ASSISTANT and last.channel == "final" and last.end is not None:
        messages[-1] = replace(last, end="return")


def _end_before_system(messages: list[Message], open_turn: Message | None) -> None:
    """What ends with `<|return|>` ends a conversation where a system message follows: there it ends with `<|end|>`."""
    following = messages[1:] if open_turn is None else (*messages[1:], open_turn)
    for at, (before, after) in enumerate(zip(messages, following, strict=False)):
        if before.end == "return" and after.role == SYSTEM:
            messages[at] = replace(before, end="end")


def opened(turn: Message | None, options: Options, *, prompted: bool) -> Message | None:
    """An open turn as it reads back."""
    if turn is None:
        return None
    if fields_of(turn) == Fields(turn.role) and turn.role in ROLES and not prompted:
        return Message(turn.role, "", end=None)
    fields, kept = _header(turn, None, layout_of(turn.layout), options, prompted=prompted)
    return make(fields, "", None, kept, {})


def _kept_layout(
    layout: dict[str, Any], messages: Sequence[Message], open_turn: Message | None, *, prompted: bool, is_text: bool
) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    if prompted and (messages or (open_turn is not None and open_turn.channel is not None)):
        kept["prompted"] = True
    tail, line_end = (text if isinstance(text := layout.get(key), str) else "" for key in ("tail", "line_end"))
    if is_text:
        tail, line_end = split_tail(tail + line_end)
    ended = open_turn is not None or not messages or messages[-1].end is not None
    if ended and ((LINE_END.fullmatch(tail) and not is_text) or (is_edge(tail) and open_turn is None)):
        kept["tail"] = tail
    if ended and is_text and LINE_END.fullmatch(line_end):
        kept["line_end"] = line_end
    front = layout.get("front")
    if isinstance(front, str) and is_edge(front) and not prompted and (messages or open_turn is not None):
        kept["front"] = front
    return kept
