"""The parts of an assistant's body as messages: what a call is, and what the place of a part implies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, is_thought, recipient_of
from ocml_bridge.json_values.jsontext import parse
from ocml_bridge.model import Json, Message

from ..syntax import control_of
from .argument_types import typed, values_of
from .calls import Call, CallGrammar, Flaw, behind_object, calls_in, read_broken, read_call, stretches
from .calls_python import PythonCalls
from .calls_xml import XmlCalls
from .segments import CALL, FUNCTION, LIST, Segment

ARGUMENTS: Final = control_of("call")
"""The tokens that the values of arguments must not hold where they are not JSON."""
_XML: Final = XmlCalls()
_PYTHON: Final = PythonCalls()
_XML_BEGINS: Final = (FUNCTION, CALL + FUNCTION)
Schemas = Mapping[str, Json]
"""The parameters of each declared function, by its name."""
NO_SCHEMAS: Final[Schemas] = {}


class Called(NamedTuple):
    """What a segment calls.

    Attributes:
        calls: its calls; none for text, and for what does not say what is called.
        rest: the text in it behind them.
        cut_off: whether it begins like a call that is no JSON, and ends within it.
    """

    calls: Sequence[Call] = ()
    rest: str = ""
    cut_off: bool = False


def calls_of(segment: Segment, schemas: Schemas = NO_SCHEMAS) -> Called:
    """What a segment calls.

    Args:
        segment: a piece of a body, which begins like a call.
        schemas: of the functions that are declared.
    """
    if segment.opener == LIST:
        return _spelled_in(segment, _PYTHON, schemas)
    if f"{segment.opener}{segment.inner.lstrip()}".startswith(_XML_BEGINS):
        return _spelled_in(segment, _XML, schemas)
    call, rest = read_call(segment.inner), ""
    if call is None:
        head, rest = behind_object(segment.inner)
        call = read_call(head) if rest else None
    if call is None and segment.last:
        call, rest = read_broken(segment.inner), ""
    return Called() if call is None else Called((call,), rest)


def _spelled_in(segment: Segment, grammar: CallGrammar, schemas: Schemas) -> Called:
    found = list(stretches(grammar, segment.raw))
    calls = calls_in(found, segment.raw)
    if not calls:
        return Called(cut_off=any(each.flaw is Flaw.CUT_OFF for each in found))
    mended = any(each.mended for each in found)
    return Called([_typed(call._replace(repaired=mended), schemas) for call in calls])


def _typed(call: Call, schemas: Schemas) -> Call:
    """A call whose values have types, as far as the schema of its function tells them."""
    arguments = ARGUMENTS.restore(call.arguments)
    values = values_of(arguments) if call.untyped else None
    if values is None:
        return call._replace(arguments=arguments)
    read = typed(values, schemas.get(call.name))
    names = ", ".join((*read.undeclared, *read.mistyped))
    remark = f"no schema gives a type for {names}; the value is read as text" if names else None
    return call._replace(arguments=read.arguments, remark=remark)


def message_of(call: Call, name: str | None) -> Message:
    """The message that a call is."""
    return Message(
        "assistant",
        call.arguments,
        name,
        "commentary",
        recipient_of(call.name),
        constraint=constraint_of(call.arguments) if call.whole else "json",
        end="call" if call.whole else None,
    )


def constraint_of(arguments: str) -> str | None:
    """`json` where arguments are JSON."""
    return "json" if parse(arguments) is not None else None


def placed(messages: Sequence[Message]) -> list[Message]:
    """The messages of one body with what their places in it imply; each is one's own copy."""
    for index, each in enumerate(messages):
        follows = messages[index + 1 : index + 2]
        place(each, messages[:index], calls_follow=any(map(is_call, follows)))
        if each.end is None and follows:
            each.end = "call" if is_call(each) else "end"
    return list(messages)


def place(part: Message, before: Sequence[Message], *, calls_follow: bool) -> None:
    """Give a message of a body what its place there implies.

    Args:
        part: the message.
        before: those before it.
        calls_follow: whether a call is the next.
    """
    part.continues = bool(before)
    if not is_call(part) and not is_thought(part):
        preamble = calls_follow and not any(map(is_call, before))
        part.channel, part.intent = ("commentary", "preamble") if preamble else ("final", None)
