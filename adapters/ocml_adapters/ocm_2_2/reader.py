"""Read OpenChatML 2.2 text as a conversation: a message for each frame, and the text around the frames."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.turns import is_call, is_reply, is_thought
from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.formats.boundary import cut_text, require_one_conversation
from ocml_bridge.formats.conformance import check_alone, check_heading, check_together, is_regular
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Header, Json, Message, Settings, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.text.start_frames import ANY_TOKEN
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.reader import UnitReader

from .around import front_of, read_front, with_tail, with_tools
from .body import decode, encode
from .document import REMEMBERED, values_of
from .frames import Frame, frames, lines
from .header import Fields, is_value, parse_header, render_header
from .syntax import ENDINGS, NOTES, START, TERMINATORS, VERSION_OF, ending, is_last_answer

_ID: Final = re.compile(r" call_id=([^\s<]+)")


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """Split a text into its conversations, each with its offset.

    Raises:
        BridgeError: E-PARSE-HEADER if a header is malformed.
    """
    text = cast("str", source)
    parts = frames(text, len(front_of(text)[0].text))
    return cut_text(text, [frame.begins for frame in parts if not isinstance(frame, str) and frame.begins >= 0])


class Rest(NamedTuple):
    """The rest of a text after the frames with a body.

    Attributes:
        opening: the frame of the open turn, which has a header only.
        tail: the text after the last frame.
        error: the error at which reading stopped.
    """

    opening: Frame | None = None
    tail: str = ""
    error: BridgeError | None = None


class FramesReader(UnitReader):
    """The unit reader; a unit is a frame."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._fronts = Memo[str, Transcript](512)

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a text into its frames and the text around them.

        Raises:
            BridgeError: E-PARSE-HEADER if the document header is malformed; OCB-NO-FRAMES if there is neither a header
                nor a message.
        """
        text = cast("str", source)
        at = text.find(f"\n{START}") + 1
        around = self._fronts.get(text[:at]) if at <= REMEMBERED else None
        is_cached = around is not None
        if around is None:
            at, around = self._read_front(text, log)
        units = lines(text, at)
        if units:
            return SplitDocument(units, around, document=Rest(tail="\n"), envelope=text[:at] if is_cached else None)
        units, rest = _scan(text, at)
        return SplitDocument(units, around, document=rest)

    def _read_front(self, text: str, log: Log) -> tuple[int, Transcript]:
        """Return the offset of the first frame, and the transcript before it; headers with settings only are cached."""
        front, rest = front_of(text)
        count = len(log.findings)
        around = read_front(front, log, alone=not rest)
        plain = around.header is around.extras is around.layout is None and len(log.findings) == count
        if rest and plain and len(front.text) <= REMEMBERED and _is_value(around.settings):
            self._fronts.keep(front.text, around)
        return len(front.text), around

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty, has a token, or ends with the beginning of one."""
        joined = "".join(texts)
        return all(texts) and ("<" not in joined or not any("<|" in text or text[-1] == "<" for text in texts))

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens."""
        return ANY_TOKEN.split(text)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return a frame without its body and call id; None if its body has tokens, or if it is not on its own line."""
        header, body = unit.header, unit.body
        if len(header) > REMEMBERED or not (unit.plain or _is_plain(unit)):
            return None
        if unit.gap != "\n" and before is not None:
            return None
        match = _ID.search(header) if "=" in header else None
        if match is None:
            return (header, unit.end, not body), [body] if body else []
        key = (header[: match.start(1)], header[match.end(1) :], unit.end, not body)
        return key, [match[1], body] if body else [match[1]]

    def with_values(self, unit: Any, values: Sequence[str]) -> Unit:
        """Return a frame that has a skeleton, with another body and id."""
        header, match = unit.header, _ID.search(unit.header)
        if match is not None:
            header = f"{header[: match.start(1)]}{values[0]}{header[match.end(1) :]}"
        return Frame(unit.gap, unit.offset, unit.begins, header, values[-1] if unit.body else "", unit.end)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the message of a frame.

        Raises:
            BridgeError: E-PARSE-HEADER if its header is malformed; OCB-SEVERAL if another conversation begins with it.
        """
        return [with_whole_end(read_frame(unit, index, log), unit)]

    def relates_by_head(self, head: Head, content: str) -> bool:
        """Return whether a message certainly has no section of tools, and no findings that depend on its content."""
        return developer.is_plain(head, content) and is_regular(head, content)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation, with its open turn, and with the tools taken out of the developer message.

        Raises:
            BridgeError: as `read`, for the open turn, or for the frame at which reading stopped.
        """
        return related(items, split.around, cast("Rest", split.document), log)


def _is_plain(frame: Frame) -> bool:
    """Return whether the body of a frame has no token, and does not end with the beginning of one."""
    body = frame.body or ""
    return not frame.stray and "<|" not in body and not body.endswith("<")


def _scan(text: str, at: int) -> tuple[list[Frame], Rest]:
    """Return the frames with a body from an offset on, and the rest of the text."""
    complete: list[Frame] = []
    try:
        for frame in frames(text, at):
            if isinstance(frame, str):
                return complete, Rest(tail=frame)
            if frame.body is None:
                return complete, Rest(opening=frame)
            complete.append(frame)
    except BridgeError as error:
        # It is raised later, because an earlier frame may have an error of its own.
        return complete, Rest(error=error)
    return complete, Rest()


def _is_value(settings: Settings | None) -> bool:
    """Return whether settings are hashable: they contain neither a schema nor a choice among tools."""
    try:
        hash(() if settings is None else values_of(settings))
    except TypeError:
        return False
    return True


# --- frames -----------------------------------------------------------------------------------------------------------


def read_frame(frame: Frame, index: int, log: Log) -> Message:
    """Return the message of a frame.

    Args:
        frame: a frame with a body.
        index: the index of the message.
        log: receives the findings about this message alone.

    Raises:
        BridgeError: E-PARSE-HEADER if its header is malformed; OCB-SEVERAL if another conversation begins with it.
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
    """Read the open turn."""
    message, layout, extras = _read_header(frame, "/open_turn", log, first=first)
    check_heading(message, "/open_turn", log)
    message.extras, message.layout = NOTES.by_format(extras), NOTES.by_format(layout)
    return message


def _read_header(frame: Frame, path: str, log: Log, *, first: bool) -> tuple[Message, dict[str, Json], dict[str, Json]]:
    """Return a message with the fields of its header only, its layout, and its extras."""
    require_one_conversation(frame.begins)
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


def message_of_header(fields: Fields) -> Message:
    """Return a message with the fields of its header only."""
    return Message(content="", end=None, **cast("dict[str, str]", fields.values))  # type: ignore[arg-type]


def _check(message: Message, frame: Frame, path: str, log: Log) -> None:
    """Report errors of the frame itself (§3, §6, §9)."""
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
    """Return a message, with the terminator in its layout if it has two tokens."""
    return _with_end(message, frame.end) if frame.end and frame.end not in ENDINGS else message


def _with_end(message: Message, terminator: str) -> Message:
    return replace(message, layout=NOTES.adding(message.layout, {"end": terminator}))


# --- the whole --------------------------------------------------------------------------------------------------------


def related(items: list[Item], around: Transcript, rest: Rest, log: Log) -> Conversation:
    """Return the conversation, with its open turn, and with the tools taken out of the developer message.

    Args:
        items: the items of all frames with a body; the list may be changed.
        around: the transcript before the frames.
        rest: the rest of the text after them.
        log: receives the findings about the whole conversation.

    Raises:
        BridgeError: as `read_frame`, for the open turn, or for the frame at which reading stopped.
    """
    if rest.error is not None:
        raise rest.error
    turn = None if rest.opening is None else _read_opening(rest.opening, log, first=not items)
    check_together(items, log)
    _report_by_header(items, turn, around.header, log)
    if not items and turn is None:
        return Conversation(items, around)
    if turn is not None:
        around = replace(around, open_turn=turn)
    elif items[-1][0].end is not None:
        if rest.tail.strip():
            log.find(
                FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/tail", "there is text after the last message; it is kept"
            )
        around = with_tail(around, rest.tail)
        items[-1] = _with_plain_end(items[-1])
    return with_tools(items, around)


def _with_plain_end(item: Item) -> Item:
    """Return the last message; an answer without `<|return|>` stores its terminator in the layout (reading 16)."""
    if item[0].role != "assistant" or not is_last_answer(message := message_of(item)):
        return item
    return item_of(_with_end(message, TERMINATORS["end"]))


def _report_by_header(items: Sequence[Item], turn: Message | None, header: Header | None, log: Log) -> None:
    """Report messages that the document header does not allow."""
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
    """Return whether the header has a version 1.x."""
    version = VERSION_OF.fullmatch(header.version or "")
    return version is not None and version[1] == "1"


def _requires_channels(header: Header) -> bool:
    """Return whether the header enables the Harmony profile, which requires channels (§12.2, reading 18)."""
    profiles: Json = header.profiles
    harmony: Json = cast("dict[str, Json]", profiles).get("harmony") if isinstance(profiles, dict) else None
    if not isinstance(harmony, dict):
        return False
    profile = cast("dict[str, Json]", harmony)
    return profile.get("enabled", bool(profile.get("require_channels"))) is True
