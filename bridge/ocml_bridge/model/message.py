"""Define a message of the canonical form: one role, one channel, one body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from .parts import ByFormat, CacheMark, Content

Ending = Literal["end", "call", "return"]


@dataclass(slots=True)
class Signature:
    """A vendor's signature of a thought or a call, which the vendor requires unchanged in later requests.

    Attributes:
        value: a text that only the vendor can read.
        vendor: the vendor: `anthropic`, `google`, `openai`; None if the source does not say.
        sealed: whether it is the encrypted thought itself; the content is then a summary of it, or empty.
    """

    value: str
    vendor: str | None = None
    sealed: bool = False
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(slots=True)
class Message:
    """One message. It has one channel; a tool call is a message, a thought is a message on `analysis`.

    Attributes:
        role: system, developer, user, assistant or tool; an unknown role is kept as it is.
        content: one text as `str`, or a tuple of parts.
        name: the name of the speaker; for role tool, the tool's name with its namespace (`functions.get_weather`).
        channel: analysis, commentary, final, or None if the source names none (that is not `final`).
        recipient: to whom the message is addressed: `functions.get_weather` in a call, `assistant` in a reply.
        call_id: the id that joins a call and its reply; None if the format has none. Readers never invent it.
        intent: preamble, status or debug (OCM 2.2 §6).
        content_type: a hint at the type of the body (`json`, `code`), without effect.
        constraint: what the body must be (`<|constrain|>json`).
        end: how the message ended; None if it was cut off.
        continues: whether it belongs to the same wire message as the message before it, in nested formats.
        failed: in a tool's reply, whether it reports an error; None if the source does not say.
        weight: the weight of the message in training; None if the source does not say. 0 is not None.
        extras: what only one format can express, by format id.
        layout: how a format spelled the message, by format id.
        signature: the vendor's signature of a thought or a call.
        cache: the cache mark after a call or a reply; texts have it on their part.
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
