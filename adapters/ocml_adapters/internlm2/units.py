"""A text, a reply, or an assistant's texts and calls as a frame, for plans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.jsontext import spaced
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Message, Tools, Transcript, replace
from ocml_bridge.text.edges import by_format, gap_behind, kept_by
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.turns import name_of, recipient_of
from ocml_bridge.units.grammar import ANY_CONTENT, ByDocument, ContentClass, Enclosed, Spelled, State, Unit
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.visibility import is_private

from .actions import dressed, joins
from .answers import Calls
from .calls import constraint_of, is_embedded
from .document import layout_for
from .fit import TARGET, turn
from .frames import Walk
from .image import guard, placed
from .syntax import CONTROL, ENVIRONMENT, FOREIGN, HOME, IM, PYTHON, SPELLINGS
from .tools import normal, write_tools

_BEFORE: Final[dict[State, Frame | None]] = {
    None: None,
    True: Frame("", IM.start, "", True, "", IM.end, 0, False),
    False: Frame("", IM.start, "", True, "", "", 0, False),
}
_JSON: Final = ContentClass('{"', '": 0}')
_JSON_AS_TEXT: Final = ContentClass('"', '"', spaced)
_TEXT: Final = ContentClass(encode=spaced)
_REPLIES: Final = frozenset({"tool", ENVIRONMENT})


class Frames:
    """Writes frames. The state is whether the frame before was closed; None where there is none."""

    target = TARGET
    home = HOME
    mark = ""
    start: State = None
    groups = True
    keeps_ids = False
    guards_first = True

    def __init__(self, options: Options) -> None:
        self._options = options
        self._dialect = options.dialect or "im"
        self._foreign = None if options.dialect is None else FOREIGN[options.dialect]
        self._private = Memo[Head, bool](4096)

    def inert(self, text: str) -> bool:
        """Whether a text holds no token, whole or broken."""
        return CONTROL.is_free(text)

    def relate(self, items: Sequence[Item], around: Transcript) -> Sequence[Item]:
        """The items, where each reply has the name of the call that it is read to answer.

        Raises:
            ByDocument: where a reply is read to answer no call, or has to name one; where tools are declared in
                messages, or the spelling of tokens is one that some message remembers.
        """
        if (
            around.open_turn is not None
            or self._options.control_tokens == "raw"
            or any(kept is not None and HOME in kept for kept in (around.layout, around.extras))
        ):
            raise ByDocument
        items, calls = list(items), Calls()
        before: Item | None = None
        for at, item in enumerate(items):
            head, content, call_id = item
            if not head.bare and not head.local(HOME).bare and _has_own_start(head):
                raise ByDocument
            if content.__class__ is not str and any(isinstance(part, Tools) for part in content):
                raise ByDocument
            if self._is_private(item):
                continue
            if head.continues and before is not None and not _may_join(before, item):
                head = head.replaced(continues=False)
                items[at] = head, content, call_id
            if head.role in _REPLIES:
                items[at] = _answering(head, calls.reply()), content, call_id
            elif head.calls:
                calls.call(head.recipient)
            elif calls.is_open:
                calls.text(continues=before is not None and self.joins(before[0], head))
            before = items[at]
        return items

    def _is_private(self, item: Item) -> bool:
        """Whether a message is private reasoning, which is left out."""
        head = item[0]
        if head.shared and item[1].__class__ is str:
            found = self._private.get(head)
            return self._private.keep(head, is_private(message_of(item))) if found is None else found
        return is_private(message_of(item))

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The message with its content as a text; its frame shows what can be held of the rest."""
        if is_private(message):
            drop_message(log, index, f"{TARGET} has no place for private reasoning")
            return None
        if isinstance(message.content, str):
            return message
        content = narrow(message.content, (), f"/messages/{index}/content", log, target=TARGET)
        return replace(message, content=content)

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a text or a call continues the one before it in an assistant's body."""
        return joins(before.message("" if before.empty else "x", None), head.message("" if head.empty else "x", None))

    def follows(self, head: Head) -> bool:
        """Arguments and code are written by what they are; a system's text named plugin may be read as tools."""
        return not head.calls and not (head.role == "system" and head.name == "plugin")

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments are JSON, or a string in JSON; code without a fence is fenced alike."""
        if self.follows(head):
            return ANY_CONTENT
        if not head.calls:
            return None
        if head.recipient == PYTHON and head.constraint is None:
            return None if "```" in content else ANY_CONTENT
        if is_embedded(content):
            return _JSON
        return _TEXT if constraint_of(content) is None else _JSON_AS_TEXT

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """The text of a frame, with what stands before it."""
        unit = dressed([turn(message, cast("str", message.content)) for message in group])
        walk = Walk(self._dialect)
        walk.before = _BEFORE[state]
        if unit[0].role == "tool":
            walk.replies.feed(Message("assistant", "", recipient=unit[0].name, end="call"))
        one = placed(walk, unit, self._foreign, starts=True, last=last)
        guard(one, iter(paths), self._options, log)
        return Spelled(spell([one.frame], ""), one.unit, bool(one.frame.end))

    def place(self, items: Sequence[Item], around: Transcript) -> int:
        """Behind the leading system messages, if there are tools; what is left out does not count.

        Raises:
            ByDocument: where nothing follows them, or one of these remembers how it was spelled.
        """
        if not around.tools:
            return -1
        at = 0
        while at < len(items) and (items[at][0].role == "system" or self._is_private(items[at])):
            if not items[at][0].local(HOME).bare:
                raise ByDocument
            at += 1
        if all(map(self._is_private, items[at:])):
            raise ByDocument
        return at

    def enclose(self, units: list[Unit], at: int, around: Transcript, state: State) -> Enclosed:
        """The text of all frames, with the tools in a frame of their own, and the newline behind them."""
        if around.tools:
            frame = self._declared(write_tools(around.tools))
            units.insert(at, f"\n{frame}" if at else f"{frame}\n")
        layout = layout_for(self._dialect) if units else {}
        tools = tuple(map(normal, around.tools)) if around.tools else None
        return Enclosed(
            "".join(units) + gap_behind(_BEFORE[state]), Transcript((), tools, layout=by_format(HOME, layout))
        )

    def _declared(self, body: str) -> str:
        if not CONTROL.is_free(body):
            raise ByDocument
        spelling = SPELLINGS[self._dialect]
        return f"{spelling.start}system name={spelling.plugin}\n{body}{spelling.end}"


def _has_own_start(head: Head) -> bool:
    """Whether a message remembers the spelling of its start token."""
    message = head.message("", None)
    return "start" in kept_by(HOME, message.layout, message.extras)


def _may_join(before: Item, item: Item) -> bool:
    """Whether two contents can stand in one body: beside calls, blank text says nothing.

    Raises:
        ByDocument: for content that is no text yet.
    """
    for head, content, _ in (before, item):
        if head.role == "assistant" and not head.calls:
            if not isinstance(content, str):
                raise ByDocument
            if content.isspace():
                return False
    return True


def _answering(head: Head, recipient: str | None) -> Head:
    """The head of a reply that answers a call.

    Raises:
        ByDocument: where it names another tool, or the call's name is written otherwise.
    """
    if head.name not in (None, recipient) or not _is_canonical(recipient or ""):
        raise ByDocument
    return head if head.name is not None else head.replaced(name=recipient)


@lru_cache(maxsize=1024)
def _is_canonical(recipient: str) -> bool:
    return recipient_of(name_of(recipient)) == recipient
