"""Conversational structure that several formats need: calls and replies, wire messages, declared tools.

Formats that nest (OpenAI, InternLM2, OCM 0.1) put thoughts, text and calls of one turn into one wire message; flat
formats (Harmony, OCM 2.2) give each its own. The canonical form is flat and remembers the grouping in `continues`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ..loss import Log, LossCode, Severity, gone
from ..model import (
    ByFormat,
    Completion,
    Content,
    FileBreak,
    Infill,
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
    """Whether a message is a tool call: the assistant's, to a recipient that is not a participant."""
    return message.role == "assistant" and message.recipient is not None and message.recipient not in _PARTICIPANTS


_PARTICIPANTS: Final = frozenset({"", "all", "assistant", "developer", "system", "user"})


def is_hosted(message: Message) -> bool:
    """Whether a message is a call of a tool that an API itself has: it keeps the type of the item or block it was."""
    return is_call(message) and any("type" in members for members in (message.extras or {}).values())


def is_reply(message: Message) -> bool:
    """Whether a message is a tool's reply."""
    return message.role == "tool"


def is_thought(message: Message) -> bool:
    """Whether a message is private reasoning and nothing else."""
    return message.role == "assistant" and message.channel == "analysis" and not is_call(message)


def recipient_of(name: str) -> str:
    """The recipient for a tool's name in a format that knows no namespaces of its own.

    No two names have one recipient: a bare name, and one that begins like a recipient of such a name, get `functions.`
    before them, and so does the empty name; a name with another namespace and a built-in are recipients already.

        f → functions.f     functions.f → functions.functions.f     browser.search → browser.search
    """
    return FUNCTIONS + name if _is_function(name) else name


def name_of(recipient: str) -> str:
    """The name for a recipient, such that `recipient_of` gives it back; what would not come back is kept whole."""
    name = recipient.removeprefix(FUNCTIONS)
    return name if name is not recipient and _is_function(name) else recipient


def _is_function(name: str) -> bool:
    """Whether nothing but `functions.`, any number of times, stands before a last word that is not built in."""
    namespace, dot, word = name.rpartition(".")
    return word not in BUILTINS and not (namespace + dot).replace(FUNCTIONS, "")


def with_namespace(recipient: str) -> str:
    """A recipient as a format with namespaces writes it, with the one that it leaves out where it names a function.

    Here `functions.f` is the function `f`: it is not the name of a function, as for `recipient_of`.
    """
    return recipient if "." in recipient or recipient in BUILTINS or not recipient else FUNCTIONS + recipient


def full_name(tool: Tool) -> str:
    """A declared tool's name, whose recipient `recipient_of` gives: without the default namespace."""
    return tool.name if tool.namespace is None else name_of(f"{tool.namespace}.{tool.name}")


def split_name(name: str) -> tuple[str | None, str]:
    """Namespace (None for the default one) and bare name of a declared tool: its recipient's, where it has a dot."""
    if "." not in name:
        return None, name
    recipient = recipient_of(name)
    namespace, _, rest = recipient.rpartition(".") if recipient != name else name.partition(".")
    return (namespace, rest) if namespace and rest else (None, name)


# --- grouping ---------------------------------------------------------------------------------------------------------


def continues(before: Message, message: Message) -> bool:
    """Whether, in a flat format, a message belongs to the turn of the one before it.

    Thoughts open a turn, a preamble goes before calls, calls follow one another, a final answer closes the turn.
    """
    if before.role != "assistant" or message.role != "assistant" or before.end == "return":
        return False
    if before.recipient is not None and is_call(before):
        return is_call(message)
    return before.channel == "analysis" or (before.channel == "commentary" and is_call(message))


def infer_grouping(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages as a flat format gives them back: `continues` by the rule of `continues`."""
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
    """Move tools declared inside messages out to the transcript, for formats that keep them apart.

    A message that holds nothing else goes with them. Each move is reported.
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
    """Whether tools are declared inside a message."""
    content = message.content
    return not isinstance(content, str) and any(isinstance(part, Tools) for part in content)


def _without_tools(content: Content) -> list[Part]:
    """The parts around declared tools; texts that these kept apart become one."""
    rest: list[Part] = []
    behind_tools = False
    for part in parts_of(content):
        if isinstance(part, Tools):
            behind_tools = True
            continue
        before = rest[-1] if rest else None
        if behind_tools and isinstance(before, Text) and isinstance(part, Text) and before.is_bare and part.is_bare:
            rest[-1] = apart(before, part)
        else:
            rest.append(part)
        behind_tools = False
    return rest


def apart(before: Text, after: Text) -> Text:
    """Two texts that something kept apart, as one: with a blank line between them where nothing else is."""
    glued = before.text[-1:].strip() and after.text[:1].strip()
    return Text(f"{before.text}\n\n{after.text}" if glued else before.text + after.text)


def places(transcript: Transcript, log: Log) -> list[int]:
    """Indices of a document's messages, without those that a loss says are not there any more."""
    missing = gone(log.losses)
    return [index for index in range(len(transcript.messages)) if f"/messages/{index}" not in missing]


def parts_of(content: Content) -> tuple[Part, ...]:
    """Content as parts, whether it is one text or several parts."""
    return (Text(content),) if isinstance(content, str) else content


def content_of(parts: Sequence[Part]) -> Content:
    """Parts as content: one bare text alone is a `str`, texts that stand side by side are joined."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, Text) and isinstance(last, Text) and part.is_bare and last.is_bare:
            joined[-1] = Text(last.text + part.text)
        else:
            joined.append(part)
    if not joined:
        return ""
    if len(joined) == 1 and isinstance(joined[0], Text) and joined[0].is_bare:
        return joined[0].text
    return tuple(joined)


def lower_tools(transcript: Transcript, layout: ByFormat | None = None) -> tuple[Message, ...]:
    """The messages with the transcript's tools in them, for formats that declare tools in the developer's message.

    They go behind the text of the first developer message, where only system messages stand before it; else into a
    developer message made for them behind the leading system messages.

    Args:
        transcript: whose tools to place.
        layout: the layout of the message, where it is made.
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


class Lifted(NamedTuple):
    """Messages without their declared tools.

    Attributes:
        messages: the messages that are left.
        tools: the tools; None where there are none.
        layout: the layout of a message that held nothing else, and is gone.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] | None = None
    layout: ByFormat | None = None


def lift_tools(messages: Sequence[Message]) -> Lifted:
    """Undo `lower_tools`: a developer message that holds nothing but tools is the transcript's tools."""
    at = developer_place(messages)
    message = messages[at] if at < len(messages) else None
    if message is None or message.role != "developer" or isinstance(content := message.content, str):
        return Lifted(tuple(messages))
    declared = content[-1]
    if not isinstance(declared, Tools):
        return Lifted(tuple(messages))
    rest = replace(message, content=content_of(content[:-1]))
    if says_nothing(rest):
        return Lifted((*messages[:at], *messages[at + 1 :]), declared.tools, message.layout)
    return Lifted((*messages[:at], rest, *messages[at + 1 :]), declared.tools)


def says_nothing(message: Message) -> bool:
    """Whether a developer's message is nothing but the place of the declared tools."""
    return replace(message, layout=None) == Message("developer", "")


def developer_place(messages: Sequence[Message]) -> int:
    """Where the developer's message with the tools stands, or goes: behind the leading system messages."""
    at = 0
    while at < len(messages) and messages[at].role == "system":
        at += 1
    return at


def as_transcript(completion: Completion, log: Log) -> Transcript:
    """A text to be completed as one user message, for formats that hold conversations only. It is reported."""
    text = "".join(_plain_text(part) for part in parts_of(completion.content))
    log.lose(LossCode.COMPLETION, "", "the text to complete becomes one user message", Severity.CHANGED)
    return Transcript((Message("user", text),))


def _plain_text(part: Part) -> str:
    if isinstance(part, Text):
        return part.text
    return "\n" if isinstance(part, FileBreak) else as_text(part) or ""


def is_blank(text: str) -> bool:
    """Whether a text says nothing: it is empty, or white space."""
    return not text or text.isspace()


def as_text(part: Part) -> str | None:
    """A part that is no text as the text that a person would read, or None where there is none."""
    if isinstance(part, Refusal):
        return part.text
    if isinstance(part, Infill):
        return part.prefix + (part.middle or "") + part.suffix
    return _as_read(part) or None if isinstance(part, Passages) else None


def _as_read(passages: Passages) -> str:
    """Passages in paragraphs, below what says where they are from."""
    lines = (passages.title, passages.source, passages.context)
    head = "\n".join(line for line in lines if line is not None and not is_blank(line))
    return "\n\n".join(text for text in (head, *passages.texts) if not is_blank(text))
