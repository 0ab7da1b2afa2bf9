"""Requests as models that speak ChatML are prompted with them: what their chat templates do, as data.

A family says how a frame is spelled; a template says which frames there are: the system text where a request has none,
which thoughts are shown again, and how the answer is begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar

from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Json, Message, Settings, Transcript, replace
from ocml_bridge.prompting import Profiled
from ocml_bridge.turns import is_call, is_thought

from .around import FAMILY, TOOLS, dialect_of
from .families import FAMILIES
from .family_frames import OPENING
from .syntax import HOME

OPEN: Final = "<think>\n"
CLOSED: Final = "<think>\n\n</think>\n\n"
NOTHING: Final = "<think></think>"
"""Thoughts without a word, begun and ended."""
_Kept = TypeVar("_Kept", Message, Transcript)
OFF: Final = "none"
"""The effort that turns thinking off."""


class Template(NamedTuple):
    """What a chat template does.

    Attributes:
        family: how its frames are spelled.
        system: the system text where the request has none; None for no frame.
        tools: where that stands: only with tools, only without, or in both cases (None).
        strips: whether white space is taken off the ends of texts.
        empty_system: whether a system text that is empty has a frame.
        bos: the token that the prompt begins with.
        thinks: whether the thoughts behind the last message of the user's are shown again; no template shows others.
        empty: what stands for a thought that would be shown, where there is none.
        dropped: what stands for one that is not shown.
        gap: what stands behind these two before a call, and where a thought before a text alone is not shown.
        opening: what an answer is begun with.
        opening_off: the same where thinking is turned off.
    """

    family: str
    system: str | None = None
    tools: bool | None = None
    strips: bool = False
    empty_system: bool = True
    bos: str = ""
    thinks: bool = False
    empty: str = ""
    dropped: str = ""
    gap: str = ""
    opening: str = ""
    opening_off: str = ""


def prompt(template: Template, transcript: Transcript, date: str | None) -> Profiled:
    """The messages of a prompt, and the turn to come."""
    log, settings = Log(), transcript.settings or Settings()
    messages, origins = _with_thoughts(transcript.messages, template, log)
    lacks_system = not messages or messages[0].role != "system"
    if template.system is not None and lacks_system and template.tools in (None, bool(transcript.tools)):
        messages.insert(0, Message("system", template.system))
        origins.insert(0, "")
    opening = template.opening_off if settings.reasoning_effort == OFF else template.opening
    turn = transcript.open_turn or Message("assistant", "", end=None)
    rest = replace(settings, reasoning_effort=None)
    made = replace(
        transcript,
        messages=tuple(messages),
        open_turn=_remembering(turn, {OPENING: opening}) if opening else turn,
        settings=None if rest == Settings() else rest,
    )
    made = _remembering(made, {FAMILY: template.family})
    return Profiled(_behind(template.bos, made) if template.bos else made, tuple(log.losses), tuple(origins))


def _with_thoughts(messages: Sequence[Message], template: Template, log: Log) -> tuple[list[Message], list[str]]:
    """The messages that the template shows, and where each stood in the request."""
    last = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    shown: list[Message] = []
    origins: list[str] = []
    thought: Literal["shown", "left out"] | None = None
    for at, message in enumerate(messages):
        path, current = f"/messages/{at}", template.thinks and at > last
        if is_thought(message):
            thought = "shown" if current else "left out"
            if not current:
                log.lose(LossCode.THOUGHT, path, "the chat template shows no reasoning of earlier turns")
                continue
        elif message.role == "assistant":
            if thought != "shown" and (thought or not message.continues):
                message = _beginning(
                    message, _nothing(messages[at:], template, current=current, left_out=bool(thought))
                )
            if message.continues and not (shown and shown[-1].role == "assistant"):
                message = replace(message, continues=False)
            thought = None
        if message.role == "system" and message.content == "" and not template.empty_system:
            log.lose(LossCode.MESSAGE, path, "the chat template has no frame for an empty text", Severity.LAYOUT)
            continue
        shown.append(_stripped(message, path, log) if template.strips else message)
        origins.append(path)
    return shown, origins


def _nothing(rest: Sequence[Message], template: Template, *, current: bool, left_out: bool) -> str:
    """What stands for the thought of an assistant's frame that has none, given the messages from it on."""
    text = template.empty if current else template.dropped
    calls = any(is_call(message) for message in rest[:1]) or (len(rest) > 1 and is_call(rest[1]) and rest[1].continues)
    return f"{text}{template.gap}" if text and (is_call(rest[0]) or (left_out and not calls)) else text


def _beginning(message: Message, opening: str) -> Message:
    return _remembering(message, {OPENING: opening}) if opening else message


def _stripped(message: Message, path: str, log: Log) -> Message:
    content = message.content
    if is_call(message) or not isinstance(content, str) or content == content.strip():
        return message
    log.lose(LossCode.CONTENT, f"{path}/content", "the chat template takes white space off its ends", Severity.CHANGED)
    return replace(message, content=content.strip())


def _behind(bos: str, transcript: Transcript) -> Transcript:
    """A transcript whose first frame stands behind a token."""
    messages, gap = transcript.messages, {"gap": bos}
    if transcript.tools and (not messages or messages[0].role != "system" or _stands_alone(transcript)):
        return _remembering(transcript, {TOOLS: gap})
    if messages:
        return replace(transcript, messages=(_remembering(messages[0], gap), *messages[1:]))
    turn = transcript.open_turn
    return transcript if turn is None else replace(transcript, open_turn=_remembering(turn, gap))


def _stands_alone(transcript: Transcript) -> bool:
    family = dialect_of(transcript)
    return family is not None and FAMILIES[family].declaration.alone


def _remembering(value: _Kept, more: dict[str, Json]) -> _Kept:
    """A message or transcript whose layout has more values of ChatML."""
    layout = value.layout or {}
    return replace(value, layout={**layout, HOME: {**layout.get(HOME, {}), **more}})


# --- the templates ----------------------------------------------------------------------------------------------------

_QWEN_2_5: Final = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
_CODER: Final = "You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks."

qwen2_5 = partial(prompt, Template("hermes", _QWEN_2_5))
qwen3 = partial(prompt, Template("hermes", thinks=True, opening_off=CLOSED))
qwen3_2507 = partial(prompt, Template("hermes"))
qwen3_coder = partial(prompt, Template("qwen-xml", _CODER, tools=True))
qwen3_5 = partial(
    prompt,
    Template("qwen-xml/qwen3.5", strips=True, thinks=True, empty=CLOSED, opening=OPEN, opening_off=CLOSED),
)
nemotron_3 = partial(
    prompt,
    Template(
        "qwen-xml/nemotron-3",
        "",
        tools=False,
        thinks=True,
        empty=NOTHING,
        dropped=NOTHING,
        gap="\n",
        opening=OPEN,
        opening_off=NOTHING,
    ),
)
step_3_5 = partial(
    prompt, Template("qwen-xml/step-3.5", bos="<s>", thinks=True, empty="<think>\n\n</think>\n", opening=OPEN)
)
lfm2 = partial(prompt, Template("lfm2", empty_system=False, bos="<|startoftext|>"))
lfm2_5 = partial(prompt, Template("lfm2/lfm2.5", empty_system=False, bos="<|startoftext|>", thinks=True))
