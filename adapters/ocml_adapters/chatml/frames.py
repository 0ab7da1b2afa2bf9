"""Messages ↔ frames: what both spellings share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import gap_behind, is_trivia, kept_by, may_stand, recall
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.text.plain import header_for, name_from_header

from .syntax import END, HOME, START, Form, control_of

_NOTHING: Final[frozenset[str]] = frozenset()
_MUST: Final = frozenset({END})
_MAY: Final = frozenset({END, ""})


@dataclass(slots=True)
class Unit:
    """A message beside its frame as it is spelled and the one that would be written by default."""

    message: Message
    frame: Frame
    default: Frame


def default_frame(message: Message, before: Frame | None, form: Form, *, last: bool, opening: bool) -> Frame:
    """The frame that is written for a message.

    Args:
        message: a message, or the open turn.
        before: the frame before it.
        form: which of the two spellings.
        last: whether the text ends with it.
        opening: whether it is the open turn.
    """
    cut = opening or (last and message.end is None and message.role == "assistant" and message.content != "")
    header = header_for(message.role, message.name)
    content = message.content if isinstance(message.content, str) else ""
    body = content if form.grammar is None else control_of(message.role).neutralise(content)
    newline = form.opening if opening else True
    return Frame(gap_behind(before), START, header, newline, body, "" if cut else END, 0, last)


def means(header: str, message: Message) -> bool:
    """Whether a header says a message's role and name."""
    heading = read_header(header)
    return heading.role == message.role and name_from_header(heading.role, heading.name) == message.name


def spelled(message: Message, default: Frame, before: Frame | None, form: Form) -> Frame:
    """A message's frame, spelled as it remembers where that still says the same."""
    if message.layout is None and message.extras is None:
        return default
    ends = _MAY if message.end is None and not default.last else _MUST if default.end else _NOTHING
    return recall(
        default,
        kept_by(HOME, message.layout, message.extras),
        grammar=form.grammar,
        before=before,
        starts=_NOTHING,
        ends=ends,
        header=lambda header: means(header, message),
        body=lambda body: form.grammar is not None and control_of(message.role).restore(body) == message.content,
    )


def tail_of(transcript: Transcript, last: Frame | None, default: str, form: Form) -> str:
    """What stands behind the last frame, remembered or by default."""
    raw = kept_by(HOME, transcript.layout, transcript.extras).get("tail")
    if isinstance(raw, str) and may_stand(raw, form.grammar, last) and (last is not None or not raw.strip()):
        return raw
    return default


def remember_tail(tail: str, default: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """What layout and what extras must keep of what stands behind the last frame."""
    if tail == default:
        return {}, {}
    kept: dict[str, Json] = {"tail": tail}
    return (kept, {}) if is_trivia(tail) else ({}, kept)
