"""Frames of Harmony's text and their messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import DEFAULT
from ocml_bridge.formats.boundary import several
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.control import BREAK, stands_alone
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ANY_CONTENT, ContentClass, Enclosed, Parted, Skeleton, Spelled, State, Unit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import TOOLS_PATH, Prepared, UnitWriter

from .declared import NOTHING, names_in, says_otherwise
from .frames import Frame, Scan, pieces_of, scanned
from .header import LONG, is_header, regular
from .message import header_of, lifted, remembered
from .nearest import framed, nearest, opened
from .prepare import DECLARATION, PROMPTED, prepared, with_tools
from .reader import FrameReader, split
from .syntax import CONTROL, DEVELOPER, ENDS, HOME, INSTRUCTIONS, MESSAGE, NOTES, RETURN, START, STOPS
from .tools import SECTION

# --- reading ----------------------------------------------------------------------------------------------------------

Plain = tuple[str, str, str]
"""A frame with nothing around it and no token in it but its own: header, body, and the token that ends it.

The body is as it is meant: tokens in it are not broken any more.
"""


class Misnamed(NamedTuple):
    """A plain frame whose header means something else than it says.

    Attributes:
        names: the recipients of the tools that are declared before it.
    """

    header: str
    body: str
    stop: str
    names: frozenset[str]


_NOTHING: Final = Transcript()
_LONGEST: Final = 20_000
"""The longest section of tools that plans are made for, in characters."""


class Around(NamedTuple):
    """What there is of a source beside its plain frames.

    Attributes:
        source: the text, or the ids.
        reader: reads what is no plain frame; None where there is nothing else.
        rest: what stands behind the frames; None where that is a unit, too.
    """

    source: Any
    reader: FrameReader | None = None
    rest: Scan | None = None


class FramesReader(UnitReader):
    """Reads frames. A text without any is a unit, too."""

    looks_at_contents = False

    def part(self, source: str | Json, log: Log) -> Parted:
        """The frames of a text. Any text can be read, whole or as an answer begins behind the generation prompt.

        Raises:
            BridgeError: OCB-SHAPE for what is not text.
        """
        if not isinstance(source, str):
            raise BridgeError(ErrorCode.SHAPE, "the format harmony is text; read token ids as harmony-tokens")
        units, behind = cut(source)
        if units and not behind:
            return Parted(informed(units), _NOTHING, document=Around(source), envelope=())
        frames, rest = scanned(pieces_of(behind))
        before: Plain | None = ("", "", "")
        for frame in frames:
            # What stands outside of messages may belong to the message behind it.
            plain = plain_of(frame)
            units.append(frame if plain is None or before is None else plain)
            before = plain
        return as_units(units, Around(source, FrameReader(log, restore=True), rest))

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """A plain frame without what it says; the tools that it declares are no part of that. None for any other."""
        if unit.__class__ is not tuple:
            return None
        header, body, stop = unit
        ended = before is not None and (before[2] if before.__class__ is tuple else before.stop) == RETURN
        before_body, section = "", ""
        if speaker(header) == DEVELOPER:
            before_body, body, section = sections_of(body)
            if len(section) > _LONGEST:
                return None
        return (header, stop, not body, before_body, section, ended), [body] if body else []

    def filled(self, unit: Unit, values: Sequence[str]) -> Unit:
        """A plain frame with another body."""
        header, body, stop = unit
        before_body, _, section = sections_of(body) if speaker(header) == DEVELOPER else ("", body, "")
        return (header, "".join((before_body, *values, section)), stop)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a frame.

        Raises:
            BridgeError: OCB-SEVERAL where another conversation begins with it.
        """
        around = cast("Around", parted.document)
        reader = around.reader
        if reader is None or not isinstance(unit, (Frame, str)):
            reader = FrameReader(log, restore=False)
        if isinstance(unit, str):
            return reader.frameless(unit)
        reader.resume(index, frame_of(parted.units[at - 1]) if at else None)
        count = len(reader.messages)
        try:
            reader.frame(frame_of(unit))
        except BridgeError as error:
            raise self.several(around.source) from error
        return reader.messages[count:]

    def several(self, source: Any) -> BridgeError:
        """The error of a document with a second conversation, which names its place."""
        return several(offset=split(source, DEFAULT)[1][0])

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation: turns are found, the tools of the first developer message are lifted out."""
        reader, rest = cast("Around", parted.document)[1:]
        around = _NOTHING if reader is None or rest is None else reader.around(rest)
        return lifted(with_grouping(items), around)


def as_units(units: list[Any], around: Around) -> Parted:
    """The units of a document; what it says where it has no frame is one."""
    if not units and around.rest is not None and around.rest.tail.strip():
        units, around = [around.rest.tail], around._replace(rest=None)
    return Parted(informed(units), _NOTHING, document=around)


def informed(units: list[Any]) -> list[Any]:
    """Units that know the tools that are declared before them, where these tell what their header means."""
    names = NOTHING
    for at, unit in enumerate(units):
        if unit.__class__ is tuple:
            header, body, stop = unit
            if names and says_otherwise(header, names):
                units[at] = Misnamed(header, body, stop, names)
        elif isinstance(unit, Frame):
            header, body, unit.names = unit.header, unit.body or "", names
        else:
            continue
        if header.startswith(DEVELOPER):
            names |= names_in(header, body)
    return units


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


def sections_of(body: str) -> tuple[str, str, str]:
    """A developer's body as what stands before its text, the text, and the section that may declare tools behind it."""
    at = body.rfind(SECTION)
    at = len(body) if at < 0 else max(at - 2, 0)
    heading = INSTRUCTIONS if body.startswith(INSTRUCTIONS) and at >= len(INSTRUCTIONS) else ""
    return heading, body[len(heading) : at], body[at:]


def plain_of(frame: Frame) -> Plain | None:
    """A frame that was scanned, where it is a plain one."""
    if not frame.opened or frame.before or frame.body is None or frame.middle < 0 or "<|" in frame.body:
        return None
    if frame.stop not in STOPS or speaker(frame.header) is None:
        return None
    return frame.header, CONTROL.restore(frame.body), frame.stop


def frame_of(unit: Plain | Misnamed | Frame) -> Frame:
    """A unit as a scanned frame."""
    if isinstance(unit, Frame):
        return unit
    names = unit.names if isinstance(unit, Misnamed) else NOTHING
    return Frame("", True, unit[0], 0, unit[1], unit[2], middle=0, names=names)


# --- writing ----------------------------------------------------------------------------------------------------------

_CUT_OFF: Final = "cut off"
"""The state behind a message without an end."""


class Frames(UnitWriter):
    """Writes frames. The state is whether the frame before was cut off, or is a generation prompt."""

    looks_at_contents = False
    target = HOME
    home = HOME
    keeps_signatures = False
    mark = "<"
    declaration = DECLARATION
    is_text = True

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken."""
        return CONTROL.is_free(text)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with a place for declared tools, a name for each reply, and ends that the format allows."""
        return prepared(conversation, self.options, log)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Whether a text is no part of a token, and none of a developer's sections."""
        return stands_alone(text) and (head.role != DEVELOPER or not _has_section(text))

    def nearest(self, message: Message, index: int, log: Log) -> Message:
        """The message with a content that a body can say; its frame shows what can be held of the rest."""
        return nearest(message, f"/messages/{index}", log)

    def follows(self, head: Head) -> bool:
        """A developer's text may be read as tools; the section of declared tools is."""
        return head.role != DEVELOPER or head is DECLARATION

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """A developer's text is written as it is where it looks neither like tools nor like what it stands under."""
        return None if _has_section(content) else ANY_CONTENT

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame."""
        (message,), (path,) = group, paths
        prompted = state == PROMPTED
        if path == TOOLS_PATH:
            made, body = message, cast("str", message.content)
        else:
            made, body = framed(message, self.options, prompted=prompted, last=last)
            path = f"{path}/content"
        unit = self.unit(made, body, NOTES.of(message.layout), path, log, prompted=prompted)
        return Spelled(unit, [made], _CUT_OFF if made.end is None else None)

    def unit(self, made: Message, body: str, layout: dict[str, Any], path: str, log: Log, *, prompted: bool) -> Unit:
        """A frame as it is written.

        Args:
            made: its message as it reads.
            body: what its body says.
            layout: how the message that was to be written was spelled.
            path: where its content stands in the document.
            log: takes what is changed in it.
            prompted: whether it begins behind a generation prompt.
        """
        mentions = NOTES.of(made.layout).get("mentions", ())
        body = CONTROL.guard(body, self.options.control_tokens, path, log, mentions)
        end = ENDS[made.end] if made.end is not None else ""
        return f"{header_of(made, prompted=prompted)}{MESSAGE}{body}{end}"

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """All frames, the open turn, and what stands around them."""
        turn, layout, header = around.open_turn, NOTES.of(around.layout), ""
        if turn is None and not layout:
            output, places = self.joined("", units, "", "")
            return Enclosed(output, Transcript(tools=around.tools), places=places)
        if turn is not None:
            prompted = state == PROMPTED
            turn = opened(turn, self.options, prompted=prompted)
            header = header_of(turn, prompted=prompted)
        edges = remembered(layout, turn, is_empty=not units, cut_off=state == _CUT_OFF, is_text=self.is_text)
        image = Transcript(tools=around.tools, open_turn=turn, layout={HOME: edges} if edges else None)
        front, tail = edges.get("front", ""), edges.get("tail", "") + edges.get("line_end", "")
        output, places = self.joined(front, units, header, tail)
        return Enclosed(output, image, places=places)

    def joined(self, front: str, units: list[Unit], header: str, tail: str) -> tuple[Unit, Sequence[int] | None]:
        """The frames with what stands around them: the open turn's header is the last of them.

        With it, of ids, where frames stand among them.
        """
        return "".join((front, *units, header, tail)), None

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The messages in their turns, without the tools of the first developer's."""
        return with_tools(with_grouping(items), around)


def _has_section(text: str) -> bool:
    """Whether a developer's text looks like tools, or like what it stands under."""
    return SECTION in text or text.startswith(INSTRUCTIONS)
