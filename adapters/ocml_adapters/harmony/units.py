"""A message as a Harmony frame, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tool, Tools, Transcript
from ocml_bridge.text.typescript import declare
from ocml_bridge.units.grammar import ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.grouping import grouped, turn_behind
from ocml_bridge.units.heads import Head, Item

from .fit import fitted, texts
from .message import body_of, header_of, layout_of
from .syntax import CONTROL, DEVELOPER, ENDS, HOME, MESSAGE, START, SYSTEM, TOOL


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
        if around.open_turn is not None or (around.layout is not None and HOME in around.layout):
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
        """The text of all frames, with the tools in a frame of their own."""
        if around.tools is None:
            return Enclosed("".join(units), Transcript())
        section, tools = declared(around.tools)
        units.insert(at, f"{START}{DEVELOPER}{MESSAGE}{section}{ENDS['end']}")
        return Enclosed("".join(units), Transcript((), tools))


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
