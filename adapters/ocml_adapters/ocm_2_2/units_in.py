"""A frame of OpenChatML 2.2 as it is read, for plans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast

from ocml_bridge.conformance import Conformance, check_together
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Json, Message, Settings, Transcript, replace
from ocml_bridge.text import declared
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, Parted, Skeleton, Unit
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Item, item_of

from .document import REMEMBERED, values_of
from .frames import Frame, frames, lines
from .reader import front_of, read_front, read_message, settled
from .reader import last as last_message
from .syntax import HOME, START

_ID: Final = re.compile(r" call_id=([^\s<]+)")


class FrameParser:
    """Reads frames."""

    def __init__(self) -> None:
        self._fronts = Memo[str, tuple[Any, ...]](512)

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames of a text, and the settings in its header.

        It is read as a whole where the header says more or is none, and where the last message or turn is open.

        Raises:
            BridgeError: E-PARSE-HEADER where the document header has no one meaning.
        """
        text = cast("str", source)
        at = text.find(f"\n{START}") + 1
        values = self._fronts.get(text[:at]) if at <= REMEMBERED else None
        if values is None:
            values = self._read_front(text, at)
        if values is None:
            return None
        found = lines(text, at) or _closed_frames(text, at)
        return Parted(found, Transcript(settings=Settings(*values) if values else None)) if found else None

    def _read_front(self, text: str, at: int) -> tuple[Any, ...] | None:
        """The settings in a header that says nothing else, () where there are none; None for any other."""
        front, rest = front_of(text)
        log = Log()
        if not rest or len(front.text) != at:
            return None
        read = read_front(front, log, alone=False)
        if log.findings or read != Transcript(settings=read.settings):
            return None
        values = () if read.settings is None else values_of(read.settings)
        try:
            hash(values)
        except TypeError:  # a schema, or a choice among tools
            return None
        return self._fronts.keep(front.text, values) if at <= REMEMBERED else values

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

    def read(self, unit: Any, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The message of a frame.

        Raises:
            BridgeError: E-PARSE-HEADER where its header has no one meaning.
        """
        message = read_message(unit, index, log)
        Conformance(log).alone(message, f"/messages/{index}")
        return [settled(message, unit)]

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with the tools out of the developer's message.

        Raises:
            ByDocument: where findings of ids or bodies stand among others.
        """
        alone = len(log.findings)
        check_together(items, log)
        if 0 < alone < len(log.findings):
            raise ByDocument
        head, content, call_id = items[-1]
        if head.role == "assistant" and head.channel == "final":
            items[-1] = item_of(last_message(head.message(content, call_id)))
        found = declared.lifted(items, lenient=True)
        layout: dict[str, Json] = {} if found.raw is None else {"tools": found.raw}
        if found.layout is not None:
            layout["tools_message"] = found.layout[HOME]
        around = replace(parted.around, tools=found.tools, layout={HOME: layout} if layout else None)
        return Conversation(with_grouping(found.items), around)


def _closed_frames(text: str, at: int) -> list[Frame] | None:
    """The frames of one conversation from an offset on; None where the last is not closed, or there is more to say."""
    try:
        *found, tail = frames(text, at)
    except BridgeError:  # which a header before it may be, too
        return None
    closed = [frame for frame in found if isinstance(frame, Frame) and frame.end and frame.begins < 0]
    return closed if tail == "\n" and len(closed) == len(found) else None
