"""Write frames: a text, a reply, a tool declaration, or an assistant's texts and calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text.calls import constraint_of, is_embedded
from ocml_bridge.text.control import stands_alone
from ocml_bridge.text.edges import remember
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import (
    A_STRING,
    AN_OBJECT,
    ANY_CONTENT,
    JSON_IN_A_STRING,
    ContentClass,
    Enclosed,
    State,
    Unit,
    WrittenUnit,
)
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.units.writer import Prepared, UnitWriter

from .body import joins, with_places
from .frames import (
    Place,
    around_of,
    body_of,
    default_frame,
    dialect_of,
    framed,
    heading_of,
    layout_in,
    layout_of,
    tail_of,
)
from .frames import Unit as Messages
from .nearest import TARGET, WAITING, Draft, nearest, opened, turn
from .reader import Placed, messages_of, open_turn, with_layout
from .syntax import CONTROL, DIALECTS, FOREIGN, GRAMMAR, HOME, NOTES, PYTHON
from .tools import declares, default_place, tools_of, with_tools, write_tools


class WriterState(NamedTuple):
    """What the next frame depends on.

    Attributes:
        dialect: the default spelling of tokens.
        starts: whether the layout of messages may give start tokens another spelling.
        closed: whether the last frame has an end token; None before the first frame.
    """

    dialect: str
    starts: bool
    closed: bool | None = None


class Frames(UnitWriter):
    """Writes frames."""

    target = TARGET
    home = HOME
    keeps_signatures = False
    mark = ""
    groups = True

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._foreign = None if options.dialect is None else FOREIGN[options.dialect]
        self._is_default = options.dialect is None or DIALECTS[options.dialect].is_default
        """Whether calls and tools are written in the spelling that readers assume."""

    def inert(self, text: str) -> bool:
        """Return whether a text has no control token, neither whole nor broken."""
        return CONTROL.is_free(text)

    def with_broken_tokens(self, head: Head, content: str, path: str, log: Log) -> str | None:
        """Return a text with its tokens broken; None for arguments, and if the options keep or refuse tokens."""
        if self.options.control_tokens != "neutralise" or not self.depends_on_head_only(head):
            return None
        return CONTROL.guard(content, "neutralise", path, log)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Put the tools among the messages, and name the tool of each reply."""
        draft = Draft(conversation, self._foreign, log)
        around = conversation.around
        if draft.open_turn is not around.open_turn:
            around = replace(around, open_turn=draft.open_turn)
        dialect = self.options.dialect or dialect_of(around)
        start = WriterState(dialect, starts=self.options.dialect is not None or draft.reads_as(dialect))
        return Prepared(draft.items, around, draft.origins, start)

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether the text is not blank: blank text next to calls is left out."""
        return not content.isspace()

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text cannot join its neighbours to a token, and has no line break at its edges."""
        return stands_alone(text)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the message with its content as one text; `write_unit` finds what a frame holds of other fields."""
        return nearest(message, index, log)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a text or a call belongs to the body of the message before it."""
        return joins(before, head)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether contents are written alike: not those of calls, nor those whose layout has a raw body.

        A system message named plugin may read as a tool declaration.
        """
        return not (head.calls or (head.role == "system" and head.name == "plugin") or "body" in layout_in(head))

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: arguments are JSON or a JSON string; code without fences gets one."""
        if self.depends_on_head_only(head):
            return ANY_CONTENT
        if not head.calls or "body" in layout_in(head) or not self._is_default:
            return None
        if head.recipient == PYTHON and head.constraint is None:
            return None if "```" in content else ANY_CONTENT
        if is_embedded(content):
            return AN_OBJECT
        return A_STRING if constraint_of(content) is None else JSON_IN_A_STRING

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Write a frame with the text before it."""
        before = cast("WriterState", state)
        place = Place(before.dialect, before.closed, last)
        read = place._replace(dialect=DIALECTS[place.dialect].reads_as)
        unit = with_places([message if declares(message) else turn(message, str(message.content)) for message in group])
        layout, waiting = self._layout_of(unit[0], before), _waiting(unit[0])
        unit = _settled(unit, layout, last=last)
        frame, default = framed(unit, layout, waiting, place)
        _read_back(unit, frame, default if self._is_default else default_frame(unit, waiting, read), waiting)
        if frame.body == default.body:
            self.guard(unit, paths, log)
            if self.options.control_tokens == "raw":
                frame.body = body_of(unit, DIALECTS[place.dialect], raw=True)
        text = spell([frame], "")
        output = self.as_output(text)
        if output != text:
            frame = _only(output)
            unit = with_layout(messages_of(frame, 0, waiting, Log()), Placed(frame, read), waiting)
        return WrittenUnit(output, unit, before._replace(closed=bool(frame.end)))

    def as_output(self, text: str) -> str:
        """Return a piece of text as the output holds it; formats of token ids change it."""
        return text

    def guard(self, unit: Messages, paths: Sequence[str], log: Log) -> None:
        """Report or refuse the control tokens in the contents of a frame."""
        for message, path in zip(unit, paths, strict=True):
            if declares(message):
                tools = write_tools(tools_of(message), DIALECTS[self.options.dialect or "im"])
                CONTROL.guard(tools, self.options.control_tokens, path, log)
                continue
            CONTROL.guard(str(message.content), self.options.control_tokens, f"{path}/content", log)
            if is_call(message):
                CONTROL.guard(message.recipient or "", self.options.control_tokens, f"{path}/recipient", log)

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Join the frames, the open turn and the text after them."""
        before = cast("WriterState", state)
        closed, opening, reads_as = before.closed, around.open_turn, DIALECTS[before.dialect].reads_as
        if opening is not None:
            opening, place = opened(opening), Place(before.dialect, closed, last=True, opening=True)
            layout, waiting = self._layout_of(opening, before), _waiting(opening)
            frame, _ = framed((opening,), layout, waiting, place)
            units.append(self.as_output(spell([frame], "")))
            frame = _only(units[-1])
            closed, opening = frame.end != "", open_turn(Placed(frame, place._replace(dialect=reads_as)), waiting)
        tail = self.as_output(tail_of(around, closed))
        dialect = "im" if closed is None else reads_as
        return Enclosed("".join((*units, tail)), around_of(dialect, tail, closed, opening))

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Read the frames together: the first tool declaration has the tools of the transcript."""
        at = default_place(items)
        if at == len(items) or items[at][0].role != "system":
            return Conversation(items, around)
        declared = message_of(items.pop(at))
        return Conversation(items, with_tools(around, declared, at, default_place(items)))

    def _layout_of(self, message: Message, state: WriterState) -> dict[str, Json]:
        """Return the layout of a message's frame, as far as the dialect allows it."""
        layout = layout_of(message, self._foreign)
        if not state.starts:
            layout.pop("start", None)
        if not self._is_default and (is_call(message) or declares(message)):
            layout.pop("body", None)
        return layout


def _only(text: str) -> Frame:
    """Return the only frame of a text."""
    (frame,), _ = GRAMMAR.frames(text)
    return frame


def _settled(unit: Messages, layout: dict[str, Json], *, last: bool) -> Messages:
    """Return the messages with an ending that their frame can have: only the last frame can be without an end token."""
    final = unit[-1]
    if final.end is not None or is_call(final) or (not last and layout.get("end") == ""):
        return unit
    if last and not declares(final) and final.content != "":
        return unit
    return (*unit[:-1], replace(final, end="end"))


def _waiting(message: Message) -> str | None:
    """Return the recipient of the first call without a reply, for a reply; if the layout has none, its own name."""
    if message.role != "tool":
        return None
    return cast("str | None", NOTES.together(message.layout).get(WAITING, message.name))


def _read_back(unit: Messages, frame: Frame, default: Frame, waiting: str | None) -> None:
    """Turn messages into what their frame reads as: role and name of its header, and the layout that it needs."""
    layout, extras = remember(frame, default)
    heading = heading_of(frame.header)
    for message in unit:
        message.layout = message.extras = None
        if not declares(message):
            message.role = heading.role
            message.name = heading.speaker(waiting)
    unit[0].layout, unit[0].extras = NOTES.by_format(layout), NOTES.by_format(extras)
