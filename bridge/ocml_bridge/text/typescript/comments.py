"""Parse the comments of a property and of a variant: title, description, examples and default.

Comments are free text, so their shape decides: a line of `//` only ends a title; `// Examples:` begins examples if only
quoted lines follow. Anything else is the description.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .defaults import UnreadableError, read_default

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ocml_bridge.model import Json

_DEFAULT = " default: "
_EXAMPLES = "Examples:"


def read_notes(lines: list[str], margin: str, *, of_union: bool) -> dict[str, Json]:
    """Parse the comment above a property.

    Args:
        lines: the whole lines; the first begins with `margin` and `//`, others may continue a description.
        margin: the spaces before the property.
        of_union: whether the property is a `oneOf`: its examples come before its description, not after it, and its
            default is the last line.

    Returns:
        The members of the schema that the comment has: `title`, `description`, `examples`, `default`.

    Raises:
        UnreadableError: if the renderer cannot have written the comment.
    """
    notes: dict[str, Json] = {}
    prefix = f"{margin}// "
    lines = _take_title(lines, prefix, notes)
    if of_union:
        lines = _take_union_default(lines, prefix, notes)
    lines = _take_examples(lines, prefix, notes, first=of_union)
    if lines:
        if not lines[0].startswith(prefix):
            raise UnreadableError  # a comment without a space after its slashes
        notes["description"] = "\n".join(lines)[len(prefix) :]
    return notes


def read_variant_notes(comment: str, enum: Sequence[str]) -> dict[str, Json]:
    """Parse the comment after a variant: `description default: value`, each optional."""
    description, mark, value = f" {comment}".rpartition(_DEFAULT)
    if mark:
        try:
            default = read_default(value, enum)
        except UnreadableError:
            return {"description": comment}
        return {"description": description[1:], "default": default} if description else {"default": default}
    return {"description": comment}


def _take_title(lines: list[str], prefix: str, notes: dict[str, Json]) -> list[str]:
    """Take the title, which ends before a line of slashes only; return the other lines."""
    rule = prefix[:-1]
    if rule not in lines:
        return lines
    place = lines.index(rule)
    rest = lines[place + 1 :]
    if place == 0 or not lines[0].startswith(prefix) or (rest and not rest[0].startswith(prefix)):
        return lines
    notes["title"] = "\n".join(lines[:place])[len(prefix) :]
    return rest


def _take_union_default(lines: list[str], prefix: str, notes: dict[str, Json]) -> list[str]:
    mark = f"{prefix}{_DEFAULT[1:]}"
    if not lines or not lines[-1].startswith(mark):
        return lines
    try:
        notes["default"] = read_default(lines[-1][len(mark) :], ())
    except UnreadableError:
        return lines
    return lines[:-1]


def _take_examples(lines: list[str], prefix: str, notes: dict[str, Json], *, first: bool) -> list[str]:
    """Take the examples: quoted lines after their heading, at the beginning or the end; return the other lines."""
    heading, mark = f"{prefix}{_EXAMPLES}", f'{prefix}- "'

    def is_example(line: str) -> bool:
        return len(line) > len(mark) and line.startswith(mark) and line.endswith('"')

    if first:
        start, stop = 1, 1
        while stop < len(lines) and is_example(lines[stop]):
            stop += 1
    else:
        start, stop = len(lines), len(lines)
        while start > 0 and is_example(lines[start - 1]):
            start -= 1
    if start == stop or start == 0 or lines[start - 1] != heading:
        return lines
    notes["examples"] = [line[len(mark) : -1] for line in lines[start:stop]]
    return lines[: start - 1] + lines[stop:]
