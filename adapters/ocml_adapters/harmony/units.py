"""Harmony frames and their messages, for plans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.adapter import DEFAULT, Options
from ocml_bridge.boundary import several
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Tool, Tools, Transcript, replace
from ocml_bridge.text.control import BREAK
from ocml_bridge.text.typescript import declare
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import grouped, turn_behind
from ocml_bridge.units.heads import Head, Item, item_of, messages_of
from ocml_bridge.units.relations import in_turns

from .body import SECTION
from .fit import fitted, opened, texts
from .frames import Frame, Scan, pieces_of, scanned
from .header import LONG, is_header, regular
from .message import NOTHING, assemble, body_of, header_of, layout_of
from .reader import FrameReader, split
from .syntax import (
    CONTROL,
    DEVELOPER,
    ENDS,
    HOME,
    INSTRUCTIONS,
    MESSAGE,
    RETURN,
    START,
    STOPS,
    SYSTEM,
    TOOL,
)

Plain = tuple[str, str, str]
"""A frame with nothing around it and no token in it but its own: header, body, and the token that ends it.

The body is as it is meant: tokens in it are not broken any more.
"""


class Source(NamedTuple):
    """A document that frames were taken from.

    Attributes:
        value: the text, or the ids.
        reader: reads what is no plain frame; None where there is nothing else.
        rest: what stands behind the frames.
    """

    value: Any
    reader: FrameReader | None = None
    rest: Scan = Scan("", 0)


class FramesReader:
    """Reads frames."""

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames of a text; None for one that has none."""
        if not isinstance(source, str):
            return None
        units, behind = cut(source)
        if units and not behind:
            return Parted(units, NOTHING, document=Source(source))
        frames, rest = scanned(pieces_of(behind))
        if not units and not frames:
            return None
        before: Plain | None = ("", "", "")
        for frame in frames:
            # What stands outside of messages may belong to the message behind it.
            plain = plain_of(frame)
            units.append(frame if plain is None or before is None else plain)
            before = plain
        return Parted(units, NOTHING, document=Source(source, FrameReader(log, restore=True), rest))

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """A plain frame without its body; None for any other, and for one that declares tools."""
        if unit.__class__ is not tuple:
            return None
        header, body, stop = unit
        ended = before is not None and (before[2] if before.__class__ is tuple else before.stop) == RETURN
        headed = False
        if speaker(header) == DEVELOPER:
            if SECTION in body:
                return None
            headed = body.startswith(INSTRUCTIONS)
            body = body.removeprefix(INSTRUCTIONS)
        return (header, stop, not body, headed, ended), [body] if body else []

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A plain frame with another body."""
        header, body, stop = unit
        headed = speaker(header) == DEVELOPER and body.startswith(INSTRUCTIONS)
        return (header, "".join((INSTRUCTIONS if headed else "", *values)), stop)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a frame.

        Raises:
            BridgeError: OCB-SEVERAL where another conversation begins with it.
        """
        source = cast("Source", parted.document)
        reader = source.reader
        if reader is None or unit.__class__ is tuple:
            reader = FrameReader(log, restore=False)
        reader.resume(index, frame_of(parted.units[at - 1]) if at else None)
        count = len(reader.messages)
        try:
            reader.frame(frame_of(unit))
        except BridgeError as error:
            raise self.several(source.value) from error
        return reader.messages[count:]

    def several(self, value: Any) -> BridgeError:
        """The error of a document with a second conversation, which names its place."""
        return several(offset=split(value, DEFAULT)[1][0])

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation: turns are found, the tools of the first developer message are lifted out."""
        source = cast("Source", parted.document)
        around = NOTHING if source.reader is None else source.reader.around(source.rest)
        at = 0
        while at < len(items) and items[at][0].role == SYSTEM:
            at += 1
        if at < len(items) and items[at][1].__class__ is not str:
            # The message behind it would take them in, if it is a developer's, too.
            leading = assemble(messages_of(items[at : at + 2]), around)
            items[at : at + 2] = map(item_of, leading.messages)
            around = replace(leading, messages=())
        return Conversation(in_turns(items), around)


def cut(text: str) -> tuple[list[Any], str]:
    """The plain frames that a text begins with, and what stands behind them.

    In them is no token but those that open and end each, so these are the frames that `Scanner` finds.
    """
    pieces = _PLAIN.split(text)
    gaps, headers = pieces[::4], pieces[1::4]
    units: list[Any] = list(zip(headers, pieces[2::4], pieces[3::4], strict=True))
    if any(gaps) or None in map(speaker, headers):
        count = 0
        while count < len(units) and not gaps[count] and speaker(headers[count]) is not None:
            count += 1
        del units[count:]
        behind = text[sum(map(len, pieces[: 4 * count])) + count * len(START + MESSAGE) :]
    else:
        behind = ""
    if BREAK in text:
        units = [(header, CONTROL.restore(body), stop) for header, body, stop in units]
    return units, behind


_PLAIN: Final = re.compile(
    r"<\|start\|>([^<]*(?:<\|(?:channel|constrain)\|>[^<]*)*)"
    r"<\|message\|>([^<]*(?:<(?!\|)[^<]*)*)(<\|(?:end|call|return)\|>)"
)
"""A frame whose body holds nothing like a token."""


@lru_cache(maxsize=2048)
def speaker(header: str) -> str | None:
    """Whose message has this raw header; None for one that needs to be mended."""
    fields = regular(header) if len(header) < LONG and is_header(header) else None
    return None if fields is None else fields.role


def plain_of(frame: Frame) -> Plain | None:
    """A frame that was scanned, where it is a plain one."""
    if not frame.opened or frame.before or frame.body is None or frame.middle < 0 or "<|" in frame.body:
        return None
    if frame.stop not in STOPS or speaker(frame.header) is None:
        return None
    return frame.header, CONTROL.restore(frame.body), frame.stop


def frame_of(unit: Plain | Frame) -> Frame:
    """A unit as a scanned frame."""
    return unit if isinstance(unit, Frame) else Frame("", True, unit[0], 0, unit[1], unit[2], middle=0)


class Frames:
    """Writes frames. The state is the frame before as far as it says whether the next one continues it."""

    target = HOME
    home = HOME
    mark = "<"
    start: State = None
    groups = False
    keeps_ids = False
    guards_first = False

    def __init__(self, options: Options) -> None:
        self._options = options

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken."""
        return CONTROL.is_free(text)

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items, where each reply has a name, and tools are declared apart from all messages."""
        trains = around.open_turn is not None and self._options.training
        if trains or (around.layout is not None and HOME in around.layout):
            raise ByDocument
        for head, content, _ in items:
            if head.role == TOOL and not head.name:
                raise ByDocument
            if content.__class__ is not str and any(isinstance(part, Tools) for part in content):
                raise ByDocument
        return items

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The message with its content as a text; its frame shows what can be held of the rest."""
        return message if isinstance(message.content, str) else texts(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """A frame has one message."""
        return False

    def follows(self, head: Head) -> bool:
        """A developer's text may be read as tools."""
        return head.role != DEVELOPER

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame."""
        made = self.image(group[0], state, paths[0], log, last=last)
        body = body_of(made)
        keep = layout_of(made.layout).get("mentions", ())
        body = CONTROL.guard(body, self._options.control_tokens, f"{paths[0]}/content", log, keep)
        end = ENDS[made.end] if made.end is not None else ""
        text = f"{header_of(made, prompted=False)}{MESSAGE}{body}{end}"
        return Spelled(text, [made], state_behind(made))

    def image(self, message: Message, state: State, path: str, log: Log, *, last: bool) -> Message:
        """A message as its frame reads.

        Raises:
            ByDocument: where it ends the conversation, or declares tools.
        """
        made = fitted(message, path, self._options, log, last=last)
        if not isinstance(made.content, str) or (made.role == SYSTEM and state == _RETURNED):
            raise ByDocument
        return grouped(made, state)

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Behind the leading system messages, if there are tools.

        Raises:
            ByDocument: where a developer's message takes them in.
        """
        if around.tools is None:
            return -1
        at = 0
        while at < len(items) and items[at][0].role == SYSTEM:
            at += 1
        if at < len(items) and items[at][0].role == DEVELOPER:
            raise ByDocument
        return at

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The text of all frames, with the tools in a frame of their own, and the open turn."""
        image = Transcript(open_turn=self.opening(around, state))
        if around.tools is not None:
            section, image.tools = declared(around.tools)
            units.insert(at, f"{START}{DEVELOPER}{MESSAGE}{section}{ENDS['end']}")
        if image.open_turn is not None:
            units.append(header_of(image.open_turn, prompted=False))
        return Enclosed("".join(units), image)

    def opening(self, around: Transcript, state: State) -> Message | None:
        """The open turn behind the frames, as it reads back.

        Raises:
            ByDocument: where another conversation would begin with it.
        """
        turn = around.open_turn
        if turn is not None and turn.role == SYSTEM and state == _RETURNED:
            raise ByDocument
        return opened(turn, self._options, prompted=False)


def declared(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """The section that declares tools, and what it reads as.

    Raises:
        ByDocument: for tools that are declared otherwise than they are read.
    """
    if not tools or any(tool.extras is not None and HOME in tool.extras for tool in tools):
        raise ByDocument
    found = declare(tools)
    if found is None or not CONTROL.is_free(found[0]):
        raise ByDocument
    return found


_RETURNED: Final = "returned"


def state_behind(made: Message) -> State:
    """The state that a frame leaves."""
    return _RETURNED if made.end == "return" else turn_behind(made)
