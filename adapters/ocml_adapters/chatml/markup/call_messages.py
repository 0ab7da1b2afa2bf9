"""Calls as they stand in an assistant's body → messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ocml_bridge.jsontext import parse
from ocml_bridge.model import Json, Message
from ocml_bridge.turns import recipient_of

from ..syntax import control_of
from .argument_types import typed, values_of
from .calls import Call as Spelled
from .calls import CallGrammar, Flaw, all_calls, stretches
from .calls_json import Call, behind_object, read_broken, read_call
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


def calls_of(segment: Segment, schemas: Schemas = NO_SCHEMAS) -> tuple[list[Call], str]:
    """The calls that a segment is, and the text in it behind them.

    Args:
        segment: a piece of a body.
        schemas: of the functions that are declared.

    Returns:
        No calls for text, and for what does not say what is called.
    """
    if segment.opener not in (CALL, LIST, FUNCTION):
        return [], ""
    grammar = _grammar_of(segment)
    if grammar is not None:
        calls = all_calls(grammar, segment.raw)
        mended = any(found.mended for found in stretches(grammar, segment.raw))
        return [_typed(call, schemas, repaired=mended) for call in calls or ()], ""
    rest = ""
    call = read_call(segment.inner)
    if call is None:
        head, rest = behind_object(segment.inner)
        call = read_call(head) if rest else None
    if call is None and segment.last:
        call, rest = read_broken(segment.inner), ""
    return ([], "") if call is None else ([call], rest)


def breaks_off(segment: Segment) -> bool:
    """Whether a segment begins like a call that is no JSON, and ends within it."""
    grammar = _grammar_of(segment)
    return grammar is not None and any(found.flaw is Flaw.CUT_OFF for found in stretches(grammar, segment.raw))


def _grammar_of(segment: Segment) -> CallGrammar | None:
    """How the calls of a segment are spelled; None for text, and for JSON."""
    if segment.opener == LIST:
        return _PYTHON
    return _XML if segment.opener and (segment.opener + segment.inner.lstrip()).startswith(_XML_BEGINS) else None


def _typed(call: Spelled, schemas: Schemas, *, repaired: bool) -> Call:
    arguments = ARGUMENTS.restore(call.arguments)
    values = values_of(arguments) if call.untyped else None
    if values is None:
        return Call(call.name, arguments, repaired=repaired)
    read = typed(values, schemas.get(call.name))
    names = ", ".join((*read.undeclared, *read.mistyped))
    remark = f"nothing tells the type of {names}; as text it is read" if names else None
    return Call(call.name, read.arguments, repaired=repaired, remark=remark)


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
