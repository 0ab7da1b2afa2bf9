"""A text taken apart into its frames, each read without the others, for plans."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Json, Message, Transcript
from ocml_bridge.text.edges import is_trivia
from ocml_bridge.text.im import Frame
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grammar import ByDocument, Parted, Skeleton
from ocml_bridge.units.heads import Head, Item

from .answers import Calls
from .calls import is_embedded
from .document import assemble
from .frames import Walk, majority
from .headings import declares_tools, meaning
from .reader import messages_of, remark, remembering
from .syntax import CONTROL, FOREIGN, GRAMMAR, IM, PYTHON, SPELLINGS, UNUSED
from .tools import declares

_PLUGIN: Final = f"{IM.plugin}\n"
_CODE: Final = f"{IM.interpreter}\n```python\n"
_CODE_END: Final = f"\n```{IM.action_end}"
_CALL: Final = re.compile(r'\{"name": "([^"\\]{0,200})", "parameters": (.+)\}', re.S)


class Placed(NamedTuple):
    """A frame, the one before it, and the dialect of the text."""

    frame: Frame
    before: Frame | None
    dialect: str


class Text(NamedTuple):
    """What of a text is no message.

    Attributes:
        dialect: how most tokens are spelled.
        tail: what stands behind the last frame.
        tools: the message that declares the tools, and how many stand before it.
        most: how many it stands behind by default.
        opening: the open turn.
        last: the last frame.
    """

    dialect: str
    tail: str
    tools: tuple[Message, int] | None
    most: int
    opening: Placed | None
    last: Frame


class FrameParts:
    """Reads frames. A reply has no name yet where its header names no tool."""

    def __init__(self) -> None:
        self._named = Memo[tuple[Head, str | None], Head](4096)

    def part(self, source: str | Json, log: Log) -> Parted | None:
        """The frames; None for a text that has none, that is spelled in two ways, or in which a reply names a tool."""
        frames, tail = GRAMMAR.frames(cast("str", source))
        if not frames or not is_trivia(tail) or any(map(_names_tool, {frame.header for frame in frames})):
            return None
        dialect = majority(frames) if UNUSED.start in cast("str", source) else "im"
        if FOREIGN[dialect].search(cast("str", source)) is not None:
            return None
        units = [Placed(frame, before, dialect) for frame, before in zip(frames, [None, *frames], strict=False)]
        opening = units.pop() if frames[-1].last and frames[-1].body == "" else None
        leading = next((at for at, unit in enumerate(units) if meaning(unit.frame.header).role != "system"), len(units))
        places = [at for at in range(leading) if declares_tools(meaning(units[at].frame.header))]
        tools = None
        if places:
            declared = _declared(units[places[0]], last=units[places[0]].frame is frames[-1])
            if len(places) > 1 or declared is None:
                return None
            tools = declared, places[0]
            del units[places[0]]
        text = Text(dialect, tail, tools, leading - len(places), opening, frames[-1])
        return Parted(units, Transcript(), document=text)

    def skeleton(self, unit: Placed, before: Placed | None) -> Skeleton | None:
        """A frame without contents; None where an edge of it is odd, or a token stands in the body but for calls."""
        frame, previous, dialect = unit
        spelling, body, header = SPELLINGS[dialect], frame.body, frame.header
        if (
            frame.gap != ("\n" if previous is not None and previous.end else "")
            or frame.end != spelling.end
            or frame.start != spelling.start
            or not frame.newline
            or len(header) > _LONGEST
        ):
            return None
        if not body:
            return (dialect, header), []
        if CONTROL.is_free(body):
            return None if declares_tools(meaning(header)) else ((dialect, header, None), [body])
        return _calls(dialect, header, body)

    def filled(self, unit: Placed, values: Sequence[str]) -> Placed:
        """A frame with other contents."""
        frame = unit.frame
        if IM.action_start not in frame.body:
            return unit._replace(frame=dataclasses.replace(frame, body="".join(values)))
        text, *calls = frame.body.split(IM.action_start)
        following = iter(values)
        body = [next(following) if text else ""]
        for call in calls:
            if call.startswith(_CODE):
                body.append(f"{_CODE}{next(following)}{_CODE_END}")
            else:
                name = cast("re.Match[str]", _CALL.match(call, len(_PLUGIN)))[1]
                json = f'{{"{next(following)}": 0}}'
                body.append(f'{_PLUGIN}{{"name": "{name}", "parameters": {json}}}{IM.action_end}')
        return unit._replace(frame=dataclasses.replace(frame, body=IM.action_start.join(body)))

    def read(self, unit: Placed, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a frame."""
        frame, before, dialect = unit
        said = meaning(frame.header)
        made = messages_of(frame, said, index, log)
        remark(frame, said, f"/messages/{index}", log)
        if said.role == "tool":
            made[0].name = PYTHON if said.name == "interpreter" else None
        first = remembering(made, frame, _behind(before, dialect), last=frame is _text(parted).last)
        return (first, *made[1:])

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The items with the names of the tools that replies are from, and what stands around them.

        Raises:
            ByDocument: for a reply that answers no call, or whose header is another tool's.
        """
        calls = Calls()
        for at, (head, content, call_id) in enumerate(items):
            if head.role == "tool":
                items[at] = self._answering(head, calls.reply()), content, call_id
            elif head.calls:
                calls.call(head.recipient)
            else:
                calls.text(continues=head.continues)
        dialect, tail, tools, most, opens, last = _text(parted)
        opening = None if opens is None else _opening(opens, log)
        return Conversation(items, assemble((), opening, tools, dialect, tail, last, most))

    def _answering(self, head: Head, recipient: str | None) -> Head:
        if head.name is not None or recipient == PYTHON:
            if head.name != recipient:
                raise ByDocument
            return head
        found = self._named.get((head, recipient))
        if found is None:
            found = head.replaced(name=recipient)
            if head.shared:
                self._named.keep((head, recipient), found)
        return found


_LONGEST: Final = 200
"""The longest header that plans are made for, in characters."""


def _text(parted: Parted) -> Text:
    return cast("Text", parted.document)


def _names_tool(header: str) -> bool:
    said = meaning(header)
    return said.role == "tool" and said.name not in (None, "plugin", "interpreter")


def _behind(before: Frame | None, dialect: str) -> Walk:
    walk = Walk(dialect)
    walk.before = before
    return walk


def _declared(unit: Placed, *, last: bool) -> Message | None:
    """The message of declared tools; None where there is more to say of its frame, or it declares none."""
    frame, log = unit.frame, Log()
    said = meaning(frame.header)
    made = messages_of(frame, said, 0, log, leads=True)
    remark(frame, said, "/tools", log)
    if log.findings or not declares(made[0]):
        return None
    return remembering(made, frame, _behind(unit.before, unit.dialect), last=last)


def _opening(unit: Placed, log: Log) -> Message:
    """The open turn.

    Raises:
        ByDocument: for a reply.
    """
    said = meaning(unit.frame.header)
    if said.role == "tool":
        raise ByDocument
    remark(unit.frame, said, "/open_turn", log)
    made = (Message(said.role, "", said.name, end=None),)
    return remembering(made, unit.frame, _behind(unit.before, unit.dialect), last=True, opening=True)


def _calls(dialect: str, header: str, body: str) -> Skeleton | None:
    """A body of text and calls; None where a call is written otherwise than by default."""
    text, *calls = body.split(IM.action_start)
    if meaning(header).role != "assistant" or not calls or text.isspace() or not CONTROL.is_free(text):
        return None
    key: list[Hashable] = [dialect, header, bool(text)]
    values = [text] if text else []
    for call in calls:
        if call.startswith(_CODE) and call.endswith(_CODE_END):
            code = call[len(_CODE) : -len(_CODE_END)]
            if not code or "```" in code or not CONTROL.is_free(code):
                return None
            key.append(PYTHON)
            values.append(code)
            continue
        found = _CALL.fullmatch(call, len(_PLUGIN), len(call) - len(IM.action_end))
        if not (call.startswith(_PLUGIN) and call.endswith(IM.action_end) and found is not None):
            return None
        if not (CONTROL.is_free(found[1]) and CONTROL.is_free(found[2]) and is_embedded(found[2])):
            return None
        key.append((found[1],))
        values.append(found[2])
    return tuple(key), values
