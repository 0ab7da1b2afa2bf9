"""Fit messages to OpenChatML 0.1: return the nearest message that the format can hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ocml_bridge.chat.turns import canonical, content_of, is_call, parts_of
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Content, FileBreak, Flags, Infill, Message, Part, Text, Thought, Tools
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.attributes import safe
from ocml_bridge.text.plain import name_for_header, name_from_header, safe_role

from .segments import tidy
from .syntax import ALIASES, HOME
from .tools import fit_tools

_RAW: Final = (Infill, FileBreak)
_HOLDS: Final[dict[str, tuple[type[Part], ...]]] = {"system": (*_RAW, Flags, Tools), "tool": ()}


def nearest(source: Message, path: str, log: Log) -> Message | None:
    """Return the nearest message that the format can hold; None if it has no place for the message, which is reported.

    The channel of an assistant's text and the constraint of arguments are not set yet: they depend on the frame.

    Args:
        source: any message.
        path: the JSON pointer of the message.
        log: receives the losses.
    """
    if has_no_place(source):
        log.lose(LossCode.MESSAGE, path, f"{HOME} has private reasoning of the assistant only")
        return None
    message = nearest_whole(source, path, log)
    message.continues = source.continues
    if source.end is None:
        message.end = None
    message.layout, message.extras = source.layout, source.extras
    return message


def has_no_place(source: Message) -> bool:
    """Return whether the format has no place for a message: it is private, and not of the assistant."""
    return role_for(source.role) != "assistant" and is_private(source)


@lru_cache(maxsize=1024)
def role_for(role: str) -> str:
    """Return a role as it is written and read back (decision 20)."""
    safe = safe_role(role)
    return ALIASES.get(safe, safe)


def nearest_whole(source: Message, path: str, log: Log) -> Message:
    """Return the nearest message as if the message had ended and were alone in its frame, without extras and layout.

    Args:
        source: a message that the format has a place for.
        path: the JSON pointer of the message.
        log: receives the losses.
    """
    role, at = role_for(source.role), f"{path}/content"
    if role == "tool":
        name = canonical(source.name) if source.name else None
        return Message("tool", narrow(source.content, (), at, log, target=HOME), name, "commentary", "assistant")
    name = safe(source.name) if source.name else None
    if is_call(source):
        assert source.recipient is not None
        arguments = narrow(source.content, (), at, log, target=HOME)
        return Message(role, arguments, name, "commentary", canonical(source.recipient), end="call")
    if is_private(source):
        return Message(role, _thought(source.content, at, log), name, "analysis")
    content = _narrow(source.content, _HOLDS.get(role, _RAW), at, log)
    return Message(role, content, name, "final" if role == "assistant" else None)


def _narrow(content: Content, holds: tuple[type[Part], ...], path: str, log: Log) -> Content:
    if isinstance(content, str):
        return content
    narrowed = parts_of(narrow(content, holds, path, log, target=HOME))
    return content_of(tidy(tuple(fit_tools(part) if isinstance(part, Tools) else part for part in narrowed)))


def _thought(content: Content, path: str, log: Log) -> Content:
    """Return the content of a thought: texts, each after the marker of its kind; the default kind is `reason`."""
    if isinstance(content, str):
        parts: tuple[Part, ...] = (Text(content),) if content else ()
    else:
        narrowed = parts_of(narrow(content, (Thought,), path, log, target=HOME))
        parts = tuple(part for part in narrowed if part != Text(""))
    if parts and isinstance(parts[0], Thought):
        return parts
    log.lose(LossCode.THOUGHT, path, f"{HOME} writes a thought without a kind as 'reason'", Severity.LAYOUT)
    return (Thought("reason"), *parts)


def nearest_open_turn(turn: Message) -> Message:
    """Return the nearest open turn."""
    role, name = role_for(turn.role), safe(turn.name) if turn.name else None
    if role == "tool":
        name = name_from_header(role, name_for_header(role, turn.name))
    return Message(role, "", name, end=None, layout=turn.layout, extras=turn.extras)
