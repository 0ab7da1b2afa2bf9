"""Wire messages of the commonest shapes, read in one step; all others, and what is odd in these, are for the reader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ocml_bridge.model import ByFormat, Json, Message

from .form import Object
from .syntax import CHANNELS, HOME, REASONING, REASONING_TEXTS, TOOL_CALLS
from .tools import is_near, names_no_tool, read_calls

Waiting = dict[str, str | None]
"""Id of a call that no reply has answered yet → the tool that was called."""
Shape = Callable[[Object, list[Message], Waiting], bool]
"""Appends what a wire message says to the messages; gives False, and appends nothing, where it is not that plain."""


def read_plain(wires: list[Json], start: int, messages: list[Message]) -> int:
    """Append what wire messages say, from `start` on and as far as they are plain.

    A reply answers the call with its id; where none waits in this run, it is not plain.

    Returns:
        The index of the first that is not; of none where all are.
    """
    waiting: Waiting = {}
    for at in range(start, len(wires)):
        wire: Any = wires[at]
        keys = tuple(wire) if wire.__class__ is dict else ()
        if keys == _TEXT:
            role, content = wire.values()
            if type(content) is not str or type(role) is not str or role not in CHANNELS:
                return at
            messages.append(Message(role, content, None, CHANNELS[role]))
        elif (shape := _SHAPES.get(keys)) is None or not shape(wire, messages, waiting):
            return at
    return len(wires)


def _reply(wire: Object, messages: list[Message], waiting: Waiting) -> bool:
    role, call_id, content = wire.values()
    if role != "tool" or not (type(content) is type(call_id) is str and content):
        return False
    tool = waiting.pop(call_id, None)
    if tool is None:
        return False
    messages.append(Message("tool", content, tool, "commentary", "assistant", call_id))
    return True


def _thought_and_text(key: str) -> Shape:
    layout = _layout(key)

    def read(wire: Object, messages: list[Message], _: Waiting) -> bool:
        role, text, content = wire.values()
        if role != "assistant" or not (type(text) is type(content) is str and text and content):
            return False
        messages += (
            _thought(text, layout()),
            Message("assistant", content, None, "final", None, None, None, None, None, "end", True),
        )
        return True

    return read


def _thought_and_calls(key: str) -> Shape:
    layout = _layout(key)

    def read(wire: Object, messages: list[Message], waiting: Waiting) -> bool:
        role, text, content, calls = wire.values()
        if role != "assistant" or type(text) is not str or not text:
            return False
        return _append_calls(content, calls, messages, waiting, _thought(text, layout()))

    return read


def _thought(text: str, layout: ByFormat | None) -> Message:
    message = Message("assistant", text, None, "analysis")
    message.layout = layout
    return message


def _layout(key: str) -> Callable[[], ByFormat | None]:
    """What gives the layout of a thought under a key, a new one each time."""
    return (lambda: None) if key == REASONING[0] else (lambda: {HOME: {"reasoning": [key]}})


def _calls(wire: Object, messages: list[Message], waiting: Waiting) -> bool:
    role, content, calls = wire.values()
    return role == "assistant" and _append_calls(content, calls, messages, waiting)


def _append_calls(
    content: Json, value: Json, messages: list[Message], waiting: Waiting, thought: Message | None = None
) -> bool:
    """Append a thought, a text before calls, and the calls."""
    calls = read_calls(value, None) if content is None or (content and type(content) is str) else None
    if not calls:
        return False
    for call in calls:
        if call.call_id is None or call.call_id in waiting or is_near(call) or names_no_tool(call):
            return False
        waiting[call.call_id] = call.recipient
    made = [] if thought is None else [thought]
    if content is not None:
        made.append(Message("assistant", content, None, "commentary", None, None, "preamble"))
    made += calls
    for message in made[1:]:
        message.continues = True
    messages += made
    return True


_TEXT: Final = ("role", "content")
_SHAPES: Final[dict[tuple[str, ...], Shape]] = {
    ("role", "tool_call_id", "content"): _reply,
    **{("role", key, "content"): _thought_and_text(key) for key in REASONING_TEXTS},
    ("role", "content", TOOL_CALLS): _calls,
    **{("role", key, "content", TOOL_CALLS): _thought_and_calls(key) for key in REASONING_TEXTS},
}
"""The keys of a wire message, in our order → what reads one that has just these. Those of a text are not among them."""
