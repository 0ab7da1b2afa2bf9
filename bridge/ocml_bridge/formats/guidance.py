"""Describe the valid answers to a request, for engines with guided decoding.

A format turns what a request requires (`Wanted`) into the frames that an answer consists of (`Guide`). The drivers of
the gateway translate that into the grammar of an engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..model import Json

OBJECT: Final[Json] = {"type": "object"}
"""Any JSON object."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request requires of an answer.

    Attributes:
        calls: the functions that may be called: the model's name of each, and the JSON Schema of its arguments.
        must_call: whether the answer has to call one of them.
        several: whether the answer may have more than one call.
        answer: the JSON Schema of the final text; None for any text.
        prefill: the beginning of the answer that is in the prompt, with its header; "" if the format is not text.
    """

    calls: tuple[tuple[str, Json], ...] = ()
    must_call: bool = False
    several: bool = True
    answer: Json = None
    prefill: str = ""


@dataclass(frozen=True, slots=True)
class Members:
    """How a format writes an object member by member. Values are JSON, except for strings.

    Attributes:
        before: the text before a name.
        behind: the text between a name and its value.
        end: the text after a value.
        between: the text between two members.
        quote: the quote around a string, which a backslash escapes inside it; "" for strings without quotes.
        forbidden: texts that a string without quotes must not contain.
    """

    before: str
    behind: str
    end: str = ""
    between: str = ""
    quote: str = ""
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of an answer.

    Attributes:
        begin: the text that it begins with, control tokens included.
        schema: the JSON Schema of its body; None for any text that does not contain `end`.
        end: the text that it ends with; "" if the answer ends there, with any token of the model.
        members: how the object of the body is written; None for JSON.
    """

    begin: str
    schema: Json = None
    end: str = ""
    members: Members | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """A sequence of frames, at least one.

    Attributes:
        frames: the frames that may occur, each any number of times.
        between: the text between two frames.
        begin: the text before the first frame.
        end: the text after the last frame.
        only_one: whether there is exactly one frame.
    """

    frames: tuple[Frame, ...]
    between: str = ""
    begin: str = ""
    end: str = ""
    only_one: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Any text to the end of the answer. At a trigger in it, a frame begins.

    Attributes:
        trigger: the text that all of the frames begin with; it occurs only as the beginning of one.
        frames: the frames; None if the text must not contain the trigger.
    """

    trigger: str
    frames: Several | None = None


Stretch = Frame | Several | Text
"""A part of an answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """A choice between parts of an answer.

    Attributes:
        choices: the parts, of which one occurs here.
        optional: whether the answer may also have none of them here.
    """

    choices: tuple[Stretch, ...]
    optional: bool = False


Guide = tuple[Step, ...]
"""The valid answers: their steps in order."""
MakeGuide = Callable[[Wanted], Guide | None]
"""Returns the valid answers of a model for what a request requires; None if they cannot be described."""
