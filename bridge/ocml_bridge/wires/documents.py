"""Read and write the documents of a format in JSON: objects of a few shapes, and bare lists of units.

The layout stores the shape of the document that was read, unless it is a request. A document is written in the stored
shape; as a request if none is stored, or if the units do not fit the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, cast

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Options, Source
from ..formats.boundary import ListsOfDocuments
from ..json_values.form import OBJECT, Object
from ..json_values.json_lines import Lines
from ..loss import Log
from ..model import Json, Transcript
from ..model.notes import Notes
from ..units.envelopes import Body
from ..units.grammar import SplitDocument
from .shell import Shell, is_top

SHAPE: Final = "shape"
"""The key of the layout that names the shape of a document."""
REQUEST, LIST = "request", "list"
_BATCH: Final = "to convert several conversations of one file, use 'ocml-convert batch'"


class Surrounding(NamedTuple):
    """A document to be written, without its units.

    Attributes:
        transcript: the document without its messages.
        extras: its extras for the format.
        layout: its layout for the format.
    """

    transcript: Transcript
    extras: Object
    layout: Object

    @property
    def says_nothing(self) -> bool:
        """Whether nothing is lost if the document is written as a bare list."""
        around = self.transcript
        return not self.extras and around.tools is around.settings is None


class Shape(NamedTuple):
    """A shape of documents that are objects.

    Attributes:
        name: the name of the shape in the layout.
        is_one: returns whether an object has the shape.
        read: splits an object of the shape into its units and its shell.
        write: returns the object; None if the units do not fit the shape.
    """

    name: str
    is_one: Callable[[Object], bool]
    read: Callable[[Object, Log], Shell]
    write: Callable[[Surrounding, Body], Json | None]


class Stream(NamedTuple):
    """Lists of the events of a stream, which are no documents.

    Attributes:
        is_one: returns whether a list is one.
        error: the text of the error for it.
    """

    is_one: Callable[[list[Json]], bool]
    error: str


def has(*keys: str) -> Callable[[Json], bool]:
    """Return a function that returns whether a value is an object with at least one of these members."""
    return lambda value: isinstance(value, OBJECT) and any(key in value for key in keys)


class Documents:
    """The reader and writer of a format's documents, without their units.

    Args:
        notes: the notes of the format, which access its extras and layout.
        shapes: the shapes of its objects, in the order in which they are tried; one is the request.
        expected: the text of the error for a document of no shape.
        item: the word for a unit in error messages.
        is_item: returns whether a value may be an item of a bare list.
        is_document: returns whether an object in a list is a document, not an item.
        is_prompt: returns whether a unit is the system prompt, for which a bare list has no place.
        default: the role of items of a bare list that have none.
        stream: which lists are the events of a stream; None if none are.
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
        stream: Stream | None = None,
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
        self._stream: Final = stream
        self._lists: Final = ListsOfDocuments(is_document, is_item)

    def split(self, source: Source, options: Options) -> list[tuple[int, Source]]:
        """Split a list of documents into its documents, each with its index; any other source is one document."""
        return [(0, source)] if self._stream_in(source) else self._lists.split(source, options)

    def _stream_in(self, source: Source) -> Stream | None:
        """Return how a source is the events of a stream, or None."""
        stream = self._stream if isinstance(source, list) else None
        return None if stream is None or not stream.is_one(cast("list[Json]", source)) else stream

    def split_units(self, source: Source, log: Log) -> SplitDocument:
        """Split a document into its units, the transcript around them, and its shell.

        Raises:
            BridgeError: as `read`.
        """
        shell = self.read(source, log)
        return SplitDocument(shell.units, shell.around(self._notes), shell.cut_off, shell)

    def read(self, source: Source, log: Log) -> Shell:
        """Split a document into its units and all else.

        Raises:
            BridgeError: OCB-SHAPE if it has none of the shapes; OCB-SEVERAL if it is a list of documents.
        """
        if (stream := self._stream_in(source)) is not None:
            raise BridgeError(ErrorCode.SHAPE, stream.error, path="")
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
        """Write units as a document of the stored shape; as a request if they do not fit it.

        Args:
            around: the transcript around the units.
            body: the units, and those of the alternatives.
            shape: the name of the shape if the layout has none.
        """
        extras, layout = self._notes.of(around.extras), self._notes.of(around.layout)
        surrounding = Surrounding(around, extras, layout)
        name = layout.get(SHAPE, shape)
        if name == LIST and surrounding.says_nothing and not any(map(self._is_prompt, body.units)):
            return body.units
        stored_shape = self._by_name.get(name) if isinstance(name, str) else None
        written = None if stored_shape is None else stored_shape.write(surrounding, body)
        return self._by_name[REQUEST].write(surrounding, body) if written is None else written
