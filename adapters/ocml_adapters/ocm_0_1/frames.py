"""Frames as they are spelled: by default, or as a message remembers it where that still says the same.

What a message remembers is what `text.edges` keeps, and one thing more, as it is so common: `pad`, the newline before
the end token where it is another one than by default ("" in the compact form of §4's example).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.model import ByFormat, Json, Message
from ocml_bridge.text.edges import by_format, kept_by, recall, remember
from ocml_bridge.text.im import Frame, read_header, write_header
from ocml_bridge.text.plain import name_for_header

from .edges import closing, grammar
from .segments import before_newline
from .spelling import Guard, body_of, newline_behind
from .syntax import END, GRAMMAR, HOME, START
from .wire import header_of, name_in, role_of, says_same

_NONE: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Unit:
    """The messages of one frame with the frame as it is spelled, and the one that would be written by default."""

    messages: Sequence[Message]
    frame: Frame
    default: Frame

    def is_default(self) -> bool:
        """Whether the body is the one that would be written by default, but for the newline before the end token."""
        if self.frame.body == self.default.body:
            return True
        core = before_newline(self.default.body)
        return self.default.end != "" and self.frame.body in (core, core + "\n", core + "\r\n")

    def remembered(self) -> tuple[ByFormat | None, ByFormat | None]:
        """The layout and the extras that the first message needs so that the frame is spelled like this again."""
        layout, extras = remember(self.frame, self.default)
        if "body" in layout and self.is_default():
            del layout["body"]
            layout["pad"] = self.frame.body[len(before_newline(self.default.body)) :]
        return by_format(HOME, layout), by_format(HOME, extras)


def default_frame(messages: Sequence[Message], guard: Guard, gap: str = "\n") -> Frame:
    """The frame that is written for messages by default; one that ends nowhere is the last."""
    cut = messages[-1].end is None
    core = body_of(messages, guard)
    body = core if cut else core + newline_behind(core)
    return Frame(gap, START, header_of(messages), True, body, "" if cut else END, 0, cut)


def open_frame(opening: Message, gap: str) -> Frame:
    """The frame that a turn is left open with."""
    header = write_header(opening.role, name_for_header(opening.role, opening.name))
    return Frame(gap, START, header, True, "", "", 0, True)


def unit(messages: Sequence[Message], kept: Mapping[str, Json], default: Frame, options: Options) -> Unit:
    """Messages with their frame, spelled as is remembered.

    Args:
        messages: those of one frame.
        kept: what is remembered of it, which may come from anywhere.
        default: the frame that would be written by default.
        options: which tokens end a text.
    """
    if not kept:
        return Unit(messages, default, default)
    cut = messages[-1].end is None
    padded = default if cut else replace(default, body=_padded(default.body, kept.get("pad")))
    header = kept.get("header")
    if not isinstance(header, str) or "\n" in header or not says_same(messages, header, padded.body):
        header = default.header
    frame = recall(
        padded,
        kept,
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: raw == header,
        body=lambda raw: says_same(messages, header, raw) and not (cut and ends_text(raw, options)),
    )
    return Unit(messages, frame, default)


def opening(turn: Message, options: Options, *, first: bool) -> Unit:
    """The open turn with its frame, spelled as it remembers."""
    default = open_frame(turn, "" if first else "\n")
    frame = recall(
        default,
        _kept_by(turn, options, first=first),
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: _opens(raw, turn),
        body=lambda raw: not raw.strip(),
    )
    return Unit((turn,), frame, default)


def placed(messages: Sequence[Message], guard: Guard, options: Options, *, first: bool) -> Unit:
    """The messages of a frame in it, spelled as they remember."""
    default = default_frame(messages, guard, "" if first else "\n")
    return unit(messages, _kept_by(messages[0], options, first=first), default, options)


def _kept_by(message: Message, options: Options, *, first: bool) -> dict[str, Json]:
    """What a message remembers of its frame.

    What stands before the first frame belongs to the text's beginning, and no boundary stands before another one.
    """
    kept = kept_by(HOME, message.layout, message.extras)
    gap = kept.get("gap")
    if first or (isinstance(gap, str) and grammar(options).boundary.find(gap) >= 0):
        kept.pop("gap", None)
    return kept


def ends_text(body: str, options: Options) -> bool:
    """Whether a body that is cut off ends in a token that would end the text."""
    return closing(body, options).eos != ""


def _padded(body: str, pad: Json) -> str:
    core = before_newline(body)
    return core + pad if isinstance(pad, str) and pad in _PADS and before_newline(core + pad) == core else body


_PADS: Final = ("", "\n", "\r\n")


def _opens(header: str, opening: Message) -> bool:
    heading = read_header(header)
    return role_of(heading) == opening.role and name_in(heading) == opening.name
