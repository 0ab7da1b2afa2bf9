"""Read and write the units of Harmony's text: frames.

Most frames are plain: a regular header, a body without tokens, and an end. A plain frame is a tuple of three texts,
which a plan can read without a scanner. All other frames are found by `frames.py` and read by `reader.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.common.search import contains
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.formats.adapter import DEFAULT
from ocml_bridge.formats.boundary import several
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.control import BREAK, stands_alone
from ocml_bridge.text.start_frames import ANY_TOKEN
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import (
    ANY_CONTENT,
    ContentClass,
    Enclosed,
    Skeleton,
    SplitDocument,
    State,
    Unit,
    WrittenUnit,
)
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.writer import TOOLS_PATH, Prepared, UnitWriter

from .around import remembered, with_extracted_tools
from .frames import Frame, Scan, pieces_of, scanned
from .header import LONG, header_of, is_header, regular
from .header_by_tools import NOTHING, names_in, says_otherwise
from .nearest import framed, nearest, opened
from .prepare import DECLARATION, PROMPTED, prepared, with_tools
from .reader import FrameReader, split
from .syntax import CONTROL, DEVELOPER, ENDS, HOME, INSTRUCTIONS, MESSAGE, NOTES, RETURN, START, STOPS
from .tools import SECTION

# --- reading ----------------------------------------------------------------------------------------------------------

Plain = tuple[str, str, str]
"""A plain frame: its header, its body, and its end token.

Nothing stands before it, its header is regular, and its body has no token. Broken tokens in the body are restored.
"""


class Misnamed(NamedTuple):
    """A plain frame whose header means something else because of the tools that are declared before it.

    Attributes:
        header: its header.
        body: its body, with broken tokens restored.
        stop: its end token.
        names: the recipients of these tools.
    """

    header: str
    body: str
    stop: str
    names: frozenset[str]


_NOTHING: Final = Transcript()
_LONGEST: Final = 20_000
"""The maximal length of a section of tools in the key of a plan, in characters."""


class Around(NamedTuple):
    """A source, and what is needed to read the rest of it: all that is no plain frame.

    Attributes:
        source: the text, or the ids.
        reader: the reader of the rest; None if all units are plain frames.
        rest: what follows the last frame; None if nothing does, or if it is a unit itself.
    """

    source: Any
    reader: FrameReader | None = None
    rest: Scan | None = None


_MARKS: Final = ("<|", BREAK, SECTION, INSTRUCTIONS)
"""What makes a text another one than it seems: a token, a broken one, a section, a heading."""


class FramesReader(UnitReader):
    """Reads frames. A text without any frame is one unit."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a text into its frames; any text can be split, also an answer without the generation prompt before it.

        Raises:
            BridgeError: OCB-SHAPE if the source is not text.
        """
        if not isinstance(source, str):
            raise BridgeError(ErrorCode.SHAPE, "the format harmony is text; read token ids as harmony-tokens")
        units, behind = cut(source)
        if units and not behind:
            return SplitDocument(informed(units), _NOTHING, document=Around(source), envelope=())
        frames, rest = scanned(pieces_of(behind))
        before: Plain | None = ("", "", "")
        for frame in frames:
            # A frame that is not plain may leave text for the extras of the next message: so the next frame stays a
            # `Frame`, which the same `FrameReader` reads.
            plain = plain_of(frame)
            units.append(frame if plain is None or before is None else plain)
            before = plain
        return as_units(units, Around(source, FrameReader(log, restore=True), rest))

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty, or has a token, also a broken one, or a section of a developer message."""
        joined = "".join(texts)
        return all(texts) and not any(contains(joined, mark) for mark in _MARKS)

    def pieces(self, text: str) -> list[str]:
        """Split a text at its tokens."""
        return ANY_TOKEN.split(text)

    def skeleton(self, unit: Unit, before: Unit | None) -> Skeleton | None:
        """Return the key of a plain frame and its body; None for other units, or if the section of tools is too long.

        A developer's heading and section of tools belong to the key: the value is the text between them.
        """
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

    def with_values(self, unit: Unit, values: Sequence[str]) -> Unit:
        """Return a plain frame with another body; a developer's heading and section of tools remain."""
        header, body, stop = unit
        before_body, _, section = sections_of(body) if speaker(header) == DEVELOPER else ("", body, "")
        return (header, "".join((before_body, *values, section)), stop)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a frame, or of a text without frames.

        Raises:
            BridgeError: OCB-SEVERAL if another conversation begins with this frame.
        """
        around = cast("Around", split.document)
        reader = around.reader
        if reader is None or not isinstance(unit, (Frame, str)):
            reader = FrameReader(log, restore=False)
        if isinstance(unit, str):
            return reader.frameless(unit)
        reader.resume(index, frame_of(split.units[at - 1]) if at else None)
        count = len(reader.messages)
        try:
            reader.frame(frame_of(unit))
        except BridgeError as error:
            raise self.several(around.source) from error
        return reader.messages[count:]

    def several(self, source: Any) -> BridgeError:
        """Return the error for a document with several conversations, with the offset of the second."""
        return several(offset=split(source, DEFAULT)[1][0])

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Build the conversation: infer the turns, and lift the tools out of the first developer message."""
        reader, rest = cast("Around", split.document)[1:]
        around = _NOTHING if reader is None or rest is None else reader.around(rest)
        return with_extracted_tools(with_grouping(items), around)


def as_units(units: list[Any], around: Around) -> SplitDocument:
    """Return the split document. If it has no frame, its text (unless blank) is the only unit."""
    if not units and around.rest is not None and around.rest.tail.strip():
        units, around = [around.rest.tail], around._replace(rest=None)
    return SplitDocument(informed(units), _NOTHING, document=around)


def informed(units: list[Any]) -> list[Any]:
    """Give units the names of the tools declared before them: all scanned frames, and plain ones that need them.

    Args:
        units: the units of a document; the list is changed and returned.
    """
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
    """Return the plain frames at the beginning of a text, and the text after them.

    This is the fast path: `Scanner` finds the same frames, since their bodies have no token.
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
"""A frame whose body has no `<|`."""


@lru_cache(maxsize=2048)
def speaker(header: str) -> str | None:
    """Return the role in a raw header; None if the header is not regular, or too long to be cached."""
    fields = regular(header) if len(header) < LONG and is_header(header) else None
    return None if fields is None else fields.role


def sections_of(body: str) -> tuple[str, str, str]:
    """Split a developer's body into its heading, its text, and the section that may declare tools; each may be ""."""
    at = body.rfind(SECTION)
    at = len(body) if at < 0 else max(at - 2, 0)
    heading = INSTRUCTIONS if body.startswith(INSTRUCTIONS) and at >= len(INSTRUCTIONS) else ""
    return heading, body[len(heading) : at], body[at:]


def plain_of(frame: Frame) -> Plain | None:
    """Return a scanned frame as a plain one; None if it is not plain."""
    if not frame.opened or frame.before or frame.body is None or frame.middle < 0 or "<|" in frame.body:
        return None
    if frame.stop not in STOPS or speaker(frame.header) is None:
        return None
    return frame.header, CONTROL.restore(frame.body), frame.stop


def frame_of(unit: Plain | Misnamed | Frame) -> Frame:
    """Return a unit as a scanned frame."""
    if isinstance(unit, Frame):
        return unit
    names = unit.names if isinstance(unit, Misnamed) else NOTHING
    return Frame("", True, unit[0], 0, unit[1], unit[2], middle=0, names=names)


# --- writing ----------------------------------------------------------------------------------------------------------

_CUT_OFF: Final = "cut off"
"""The state after a message without an end token."""


class Frames(UnitWriter):
    """Writes frames, one for each message.

    The state is `_CUT_OFF` after a message without an end token, `PROMPTED` before a message that follows a generation
    prompt, else None.
    """

    looks_at_contents = False
    target = HOME
    home = HOME
    keeps_signatures = False
    mark = "<"
    declaration = DECLARATION
    is_text = True

    def inert(self, text: str) -> bool:
        """Return whether a text contains no token, whole or broken, so that it is written unchanged."""
        return CONTROL.is_free(text)

    def with_broken_tokens(self, head: Head, content: str, path: str, log: Log) -> str | None:
        """Return a content with its tokens broken; None for a developer's, and if the options keep or refuse tokens."""
        if self.options.control_tokens != "neutralise" or head.role == DEVELOPER:
            return None
        return CONTROL.guard(content, "neutralise", path, log)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Add a message for the declared tools, names of replies, and ends that Harmony allows (`prepare.py`)."""
        return prepared(conversation, self.options, log)

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text can neither become part of a token nor be read as one of a developer's sections."""
        return stands_alone(text) and (head.role != DEVELOPER or not _has_section(text))

    def nearest(self, message: Message, index: int, log: Log) -> Message:
        """Return the message with a content that a body can hold; `write_unit` changes its other fields as needed."""
        return nearest(message, f"/messages/{index}", log)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return False for a developer message, whose text may be read as tools, unless it holds the declared tools."""
        return head.role != DEVELOPER or head is DECLARATION

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return None if a developer's text contains the heading of tools or begins with that of instructions."""
        return None if _has_section(content) else ANY_CONTENT

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Write the frame of a message."""
        (message,), (path,) = group, paths
        prompted = state == PROMPTED
        if path == TOOLS_PATH:
            made, body = message, cast("str", message.content)
        else:
            made, body = framed(message, self.options, prompted=prompted, last=last)
            path = f"{path}/content"
        unit = self.unit(made, body, NOTES.of(message.layout), path, log, prompted=prompted)
        return WrittenUnit(unit, [made], _CUT_OFF if made.end is None else None)

    def unit(self, made: Message, body: str, layout: dict[str, Any], path: str, log: Log, *, prompted: bool) -> Unit:
        """Return a frame, written.

        Args:
            made: the message that the frame reads as.
            body: the body of the frame, before its tokens are broken.
            layout: the layout of the message in the document.
            path: the path of the content in the document.
            log: receives the changes to tokens in the content.
            prompted: whether the frame follows a generation prompt, so that its header has no role.
        """
        mentions = NOTES.of(made.layout).get("mentions", ())
        body = CONTROL.guard(body, self.options.control_tokens, path, log, mentions)
        end = ENDS[made.end] if made.end is not None else ""
        return f"{header_of(made, prompted=prompted)}{MESSAGE}{body}{end}"

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the output: the frames, the header of the open turn, and the text around them that is remembered."""
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
        """Join the frames, what stands around them, and the header of the open turn ("" if there is none).

        Returns:
            The output; for token ids also the places of the frames (see `Enclosed.places`), for text None.
        """
        return "".join((front, *units, header, tail)), None

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Infer the turns, and lift the tools out of the first developer message."""
        return with_tools(with_grouping(items), around)


def _has_section(text: str) -> bool:
    """Return whether a developer's text contains the heading of tools, or begins with that of instructions."""
    return SECTION in text or text.startswith(INSTRUCTIONS)
