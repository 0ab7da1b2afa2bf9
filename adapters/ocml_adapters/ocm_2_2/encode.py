"""OpenChatML 2.2 as it comes: what the batch writer writes, message by message; ids for calls without one."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Message, Transcript, replace
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.units.pairing import Pairing

from .document import PLAIN
from .document import render_header as render_document_header
from .message import encode, escape, render_header
from .nearest import nearest
from .reader import FramesReader
from .stream import HOLD
from .syntax import HOME, MESSAGE, NOTES, START, TERMINATORS, is_last_answer
from .units import opened


class CallIds:
    """Gives each call without an id one, and each reply without one its call's, as `pairing.identified` does.

    Args:
        answer: gives the ids; one that is taken already is passed over.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._pairing = Pairing()
        self._ids: dict[int, str | None] = {}
        self._used: set[str] = set()
        self._made = 0

    def of(self, start: Start) -> str | None:
        """The call id of a message that begins; messages are asked for in order, each once."""
        number, message, _ = start
        answered = self._pairing.feed(number, message)
        known = message.call_id
        if known is None and is_call(message):
            known = self._make()
        elif known is None and answered is not None:
            known = self._ids[answered]
        if known is not None:
            self._used.add(known)
        self._ids[number] = known
        return known

    def _make(self) -> str:
        made = ""
        # One more than there are: who gives ids may repeat them all.
        for _ in range(len(self._used) + 1):
            made = self._answer.id_of_call(self._made)
            self._made += 1
            if made not in self._used:
                break
        return made


_RUN: Final = 64
"""How many brackets wait for what follows them; more are written at once, in a literal block."""


class FrameEncoder(TextEncoder):
    """Writes frames, one a line.

    The token that ends an answer is written when it is known whether it is the last one (reading 16), all others at
    once.

    Args:
        answer: gives ids to calls that have none.
        options: how to write.
    """

    call_ids = True

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=None, hold=HOLD)
        self._ids = CallIds(answer)
        self._message = Message("assistant", "")
        """The last message, as the format holds it."""
        self._undecided = False
        """Whether it has ended, but not how."""
        self._gap = ""

    def begin(self) -> str:
        """The document header; what the source's says is known in the end only."""
        return render_document_header(PLAIN)

    def open(self, start: Start) -> str:
        """The frame's header, and the thought markers that stand before its text."""
        closed = TERMINATORS["end"] if self._undecided else ""
        message = replace(start.message, call_id=self._ids.of(start), continues=False)
        self._message = nearest(message, "", Log())
        self._undecided = False
        gap, self._gap = self._gap, "\n"
        content = encode(self._message.content, marked=is_thought(self._message))
        return f"{closed}{gap}{START}{render_header(self._message)}{MESSAGE}{content}"

    def waits(self, text: str) -> int:
        """Where the end of a text begins that has to wait; a long run of brackets does not."""
        at = super().waits(text)
        size = len(text) - at
        return len(text) if size > _RUN and text.endswith("<" * size) else at

    def safe(self, text: str, path: str) -> str:
        """Text with its tokens escaped."""
        return escape(text, marked=is_thought(self._message))

    def close(self, message: Message) -> str:
        """The token that ends the message, where that is decided."""
        self._message = replace(self._message, end=message.end)
        self._undecided = message.end is None or is_last_answer(self._message)
        return "" if message.end is None or self._undecided else TERMINATORS[message.end]

    def end(self, stop: Stop) -> str:
        """What ends the last message, and the open turn."""
        if self._open is not None:
            return ""
        turn = self._turn(stop.document)
        if not self._undecided:
            return f"{self._gap}{turn}"
        if self._message.end is None and not turn:
            return ""
        last = stop.reason != "error" and not turn and self._message.end is not None and not _is_plain(stop.document)
        return f"{TERMINATORS['return' if last else 'end']}{self._gap}{turn}"

    def _turn(self, document: Document) -> str:
        if not isinstance(document, Transcript) or document.open_turn is None:
            return ""
        return START + render_header(opened(document.open_turn))


def _is_plain(document: Document) -> bool:
    """Whether the last answer ended with `<|end|>` in OpenChatML 2.2 itself."""
    return (
        isinstance(document, Transcript) and bool(document.messages) and "end" in NOTES.of(document.messages[-1].layout)
    )


def encoder(answer: Answer, options: Options) -> Encoder:
    """An encoder of OpenChatML 2.2."""
    return FrameEncoder(answer, options)
