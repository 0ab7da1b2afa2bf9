"""OpenChatML 2.2 text → transcript."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options, Source
from ocml_bridge.boundary import cut_text, several
from ocml_bridge.conformance import Conformance
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Header, Json, Message, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.turns import infer_grouping, is_call, is_reply, is_thought, lift_tools

from .body import decode, encode
from .document import GENERATION, PLAIN
from .document import render_header as render_document_header
from .frames import Frame, frames
from .front import Front
from .header import Fields, parse_header, render_header
from .syntax import ENDINGS, HOME, MINORS, START, TERMINATORS, VERSION, VERSION_OF, ending, is_last_answer


def read(source: Source, options: Options, log: Log) -> Document:
    """Read OpenChatML 2.2 text.

    Raises:
        BridgeError: E-PARSE-HEADER where a header has no one meaning; OCB-NO-FRAMES where there is no message at all;
            OCB-SEVERAL where another conversation begins.
    """
    text = cast("str", source)
    front, rest = front_of(text)
    reader = FrameReader(front, log, alone=not rest)
    tail = ""
    for frame in frames(text, len(front.text)):
        if isinstance(frame, str):
            tail = frame
        else:
            reader.frame(frame)
    return reader.finish(tail)


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset.

    Raises:
        BridgeError: E-PARSE-HEADER where a header has no one meaning.
    """
    text = cast("str", source)
    found = frames(text, len(front_of(text)[0].text))
    return cut_text(text, [frame.begins for frame in found if not isinstance(frame, str) and frame.begins >= 0])


def front_of(text: str) -> tuple[Front, str]:
    """What stands before the first frame, and the text from there on."""
    front = Front()
    rest = front.feed(text)
    return front, front.finish() if rest is None else rest


class FrameReader:
    """Makes messages of frames, one after the other.

    Args:
        front: what stands before them.
        log: what had to be mended is noted here.
        alone: whether nothing stands behind the front.

    Attributes:
        messages: those made so far; tools are still in the developer's.

    Raises:
        BridgeError: OCB-NO-FRAMES where there is neither a header nor a message.
    """

    def __init__(self, front: Front, log: Log, *, alone: bool) -> None:
        self.messages: list[Message] = []
        self._log = log
        self._alone = alone
        self._front = read_front(front, log, alone=alone)
        header = self._front.header
        self._conformance = Conformance(log, channels=_requires_channels(header), legacy=_is_legacy(header))
        self._open_turn: Message | None = None
        self._last: Frame | None = None

    def frame(self, frame: Frame) -> None:
        """Take the next frame.

        Raises:
            BridgeError: E-PARSE-HEADER where its header has no one meaning; OCB-SEVERAL where it is of another
                conversation.
        """
        alone(frame)
        self._settle()
        if frame.body is None:
            self._open_turn = _open_turn(frame, self._log, first=not self.messages)
            self._conformance.heading(self._open_turn, "/open_turn")
            return
        message = read_message(frame, len(self.messages), self._log)
        self._conformance.message(message, f"/messages/{len(self.messages)}")
        self.messages.append(message)
        self._last = frame

    def _settle(self) -> None:
        """The last frame's terminator is known as a whole when something follows it."""
        frame, self._last = self._last, None
        if frame is not None:
            self.messages[-1] = settled(self.messages[-1], frame)

    def finish(self, tail: str) -> Transcript:
        """The transcript, once all frames are taken.

        Args:
            tail: what stands behind them.
        """
        self._settle()
        if self._alone:
            return self._front
        messages = self.messages
        if messages and self._open_turn is None:
            messages[-1] = last(messages[-1])
        cut = self._open_turn is not None or (bool(messages) and messages[-1].end is None)
        extras, layout = _tail(tail, cut, self._log)
        return _with_tools(self._front, messages, self._open_turn, extras, layout)


def alone(frame: Frame) -> None:
    """See that a frame belongs to the conversation of those before it.

    Raises:
        BridgeError: OCB-SEVERAL with the offset where another one begins.
    """
    if frame.begins >= 0:
        raise several(offset=frame.begins)


def settled(message: Message, frame: Frame) -> Message:
    """A message, with its terminator where that is two tokens."""
    return with_layout(message, end=frame.end) if frame.end and frame.end not in ENDINGS else message


def last(message: Message) -> Message:
    """The last message: an answer that does not end with `<|return|>`, as we would end it, says so (reading 16)."""
    return with_layout(message, end=TERMINATORS["end"]) if is_last_answer(message) else message


def with_layout(message: Message, **values: Json) -> Message:
    """The message with more of its spelling kept."""
    return replace(message, layout={HOME: {**(message.layout or {}).get(HOME, {}), **values}})


def _with_tools(
    transcript: Transcript,
    messages: list[Message],
    open_turn: Message | None,
    extras: dict[str, Json],
    layout: dict[str, Json],
) -> Transcript:
    found = developer.split(messages, lenient=True)
    lifted = lift_tools(found.messages)
    if found.raw is not None:
        layout["tools"] = found.raw
    if lifted.layout is not None:
        layout["tools_message"] = lifted.layout[HOME]
    extras = {**(transcript.extras or {}).get(HOME, {}), **extras}
    layout = {**(transcript.layout or {}).get(HOME, {}), **layout}
    return replace(
        transcript,
        messages=infer_grouping(lifted.messages),
        tools=lifted.tools,
        open_turn=open_turn,
        extras={HOME: extras} if extras else None,
        layout={HOME: layout} if layout else None,
    )


def read_front(front: Front, log: Log, *, alone: bool) -> Transcript:
    """What stands before the first frame: the header, nothing, or what is neither (reading 1)."""
    text, said = front.text, front.header
    if said is None and text.strip():
        if alone:
            raise BridgeError(
                ErrorCode.NO_FRAMES, f"no message: nothing begins with {START} at the start of a line", offset=0
            )
        log.find(
            FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/front", "text before the first message is no YAML header; kept"
        )
        return Transcript(extras={HOME: {"front": text}}, layout={HOME: {"header": "absent"}})
    if said is None:
        log.find(
            FindingCode.HEADER_ABSENT, "/header", "a transcript must begin with a YAML header (§2)", Severity.LAYOUT
        )
        return Transcript(layout={HOME: {"header": "absent", **({"front": text} if text else {})}})
    header = said.header
    _check_version(header.version, log)
    if render_document_header(said) != text:
        header = replace(header, layout={HOME: {"raw": text}})
    return Transcript(
        header=None if header in (PLAIN.header, Header()) else header,
        settings=said.settings,
        extras={HOME: {GENERATION: said.others}} if said.others else None,
    )


def _tail(tail: str, cut: bool, log: Log) -> tuple[dict[str, Json], dict[str, Json]]:
    """What stands behind the last frame, as extras and layout: a newline goes without saying."""
    if tail.strip():
        log.find(FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/tail", "text behind the last message; kept")
        return {"tail": tail}, {}
    return {}, {} if cut or tail == "\n" else {"tail": tail}


def read_message(frame: Frame, index: int, log: Log) -> Message:
    """The message of a frame.

    Args:
        frame: one that has a body.
        index: of the message.
        log: takes what is noticed of it alone.

    Raises:
        BridgeError: E-PARSE-HEADER where its header has no one meaning.
    """
    path = f"/messages/{index}"
    message, layout, extras = _header(frame, path, log)
    marked = is_thought(message)
    body = cast("str", frame.body)
    message = replace(message, content=decode(body, marked=marked), end=ending(frame.end))
    if encode(message.content, marked=marked) != body:
        layout["body"] = body
    if frame.gap.strip():
        log.find(FindingCode.TEXT_OUTSIDE, f"{path}/extras/ocm-2.2/before", "text between messages; kept")
        extras["before"] = frame.gap
    elif index and frame.gap != "\n":
        layout["gap"] = frame.gap
    _check(message, frame, path, log)
    return replace(message, extras={HOME: extras} if extras else None, layout={HOME: layout} if layout else None)


def _header(frame: Frame, path: str, log: Log) -> tuple[Message, dict[str, Json], dict[str, Json]]:
    fields = parse_header(frame.header, frame.offset)
    message = begun(fields)
    layout: dict[str, Json] = {}
    extras: dict[str, Json] = {}
    if fields.unknown:
        extras["attributes"] = fields.unknown
        log.find(
            FindingCode.HEADER_VALUE, path, f"attributes that §6 does not know are kept: {', '.join(fields.unknown)}"
        )
    if fields.is_mended:
        detail = f"the header {frame.header[:60]!r} is read as {_on(message)}"
        log.find(FindingCode.HEADER_RECOVERED, f"{path}/channel", detail)
    for name in fields.empty:
        log.find(FindingCode.HEADER_VALUE, path, f"{name}= has no value", Severity.LAYOUT)
    if render_header(message, fields.unknown) != frame.header:
        layout["header"] = frame.header
    if message.call_id is None and (is_call(message) or is_reply(message)):
        layout["call_id"] = "absent"
    return message, layout, extras


def _on(message: Message) -> str:
    return "on no channel" if message.channel is None else f"on {message.channel[:40]}"


def begun(fields: Fields) -> Message:
    """A message of which there is no more than its header."""
    return Message(content="", end=None, **cast("dict[str, str]", fields.values))  # type: ignore[arg-type]


def _open_turn(frame: Frame, log: Log, *, first: bool) -> Message:
    message, layout, extras = _header(frame, "/open_turn", log)
    if frame.gap != "\n" and not first:
        layout["gap"] = frame.gap
    return replace(message, extras={HOME: extras} if extras else None, layout={HOME: layout} if layout else None)


def _check(message: Message, frame: Frame, path: str, log: Log) -> None:
    """What only a frame can get wrong (§3, §6, §9), as findings."""
    for token in frame.stray:
        log.find(FindingCode.STRAY_TOKEN, f"{path}/content", f"{token} in a body should be escaped (§3); read as text")
    if message.end is None:
        log.find(FindingCode.TRUNCATED, f"{path}/end", "the text ends before the message does")
    if message.end == "end" and is_call(message):
        log.find(FindingCode.CALL_ENDING, f"{path}/end", "a call ends with <|call|> (§6)", Severity.LAYOUT)
    if message.end == "call" and not (is_call(message) or is_reply(message)):
        log.find(FindingCode.CALL_SCHEMA, f"{path}/recipient", "a call without to= calls no tool (§6)")


def _check_version(version: str | None, log: Log) -> None:
    """What §2 asks of the version: 1.x is valid here (§13), 2.x as far as it is specified (readings 2 and 39)."""
    if version is None:
        log.find(FindingCode.HEADER_ABSENT, "/header/version", "the header must name its version (§2)", Severity.LAYOUT)
        return
    said = VERSION_OF.fullmatch(version)
    if said is None:
        log.find(FindingCode.VERSION, "/header/version", f"{version[:40]!r} is no major.minor (§2); read as {VERSION}")
    elif said[1] not in ("1", "2") or (said[1] == "2" and said[2] not in MINORS):
        log.find(FindingCode.VERSION, "/header/version", f"{version[:40]} is not specified; read as {VERSION}")


def _is_legacy(header: Header | None) -> bool:
    """Whether the header says that the transcript is of version 1.x."""
    said = VERSION_OF.fullmatch(header.version or "") if header is not None else None
    return said is not None and said[1] == "1"


def _requires_channels(header: Header | None) -> bool:
    """Whether the header's Harmony profile is in force, which requires channels (§12.2, reading 18)."""
    profiles: Json = header.profiles if header is not None else None
    harmony: Json = cast("dict[str, Json]", profiles).get("harmony") if isinstance(profiles, dict) else None
    if not isinstance(harmony, dict):
        return False
    profile = cast("dict[str, Json]", harmony)
    return profile.get("enabled", bool(profile.get("require_channels"))) is True
