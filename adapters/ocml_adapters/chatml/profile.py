"""Turn a request into the prompt of a ChatML model, as its public chat template does.

A family writes the frames (`families`). A template decides which messages there are: the system text if the request has
none, which thoughts and calls are shown again, and what the answer begins with (`templates`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from ocml_bridge.chat.turns import is_call, is_thought
from ocml_bridge.formats.prompting import HostedTool, Profiled
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Json, Message, Settings, Tool, Transcript, replace

from .around import FAMILY, TOOLS, TOOLS_AT
from .families import FAMILIES, Declaration
from .frames import normal_tools
from .headers import THOUGHT as _THINKS
from .markup.declared import write_declared
from .spelling import OPENING
from .syntax import HOME, NOTES, control_of
from .templates import OFF, PREAMBLE, TEMPLATES, THOUGHT, Effort, Template

_Value = TypeVar("_Value", Message, Transcript)
CHANGED: Final = Severity.CHANGED
_NEAREST: Final = {"minimal": ("low",), "high": ("xhigh",), "xhigh": ("high",), "max": ("xhigh", "high")}
"""Effort → the nearest ones that a template may have words for, if it has none for this one."""


class Part(NamedTuple):
    """A message of a prompt, and its path in the request; "" if the template adds it."""

    message: Message
    path: str = ""


def prompt(name: str, transcript: Transcript, _date: str | None, _hosted: Sequence[HostedTool]) -> Profiled:
    """Return the messages of a prompt, and the open turn with the text that the answer begins with.

    Args:
        name: the name of the profile.
        transcript: the request.
        _date: the date of today; no template of ChatML uses it.
        _hosted: the tools of the API; no template of ChatML knows any.
    """
    log, settings, template = Log(), transcript.settings or Settings(), TEMPLATES[name]
    level = _level(settings.reasoning_effort, template, log)
    effort = template.efforts.get(level or "", Effort("", template.family or ""))
    shown = _shown_parts(transcript, template, log)
    if template.reminder and level != OFF and not transcript.tools:
        shown = _with_reminder(shown, template.reminder, log)
    parts, gap = _with_system_text(shown, template, effort, tools=bool(transcript.tools), log=log)
    turn = None if transcript.open_turn is None else _open_turn(transcript.open_turn, template, level)
    if turn is not None and template.decides and level == OFF:
        parts.append(Part(Message("assistant", "", channel="analysis")))
    rest = replace(settings, reasoning_effort=None)
    result = replace(
        transcript,
        messages=tuple(part.message for part in parts),
        open_turn=turn,
        settings=None if rest == Settings() else rest,
    )
    if not result.tools and _lists_none(template, transcript.messages):
        result = _with_notes(replace(result, tools=()), {TOOLS_AT: 0})
    if effort.family:
        result = _with_notes(result, {FAMILY: effort.family})
    if gap and result.tools:
        declaration = FAMILIES[effort.family].declaration
        result = _with_notes(
            result, {TOOLS: {"body": f"{declaration.gap}{_declared(None, result.tools, declaration)}"}}
        )
    if parts and not parts[0].path and result.tools and template.family is not None:
        result = _with_own_tags(result, result.tools, FAMILIES[template.family].declaration)
    if template.end and turn is None:
        result = _with_end(result, template.end)
    result = _after_bos(template.bos, result, alone=effort.family != "" and FAMILIES[effort.family].declaration.alone)
    return Profiled(result, tuple(log.losses), tuple(part.path for part in parts))


def _level(wanted: str | None, template: Template, log: Log) -> str | None:
    """Return the effort that the prompt names, `OFF`, or None if the template has no efforts; report another one."""
    default = next(iter(template.efforts), None)
    thinks = template.thoughts != "none" or template.opening != ""
    if wanted is None and template.rests:
        return OFF
    if wanted is None or wanted in template.efforts:
        return wanted or default
    if wanted == OFF and (template.opening_off is not None or template.decides or not thinks):
        return OFF
    if template.decides or template.rests or template.opening_asked:
        detail = "the prompt asks for reasoning; the chat template cannot say how much"
        log.lose(LossCode.SETTINGS, "/settings/reasoning_effort", detail, CHANGED)
        return wanted
    level = next((each for each in _NEAREST.get(wanted, ()) if each in template.efforts), default)
    if level:
        detail, severity = f"the prompt asks for {level}, the nearest effort that the model has", CHANGED
    else:
        severity = Severity.LOST
        detail = (
            "the chat template cannot set the reasoning effort"
            if thinks
            else "the model has no reasoning to set an effort for"
        )
    log.lose(LossCode.SETTINGS, "/settings/reasoning_effort", detail, severity)
    return level


def _open_turn(turn: Message, template: Template, level: str | None) -> Message:
    """Return the open turn, with what the template writes of the answer."""
    if template.decides:
        return turn if level == OFF else _with_notes(turn, {"newline": False} if level is None else {"header": _THINKS})
    asked = template.opening_asked if level else ""
    opening = (template.opening_off or "") if level == OFF else asked or template.opening
    return _with_notes(turn, {OPENING: opening}) if opening else turn


def _lists_none(template: Template, messages: Sequence[Message]) -> bool:
    """Return whether a list without tools is written for a request without tools."""
    if template.empty_list == "default":
        return not (messages and messages[0].role in ("system", "developer"))
    return template.empty_list == "always"


# --- messages ---------------------------------------------------------------------------------------------------------


def _shown_parts(transcript: Transcript, template: Template, log: Log) -> list[Part]:
    """Return the messages that the template shows."""
    messages = transcript.messages
    asks = ("user", "tool") if template.thoughts == "latest" else ("user",)
    last_user = max((at for at, message in enumerate(messages) if message.role in asks), default=-1)
    shown: list[Part] = []
    at = 0
    for group in _groups(messages):
        current = template.thoughts == "all" or (template.thoughts != "none" and at > last_user)
        at += len(group)
        if group[0].message.role == "assistant":
            group = _shown_answer(group, template, log, current=current, last=at == len(messages))
        shown += [_stripped(_with_known_role(part, template, log), template, log) for part in group]
    return shown


def _groups(messages: Sequence[Message]) -> Iterator[list[Part]]:
    """Yield the messages of each frame; a thought begins a frame, which the answer after it continues."""
    group: list[Part] = []
    for at, message in enumerate(messages):
        joins = group != [] and group[-1].message.role == message.role == "assistant" and not is_thought(message)
        if group and not (joins and (message.continues or is_thought(group[-1].message))):
            yield group
            group = []
        group.append(Part(message, f"/messages/{at}"))
    if group:
        yield group


def _shown_answer(group: list[Part], template: Template, log: Log, *, current: bool, last: bool) -> list[Part]:
    """Return the messages of one assistant's frame that the template shows."""
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
            shown[0] = shown[0]._replace(message=_with_notes(shown[0].message, {OPENING: opening}))
    return shown


def _with_known_role(part: Part, template: Template, log: Log) -> Part:
    """Return a message with a role that templates know, and without a name, because none writes names."""
    message, path = part
    if message.role == "developer":
        log.lose(
            LossCode.ROLE, f"{path}/role", "the chat template has no developer role; the role becomes 'system'", CHANGED
        )
        message = replace(message, role="system")
    if message.name is not None and (message.role != "tool" or template.family is None):
        log.lose(LossCode.NAME, f"{path}/name", "the chat template leaves out speakers' names")
        message = replace(message, name=None)
    return Part(message, path)


def _stripped(part: Part, template: Template, log: Log) -> Part:
    """Return a message whose text has no white space at its ends, if the template removes it."""
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


def _with_system_text(
    parts: list[Part], template: Template, effort: Effort, *, tools: bool, log: Log
) -> tuple[list[Part], bool]:
    """Return the messages, with the default system text or with the words for an effort.

    Returns:
        The messages, and whether an empty system text leaves its gap before the tools.
    """
    first = parts[0] if parts and parts[0].message.role == "system" else None
    leads = tools and effort.family != "" and FAMILIES[effort.family].declaration.leads
    words = "" if leads else effort.words
    if first is None:
        default = template.system_tools if tools else template.system
        if tools and default == "" and template.empty_list != "always":
            return parts, template.empty_gap
        text = (words.rstrip("\n") if tools else effort.alone) or default
        return (parts if text is None else [Part(Message("system", text)), *parts]), False
    if first.message.content != "" or (words and template.empty_system):
        if words and isinstance(first.message.content, str):
            log.lose(
                LossCode.CONTENT, f"{first.path}/content", "the reasoning effort is written before this text", CHANGED
            )
            first = first._replace(message=replace(first.message, content=f"{words}{first.message.content}"))
        return [first, *parts[1:]], False
    joins_tools = tools and template.family is not None and template.empty_list != "always"
    if template.empty_system and not joins_tools:
        return parts, False
    log.lose(LossCode.MESSAGE, first.path, "the chat template leaves out an empty message", Severity.LAYOUT)
    alone = [Part(Message("system", effort.alone))] if words else []
    return [*alone, *parts[1:]], template.empty_gap


def _with_reminder(parts: list[Part], reminder: str, log: Log) -> list[Part]:
    """Return the messages with a text after that of the system, if there is one."""
    first = parts[0] if parts else None
    if first is None or first.message.role != "system" or not first.message.content:
        return parts
    if isinstance(first.message.content, str):
        log.lose(LossCode.CONTENT, f"{first.path}/content", "a reminder to think is written after this text", CHANGED)
        text = first.message.content
        body = f"{control_of('system').neutralise(text)}{reminder}"
        first = first._replace(message=_with_notes(replace(first.message, content=text + reminder), {"body": body}))
    return [first, *parts[1:]]


def _declared(text: str | None, tools: Sequence[Tool], declaration: Declaration) -> str:
    """Return the body of the frame that declares tools."""
    return write_declared(text, declaration.tools.nearest(normal_tools(tuple(tools))), declaration)


def _with_own_tags(transcript: Transcript, tools: Sequence[Tool], declaration: Declaration) -> Transcript:
    """Return a document whose default system text, which comes first, is written with its tags unbroken."""
    first, *others = transcript.messages
    text = str(first.content)
    if control_of("system").is_free(text):
        return transcript
    return replace(transcript, messages=(_with_notes(first, {"body": _declared(text, tools, declaration)}), *others))


def _with_end(transcript: Transcript, token: str) -> Transcript:
    """Return a document whose last answer, which no turn follows, ends with a token of its own."""
    messages = list(transcript.messages)
    at = len(messages) - 1
    while at > 0 and messages[at].continues:
        at -= 1
    if at < 0 or messages[at].role != "assistant":
        return transcript
    messages[at] = _with_notes(messages[at], {"end": token})
    return _with_notes(replace(transcript, messages=tuple(messages)), {"tail": ""})


def _after_bos(bos: str, transcript: Transcript, *, alone: bool) -> Transcript:
    """Return a document whose first frame has a token before it; `alone`: tools have a frame of their own."""
    messages, gap = transcript.messages, {"gap": bos}
    if not bos:
        return transcript
    if alone or (transcript.tools and (not messages or messages[0].role != "system")):
        tools = NOTES.of(transcript.layout).get(TOOLS)
        return _with_notes(transcript, {TOOLS: {**(tools if isinstance(tools, dict) else {}), **gap}})
    if messages:
        return replace(transcript, messages=(_with_notes(messages[0], gap), *messages[1:]))
    turn = transcript.open_turn
    return transcript if turn is None else replace(transcript, open_turn=_with_notes(turn, gap))


def _with_notes(value: _Value, more: dict[str, Json]) -> _Value:
    """Return a message or a document with further notes of ChatML in its layout."""
    layout = value.layout or {}
    return replace(value, layout={**layout, HOME: {**layout.get(HOME, {}), **more}})
