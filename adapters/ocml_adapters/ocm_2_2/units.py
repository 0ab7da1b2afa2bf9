"""A frame of OpenChatML 2.2, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Message, Settings, Transcript, replace
from ocml_bridge.pairing import identified, pairs_alike
from ocml_bridge.text import attributes, declared
from ocml_bridge.turns import declares_tools
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.grouping import grouped, turn_behind
from ocml_bridge.units.heads import LONGEST, Head, Item

from .document import REMEMBERED, values_of
from .fit import ended, fitted, headed, near
from .spelling import own
from .syntax import HOME
from .writer import frame_of, front_of, gap_of

_FIRST: Final = "first"
_CUT_OFF: Final = "cut off"


class FrameWriter:
    """Writes frames. The state is the turn that the frame before leaves open, where there is one that has an end."""

    target = HOME
    home = HOME
    mark = "<"
    start: State = _FIRST
    groups = False
    keeps_ids = True
    guards_first = False

    def __init__(self, options: Options) -> None:
        self._options = options

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, and does not escape the one that ends its body."""
        return "<|" not in text and not text.endswith("<")

    def relate(self, items: list[Item], around: Transcript) -> list[Item]:
        """The items with ids for calls that have none; what stands behind all frames concerns the last."""
        if around.open_turn is not None or own(around.layout) or not own(around.extras).keys().isdisjoint(_OUTSIDE):
            raise ByDocument
        for _, _, call_id in items:
            if call_id is not None and (len(call_id) > LONGEST or not attributes.is_safe(call_id)):
                raise ByDocument
        return identified(items, HOME)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Content as texts and thought markers.

        Raises:
            ByDocument: where tools are declared in it.
        """
        if declares_tools(message):
            raise ByDocument
        return near(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """A frame has one message."""
        return False

    def follows(self, head: Head) -> bool:
        """A body that was kept as it stood has its content in it."""
        return "body" not in own(head.message("", None).layout)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame, with what stands before it.

        Raises:
            ByDocument: where its header cannot say what pairs it with others.
        """
        (message,) = group
        made = ended(fitted(message, first=state == _FIRST), last=last, tail=False)
        if not pairs_alike(message, made):
            raise ByDocument
        made = grouped(made, state)
        text = frame_of(made) if state == _FIRST else gap_of(made) + frame_of(made)
        return Spelled(text, [made], _CUT_OFF if made.end is None else turn_behind(made))

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Where the developer's message with the tools goes."""
        return declared.place(items, around)

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The text: the document header, and the frames, with the tools in one of their own.

        Raises:
            ByDocument: where the version goes without saying; where tools stand behind a message that is cut off.
        """
        tools = None
        if around.tools:
            if state == _CUT_OFF:
                raise ByDocument
            section, tools = declared.section(around.tools)
            frame = frame_of(Message("developer", section))
            units.insert(at, f"\n{frame}" if at else f"{frame}\n" if units else frame)
        front, image = _front(around, alone=not units)
        tail = "\n" if units and state != _CUT_OFF else ""
        return Enclosed(f"{front}{''.join(units)}{tail}", replace(image, tools=tools))


_OUTSIDE: Final = frozenset({"front", "tail"})


def _front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    """The document header, and what it reads as; that of settings which say the same is written once."""
    if around.header is not None or own(around.extras):
        return _spelled_front(around, alone=alone)
    values = () if around.settings is None else values_of(around.settings)
    key = (values, repr(values))  # 1 and 1.0 are equal, and are spelled apart
    try:
        found = _fronts.get(key)
    except TypeError:  # a schema, or a choice among tools
        return _spelled_front(around, alone=alone)
    if found is not None:
        front, image = found
        return front, Transcript(settings=None if image is None else Settings(*image))
    front, image = _spelled_front(around, alone=alone)
    if len(front) <= REMEMBERED and image.header is image.extras is None:
        _fronts.keep(key, (front, None if image.settings is None else values_of(image.settings)))
    return front, image


def _spelled_front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    log = Log()
    image = headed(around, log, alone=alone)
    if log.losses:
        raise ByDocument
    return front_of(image), image


_fronts: Final = Memo[tuple[Any, ...], tuple[str, tuple[Any, ...] | None]](512)
