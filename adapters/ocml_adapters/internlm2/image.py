"""Normal messages → the image: each gets what the reader will find of how its frame is spelled, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text.edges import by_format, kept_by, remember
from ocml_bridge.text.im import Frame
from ocml_bridge.turns import is_call

from .actions import dressed, joins
from .document import assemble, dialect_of, lower_tools, tail_of
from .frames import Unit, Walk, majority, settled
from .headings import meaning
from .syntax import CONTROL, FOREIGN, HOME
from .tools import declares, place, tools_of, write_tools


class Placed(NamedTuple):
    """A unit in its frame, and whether the body is spelled as by default."""

    unit: Unit
    frame: Frame
    plain: bool


@dataclass(slots=True)
class Spelled:
    """The frames of a transcript, in order, and its open turn."""

    placed: list[Placed]
    opening: Message | None
    last: Frame | None


def image_of(draft: Transcript, paths: Sequence[str], options: Options, log: Log) -> Transcript:
    """The image of a draft, whose messages are new and normal; where they stand in the document is in `paths`."""
    dialect = options.dialect or dialect_of(draft)
    foreign = FOREIGN[dialect] if options.dialect is not None else None
    messages, at = lower_tools(draft)
    units = units_of(messages)
    spelled = _spelled(units, draft.open_turn, dialect, foreign, starts=True)
    if not _agrees(spelled, dialect):
        spelled = _spelled(units, draft.open_turn, dialect, foreign, starts=False)
    remaining = iter([*paths[:at], "/tools", *paths[at:]] if at is not None else paths)
    for one in spelled.placed:
        guard(one, remaining, options, log)
    out = [message for placed in spelled.placed for message in placed.unit]
    tools = None if at is None else (out.pop(at), at)
    written = "im" if spelled.last is None else dialect
    tail = tail_of(draft, spelled.last)
    return assemble(out, spelled.opening, tools, written, tail, spelled.last, place(out))


def units_of(messages: Sequence[Message]) -> list[Unit]:
    """Messages by the frame that holds them; what cannot go on in one begins the next."""
    drafts: list[list[Message]] = []
    for message in messages:
        if drafts and joins(drafts[-1][-1], message):
            drafts[-1].append(message)
        else:
            drafts.append([message])
    return [dressed(draft) for draft in drafts]


def _agrees(spelled: Spelled, dialect: str) -> bool:
    """Whether a reader will find the dialect that was meant."""
    frames = [placed.frame for placed in spelled.placed]
    if spelled.opening is not None and spelled.last is not None:
        frames.append(spelled.last)
    return not frames or majority(frames) == dialect


def _spelled(
    units: Sequence[Unit], opening: Message | None, dialect: str, foreign: re.Pattern[str] | None, *, starts: bool
) -> Spelled:
    walk = Walk(dialect)
    out: list[Placed] = []
    for number, unit in enumerate(units):
        last = opening is None and number == len(units) - 1
        out.append(placed(walk, unit, foreign, starts=starts, last=last))
    if opening is not None:
        kept = _usable(opening, foreign, starts=starts)
        default = walk.default((opening,), last=True, opening=True)
        frame = walk.frame((opening,), kept, default, opening=True)
        (opening,) = _remembering((opening,), frame, default)
        if opening.role == "tool":
            opening = replace(opening, name=walk.replies.name(meaning(frame.header)))
        walk.before = frame
    return Spelled(out, opening, walk.before)


def placed(walk: Walk, unit: Unit, foreign: re.Pattern[str] | None, *, starts: bool, last: bool) -> Placed:
    """A unit in the next frame, as that reads; its messages are changed."""
    kept = _usable(unit[0], foreign, starts=starts)
    unit = settled(unit, kept, last=last)
    default = walk.default(unit, last=last, opening=False)
    frame = walk.frame(unit, kept, default, opening=False)
    unit, _ = walk.step(frame, _remembering(unit, frame, default))
    return Placed(unit, frame, frame.body == default.body)


def _usable(message: Message, foreign: re.Pattern[str] | None, *, starts: bool) -> dict[str, Json]:
    """What a message remembers, without what is spelled in a dialect that is not wanted."""
    kept = kept_by(HOME, message.layout, message.extras)
    if foreign is not None:
        kept = {key: raw for key, raw in kept.items() if not (isinstance(raw, str) and foreign.search(raw))}
    if not starts:
        kept.pop("start", None)
    return kept


def _remembering(unit: Unit, frame: Frame, default: Frame) -> Unit:
    """A unit with the role and name that its header says, and with the layout that its frame needs."""
    layout, extras = remember(frame, default)
    said = meaning(frame.header)
    for message in unit:
        message.layout = message.extras = None
        if not declares(message):
            message.role, message.name = said.role, said.name
    unit[0].layout, unit[0].extras = by_format(HOME, layout), by_format(HOME, extras)
    return unit


def guard(placed: Placed, paths: Iterator[str], options: Options, log: Log) -> None:
    """Report, or refuse, the control tokens that will be broken in a frame."""
    for message, path in zip(placed.unit, paths, strict=False):
        if placed.plain:
            for at, text in _texts(message, path):
                CONTROL.guard(text, options.control_tokens, at, log)


def _texts(message: Message, path: str) -> list[tuple[str, str]]:
    if declares(message):
        return [(path, write_tools(tools_of(message)))]
    texts = [(f"{path}/content", str(message.content))]
    if is_call(message):
        texts.append((f"{path}/recipient", message.recipient or ""))
    return texts
