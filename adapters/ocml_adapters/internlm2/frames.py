"""Wire messages ↔ frames. A unit is the messages that one frame holds: one, or an assistant's texts and calls.

Reader, `fit` and writer walk the frames in order alike, because what a frame is by default depends on those before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ocml_bridge.model import Json, Message, replace
from ocml_bridge.text.edges import gap_behind, recall
from ocml_bridge.text.im import Frame
from ocml_bridge.turns import is_call

from .actions import read_body, write_body
from .headings import Replies, default_header, meaning, says
from .syntax import CONTROL, ENDS, GRAMMAR, IM, SPELLINGS, STARTS
from .tools import declares, read_tools, tools_of, write_tools

Unit = tuple[Message, ...]
_OPEN: Final = frozenset({""})
_ANY: Final = ENDS | _OPEN


class Walk:
    """The state that the frames before leave behind.

    Args:
        dialect: how tokens are spelled by default.
        guard: what makes text safe in a body.

    Attributes:
        before: the last frame, as spelled.
        replies: which calls still wait for a reply.
    """

    def __init__(self, dialect: str, guard: Callable[[str], str] = CONTROL.neutralise) -> None:
        self.spelling: Final = SPELLINGS[dialect]
        self.guard: Final = guard
        self.before: Frame | None = None
        self.replies: Final = Replies()

    def default(self, unit: Unit, *, last: bool, opening: bool) -> Frame:
        """The frame that is written for a unit, or for the open turn (`opening`); `last`: the text ends with it."""
        body = "" if opening else self._body(unit)
        cut = opening or (last and unit[-1].end is None and body != "")
        header = default_header(unit[0], self.replies, self.spelling)
        end = "" if cut else self.spelling.end
        return Frame(gap_behind(self.before), self.spelling.start, header, True, body, end, 0, last)

    def _body(self, unit: Unit) -> str:
        if declares(unit[0]):
            return self.guard(write_tools(tools_of(unit[0])))
        return write_body(unit, self.spelling, self.guard)

    def frame(self, unit: Unit, kept: Mapping[str, Json], default: Frame, *, opening: bool) -> Frame:
        """The frame as it is spelled: by default, or as it was where that still says the same."""
        closed = unit[-1].end is not None
        return recall(
            default,
            kept,
            grammar=GRAMMAR,
            before=self.before,
            starts=STARTS,
            ends=_OPEN if opening else _ends(unit, last=default.last),
            header=lambda header: says(header, unit[0], self.replies),
            body=lambda body: not opening and holds(body, unit, closed=closed),
        )

    def step(self, frame: Frame, unit: Unit) -> tuple[Unit, bool]:
        """Go past a frame: the unit with the name that its header gives a reply, and whether that answers a call."""
        said = meaning(frame.header)
        if unit[0].role == "tool":
            unit = (replace(unit[0], name=self.replies.name(said)),)
        self.before = frame
        return unit, self.replies.answered(unit, said)


def _ends(unit: Unit, *, last: bool) -> frozenset[str]:
    """Which end tokens leave a unit what it is."""
    final = unit[-1]
    if is_call(final) or declares(final):
        return _ANY
    if final.end is not None:
        return ENDS
    return frozenset() if last else _OPEN


def settled(unit: Unit, kept: Mapping[str, Json], *, last: bool) -> Unit:
    """A unit whose last text ends as its frame can say: cut off at the end of the text, or as it was spelled."""
    final = unit[-1]
    if final.end is not None or is_call(final) or (not last and kept.get("end") == ""):
        return unit
    if last and not declares(final) and final.content != "":
        return unit
    return (*unit[:-1], replace(final, end="end"))


def holds(body: str, unit: Unit, *, closed: bool) -> bool:
    """Whether a body says what a unit is."""
    first = unit[0]
    if declares(first):
        declared = read_tools(CONTROL.restore(body))
        return declared is not None and declared.tools == tools_of(first)
    if first.role != "assistant":
        return CONTROL.restore(body) == first.content
    bare = tuple(replace(message, layout=None, extras=None) for message in unit)
    return read_body(body, first.name, closed=closed) == bare


def majority(frames: Sequence[Frame]) -> str:
    """The dialect that most start tokens are in; `im` where there are as many of both."""
    unused = sum(frame.start != IM.start for frame in frames)
    return "unused" if unused * 2 > len(frames) else "im"
