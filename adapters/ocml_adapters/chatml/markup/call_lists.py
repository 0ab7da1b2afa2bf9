"""Read several calls as JSON: a list, `[{"name": "f", "arguments": {…}}, …]`, or one object after another.

A list stands in a frame of its own, and is written there, or between the tags that one call has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.json_values.jsontext import value_at
from ocml_bridge.text.calls import SPACE, after_space
from ocml_bridge.text.repair import repair

from .calls import Call
from .calls_json import read_call, read_unfinished, write_call
from .segments import CALL_END

BEGIN: Final = "["
BETWEEN: Final = ", "
END: Final = "]"
_CODE: Final = re.compile(r"\s*```[a-z]*\n(?P<inner>.*?)(?:```\s*)?", re.S)
"""JSON as a block of code."""
_SURPLUS: Final = SPACE + "}]"
"""What may follow calls and is no text: white space, and closing brackets without opening ones."""


class CallList(NamedTuple):
    """The calls of a body.

    Attributes:
        calls: the calls; empty if the body has anything that is no call.
        cut_off: whether the body ends within the list.
    """

    calls: tuple[Call, ...] = ()
    cut_off: bool = False


def read_call_list(body: str, *, closed: bool = True) -> CallList:
    """Return the calls of a body: a list of them, or one alone.

    Args:
        body: the raw text.
        closed: whether the frame has an end token. If not, the last call may be cut off; it also may if the text does
            not end as a list or a call does, or if nothing else can be read of it.
    """
    text = body.strip(SPACE)
    found = _read(text, may_be_cut=not closed or not text.endswith((END, "}")))
    if found.calls:
        return found
    mended = repair(text)
    if mended is not None:
        return CallList(tuple(call._replace(repaired=True) for call in _read(mended).calls))
    return found if found.cut_off else _read(text, may_be_cut=True)


def _read(text: str, *, may_be_cut: bool = False) -> CallList:
    listed = text.startswith(BEGIN)
    at = len(BEGIN) if listed else 0
    calls: list[Call] = []
    while (parsed := value_at(text, at)) is not None:
        call = read_call(text[at : parsed[1]])
        if call is None:
            return CallList()
        calls.append(call)
        at = after_space(text, parsed[1])
        if not listed or not text.startswith(",", at):
            break
        at += 1
    else:
        cut = read_unfinished(text[at:]) if may_be_cut else None
        if not may_be_cut or not text.startswith((BEGIN, "{")):
            return CallList()
        return CallList((*calls, *(() if cut is None else (cut,))), cut_off=True)
    if text[at:] == (END if listed else ""):
        return CallList(tuple(calls))
    return CallList(tuple(calls), cut_off=True) if at == len(text) and may_be_cut else CallList()


def write_call_list(calls: Sequence[Call]) -> str:
    """Return the list of some calls, without an end if the last call is cut off."""
    return f"{BEGIN}{BETWEEN.join(map(write_call, calls))}{END if calls[-1].whole else ''}"


def read_tagged(inner: str, *, closed: bool) -> tuple[Sequence[Call], str]:
    """Return the calls between the tags of a call, and the text after them.

    Args:
        inner: the raw text.
        closed: whether it has its end tag; if not, the last call may be cut off.
    """
    call = read_call(inner)
    if call is not None:
        return (call,), ""
    code = _CODE.fullmatch(inner)
    text = inner if code is None else code["inner"]
    calls, rest = _read_objects(text)
    if not calls and closed:
        whole = read_call(text, brackets=True)
        listed = read_call_list(text) if whole is None and text.lstrip(SPACE).startswith(BEGIN) else CallList()
        calls = [whole] if whole is not None else [] if listed.cut_off else list(listed.calls)
        others = ""
        if not calls and text.lstrip(SPACE).startswith(BEGIN):
            calls, others = _read_regular(text.strip(SPACE))
        return [call._replace(repaired=True) for call in calls], others
    if not closed and CALL_END.startswith(rest.strip(SPACE)):
        rest = ""
    is_surplus = rest != "" and not rest.strip(_SURPLUS)
    if code is not None or len(calls) > 1 or is_surplus:
        calls = [call._replace(repaired=True) for call in calls]
    return calls, "" if is_surplus else rest


def _read_regular(text: str) -> tuple[list[Call], str]:
    """Return the calls in a list of objects that have a name, arguments and nothing else, and the text of the others.

    There are none if the list is not valid JSON, or has anything but objects.
    """
    calls: list[Call] = []
    others: list[str] = []
    at = len(BEGIN)
    while (parsed := value_at(text, at)) is not None and isinstance(parsed[0], dict):
        raw = text[at : parsed[1]].strip(SPACE)
        call = read_call(raw)
        if call is None or call.remark is not None:
            others.append(raw)
        else:
            calls.append(call)
        at = after_space(text, parsed[1])
        if not text.startswith(",", at):
            break
        at += 1
    return (calls, "\n".join(others)) if text[at:] == END and calls else ([], "")


def _read_objects(text: str) -> tuple[list[Call], str]:
    """Return the calls that a text begins with, one after another, and the text after them."""
    calls: list[Call] = []
    at = 0
    while (parsed := value_at(text, after_space(text, at))) is not None:
        call = read_call(text[after_space(text, at) : parsed[1]])
        if call is None or (calls and call.remark is not None):
            break
        calls.append(call)
        at = parsed[1]
        following = after_space(text, at)
        at = following + 1 if text.startswith(BETWEEN.strip(), following) else at
    return calls, text[at:]
