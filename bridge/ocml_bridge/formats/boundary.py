"""Where one conversation ends and another begins: the tokens that say so, and the error that names the place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeGuard, cast

from ..errors import BridgeError, ErrorCode
from ..model import Json
from .adapter import Options, Source

BEGINS: Final = ("<s>", "<bos>", "[BOS]", "<|BOS|>", "<|begin_of_text|>", "<|startoftext|>")
ENDS: Final = ("</s>", "<eos>", "[EOS]", "<|EOS|>", "<|end_of_text|>", "<|endoftext|>")
"""The spellings in use of the tokens that a whole text begins and ends with."""


class Boundary:
    """Tells where another conversation begins between two messages.

    A token that begins or ends a whole text says so wherever it stands outside of messages; before the first message
    and behind the last one it is spelling.

    Args:
        begins: tokens that begin a text.
        ends: tokens that end one.
    """

    def __init__(self, begins: Iterable[str] = BEGINS, ends: Iterable[str] = ENDS) -> None:
        opening, closing = ("|".join(map(re.escape, tokens)) for tokens in (begins, ends))
        self._begin: Final = re.compile(opening)
        self._end: Final = re.compile(closing)
        self._token: Final = re.compile(f"({opening}|{closing})")
        self._trivia: Final = re.compile(rf"(?:\s|{opening}|{closing})*")

    def is_trivia(self, gap: str) -> bool:
        """Whether a text outside of messages is nothing but white space and such tokens."""
        return gap in ("", "\n") or self._trivia.fullmatch(gap) is not None

    def find(self, gap: str) -> int:
        """Where in the text between two messages another conversation begins; -1 where it holds no such token."""
        if gap in ("", "\n"):
            return -1
        pieces = self._token.split(gap)
        at = self.cut(pieces)
        return -1 if at < 0 else sum(map(len, pieces[:at]))

    def cut(self, pieces: Sequence[str]) -> int:
        """How many pieces of a gap belong to the conversation before it; -1 where no piece holds such a token.

        The next one begins with the token that begins a text, else behind the one that ends it and its line.
        """
        for at, piece in enumerate(pieces):
            if self._begin.search(piece) is not None:
                return at
        ended = [at for at, piece in enumerate(pieces) if self._end.search(piece) is not None]
        if not ended:
            return -1
        at = ended[-1] + 1
        while at < len(pieces) and pieces[at].isspace():
            at += 1
        return at


EDGES: Final = Boundary()
"""The boundary of every format that does not name tokens of its own."""


class Place(NamedTuple):
    """Where a conversation begins in the document that holds it.

    Attributes:
        offset: in a text: how many characters stand before it; None in JSON.
        line: the line that it begins in, from 1; None in JSON.
        column: the column that it begins at, from 1; None in JSON.
        path: in JSON: the pointer to it; None in a text.
    """

    offset: int | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None

    def moved(self, error: BridgeError, *, json: bool) -> BridgeError:
        """An error about the conversation, with its place in the whole document."""
        if json and self.path and error.path is not None and not error.refused:
            error.path = self.path + error.path
        if error.offset is not None and self.offset is not None:
            error.offset += self.offset
        if error.line is not None and self.line is not None and error.column is not None and self.column is not None:
            error.column += self.column - 1 if error.line == 1 else 0
            error.line += self.line - 1
        return error


WHOLE: Final = Place()
"""The place of a document that is one conversation."""


def several(*, offset: int | None = None, path: str | None = None) -> BridgeError:
    """The error of a document that holds more than one conversation, with the place where the second begins."""
    message = "a second conversation begins here; 'ocml-convert batch' converts each one, and read_all() reads each one"
    return BridgeError(ErrorCode.SEVERAL, message, offset=offset, path=path)


def several_documents(source: Sequence[object]) -> BridgeError:
    """The same of a JSON list of documents; a list of one is told alike, as it is no document itself."""
    return several(path="/1" if len(source) > 1 else "/0")


def cut_text(text: str, starts: Iterable[int]) -> list[tuple[int, str]]:
    """A text cut where conversations begin: each piece with its offset; together they are the text.

    Args:
        text: the whole text.
        starts: where all conversations but the first begin, in order.
    """
    places = [0, *starts]
    return [(at, text[at:end]) for at, end in zip(places, (*places[1:], len(text)), strict=True)]


class ListsOfDocuments:
    """Tells a list of a format's documents from a list that is one document.

    Args:
        is_document: whether an object is a document.
        is_item: whether a value stands in the list that a document may be; None where none is a list.
    """

    def __init__(self, is_document: Callable[[dict[str, Any]], bool], is_item: Callable[[Json], bool] | None) -> None:
        self._is_document: Final = is_document
        self._is_item: Final = is_item

    def holds(self, source: object) -> bool:
        """Whether a source is such a list: it is not empty, and each of its items is a document."""
        return isinstance(source, list) and source != [] and all(map(self._is_one, cast("list[Json]", source)))

    def _is_one(self, value: Json) -> bool:
        if isinstance(value, dict):
            return self._is_document(cast("dict[str, Any]", value))
        items = cast("list[Json]", value) if isinstance(value, list) and self._is_item is not None else []
        return items != [] and all(map(cast("Callable[[Json], bool]", self._is_item), items))

    def refuse(self, source: Sequence[Json]) -> None:
        """Refuse a list of documents where one document is asked for.

        Raises:
            BridgeError: OCB-SEVERAL.
        """
        if self.holds(source):
            raise several_documents(source)

    def split(self, source: Source, _options: Options) -> list[tuple[int, Source]]:
        """The documents of a list, each with its index; else the one document that a source is."""
        return list(enumerate(cast("list[Json]", source))) if self.holds(source) else [(0, source)]


def is_list_of_lists(source: object) -> TypeGuard[list[list[Json]]]:
    """Whether a JSON value is a list of lists, and so several documents of a format whose documents are lists."""
    return (
        isinstance(source, list) and source != [] and all(isinstance(item, list) for item in cast("list[Json]", source))
    )
