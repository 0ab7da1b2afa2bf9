"""Harmony as it is written, message by message: headers, bodies and ends are those of the batch writer."""

from __future__ import annotations

from typing import Final, NamedTuple

from ocml_bridge.chat.visibility import channelled
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript, replace
from ocml_bridge.stream.buffer import Hold
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.units.pairing import Pairing

from .message import header_of
from .nearest import answers, headed, opened
from .syntax import CONTROL, DEVELOPER, ENDS, HOME, MESSAGE, RETURN, SYSTEM, TOOL
from .units import Frames, FramesReader

_HOLD: Final = Hold(CONTROL.tokens, CONTROL.numbered)
_END: Final = ENDS["end"]


class Due(NamedTuple):
    """What is still to be written of a message that has ended: where a message follows, an open turn, or nothing."""

    message: str = ""
    turn: str = ""
    nothing: str = ""


class HarmonyEncoder(TextEncoder):
    """Writes Harmony text. Every message is a frame of its own, one that continues another too."""

    def __init__(self, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=CONTROL, hold=_HOLD)
        self._pairing = Pairing()
        self._messages: list[Message] = []
        self._whole = False
        """Whether the open message is written when it is complete."""
        self._due = Due()

    def open(self, start: Start) -> str:
        """The header; of the developer's message nothing, whose form only the whole of it tells."""
        message = self._named(start.message)
        closed = _END if self._due.message == RETURN and message.role == SYSTEM else self._due.message
        self._due, self._whole = Due(), message.role == DEVELOPER
        return closed if self._whole else closed + self._header(message) + MESSAGE

    def _named(self, message: Message) -> Message:
        """A message, with the name of the tool that it answers for where it has none."""
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
        """A whole message."""
        frames, index = Frames(self.options), len(self._messages) - 1
        near = frames.nearest(message, index, Log())
        return frames.spell([near], None, last=False, paths=[f"/messages/{index}"], log=self.log).unit

    def safe(self, text: str, path: str) -> str:
        """Text with its control tokens broken; nothing of a message that is written as a whole."""
        return "" if self._whole else super().safe(text, path)

    def close(self, message: Message) -> str:
        """The end token, as far as it is known which."""
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
        """What is still due, and the turn that is left open."""
        document = stop.document
        if not isinstance(document, Transcript) or document.open_turn is None:
            return self._due.nothing
        turn = opened(document.open_turn, self.options, prompted=False)
        due = _END if self._due.turn == RETURN and turn.role == SYSTEM else self._due.turn
        return due + header_of(turn, prompted=False)


def encoder(_answer: Answer, options: Options) -> Encoder:
    """An encoder of Harmony text."""
    return HarmonyEncoder(options)
