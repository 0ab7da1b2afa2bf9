"""Define the unit reader of OpenChatML 0.1, which reads each frame as messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, cast

from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.json_values.jsontext import parse
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Completion, Json, Message, Transcript
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument
from ocml_bridge.units.heads import Item
from ocml_bridge.units.reader import UnitReader

from .around import Edges, around, closing, default_for, grammar, joined, opening, remember
from .around import read as read_completion
from .body import header_notes, name_in, read_body, role_of
from .segments import is_embedded_call, is_embedded_output, literal
from .spelling import Framed, default_frame, open_frame
from .syntax import CALL, END, KINDS, LIST, OUTPUT, START, TOKENS
from .tools import with_tools_apart

_LONGEST: Final = 200
"""The maximum length of a header in a skeleton, in characters."""
_LONGEST_TOOLS: Final = 20_000
"""The maximum length of declared tools in a skeleton, in characters."""


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """Split a text into its conversations, each with its offset. Files in sequence (§7) are one completion."""
    assert isinstance(source, str)
    return grammar(options).split(source)


class Around(NamedTuple):
    """The text around the frames with messages.

    Attributes:
        edges: the beginning and the end of the text.
        cut: whether the last frame, also that of an open turn, has no end token.
        opening: the frame of the open turn, or None.
    """

    edges: Edges
    cut: bool = False
    opening: Frame | None = None


_SEPARATOR: Final = re.compile(rf"({re.escape(START)}[^\n]{{0,{_LONGEST}}}\n|\n{re.escape(END)}|{re.escape(END)})")
"""Matches what separates contents, in one group. A newline before an end token belongs to the frame."""


class FramesReader(UnitReader):
    """The unit reader; a unit is a frame."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument | Completion:
        """Split a text into its frames; a text without frames is a completion.

        Raises:
            BridgeError: OCB-SEVERAL if another conversation begins in it (§2, §5).
        """
        options = self.options
        frames, tail = grammar(options).frames(cast("str", source))
        if not frames:
            edges, body = around(tail, options)
            if body.strip():
                return read_completion(edges, body, options, log)
            return SplitDocument((), Transcript(), document=Around(replace(edges, head=body)))
        last = frames[-1]
        edges = joined(opening(frames[0].gap, options), closing(tail, options))
        end = end_inside(last, options)
        if end is not None:
            edges = joined(edges, replace(end, tail=""))
            last.body, last.last = end.tail, False
        frames[0].gap = ""
        _report_outside(edges.head, "/messages/0", log)
        if last.last and not last.body.strip():
            return SplitDocument(frames[:-1], Transcript(), document=Around(edges, cut=True, opening=last))
        envelope = edges, last.last
        return SplitDocument(frames, Transcript(), document=Around(edges, cut=last.last), envelope=envelope)

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty, has a token, or ends in what may belong to the end of a line."""
        return all(texts) and all(map(TOKENS.is_free, texts)) and not any(text[-1] == "\r" for text in texts)

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens; the header of a frame, and the newline at the end of its body, belong to them."""
        return _SEPARATOR.split(text)

    def skeleton(self, unit: Frame, before: Frame | None) -> Skeleton | None:
        """Return a frame without its contents; None if its edges or its body do not have the default spelling."""
        header = unit.header
        gap = "" if before is None else "\n"
        if unit.gap != gap or not unit.newline or unit.end != END or len(header) > _LONGEST:
            return None
        core, declared, pad = _parts(unit)
        if core.endswith("\r") or len(declared) > _LONGEST_TOOLS:
            return None
        if not core:
            return (header, declared, pad), []
        if "<|" not in core:
            return ((header, declared, pad, None), [core]) if TOKENS.is_free(core) else None
        pieces = _pieces(core)
        if pieces is None:
            return None
        key = (
            header,
            declared,
            pad,
            *((before, after, encode, not content) for before, content, after, encode in pieces),
        )
        return key, [piece.content for piece in pieces if piece.content]

    def with_values(self, unit: Frame, values: Sequence[str]) -> Frame:
        """Return a frame with other contents."""
        core, declared, pad = _parts(unit)
        pieces = _pieces(core) if "<|" in core else None
        if pieces is None:
            return replace(unit, body="".join((*values, declared, pad)))
        following = iter(values)
        texts = [
            f"{before}{encode(next(following) if content else '')}{after}" for before, content, after, encode in pieces
        ]
        return replace(unit, body="".join((*texts, declared, pad)))

    def read_unit(self, unit: Frame, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a frame."""
        return _messages(unit, index, log, first=at == 0)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation: declared tools are taken out of its items; open turn and edges are added."""
        edges, cut, opens = cast("Around", split.document)
        _report_outside(edges.tail, "", log)
        turn = None if opens is None else _open_turn(opens, log, first=not split.units)
        layout, extras = remember(edges, default_for(cut=cut))
        return with_tools_apart(items, Transcript(open_turn=turn, layout=layout, extras=extras))


def end_inside(last: Frame, options: Options) -> Edges | None:
    """Return the end of the text if it is in the body of the last message, which then also ends there; else None."""
    edges = closing(last.body, options) if last.last else None
    return edges if edges is not None and edges.eos else None


# --- a frame ----------------------------------------------------------------------------------------------------------


def _messages(frame: Frame, index: int, log: Log, *, first: bool) -> list[Message]:
    """Return the messages of a frame.

    Args:
        frame: a frame that is not the open turn.
        index: the index of its first message.
        log: receives the findings.
        first: whether the frame is the first one.
    """
    heading = read_header(frame.header)
    path = f"/messages/{index}"
    messages, notes = read_body(heading, frame.body, cut=frame.last)
    for code, detail in header_notes(heading):
        log.find(code, path, detail)
    for at, (code, detail) in notes:
        log.find(code, f"/messages/{index + at}", detail)
    last = f"/messages/{index + len(messages) - 1}"
    if frame.last:
        log.find(FindingCode.TRUNCATED, last, f"the text ends before {END}")
    elif not frame.end:
        log.find(
            FindingCode.END_MISSING, last, f"{END} is missing; the message is read up to the next {START} or the end"
        )
    if not first:
        _report_outside(frame.gap, path, log)
    default = default_frame(messages, TOKENS.neutralise, first=first)
    mended = frame if frame.end == default.end else replace(frame, end=default.end)
    Framed(messages, mended, default).store_layout()
    return messages


def _open_turn(frame: Frame, log: Log, *, first: bool) -> Message:
    heading = read_header(frame.header)
    for code, detail in header_notes(heading):
        log.find(code, "/open_turn", detail)
    message = Message(role_of(heading), "", name_in(heading), end=None)
    Framed((message,), frame, open_frame(message, first=first)).store_layout()
    return message


def _report_outside(gap: str, path: str, log: Log) -> None:
    if not gap.strip() or is_trivia(gap):
        return
    if END in gap:
        log.find(FindingCode.STRAY_TOKEN, path, f"{END} ends no message")
    if gap.replace(END, "").strip():
        log.find(FindingCode.TEXT_OUTSIDE, path, "there is text outside of any message; it is kept beside the messages")


# --- a body without its contents --------------------------------------------------------------------------------------

_CALL: Final = re.compile(r'\{"arguments": (.+), "name": ("[^"\\]{0,200}"\})', re.S)
_THOUGHT: Final = re.compile(
    rf"(<\|start_({'|'.join(KINDS)})\|>)([^<]*(?:<(?!\|)[^<]*)*)(<\|end_\2\|>)(\n|\Z)",
)
_OUTPUT: Final = re.compile(re.escape(OUTPUT) + r'\n(\{"name": "[^"\\]{0,200}", "content": )(.+)\}', re.S)


class Piece(NamedTuple):
    """A content in a body.

    Attributes:
        before: the text before it.
        content: the content.
        after: the text after it.
        encode: returns the text of a content: unchanged, as JSON in JSON, or as a string in JSON.
    """

    before: str
    content: str
    after: str
    encode: Callable[[str], str]


def _json(text: str) -> str:
    """Return a JSON object whose only key is a text."""
    return f'{{"{text}": 0}}'


def _core(body: str) -> tuple[str, str]:
    """Split off the newline at the end of a body."""
    return (body[:-1], "\n") if body.endswith("\n") else (body, "")


def _parts(frame: Frame) -> tuple[str, str, str]:
    """Split a body into its text, the tools that a system message declares after it, and the newline at its end."""
    core, pad = _core(frame.body)
    if frame.header != "system" or LIST not in core:
        return core, "", pad
    at = 0 if core.startswith(f"{LIST}\n") else core.find(f"\n{LIST}\n")
    return (core, "", pad) if at < 0 else (core[:at], core[at:], pad)


def _pieces(core: str) -> list[Piece] | None:
    """Return the contents of a body with thought, text and calls, or with an output; None if spelled otherwise."""
    thought = _THOUGHT.match(core)
    text, *calls = core[0 if thought is None else thought.end() :].split(f"{CALL}\n")
    if thought is None and not calls:
        piece = _output(core)
        return None if piece is None else [piece]
    pieces: list[Piece] = []
    if thought is not None:
        opening, _, content, closing, line = thought.groups()
        if not _stands_alone(content) or (line == "") != (text == "" and not calls):
            return None
        pieces.append(Piece(opening, content, f"{closing}{line}", str))
    if text:
        text, line = _core(text) if calls else (text, "")
        if (line == "") != (not calls) or not _stands_alone(text):
            return None
        pieces.append(Piece("", text, line, str))
    for number, call in enumerate(calls, 1):
        call, line = _core(call)
        match = _CALL.fullmatch(call)
        if match is None or (line == "") != (number == len(calls)):
            return None
        if not is_embedded_call(match[1]) or not TOKENS.is_free(call):
            return None
        pieces.append(Piece(f'{CALL}\n{{"arguments": ', match[1], f', "name": {match[2]}{line}', _json))
    return pieces


def _stands_alone(text: str) -> bool:
    """Return whether a text next to tokens is read unchanged: it has no white space at its ends, and no token."""
    return text != "" and text == text.strip() and TOKENS.is_free(text)


def _output(core: str) -> Piece | None:
    match = _OUTPUT.fullmatch(core)
    if match is None or not TOKENS.is_free(core[len(OUTPUT) :]):
        return None
    before, raw = f"{OUTPUT}\n{match[1]}", match[2]
    if not raw.startswith('"'):
        return Piece(before, raw, "}", _json) if is_embedded_output(raw) else None
    span = parse(raw)
    text = None if span is None else span.value
    if not isinstance(text, str) or is_embedded_output(text) or literal(text) != raw:
        return None
    return Piece(before, text, "}", literal)
