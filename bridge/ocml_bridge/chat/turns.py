"""Classify messages (calls, replies, thoughts), group them into turns, and move declared tools.

Nested formats (OpenAI, InternLM2, OCM 0.1) put the thoughts, text and calls of a turn into one wire message; flat
formats (Harmony, OCM 2.2) have a message for each. The canonical form is flat, and stores the grouping in `continues`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..json_values.data_urls import text_of_file
from ..loss import Log, LossCode, Severity
from ..model import (
    ByFormat,
    Completion,
    Content,
    FileBreak,
    Infill,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Text,
    Tool,
    Tools,
    Transcript,
    replace,
)

FUNCTIONS: Final = "functions."
"""The namespace of tools that the developer declares (OCM 2.2 §6, Harmony)."""
BUILTINS: Final = frozenset({"python"})
"""Recipients without a dot that are not functions (OCM 2.2 §8.3)."""


def is_call(message: Message) -> bool:
    """Return whether a message is a tool call: from the assistant to a recipient that is not a participant."""
    return message.role == "assistant" and message.recipient is not None and message.recipient not in _PARTICIPANTS


_PARTICIPANTS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})


def is_hosted(message: Message) -> bool:
    """Return whether a message is a call that the API runs itself: its extras have the type of its item or block."""
    return is_call(message) and any("type" in members for members in (message.extras or {}).values())


def is_reply(message: Message) -> bool:
    """Return whether a message is a tool's reply."""
    return message.role == "tool"


def is_thought(message: Message) -> bool:
    """Return whether a message is private reasoning of the assistant, and not a call."""
    return message.role == "assistant" and message.channel == "analysis" and not is_call(message)


def recipient_of(name: str) -> str:
    """Return the recipient for a tool's name in a format without namespaces.

    The mapping is injective. `functions.` is put before a bare name, before the empty name, and before a name that
    already looks like `functions.` with a bare name. A name with another namespace and a built-in stay as they are.

        f → functions.f     functions.f → functions.functions.f     browser.search → browser.search
    """
    return FUNCTIONS + name if _is_function(name) else name


def name_of(recipient: str) -> str:
    """Return the tool's name for a recipient: the inverse of `recipient_of`; other recipients stay as they are."""
    name = recipient.removeprefix(FUNCTIONS)
    return name if name is not recipient and _is_function(name) else recipient


def canonical(recipient: str) -> str:
    """Return a recipient as it is read back from a format without namespaces."""
    return recipient_of(name_of(recipient))


def _is_function(name: str) -> bool:
    """Return whether a name is a word that is not built in, with `functions.` before it any number of times."""
    namespace, dot, word = name.rpartition(".")
    return word not in BUILTINS and not (namespace + dot).replace(FUNCTIONS, "")


def with_namespace(recipient: str) -> str:
    """Return a recipient of a format with namespaces, with `functions.` before a bare name.

    Unlike in `recipient_of`, `functions.f` is the function `f` here, and stays as it is.
    """
    return recipient if "." in recipient or recipient in BUILTINS or not recipient else FUNCTIONS + recipient


def full_name(tool: Tool) -> str:
    """Return a declared tool's name, without the default namespace; `recipient_of` returns the recipient for it."""
    return tool.name if tool.namespace is None else name_of(f"{tool.namespace}.{tool.name}")


def split_name(name: str) -> tuple[str | None, str]:
    """Return the namespace (None for the default one) and the bare name of a tool with this full name."""
    if "." not in name:
        return None, name
    recipient = recipient_of(name)
    namespace, _, rest = recipient.rpartition(".") if recipient != name else name.partition(".")
    return (namespace, rest) if namespace and rest else (None, name)


# --- grouping ---------------------------------------------------------------------------------------------------------


def continues(before: Message, message: Message) -> bool:
    """Return whether a message of a flat format belongs to the same turn as the message before it.

    Thoughts open a turn, a preamble comes before calls, calls follow calls, and a final answer closes the turn.
    """
    if before.role != "assistant" or message.role != "assistant" or before.end == "return":
        return False
    if before.recipient is not None and is_call(before):
        return is_call(message)
    return before.channel == "analysis" or (before.channel == "commentary" and is_call(message))


def infer_grouping(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages as a flat format reads them back: the function `continues` sets the field `continues`."""
    out: list[Message] = []
    before: Message | None = None
    for message in messages:
        joined = message.role == "assistant" and before is not None and continues(before, message)
        before = message
        if message.continues != joined:
            message = replace(message, continues=joined)
        out.append(message)
    return tuple(out)


# --- declared tools ---------------------------------------------------------------------------------------------------


_MOVED: Final = "the tools of this message are declared outside it"


def hoist_tools(transcript: Transcript, log: Log) -> Transcript:
    """Move tools that are declared in messages to the transcript, for formats that declare them outside of messages.

    A message without other content is removed. Each move is reported to the log. A writer's `prepare` also needs to
    know which messages are left: `with_tools_apart` returns their indices, too.
    """
    if not any(map(declares_tools, transcript.messages)):
        return transcript
    tools, messages = list(transcript.tools or ()), list[Message]()
    for index, message in enumerate(transcript.messages):
        path = f"/messages/{index}"
        declared = [part for part in parts_of(message.content) if isinstance(part, Tools)]
        if not declared:
            messages.append(message)
            continue
        for part in declared:
            tools += part.tools
        rest = _without_tools(message.content)
        if not rest:
            log.lose(LossCode.TOOLS_MOVED, path, _MOVED, Severity.CHANGED)
            continue
        log.lose(LossCode.TOOLS_MOVED, f"{path}/content", _MOVED, Severity.CHANGED)
        messages.append(replace(message, content=content_of(rest)))
    log.lose(
        LossCode.TOOLS_MOVED,
        "/tools",
        "tools of messages are declared here, for the whole conversation",
        Severity.LAYOUT,
    )
    return replace(transcript, messages=tuple(messages), tools=tuple(tools))


def declares_tools(message: Message) -> bool:
    """Return whether a message declares tools."""
    return has_part(message.content, Tools)


def has_part(content: Content, kind: type[Part]) -> bool:
    """Return whether a content has a part of a type."""
    return not isinstance(content, str) and any(isinstance(part, kind) for part in content)


def _without_tools(content: Content) -> list[Part]:
    """Return the parts of a content without declared tools; texts before and after the tools become one text."""
    rest: list[Part] = []
    after_tools = False
    for part in parts_of(content):
        if isinstance(part, Tools):
            after_tools = True
            continue
        before = rest[-1] if rest else None
        if after_tools and isinstance(before, Text) and isinstance(part, Text) and before.is_bare and part.is_bare:
            rest[-1] = apart(before, part)
        else:
            rest.append(part)
        after_tools = False
    return rest


def apart(before: Text, after: Text) -> Text:
    """Join two texts, with a blank line between them unless white space separates them already."""
    glued = before.text[-1:].strip() and after.text[:1].strip()
    return Text(f"{before.text}\n\n{after.text}" if glued else before.text + after.text)


def parts_of(content: Content) -> tuple[Part, ...]:
    """Return content as parts; a `str` is one text part."""
    return (Text(content),) if isinstance(content, str) else content


def content_of(parts: Sequence[Part]) -> Content:
    """Return parts as content: adjacent bare texts are joined, and a single bare text becomes a `str`."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, Text) and isinstance(last, Text) and part.is_bare and last.is_bare:
            joined[-1] = Text(last.text + part.text)
        else:
            joined.append(part)
    return text_or_parts(joined)


def text_or_parts(parts: Sequence[Part]) -> Content:
    """Return the text of parts that are one bare text, else the parts; "" if there are none."""
    first = parts[0] if len(parts) == 1 else None
    return first.text if isinstance(first, Text) and first.is_bare else tuple(parts) or ""


def insert_tools(transcript: Transcript, layout: ByFormat | None = None) -> tuple[Message, ...]:
    """Return the messages with the transcript's tools in them, for formats that declare tools in a developer message.

    The tools are added at the end of the first developer message if only system messages come before it. Else a
    developer message is inserted for them after the leading system messages.

    Args:
        transcript: the document with the tools.
        layout: the layout of an inserted message.
    """
    if transcript.tools is None:
        return transcript.messages
    messages, declared = list(transcript.messages), Tools(transcript.tools)
    at = developer_place(messages)
    if at < len(messages) and messages[at].role == "developer":
        text = messages[at].content
        before = () if text == "" else parts_of(text)
        messages[at] = replace(messages[at], content=(*before, declared))
    else:
        messages.insert(at, Message("developer", (declared,), layout=layout))
    return tuple(messages)


class ExtractedTools(NamedTuple):
    """Messages without their declared tools.

    Attributes:
        messages: the remaining messages.
        tools: the tools; None if there are none.
        layout: the layout of the developer message, if it had no other content and was removed.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] | None = None
    layout: ByFormat | None = None


def extract_tools(messages: Sequence[Message]) -> ExtractedTools:
    """Take the declared tools out of the developer message: the inverse of `insert_tools`.

    A message without other content is removed.
    """
    at = developer_place(messages)
    message = messages[at] if at < len(messages) else None
    if message is None or message.role != "developer" or isinstance(content := message.content, str):
        return ExtractedTools(tuple(messages))
    declared = content[-1]
    if not isinstance(declared, Tools):
        return ExtractedTools(tuple(messages))
    rest = replace(message, content=content_of(content[:-1]))
    if says_nothing(rest):
        return ExtractedTools((*messages[:at], *messages[at + 1 :]), declared.tools, message.layout)
    return ExtractedTools((*messages[:at], rest, *messages[at + 1 :]), declared.tools)


def says_nothing(message: Message) -> bool:
    """Return whether a message is an empty developer message without other fields, as if made only for the tools."""
    return replace(message, layout=None) == Message("developer", "")


def developer_place(messages: Sequence[Message]) -> int:
    """Return the index after the leading system messages: there the developer message with the tools is, or goes."""
    at = 0
    while at < len(messages) and messages[at].role == "system":
        at += 1
    return at


def as_transcript(completion: Completion, log: Log) -> Transcript:
    """Return a text to complete as one user message, for formats that hold only conversations; report the change."""
    text = "".join(_plain_text(part) for part in parts_of(completion.content))
    log.lose(LossCode.COMPLETION, "", "the text to complete becomes one user message", Severity.CHANGED)
    return Transcript((Message("user", text),))


def _plain_text(part: Part) -> str:
    if isinstance(part, Text):
        return part.text
    return "\n" if isinstance(part, FileBreak) else as_text(part) or ""


def is_blank(text: str) -> bool:
    """Return whether a text is empty or only white space."""
    return not text or text.isspace()


def as_text(part: Part) -> str | None:
    """Return the text of a refusal, an infill, passages or a text file as a person reads it; None for other parts."""
    if isinstance(part, Refusal):
        return part.text
    if isinstance(part, Infill):
        return part.prefix + (part.middle or "") + part.suffix
    if isinstance(part, Passages):
        return _paragraphs((part.title, part.source, part.context), part.texts) or None
    if not isinstance(part, Media) or is_blank(text := text_of_file(part) or ""):
        return None
    return _paragraphs((part.filename, part.context), (text,))


def _paragraphs(head: Sequence[str | None], texts: Sequence[str]) -> str:
    """Return texts as paragraphs, after a paragraph with their title, source or context."""
    lines = "\n".join(line for line in head if line is not None and not is_blank(line))
    return "\n\n".join(text for text in (lines, *texts) if not is_blank(text))
