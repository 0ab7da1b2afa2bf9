"""InternLM2-Chat → document: each frame is read for itself, and then whose reply answers which call is found."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace as reframed
from typing import Final, NamedTuple, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.loss import Finding, FindingCode, Log, Severity
from ocml_bridge.model import Json, Message, Tools, Transcript, replace
from ocml_bridge.text.edges import is_trivia, remember
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import message
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Parted, Skeleton
from ocml_bridge.units.heads import Item, item_of, message_of
from ocml_bridge.units.reader import UnitReader

from .body import read_body
from .calls import Replies, is_embedded, named
from .frames import Place, Unit, around_of, default_frame, heading_of, majority
from .syntax import CONTROL, DIALECTS, FOREIGN, GRAMMAR, IM, MARKS, NOTES, PYTHON, ROLES, UNUSED
from .tools import declares, default_place, read_tools, with_tools

_NO_END: Final = f"the message has no {IM.end}"
_PLUGIN: Final = f"{IM.plugin}\n"
_CODE: Final = f"{IM.interpreter}\n```python\n"
_CODE_END: Final = f"\n```{IM.action_end}"
_CALL: Final = re.compile(r'\{"name": "([^"\\]{0,200})", "parameters": (.+)\}', re.S)
_LONGEST: Final = 200
"""The longest header that plans are made for, in characters."""
_LONGEST_TOOLS: Final = 20_000
"""The longest declared tools that are remembered, in characters."""


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """The conversations of a text, each with its offset."""
    assert isinstance(source, str)
    return GRAMMAR.split(source)


class Placed(NamedTuple):
    """A frame, and where it stands."""

    frame: Frame
    place: Place


class Declaration:
    """A message that declares the transcript's tools. Nobody changes it.

    Args:
        message: it.
        at: how many messages stand before it.
        findings: what is noticed of it.
        remembered: whether texts that declare the same have this very object.

    Attributes:
        message: as given.
        at: as given.
        findings: as given.
        remembered: as given.
    """

    __slots__ = ("at", "findings", "message", "remembered")

    def __init__(self, message: Message, at: int, findings: Sequence[Finding], *, remembered: bool) -> None:
        self.message: Final = message
        self.at: Final = at
        self.findings: Final = findings
        self.remembered: Final = remembered


_declarations: Final[Memo[Hashable, Declaration | None]] = Memo(2_000_000)
"""Those that were met, by all of their frames; together they have as many characters."""


class Text(NamedTuple):
    """What of a text is no message.

    Attributes:
        dialect: how most tokens are spelled.
        mixed: whether some are spelled otherwise.
        tail: what stands behind the last frame.
        tools: what declares the tools; None where nothing does.
        opening: the open turn.
        closed: whether the last frame was closed; None where there is none.
    """

    dialect: str
    mixed: bool
    tail: str
    tools: Declaration | None
    opening: Placed | None
    closed: bool | None


class FramesReader(UnitReader):
    """Reads frames. A reply whose header names no tool has no name before it is related to the calls."""

    looks_at_contents = False

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a text, in either spelling or both.

        Raises:
            BridgeError: OCB-NO-FRAMES where no message begins; OCB-SEVERAL where another conversation begins.
        """
        text = cast("str", source)
        frames, tail = GRAMMAR.frames(text)
        return without_open_turn(frames, tail, text, log)

    def skeleton(self, unit: Placed, before: Placed | None) -> Skeleton | None:
        """A frame without contents; None where an edge of it is odd, or a token stands in the body but for calls."""
        frame, (dialect, closed, *_) = unit
        spelling, body, header = DIALECTS[dialect].tokens, frame.body, frame.header
        if (
            frame.gap != ("\n" if closed else "")
            or frame.end != spelling.end
            or frame.start != spelling.start
            or not frame.newline
            or len(header) > _LONGEST
        ):
            return None
        if not body:
            return (dialect, header), []
        if CONTROL.is_free(body):
            return None if heading_of(header)[:2] == ("system", "plugin") else ((dialect, header, None), [body])
        return _calls(dialect, header, body)

    def filled(self, unit: Placed, values: Sequence[str]) -> Placed:
        """A frame with other contents."""
        frame = unit.frame
        if IM.action_start not in frame.body:
            return unit._replace(frame=reframed(frame, body="".join(values)))
        text, *calls = frame.body.split(IM.action_start)
        following = iter(values)
        body = [next(following) if text else ""]
        for call in calls:
            if call.startswith(_CODE):
                body.append(f"{_CODE}{next(following)}{_CODE_END}")
            else:
                name = cast("re.Match[str]", _CALL.match(call, len(_PLUGIN)))[1]
                json = f'{{"{next(following)}": 0}}'
                body.append(f'{_PLUGIN}{{"name": "{name}", "parameters": {json}}}{IM.action_end}')
        return unit._replace(frame=reframed(frame, body=IM.action_start.join(body)))

    def read(self, unit: Placed, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a frame."""
        messages = messages_of(unit.frame, index, None, log)
        remark(unit.frame, f"/messages/{index}", log)
        remark_end(unit.frame, f"/messages/{index + len(messages) - 1}", log)
        return remembering(messages, unit, messages[0].name)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The items with the names of the tools that replies are from, and what stands around them."""
        replies = _name_replies(items, parted, log)
        return Conversation(items, surroundings(items, replies.waiting, parted, log))


def _name_replies(items: list[Item], parted: Parted, log: Log) -> Replies:
    """Give each reply the name of its tool; the calls that still wait."""
    replies, frame = Replies(), -1
    for at, item in enumerate(items):
        head = item[0]
        if not head.continues:
            frame += 1
        if head.calls:
            replies.call(head.recipient)
        elif head.role == "tool":
            waiting = replies.waiting
            if not replies.reply(head.name):
                remark_unpaired(at, log)
            items[at] = _answering(item, waiting, parted.units[frame])
        elif replies.in_calls:
            replies.text(continues=head.continues)
    return replies


def _answering(item: Item, waiting: str | None, unit: Placed) -> Item:
    """A reply while the call to a recipient is the first that is waiting."""
    head, content, call_id = item
    if (head.name is None and waiting == PYTHON) or head.name not in (None, PYTHON, waiting):
        reply = replace(message_of(item), name=head.name or waiting, layout=None, extras=None)
        return item_of(remembering((reply,), unit, waiting)[0])
    return named(head, head.name or waiting), content, call_id


def without_open_turn(frames: Sequence[Frame], tail: str, text: str, log: Log) -> Parted:
    """A text as its frames, but for that of its tools and the open turn.

    Args:
        frames: all of them.
        tail: what stands behind them.
        text: the whole.
        log: takes what is noticed of the tools.

    Raises:
        BridgeError: OCB-NO-FRAMES where there is no frame, but text.
    """
    if not frames and tail.strip():
        detail = f"the input has neither {IM.start} nor {UNUSED.start}, so it is not InternLM2-Chat"
        raise BridgeError(ErrorCode.NO_FRAMES, detail, offset=0)
    dialect = majority([frame.start for frame in frames]) if UNUSED.start in text else "im"
    closed = [None, *[frame.end != "" for frame in frames]]
    places = {before: Place(dialect, before, last=False) for before in (None, True, False)}
    units = [Placed(frame, places[before]) for frame, before in zip(frames, closed, strict=False)]
    if frames:
        last = frames[-1]
        opens = last.last and last.body == ""
        units[-1] = Placed(last, Place(dialect, closed[-2], last=True, opening=opens))
    opening = units.pop() if units and units[-1].place.opening else None
    tools = _declared(units)
    if tools is not None:
        log.findings += tools.findings
        del units[tools.at]
    mixed = FOREIGN[dialect].search(text) is not None
    document = Text(dialect, mixed, tail, tools, opening, closed[-1])
    is_shared = opening is None and (tools is None or tools.remembered)
    envelope = (dialect, mixed, tail, closed[-1], tools) if is_shared else None
    return Parted(units, Transcript(), document=document, envelope=envelope)


def _declared(units: Sequence[Placed]) -> Declaration | None:
    """The message that declares the tools; None where none of the first does."""
    for at, unit in enumerate(units):
        heading = heading_of(unit.frame.header)
        if heading.role != "system":
            return None
        if heading.declares_tools:
            found = _declaration(unit, at)
            if found is not None:
                return found
    return None


def _declaration(unit: Placed, at: int) -> Declaration | None:
    """The declared tools that a frame holds, with so many messages before it; those met before are remembered."""
    frame = unit.frame
    key = at, unit.place, frame.gap, frame.start, frame.header, frame.newline, frame.body, frame.end, frame.last
    if key in _declarations:
        return _declarations[key]
    log, found = Log(), None
    messages = messages_of(frame, at, None, log, leads=True)
    if declares(messages[0]):
        remark(frame, "/tools", log)
        remark_end(frame, "/tools", log)
        message = remembering(messages, unit, None)[0]
        found = Declaration(message, at, tuple(log.findings), remembered=len(frame.body) <= _LONGEST_TOOLS)
    if len(frame.body) <= _LONGEST_TOOLS:
        _declarations.keep(key, found, len(frame.body) + _LONGEST)
    return found


def surroundings(items: Sequence[Item], waiting: str | None, parted: Parted, log: Log) -> Transcript:
    """What stands around the messages.

    Args:
        items: the messages.
        waiting: the recipient of the first call that is still waiting for its reply.
        parted: the text.
        log: takes what is noticed of it.
    """
    text = cast("Text", parted.document)
    opening = text.opening
    if opening is not None:
        remark(opening.frame, "/open_turn", log)
    if text.mixed:
        log.find(
            FindingCode.MIXED_SPELLING,
            "",
            f"the tokens are written in two ways: {IM.start} and {UNUSED.start}",
            Severity.LAYOUT,
        )
    if not is_trivia(text.tail):
        log.find(FindingCode.TEXT_OUTSIDE, "", "there is text after the last message; it is kept beside the messages")
    turn = None if opening is None else open_turn(opening, waiting)
    around = around_of(text.dialect, text.tail, text.closed, turn)
    return around if text.tools is None else with_tools(around, text.tools.message, text.tools.at, default_place(items))


def open_turn(unit: Placed, waiting: str | None) -> Message:
    """The open turn that a frame is."""
    heading = heading_of(unit.frame.header)
    return remembering((Message(heading.role, "", heading.speaker(waiting), end=None),), unit, waiting)[0]


def messages_of(frame: Frame, index: int, waiting: str | None, log: Log, *, leads: bool = False) -> Unit:
    """The messages of a frame.

    Args:
        frame: one that is no open turn.
        index: of its first message.
        waiting: the recipient of the first call that is waiting for its reply.
        log: takes what had to be mended.
        leads: whether tools in it are the transcript's.
    """
    heading = heading_of(frame.header)

    def note(code: FindingCode, at: int, detail: str) -> None:
        log.find(code, f"/messages/{index + at}", detail)

    if heading.role == "assistant":
        return read_body(frame.body, heading.name, closed=frame.end != "", note=note)
    content = CONTROL.restore(frame.body)
    if heading.declares_tools:
        declared = read_tools(content)
        if declared is not None:
            if declared.repaired:
                path = "/tools" if leads else f"/messages/{index}"
                log.find(FindingCode.JSON_REPAIRED, path, "the JSON of the tool declarations is repaired")
            return (Message("system", (Tools(declared.tools),)),)
        note(FindingCode.JSON_OPAQUE, 0, "the tool declarations are not a list; they are kept as text")
    stray = MARKS.plain.search(frame.body)
    if stray is not None:
        note(FindingCode.STRAY_TOKEN, 0, f"{stray[0]} inside a message is read as text")
    return (message(heading.role, content, heading.speaker(waiting), "end" if frame.end else None),)


def remark(frame: Frame, path: str, log: Log) -> None:
    """Note what is odd about a frame, but for its body and its end."""
    heading = heading_of(frame.header)
    if heading.role not in ROLES:
        detail = f"{heading.role!r} is not a role of InternLM2-Chat"
        log.find(FindingCode.UNKNOWN_ROLE, f"{path}/role", detail, Severity.LAYOUT)
    if heading.rest:
        detail = f"{' '.join(heading.rest)!r} in the header is not understood; it is kept as it is"
        log.find(FindingCode.HEADER_VALUE, f"{path}/name", detail)
    if not is_trivia(frame.gap):
        code = FindingCode.STRAY_TOKEN if MARKS.plain.search(frame.gap) else FindingCode.TEXT_OUTSIDE
        log.find(
            code, path, "there is text before this message, outside of any message; it is kept beside the messages"
        )


def remark_end(frame: Frame, path: str, log: Log) -> None:
    """Note that a frame has no end; the path is that of the last message in it."""
    if not frame.end:
        code = FindingCode.TRUNCATED if frame.last else FindingCode.END_MISSING
        log.find(code, f"{path}/end", _NO_END)


def remark_unpaired(index: int, log: Log) -> None:
    """Note that a reply answers no call."""
    path = f"/messages/{index}/name"
    log.find(FindingCode.REPLY_UNPAIRED, path, "no call fits this reply; the reply is kept without one")


def remembering(messages: Unit, unit: Placed, waiting: str | None) -> Unit:
    """The messages of a frame, the first with what it remembers of that; `waiting` as for `frames.framed`."""
    layout, extras = remember(unit.frame, default_frame(messages, waiting, unit.place))
    if not layout and not extras:
        return messages
    return (replace(messages[0], layout=NOTES.by_format(layout), extras=NOTES.by_format(extras)), *messages[1:])


def _calls(dialect: str, header: str, body: str) -> Skeleton | None:
    """A body of text and calls; None where a call is written otherwise than by default."""
    text, *calls = body.split(IM.action_start)
    if heading_of(header).role != "assistant" or not calls or text.isspace() or not CONTROL.is_free(text):
        return None
    key: list[Hashable] = [dialect, header, bool(text)]
    values = [text] if text else []
    for call in calls:
        if call.startswith(_CODE) and call.endswith(_CODE_END):
            code = call[len(_CODE) : -len(_CODE_END)]
            if not code or "```" in code or not CONTROL.is_free(code):
                return None
            key.append(PYTHON)
            values.append(code)
            continue
        found = _CALL.fullmatch(call, len(_PLUGIN), len(call) - len(IM.action_end))
        if not (call.startswith(_PLUGIN) and call.endswith(IM.action_end) and found is not None):
            return None
        if not (CONTROL.is_free(found[1]) and CONTROL.is_free(found[2]) and is_embedded(found[2])):
            return None
        key.append((found[1],))
        values.append(found[2])
    return tuple(key), values
