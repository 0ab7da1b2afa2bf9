"""Translate the names of declared tools from the client's to the model's, and back in answers.

A model's format may not allow a name that a client uses: `python` is a built-in tool, a dot ends a namespace, white
space ends a word of a header. The profile chooses another name for the prompt. In answers, both documents and streams,
it becomes the client's name again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from ..events import Decoder, End, Event, Start, Stop
from ..loss import Loss, LossCode, Severity
from ..model import Content, Message, Settings, Tool, Tools, Transcript, replace
from .changed_events import ChangingDecoder
from .turns import FUNCTIONS, full_name, has_part, name_of, parts_of, recipient_of, split_name

_Rename = Callable[[Tool], Tool]


def declared_in(transcript: Transcript) -> Iterator[tuple[Tool, str]]:
    """Yield all declared tools, those of messages too, each with its path."""
    for at, tool in enumerate(transcript.tools or ()):
        yield tool, f"/tools/{at}"
    for index, message in enumerate(transcript.messages):
        for number, part in enumerate(parts_of(message.content)):
            if isinstance(part, Tools):
                for at, tool in enumerate(part.tools):
                    yield tool, f"/messages/{index}/content/{number}/tools/{at}"


class ToolNames:
    """The names of tools for which a model and a client use different ones.

    Args:
        spelled: the model's function name, by the recipient for the client's name; no function name occurs twice.
    """

    def __init__(self, spelled: Mapping[str, str]) -> None:
        self._spelled: Final = dict(spelled)
        self._model_recipients: Final = {recipient: FUNCTIONS + name for recipient, name in spelled.items()}
        # A model may leave out the namespace of functions.
        bare = {name: recipient for recipient, name in spelled.items() if name}
        self._client_recipients: Final = bare | {model: client for client, model in self._model_recipients.items()}

    def __bool__(self) -> bool:
        return bool(self._model_recipients)

    def losses(self, transcript: Transcript) -> list[Loss]:
        """Return a loss for each declared tool that the prompt names differently."""
        losses: list[Loss] = []
        for tool, path in declared_in(transcript):
            declared = full_name(tool)
            name = self._spelled.get(recipient_of(declared))
            if name is not None:
                severity = Severity.LAYOUT if name == declared else Severity.CHANGED
                detail = f"the prompt calls this function {name[:80]}; answers have its own name again"
                fields = ("name",) if tool.namespace is None else ("name", "namespace")
                losses += [Loss(LossCode.NAME, severity, f"{path}/{field}", detail) for field in fields]
        return losses

    def spelled(self, transcript: Transcript) -> Transcript:
        """Return a request with the model's names."""
        result = self._renamed(transcript, self._model_recipients, self._model_tool)
        settings = result.settings or Settings()
        choice = settings.tool_choice
        if choice is None or not choice.names:
            return result
        names = tuple(self._model_recipients.get(name, name) for name in choice.names)
        return replace(result, settings=replace(settings, tool_choice=replace(choice, names=names)))

    def declared(self, transcript: Transcript) -> Transcript:
        """Return the document of an answer with the client's names."""
        return self._renamed(transcript, self._client_recipients, self._client_tool)

    def decoder(self, source: Decoder) -> Decoder:
        """Return a decoder whose events have the client's names.

        Args:
            source: the decoder of the model's answer.
        """
        return _DeclaredNames(source, self) if self else source

    def event(self, event: Event) -> Event:
        """Return an event of an answer with the client's names."""
        if isinstance(event, (Start, End)):
            return event._replace(message=self._message(event.message, self._client_recipients, self._client_tool))
        if isinstance(event, Stop) and isinstance(event.document, Transcript):
            return event._replace(document=self.declared(event.document))
        return event

    def _renamed(self, transcript: Transcript, names: Mapping[str, str], rename: _Rename) -> Transcript:
        """Return a transcript with other names of tools.

        Args:
            transcript: the transcript.
            names: the new recipients by the old ones.
            rename: returns a declared tool with its new name.
        """
        if not names:
            return transcript
        turn, tools = transcript.open_turn, transcript.tools
        return replace(
            transcript,
            messages=tuple(self._message(message, names, rename) for message in transcript.messages),
            tools=None if tools is None else tuple(map(rename, tools)),
            open_turn=None if turn is None else self._message(turn, names, rename),
        )

    def _message(self, message: Message, names: Mapping[str, str], rename: _Rename) -> Message:
        content = with_tools(message.content, rename)
        recipient = names.get(message.recipient or "", message.recipient)
        name = names.get(message.name or "", message.name) if message.role == "tool" else message.name
        if content is message.content and recipient == message.recipient and name == message.name:
            return message
        return replace(message, content=content, recipient=recipient, name=name)

    def _model_tool(self, tool: Tool) -> Tool:
        name = self._spelled.get(recipient_of(full_name(tool)))
        return tool if name is None else replace(tool, name=name, namespace=None)

    def _client_tool(self, tool: Tool) -> Tool:
        recipient = self._client_recipients.get(FUNCTIONS + tool.name) if tool.namespace is None else None
        if recipient is None:
            return tool
        namespace, name = split_name(name_of(recipient))
        return replace(tool, name=name, namespace=namespace)


def with_tools(content: Content, change: Callable[[Tool], Tool]) -> Content:
    """Return a content in which each declared tool is changed.

    Args:
        content: the content of a message.
        change: returns a declared tool as it is to be.
    """
    if isinstance(content, str) or not has_part(content, Tools):
        return content
    return tuple(
        replace(part, tools=tuple(map(change, part.tools))) if isinstance(part, Tools) else part for part in content
    )


class _DeclaredNames(ChangingDecoder):
    """A decoder whose events have the client's names of tools.

    Args:
        source: the decoder of the model's answer.
        names: the names of tools.
    """

    def __init__(self, source: Decoder, names: ToolNames) -> None:
        super().__init__(source)
        self._names = names

    def changed(self, events: Sequence[Event]) -> list[Event]:
        """Return the events with the client's names."""
        return [*map(self._names.event, events)]
