"""Documents without their messages: how they are taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, cast

from ocml_bridge.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Json, Message, Transcript
from ocml_bridge.pairing import name_replies
from ocml_bridge.units.envelopes import Branches
from ocml_bridge.units.grammar import Emptied, Parted
from ocml_bridge.units.heads import Item, item_of, messages_of

from .reader import notice, read_message
from .shapes import Branch, read_shell, sealed
from .syntax import NOTES

MESSAGES: Final = "messages"


class Around(NamedTuple):
    """What else there is to know of a document whose messages are read.

    Attributes:
        place: index of a wire message → JSON pointer to it.
        branches: the other answers.
    """

    place: Callable[[int], str]
    branches: Sequence[Branch] = ()


def part(source: Json, log: Log) -> Parted:
    """A document without its messages.

    Raises:
        BridgeError: as `read_shell`.
    """
    shell = read_shell(source, log)
    return Parted(shell.wires, shell.around(), shell.cut_off, Around(shell.place, shell.branches))


def emptied(source: Json) -> Emptied | None:
    """A request as its envelope and its wire messages; None for a document of another shape."""
    wires: Json = cast("Object", source).get(MESSAGES) if source.__class__ is dict else None
    return Emptied({**source, MESSAGES: []}, wires) if wires.__class__ is list else None


def is_request(around: Transcript) -> bool:
    """Whether a document is written as a request, whatever its wire messages are."""
    return around.layout is None or "shape" not in NOTES.of(around.layout)


# --- alternatives -----------------------------------------------------------------------------------------------------


def branches_of(parted: Parted) -> Branches | None:
    """The alternatives of a document as they are read, and their wire messages; None where it has none."""
    branches = cast("Around", parted.document).branches
    if not branches:
        return None
    items = [item_of(message) for wire in parted.units for message in read_message(cast("Object", wire))]
    name_replies(items, Log())
    return Branches(tuple(read_alternatives(branches, items, Log())), [branch.wires for branch in branches])


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
        yield Alternative(
            sealed(messages) if branch.cut_off else messages, at, branch.label, NOTES.by_format(branch.extras)
        )
