"""Image and text of a transcript in one step, where nothing about it has to be decided: most are like that.

Each header says all that there is to say but call ids, each body is text without tokens, each message is whole.
"""

from __future__ import annotations

from ocml_bridge.adapter import Options
from ocml_bridge.model import Document, Message, Tool, Transcript
from ocml_bridge.text.plain import is_unicode
from ocml_bridge.text.typescript import declare
from ocml_bridge.turns import continues, developer_place

from .body import SECTION
from .held import find_opening, openings
from .syntax import ASSISTANT, CONTROL, DEVELOPER, ENDS, HOME, INSTRUCTIONS, MESSAGE, SPEC, START


def direct(document: Document, options: Options) -> tuple[Transcript, str] | None:
    """The image of a document and its text; None for a document that needs a closer look."""
    if not isinstance(document, Transcript) or document.open_turn is not None or options.training:
        return None
    if document.layout is not None and HOME in document.layout:
        return None
    dialect = options.dialect or SPEC
    known = openings(dialect)
    image: list[Message] = []
    out: list[str] = []
    before: Message | None = None
    for message in document.messages:
        role, content, name, channel = message.role, message.content, message.name, message.channel
        recipient, intent, end, layout = message.recipient, message.intent, message.end, message.layout
        content_type, constraint = message.content_type, message.constraint
        said = (role, name, channel, recipient, content_type, constraint, intent)
        head = known.get(said)
        if head is None:
            head = find_opening(said, dialect)
        if not head or type(content) is not str or end is None:
            return None
        if ("<" in content or not content.isascii()) and not _is_plain(content):
            return None
        joined = role == ASSISTANT and before is not None and continues(before, message)
        before = message
        if message.call_id is None and layout is None and message.extras is None and message.continues is joined:
            image.append(message)
        elif layout is not None and HOME in layout:
            return None
        else:
            image.append(
                Message(role, content, name, channel, recipient, None, intent, content_type, constraint, end, joined)
            )
        if role == DEVELOPER:
            if SECTION in content:
                return None
            content = INSTRUCTIONS + content
        out += (head, content, ENDS[end])
    tools = None
    if document.tools is not None:
        declared = _declared(document.tools)
        place = developer_place(image)
        if declared is None or (place < len(image) and image[place].role == DEVELOPER):
            return None
        section, tools = declared
        out.insert(3 * place, f"{START}{DEVELOPER}{MESSAGE}{section}{ENDS['end']}")
    written = Transcript(tuple(image), tools)
    return document if tools is None and written == document else written, "".join(out)


def _is_plain(content: str) -> bool:
    """Whether a text may stand in a body as it is."""
    return ("<" not in content or CONTROL.is_free(content)) and is_unicode(content)


def _declared(tools: tuple[Tool, ...]) -> tuple[str, tuple[Tool, ...]] | None:
    """The section that declares tools, and the tools that it says; None where that needs a closer look."""
    if not tools or any(tool.extras is not None and HOME in tool.extras for tool in tools):
        return None
    declared = declare(tools)
    return declared if declared is not None and _is_plain(declared[0]) else None
