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
    """The messages of one frame, and the frame.

    Attributes:
        messages: the messages.
        frame: the frame in the spelling that is written.
        default: the frame as it is written by default.
    """

    messages: Sequence[Message]
    frame: Frame
    default: Frame

    def is_default(self) -> bool:
        """Return whether the body is the default one, except for the newline before the end token."""
        if self.frame.body == self.default.body:
            return True
        core = before_newline(self.default.body)
        return self.default.end != "" and self.frame.body in (core, core + "\n", core + "\r\n")

    def store_layout(self) -> None:
        """Replace layout and extras of the first message by those that reading the frame gives."""
        layout, extras = ({}, {}) if self.frame is self.default else remember(self.frame, self.default)
        if "body" in layout and self.is_default():
            del layout["body"]
            layout["pad"] = self.frame.body[len(before_newline(self.default.body)) :]
        self.messages[0].layout, self.messages[0].extras = NOTES.by_format(layout), NOTES.by_format(extras)


def default_frame(messages: Sequence[Message], guard: Guard, *, first: bool) -> Frame:
    """Return the frame that is written for messages by default; without an end token if the last one was cut off."""
    cut = messages[-1].end is None
    core = body_of(messages, guard)
    body = core if cut else core + newline_after(core)
    return Frame("" if first else "\n", START, header_of(messages), True, body, "" if cut else END, 0, cut)


def open_frame(turn: Message, *, first: bool) -> Frame:
    """Return the frame of an open turn."""
    header = write_header(turn.role, name_for_header(turn.role, turn.name))
    return Frame("" if first else "\n", START, header, True, "", "", 0, True)


def framed(messages: Sequence[Message], guard: Guard, options: Options, *, first: bool) -> Framed:
    """Return the messages of one frame, in the spelling that the first of them stores.

    Args:
        messages: the messages.
        guard: breaks the control tokens in their texts.
        options: which tokens begin and end a text.
        first: whether the frame is the first one.
    """
    default = default_frame(messages, guard, first=first)
    stored = _stored(messages[0], options, first=first)
    if not stored:
        return Framed(messages, default, default)
    cut = messages[-1].end is None
    padded = default if cut else replace(default, body=_padded(default.body, stored.get("pad")))
    header = stored.get("header")
    if not isinstance(header, str) or "\n" in header or not says_same(messages, header, padded.body):
        header = default.header
    frame = recall(
        padded,
        stored,
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: raw == header,
        body=lambda raw: says_same(messages, header, raw) and (not cut or may_be_cut(raw, options)),
    )
    return Framed(messages, frame, default)


def framed_turn(turn: Message, options: Options, *, first: bool) -> Framed:
    """Return an open turn in its frame, in the spelling that it stores."""
    default = open_frame(turn, first=first)
    frame = recall(
        default,
        _stored(turn, options, first=first),
        grammar=GRAMMAR,
        before=None,
        starts=_NONE,
        ends=_NONE,
        header=lambda raw: _opens(raw, turn),
        body=lambda raw: not raw.strip(),
    )
    return Framed((turn,), frame, default)


def _stored(message: Message, options: Options, *, first: bool) -> dict[str, Json]:
    """Return the stored spelling of the frame of a message, without a gap that would not be read as one.

    The text before the first frame belongs to the beginning of the text, and a boundary cannot be in a gap.
    """
    stored = NOTES.together(message.layout, message.extras)
    gap = stored.get("gap")
    if first or (isinstance(gap, str) and grammar(options).boundary.find(gap) >= 0):
        stored.pop("gap", None)
    return stored


def may_be_cut(body: str, options: Options) -> bool:
    """Return whether a body without an end token is read as cut off: it has text, and does not end the whole text."""
    return body.strip() != "" and closing(body, options).eos == ""


def _padded(body: str, pad: Json) -> str:
    core = before_newline(body)
    return core + pad if isinstance(pad, str) and pad in _PADS and before_newline(core + pad) == core else body


_PADS: Final = ("", "\n", "\r\n")


def _opens(header: str, turn: Message) -> bool:
    heading = read_header(header)
    return role_of(heading) == turn.role and name_in(heading) == turn.name
