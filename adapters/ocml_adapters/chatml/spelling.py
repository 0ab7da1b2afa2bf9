"""Remember how the frames of a text were spelled, and write them again so.

If a frame that was read differs from the one that its family writes, its first message keeps the difference
(`with_notes`). `recalled` writes it again as long as it means the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace as with_fields
from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.model import Json, Message, replace
from ocml_bridge.text.edges import recall, remember
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import ROLES as KNOWN_ROLES

from .frames import Contents, Place, default_frame, holds_replies, part_of, read_again, read_frame
from .headers import read_speaker
from .markup.responses import ROLES
from .markup.thoughts import EMPTY_THOUGHT, OPENED
from .syntax import CLOSERS, END, GRAMMAR, NOTES

OPENING: Final = "opening"
"""Key in the layout of a message or an open turn: the empty thought that its body begins with."""
CLOSING: Final = "closing"
"""Key in the layout of a reply, while it is written: no message follows its frame."""
JOINED: Final = "joined"
"""Key in the layout of a message: it shares the frame before it, although the family writes it into one of its own."""
APART: Final = "apart"
"""Key in the layout of a reply: its frame could be one with the frame of replies before it, but is not."""
_NONE: Final[frozenset[str]] = frozenset()
_OPEN: Final = frozenset({""})
_CLOSED: Final = frozenset({END})


def notes_about(frame: Frame, contents: Contents, place: Place) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return the notes about a frame that differs from the default: for layout and for extras."""
    layout, extras = remember(frame, default_frame(contents, place))
    if contents.opening:
        layout[OPENING] = contents.opening
    return layout, extras


def with_notes(frame: Frame, contents: Contents, place: Place) -> list[Message]:
    """Return the messages of a frame; the first one has the notes about it."""
    layout, extras = notes_about(frame, contents, place)
    first, *others = contents.messages
    if _could_join(contents, place):
        layout[APART] = True
    if place.family is not None and place.family.apart is not None and part_of(contents, place.family) == "":
        for each in others:
            each.layout = NOTES.by_format({JOINED: True})
    return [replace(first, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras)), *others]


def _could_join(contents: Contents, place: Place) -> bool:
    """Return whether replies would be written into the frame before theirs."""
    grouped = place.family is not None and place.family.responses.between is not None
    first = contents.messages[0]
    return grouped and first.role == "tool" and place.before is not None and holds_replies(place.before)


def opening_of(notes: Mapping[str, Json], *, open_turn: bool = False) -> str:
    """Return the empty thought in the notes of a message, if it is a valid one; else "".

    Args:
        notes: the notes about its frame.
        open_turn: whether the message is the open turn, which may have white space around the tags.
    """
    opening = notes.get(OPENING)
    pattern = OPENED if open_turn else EMPTY_THOUGHT
    return opening if isinstance(opening, str) and pattern.fullmatch(opening) is not None else ""


def recalled(contents: Contents, notes: Mapping[str, Json], place: Place) -> Frame:
    """Return a frame, spelled as its notes remember if that still means the same."""
    default = default_frame(contents, place)
    if not notes:
        return default
    raw_header = notes.get("header")
    header = (
        raw_header
        if isinstance(raw_header, str) and _header_reads_as(raw_header, contents, notes, default, place)
        else default.header
    )

    ends, raw_end = _ends(contents, default, place, header), notes.get("end")
    end = raw_end if isinstance(raw_end, str) and raw_end in ends else default.end

    def reads_the_same(body: str) -> bool:
        if place.is_open_turn:
            return False
        frame = with_fields(default, header=header, body=body, end=end)
        return _comparable(read_again(frame, contents, place)) == _comparable(contents)

    return recall(
        default,
        notes,
        grammar=GRAMMAR,
        before=place.before,
        starts=_NONE,
        ends=ends,
        header=header.__eq__,
        body=reads_the_same,
    )


def _header_reads_as(header: str, contents: Contents, notes: Mapping[str, Json], default: Frame, place: Place) -> bool:
    """Return whether a header reads as the speaker of the first message and, with the body, as the same contents."""
    speaker, first = read_speaker(header), contents.messages[0] if contents.messages else Message("system", "")
    if place.is_open_turn:
        return (speaker.role, speaker.full_name) == (first.role, first.name)
    if speaker.part or read_speaker(default.header).part:
        body = notes.get("body", default.body)
        if not isinstance(body, str) or GRAMMAR.cuts(body):
            return False
        end = "" if notes.get("end") == "" and not default.last else default.end
        frame = with_fields(default, header=header, body=body, end=end)
        declares = contents.tools is not None or place.leading
        return _comparable(read_frame(frame, declares=declares)) == _comparable(contents)
    if first.role != "tool":
        return (speaker.role, speaker.full_name) == (first.role, first.name)
    return speaker.role in ROLES if default.body != str(first.content) else speaker.role == "tool"


def _ends(contents: Contents, default: Frame, place: Place, header: str) -> frozenset[str]:
    """Return the end tokens with which a frame, with this header, reads as the same contents."""
    if place.is_open_turn:
        return _NONE
    if not contents.messages:
        return _NONE if default.last else _OPEN | _CLOSED
    final = contents.messages[-1]
    closed = _CLOSED | CLOSERS if default.last and final.role in KNOWN_ROLES else _CLOSED
    has_end = is_call(final) or (is_thought(final) and read_speaker(header).part == "")
    if has_end or (final.end is None and not default.last):
        return _OPEN | closed
    return closed if default.end else _NONE


def _comparable(contents: Contents) -> tuple[object, ...]:
    """Return what is compared between two frames that should read the same."""
    return list(map(_comparable_fields, contents.messages)), contents.opening, contents.tools


def _comparable_fields(message: Message) -> tuple[object, ...]:
    name = None if message.role == "tool" else message.name
    # A call or a thought has an end of its own, independent of the end of its frame.
    is_cut_off = message.end is None and (is_call(message) or is_thought(message))
    return (message.role, message.content, name, message.channel, message.recipient, is_cut_off)
