"""Make prompts for a model and read its answers: one `Profile` does both.

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
from .chat.freeform_tools import NO_FREEFORM_TOOLS, FreeformTools
from .chat.tool_names import ToolNames, declared_in
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
        account: the output as the result of converting the request.
        written: the same output as the result of writing the document of the prompt.
        names: the model's names for the declared tools.
        freeform: the declared tools that take a text, which are functions in the prompt.

    Attributes:
        written: the result of writing the document of the prompt, with which `verify` compares the output.
        names: the model's names for the declared tools.
        freeform: the declared tools that take a text, which are functions in the prompt.
    """

    __slots__ = ("freeform", "names", "written")

    def __init__(
        self, account: Result, written: Result, names: ToolNames, freeform: FreeformTools = NO_FREEFORM_TOOLS
    ) -> None:
        super().__init__(*Result.__reduce__(account)[1])
        self.written = written
        self.names = names
        self.freeform = freeform

    @property
    def is_open(self) -> bool:
        """Whether the prompt opens a turn, or ends in an unfinished message that an answer can continue."""
        document = self.written.document
        if isinstance(document, Transcript) and document.open_turn is not None:
            return True
        image = self.written.image
        return isinstance(image, Transcript) and is_unfinished(image)

    def __reduce__(self) -> tuple[type[Any], tuple[Any, ...]]:
        return type(self), (Result(*Result.__reduce__(self)[1]), self.written, self.names, self.freeform)


@dataclass(frozen=True, slots=True)
class Profile:
    """How models are prompted, and how their answers are read.

    Attributes:
        name: the profile's name; None for a format without a chat template.
        adapter: the format that the models read and write.
        dialect: the dialect of the prompts; None for the format's default one.
        template: the models' chat template; None if `name` is None.
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
        """Return the prompt of a request: text or token ids. With `options.training`, return a line to train on.

        Args:
            request: text, bytes (UTF-8), parsed JSON, a document or a reading.
            source: the format of the request; None to detect it.
            date: today's date, `YYYY-MM-DD`; None for a prompt without a date.
            effort: how much to reason; None for what the request asks for.
            options: how to read and write.
            strict: refuse every loss and change of the request that the policy does not allow by name.
            policy: which losses are allowed and which are refused.
            spans: whether to record which part of the prompt comes from which part of the request.

        Raises:
            BridgeError: with code and position, if the request cannot be read; OCB-OPTION for an invalid date, and for
                a date or an effort without a template; OCB-LOSS or OCB-EMPTIED if the policy refuses a loss.
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
        """Return whether the line to train on of each prefix of a conversation is a prefix of that of the whole.

        It is not if the template rewrites earlier turns, for example by dropping their reasoning. Every prefix is
        written to find out.

        Args:
            request: the conversation.
            options: how to write.
        """
        options = replace(options, training=True)
        return goes_on(request, lambda prefix: self.prompt(prefix, options=options, policy=LENIENT).output)

    def answering(
        self,
        request: Source | bytes | Transcript | Reading | Prompt | None = None,
        *,
        source: str | Adapter | None = "openai",
        effort: str | None = None,
        options: Options = DEFAULT,
    ) -> Decoder:
        """Return a decoder for the answer to a request.

        It knows the declared tools and the beginning of the answer that is in the prompt. It translates the model's
        names of tools back to those of the request.

        Args:
            request: as for `prompt`, or the prompt itself; None for an empty request.
            source: the format of the request; None to detect it.
            effort: how much to reason; the same as for `prompt`.
            options: how to read.

        Raises:
            BridgeError: as for `prompt`; OCB-OPTION if the prompt has no open turn; OCB-FORMAT-UNKNOWN if the format
                has no decoder.
        """
        # Imported here because making prompts does not need it.
        from .stream.answer import AnswerDecoder

        options = replace(options, training=False)
        if not isinstance(request, Prompt):
            request = Transcript() if request is None else request
            request = self.prompt(request, source=source, effort=effort, options=options, policy=LENIENT)
        end = self._end(request)
        answer = AnswerDecoder(decoder(self.adapter, options=options), self._prefix(end, options), end.messages)
        return request.names.decoder(request.freeform.decoder(answer))

    def guide(self, prompt: Prompt, *, strict: bool = False) -> Guide | None:
        """Return the grammar of valid answers, for an engine with guided decoding.

        Args:
            prompt: the prompt of the request.
            strict: whether the arguments of calls have to match their schemas.

        Returns:
            None if the request does not restrict the answer, or if the profile has no guide.
        """
        request, document = prompt.transcript, prompt.written.document
        if self.template is None or self.template.guide is None or not isinstance(request, Transcript):
            return None
        declared = prompt.freeform.as_functions(prompt.names.spelled(request))
        wanted = _wanted(declared, strict=strict, calls_once=self.template.calls_once)
        # An answer that continues a message has no frames of its own.
        if wanted is None or not isinstance(document, Transcript) or document.open_turn is None:
            return None
        prefill = self._prefix(self._end(prompt), DEFAULT)
        return self.template.guide(replace(wanted, prefill=prefill) if isinstance(prefill, str) else wanted)

    def _written(self, prepared: Prepared, options: Options, *, spans: bool) -> Prompt:
        options = self._options(options)
        written = write(prepared.transcript, self.adapter, options=options, policy=LENIENT, spans=spans)
        prefill = self._prefill(prepared.reading, options) if spans else ""
        return Prompt(prepared.account(written, prefill), written, prepared.names, prepared.freeform)

    def _prefill(self, request: Reading, options: Options) -> str:
        """Return the open turn of a request's prompt, from the token that begins its frame: answers continue it."""
        transcript = request.transcript
        settings = of_prompt(transcript.settings if isinstance(transcript, Transcript) else None)
        key = self, request.source, options, repr(settings)
        prefill = _PREFILLS.get(key)
        return _PREFILLS.keep(key, self._opening(request.source, settings, options)) if prefill is None else prefill

    def _opening(self, source: str, settings: Settings | None, options: Options) -> str:
        """Return the open turn of the prompt of a request with these settings; "" if the output is no text."""
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
        """Write the end of a prompt (`_end`): the prefix of the answer's decoder, as text or token ids."""
        output = write(end, self.adapter, options=self._options(options), policy=LENIENT).output
        return output if isinstance(output, str) else cast("list[int]", output)

    def _end(self, prompt: Prompt) -> Transcript:
        """Return the end of a prompt as a document: the open turn, or the unfinished last message.

        It has the declared tools if the template needs them to read an answer.

        Raises:
            BridgeError: OCB-OPTION if the prompt has neither.
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
    """Return what a request requires of an answer, or None if it does not restrict the answer.

    Args:
        request: the request, with the model's names for the tools.
        strict: whether arguments have to match their schemas even if no call is required.
        calls_once: whether the model makes at most one call a turn in any case.
    """
    settings = request.settings or Settings()
    choice, form = settings.tool_choice or _ANY, settings.response_format
    declared = [tool for tool, _ in declared_in(request)]
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
"""The results of `Profile._prefill`, by profile, the format of the request, the options and the settings."""


def profile(name: str | None, target: str | Adapter | None = None) -> Profile:
    """Return a profile by its name.

    Args:
        name: a name that `ocml-convert profiles` lists; None for a format without a chat template.
        target: the format that the model reads, with `:dialect` if another one than the profile's is wanted; None for
            the first format that has the profile.

    Raises:
        BridgeError: OCB-OPTION if the format, or any format, has no such profile; OCB-FORMAT-UNKNOWN if there is no
            such format.
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
    """Return the default profile of a format: the one with the format's name, else its only one, else one without name.

    Args:
        target: the format, `id` or `id:dialect`, or an adapter.
    """
    adapter, _ = registry.adapter(target)
    names = [*adapter.profiles]
    only = names[0] if len(names) == 1 else None
    return profile(adapter.id if adapter.id in names else only, target)


def profiles_of(adapter: Adapter) -> tuple[Profile, ...]:
    """Return the profiles of a format."""
    return tuple(profile(name, adapter) for name in adapter.profiles)


def _format_of(name: str | None) -> Adapter:
    """Return the first format that has a profile of this name."""
    if name is None:
        raise BridgeError(ErrorCode.OPTION, "name a profile or a format")
    adapters = registry.load_all()[0]
    for adapter in adapters:
        if name in adapter.profiles:
            return adapter
    known = list(dict.fromkeys(known for adapter in adapters for known in adapter.profiles))
    meant = did_you_mean(name, known) or f"; there are {', '.join(known)}"
    raise BridgeError(ErrorCode.OPTION, f"there is no profile {name[:40]!r}{meant}")
