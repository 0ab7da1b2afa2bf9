"""What a request asks for beside its messages, and what makes a model's prompt of it: values of no format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .loss import Loss
from .model import Json, Transcript


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Which tools the model may call in its answer.

    Attributes:
        mode: none of them; any; at least one.
        names: recipients of the only ones that may be called; () for all that are declared.
    """

    mode: Literal["none", "auto", "required"]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerFormat:
    """The answer is to be JSON.

    Attributes:
        name: of its schema; None where any object will do.
        schema: JSON Schema.
        description: what the answer is for; None for none.
        strict: whether an answer that does not follow the schema is an error.
    """

    name: str | None = None
    schema: Json = None
    description: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Prompting:
    """What a request asks for beside its messages, as far as a prompt may say it. None where nothing is asked.

    Attributes:
        effort: how much to reason, in the request's own word.
        date: today's, `YYYY-MM-DD`. No request has it: it is given by whoever makes the prompt.
        tool_choice: which tools may be called.
        parallel_tool_calls: whether several calls may be made in one turn.
        answer: the form that the answer must have.
        verbosity: how long an answer is wanted: low, medium, high.
        places: by the names of these fields, where in the transcript the request asks for it (JSON pointers).
    """

    effort: str | None = None
    date: str | None = None
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = None
    answer: AnswerFormat | None = None
    verbosity: str | None = None
    places: Mapping[str, str] = field(default_factory=dict[str, str])

    def place(self, name: str) -> str:
        """Where the request asks for a field; "" where it is not the request that does."""
        return self.places.get(name, "")


class Asked(NamedTuple):
    """A request, taken apart.

    Attributes:
        transcript: the conversation, without what is the engine's business (sampling, limits, identifiers).
        prompting: what else is asked for; each is still in the transcript, at its place.
    """

    transcript: Transcript
    prompting: Prompting


class Profiled(NamedTuple):
    """A conversation as a model is prompted with it.

    Attributes:
        transcript: the messages of the prompt.
        losses: what became of the request that the prompt does not say as the request does, by paths into the request.
        origins: for each message, the path of the request's that it is; for one that is made, of what it is made
            from, "" for nothing.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]


Ask = Callable[[Transcript], Asked]
Profile = Callable[[Transcript, Prompting], Profiled]
"""Makes a model's prompt of a request. It answers for everything in `Prompting`: said in the prompt, or reported."""
