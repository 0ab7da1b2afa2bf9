"""Documents without their items: how they are taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, cast

from ocml_bridge.adapter import Source
from ocml_bridge.alike import Alike, Member, alike, key_around, key_of_request
from ocml_bridge.errors import BridgeError
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Json, Tool, Transcript, replace
from ocml_bridge.units.grammar import Enclosed, Parted
from ocml_bridge.units.heads import Item

from .form import by_format, notes_in
from .items import ABSENT, MADE_UP, made_up_id
from .messages import INSTRUCTIONS, Instructions
from .settings import folded, unfolded
from .shapes import INPUT, TOOLS, Shell, is_incomplete, read_shell, state_in, write_shell
from .spelling import is_state
from .tools import as_read, is_plain_tool, read_tools, write_tools

Place = Callable[[int], str]
"""Index of a unit → JSON pointer to it."""


def part(source: Json, log: Log, *, plans: bool) -> Parted:
    """A document without its items; what else there is to know of it is where they stand.

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
    return Parted(shell.units, shell.around(), False, shell.place)


def _remembered(source: Json) -> Parted | None:
    """A request that is like others; None for any other document."""
    if source.__class__ is not dict:
        return None
    request = cast("Object", source)
    units, before, raws = request.get(INPUT), request.get(INSTRUCTIONS), request.get(TOOLS)
    key = key_of_request(unfolded(request), _APART)
    said = before is None or (before.__class__ is str and before != "")
    if units.__class__ is not list or not said or key is None or state_in(cast("list[Json]", units)):
        return None
    tools: tuple[Tool, ...] | None = None
    if raws.__class__ is list:
        tools, others = read_tools(cast("list[Json]", raws))
        if others:
            return None
    found = _read.get(key, _NEW)
    if found is _NEW:
        found = _read.keep(key, _learned(request))
    if found is None:
        return None
    around, place = found
    all_units = cast("list[Json]", units if before is None else [Instructions(before), *cast("list[Json]", units)])
    return Parted(all_units, _with_tools(around, tools), False, place)


_APART: Final = {INPUT: list, TOOLS: list, INSTRUCTIONS: str}
_read: Final = Memo[Hashable, "tuple[Transcript, Place] | None"](1024)
_NEW: Any = object()


def _learned(request: Object) -> tuple[Transcript, Place] | None:
    """What stands around the items and tools of requests like one; None where there is something to note."""
    log = Log()
    said: Object = {INSTRUCTIONS: "x"} if isinstance(request.get(INSTRUCTIONS), str) else {}
    lists: Object = {name: [] for name in (INPUT, TOOLS) if isinstance(request.get(name), list)}
    shell = read_shell({**request, **said, **lists}, log)
    return None if log.findings else (shell.around(), shell.place)


def _with_tools(around: Transcript, tools: tuple[Tool, ...] | None) -> Transcript:
    return around if tools is around.tools else replace(around, tools=tools)


def cut_short(items: list[Item], around: Transcript) -> None:
    """Let the last answer be one that was cut off, where the document alone says so. It changes the list.

    Args:
        items: the messages.
        around: what stands around them.
    """
    if not items or not is_incomplete(around) or items[-1][0].role != "assistant":
        return
    head, content, call_id = items[-1]
    message = head.message("", None)
    extras, layout = notes_in(message.extras), notes_in(message.layout)
    if message.end is not None and "status" not in extras and "status" not in layout:
        own = by_format({**layout, "status": ABSENT}) or {}
        items[-1] = (head.replaced(end=None, layout={**(message.layout or {}), **own}), content, call_id)


# --- writing ----------------------------------------------------------------------------------------------------------


def enclose(units: list[Any], around: Transcript, *, plans: bool) -> Enclosed:
    """The document around its items, and what it reads as.

    Args:
        units: items, and lists of items; the first may be what is said before all of them.
        around: what stands around them.
        plans: whether requests alike are remembered.
    """
    items: list[Any] = []
    for unit in units:
        if unit.__class__ is list:
            items += unit
        else:
            items.append(unit)
    before = bool(items) and items[0].keys() == {MADE_UP}
    if before:
        items[0] = Instructions(items[0][MADE_UP])
    extras, layout = notes_in(around.extras), notes_in(around.layout)
    _place(items, extras.get(INPUT))
    for at, item in enumerate(items):
        if item.__class__ is dict and item.get("id") == MADE_UP:
            items[at] = {**item, "id": made_up_id(item["type"], at)}
    key = key_around(around, extras, layout, is_plain_tool) if plans and not before and INPUT not in layout else None
    if key is None:
        return _enclosed(items, around)
    found = _written.get(key, _NEW)
    if found is _NEW:
        found = _written.keep(key, _learned_request(around))
    if found is None:
        return _enclosed(items, around)
    return Enclosed(folded(found.written(items, around)), _with_tools(found.around, as_read(around.tools)))


_written: Final = Memo[Hashable, "Alike | None"](1024)
_MEMBERS: Final[dict[str, Member]] = {
    INPUT: lambda items, _: items,
    TOOLS: lambda _, around: write_tools(around.tools or (), None),
}


def _learned_request(around: Transcript) -> Alike | None:
    """How documents are written with the same around their items; None where they are no requests."""
    some = None if around.tools is None else ()
    bare = Transcript((), some, settings=around.settings, extras=around.extras, layout=around.layout)
    written, image, _ = _enclosed([], bare)
    members = _MEMBERS if around.tools is not None else {INPUT: _MEMBERS[INPUT]}
    return alike(unfolded(cast("Object", written)), image, members) if isinstance(written, dict) else None


def _enclosed(items: list[Json], around: Transcript) -> Enclosed:
    """As `enclose`, of any document: it is written, and read."""
    written, shell = _readable(around, items)
    image = shell.around()
    if image != around:
        written = write_shell(image, items)
    return Enclosed(written, image)


def _place(items: list[Json], state: Json) -> None:
    """Put items in which nobody says anything among the others, each at its place."""
    for entry in cast("list[Json]", state) if isinstance(state, list) else []:
        one = cast("Object", entry) if isinstance(entry, dict) else {}
        at, item = one.get("at"), cast("Object", one.get("item"))
        if set(one) == {"at", "item"} and type(at) is int and item.__class__ is dict and is_state(item):
            items.insert(max(at, int(bool(items) and isinstance(items[0], Instructions))), item)


def _readable(around: Transcript, items: list[Json]) -> tuple[Source, Shell]:
    """A document, and as what it is read; without what it remembers of its shape if that misleads."""
    try:
        written = write_shell(around, items)
        shell = read_shell(written, Log())
        if _same(shell.units, items):
            return written, shell
    except BridgeError:
        pass
    written = write_shell(replace(around, extras=None, layout=None), items)
    return written, read_shell(written, Log())


def _same(units: Sequence[Json], items: Sequence[Json]) -> bool:
    """Whether units are these items; a text stands for the message that it is read as."""
    return len(units) == len(items) and all(
        one is other or one == other for one, other in zip(units, items, strict=True)
    )
