"""Documents without their messages: how they are taken apart and put together; requests alike are remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from operator import is_
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.adapter import Source
from ocml_bridge.alike import Alike, Member, alike, key_around, key_of_request
from ocml_bridge.errors import BridgeError
from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.memo import Memo
from ocml_bridge.model import Alternative, Json, Message, Tool, Transcript, replace
from ocml_bridge.pairing import name_replies
from ocml_bridge.units.grammar import Enclosed, Parted
from ocml_bridge.units.heads import Item, item_of, messages_of

from .form import by_format, notes_in
from .reader import notice, read_message
from .shapes import Branch, Branches, Shell, read_shell, sealed, write_shell
from .syntax import TOOLS
from .tools import is_plain_tool, read_tools, write_tools

MESSAGES: Final = "messages"
_APART: Final = {MESSAGES: list, TOOLS: list}


class Around(NamedTuple):
    """What else there is to know of a document whose messages are read.

    Attributes:
        place: index of a wire message → JSON pointer to it.
        branches: the other answers.
    """

    place: Callable[[int], str]
    branches: Sequence[Branch] = ()


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
    return Parted(shell.wires, shell.around(), shell.cut_off, Around(shell.place, shell.branches))


def _remembered(source: Json) -> Parted | None:
    """A request that is like others; None for any other document."""
    if source.__class__ is not dict:
        return None
    request = cast("Object", source)
    wires, raws = request.get(MESSAGES), request.get(TOOLS)
    key = key_of_request(request, _APART)
    if wires.__class__ is not list or key is None:
        return None
    tools: tuple[Tool, ...] | None = None
    if raws.__class__ is list:
        tools, others = read_tools(cast("list[Json]", raws))
        if others:
            return None
    found = _read.get(key, _NEW)
    if found is _NEW:
        found = _read.keep(key, _learned(request))
    return None if found is None else Parted(cast("list[Json]", wires), _with_tools(found, tools), False, _REQUEST)


_read: Final = Memo[Hashable, "Transcript | None"](1024)


def _with_tools(around: Transcript, tools: tuple[Tool, ...] | None) -> Transcript:
    return around if tools is around.tools else replace(around, tools=tools)


def _learned(request: Object) -> Transcript | None:
    """What stands around the messages and tools of requests like one; None where there is something to note."""
    log = Log()
    lists: Object = {name: [] for name in (MESSAGES, TOOLS) if isinstance(request.get(name), list)}
    around = read_shell({**request, **lists}, log).around()
    return None if log.findings else around


def _place(at: int) -> str:
    return f"/{MESSAGES}/{at}"


_REQUEST: Final = Around(_place)
_NEW: Any = object()


# --- writing ----------------------------------------------------------------------------------------------------------


def enclose(wires: list[Json], around: Transcript, branches: Branches, *, plans: bool) -> Enclosed:
    """A document, and what it reads as without its messages.

    Args:
        wires: its wire messages.
        around: what is to stand around them.
        branches: the wire messages of its alternatives.
        plans: whether requests alike are remembered.
    """
    key = key_around(around, notes_in(around.extras), notes_in(around.layout), is_plain_tool) if plans else None
    found = None
    if key is not None:
        found = _written.get(key, _NEW)
        if found is _NEW:
            found = _written.keep(key, _learned_request(around))
    if found is None:
        return _enclosed(around, wires, branches)
    return Enclosed(found.written(wires, around), _with_tools(found.around, around.tools))


_written: Final = Memo[Hashable, "Alike | None"](1024)


def _learned_request(around: Transcript) -> Alike | None:
    """How documents are written with the same around their messages; None where they are no requests."""
    some = None if around.tools is None else ()
    written, image, _ = _enclosed(
        Transcript((), some, settings=around.settings, extras=around.extras, layout=around.layout), [], ()
    )
    return alike(written, image, _MEMBERS if around.tools is not None else {MESSAGES: _MEMBERS[MESSAGES]})


_MEMBERS: Final[dict[str, Member]] = {
    MESSAGES: lambda wires, _: wires,
    TOOLS: lambda _, around: write_tools(around.tools or (), None),
}


def _enclosed(transcript: Transcript, wires: list[Json], branches: Branches) -> Enclosed:
    """As `enclose`, of any document: it is written, and read."""
    written, shell = _readable(transcript, wires, branches)
    image = shell.around(_alternatives(shell) if shell.branches else None)
    if image != transcript:
        written = write_shell(image, wires, [branch.wires for branch in shell.branches])
    return Enclosed(written, image, shell.cut_off)


def _readable(transcript: Transcript, wires: list[Json], branches: Branches) -> tuple[Source, Shell]:
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


def read_alternatives(branches: Sequence[Branch], items: Sequence[Item], log: Log) -> Iterator[Alternative]:
    """The other answers; each reply in one is named after the call before it in the conversation that it goes on.

    Args:
        branches: the other answers.
        items: the messages of the conversation.
        log: takes what is noticed.
    """
    starts = [*(at for at, item in enumerate(items) if at == 0 or not item[0].continues), len(items)]
    for index, branch in enumerate(branches):
        at, own, where = starts[branch.start], list[Message](), f"/alternatives/{index}/messages"
        for wire in cast("list[Object]", branch.wires):
            made = read_message(wire)
            notice(wire, made, len(own), log, where)
            own += made
        whole = [*items[:at], *map(item_of, own)]
        name_replies(whole, log, at, where)
        messages = messages_of(whole[at:])
        yield Alternative(sealed(messages) if branch.cut_off else messages, at, branch.label, by_format(branch.extras))
