"""A conversation taken apart into its frames, each read without the others, for plans."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from ocml_bridge.adapter import DEFAULT
from ocml_bridge.jsontext import parse
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import Frame
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Parted, Skeleton
from ocml_bridge.units.heads import Item, item_of
from ocml_bridge.units.heads import messages_of as all_messages

from .edges import Edges, both, closing, opening
from .reader import messages_of, transcript_of
from .spelling import is_embedded_call, is_embedded_output, literal
from .syntax import CALL, END, GRAMMAR, OUTPUT, TOKENS
from .tools import Lifted, lift

_CALL: Final = re.compile(r'\{"arguments": (.+), "name": "([^"\\]{0,200})"\}', re.S)
_OUTPUT: Final = re.compile(r'\{"name": "([^"\\]{0,200})", "content": (.+)\}', re.S)
_LONGEST: Final = 200
"""The longest header that plans are made for, in characters."""


class Piece(NamedTuple):
    """A content in a body.

    Attributes:
        before: what stands before it.
        content: it.
        kind: how it is written: as it is, as JSON in JSON, or as a string in JSON.
        after: what stands behind it.
    """

    before: str
    content: str
    kind: str
    after: str


class FrameParts:
    """Reads frames."""

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames; None for a completion, and for a conversation whose last message was not ended."""
        frames, tail = GRAMMAR.frames(cast("str", source))
        if not frames or frames[-1].last:
            return None
        edges = both(opening(frames[0].gap, DEFAULT), closing(tail, DEFAULT))
        if not (is_trivia(edges.head) and is_trivia(edges.tail)):
            return None
        frames[0].gap = ""
        return Parted(frames, Transcript(), document=edges)

    def skeleton(self, unit: Frame, before: Frame | None) -> Skeleton | None:
        """A frame without contents; None where its edges or its body are spelled otherwise than by default."""
        header = unit.header
        if (
            unit.gap != ("" if before is None else "\n")
            or not unit.newline
            or unit.end != END
            or len(header) > _LONGEST
        ):
            return None
        core, pad = _core(unit.body)
        if core.endswith("\r"):
            return None
        if not core:
            return (header, pad), []
        if "<|" not in core:
            return ((header, pad, None), [core]) if TOKENS.is_free(core) else None
        pieces = _pieces(core)
        if pieces is None:
            return None
        key = header, pad, *((piece.before, piece.kind, piece.after) for piece in pieces)
        return key, [piece.content for piece in pieces]

    def filled(self, unit: Frame, values: Sequence[str]) -> Frame:
        """A frame with other contents."""
        core, pad = _core(unit.body)
        if "<|" not in core:
            return replace(unit, body="".join(values) + pad)
        body = [
            f"{piece.before}{_FILLED[piece.kind](value)}{piece.after}"
            for piece, value in zip(_pieces(core) or (), values, strict=True)
        ]
        return replace(unit, body="".join(body) + pad)

    def read(self, unit: Frame, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a frame."""
        return messages_of(unit, index, log, first=at == 0)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The items without the declared tools, and what stands around them."""
        lifted = Lifted([])
        if items and items[0][0].role == "system" and not isinstance(items[0][1], str):
            lifted = lift(list(all_messages(items[:2])))
            items[:2] = map(item_of, lifted.messages)
        around = transcript_of(lifted._replace(messages=[]), None, cast("Edges", parted.document), cut=False)
        return Conversation(items, around)


def _as_json(text: str) -> str:
    return f'{{"{text}": 0}}'


_FILLED: Final[dict[str, Callable[[str], str]]] = {"text": str, "json": _as_json, "string": literal}


def _core(body: str) -> tuple[str, str]:
    """A body without the newline before its end, and that newline."""
    return (body[:-1], "\n") if body.endswith("\n") else (body, "")


def _pieces(core: str) -> list[Piece] | None:
    """The contents of a body of text and calls, or of an output; None for another one."""
    if core.startswith(OUTPUT):
        piece = _output(core)
        return None if piece is None else [piece]
    text, *calls = core.split(f"{CALL}\n")
    if not calls or (text and not text.endswith("\n")):
        return None
    pieces: list[Piece] = []
    if text:
        text = text[:-1]
        if not text or text.isspace() or text.endswith("\r") or "<|" in text or not TOKENS.is_free(text):
            return None
        pieces.append(Piece("", text, "text", "\n"))
    for number, call in enumerate(calls, 1):
        line = "" if number == len(calls) else "\n"
        found = _CALL.fullmatch(call.removesuffix(line))
        if found is None or not call.endswith(line) or not is_embedded_call(found[1]):
            return None
        if "<|" in call or not (TOKENS.is_free(found[1]) and TOKENS.is_free(found[2])):
            return None
        pieces.append(Piece(f'{CALL}\n{{"arguments": ', found[1], "json", f', "name": "{found[2]}"}}{line}'))
    return pieces


def _output(core: str) -> Piece | None:
    found = _OUTPUT.fullmatch(core, len(OUTPUT) + 1)
    if found is None or core[len(OUTPUT)] != "\n" or "<|" in core[len(OUTPUT) :]:
        return None
    name, raw = found[1], found[2]
    before = f'{OUTPUT}\n{{"name": "{name}", "content": '
    if not TOKENS.is_free(name) or not TOKENS.is_free(raw):
        return None
    if not raw.startswith('"'):
        return Piece(before, raw, "json", "}") if is_embedded_output(raw) else None
    span = parse(raw)
    text = None if span is None else span.value
    if not isinstance(text, str) or not text or is_embedded_output(text) or literal(text) != raw:
        return None
    return Piece(before, text, "string", "}")
