"""The image: the nearest transcript that Chat Completions can hold.

It is made as it will be read: each wire message is spelled and read back, so that nothing here can disagree with the
reader or the writer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ocml_bridge.adapter import Options
from ocml_bridge.errors import BridgeError
from ocml_bridge.fit import drop_message, narrow
from ocml_bridge.loss import Log
from ocml_bridge.model import (
    Alternative,
    Completion,
    Content,
    Document,
    Foreign,
    Media,
    Message,
    Refusal,
    Text,
    Transcript,
    replace,
)
from ocml_bridge.pairing import Pairing, pair, synthesise_ids
from ocml_bridge.transform import missing
from ocml_bridge.turns import as_transcript, hoist_tools, is_call, places
from ocml_bridge.visibility import is_private

from .form import Object
from .parts import can_hold
from .reader import read, read_message
from .shapes_out import enclosed
from .syntax import HOME, REPLIES
from .writer import write, write_message

_HOLDS = (Text, Media, Refusal, Foreign)
THOUGHT, TEXT, CALL = range(3)
"""Where in a wire message of the assistant's a message stands, in order."""


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image of a document: what reading it back from Chat Completions JSON gives."""
    if isinstance(document, Completion):
        return as_transcript(document, log)
    hoisted = hoist_tools(document, log)
    messages, count = _messages(document, places(document, log), options, log)
    if document.alternatives is None:
        image = enclosed(hoisted, messages, count)
    else:
        others = tuple(_alternatives(document, document.alternatives, options, missing(log.losses)))
        image = _read_back(replace(hoisted, messages=tuple(messages), alternatives=others), options)
    return document if image == document else image


def _read_back(draft: Transcript, options: Options) -> Transcript:
    """What reading a draft gives; without what it remembers of its shape, or without alternatives, if that misleads."""
    bare = replace(draft, extras=None, layout=None)
    for candidate in (draft, bare):
        try:
            image = read(write(candidate, options, Log()), options, Log())
        except BridgeError:
            continue
        if len(image.messages) == len(draft.messages) and image.messages[:-1] == draft.messages[:-1]:
            return image
    return read(write(replace(bare, alternatives=None), options, Log()), options, Log())


def _alternatives(
    document: Transcript, alternatives: Sequence[Alternative], options: Options, gone: Collection[int]
) -> Iterator[Alternative]:
    """Alternatives whose messages can be written; reading tells what becomes of them."""
    for one in alternatives:
        messages, _ = _messages(Transcript(one.messages), range(len(one.messages)), options, Log())
        yield replace(one, messages=tuple(messages), at=one.at - sum(index < one.at for index in gone))


def _messages(
    document: Transcript, indices: Sequence[int], options: Options, log: Log
) -> tuple[Sequence[Message], int]:
    """The messages of the image, from those at `indices`, and how many wire messages they are."""
    messages: Sequence[Message] = [document.messages[index] for index in indices]
    related = any(message.role in REPLIES or message.recipient is not None for message in messages)
    messages = linked(messages)
    bodies = list(_bodies(messages, indices, log))
    images = _Fitted(options, pair(bodies) if related else None)
    for group in _groups(bodies):
        images.add(group)
    return images.messages, images.count


def linked(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages with ids for calls and replies that have none, unless they were read from Chat Completions so."""
    if not any(message.role in REPLIES or message.recipient is not None for message in messages):
        return messages
    if any(message.call_id is None and _has_spelling(message) for message in messages):
        return messages
    return synthesise_ids(messages)


def _has_spelling(message: Message) -> bool:
    """Whether a message was read from Chat Completions: what it has no id for had none there."""
    return message.layout is not None and HOME in message.layout


# --- bodies -----------------------------------------------------------------------------------------------------------


def _bodies(messages: Sequence[Message], indices: Sequence[int], log: Log) -> Iterator[Message]:
    for index, message in zip(indices, messages, strict=True):
        if (made := near(message, index, log)) is not None:
            yield made


def near(message: Message, index: int, log: Log) -> Message | None:
    """A message with what its content can be: text in thoughts and calls, parts that we know elsewhere.

    Args:
        message: any.
        index: its index in the document.
        log: takes what is lost.
    """
    content, stage = message.content, stage_of(message)
    if stage is None and is_private(message):
        drop_message(log, index, f"{HOME} would show what a message of this role says in private")
        return None
    if stage == THOUGHT and message.channel != "analysis":
        message = replace(message, channel="analysis")
    if content and isinstance(content, str):
        return message
    if not isinstance(content, str):
        path = f"/messages/{index}/content"
        if stage in (THOUGHT, CALL):
            content = narrow(content, (), path, log, target=HOME, hoisted=True, private=stage == THOUGHT)
        else:
            content = _bare(narrow(content, _HOLDS, path, log, target=HOME, able=can_hold, hoisted=True))
        message = replace(message, content=content)
    if stage == THOUGHT and not content:
        drop_message(log, index, f"{HOME} has no place for a thought without text")
        return None
    return message


def _bare(content: Content) -> Content:
    """Parts whose texts keep only our own extras; one bare text alone is that text."""
    if isinstance(content, str):
        return content
    parts = tuple(
        Text(part.text) if isinstance(part, Text) and part.extras is not None and HOME not in part.extras else part
        for part in content
    )
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None:
        return parts[0].text
    return parts or ""


# --- grouping ---------------------------------------------------------------------------------------------------------


def stage_of(message: Message) -> int | None:
    """Where in a wire message of the assistant's a message stands; None for other roles."""
    if message.role != "assistant":
        return None
    if message.recipient is not None and is_call(message):
        return CALL
    return THOUGHT if is_private(message) else TEXT


def _groups(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The wire messages: thoughts, at most one text, calls. An empty text stands alone, or it would vanish.

    A wire message has one weight, so what counts differently in training stands apart, but for a preamble before calls:
    alone it would be an answer.
    """
    group: list[Message] = []
    last: int | None = None
    for message in messages:
        stage = stage_of(message)
        if group and not joined(group[-1], last, message, stage):
            yield group
            group = []
        group.append(message)
        last = stage
    if group:
        yield group


def joined(before: Message, last: int | None, message: Message, stage: int | None) -> bool:
    """Whether a message stands in one wire message with the one before it; each is given with its stage."""
    if last is None or stage is None or stage < last or stage == last == TEXT:
        return False
    if (stage == TEXT and not message.content) or (last == TEXT and not before.content):
        return False
    if last == TEXT and stage == CALL and before.channel == "commentary":
        return True
    return message.continues and message.weight == before.weight


# --- images -----------------------------------------------------------------------------------------------------------


class _Fitted:
    """The messages of the image so far.

    Attributes:
        messages: the canonical messages as they will be read.
        count: how many wire messages they are.
    """

    def __init__(self, options: Options, pairs: Mapping[int, int] | None) -> None:
        self.messages: list[Message] = []
        self.count = 0
        self._options = options
        self._pairing = None if pairs is None else Pairing()
        self._pairs = pairs or {}
        """What only the whole of a conversation tells: which call a reply answers whose id no call has."""

    def add(self, group: list[Message]) -> None:
        """Take the next wire message."""
        self.count += 1
        image = self._image(group)
        if self._pairing is None:
            self.messages += image
            return
        if image[0].role == "tool":
            image = [self._named(group[0], image[0], self._pairing)]
        for message in image:
            index = len(self.messages)
            call = self._pairing.feed(index, message)
            if call is None:
                call = self._stray(self._pairing)
            if call is not None and message.name is None:
                message = replace(message, name=self.messages[call].recipient)
            self.messages.append(message)

    def _image(self, group: Sequence[Message], *, named: bool = False) -> list[Message]:
        return _read_again(group, self._options, named=named)

    def _named(self, reply: Message, image: Message, pairing: Pairing) -> Message:
        """The image of a reply, with its tool's name where the call that it answers would not give it."""
        if not reply.name or image.name is not None or self._tool(image, pairing) == reply.name:
            return image
        return self._image([reply], named=True)[0]

    def _tool(self, reply: Message, pairing: Pairing) -> str | None:
        """The tool that was called by what a reply answers."""
        call = pairing.find(reply)
        if call is None:
            call = self._stray(pairing)
        return None if call is None else self.messages[call].recipient

    def _stray(self, pairing: Pairing) -> int | None:
        """The call that the next message answers by what the whole tells, unless it is read as answered already."""
        call = self._pairs.get(len(self.messages))
        return None if call is None or pairing.is_closed(call) else call


def fitted(group: Sequence[Message], options: Options) -> tuple[Object, list[Message]]:
    """A wire message, and its messages as they will be read, where the call that a reply answers tells its name."""
    wire = write_message(group, options)
    image = read_message(wire)
    if image == list(group):
        return wire, image
    image = _read_again(group, options)
    if image[0].role == "tool" and image[0].name is None:
        image[0].name = group[0].name
    return write_message(image, options), image


def _read_again(group: Sequence[Message], options: Options, *, named: bool = False) -> list[Message]:
    """The messages of a group as they will be read; without what they remember of their spelling if it misleads."""
    image = read_message(write_message(group, options, named=named))
    if [message.content for message in image] != [message.content for message in group]:
        clean = [replace(message, extras=None, layout=None) for message in group]
        image = read_message(write_message(clean, options, named=named))
    return image
