"""Requests as models that speak ChatML are prompted with them: what their chat templates do.

How a frame is spelled is a family's (`families`). A template shows which messages there are: the system text where a
request has none, which thoughts and calls are shown again, and how the answer is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeVar

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.formats.prompting import HostedTool, Profiled
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Json, Message, Settings, Transcript, replace

from .around import FAMILY, TOOLS, TOOLS_AT
from .families import FAMILIES
from .frames import OPENING, normal_tools
from .markup.declared import write_declared
from .markup.tool_words import EFFORT_LOW, EFFORT_XHIGH
from .syntax import HOME, NOTES

OFF: Final = "none"
"""The effort that turns thinking off."""
_OPEN: Final = "<think>\n"
_CLOSED: Final = "<think>\n\n</think>\n\n"
_NOTHING: Final = "<think></think>"
"""Thoughts without a word, begun and ended."""

PREAMBLE: Final = "preamble"
THOUGHT: Final = "thought"
Strips = Mapping[str, Callable[[str], str]]
"""What takes white space off the ends of texts: of a role's, of a text beside calls, of a thought."""


class Effort(NamedTuple):
    """How much to think, where a template has words for that.

    Attributes:
        words: what the system's frame begins with.
        family: how frames are spelled, since tools stand behind the words.
    """

    words: str
    family: str


class Template(NamedTuple):
    """What a chat template does.

    Attributes:
        family: how its frames are spelled; None for ChatML without any markup.
        bos: the token that the prompt begins with.
        system: the system text where the request has none; None for no frame.
        tools: where that stands: only with tools, only without, or in both cases (None).
        empty_system: whether a system text that is empty has a frame.
        empty_gap: whether, in front of tools, what stands between is written behind such a text.
        always_tools: whether tools are declared where there are none.
        shows_calls: whether calls are shown.
        shows_text: whether the text beside calls is shown.
        thoughts: which thoughts are shown: all, those behind the last message of the user's, or none.
        empty: what stands for a thought that would be shown, where there is none.
        last: the same in the last message of all, where `empty` says nothing.
        dropped: what stands for one that is not shown.
        gap: what stands behind these before a call.
        gap_text: what stands behind `dropped` before a text alone.
        opening: what an answer is begun with.
        opening_off: the same where thinking is turned off; None where it cannot be.
        efforts: how much to think → how that is told.
        strips: what is taken off the ends of texts.
    """

    family: str | None
    bos: str = ""
    system: str | None = None
    tools: bool | None = None
    empty_system: bool = True
    empty_gap: bool = True
    always_tools: bool = False
    shows_calls: bool = True
    shows_text: bool = True
    thoughts: Literal["all", "current", "none"] = "none"
    empty: str = ""
    last: str = ""
    dropped: str = ""
    gap: str = ""
    gap_text: str = ""
    opening: str = ""
    opening_off: str | None = None
    efforts: Mapping[str, Effort] = MappingProxyType({})
    strips: Strips = MappingProxyType({})


_QWEN_2_5: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_CODER: Final = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."
_TEXTS: Final = ("system", "user", "assistant", "tool", PREAMBLE, THOUGHT)


def _without_breaks(text: str) -> str:
    return text.strip("\n")


_QWEN_3_5: Final = Template(
    "qwen-xml/qwen3.5",
    empty_gap=False,
    thoughts="current",
    empty=_CLOSED,
    opening=_OPEN,
    opening_off=_CLOSED,
    strips=dict.fromkeys(_TEXTS, str.strip),
)

_NEMOTRON: Final = Template(
    "qwen-xml/nemotron-3",
    system="",
    tools=False,
    empty_gap=False,
    thoughts="current",
    empty=_NOTHING,
    dropped=_NOTHING,
    gap="\n",
    gap_text="\n",
    opening=_OPEN,
    opening_off=_NOTHING,
    strips={"assistant": str.rstrip, PREAMBLE: str.strip},
)

TEMPLATES: Final = {
    "chatml": Template(None, shows_calls=False),
    "qwen2.5": Template("hermes", system=_QWEN_2_5),
    "qwen3": Template(
        "hermes", thoughts="current", last=_CLOSED, opening_off=_CLOSED, strips={THOUGHT: _without_breaks}
    ),
    "qwen3-2507": Template("hermes"),
    "hermes": Template("nous", bos="<|begin_of_text|>", always_tools=True, shows_text=False),
    "qwen3-coder": Template("qwen-xml", system=_CODER, tools=True, strips={PREAMBLE: str.strip}),
    "qwen3.5": _QWEN_3_5,
    "qwen3.6": _QWEN_3_5._replace(family="qwen-xml/qwen3.6"),
    "qwen3.8": _QWEN_3_5._replace(
        family="qwen-xml/qwen3.6",
        thoughts="all",
        empty_system=False,
        efforts={
            "xhigh": Effort(EFFORT_XHIGH, "qwen-xml/qwen3.8"),
            "medium": Effort("", "qwen-xml/qwen3.6"),
            "low": Effort(EFFORT_LOW, "qwen-xml/qwen3.8-low"),
        },
    ),
    "nemotron-3": _NEMOTRON,
    "nemotron-3-ultra": _NEMOTRON._replace(
        family="qwen-xml/nemotron-3-ultra", gap_text="", strips={"assistant": str.rstrip}
    ),
    "step-3.5": Template(
        "qwen-xml/step-3.5", bos="<s>", thoughts="current", empty="<think>\n\n</think>\n", opening=_OPEN
    ),
    "lfm2": Template("lfm2", bos="<|startoftext|>", empty_system=False),
    "lfm2.5": Template("lfm2/lfm2.5", bos="<|startoftext|>", empty_system=False, thoughts="current"),
}
"""By the name of the profile. Of efforts, the first is what a model is told where nobody asks for one."""


_Remembers = TypeVar("_Remembers", Message, Transcript)
CHANGED: Final = Severity.CHANGED
_NEAREST: Final = {"minimal": "low", "high": "xhigh", "max": "xhigh"}
"""An effort that no template has words for → the nearest that there may be."""


class Part(NamedTuple):
    """A message of a prompt, and its path in the request; "" for one that is made."""

    message: Message
    path: str = ""


def prompt(name: str, transcript: Transcript, _date: str | None, _hosted: Sequence[HostedTool]) -> Profiled:
    """The messages of a prompt, and how the turn to come is begun where there is one.

    Args:
        name: the profile's.
        transcript: the request.
        date: today's, which no template of ChatML asks for.
    """
    log, settings, template = Log(), transcript.settings or Settings(), TEMPLATES[name]
    level = _level(settings.reasoning_effort, template, log)
    effort = template.efforts.get(level or "", Effort("", template.family or ""))
    shown = _shown(transcript, template, log)
    parts, gap = _headed(shown, template, effort, tools=bool(transcript.tools), log=log)
    opening = (template.opening_off or "") if level == OFF else template.opening
    turn = transcript.open_turn
    rest = replace(settings, reasoning_effort=None)
    made = replace(
        transcript,
        messages=tuple(part.message for part in parts),
        open_turn=_remembering(turn, {OPENING: opening}) if opening and turn is not None else turn,
        settings=None if rest == Settings() else rest,
    )
    if template.always_tools and not made.tools:
        made = _remembering(replace(made, tools=()), {TOOLS_AT: 0})
    if effort.family:
        made = _remembering(made, {FAMILY: effort.family})
    if gap and made.tools:
        declaration = FAMILIES[effort.family].declaration
        body = write_declared(None, declaration.tools.nearest(normal_tools(made.tools)), declaration)
        made = _remembering(made, {TOOLS: {"body": f"{declaration.gap}{body}"}})
    made = _behind(template.bos, made, alone=effort.family != "" and FAMILIES[effort.family].declaration.alone)
    return Profiled(made, tuple(log.losses), tuple(part.path for part in parts))


def _level(wanted: str | None, template: Template, log: Log) -> str | None:
    """How much the model is told to think; None where nothing is said of it."""
    default = next(iter(template.efforts), None)
    thinks = template.thoughts != "none"
    if wanted is None or wanted in template.efforts:
        return wanted or default
    if wanted == OFF and (template.opening_off is not None or not thinks):
        return OFF
    level = _NEAREST.get(wanted, default)
    if level is not None and level in template.efforts:
        detail, severity = f"the prompt asks for {level}, the nearest effort that the model has", CHANGED
    else:
        level, severity = default, Severity.LOST
        detail = (
            "the chat template cannot set the reasoning effort"
            if thinks
            else "the model has no reasoning to set an effort for"
        )
    log.lose(LossCode.SETTINGS, "/settings/reasoning_effort", detail, severity)
    return level


# --- messages ---------------------------------------------------------------------------------------------------------


def _shown(transcript: Transcript, template: Template, log: Log) -> list[Part]:
    """The messages that the template shows."""
    messages = transcript.messages
    last_user = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    shown: list[Part] = []
    at = 0
    for group in _groups(messages):
        current = template.thoughts == "all" or (template.thoughts == "current" and at > last_user)
        at += len(group)
        if group[0].message.role == "assistant":
            group = _answer(group, template, log, current=current, last=at == len(messages))
        shown += [_stripped(_spoken(part, template, log), template, log) for part in group]
    return shown


def _groups(messages: Sequence[Message]) -> Iterator[list[Part]]:
    """The messages that stand in one frame, together; a thought begins one, and goes on in the answer behind it."""
    group: list[Part] = []
    for at, message in enumerate(messages):
        joins = group != [] and group[-1].message.role == message.role == "assistant" and not is_thought(message)
        if group and not (joins and (message.continues or is_thought(group[-1].message))):
            yield group
            group = []
        group.append(Part(message, f"/messages/{at}"))
    if group:
        yield group


def _answer(group: list[Part], template: Template, log: Log, *, current: bool, last: bool) -> list[Part]:
    """The messages of one frame of the assistant's, as far as they are shown."""
    calls = any(is_call(part.message) for part in group)
    shown: list[Part] = []
    for part in group:
        if is_thought(part.message):
            if not current:
                log.lose(LossCode.THOUGHT, part.path, "the chat template leaves out the reasoning of earlier turns")
                continue
        elif is_call(part.message) and not template.shows_calls:
            log.lose(LossCode.MESSAGE, part.path, "the chat template leaves out calls")
            continue
        elif not is_call(part.message) and calls and not template.shows_text:
            log.lose(LossCode.MESSAGE, part.path, "the chat template leaves out text beside calls")
            continue
        shown.append(part._replace(message=replace(part.message, continues=shown != [])))
    if not shown:
        shown.append(Part(Message("assistant", "", channel="final"), group[0].path))
    if shown and not is_thought(shown[0].message):
        thought = is_thought(group[0].message)
        opening = (template.empty or (template.last if last else "")) if current else template.dropped
        if opening and is_call(shown[0].message):
            opening += template.gap
        elif opening and thought and not calls and shown[0].message.content:
            opening += template.gap_text
        if opening:
            shown[0] = shown[0]._replace(message=_remembering(shown[0].message, {OPENING: opening}))
    return shown


def _spoken(part: Part, template: Template, log: Log) -> Part:
    """A message with a role that templates know, and without a name, which none of them writes."""
    message, path = part
    role, name = message.role, message.name
    if role == "developer":
        role = "system"
        log.lose(
            LossCode.ROLE, f"{path}/role", "the chat template has no developer role; the role becomes 'system'", CHANGED
        )
    if name is not None and (role != "tool" or template.family is None):
        name = None
        log.lose(LossCode.NAME, f"{path}/name", "the chat template leaves out speakers' names")
    return part if (role, name) == (message.role, message.name) else Part(replace(message, role=role, name=name), path)


def _stripped(part: Part, template: Template, log: Log) -> Part:
    message = part.message
    preamble = message.role == "assistant" and message.intent == PREAMBLE
    strip = template.strips.get(THOUGHT if is_thought(message) else PREAMBLE if preamble else message.role)
    if strip is None or is_call(message) or not isinstance(message.content, str):
        return part
    content = strip(message.content)
    if content == message.content:
        return part
    detail = "the chat template removes white space at both ends of the text"
    log.lose(LossCode.CONTENT, f"{part.path}/content", detail, CHANGED)
    return part._replace(message=replace(message, content=content))


# --- the system's text, and what begins a prompt ----------------------------------------------------------------------


def _headed(parts: list[Part], template: Template, effort: Effort, *, tools: bool, log: Log) -> tuple[list[Part], bool]:
    """The messages behind the system's text, where the template has one or words to put in front of it.

    Returns:
        The messages, and whether a text that is empty leaves a gap in front of the tools.
    """
    first = parts[0] if parts and parts[0].message.role == "system" else None
    words = "" if tools else effort.words
    if first is None:
        default = template.system if template.tools in (None, tools) else None
        text = words.rstrip("\n") or default
        return (parts if text is None else [Part(Message("system", text)), *parts]), False
    if first.message.content != "":
        if words and isinstance(first.message.content, str):
            log.lose(
                LossCode.CONTENT, f"{first.path}/content", "the reasoning effort is written before this text", CHANGED
            )
            first = first._replace(message=replace(first.message, content=f"{words}{first.message.content}"))
        return [first, *parts[1:]], False
    beside = tools and template.family is not None and not template.always_tools
    if template.empty_system and not beside:
        return parts, False
    log.lose(LossCode.MESSAGE, first.path, "the chat template leaves out an empty message", Severity.LAYOUT)
    text = words.rstrip("\n")
    return [
        *([Part(Message("system", text))] if text else ()),
        *parts[1:],
    ], template.empty_system and template.empty_gap


def _behind(bos: str, transcript: Transcript, *, alone: bool) -> Transcript:
    """A transcript whose first frame stands behind a token; `alone`: tools have a frame of their own in front."""
    messages, gap = transcript.messages, {"gap": bos}
    if not bos:
        return transcript
    if alone or (transcript.tools and (not messages or messages[0].role != "system")):
        tools = NOTES.of(transcript.layout).get(TOOLS)
        return _remembering(transcript, {TOOLS: {**(tools if isinstance(tools, dict) else {}), **gap}})
    if messages:
        return replace(transcript, messages=(_remembering(messages[0], gap), *messages[1:]))
    turn = transcript.open_turn
    return transcript if turn is None else replace(transcript, open_turn=_remembering(turn, gap))


def _remembering(value: _Remembers, more: dict[str, Json]) -> _Remembers:
    """A message or transcript whose layout has more values of ChatML."""
    layout = value.layout or {}
    return replace(value, layout={**layout, HOME: {**layout.get(HOME, {}), **more}})
