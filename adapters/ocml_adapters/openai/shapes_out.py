"""What stands around the messages is written: the shape that it was read from, or a request; and the image of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import is_
from typing import Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Json, Settings, Transcript, replace
from ocml_bridge.units.grammar import Enclosed
from ocml_bridge.units.heads import item_of

from .form import Object, add, in_order, mine, shape
from .reader import name_replies, read_alternatives, read_message
from .settings import SETTINGS, write_settings
from .shapes import CHOICE, REJECTED, Order, Shell, read_shell
from .syntax import HOME, NOT_PREFERRED, PREFERENCE_ORDER, PREFERRED, REQUEST_ORDER, RESPONSE_ORDER
from .tools import is_custom_tool, is_plain_tool, write_tools

Branches = Sequence[list[Json]]
"""For each alternative of a transcript, its wire messages."""


def write_shell(transcript: Transcript, wires: list[Json], branches: Branches = ()) -> Source:
    """Put wire messages into the shape that the transcript was read from, or into a request where they do not fit it.

    Args:
        transcript: what stands around them.
        wires: the wire messages.
        branches: those of its alternatives.
    """
    if transcript.layout is transcript.extras is transcript.settings is transcript.alternatives is None:
        tools = transcript.tools
        return {"messages": wires} if tools is None else {"messages": wires, "tools": write_tools(tools, None)}
    layout, extras = mine(transcript.layout, HOME), mine(transcript.extras, HOME)
    name = layout.get("shape")
    if name is None and [one.label for one in transcript.alternatives or ()] == [REJECTED]:
        name = "preference"
    writer = _WRITERS.get(name) if isinstance(name, str) else None
    written = writer(transcript, wires, branches, extras, layout) if writer is not None else None
    return _write_request(transcript, wires, extras, layout) if written is None else written


def _write_request(transcript: Transcript, wires: list[Json], extras: Object, layout: Object) -> Object:
    out: Object = {"messages": wires}
    others = extras.get("tools") if isinstance(extras.get("tools"), list) else None
    legacy = layout.get("functions") is True and others is None and not any(map(is_custom_tool, transcript.tools or ()))
    if transcript.tools is not None or others is not None:
        out["functions" if legacy else "tools"] = write_tools(transcript.tools or (), others, legacy=legacy)
    return _enclosing(out, transcript.settings, extras, layout, REQUEST_ORDER)


def _enclosing(out: Object, settings: Settings | None, extras: Object, layout: Object, order: Order) -> Object:
    """An object with the messages and what stands around them, in the spelling that the layout remembers."""
    fixed = {**out, **write_settings(settings, layout.get(SETTINGS), extras)}
    ordered = in_order(fixed, order) if len(fixed) > len(out) else fixed
    return shape(add(ordered, extras, order), layout.get("form"), fixed=fixed)


def _write_list(
    transcript: Transcript, wires: list[Json], _: Branches, extras: Object, layout: Object
) -> Source | None:
    return wires if not extras and transcript.tools is transcript.settings is None else None


def _write_response(
    transcript: Transcript, wires: list[Json], branches: Branches, extras: Object, layout: Object
) -> Source | None:
    choices = extras.get("choices")
    first = cast("list[Json]", choices)[0] if isinstance(choices, list) and choices else None
    if len(wires) != 1 or transcript.tools is not None or not isinstance(first, dict) or "message" not in first:
        return None
    written: list[Json] = [{**cast("Object", first), "message": wires[0]}, *cast("list[Json]", choices)[1:]]
    for alternative, others in zip(transcript.alternatives or (), branches, strict=True):
        if alternative.label == CHOICE and alternative.at == 0 and len(others) == 1:
            around = mine(alternative.extras, HOME)
            around = around if "message" in around else {"index": len(written), **around}
            written.append({**around, "message": others[0]})
    return _enclosing({"choices": written}, transcript.settings, extras, layout, RESPONSE_ORDER)


def _write_preference(
    transcript: Transcript, wires: list[Json], branches: Branches, extras: Object, layout: Object
) -> Source | None:
    rejected = next((one for one in transcript.alternatives or () if one.label == REJECTED), None)
    starts = _starts(wires) if rejected is not None else []
    count = layout.get("preferred", 1)
    if rejected is not None and "shape" not in layout:
        count = len(wires) - starts.index(rejected.at) if rejected.at in starts[:-1] else None
    if type(count) is not int or not 0 <= count <= len(wires):
        return None
    start = len(wires) - count
    inside = cast("Object", given) if isinstance(given := extras.get("input"), dict) else {}
    line: Object = {
        "input": _write_request(transcript, wires[:start], inside, layout),
        PREFERRED: wires[start:],
    }
    if rejected is not None and rejected.at == starts[start]:
        others = branches[cast("tuple[Alternative, ...]", transcript.alternatives).index(rejected)]
        line |= {NOT_PREFERRED: others} if others else {}
    around = {key: value for key, value in extras.items() if key != "input"}
    return shape(add(line, around, PREFERENCE_ORDER), layout.get("line"), fixed=line)


def _starts(wires: Sequence[Json]) -> list[int]:
    """For each wire message the index of its first message, and how many messages there are in all."""
    return [0, *accumulate(len(read_message(cast("Object", wire))) for wire in wires)]


_WRITERS: Final[dict[str, Callable[[Transcript, list[Json], Branches, Object, Object], Source | None]]] = {
    "list": _write_list,
    "response": _write_response,
    "preference": _write_preference,
}


# --- the image --------------------------------------------------------------------------------------------------------


def enclosing(transcript: Transcript, wires: list[Json], branches: Branches = ()) -> Enclosed:
    """Wire messages with what stands around them, and as what that will be read.

    Args:
        transcript: what stands around them.
        wires: the wire messages.
        branches: those of its alternatives.
    """
    if _is_bare(transcript):
        return Enclosed(write_shell(transcript, wires), Transcript((), transcript.tools))
    written, shell = _written(transcript, wires, branches)
    image = shell.around(_alternatives(shell) if shell.branches else None)
    if image != transcript:
        written = write_shell(image, wires, [branch.wires for branch in shell.branches])
    return Enclosed(written, image, shell.cut_off)


def _is_bare(transcript: Transcript) -> bool:
    """Whether nothing stands around messages but tools that are read as they are."""
    if not (transcript.extras is transcript.layout is transcript.settings is transcript.alternatives is None):
        return False
    return transcript.tools is None or all(map(is_plain_tool, transcript.tools))


def _written(transcript: Transcript, wires: list[Json], branches: Branches) -> tuple[Source, Shell]:
    """A document, and as what it is read; without what it remembers of its shape if that misleads."""
    try:
        written = write_shell(transcript, wires, branches)
        shell = read_shell(written, Log())
        if len(shell.wires) == len(wires) and all(map(is_, shell.wires, wires)):
            return written, shell
    except BridgeError:
        pass
    written = write_shell(replace(transcript, extras=None, layout=None), wires, branches)
    return written, read_shell(written, Log())


def _alternatives(shell: Shell) -> tuple[Alternative, ...]:
    """The alternatives as they are read."""
    items = [item_of(message) for wire in shell.wires for message in read_message(cast("Object", wire))]
    name_replies(items, Log())
    return tuple(read_alternatives(shell.branches, items, Log()))
