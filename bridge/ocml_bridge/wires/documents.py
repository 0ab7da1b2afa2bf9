"""The documents of a format in JSON: objects of a few shapes, and the bare list of units.

The layout remembers the shape that a document was read from, except for requests: these are what is written where
nothing else is remembered, or where units do not fit into what is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, cast

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Options, Source
from ..formats.boundary import ListsOfDocuments
from ..json_values.form import OBJECT, Object
from ..json_values.jsontext import Lines
from ..loss import Log
from ..model import Json, Transcript
from ..model.notes import Notes
from ..units.envelopes import Body
from ..units.grammar import Parted
from .shell import Shell, is_top

SHAPE: Final = "shape"
"""The key of the layout that names the shape of a document."""
REQUEST, LIST = "request", "list"
_BATCH: Final = "to convert several conversations of one file, use 'ocml-convert batch'"


class Surrounding(NamedTuple):
    """What stands around the units of a document that is to be written.

    Attributes:
        transcript: all of it.
        extras: what only the format says of it.
        layout: how it was spelled.
    """

    transcript: Transcript
    extras: Object
    layout: Object

    @property
    def says_nothing(self) -> bool:
        """Whether a bare list says as much."""
        around = self.transcript
        return not self.extras and around.tools is around.settings is None


class Shape(NamedTuple):
    """A kind of documents that are objects.

    Attributes:
        name: of the shape, as the layout remembers it.
        is_one: whether an object is such a document.
        read: takes one apart.
        write: puts one together; None where units do not fit into it.
    """

    name: str
    is_one: Callable[[Object], bool]
    read: Callable[[Object, Log], Shell]
    write: Callable[[Surrounding, Body], Json | None]


def has(*keys: str) -> Callable[[Object], bool]:
    """What tells objects that have one of some members."""
    return lambda document: any(key in document for key in keys)


class Documents:
    """Takes the documents of a format apart, and puts them together.

    Args:
        notes: of the format.
        shapes: of its objects, in the order in which they are looked for; one is the request.
        expected: says what a document is.
        item: what a unit is called.
        is_item: whether a value stands in the list that a document may be.
        is_document: whether an object in a list is a document, and no item.
        is_prompt: whether a unit is what the system says before all others, for which a list has no place.
        default: the role of items of a list that say none.
    """

    def __init__(
        self,
        notes: Notes,
        shapes: Sequence[Shape],
        *,
        expected: str,
        item: str,
        is_item: Callable[[Json], bool],
        is_document: Callable[[Object], bool],
        is_prompt: Callable[[Any], bool] = is_top,
        default: str = "",
    ) -> None:
        self._notes: Final = notes
        self._shapes: Final = shapes
        self._by_name: Final = {shape.name: shape for shape in shapes}
        self._expected: Final = expected
        self._item: Final = item
        self._is_item: Final = is_item
        self._is_document: Final = is_document
        self._is_prompt: Final = is_prompt
        self._default: Final = default
        self._lists: Final = ListsOfDocuments(is_document, is_item)

    def split(self, source: Source, options: Options) -> list[tuple[int, Source]]:
        """The conversations of a list of documents, each with its index; else the one document that a source is."""
        return self._lists.split(source, options)

    def part(self, source: Source, log: Log) -> Parted:
        """A document as its units, what stands around them, and its shell.

        Raises:
            BridgeError: as `read`.
        """
        shell = self.read(source, log)
        return Parted(shell.units, shell.around(self._notes), shell.cut_off, shell)

    def read(self, source: Source, log: Log) -> Shell:
        """Take a document apart.

        Raises:
            BridgeError: OCB-SHAPE for anything that is none of the shapes; OCB-SEVERAL for a list of documents.
        """
        if isinstance(source, list):
            return self._read_list(cast("list[Json]", source))
        if isinstance(source, OBJECT):
            document = cast("Object", source)
            for shape in self._shapes:
                if shape.is_one(document):
                    return shape.read(document, log)
        raise BridgeError(ErrorCode.SHAPE, self._expected, path="")

    def _read_list(self, source: list[Json]) -> Shell:
        self._lists.refuse(source)
        if any(isinstance(one, OBJECT) and self._is_document(cast("Object", one)) for one in source):
            message = f"this is a list of conversations, not of {self._item}s; {_BATCH}"
            raise BridgeError(ErrorCode.SHAPE, message, path="")
        if isinstance(source, Lines) and not all(map(self._is_item, source)):
            message = f"these JSON lines are not one {self._item} each; {_BATCH}"
            raise BridgeError(ErrorCode.SHAPE, message, path="")
        return Shell(list(source), default=self._default, layout={SHAPE: LIST})

    def write(self, around: Transcript, body: Body, *, shape: Json = None) -> Json:
        """Put units into the shape that they were read from, or into a request where they do not fit it.

        Args:
            around: what stands around them.
            body: they, and those of the other answers.
            shape: the name of the shape where the layout names none.
        """
        extras, layout = self._notes.of(around.extras), self._notes.of(around.layout)
        surrounding = Surrounding(around, extras, layout)
        name = layout.get(SHAPE, shape)
        if name == LIST and surrounding.says_nothing and not any(map(self._is_prompt, body.units)):
            return body.units
        found = self._by_name.get(name) if isinstance(name, str) else None
        written = None if found is None else found.write(surrounding, body)
        return self._by_name[REQUEST].write(surrounding, body) if written is None else written
