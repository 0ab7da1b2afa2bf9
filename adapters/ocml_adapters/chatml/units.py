"""Frames of ChatML and their messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple, cast

from ocml_bridge.adapter import Options
from ocml_bridge.boundary import is_list_of_lists, several, several_documents
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import by_format, gap_behind, kept_by
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.heads import Item
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import UnitWriter

from .frames import Unit as Placed
from .frames import default_frame, remember_tail, spelled, tail_of
from .nearest import nearest, opened, settled
from .pieces import Pieces, cut, from_list, gap_pieces, inner_pieces, whole
from .reader import FrameReader
from .syntax import CONTROL, END, GRAMMAR, HOME, LIST, MARKUP, OPENAI, START, TEXT, Form, control_of, may_be_markup

_CLOSED: Final = Frame("", START, "", True, "", END, 0, False)
_OPEN: Final = Frame("", START, "", True, "", "", 0, False)
_BEFORE: Final[dict[State, Frame | None]] = {None: None, True: _CLOSED, False: _OPEN}


_TAGS: Final = frozenset(tag for tags in MARKUP.values() for tag in tags)
_LONGEST: Final = 256
"""The longest header and gap that plans are made for, in characters."""


class FramesReader(UnitReader):
    """Reads frames."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a text.

        Raises:
            BridgeError: OCB-SEVERAL with the offset where another conversation begins.
        """
        frames, tail = GRAMMAR.frames(cast("str", source))
        return _parted(frames, Around(TEXT, tail))

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
        reader = cast("Around", parted.document).reader(index, parted.units[at - 1] if at else None, log)
        reader.frame(unit)
        return reader.messages

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with its open turn and what stands behind the frames.

        Raises:
            BridgeError: OCB-NO-FRAMES where no message begins.
        """
        around = cast("Around", parted.document)
        reader = around.reader(len(items), parted.units[-1] if parted.units else None, log)
        if around.opening is not None:
            reader.frame(around.opening)
        return Conversation(items, reader.finish(around.tail))


class ListReader(FramesReader):
    """Reads frames that stand in a list of tokens and strings."""

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a list.

        Raises:
            BridgeError: OCB-SHAPE for what is not such a list, with the path of the item; OCB-SEVERAL.
        """
        if is_list_of_lists(source):
            raise several_documents(source)
        pieces = from_list(source, log)
        begins = next((frame.begins for frame in pieces.frames if frame.begins >= 0), None)
        if begins is not None:
            raise several(path=f"/{begins}")
        return _parted(pieces.frames, Around(LIST, pieces.tail, pieces))

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """None: how each frame is cut into strings is kept beside it."""
        return None


class Around(NamedTuple):
    """What stands around the frames.

    Attributes:
        form: which of the two spellings.
        tail: the text behind the frames.
        pieces: how a list is cut.
        opening: the frame of the open turn.
    """

    form: Form
    tail: str
    pieces: Pieces | None = None
    opening: Frame | None = None

    def reader(self, index: int, before: Frame | None, log: Log) -> FrameReader:
        """What reads the frame behind another, whose message has this index."""
        reader = FrameReader(log, self.form, self.pieces)
        reader.resume(index, before)
        return reader


def _parted(frames: list[Frame], around: Around) -> Parted:
    if frames and frames[-1].last and frames[-1].body == "":
        around = around._replace(opening=frames[-1])
        frames = frames[:-1]
    return Parted(frames, Transcript(), document=around)


class Frames(UnitWriter):
    """Writes frames. The state is whether the frame before was closed; None where there is none."""

    target = TEXT.id
    home = HOME
    mark = ""
    form = TEXT

    def inert(self, text: str) -> bool:
        """Whether a text holds no token and no tag, whole or broken."""
        return not may_be_markup(text)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Who speaks, and the text."""
        return nearest(message, f"/messages/{index}", self.form, log)

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A frame with what stands before it."""
        (message,), before = group, _BEFORE[state]
        default = default_frame(message, before, self.form, last=last, opening=False)
        frame = spelled(message, default, before, self.form)
        image = settled(Placed(message, frame, default), before, self.form)
        if frame.body == default.body:
            self.guard(frame, message, f"{paths[0]}/content", log)
        return Spelled(self.unit(frame, image, before), [image], bool(frame.end))

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Report the tokens that are broken in a body, or leave them as the options say."""
        content = cast("str", message.content)
        control_of(message.role).guard(content, self.options.control_tokens, path, log)
        if self.options.control_tokens == "raw":
            frame.body = content

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """A frame as it is written, given what it reads as and the frame before it."""
        return spell([frame], "")

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """All frames, with the open turn, and what stands behind them."""
        before, image = _BEFORE[state], Transcript()
        if around.open_turn is not None:
            turn = opened(around.open_turn)
            default = default_frame(turn, before, self.form, last=True, opening=True)
            frame = spelled(turn, default, before, self.form)
            image.open_turn = settled(Placed(turn, frame, default), before, self.form)
            units.append(self.unit(frame, image.open_turn, before))
            before = frame
        tail = tail_of(around, before, gap_behind(before), self.form)
        layout, extras = remember_tail(tail, gap_behind(before))
        output, more = self.joined(units, tail, around, before)
        layout.update(more)
        image.layout, image.extras = by_format(HOME, layout), by_format(HOME, extras)
        return Enclosed(output, image)

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """The frames with what stands behind them, and what else layout keeps of that."""
        return "".join((*units, tail)), {}


def frames_writer(options: Options) -> UnitWriter:
    """What writes frames: with the markup of a family where the options name one, or its dialect."""
    if options.dialect in (None, OPENAI):
        return Frames(options)
    # Imported here: whoever writes plain ChatML needs nothing of it.
    from .text_writer import FamilyFrames

    return FamilyFrames(options)


class ListFrames(Frames):
    """Writes frames as tokens and strings. Strings are data, so nothing in them needs a guard."""

    target = LIST.id
    mark = None
    form = LIST

    def guard(self, frame: Frame, message: Message, path: str, log: Log) -> None:
        """Nothing is broken."""

    def unit(self, frame: Frame, image: Message, before: Frame | None) -> Unit:
        """The pieces of a frame."""
        kept = kept_by(HOME, image.layout)
        end = [{"token": END}] if frame.end else []
        gap = gap_pieces(kept, "gap_pieces", frame.gap, before)
        return [*gap, {"token": START}, *inner_pieces(kept, frame), *end]

    def joined(
        self, units: list[Unit], tail: str, around: Transcript, before: Frame | None
    ) -> tuple[Unit, dict[str, Json]]:
        """All pieces, and how those behind the frames are cut."""
        behind = gap_pieces(kept_by(HOME, around.layout), "tail_pieces", tail, before)
        return [*chain.from_iterable(units), *behind], cut("tail_pieces", behind, whole(tail))
