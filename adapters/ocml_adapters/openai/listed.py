"""The list of thoughts that stands beside their text in a stream: items that come in pieces, each with its index.

`Items` puts the pieces that come together; `ListedThoughts` writes them. A thought says its text once, as more text,
and its signature in an item without it. Of several thoughts that would not tell whose a signature is: behind the first
that is signed, and of those that are summaries, the list has the texts, too. Clients put the pieces of an item together
by its index, and have what a whole answer says.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Message, Signature

from .details import SUMMARY, is_signed, says, sign, write_list
from .syntax import DETAILS


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


_TEXTS: Final = ("text", "summary")
"""The members of an item that are its text."""


class ListedThoughts:
    """The items of one answer, in the order in which they begin.

    Attributes:
        apart: the numbers of the thoughts whose texts are in the list.
    """

    def __init__(self) -> None:
        self.apart: set[int] = set()
        self._items: dict[int, list[Object]] = {}
        self._indices: dict[int, int] = {}
        self._texts: dict[int, list[str]] = {}
        self._beside: dict[int, Message] = {}
        self._count = 0

    @property
    def numbers(self) -> Collection[int]:
        """Those of the thoughts that have an item."""
        return self._items.keys()

    def wants(self, number: int, thought: Message, spoken: Collection[int]) -> bool:
        """Whether the list is to have the text of a thought.

        Args:
            number: of the thought.
            thought: what its beginning says.
            spoken: the numbers of the thoughts that have said some text.
        """
        if number in self.apart:
            return True
        is_whole = all(len(_written(one)) == 1 for one in self._beside.values())
        return is_whole and self._knows(spoken, number) and bool(self._items or thought.content_type == SUMMARY)

    def _knows(self, spoken: Collection[int], number: int) -> bool:
        return all(each in self._items for each in spoken if each != number)

    def more(self, number: int, thought: Message, text: str) -> list[Object]:
        """Pieces of items: more text of one, behind the texts that stood beside the list until now."""
        out: list[Object] = []
        for each, message in self._beside.items():
            [item] = self._items[each] = _written(message)
            out.append({"type": item["type"], "text": item["text"], "index": self._indices[each]})
            self.apart.add(each)
        self._beside.clear()
        if number not in self.apart:
            self.apart.add(number)
            self._texts[number] = []
            self._begin(
                number, _written(Message("assistant", "", channel="analysis", content_type=thought.content_type))
            )
        self._texts[number].append(text)
        kind, key = ("reasoning.summary", "summary") if thought.content_type == SUMMARY else ("reasoning.text", "text")
        return [*out, {"type": kind, key: text, "index": self._indices[number]}]

    def end(self, number: int, thought: Message, spoken: Collection[int]) -> list[Object]:
        """What else the items of a whole thought say: its signature, and whose that is.

        Args:
            number: of the thought.
            thought: the whole of it.
            spoken: as above; behind a text that the list does not know, nobody could tell what is signed.
        """
        if number not in self._texts:
            item = sign(thought)
            if item is None or (thought.content and not self._knows(spoken, number)):
                return []
            if thought.content:
                self._beside[number] = thought
            self._begin(number, [item])
            return [{**item, "index": self._indices[number]}]
        first, *others = self._items[number] = _written(thought, "".join(self._texts[number]))
        self._count += len(others)
        more = {key: value for key, value in first.items() if key not in _TEXTS}
        listed = [*([more] if len(more) > 1 else []), *others]
        at = self._indices[number] + (len(more) == 1)
        return [{**item, "index": index} for index, item in enumerate(listed, at)]

    def _begin(self, number: int, items: list[Object]) -> None:
        self._indices[number] = self._count
        self._items[number] = items
        self._count += len(items)

    def wire(self) -> list[Object]:
        """The items as far as they have come."""
        out: list[Object] = []
        for number, items in self._items.items():
            first, *others = items
            texts = self._texts.get(number)
            if texts is not None:
                first = {**first, ("summary" if first["type"] == "reasoning.summary" else "text"): "".join(texts)}
            out += [first, *others]
        return [{**item, "index": index} for index, item in enumerate(out)]


def _written(thought: Message, text: str | None = None) -> list[Object]:
    """The items of a thought with its text."""
    signature: Signature | None = thought.signature if is_signed(thought) else None
    content = thought.content if text is None else text
    bare = Message("assistant", content, channel="analysis", content_type=thought.content_type, signature=signature)
    return cast("list[Object]", write_list(DETAILS, [bare]))
