"""Read and write the calls of a frame of its own: a JSON list, `[{"name": "f", "arguments": {…}}, …]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.json_values.jsontext import value_at
from ocml_bridge.text.calls import SPACE, after_space
from ocml_bridge.text.repair import repair

from .calls import Call
from .calls_json import read_call, read_unfinished, write_call

BEGIN: Final = "["
BETWEEN: Final = ", "
END: Final = "]"


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
