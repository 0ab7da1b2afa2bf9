"""A message object of the JSON interchange, for plans."""

from __future__ import annotations

from collections.abc import Sequence

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Transcript
from ocml_bridge.pairing import identified
from ocml_bridge.text import declared
from ocml_bridge.turns import declares_tools
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.grouping import grouped, turn_behind
from ocml_bridge.units.heads import Head, Item

from .fit import fitted, near, shape_layout
from .reader import is_tool
from .spelling import own
from .syntax import HOME
from .writer import groups, is_merged, shaped, written


class ObjectWriter:
    """Writes objects. The state is the turn that the object before leaves open."""

    target = HOME
    home = HOME
    mark = "|start_"
    start: State = None
    narrows = True
    groups = True
    keeps_ids = True
    guards_first = False

    def __init__(self, options: Options) -> None:
        self._options = options

    def inert(self, text: str) -> bool:
        """Whether a text holds no thought marker, whole or broken."""
        return self.mark not in text

    def relate(self, items: list[Item], around: Transcript) -> list[Item]:
        """The items with ids for calls that have none; a tool's name in place of the role pairs anew."""
        if any(is_tool(head.role) for head, _, _ in items):
            raise ByDocument
        return identified(items, HOME)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """What an object can say.

        Raises:
            ByDocument: where tools are declared in it.
        """
        if declares_tools(message):
            raise ByDocument
        return near(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message was read from one object with the one before it."""
        return is_merged(head.message("", None))

    def follows(self, head: Head) -> bool:
        """An object that was kept whole has its contents in it."""
        return "object" not in own(head.message("", None).layout)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """No class of contents is written alike."""
        return None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """An object, and what it reads as.

        Raises:
            ByDocument: for messages that it cannot say together.
        """
        image: list[Message] = []
        for message in fitted(group):
            image.append(grouped(message, state))
            state = turn_behind(message)
        if len(groups(image)) > 1:
            raise ByDocument
        return Spelled(written(image), image, state)

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Where the developer's message with the tools goes."""
        return declared.place(items, around)

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The objects in their shape, with the tools in one of their own."""
        tools = None
        if around.tools:
            text, tools = declared.section(around.tools)
            units.insert(at, written([Message("developer", text)]))
        layout = shape_layout(around.layout, len(units))
        return Enclosed(shaped(units, layout), Transcript((), tools, layout=layout))
