"""Define a document: a conversation (`Transcript`), or a text to complete (`Completion`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from .message import Message
from .parts import ByFormat, Content, Json, Tool
from .settings import Settings

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(slots=True)
class Header:
    """A document header (OCM 2.2 §2), without its settings.

    Attributes:
        version: the version as text, because `2.10` is not `2.1`.
        extras: the unknown keys.
        layout: the raw text with its comments, by format id.
    """

    version: str | None = None
    capabilities: Json = None
    profiles: Json = None
    extras: dict[str, Json] | None = None
    layout: ByFormat | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Alternative:
    """An alternative continuation of a conversation.

    Attributes:
        messages: the messages of the alternative.
        at: the index of the first message of the transcript that they replace, with all after it.
        label: the kind of alternative: `choice` for one of several answers, `rejected` or `chosen` for a preference.
    """

    messages: tuple[Message, ...]
    at: int
    label: str
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Transcript:
    """A conversation.

    Attributes:
        tools: the tools that are declared outside of messages; None if the source has no list of tools, () if the list
            is empty.
        alternatives: alternative continuations; None if the source has none.
        settings: the parameters of the request, and data of the answer; None if the source sets none.
        open_turn: the turn that the text leaves open, as a message without content (`<|start|>assistant`).
    """

    messages: tuple[Message, ...] = ()
    tools: tuple[Tool, ...] | None = None
    header: Header | None = None
    settings: Settings | None = None
    open_turn: Message | None = None
    alternatives: tuple[Alternative, ...] | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    type: Literal["transcript"] = "transcript"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Completion:
    """A text to complete, which is not a conversation: fill-in-the-middle and file sequences (OCM 0.1 §6, §7)."""

    content: Content
    layout: ByFormat | None = None
    extras: ByFormat | None = None
    type: Literal["completion"] = "completion"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


Document = Transcript | Completion
