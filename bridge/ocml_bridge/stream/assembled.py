"""Decode streams of JSON chunks that are assembled to one response, which the format's reader reads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import ClassVar, Final, cast

from ..chat.substance import evident_text
from ..engine.reading import transcript_of
from ..errors import BridgeError
from ..events import Delta, End, PartEnd, Reason, Signed, Start, Stop
from ..json_values.form import Object, is_empty
from ..loss import FindingCode, Severity
from ..model import ByFormat, Json, Message, Part, Signature, Text, Transcript
from ..model.notes import MERGED
from ..options import Options
from ..units.reader import UnitReader
from .arriving import ArrivingDecoder
from .decoder import header_of, rest_of

Note = Callable[[str], None]
"""Takes a sentence that describes what was mended."""


class AssemblingDecoder(ArrivingDecoder):
    """A decoder of one answer. Messages end with the answer, or earlier if the format shows that they are complete.

    Args:
        options: how to read.

    Attributes:
        over: why the answer is over, according to the stream; None until then.
        ended: the number of messages that have ended.
    """

    reads: ClassVar[type[UnitReader]]
    """The reader of a response."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.over: Reason | None = None
        self._lengths: list[int] = []
        """The number of characters of each message for which deltas were emitted."""
        self._parts: list[int] = []
        """The number of parts of each message whose ends were emitted."""
        self.ended = 0

    # --- what a format defines ----------------------------------------------------------------------------------------

    @abstractmethod
    def response(self, reason: Reason | None) -> Object:
        """Return the response so far; an empty object if nothing of it has arrived.

        Args:
            reason: why the answer is over; None if the stream does not say it.
        """

    def document(self, reason: Reason | None) -> Transcript:
        """Return the document that the reader reads from the response so far."""
        response = self.response(reason)
        return transcript_of(self.reads(self.options), response, self.log) if response else Transcript()

    # --- what a format calls ------------------------------------------------------------------------------------------

    def start(self, message: Message, signature: Signature | None = None) -> int:
        """Emit the `Start` of a message; return its number.

        Args:
            message: the message as far as it is known.
            signature: its signature, if it is known already.
        """
        header = header_of(message)
        header.continues = self.started > 0
        header.extras, header.layout = message.extras, _kind_in(message.layout)
        header.signature = signature
        return self._announce(header, is_hosted=self.hosts(message))

    def _announce(self, header: Message, *, is_hosted: bool) -> int:
        number = self.started
        self._lengths.append(0)
        self._parts.append(0)
        self.log.events.append(Start(number, header, is_hosted))
        return number

    def more(self, number: int, text: str) -> None:
        """Emit more text of a message."""
        if text:
            self._lengths[number] += len(text)
            self.log.events.append(Delta(number, text))

    def say(self, pieces: list[str], number: int, text: str) -> None:
        """Take and emit more text of a message, which the format joins from pieces."""
        pieces.append(text)
        self._lengths[number] += len(text)
        self.log.events.append(Delta(number, text))

    def end_part(self, number: int, part: Part) -> None:
        """Emit the `PartEnd` of a message's next part, because something else follows it."""
        self._parts[number] += 1
        self.log.events.append(PartEnd(number, part))

    def end_parts(self, number: int, parts: Sequence[Part]) -> None:
        """Emit the ends of a message's first parts, unless deltas have not made their text.

        Args:
            number: the number of the message.
            parts: all parts of the message before the one that arrives.
        """
        if self._lengths[number] == sum(len(part.text) for part in parts if isinstance(part, Text)):
            for part in parts[self._parts[number] :]:
                self.end_part(number, part)

    def sign(self, number: int, message: Message | None) -> None:
        """Emit the signature of a message whose text is complete, if it has one.

        Args:
            number: the number of the message.
            message: the message as it is read by itself.
        """
        if message is not None and message.signature is not None:
            self.log.events.append(Signed(number, message.signature))

    def end(self, message: Message) -> None:
        """Emit the `End` of the first message that has not ended, because it is complete although the answer is not."""
        number, self.ended = self.ended, self.ended + 1
        self.log.events += rest_of(number, message, self._lengths[number], self._parts[number])
        self.log.events.append(End(number, message))

    @property
    def started(self) -> int:
        """The number of messages that have begun."""
        return len(self._lengths)

    # --- the stream ---------------------------------------------------------------------------------------------------

    def stop(self, reason: Reason | None) -> Stop:
        """Read the answer so far, and take the missing events of its messages to the log."""
        if reason is None and self.over is None and not self.failed:
            self.log.find(FindingCode.TRUNCATED, "", "the stream ends before the answer ends", Severity.LOST)
        try:
            document = self.document(reason)
        except BridgeError as error:
            self.failed, document = True, Transcript()
            self.log.find(FindingCode.SHAPE, error.path or "", f"what came makes no answer: {error}", Severity.LOST)
        self._end(document.messages)
        return Stop(self.reason_of(document, reason, self.over), document)

    def _end(self, messages: Sequence[Message]) -> None:
        for number, message in enumerate(messages[self.ended :], self.ended):
            if number >= self.started:
                self._announce(header_of(message), is_hosted=self.hosts(message))
            self.end(message)


def _kind_in(layout: ByFormat | None) -> ByFormat | None:
    """Return the members of a message's layout that an encoder needs at the beginning of the message.

    That is the kind of a call, and whether the message shares an item or block with the previous one.
    """
    kinds = {name: {key: members[key] for key in _KINDS if key in members} for name, members in (layout or {}).items()}
    return {name: members for name, members in kinds.items() if members} or None


_KINDS: Final = ("kind", MERGED)


def untold(_detail: str, /) -> None:
    """Ignore what was mended: an encoder assembles its own output."""


def object_of(value: Json, what: str, note: Note) -> Object:
    """Return a value that must be an object; an empty object for any other value, which is reported.

    Args:
        value: the value.
        what: the subject of the report.
        note: receives the report.
    """
    if isinstance(value, dict):
        return cast("Object", value)
    if value is not None:
        note(f"{what} is not an object; it is left out")
    return {}


def note_unknown(keys: Iterable[str], known: Collection[str], note: Note) -> None:
    """Report the members of an event that are not known.

    Args:
        keys: the keys of the event.
        known: the keys that are known.
        note: receives the report.
    """
    for key in keys:
        if key not in known:
            note(f"an event has a member {key[:40]!r} that is not known; it is left out")


def may_say(event: Object) -> bool:
    """Return whether an event that no format knows may be of the answer: it has a text, an item, a part or a delta.

    Anything else, such as limits, progress and signs of life, says nothing of the answer, and is no finding.
    """
    return any(not is_empty(event.get(key)) for key in _OF_ANSWERS) or evident_text(cast("Json", event)) > 0


_OF_ANSWERS: Final = ("delta", "item", "part", "message", "content_block")
"""The keys of events for more of an answer, besides those for texts."""


def objects_of(value: Json, what: str, note: Note) -> Iterator[Object]:
    """Yield the objects of a value that must be a list of objects; report anything else.

    Args:
        value: the value.
        what: the subject of the report, in the plural.
        note: receives the report.
    """
    if value is not None and not isinstance(value, list):
        note(f"{what} are not a list; they are left out")
        return
    for item in cast("list[Json]", value or []):
        if isinstance(item, dict):
            yield cast("Object", item)
        else:
            note(f"one of {what} is not an object; it is left out")


def merged(values: Sequence[Json]) -> Json:
    """Merge the values that one member has in several chunks: concatenate lists, merge objects by member.

    Of other values the last one is returned, because chunks repeat them.
    """
    present = [value for value in values if value is not None]
    if not present:
        return None
    last = present[-1]
    if all(value == last for value in present):
        return last
    if all(isinstance(value, list) for value in present):
        return [item for value in present for item in cast("list[Json]", value)]
    if all(isinstance(value, dict) for value in present):
        objects = cast("list[Object]", present)
        keys = dict.fromkeys(key for value in objects for key in value)
        return {key: merged([value[key] for value in objects if key in value]) for key in keys}
    return last
