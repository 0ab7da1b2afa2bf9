"""Pieces of a list of private reasoning → its items, as a stream brings them."""

from __future__ import annotations

from typing import NamedTuple, cast

from ocml_bridge.form import Object
from ocml_bridge.model import Json

from .details import says


class Piece(NamedTuple):
    """What a piece of an item says.

    Attributes:
        text: that is new.
        begins: whether it is the first of its item.
        signs: whether it is what a text is signed with.
    """

    text: str
    begins: bool
    signs: bool


class _Item:
    """An item as far as it has come: its pieces, and whether they have said a text, and been signed or sealed."""

    def __init__(self) -> None:
        self.pieces: list[Json] = []
        self.has_text = self.is_closed = False


class Items:
    """The items of one list as far as they have come.

    A piece continues the item that has its type and its index; without an index the last item, if that has its type.
    A text that is signed is over: Anthropic's models sign a thought once, behind all of it, and what LiteLLM gives of
    several thoughts has no index. More text is another item then, and so is another signature.

    Args:
        key: the member that the list is.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._items: list[_Item] = []
        self._by_name: dict[object, _Item] = {}
        self._last: object = None

    @property
    def pieces(self) -> list[list[Json]]:
        """The pieces of each item."""
        return [item.pieces for item in self._items]

    def take(self, piece: Json) -> Piece:
        """More of an item, or a new one."""
        members = cast("Object", piece) if isinstance(piece, dict) else {}
        index, kind = members.get("index"), members.get("type")
        place = index if isinstance(index, int) else None
        name = (isinstance(piece, dict), place, kind if isinstance(kind, str) else None)
        text, signature, seal = says(self._key, members)
        closes = bool(signature or seal)
        item = self._by_name.get(name) if place is not None or name == self._last else None
        begins = item is None or (item.is_closed and (closes or (bool(text) and item.has_text)))
        if item is None or begins:
            item = self._by_name[name] = _Item()
            self._items.append(item)
        self._last = name
        item.pieces.append(piece)
        item.has_text, item.is_closed = item.has_text or bool(text), item.is_closed or closes
        return Piece(text, begins, bool(signature))
