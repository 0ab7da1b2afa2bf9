"""Which family spelled a text: told by the tools that it declares, else by its first call, replies and thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call
from ocml_bridge.text.im import Frame, read_header

from .families import FAMILIES, Family
from .frames import Contents, Place, default_frame, read_frame, schemas_of
from .markup.body import OPENED, restore
from .markup.declared import may_declare
from .markup.parts import NO_SCHEMAS
from .markup.responses import begins
from .markup.segments import markup_of

_TAGS: Final = ("<tool", "<function=", "<|tool_", "think>", "List of tools: ")


def has_tags(text: str) -> bool:
    """Whether what stands in every text that is spelled by a family stands in a text."""
    return any(tag in text for tag in _TAGS)


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


class Declaring(NamedTuple):
    """The frame that declares the transcript's tools.

    Attributes:
        at: its index; -1 where there is none.
        contents: what it says.
    """

    at: int = -1
    contents: Contents | None = None


def declaring(frames: Sequence[Frame]) -> Declaring:
    """The frame that declares the transcript's tools: it is among the leading system's."""
    for index, frame in enumerate(frames):
        if read_header(frame.header).role != "system" or frame.last:
            break
        if may_declare(frame.body) and (contents := read_frame(frame, declares=True)).tools is not None:
            return Declaring(index, contents)
    return Declaring()


def family_of(frames: Sequence[Frame], declared: Declaring) -> Family | None:
    """The family that spelled most of a text's frames; None for ChatML without any markup.

    Args:
        frames: all of them.
        declared: the one that declares the tools.
    """
    found = list(_evidence(frames, declared))
    if not found:
        return FAMILIES["hermes"] if frames and opens_turn(frames[-1]) and frames[-1].body else None
    likely = _candidates(found)
    best, score = _best(likely, found)
    if score == _WHOLE * len(found) or likely == _declaring(found):
        return best
    return _best(list(FAMILIES.values()), found)[0]


def _evidence(frames: Sequence[Frame], declared: Declaring) -> Iterator[Evidence]:
    before: Frame | None = None
    schemas = NO_SCHEMAS
    end = len(frames) - 1 - (frames != [] and opens_turn(frames[-1]))
    for index, frame in enumerate(frames):
        contents: Contents | None = None
        if index == declared.at:
            contents = declared.contents
        elif has_tags(frame.body) and not opens_turn(frame):
            contents = read_frame(frame, schemas=schemas)
        if contents is not None:
            schemas = schemas_of(contents.tools) if contents.tools else schemas
            if contents.tools is not None or _is_marked(frame, contents):
                yield Evidence(frame, contents, before, frame is frames[-1], index == end)
        before = frame


def _is_marked(frame: Frame, contents: Contents) -> bool:
    """Whether a frame is spelled otherwise than in ChatML without markup."""
    role = read_header(frame.header).role
    if role == "assistant":
        return contents.opening != "" or [each.content for each in contents.messages] != [restore(frame.body)]
    return contents.messages[0].role == "tool" and begins(frame.body)


def _best(families: Sequence[Family], found: Sequence[Evidence]) -> tuple[Family, int]:
    """The first of the families that spell most of the frames so, and how much that is."""
    best, most = families[0], -1
    for family in families:
        score = _score(family, found)
        if score > most:
            best, most = family, score
        if score == _WHOLE * len(found):
            break
    return best, most


_WHOLE: Final = 4
"""The score of a frame that is spelled as a family spells it."""


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
