"""Documents without their messages: how they are taken apart and put together; requests alike are remembered."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.adapter import Source
from ocml_bridge.alike import Alike, Member, alike, key_around, key_of_request
from ocml_bridge.errors import BridgeError
from ocml_bridge.form import Object, is_empty
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Json, Tool, Transcript, replace
from ocml_bridge.units.grammar import Enclosed, Parted

from .notes import notes_in
from .reader import is_system_prompt
from .shapes import Place, Shell, is_text_of_assistant, read_shell, write_shell
from .syntax import MESSAGES, SYSTEM, TOOLS
from .tools import is_plain_tool, read_tools, write_tools

_NEW: Any = object()

# --- reading ----------------------------------------------------------------------------------------------------------


def part(source: Json, log: Log, *, plans: bool) -> Parted:
    """A document without its messages.

    Args:
        source: the document.
        log: takes what is noticed.
        plans: whether requests alike are remembered.

    Raises:
        BridgeError: as `read_shell`.
    """
    request = _remembered(source) if plans else None
    if request is not None:
        return request
    shell = read_shell(source, log)
    return Parted(shell.units, shell.around(), shell.cut_off, shell.place)


class _Read(NamedTuple):
    """What is read of requests like one: what stands around their units, and whether text is to be continued."""

    place: Place
    around: Transcript
    continues: bool


_read: Final = Memo[Hashable, "_Read | None"](1024)


def _remembered(source: Json) -> Parted | None:
    """A request that is like others; None for any other document."""
    if source.__class__ is not dict:
        return None
    request = cast("Object", source)
    wires, raws = request.get(MESSAGES), request.get(TOOLS)
    prompted = not is_empty(request.get(SYSTEM))
    key = key_of_request(request, _APART if not prompted else {**_APART, SYSTEM: request[SYSTEM].__class__})
    if wires.__class__ is not list or key is None:
        return None
    tools: tuple[Tool, ...] | None = None
    if raws.__class__ is list:
        tools, others = read_tools(cast("list[Json]", raws))
        if others:
            return None
    found = _read.get(key, _NEW)
    if found is _NEW:
        found = _read.keep(key, _learned(request, prompted=prompted))
    if found is None:
        return None
    units = cast("list[Any]", wires)
    if prompted:
        units = [{SYSTEM: request[SYSTEM]}, *units]
    cut_off = found.continues and is_text_of_assistant(cast("list[Any]", wires))
    return Parted(units, _with_tools(found.around, tools), cut_off, found.place)


def _with_tools(around: Transcript, tools: tuple[Tool, ...] | None) -> Transcript:
    return around if tools is around.tools else replace(around, tools=tools)


_APART: Final[dict[str, type[Any]]] = {MESSAGES: list, TOOLS: list}


def _learned(request: Object, *, prompted: bool) -> _Read | None:
    """What is read of requests like one; None where there is something to note."""
    log = Log()
    prompt = {SYSTEM: "x"} if prompted else {}
    lists: Object = {name: [] for name in (MESSAGES, TOOLS) if isinstance(request.get(name), list)}
    said = {"role": "assistant", "content": "x"}
    shell = read_shell({**request, **prompt, **lists, MESSAGES: [said]}, log)
    return None if log.findings else _Read(shell.place, shell.around(), shell.cut_off)


# --- writing ----------------------------------------------------------------------------------------------------------


def enclose(units: list[Any], around: Transcript, *, cut_off: bool, plans: bool) -> Enclosed:
    """A document, and what it reads as without its messages.

    Args:
        units: the system prompt, where there is one, and the wire messages.
        around: what is to stand around them.
        cut_off: whether the last of them is not whole.
        plans: whether requests alike are remembered.
    """
    key = _key_of(around, units) if plans else None
    found = None
    if key is not None:
        found = _written.get(key, _NEW)
        if found is _NEW:
            found = _written.keep(key, _learned_request(around, units))
    if found is None:
        return _enclosed(units, around, cut_off=cut_off)
    request, cut_off = found
    return Enclosed(request.written(units, around), _with_tools(request.around, around.tools), cut_off)


_written: Final = Memo[Hashable, "tuple[Alike, bool] | None"](1024)


def _learned_request(around: Transcript, units: list[Any]) -> tuple[Alike, bool] | None:
    """How documents are written with the same around units like these, and whether the last of them is not whole."""
    some = None if around.tools is None else ()
    bare = Transcript((), some, settings=around.settings, extras=around.extras, layout=around.layout)
    written, image, cut_off = _enclosed(units, bare, cut_off=False)
    apart: dict[str, Member] = {MESSAGES: lambda units, _: units}
    if is_system_prompt(units[0]):
        apart = {MESSAGES: lambda units, _: units[1:], SYSTEM: lambda units, _: units[0][SYSTEM]}
    if around.tools is not None:
        apart[TOOLS] = lambda _, around: write_tools(around.tools or (), None)
    found = alike(written, image, apart)
    return None if found is None else (found, cut_off)


def _key_of(around: Transcript, units: list[Any]) -> Hashable | None:
    """What stands around units and tools, and what of the units matters to that; None where it is no plain request."""
    if not units:
        return None
    key = key_around(around, notes_in(around.extras), notes_in(around.layout), is_plain_tool)
    continues = units[-1].get("role") == "assistant" and is_text_of_assistant(units)
    awaited = units[-1].get("role") != "assistant"
    return None if key is None else (key, is_system_prompt(units[0]), continues, awaited)


def _enclosed(units: list[Any], around: Transcript, *, cut_off: bool) -> Enclosed:
    """As `enclose`, of any document: it is written, and read."""
    written, shell = _readable(around, units, cut_off=cut_off)
    image = shell.around()
    if image != around:
        written = write_shell(image, units, cut_off=cut_off)
    return Enclosed(written, image, shell.cut_off)


def _readable(around: Transcript, units: list[Any], *, cut_off: bool) -> tuple[Source, Shell]:
    """A document, and as what it is read; without what it remembers of its shape if that misleads."""
    try:
        written = write_shell(around, units, cut_off=cut_off)
        shell = read_shell(written, Log())
        if shell.units == units:
            return written, shell
    except BridgeError:
        pass
    written = write_shell(replace(around, extras=None, layout=None), units, cut_off=cut_off)
    return written, read_shell(written, Log())
