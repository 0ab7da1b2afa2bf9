"""Prepare a request as a prompt, or as a line to train on. `docs/requests.md` has the whole table.

Unlike a conversion, this changes the conversation: it drops the reasoning of earlier turns (OpenChatML 2.2 §12.7),
applies the model's chat template, and opens the assistant's turn. The report names every change by its path in the
request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from . import registry
from .chat.freeform_tools import NO_FREEFORM_TOOLS, FreeformTools
from .chat.tool_names import ToolNames, declared_in
from .chat.transform import drop_analysis, remaining, renumber
from .convert import Reading, Result
from .errors import BridgeError, ErrorCode
from .formats.prompting import ChatTemplate, HostedTool, of_prompt
from .loss import Loss, LossCode, Severity
from .model import Message, Settings, Transcript, replace
from .report.naming import name_difference
from .report.report import lost_with_moved, moved_contents
from .spans.columns import Columns
from .spans.origins import behind_prompt, rerooted


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt before it is written.

    Attributes:
        transcript: the document to write.
        losses: what of the request is lost or changed in it, by paths into the request.
        origins: for each message, the path of the message in the request; for a message that the template added, the
            path of what it was made from.
        reading: the request.
        names: the model's names for the declared tools.
        freeform: the declared tools that take a text.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]
    reading: Reading
    names: ToolNames
    freeform: FreeformTools

    def account(self, written: Result, prefill: str = "") -> Result:
        """Return the result of writing the prompt as a result of the request: losses and spans get the request's paths.

        Args:
            written: the result of writing `transcript`.
            prefill: the beginning of each answer that belongs to the prompt, from the token that begins its frame.
        """
        losses = [*self.losses, *(each for loss in written.losses for each in self._in_request(loss))]
        spans = written.columns
        if spans is not None:
            spans = spans if written.text is None else behind_prompt(spans, written.text, prefill)
            spans = self._in_paths(spans)
        return written.of(self.reading.transcript, losses, self.reading.findings, self.reading.source, spans)

    def _in_paths(self, spans: Columns) -> Columns:
        """Return spans with paths into the request, and with the training weights of its messages."""
        request = self.reading.transcript
        weights = [message.weight for message in request.messages] if isinstance(request, Transcript) else []
        return rerooted(spans, self.origins, weights)

    def _in_request(self, loss: Loss) -> Iterator[Loss]:
        match = _MESSAGE.match(loss.path)
        if match is not None and int(match[1]) < len(self.origins):
            origin, rest = self.origins[int(match[1])], loss.path[match.end() :]
            # A message that the template added has no fields in the request: name only what it was made from.
            yield loss._replace(path=origin + rest if _MESSAGE.match(origin) else origin)
        else:
            yield loss


_MESSAGE: Final = re.compile(r"/messages/(\d+)")


def prepare(
    reading: Reading,
    template: ChatTemplate | None,
    *,
    date: str | None = None,
    effort: str | None = None,
    training: bool = False,
    goes_on: bool = True,
) -> Prepared:
    """Turn a request into the document of its prompt.

    Args:
        reading: the request.
        template: the model's chat template; None for the messages as they are.
        date: today's date, `YYYY-MM-DD`; None for a prompt without a date.
        effort: how much to reason; None for what the request asks for.
        training: whether to make a line to train on: the reasoning of the last turn stays, and no turn is opened.
        goes_on: whether the answer continues an unfinished last message; if not, a new turn is opened after it.

    Raises:
        BridgeError: OCB-OPTION for an invalid date, and for a date or an effort without a template; OCB-SHAPE if the
            document is a text to complete.
    """
    if template is None and (date or effort):
        raise BridgeError(ErrorCode.OPTION, "a date and an effort need a profile; name one with --profile")
    if date is not None and not _DATE.fullmatch(date):
        raise BridgeError(ErrorCode.OPTION, f"{date[:40]!r} is not a date: YYYY-MM-DD")
    request = reading.transcript
    if not isinstance(request, Transcript):
        raise BridgeError(ErrorCode.SHAPE, "a text to complete is not a conversation, and has no turn to open")
    current, dropped = _conversation(request, reading.source), ()
    if template is None or not template.shows_reasoning:
        current, dropped = drop_analysis(current, last=not training)
    if current.tools == ():
        # No model was trained on a section that declares no tools.
        current = replace(current, tools=None)
        dropped += (Loss(LossCode.TOOLS, Severity.LAYOUT, "/tools", "a prompt leaves out an empty list of tools"),)
    left = remaining(len(request.messages), dropped)
    origins = tuple(f"/messages/{index}" for index in left)
    losses, names, freeform = dropped, ToolNames({}), NO_FREEFORM_TOOLS
    if not training:
        current = _opened(current, goes_on=goes_on)
    elif current.open_turn is not None:
        losses += (Loss(LossCode.OPEN_TURN, Severity.LAYOUT, "/open_turn", "a line to train on has no open turn"),)
        current = replace(current, open_turn=None)
    if template is not None:
        current, overridden = _overridden(current, effort)
        current, hosted = _hosted_tools(template, current, reading.source)
        names = _names(template, current)
        losses += renumber(names.losses(current), left)
        current = names.spelled(current)
        freeform = FreeformTools.of(current)
        losses += renumber(freeform.losses(current), left)
        current = freeform.as_functions(current)
        profiled = template.make(current, date, hosted)
        losses += overridden + renumber(
            (*profiled.losses, *_lost_with_joined(current, profiled.losses, template)), left
        )
        current = profiled.transcript
        origins = tuple(_origin(path, origins) for path in profiled.origins)
    return Prepared(current, losses, origins, reading, names, freeform)


def _lost_with_joined(transcript: Transcript, losses: Sequence[Loss], template: ChatTemplate) -> list[Loss]:
    """Return the losses of messages that are joined to others: only their content is in the prompt."""
    joined = moved_contents(losses)
    beside = lost_with_moved(transcript, joined, losses) if joined else ()
    return [name_difference(difference, template.families[0]) for difference in beside]


def is_unfinished(transcript: Transcript) -> bool:
    """Return whether the last message is an unfinished one of the assistant, which an answer continues."""
    last = transcript.messages[-1:]
    return transcript.open_turn is None and bool(last) and last[0].role == "assistant" and last[0].end is None


def _opened(request: Transcript, *, goes_on: bool) -> Transcript:
    """Open the assistant's turn after the messages, unless one is open or the answer continues the last message."""
    if request.open_turn is not None or (goes_on and is_unfinished(request)):
        return request
    return replace(request, open_turn=Message("assistant", "", end=None))


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _names(template: ChatTemplate, request: Transcript) -> ToolNames:
    """Return the model's names for the declared tools."""
    tools = [tool for tool, _ in declared_in(request)]
    return ToolNames({} if template.names is None or not tools else template.names(tools))


def _hosted_tools(template: ChatTemplate, request: Transcript, source: str) -> tuple[Transcript, Sequence[HostedTool]]:
    """Take the tools that are built into the model out of a request; return the rest of it, and these tools."""
    take = registry.adapter(source)[0].hosted_tools
    return (request, ()) if take is None or not template.own_tools else take(request, template.own_tools)


def _conversation(request: Transcript, source: str) -> Transcript:
    """Remove the engine's parameters (sampling, limits, identifiers) from a request.

    If the request says that the answer continues the last message, that message is marked as unfinished.
    """
    adapter = registry.adapter(source)[0]
    extras = dict(request.extras or {})
    keys = {key: value for key, value in extras.pop(adapter.home, {}).items() if key not in adapter.engine_keys}
    messages = request.messages
    goes_on = any(keys.get(key) is True for key in adapter.continuing[:1])
    if goes_on and messages and messages[-1].role == "assistant":
        messages = (*messages[:-1], replace(messages[-1], end=None))
        keys = {key: value for key, value in keys.items() if key not in adapter.continuing}
    if keys:
        extras[adapter.home] = keys
    return replace(request, messages=messages, settings=of_prompt(request.settings), extras=extras or None)


def _overridden(request: Transcript, effort: str | None) -> tuple[Transcript, tuple[Loss, ...]]:
    """Set the reasoning effort of a request; report it if the request asks for another one."""
    if effort is None:
        return request, ()
    settings = request.settings or Settings()
    losses: tuple[Loss, ...] = ()
    if (wanted := settings.reasoning_effort) not in (None, effort):
        detail = f"the effort {effort} replaces the request's {wanted[:40]}"
        losses = (Loss(LossCode.SETTINGS, Severity.CHANGED, "/settings/reasoning_effort", detail),)
    return replace(request, settings=replace(settings, reasoning_effort=effort)), losses


def _origin(path: str, origins: tuple[str, ...]) -> str:
    """Translate a path into a transcript whose messages have these origins into a path into the request."""
    match = _MESSAGE.match(path)
    return path if match is None else origins[int(match[1])] + path[match.end() :]
