"""What decoders share whose document is what a reader reads of the answer that their chunks make."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, cast

from ..chat.turns import is_hosted
from ..errors import BridgeError
from ..events import Delta, End, Event, Reason, Signed, Start, Stop
from ..json_values.form import Object
from ..loss import FindingCode, Severity
from ..model import ByFormat, Json, Message, Signature, Transcript
from ..options import Options
from .arriving import ArrivingDecoder
from .decoder import header_of, settle, tell, text_of
from .values import DONE, Arrived, Values

Note = Callable[[str], None]
"""Is told what had to be mended, in a sentence."""
_COMPLETE: Final = frozenset({None, "stop", "tool_calls"})
"""Reasons given from outside that leave it to the stream why it is over."""


class AssemblingDecoder(ArrivingDecoder):
    """A decoder of one answer. Its messages end together with it, but for those of which no more can come.

    Args:
        options: how to read.

    Attributes:
        options: how to read.
        over: why the answer is over, by what came; None while it does not say.
        ended: how many messages have ended.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self._values = Values()
        super().__init__(self._values)
        self.over: Reason | None = None
        self._lengths: list[int] = []
        self.ended = 0

    # --- of a format --------------------------------------------------------------------------------------------------

    @abstractmethod
    def take(self, value: Object, name: str | None) -> None:
        """Take one more object; `start` and `more` say what it tells at once."""

    @abstractmethod
    def document(self, reason: Reason | None) -> Transcript:
        """What a reader reads of the answer so far."""

    def hosts(self, call: Message, /) -> bool:
        """Whether the API runs a call itself."""
        return is_hosted(call)

    # --- for a format -------------------------------------------------------------------------------------------------

    def start(self, message: Message, signature: Signature | None = None) -> int:
        """Say that a message begins; its number.

        Args:
            message: what is known of it.
            signature: what it will be signed with, where that is known.
        """
        number = len(self._lengths)
        self._lengths.append(0)
        header = header_of(message)
        header.continues = number > 0
        header.extras, header.layout = message.extras, _kind_in(message.layout)
        header.signature = signature
        self.log.events.append(Start(number, header, self.hosts(message)))
        return number

    def more(self, number: int, text: str) -> None:
        """Say more of a message."""
        if text:
            self._lengths[number] += len(text)
            self.log.events.append(Delta(number, text))

    def sign(self, number: int, message: Message | None) -> None:
        """Say that the text of a message is whole, if it is signed.

        Args:
            number: of the message.
            message: as it is read by itself.
        """
        if message is not None and message.signature is not None:
            self.log.events.append(Signed(number, message.signature))

    def end(self, message: Message) -> None:
        """Say that the first message that has not ended does: no more of it can come, and others come behind it."""
        number, self.ended = self.ended, self.ended + 1
        if more := text_of(message)[self._lengths[number] :]:
            self.log.events.append(Delta(number, more))
        self.log.events.append(End(number, message))

    @property
    def started(self) -> int:
        """How many messages have begun."""
        return len(self._lengths)

    # --- the stream ---------------------------------------------------------------------------------------------------

    def take_one(self, arrived: Arrived) -> None:
        """Take the next object, or what stands in its place."""
        name, value = arrived
        if value == DONE:
            self.done = True
        elif isinstance(value, dict):
            self.take(cast("Object", value), name)
        else:
            self.note("an event is not an object; it is left out")

    def finish(self, reason: Reason | None = None, /) -> list[Event]:
        """Nothing more comes; a second time there is nothing to say."""
        if self.closed:
            return []
        if not self.is_closed:
            with suppress(BridgeError):
                self.take_all(self._values.finish())
        self.closed = True
        if reason is None and self.over is None and not self.failed:
            self.log.find(FindingCode.TRUNCATED, "", "the stream ends before the answer ends", Severity.LOST)
        try:
            document = self.document(reason)
        except BridgeError as error:
            self.failed, document = True, Transcript()
            self.log.find(FindingCode.SHAPE, error.path or "", f"what came makes no answer: {error}", Severity.LOST)
        self._end(document.messages)
        return [*self.log.take(), Stop(self._reason(reason, document), document)]

    def _reason(self, reason: Reason | None, document: Transcript) -> Reason:
        if self.failed:
            return "error"
        if reason not in _COMPLETE:
            return cast("Reason", reason)
        if self.over is None and reason is None:
            return "truncated"
        return settle(self.over or reason, document)

    def _end(self, messages: Sequence[Message]) -> None:
        started = len(self._lengths)
        for message in messages[self.ended : started]:
            self.end(message)
        for number, message in enumerate(messages[started:], started):
            self.log.events.append(Start(number, header_of(message), self.hosts(message)))
            tell(self.log, number, message, "")


def _kind_in(layout: ByFormat | None) -> ByFormat | None:
    """What of a message's layout an encoder has to know before the message is whole.

    That is what kind of call it is, and whether it was read from one item or block with the message before it.
    """
    found = {name: {key: members[key] for key in _KINDS if key in members} for name, members in (layout or {}).items()}
    return {name: members for name, members in found.items() if members} or None


_KINDS: Final = ("kind", "merged")


def untold(_detail: str, /) -> None:
    """Takes what had to be mended where nobody asks: an encoder puts together what it wrote itself."""


def object_of(value: Json, what: str, note: Note) -> Object:
    """A value that has to be an object; an empty one in the place of any other, which is named and left out."""
    if isinstance(value, dict):
        return cast("Object", value)
    if value is not None:
        note(f"{what} is not an object; it is left out")
    return {}


def objects_of(value: Json, what: str, note: Note) -> Iterator[Object]:
    """The objects of what has to be a list of them; anything else is named and left out."""
    if value is not None and not isinstance(value, list):
        note(f"{what} are not a list; they are left out")
        return
    for item in cast("list[Json]", value or []):
        if isinstance(item, dict):
            yield cast("Object", item)
        else:
            note(f"one of {what} is not an object; it is left out")


def merged(values: Sequence[Json]) -> Json:
    """What the values of one member in several chunks say together: lists are continued, objects by member.

    Of anything else the last one counts, as chunks tell again what they told.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    last = known[-1]
    if all(value == last for value in known):
        return last
    if all(isinstance(value, list) for value in known):
        return [item for value in known for item in cast("list[Json]", value)]
    if all(isinstance(value, dict) for value in known):
        objects = cast("list[Object]", known)
        keys = dict.fromkeys(key for value in objects for key in value)
        return {key: merged([value[key] for value in objects if key in value]) for key in keys}
    return last
