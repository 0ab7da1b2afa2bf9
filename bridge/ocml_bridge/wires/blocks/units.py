"""Define the unit reader and the unit writer of formats whose wire messages are lists of blocks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Final, cast

from ...errors import BridgeError, ErrorCode
from ...json_values.form import Object
from ...loss import FindingCode, Log
from ...model import Alternative, Foreign, Json, Message, Part, Transcript, replace
from ...units.conversation import Conversation
from ...units.envelopes import Body, Branches
from ...units.grammar import ANY_CONTENT, ContentClass, Skeleton, SplitDocument, State, Unit, WrittenUnit
from ...units.grouping import with_preambles
from ...units.heads import Head, Item, item_of, message_of, messages_of
from ...units.pairing import name_replies
from ...units.writer import Prepared
from ..documents import SHAPE
from ..findings import BLOCK, report_nameless, report_parts, report_role
from ..shell import Shell, Top
from ..units import DocumentReader, DocumentWriter
from .grammar import ROLE, TOP, Grammar
from .joining import State as Joint
from .preparing import prepared
from .reading import has_role, read_wire, related
from .skeletons import skeleton, with_values
from .spelling import UnlikeError
from .writing import nearest, settled, spelled, wires_of

_ROLES: Final = frozenset({"system", "assistant", "user", "tool"})
_WITHOUT_ROLE: Final = "this message has no role; it is read as the assistant's, because of its thoughts or calls"


class BlockReader(DocumentReader):
    """A unit reader of wire messages of blocks.

    Attributes:
        grammar: the grammar of the format's blocks.
    """

    grammar: ClassVar[Grammar]

    def skeleton(self, unit: Any, before: Any) -> Skeleton | None:
        """Return the skeleton of a wire message of texts, calls and replies, or None."""
        return skeleton(unit, self.grammar.key, self.grammar.slot)

    def with_values(self, unit: Any, values: Sequence[str]) -> Unit:
        """Return a wire message that has a skeleton, with other contents and ids."""
        return with_values(unit, self.grammar.key, self.grammar.slot, values)

    def read_unit(self, unit: Unit, at: int, index: int, split: SplitDocument, log: Log) -> Sequence[Message]:
        """Return the messages of a wire message.

        Raises:
            BridgeError: OCB-SHAPE with its JSON pointer, if it is no wire message.
        """
        shell = cast("Shell", split.document)
        wire, default = (unit.wire, TOP) if isinstance(unit, Top) else (unit, shell.default)
        messages = self._read(wire, shell.place(at), default)
        self._report_findings(messages, index, log)
        if default == self.grammar.user and messages[0].role == "assistant" and not has_role(cast("Object", wire)):
            log.find(FindingCode.UNKNOWN_ROLE, f"/messages/{index}/role", _WITHOUT_ROLE)
        return messages

    def _read(self, wire: Json, path: str, default: str) -> list[Message]:
        key = self.grammar.key
        if not isinstance(wire, dict):
            raise BridgeError(ErrorCode.SHAPE, f"a message must be an object with {key!r}", path=path)
        raw = cast("Object", wire)
        members = self.grammar.keys(raw)
        if self.grammar.blocks(members.get(key)) is None:
            raise BridgeError(ErrorCode.SHAPE, f"{key!r} is not a list", path=f"{path}/{key}")
        try:
            return read_wire(self.grammar, raw, members, default)
        except UnlikeError as error:
            raise BridgeError(ErrorCode.SHAPE, "a message is not understood", path=path) from error

    def _report_findings(self, messages: Sequence[Message], index: int, log: Log) -> None:
        """Report unknown roles, unknown blocks and calls without a name."""
        report_role(messages[0].role, _ROLES, f"/messages/{index}", log, api=self.grammar.home)
        for at, message in enumerate(messages, index):
            report_nameless((message,), at, log)
            report_parts(message, f"/messages/{at}", log, self._is_odd, what=BLOCK)

    def _is_odd(self, part: Part) -> bool:
        return isinstance(part, Foreign) and not self.grammar.knows(part.value)

    def relate(self, items: list[Item], split: SplitDocument, log: Log) -> Conversation:
        """Return the conversation, with what depends on neighbours, and with the alternative answers."""
        related(self.grammar, items)
        name_replies(items, log)
        shell = cast("Shell", split.document)
        if not shell.branches:
            return Conversation(items, split.around)
        return Conversation(items, replace(split.around, alternatives=self.alternatives(shell)))

    def alternatives(self, shell: Shell) -> tuple[Alternative, ...]:
        """Return the alternative answers of a document."""
        out: list[Alternative] = []
        for branch in shell.branches:
            items = list(map(item_of, self._read(branch.wires[0], branch.place, shell.default)))
            related(self.grammar, items)
            out.append(branch.alternative(messages_of(items), 0, self.grammar.notes))
        return tuple(out)


class BlockWriter(DocumentWriter):
    """A unit writer of wire messages of blocks.

    A unit is the fragment of a wire message that one message is written as. `body` joins the fragments.

    Attributes:
        reader: the class of the format's reader, which has the grammar of its blocks.
        others: the keys of the layout of documents that are no requests, or requests that are spelled otherwise.
    """

    looks_at_contents = False
    reader: ClassVar[type[BlockReader]]  # pyright: ignore[reportIncompatibleVariableOverride]
    others: ClassVar[Sequence[str]] = (SHAPE,)
    keeps_ids = True
    has_json_contents = True

    @property
    def grammar(self) -> Grammar:
        """The grammar of the format's blocks."""
        return self.reader.grammar

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Return the conversation in the order that the format requires."""
        return self._placed(prepared(self.grammar, conversation, self.nearest, log), log)

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return the nearest message that blocks can hold, or None."""
        return nearest(self.grammar, message, index, log)

    def json_content(self, head: Head, content: str, path: str, log: Log) -> str:
        """Return arguments or a result as they are written: JSON values as compact JSON."""
        return self.grammar.json_content(head.message(content, None), path, log)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether a message is a text or a thought, which is written the same way whatever its content."""
        return head.role != "tool" and not head.calls and not head.has_extras

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: calls and replies may be written as values, depending on it."""
        if self.depends_on_head_only(head):
            return ANY_CONTENT
        return self.grammar.classify(head, content) if head.bare else None

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the fragment of a wire message for a message, and the message that is read from it."""
        unit, image, after = spelled(self.grammar, group[0], cast("Joint", state))
        return WrittenUnit(unit, [image], after)

    def body(self, units: list[Unit], around: Transcript, state: State) -> Body:
        """Return the system prompt and the wire messages, and the wire messages of the alternative answers."""
        return Body(self._joined(units), [self._wires(one.messages) for one in around.alternatives or ()])

    def is_read_as(self, split: SplitDocument, body: Body) -> bool:
        """Return whether the units that are read are the same as those that were written."""
        read, units = split.units, body.units
        return len(read) == len(units) and all(
            one is other or isinstance(one, Top) is isinstance(other, Top) is True
            for one, other in zip(read, units, strict=True)
        )

    def branches(self, split: SplitDocument, around: Transcript) -> Branches | None:
        """Return the alternative answers of a document that was read, or None."""
        shell = cast("Shell", split.document)
        if not shell.branches:
            return None
        alternatives = cast("BlockReader", self.own_reader).alternatives(shell)
        return Branches(alternatives, [branch.wires for branch in shell.branches])

    def envelope_key(self, units: list[Unit], around: Transcript, state: State) -> Hashable | None:
        """Return whether a request has a system prompt; None for a document of another shape."""
        if not self.grammar.notes.of(around.layout).keys().isdisjoint(self.others):
            return None
        return bool(units) and units[0][ROLE] == TOP

    def with_units(self, envelope: Json, units: list[Unit], around: Transcript) -> Json:
        """Return a request with other wire messages in an envelope."""
        return super().with_units(envelope, self._joined(units), around)

    def _joined(self, units: list[Unit]) -> list[Any]:
        """Return the system prompt, if there is one, and the wire messages."""
        wires: list[Any] = wires_of(self.grammar, units)
        if units and units[0][ROLE] == TOP:
            wires[0] = Top(wires[0])
        return wires

    def _wires(self, messages: Sequence[Message]) -> list[Json]:
        """Return the wire messages of an alternative."""
        units: list[Object] = []
        state: Joint = None
        for index, item in enumerate(map(item_of, messages)):
            message = self.nearest(message_of((item[0].local(self.home), *item[1:])), index, Log())
            if message is not None and message.role != "system":
                unit, _, state = spelled(self.grammar, settled(self.grammar, message, "", Log()), state)
                units.append(unit)
        return wires_of(self.grammar, units)

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the conversation, with preambles and with names of tools that follow from the neighbours."""
        with_preambles(items)
        name_replies(items, Log())
        return Conversation(items, around)
