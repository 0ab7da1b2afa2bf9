"""Read and write the `# Tools` section in a developer message, in which Harmony and OCM 2.2 declare tools.

The section is TypeScript (`text.typescript`) after the text of the message. `extract_tools` takes it out of the
messages that were read; `insert_tools` puts the tools of a document into its messages, before they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, cast

from ..chat.transform import renumber
from ..chat.turns import hoist_tools, places, says_nothing
from ..loss import Log, Loss, LossCode, Severity
from ..model import ByFormat, Content, Json, Message, Tool, Tools, Transcript, replace
from ..report.report import compared
from ..units.heads import Head, Item, item_of, message_of, messages_of
from ..units.writer import TOOLS, Prepared
from .typescript import declare, parse_tools, render_tools

SECTION: Final = "# Tools\n\n"
_GAP: Final = "\n\n"
Nearest = Callable[[Message, int], Message]
"""Return the nearest message that the format can hold for a message and its index, and report the losses."""


class Spelling(NamedTuple):
    """How the declared tools were spelled.

    Attributes:
        raw: the text of their section, if it is not the text that would be written; else None.
        layout: the layout of the message with the section, if it had no other text; else None.
        apart: whether that message had no other text although another developer message follows.
    """

    raw: str | None = None
    layout: ByFormat | None = None
    apart: bool = False

    def notes(self, home: str) -> dict[str, Json]:
        """Return the layout of a document whose tools were spelled so, in the format with the id `home`."""
        notes: dict[str, Json] = {} if self.raw is None else {_RAW: self.raw}
        if self.layout is not None:
            notes[_MESSAGE] = self.layout.get(home, {})
        return {**notes, _APART: True} if self.apart else notes


_OURS: Final = Spelling()
_RAW: Final = "tools"
_MESSAGE: Final = "tools_message"
_APART: Final = "tools_apart"
"""Keys of the layout of a document: the fields of `Spelling`."""


def spelling_of(notes: Mapping[str, Json], home: str) -> Spelling:
    """Return how tools were spelled, from the layout of a document in the format with the id `home`."""
    raw, message = notes.get(_RAW), notes.get(_MESSAGE)
    layout = {home: cast("dict[str, Json]", message)} if isinstance(message, dict) else None
    return Spelling(raw if isinstance(raw, str) else None, layout, notes.get(_APART) is True)


# --- sections ---------------------------------------------------------------------------------------------------------


class _Section(NamedTuple):
    """A section after the text of a developer message.

    Attributes:
        before: the text before the section.
        tools: the tools that the section declares.
        raw: the text of the section, if it is not the text that would be written; else None.
    """

    before: str
    tools: tuple[Tool, ...]
    raw: str | None


def _section_of(text: str, *, lenient: bool) -> _Section | None:
    """Return the section at the end of a developer message's text, or None if there is none."""
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
    """Append a section to the text of a developer message.

    Args:
        text: the text; may be empty.
        tools: the tools.
        raw: the stored text of the section; used if it declares exactly these tools.
    """
    section = raw if raw is not None and _declares(raw, tools) else render_tools(tools)
    return f"{text}{_GAP}{section}" if text else section


def _declares(section: str, tools: tuple[Tool, ...]) -> bool:
    """Return whether a section declares these tools and contains nothing else."""
    parsed = parse_tools(section, lenient=True) if section.startswith(SECTION) else None
    return parsed is not None and parsed.tools == tools and not parsed.descriptions


def image(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Return the image of tools: the nearest tools that a section can hold.

    A tool whose description would be read differently loses it; a tool whose schema has no TypeScript loses the schema.
    A tool whose name cannot be declared is omitted.
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
    """Return the tools that reading their section gives, in its order; None if it would not be read."""
    declared = declare(tools)
    return declared[1] if declared is not None and len(declared[1]) == len(tools) else None


# --- reading ----------------------------------------------------------------------------------------------------------


class ExtractedTools(NamedTuple):
    """Items without the section that declared the tools.

    Attributes:
        items: the items that are left.
        tools: the tools; None if no section was found.
        spelling: how the tools were spelled.
        at: the index of the message that was removed, because it contained only the section; None if none was.
    """

    items: list[Item]
    tools: tuple[Tool, ...] | None = None
    spelling: Spelling = _OURS
    at: int | None = None


def extract_tools(items: list[Item], *, lenient: bool, tools: tuple[Tool, ...] | None = None) -> ExtractedTools:
    """Take the declared tools out of items that were read.

    Args:
        items: the items, in order.
        lenient: whether a section may have other indentation and blank lines than the one that would be written.
        tools: the tools, if they are known to be in a message of their own, where `insert_tools` has put them.
    """
    at = _place(items)
    if tools:
        head, content, _ = items[at]
        raw = None if content == render_tools(tools) else cast("str", content)
        spelling = Spelling(raw, head.message("", None).layout, _is_developer(items, at + 1))
        return ExtractedTools([*items[:at], *items[at + 1 :]], tools, spelling, at)
    if not _is_developer(items, at) or not _may_hold(items[at]):
        return ExtractedTools(items)
    message = message_of(items[at])
    section = _section_of(message.content, lenient=lenient) if isinstance(message.content, str) else None
    if section is None:
        return ExtractedTools(items)
    rest, layout = replace(message, content=section.before), message.layout
    remaining, layout = ([], layout) if says_nothing(rest) else ([item_of(rest)], None)
    removed_at = None if remaining else at
    left_items = [*items[:at], *remaining, *items[at + 1 :]]
    spelling = Spelling(section.raw, layout, not remaining and _is_developer(items, at + 1))
    return ExtractedTools(left_items, section.tools, spelling, removed_at)


# --- writing ----------------------------------------------------------------------------------------------------------


def insert_tools(
    items: Sequence[Item],
    around: Transcript,
    nearest: Nearest,
    log: Log,
    *,
    target: str,
    lenient: bool,
    spelling: Spelling = _OURS,
) -> Prepared:
    """Put the tools of a document into its messages, where they are written; `extract_tools` takes them out again.

    The section goes after the text of the first developer message, if only system messages precede it and the section
    was not apart; else into a new developer message after the leading system messages. Tools that are declared inside
    messages are moved there. What TypeScript cannot express is omitted. If a developer message already contains a
    section, its tools are declared.

    Args:
        items: the messages of the document.
        around: the document without its messages. That of the result has tools only if a new message contains them.
        nearest: returns the nearest message that the format can hold.
        log: receives the losses.
        target: the format id.
        lenient: whether a section may have other indentation and blank lines, as for `extract_tools`.
        spelling: how the tools were spelled.
    """
    source, origins, tools, at = items, range(len(items)), around.tools, _place(items)
    if any(map(_has_tools, [item[1] for item in items if item[1].__class__ is not str])):
        items, origins, tools = _hoisted(items, around, nearest, log)
        at = _place(items)
    elif tools is None and not (_is_developer(items, at) and _may_hold(items[at])):
        return Prepared(items, around)
    section, declarable = _declarable(tools or ())
    tools, written, stop = declarable, list[Item](), at
    earlier = _by_message(log.losses)
    is_apart = spelling.apart and bool(tools)
    while not written and not is_apart and _is_developer(items, stop) and (tools or _may_hold(items[stop])):
        index, loss_count = origins[stop], len(log.losses)
        near = nearest(message_of(items[stop]), index)
        if near.end is None and (stop < len(items) - 1 or around.open_turn is not None):
            near.end = "end"  # only what nothing follows may be cut off
        text, tools = _as_read(near, tools, lenient=lenient)
        if text is None:
            losses = [*earlier.get(f"/messages/{index}", ()), *log.losses[loss_count:]]
            _report_loss(message_of(source[index]), near, index, losses, log, target)
        else:
            content = _with_section(text, tools, spelling.raw) if tools else text
            written.append(item_of(replace(near, content=content)))
        stop += 1
    separate_tools = tools if not written else ()
    if stop > at and separate_tools and stop < len(items) and items[stop][0].role == "system":
        # System messages follow the message that is removed: the tools go after them.
        kept_items, kept_origins = [*items[:at], *items[stop:]], [*origins[:at], *origins[stop:]]
        renumbered_log = Log()
        prepared = insert_tools(
            kept_items,
            replace(around, tools=separate_tools),
            lambda message, index: nearest(message, kept_origins[index]),
            renumbered_log,
            target=target,
            lenient=lenient,
            spelling=spelling,
        )
        log.losses += renumber(renumbered_log.losses, kept_origins)
        inner_origins = range(len(kept_items)) if prepared.origins is None else prepared.origins
        return prepared._replace(origins=[at if at == TOOLS else kept_origins[at] for at in inner_origins])
    if separate_tools:
        content = (
            section
            if separate_tools is declarable and spelling.raw is None
            else _with_section("", separate_tools, spelling.raw)
        )
        written.append(item_of(Message("developer", content, layout=spelling.layout)))
    written_origins = [TOOLS] if separate_tools else origins[stop - len(written) : stop]
    return Prepared(
        [*items[:at], *written, *items[stop:]],
        replace(around, tools=separate_tools or None),
        [*origins[:at], *written_origins, *origins[stop:]],
    )


def _hoisted(
    items: Sequence[Item], around: Transcript, nearest: Nearest, log: Log
) -> tuple[list[Item], list[int], tuple[Tool, ...] | None]:
    """Return the nearest items without the tools in them, the index of each in the document, and all tools."""
    document = replace(around, messages=messages_of(items))
    near = tuple([nearest(message, index) for index, message in enumerate(messages_of(items))])
    hoisted = hoist_tools(replace(document, messages=near), log)
    return list(map(item_of, hoisted.messages)), places(document, log), hoisted.tools


def _declarable(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]]:
    """Return the section of tools, and the tools that it can hold; none if writing them again would change them."""
    readable = image(tools) if tools else ()
    declared = declare(readable) if readable else None
    return declared if declared is not None and declared[1] == readable else ("", ())


def _as_read(message: Message, tools: tuple[Tool, ...], *, lenient: bool) -> tuple[str | None, tuple[Tool, ...]]:
    """Return the text of a developer message and the tools, as they are read if the tools are written after the text.

    The text is None if the message contains only the section.
    """
    text = cast("str", message.content)
    if tools and says_nothing(message):
        return None, tools
    section = _section_of(_with_section(text, tools) if tools else text, lenient=lenient)
    if tools and (section is None or section.tools != tools):
        # Part of the message's text would be read as part of the section.
        return _as_read(message, (), lenient=lenient)
    if section is None:
        return text, ()
    return None if says_nothing(replace(message, content=section.before)) else section.before, section.tools


def _by_message(losses: Sequence[Loss]) -> dict[str, list[Loss]]:
    """Group losses by the path of their message."""
    groups: dict[str, list[Loss]] = {}
    for loss in losses:
        groups.setdefault("/".join(loss.path.split("/", 3)[:3]), []).append(loss)
    return groups


def _report_loss(message: Message, near: Message, index: int, losses: Sequence[Loss], log: Log, target: str) -> None:
    """Report a developer message that is removed because it is read as declared tools only, and its other losses.

    Args:
        message: the message in the document.
        near: the nearest message.
        index: the index of the message in the document.
        losses: the losses of the message that are already reported.
        log: receives the losses.
        target: the format id.
    """
    path, first_path = f"/messages/{index}", "/messages/0"
    reported = [loss._replace(path=first_path + loss.path[len(path) :]) for loss in losses]
    all_losses = compared(Transcript((message,)), Transcript((near,)), reported, target=target).losses
    log.losses += [loss._replace(path=path + loss.path[len(first_path) :]) for loss in all_losses[len(reported) :]]
    if says_nothing(near):
        log.lose(LossCode.TOOLS_MOVED, path, "the message holds nothing but the declared tools", Severity.LAYOUT)
    else:
        log.lose(LossCode.MESSAGE, path, f"the whole text is read as declared tools in {target}", Severity.CHANGED)


def _place(items: Sequence[Item]) -> int:
    """Return the index of the developer message with the tools, or of its place: after the leading system messages."""
    at = 0
    while at < len(items) and items[at][0].role == "system":
        at += 1
    return at


def _is_developer(items: Sequence[Item], at: int) -> bool:
    """Return whether the item at an index is a developer message."""
    return at < len(items) and items[at][0].role == "developer"


def is_plain(head: Head, content: str) -> bool:
    """Return whether a message certainly contains no section of tools."""
    return head.role != "developer" or SECTION not in content


def _may_hold(item: Item) -> bool:
    """Return whether an item may contain a section: text without its heading does not."""
    content = item[1]
    return not isinstance(content, str) or SECTION in content


def _has_tools(content: Content) -> bool:
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)
