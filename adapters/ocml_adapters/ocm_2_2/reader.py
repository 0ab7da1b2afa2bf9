"""OpenChatML 2.2 text → conversation: a message of each frame, and what stands around the frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import is_call, is_reply, is_thought
from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import cut_text, several
from ocml_bridge.formats.conformance import check_alone, check_heading, check_together, is_regular
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Header, Json, Message, Settings, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Parted, Skeleton, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.reader import UnitReader

from .around import front_of, read_front, with_tail, with_tools
from .document import REMEMBERED, values_of
from .frames import Frame, frames, lines
from .message import Fields, decode, encode, is_value, parse_header, render_header
from .syntax import ENDINGS, HOME, NOTES, START, TERMINATORS, VERSION_OF, ending, is_last_answer

_ID: Final = re.compile(r" call_id=([^\s<]+)")


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset.

    Raises:
        BridgeError: E-PARSE-HEADER where a header has no one meaning.
    """
    text = cast("str", source)
    found = frames(text, len(front_of(text)[0].text))
    return cut_text(text, [frame.begins for frame in found if not isinstance(frame, str) and frame.begins >= 0])


class Behind(NamedTuple):
    """What stands behind the frames that have a body.

    Attributes:
        opening: the frame of the open turn.
        tail: text.
        error: why there are no more frames.
    """

    opening: Frame | None = None
    tail: str = ""
    error: BridgeError | None = None


class FramesReader(UnitReader):
    """Reads frames."""

    def __init__(self, options: Options) -> None:
        self._fronts = Memo[str, Transcript](512)

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a text, and what stands before them.

        Raises:
            BridgeError: E-PARSE-HEADER where the document header has no one meaning; OCB-NO-FRAMES where there is
                neither a header nor a message.
        """
        text = cast("str", source)
        at = text.find(f"\n{START}") + 1
        around = self._fronts.get(text[:at]) if at <= REMEMBERED else None
        known = around is not None
        if around is None:
            at, around = self._read_front(text, log)
        found = lines(text, at)
        if found:
            return Parted(found, around, document=Behind(tail="\n"), envelope=text[:at] if known else None)
        found, behind = _scanned(text, at)
        return Parted(found, around, document=behind)

    def _read_front(self, text: str, log: Log) -> tuple[int, Transcript]:
        """Where frames begin, and what stands before them; settings that nothing else stands beside are remembered."""
        front, rest = front_of(text)
        noticed = len(log.findings)
        around = read_front(front, log, alone=not rest)
        plain = around.header is around.extras is around.layout is None and len(log.findings) == noticed
        if rest and plain and len(front.text) <= REMEMBERED and _is_value(around.settings):
            self._fronts.keep(front.text, around)
        return len(front.text), around

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A frame without its body and the id in its header; None where it holds tokens, or stands on no line alone."""
        header, body = unit.header, unit.body
        if unit.stray or "<|" in body or body[-1:] == "<" or len(header) > REMEMBERED:
            return None
        if unit.gap != "\n" and before is not None:
            return None
        found = _ID.search(header)
        if found is None:
            return (header, unit.end, not body), [body] if body else []
        key = (header[: found.start(1)], header[found.end(1) :], unit.end, not body)
        return key, [found[1], body] if body else [found[1]]

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """A frame that has a skeleton, with another body and id."""
        header, found = unit.header, _ID.search(unit.header)
        if found is not None:
            header = f"{header[: found.start(1)]}{values[0]}{header[found.end(1) :]}"
        return Frame(unit.gap, unit.offset, unit.begins, header, values[-1] if unit.body else "", unit.end)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The message of a frame.

        Raises:
            BridgeError: E-PARSE-HEADER where its header has no one meaning; OCB-SEVERAL where it is of another
                conversation.
        """
        return [with_whole_end(read_frame(unit, index, log), unit)]

    def is_related_alike(self, head: Head, content: str) -> bool:
        """Whether a message holds no section of tools, and nothing is to be found of what it says."""
        return developer.is_plain(head, content) and is_regular(head, content)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with its open turn, and with the tools out of the developer's message.

        Raises:
            BridgeError: as `read`, for the open turn, or where there are no more frames.
        """
        return related(items, parted.around, cast("Behind", parted.document), log)


def _scanned(text: str, at: int) -> tuple[list[Frame], Behind]:
    """The frames from an offset on that have a body, and what stands behind them."""
    found: list[Frame] = []
    try:
        for frame in frames(text, at):
            if isinstance(frame, str):
                return found, Behind(tail=frame)
            if frame.body is None:
                return found, Behind(opening=frame)
            found.append(frame)
    except BridgeError as error:
        # What stands before it may be worse.
        return found, Behind(error=error)
    return found, Behind()


def _is_value(settings: Settings | None) -> bool:
    """Whether nothing in settings can be changed: neither a schema nor a choice among tools."""
    try:
        hash(() if settings is None else values_of(settings))
    except TypeError:
        return False
    return True


# --- frames -----------------------------------------------------------------------------------------------------------


def read_frame(frame: Frame, index: int, log: Log) -> Message:
    """The message of a frame.

    Args:
        frame: one that has a body.
        index: of the message.
        log: takes what is noticed of it alone.

    Raises:
        BridgeError: E-PARSE-HEADER where its header has no one meaning; OCB-SEVERAL where it is of another
            conversation.
    """
    path = f"/messages/{index}"
    message, layout, extras = _read_header(frame, path, log, first=index == 0)
    body, marked = cast("str", frame.body), is_thought(message)
    message.content, message.end = decode(body, marked=marked), ending(frame.end)
    if encode(message.content, marked=marked) != body:
        layout["body"] = body
    _check(message, frame, path, log)
    check_alone(message, path, log)
    message.extras, message.layout = NOTES.by_format(extras), NOTES.by_format(layout)
    return message


def _read_opening(frame: Frame, log: Log, *, first: bool) -> Message:
    """The open turn."""
    message, layout, extras = _read_header(frame, "/open_turn", log, first=first)
    check_heading(message, "/open_turn", log)
    message.extras, message.layout = NOTES.by_format(extras), NOTES.by_format(layout)
    return message


def _read_header(frame: Frame, path: str, log: Log, *, first: bool) -> tuple[Message, dict[str, Json], dict[str, Json]]:
    """A message of which there is no more than its header; its layout, and its extras."""
    check_belongs(frame)
    fields = parse_header(frame.header, frame.offset)
    message = message_of_header(fields)
    layout: dict[str, Json] = {}
    extras: dict[str, Json] = {}
    if fields.unknown:
        extras["attributes"] = fields.unknown
        detail = f"§6 does not define the attributes {', '.join(fields.unknown)}; they are kept"
        log.find(FindingCode.HEADER_VALUE, path, detail)
    if fields.is_mended:
        channel = "on no channel" if message.channel is None else f"on {message.channel[:40]}"
        detail = f"the header {frame.header[:60]!r} is read as {channel}"
        log.find(FindingCode.HEADER_RECOVERED, f"{path}/channel", detail)
    for name, value in fields.values.items():
        if not is_value(value):
            detail = f"{value[:40]!r} has characters that no header can hold when it is written again"
            log.find(FindingCode.HEADER_VALUE, f"{path}/{name}", detail)
    for name in fields.empty:
        log.find(FindingCode.HEADER_VALUE, path, f"the attribute {name}= has no value", Severity.LAYOUT)
    if render_header(message, fields.unknown) != frame.header:
        layout["header"] = frame.header
    if message.call_id is None and (is_call(message) or is_reply(message)):
        layout["call_id"] = "absent"
    if frame.gap.strip():
        log.find(
            FindingCode.TEXT_OUTSIDE, f"{path}/extras/ocm-2.2/before", "there is text between messages; it is kept"
        )
        extras["before"] = frame.gap
    elif not first and frame.gap != "\n":
        layout["gap"] = frame.gap
    return message, layout, extras


def check_belongs(frame: Frame) -> None:
    """See that a frame belongs to the conversation of those before it.

    Raises:
        BridgeError: OCB-SEVERAL with the offset where another one begins.
    """
    if frame.begins >= 0:
        raise several(offset=frame.begins)


def message_of_header(fields: Fields) -> Message:
    """A message of which there is no more than its header."""
    return Message(content="", end=None, **cast("dict[str, str]", fields.values))  # type: ignore[arg-type]


def _check(message: Message, frame: Frame, path: str, log: Log) -> None:
    """What only a frame can get wrong (§3, §6, §9), as findings."""
    for token in frame.stray:
        log.find(
            FindingCode.STRAY_TOKEN, f"{path}/content", f"{token} in a body should be escaped (§3); it is read as text"
        )
    if message.end is None:
        log.find(FindingCode.TRUNCATED, f"{path}/end", "the text ends before the message ends")
    if message.end == "end" and is_call(message):
        log.find(FindingCode.CALL_ENDING, f"{path}/end", "a call must end with <|call|> (§6)", Severity.LAYOUT)
    if message.end == "call" and not (is_call(message) or is_reply(message)):
        log.find(
            FindingCode.CALL_SCHEMA,
            f"{path}/recipient",
            "a message that ends with <|call|> must name its tool with to= (§6)",
        )


def with_whole_end(message: Message, frame: Frame) -> Message:
    """A message, with its terminator kept where that is two tokens."""
    return _with_end(message, frame.end) if frame.end and frame.end not in ENDINGS else message


def _with_end(message: Message, terminator: str) -> Message:
    return replace(message, layout={HOME: {**NOTES.of(message.layout), "end": terminator}})


# --- the whole --------------------------------------------------------------------------------------------------------


def related(items: list[Item], around: Transcript, behind: Behind, log: Log) -> Conversation:
    """The conversation, with its open turn, and with the tools out of the developer's message.

    Args:
        items: of each frame that has a body; the list may be changed.
        around: what stands before the frames.
        behind: what stands behind them.
        log: takes what is noticed of the whole.

    Raises:
        BridgeError: as `read_frame`, for the open turn, or where there are no more frames.
    """
    if behind.error is not None:
        raise behind.error
    turn = None if behind.opening is None else _read_opening(behind.opening, log, first=not items)
    check_together(items, log)
    _check_names_of_callers(items, turn, around.header, log)
    if not items and turn is None:
        return Conversation(items, around)
    if turn is not None:
        around = replace(around, open_turn=turn)
    elif items[-1][0].end is not None:
        if behind.tail.strip():
            log.find(
                FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/tail", "there is text after the last message; it is kept"
            )
        around = with_tail(around, behind.tail)
        items[-1] = _with_plain_end(items[-1])
    return with_tools(items, around)


def _with_plain_end(item: Item) -> Item:
    """The last message: an answer that does not end with `<|return|>`, as we would end it, says so (reading 16)."""
    if item[0].role != "assistant" or not is_last_answer(message := message_of(item)):
        return item
    return item_of(_with_end(message, TERMINATORS["end"]))


def _check_names_of_callers(items: Sequence[Item], turn: Message | None, header: Header | None, log: Log) -> None:
    """What the document header asks of each message, as findings."""
    if header is None:
        return
    messages = [(message_of(item), f"/messages/{index}") for index, item in enumerate(items)]
    turns = [] if turn is None else [(turn, "/open_turn")]
    if _is_legacy(header):
        for message, path in (*messages, *turns):
            if message.channel is not None or message.role == "developer":
                place = f"{path}/role" if message.channel is None else f"{path}/channel"
                log.find(
                    FindingCode.VERSION,
                    place,
                    "the header's version 1.x has neither channels nor a developer role (§13)",
                )
    if _requires_channels(header):
        for message, path in messages:
            if message.channel is None and message.role == "assistant":
                detail = "the header's profile requires a channel (§12.2)"
                log.find(FindingCode.CHANNEL_MISSING, f"{path}/channel", detail)


def _is_legacy(header: Header) -> bool:
    """Whether the header says that the transcript is of version 1.x."""
    version = VERSION_OF.fullmatch(header.version or "")
    return version is not None and version[1] == "1"


def _requires_channels(header: Header) -> bool:
    """Whether the header's Harmony profile is in force, which requires channels (§12.2, reading 18)."""
    profiles: Json = header.profiles
    harmony: Json = cast("dict[str, Json]", profiles).get("harmony") if isinstance(profiles, dict) else None
    if not isinstance(harmony, dict):
        return False
    profile = cast("dict[str, Json]", harmony)
    return profile.get("enabled", bool(profile.get("require_channels"))) is True
