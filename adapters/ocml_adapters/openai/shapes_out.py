"""What stands around the messages is written: the shape that it was read from, or a request; and the image of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.errors import BridgeError
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Json, Message, Settings, Transcript, replace
from ocml_bridge.turns import groups
from ocml_bridge.units.grammar import Enclosed

from .form import Object, add, in_order, mine, shape
from .settings import SETTINGS, write_settings
from .shapes import CHOICE, REJECTED, Order, Shell, read_shell
from .syntax import HOME, NOT_PREFERRED, PREFERENCE_ORDER, PREFERRED, REQUEST_ORDER, RESPONSE_ORDER
from .tools import is_custom_tool, is_plain_tool, write_tools

Branches = Sequence[list[Json]]
"""For each alternative of a transcript, its wire messages."""


def write_shell(transcript: Transcript, wires: list[Json], branches: Branches = ()) -> Source:
    """Put messages into the shape that the transcript was read from, or into a request where they do not fit it.

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
    starts = [start for start, _ in groups(transcript.messages)]
    count = layout.get("preferred", 1)
    if rejected is not None and "shape" not in layout:
        count = len(starts) - starts.index(rejected.at) if rejected.at in starts else None
    if type(count) is not int or not 0 <= count <= len(wires):
        return None
    start = len(wires) - count
    inside = cast("Object", given) if isinstance(given := extras.get("input"), dict) else {}
    line: Object = {
        "input": _write_request(transcript, wires[:start], inside, layout),
        PREFERRED: wires[start:],
    }
    at = starts[start] if start < len(starts) else len(transcript.messages)
    if rejected is not None and rejected.at == at:
        others = branches[cast("tuple[Alternative, ...]", transcript.alternatives).index(rejected)]
        line |= {NOT_PREFERRED: others} if others else {}
    around = {key: value for key, value in extras.items() if key != "input"}
    return shape(add(line, around, PREFERENCE_ORDER), layout.get("line"), fixed=line)


_WRITERS: Final[dict[str, Callable[[Transcript, list[Json], Branches, Object, Object], Source | None]]] = {
    "list": _write_list,
    "response": _write_response,
    "preference": _write_preference,
}


# --- the image --------------------------------------------------------------------------------------------------------


def enclosed(transcript: Transcript, messages: Sequence[Message], count: int) -> Transcript:
    """Messages that will be read as they are, with what will be read around them.

    Args:
        transcript: what they are from.
        messages: the messages of the image.
        count: how many wire messages they are.
    """
    if _is_bare(transcript):
        return Transcript(tuple(messages), transcript.tools)
    shell, _ = _image(transcript, [{} for _ in range(count)])
    return shell.around(messages)


def enclosing(transcript: Transcript, wires: list[Json]) -> Enclosed:
    """Wire messages with what stands around them, and as what that will be read.

    Args:
        transcript: what stands around them; without alternatives.
        wires: the wire messages.
    """
    if _is_bare(transcript):
        return Enclosed(write_shell(transcript, wires), Transcript((), transcript.tools))
    shell, written = _image(transcript, wires)
    image = shell.around(())
    return Enclosed(written if image == transcript else write_shell(image, wires), image, shell.cut_off)


def _is_bare(transcript: Transcript) -> bool:
    """Whether nothing stands around messages but tools that are read as they are."""
    if not (transcript.extras is transcript.layout is transcript.settings is transcript.alternatives is None):
        return False
    return transcript.tools is None or all(map(is_plain_tool, transcript.tools))


def _image(transcript: Transcript, wires: list[Json]) -> tuple[Shell, Source]:
    """What stands around the messages, as it will be read; without what it remembers of its shape if that misleads.

    The document that this is read from comes with it.
    """
    try:
        written = write_shell(transcript, wires)
        shell = read_shell(written, Log())
        if len(shell.wires) == len(wires) and all(map(is_, shell.wires, wires)):
            return shell, written
    except BridgeError:
        pass
    written = write_shell(replace(transcript, extras=None, layout=None), wires)
    return read_shell(written, Log()), written
