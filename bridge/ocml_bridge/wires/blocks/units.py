"""Wire messages of blocks and their messages: what reads and writes the documents of a format."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final, cast

from ...errors import BridgeError, ErrorCode
from ...json_values.form import Object
from ...loss import Log
from ...model import Alternative, Foreign, Json, Message, Part, Transcript, replace
from ...units.conversation import Conversation
from ...units.envelopes import Body, Branches
from ...units.grammar import ANY_CONTENT, ContentClass, Parted, Skeleton, Spelled, State, Unit
from ...units.grouping import with_preambles
from ...units.heads import Head, Item, item_of, message_of, messages_of
from ...units.pairing import name_replies
from ...units.writer import Prepared
from ..documents import SHAPE
from ..noticing import BLOCK, note_names, note_parts, note_role
from ..shell import Shell, Top
from ..units import DocumentReader, DocumentWriter
from .grammar import ROLE, TOP, Grammar
from .joining import State as Joint
from .preparing import prepared
from .reading import read_wire, related
from .skeletons import filled, skeleton
from .spelling import UnlikeError
from .writing import nearest, settled, spelled, wires_of

_ROLES: Final = frozenset({"system", "assistant", "user", "tool"})


class BlockReader(DocumentReader):
    """Reads wire messages of blocks.

    Attributes:
        grammar: what the format says of its blocks.
    """

    looks_at_contents = False
    grammar: ClassVar[Grammar]

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """A wire message of texts, calls and replies, without what they say."""
        return skeleton(unit, self.grammar.key, self.grammar.slots)

    def filled(self, unit: Any, values: Sequence[str]) -> Unit:
        """A wire message that has a skeleton, with other contents and ids."""
        return filled(unit, self.grammar.key, self.grammar.slots, values)

    def read(self, unit: Unit, at: int, index: int, parted: Parted, log: Log) -> Sequence[Message]:
        """The messages of a wire message.

        Raises:
            BridgeError: OCB-SHAPE with the JSON pointer of what is none.
        """
        shell = cast("Shell", parted.document)
        wire, default = (unit.wire, TOP) if isinstance(unit, Top) else (unit, shell.default)
        made = self._read(wire, shell.place(at), default)
        self._notice(made, index, log)
        return made

    def _read(self, wire: Json, path: str, default: str) -> list[Message]:
        key = self.grammar.key
        if not isinstance(wire, dict):
            raise BridgeError(ErrorCode.SHAPE, f"a message must be an object with {key!r}", path=path)
        members = cast("Object", wire)
        blocks = self.grammar.keys(members).get(key)
        if blocks and not isinstance(blocks, list):
            raise BridgeError(ErrorCode.SHAPE, f"{key!r} is not a list", path=f"{path}/{key}")
        try:
            return read_wire(self.grammar, members, default)
        except UnlikeError as error:
            raise BridgeError(ErrorCode.SHAPE, "a message is not understood", path=path) from error

    def _notice(self, made: Sequence[Message], index: int, log: Log) -> None:
        """Note what is kept although the format does not have it so."""
        note_role(made[0].role, _ROLES, f"/messages/{index}", log, api=self.grammar.home)
        for at, message in enumerate(made, index):
            note_names((message,), at, log)
            note_parts(message, f"/messages/{at}", log, self._is_odd, what=BLOCK)

    def _is_odd(self, part: Part) -> bool:
        return isinstance(part, Foreign) and not self.grammar.knows(part.value)

    def relate(self, items: list[Item], parted: Parted, log: Log) -> Conversation:
        """The conversation, with what neighbours tell of one another, and with the other answers."""
        related(self.grammar, items)
        name_replies(items, log)
        shell = cast("Shell", parted.document)
        if not shell.branches:
            return Conversation(items, parted.around)
        return Conversation(items, replace(parted.around, alternatives=self.alternatives(shell)))

    def alternatives(self, shell: Shell) -> tuple[Alternative, ...]:
        """The other answers of a document."""
        out: list[Alternative] = []
        for branch in shell.branches:
            items = list(map(item_of, self._read(branch.wires[0], branch.place, shell.default)))
            related(self.grammar, items)
            out.append(branch.alternative(messages_of(items), 0, self.grammar.notes))
        return tuple(out)


class BlockWriter(DocumentWriter):
    """Writes wire messages of blocks.

    A unit is what one message is of a wire message; they are put together where they are enclosed.

    Attributes:
        grammar: what the format says of its blocks.
        others: keys of the layout of documents that are no requests, or none as we write them.
    """

    looks_at_contents = False
    grammar: ClassVar[Grammar]
    others: ClassVar[Sequence[str]] = (SHAPE,)
    keeps_ids = True
    settles = True

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """The document with what the system says in its place."""
        return prepared(self.grammar, conversation, self.nearest, log)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """The nearest message that blocks can say."""
        return nearest(self.grammar, message, index, log)

    def settled(self, head: Head, content: str, path: str, log: Log) -> str:
        """Arguments and results that are values are spelled as we spell these."""
        return self.grammar.settled(head.message(content, None), path, log)

    def follows(self, head: Head) -> bool:
        """Texts and thoughts are written alike whatever they say."""
        return head.role != "tool" and not head.calls and not head.has_extras

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """What calls and replies say may be written as a value."""
        if self.follows(head):
            return ANY_CONTENT
        return self.grammar.classify(head, content) if head.bare else None

    def spell(self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log) -> Spelled:
        """What a message is of a wire message, and what it reads as."""
        unit, image, after = spelled(self.grammar, group[0], cast("Joint", state))
        return Spelled(unit, [image], after)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """The wire messages, behind what the system says before them, and those of the other answers."""
        return Body(self._joined(units), [self._wires(one.messages) for one in around.alternatives or ()])

    def is_read_as(self, parted: Parted, body: Body) -> bool:
        """Whether the wire messages that were read are those that were written, and the system says something."""
        read, units = parted.units, body.units
        return len(read) == len(units) and all(
            one is other or isinstance(one, Top) is isinstance(other, Top) is True
            for one, other in zip(read, units, strict=True)
        )

    def branches(self, parted: Parted, around: Transcript) -> Branches | None:
        """The other answers of a document that was read."""
        shell = cast("Shell", parted.document)
        if not shell.branches:
            return None
        alternatives = cast("BlockReader", self.own_reader).alternatives(shell)
        return Branches(alternatives, [branch.wires for branch in shell.branches])

    def outline(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Whether the system says something before the wire messages of a request."""
        if not self.grammar.notes.of(around.layout).keys().isdisjoint(self.others):
            return None
        return bool(units) and units[0][ROLE] == TOP

    def refilled(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """A request with other wire messages."""
        return super().refilled(envelope, self._joined(units), around)

    def _joined(self, units: list[Unit]) -> list[Any]:
        """The wire messages, behind what the system says before them."""
        wires: list[Any] = wires_of(self.grammar, units)
        if units and units[0][ROLE] == TOP:
            wires[0] = Top(wires[0])
        return wires

    def _wires(self, messages: Sequence[Message]) -> list[Json]:
        """The wire messages of an alternative."""
        units: list[Object] = []
        state: Joint = None
        for index, item in enumerate(map(item_of, messages)):
            message = self.nearest(message_of((item[0].local(self.home), *item[1:])), index, Log())
            if message is not None and message.role != "system":
                unit, _, state = spelled(self.grammar, settled(self.grammar, message, "", Log()), state)
                units.append(unit)
        return wires_of(self.grammar, units)

    def assembled(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """The conversation, with preambles and the names of tools told by their neighbours."""
        with_preambles(items)
        name_replies(items, Log())
        return Conversation(items, around)
