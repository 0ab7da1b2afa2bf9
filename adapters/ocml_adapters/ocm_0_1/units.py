"""Define the unit writer of OpenChatML 0.1; a unit is the frames of one wire message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, parts_of
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Message, Tools, Transcript, replace
from ocml_bridge.text.calls import constraint_of
from ocml_bridge.text.control import BREAK, stands_alone
from ocml_bridge.text.im import Frame
from ocml_bridge.text.im import spell as spell_frames
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import AN_OBJECT, ANY_CONTENT, ContentClass, Enclosed, State, Unit, WrittenUnit
from ocml_bridge.units.heads import Head, Item, item_of, message_of
from ocml_bridge.units.writer import TOOLS, Completed, Prepared, UnitWriter

from .around import Edges, chosen, default_for, remember
from .around import write as write_completion
from .body import is_text, with_channels
from .nearest import has_no_place, nearest, nearest_open_turn, role_for
from .segments import body_of, is_embedded_call, is_embedded_output, literal
from .spelling import Framed, framed, framed_turn, may_be_cut
from .syntax import HOME, NOTES, TOKENS
from .tools import extract_tools, fit_tools, with_tools_apart

_JSON_AS_TEXT: Final = ContentClass('["', '"]', literal)
_TEXT: Final = ContentClass(encode=literal)


class First(NamedTuple):
    """The state before the first frame.

    Attributes:
        declared: whether the first unit has the tools of the document.
        systems: the number of system messages at the beginning of the text.
    """

    declared: bool = False
    systems: int = 0


FIRST: Final = First()
_CLOSED, _CUT = "closed", "cut"


class Row(NamedTuple):
    """A message and its JSON pointer in the document."""

    path: str
    message: Message


class Frames(UnitWriter):
    """The unit writer. The state is `First` before the first frame, then whether the previous frame was closed."""

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
        """Prepare a conversation: the tools become the last part of the first message of the system, or a new one."""
        items, around = conversation.items, conversation.around
        systems = _leading_systems(items)
        if around.tools is None:
            plain = all(isinstance(items[at][1], str) for at in systems)
            return Prepared(items, around, start=FIRST if plain else First(systems=len(systems)))
        declared = Tools(around.tools)
        if not systems:
            layout = NOTES.together(around.layout).get("tools")
            declaration = Message(
                "system", (fit_tools(declared),), layout={HOME: layout} if isinstance(layout, dict) else None
            )
            origins = (TOOLS, *range(len(items)))
            return Prepared([item_of(declaration), *items], around, origins, First(declared=True, systems=1))
        message = message_of(items[systems[0]])
        before = () if message.content == "" else parts_of(message.content)
        items = list(items)
        items[systems[0]] = item_of(replace(message, content=(*before, declared)))
        return Prepared(items, around, start=First(declared=True, systems=len(systems)))

    def inert(self, text: str) -> bool:
        """Return whether a text is written unchanged: it has no token, is not blank, and does not end in a CR."""
        return TOKENS.is_free(text) and not text.endswith("\r") and not text.isspace()

    def is_plain_part(self, head: Head, text: str) -> bool:
        """Return whether a text is written unchanged as a part, whatever is next to it; thoughts are between tokens."""
        return stands_alone(text) if head.parts_around is None else text == text.strip() and self.inert(text)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that the format can hold, or None."""
        return nearest(message, f"/messages/{index}", log)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message belongs to the same wire message as the previous one."""
        return head.continues and (head.role == "tool" or head.name == before.name)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether a message is written the same way whatever its content.

        Not if it is arguments or an output, was cut off, or has layout: its spelling may be that of another content.
        """
        return head.bare and head.end is not None and not head.calls and not (head.role == "tool" and head.name)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: arguments and outputs are JSON, or a string in JSON."""
        if head.end is None or not head.bare:
            return None
        if self.depends_on_head_only(head):
            return ANY_CONTENT
        if head.calls:
            if is_embedded_call(content):
                return AN_OBJECT
            return _TEXT if constraint_of(content) is None else _JSON_AS_TEXT
        return AN_OBJECT if is_embedded_output(content) else _TEXT

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the text of the frames of a wire message, with the gap before each, and the messages that are read."""
        by_frame = _split_into_frames(_without_empty(list(map(Row, paths, group)), log))
        frames: list[Frame] = []
        image: list[Message] = []
        for rows in by_frame:
            messages = [row.message for row in rows]
            _settle(messages, self.options, last=last and rows is by_frame[-1])
            first = isinstance(state, First) and not frames
            in_frame = framed(messages, TOKENS.neutralise, self.options, first=first)
            self._guard(rows, in_frame, log)
            in_frame.store_layout()
            frames.append(self._by_policy(in_frame, first=first))
            image += messages
        if isinstance(state, First):
            following = state._replace(systems=state.systems - len(group))
            _report_tools(image, by_frame[0][0].path, following, log)
        return WrittenUnit(spell_frames(frames, ""), image, _CLOSED if frames[-1].end else _CUT)

    def _guard(self, rows: Sequence[Row], in_frame: Framed, log: Log) -> None:
        """Report the control tokens that were broken, or refuse them; a frame in its stored spelling has none."""
        if BREAK not in in_frame.default.body or not in_frame.is_default():
            return
        policy = self.options.control_tokens
        for row in rows:
            body_of([row.message], lambda text, path=f"{row.path}/content": TOKENS.guard(text, policy, path, log))

    def _by_policy(self, in_frame: Framed, *, first: bool) -> Frame:
        """Return the frame, with unbroken control tokens if the options allow them."""
        if self.options.control_tokens != "raw":
            return in_frame.frame
        return framed(in_frame.messages, str, self.options, first=first).frame

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the text of all frames and of the open turn, between its beginning and its end."""
        turn = None if around.open_turn is None else nearest_open_turn(around.open_turn)
        if turn is not None:
            in_frame = framed_turn(turn, self.options, first=isinstance(state, First))
            in_frame.store_layout()
            units.append(spell_frames([in_frame.frame], ""))
            state = _CUT
        edges, image = self._around(around, frames=bool(units), cut=state == _CUT)
        output = "".join((edges.opening, *units, edges.closing))
        return Enclosed(output, image if turn is None else replace(image, open_turn=turn))

    def _around(self, around: Transcript, *, frames: bool, cut: bool) -> tuple[Edges, Transcript]:
        """Return the beginning and the end of the text, and the transcript that is read from them."""
        stored = NOTES.together(around.layout, around.extras)
        result = None if stored else self._edges.get((frames, cut))
        if result is None:
            edges = chosen(stored, self.options, frames=frames, cut=cut)
            layout, extras = remember(edges, default_for(cut=cut))
            result = edges, Transcript(layout=layout, extras=extras)
            if not stored:
                self._edges[frames, cut] = result
        return result

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the items without the declared tools, which are read as those of the document."""
        return with_tools_apart(items, around)

    def complete(self, completion: Completion, log: Log) -> Completed:
        """Return the text of a completion, between its beginning and its end."""
        return write_completion(completion, self.options, log)


def _leading_systems(items: Sequence[Item]) -> list[int]:
    """Return the indices of the system messages at the beginning; messages that have no place are skipped."""
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
    """Return the messages without empty texts; one of them stays if there is nothing else."""
    written = [row for row in rows if not is_empty(row.message)] or rows[:1]
    paths = {row.path for row in written}
    for row in rows:
        if row.path not in paths:
            leave_out(row.path, log)
    return written


def is_empty(message: Message) -> bool:
    """Return whether a message is an empty text."""
    return message.content == "" and is_text(message)


def leave_out(path: str, log: Log) -> None:
    """Report that an empty text is not written."""
    log.lose(LossCode.MESSAGE, path, f"{HOME} leaves out an empty text beside other parts", Severity.LAYOUT)


def _split_into_frames(rows: Sequence[Row]) -> list[list[Row]]:
    """Split a wire message into frames: a blank text, and a text after a text, need frames of their own."""
    frames: list[list[Row]] = []
    for row in rows:
        if frames and may_join(frames[-1][-1].message, row.message):
            frames[-1].append(row)
        else:
            frames.append([row])
    return frames


def may_join(before: Message, message: Message) -> bool:
    """Return whether two messages of one wire message can be in one frame."""
    if message.role not in ("assistant", "tool") or _stands_alone(before) or _stands_alone(message):
        return False
    return not (is_text(before) and is_text(message))


def _stands_alone(message: Message) -> bool:
    return is_text(message) and isinstance(message.content, str) and not message.content.strip()


def _settle(messages: Sequence[Message], options: Options, *, last: bool) -> None:
    """Set what follows from the frame of messages: continuation, channels and constraints; and ends that must be read.

    Args:
        messages: the messages of one frame, in order; they are changed.
        options: which tokens end a text.
        last: whether nothing follows, so that the last message may be cut off.
    """
    for at, message in enumerate(messages):
        message.continues = at > 0
        if at:
            message.layout = message.extras = None
        if is_call(message) and isinstance(message.content, str):
            message.constraint = constraint_of(message.content)
        if message.end is None and not (last and message is messages[-1]):
            _mark_ended(message)
    if messages[0].role == "assistant":
        with_channels(messages)
    if messages[-1].end is None and not may_be_cut(body_of(messages, TOKENS.neutralise), options):
        _mark_ended(messages[-1])


def _mark_ended(message: Message) -> None:
    message.end = "call" if is_call(message) else "end"


def _report_tools(image: list[Message], path: str, following: First, log: Log) -> None:
    """Report that tools of a message are read as those of the document, and that a message of tools alone vanishes.

    Args:
        image: the messages that the first unit is read as.
        path: the JSON pointer of the first of them.
        following: the state, with the number of system messages after this unit.
        log: receives the losses.
    """
    extracted = extract_tools([*image, *[Message("system", "")] * following.systems])
    if extracted.tools is None:
        return
    moved = "the tools of this message are declared outside it"
    if extracted.declaration is not None and path != "/tools":
        log.lose(LossCode.TOOLS_MOVED, path, moved, Severity.LAYOUT)
    if not following.declared:
        log.lose(LossCode.TOOLS_MOVED, f"{path}/content", moved, Severity.LAYOUT)
        log.lose(
            LossCode.TOOLS_MOVED,
            "/tools",
            "tools of a message are declared here, for the whole conversation",
            Severity.LAYOUT,
        )
