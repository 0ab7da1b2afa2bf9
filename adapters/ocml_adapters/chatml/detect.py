"""Which family spelled a text: told by the tools that it declares, else by its first call, replies and thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ocml_bridge.text.im import Frame, read_header
from ocml_bridge.turns import is_call

from .families import FAMILIES, Family
from .frames import Contents, Place, default_frame, read_frame, schemas_of
from .markup.body import OPENED, restore
from .markup.declared import may_declare
from .markup.parts import NO_SCHEMAS
from .markup.responses import begins
from .markup.segments import markup_of

TAGS: Final = ("<tool", "<function=", "<|tool_", "think>", "List of tools: ")
"""What stands in every text that is spelled by a family."""


class Evidence(NamedTuple):
    """A frame in which calls, replies, thoughts or tools are spelled.

    Attributes:
        frame: the frame.
        contents: what it says.
        before: the frame before it.
        last: whether none follows.
        closing: whether no message does.
    """

    frame: Frame
    contents: Contents
    before: Frame | None
    last: bool
    closing: bool


def opens_turn(frame: Frame) -> bool:
    """Whether a frame is the open turn: the last, without a word in it that is no begun thought."""
    if not frame.last or frame.body == "":
        return frame.last
    return read_header(frame.header).role == "assistant" and OPENED.fullmatch(frame.body) is not None


def declaring(frames: Sequence[Frame]) -> int:
    """The index of the frame that declares the transcript's tools; -1 where none of the leading system's does."""
    for index, frame in enumerate(frames):
        if read_header(frame.header).role != "system" or frame.last:
            return -1
        if may_declare(frame.body) and read_frame(frame, declares=True).tools is not None:
            return index
    return -1


def family_of(frames: Sequence[Frame], tools_at: int) -> Family | None:
    """The family that spelled most of a text's frames; None for ChatML without any markup.

    Args:
        frames: all of them.
        tools_at: the index of the one that declares the tools.
    """
    found = list(_evidence(frames, tools_at))
    if not found:
        return FAMILIES["hermes"] if frames and opens_turn(frames[-1]) and frames[-1].body else None
    likely = _candidates(found)
    best = max(likely, key=lambda family: _score(family, found))
    if likely != _declaring(found) and not all(all(_likeness(best, each)) for each in found):
        return max(FAMILIES.values(), key=lambda family: _score(family, found))
    return best


def _evidence(frames: Sequence[Frame], tools_at: int) -> Iterator[Evidence]:
    before: Frame | None = None
    schemas = NO_SCHEMAS
    end = len(frames) - 1 - (frames != [] and opens_turn(frames[-1]))
    for index, frame in enumerate(frames):
        if index == tools_at or (_has_tags(frame) and not opens_turn(frame)):
            contents = read_frame(frame, declares=index == tools_at, schemas=schemas)
            schemas = schemas_of(contents.tools) if contents.tools else schemas
            if contents.tools is not None or _is_marked(frame, contents):
                yield Evidence(frame, contents, before, frame is frames[-1], index == end)
        before = frame


def _has_tags(frame: Frame) -> bool:
    return any(tag in frame.body for tag in TAGS)


def _is_marked(frame: Frame, contents: Contents) -> bool:
    """Whether a frame is spelled otherwise than in ChatML without markup."""
    role = read_header(frame.header).role
    if role == "assistant":
        return contents.opening != "" or [each.content for each in contents.messages] != [restore(frame.body)]
    return contents.messages[0].role == "tool" and begins(frame.body)


def _score(family: Family, found: Sequence[Evidence]) -> int:
    """How much of the frames is spelled as a family spells it; what stands in them tells most."""
    return sum(2 * body + header + gap for body, header, gap in (_likeness(family, each) for each in found))


def _likeness(family: Family, evidence: Evidence) -> tuple[bool, bool, bool]:
    """Whether the body, the header and the gap of a frame are spelled as a family spells them."""
    frame, contents, before, last, closing = evidence
    default = default_frame(contents, Place(family, before, last, closing=closing))
    return frame.body == default.body, frame.header == default.header, frame.gap == default.gap


def _declaring(found: Sequence[Evidence]) -> list[Family]:
    """The families that declare tools as these are declared."""
    declaration = next((each.contents.declaration for each in found if each.contents.declaration is not None), None)
    return [family for family in FAMILIES.values() if family.declaration == declaration]


def _candidates(found: Sequence[Evidence]) -> list[Family]:
    if families := _declaring(found):
        return families
    for each in found:
        if any(map(is_call, each.contents.messages)):
            markup = markup_of(each.frame.body)
            return [family for family in FAMILIES.values() if family.calls == markup]
    return list(FAMILIES.values())
