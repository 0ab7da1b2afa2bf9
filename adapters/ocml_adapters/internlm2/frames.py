"""Messages ↔ frames: what a header says, how a frame is spelled, and what stands behind the last one.

A frame holds one message, or an assistant's texts and calls. `environment name=<|plugin|>` names a channel, not a tool:
the tool is that of the first call that is waiting for its reply (`replies`), whose recipient these functions are given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text.edges import gap_behind, is_trivia, may_stand, recall
from ocml_bridge.text.im import Frame, read_header, write_header
from ocml_bridge.text.plain import safe_name, safe_role
from ocml_bridge.units.heads import Head

from .body import behind, read_body, write_body
from .syntax import (
    CONTROL,
    DIALECTS,
    ENDS,
    ENVIRONMENT,
    GRAMMAR,
    HOME,
    IM,
    KINDS,
    MARKS,
    NOTES,
    PYTHON,
    STARTS,
    Dialect,
    Spelling,
)
from .tools import declares, read_tools, tools_of, write_tools

Unit = tuple[Message, ...]
"""The messages of one frame."""
_BEFORE: Final[dict[bool | None, Frame | None]] = {
    None: None,
    True: Frame("", IM.start, "", True, "", IM.end, 0, False),
    False: Frame("", IM.start, "", True, "", "", 0, False),
}
"""A frame that was closed, or not, for what asks no more of the frame before."""
_OPEN: Final = frozenset({""})
_ANY: Final = ENDS | _OPEN


class Place(NamedTuple):
    """Where a frame stands, which tells with its messages how it is spelled by default.

    Attributes:
        dialect: how tokens are spelled.
        closed: whether the frame before it was closed; None where there is none.
        last: whether the text ends with it.
        opening: whether it is the open turn.
    """

    dialect: str
    closed: bool | None
    last: bool
    opening: bool = False


# --- headers ----------------------------------------------------------------------------------------------------------


class Heading(NamedTuple):
    """What a header says.

    Attributes:
        role: with `environment` as what it is, a tool's reply.
        name: with `<|plugin|>` and `<|interpreter|>` as words.
        token: whether the name was one of these two tokens.
        rest: words that say nothing known.
    """

    role: str
    name: str | None
    token: bool
    rest: tuple[str, ...]

    @property
    def declares_tools(self) -> bool:
        """Whether the header is that of declared tools."""
        return self.role == "system" and self.token and self.name == "plugin"

    def speaker(self, waiting: str | None) -> str | None:
        """The name of who speaks; a reply's is that of its tool, which may be the one whose reply is waited for."""
        if self.role != "tool":
            return self.name
        if self.name in (None, "plugin"):
            return waiting
        return PYTHON if self.name == "interpreter" else recipient_of(self.name)


@lru_cache(maxsize=1024)
def heading_of(header: str) -> Heading:
    """Take a header apart."""
    role, name, rest = read_header(header)
    kind = KINDS.get(name) if name is not None else None
    return Heading("tool" if role == ENVIRONMENT else role, kind or name, kind is not None, rest)


def _says(header: str, message: Message, waiting: str | None) -> bool:
    """Whether a header says what a message is."""
    heading = heading_of(header)
    if heading.role != message.role:
        return False
    if declares(message):
        return heading.declares_tools
    if heading.speaker(waiting) != message.name:
        return False
    return not heading.declares_tools or read_tools(str(message.content)) is None


def header_of(message: Message, waiting: str | None, dialect: Dialect) -> str:
    """The header that is written for a message; what it cannot hold is left out."""
    spelling = dialect.tokens
    if message.role == "tool":
        return _reply_header(message.name, waiting, spelling)
    if declares(message):
        return f"system name={spelling.plugin}"
    if message.role == "system" and message.name == "interpreter":
        return f"system name={spelling.interpreter}"
    if message.role == "system" and message.name == "plugin" and read_tools(str(message.content)) is None:
        return f"system name={spelling.plugin}"
    return _plain_header(message.role, message.name)


@lru_cache(maxsize=1024)
def _plain_header(role: str, name: str | None) -> str:
    return write_header(safe_role(MARKS.plain.sub("_", role)), _name_for(name))


@lru_cache(maxsize=1024)
def _reply_header(name: str | None, waiting: str | None, spelling: Spelling) -> str:
    if name == PYTHON:
        return f"{ENVIRONMENT} name={spelling.interpreter}"
    word = _name_for(None if name is None or name == waiting else name_of(name))
    named = word is not None and word not in ("plugin", "interpreter")
    return f"{ENVIRONMENT} name={word if named else spelling.plugin}"


def _name_for(name: str | None) -> str | None:
    """A name where a header can hold it, else None."""
    return None if name is None or MARKS.plain.search(name) is not None else safe_name(name)


# --- frames -----------------------------------------------------------------------------------------------------------


def default_frame(unit: Unit, waiting: str | None, place: Place) -> Frame:
    """The frame that is written for some messages, or for the open turn."""
    dialect = DIALECTS[place.dialect]
    spelling, body = dialect.tokens, "" if place.opening else body_of(unit, dialect)
    cut = place.opening or (place.last and unit[-1].end is None and body != "")
    header, end = header_of(unit[0], waiting, dialect), "" if cut else spelling.end
    return Frame(gap_behind(_BEFORE[place.closed]), spelling.start, header, True, body, end, 0, place.last)


def body_of(unit: Unit, dialect: Dialect, *, raw: bool = False) -> str:
    """The body that is written for some messages; `raw`: with control tokens as they stand in it."""
    guard = str if raw else CONTROL.neutralise
    if declares(unit[0]):
        return guard(write_tools(tools_of(unit[0]), dialect))
    return write_body(unit, dialect, guard) + behind(unit[-1], dialect)


def framed(unit: Unit, layout: Mapping[str, Json], waiting: str | None, place: Place) -> tuple[Frame, Frame]:
    """The frame of some messages as the first remembers it where that still says the same; and the default one."""
    default = default_frame(unit, waiting, place)
    closed = unit[-1].end is not None
    frame = recall(
        default,
        layout,
        grammar=GRAMMAR,
        before=_BEFORE[place.closed],
        starts=STARTS,
        ends=_OPEN if place.opening else _ends(unit, last=place.last),
        header=lambda header: _says(header, unit[0], waiting),
        body=lambda body: not place.opening and _holds(body, unit, closed=closed),
    )
    return frame, default


def _ends(unit: Unit, *, last: bool) -> frozenset[str]:
    """Which end tokens leave messages what they are."""
    final = unit[-1]
    if is_call(final) or declares(final):
        return _ANY
    if final.end is not None:
        return ENDS
    return frozenset() if last else _OPEN


def _holds(body: str, unit: Unit, *, closed: bool) -> bool:
    """Whether a body says what messages are."""
    first = unit[0]
    if declares(first):
        declared = read_tools(CONTROL.restore(body))
        return declared is not None and declared.tools == tools_of(first)
    if first.role != "assistant":
        return CONTROL.restore(body) == first.content
    return read_body(body, first.name, closed=closed) == tuple(
        replace(message, layout=None, extras=None) for message in unit
    )


def layout_of(message: Message, foreign: re.Pattern[str] | None) -> dict[str, Json]:
    """What a message remembers of its frame, without what is spelled with tokens that are not wanted."""
    layout = NOTES.together(message.layout, message.extras)
    if foreign is None or not layout:
        return layout
    return {key: raw for key, raw in layout.items() if not (isinstance(raw, str) and foreign.search(raw))}


def layout_in(head: Head) -> dict[str, Json]:
    """What messages with a head remember of their frames."""
    if head.local(HOME).bare:
        return {}
    message = head.message("", None)
    return NOTES.together(message.layout, message.extras)


# --- around the frames ------------------------------------------------------------------------------------------------


def dialect_of(around: Transcript) -> str:
    """The dialect that a transcript remembers, or the default one."""
    spelling = NOTES.together(around.layout).get("spelling")
    return spelling if isinstance(spelling, str) and spelling in DIALECTS else "im"


def tail_of(around: Transcript, closed: bool | None) -> str:
    """What stands behind the last frame, which was closed or not, remembered or by default."""
    last = _BEFORE[closed]
    raw = NOTES.together(around.layout, around.extras).get("tail")
    if isinstance(raw, str) and may_stand(raw, GRAMMAR, last) and (last is not None or not raw.strip()):
        return raw
    return gap_behind(last)


def around_of(dialect: str, tail: str, closed: bool | None, opening: Message | None) -> Transcript:
    """A transcript without messages and tools, with what it remembers of how it is spelled.

    Args:
        dialect: how most tokens are spelled.
        tail: what stands behind the last frame.
        closed: whether that was closed; None where there is none.
        opening: the open turn.
    """
    layout: dict[str, Json] = {} if dialect == "im" else {"spelling": dialect}
    extras: dict[str, Json] = {}
    if tail != gap_behind(_BEFORE[closed]):
        (layout if is_trivia(tail) else extras)["tail"] = tail
    return Transcript(open_turn=opening, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))


def majority(starts: Sequence[str]) -> str:
    """The dialect that most start tokens are in; `im` where there are as many of both."""
    unused = sum(start != IM.start for start in starts)
    return "unused" if unused * 2 > len(starts) else "im"
