"""What an answer may be, for engines that hold a model to it: frames in order, in no engine's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..model import Json

OBJECT: Final[Json] = {"type": "object"}
"""Any JSON object."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks an answer to be.

    Attributes:
        calls: the functions that may be called: the name that the model has for each, and the schema of its arguments.
        must_call: whether one of them has to be called.
        several: whether more than one call may be made.
        answer: the JSON Schema of the answer in words; None for any text.
        prefill: the text that the prompt has begun the answer with, its header included; "" where it is no text.
    """

    calls: tuple[tuple[str, Json], ...] = ()
    must_call: bool = False
    several: bool = True
    answer: Json = None
    prefill: str = ""


@dataclass(frozen=True, slots=True)
class Members:
    """How an object is written whose members stand one behind another. A value is JSON, but for a text.

    Attributes:
        before: what stands before a name.
        behind: what stands between a name and its value.
        end: what stands behind a value.
        between: what stands between two members.
        quote: what stands around a text, in which it is escaped by a backslash; "" for a text as it is.
        forbidden: what a text as it is does not hold.
    """

    before: str
    behind: str
    end: str = ""
    between: str = ""
    quote: str = ""
    forbidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """A stretch of an answer.

    Attributes:
        begin: the text that it begins with, control tokens included.
        schema: of the JSON that it holds; None for any text that has no `end` in it.
        end: the text that it ends with; "" for the end of the answer, with whatever token the model ends it.
        members: how the object is written that follows the schema; None for JSON.
    """

    begin: str
    schema: Json = None
    end: str = ""
    members: Members | None = None


@dataclass(frozen=True, slots=True)
class Several:
    """Frames one behind another, at least one.

    Attributes:
        frames: those that may stand there, as often as they like.
        between: what stands between two.
        begin: what stands before the first.
        end: what stands behind the last.
        only_one: whether there is but one.
    """

    frames: tuple[Frame, ...]
    between: str = ""
    begin: str = ""
    end: str = ""
    only_one: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """Any text to the end of the answer, and in it, where a text stands, frames that begin with it.

    Attributes:
        trigger: the text; nothing else that begins with it stands there.
        frames: those that do; None for none.
    """

    trigger: str
    frames: Several | None = None


Stretch = Frame | Several | Text


@dataclass(frozen=True, slots=True)
class Step:
    """One of some stretches.

    Attributes:
        choices: those that may stand here.
        optional: whether none of them need stand here.
    """

    choices: tuple[Stretch, ...]
    optional: bool = False


Guide = tuple[Step, ...]
"""An answer: its steps in order."""
MakeGuide = Callable[[Wanted], Guide | None]
"""Tells what a model's answer looks like that is what is wanted; None where the format has no way to say it."""
