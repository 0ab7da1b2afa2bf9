"""Tools inside a developer's message, as Harmony and OCM 2.2 declare them: a `# Tools` section behind its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, cast

from ..chat.transform import renumber
from ..chat.turns import hoist_tools, places, says_nothing
from ..loss import Log, Loss, LossCode, Severity
from ..model import ByFormat, Content, Message, Tool, Tools, Transcript, replace
from ..report.report import compared
from ..units.heads import Head, Item, item_of, message_of, messages_of
from ..units.writer import TOOLS, Prepared
from .typescript import declare, parse_tools, render_tools

SECTION: Final = "# Tools\n\n"
_GAP: Final = "\n\n"
Nearest = Callable[[Message, int], Message]
"""Gives the nearest message that a format holds of the one with an index, and reports what is lost of it."""


class Spelling(NamedTuple):
    """How declared tools were spelled.

    Attributes:
        raw: their section as it stood, where it was not spelled as we would.
        layout: the layout of a message that held nothing else.
    """

    raw: str | None = None
    layout: ByFormat | None = None


_OURS: Final = Spelling()


# --- sections ---------------------------------------------------------------------------------------------------------


class _Section(NamedTuple):
    """A section behind a developer's text.

    Attributes:
        before: the text.
        tools: that it declares.
        raw: the section as it stands, where it is not spelled as we would.
    """

    before: str
    tools: tuple[Tool, ...]
    raw: str | None


def _section_of(text: str, *, lenient: bool) -> _Section | None:
    """The section at the end of a developer's text; None where there is none."""
    at = 0 if text.startswith(SECTION) else text.rfind(_GAP + SECTION) + len(_GAP)
    if at < len(_GAP) and not text.startswith(SECTION):
        return None
    section = text[at:]
    parsed = parse_tools(section, lenient=lenient)
    if parsed is None or not parsed.tools or parsed.descriptions:
        return None
    if at == len(_GAP):
        return None
    raw = section if lenient and render_tools(parsed.tools) != section else None
    return _Section(text[: at - len(_GAP)] if at else "", parsed.tools, raw)


def _with_section(text: str, tools: tuple[Tool, ...], raw: str | None = None) -> str:
    """A developer's text with a section behind it, spelled as it was where that says the same."""
    section = raw if raw is not None and _declares(raw, tools) else render_tools(tools)
    return f"{text}{_GAP}{section}" if text else section


def _declares(section: str, tools: tuple[Tool, ...]) -> bool:
    """Whether a section declares these tools and says nothing else."""
    parsed = parse_tools(section, lenient=True) if section.startswith(SECTION) else None
    return parsed is not None and parsed.tools == tools and not parsed.descriptions


def image(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Declared tools as the section can hold them: what TypeScript cannot say is left out.

    A tool whose comment would not read back keeps its name and types only; one whose types would not keeps its name
    and description. What cannot be declared by its name is left out.
    """
    declared = _written_tools(tuple(tools))
    if declared is not None:
        return declared
    out: list[Tool] = []
    for tool in tools:
        described = Tool(tool.name, tool.description, namespace=tool.namespace)
        for candidate in (tool, replace(tool, description=None), described, replace(described, description=None)):
            if (alone := _written_tools((candidate,))) is not None:
                out += alone
                break
    return _written_tools(tuple(out)) or ()


def _written_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...] | None:
    """What reading a section gives back, in the order of the section; None where it would not be read."""
    declared = declare(tools)
    return declared[1] if declared is not None and len(declared[1]) == len(tools) else None


# --- reading ----------------------------------------------------------------------------------------------------------


class Lifted(NamedTuple):
    """Items without their declared tools.

    Attributes:
        items: the items that are left.
        tools: the tools; None where there are none.
        spelling: how they are spelled.
        at: where the message stood that held nothing else, and is gone; None where none is.
    """

    items: list[Item]
    tools: tuple[Tool, ...] | None = None
    spelling: Spelling = _OURS
    at: int | None = None


def lifted(items: list[Item], *, lenient: bool, tools: tuple[Tool, ...] | None = None) -> Lifted:
    """Items as they are read, with their tools apart.

    Args:
        items: in order.
        lenient: whether a section counts that says the same with other indentation and blank lines.
        tools: those that are known to stand in a message of their own, as `lowered` has put them there.
    """
    at = _place(items)
    if tools:
        head, content, _ = items[at]
        raw = None if content == render_tools(tools) else cast("str", content)
        return Lifted([*items[:at], *items[at + 1 :]], tools, Spelling(raw, head.message("", None).layout), at)
    if not _is_developer(items, at) or not _may_hold(items[at]):
        return Lifted(items)
    message = message_of(items[at])
    found = _section_of(message.content, lenient=lenient) if isinstance(message.content, str) else None
    if found is None:
        return Lifted(items)
    rest, layout = replace(message, content=found.before), message.layout
    left, layout = ([], layout) if says_nothing(rest) else ([item_of(rest)], None)
    gone = None if left else at
    return Lifted([*items[:at], *left, *items[at + 1 :]], found.tools, Spelling(found.raw, layout), gone)


# --- writing ----------------------------------------------------------------------------------------------------------


def lowered(
    items: Sequence[Item],
    around: Transcript,
    nearest: Nearest,
    log: Log,
    *,
    target: str,
    lenient: bool,
    spelling: Spelling = _OURS,
) -> Prepared:
    """A document with its tools where they are written; `lifted` gives them back.

    They go behind the text of the first developer's message, where only system messages stand before it; else into one
    of their own behind the leading system messages. Tools inside messages move out; what TypeScript cannot say is left
    out; a developer's text that is a section is written as the tools that it is read as.

    Args:
        items: the messages of the document.
        around: what stands around them, and around what is prepared: there with tools only where they are in a message
            of their own.
        nearest: gives the nearest message that the format holds.
        log: takes what is lost.
        target: the format.
        lenient: as `lifted` has it.
        spelling: how the tools were spelled.
    """
    source, origins, tools, at = items, range(len(items)), around.tools, _place(items)
    if any(map(_has_tools, [item[1] for item in items if item[1].__class__ is not str])):
        items, origins, tools = _hoisted(items, around, nearest, log)
        at = _place(items)
    elif tools is None and not (_is_developer(items, at) and _may_hold(items[at])):
        return Prepared(items, around)
    section, declarable = _declarable(tools or ())
    tools, made, stop = declarable, list[Item](), at
    earlier = _by_message(log.losses)
    while not made and _is_developer(items, stop) and (tools or _may_hold(items[stop])):
        index, known = origins[stop], len(log.losses)
        near = nearest(message_of(items[stop]), index)
        if near.end is None and (stop < len(items) - 1 or around.open_turn is not None):
            near.end = "end"  # only what nothing follows may be cut off
        text, tools = _as_read(near, tools, lenient=lenient)
        if text is None:
            losses = [*earlier.get(f"/messages/{index}", ()), *log.losses[known:]]
            _report_loss(message_of(source[index]), near, index, losses, log, target)
        else:
            content = _with_section(text, tools, spelling.raw) if tools else text
            made.append(item_of(replace(near, content=content)))
        stop += 1
    own = tools if not made else ()
    if stop > at and own and stop < len(items) and items[stop][0].role == "system":
        # The message that is gone stood before system messages: the tools go behind these.
        left, places_left = [*items[:at], *items[stop:]], [*origins[:at], *origins[stop:]]
        noted = Log()
        prepared = lowered(
            left,
            replace(around, tools=own),
            lambda message, index: nearest(message, places_left[index]),
            noted,
            target=target,
            lenient=lenient,
            spelling=spelling,
        )
        log.losses += renumber(noted.losses, places_left)
        inner = range(len(left)) if prepared.origins is None else prepared.origins
        return prepared._replace(origins=[at if at == TOOLS else places_left[at] for at in inner])
    if own:
        content = section if own is declarable and spelling.raw is None else _with_section("", own, spelling.raw)
        made.append(item_of(Message("developer", content, layout=spelling.layout)))
    made_of = [TOOLS] if own else origins[stop - len(made) : stop]
    return Prepared(
        [*items[:at], *made, *items[stop:]],
        replace(around, tools=own or None),
        [*origins[:at], *made_of, *origins[stop:]],
    )


def _hoisted(
    items: Sequence[Item], around: Transcript, nearest: Nearest, log: Log
) -> tuple[list[Item], list[int], tuple[Tool, ...] | None]:
    """The nearest items without the tools inside them, where these stood, and all tools."""
    document = replace(around, messages=messages_of(items))
    near = tuple([nearest(message, index) for index, message in enumerate(messages_of(items))])
    hoisted = hoist_tools(replace(document, messages=near), log)
    return list(map(item_of, hoisted.messages)), places(document, log), hoisted.tools


def _declarable(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """A section, and what it can hold of tools: nothing where it would say something else when it is written again."""
    readable = image(tools) if tools else ()
    declared = declare(readable) if readable else None
    return declared if declared is not None and declared[1] == readable else ("", ())


def _as_read(message: Message, tools: tuple[Tool, ...], *, lenient: bool) -> tuple[str | None, tuple[Tool, ...]]:
    """The text of a developer's message with tools behind it, and the tools, as they are read.

    The text is None where the message is nothing but the place of the tools.
    """
    text = cast("str", message.content)
    if tools and says_nothing(message):
        return None, tools
    found = _section_of(_with_section(text, tools) if tools else text, lenient=lenient)
    if tools and (found is None or found.tools != tools):
        # The developer's own text would be taken for a part of the section.
        return _as_read(message, (), lenient=lenient)
    if found is None:
        return text, ()
    return None if says_nothing(replace(message, content=found.before)) else found.before, found.tools


def _by_message(losses: Sequence[Loss]) -> dict[str, list[Loss]]:
    """Losses by the path of the message that they are in."""
    found: dict[str, list[Loss]] = {}
    for loss in losses:
        found.setdefault("/".join(loss.path.split("/", 3)[:3]), []).append(loss)
    return found


def _report_loss(message: Message, near: Message, index: int, losses: Sequence[Loss], log: Log, target: str) -> None:
    """Report a developer's message that is read as nothing but the declared tools, with what it loses beside them.

    Args:
        message: as it is in the document.
        near: the nearest message.
        index: of the message.
        losses: what was reported of it already.
        log: takes what it loses.
        target: the format.
    """
    path, alone = f"/messages/{index}", "/messages/0"
    known = [loss._replace(path=alone + loss.path[len(path) :]) for loss in losses]
    found = compared(Transcript((message,)), Transcript((near,)), known, target=target).losses
    log.losses += [loss._replace(path=path + loss.path[len(alone) :]) for loss in found[len(known) :]]
    severity = Severity.LAYOUT if says_nothing(near) else Severity.CHANGED
    log.lose(LossCode.TOOLS_MOVED, path, "the message holds nothing but the declared tools", severity)


def _place(items: Sequence[Item]) -> int:
    """Where the developer's message with the tools stands, or goes: `turns.developer_place`."""
    at = 0
    while at < len(items) and items[at][0].role == "system":
        at += 1
    return at


def _is_developer(items: Sequence[Item], at: int) -> bool:
    """Whether a developer's message has an index."""
    return at < len(items) and items[at][0].role == "developer"


def is_plain(head: Head, content: str) -> bool:
    """Whether a message is none that holds a section of tools, or might."""
    return head.role != "developer" or SECTION not in content


def _may_hold(item: Item) -> bool:
    """Whether a content may hold a section: only text does, and surely not text without its heading."""
    content = item[1]
    return not isinstance(content, str) or SECTION in content


def _has_tools(content: Content) -> bool:
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)
