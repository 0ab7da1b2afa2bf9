"""Tools inside a developer's message, as Harmony and OCM 2.2 declare them: a `# Tools` section behind its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, TypeGuard, cast

from ..loss import Log, LossCode, Severity
from ..model import ByFormat, Content, Message, Part, Text, Tool, Tools, Transcript, replace
from ..report import compared
from ..turns import developer_place, hoist_tools, lift_tools, lower_tools, places, says_nothing
from ..units.heads import Item, item_of, messages_of
from ..units.writer import TOOLS, Prepared
from .typescript import declare, parse_tools, render_tools

SECTION: Final = "# Tools\n\n"
_GAP: Final = "\n\n"


class Split(NamedTuple):
    """Messages whose first developer message has its tools as a part.

    Attributes:
        messages: the messages.
        raw: the section as it stood, where it is not spelled as we would.
    """

    messages: tuple[Message, ...]
    raw: str | None


def split(messages: Sequence[Message], *, lenient: bool) -> Split:
    """Find the tools section of the first developer message, where only system messages stand before it.

    Args:
        messages: as read, their bodies still text.
        lenient: whether a section counts that says the same with other indentation and blank lines.
    """
    for index, message in enumerate(messages):
        if message.role == "system":
            continue
        if message.role == "developer" and isinstance(message.content, str):
            found = split_text(message.content, lenient=lenient)
            if found is not None:
                parts, raw = found
                changed = replace(message, content=parts)
                return Split((*messages[:index], changed, *messages[index + 1 :]), raw)
        break
    return Split(tuple(messages), None)


def split_text(text: str, *, lenient: bool) -> tuple[tuple[Part, ...], str | None] | None:
    """A developer's text as instructions and tools, and the section if its spelling is not ours; None without tools."""
    at = 0 if text.startswith(SECTION) else text.rfind(_GAP + SECTION) + len(_GAP)
    if at < len(_GAP) and not text.startswith(SECTION):
        return None
    section = text[at:]
    parsed = parse_tools(section, lenient=lenient)
    if parsed is None or not parsed.tools or parsed.descriptions:
        return None
    before: tuple[Part, ...] = (Text(text[: at - len(_GAP)]),) if at else ()
    if before == (Text(""),):
        return None
    return (*before, Tools(parsed.tools)), section if lenient and render_tools(parsed.tools) != section else None


def join(content: tuple[Part, ...], raw: str | None = None) -> str:
    """A developer's text from instructions and tools.

    Args:
        content: texts, and the tools last.
        raw: a section to use in place of our spelling, if it says the same.
    """
    out: list[str] = []
    for part in content:
        if isinstance(part, Tools):
            out.append(raw if raw is not None and _declares(raw, part.tools) else render_tools(part.tools))
        elif isinstance(part, Text):
            out.append(part.text)
    return _GAP.join(out)


def _declares(section: str, tools: tuple[Tool, ...]) -> bool:
    """Whether a section declares these tools and says nothing else."""
    parsed = parse_tools(section, lenient=True) if section.startswith(SECTION) else None
    return parsed is not None and parsed.tools == tools and not parsed.descriptions


def image(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Declared tools as the section can hold them: what TypeScript cannot say is left out.

    A tool whose texts would break out of their comments keeps its name and types only, or is left out altogether.
    """
    held = _held(tuple(tools))
    if held is not None:
        return held
    out: list[Tool] = []
    for tool in tools:
        for candidate in (tool, replace(tool, description=None), Tool(tool.name, namespace=tool.namespace)):
            if (alone := _held((candidate,))) is not None:
                out += alone
                break
    return _held(tuple(out)) or ()


def _held(tools: tuple[Tool, ...]) -> tuple[Tool, ...] | None:
    """What reading a section gives back, in the order of the section; None where it would not be read."""
    declared = declare(tools)
    return declared[1] if declared is not None and len(declared[1]) == len(tools) else None


def _has_tools(content: Content) -> TypeGuard[tuple[Part, ...]]:
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)


def spell(transcript: Transcript, raw: str | None = None, layout: ByFormat | None = None) -> tuple[Message, ...]:
    """The messages to write, the tools spelled in the developer's text.

    Args:
        transcript: an image.
        raw: a section to use in place of our spelling, if it says the same.
        layout: the layout of a message that holds nothing but the tools.
    """
    return tuple(
        replace(message, content=join(message.content, raw)) if _has_tools(message.content) else message
        for message in lower_tools(transcript, layout)
    )


# --- unit by unit -----------------------------------------------------------------------------------------------------


class Lifted(NamedTuple):
    """Items without their declared tools.

    Attributes:
        items: the items that are left.
        tools: the tools; None where there are none.
        raw: their section as it stands, where it is not spelled as we would.
        layout: the layout of a message that holds nothing else, and is gone.
    """

    items: list[Item]
    tools: tuple[Tool, ...] | None = None
    raw: str | None = None
    layout: ByFormat | None = None


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
        return Lifted([*items[:at], *items[at + 1 :]], tools, raw, head.message("", None).layout)
    if not _is_developer(items, at) or not _may_hold(items[at]):
        return Lifted(items)
    found = split(messages_of(items[at : at + 1]), lenient=lenient)
    rest, tools, layout = lift_tools(found.messages)
    if tools is None:
        return Lifted(items)
    return Lifted([*items[:at], *map(item_of, rest), *items[at + 1 :]], tools, found.raw, layout)


class Spelling(NamedTuple):
    """How declared tools were spelled.

    Attributes:
        raw: their section as it stood, where it was not spelled as we would.
        layout: the layout of a message that held nothing else.
    """

    raw: str | None = None
    layout: ByFormat | None = None


_OURS: Final = Spelling()


def lowered(
    items: Sequence[Item],
    around: Transcript,
    nearest: Callable[[Message, int], Message],
    log: Log,
    *,
    target: str,
    lenient: bool,
    spelling: Spelling = _OURS,
) -> Prepared:
    """A document with its tools where they are written; `lifted` gives them back.

    Tools inside messages move out; what TypeScript cannot say is left out; a developer's text that is a tools section
    is written as the tools that it is read as. What is prepared has the tools around the items where they are in a
    message of their own, and else no tools there.

    Args:
        items: the messages of the document.
        around: what stands around them.
        nearest: the nearest message that the format holds of the one with an index; it reports what is lost of it.
        log: takes what is lost.
        target: the format.
        lenient: as `lifted` has it.
        spelling: how the tools were spelled.
    """
    at, tools = _place(items), around.tools
    taken = _is_developer(items, at) and (tools or _may_hold(items[at]))
    if taken or any(map(_declares_tools, [item[1] for item in items if item[1].__class__ is not str])):
        return _lowered_into_messages(items, around, nearest, log, target=target, lenient=lenient, spelling=spelling)
    if tools is None:
        return Prepared(items, around)
    tools = image(tools)
    declared = declare(tools)
    if declared is None or declared[1] != tools:
        return Prepared(items, replace(around, tools=None))
    raw = spelling.raw
    section = raw if raw is not None and _declares(raw, tools) else declared[0]
    made = item_of(Message("developer", section, layout=spelling.layout))
    origins = [*range(at), TOOLS, *range(at, len(items))]
    return Prepared([*items[:at], made, *items[at:]], replace(around, tools=tools), origins)


def _lowered_into_messages(
    items: Sequence[Item],
    around: Transcript,
    nearest: Callable[[Message, int], Message],
    log: Log,
    *,
    target: str,
    lenient: bool,
    spelling: Spelling,
) -> Prepared:
    """As `lowered`, where a developer's message takes the tools in, or reads as their declaration."""
    document = replace(around, messages=messages_of(items))
    near = tuple([nearest(message, index) for index, message in enumerate(messages_of(items))])
    for message in near if around.open_turn is not None else near[:-1]:
        if message.role == "developer" and message.end is None:
            message.end = "end"  # only what nothing follows may be cut off
    hoisted = hoist_tools(replace(document, messages=near), log)
    messages, origins = list(hoisted.messages), places(document, log)
    back = _as_read(messages, image(hoisted.tools or ()), lenient=lenient)
    while len(back.messages) < len(messages):
        at = developer_place(messages)
        # An empty one behind it is then the one that takes the tools in, and so on.
        stop = at + 1 + len(list(takewhile(says_nothing, messages[at + 1 :])))
        for index, message in zip(origins[at:stop], messages[at:stop], strict=True):
            _report_changed(document.messages[index], near[index], index, log, target)
            severity = Severity.LAYOUT if says_nothing(message) else Severity.CHANGED
            log.lose(LossCode.TOOLS_MOVED, f"/messages/{index}", "it holds nothing but the declared tools", severity)
        del messages[at:stop], origins[at:stop]
        back = _as_read(messages, back.tools or (), lenient=lenient)
    written = list(map(item_of, spell(back, *spelling)))
    if len(written) == len(origins):
        return Prepared(written, replace(around, tools=None), origins)
    origins.insert(developer_place(back.messages), TOOLS)
    return Prepared(written, replace(around, tools=back.tools), origins)


def _as_read(messages: Sequence[Message], tools: tuple[Tool, ...], *, lenient: bool) -> Transcript:
    """Messages and tools as they are read where they are written together."""
    written = spell(Transcript(tuple(messages), tools or None))
    found = lift_tools(split(written, lenient=lenient).messages)
    if tools and found.tools != tools:
        # The developer's own text would be taken for a part of the section.
        return _as_read(messages, (), lenient=lenient)
    return Transcript(found.messages, found.tools)


def _report_changed(message: Message, near: Message, index: int, log: Log, target: str) -> None:
    """Report what a message that will not be read loses beside its text."""
    path, alone = f"/messages/{index}", "/messages/0"
    own = [loss for loss in log.losses if loss.path.startswith(f"{path}/")]
    known = [loss._replace(path=alone + loss.path[len(path) :]) for loss in own]
    found = compared(Transcript((message,)), Transcript((near,)), known, target=target).losses
    log.losses += [loss._replace(path=path + loss.path[len(alone) :]) for loss in found[len(known) :]]


def _place(items: Sequence[Item]) -> int:
    """Where the developer's message with the tools stands, or goes: `turns.developer_place`."""
    at = 0
    while at < len(items) and items[at][0].role == "system":
        at += 1
    return at


def _is_developer(items: Sequence[Item], at: int) -> bool:
    return at < len(items) and items[at][0].role == "developer"


def _may_hold(item: Item) -> bool:
    """Whether a content may hold a section: only text does, and surely not text without its heading."""
    content = item[1]
    return not isinstance(content, str) or SECTION in content


def _declares_tools(content: Content) -> bool:
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)
