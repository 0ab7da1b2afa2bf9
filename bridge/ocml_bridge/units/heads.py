"""Heads: all of a message but its content and its call id; and items, which are messages as head, content and id.

Real conversations have few different heads: some hundred in thousands of conversations. Most equal heads are one
object, so caches look up by head what is the same for all messages with that head.
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
"""How many heads are kept; if there are more, all are dropped. Caches by head have the same size."""
LONGEST: Final = 400
"""The longest field of a head that is kept: in characters, or in bytes of the packed layout and extras."""


class Head:
    """All of a message but its content and its id.

    Attributes:
        bare: whether the message has neither extras nor layout.
        role: the message's role; `channel`, `recipient`, `name`, `constraint`, `end`, `continues` and `weight`
            likewise.
        has_extras: whether the message has extras.
        has_id: whether the message has a call id.
        has_empty_id: whether the call id is an empty text; no format writes such an id as it writes others.
        empty: whether its content is an empty text.
        calls: whether it is a tool call.
        promises_json: whether the header says that the content is JSON.
        shared: whether the head is kept for others: all messages with an equal head have this very object. A head with
            a signature never is; a head with extras only if `head_of` is to expect more of them, as few repeat.
        pattern: the head that this one was made from by `with_extra_texts`, with probes in place of these texts; None
            for any other head.
        beside: the parts of the content, if it is one text among parts that are the same in many messages (such as the
            mark of a thought); an empty text takes the place of the text. None if the content is just the text.
    """

    __slots__ = (
        *("_cache", "_extras", "_fields", "_extra_homes", "_layout", "_local", "_signature", "_with_id", "_within"),
        *("bare", "parts_around", "calls", "channel", "constraint", "continues", "empty", "end", "has_empty_id"),
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
        self.parts_around: tuple[Part, ...] | None = None
        self._within: dict[str, Head] = {}
        self.pattern: Head | None = None
        self._extra_homes: frozenset[str | None] = frozenset()
        """The `home`s for which `local` keeps any text that differs from the pattern; `SIGNED` if it is a signature."""

    def message(self, content: Content, call_id: str | None) -> Message:
        """Return a new message; it shares extras, layout and cache mark with the head if the head is not shared."""
        if self.parts_around is not None:
            content = _with_text(self.parts_around, content)
        layout, extras = (None, None) if self.bare else (self.layout, self.extras)
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

    def example(self) -> Message:
        """Return a message with this head, for what any message with it shows: its text and its id are "x" or empty."""
        return self.message("" if self.empty else "x", self.id_like("x"))

    def local(self, home: str | None, *, signed: bool = True) -> Head:
        """Return the head without the extras and layout of other formats.

        Args:
            home: the id of the format whose extras and layout are kept; None to keep those of all formats.
            signed: whether the signature is kept.
        """
        unsigned = not signed and self._signature is not None
        if not unsigned and (self.bare or home is None):
            return self
        if self.pattern is not None and home not in self._extra_homes and (unsigned or SIGNED not in self._extra_homes):
            return self.pattern.local(home, signed=signed)
        local = self._local.get((home, unsigned))
        if local is None:
            layout, extras = self.layout, self.extras
            home_layout, home_extras = _only(layout, home), _only(extras, home)
            same = home_layout is layout and home_extras is extras
            fields: dict[str, Any] = {"signature": None} if unsigned else {}
            local = self if same and not unsigned else self.replaced(layout=home_layout, extras=home_extras, **fields)
            self._local[home, unsigned] = local
        return local

    @property
    def extras(self) -> ByFormat | None:
        """The extras of the message; new ones each time, unless the head is not shared."""
        return _unpacked(self._extras)

    @property
    def layout(self) -> ByFormat | None:
        """The layout of the message; a new one each time, unless the head is not shared."""
        return _unpacked(self._layout)

    def id_like(self, call_id: str) -> str | None:
        """Return the call id of a message with this head: `call_id`, "" or None, as `has_id` and `has_empty_id` say."""
        return "" if self.has_empty_id else call_id if self.has_id else None

    def with_id(self) -> Head:
        """Return the same head for messages with a call id."""
        if self._with_id is None:
            self._with_id = self if self.has_id else self.replaced(call_id="x")
        return self._with_id

    def replaced(self, **fields: Any) -> Head:
        """Return the head with other values of some fields of its messages."""
        message = self.example()
        for name, value in fields.items():
            setattr(message, name, value)
        head = head_of(message, expected=self.shared)
        if self.pattern is not None and fields.keys().isdisjoint(("extras", "signature")):
            head.pattern, head._extra_homes = self.pattern.replaced(**fields), self._extra_homes
        return head if self.parts_around is None else head.within(self.parts_around)

    def with_extra_texts(self, texts: Sequence[ExtraText], values: Sequence[str]) -> Head:
        """Return the head with values in place of its extra texts; this head becomes its pattern.

        Args:
            texts: the places of the extra texts.
            values: of a unit or a conversation.
        """
        message = self.example()
        if not self.shared:
            message.extras, message.layout = own_json(message.extras), own_json(message.layout)
        homes: set[str | None] = set()
        for path, number in texts:
            text = values[number]
            if path == SIGNATURE:
                signature = cast("Signature", message.signature)
                message.signature = Signature(text, signature.vendor, signature.sealed)
                homes.add(SIGNED)
                continue
            holder: Any = message.extras
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = text
            homes |= {str(path[0]), None}
        head = Head(message, shared=False)
        head.pattern, head._extra_homes = self, frozenset(homes)
        return head if self.parts_around is None else head.within(self.parts_around)

    def without_extra_texts(self, texts: Sequence[ExtraText]) -> Head:
        """Return the head without the signature, and with empty texts in place of extra texts that it has.

        Args:
            texts: the places of the extra texts.
        """
        message = self.example()
        message.signature, message.extras = None, own_json(message.extras)
        for path, _ in texts:
            _empty(message.extras, path)
        head = head_of(message, expected=True)
        return head if self.parts_around is None else head.within(self.parts_around)

    def within(self, parts: tuple[Part, ...]) -> Head:
        """Return the same head for messages whose text stands among parts, in which `NO_TEXT` takes its place."""
        key = repr(parts)
        head = self._within.get(key)
        if head is None:
            head = copy(self)
            head.parts_around, head._local, head._with_id, head._within = parts, {}, None, {}
            if self.shared:
                self._within[key] = head
        return head


def _unpacked(notes: ByFormat | bytes | None) -> ByFormat | None:
    return unpack(notes) if isinstance(notes, bytes) else notes


def _empty(extras: Any, path: Sequence[str | int]) -> None:
    """Replace the text at a path in extras by an empty one, if there is a text."""
    *outer, last = path or ("",)
    try:
        for key in outer:
            extras = extras[key]
        if isinstance(extras[last], str):
            extras[last] = ""
    except (KeyError, IndexError, TypeError):
        return


class ExtraText(NamedTuple):
    """A text in the extras of a message, such as the id of an item, or its signature, as one of the values of a plan.

    Attributes:
        path: the keys and indices that lead to it in the extras, the first of which is a format's id; or `SIGNATURE`.
        number: its index among the values of a unit or a conversation.
    """

    path: tuple[str | int, ...]
    number: int


SIGNATURE: Final[tuple[str | int, ...]] = ()
"""The path of a signature."""
SIGNED: Final = ""
"""Stands for a signature among the ids of formats in whose extras there are extra texts."""


Item = tuple[Head, Content, str | None]
"""A message as its head, its content, and its call id."""


def _with_text(parts: tuple[Part, ...], content: Content) -> tuple[Part, ...]:
    """Return new parts, with a content in place of `NO_TEXT`."""
    assert isinstance(content, str), "a head that has parts beside its text is that of one text"
    return tuple([Text(content) if part == NO_TEXT else fresh(part) for part in parts])


NO_TEXT: Final = Text("")
"""The placeholder, among the parts of `Head.parts_around`, for the text of the message."""


def _only(by_format: ByFormat | None, home: str | None) -> ByFormat | None:
    if by_format is None or home is None:
        return by_format
    if home not in by_format:
        return None
    return by_format if len(by_format) == 1 else {home: by_format[home]}


def head_of(message: Message, *, expected: bool = False) -> Head:
    """Return the head of a message: the one that messages with an equal head share, unless it is not kept for them.

    Args:
        message: any message.
        expected: whether more messages with this head are expected; if not, a head with extras is not kept.
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
        head = _heads.get(key)
    except TypeError:  # a field that is not a text, in a message built by a caller
        return Head(message, shared=False)
    if head is None:
        if len(layout or b"") > LONGEST or len(extras or b"") > LONGEST or not _is_short(message):
            return Head(message, shared=False)
        head = _heads.keep(key, Head(message, shared=True, layout=layout, extras=extras))
    return head


def _is_short(message: Message) -> bool:
    fields = (message.role, message.name, message.channel, message.recipient)
    others = (message.intent, message.content_type, message.constraint)
    marks = () if message.cache is None else (message.cache.ttl,)
    return all(len(field or "") <= LONGEST for field in (*fields, *others, *marks))


_heads: Final = Memo[Hashable, Head](LIMIT)


def item_of(message: Message, *, expected: bool = False) -> Item:
    """Return a message as an item; `expected` as for `head_of`."""
    return head_of(message, expected=expected), message.content, message.call_id


def message_of(item: Item) -> Message:
    """Return an item as a message."""
    head, content, call_id = item
    return head.message(content, call_id)


def are_same(items: Sequence[Item], others: Sequence[Item]) -> bool:
    """Return whether two lists of items are the same messages, also if their heads are different objects."""
    return len(items) == len(others) and all(map(_is_same, items, others))


def _is_same(item: Item, other: Item) -> bool:
    if item[0] is other[0]:
        return item == other
    message, its = message_of(item), message_of(other)
    return message == its and key_of((message.extras, message.layout)) == key_of((its.extras, its.layout))


def messages_of(items: Sequence[Item]) -> tuple[Message, ...]:
    """Return items as messages."""
    return tuple([head.message(content, call_id) for head, content, call_id in items])
