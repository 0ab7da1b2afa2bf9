"""What only a whole document tells of what is written: where tools are declared, who replies, how messages end."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

from ocml_bridge.chat.transform import renumber
from ocml_bridge.chat.turns import declares_tools, hoist_tools, parts_of, places, says_nothing
from ocml_bridge.chat.visibility import channelled
from ocml_bridge.common.memo import Memo
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log, Loss, LossCode, Severity
from ocml_bridge.model import Ending, Message, Tool, Tools, Transcript, replace
from ocml_bridge.model.diff import diff
from ocml_bridge.model.ownership import key_of
from ocml_bridge.report.naming import name_difference
from ocml_bridge.text import developer
from ocml_bridge.units.conversation import Conversation, conversation_of
from ocml_bridge.units.heads import Head, Item, item_of, message_of, messages_of
from ocml_bridge.units.pairing import links_of, pair
from ocml_bridge.units.writer import TOOLS, Prepared

from .declared import NOTHING, evident_fields, names_in, names_of_parts
from .header import Fields, fields_of
from .message import Body, declared, is_in_place, is_readable, lifted, make, place_of_tools, read_developer
from .nearest import answers, framed, headed, keeps_header, narrowed, nearest
from .syntax import ASSISTANT, DEVELOPER, HOME, NOTES, SYSTEM, TOOL
from .tools import SECTION

SIZE: Final = 4_000_000
"""How many bytes of sections, and of the tools that they are of, are remembered."""
LARGEST: Final = SIZE // 16
"""The largest of them, in bytes."""
_OVERHEAD: Final = 500
"""What one takes beside its bytes."""
_fields: Final = attrgetter(*Tool.__match_args__)


class Section(NamedTuple):
    """How tools are declared.

    Attributes:
        text: the section.
        tools: what it is read as, where it stands alone, shared by all documents that have it; None where it is not
            read as tools there.
    """

    text: str
    tools: tuple[Tool, ...] | None


class Sections:
    """Some of the sections written so far, by all that their tools say."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known = Memo[bytes, Section](SIZE)

    def key(self, tools: Sequence[Tool]) -> bytes | None:
        """What tells tools from all others; None for those that are too large, or hold what is no JSON."""
        try:
            key = key_of([_fields(tool) for tool in tools])
        except ValueError:
            return None
        return key if len(key) <= LARGEST else None

    def get(self, key: bytes | None) -> Section | None:
        """The section of the tools with a key; None where it is not known."""
        return None if key is None else self._known.get(key)

    def keep(self, key: bytes | None, text: str, tools: tuple[Tool, ...] | None) -> None:
        """Remember the section of the tools with a key, and the tools that it is read as, which nobody changes."""
        if key is not None and len(text) <= LARGEST:
            self._known.keep(key, Section(text, tools), 2 * len(key) + len(text) + _OVERHEAD)


PROMPTED: Final = "prompted"
"""The state before a message that begins behind a generation prompt."""
DECLARATION: Final = Head(Message(DEVELOPER, SECTION), shared=True)
"""The head of the message that declared tools are written in; none that a document has is this very object."""
_SECTIONS: Final = Sections()


def prepared(conversation: Conversation, options: Options, log: Log) -> Prepared:
    """A document as it is written.

    Args:
        conversation: any.
        options: `dialect` and `training` count.
        log: takes what is lost.
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
    prompted = layout["prompted"] is True and first is not None and first.role == ASSISTANT
    around = replace(around, layout={HOME: {**layout, "prompted": prompted}})
    return Prepared(items, around, origins, PROMPTED if prompted else None)


def _is_plain(items: Sequence[Item]) -> bool:
    """Whether no message declares tools, is to be named, or ends as it may not before another."""
    for head, content, _ in items:
        if content.__class__ is not str or head.role == DEVELOPER or head.end == "return":
            return False
        if head.role == TOOL and not head.name:
            return False
    return True


# --- declared tools ---------------------------------------------------------------------------------------------------


def _in_message(conversation: Conversation, options: Options, log: Log) -> Prepared:
    """The document with its tools in the developer's message, or in one that is made for them."""
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
    """A document without instructions, with its tools in a developer's message of their own."""
    items, around, origins, _ = made
    if around.tools is None:
        return made
    readable = _readable(around.tools, NOTES.of(around.layout))
    if readable is None:
        return Prepared(items, replace(around, tools=None), origins)
    tools, section = readable
    around = around if tools is around.tools else replace(around, tools=tools)
    at = place_of_tools(items)
    indices = range(len(items)) if origins is None else origins
    items = [*items[:at], (DECLARATION, section, None), *items[at:]]
    return Prepared(items, around, [*indices[:at], TOOLS, *indices[at:]])


def with_tools(items: list[Item], around: Transcript) -> Conversation:
    """What is read of messages, one of which is the section of the tools that are declared around them."""
    if around.tools is None:
        return lifted(items, around)
    at = place_of_tools(items)
    written = cast("str", items[at][1])
    known = _SECTIONS.get(_SECTIONS.key(around.tools))
    tools = None if known is None or known.text != written else known.tools
    if tools is not None and _role_behind(items, at, None) not in (DEVELOPER, SYSTEM):
        del items[at]
        return Conversation(items, replace(around, tools=tools))
    section, read = declared(around.tools, {})
    if section != written:  # without what UTF-8 cannot hold
        read = read_developer(written)
    items[at] = _read_item(read)
    return lifted(items, replace(around, tools=None))


def _read_item(read: Body) -> Item:
    """The message that a section is read as."""
    layout = {} if read.section is None else {"tools": read.section}
    return item_of(make(Fields(DEVELOPER), read.content, "end", layout, {}))


def _lifted_alone(read: Body) -> tuple[Tool, ...] | None:
    """The tools of a section that stands alone; None where they are not all that it says."""
    alone = lifted([_read_item(read)], Transcript())
    return None if alone.items or alone.around.layout is not None else alone.around.tools


def _are_in_place(conversation: Conversation) -> bool:
    """Whether tools that messages declare stand where Harmony has them, and no others are declared apart."""
    declaring = [item for item in conversation.items if item[1].__class__ is not str]
    if not all(is_in_place(head.role, content) for head, content, _ in declaring):
        return False
    tools, first = conversation.around.tools, conversation.items[place_of_tools(conversation.items) :][:1]
    return tools is None or not any(map(declares_tools, messages_of(first)))


def _hoisted(document: Transcript, log: Log) -> Prepared:
    """The document with all its tools declared apart from messages."""
    # Parts are left out first: their paths count the tools that then move out.
    messages = [narrowed(message, (Tools,), f"/messages/{at}", log) for at, message in enumerate(document.messages)]
    made = conversation_of(hoist_tools(replace(document, messages=tuple(messages)), log))
    return Prepared(made.items, made.around, places(document, log))


def _instructed(conversation: Conversation, made: Prepared, at: int, options: Options, log: Log) -> Prepared:
    """The document with its tools in the developer's message at an index, which is none if it is nothing else.

    That message has tools, or they are declared apart, or its text reads as if it had some.
    """
    items, around = [*made.items], replace(made.around, tools=None)
    origins = [*range(len(items))] if made.origins is None else [*made.origins]
    message, path = message_of(items[at]), f"/messages/{origins[at]}"
    tools = made.around.tools
    readable = None if tools is None else _readable(tools, NOTES.of(message.layout))
    if readable is not None:
        before = () if message.content == "" else parts_of(message.content)
        message = replace(message, content=(*before, Tools(readable[0])))
    items[at] = item_of(message)
    noted, behind = Log(), _role_behind(items, at, around.open_turn)
    image, body = framed(nearest(message, path, noted), options, prompted=False, last=behind is None)
    # Without this one, the next would take the tools in, or they would be declared behind it.
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
    """What stands beside the content of a message that is not written as one."""
    found = diff(Transcript((message,)), Transcript((replace(message, extras=None),)))
    return list(renumber([name_difference(each, HOME) for each in found], [index]))


def _holds_nothing_else(image: Message) -> bool:
    """Whether there is nothing but content in the message that holds the tools, and how they are spelled."""
    spelling = NOTES.of(image.layout).get("tools")
    layout = None if spelling is None else {HOME: {"tools": spelling}}
    return image == Message(DEVELOPER, image.content, layout=layout)


def _readable(tools: tuple[Tool, ...], layout: dict[str, Any]) -> tuple[tuple[Tool, ...], str] | None:
    """Declared tools that are read as such, and their section; None where none is: nobody sent that text."""
    key = None if "tools" in layout or "plain" in layout else _SECTIONS.key(tools)
    if (known := _SECTIONS.get(key)) is not None:
        return tools, known.text
    section, read = declared(tools, layout)
    if is_readable(tools, read):
        _SECTIONS.keep(key, section, _lifted_alone(read))
        return tools, section
    tools = developer.image(tools)
    section, read = declared(tools, {})
    return None if not tools or isinstance(read.content, str) else (tools, section)


_PLAIN_CHANNELS: Final = frozenset({None, "analysis", "final"})
"""Channels on which nothing is taken for a call but what has a recipient."""


def _explained(items: Sequence[Item]) -> Sequence[Item]:
    """The items, with the headers that the tools that are declared before them make of theirs.

    A reply has the name that its call gets by that: else it would be read as nobody's answer.
    """
    changed, names = dict[int, Item](), NOTHING
    for at, (head, content, _) in enumerate(items):
        if head.role == DEVELOPER:
            names |= names_in(DEVELOPER, content) if isinstance(content, str) else names_of_parts(content)
        elif names and head.role == ASSISTANT and head.recipient not in names:
            if head.recipient is None and head.channel in _PLAIN_CHANNELS:
                continue
            message = message_of(items[at])
            fields = fields_of(message)
            known, _ = evident_fields(fields, "", names)
            if known != fields:
                changed[at] = item_of(make(known, message.content, message.end, NOTES.of(message.layout), {}))
    if not changed:
        return items
    out = [changed.get(at, item) for at, item in enumerate(items)]
    for reply, call in pair(links_of(items)).items():
        head, content, call_id = out[reply]
        if call in changed and head.name == items[call][0].recipient:
            out[reply] = head.replaced(name=out[call][0].recipient), content, call_id
    return out


# --- names and ends ---------------------------------------------------------------------------------------------------


def _named(items: Sequence[Item], options: Options) -> Sequence[Item]:
    """The items, each reply with the tool whose call it answers, or will be read to answer: Harmony has no ids."""
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
    """The items, each with an end that what follows allows.

    What ends with `<|return|>` ends a conversation where a system message follows: there it ends with `<|end|>`.
    """
    ends: dict[int, Ending] = {at: "return" for at, item in enumerate(items) if item[0].end == "return"}
    if options.training and turn is not None and items:
        # Behind the last message nothing but the open turn follows; else its frame tells how it ends.
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
    """The role of what follows a message."""
    return items[at + 1][0].role if at + 1 < len(items) else turn.role if turn is not None else None
