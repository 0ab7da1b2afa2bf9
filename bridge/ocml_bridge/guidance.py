"""What an answer may be, for engines that hold a model to it: frames in order, in no engine's words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .model import Json

OBJECT: Final[Json] = {"type": "object"}
"""Any JSON object."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a request asks an answer to be.

    Attributes:
        calls: the functions that may be called: the name that the model has for each, and the schema of its arguments.
        must_call: whether one of them has to be called.
        answer: the JSON Schema of the answer in words; None for any text.
    """

    calls: tuple[tuple[str, Json], ...] = ()
    must_call: bool = False
    answer: Json = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A stretch of an answer.

    Attributes:
        begin: the text that it begins with, control tokens included.
        schema: of the JSON that it holds; None for any text that has no `end` in it.
        end: the text that it ends with; "" for the end of the answer, with whatever token the model ends it.
    """

    begin: str
    schema: Json = None
    end: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One of some frames.

    Attributes:
        frames: those that may stand here.
        optional: whether none of them need stand here.
    """

    frames: tuple[Frame, ...]
    optional: bool = False


Guide = tuple[Step, ...]
"""An answer: its steps in order."""
MakeGuide = Callable[[Wanted], Guide | None]
"""Tells what a model's answer looks like that is what is wanted; None where the format has no way to say it."""
