"""OpenChatML 2.2 text → transcript."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ocml_bridge import jsontext
from ocml_bridge.adapter import Options, Source
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Document, Header, Json, Message, Transcript
from ocml_bridge.text import developer
from ocml_bridge.turns import infer_grouping, is_call, is_reply, is_thought, lift_tools

from .body import decode, encode
from .document import PLAIN
from .document import parse_header as parse_document_header
from .document import render_header as render_document_header
from .frames import Frame, frames
from .header import parse_header, render_header
from .syntax import CHANNELS, CONSTRAIN, HOME, ROLES, START, START_LINE, TERMINATORS, ending, is_last_answer


def read(source: Source, options: Options, log: Log) -> Document:
    """Read OpenChatML 2.2 text.

    Raises:
        BridgeError: E-PARSE-HEADER where a header has no one meaning; OCB-NO-FRAMES where there is no message at all.
    """
    text = cast("str", source)
    at = _first_frame(text)
    transcript = _front(text[:at], log, alone=at == len(text))
    if at == len(text):
        return transcript
    messages: list[Message] = []
    open_turn, tail = None, ""
    for frame in frames(text, at):
        if isinstance(frame, str):
            tail = frame
        elif frame.body is None:
            open_turn = _open_turn(frame, log, first=not messages)
        else:
            messages.append(_message(frame, len(messages), log))
    if messages and open_turn is None:
        messages[-1] = _plain_end(messages[-1])
    _check_channels(messages, transcript.header, log)
    extras, layout = _tail(tail, open_turn is not None or (bool(messages) and messages[-1].end is None), log)
    return _with_tools(transcript, messages, open_turn, extras, layout)


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


def _first_frame(text: str) -> int:
    """Where the first frame begins: at a line that begins with one, as the header itself names tokens (reading 1)."""
    line = START_LINE.search(text)
    at = line.start() if line else len(text)
    early = text.find(START, 0, at)
    return at if early < 0 or parse_document_header(text[:at]) is not None else early


def _front(text: str, log: Log, *, alone: bool) -> Transcript:
    """What stands before the first frame: the header, nothing, or what is neither (reading 1)."""
    header = parse_document_header(text) if text.strip() else None
    if header is None and text.strip():
        if alone:
            raise BridgeError(
                ErrorCode.NO_FRAMES, f"no message: nothing begins with {START} at the start of a line", offset=0
            )
        log.find(
            FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/front", "text before the first message is no YAML header; kept"
        )
        return Transcript(extras={HOME: {"front": text}}, layout={HOME: {"header": "absent"}})
    if header is None:
        log.find(
            FindingCode.HEADER_ABSENT, "/header", "a transcript must begin with a YAML header (§2)", Severity.LAYOUT
        )
        return Transcript(layout={HOME: {"header": "absent", **({"front": text} if text else {})}})
    if header.version is None:
        log.find(FindingCode.HEADER_ABSENT, "/header/version", "the header must name its version (§2)", Severity.LAYOUT)
    if render_document_header(header) != text:
        header = replace(header, layout={HOME: {"raw": text}})
    return Transcript(header=None if header == PLAIN else header)


def _tail(tail: str, cut: bool, log: Log) -> tuple[dict[str, Json], dict[str, Json]]:
    """What stands behind the last frame, as extras and layout: a newline goes without saying."""
    if tail.strip():
        log.find(FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/tail", "text behind the last message; kept")
        return {"tail": tail}, {}
    return {}, {} if cut or tail == "\n" else {"tail": tail}


def _message(frame: Frame, index: int, log: Log) -> Message:
    path = f"/messages/{index}"
    message, layout, extras = _header(frame, path, log)
    marked = is_thought(message)
    body = cast("str", frame.body)
    message = replace(message, content=decode(body, marked=marked), end=ending(frame.end))
    if encode(message.content, marked=marked) != body:
        layout["body"] = body
    if message.end is not None and frame.end != TERMINATORS[message.end]:
        layout["end"] = frame.end
    if frame.gap.strip():
        log.find(FindingCode.TEXT_OUTSIDE, f"{path}/extras/ocm-2.2/before", "text between messages; kept")
        extras["before"] = frame.gap
    elif index and frame.gap != "\n":
        layout["gap"] = frame.gap
    _check(message, frame, path, log)
    return replace(message, extras={HOME: extras} if extras else None, layout={HOME: layout} if layout else None)


def _header(frame: Frame, path: str, log: Log) -> tuple[Message, dict[str, Json], dict[str, Json]]:
    fields = parse_header(frame.header, frame.offset)
    message = Message(content="", end=None, **cast("dict[str, str]", fields.values))  # type: ignore[arg-type]
    layout: dict[str, Json] = {}
    extras: dict[str, Json] = {}
    if fields.unknown:
        extras["attributes"] = fields.unknown
        log.find(
            FindingCode.HEADER_VALUE, path, f"attributes that §6 does not know are kept: {', '.join(fields.unknown)}"
        )
    for name in fields.empty:
        log.find(FindingCode.HEADER_VALUE, path, f"{name}= has no value", Severity.LAYOUT)
    if message.role not in ROLES:
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", f"§4 does not know the role {message.role[:40]!r}; kept")
    if render_header(message, fields.unknown) != frame.header:
        layout["header"] = frame.header
    if message.call_id is None and (is_call(message) or is_reply(message)):
        layout["call_id"] = "absent"
    return message, layout, extras


def _open_turn(frame: Frame, log: Log, *, first: bool) -> Message:
    message, layout, extras = _header(frame, "/open_turn", log)
    if frame.gap != "\n" and not first:
        layout["gap"] = frame.gap
    return replace(message, extras={HOME: extras} if extras else None, layout={HOME: layout} if layout else None)


def _plain_end(last: Message) -> Message:
    """A last answer that does not end with `<|return|>`, as we would end it, remembers how it did (reading 16)."""
    if not is_last_answer(last):
        return last
    return replace(last, layout={HOME: {**(last.layout or {}).get(HOME, {}), "end": TERMINATORS["end"]}})


def _check(message: Message, frame: Frame, path: str, log: Log) -> None:
    """What §3, §5, §6 and §8 ask of a message, as findings."""
    for token in frame.stray:
        log.find(FindingCode.STRAY_TOKEN, f"{path}/content", f"{token} in a body should be escaped (§3); read as text")
    if message.end is None:
        log.find(FindingCode.TRUNCATED, f"{path}/end", "the text ends before the message does")
    if message.channel is not None and message.channel not in CHANNELS:
        log.find(FindingCode.UNKNOWN_CHANNEL, f"{path}/channel", f"§5 does not know {message.channel[:40]!r}; kept")
    if message.constraint == "json" and jsontext.parse(cast("str", frame.body)) is None and not _is_json(message):
        log.find(
            FindingCode.CONSTRAINT_VIOLATION,
            f"{path}/content",
            f"the body is not the JSON that {CONSTRAIN}json promises (§6)",
        )
    _check_call(message, path, log)


def _is_json(message: Message) -> bool:
    return isinstance(message.content, str) and jsontext.parse(message.content) is not None


def _check_call(message: Message, path: str, log: Log) -> None:
    if is_call(message) or is_reply(message):
        if message.call_id is None:
            log.find(FindingCode.CALL_ID_MISSING, f"{path}/call_id", "a call and its reply must carry a call_id (§8.2)")
        if is_call(message) and message.end == "end":
            log.find(FindingCode.CALL_ENDING, f"{path}/end", "a call ends with <|call|> (§6)", Severity.LAYOUT)
        if message.channel == "analysis" and (message.recipient or "").startswith("functions."):
            log.find(FindingCode.CALL_CHANNEL, f"{path}/channel", "a function is called on commentary (§8.3)")
    elif message.end == "call":
        log.find(FindingCode.CALL_RECIPIENT, f"{path}/recipient", "a call without to= calls no tool (§6)")


def _check_channels(messages: list[Message], header: Header | None, log: Log) -> None:
    """E-PARSE-CHANNEL-MISSING (§14), where the header's profile requires channels (reading 18)."""
    profiles: Json = header.profiles if header is not None else None
    harmony = cast("dict[str, Json]", profiles).get("harmony") if isinstance(profiles, dict) else None
    if not isinstance(harmony, dict) or not cast("dict[str, Json]", harmony).get("require_channels"):
        return
    for index, message in enumerate(messages):
        if message.role == "assistant" and message.channel is None:
            log.find(
                FindingCode.CHANNEL_MISSING, f"/messages/{index}/channel", "the header's profile requires a channel"
            )
