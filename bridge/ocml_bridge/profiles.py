"""A model's profile: how the model is prompted, and how its answers are read. One value for both directions.

from ocml_bridge.profiles import profile
model = profile("gpt-oss")
prompt = model.prompt(request)
answer = model.answering(prompt)
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, cast

from . import registry
from .chat.tool_names import ToolNames
from .chat.turns import full_name, recipient_of
from .checks.stability import goes_on
from .common.memo import Memo
from .common.suggestions import did_you_mean
from .convert import Reading, Result, read, write
from .errors import BridgeError, ErrorCode
from .events import Decoder
from .formats.adapter import DEFAULT, Adapter, Options, Source
from .formats.guidance import OBJECT, Guide, Wanted
from .formats.prompting import ChatTemplate, of_prompt
from .model import Message, Settings, ToolChoice, Transcript
from .pipe import decoder
from .report.policy import DEFAULT_POLICY, LENIENT, LossPolicy
from .request import Prepared, is_unfinished, prepare
from .spans.span import SpanKind

__all__ = ["Profile", "Prompt", "default_profile", "profile", "profiles_of"]


class Prompt(Result):
    """A prompt: a result whose transcript, findings and losses are those of the request.

    Args:
        account: the prompt as the result of the request.
        written: the same as the result of writing the messages of the prompt.
        names: what the model calls the declared tools.

    Attributes:
        written: as given; what `verify` compares the output with.
        names: as given.
    """

    __slots__ = ("names", "written")

    def __init__(self, account: Result, written: Result, names: ToolNames) -> None:
        super().__init__(*Result.__reduce__(account)[1])
        self.written = written
        self.names = names

    @property
    def is_open(self) -> bool:
        """Whether the prompt opens a turn, or ends in a message that an answer can go on with."""
        document = self.written.document
        if isinstance(document, Transcript) and document.open_turn is not None:
            return True
        image = self.written.image
        return isinstance(image, Transcript) and is_unfinished(image)

    def __reduce__(self) -> tuple[type[Any], tuple[Any, ...]]:
        return type(self), (Result(*Result.__reduce__(self)[1]), self.written, self.names)


@dataclass(frozen=True, slots=True)
class Profile:
    """How models are prompted, and how their answers are read.

    Attributes:
        name: by which it is known; None for the messages of a format as they are.
        adapter: the format that the models read and write.
        dialect: that their prompts are written in; None for the format's default one.
        template: what the adapter says of it; None where it has no name.
    """

    name: str | None
    adapter: Adapter
    dialect: str | None = None
    template: ChatTemplate | None = None

    @property
    def format(self) -> str:
        """The format that the models read and write, as `id` or `id:dialect`."""
        return self.adapter.id if self.dialect is None else f"{self.adapter.id}:{self.dialect}"

    def prompt(
        self,
        request: Source | bytes | Transcript | Reading,
        *,
        source: str | Adapter | None = "openai",
        date: str | None = None,
        effort: str | None = None,
        options: Options = DEFAULT,
        strict: bool = False,
        policy: LossPolicy = DEFAULT_POLICY,
        spans: bool = False,
    ) -> Prompt:
        """The text, or the token ids, that a model continues; with `options.training`, what it is trained on.

        Args:
            request: text, bytes (UTF-8), parsed JSON, or what it was read as.
            source: the format of the request; None to detect it.
            date: today's, `YYYY-MM-DD`; None for a prompt without.
            effort: how much to reason; None for what the request asks for.
            options: how to read and write.
            strict: refuse where anything of the request would be lost or changed that the policy does not allow.
            policy: which losses are allowed and which are refused.
            spans: tell what stands where in the prompt, by paths into the request.

        Raises:
            BridgeError: with code and position, where the request cannot be read; OCB-OPTION for a date that is none,
                and for a date or an effort without a template; OCB-LOSS or OCB-EMPTIED where the policy refuses.
        """
        if isinstance(request, Transcript):
            request = Reading(request, (), "canonical")
        reading = request if isinstance(request, Reading) else read(request, source, options=options, strict=strict)
        prepared = partial(prepare, reading, self.template, date=date, effort=effort, training=options.training)
        prompt = self._written(prepared(), options, spans=spans)
        if not (options.training or prompt.is_open):
            prompt = self._written(prepared(goes_on=False), options, spans=spans)
        policy.check(prompt.losses, strict=strict)
        return prompt

    def is_stable(self, request: Transcript, *, options: Options = DEFAULT) -> bool:
        """Whether lines to train on of each beginning of a conversation begin that of all of it.

        Templates that rewrite what is history, such as reasoning, are not. Each beginning is written.

        Args:
            request: the conversation.
            options: how to write.
        """
        options = replace(options, training=True)
        return goes_on(request, lambda one: self.prompt(one, options=options, policy=LENIENT).output)

    def answering(
        self,
        request: Source | bytes | Transcript | Reading | Prompt | None = None,
        *,
        source: str | Adapter | None = "openai",
        effort: str | None = None,
        options: Options = DEFAULT,
    ) -> Decoder:
        """What reads the answer to a request.

        It knows which tools are declared, what the prompt has begun of the answer, and gives tools the names that the
        request has for them.

        Args:
            request: as `prompt` takes it, or the prompt that was made of it; None for one that says nothing.
            source: the format of the request; None to detect it.
            effort: how much to reason, as the prompt says it.
            options: how to read.

        Raises:
            BridgeError: as `prompt`; OCB-OPTION where no answer can follow; OCB-FORMAT-UNKNOWN where answers of the
                format are not read as they come.
        """
        # Imported here: whoever makes prompts alone needs nothing of streams.
        from .stream.answer import AnswerDecoder

        options = replace(options, training=False)
        if not isinstance(request, Prompt):
            given = Transcript() if request is None else request
            request = self.prompt(given, source=source, effort=effort, options=options, policy=LENIENT)
        end = self._end(request)
        reads = AnswerDecoder(decoder(self.adapter, options=options), self._prefix(end, options), end.messages)
        return request.names.decoder(reads)

    def guide(self, prompt: Prompt, *, strict: bool = False) -> Guide | None:
        """What an answer has to look like, for an engine that can hold the model to it.

        Args:
            prompt: what was made of the request.
            strict: whether arguments of calls have to follow their schemas.

        Returns:
            None where the request leaves the model free, and where the format has no way to say it.
        """
        request, made = prompt.transcript, prompt.written.document
        if self.template is None or self.template.guide is None or not isinstance(request, Transcript):
            return None
        guidance = _wanted(prompt.names.spelled(request), strict=strict, calls_once=self.template.calls_once)
        # An answer that goes on with a message has no frames of its own.
        if guidance is None or not isinstance(made, Transcript) or made.open_turn is None:
            return None
        prefill = self._prefix(self._end(prompt), DEFAULT)
        return self.template.guide(replace(guidance, prefill=prefill) if isinstance(prefill, str) else guidance)

    def _written(self, prepared: Prepared, options: Options, *, spans: bool) -> Prompt:
        options = self._options(options)
        written = write(prepared.transcript, self.adapter, options=options, policy=LENIENT, spans=spans)
        prefill = self._prefill(prepared.reading, options) if spans else ""
        return Prompt(prepared.account(written, prefill), written, prepared.names)

    def _prefill(self, request: Reading, options: Options) -> str:
        """What answers to a request go on with, from the token that begins their frame: the open turn of its prompt."""
        wanted = request.transcript.settings if isinstance(request.transcript, Transcript) else None
        settings = of_prompt(wanted)
        key = self, request.source, options, repr(settings)
        prefill = _PREFILLS.get(key)
        return _PREFILLS.keep(key, self._opening(request.source, settings, options)) if prefill is None else prefill

    def _opening(self, source: str, settings: Settings | None, options: Options) -> str:
        """The open turn of the prompt that is made of a request with these settings."""
        question = Reading(Transcript((Message("user", "?"),), settings=settings), (), source)
        prompt = prepare(question, self.template).transcript
        written = write(prompt, self.adapter, options=options, policy=LENIENT, spans=True)
        if not isinstance(written.output, str):
            return ""
        turn = [span for span in written.spans or () if span.kind is SpanKind.OPEN_TURN]
        return written.output[turn[0].start :] if turn else ""

    def _options(self, options: Options) -> Options:
        return options if options.dialect or not self.dialect else replace(options, dialect=self.dialect)

    def _prefix(self, end: Transcript, options: Options) -> str | list[int]:
        """What a prompt has begun of the answer: text, or token ids."""
        output = write(end, self.adapter, options=self._options(options), policy=LENIENT).output
        return output if isinstance(output, str) else cast("list[int]", output)

    def _end(self, prompt: Prompt) -> Transcript:
        """What a prompt ends with: the turn that it opens, or the message that it leaves unfinished.

        With the declared tools, where an answer is read with them.
        """
        document = prompt.written.document
        if not isinstance(document, Transcript) or not prompt.is_open:
            raise BridgeError(ErrorCode.OPTION, "the prompt has no open turn that an answer could continue")
        messages, turn = document.messages, document.open_turn
        first = len(messages)
        if turn is None:
            first -= 1
            while first and messages[first].continues:
                first -= 1
        tools = document.tools if self.template is not None and self.template.reads_with_tools else None
        return Transcript(messages[first:], tools=tools, open_turn=turn, layout=document.layout)


def _wanted(request: Transcript, *, strict: bool, calls_once: bool) -> Wanted | None:
    """What a request asks an answer to be; None where that is nothing that a model need be held to.

    Args:
        request: as the model reads it, with the names that it has for the tools.
        strict: whether arguments have to follow their schemas, though the model is free to call.
        calls_once: whether the model calls once a turn anyway.
    """
    settings = request.settings or Settings()
    choice, form = settings.tool_choice or _ANY, settings.response_format
    declared = request.tools or ()
    tools = [tool for tool in declared if not choice.names or recipient_of(full_name(tool)) in choice.names]
    tools = [] if choice.mode == "none" else tools
    must_call = choice.mode == "required" and tools != []
    answer = None
    if form is not None and form.type == "json_schema":
        answer = form.schema
    elif form is not None and form.type == "json_object":
        answer = OBJECT
    several = settings.parallel_tool_calls is not False
    follow = must_call or answer is not None or strict
    if answer is None and not (declared and (follow or choice != _ANY or not (several or calls_once))):
        return None
    calls = tuple((full_name(tool), (follow and tool.parameters) or OBJECT) for tool in tools)
    return Wanted(calls, must_call, several, answer)


_ANY: Final = ToolChoice("auto")


_PREFILLS: Final = Memo[Hashable, str](64)
"""What answers begin with, by profile, the format of the request, options, and what the request asks for."""


def profile(name: str | None, target: str | Adapter | None = None) -> Profile:
    """A profile by its name.

    Args:
        name: that `ocml-convert profiles` lists; None for the messages of a format as they are.
        target: the format that the model reads, with a dialect where another than the profile's is wanted; None for
            the first format that has the profile.

    Raises:
        BridgeError: OCB-OPTION for a name that the format, or no format, has; OCB-FORMAT-UNKNOWN for the format.
    """
    if target is None:
        target = _format_of(name)
    adapter, dialect = registry.adapter(target)
    if name is None:
        return Profile(None, adapter, dialect)
    template = adapter.profiles.get(name)
    if template is None:
        known = ", ".join(adapter.profiles) or "none"
        raise BridgeError(ErrorCode.OPTION, f"{adapter.id} has no profile {name[:40]!r}; it has {known}")
    return Profile(name, adapter, dialect or template.dialect, template)


def default_profile(target: str | Adapter) -> Profile:
    """The profile of a format where nobody chose one: that of its own name, else the only one; else none.

    Args:
        target: the format, with a dialect where wanted.
    """
    adapter, _ = registry.adapter(target)
    names = [*adapter.profiles]
    only = names[0] if len(names) == 1 else None
    return profile(adapter.id if adapter.id in names else only, target)


def profiles_of(adapter: Adapter) -> tuple[Profile, ...]:
    """The profiles of a format."""
    return tuple(profile(name, adapter) for name in adapter.profiles)


def _format_of(name: str | None) -> Adapter:
    """The first format that has a profile."""
    if name is None:
        raise BridgeError(ErrorCode.OPTION, "name a profile or a format")
    adapters = registry.load_all()[0]
    for adapter in adapters:
        if name in adapter.profiles:
            return adapter
    known = list(dict.fromkeys(known for adapter in adapters for known in adapter.profiles))
    meant = did_you_mean(name, known) or f"; there are {', '.join(known)}"
    raise BridgeError(ErrorCode.OPTION, f"there is no profile {name[:40]!r}{meant}")
