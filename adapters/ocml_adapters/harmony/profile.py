"""The model profile of gpt-oss: turn a request into the prompt of these models, and describe their answers.

gpt-oss has a fixed system message, so the system and developer messages of a request become developer messages.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from ocml_bridge.chat.tool_names import declared_in
from ocml_bridge.chat.turns import FUNCTIONS, full_name, recipient_of
from ocml_bridge.formats.guidance import Frame, Guide, Step, Wanted
from ocml_bridge.formats.prompting import HostedTool, Profiled
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import AnswerFormat, Message, Settings, Tool, ToolChoice, Transcript, replace
from ocml_bridge.text import tools_section

from .nearest import header_word
from .syntax import CHANNEL, CHANNELS, CONSTRAIN, ENDS, HOME, INSTRUCTIONS, MESSAGE, OWN_TOOLS, START
from .system import ResponseFormat, SystemContent, declaration, namespace_of, render_developer, render_system

IDENTITY: Final = "You are ChatGPT, a large language model trained by OpenAI."
CUTOFF: Final = "2024-06"
MEDIUM: Final = "medium"
EFFORTS: Final = {
    "none": "low",
    "minimal": "low",
    "low": "low",
    MEDIUM: MEDIUM,
    "high": "high",
    "xhigh": "high",
    "max": "high",
}
"""The reasoning effort of a request → the nearest one that the model knows."""

_CHANGED: Final = Severity.CHANGED
_FOLDED: Final = frozenset({"system", "developer"})


def gpt_oss(transcript: Transcript, date: str | None, hosted: Sequence[HostedTool] = ()) -> Profiled:
    """Return the messages that gpt-oss is prompted with, without the header of its answer.

    A tool choice and the format of the answer are only instructions in the prompt: they are reported as changed, and
    the caller has to enforce them while sampling.

    Args:
        transcript: the request.
        date: the current date, for the system message; None leaves it out.
        hosted: the hosted tools of the request, which are the model's own tools.
    """
    log, settings = Log(), transcript.settings or Settings()
    tools = [tool for tool, _ in declared_in(transcript)]
    notes, formats = _notes(settings, tools, log), _formats(settings, log)
    _report_unsaid(settings, log)
    own = _own(hosted, tools, log)
    system = Message("system", render_system(_system(tools, own, settings, date, log)))
    messages, count = transcript.messages, _count_of_texts(transcript.messages)
    origins = [f"/messages/{index}" for index in range(len(messages))]
    rest = [_as_developer(message, path, log) for message, path in zip(messages, origins, strict=True)]
    rest = [_hidden(message, path, own, log) for message, path in zip(rest, origins, strict=True)]
    if count or notes or formats:
        first = _folded(rest[:count], notes, formats, log)
        made_from = origins[0] if count else _PLACE.format("tool_choice" if settings.tool_choice else "response_format")
        rest, origins = [first, *rest[count:]], [made_from, *origins[count:]]
    made = replace(transcript, messages=(system, *rest), settings=_unaccounted(settings))
    return Profiled(made, tuple(log.losses), ("", *origins))


_PLACE: Final = "/settings/{}"
_ACCOUNTED: Final = ("reasoning_effort", "tool_choice", "response_format", "parallel_tool_calls", "verbosity")
"""The settings that the prompt contains, or that are reported here."""


def _unaccounted(settings: Settings) -> Settings | None:
    rest = replace(settings, **dict.fromkeys(_ACCOUNTED))
    return None if rest == Settings() else rest


# --- the system message -----------------------------------------------------------------------------------------------


def _system(tools: Sequence[Tool], own: Set[str], settings: Settings, date: str | None, log: Log) -> SystemContent:
    functions = any(tool.namespace in (None, "functions") for tool in tools_section.nearest_tools(tools))
    return SystemContent(
        identity=IDENTITY,
        cutoff=CUTOFF,
        date=date,
        effort=_effort(settings, log),
        tools=declaration(own),
        channels=tuple(sorted(CHANNELS)),
        channel_required=True,
        functions_line=functions,
    )


def _effort(settings: Settings, log: Log) -> str:
    wanted = settings.reasoning_effort
    if wanted is None:
        return MEDIUM
    effort = EFFORTS.get(wanted)
    if effort is None:
        detail = f"gpt-oss has no effort {wanted[:40]!r}; the prompt asks for {MEDIUM}"
        _report(log, "reasoning_effort", detail, Severity.LOST)
        return MEDIUM
    if effort != wanted:
        _report(
            log, "reasoning_effort", f"the prompt asks for {effort}, the nearest effort to {wanted} that gpt-oss has"
        )
    return effort


# --- the model's own tools --------------------------------------------------------------------------------------------


def _own(hosted: Sequence[HostedTool], tools: Sequence[Tool], log: Log) -> set[str]:
    """Return the namespaces of the model's own tools to declare; report those whose name a function has."""
    undotted = {tool.name.partition(".")[0] for tool in tools if tool.namespace is None}
    own: set[str] = set()
    for tool in hosted:
        namespace = OWN_TOOLS[tool.kind]
        if namespace in undotted:
            log.lose(
                LossCode.TOOLS,
                tool.path,
                f"a function has the name of the model's own tool {namespace}; the function is declared",
            )
            continue
        own.add(namespace)
        if tool.says_more:
            log.lose(
                LossCode.TOOLS,
                tool.path,
                f"the prompt can only name the tool {namespace}; its settings are left out",
                _CHANGED,
            )
    return own


def _hidden(message: Message, path: str, own: Set[str], log: Log) -> Message:
    """Move a call of the model's own tools, or a reply to one, to channel `analysis`, where the model writes them."""
    if namespace_of(message) not in own or message.channel == "analysis":
        return message
    log.lose(LossCode.CHANNEL, f"{path}/channel", "the model calls its own tools on the channel 'analysis'", _CHANGED)
    if message.role == "tool":
        return replace(message, channel="analysis")
    if message.constraint is not None:
        log.lose(LossCode.CONSTRAINT, f"{path}/constraint", "the model's own tools take code, not JSON", _CHANGED)
    return replace(message, channel="analysis", constraint=None, content_type="code", intent=None)


# --- the developer's message ------------------------------------------------------------------------------------------


def _count_of_texts(messages: Sequence[Message]) -> int:
    """Return the number of leading system and developer messages whose content is a text."""
    count = 0
    while count < len(messages) and messages[count].role in _FOLDED and isinstance(messages[count].content, str):
        count += 1
    return count


def _as_developer(message: Message, path: str, log: Log) -> Message:
    if message.role != "system":
        return message
    detail = "gpt-oss takes instructions from the developer; its system message is fixed"
    log.lose(LossCode.ROLE, f"{path}/role", detail, Severity.CHANGED)
    return replace(message, role="developer")


def _folded(
    messages: Sequence[Message], notes: Sequence[str], formats: tuple[ResponseFormat, ...], log: Log
) -> Message:
    """Join the leading instructions to one developer message, followed by notes and formats of answers."""
    for index in range(1, len(messages)):
        log.lose(
            LossCode.MESSAGE,
            f"/messages/{index}",
            "this message is joined to the instructions before it",
            Severity.CHANGED,
        )
    first = messages[0] if messages else Message("developer", "")
    texts = [text for message in messages if (text := str(message.content))]
    body = render_developer("\n\n".join([*texts, *notes]) if texts or notes else None, formats)
    text = body.removeprefix(INSTRUCTIONS)
    if messages and text != first.content:
        log.lose(
            LossCode.CONTENT, "/messages/0/content", "further instructions are added to this message", Severity.CHANGED
        )
    plain = {} if body.startswith(INSTRUCTIONS) or not body else {HOME: {"plain": True}}
    return replace(first, content=text, layout={**(first.layout or {}), **plain} or None)


# --- settings ---------------------------------------------------------------------------------------------------------


def _notes(settings: Settings, tools: Sequence[Tool], log: Log) -> list[str]:
    """Return instructions for the settings that have no place in the prompt: the tool choice, and JSON answers."""
    notes: list[str] = []
    choice = settings.tool_choice
    if choice is not None and tools:
        notes = _choice_notes(choice)
        if notes:
            _report(log, "tool_choice", "the prompt instructs gpt-oss to do so; nothing enforces it")
    elif choice is not None and choice.mode != "none":
        _report(log, "tool_choice", "no declared tool can be chosen", Severity.LOST)
    if settings.response_format is not None and settings.response_format.type == "json_object":
        notes.append("Answer with a JSON object and nothing else.")
    return notes


def _choice_notes(choice: ToolChoice) -> list[str]:
    names = ", ".join(choice.names)
    if choice.mode == "none":
        return ["Do not call any tool."]
    if choice.mode == "required" and len(choice.names) == 1:
        return [f"Call the tool {names} before you answer, and no other tool."]
    notes = [f"Of the tools, call only these: {names}."] if names else []
    return [*notes, "Call at least one tool before you answer."] if choice.mode == "required" else notes


def _formats(settings: Settings, log: Log) -> tuple[ResponseFormat, ...]:
    answer = settings.response_format
    if answer is None or answer.type == "text":
        return ()
    _report(log, "response_format", "the prompt describes the answer's format; nothing enforces it")
    return () if answer.type == "json_object" else (_format(answer),)


def _format(answer: AnswerFormat) -> ResponseFormat:
    description = None if answer.description is None else _line(answer.description)
    return ResponseFormat(_line(answer.name or "answer"), {} if answer.schema is None else answer.schema, description)


def _line(text: str) -> str:
    """Return a text on one line, for a heading or a comment, which a line end would end."""
    return " ".join(text.splitlines())


def _report_unsaid(settings: Settings, log: Log) -> None:
    """Report the settings that gpt-oss has no way to follow."""
    if settings.parallel_tool_calls is not None:
        detail = "gpt-oss ends its turn with the first call, so calls are never parallel"
        severity = Severity.LOST if settings.parallel_tool_calls else Severity.LAYOUT
        _report(log, "parallel_tool_calls", detail, severity)
    if settings.verbosity is not None:
        _report(log, "verbosity", "gpt-oss has no setting for the length of its answers", Severity.LOST)


def _report(log: Log, field: str, detail: str, severity: Severity = Severity.CHANGED) -> None:
    log.lose(LossCode.SETTINGS, _PLACE.format(field), detail, severity)


# --- the grammar of answers -------------------------------------------------------------------------------------------
#
# What an inference engine must restrict the model's output to, after `<|start|>assistant`.

_NEXT = f"{ENDS['end']}{START}assistant"


def guide(wanted: Wanted) -> Guide:
    """Return the steps of an answer: an optional thought, an optional preamble before calls, then a call or a text."""
    calls = [
        Frame(f"{CHANNEL}commentary to=functions.{name} {CONSTRAIN}json{MESSAGE}", schema)
        for name, schema in wanted.calls
    ]
    answer = [] if wanted.must_call else [Frame(f"{CHANNEL}final{MESSAGE}", wanted.answer)]
    thought = Step((Frame(f"{CHANNEL}analysis{MESSAGE}", end=_NEXT),), optional=True)
    preamble = Step((Frame(f"{CHANNEL}commentary{MESSAGE}", end=_NEXT),), optional=True)
    last = Step((*calls, *answer))
    return (thought, preamble, last) if calls else (thought, last)


# --- names of functions -----------------------------------------------------------------------------------------------
#
# gpt-oss's own tools, `python` and `browser`, are no functions. A function with such a name, or with a dot in its name,
# is written after `functions.` like all others, as the chat template and vLLM do.


def function_names(tools: Sequence[Tool]) -> dict[str, str]:
    """Return the names of functions in the prompt that differ from the declared ones, by the recipients of these.

    A name that a header can hold remains. In other names, characters that would split or end it become `_`, and a
    number is appended if another tool has the name already.
    """
    declared = dict.fromkeys(map(full_name, tools))
    spelled = {name: fitting for name in declared if (fitting := _fitting(name)) == name}
    names_in_use = set(spelled)
    for name in declared:
        if name not in spelled:
            spelled[name] = _free(_fitting(name), names_in_use)
            names_in_use.add(spelled[name])
    return {
        recipient: name
        for recipient, name in ((recipient_of(name), spelled[name]) for name in declared)
        if "." in name or recipient != FUNCTIONS + name
    }


def _fitting(name: str) -> str:
    return header_word(FUNCTIONS + name).removeprefix(FUNCTIONS)


def _free(name: str, names_in_use: set[str]) -> str:
    number, free = 1, name
    while free in names_in_use:
        number += 1
        free = f"{name}_{number}"
    return free
