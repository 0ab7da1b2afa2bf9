"""A request becomes a prompt, or a line to train on. `docs/requests.md` has the whole table.

Conversion leaves a transcript as it is; this does not. Reasoning that has done its work is dropped (OpenChatML 2.2
§12.7), a chat template makes the messages that a model was trained on, and the assistant's turn is opened. All of it is
in the report, by paths into the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from . import registry
from .chat.tool_names import ToolNames, declared_in
from .chat.transform import drop_analysis, remaining, renumber
from .convert import Reading, Result
from .errors import BridgeError, ErrorCode
from .formats.prompting import ChatTemplate, HostedTool, of_prompt
from .loss import Loss, LossCode, Severity
from .model import Message, Settings, Transcript, replace
from .spans.columns import Columns
from .spans.origins import behind_prompt, rerooted


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt before it is written.

    Attributes:
        transcript: what is to be written.
        losses: what is not, or not as the request has it, by paths into the request.
        origins: for each message, its path in the request; of one that was made, what it was made from.
        reading: the request.
        names: what the model calls the declared tools.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]
    reading: Reading
    names: ToolNames

    def account(self, written: Result, prefill: str = "") -> Result:
        """The result of writing it, told of the request.

        Args:
            written: what was written.
            prefill: what of each answer is a prompt's, from the token on that begins its frame.
        """
        losses = [*self.losses, *(each for loss in written.losses for each in self._in_request(loss))]
        spans = written.columns
        if spans is not None:
            spans = spans if written.text is None else behind_prompt(spans, written.text, prefill)
            spans = self._in_paths(spans)
        return written.of(self.reading.transcript, losses, self.reading.findings, self.reading.source, spans)

    def _in_paths(self, spans: Columns) -> Columns:
        """Spans by paths into the request, with the weights that its messages have there."""
        request = self.reading.transcript
        weights = [message.weight for message in request.messages] if isinstance(request, Transcript) else []
        return rerooted(spans, self.origins, weights)

    def _in_request(self, loss: Loss) -> Iterator[Loss]:
        found = _MESSAGE.match(loss.path)
        if found is not None and int(found[1]) < len(self.origins):
            origin, rest = self.origins[int(found[1])], loss.path[found.end() :]
            # Of a message that was made there is no more to point at than what it was made from.
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
    """Everything but reading the request and writing the prompt.

    Args:
        reading: the request.
        template: how the model is prompted; None for the messages as they are.
        date: today's, `YYYY-MM-DD`; None for a prompt without.
        effort: how much to reason; None for what the request asks for.
        training: whether it is a line to train on: then the reasoning of its last turn stays, and no turn is opened.
        goes_on: whether an answer goes on with a last message that is unfinished; else a turn is opened behind it.

    Raises:
        BridgeError: OCB-OPTION for a date that is none, and for a date or an effort without a template; OCB-SHAPE for
            what is no conversation.
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
        # A section without tools is one that no model was trained on.
        current = replace(current, tools=None)
        dropped += (Loss(LossCode.TOOLS, Severity.LAYOUT, "/tools", "a prompt leaves out an empty list of tools"),)
    left = remaining(len(request.messages), dropped)
    origins = tuple(f"/messages/{index}" for index in left)
    losses, names = dropped, ToolNames({})
    if not training:
        current = _opened(current, goes_on=goes_on)
    elif current.open_turn is not None:
        losses += (Loss(LossCode.OPEN_TURN, Severity.LAYOUT, "/open_turn", "a line to train on has no open turn"),)
        current = replace(current, open_turn=None)
    if template is not None:
        current, overridden = _overridden(current, effort)
        current, own = _own_tools(template, current, reading.source)
        names = _names(template, current)
        losses += renumber(names.losses(current), left)
        made = template.make(names.spelled(current), date, own)
        current = made.transcript
        losses += overridden + renumber(made.losses, left)
        origins = tuple(_origin(path, origins) for path in made.origins)
    return Prepared(current, losses, origins, reading, names)


def is_unfinished(transcript: Transcript) -> bool:
    """Whether the last message is one of the assistant's that an answer goes on with."""
    last = transcript.messages[-1:]
    return transcript.open_turn is None and bool(last) and last[0].role == "assistant" and last[0].end is None


def _opened(request: Transcript, *, goes_on: bool) -> Transcript:
    """A request with the assistant's turn behind it, unless its last message is to be gone on with."""
    if request.open_turn is not None or (goes_on and is_unfinished(request)):
        return request
    return replace(request, open_turn=Message("assistant", "", end=None))


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _names(template: ChatTemplate, request: Transcript) -> ToolNames:
    tools = [tool for tool, _ in declared_in(request)]
    return ToolNames({} if template.names is None or not tools else template.names(tools))


def _own_tools(template: ChatTemplate, request: Transcript, source: str) -> tuple[Transcript, Sequence[HostedTool]]:
    """A request without the tools that the model has of its own, and those."""
    take = registry.adapter(source)[0].hosted_tools
    return (request, ()) if take is None or not template.own_tools else take(request, template.own_tools)


def _conversation(request: Transcript, source: str) -> Transcript:
    """A request without what is the engine's business (sampling, limits, identifiers); its last message as meant."""
    adapter = registry.adapter(source)[0]
    extras = dict(request.extras or {})
    own = {key: value for key, value in extras.pop(adapter.home, {}).items() if key not in adapter.engine_keys}
    messages = request.messages
    goes_on = any(own.get(key) is True for key in adapter.continuing[:1])
    if goes_on and messages and messages[-1].role == "assistant":
        messages = (*messages[:-1], replace(messages[-1], end=None))
        own = {key: value for key, value in own.items() if key not in adapter.continuing}
    if own:
        extras[adapter.home] = own
    return replace(request, messages=messages, settings=of_prompt(request.settings), extras=extras or None)


def _overridden(request: Transcript, effort: str | None) -> tuple[Transcript, tuple[Loss, ...]]:
    """A request that asks for another effort."""
    if effort is None:
        return request, ()
    settings = request.settings or Settings()
    losses: tuple[Loss, ...] = ()
    if (wanted := settings.reasoning_effort) not in (None, effort):
        detail = f"the effort {effort} replaces the request's {wanted[:40]}"
        losses = (Loss(LossCode.SETTINGS, Severity.CHANGED, "/settings/reasoning_effort", detail),)
    return replace(request, settings=replace(settings, reasoning_effort=effort)), losses


def _origin(path: str, origins: tuple[str, ...]) -> str:
    """A path into a transcript whose messages have these origins, as a path into the request."""
    found = _MESSAGE.match(path)
    return path if found is None else origins[int(found[1])] + path[found.end() :]
