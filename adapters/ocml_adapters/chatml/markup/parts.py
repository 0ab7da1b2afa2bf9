"""Turn the calls in an assistant's body into messages, and set what the position of a message in the body implies.

The position implies the channel and the intent of a text (a text before the first call is a preamble), and `continues`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import is_call, is_thought, recipient_of
from ocml_bridge.json_values.jsontext import spaced
from ocml_bridge.loss import FindingCode
from ocml_bridge.model import Json, Message
from ocml_bridge.text.calls import constraint_of

from ..syntax import control_of
from .argument_types import Typed, declares, typed, values_of
from .call_lists import read_tagged
from .calls import Call, CallGrammar, Flaw, Markup, Stretch, calls_in, stretches
from .calls_json import read_unfinished
from .calls_params import ParamCalls
from .calls_python import IN_LINES, PythonCalls
from .calls_xml import XmlCalls, begun_in
from .segments import CALL, FUNCTION, LINES, LIST, PARAMS, Segment

ARGUMENTS: Final = control_of("call")
"""The tokens that the values of arguments must not contain if they are not written as JSON."""
_XML: Final = XmlCalls()
_GRAMMARS: Final = {LIST: PythonCalls(), LINES: PythonCalls(tags=IN_LINES), PARAMS: ParamCalls()}
"""Start tag → the grammar of the calls that begin with it, if no other grammar has the same tag."""
_XML_BEGINS: Final = (FUNCTION, CALL + FUNCTION)
Note = Callable[[FindingCode, int, str], None]
"""Takes a finding: its code, the index of the message in the body, the sentence."""
Schemas = Mapping[str, Json]
"""Name of a declared function → its parameters."""
NO_SCHEMAS: Final[Schemas] = {}


CALL_ENDS: Final = "the call has its end tag twice"
_XML_CALL: Final = re.compile(r"(?:<tool_call>\s*|^)<function=", re.M)


class Body(NamedTuple):
    """The content of a body.

    Attributes:
        messages: the thoughts, texts and calls, with what their positions imply.
        opening: the empty thought before them; "" if there is none.
    """

    messages: list[Message]
    opening: str = ""


def ignore(code: FindingCode, index: int, detail: str) -> None:
    """Ignore a finding, of a body that is read only to compare."""


def markup_of(body: str) -> Markup:
    """Return the syntax of the calls in a body."""
    if LIST in body or LINES in body:
        return "python"
    return "xml" if _XML_CALL.search(body) is not None else "params" if PARAMS in body and CALL not in body else "json"


class SegmentCalls(NamedTuple):
    """The calls of a segment.

    Attributes:
        calls: the calls; empty for text, and for something that does not name its function.
        rest: the text after them in the segment.
        cut_off: whether it begins like a call that is not JSON, and the body ends within it.
    """

    calls: Sequence[Call] = ()
    rest: str = ""
    cut_off: bool = False


def calls_of(segment: Segment, schemas: Schemas = NO_SCHEMAS) -> SegmentCalls:
    """Return the calls of a segment.

    Args:
        segment: a part of a body that begins like a call.
        schemas: the parameters of the declared functions.
    """
    if segment.opener in _GRAMMARS:
        return _spelled_in(segment, _GRAMMARS[segment.opener], schemas)
    if f"{segment.opener}{segment.inner.lstrip()}".startswith(_XML_BEGINS):
        return _spelled_in(segment, _XML, schemas)
    if segment.inner.lstrip().startswith(PARAMS):  # a call of MiniCPM5, between the tags of others
        found = _spelled_in(segment._replace(raw=segment.inner.lstrip(), repeated=0), _GRAMMARS[PARAMS], schemas)
        return found._replace(calls=[call._replace(repaired=True) for call in found.calls])
    calls, rest = read_tagged(segment.inner, closed=segment.closed)
    if not calls and segment.last:
        unfinished = read_unfinished(segment.inner)
        calls, rest = () if unfinished is None else (unfinished,), ""
    return SegmentCalls(_marked(calls, segment), rest if calls else "")


def _marked(calls: Sequence[Call], segment: Segment) -> Sequence[Call]:
    """Return the calls of a segment, as repaired if it has its start tag more than once."""
    return [call._replace(repaired=True) for call in calls] if segment.repeated else calls


def _spelled_in(segment: Segment, grammar: CallGrammar, schemas: Schemas) -> SegmentCalls:
    """Return the calls of a segment in a grammar other than JSON; none if the segment has anything else."""
    text = segment.raw[segment.repeated :]
    parts = list(stretches(grammar, text))
    calls = calls_in(parts, text)
    if not calls and segment.last:
        calls = _with_cut_off(parts, text)
    if not calls:
        return SegmentCalls(cut_off=any(each.flaw is Flaw.CUT_OFF for each in parts))
    repaired = segment.repeated > 0 or any(each.mended for each in parts)
    return SegmentCalls([_typed(call._replace(repaired=repaired), schemas) for call in calls])


def _with_cut_off(parts: Sequence[Stretch], text: str) -> list[Call] | None:
    """Return the calls of a text that breaks off within the last one; None if the text has anything else."""
    *before, last = parts or (None,)
    calls = calls_in(before, text[: last.start]) if last is not None and last.flaw is Flaw.CUT_OFF else None
    return None if last is None or calls is None or not last.calls else [*calls, *last.calls]


def _typed(call: Call, schemas: Schemas) -> Call:
    """Return a call whose values have the types of its function's schema."""
    arguments = ARGUMENTS.restore(call.arguments)
    values = values_of(arguments) if call.untyped else None
    if values is None:
        return call._replace(arguments=arguments if call.whole else arguments.removesuffix("}"))
    read = typed(values, schemas.get(call.name))
    if not call.whole:
        return call._replace(arguments=_cut_off(read, values, last_is_open=call.last_is_open))
    names = ", ".join((*read.undeclared, *read.mistyped))
    remarks = [f"no schema gives a type for {names}; the value is read as text"] if names else []
    missed = ", ".join(other for other in begun_in(values) if declares(schemas.get(call.name), other))
    remarks += [f"a value has the start tag of {missed}, which is read as text"] if missed else []
    return call._replace(arguments=read.arguments, remark="; ".join(remarks) or None)


def _cut_off(read: Typed, values: Mapping[str, str], *, last_is_open: bool) -> str:
    """Return the arguments of a call that is cut off, up to there.

    Args:
        read: the arguments as if they were complete.
        values: parameter → its text.
        last_is_open: whether the last value is cut off.
    """
    arguments = read.arguments.removesuffix("}")
    name, text = list(values.items())[-1]
    if not last_is_open or not arguments.endswith('"'):
        return arguments
    return f"{arguments.removesuffix(spaced(text))}{text}" if name in read.mistyped else arguments.removesuffix('"')


def message_of(call: Call, name: str | None) -> Message:
    """Return the message of a call."""
    return Message(
        "assistant",
        call.arguments,
        name,
        "commentary",
        recipient_of(call.name),
        constraint=constraint_of(call.arguments) if call.whole else "json",
        end="call" if call.whole else None,
    )


def positioned(messages: Sequence[Message]) -> list[Message]:
    """Return the messages of one body, after setting what their positions imply; they are changed."""
    for index, each in enumerate(messages):
        follows = messages[index + 1 : index + 2]
        set_position(each, messages[:index], calls_follow=any(map(is_call, follows)))
        if each.end is None and follows:
            each.end = "call" if is_call(each) else "end"
    return list(messages)


def set_position(part: Message, before: Sequence[Message], *, calls_follow: bool) -> None:
    """Set what the position of a message in a body implies.

    Args:
        part: the message; it is changed.
        before: the messages before it.
        calls_follow: whether the next message is a call.
    """
    part.continues = bool(before)
    if not is_call(part) and not is_thought(part):
        preamble = calls_follow and not any(map(is_call, before))
        part.channel, part.intent = ("commentary", "preamble") if preamble else ("final", None)


def report_calls(calls: Sequence[Call], rest: str, at: int, note: Note, *, closed: bool) -> None:
    """Report the calls between two tags, as `report_call` does, and an object there that is none.

    Args:
        calls: the calls.
        rest: the text after them.
        at: the index of the first one's message in the body.
        note: takes the findings.
        closed: whether they have their end tag.
    """
    for index, call in enumerate(calls, at):
        report_call(call, index, note, closed=closed)
    if rest.lstrip().startswith("{"):
        note(FindingCode.JSON_OPAQUE, at + len(calls), "an object between the tags of a call is not a call; it is text")


def report_call(call: Call, at: int, note: Note, *, closed: bool = True) -> None:
    """Report what was repaired in a call, is uncertain in it, or is missing.

    Args:
        call: the call.
        at: the index of its message in the body.
        note: takes the findings.
        closed: whether it has its end tag.
    """
    if call.repaired:
        note(FindingCode.JSON_REPAIRED, at, "the call is repaired")
    if call.remark is not None:
        note(FindingCode.SHAPE, at, call.remark)
    if not call.name.strip():
        note(FindingCode.SHAPE, at, "the call has an empty name")
    if not call.whole:
        note(FindingCode.TRUNCATED, at, "the call is cut off")
    elif not closed:
        note(FindingCode.END_MISSING, at, "the call has no end tag")
