"""One message of the canonical form: one role, one channel, one body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from .parts import ByFormat, CacheMark, Content

Ending = Literal["end", "call", "return"]


@dataclass(slots=True)
class Signature:
    """What a vendor gives with a thought or a call, and asks to have back with it as it was.

    Attributes:
        value: a text that only its vendor can read.
        vendor: whose it is: `anthropic`, `google`, `openai`; None where the source does not say.
        sealed: whether it is the thought itself, encrypted; the content is then a summary of it, or empty.
    """

    value: str
    vendor: str | None = None
    sealed: bool = False
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(slots=True)
class Message:
    """One message. It has one channel; a tool call is a message, a thought is a message on `analysis`.

    Attributes:
        role: system, developer, user, assistant or tool; an unknown one is kept as it is.
        content: one text as `str`, or a tuple of parts.
        name: the speaker's; for role tool, the tool's with its namespace (`functions.get_weather`).
        channel: analysis, commentary, final, or None where the source names none (that is not `final`).
        recipient: whom it is for: `functions.get_weather` in a call, `assistant` in a reply.
        call_id: what joins a call and its reply; None where the format has none. Never invented by a reader.
        intent: OCM 2.2 §6: preamble, status or debug.
        content_type: a hint at what the body is (`json`, `code`), without effect.
        constraint: what the body must be (`<|constrain|>json`).
        end: how it ended; None means that it was cut off.
        continues: whether it belongs to the wire message of the message before it, in formats that nest.
        failed: of a tool's reply, whether it reports an error; None where the source does not say.
        weight: how much the message counts in training; None where the source does not say. 0 is not None.
        extras: by format id, what only that format can say.
        layout: by format id, how that format spelled it.
        signature: of a thought or a call, what its vendor signed it with.
        cache: of a call or a reply, a mark behind it; a text has it at its part.
    """

    role: str
    content: Content
    name: str | None = None
    channel: str | None = None
    recipient: str | None = None
    call_id: str | None = None
    intent: str | None = None
    content_type: str | None = None
    constraint: str | None = None
    end: Ending | None = "end"
    continues: bool = False
    failed: bool | None = None
    weight: int | float | None = None
    extras: ByFormat | None = None
    layout: ByFormat | None = None
    signature: Signature | None = None
    cache: CacheMark | None = None
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}
