"""What a document is: a conversation, or a text to be completed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from .message import Message
from .parts import ByFormat, Content, Json, Tool
from .settings import Settings

_STRICT: dict[str, str] = {"extra": "forbid"}


@dataclass(slots=True)
class Header:
    """A document header (OCM 2.2 §2), without the settings that stand in it.

    Attributes:
        version: as text; `2.10` is not `2.1`.
        extras: unknown keys, kept.
        layout: by format id, the raw text with its comments.
    """

    version: str | None = None
    capabilities: Json = None
    profiles: Json = None
    extras: dict[str, Json] | None = None
    layout: ByFormat | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


@dataclass(slots=True)
class Alternative:
    """Another way in which a conversation goes on.

    Attributes:
        messages: what is said instead.
        at: the index of the transcript's message from which on they stand instead of the others.
        label: what it is: `choice` of several answers, `rejected` or `chosen` of a preference.
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
        tools: those declared outside any message; None where nothing is said of tools, () where it is said that there
            are none.
        alternatives: other ways in which it goes on; None where nothing is said of any.
        settings: what is asked of the engine, and what an answer tells of it; None where nothing is said.
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
    """What is not a conversation: fill-in-the-middle and file sequences, in order (OCM 0.1 §6, §7)."""

    content: Content
    layout: ByFormat | None = None
    extras: ByFormat | None = None
    type: Literal["completion"] = "completion"
    __pydantic_config__: ClassVar[dict[str, str]] = _STRICT


Document = Transcript | Completion
