"""A request becomes a prompt: the text or the token ids that a model continues. `docs/requests.md` has the whole table.

Conversion leaves a transcript as it is; this does not. Reasoning that has done its work is dropped (OpenChatML 2.2
§12.7), a profile makes the messages that a model was trained on, and the assistant's turn is opened. All of it is in
the report, by paths into the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from . import registry
from .adapter import DEFAULT, Adapter, Options, Source
from .convert import Reading, Result, read, write
from .errors import BridgeError, ErrorCode
from .loss import Loss, LossCode, Severity
from .model import Message, Settings, Transcript, replace
from .policy import DEFAULT_POLICY, LENIENT, LossPolicy
from .prompting import Profile, of_prompt
from .tool_names import ToolNames, declared_in
from .transform import drop_analysis, remaining, renumber


def prompt(
    data: Source | bytes,
    target: str | Adapter,
    *,
    source: str | Adapter | None = "openai",
    profile: str | None = None,
    date: str | None = None,
    effort: str | None = None,
    options: Options = DEFAULT,
    strict: bool = False,
    policy: LossPolicy = DEFAULT_POLICY,
) -> Result:
    """Make a prompt of a request.

    Args:
        data: the request: text, bytes (UTF-8), or parsed JSON.
        target: the format that the model reads, with a dialect where another than the profile's is wanted.
        source: the format of the request; None to detect it.
        profile: how the model is prompted (`gpt-oss`); None for the messages as they are.
        date: today's, `YYYY-MM-DD`, for a profile; None for a prompt without.
        effort: how much to reason, for a profile; None for what the request asks for.
        options: how to read and write.
        strict: refuse where anything of the request would be lost or changed that the policy does not allow.
        policy: which losses are allowed and which are refused.

    Returns:
        The prompt; its `transcript` and its losses are those of the request.

    Raises:
        BridgeError: with code and position, where the request cannot be read; OCB-OPTION for a profile that the format
            does not have, for a date that is none, and for a date or an effort without a profile.
    """
    reading = read(data, source, options=options, strict=strict)
    prepared = prepare(reading, target, profile=profile, date=date, effort=effort)
    written = target if options.dialect is not None else prepared.target
    result = prepared.account(write(prepared.transcript, written, options=options, policy=LENIENT))
    policy.check(result.losses, strict=strict)
    return result


def opening(target: str | Adapter, *, options: Options = DEFAULT) -> str | tuple[int, ...]:
    """The generation prompt of a format, which every prompt ends with and a model's answer continues.

    Args:
        target: the format that the model reads.
        options: how to write.

    Returns:
        Text, or token ids.
    """
    output = write(Transcript(open_turn=Message("assistant", "", end=None)), target, options=options).output
    return output if isinstance(output, str) else tuple(cast("list[int]", output))


def opening_of(result: Result, *, profile: str | None = None, options: Options = DEFAULT) -> str | tuple[int, ...]:
    """What a prompt ends with: the turn that it opens, and all that stands in it already, such as a thought begun.

    Args:
        result: what `prompt` gave.
        profile: the profile that it was made with; where answers of its models are read with the declared tools, these
            stand before the turn.
        options: the options that it was written with.

    Returns:
        Text, or token ids: the prefix of the decoder that reads the answer.
    """
    image = result.image
    turn = image.open_turn if isinstance(image, Transcript) else None
    chosen = _profile(registry.adapter(result.target)[0], profile)
    tools = image.tools if isinstance(image, Transcript) and chosen is not None and chosen.reads_with_tools else None
    end = Transcript(tools=tools, open_turn=turn, layout=image.layout)
    output = write(end, result.target, options=options, policy=LENIENT).output
    return output if isinstance(output, str) else tuple(cast("list[int]", output))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prompt before it is written.

    Attributes:
        transcript: what is to be written.
        losses: what is not, or not as the request has it, by paths into the request.
        origins: for each message, its path in the request; of one that was made, what it was made from.
        reading: the request.
        target: the format to write it in, with the dialect of its profile where none was named.
    """

    transcript: Transcript
    losses: tuple[Loss, ...]
    origins: tuple[str, ...]
    reading: Reading
    target: str | Adapter

    def account(self, written: Result) -> Result:
        """The result of writing it, told of the request."""
        losses = [*self.losses, *(each for loss in written.losses for each in self._in_request(loss))]
        return written.of(self.reading.transcript, losses, self.reading.findings, self.reading.source)

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
    target: str | Adapter,
    *,
    profile: str | None = None,
    date: str | None = None,
    effort: str | None = None,
) -> Prepared:
    """Everything but reading the request and writing the prompt; arguments and errors are those of `prompt`."""
    adapter, dialect = registry.adapter(target)
    chosen = _profile(adapter, profile)
    if chosen is None and (date or effort):
        raise BridgeError(ErrorCode.OPTION, "a date and an effort are for a profile, which has a place for them")
    if date is not None and not _DATE.fullmatch(date):
        raise BridgeError(ErrorCode.OPTION, f"{date[:40]!r} is not a date: YYYY-MM-DD")
    request = reading.transcript
    if not isinstance(request, Transcript):
        raise BridgeError(ErrorCode.SHAPE, "a text to be completed is no conversation, and has no turn to open")
    current, dropped = _conversation(request, reading.source), ()
    if chosen is None or not chosen.shows_reasoning:
        current, dropped = drop_analysis(current)
    if current.tools == ():
        # A section without tools is one that no model was trained on.
        current = replace(current, tools=None)
        dropped += (Loss(LossCode.TOOLS, Severity.LAYOUT, "/tools", "a prompt says nothing where there are no tools"),)
    left = remaining(len(request.messages), dropped)
    origins = tuple(f"/messages/{index}" for index in left)
    losses = dropped
    if chosen is not None:
        current, overridden = _overridden(current, effort)
        names = _names(chosen, current)
        losses += renumber(names.losses(current), left)
        made = chosen.make(names.spelled(current), date)
        current = made.transcript
        losses += overridden + renumber(made.losses, left)
        origins = tuple(_origin(path, origins) for path in made.origins)
    if current.open_turn is None:
        current = replace(current, open_turn=Message("assistant", "", end=None))
    if chosen is not None and dialect is None and chosen.dialect is not None and isinstance(target, str):
        target = f"{adapter.id}:{chosen.dialect}"
    return Prepared(current, losses, origins, reading, target)


_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _profile(adapter: Adapter, name: str | None) -> Profile | None:
    if name is None:
        return None
    found = adapter.profiles.get(name)
    if found is None:
        known = ", ".join(adapter.profiles) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{adapter.id} has no profile {name[:40]!r}; it has {known}")
    return found


def names_of(result: Result, *, profile: str | None = None) -> ToolNames:
    """How a model calls the tools that a request declares, and back: its decoder reads the answer with their own names.

    Args:
        result: what `prompt` gave.
        profile: the profile that it was made with.
    """
    request = result.transcript
    chosen = _profile(registry.adapter(result.target)[0], profile)
    return ToolNames({}) if chosen is None or not isinstance(request, Transcript) else _names(chosen, request)


def _names(profile: Profile, request: Transcript) -> ToolNames:
    tools = [tool for tool, _ in declared_in(request)]
    return ToolNames({} if profile.names is None or not tools else profile.names(tools))


def _conversation(request: Transcript, source: str) -> Transcript:
    """A request without what is the engine's business: sampling, limits, identifiers."""
    adapter = registry.adapter(source)[0]
    extras = dict(request.extras or {})
    own = {key: value for key, value in extras.pop(adapter.home, {}).items() if key not in adapter.engine_keys}
    if own:
        extras[adapter.home] = own
    return replace(request, settings=of_prompt(request.settings), extras=extras or None)


def _overridden(request: Transcript, effort: str | None) -> tuple[Transcript, tuple[Loss, ...]]:
    """A request that asks for another effort."""
    if effort is None:
        return request, ()
    settings = request.settings or Settings()
    losses: tuple[Loss, ...] = ()
    if (wanted := settings.reasoning_effort) not in (None, effort):
        detail = f"{effort} is asked for in place of {wanted[:40]}"
        losses = (Loss(LossCode.SETTINGS, Severity.CHANGED, "/settings/reasoning_effort", detail),)
    return replace(request, settings=replace(settings, reasoning_effort=effort)), losses


def _origin(path: str, origins: tuple[str, ...]) -> str:
    """A path into a transcript whose messages have these origins, as a path into the request."""
    found = _MESSAGE.match(path)
    return path if found is None else origins[int(found[1])] + path[found.end() :]
