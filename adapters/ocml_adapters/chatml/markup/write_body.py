"""Write thoughts, texts and calls as an assistant's body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, is_thought, name_of
from ocml_bridge.model import Message

from ..families import Family
from .calls import Call
from .calls_json import write_call
from .segments import CALL
from .spelling import as_json, object_of


class Guard(NamedTuple):
    """Breaks the tokens in content.

    Attributes:
        text: for a text or a thought.
        arguments: for arguments that are not written as JSON.
    """

    text: Callable[[str], str]
    arguments: Callable[[str], str]


RAW: Final = Guard(str, str)
"""Leaves tokens unbroken."""


def write_body(messages: Sequence[Message], opening: str, family: Family, guard: Guard) -> str:
    """Return the body of thoughts, texts and calls.

    Args:
        messages: the messages, in order.
        opening: the empty thought before them; "" if there is none.
        family: the family that writes them.
        guard: breaks the tokens in them.
    """
    pieces = [opening]
    before: Message | None = None
    for run in _runs(messages, family):
        pieces.append(gap_between(before, run[0], family) if before is not None or not opening else "")
        pieces.append(write_calls(run, family, guard) if is_call(run[0]) else write_part(run[0], family, guard))
        before = run[-1]
    if before is not None and before.end is not None:
        pieces.append(end_of(before, family))
    return "".join(pieces)


def end_of(final: Message, family: Family) -> str:
    """Return the text after the last message of a body, which is complete."""
    if is_call(final):
        return family.end
    return family.thoughts.alone if is_thought(final) else ""


def _runs(messages: Sequence[Message], family: Family) -> Iterator[list[Message]]:
    """Yield the messages one by one, but calls that are written as one list together."""
    run: list[Message] = []
    for each in messages:
        if run and not (family.calls == "python" and _can_be_listed(run[-1]) and _can_be_listed(each)):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _can_be_listed(part: Message) -> bool:
    return is_call(part) and is_spelled(part)


def write_calls(run: Sequence[Message], family: Family, guard: Guard) -> str:
    """Return the text of neighbouring calls: in the syntax of the family, or as JSON if that cannot hold them."""
    if family.grammar is not None and all(map(is_spelled, run)):
        texts = (guard.arguments(as_json(str(call.content))) for call in run)
        calls = [Call(name_of(call.recipient or ""), text) for call, text in zip(run, texts, strict=True)]
        text = family.grammar.write(calls)
        if text is not None:
            return text
    return family.call_gap.join(map(_tagged, map(call_of, run)))


def _tagged(call: Call) -> str:
    return f"{CALL}\n{write_call(call)}" + ("\n</tool_call>" if call.whole else "")


def is_spelled(call: Message) -> bool:
    """Return whether a call may be written otherwise than as JSON: it is complete, and its arguments are an object."""
    return call.end is not None and object_of(str(call.content)) is not None


def call_of(part: Message) -> Call:
    """Return the call of a message."""
    return Call(name_of(part.recipient or ""), str(part.content), whole=part.end is not None)


def gap_between(before: Message | None, part: Message, family: Family) -> str:
    """Return the gap between two messages of one body, or before its first one."""
    if before is None:
        return family.first_gap if is_call(part) else ""
    if is_thought(before):
        return family.thoughts.gap_before(call=is_call(part))
    if is_call(part):
        return family.call_gap if is_call(before) else family.text_gap
    return family.call_gap


def write_part(part: Message, family: Family, guard: Guard) -> str:
    """Return the text of a thought or a text in a body."""
    content = guard.text(str(part.content))
    if not is_thought(part):
        return content
    return f"{family.thoughts.open}{content}{'' if part.end is None else family.thoughts.close}"
