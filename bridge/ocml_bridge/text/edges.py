"""How a frame was spelled where that is not how it would be written: remembered by readers, used again by writers.

A reader and a writer both know the frame that would be written by default; a message keeps only what differs from it
(`remember`). What a message keeps may come from anywhere, so it is used only where it still says the same (`recall`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Final

from ..formats.boundary import EDGES
from ..model import Json
from .im import Frame, Grammar, read_header

_FIELDS: Final = ("gap", "start", "header", "newline", "body", "end")
_EDGES: Final = attrgetter(*_FIELDS)


def is_trivia(gap: str) -> bool:
    """Whether a text outside of frames says nothing: white space, tokens that begin or end a whole text."""
    return EDGES.is_trivia(gap)


def gap_behind(before: Frame | None) -> str:
    """What stands between a frame and the one behind it by default: a newline where it was closed."""
    return "\n" if before is not None and before.end else ""


def may_stand(gap: str, grammar: Grammar | None, before: Frame | None) -> bool:
    """Whether a text can stand behind a frame (or at the beginning) and be read back as what it is."""
    if before is not None and not before.end:
        return gap == ""
    if grammar is None:
        return True
    return not grammar.opens(gap) and not (before is None and gap.startswith("\ufeff"))


def remember(frame: Frame, default: Frame) -> tuple[dict[str, Json], dict[str, Json]]:
    """What layout and what extras must keep of a frame: a text outside of frames and unknown attributes are extras."""
    layout: dict[str, Json] = {}
    extras: dict[str, Json] = {}
    spelled, usual = _EDGES(frame), _EDGES(default)
    if spelled == usual:
        return layout, extras
    for field, value, other in zip(_FIELDS, spelled, usual, strict=True):
        if value == other:
            continue
        says = (field == "gap" and not is_trivia(value)) or (field == "header" and read_header(value).rest != ())
        (extras if says else layout)[field] = value
    return layout, extras


def recall(
    default: Frame,
    layout: Mapping[str, Json],
    *,
    grammar: Grammar | None,
    before: Frame | None,
    starts: Collection[str],
    ends: Collection[str],
    header: Callable[[str], bool],
    body: Callable[[str], bool] | None = None,
) -> Frame:
    """The frame as it was spelled, as far as that still says what the default one says.

    Args:
        default: the frame that would be written.
        layout: how the message was spelled.
        grammar: how the text will be taken apart; None where tokens and text cannot be confused.
        before: the frame before it, as it is spelled.
        starts: start tokens that may stand here.
        ends: end tokens that may stand here; "" for none.
        header: whether a header says the same.
        body: whether a body says the same; None where a body has one spelling only.
    """
    if not layout:
        return default
    text = {field: value for field in _FIELDS if isinstance(value := layout.get(field), str)}
    changed: dict[str, Json] = {}
    gap = text.get("gap")
    if gap is not None and may_stand(gap, grammar, before) and (before is None or EDGES.find(gap) < 0):
        changed["gap"] = gap
    if text.get("start") in starts:
        changed["start"] = text["start"]
    if text.get("end") in ends:
        changed["end"] = text["end"]
    raw = text.get("header")
    if raw is not None and "\n" not in raw and not (grammar and grammar.cuts(raw)) and header(raw):
        changed["header"] = raw
    raw = text.get("body")
    if raw is not None and body is not None and not (grammar and grammar.cuts(raw)) and body(raw):
        changed["body"] = raw
    newline = layout.get("newline")
    if isinstance(newline, bool) and changed.get("body", default.body) == "":
        changed["newline"] = newline
    return replace(default, **changed) if changed else default
