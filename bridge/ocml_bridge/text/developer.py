"""Tools inside a developer's message, as Harmony and OCM 2.2 declare them: a `# Tools` section behind its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final, NamedTuple, TypeGuard

from ..loss import Log, LossCode, Severity
from ..model import ByFormat, Content, Message, Part, Text, Tool, Tools, Transcript, replace
from ..report import report
from ..turns import hoist_tools, lift_tools, lower_tools, places, says_nothing
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
            section = render_tools(part.tools)
            if raw is not None and (parsed := parse_tools(raw, lenient=True)) and parsed.tools == part.tools:
                section = raw
            out.append(section)
        elif isinstance(part, Text):
            out.append(part.text)
    return _GAP.join(out)


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


def fit(transcript: Transcript, log: Log, *, lenient: bool) -> Transcript:
    """The image of a transcript as far as tools go: as `split` and `lift_tools` give it back from what is written.

    Tools inside messages move out; what TypeScript cannot say is left out; a developer's text that is a tools section
    is read as tools.
    """
    document, transcript = transcript, hoist_tools(transcript, log)
    tools = image(transcript.tools) if transcript.tools else ()
    if not tools and not any(message.role == "developer" for message in transcript.messages):
        return transcript if transcript.tools is None else replace(transcript, tools=None)
    back = _read_back(replace(transcript, tools=tools or None), lenient=lenient)
    if tools and back.tools != tools:
        # The developer's own text would be taken for a part of the section.
        back = _read_back(replace(transcript, tools=None), lenient=lenient)
    while len(back.messages) < len(transcript.messages):
        transcript = replace(back, messages=_without_place(document, transcript.messages, log))
        back = _read_back(transcript, lenient=lenient)
    return back


def _without_place(document: Transcript, messages: Sequence[Message], log: Log) -> tuple[Message, ...]:
    """Messages without the first developer's, which was read back as nothing but the declared tools."""
    behind = (index for index, message in enumerate(messages) if message.role != "system")
    # An empty one behind it is then the one that takes the tools in, and so on.
    gone = {next(behind), *takewhile(lambda index: says_nothing(messages[index]), behind)}
    indices = places(document, log)
    for index in sorted(gone):
        severity = Severity.LAYOUT if says_nothing(messages[index]) else Severity.CHANGED
        path = f"/messages/{indices[index]}"
        log.lose(LossCode.TOOLS_MOVED, path, "it holds nothing but the declared tools", severity)
    return tuple(message for index, message in enumerate(messages) if index not in gone)


def empty(transcript: Transcript, held: Callable[..., Message], log: Log, *, target: str) -> Transcript:
    """A transcript whose empty developer's messages have nothing but what will be read of them.

    One that then says nothing is the place of the declared tools, and goes with them; what it lost before is reported.

    Args:
        transcript: what is to be written.
        held: such a message as the format holds it; `first` tells whether it is the first of all.
        log: where what it loses is reported.
        target: the format.
    """
    messages = list(transcript.messages)
    for index, message in enumerate(messages):
        if message.role == "developer" and message.content == "":
            kept = held(message, first=index == 0)
            cut = message.end is None and index < len(messages) - 1
            messages[index] = replace(kept, end="end") if cut else kept
    emptied = replace(transcript, messages=tuple(messages))
    report(transcript, emptied, log, target=target)
    return emptied


def _read_back(transcript: Transcript, *, lenient: bool) -> Transcript:
    lowered = [
        replace(message, content=join(message.content)) if _has_tools(message.content) else message
        for message in lower_tools(transcript)
    ]
    lifted = lift_tools(split(lowered, lenient=lenient).messages)
    return replace(transcript, messages=lifted.messages, tools=lifted.tools)


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
