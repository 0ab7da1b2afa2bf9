"""Read InternLM2-Chat: first each frame alone, then the relations between frames: which reply answers which call."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from dataclasses import replace as reframed
from functools import cache
from typing import Final, NamedTuple, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import Options, Source
from ocml_bridge.loss import Finding, FindingCode, Log, Severity
from ocml_bridge.model import Json, Message, Tools, Transcript, replace
from ocml_bridge.text.calls import is_embedded
from ocml_bridge.text.edges import is_trivia, remember
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import message, report_heading
from ocml_bridge.text.replies import Replies, report_unpaired
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import Skeleton, SplitDocument
from ocml_bridge.units.heads import Item, item_of, message_of
from ocml_bridge.units.pairing import with_name
from ocml_bridge.units.reader import UnitReader

from .body import read_body
from .frames import Place, Unit, around_of, default_frame, heading_of, majority
from .syntax import CONTROL, DIALECTS, FOREIGN, GRAMMAR, IM, MARKS, NOTES, PYTHON, ROLES, UNUSED
from .tools import declares, default_place, read_tools, with_tools

_NO_END: Final = f"the message has no {IM.end}"
_UNUSED: Final = "[UNUSED_TOKEN_"
"""What all tokens of one spelling begin with; a text without it has none of them."""
_PLUGIN: Final = f"{IM.plugin}\n"
_CODE: Final = f"{IM.interpreter}\n```python\n"
_CODE_END: Final = f"\n```{IM.action_end}"
_CALL: Final = re.compile(r'\{"name": "([^"\\]{0,200})", "parameters": (.+)\}', re.S)
_LONGEST: Final = 200
"""The longest header that gets a plan, in characters."""
_LONGEST_TOOLS: Final = 20_000
"""The longest tool declaration that is cached, in characters."""


def split(source: Source, options: Options) -> list[tuple[int, str]]:
    """Split a text into its conversations, each with its offset in characters."""
    assert isinstance(source, str)
    return GRAMMAR.split(source)


class Placed(NamedTuple):
    """A frame and its place in the text."""

    frame: Frame
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A message that declares the transcript's tools. It is shared between documents, and never changed.

    Attributes:
        message: the message.
        at: the number of messages before it.
        findings: what the reader noticed in it.
        remembered: whether it is cached, so that texts with the same declaration share this object.
    """

    message: Message
    at: int
    findings: Sequence[Finding]
    remembered: bool


_declarations: Final[Memo[Hashable, Declaration | None]] = Memo(2_000_000)
"""All fields of a frame → its declaration, or None if it declares nothing; the size is in characters."""


class Text(NamedTuple):
    """The parts of a text that are not messages.

    Attributes:
        dialect: the spelling that most start tokens have.
        mixed: whether other tokens have another spelling.
        tail: the text after the last frame.
        tools: the declaration of the tools, if there is one.
        opening: the frame of the open turn, if there is one.
        closed: whether the last frame has an end token; None if there is no frame.
    """

    dialect: str
    mixed: bool
    tail: str
    tools: Declaration | None
    opening: Placed | None
    closed: bool | None


class FramesReader(UnitReader):
    """Reads frames. A reply whose header names no tool gets its name in `relate`, from the call that it answers."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a text into frames; tokens may have either spelling, or both.

        Raises:
            BridgeError: OCB-NO-FRAMES if no message begins in it; OCB-SEVERAL if a second conversation does.
        """
        text = cast("str", source)
        frames, tail = GRAMMAR.frames(text)
        return without_open_turn(frames, tail, text, log)

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty or has a token."""
        return all(texts) and all(map(CONTROL.is_free, texts))

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens; the headers of frames belong to them."""
        return GRAMMAR.contents(text)

    def skeleton(self, unit: Placed, before: Placed | None) -> Skeleton | None:
        """Return the cache key and the contents of a frame; None if its spelling or a token in its body is unusual."""
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
        if IM.action_start in body:
            return _calls(dialect, header, body)
        if CONTROL.is_free(body):
            return None if heading_of(header)[:2] == ("system", "plugin") else ((dialect, header, None), [body])
        return None

    def with_values(self, unit: Placed, values: Sequence[str]) -> Placed:
        """Return a frame with the same key and other contents."""
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

    def read_unit(self, unit: Placed, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a frame."""
        messages = messages_of(unit.frame, index, None, log)
        report_header(unit.frame, f"/messages/{index}", log)
        report_end(unit.frame, f"/messages/{index + len(messages) - 1}", log)
        return with_layout(messages, unit, messages[0].name)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Name each reply after its tool, and build the transcript around the messages."""
        replies = _name_replies(items, split, log)
        return Conversation(items, surroundings(items, replies.waiting, split, log))


def _name_replies(items: list[Item], split: SplitDocument, log: Log) -> Replies:
    """Give each reply the name of its tool, in place; return the calls that have no reply yet."""
    replies, frame = Replies(), -1
    for at, item in enumerate(items):
        head = item[0]
        if not head.continues:
            frame += 1
        if head.calls:
            replies.call(head.recipient or "")
        elif head.role == "tool":
            waiting = replies.waiting
            if not replies.reply(head.name):
                report_unpaired(at, log)
            items[at] = _named_reply(item, waiting, split.units[frame])
        elif replies:
            replies.text(continues=head.continues)
    return replies


def _named_reply(item: Item, waiting: str | None, unit: Placed) -> Item:
    """Return a reply, given the recipient of the first call that has no reply yet."""
    head, content, call_id = item
    if (head.name is None and waiting == PYTHON) or head.name not in (None, PYTHON, waiting):
        reply = replace(message_of(item), name=head.name or waiting, layout=None, extras=None)
        return item_of(with_layout((reply,), unit, waiting)[0])
    return with_name(head, head.name or waiting), content, call_id


def without_open_turn(frames: Sequence[Frame], tail: str, text: str, log: Log) -> SplitDocument:
    """Separate the frames of messages from those of the tool declaration and of the open turn.

    Args:
        frames: all frames of the text.
        tail: the text after the last frame.
        text: the whole text.
        log: takes the findings of the tool declaration.

    Raises:
        BridgeError: OCB-NO-FRAMES if there is text, but no frame.
    """
    if not frames and tail.strip():
        detail = f"the input has neither {IM.start} nor {UNUSED.start}, so it is not InternLM2-Chat"
        raise BridgeError(ErrorCode.NO_FRAMES, detail, offset=0)
    has_unused = _UNUSED in text
    dialect = majority([frame.start for frame in frames]) if has_unused else "im"
    closed = [None, *[frame.end != "" for frame in frames]]
    places = _places(dialect)
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
    mixed = has_unused and FOREIGN[dialect].search(text) is not None
    document = Text(dialect, mixed, tail, tools, opening, closed[-1])
    is_shared = opening is None and (tools is None or tools.remembered)
    envelope = (dialect, mixed, tail, closed[-1], tools) if is_shared else None
    return SplitDocument(units, Transcript(), document=document, envelope=envelope)


@cache
def _places(dialect: str) -> dict[bool | None, Place]:
    """Return the places of frames other than the last one, by whether the frame before has an end token."""
    return {closed: Place(dialect, closed, last=False) for closed in (None, True, False)}


def _declared(units: Sequence[Placed]) -> Declaration | None:
    """Return the declaration of the tools, if one of the leading system messages is one."""
    for at, unit in enumerate(units):
        heading = heading_of(unit.frame.header)
        if heading.role != "system":
            return None
        if heading.declares_tools:
            declaration = _declaration(unit, at)
            if declaration is not None:
                return declaration
    return None


def _declaration(unit: Placed, at: int) -> Declaration | None:
    """Return the tool declaration in a frame, or None; `at` is the number of messages before it. Results are cached."""
    frame = unit.frame
    key = at, unit.place, frame.gap, frame.start, frame.header, frame.newline, frame.body, frame.end, frame.last
    if key in _declarations:
        return _declarations[key]
    log, declaration = Log(), None
    messages = messages_of(frame, at, None, log, leads=True)
    if declares(messages[0]):
        report_header(frame, "/tools", log)
        report_end(frame, "/tools", log)
        message = with_layout(messages, unit, None)[0]
        declaration = Declaration(message, at, tuple(log.findings), remembered=len(frame.body) <= _LONGEST_TOOLS)
    if len(frame.body) <= _LONGEST_TOOLS:
        _declarations.keep(key, declaration, len(frame.body) + _LONGEST)
    return declaration


def surroundings(items: Sequence[Item], waiting: str | None, split: SplitDocument, log: Log) -> Transcript:
    """Return the transcript without its messages: tools, open turn, and the layout of the text.

    Args:
        items: the messages.
        waiting: the recipient of the first call that has no reply.
        split: the text.
        log: takes the findings.
    """
    text = cast("Text", split.document)
    opening = text.opening
    if opening is not None:
        report_header(opening.frame, "/open_turn", log)
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
    """Return the open turn in a frame."""
    heading = heading_of(unit.frame.header)
    return with_layout((Message(heading.role, "", heading.speaker(waiting), end=None),), unit, waiting)[0]


def messages_of(frame: Frame, index: int, waiting: str | None, log: Log, *, leads: bool = False) -> Unit:
    """Read the messages of a frame.

    Args:
        frame: a frame that is not the open turn.
        index: the index of its first message in the document.
        waiting: the recipient of the first call that has no reply yet.
        log: takes the findings.
        leads: whether tools that it declares are the transcript's.
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


def report_header(frame: Frame, path: str, log: Log) -> None:
    """Report what is unusual in the header of a frame and before it."""
    heading = heading_of(frame.header)
    report_heading(heading.role, heading.rest, ROLES, path, log, title="InternLM2-Chat")
    if not is_trivia(frame.gap):
        code = FindingCode.STRAY_TOKEN if MARKS.plain.search(frame.gap) else FindingCode.TEXT_OUTSIDE
        log.find(
            code, path, "there is text before this message, outside of any message; it is kept beside the messages"
        )


def report_end(frame: Frame, path: str, log: Log) -> None:
    """Report a frame without an end token, at the path of its last message."""
    if not frame.end:
        code = FindingCode.TRUNCATED if frame.last else FindingCode.END_MISSING
        log.find(code, f"{path}/end", _NO_END)


def with_layout(messages: Unit, unit: Placed, waiting: str | None) -> Unit:
    """Return the messages of a frame; the first gets the layout of the frame if it is not the default one."""
    layout, extras = remember(unit.frame, default_frame(messages, waiting, unit.place))
    if not layout and not extras:
        return messages
    return (replace(messages[0], layout=NOTES.by_format(layout), extras=NOTES.by_format(extras)), *messages[1:])


def _calls(dialect: str, header: str, body: str) -> Skeleton | None:
    """Return the cache key and the values of a body of text and calls; None if a call is not spelled by default."""
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
        match = _CALL.fullmatch(call, len(_PLUGIN), len(call) - len(IM.action_end))
        if not (call.startswith(_PLUGIN) and call.endswith(IM.action_end) and match is not None):
            return None
        if not (CONTROL.is_free(match[1]) and CONTROL.is_free(match[2]) and is_embedded(match[2])):
            return None
        key.append((match[1],))
        values.append(match[2])
    return tuple(key), values
