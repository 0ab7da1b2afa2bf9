"""Prepare a document for writing: all that a frame needs to know of the whole document.

Declared tools move into a developer message, replies get the names of the tools that they answer for, headers are
written as the declared tools make them read, and messages get ends that what follows them allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.transform import remaining, renumber
from ocml_bridge.chat.turns import declares_tools, hoist_tools, parts_of, says_nothing
from ocml_bridge.chat.visibility import channelled
from ocml_bridge.common.memo import Memo
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, Loss, LossCode, Severity
from ocml_bridge.model import Ending, Message, Tool, Tools, Transcript, replace
from ocml_bridge.model.cache_keys import fields_of_tools, packed
from ocml_bridge.model.diff import diff
from ocml_bridge.report.naming import name_difference
from ocml_bridge.text import tools_section
from ocml_bridge.units.conversation import Conversation, conversation_of
from ocml_bridge.units.heads import Head, Item, item_of, message_of, messages_of
from ocml_bridge.units.pairing import links_of, pair
from ocml_bridge.units.relations import indices_of
from ocml_bridge.units.writer import TOOLS, Prepared

from .around import place_of_tools, with_extracted_tools
from .body import Body, is_in_place, is_readable, read_developer, write_section
from .header import Fields, build_message, fields_of
from .header_by_tools import NOTHING, Names, evident_fields, names_in, names_of_parts
from .nearest import answers, framed, headed, keeps_header, narrowed, nearest
from .syntax import ASSISTANT, DEVELOPER, HOME, NOTES, SYSTEM, TOOL
from .tools import SECTION

SIZE: Final = 4_000_000
"""The size of the cache of sections, in bytes of the sections and of their tools."""
LARGEST: Final = SIZE // 16
"""The maximal size of a section, or of the key of its tools, in the cache, in bytes."""
_OVERHEAD: Final = 500
"""The size of a cache entry without its section and tools, in bytes."""


class Section(NamedTuple):
    """A section that declares tools.

    Attributes:
        text: the section.
        tools: the tools that it reads as, if it is all that its message holds; None if it does not read as tools alone.
            All documents with this section share them.
    """

    text: str
    tools: tuple[Tool, ...] | None


class Sections:
    """A cache of written sections, by their tools."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known = Memo[bytes, Section](SIZE)

    def key(self, tools: tuple[Tool, ...]) -> bytes | None:
        """Return the cache key of tools; None if they are too large, or contain a value that is not JSON."""
        key = packed(fields_of_tools(tools))
        return key if key is not None and len(key) <= LARGEST else None

    def get(self, key: bytes | None) -> Section | None:
        """Return the section of the tools with a key; None if the cache does not have it, or the key is None."""
        return None if key is None else self._known.get(key)

    def keep(self, key: bytes | None, text: str, tools: tuple[Tool, ...] | None) -> None:
        """Add the section of the tools with a key to the cache, if it is not too large.

        Args:
            key: the key; None adds nothing.
            text: the section.
            tools: the tools that it reads as; nobody may change them.
        """
        if key is not None and len(text) <= LARGEST:
            self._known.keep(key, Section(text, tools), 2 * len(key) + len(text) + _OVERHEAD)


PROMPTED: Final = "prompted"
"""The state before a message that follows a generation prompt."""
DECLARATION: Final = Head(Message(DEVELOPER, SECTION), shared=True)
"""The head of the developer message that is made for declared tools; it is recognised by identity."""
_SECTIONS: Final = Sections()


def prepared(conversation: Conversation, options: Options, log: Log) -> Prepared:
    """Return a document as it is to be written.

    Args:
        conversation: the document.
        options: `dialect` and `training` are used.
        log: receives the losses.
    """
    layout, turn = NOTES.of(conversation.around.layout), conversation.around.open_turn
    trains = options.training and turn is not None
    if not layout and not trains and _is_plain(conversation.items):
        made = _apart(Prepared(conversation.items, conversation.around))
        return made if made.around.tools is None else made._replace(items=_explained(made.items))
    items, around, origins, _ = _in_message(conversation, options, log)
    items = _explained(_ended(_named(items, options), turn, options))
    if "prompted" not in layout:
        return Prepared(items, around, origins)
    first = items[0][0] if items else turn
    # Without its channel's token, the beginning of a header after a generation prompt would read as a text.
    is_header = items != [] or (turn is not None and turn.channel is not None)
    prompted = layout["prompted"] is True and first is not None and first.role == ASSISTANT and is_header
    around = replace(around, layout={HOME: {**layout, "prompted": prompted}})
    return Prepared(items, around, origins, PROMPTED if prompted else None)


def _is_plain(items: Sequence[Item]) -> bool:
    """Return whether no message is the developer's, has parts, ends with `return`, or is a reply without a name."""
    for head, content, _ in items:
        if content.__class__ is not str or head.role == DEVELOPER or head.end == "return":
            return False
        if head.role == TOOL and not head.name:
            return False
    return True


# --- declared tools ---------------------------------------------------------------------------------------------------


def _in_message(conversation: Conversation, options: Options, log: Log) -> Prepared:
    """Move the tools of the document into the developer message, or into a new one if there is none."""
    made = Prepared(conversation.items, conversation.around)
    if not _are_in_place(conversation):
        made = _hoisted(conversation.transcript, log)
    at = place_of_tools(made.items)
    if at == len(made.items) or made.items[at][0].role != DEVELOPER:
        return _apart(made)
    content = made.items[at][1]
    declares = made.around.tools is not None or not isinstance(content, str) or SECTION in content
    return _instructed(conversation, made, at, options, log) if declares else made


def _apart(made: Prepared) -> Prepared:
    """Insert a developer message for the tools of a document; without tools that can be declared, insert none."""
    items, around, origins, _ = made
    if around.tools is None:
        return made
    readable = _readable(around.tools, NOTES.of(around.layout))
    if readable is None:
        return Prepared(items, replace(around, tools=None), origins)
    tools, section = readable
    around = around if tools is around.tools else replace(around, tools=tools)
    at = place_of_tools(items)
    indices = indices_of(items, origins)
    items = [*items[:at], (DECLARATION, section, None), *items[at:]]
    return Prepared(items, around, [*indices[:at], TOOLS, *indices[at:]])


def with_tools(items: list[Item], around: Transcript) -> Conversation:
    """Return the conversation that the written messages read as together.

    Args:
        items: the messages; if `around` has tools, one of them is the section that declares them.
        around: the transcript without its messages.
    """
    if around.tools is None:
        return with_extracted_tools(items, around)
    at = place_of_tools(items)
    written = cast("str", items[at][1])
    known = _SECTIONS.get(_SECTIONS.key(around.tools))
    tools = None if known is None or known.text != written else known.tools
    if tools is not None and _role_behind(items, at, None) not in (DEVELOPER, SYSTEM):
        del items[at]
        return Conversation(items, replace(around, tools=tools))
    section, read = write_section(around.tools, {})
    if section != written:  # without what UTF-8 cannot hold
        read = read_developer(written)
    items[at] = _read_item(read)
    return with_extracted_tools(items, replace(around, tools=None))


def _read_item(read: Body) -> Item:
    """Return the message that a section reads as."""
    layout = {} if read.section is None else {"tools": read.section}
    return item_of(build_message(Fields(DEVELOPER), read.content, "end", layout, {}))


def _tools_alone(read: Body) -> tuple[Tool, ...] | None:
    """Return the tools of a section that is a whole message; None if the message holds more than its tools."""
    first = read.content[0] if len(read.content) == 1 and read.section is None else None
    return first.tools if isinstance(first, Tools) else None


def _are_in_place(conversation: Conversation) -> bool:
    """Return whether Harmony can hold the tools where the document declares them.

    Tools in messages must be in their place (`is_in_place`). The document must have no tools of its own if the
    developer message already has some.
    """
    declaring = [item for item in conversation.items if item[1].__class__ is not str]
    if not all(is_in_place(head.role, content) for head, content, _ in declaring):
        return False
    tools, first = conversation.around.tools, conversation.items[place_of_tools(conversation.items) :][:1]
    return tools is None or not any(map(declares_tools, messages_of(first)))


def _hoisted(document: Transcript, log: Log) -> Prepared:
    """Move all tools out of messages, into the tools of the document."""
    # Report unsupported parts first: their paths count the parts with tools, which then move.
    messages = [narrowed(message, (Tools,), f"/messages/{at}", log) for at, message in enumerate(document.messages)]
    made = conversation_of(hoist_tools(replace(document, messages=tuple(messages)), log))
    return Prepared(made.items, made.around, remaining(len(document.messages), log.losses))


def _instructed(conversation: Conversation, made: Prepared, at: int, options: Options, log: Log) -> Prepared:
    """Move the tools of the document into its developer message, and report it if nothing else is left of this message.

    Args:
        conversation: the document as given.
        made: the document with its tools in their place. It has tools, or the developer message has some, or the text
            of that message may read as tools.
        at: the index of the developer message in `made`.
        options: `dialect` and `training` are used.
        log: receives the losses.
    """
    items, around = [*made.items], replace(made.around, tools=None)
    origins = [*indices_of(items, made.origins)]
    message, path = message_of(items[at]), f"/messages/{origins[at]}"
    tools = made.around.tools
    readable = None if tools is None else _readable(tools, NOTES.of(message.layout))
    if readable is not None:
        before = () if message.content == "" else parts_of(message.content)
        message = replace(message, content=(*before, Tools(readable[0])))
    items[at] = item_of(message)
    noted, behind = Log(), _role_behind(items, at, around.open_turn)
    image, body = framed(nearest(message, path, noted), options, prompted=False, last=behind is None)
    # Before a developer or system message, this message must stay: without it, the tools would be written into that
    # developer message, or after that system message.
    instructed = at + 1 < len(items) and behind in (DEVELOPER, SYSTEM)
    if not instructed and len(image.content) == 1 and _holds_nothing_else(image):
        (declares,) = image.content
        if isinstance(declares, Tools):
            log.losses += noted.losses
            written = message_of(conversation.items[origins[at]])
            severity = Severity.LAYOUT if says_nothing(written) else Severity.CHANGED
            log.lose(LossCode.TOOLS_MOVED, path, "the message holds nothing but the declared tools", severity)
            log.losses += _extras_lost(written, origins[at])
            items[at], origins[at] = (DECLARATION, body, None), TOOLS
            around.tools = declares.tools
    return Prepared(items, around, origins)


def _extras_lost(message: Message, index: int) -> list[Loss]:
    """Return the losses of the extras of a message that is written as declared tools alone."""
    found = diff(Transcript((message,)), Transcript((replace(message, extras=None),)))
    return list(renumber([name_difference(each, HOME) for each in found], [index]))


def _holds_nothing_else(image: Message) -> bool:
    """Return whether a developer message has nothing but its content and the spelling of its tools."""
    spelling = NOTES.of(image.layout).get("tools")
    layout = None if spelling is None else {HOME: {"tools": spelling}}
    return image == Message(DEVELOPER, image.content, layout=layout)


def _readable(tools: tuple[Tool, ...], layout: dict[str, Any]) -> tuple[tuple[Tool, ...], str] | None:
    """Return the tools that a section reads as, and the section; None if no section would read as tools.

    Args:
        tools: the tools to declare.
        layout: Harmony's layout of what declares them.
    """
    key = None if "tools" in layout or "plain" in layout else _SECTIONS.key(tools)
    if (known := _SECTIONS.get(key)) is not None:
        return tools, known.text
    section, read = write_section(tools, layout)
    if is_readable(tools, read):
        _SECTIONS.keep(key, section, _tools_alone(read))
        return tools, section
    tools = tools_section.nearest_tools(tools)
    section, read = write_section(tools, {})
    return None if not tools or isinstance(read.content, str) else (tools, section)


_PLAIN_CHANNELS: Final = frozenset({None, "analysis", "final"})
"""The channels on which a message without a recipient is never read as a call."""


def _explained(items: Sequence[Item]) -> Sequence[Item]:
    """Return the items, each with its fields as its header reads after the tools that are declared before it.

    A reply gets the new name of the tool that its call names: with the old name it would read as a reply to no call.
    """
    changed, names = dict[int, Item](), NOTHING
    for at, (head, content, _) in enumerate(items):
        if head.role == DEVELOPER:
            names |= names_in(DEVELOPER, content) if isinstance(content, str) else names_of_parts(content)
        elif names and head.role == ASSISTANT and head.recipient not in names:
            if head.recipient is None and head.channel in _PLAIN_CHANNELS:
                continue
            fields = _evident(head, names)
            if fields is not None:
                message = message_of(items[at])
                changed[at] = item_of(build_message(fields, message.content, message.end, NOTES.of(message.layout), {}))
    if not changed:
        return items
    out = [changed.get(at, item) for at, item in enumerate(items)]
    for reply, call in pair(links_of(items)).items():
        head, content, call_id = out[reply]
        if call in changed and head.name == items[call][0].recipient:
            out[reply] = head.replaced(name=out[call][0].recipient), content, call_id
    return out


@lru_cache(maxsize=2048)
def _evident(head: Head, names: Names) -> Fields | None:
    """Return the fields that the header of a message reads as, if they are others than those of the message."""
    fields = fields_of(head.example())
    known, _ = evident_fields(fields, "", names)
    return None if known == fields else known


# --- names and ends ---------------------------------------------------------------------------------------------------


def _named(items: Sequence[Item], options: Options) -> Sequence[Item]:
    """Name the replies without a name: each gets the name of the tool that it answers for.

    That is the call with its id; if there is none, the call that it will read as a reply to, since Harmony has no ids.
    """
    nameless = [at for at, (head, _, _) in enumerate(items) if head.role == TOOL and not head.name]
    if not nameless:
        return items
    links, out = links_of(items), [*items]
    names = _tools_of_replies(links)
    if not all(at in names for at in nameless):
        named = [
            replace(each, name=each.name or names.get(at), call_id=None) if items[at][0].role == TOOL else each
            for at, each in enumerate(links)
        ]
        names = _tools_of_replies(named) | names
    for at in nameless:
        if at in names and not keeps_header(message_of(items[at]), options):
            head, content, call_id = items[at]
            out[at] = head.replaced(name=names[at]), content, call_id
    return out


def _tools_of_replies(messages: Sequence[Message]) -> dict[int, str]:
    return {reply: messages[call].recipient or TOOL for reply, call in pair(messages).items()}


def _ended(items: Sequence[Item], turn: Message | None, options: Options) -> Sequence[Item]:
    """Change the ends of messages to those that what follows allows.

    Before a system message, `<|return|>` becomes `<|end|>`: otherwise another conversation would begin there. With
    `training`, the last message ends with `<|return|>` if it is a final answer and an open turn follows it.
    """
    ends: dict[int, Ending] = {at: "return" for at, item in enumerate(items) if item[0].end == "return"}
    if options.training and turn is not None and items:
        # Only with an open turn: without one, `framed` sets the end of the last message.
        last = headed(channelled(message_of(items[-1])), options, prompted=False)
        if answers(last):
            ends[len(items) - 1] = "return"
    if not ends:
        return items
    out = [*items]
    for at, end in ends.items():
        head, content, call_id = items[at]
        end = "end" if _role_behind(items, at, turn) == SYSTEM else end
        if end != head.end:
            out[at] = head.replaced(end=end), content, call_id
    return out


def _role_behind(items: Sequence[Item], at: int, turn: Message | None) -> str | None:
    """Return the role of the message or open turn after a message; None if nothing follows."""
    return items[at + 1][0].role if at + 1 < len(items) else turn.role if turn is not None else None
