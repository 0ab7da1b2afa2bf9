"""Declare tools that take a text as functions, for models that call only functions, and read their calls as texts.

A client declares a custom tool, such as Codex's `apply_patch`, and expects the bare text as the input of its calls. A
model writes a JSON object as the arguments of each call. So the prompt declares a function with one argument, which is
the text. In answers, both documents and streams, it becomes the input of the call again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self, cast

from ..events import Decoder, Delta, End, Event, Start, Stop
from ..json_values import jsontext
from ..json_values.parameters import members_of
from ..loss import Log, Loss, LossCode, Severity
from ..model import Message, Tool, Transcript, replace
from .changed_events import ChangingDecoder
from .freeform_arguments import TEXT_KEY, parameters_of
from .tool_names import declared_in, with_tools
from .turns import FUNCTIONS, full_name, is_call, recipient_of


@dataclass(frozen=True, slots=True)
class FreeformTools:
    """The declared tools that take a text.

    Attributes:
        recipients: the recipients of their calls, in the names of the model.
    """

    recipients: frozenset[str] = frozenset()

    @classmethod
    def of(cls, request: Transcript) -> Self:
        """Return the tools of a request that take a text."""
        tools = (tool for tool, _ in declared_in(request) if tool.freeform is not None)
        return cls(frozenset(recipient_of(full_name(tool)) for tool in tools))

    def __bool__(self) -> bool:
        return bool(self.recipients)

    def losses(self, request: Transcript) -> list[Loss]:
        """Return a loss for each of these tools and their calls, which the prompt writes differently."""
        log = Log()
        for tool, path in declared_in(request):
            if tool.freeform is None:
                continue
            detail = f"the prompt declares a function whose argument {TEXT_KEY!r} is the text; answers have the text"
            severity = Severity.LAYOUT
            if tool.freeform.grammar is not None:
                detail, severity = f"{detail}; its grammar is left out", Severity.LOST
            log.lose(LossCode.TOOLS, f"{path}/freeform", detail, severity)
        for index, message in enumerate(request.messages):
            if self._takes(message):
                detail = f"the text is the argument {TEXT_KEY!r} of a function in the prompt"
                log.lose(LossCode.CONTENT, f"/messages/{index}/content", detail, Severity.LAYOUT)
        return log.losses

    def as_functions(self, request: Transcript) -> Transcript:
        """Return a request that declares these tools as functions, and calls them so."""
        if not self:
            return request
        return replace(
            request,
            messages=tuple(self._as_function_call(message) for message in request.messages),
            tools=None if request.tools is None else tuple(map(_as_function, request.tools)),
        )

    def decoder(self, source: Decoder) -> Decoder:
        """Return a decoder of answers in which calls of these tools have the bare text.

        Args:
            source: the decoder of the model's answer.
        """
        return _BareTexts(source, self) if self else source

    def calls(self, message: Message) -> bool:
        """Return whether a message of the model is a call of one of these tools; it may leave out their namespace."""
        recipient = message.recipient or ""
        return is_call(message) and not self.recipients.isdisjoint((recipient, FUNCTIONS + recipient))

    def as_text(self, call: Message) -> Message:
        """Return a call with the bare text, or with what the model wrote in place of such arguments."""
        content = call.content
        span = jsontext.parse(content) if isinstance(content, str) else None
        arguments = members_of(None if span is None else span.value)
        if arguments.keys() == {TEXT_KEY} and isinstance(text := arguments[TEXT_KEY], str):
            content = text
        return self.with_header(replace(call, content=content))

    def with_header(self, call: Message) -> Message:
        """Return a call with the header of one of these tools: with its namespace, and without the mark of JSON."""
        recipient = call.recipient if call.recipient in self.recipients else f"{FUNCTIONS}{call.recipient}"
        return replace(call, recipient=recipient, constraint=None, content_type=None)

    def _takes(self, message: Message) -> bool:
        """Return whether a message of a request is a call with a bare text."""
        says_json = message.constraint == "json" or message.content_type == "json"
        is_of = is_call(message) and message.recipient in self.recipients
        return is_of and not says_json and isinstance(message.content, str)

    def _as_function_call(self, message: Message) -> Message:
        content = with_tools(message.content, _as_function)
        if self._takes(message):
            content = jsontext.compact({TEXT_KEY: cast("str", message.content)})
            return replace(message, content=content, constraint="json")
        return message if content is message.content else replace(message, content=content)


NO_FREEFORM_TOOLS: Final = FreeformTools()


def _as_function(tool: Tool) -> Tool:
    return tool if tool.freeform is None else replace(tool, parameters=parameters_of(tool), freeform=None)


class _BareTexts(ChangingDecoder):
    """A decoder in whose events the calls of such tools have the bare text.

    The text of such a call comes at its end, because only the whole call shows whether it is in an object.

    Args:
        source: the decoder of the model's answer.
        tools: the tools.
    """

    def __init__(self, source: Decoder, tools: FreeformTools) -> None:
        super().__init__(source)
        self._tools = tools
        self._calls: set[int] = set()
        """The numbers of the calls that have begun."""

    def changed(self, events: Sequence[Event]) -> list[Event]:
        """Return the events with bare texts; those of such a call wait for its end."""
        out: list[Event] = []
        for event in events:
            match event:
                case Start(number, message) if self._tools.calls(message):
                    self._calls.add(number)
                    out.append(event._replace(message=self._tools.with_header(message)))
                case Delta(number) if number in self._calls:
                    pass
                case End(number, message) if number in self._calls:
                    call = self._tools.as_text(message)
                    if isinstance(call.content, str) and call.content:
                        out.append(Delta(number, call.content))
                    out.append(End(number, call))
                case Stop(document=Transcript() as document):
                    messages = (
                        self._tools.as_text(each) if self._tools.calls(each) else each for each in document.messages
                    )
                    out.append(event._replace(document=replace(document, messages=tuple(messages))))
                case _:
                    out.append(event)
        return out
