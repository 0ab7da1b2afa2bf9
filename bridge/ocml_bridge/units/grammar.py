"""The values that the methods of `UnitReader` and `UnitWriter` take and return: documents, units, content classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..json_values.jsontext import spaced
from ..model import Json, Message, Transcript

if TYPE_CHECKING:
    from .planned_items import Label

Unit = Any
"""What a format reads and writes in one piece: an object of its JSON, or the text of a frame."""
State = Hashable
"""What the spelling of a unit depends on, apart from its messages and whether it is the last."""


class SplitDocument(NamedTuple):
    """A document split into its units.

    Attributes:
        units: its units, in order.
        around: the transcript without its messages, as far as it is known before they are read.
        cut_off: whether the document shows that its last message was cut off.
        document: whatever else the format's reader needs to know of the document.
        envelope: a cache key of what stands around the units: documents with equal keys have the same `around` but for
            the labels, the same `cut_off`, and the same `document` but for what it says of the units. None if there is
            no such key; then no plan of the whole conversation is learned.
        labels: the members of `around` whose values may differ between documents with this envelope.
        values: the values of these labels in this document.
    """

    units: Sequence[Unit]
    around: Transcript
    cut_off: bool = False
    document: object = None
    envelope: Hashable = None
    labels: Sequence[Label] = ()
    values: Sequence[str] = ()


class SplitEnvelope(NamedTuple):
    """A document split into its envelope and its units.

    Attributes:
        envelope: the document with placeholders in place of its units. Reading it gives the same `around` as reading
            the document.
        units: its units, as `SplitDocument` has them.
        labels: keys of the envelope (an object) that may differ in each document, such as `id`. Their texts and whole
            numbers go into the extras of `around`, and nothing else depends on them.
    """

    envelope: Json
    units: Sequence[Unit]
    labels: Sequence[str] = ()


Skeleton = tuple[Hashable, list[str]]
"""The cache key of a unit, and its values.

Units with equal keys read as the same messages but for the values. The values are the contents and ids, none of them
empty, in the order in which `UnitReader.with_values` takes them.
"""


class WrittenUnit(NamedTuple):
    """A unit as it is written.

    Attributes:
        unit: the text, or the JSON value.
        image: the messages that the unit reads as.
        state: the state after the unit.
    """

    unit: Unit
    image: Sequence[Message]
    state: State


class ContentClass(NamedTuple):
    """A class of contents that are written in the same way, such as all JSON objects.

    A plan for the class is learned from a content that consists of `before`, a probe and `after`.

    Attributes:
        before: the text before the probe, such that the content with it belongs to the class.
        after: the text after the probe.
        encode: returns the text or the JSON value that a content becomes in the unit; None if it is written unchanged.
        parse: returns the value of a content, and the text that `UnitWriter.json_content` returns for it; None if the
            content, after `json_content`, does not belong to the class. For all contents with a value, `json_content`
            must report nothing if the text is the content, and the same loss if it is not. A plan of an output then
            calls neither `json_content` nor `classify`. It is None if the class has no such function.
    """

    before: str = ""
    after: str = ""
    encode: Callable[[str], Any] | None = None
    parse: Callable[[str], tuple[Any, str] | None] | None = None

    def example(self, text: str) -> str:
        """Return a content of the class with a text in it that is no JSON, such as a probe."""
        return f"{self.before}{text}{self.after}"


ANY_CONTENT: Final = ContentClass()
"""The class of all contents, if the content makes no difference to how it is written."""
AN_OBJECT: Final = ContentClass('{"', '": 0}')
"""Contents that are the JSON of an object, written unchanged."""
A_STRING: Final = ContentClass(encode=spaced)
"""Contents that are written as a JSON string."""
JSON_IN_A_STRING: Final = ContentClass('"', '"', spaced)
"""Contents that are JSON themselves, and are written as a JSON string."""


class Enclosed(NamedTuple):
    """An output, and what it reads as, without messages.

    Attributes:
        output: the text, or the JSON value.
        around: the transcript without its messages.
        cut_off: whether the last message reads as one that was cut off.
        places: in a format of token ids, the index of the first unit's first token, then the index after each unit's
            last token; None if units are not encoded one by one.
    """

    output: Unit
    around: Transcript
    cut_off: bool = False
    places: Sequence[int] | None = None
