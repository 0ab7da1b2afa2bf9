"""Image and text of a transcript in one step, where nothing about it has to be decided: most are like that.

Each header says all that there is to say but call ids, each body is text without tokens, each message is whole.
"""

from __future__ import annotations

from ocml_bridge.adapter import Options
from ocml_bridge.model import Document, Message, Tool, Transcript
from ocml_bridge.text.typescript import declare
from ocml_bridge.text.unicode import is_unicode
from ocml_bridge.turns import continues, developer_place

from .body import SECTION
from .held import find_opening, openings
from .syntax import ASSISTANT, CONTROL, DEVELOPER, ENDS, HOME, INSTRUCTIONS, MESSAGE, RETURN, SPEC, START, SYSTEM


def direct(document: Document, options: Options, sound: bool = False) -> tuple[Transcript, str] | None:
    """The image of a document and its text; None for a document that needs a closer look. Arguments as `frames_of`."""
    found = frames_of(document, options, sound)
    return None if found is None else (found[0], "".join(found[1]))


def frames_of(document: Document, options: Options, sound: bool = False) -> tuple[Transcript, list[str]] | None:
    """The image of a document and its frames: header with its tokens, body and end token in turn.

    Args:
        document: what is to be written.
        options: `dialect` and `training` count.
        sound: whether it is known that UTF-8 can hold the document's text.

    Returns:
        None for a document that needs a closer look.
    """
    if not isinstance(document, Transcript) or options.training or not _has_no_more(document):
        return None
    dialect = options.dialect or SPEC
    known = openings(dialect)
    changed: dict[int, Message] = {}
    out: list[str] = []
    before: Message | None = None
    get = known.get
    for at, message in enumerate(document.messages):
        role, content, name, channel = message.role, message.content, message.name, message.channel
        recipient, intent, end, layout = message.recipient, message.intent, message.end, message.layout
        content_type, constraint = message.content_type, message.constraint
        said = (role, name, channel, recipient, content_type, constraint, intent)
        head = get(said)
        if head is None:
            head = find_opening(said, dialect)
        if not head or type(content) is not str or end is None or (role == SYSTEM and out and out[-1] == RETURN):
            return None
        if ("<" in content or not (sound or content.isascii())) and not _is_plain(content):
            return None
        joined = False
        if role == ASSISTANT:
            joined = before is not None and continues(before, message)
            before = message
        else:
            before = None
        if layout is not None and HOME in layout:
            return None
        unsaid = message.call_id is layout is message.extras is message.failed is message.weight is None
        if not (message.continues is joined and unsaid):
            changed[at] = Message(
                role, content, name, channel, recipient, None, intent, content_type, constraint, end, joined
            )
        if role == DEVELOPER:
            if SECTION in content:
                return None
            content = INSTRUCTIONS + content
        out += (head, content, ENDS[end])
    tools = document.tools
    if tools is not None:
        place = developer_place(document.messages)
        declared = _declared(tools, document.messages[place : place + 1])
        if declared is None:
            return None
        section, tools = declared
        out[3 * place : 3 * place] = f"{START}{DEVELOPER}{MESSAGE}", section, ENDS["end"]
    around = document.header, document.settings, document.alternatives, document.extras, document.layout
    if not changed and document.tools is None and around == (None,) * 5:
        return document, out
    image = list(document.messages)
    for at, message in changed.items():
        image[at] = message
    return Transcript(tuple(image), tools), out


def _has_no_more(document: Transcript) -> bool:
    """Whether a document says nothing to Harmony beside its messages and tools."""
    return document.open_turn is None and (document.layout is None or HOME not in document.layout)


def _is_plain(text: str) -> bool:
    """Whether a text may stand in a body as it is."""
    return ("<" not in text or CONTROL.is_free(text)) and is_unicode(text)


def _declared(tools: tuple[Tool, ...], place: tuple[Message, ...]) -> tuple[str, tuple[Tool, ...]] | None:
    """The section that declares tools, and the tools that it says; None where that needs a closer look.

    Args:
        tools: what to declare.
        place: the message before which they are declared; a developer's would take them in.
    """
    if not tools or (place and place[0].role == DEVELOPER):
        return None
    for tool in tools:
        if tool.extras is not None and HOME in tool.extras:
            return None
    declared = declare(tools)
    return declared if declared is not None and _is_plain(declared[0]) else None
