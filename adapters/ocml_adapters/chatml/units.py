"""Frames of raw ChatML and their messages, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import gap_behind
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.visibility import is_private

from .fit import bare, opened, settled
from .frames import Unit as Placed
from .frames import default_frame, spelled
from .reader import FrameReader
from .syntax import CONTROL, END, GRAMMAR, HOME, MARKUP, START, TEXT

_CLOSED: Final = Frame("", START, "", True, "", END, 0, False)
_OPEN: Final = Frame("", START, "", True, "", "", 0, False)
_BEFORE: Final[dict[State, Frame | None]] = {None: None, True: _CLOSED, False: _OPEN}


_TAGS: Final = frozenset(tag for tags in MARKUP.values() for tag in tags)
_LONGEST: Final = 256
"""The longest header and gap that plans are made for, in characters."""


class FramesReader:
    """Reads frames."""

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames of a text; None for one that has none.

        Raises:
            BridgeError: OCB-SEVERAL with the offset where another conversation begins.
        """
        frames, tail = GRAMMAR.frames(cast("str", source))
        if not frames:
            return None
        opening = frames.pop() if frames[-1].last and frames[-1].body == "" else None
        return Parted(frames, Transcript(), document=(opening, tail))

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """A frame without its body; None for the last where it is cut off, and for a body with tokens or tags in it."""
        frame, body = cast("Frame", unit), unit.body
        if frame.last or len(frame.gap) > _LONGEST or len(frame.header) > _LONGEST:
            return None
        if "<" in body and not (CONTROL.is_free(body) and all(tag not in body for tag in _TAGS)):
            return None
        closed = None if before is None else before.end
        key = (frame.gap, frame.start, frame.header, frame.newline, frame.end, not body, closed)
        return key, [body] if body else []

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A frame with another body."""
        return replace(unit, body="".join(values))

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The message of a frame.

        Raises:
            BridgeError: OCB-INCOMPLETE for a half-finished message that is not the assistant's.
        """
        reader = FrameReader(log, TEXT)
        reader.resume(index, parted.units[at - 1] if at else None)
        reader.frame(unit)
        return reader.messages

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with its open turn and what stands behind the frames."""
        opening, tail = cast("tuple[Frame | None, str]", parted.document)
        reader = FrameReader(log, TEXT)
        reader.resume(len(items), parted.units[-1] if parted.units else None)
        if opening is not None:
            reader.frame(opening)
        return Conversation(items, reader.finish(tail))


class Frames:
    """Writes frames. The state is whether the frame before was closed; None where there is none."""

    target = TEXT.id
    home = HOME
    mark = "<"
    start: State = None
    groups = False
    keeps_ids = False
    guards_first = True

    def __init__(self, options: Options) -> None:
        self._options = options

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken."""
        return CONTROL.is_free(text)

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items; only what stands behind the frames concerns more than one of them."""
        if self._options.control_tokens == "raw" or any(
            kept is not None and HOME in kept for kept in (around.layout, around.extras)
        ):
            raise ByDocument
        return items

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Who speaks, and the text."""
        if is_private(message):
            drop_message(log, index, f"{TEXT.id} has no place for private reasoning")
            return None
        content = narrow(message.content, (), f"/messages/{index}/content", log, target=TEXT.id)
        return bare(message, cast("str", content))

    def joins(self, before: Head, head: Head) -> bool:
        """A frame has one message."""
        return False

    def follows(self, head: Head) -> bool:
        """All does."""
        return True

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame, with what stands before it."""
        (message,), before = group, _BEFORE[state]
        default = default_frame(message, before, TEXT, last=last, opening=False)
        frame = spelled(message, default, before, TEXT)
        if frame.body == default.body:
            CONTROL.guard(cast("str", message.content), self._options.control_tokens, f"{paths[0]}/content", log)
        image = settled(Placed(message, frame, default), before, TEXT)
        return Spelled(spell([frame], ""), [image], bool(frame.end))

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Tools are not declared among the messages."""
        return -1

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The text of all frames, with the open turn, or the newline behind them."""
        before, turn = _BEFORE[state], around.open_turn
        if turn is None:
            return Enclosed("".join(units) + gap_behind(before), Transcript())
        made = opened(turn)
        default = default_frame(made, before, TEXT, last=True, opening=True)
        frame = spelled(made, default, before, TEXT)
        image = settled(Placed(made, frame, default), before, TEXT)
        return Enclosed("".join(units) + spell([frame], gap_behind(frame)), Transcript(open_turn=image))
