"""Find the family that wrote a text.

It is a family that declares tools as the text does; otherwise one that writes calls as the first call is written. Of
several families it is the one that would write most of the frames as they are (`docs/formats/chatml.md`, reading 8 of
the dialects).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call
from ocml_bridge.model import Tool
from ocml_bridge.text.im import Frame

from .families import FAMILIES, Declaration, Family
from .frames import Contents, body_of, header_of, may_declare_tools, read_frame, schemas_of
from .headers import read_speaker
from .markup.body import restore
from .markup.parts import NO_SCHEMAS, markup_of
from .markup.responses import begins
from .markup.thoughts import OPENED
from .syntax import HYPERCLOVA, LIST_OF_TOOLS, ends_turn

_TAGS: Final = ("<tool", "<function", "<|tool_", "<|function_", "think>", LIST_OF_TOOLS)


def has_tags(text: str) -> bool:
    """Return whether a text contains a tag."""
    return any(tag in text for tag in _TAGS)


def may_be_marked(frame: Frame) -> bool:
    """Return whether a frame may have the markup of a family: a tag, or what one dialect alone writes around a body."""
    return has_tags(frame.body) or _own_dialect(frame) is not None


def _own_dialect(frame: Frame) -> str | None:
    """Return the only dialect that has such headers, or such gaps; None if any may have them."""
    return HYPERCLOVA if ends_turn(frame.gap) else read_speaker(frame.header).dialect


def may_have_markup(text: str, frames: Sequence[Frame]) -> bool:
    """Return whether a text, which has these frames, may have the markup of a family.

    Most have no tag, because no `<` begins anything but the tokens of frames.
    """
    tokens = sum([1 + (frame.end != "") for frame in frames])
    if text.count("<") != tokens and (has_tags(text) or ends_turn(text)):
        return True
    return LIST_OF_TOOLS in text or any(read_speaker(frame.header).dialect is not None for frame in frames)


class Evidence(NamedTuple):
    """A frame with calls, replies, thoughts or tools, which families write differently.

    Attributes:
        frame: the frame.
        contents: its contents.
        closing: whether no message follows; an open turn may.
        is_usual: whether each family writes the body as it is; None if that differs between families.
    """

    frame: Frame
    contents: Contents
    closing: bool
    is_usual: bool | None


def is_open_turn(frame: Frame) -> bool:
    """Return whether a frame is the open turn: the last one, with nothing in it but an empty thought."""
    if not frame.last or frame.body == "":
        return frame.last
    return read_speaker(frame.header).role == "assistant" and OPENED.fullmatch(frame.body) is not None


class DeclaringFrame(NamedTuple):
    """The frame that declares the tools of the document.

    Attributes:
        at: its index; -1 if there is none.
        contents: its contents.
    """

    at: int = -1
    contents: Contents | None = None


def declaring_frame(frames: Sequence[Frame]) -> DeclaringFrame:
    """Return the frame that declares the tools of the document: one of the leading system frames."""
    for index, frame in enumerate(frames):
        if read_speaker(frame.header).role != "system" or frame.last:
            break
        if may_declare_tools(frame) and (contents := read_frame(frame, declares=True)).tools is not None:
            return DeclaringFrame(index, contents)
    return DeclaringFrame()


def family_of(frames: Sequence[Frame], declared: DeclaringFrame, tail: str) -> Family | None:
    """Return the family that wrote a text; None for ChatML without markup.

    Args:
        frames: all frames of the text.
        declared: the frame that declares the tools.
        tail: the text after the last frame.
    """
    evidence = list(_evidence(frames, declared))
    if not evidence and ends_turn(tail):
        return FAMILIES[HYPERCLOVA]
    if not evidence:
        return _family_opening(frames[-1]) if frames and is_open_turn(frames[-1]) else None
    candidates = _candidates(evidence)
    best, score = _best(candidates, evidence)
    if score == _full_score(evidence) or len(candidates) == 1 or candidates == _families_declaring(evidence):
        return best
    return _best(list(FAMILIES.values()), evidence)[0]


def _family_opening(frame: Frame) -> Family | None:
    """Return the family that wrote the open turn of a text without other markup; None for ChatML without markup."""
    dialect = _own_dialect(frame) or ("hermes" if frame.body else None)
    return None if dialect is None else FAMILIES[dialect]


def _evidence(frames: Sequence[Frame], declared: DeclaringFrame) -> Iterator[Evidence]:
    """Yield the frames with markup."""
    schemas = NO_SCHEMAS
    final = len(frames) - 1 - (frames != [] and is_open_turn(frames[-1]))
    for index, frame in enumerate(frames):
        contents: Contents | None = None
        if index == declared.at:
            contents = declared.contents
        elif may_be_marked(frame) and not is_open_turn(frame):
            contents = read_frame(frame, schemas=schemas)
        if contents is not None:
            schemas = schemas_of(contents.tools) if contents.tools else schemas
            if contents.tools is not None or _is_marked(frame, contents):
                yield Evidence(frame, contents, index == final, _is_usual(frame, contents))


def _is_usual(frame: Frame, contents: Contents) -> bool | None:
    """Return whether a body that declares tools is written again as it is; None for any other body."""
    if contents.tools is None:
        return None
    # The words around the tools are those of the declaration, or no family's.
    return contents.declaration is not None and body_of(contents, FAMILIES["hermes"]) == frame.body


def _is_marked(frame: Frame, contents: Contents) -> bool:
    """Return whether a frame has markup: ChatML without markup would read something else."""
    speaker = read_speaker(frame.header)
    if _own_dialect(frame) is not None:
        return True
    if speaker.role == "assistant":
        return contents.opening != "" or [each.content for each in contents.messages] != [restore(frame.body)]
    return contents.messages[0].role == "tool" and begins(frame.body)


class Score(NamedTuple):
    """How many frames a family would write as they are. The bodies decide, and among equals the headers.

    Attributes:
        bodies: how many bodies.
        headers: how many headers.
    """

    bodies: int
    headers: int


def _best(families: Sequence[Family], evidence: Sequence[Evidence]) -> tuple[Family, Score]:
    """Return the family with the best score, the first of several, and the score."""
    best, best_score = families[0], Score(-1, -1)
    for family in families:
        score = _score(family, evidence)
        if score > best_score:
            best, best_score = family, score
        if score == _full_score(evidence):
            break
    return best, best_score


def _full_score(evidence: Sequence[Evidence]) -> Score:
    return Score(len(evidence), len(evidence))


def _score(family: Family, evidence: Sequence[Evidence]) -> Score:
    bodies = headers = 0
    for frame, contents, closing, is_usual in evidence:
        bodies += frame.body == body_of(contents, family, closing=closing) if is_usual is None else is_usual
        headers += frame.header == header_of(contents, family)
    return Score(bodies, headers)


def _families_declaring(evidence: Sequence[Evidence]) -> list[Family]:
    """Return the families that declare tools as these frames do."""
    contents = next((each.contents for each in evidence if each.contents.declaration is not None), None)
    if contents is None or contents.declaration is None:
        return []
    declaration, tools = contents.declaration, contents.tools or ()
    return [family for family in FAMILIES.values() if _declares_alike(family.declaration, declaration, tools)]


def _declares_alike(one: Declaration, other: Declaration, tools: Sequence[Tool]) -> bool:
    """Return whether two declarations write the same text for some tools; their lists may differ for others."""
    same_words = one._replace(tools=other.tools) == other
    return one == other or (same_words and one.tools.write(tools) == other.tools.write(tools))


def _candidates(evidence: Sequence[Evidence]) -> list[Family]:
    """Return the families that may have written the frames, by the tools or the first call in them."""
    if families := _families_declaring(evidence):
        return families
    own = [FAMILIES[dialect] for each in evidence if (dialect := _own_dialect(each.frame)) is not None]
    if own:  # only a family with frames for thoughts can hold an empty one
        return [max(own, key=lambda family: family.apart is not None)]
    for each in evidence:
        if any(map(is_call, each.contents.messages)):
            markup = markup_of(each.frame.body)
            return [family for family in FAMILIES.values() if family.calls == markup]
    return list(FAMILIES.values())
