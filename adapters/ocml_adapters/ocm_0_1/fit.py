"""Document → image: what OpenChatML 0.1 can hold of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity, is_element
from ocml_bridge.model import (
    Completion,
    Content,
    Document,
    FileBreak,
    Flags,
    Infill,
    Message,
    Part,
    Text,
    Thought,
    Tools,
    Transcript,
    replace,
)
from ocml_bridge.text.attributes import unsafe_as
from ocml_bridge.text.control import BREAK
from ocml_bridge.text.edges import by_format, kept_by
from ocml_bridge.text.plain import name_for_header, name_from_header, safe_role
from ocml_bridge.turns import content_of, is_call, parts_of
from ocml_bridge.visibility import is_private

from .completion import fit_completion
from .edges import default_for, kept, settled
from .frames import Unit, ends_text, units
from .segments import tidy
from .spelling import body_of
from .syntax import ALIASES, HOME, TOKENS
from .tools import Lifted, fit_tools, lift, lower
from .wire import canonical_name, constraint_of, is_text, with_channels

_RAW: Final = (Infill, FileBreak)
_HOLDS: Final[dict[str, tuple[type[Part], ...]]] = {"system": (*_RAW, Flags, Tools), "tool": ()}


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image of a document."""
    if isinstance(document, Completion):
        return fit_completion(document, options, log) or _fit_transcript(Transcript(), options, log)
    return _fit_transcript(document, options, log)


def _fit_transcript(document: Transcript, options: Options, log: Log) -> Transcript:
    wires = [wire for group in _groups(_rows(document, log)) for wire in _wires(group, log)]
    if wires and document.open_turn is None:
        settle_end(wires[-1], options)
    opening = fit_open_turn(document.open_turn)
    frames = units([row.message for wire in wires for row in wire], opening, TOKENS.neutralise, options)
    for wire, one in zip(wires, frames, strict=False):
        guard(wire, one, options, log)
    for one in frames:
        one.messages[0].layout, one.messages[0].extras = one.remembered()
    lifted = lift([row.message for wire in wires for row in wire])
    _report_lift(lifted, wires, document, log)
    cut = bool(frames) and not frames[-1].frame.end
    edges = settled(document, options, frames=bool(frames), cut=cut)
    layout, extras = kept(edges, default_for(cut=cut))
    if lifted.gone is not None and lifted.gone.layout is not None:
        layout["tools"] = lifted.gone.layout[HOME]
    return Transcript(
        tuple(_as_they_were(lifted.messages, document.messages)),
        lifted.tools,
        open_turn=opening,
        layout=by_format(HOME, layout),
        extras=by_format(HOME, extras),
    )


@dataclass(slots=True)
class Row:
    """One message of the image in the making: where it comes from, and how it was joined and ended there."""

    path: str
    joined: bool
    cut: bool
    message: Message


Wire = list[Row]
"""The rows of one frame."""


# --- message by message -----------------------------------------------------------------------------------------------


def _rows(document: Transcript, log: Log) -> list[Row]:
    paths: list[str] = []
    sources: list[Message] = []
    for index, message in enumerate(document.messages):
        path, role = f"/messages/{index}", role_for(message.role)
        if has_no_place(message):
            log.lose(LossCode.MESSAGE, path, f"{HOME} has private reasoning of assistants only")
            continue
        paths.append(path)
        sources.append(message if role == message.role else replace(message, role=role))
    made = kept_by(HOME, document.layout).get("tools")
    lowered = lower(sources, document.tools, {HOME: made} if isinstance(made, dict) else None)
    if len(lowered) > len(paths):
        paths.insert(0, "/tools")
    rows: list[Row] = []
    for path, source in zip(paths, lowered, strict=True):
        rows.append(row_of(source, path, log))
    return rows


def row_of(source: Message, path: str, log: Log) -> Row:
    """A message of the image in the making."""
    message = fit_message(source, path, log)
    message.layout, message.extras = source.layout, source.extras
    return Row(path, source.continues, source.end is None, message)


def has_no_place(source: Message) -> bool:
    """Whether a message is private, and not the assistant's: only thoughts of the assistant's have a place."""
    return role_for(source.role) != "assistant" and is_private(source)


def role_for(role: str) -> str:
    """A role as it is written and read back (decision 20)."""
    safe = safe_role(role)
    return ALIASES.get(safe, safe)


def fit_message(source: Message, path: str, log: Log) -> Message:
    """The image of a message alone.

    Args:
        source: the message.
        path: where it stands.
        log: what it loses is noted here.
    """
    role, at = role_for(source.role), f"{path}/content"
    if role == "tool":
        name = canonical_name(source.name) if source.name else None
        return Message("tool", narrow(source.content, (), at, log, target=HOME), name, "commentary", "assistant")
    name = unsafe_as("_", source.name) if source.name else None
    if is_call(source):
        assert source.recipient is not None
        arguments = narrow(source.content, (), at, log, target=HOME)
        constraint = constraint_of(arguments) if isinstance(arguments, str) else None
        recipient = canonical_name(source.recipient)
        return Message(role, arguments, name, "commentary", recipient, constraint=constraint, end="call")
    if is_private(source):
        return Message(role, _thought(source.content, at, log), name, "analysis")
    holds = _HOLDS.get(role, _RAW)
    content = _held(source.content, holds, at, log)
    return Message(role, content, name, "final" if role == "assistant" else None)


def _held(content: Content, holds: tuple[type[Part], ...], path: str, log: Log) -> Content:
    if isinstance(content, str):
        return content
    notes = Log()
    narrowed = parts_of(narrow(content, holds, path, notes, target=HOME))
    parts = tidy(tuple(fit_tools(part) if isinstance(part, Tools) else part for part in narrowed))
    _tell(notes, path, len(content), len(parts), log)
    return content_of(parts)


def _tell(notes: Log, path: str, before: int, after: int, log: Log) -> None:
    """Pass on what was said of content; where parts were joined it differs as a whole, and no place inside it does."""
    joined = before - sum(is_element(loss.path) for loss in notes.losses) != after
    log.losses += [loss for loss in notes.losses if not joined or loss.path == path or is_element(loss.path)]


def _thought(content: Content, path: str, log: Log) -> Content:
    """A thought's content: each text behind the marker of its kind, which is `reason` where none is named."""
    notes = Log()
    narrowed = parts_of(narrow(content, (Thought,), path, notes, target=HOME))
    parts = tuple(part for part in narrowed if part != Text(""))
    _tell(notes, path, len(parts_of(content)), len(parts), log)
    if not parts or not isinstance(parts[0], Thought):
        log.lose(LossCode.THOUGHT, path, "a thought of no kind is written as reason", Severity.LAYOUT)
        return (Thought("reason"), *parts)
    return parts


def fit_open_turn(source: Message | None) -> Message | None:
    """The image of the open turn."""
    if source is None:
        return None
    role, name = role_for(source.role), unsafe_as("_", source.name) if source.name else None
    if role == "tool":
        name = name_from_header(role, name_for_header(role, source.name))
    return Message(role, "", name, end=None, layout=source.layout, extras=source.extras)


# --- which messages share a frame -------------------------------------------------------------------------------------


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows that were one wire message and whose frames would have the same header."""
    start = 0
    for index in range(1, len(rows) + 1):
        if (
            index == len(rows)
            or not rows[index].joined
            or header_in(rows[index].message) != header_in(rows[index - 1].message)
        ):
            yield list(rows[start:index])
            start = index


def header_in(message: Message) -> tuple[str, str | None]:
    """What the header of a message's frame says."""
    return message.role, None if message.role == "tool" else message.name


def _wires(group: list[Row], log: Log) -> Iterator[Wire]:
    """The frames that a group needs: white space alone, or text beside text, has a frame of its own."""
    if len(group) > 1:
        group = _without_empty(group, log)
    wire: Wire = []
    for row in group:
        if wire and not may_join(wire[-1].message, row.message):
            yield joined(wire)
            wire = []
        wire.append(row)
    yield joined(wire)


def _without_empty(group: list[Row], log: Log) -> list[Row]:
    """An empty text beside a thought or a call is the same as none."""
    kept = [row for row in group if not (is_text(row.message) and row.message.content == "")] or group[:1]
    places = set(map(id, kept))
    for row in group:
        if id(row) not in places:
            log.lose(LossCode.MESSAGE, row.path, "an empty text beside others is the same as none", Severity.LAYOUT)
    return kept


def may_join(before: Message, message: Message) -> bool:
    """Whether two images that were one wire message can stand in one frame."""
    if message.role not in ("assistant", "tool") or _stands_alone(before) or _stands_alone(message):
        return False
    return not (is_text(before) and is_text(message))


def _stands_alone(message: Message) -> bool:
    return is_text(message) and isinstance(message.content, str) and not message.content.strip()


def joined(wire: Wire) -> Wire:
    """The rows of one frame, with what their place in it implies."""
    for row in wire[1:]:
        row.message.continues = True
        row.message.layout = row.message.extras = None
    if wire[0].message.role == "assistant":
        with_channels([row.message for row in wire])
    return wire


def settle_end(wire: Wire, options: Options) -> None:
    """The last message may be cut off where that can be seen."""
    if not wire[-1].cut:
        return
    messages = [row.message for row in wire]
    ending, messages[-1].end = messages[-1].end, None
    body = body_of(messages, TOKENS.neutralise)
    if not body.strip() or ends_text(body, options):
        messages[-1].end = ending


# --- spelling ---------------------------------------------------------------------------------------------------------


def guard(wire: Wire, one: Unit, options: Options, log: Log) -> None:
    """Report the control tokens that had to be broken, or refuse them; what is spelled as it was has none."""
    if BREAK not in one.default.body or not one.is_default():
        return
    for row in wire:
        path = f"{row.path}/content"
        body_of([row.message], lambda text, path=path: TOKENS.guard(text, options.control_tokens, path, log))


# --- the rest ---------------------------------------------------------------------------------------------------------


def _report_lift(lifted: Lifted, wires: list[Wire], document: Transcript, log: Log) -> None:
    if lifted.tools is None:
        return
    path = wires[0][0].path
    moved = "its tools are declared apart from messages"
    if lifted.gone is not None and path != "/tools":
        log.lose(LossCode.TOOLS_MOVED, path, moved, Severity.LAYOUT)
    if document.tools is None:
        log.lose(LossCode.TOOLS_MOVED, f"{path}/content", moved, Severity.LAYOUT)
        log.lose(LossCode.TOOLS_MOVED, "/tools", "tools that stood inside a message are declared here", Severity.LAYOUT)


def _as_they_were(image: Sequence[Message], sources: Sequence[Message]) -> Iterator[Message]:
    """The image's messages, the source's own objects where nothing differs: what is the same need not be compared."""
    if len(image) != len(sources):
        yield from image
        return
    for one, source in zip(image, sources, strict=True):
        yield source if one == source else one
