"""OpenChatML 0.1 text → document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ocml_bridge.adapter import Options, Source
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Document, Message, Transcript
from ocml_bridge.text.edges import by_format, is_trivia
from ocml_bridge.text.im import Frame, read_header

from .completion import read_completion
from .edges import Edges, around, both, closing, default_for, grammar, kept, opening
from .frames import Unit, default_frame, open_frame
from .syntax import END, HOME, START, TOKENS
from .tools import Lifted, lift
from .wire import header_notes, name_in, read_body, role_of


def read(source: Source, options: Options, log: Log) -> Document:
    """Read a conversation, or a completion where no message begins. Every text is one or the other, or several.

    Raises:
        BridgeError: OCB-SEVERAL where another conversation begins (§2, §5).
    """
    assert isinstance(source, str)
    return document_of(*grammar(options).frames(source), options, log)


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset. Files in sequence (§7) are one completion."""
    assert isinstance(source, str)
    return grammar(options).split(source)


def document_of(frames: Sequence[Frame], tail: str, options: Options, log: Log) -> Document:
    """Make a document of all frames of a text; they are changed on the way.

    Args:
        frames: in order.
        tail: what stands behind them; the whole text where there is none.
        options: which tokens end a text.
        log: what had to be mended is noted here.
    """
    if not frames:
        return _frameless(tail, options, log)
    edges = both(opening(frames[0].gap, options), closing(tail, options))
    edges = _ended_by_token(frames[-1], edges, options)
    opens = frames[-1].last and not frames[-1].body.strip()
    frames[0].gap = ""
    _remark_outside(edges.head, "/messages/0", log)
    messages: list[Message] = []
    for index, frame in enumerate(frames[:-1] if opens else frames):
        messages += messages_of(frame, len(messages), log, first=index == 0)
    _remark_outside(edges.tail, "", log)
    open_turn = _open_turn(frames[-1], log, first=len(frames) == 1) if opens else None
    return transcript_of(lift(messages), open_turn, edges, cut=frames[-1].last)


def transcript_of(lifted: Lifted, open_turn: Message | None, edges: Edges, *, cut: bool) -> Transcript:
    """The transcript of messages without the declared tools, with what it must remember of the text's edges."""
    layout, extras = kept(edges, default_for(cut=cut))
    if lifted.gone is not None and lifted.gone.layout is not None:
        layout["tools"] = lifted.gone.layout[HOME]
    return Transcript(
        tuple(lifted.messages),
        lifted.tools,
        open_turn=open_turn,
        layout=by_format(HOME, layout),
        extras=by_format(HOME, extras),
    )


def _frameless(text: str, options: Options, log: Log) -> Document:
    edges, body = around(text, options)
    if body.strip():
        return read_completion(edges, body, options, log)
    layout, _ = kept(replace(edges, head=body), default_for(cut=False))
    return Transcript(layout=by_format(HOME, layout))


def _ended_by_token(last: Frame, edges: Edges, options: Options) -> Edges:
    """Where the last message has no end token but the text has, the text's ends both."""
    found = ended_inside(last, options)
    if found is None:
        return edges
    last.body, last.last = found.tail, False
    return both(edges, replace(found, tail=""))


def ended_inside(last: Frame, options: Options) -> Edges | None:
    """The end of the text where it stands in the body of the last message, which has no end token then."""
    found = closing(last.body, options) if last.last else None
    return found if found is not None and found.eos else None


def messages_of(frame: Frame, index: int, log: Log, *, first: bool) -> list[Message]:
    """The messages of a frame, which is changed on the way.

    Args:
        frame: one that is no open turn.
        index: of its first message.
        log: takes what is noticed.
        first: whether no frame stands before it.
    """
    heading = read_header(frame.header)
    path = f"/messages/{index}"
    messages, notes = read_body(heading, frame.body, cut=frame.last)
    for code, detail in (*header_notes(heading), *notes):
        log.find(code, path, detail)
    if frame.last:
        log.find(FindingCode.TRUNCATED, path, f"the text ends before {END}")
    elif not frame.end:
        log.find(FindingCode.END_MISSING, path, f"no {END} before the next {START} or the end; it ends there")
    if not first:
        _remark_outside(frame.gap, path, log)
    default = default_frame(messages, TOKENS.neutralise, "" if first else "\n")
    frame.end = default.end  # a missing one is mended
    messages[0].layout, messages[0].extras = Unit(messages, frame, default).remembered()
    return messages


def _open_turn(frame: Frame, log: Log, *, first: bool) -> Message:
    heading = read_header(frame.header)
    for code, detail in header_notes(heading):
        log.find(code, "/open_turn", detail)
    message = Message(role_of(heading), "", name_in(heading), end=None)
    default = open_frame(message, "" if first else "\n")
    message.layout, message.extras = Unit((message,), frame, default).remembered()
    return message


def _remark_outside(gap: str, path: str, log: Log) -> None:
    if not gap.strip() or is_trivia(gap):
        return
    if END in gap:
        log.find(FindingCode.STRAY_TOKEN, path, f"{END} without a message before it")
    if gap.replace(END, "").strip():
        log.find(FindingCode.TEXT_OUTSIDE, path, "text outside of any message is kept apart from them")
