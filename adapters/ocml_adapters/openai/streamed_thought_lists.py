"""Read and write lists of thoughts in a stream (`reasoning_details`, `thinking_blocks`), whose items come in pieces.

`Items` joins the pieces that arrive; `ListedThoughts` writes them. The text of a thought is written once, as reasoning
text, and its signature in an item without text. With several thoughts it would be unclear which one a signature
belongs to: so the list also has the texts after the first signed thought, and those of summaries. Clients join the
pieces of an item by its index.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple, cast

from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import members_of
from ocml_bridge.model import Json, Message, Signature

from .syntax import DETAILS
from .thought_lists import SUMMARY, is_signed, says, sign, write_list


class Piece(NamedTuple):
    """One piece of an item.

    Attributes:
        text: its text; "" if it has none.
        begins: whether it is the first piece of its item.
        signs: whether it has the signature of a text.
    """

    text: str
    begins: bool
    signs: bool


class _Item:
    """An item so far: its pieces, and whether it has a text, and a signature or encrypted thought."""

    def __init__(self) -> None:
        self.pieces: list[Json] = []
        self.has_text = self.is_closed = False


class Items:
    """The items of one list so far.

    A piece continues the item with its type and its index; without an index, the last item if that has its type. After
    a signature, more text or another signature begins a new item: Anthropic's models sign each thought once, after its
    text, and LiteLLM sends several thoughts without an index.

    Args:
        key: the key of the list.
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
        """Take the next piece of the list, which continues an item or begins one."""
        members = members_of(piece)
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
"""The keys of an item's text."""


class ListedThoughts:
    """The items of one answer that is written, in the order in which they begin.

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
        """The numbers of the thoughts that have an item."""
        return self._items.keys()

    def wants(self, number: int, thought: Message, spoken: Collection[int]) -> bool:
        """Return whether the text of a thought must also be in the list.

        Args:
            number: the number of the thought.
            thought: the thought as it began.
            spoken: the numbers of the thoughts with text so far.
        """
        if number in self.apart:
            return True
        is_whole = all(len(_items_of(one)) == 1 for one in self._beside.values())
        return is_whole and self._knows(spoken, number) and bool(self._items or thought.content_type == SUMMARY)

    def _knows(self, spoken: Collection[int], number: int) -> bool:
        return all(each in self._items for each in spoken if each != number)

    def more(self, number: int, thought: Message, text: str) -> list[Object]:
        """Return pieces with more text of a thought, after the texts that the list did not have until now."""
        out: list[Object] = []
        for each, message in self._beside.items():
            [item] = self._items[each] = _items_of(message)
            out.append({"type": item["type"], "text": item["text"], "index": self._indices[each]})
            self.apart.add(each)
        self._beside.clear()
        if number not in self.apart:
            self.apart.add(number)
            self._texts[number] = []
            self._begin(
                number, _items_of(Message("assistant", "", channel="analysis", content_type=thought.content_type))
            )
        self._texts[number].append(text)
        kind, key = ("reasoning.summary", "summary") if thought.content_type == SUMMARY else ("reasoning.text", "text")
        return [*out, {"type": kind, key: text, "index": self._indices[number]}]

    def end(self, number: int, thought: Message, spoken: Collection[int]) -> list[Object]:
        """Return the last pieces of a complete thought: its signature, with the vendor.

        Args:
            number: the number of the thought.
            thought: the complete thought.
            spoken: the numbers of the thoughts with text so far; no signature is written if the list lacks one.
        """
        if number not in self._texts:
            item, signature = sign(thought), thought.signature
            # A signature without its text would be read as that of the thought before, even if its own text is empty.
            needs_text = thought.content != "" or (signature is not None and not signature.sealed)
            if item is None or (needs_text and not self._knows(spoken, number)):
                return []
            if thought.content:
                self._beside[number] = thought
            self._begin(number, [item])
            return [{**item, "index": self._indices[number]}]
        first, *others = self._items[number] = _items_of(thought, "".join(self._texts[number]))
        self._count += len(others)
        more = without(first, *_TEXTS)
        listed = [*([more] if len(more) > 1 else []), *others]
        at = self._indices[number] + (len(more) == 1)
        return [{**item, "index": index} for index, item in enumerate(listed, at)]

    def _begin(self, number: int, items: list[Object]) -> None:
        self._indices[number] = self._count
        self._items[number] = items
        self._count += len(items)

    def wire(self) -> list[Object]:
        """Return the items so far."""
        out: list[Object] = []
        for number, items in self._items.items():
            first, *others = items
            texts = self._texts.get(number)
            if texts is not None:
                first = {**first, ("summary" if first["type"] == "reasoning.summary" else "text"): "".join(texts)}
            out += [first, *others]
        return [{**item, "index": index} for index, item in enumerate(out)]


def _items_of(thought: Message, text: str | None = None) -> list[Object]:
    """Return the items of a thought with its text."""
    signature: Signature | None = thought.signature if is_signed(thought) else None
    content = thought.content if text is None else text
    bare = Message("assistant", content, channel="analysis", content_type=thought.content_type, signature=signature)
    return cast("list[Object]", write_list(DETAILS, [bare]))
