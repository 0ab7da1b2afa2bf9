"""Write frames: by default, or in the spelling that the layout of a message stores, if it still means the same.

The layout has the fields of `text.edges`, and `pad`: the newline before the end token, if it is not the default one (""
in the compact form of the example in §4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ocml_bridge.formats.adapter import Options
from ocml_bridge.model import Json, Message
from ocml_bridge.text.edges import recall, remember
from ocml_bridge.text.im import Frame, read_header, write_header
from ocml_bridge.text.plain import name_for_header

from .around import closing, grammar
from .body import header_of, name_in, role_of, says_same
from .segments import Guard, before_newline, body_of, newline_after
from .syntax import END, GRAMMAR, NOTES, START

_NONE: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Framed:
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

    def remember(self) -> None:
        """Give the first message the layout and the extras that the frame needs to be spelled like this again."""
        layout, extras = ({}, {}) if self.frame is self.default else remember(self.frame, self.default)
        if "body" in layout and self.is_default():
            del layout["body"]
            layout["pad"] = self.frame.body[len(before_newline(self.default.body)) :]
        self.messages[0].layout, self.messages[0].extras = NOTES.by_format(layout), NOTES.by_format(extras)


def default_frame(messages: Sequence[Message], guard: Guard, *, first: bool) -> Frame:
    """The frame that is written for messages by default; one that ends nowhere is the last."""
    cut = messages[-1].end is None
    core = body_of(messages, guard)
    body = core if cut else core + newline_after(core)
    return Frame("" if first else "\n", START, header_of(messages), True, body, "" if cut else END, 0, cut)


def open_frame(turn: Message, *, first: bool) -> Frame:
    """The frame that a turn is left open with."""
    header = write_header(turn.role, name_for_header(turn.role, turn.name))
    return Frame("" if first else "\n", START, header, True, "", "", 0, True)


def framed(messages: Sequence[Message], guard: Guard, options: Options, *, first: bool) -> Framed:
    """The messages of a frame in it, spelled as the first of them remembers.

    Args:
        messages: those of one frame.
        guard: what is done to their texts.
        options: which tokens begin and end a text.
        first: whether no frame stands before it.
    """
    default = default_frame(messages, guard, first=first)
    remembered = _remembered(messages[0], options, first=first)
    if not remembered:
        return Framed(messages, default, default)
    cut = messages[-1].end is None
    padded = default if cut else replace(default, body=_padded(default.body, remembered.get("pad")))
    header = remembered.get("header")
    if not isinstance(header, str) or "\n" in header or not says_same(messages, header, padded.body):
        header = default.header
    frame = recall(
        padded,
        remembered,
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: raw == header,
        body=lambda raw: says_same(messages, header, raw) and (not cut or may_be_cut(raw, options)),
    )
    return Framed(messages, frame, default)


def framed_turn(turn: Message, options: Options, *, first: bool) -> Framed:
    """The open turn in its frame, spelled as it remembers."""
    default = open_frame(turn, first=first)
    frame = recall(
        default,
        _remembered(turn, options, first=first),
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: _opens(raw, turn),
        body=lambda raw: not raw.strip(),
    )
    return Framed((turn,), frame, default)


def _remembered(message: Message, options: Options, *, first: bool) -> dict[str, Json]:
    """What a message remembers of its frame.

    What stands before the first frame belongs to the text's beginning, and no boundary stands before another one.
    """
    remembered = NOTES.together(message.layout, message.extras)
    gap = remembered.get("gap")
    if first or (isinstance(gap, str) and grammar(options).boundary.find(gap) >= 0):
        remembered.pop("gap", None)
    return remembered


def may_be_cut(body: str, options: Options) -> bool:
    """Whether a body that nothing ends is read as a message that was cut off: it says something, and no end of text."""
    return body.strip() != "" and closing(body, options).eos == ""


def _padded(body: str, pad: Json) -> str:
    core = before_newline(body)
    return core + pad if isinstance(pad, str) and pad in _PADS and before_newline(core + pad) == core else body


_PADS: Final = ("", "\n", "\r\n")


def _opens(header: str, turn: Message) -> bool:
    heading = read_header(header)
    return role_of(heading) == turn.role and name_in(heading) == turn.name
