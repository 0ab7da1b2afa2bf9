"""InternLM2-Chat → document."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options, Source
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Message, Tools, Transcript, replace
from ocml_bridge.text.edges import by_format, is_trivia, remember
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.text.plain import message

from .actions import read_body
from .document import assemble
from .frames import Unit, Walk, majority
from .headings import Meaning, Replies, declares_tools, meaning
from .syntax import CONTROL, FOREIGN, GRAMMAR, HOME, IM, MARKS, ROLES, UNUSED
from .tools import declares, place, read_tools

_NO_END: Final = f"the message has no {IM.end}"


def read(source: Source, options: Options, log: Log) -> Document:
    """Read an InternLM2-Chat text, in either spelling or both.

    Raises:
        BridgeError: OCB-NO-FRAMES where no message begins; OCB-SEVERAL where another conversation begins.
    """
    assert isinstance(source, str)
    frames, tail = GRAMMAR.frames(source)
    reader = FrameReader(log)
    for frame in frames:
        reader.frame(frame)
    return reader.finish(tail)


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset."""
    assert isinstance(source, str)
    return GRAMMAR.split(source)


class FrameReader:
    """Reads frames, in order, which may come at any time.

    What a message says is known with its frame; in which of the two spellings the text is, and so what a frame has to
    remember of how it is spelled, only in the end.

    Args:
        log: takes the findings.

    Attributes:
        messages: those of the frames so far.
        replies: which calls still wait for a reply.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.messages: list[Message] = []
        self.replies = Replies()
        self._read: list[tuple[Frame, Unit]] = []
        self._leading = True
        self._tools: Unit | None = None
        self._opening: Unit | None = None

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        said, index = meaning(frame.header), len(self.messages)
        opening = frame.last and frame.body == ""
        leads = self._leading and self._tools is None
        unit: Unit = (
            (Message(said.role, "", said.name, end=None),)
            if opening
            else messages_of(frame, said, index, self._log, leads=leads)
        )
        lifted = leads and declares(unit[0])
        path = "/open_turn" if opening else "/tools" if lifted else f"/messages/{index}"
        remark(frame, said, path, self._log)
        self._read.append((frame, unit))
        if said.role == "tool":
            unit[0].name = self.replies.name(said)
        if opening:
            self._opening = unit
            return
        if not self.replies.answered(unit, said):
            self._log.find(FindingCode.REPLY_UNPAIRED, f"{path}/name", "there is no call that this can be the reply to")
        if lifted:
            self._tools = unit
        else:
            self.messages += unit
            self._leading = self._leading and unit[0].role == "system"

    def finish(self, tail: str) -> Transcript:
        """The document, with what stands behind the last frame.

        Raises:
            BridgeError: OCB-NO-FRAMES where no frame came, but text.
        """
        frames = [frame for frame, _ in self._read]
        if not frames and tail.strip():
            detail = f"neither {IM.start} nor {UNUSED.start} in it: this is not InternLM2-Chat"
            raise BridgeError(ErrorCode.NO_FRAMES, detail, offset=0)
        dialect = majority(frames)
        if FOREIGN[dialect].search(spell(frames, tail)):
            self._log.find(FindingCode.MIXED_SPELLING, "", "tokens are spelled in two ways", Severity.LAYOUT)
        if not is_trivia(tail):
            self._log.find(FindingCode.TEXT_OUTSIDE, "", "text behind the last message is kept apart from messages")
        return self._spelled(dialect, tail)

    def _spelled(self, dialect: str, tail: str) -> Transcript:
        """The messages with what they remember of their frames."""
        walk = Walk(dialect)
        messages: list[Message] = []
        opening: Message | None = None
        tools: tuple[Message, int] | None = None
        for frame, unit in self._read:
            opens = unit is self._opening
            first = remembering(unit, frame, walk, last=frame is self._read[-1][0], opening=opens)
            if opens:
                opening, walk.before = first, frame
                break
            walk.step(frame, unit)
            if unit is self._tools:
                tools = first, len(messages)
            else:
                messages += (first, *unit[1:])
        return assemble(messages, opening, tools, dialect, tail, walk.before, place(messages))


def messages_of(frame: Frame, said: Meaning, index: int, log: Log, *, leads: bool = False) -> Unit:
    """The messages of a frame with this header.

    Args:
        frame: one that is no open turn.
        said: what its header says.
        index: of its first message.
        log: takes what had to be mended.
        leads: whether tools in it are the transcript's.
    """

    def note(code: FindingCode, at: int, detail: str) -> None:
        log.find(code, f"/messages/{index + at}", detail)

    if said.role == "assistant":
        return read_body(frame.body, said.name, closed=frame.end != "", note=note)
    content = CONTROL.restore(frame.body)
    if declares_tools(said):
        declared = read_tools(content)
        if declared is not None:
            if declared.repaired:
                path = "/tools" if leads else f"/messages/{index}"
                log.find(FindingCode.JSON_REPAIRED, path, "the JSON of the declared tools is mended")
            return (Message("system", (Tools(declared.tools),)),)
        note(FindingCode.JSON_OPAQUE, 0, "no list of tools; it is kept as text")
    stray = MARKS.plain.search(frame.body)
    if stray is not None:
        note(FindingCode.STRAY_TOKEN, 0, f"{stray[0]} in the text is read as text")
    return (message(said.role, content, said.name, "end" if frame.end else None),)


def remark(frame: Frame, said: Meaning, path: str, log: Log) -> None:
    """Note what is odd about a frame, but for its body."""
    if said.role not in ROLES:
        detail = f"{said.role!r} is not a role of InternLM2-Chat"
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail, Severity.LAYOUT)
    if said.rest:
        detail = f"{' '.join(said.rest)!r} in the header is kept as it is"
        log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)
    if not is_trivia(frame.gap):
        code = FindingCode.STRAY_TOKEN if MARKS.plain.search(frame.gap) else FindingCode.TEXT_OUTSIDE
        log.find(code, path, "text in front of it is outside of any message")
    if not frame.end and path != "/open_turn":
        code = FindingCode.TRUNCATED if frame.last else FindingCode.END_MISSING
        log.find(code, f"{path}/end", _NO_END)


def remembering(unit: Unit, frame: Frame, walk: Walk, *, last: bool, opening: bool = False) -> Message:
    """The first message of a frame, with what it remembers of that."""
    layout, extras = remember(frame, walk.default(unit, last=last, opening=opening))
    if not layout and not extras:
        return unit[0]
    return replace(unit[0], layout=by_format(HOME, layout), extras=by_format(HOME, extras))
