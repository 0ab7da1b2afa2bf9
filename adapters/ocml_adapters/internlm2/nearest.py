"""What InternLM2-Chat can hold of a message: text, calls, replies, and declared tools."""

from __future__ import annotations

from typing import Final

from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tools, replace
from ocml_bridge.narrowing import drop_message, narrow
from ocml_bridge.text.plain import message
from ocml_bridge.turns import is_call, name_of, recipient_of
from ocml_bridge.visibility import is_private

from .calls import constraint_of
from .syntax import ENVIRONMENT, PYTHON
from .tools import declares, normal, tools_of

TARGET: Final = "internlm2"


def nearest(source: Message, index: int, log: Log) -> Message | None:
    """The message with its content as a text or declared tools; None for private reasoning, which is reported.

    Args:
        source: any message.
        index: its index in the document.
        log: takes what is lost.
    """
    if is_private(source):
        drop_message(log, index, f"{TARGET} has no place for private reasoning")
        return None
    if isinstance(source.content, str):
        return source
    if declares(source):
        return declaring(source)
    return replace(source, content=narrow(source.content, (), f"/messages/{index}/content", log, target=TARGET))


def declaring(source: Message) -> Message:
    """A message of declared tools."""
    tools = tuple(map(normal, tools_of(source)))
    return Message("system", (Tools(tools),), layout=source.layout, extras=source.extras)


def turn(source: Message, content: str) -> Message:
    """A message of text as it stands in its frame: a call, a reply, or what somebody says."""
    role, name = "tool" if source.role == ENVIRONMENT else source.role, source.name
    if role == "tool" and name is not None:
        name = canonical(name)
    made = message(role, content, name, None if source.end is None else "end")
    made.continues = source.continues
    made.layout, made.extras = source.layout, source.extras
    return _called(made, source) if is_call(source) else made


def _called(made: Message, source: Message) -> Message:
    recipient = canonical(source.recipient or "")
    code = recipient == PYTHON and source.constraint is None
    return replace(
        made,
        channel="commentary",
        recipient=recipient,
        constraint=None if code else constraint_of(str(made.content)),
        end=None if source.end is None else "call",
    )


def canonical(recipient: str) -> str:
    """A recipient as it is read back."""
    return recipient_of(name_of(recipient))


def opened(source: Message) -> Message:
    """An open turn with what InternLM2-Chat says of it."""
    return replace(turn(source, ""), channel=None, recipient=None, end=None, continues=False)
