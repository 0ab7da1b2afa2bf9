"""Turns of a row and their messages: what reads and writes the documents of the format."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.transform import missing
from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private, is_reasoning
from ocml_bridge.common.memo import Memo
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import (
    Alternative,
    Json,
    Media,
    Message,
    Transcript,
    replace,
)
from ocml_bridge.report.narrowing import drop_message, narrow
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body, Branches, EnvelopeWriter
from ocml_bridge.units.grammar import (
    A_STRING,
    AN_OBJECT,
    ANY_CONTENT,
    ContentClass,
    Emptied,
    Parted,
    Skeleton,
    Spelled,
    State,
    Unit,
)
from ocml_bridge.units.grouping import with_preambles
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of, messages_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import with_tools_apart
from ocml_bridge.units.writer import Prepared

from .calls import is_json, may_nest_deep, skeleton_of, with_arguments
from .media import has_media, has_place, without_media
from .rows import Column, Row, emptied, outline, read_row, refilled, write_row
from .syntax import (
    APART,
    CALLS,
    COLUMN,
    HOME,
    MARK_CHOSEN,
    MARK_COLUMN,
    MARK_MEDIA,
    NOTES,
    REJECTED,
    SPEAKERS,
    TEXTS,
    WORDS,
)
from .turns import notice, read_turn, with_media, write_turn

_LONGEST: Final = 100
"""The longest word for a speaker that plans are made for, in characters."""
_TAGS: Final = ("think>", "tool_response>", "image>", "video>", "audio>")
"""What a text has in it that may not be written as it is, behind a `<`."""


class TurnReader(UnitReader):
    """Reads turns."""

    looks_at_contents = False

    def part(self, source: str | Json, log: Log) -> Parted:
        """The turns of a row, behind what the system says in its column.

        Raises:
            BridgeError: OCB-SHAPE for what is no row; OCB-SEVERAL for a list of rows.
        """
        row = read_row(source, log)
        return Parted(row.units, row.around, document=row)

    def emptied(self, source: str | Json) -> Emptied | None:
        """A row as its envelope and its turns; None for one whose columns belong to turns, and for a list."""
        return emptied(source)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A turn that is a text and nothing else, without it."""
        if unit.__class__ is not dict or len(unit) != 2:
            return None
        word, text = unit.get(SPEAKERS[0]), unit.get(TEXTS[0])
        if word.__class__ is not str or text.__class__ is not str or len(word) > _LONGEST:
            return None
        if not text:
            return (tuple(unit), word, None), []
        if "<" in text and not _is_inert(text):
            return None
        if word in CALLS:
            called = skeleton_of(text)
            return None if called is None else ((tuple(unit), word, called.name), [called.arguments])
        return (tuple(unit), word), [text]

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """A turn that is a text, with another one."""
        if not values:
            return unit
        called = unit[SPEAKERS[0]] in CALLS
        return {**unit, TEXTS[0]: with_arguments(unit[TEXTS[0]], values[0]) if called else values[0]}

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a turn, or of the system's column.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is no turn.
        """
        row = cast("Row", parted.document)
        media = row.media[at] if at < len(row.media) else []
        if isinstance(unit, Column):
            return [column_message(unit.text, media)]
        made = read_turn(unit, row.place(at), media)
        notice(made, index, log)
        return made

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with what neighbours tell of one another, and with what was rejected."""
        related(items)
        name_replies(items, log)
        row = cast("Row", parted.document)
        if not row.rejected:
            return Conversation(items, parted.around)
        behind = sum(len(read_turn(turn, "")) for turn in row.units[row.start :])
        alternative = rejected_of(row, len(items) - behind)
        return Conversation(items, replace(parted.around, alternatives=(alternative,)))


def column_message(text: str, media: Sequence[Media]) -> Message:
    """What the system says in a column of the row, with what its placeholders stand for."""
    return Message("system", with_media(text, media), layout={HOME: {COLUMN: True}})


def rejected_of(row: Row, at: int) -> Alternative:
    """What was rejected, in place of the messages from an index on."""
    made = [message for turn in row.rejected for message in read_turn(turn, f"/{REJECTED}")]
    items = list(map(item_of, made))
    related(items)
    return Alternative(messages_of(items), at, REJECTED)


def _is_inert(text: str) -> bool:
    return not any(tag in text for tag in _TAGS)


# --- between messages -------------------------------------------------------------------------------------------------


def joins(before: Head, head: Head) -> bool:
    """Whether a message stands in the turn of the message before it.

    A thought stands in the turn of what it leads to; parallel calls are one turn, and so are their results.
    """
    known = _joins.get((before, head))
    if known is None:
        known = _may_join(before.message("", None), head.message("", None))
        if before.shared and head.shared:
            _joins.keep((before, head), known)
    return known


_joins: Final = Memo[tuple[Head, Head], bool](LIMIT)


def _may_join(before: Message, message: Message) -> bool:
    if before.role != message.role or before.weight != message.weight:
        return False
    layout = NOTES.of(message.layout)
    if layout.get(APART) or layout.get(MARK_CHOSEN):
        return False
    if message.role == "tool":
        return True
    if message.role != "assistant" or is_reasoning(message):
        return False
    called = item_of(message)[0].calls
    return is_reasoning(before) or (called and item_of(before)[0].calls)


def related(items: list[Item]) -> None:
    """Give each item what its neighbours tell of it; the list is changed.

    A message that begins a turn although it could stand in the one before remembers that it stands apart. What the
    assistant says right before a call is a preamble.
    """
    for at in range(1, len(items)):
        before, (head, content, call_id) = items[at - 1][0], items[at]
        if not head.continues and head.role == before.role and joins(before, head):
            message = head.message("", None)
            layout = {**(message.layout or {}), HOME: {**NOTES.of(message.layout), APART: True}}
            items[at] = (head.replaced(layout=layout), content, call_id)
    with_preambles(items, across=True)


# --- writing ----------------------------------------------------------------------------------------------------------


class TurnWriter(EnvelopeWriter):
    """Writes turns. The state is whether any stands before."""

    looks_at_contents = False
    target = HOME
    home = HOME
    keeps_signatures = False
    reader: ClassVar[type[UnitReader]] = TurnReader
    mark = "<"
    groups = True
    embeds = True

    def inert(self, text: str) -> bool:
        """Whether a text has no tag of a thought, of results, or of media."""
        return _is_inert(text)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with its tools apart from messages, with media where placeholders can stand for them."""
        conversation, origins = with_tools_apart(conversation, log)
        items, around = conversation.items, conversation.around
        if any(map(has_media, items)):
            items = without_media(items, range(len(items)) if origins is None else origins, log)
        if around.alternatives is not None:
            if origins is not None:
                around = replace(around, alternatives=_placed(around.alternatives, missing(log.losses)))
            assert around.alternatives is not None
            near = [self.nearest(message_of(item), index, Log()) for index, item in enumerate(items)]
            left_out = {index for index, message in enumerate(near) if message is None}
            items = _marked(items, around.alternatives, left_out)
            around = replace(around, alternatives=_placed(around.alternatives, left_out))
        return Prepared(items, around, origins)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """A text, with media where people speak; whatever instructs is the system, and an empty thought is none.

        A role that is a word for another one becomes that: it would be read as such.
        """
        thought = is_reasoning(message)
        if not thought and message.role != "tool" and not is_call(message) and is_private(message):
            drop_message(log, index, f"{HOME} cannot keep text of this role private, so it leaves it out")
            return None
        message.role = "system" if message.role == "developer" else WORDS.get(message.role.lower(), message.role)
        holds: tuple[type[Any], ...] = () if thought or is_call(message) else (Media,)
        path = f"/messages/{index}/content"
        content = narrow(message.content, holds, path, log, target=HOME, able=has_place, hoisted=True, private=thought)
        message.content = content
        if thought:
            message.channel, message.intent = "analysis", None
            if not content:
                drop_message(log, index, f"{HOME} has no place for reasoning without text")
                return None
        return message

    def joins(self, before: Head, head: Head) -> bool:
        """Whether a message stands in the turn of the message before it."""
        return joins(before, head)

    def follows(self, head: Head) -> bool:
        """Of a call the value depends on its arguments."""
        return not head.calls

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Arguments are JSON, or a string in JSON."""
        if not head.calls:
            return ANY_CONTENT
        if not head.bare or may_nest_deep(content):
            return None
        return AN_OBJECT if is_json(content) else A_STRING

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """A turn, and what it reads as."""
        turn = write_turn(group, paths, log, first=state is None)
        if turn.get(MARK_COLUMN):
            image = [column_message(turn[TEXTS[0]], turn.get(MARK_MEDIA, ()))]
        else:
            image = read_turn(_bare(turn), paths[0], turn.get(MARK_MEDIA, ()))
        return Spelled(turn, image, _OPEN)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The turns, with the marks of where they go, and those that were rejected."""
        return Body(units, [self._turns(one.messages) for one in _preferred(around.alternatives)])

    def written(self, around: Transcript, body: Body) -> Json:
        """A row, or a list of turns."""
        return write_row(around, body.units, [turn for turns in body.branches for turn in turns])

    def is_read_as(self, parted: Parted, body: Body) -> bool:
        """Whether there are as many turns, and each has its media."""
        media = cast("Row", parted.document).media
        return len(parted.units) == len(body.units) and media == [turn.get(MARK_MEDIA, []) for turn in body.units]

    def branches(self, parted: Parted, around: Transcript) -> Branches | None:
        """What was rejected, as it is read."""
        row = cast("Row", parted.document)
        if not row.rejected:
            return None
        at = around.alternatives[0].at if around.alternatives else 0
        return Branches((rejected_of(row, at),), [row.rejected])

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Whether the first of the turns stands in a column of the row; None where columns tell more of them."""
        return outline(units, around)

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """A row with other turns."""
        return refilled(envelope, units)

    def _turns(self, messages: Sequence[Message]) -> list[Object]:
        """The turns of messages that stand in no document."""
        near = [self.nearest(message_of(item_of(message)), at, Log()) for at, message in enumerate(messages)]
        groups: list[list[Message]] = []
        for message in near:
            if message is None:
                continue
            if groups and joins(item_of(groups[-1][-1])[0], item_of(message)[0]):
                groups[-1].append(message)
            else:
                groups.append([message])
        return [_bare(write_turn(group, [""] * len(group), Log(), first=False)) for group in groups]

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with what neighbours tell of one another."""
        related(items)
        name_replies(items, Log())
        return Conversation(items, around)


"""What a call says: JSON that stands there as it is, and anything else."""
_OPEN: Final = "begun"
"""The state behind a turn."""


def _bare(turn: Object) -> Object:
    """A turn without the marks of where it goes."""
    return {key: value for key, value in turn.items() if not key.startswith("\0")}


def _preferred(alternatives: Sequence[Alternative] | None) -> Sequence[Alternative]:
    """The one alternative that a row has a place for: what was rejected."""
    return alternatives if alternatives is not None and [one.label for one in alternatives] == [REJECTED] else ()


def _placed(alternatives: Sequence[Alternative], dropped: set[int]) -> tuple[Alternative, ...]:
    """Alternatives in a document that some messages are gone from."""
    return tuple(replace(one, at=one.at - sum(index < one.at for index in dropped)) for one in alternatives)


def _marked(items: Sequence[Item], alternatives: Sequence[Alternative], left_out: set[int]) -> Sequence[Item]:
    """The items, the first of those that were chosen and are written with a mark."""
    out = list(items)
    for one in _preferred(alternatives):
        for at in range(one.at, len(out)):
            if at not in left_out:
                head, content, call_id = out[at]
                message = head.message("", None)
                layout = {**(message.layout or {}), HOME: {**NOTES.of(message.layout), MARK_CHOSEN: True}}
                out[at] = (head.replaced(layout=layout), content, call_id)
                break
    return out
