"""Write a stream of events as Harmony text, with the headers, bodies and ends of the batch writer."""

from __future__ import annotations

from typing import Final, NamedTuple

from ocml_bridge.chat.visibility import channelled
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.units.pairing import Pairing

from .header import header_of
from .nearest import answers, headed, opened
from .syntax import CONTROL, DEVELOPER, ENDS, HOME, MESSAGE, RETURN, SYSTEM, TOOL
from .units import Frames, FramesReader

_HOLD: Final = Hold(CONTROL.tokens, CONTROL.numbered)
_END: Final = ENDS["end"]


class Due(NamedTuple):
    """The end token that is still to be written of the last message: it depends on what follows.

    Attributes:
        message: if a message follows.
        turn: if an open turn follows.
        nothing: if nothing follows.
    """

    message: str = ""
    turn: str = ""
    nothing: str = ""


class HarmonyEncoder(TextEncoder):
    """Writes Harmony text. Every message is a frame, also one that continues the turn of another."""

    def __init__(self, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=CONTROL, hold=_HOLD)
        self._pairing = Pairing()
        self._messages: list[Message] = []
        self._whole = False
        """Whether the open message is written only when it is complete."""
        self._due = Due()

    def open(self, start: Start) -> str:
        """Write the header of a message; for a developer message nothing, since its form depends on all its content."""
        message = self._named(start.message)
        closed = _END if self._due.message == RETURN and message.role == SYSTEM else self._due.message
        self._due, self._whole = Due(), message.role == DEVELOPER
        return closed if self._whole else closed + self._header(message) + MESSAGE

    def _named(self, message: Message) -> Message:
        """Return a message; a reply without a name, or with an empty one, gets that of the tool that it answers for."""
        if message.role == TOOL and message.name == "":
            message = replace(message, name=None)
        call = self._pairing.feed(len(self._messages), message)
        if message.role == TOOL and message.name is None:
            if call is None:  # without ids it is read as the reply to the next call that is open
                call = self._pairing.feed(len(self._messages), replace(message, call_id=None))
            if call is not None:
                message = replace(message, name=self._messages[call].recipient)
        self._messages.append(message)
        return message

    def _header(self, message: Message) -> str:
        return header_of(headed(channelled(message), self.options, prompted=False), prompted=False)

    def _frame(self, message: Message) -> str:
        """Return the frame of a complete message."""
        frames, index = Frames(self.options), len(self._messages) - 1
        near = frames.nearest(message, index, Log())
        return frames.write_unit([near], None, last=False, paths=[f"/messages/{index}"], log=self.log).unit

    def safe(self, text: str, path: str) -> str:
        """Return text with its control tokens broken; "" for a message that is written only when it is complete."""
        return "" if self._whole else super().safe(text, path)

    def passes(self) -> bool:
        """Return whether the message is written as it arrives."""
        return not self._whole

    def close(self, message: Message) -> str:
        """Write the end token, unless it depends on what follows; then `_due` has it."""
        if self._whole:
            self._whole = False
            body = self._frame(replace(message, end="end", continues=False)).removesuffix(_END)
        else:
            body = ""
        if message.end is None:
            self._due = Due(_END, _END)
            return body
        end = ENDS[message.end]
        if self.options.training and answers(message):
            self._due = Due(end, RETURN, RETURN)
            return body
        if end == RETURN:
            self._due = Due(RETURN, RETURN, RETURN)
            return body
        return body + end

    def end(self, stop: Stop) -> str:
        """Write the end token that is still due, and the header of the open turn."""
        turn = self._open_turn(stop)
        if turn is None:
            return self._due.nothing
        turn = opened(turn, self.options, prompted=False)
        due = _END if self._due.turn == RETURN and turn.role == SYSTEM else self._due.turn
        return due + header_of(turn, prompted=False)


def encoder(_answer: Answer, options: Options) -> Encoder:
    """Return an encoder of Harmony text."""
    return HarmonyEncoder(options)
