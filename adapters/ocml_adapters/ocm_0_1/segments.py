"""What a body is made of: texts, and what the tokens between them mean (§4, §6, §7, §8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ocml_bridge.loss import FindingCode
from ocml_bridge.model import FileBreak, Flags, Infill, Part, Text, Tools, replace

from .syntax import Kind


@dataclass(slots=True)
class Block:
    """A thought block (§4); `closed` where its end token is there, `glued` to the block before it."""

    kind: Kind
    text: str
    closed: bool = True
    glued: bool = False


@dataclass(slots=True)
class Call:
    """A function call (§8.2): the arguments as they are written, and whether that is JSON."""

    name: str
    arguments: str
    is_json: bool


@dataclass(slots=True)
class Output:
    """A function's response (§8.3): a string's text, or the JSON as it is written."""

    name: str
    content: str


Segment = Part | Block | Call | Output
Note = tuple[FindingCode, str]

LINES: Final = (FileBreak, Tools, Block, Call, Output)
"""What stands on a line of its own."""
TAGS: Final = (Flags, Tools, Block, Call, Output)
"""What white space may stand beside without being text."""


def after_newline(text: str) -> str:
    """Text without the newline that it begins with."""
    return text[2:] if text.startswith("\r\n") else text[1:] if text.startswith("\n") else text


def before_newline(text: str) -> str:
    """Text without the newline that it ends with."""
    return text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith("\n") else text


def is_separator(left: Segment | None, right: Segment | None) -> bool:
    """Whether white space between two segments (None for an edge of the body) separates them and says nothing."""
    ends = [end for end in (left, right) if end is not None]
    return bool(ends) and all(isinstance(end, TAGS) for end in ends)


def tidy(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Parts of one message or completion as `scan` gives them back.

    Empty ones go, flags side by side are one run, text behind an infill belongs to its last section, and white space
    that would only separate is no text.
    """
    merged = _merged(parts)
    left: list[Part] = []
    for index, part in enumerate(merged):
        ends = (merged[index - 1] if index else None, merged[index + 1] if index + 1 < len(merged) else None)
        if not (isinstance(part, Text) and part.text.isspace() and is_separator(*ends)):
            left.append(part)
    return merged if len(left) == len(merged) else _merged(tuple(left))


def _merged(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    out: list[Part] = []
    for part in parts:
        last = out[-1] if out else None
        if part in _EMPTY:
            continue
        if isinstance(part, Text) and isinstance(last, Infill):
            out[-1] = replace(last, suffix=last.suffix + part.text)
        elif isinstance(part, Text) and isinstance(last, Text):
            out[-1] = Text(last.text + part.text)
        elif isinstance(part, Flags) and isinstance(last, Flags):
            out[-1] = Flags(last.flags + part.flags)
        elif isinstance(part, Infill):
            out.append(Infill(part.prefix, part.middle or None, part.suffix))
        else:
            out.append(part)
    return tuple(out)


_EMPTY: Final = (Text(""), Flags(()))
