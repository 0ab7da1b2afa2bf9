"""Define `ChatTemplate`, which turns a request into a prompt, and the settings of a request that concern a prompt."""

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
"""Settings of the engine: sampling, limits and bookkeeping. They are no part of a prompt."""
DEFAULTS: Final[dict[str, Any]] = {
    "tool_choice": ToolChoice("auto"),
    "parallel_tool_calls": True,
    "response_format": AnswerFormat("text"),
    "verbosity": "medium",
    "modalities": ("text",),
}
"""Settings that have the default value; a prompt need not express them."""


def of_prompt(settings: Settings | None) -> Settings | None:
    """Return the settings that a prompt has to express, or None if there are none."""
    if settings is None:
        return None
    defaults = [name for name, value in DEFAULTS.items() if getattr(settings, name) == value]
    left = replace(settings, **dict.fromkeys((*ENGINE, *defaults)))
    return None if left == Settings() else left


class Profiled(NamedTuple):
    """The document of a prompt.

    Attributes:
        transcript: the messages of the prompt; its settings are those that the template could not express.
        losses: what of the request is lost or changed in the prompt, by paths into the request.
        origins: for each message, the path of the message in the request; for a message that the template added, the
            path of what it is made from, "" for nothing.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]


class HostedTool(NamedTuple):
    """A tool that a request declares and that the model's server runs, such as a browser.

    Attributes:
        kind: its type in the request.
        path: its path in the request.
        says_more: whether the request gives parameters for it.
    """

    kind: str
    path: str
    says_more: bool = False


MakePrompt = Callable[[Transcript, str | None, Sequence[HostedTool]], Profiled]
"""Makes the document of a prompt.

It is called with the request, whose settings are those that `of_prompt` leaves; with today's date (`YYYY-MM-DD`) or
None; and with the hosted tools that the request declares. If the request has no open turn, then its last message is to
be continued, or the result is a line to train on.
"""

SpellNames = Callable[[Sequence[Tool]], Mapping[str, str]]
"""Returns the model's name for each declared tool, by the recipient of its calls in the request; only names that
differ, and no name twice."""


@dataclass(frozen=True, slots=True, eq=False)
class ChatTemplate:
    """How models of some families are prompted, in the format of the adapter.

    Attributes:
        make: makes the document of the prompt.
        families: the names of the models.
        dialect: the dialect of the prompt; None for the format's default one.
        sources: the sha256 of each public chat template that the prompts were compared with, by file name.
        shows_reasoning: whether `make` decides which earlier reasoning is shown; if not, the reasoning of turns that
            ended in a final answer is dropped before.
        reads_with_tools: whether reading an answer needs the declared tools, for example the types of arguments; then
            they are in the prefix of its decoder.
        names: returns the models' names for the declared tools; None for the names of the request.
        calls_once: whether a turn of the models always ends with its first call.
        own_tools: the types, in requests, of the tools that are built into the models.
        guide: describes the valid answers to a request; None if the format has no description of them.
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
