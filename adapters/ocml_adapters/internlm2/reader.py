"""InternLM2-Chat → document."""

from __future__ import annotations

from typing import Final

from ocml_bridge.adapter import Options, Source
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Message, Tools, Transcript
from ocml_bridge.text.edges import by_format, is_trivia, remember
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import message

from .actions import read_body
from .document import assemble
from .frames import Unit, Walk, majority
from .headings import Meaning, meaning
from .syntax import CONTROL, FOREIGN, GRAMMAR, HOME, IM, ROLES, UNUSED
from .tools import declares, read_tools

_NO_END: Final = f"the message has no {IM.end}"


def read(source: Source, options: Options, log: Log) -> Document:
    """Read an InternLM2-Chat text, in either spelling or both.

    Raises:
        BridgeError: OCB-NO-FRAMES where no message begins.
    """
    assert isinstance(source, str)
    frames, tail = GRAMMAR.frames(source)
    if not frames and tail.strip():
        raise BridgeError(
            ErrorCode.NO_FRAMES, f"neither {IM.start} nor {UNUSED.start} in it: this is not InternLM2-Chat", offset=0
        )
    dialect = majority(frames)
    if FOREIGN[dialect].search(source):
        log.find(FindingCode.MIXED_SPELLING, "", "tokens are spelled in two ways", Severity.LAYOUT)
    return _Reader(dialect, log).transcript(frames, tail)


class _Reader:
    """One document on its way in."""

    def __init__(self, dialect: str, log: Log) -> None:
        self._dialect = dialect
        self._log = log
        self._walk = Walk(dialect)
        self._messages: list[Message] = []
        self._leading = True
        self._tools: Message | None = None
        self._tools_at = 0
        self._opening: Message | None = None

    def transcript(self, frames: list[Frame], tail: str) -> Transcript:
        for index, frame in enumerate(frames):
            self._frame(frame, last=index == len(frames) - 1)
        if not is_trivia(tail):
            self._log.find(FindingCode.TEXT_OUTSIDE, "", "text behind the last message is kept apart from messages")
        tools = (self._tools, self._tools_at) if self._tools is not None else None
        return assemble(self._messages, self._opening, tools, self._dialect, tail, self._walk.before)

    def _frame(self, frame: Frame, *, last: bool) -> None:
        said = meaning(frame.header)
        opening = frame.last and frame.body == ""
        unit: Unit = (Message(said.role, "", said.name, end=None),) if opening else self._unit(frame, said)
        lifted = self._leading and self._tools is None and declares(unit[0])
        path = "/open_turn" if opening else "/tools" if lifted else self._path(0)
        self._remarks(frame, said, path)
        if said.role == "tool":
            unit[0].name = self._walk.replies.name(said)
        default = self._walk.default(unit, last=last, opening=opening)
        layout, extras = remember(frame, default)
        unit[0].layout, unit[0].extras = by_format(HOME, layout), by_format(HOME, extras)
        if opening:
            self._opening = unit[0]
            self._walk.before = frame
            return
        if not self._walk.step(frame, unit)[1]:
            self._log.find(FindingCode.REPLY_UNPAIRED, f"{path}/name", "there is no call that this can be the reply to")
        if lifted:
            self._tools, self._tools_at = unit[0], len(self._messages)
        else:
            self._messages += unit
            self._leading = self._leading and unit[0].role == "system"

    def _path(self, index: int) -> str:
        return f"/messages/{len(self._messages) + index}"

    def _unit(self, frame: Frame, said: Meaning) -> Unit:
        if said.role == "assistant":
            return read_body(frame.body, said.name, closed=frame.end != "", note=self._note)
        content = CONTROL.restore(frame.body)
        if said.role == "system" and said.token and said.name == "plugin":
            declared = read_tools(content)
            if declared is not None:
                if declared.repaired:
                    path = "/tools" if self._leading and self._tools is None else self._path(0)
                    self._log.find(FindingCode.JSON_REPAIRED, path, "the JSON of the declared tools is mended")
                return (Message("system", (Tools(declared.tools),)),)
            self._note(FindingCode.JSON_OPAQUE, 0, "no list of tools; it is kept as text")
        stray = CONTROL.plain.search(frame.body)
        if stray is not None:
            self._note(FindingCode.STRAY_TOKEN, 0, f"{stray[0]} in the text is read as text")
        return (message(said.role, content, said.name, "end" if frame.end else None),)

    def _note(self, code: FindingCode, index: int, detail: str) -> None:
        self._log.find(code, self._path(index), detail)

    def _remarks(self, frame: Frame, said: Meaning, path: str) -> None:
        if said.role not in ROLES:
            detail = f"{said.role!r} is not a role of InternLM2-Chat"
            self._log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail, Severity.LAYOUT)
        if said.rest:
            detail = f"{' '.join(said.rest)!r} in the header is kept as it is"
            self._log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)
        if not is_trivia(frame.gap):
            code = FindingCode.STRAY_TOKEN if CONTROL.plain.search(frame.gap) else FindingCode.TEXT_OUTSIDE
            self._log.find(code, path, "text in front of it is outside of any message")
        if not frame.end and path != "/open_turn":
            code = FindingCode.TRUNCATED if frame.last else FindingCode.END_MISSING
            self._log.find(code, f"{path}/end", _NO_END)


def sniff(source: Source) -> int:
    """Certain where a token stands that only InternLM2 has, possibly where one stands that ChatML has too."""
    if not isinstance(source, str):
        return 0
    own = (*(UNUSED.start, UNUSED.end), IM.action_start, f"name={IM.plugin}", f"name={IM.interpreter}")
    if any(token in source for token in own):
        return 3
    return 1 if IM.start in source else 0
