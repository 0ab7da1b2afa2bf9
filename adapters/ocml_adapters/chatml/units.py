"""A message as a frame of raw ChatML, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript
from ocml_bridge.text.edges import gap_behind
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.visibility import is_private

from .fit import bare, settled
from .frames import Unit as Placed
from .frames import default_frame, spelled
from .syntax import CONTROL, END, HOME, START, TEXT

_CLOSED: Final = Frame("", START, "", True, "", END, 0, False)
_OPEN: Final = Frame("", START, "", True, "", "", 0, False)
_BEFORE: Final[dict[State, Frame | None]] = {None: None, True: _CLOSED, False: _OPEN}


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
        """The items; only an open turn and what stands behind the frames concern more than one of them."""
        if (
            around.open_turn is not None
            or self._options.control_tokens == "raw"
            or any(kept is not None and HOME in kept for kept in (around.layout, around.extras))
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
        """The text of all frames, and the newline behind them."""
        return Enclosed("".join(units) + gap_behind(_BEFORE[state]), Transcript())
