"""Define the unit writer of OpenChatML 0.1, which writes each group of messages as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, parts_of
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Message, Tools, Transcript, replace
from ocml_bridge.text.control import BREAK, stands_alone
from ocml_bridge.text.im import Frame
from ocml_bridge.text.im import spell as spell_frames
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import AN_OBJECT, ANY_CONTENT, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS, Completed, Prepared, UnitWriter

from .around import Edges, chosen, default_for, remember
from .around import write as write_completion
from .body import constraint_of, is_text, with_channels
from .nearest import has_no_place, nearest, opened, role_for
from .segments import body_of, is_embedded_call, is_embedded_output, literal
from .spelling import Framed, framed, framed_turn, may_be_cut
from .syntax import HOME, NOTES, TOKENS
from .tools import fit_tools, lift, with_tools_apart

_JSON_AS_TEXT: Final = ContentClass('["', '"]', literal)
_TEXT: Final = ContentClass(encode=literal)


class First(NamedTuple):
    """The state before the first frame.

    Attributes:
        declared: whether the document's tools stand in it.
        systems: how many messages of the system's the text begins with.
    """

    declared: bool = False
    systems: int = 0


FIRST: Final = First()
_CLOSED, _CUT = "closed", "cut"


class Row(NamedTuple):
    """A message and where it stands in the document."""

    path: str
    message: Message


class Frames(UnitWriter):
    """Writes frames: a unit is the frames of one wire message. The state is how the frame before ended."""

    looks_at_contents = False
    target = HOME
    home = HOME
    keeps_signatures = False
    mark = ""
    groups = True

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._edges: dict[tuple[bool, bool], tuple[Edges, Transcript]] = {}

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with its tools behind the text of the first message, where that is the system's; else in one."""
        items, around = conversation.items, conversation.around
        systems = _systems(items)
        if around.tools is None:
            plain = all(isinstance(items[at][1], str) for at in systems)
            return Prepared(items, around, start=FIRST if plain else First(systems=len(systems)))
        declared = Tools(around.tools)
        if not systems:
            layout = NOTES.together(around.layout).get("tools")
            made = Message(
                "system", (fit_tools(declared),), layout={HOME: layout} if isinstance(layout, dict) else None
            )
            origins = (TOOLS, *range(len(items)))
            return Prepared([item_of(made), *items], around, origins, First(declared=True, systems=1))
        message = message_of(items[systems[0]])
        before = () if message.content == "" else parts_of(message.content)
        items = list(items)
        items[systems[0]] = item_of(replace(message, content=(*before, declared)))
        return Prepared(items, around, start=First(declared=True, systems=len(systems)))

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, the newline behind it is a plain one, and it may share its frame."""
        return TOKENS.is_free(text) and not text.endswith("\r") and not text.isspace()

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Whether a text is no part of a token, and has its line breaks inside; a thought stands between tokens."""
        return stands_alone(text) if head.beside is None else text == text.strip() and self.inert(text)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """What there is a place for; none for private reasoning that is not an assistant's."""
        return nearest(message, f"/messages/{index}", log)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message is one wire message with the one before it."""
        return head.continues and (head.role == "tool" or head.name == before.name)

    def follows(self, head: Head) -> bool:
        """Not of arguments and outputs, of what is cut off, and of what remembers a spelling: it may be another's."""
        return head.bare and head.end is not None and not head.calls and not (head.role == "tool" and head.name)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments and outputs are JSON, or a string in JSON."""
        if head.end is None or not head.bare:
            return None
        if self.follows(head):
            return ANY_CONTENT
        if head.calls:
            if is_embedded_call(content):
                return AN_OBJECT
            return _TEXT if constraint_of(content) is None else _JSON_AS_TEXT
        return AN_OBJECT if is_embedded_output(content) else _TEXT

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of the frames of a wire message, with what stands before each."""
        by_frame = _by_frame(_without_empty(list(map(Row, paths, group)), log))
        frames: list[Frame] = []
        image: list[Message] = []
        for rows in by_frame:
            messages = [row.message for row in rows]
            _settle(messages, self.options, last=last and rows is by_frame[-1])
            first = isinstance(state, First) and not frames
            one = framed(messages, TOKENS.neutralise, self.options, first=first)
            self._guard(rows, one, log)
            one.remember()
            frames.append(self._in_dialect(one, first=first))
            image += messages
        if isinstance(state, First):
            behind = state._replace(systems=state.systems - len(group))
            _report_tools(image, by_frame[0][0].path, behind, log)
        return Spelled(spell_frames(frames, ""), image, _CLOSED if frames[-1].end else _CUT)

    def _guard(self, rows: Sequence[Row], one: Framed, log: Log) -> None:
        """Report the control tokens that had to be broken, or refuse them; what is spelled as it was has none."""
        if BREAK not in one.default.body or not one.is_default():
            return
        policy = self.options.control_tokens
        for row in rows:
            body_of([row.message], lambda text, path=f"{row.path}/content": TOKENS.guard(text, policy, path, log))

    def _in_dialect(self, one: Framed, *, first: bool) -> Frame:
        """The frame with its control tokens as the options want them."""
        if self.options.control_tokens != "raw":
            return one.frame
        return framed(one.messages, str, self.options, first=first).frame

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """The text of all frames, with the open turn, between the edges."""
        turn = None if around.open_turn is None else opened(around.open_turn)
        if turn is not None:
            one = framed_turn(turn, self.options, first=isinstance(state, First))
            one.remember()
            units.append(spell_frames([one.frame], ""))
            state = _CUT
        edges, image = self._around(around, frames=bool(units), cut=state == _CUT)
        output = "".join((edges.opening, *units, edges.closing))
        return Enclosed(output, image if turn is None else replace(image, open_turn=turn))

    def _around(self, around: Transcript, *, frames: bool, cut: bool) -> tuple[Edges, Transcript]:
        """How the text begins and ends, and what that reads as."""
        remembered = NOTES.together(around.layout, around.extras)
        made = None if remembered else self._edges.get((frames, cut))
        if made is None:
            edges = chosen(remembered, self.options, frames=frames, cut=cut)
            layout, extras = remember(edges, default_for(cut=cut))
            made = edges, Transcript(layout=layout, extras=extras)
            if not remembered:
                self._edges[frames, cut] = made
        return made

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The items without the declared tools, which are read as the document's."""
        return with_tools_apart(items, around)

    def complete(self, completion: Completion, log: Log) -> Completed:
        """The text between its edges."""
        return write_completion(completion, self.options, log)


def _systems(items: Sequence[Item]) -> list[int]:
    """Indices of the system's messages that a text begins with; those that have no place are passed over."""
    systems: list[int] = []
    for at, item in enumerate(items):
        role = item[0].role
        if role in ("assistant", "user"):
            break
        if not has_no_place(message_of(item)):
            if role_for(role) != "system":
                break
            systems.append(at)
    return systems


# --- which messages share a frame -------------------------------------------------------------------------------------


def _without_empty(rows: list[Row], log: Log) -> list[Row]:
    """A wire message without its empty texts; the first of them stays where there is nothing else."""
    left = [row for row in rows if not is_empty(row.message)] or rows[:1]
    places = {row.path for row in left}
    for row in rows:
        if row.path not in places:
            leave_out(row.path, log)
    return left


def is_empty(message: Message) -> bool:
    """Whether a message is an empty text."""
    return message.content == "" and is_text(message)


def leave_out(path: str, log: Log) -> None:
    """Report that an empty text is not written."""
    log.lose(LossCode.MESSAGE, path, f"{HOME} leaves out an empty text beside other parts", Severity.LAYOUT)


def _by_frame(rows: Sequence[Row]) -> list[list[Row]]:
    """A wire message in the frames that it needs: white space alone, or text beside text, has one of its own."""
    frames: list[list[Row]] = []
    for row in rows:
        if frames and may_join(frames[-1][-1].message, row.message):
            frames[-1].append(row)
        else:
            frames.append([row])
    return frames


def may_join(before: Message, message: Message) -> bool:
    """Whether two messages that are one wire message can stand in one frame."""
    if message.role not in ("assistant", "tool") or _stands_alone(before) or _stands_alone(message):
        return False
    return not (is_text(before) and is_text(message))


def _stands_alone(message: Message) -> bool:
    return is_text(message) and isinstance(message.content, str) and not message.content.strip()


def _settle(messages: Sequence[Message], options: Options, *, last: bool) -> None:
    """Give the messages of one frame what follows from their place in it and from what they say.

    Args:
        messages: in order; they are changed.
        options: which tokens end a text.
        last: whether nothing follows: then the last of them may be cut off, where that can be seen.
    """
    for at, message in enumerate(messages):
        message.continues = at > 0
        if at:
            message.layout = message.extras = None
        if is_call(message) and isinstance(message.content, str):
            message.constraint = constraint_of(message.content)
        if message.end is None and not (last and message is messages[-1]):
            _end(message)
    if messages[0].role == "assistant":
        with_channels(messages)
    if messages[-1].end is None and not may_be_cut(body_of(messages, TOKENS.neutralise), options):
        _end(messages[-1])


def _end(message: Message) -> None:
    message.end = "call" if is_call(message) else "end"


def _report_tools(image: list[Message], path: str, behind: First, log: Log) -> None:
    """Report where declared tools are read as such although they stood in a message, and a message that goes with them.

    Args:
        image: what the first unit reads as.
        path: where its first message stands in the document.
        behind: how many messages of the system's follow it.
        log: takes the losses.
    """
    lifted = lift([*image, *[Message("system", "")] * behind.systems])
    if lifted.tools is None:
        return
    moved = "the tools of this message are declared outside it"
    if lifted.declaration is not None and path != "/tools":
        log.lose(LossCode.TOOLS_MOVED, path, moved, Severity.LAYOUT)
    if not behind.declared:
        log.lose(LossCode.TOOLS_MOVED, f"{path}/content", moved, Severity.LAYOUT)
        log.lose(
            LossCode.TOOLS_MOVED,
            "/tools",
            "tools of a message are declared here, for the whole conversation",
            Severity.LAYOUT,
        )
