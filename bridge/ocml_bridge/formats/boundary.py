"""Find the boundaries between several conversations in one source, and make the error that names the place.

In a text, the boundary is a token that begins or ends a whole text. In JSON, it is the boundary between the items of a
list of documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeGuard, cast

from ..errors import BridgeError, ErrorCode
from ..model import Json
from .adapter import Options, Source

BEGINS: Final = ("<s>", "<bos>", "[BOS]", "<|BOS|>", "<|begin_of_text|>", "<|startoftext|>")
ENDS: Final = ("</s>", "<eos>", "[EOS]", "<|EOS|>", "<|end_of_text|>", "<|endoftext|>")
"""The tokens that tokenizers in use put at the beginning (BOS) and at the end (EOS) of a whole text."""
TURN_ENDS: Final = ("<|endofturn|>", "<|stop|>")
"""The tokens that chat templates put behind the frames of a turn. The conversation goes on after them."""


class Boundary:
    """Finds the beginning of another conversation in the text between two messages.

    A BOS or EOS token between two messages is a boundary. Before the first message and after the last one it is layout.

    Args:
        begins: the tokens that begin a text.
        ends: the tokens that end a text.
    """

    def __init__(self, begins: Iterable[str] = BEGINS, ends: Iterable[str] = ENDS) -> None:
        opening, closing = ("|".join(map(re.escape, tokens)) for tokens in (begins, ends))
        self._begin: Final = re.compile(opening)
        self._end: Final = re.compile(closing)
        self._token: Final = re.compile(f"({opening}|{closing})")
        turns = "|".join(map(re.escape, TURN_ENDS))
        self._trivia: Final = re.compile(rf"(?:\s|{opening}|{closing}|{turns})*")

    def is_trivia(self, gap: str) -> bool:
        """Return whether a text outside of messages consists only of white space and such tokens."""
        return gap in ("", "\n") or self._trivia.fullmatch(gap) is not None

    def find(self, gap: str) -> int:
        """Return the offset of the next conversation in the text between two messages; -1 if it has no such token."""
        if gap in ("", "\n"):
            return -1
        pieces = self._token.split(gap)
        at = self.cut(pieces)
        return -1 if at < 0 else sum(map(len, pieces[:at]))

    def cut(self, pieces: Sequence[str]) -> int:
        """Return how many pieces of a gap belong to the conversation before it, or -1 if no piece has such a token.

        The next conversation begins with the BOS token, else after the last EOS token and the white space after it.

        Args:
            pieces: the gap, split into tokens and the texts between them.
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
"""The boundary of every format without BOS and EOS tokens of its own."""


class Place(NamedTuple):
    """The position of a conversation in a document of several.

    Attributes:
        offset: in a text, the number of characters before it; None in JSON.
        line: its first line, from 1; None in JSON.
        column: its first column, from 1; None in JSON.
        path: in JSON, the pointer to it; None in a text.
    """

    offset: int | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None

    def moved(self, error: BridgeError, *, json: bool) -> BridgeError:
        """Change the position of an error from one in the conversation to one in the whole document; return the error.

        Args:
            error: an error with a position in the conversation.
            json: whether the document is JSON.
        """
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
    """Return the error for a document of several conversations, with the position of the second one."""
    message = "a second conversation begins here; 'ocml-convert batch' converts each one, and read_all() reads each one"
    return BridgeError(ErrorCode.SEVERAL, message, offset=offset, path=path)


def require_one_conversation(begins: int) -> None:
    """Check that no other conversation begins before a frame: that the offset at which one does is -1.

    Raises:
        BridgeError: OCB-SEVERAL if one does, with the offset of its beginning.
    """
    if begins >= 0:
        raise several(offset=begins)


def several_documents(source: Sequence[object]) -> BridgeError:
    """Return the error for a JSON list of documents. A list of one document is no document either."""
    return several(path="/1" if len(source) > 1 else "/0")


def cut_text(text: str, starts: Iterable[int]) -> list[tuple[int, str]]:
    """Cut a text where conversations begin; return each piece with its offset.

    Args:
        text: the whole text.
        starts: the offsets at which all conversations but the first begin, in order.
    """
    places = [0, *starts]
    return [(at, text[at:end]) for at, end in zip(places, (*places[1:], len(text)), strict=True)]


class ListsOfDocuments:
    """Distinguishes a list of documents from a list that is one document.

    Args:
        is_document: returns whether an object is a document.
        is_item: returns whether a value is an item of a document that is a list; None if no document is a list.
    """

    def __init__(self, is_document: Callable[[dict[str, Any]], bool], is_item: Callable[[Json], bool] | None) -> None:
        self._is_document: Final = is_document
        self._is_item: Final = is_item

    def holds(self, source: object) -> bool:
        """Return whether a source is a list of documents: not empty, and each of its items is a document."""
        return isinstance(source, list) and source != [] and all(map(self._is_one, cast("list[Json]", source)))

    def _is_one(self, value: Json) -> bool:
        if isinstance(value, dict):
            return self._is_document(cast("dict[str, Any]", value))
        items = cast("list[Json]", value) if isinstance(value, list) and self._is_item is not None else []
        return items != [] and all(map(cast("Callable[[Json], bool]", self._is_item), items))

    def refuse(self, source: Sequence[Json]) -> None:
        """Refuse a list of documents; for a reader that reads one document.

        Raises:
            BridgeError: OCB-SEVERAL.
        """
        if self.holds(source):
            raise several_documents(source)

    def split(self, source: Source, _options: Options) -> list[tuple[int, Source]]:
        """Return the documents of a list, each with its index; a source that is no such list is one document."""
        return list(enumerate(cast("list[Json]", source))) if self.holds(source) else [(0, source)]


def is_list_of_lists(source: object) -> TypeGuard[list[list[Json]]]:
    """Return whether a JSON value is a list of lists: several documents of a format whose documents are lists."""
    return (
        isinstance(source, list) and source != [] and all(isinstance(item, list) for item in cast("list[Json]", source))
    )
