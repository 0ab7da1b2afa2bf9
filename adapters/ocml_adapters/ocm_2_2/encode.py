"""Encode events as OpenChatML 2.2 text: the same frames as the batch writer, message by message."""

from __future__ import annotations

from typing import Final

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.events import Answer, Encoder, Start, Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Message, Transcript, replace
from ocml_bridge.stream.encoder import TextEncoder
from ocml_bridge.units.pairing import Pairing

from .body import encode, escape
from .document import PLAIN
from .document import render_header as render_document_header
from .header import render_header
from .nearest import nearest
from .reader import FramesReader
from .stream import HOLD
from .syntax import HOME, MESSAGE, NOTES, START, TERMINATORS, is_last_answer
from .units import opened


class CallIds:
    """Give ids to calls without one, and to replies without one the id of their call, like `pairing.identified`.

    Args:
        answer: returns new ids; ids that are already used are skipped.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._pairing = Pairing()
        self._ids: dict[int, str | None] = {}
        self._used: set[str] = set()
        self._count = 0

    def of(self, start: Start) -> str | None:
        """Return the call id of a message that begins; must be called once for each message, in order."""
        number, message, _ = start
        answered = self._pairing.feed(number, message)
        call_id = message.call_id
        if call_id is None and is_call(message):
            call_id = self._new_id()
        elif call_id is None and answered is not None:
            call_id = self._ids[answered]
        if call_id is not None:
            self._used.add(call_id)
        self._ids[number] = call_id
        return call_id

    def _new_id(self) -> str:
        call_id = ""
        # One attempt more than there are ids, because the source may repeat all of them.
        for _ in range(len(self._used) + 1):
            call_id = self._answer.id_of_call(self._count)
            self._count += 1
            if call_id not in self._used:
                break
        return call_id


_RUN: Final = 64
"""The maximum number of brackets that wait for what follows; more are written at once, in a literal block."""


class FrameEncoder(TextEncoder):
    """An encoder that writes frames, one per line.

    The token that ends an answer is written when it is known whether the answer is the last message (reading 16).

    Args:
        answer: returns ids for calls that have none.
        options: how to write.
    """

    call_ids = True

    def __init__(self, answer: Answer, options: Options) -> None:
        super().__init__(HOME, FramesReader(options), options, control=None, hold=HOLD)
        self._ids = CallIds(answer)
        self._message = Message("assistant", "")
        """The nearest message of the last one."""
        self._undecided = False
        """Whether it has ended, but its end token is not written yet."""
        self._gap = ""

    def begin(self) -> str:
        """Return the default document header; that of the source is known only at the end."""
        return render_document_header(PLAIN)

    def open(self, start: Start) -> str:
        """Return the header of a frame, and the thought markers before its text."""
        closed = TERMINATORS["end"] if self._undecided else ""
        message = replace(start.message, call_id=self._ids.of(start), continues=False)
        self._message = nearest(message, "", Log())
        self._undecided = False
        gap, self._gap = self._gap, "\n"
        content = encode(self._message.content, marked=is_thought(self._message))
        return f"{closed}{gap}{START}{render_header(self._message)}{MESSAGE}{content}"

    def waits(self, text: str) -> int:
        """Return the index from which a text must wait; a long run of brackets does not wait."""
        at = super().waits(text)
        size = len(text) - at
        return len(text) if size > _RUN and text.endswith("<" * size) else at

    def safe(self, text: str, path: str) -> str:
        """Return text with its tokens escaped."""
        return escape(text, marked=is_thought(self._message))

    def passes(self) -> bool:
        """Return True: a text without brackets needs no escape."""
        return True

    def close(self, message: Message) -> str:
        """Return the token that ends a message, if it is known already."""
        self._message = replace(self._message, end=message.end)
        self._undecided = message.end is None or is_last_answer(self._message)
        return "" if message.end is None or self._undecided else TERMINATORS[message.end]

    def end(self, stop: Stop) -> str:
        """Return the token that ends the last message, and the open turn."""
        if self._open is not None:
            return ""
        open_turn = self._open_turn(stop)
        turn = "" if open_turn is None else START + render_header(opened(open_turn))
        if not self._undecided:
            return f"{self._gap}{turn}"
        if self._message.end is None and not turn:
            return ""
        last = stop.reason != "error" and not turn and self._message.end is not None and not _is_plain(stop.document)
        return f"{TERMINATORS['return' if last else 'end']}{self._gap}{turn}"


def _is_plain(document: Document) -> bool:
    """Return whether the last answer was read from OpenChatML 2.2 with `<|end|>`."""
    return (
        isinstance(document, Transcript) and bool(document.messages) and "end" in NOTES.of(document.messages[-1].layout)
    )


def encoder(answer: Answer, options: Options) -> Encoder:
    """Return an encoder of OpenChatML 2.2."""
    return FrameEncoder(answer, options)
