"""The names of declared tools, as a client has them and as a model writes them: there and back.

A model's world may have no place for a name that a client may give: `python` is a tool of its own, a dot ends a
namespace, white space ends a word of a header. The profile says how it writes such a name; what it writes in an answer
is the client's name again, in a document and in a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Final, Self

from ..events import Decoder, End, Event, Reason, Start, Stop
from ..loss import Loss, LossCode, Severity
from ..model import Content, Message, Settings, Tool, Tools, Transcript, replace
from .turns import FUNCTIONS, full_name, name_of, parts_of, recipient_of, split_name

_Rename = Callable[[Tool], Tool]


def declared_in(transcript: Transcript) -> Iterator[tuple[Tool, str]]:
    """All declared tools, each with its path."""
    for at, tool in enumerate(transcript.tools or ()):
        yield tool, f"/tools/{at}"
    for index, message in enumerate(transcript.messages):
        for number, part in enumerate(parts_of(message.content)):
            if isinstance(part, Tools):
                for at, tool in enumerate(part.tools):
                    yield tool, f"/messages/{index}/content/{number}/tools/{at}"


class ToolNames:
    """Names that a model writes otherwise than the client.

    Args:
        spelled: by the recipient for a declared name, the function's name that the model has for it; of two recipients
            no one has the same.
    """

    def __init__(self, spelled: Mapping[str, str]) -> None:
        self._spelled: Final = dict(spelled)
        self._there: Final = {recipient: FUNCTIONS + name for recipient, name in spelled.items()}
        # A model may leave out the namespace of functions.
        bare = {name: recipient for recipient, name in spelled.items() if name}
        self._back: Final = bare | {there: recipient for recipient, there in self._there.items()}

    def __bool__(self) -> bool:
        return bool(self._there)

    def losses(self, transcript: Transcript) -> list[Loss]:
        """What the model does not read as the client wrote it; answers have the client's names."""
        losses: list[Loss] = []
        for tool, path in declared_in(transcript):
            declared = full_name(tool)
            name = self._spelled.get(recipient_of(declared))
            if name is not None:
                severity = Severity.LAYOUT if name == declared else Severity.CHANGED
                detail = f"the prompt calls this function {name[:80]}; answers have its own name again"
                losses.append(Loss(LossCode.NAME, severity, f"{path}/name", detail))
        return losses

    def spelled(self, transcript: Transcript) -> Transcript:
        """A request as the model reads it."""
        made = self._with(transcript, self._there, self._tool_there)
        settings = made.settings or Settings()
        choice = settings.tool_choice
        if choice is None or not choice.names:
            return made
        names = tuple(self._there.get(name, name) for name in choice.names)
        return replace(made, settings=replace(settings, tool_choice=replace(choice, names=names)))

    def declared(self, transcript: Transcript) -> Transcript:
        """What a model wrote, as the client knows it."""
        return self._with(transcript, self._back, self._tool_back)

    def decoder(self, source: Decoder) -> Decoder:
        """What reads an answer as it arrives, as the client knows it."""
        return _DeclaredNames(source, self) if self else source

    def event(self, event: Event) -> Event:
        """An event of an answer, as the client knows it."""
        if isinstance(event, (Start, End)):
            return event._replace(message=self._message(event.message, self._back, self._tool_back))
        if isinstance(event, Stop) and isinstance(event.document, Transcript):
            return event._replace(document=self.declared(event.document))
        return event

    def _with(self, transcript: Transcript, names: Mapping[str, str], rename: _Rename) -> Transcript:
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
        content = _with_tools(message.content, rename)
        recipient = names.get(message.recipient or "", message.recipient)
        name = names.get(message.name or "", message.name) if message.role == "tool" else message.name
        if content is message.content and recipient == message.recipient and name == message.name:
            return message
        return replace(message, content=content, recipient=recipient, name=name)

    def _tool_there(self, tool: Tool) -> Tool:
        name = self._spelled.get(recipient_of(full_name(tool)))
        return tool if name is None else replace(tool, name=name, namespace=None)

    def _tool_back(self, tool: Tool) -> Tool:
        recipient = self._back.get(FUNCTIONS + tool.name) if tool.namespace is None else None
        if recipient is None:
            return tool
        namespace, name = split_name(name_of(recipient))
        return replace(tool, name=name, namespace=namespace)


def _with_tools(content: Content, rename: _Rename) -> Content:
    if isinstance(content, str) or not any(isinstance(part, Tools) for part in content):
        return content
    return tuple(
        replace(part, tools=tuple(map(rename, part.tools))) if isinstance(part, Tools) else part for part in content
    )


class _DeclaredNames:
    """A decoder whose events have the names that the client declared."""

    def __init__(self, source: Decoder, names: ToolNames) -> None:
        self._source = source
        self._names = names

    def feed(self, data: str | bytes, /) -> list[Event]:
        """Take the next chunk."""
        return self._named(self._source.feed(data))

    def feed_tokens(self, ids: Sequence[int | str], /) -> list[Event]:
        """Take the next token ids."""
        return self._named(self._source.feed_tokens(ids))

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes."""
        return self._named(self._source.finish(reason))

    def cancel(self) -> list[Event]:
        """Nobody listens any more."""
        return self._named(self._source.cancel())

    def copy(self) -> Self:
        """A decoder that goes on from here."""
        return deepcopy(self)

    def _named(self, events: list[Event]) -> list[Event]:
        return [*map(self._names.event, events)]
