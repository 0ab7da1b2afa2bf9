"""Move declared tools between a document and the developer message that has them in its text (`tools_section.py`).

`extract_tools` takes the section out of the messages that were read; `insert_tools` puts the tools of a document into
its messages, before they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from ..chat.transform import remaining, renumber
from ..chat.turns import has_part, hoist_tools, says_nothing
from ..loss import Log, Loss, LossCode, Severity
from ..model import ByFormat, Json, Message, Tool, Tools, Transcript, replace
from ..report.report import compared
from ..units.heads import Head, Item, item_of, message_of, messages_of
from ..units.relations import indices_of
from ..units.writer import TOOLS, Prepared
from .tools_section import SECTION, section_for, section_of, with_section
from .typescript import render_tools

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
        spelling = Spelling(raw, head.layout, _is_developer(items, at + 1))
        return ExtractedTools([*items[:at], *items[at + 1 :]], tools, spelling, at)
    if not _is_developer(items, at) or not _may_hold(items[at]):
        return ExtractedTools(items)
    message = message_of(items[at])
    section = section_of(message.content, lenient=lenient) if isinstance(message.content, str) else None
    if section is None:
        return ExtractedTools(items)
    rest, layout = replace(message, content=section.before), message.layout
    remaining, layout = ([], layout) if says_nothing(rest) else ([item_of(rest)], None)
    removed_at = None if remaining else at
    left_items = [*items[:at], *remaining, *items[at + 1 :]]
    spelling = Spelling(section.raw, layout, not remaining and _is_developer(items, at + 1))
    return ExtractedTools(left_items, section.tools, spelling, removed_at)


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
    return _Insertion(nearest, log, target, lenient, spelling).insert(items, around)


@dataclass(slots=True)
class _Insertion:
    """The insertion of tools, with the arguments of `insert_tools`."""

    nearest: Nearest
    log: Log
    target: str
    lenient: bool
    spelling: Spelling

    def insert(self, items: Sequence[Item], around: Transcript) -> Prepared:
        """Put the tools of a document into its messages."""
        source, origins, tools = items, range(len(items)), around.tools
        at = _place(items)
        if any(has_part(item[1], Tools) for item in items):
            items, origins, tools = _hoisted(items, around, self.nearest, self.log)
            at = _place(items)
        elif tools is None and not (_is_developer(items, at) and _may_hold(items[at])):
            return Prepared(items, around)
        section, declarable = section_for(tools or ())
        tools, written, stop = declarable, list[Item](), at
        earlier = _by_message(self.log.losses)
        is_apart = self.spelling.apart and bool(tools)
        while not written and not is_apart and _is_developer(items, stop) and (tools or _may_hold(items[stop])):
            index, is_last = origins[stop], stop == len(items) - 1 and around.open_turn is None
            losses = earlier.get(f"/messages/{index}", ())
            message, tools = self._merged(
                message_of(items[stop]), message_of(source[index]), index, tools, losses, is_last=is_last
            )
            written += [] if message is None else [item_of(message)]
            stop += 1
        before, behind, new_origins = items[:at], items[stop:], [*origins[:at], *origins[stop:]]
        if written or not tools:
            new_origins[at:at] = origins[stop - len(written) : stop]
            return Prepared([*before, *written, *behind], replace(around, tools=None), new_origins)
        if stop > at and behind and behind[0][0].role == "system":
            # System messages follow the message that was removed: the tools go after them.
            return self._insert_again([*before, *behind], replace(around, tools=tools), new_origins)
        is_whole = tools is declarable and self.spelling.raw is None
        content = section if is_whole else with_section("", tools, self.spelling.raw)
        message = Message("developer", content, layout=self.spelling.layout)
        new_origins.insert(at, TOOLS)
        return Prepared([*before, item_of(message), *behind], replace(around, tools=tools), new_origins)

    def _merged(
        self,
        message: Message,
        original: Message,
        index: int,
        tools: tuple[Tool, ...],
        losses: Sequence[Loss],
        *,
        is_last: bool,
    ) -> tuple[Message | None, tuple[Tool, ...]]:
        """Return a developer message with the tools after its text, and the tools, as both are read.

        Args:
            message: the message without declared tools.
            original: the message in the document.
            index: its index in the document.
            tools: the tools so far; none if it may only declare some in its text.
            losses: its losses that are already reported.
            is_last: whether nothing follows.

        Returns:
            None in place of the message if it is read as tools alone, which is reported.
        """
        loss_count = len(self.log.losses)
        near = self.nearest(message, index)
        if near.end is None and not is_last:
            near.end = "end"  # only what nothing follows may be cut off
        text, tools = _as_read(near, tools, lenient=self.lenient)
        if text is None:
            _report_loss(original, near, index, [*losses, *self.log.losses[loss_count:]], self.log, self.target)
            return None, tools
        content = with_section(text, tools, self.spelling.raw) if tools else text
        return replace(near, content=content), tools

    def _insert_again(self, items: Sequence[Item], around: Transcript, origins: Sequence[int]) -> Prepared:
        """Insert the tools into the messages that are left.

        Args:
            items: these messages.
            around: the document with the tools, without its messages.
            origins: the index of each message in the document.
        """
        log = Log()
        insertion = _Insertion(
            lambda message, index: self.nearest(message, origins[index]), log, self.target, self.lenient, self.spelling
        )
        prepared = insertion.insert(items, around)
        self.log.losses += renumber(log.losses, origins)
        new_origins = indices_of(items, prepared.origins)
        return prepared._replace(origins=[TOOLS if at == TOOLS else origins[at] for at in new_origins])


def _hoisted(
    items: Sequence[Item], around: Transcript, nearest: Nearest, log: Log
) -> tuple[list[Item], list[int], tuple[Tool, ...] | None]:
    """Return the nearest items without the tools in them, the index of each in the document, and all tools."""
    document = replace(around, messages=messages_of(items))
    near = tuple([nearest(message, index) for index, message in enumerate(messages_of(items))])
    hoisted = hoist_tools(replace(document, messages=near), log)
    return list(map(item_of, hoisted.messages)), remaining(len(items), log.losses), hoisted.tools


def _as_read(message: Message, tools: tuple[Tool, ...], *, lenient: bool) -> tuple[str | None, tuple[Tool, ...]]:
    """Return the text of a developer message and the tools, as they are read if the tools are written after the text.

    The text is None if the message contains only the section.
    """
    text = cast("str", message.content)
    if tools and says_nothing(message):
        return None, tools
    section = section_of(with_section(text, tools) if tools else text, lenient=lenient)
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
