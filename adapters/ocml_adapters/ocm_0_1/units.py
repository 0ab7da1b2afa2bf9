"""The messages of one frame as it is written, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log, LossCode
from ocml_bridge.model import Message, Tools, Transcript
from ocml_bridge.text.edges import by_format
from ocml_bridge.text.im import spell
from ocml_bridge.units.grammar import ANY_CONTENT, ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, message_of

from .edges import Edges, default_for, kept, settled
from .fit import fit_message, guard, has_no_place, header_in, joined, may_join, role_for, row_of, settle_end
from .frames import placed
from .spelling import is_embedded_call, is_embedded_output, literal
from .spelling import spell as spell_parts
from .syntax import END, HOME, START, TOKENS
from .tools import fit_tools
from .wire import constraint_of, is_text

_OBJECT: Final = ContentClass('{"', '": 0}')
_JSON_AS_TEXT: Final = ContentClass('["', '"]', literal)
_TEXT: Final = ContentClass(encode=literal)
_CLOSED, _CUT = "closed", "cut"


class Frames:
    """Writes frames. The state is whether a frame stands before, and whether it was cut off."""

    target = HOME
    home = HOME
    mark = ""
    start: State = None
    groups = True
    keeps_ids = False
    guards_first = True

    def __init__(self, options: Options) -> None:
        self._options = options
        self._edges: dict[tuple[bool, bool], Edges] = {}

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken, and the newline behind it is a plain one."""
        return TOKENS.is_free(text) and not text.endswith("\r")

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items, where white space alone begins a frame.

        Raises:
            ByDocument: where messages declare tools, or an empty text stands beside others.
        """
        if (
            around.open_turn is not None
            or self._options.control_tokens == "raw"
            or any(kept is not None and HOME in kept for kept in (around.layout, around.extras))
        ):
            raise ByDocument
        out: list[Item] | None = None
        for at, item in enumerate(items):
            head, content, call_id = item
            if content.__class__ is not str and any(isinstance(part, Tools) for part in content):
                raise ByDocument
            if not head.continues or _has_no_place(item):
                continue
            before = next((items[index] for index in range(at - 1, -1, -1) if not _has_no_place(items[index])), None)
            if before is None:
                continue
            if _may_be_empty(item) or _may_be_empty(before):
                raise ByDocument
            if _is_blank(item) or _is_blank(before):
                out = list(items) if out is None else out
                out[at] = head.replaced(continues=False), content, call_id
        return items if out is None else out

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The message itself; private reasoning that is not an assistant's has no place."""
        if has_no_place(message):
            log.lose(LossCode.MESSAGE, f"/messages/{index}", f"{HOME} has private reasoning of assistants only")
            return None
        return message

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in the frame of the one before it."""
        one, other = (fit_message(each.message("" if each.empty else "x", None), "", Log()) for each in (before, head))
        return head.continues and header_in(one) == header_in(other) and may_join(one, other)

    def follows(self, head: Head) -> bool:
        """Arguments and outputs are written by what they are; what is cut off may not be seen to be."""
        return head.end is not None and not head.calls and not (role_for(head.role) == "tool" and head.name)

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments and outputs are JSON, or a string in JSON."""
        if head.end is None:
            return None
        if self.follows(head):
            return ANY_CONTENT
        if head.calls:
            if is_embedded_call(content):
                return _OBJECT
            return _TEXT if constraint_of(content) is None else _JSON_AS_TEXT
        return _OBJECT if is_embedded_output(content) else _TEXT

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame, with what stands before it."""
        wire = joined([row_of(message, path, log) for message, path in zip(group, paths, strict=True)])
        if last:
            settle_end(wire, self._options)
        one = placed([row.message for row in wire], TOKENS.neutralise, self._options, first=state is None)
        guard(wire, one, self._options, log)
        one.messages[0].layout, one.messages[0].extras = one.remembered()
        return Spelled(spell([one.frame], ""), one.messages, _CLOSED if one.frame.end else _CUT)

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Behind the system's first message, which tools are declared in, or where a message for them goes.

        Raises:
            ByDocument: where that message says nothing else, or remembers how it was spelled.
        """
        if around.tools is None:
            return -1
        if not items or _has_no_place(items[0]):
            raise ByDocument
        head, content, _ = items[0]
        if role_for(head.role) != "system":
            return 0
        if not head.local(HOME).bare or not isinstance(content, str) or not content.strip() or content.endswith("\r"):
            raise ByDocument
        return 1

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The text of all frames between its edges, with the tools in the first."""
        tools = None
        if around.tools is not None:
            fitted = fit_tools(Tools(around.tools))
            section, tools = spell_parts((fitted,), TOKENS.neutralise), fitted.tools
            if at:
                if not units[at - 1].endswith(END):
                    raise ByDocument
                units[at - 1] = f"{units[at - 1].removesuffix(END)}{section}\n{END}"
            else:
                units.insert(0, f"{START}system\n{section}\n{END}\n")
        cut = state == _CUT
        edges = self._around(frames=bool(units), cut=cut)
        layout, extras = kept(edges, default_for(cut=cut))
        made = Transcript((), tools, layout=by_format(HOME, layout), extras=by_format(HOME, extras))
        return Enclosed(edges.opening + "".join(units) + edges.closing, made)

    def _around(self, *, frames: bool, cut: bool) -> Edges:
        found = self._edges.get((frames, cut))
        if found is None:
            found = self._edges[frames, cut] = settled(Transcript(), self._options, frames=frames, cut=cut)
        return found


def _has_no_place(item: Item) -> bool:
    return item[0].role != "assistant" and has_no_place(message_of(item))


def _may_be_empty(item: Item) -> bool:
    """Whether a message is, or may turn out to be, an empty text."""
    head, content, _ = item
    return (head.empty or not isinstance(content, str)) and is_text(head.message("", None))


def _is_blank(item: Item) -> bool:
    """Whether a message is white space alone."""
    head, content, _ = item
    return isinstance(content, str) and content.isspace() and is_text(head.message(content, None))
