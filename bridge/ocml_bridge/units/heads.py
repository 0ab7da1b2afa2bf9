"""Heads: what many messages have in common, which is all but their contents and ids.

Real conversations have few of them: some hundred heads in thousands of conversations. Equal heads are one object, so
what is known of a head is found by a look-up.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from copy import copy
from types import NoneType
from typing import Any, Final, NamedTuple, cast

from ..chat.turns import is_call
from ..common.memo import Memo
from ..model import ByFormat, CacheMark, Content, Ending, Message, Part, Signature, Text
from ..model.ownership import fresh, key_of, own_json, unpack

LIMIT: Final = 4096
"""How many heads are known at once; where there are more, all are forgotten."""
LONGEST: Final = 400
"""The longest head that is shared, in bytes of its packed layout and extras, in characters of each of its fields."""


class Head:
    """All of a message but its content and its id.

    Attributes:
        bare: whether the message has neither extras nor layout.
        role: the message's role; `channel`, `recipient`, `name`, `constraint`, `end`, `continues` and `weight`
            likewise.
        has_extras: whether the message has extras.
        has_id: whether the message has a call id.
        has_empty_id: whether that is an empty text; no format writes such an id as it writes others.
        empty: whether its content is an empty text.
        calls: whether it is a tool call.
        promises_json: whether the header says that the content is JSON.
        shared: whether all messages with this head have this very object. One with a signature never is, and one with
            extras only where more messages like it are expected: hardly any two are alike.
        pattern: the head that this one is but for texts of a format's own; None where that is not known.
        beside: what stands in the content beside its text, such as the mark of a thought, with an empty text in the
            place of that; None where the content is the text.
    """

    __slots__ = (
        *("_cache", "_extras", "_fields", "_layout", "_local", "_own_in", "_signature", "_with_id", "_within"),
        *("bare", "beside", "calls", "channel", "constraint", "continues", "empty", "end", "has_empty_id"),
        *("has_extras", "has_id", "name", "pattern", "promises_json", "recipient", "role", "shared", "weight"),
    )

    def __init__(
        self, message: Message, *, shared: bool, layout: bytes | None = None, extras: bytes | None = None
    ) -> None:
        self._fields: Final = (
            *(message.intent, message.content_type, message.constraint, message.end, message.continues),
            *(message.failed, message.weight),
        )
        self.role: Final = message.role
        self.name: Final = message.name
        self.channel: Final = message.channel
        self.recipient: Final = message.recipient
        self.constraint: Final = message.constraint
        self.end: Final[Ending | None] = message.end
        self.continues: Final = message.continues
        self.weight: Final = message.weight
        self.has_extras: Final = message.extras is not None
        self.has_id: Final = message.call_id is not None
        self.has_empty_id: Final = message.call_id == ""
        self.empty: Final = message.content == ""
        self.calls: Final = is_call(message)
        self.promises_json: Final = message.constraint == "json" or message.content_type == "json"
        self.shared: Final = shared
        self._extras: Final[ByFormat | bytes | None] = message.extras if extras is None else extras
        self._layout: Final[ByFormat | bytes | None] = message.layout if layout is None else layout
        self.bare: Final = message.extras is None and message.layout is None
        self._signature: Final = message.signature
        self._cache: Final = message.cache
        self._local: dict[tuple[str | None, bool], Head] = {}
        self._with_id: Head | None = None
        self.beside: tuple[Part, ...] | None = None
        self._within: dict[str, Head] = {}
        self.pattern: Head | None = None
        self._own_in: frozenset[str | None] = frozenset()
        """The formats in whose extras these stand, and None, which wants those of all; `SIGNED` for a signature."""

    def message(self, content: Content, call_id: str | None) -> Message:
        """The message with this head; it is new, but for the extras, layout and mark of a head that is not shared."""
        if self.beside is not None:
            content = _with_text(self.beside, content)
        layout, extras = (None, None) if self.bare else self._unpacked()
        return Message(  # pyright: ignore[reportArgumentType]
            self.role,
            content,
            self.name,
            self.channel,
            self.recipient,
            call_id,
            *self._fields,
            extras,
            layout,
            self._signature,
            CacheMark(self._cache.ttl) if self.shared and self._cache is not None else self._cache,
        )

    def local(self, home: str | None, *, signed: bool = True) -> Head:
        """The head without the extras and layout of other formats; itself where it has none, or all are wanted.

        Args:
            home: the format's id; None where those of all formats are wanted.
            signed: whether signatures are.
        """
        unsigned = not signed and self._signature is not None
        if not unsigned and (self.bare or home is None):
            return self
        if self.pattern is not None and home not in self._own_in and (unsigned or SIGNED not in self._own_in):
            return self.pattern.local(home, signed=signed)
        found = self._local.get((home, unsigned))
        if found is None:
            layout, extras = self._unpacked()
            own_layout, own_extras = _of(layout, home), _of(extras, home)
            same = own_layout is layout and own_extras is extras
            fields: dict[str, Any] = {"signature": None} if unsigned else {}
            found = self if same and not unsigned else self.replaced(layout=own_layout, extras=own_extras, **fields)
            self._local[home, unsigned] = found
        return found

    def _unpacked(self) -> tuple[ByFormat | None, ByFormat | None]:
        """Layout and extras; they are new, but for those of a head that is not shared."""
        layout, extras = self._layout, self._extras
        if layout.__class__ is bytes:
            layout = unpack(layout)  # pyright: ignore[reportArgumentType]
        if extras.__class__ is bytes:
            extras = unpack(extras)  # pyright: ignore[reportArgumentType]
        return layout, extras  # pyright: ignore[reportReturnType]

    def id_like(self, call_id: str) -> str | None:
        """An id for a message with this head: the one that is given, where it may be any."""
        return "" if self.has_empty_id else call_id if self.has_id else None

    def with_id(self) -> Head:
        """The head of a message with a call id."""
        if self._with_id is None:
            self._with_id = self if self.has_id else self.replaced(call_id="x")
        return self._with_id

    def replaced(self, **fields: Any) -> Head:
        """The head with other fields."""
        message = self.message("" if self.empty else "x", self.id_like("x"))
        for name, value in fields.items():
            setattr(message, name, value)
        made = head_of(message, expected=self.shared)
        if self.pattern is not None and fields.keys().isdisjoint(("extras", "signature")):
            made.pattern, made._own_in = self.pattern.replaced(**fields), self._own_in
        return made if self.beside is None else made.within(self.beside)

    def with_own(self, texts: Sequence[OwnText], values: Sequence[str]) -> Head:
        """The head with other texts of its format's own.

        Args:
            texts: where they stand.
            values: among these.
        """
        message = self.message("" if self.empty else "x", self.id_like("x"))
        if not self.shared:
            message.extras, message.layout = own_json(message.extras), own_json(message.layout)
        places: set[str | None] = set()
        for path, number in texts:
            text = values[number]
            if path == SIGNATURE:
                signature = cast("Signature", message.signature)
                message.signature = Signature(text, signature.vendor, signature.sealed)
                places.add(SIGNED)
                continue
            holder: Any = message.extras
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = text
            places |= {str(path[0]), None}
        made = Head(message, shared=False)
        made.pattern, made._own_in = self, frozenset(places)
        return made if self.beside is None else made.within(self.beside)

    def within(self, parts: tuple[Part, ...]) -> Head:
        """The head of messages that say their text among parts; one of them is an empty text, where that stands."""
        key = repr(parts)
        found = self._within.get(key)
        if found is None:
            found = copy(self)
            found.beside, found._local, found._with_id, found._within = parts, {}, None, {}
            if self.shared:
                self._within[key] = found
        return found


class OwnText(NamedTuple):
    """A text in a message that nobody said, such as the id of an item, or its signature: few formats write it.

    Attributes:
        path: the keys and indices that lead to it in the extras, the first of which is a format's id; or `SIGNATURE`.
        number: which of the values of a unit or a conversation it is.
    """

    path: tuple[str | int, ...]
    number: int


SIGNATURE: Final[tuple[str | int, ...]] = ()
"""The path of a signature."""
SIGNED: Final = ""
"""Stands among the formats in whose extras own texts are for a signature, which is any format's."""


Item = tuple[Head, Content, str | None]
"""A message as its head, its content, and its call id."""


def _with_text(parts: tuple[Part, ...], content: Content) -> tuple[Part, ...]:
    """Parts, with a content in the place of their empty text."""
    assert isinstance(content, str), "a head that has parts beside its text is that of one text"
    return tuple([Text(content) if part == NO_TEXT else fresh(part) for part in parts])


NO_TEXT: Final = Text("")
"""Stands among parts for the text that differs."""


def _of(by_format: ByFormat | None, home: str | None) -> ByFormat | None:
    if by_format is None or home is None:
        return by_format
    if home not in by_format:
        return None
    return by_format if len(by_format) == 1 else {home: by_format[home]}


def head_of(message: Message, *, expected: bool = False) -> Head:
    """The head of a message.

    Args:
        message: any.
        expected: whether more messages with this head are expected, even where it has extras.
    """
    if message.call_id == "" or (message.extras is not None and not expected):
        return Head(message, shared=False)
    if message.signature is not None or message.cache.__class__ not in (NoneType, CacheMark):
        return Head(message, shared=False)
    layout: bytes | None = None
    extras: bytes | None = None
    try:
        if message.layout is not None:
            layout = key_of(message.layout)
        if message.extras is not None:
            extras = key_of(message.extras)
    except ValueError:
        return Head(message, shared=False)
    key = (
        *(message.role, message.name, message.channel, message.recipient, message.intent, message.content_type),
        *(message.constraint, message.end, message.continues, message.failed, message.weight, message.weight.__class__),
        *(layout, extras, message.call_id is None, message.content == ""),
        None if message.cache is None else (message.cache.ttl,),
    )
    try:
        found = _heads.get(key)
    except TypeError:  # a field that is no text, in a message made by hand
        return Head(message, shared=False)
    if found is None:
        if len(layout or b"") > LONGEST or len(extras or b"") > LONGEST or not _is_short(message):
            return Head(message, shared=False)
        found = _heads.keep(key, Head(message, shared=True, layout=layout, extras=extras))
    return found


def _is_short(message: Message) -> bool:
    fields = (message.role, message.name, message.channel, message.recipient)
    others = (message.intent, message.content_type, message.constraint)
    marks = () if message.cache is None else (message.cache.ttl,)
    return all(len(field or "") <= LONGEST for field in (*fields, *others, *marks))


_heads: Final = Memo[Hashable, Head](LIMIT)


def item_of(message: Message, *, expected: bool = False) -> Item:
    """A message as an item; `expected` as for `head_of`."""
    return head_of(message, expected=expected), message.content, message.call_id


def message_of(item: Item) -> Message:
    """The message that an item is."""
    head, content, call_id = item
    return head.message(content, call_id)


def are_same(some: Sequence[Item], others: Sequence[Item]) -> bool:
    """Whether items are the same messages, whether or not they have the same heads."""
    return len(some) == len(others) and all(map(_is_same, some, others))


def _is_same(one: Item, other: Item) -> bool:
    if one[0] is other[0]:
        return one == other
    message, its = message_of(one), message_of(other)
    return message == its and key_of((message.extras, message.layout)) == key_of((its.extras, its.layout))


def messages_of(items: Sequence[Item]) -> tuple[Message, ...]:
    """The messages that items are."""
    return tuple([head.message(content, call_id) for head, content, call_id in items])
