"""What a format says of its units, so that the engine can read and write it by plans."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..json_values.jsontext import spaced
from ..model import Json, Message, Transcript

if TYPE_CHECKING:
    from .places import Label

Unit = Any
"""What a format reads and writes in one piece: an object of its JSON, or the text of a frame."""
State = Hashable
"""What the writing of a unit depends on beside its messages."""


class Parted(NamedTuple):
    """A document taken apart.

    Attributes:
        units: its units, in order.
        around: the transcript without its messages, as far as it is known before they are read.
        cut_off: whether the document says that its last message was cut off.
        document: what else the format's reader wants to know of it.
        envelope: what is equal for documents that have the same but for their units: then `around`, `cut_off` and all
            that `document` has beside the units are the same, but for the labels. None where that is not told.
        labels: the members of `around` that may differ among these.
        values: those of this document.
    """

    units: Sequence[Unit]
    around: Transcript
    cut_off: bool = False
    document: object = None
    envelope: Hashable = None
    labels: Sequence[Label] = ()
    values: Sequence[str] = ()


class Emptied(NamedTuple):
    """A document as its envelope and its units.

    Attributes:
        envelope: the document with stand-ins for its units, which is read as one with the same around others.
        units: its units, as they are when it is taken apart.
        labels: keys of the envelope, an object, whose texts and whole numbers are kept among the extras of what stands
            around the units, and matter to nothing: `id`, for one.
    """

    envelope: Json
    units: Sequence[Unit]
    labels: Sequence[str] = ()


Skeleton = tuple[Hashable, list[str]]
"""A unit without contents and ids.

What is equal for units that are read alike; and the contents and ids, none of them empty, in the order of
`UnitReader.filled`.
"""


class Spelled(NamedTuple):
    """A unit as it is written.

    Attributes:
        unit: the text, or the JSON.
        image: the messages that it reads as.
        state: what the next unit depends on.
    """

    unit: Unit
    image: Sequence[Message]
    state: State


class ContentClass(NamedTuple):
    """Contents that are written alike, shown by one of them.

    Attributes:
        before: what stands before any text in a content that belongs to the class.
        after: and behind it.
        encode: how a content stands in the unit, as text or as a JSON value; None where it stands there as it is.
    """

    before: str = ""
    after: str = ""
    encode: Callable[[str], Any] | None = None


ANY_CONTENT: Final = ContentClass()
"""The class of contents that are written alike whatever they say."""
AN_OBJECT: Final = ContentClass('{"', '": 0}')
"""Contents that are the JSON of an object, which stand in the unit as they are."""
A_STRING: Final = ContentClass(encode=spaced)
"""Contents that stand in the unit as a JSON string."""
JSON_IN_A_STRING: Final = ContentClass('"', '"', spaced)
"""Those of them that are JSON themselves."""


class Enclosed(NamedTuple):
    """An output, and what it reads as, without messages.

    Attributes:
        output: the text, or the JSON.
        around: the transcript without its messages.
        cut_off: whether it reads as one whose last message was cut off.
        places: of token ids, where the first unit begins and where each ends; None where units are not encoded apart.
    """

    output: Unit
    around: Transcript
    cut_off: bool = False
    places: Sequence[int] | None = None
