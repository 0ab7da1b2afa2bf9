"""Return the nearest message that OpenChatML 0.1 can hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from ocml_bridge.chat.turns import content_of, is_call, parts_of
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.loss import Log, LossCode, Severity, is_element
from ocml_bridge.model import Content, FileBreak, Flags, Infill, Message, Part, Text, Thought, Tools
from ocml_bridge.report.narrowing import narrow
from ocml_bridge.text.attributes import unsafe_as
from ocml_bridge.text.plain import name_for_header, name_from_header, safe_role

from .body import canonical_name
from .segments import tidy
from .syntax import ALIASES, HOME
from .tools import fit_tools

_RAW: Final = (Infill, FileBreak)
_HOLDS: Final[dict[str, tuple[type[Part], ...]]] = {"system": (*_RAW, Flags, Tools), "tool": ()}


def nearest(source: Message, path: str, log: Log) -> Message | None:
    """The nearest message that the format can hold; None where it has no place for it, which is reported.

    What follows from its frame is not in it yet: the channel of an assistant's text, the constraint of arguments.

    Args:
        source: any message.
        path: where it stands in the document.
        log: takes what is lost.
    """
    if has_no_place(source):
        log.lose(LossCode.MESSAGE, path, f"{HOME} has private reasoning of the assistant only")
        return None
    made = bare(source, path, log)
    made.continues = source.continues
    if source.end is None:
        made.end = None
    made.layout, made.extras = source.layout, source.extras
    return made


def has_no_place(source: Message) -> bool:
    """Whether a message is private, and not the assistant's: only thoughts of the assistant's have a place."""
    return role_for(source.role) != "assistant" and is_private(source)


@lru_cache(maxsize=1024)
def role_for(role: str) -> str:
    """A role as it is written and read back (decision 20)."""
    safe = safe_role(role)
    return ALIASES.get(safe, safe)


def bare(source: Message, path: str, log: Log) -> Message:
    """The nearest message where it has ended and stands alone, without what it remembers.

    Args:
        source: one that has a place.
        path: where it stands in the document.
        log: takes what is lost.
    """
    role, at = role_for(source.role), f"{path}/content"
    if role == "tool":
        name = canonical_name(source.name) if source.name else None
        return Message("tool", narrow(source.content, (), at, log, target=HOME), name, "commentary", "assistant")
    name = unsafe_as("_", source.name) if source.name else None
    if is_call(source):
        assert source.recipient is not None
        arguments = narrow(source.content, (), at, log, target=HOME)
        return Message(role, arguments, name, "commentary", canonical_name(source.recipient), end="call")
    if is_private(source):
        return Message(role, _thought(source.content, at, log), name, "analysis")
    content = _narrowed(source.content, _HOLDS.get(role, _RAW), at, log)
    return Message(role, content, name, "final" if role == "assistant" else None)


def _narrowed(content: Content, holds: tuple[type[Part], ...], path: str, log: Log) -> Content:
    if isinstance(content, str):
        return content
    notes = Log()
    narrowed = parts_of(narrow(content, holds, path, notes, target=HOME))
    parts = tidy(tuple(fit_tools(part) if isinstance(part, Tools) else part for part in narrowed))
    _pass_on(notes, path, len(content), len(parts), log)
    return content_of(parts)


def _pass_on(notes: Log, path: str, before: int, after: int, log: Log) -> None:
    """Pass on what was noted of content; where parts were joined it differs as a whole, and no place inside it does."""
    joined = before - sum(is_element(loss.path) for loss in notes.losses) != after
    log.losses += [loss for loss in notes.losses if not joined or loss.path == path or is_element(loss.path)]


def _thought(content: Content, path: str, log: Log) -> Content:
    """A thought's content: each text behind the marker of its kind, which is `reason` where none is named."""
    if isinstance(content, str):
        parts: tuple[Part, ...] = (Text(content),) if content else ()
    else:
        notes = Log()
        narrowed = parts_of(narrow(content, (Thought,), path, notes, target=HOME))
        parts = tuple(part for part in narrowed if part != Text(""))
        _pass_on(notes, path, len(content), len(parts), log)
    if parts and isinstance(parts[0], Thought):
        return parts
    log.lose(LossCode.THOUGHT, path, f"{HOME} writes a thought without a kind as 'reason'", Severity.LAYOUT)
    return (Thought("reason"), *parts)


def opened(turn: Message) -> Message:
    """The nearest open turn."""
    role, name = role_for(turn.role), unsafe_as("_", turn.name) if turn.name else None
    if role == "tool":
        name = name_from_header(role, name_for_header(role, turn.name))
    return Message(role, "", name, end=None, layout=turn.layout, extras=turn.extras)
