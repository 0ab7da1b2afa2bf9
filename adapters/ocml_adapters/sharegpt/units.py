"""Define the unit reader and the unit writer of ShareGPT rows; a unit is a turn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final, cast

from ocml_bridge.chat.transform import missing, moved
from ocml_bridge.chat.turns import has_part, is_call
from ocml_bridge.chat.visibility import is_private, is_reasoning
from ocml_bridge.common.memo import Memo
from ocml_bridge.json_values.form import Object
from ocml_bridge.loss import Log
from ocml_bridge.model import Alternative, Json, Media, Message, Transcript, replace
from ocml_bridge.report.narrowing import drop_private, drop_silent, narrow
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.envelopes import Body, Branches, EnvelopeWriter
from ocml_bridge.units.grammar import (
    A_STRING,
    AN_OBJECT,
    ANY_CONTENT,
    ContentClass,
    Skeleton,
    SplitDocument,
    SplitEnvelope,
    State,
    Unit,
    WrittenUnit,
)
from ocml_bridge.units.grouping import with_preambles
from ocml_bridge.units.heads import LIMIT, Head, Item, item_of, message_of, messages_of
from ocml_bridge.units.pairing import name_replies
from ocml_bridge.units.reader import UnitReader
from ocml_bridge.units.relations import indices_of, with_tools_apart
from ocml_bridge.units.writer import Prepared

from .calls import is_json, may_nest_deep, skeleton_of, with_arguments
from .media import has_place, without_media
from .rows import Column, Row, envelope_key, read_row, split_envelope, with_units, write_row
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
    ROLES,
    SPEAKERS,
    TEXTS,
    WORDS,
)
from .thinking import Thought, thought_in
from .turns import marks_of, read_turn, report_findings, turn_in, with_media, write_turn

_LONGEST: Final = 100
"""The maximum length of a speaker in a skeleton, in characters."""
_TAGS: Final = ("think>", "tool_response>", "image>", "video>", "audio>")
"""The tags, without their first character, with which a text may not be written unchanged."""


class TurnReader(UnitReader):
    """The unit reader."""

    looks_at_contents = False

    def split_units(self, source: str | Json, log: Log) -> SplitDocument:
        """Split a row into its turns, with the system prompt of the column before them, and all else.

        Raises:
            BridgeError: OCB-SHAPE if the source is no row; OCB-SEVERAL if it is a list of rows.
        """
        row = read_row(source, log)
        return SplitDocument(row.units, row.around, document=row)

    def split_envelope(self, source: str | Json) -> SplitEnvelope | None:
        """Split a row into its envelope and its turns; None if one of its columns depends on turns, and for a list."""
        return split_envelope(source)

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return a turn without its thought and its text; None if it has other members, or markup in one of them."""
        if unit.__class__ is not dict or len(unit) != 2:
            return None
        word, text = unit.get(SPEAKERS[0]), unit.get(TEXTS[0])
        if word.__class__ is not str or text.__class__ is not str or len(word) > _LONGEST:
            return None
        fence, values = None, list[str]()
        if "<" in text and not _is_inert(text):
            thought = _thought_of(word, text)
            if thought is None:
                return None
            fence, values, text = thought.fence, [thought.text], thought.rest
        name = None
        if text:
            call = skeleton_of(text) if word in CALLS else None
            if call is None and word in CALLS:
                return None
            values.append(text if call is None else call.arguments)
            name = None if call is None else call.name
        return (tuple(unit), word, fence, not text, name), values

    def are_only_values(self, texts: Sequence[str]) -> bool:
        """Return whether no text is empty or has markup: what else a text says is in no key."""
        return all(texts) and not any("<" in text and not _is_inert(text) for text in texts)

    def with_values(self, unit: Any, values: Sequence[str]) -> Unit:
        """Return a turn that has a skeleton, with another thought and another text."""
        following, word, text, before = iter(values), unit[SPEAKERS[0]], unit[TEXTS[0]], ""
        thought = None if _is_inert(text) else _thought_of(word, text)
        if thought is not None:
            before, text = next(following).join(thought.fence), thought.rest
        if text:
            text = with_arguments(text, next(following)) if word in CALLS else next(following)
        return {**unit, TEXTS[0]: before + text}

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a turn, or of the system prompt of the column.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is no turn.
        """
        row = cast("Row", split.document)
        media = row.media[at] if at < len(row.media) else []
        if isinstance(unit, Column):
            return [column_message(unit.text, media)]
        messages = read_turn(unit, row.place(at), media)
        report_findings(messages, index, log)
        return messages

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation: adjacent messages are related, replies get names, the rejected answer is added."""
        _relate_neighbours(items)
        name_replies(items, log)
        row = cast("Row", split.document)
        if not row.rejected:
            return Conversation(items, split.around)
        chosen_count = sum(len(read_turn(turn, "")) for turn in row.units[row.start :])
        alternative = rejected_of(row, len(items) - chosen_count)
        return Conversation(items, replace(split.around, alternatives=(alternative,)))


def column_message(text: str, media: Sequence[Media]) -> Message:
    """Return the message of a system prompt in a column."""
    return Message("system", with_media(text, media), layout={HOME: {COLUMN: True}})


def rejected_of(row: Row, at: int) -> Alternative:
    """Return the rejected answer of a row as an alternative to the messages from an index on."""
    messages = [message for turn in row.rejected for message in read_turn(turn, f"/{REJECTED}")]
    items = list(map(item_of, messages))
    _relate_neighbours(items)
    return Alternative(messages_of(items), at, REJECTED)


def _is_inert(text: str) -> bool:
    return not any(tag in text for tag in _TAGS)


def _thought_of(word: str, text: str) -> Thought | None:
    """Return the thought of a turn if it has one, and if there is no markup in the thought or the text after it."""
    thought = thought_in(text) if word in CALLS or ROLES.get(word.lower(), word) == "assistant" else None
    has_skeleton = thought is not None and thought.text and _is_inert(thought.text) and _is_inert(thought.rest)
    return thought if has_skeleton else None


# --- between messages -------------------------------------------------------------------------------------------------


def joins(before: Head, head: Head) -> bool:
    """Return whether a message is in the turn of the previous message.

    A thought is in the turn of what follows it; parallel calls are in one turn, and so are their results.
    """
    result = _joins_cache.get((before, head))
    if result is None:
        result = _compute_joins(before.example(), head.example())
        if before.shared and head.shared:
            _joins_cache.keep((before, head), result)
    return result


_joins_cache: Final = Memo[tuple[Head, Head], bool](LIMIT)


def _compute_joins(before: Message, message: Message) -> bool:
    if before.role != message.role or before.weight != message.weight:
        return False
    layout = NOTES.of(message.layout)
    if layout.get(APART) or layout.get(MARK_CHOSEN):
        return False
    if message.role == "tool":
        return True
    if message.role != "assistant" or is_reasoning(message):
        return False
    return is_reasoning(before) or (item_of(message)[0].calls and item_of(before)[0].calls)


def _relate_neighbours(items: list[Item]) -> None:
    """Set what messages get from the messages next to them; change the list.

    The layout stores if a message begins a turn although it could be in the previous turn. A text of the assistant
    directly before a call is a preamble.
    """
    for at in range(1, len(items)):
        before, (head, content, call_id) = items[at - 1][0], items[at]
        if not head.continues and head.role == before.role and joins(before, head):
            items[at] = (head.replaced(layout=NOTES.adding(head.layout, {APART: True})), content, call_id)
    with_preambles(items, across=True)


# --- writing ----------------------------------------------------------------------------------------------------------


class TurnWriter(EnvelopeWriter):
    """The unit writer. The state is None before the first turn."""

    looks_at_contents = False
    target = HOME
    home = HOME
    keeps_signatures = False
    reader: ClassVar[type[UnitReader]] = TurnReader
    mark = "<"
    groups = True
    embeds = True

    def inert(self, text: str) -> bool:
        """Return whether a text is written unchanged: it has no tag of a thought, of results, or of media."""
        return _is_inert(text)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Prepare a conversation: declare all tools once, drop media that would be misread, mark the chosen answer."""
        conversation, origins = with_tools_apart(conversation, log)
        items, around = conversation.items, conversation.around
        if any(has_part(item[1], Media) for item in items):
            items = without_media(items, indices_of(items, origins), log)
        if around.alternatives is not None:
            if origins is not None:
                around = replace(around, alternatives=moved(around.alternatives, missing(log.losses)))
            assert around.alternatives is not None
            images = [self.nearest(message_of(item), index, Log()) for index, item in enumerate(items)]
            dropped = {index for index, message in enumerate(images) if message is None}
            items = _mark_chosen(items, around.alternatives, dropped)
            around = replace(around, alternatives=moved(around.alternatives, dropped))
        return Prepared(items, around, origins)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that a row can hold, or None: a text, with media unless it is a thought or a call.

        A developer becomes the system, and a role that is the name of a speaker becomes the role of that speaker.
        """
        thought = is_reasoning(message)
        if not thought and message.role != "tool" and not is_call(message) and is_private(message):
            return drop_private(log, index, HOME)
        message.role = "system" if message.role == "developer" else WORDS.get(message.role.lower(), message.role)
        holds: tuple[type[Any], ...] = () if thought or is_call(message) else (Media,)
        path = f"/messages/{index}/content"
        content = narrow(message.content, holds, path, log, target=HOME, able=has_place, hoisted=True, private=thought)
        message.content = content
        if thought:
            message.channel, message.intent = "analysis", None
            if not content:
                return drop_silent(log, index, HOME)
        return message

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message is in the turn of the previous message."""
        return joins(before, head)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether a message is written the same way whatever its content: not if it is a call."""
        return not head.calls

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: arguments are JSON, or a string in JSON."""
        if not head.calls:
            return ANY_CONTENT
        if not head.bare or may_nest_deep(content):
            return None
        return AN_OBJECT if is_json(content) else A_STRING

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return a turn, and the messages that are read from it."""
        unit = write_turn(group, paths, log, first=state is None)
        turn, marks = turn_in(unit), marks_of(unit)
        media = marks.get(MARK_MEDIA, ())
        is_column = MARK_COLUMN in marks
        image = [column_message(turn[TEXTS[0]], media)] if is_column else read_turn(turn, paths[0], media)
        return WrittenUnit(unit, image, _NOT_FIRST)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return the turns, with their marks, and those of the rejected answer."""
        return Body(units, [self._turns(each.messages) for each in _writable(around.alternatives)])

    def written(self, around: Transcript, body: Body) -> Json:
        """Return a row, or a list of turns."""
        return write_row(around, body.units, [turn for turns in body.branches for turn in turns])

    def is_read_as(self, split: SplitDocument, body: Body) -> bool:
        """Return whether there are as many turns as were written, with the same media."""
        media = cast("Row", split.document).media
        return len(split.units) == len(body.units) and media == [
            marks_of(unit).get(MARK_MEDIA, []) for unit in body.units
        ]

    def branches(self, split: SplitDocument, around: Transcript) -> Branches | None:
        """Return the rejected answer of a row that was read, or None."""
        row = cast("Row", split.document)
        if not row.rejected:
            return None
        at = around.alternatives[0].at if around.alternatives else 0
        return Branches((rejected_of(row, at),), [row.rejected])

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return whether the first turn is written in a column; None if the columns depend on more of the turns."""
        return envelope_key(units, around)

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return a row with other turns."""
        return with_units(envelope, units)

    def _turns(self, messages: Sequence[Message]) -> list[Object]:
        """Return the turns of the messages of an alternative."""
        images = [self.nearest(message_of(item_of(message)), at, Log()) for at, message in enumerate(messages)]
        groups: list[list[Message]] = []
        for message in images:
            if message is None:
                continue
            if groups and joins(item_of(groups[-1][-1])[0], item_of(message)[0]):
                groups[-1].append(message)
            else:
                groups.append([message])
        return [turn_in(write_turn(group, [""] * len(group), Log(), first=False)) for group in groups]

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation: adjacent messages are related, and replies get the names of their tools."""
        _relate_neighbours(items)
        name_replies(items, Log())
        return Conversation(items, around)


_NOT_FIRST: Final = "begun"
"""The state after any turn."""


def _writable(alternatives: Sequence[Alternative] | None) -> Sequence[Alternative]:
    """Return the only alternative that a row has a place for, the rejected answer; nothing if there are others."""
    return alternatives if alternatives is not None and [each.label for each in alternatives] == [REJECTED] else ()


def _mark_chosen(items: Sequence[Item], alternatives: Sequence[Alternative], dropped: set[int]) -> Sequence[Item]:
    """Return the items; the first message of the chosen answer that is written gets a mark."""
    out = list(items)
    for alternative in _writable(alternatives):
        for at in range(alternative.at, len(out)):
            if at not in dropped:
                head, content, call_id = out[at]
                layout = NOTES.adding(head.layout, {MARK_CHOSEN: True})
                out[at] = (head.replaced(layout=layout), content, call_id)
                break
    return out
