"""What makes a model's prompt of a request, and which of a request's settings a prompt may say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..loss import Loss
from ..model import AnswerFormat, Settings, Tool, ToolChoice, Transcript, replace
from ..model.settings import SERVICE

if TYPE_CHECKING:
    from .guidance import MakeGuide

ENGINE: Final = (
    *("model", "temperature", "top_p", "top_k", "min_p", "seed", "n", "stop", "max_tokens", "usage"),
    *("presence_penalty", "frequency_penalty", "repetition_penalty"),
    *SERVICE,
)
"""Sampling, limits and bookkeeping: no part of the conversation, and none of a prompt's business."""
DEFAULTS: Final[dict[str, Any]] = {
    "tool_choice": ToolChoice("auto"),
    "parallel_tool_calls": True,
    "response_format": AnswerFormat("text"),
    "verbosity": "medium",
    "modalities": ("text",),
}
"""What goes without saying."""


def of_prompt(settings: Settings | None) -> Settings | None:
    """What a prompt has to account for of a request's settings; None where that is nothing."""
    if settings is None:
        return None
    silent = [name for name, value in DEFAULTS.items() if getattr(settings, name) == value]
    left = replace(settings, **dict.fromkeys((*ENGINE, *silent)))
    return None if left == Settings() else left


class Profiled(NamedTuple):
    """A conversation as a model is prompted with it.

    Attributes:
        transcript: the messages of the prompt; of the settings, those that the profile does not account for.
        losses: what became of the request that the prompt does not say as the request does, by paths into the request.
        origins: for each message, the path of the request's that it is; for one that is made, of what it is made
            from, "" for nothing.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]


class HostedTool(NamedTuple):
    """A tool that a request wants, and that whoever runs the model runs as well.

    Attributes:
        kind: what the request calls it.
        path: where it does so.
        says_more: whether it says more of it than that.
    """

    kind: str
    path: str
    says_more: bool = False


MakePrompt = Callable[[Transcript, str | None, Sequence[HostedTool]], Profiled]
"""Makes a model's prompt of a request, whose settings are those that `of_prompt` leaves, of today's date
(`YYYY-MM-DD`) where it is known, and of the tools of the model's own that are wanted. The turn to come is open in it; a
request without goes on with its last message, or is a line to train on."""

SpellNames = Callable[[Sequence[Tool]], Mapping[str, str]]
"""Of declared tools, by the recipient for the name in the request, the function's name that a model has for it; only
those that differ, and no two alike."""


@dataclass(frozen=True, slots=True, eq=False)
class ChatTemplate:
    """How the models of some families are prompted, in the format that they read: what an adapter says of a profile.

    Attributes:
        make: makes the messages of the prompt.
        families: the models, by the names under which people know them.
        dialect: that the prompt is written in; None for the format's default one.
        sources: by its file's name, the sha256 of each public chat template that the prompts were held to.
        shows_reasoning: whether `make` tells which earlier reasoning is shown; else that of turns that ended in a final
            answer is dropped before.
        reads_with_tools: whether the declared tools tell what an answer says, such as the types of arguments: then they
            stand in the prefix of its decoder.
        names: how the models call the declared tools; None for just as the request does.
        calls_once: whether a turn of the models ends with its first call, whatever is asked.
        own_tools: what requests call the tools that the models have of their own.
        guide: what an answer looks like that is what a request asks for; None where engines cannot be told.
    """

    make: MakePrompt
    families: tuple[str, ...]
    dialect: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    shows_reasoning: bool = False
    reads_with_tools: bool = False
    names: SpellNames | None = None
    calls_once: bool = False
    own_tools: frozenset[str] = frozenset()
    guide: MakeGuide | None = None
