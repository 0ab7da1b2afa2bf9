"""Read and write frames: headers, the frame of some messages, and the text after the last frame.

A frame holds one message, or an assistant's texts and calls. `environment name=<|plugin|>` names a channel and not a
tool. The tool is the recipient of the first call that has no reply yet, which these functions take as `waiting`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, name_of, recipient_of
from ocml_bridge.model import Json, Message, Transcript, replace
from ocml_bridge.text.edges import gap_behind, recall, recall_tail, remember_tail
from ocml_bridge.text.im import Frame, read_header, write_header
from ocml_bridge.text.plain import safe_name, safe_role
from ocml_bridge.units.heads import Head

from .body import after_body, read_body, write_body
from .syntax import (
    CONTROL,
    DIALECTS,
    ENDS,
    ENVIRONMENT,
    GRAMMAR,
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
"""Stand-ins for the frame before: None if there is none, with an end token, without one."""
_OPEN: Final = frozenset({""})
_ANY: Final = ENDS | _OPEN


class Place(NamedTuple):
    """The place of a frame. Place and messages together decide how the frame is spelled by default.

    Attributes:
        dialect: the spelling of tokens.
        closed: whether the frame before has an end token; None if there is no frame before.
        last: whether it is the last frame.
        opening: whether it is the open turn.
    """

    dialect: str
    closed: bool | None
    last: bool
    opening: bool = False


# --- headers ----------------------------------------------------------------------------------------------------------


class Heading(NamedTuple):
    """The parts of a header.

    Attributes:
        role: the role; `tool` for `environment`.
        name: the name; the words `plugin` and `interpreter` for the tokens `<|plugin|>` and `<|interpreter|>`.
        token: whether the name is one of these two tokens.
        rest: further words, which have no meaning.
    """

    role: str
    name: str | None
    token: bool
    rest: tuple[str, ...]

    @property
    def declares_tools(self) -> bool:
        """Whether the header is that of a tool declaration."""
        return self.role == "system" and self.token and self.name == "plugin"

    def speaker(self, waiting: str | None) -> str | None:
        """Return the name of the message; for a reply the recipient of its call, which may be `waiting`."""
        if self.role != "tool":
            return self.name
        if self.name in (None, "plugin"):
            return waiting
        return PYTHON if self.name == "interpreter" else recipient_of(self.name)


@lru_cache(maxsize=1024)
def heading_of(header: str) -> Heading:
    """Parse a header."""
    role, name, rest = read_header(header)
    kind = KINDS.get(name) if name is not None else None
    return Heading("tool" if role == ENVIRONMENT else role, kind or name, kind is not None, rest)


def _reads_as(header: str, message: Message, waiting: str | None) -> bool:
    """Return whether a header reads as the role and the name of a message."""
    heading = heading_of(header)
    if heading.role != message.role:
        return False
    if declares(message):
        return heading.declares_tools
    if heading.speaker(waiting) != message.name:
        return False
    return not heading.declares_tools or read_tools(str(message.content)) is None


def header_of(message: Message, waiting: str | None, dialect: Dialect) -> str:
    """Return the header for a message, without what a header cannot hold."""
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
    """Return the name, or None if a header cannot hold it."""
    return None if name is None or MARKS.plain.search(name) is not None else safe_name(name)


# --- frames -----------------------------------------------------------------------------------------------------------


def default_frame(unit: Unit, waiting: str | None, place: Place) -> Frame:
    """Return the frame for some messages, or for the open turn, without regard to their layout."""
    dialect = DIALECTS[place.dialect]
    spelling, body = dialect.tokens, "" if place.opening else body_of(unit, dialect)
    cut = place.opening or (place.last and unit[-1].end is None and body != "")
    header, end = header_of(unit[0], waiting, dialect), "" if cut else spelling.end
    return Frame(gap_behind(_BEFORE[place.closed]), spelling.start, header, True, body, end, 0, place.last)


def body_of(unit: Unit, dialect: Dialect, *, raw: bool = False) -> str:
    """Return the body for some messages; with `raw`, control tokens in contents are not broken."""
    guard = str if raw else CONTROL.neutralise
    if declares(unit[0]):
        return guard(write_tools(tools_of(unit[0]), dialect))
    return write_body(unit, dialect, guard) + after_body(unit[-1], dialect)


def framed(unit: Unit, layout: Mapping[str, Json], waiting: str | None, place: Place) -> tuple[Frame, Frame]:
    """Return the frame for messages by the layout of the first, if it still reads as them; and the default frame."""
    default = default_frame(unit, waiting, place)
    closed = unit[-1].end is not None
    frame = recall(
        default,
        layout,
        grammar=GRAMMAR,
        before=_BEFORE[place.closed],
        starts=STARTS,
        ends=_OPEN if place.opening else _ends(unit, last=place.last),
        header=lambda header: _reads_as(header, unit[0], waiting),
        body=lambda body: not place.opening and _body_reads_as(body, unit, closed=closed),
    )
    return frame, default


def _ends(unit: Unit, *, last: bool) -> frozenset[str]:
    """Return the end tokens with which a frame reads as its messages."""
    final = unit[-1]
    if is_call(final) or declares(final):
        return _ANY
    if final.end is not None:
        return ENDS
    return frozenset() if last else _OPEN


def _body_reads_as(body: str, unit: Unit, *, closed: bool) -> bool:
    """Return whether a body reads as its messages."""
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
    """Return the layout of a message's frame, without entries that hold `foreign` tokens."""
    layout = NOTES.together(message.layout, message.extras)
    if foreign is None or not layout:
        return layout
    return {key: raw for key, raw in layout.items() if not (isinstance(raw, str) and foreign.search(raw))}


def layout_in(head: Head) -> dict[str, Json]:
    """Return the layout of the frames of messages with a head."""
    return NOTES.together(head.layout, head.extras)


# --- around the frames ------------------------------------------------------------------------------------------------


def dialect_of(around: Transcript) -> str:
    """Return the dialect in the layout of a transcript, or the default one."""
    spelling = NOTES.together(around.layout).get("spelling")
    return spelling if isinstance(spelling, str) and spelling in DIALECTS else "im"


def tail_of(around: Transcript, closed: bool | None) -> str:
    """Return the text after the last frame, from the layout or by default; `closed` as in `Place`."""
    last = _BEFORE[closed]
    return recall_tail(NOTES.together(around.layout, around.extras), gap_behind(last), GRAMMAR, last)


def around_of(dialect: str, tail: str, closed: bool | None, opening: Message | None) -> Transcript:
    """Return a transcript without messages and tools, with the layout of the text.

    Args:
        dialect: the spelling that most start tokens have.
        tail: the text after the last frame.
        closed: whether the last frame has an end token; None if there is no frame.
        opening: the open turn, if there is one.
    """
    layout, extras = remember_tail(tail, gap_behind(_BEFORE[closed]))
    if dialect != "im":
        layout = {"spelling": dialect, **layout}
    return Transcript(open_turn=opening, layout=NOTES.by_format(layout), extras=NOTES.by_format(extras))


def majority(starts: Sequence[str]) -> str:
    """Return the dialect of most start tokens; `im` if there are as many of both."""
    unused = sum(start != IM.start for start in starts)
    return "unused" if unused * 2 > len(starts) else "im"
