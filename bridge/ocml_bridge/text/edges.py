"""Store how a frame was spelled in the layout of its message, and use it again when the message is written.

The reader compares the frame with the one that the writer would write, and stores the fields that differ (`remember`).
The writer uses a stored field only if it still means the same (`recall`), because the document may have been edited,
and its layout may come from elsewhere.
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
Notes = tuple[dict[str, Json], dict[str, Json]]
"""What layout keeps, and what extras keep."""
_values_of: Final = attrgetter(*_FIELDS)


def is_trivia(gap: str) -> bool:
    """Return whether a text outside frames has no meaning: it is white space, or tokens such as BOS and EOS."""
    return EDGES.is_trivia(gap)


def gap_behind(before: Frame | None) -> str:
    """Return the default gap after a frame: a newline if the frame has an end token, else nothing.

    Args:
        before: the frame before the gap; None at the beginning of the text.
    """
    return "\n" if before is not None and before.end else ""


def may_stand(gap: str, grammar: Grammar | None, before: Frame | None) -> bool:
    """Return whether a text is read back as a gap.

    Args:
        gap: the text.
        grammar: the grammar that splits the text; None if tokens and text cannot be confused.
        before: the frame before the gap; None at the beginning of the text.
    """
    if before is not None and not before.end:
        return gap == ""
    if grammar is None:
        return True
    if before is not None and before.end in grammar.closers:
        return not gap.strip()
    return not grammar.opens(gap) and not (before is None and gap.startswith("\ufeff"))


def remember_tail(tail: str, default: str) -> Notes:
    """Return the notes about the text after the last frame: none if it is the default, else as for a gap."""
    if tail == default:
        return {}, {}
    note: dict[str, Json] = {"tail": tail}
    return (note, {}) if is_trivia(tail) else ({}, note)


def recall_tail(notes: Mapping[str, Json], default: str, grammar: Grammar | None, last: Frame | None) -> str:
    """Return the stored text after the last frame if it is read back there, else the default."""
    raw = notes.get("tail")
    if isinstance(raw, str) and may_stand(raw, grammar, last) and (last is not None or not raw.strip()):
        return raw
    return default


def remember(frame: Frame, default: Frame) -> Notes:
    """Return the fields of a frame that differ from the default frame, as layout and as extras.

    A gap that has a meaning and a header with unknown attributes go to the extras, everything else to the layout.

    Args:
        frame: the frame as it was read.
        default: the frame that the writer would write.
    """
    layout: dict[str, Json] = {}
    extras: dict[str, Json] = {}
    values, defaults = _values_of(frame), _values_of(default)
    if values == defaults:
        return layout, extras
    for field, value, default_value in zip(_FIELDS, values, defaults, strict=True):
        if value == default_value:
            continue
        has_meaning = (field == "gap" and not is_trivia(value)) or (field == "header" and read_header(value).rest != ())
        (extras if has_meaning else layout)[field] = value
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
    """Return the default frame with each stored field that still means the same.

    Args:
        default: the frame that the writer would write.
        layout: the stored fields of the message.
        grammar: the grammar that splits the text; None if tokens and text cannot be confused.
        before: the frame before this one, as it is written; None at the beginning of the text.
        starts: the start tokens that this frame may have.
        ends: the end tokens that this frame may have; "" if it may have none.
        header: returns whether a stored header means the same as the default one.
        body: returns whether a stored body means the same as the default one; None if a body has only one spelling.
    """
    if not layout:
        return default
    end = layout.get("end")
    has_end = end != "" if isinstance(end, str) and end in ends else default.end != ""
    is_open = default.last and not has_end  # a closing token at the end of its body would be read as its end
    fits: dict[str, Callable[[str], bool]] = {
        "gap": lambda raw: may_stand(raw, grammar, before) and (before is None or EDGES.find(raw) < 0),
        "start": starts.__contains__,
        "end": ends.__contains__,
        "header": lambda raw: "\n" not in raw and not (grammar and grammar.cuts(raw)) and header(raw),
        "body": lambda raw: (
            body is not None
            and not (grammar and (grammar.cuts(raw) or (is_open and grammar.closing(raw))))
            and body(raw)
        ),
    }
    changed: dict[str, Json] = {
        field: raw for field, fit in fits.items() if isinstance(raw := layout.get(field), str) and fit(raw)
    }
    newline = layout.get("newline")
    if isinstance(newline, bool) and changed.get("body", default.body) == "":
        changed["newline"] = newline
    return replace(default, **changed) if changed else default
