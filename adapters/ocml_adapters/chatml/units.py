"""Write a conversation as the text of a family's frames.

`FamilyFrames` prepares the document, writes each frame, and reads it again to find what it reads as. In the end it
checks that the whole text is read as one of this family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_fields
from typing import Final, NamedTuple, cast

from ocml_bridge.chat.turns import is_call
from ocml_bridge.chat.visibility import is_private
from ocml_bridge.engine.reading import transcript_of
from ocml_bridge.formats.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Message, Tools, Transcript, replace
from ocml_bridge.report.narrowing import drop_message, drop_silent, narrow
from ocml_bridge.text.calls import constraint_of, is_embedded
from ocml_bridge.text.control import ControlTokens
from ocml_bridge.text.edges import gap_behind, recall_tail
from ocml_bridge.text.im import Frame, spell
from ocml_bridge.text.plain import has_no_place
from ocml_bridge.units.conversation import Conversation, conversation_of
from ocml_bridge.units.grammar import (
    A_STRING,
    AN_OBJECT,
    ANY_CONTENT,
    JSON_IN_A_STRING,
    ContentClass,
    Enclosed,
    State,
    Unit,
    WrittenUnit,
)
from ocml_bridge.units.heads import Head, Item, message_of
from ocml_bridge.units.writer import Prepared, UnitWriter

from .arguments import PARAMETERS, prepare_arguments, remembers, report_respelling, schemas_for
from .around import DeclaredTools, around_of, dialect_of, with_tools
from .detect import declaring_frame, family_of, may_have_markup
from .families import FAMILIES, UNTYPED, Family
from .frames import Contents, Place, default_frame, gap_after, kind_of, read_again, schemas_of
from .headers import read_speaker, with_known_role
from .markup.parts import ARGUMENTS, NO_SCHEMAS, positioned
from .markup.segments import THOUGHT_END
from .markup.spelling import as_json, same_json
from .markup.write_body import is_spelled
from .plain import plain_open_turn, state_after
from .prepare import Draft, remembered_of, share_a_frame, turn
from .reader import TextReader
from .spelling import APART, CLOSING, notes_about, opening_of, recalled, with_notes
from .syntax import END, GRAMMAR, HOME, MARKS, NOTES, START, TEXT, control_of, ends_turn, may_be_markup


class WriteState(NamedTuple):
    """The state after a frame.

    Attributes:
        same_family: whether the document was read from a text of the same family, so that bodies are written as they
            were.
        closed: whether the frame has an end token, or the token if it ends a text; None if there is no frame yet.
        header: a header that stands for the frame's.
        leading: whether the next frame may declare the tools of the document.
    """

    same_family: bool
    closed: str | bool | None = None
    header: str = ""
    leading: bool = True

    @property
    def frame(self) -> Frame | None:
        """A stand-in for the frame before; None if there is none."""
        if self.closed is None:
            return None
        end = self.closed if isinstance(self.closed, str) else END if self.closed else ""
        return Frame("", START, self.header, True, "", end, 0, False)


class FamilyFrames(UnitWriter):
    """Writes frames as a family does.

    Args:
        options: how to write; the dialect is the name of the family.
    """

    target = TEXT.id
    home = HOME
    keeps_signatures = False
    mark = ""
    groups = True

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._family: Final[Family] = FAMILIES[options.dialect or ""]
        grammar = self._family.grammar
        self._arguments: Final = None if grammar is None else ContentClass('{"', '": "x"}', grammar.plain)

    def inert(self, text: str) -> bool:
        """Return whether a text contains no token and no tag, intact or broken, and no white space at its ends."""
        return text != "" and text == text.strip() and not may_be_markup(text)

    def prepare(self, conversation: Conversation, log: Log) -> Prepared:
        """Return the document with its tools among the messages, and with the tool of each reply."""
        same_family = dialect_of(conversation.around) == self._family.name
        draft = Draft(conversation, self._family, log, same_family=same_family)
        raw = self._family.declaration.tools.raw
        if raw is not None and draft.tools:
            policy = "refuse" if self.options.control_tokens == "refuse" else "neutralise"
            MARKS.guard(raw(draft.tools), policy, "/tools", log)
        prepare_arguments(draft.items, draft.origins, self._family, schemas_of(draft.tools), log)
        return Prepared(draft.items, conversation.around, draft.origins, WriteState(same_family))

    def prepares_by_head(self, head: Head, content: str) -> bool:
        """Return whether the preparation does not depend on a content: it does on arguments that are not JSON."""
        return self._family.grammar is None or not head.calls

    def nearest(self, message: Message, index: int, log: Log) -> Message | None:
        """Return a message of one text; None for a blank thought, and for private text of others, which is reported."""
        message = with_known_role(message)
        private, path = is_private(message), f"/messages/{index}"
        if has_no_place(message) and message.role != "assistant":
            return drop_message(log, index, f"{TEXT.id} has private reasoning of the assistant only")
        content = cast("str", narrow(message.content, (), f"{path}/content", log, target=TEXT.id, private=private))
        blank = not content.strip() and self._family.apart is None
        if private and message.role == "assistant" and blank:
            return drop_silent(log, index, TEXT.id)
        return turn(message, content, private=private)

    def joins(self, before: Head, head: Head) -> bool:
        """Return whether a message shares the frame of the one before it."""
        if head.role == "tool":
            return self._family.responses.between is not None and not remembers(head, APART)
        if head.role == "system":
            return head.continues
        return head.role == "assistant" and share_a_frame(before, head, self._family)

    def depends_on_head_only(self, head: Head) -> bool:
        """Return whether the head alone decides how a content is written; not for arguments and remembered bodies."""
        return not (head.calls or remembers(head, "body"))

    def classify(self, head: Head, content: str) -> ContentClass | None:
        """Return the class of a content: contents of one class are written alike; None if it is written singly."""
        if self.depends_on_head_only(head):
            return ANY_CONTENT
        if not head.calls or head.end is None or remembers(head, "body", PARAMETERS):
            return None
        if self._family.grammar is not None:
            return None if self._family.grammar.plain(content) is None else self._arguments
        if is_embedded(content):
            return AN_OBJECT
        return A_STRING if constraint_of(content) is None else JSON_IN_A_STRING

    def write_unit(
        self, group: Sequence[Message], state: State, *, last: bool, paths: Sequence[str], log: Log
    ) -> WrittenUnit:
        """Return the text of a frame, the messages that it reads as, and the state after it."""
        previous = cast("WriteState", state)
        notes = remembered_of(group[0], same_family=previous.same_family)
        closing = notes.pop(CLOSING, False) is True
        notes.pop(PARAMETERS, None)
        schemas = schemas_for(group) if isinstance(self._family.grammar, UNTYPED) or "body" in notes else NO_SCHEMAS
        place = Place(self._family, previous.frame, last, schemas=schemas, closing=closing, leading=previous.leading)
        contents = _contents(group, opening_of(notes))
        frame = recalled(contents, notes, place)
        default = default_frame(contents, place)
        written, image_contents = contents, read_again(frame, contents, place)
        if (
            not previous.same_family
            and frame.body == default.body
            and len(image_contents.messages) == len(contents.messages)
        ):
            # Line breaks at the ends of texts may be read as markup. The layout cannot keep them, because a reader may
            # find another family. So the frame is written as what it reads as; without any such line breaks, if what it
            # reads as then has fewer of them again.
            for shortened in (image_contents, _without_breaks(image_contents)):
                rewritten = default_frame(shortened, place)
                if rewritten.body == frame.body:
                    break
                written = shortened
                frame = default = with_fields(frame, body=rewritten.body)
                image_contents = read_again(frame, contents, place)
                if default_frame(image_contents, place).body == frame.body:
                    break
        if frame.body == default.body:
            self._guard(contents, paths, log)
        image = self._image(group, image_contents, frame, place)
        _report_respelling(group, image, paths, log)
        if frame.body == default.body and self.options.control_tokens == "raw":
            frame = with_fields(frame, body=default_frame(written, place, raw=True).body)
        leading = previous.leading and contents.tools is None and read_speaker(frame.header).role == "system"
        after = previous._replace(closed=state_after(frame), header=kind_of(frame) or "", leading=leading)
        return WrittenUnit(spell([frame], ""), image, after)

    def _guard(self, contents: Contents, paths: Sequence[str], log: Log) -> None:
        """Report, or refuse, the tokens in contents, which are broken."""
        for each, path in zip(contents.messages, paths, strict=False):
            control = self._control(each)
            if control is not None:
                text = as_json(str(each.content)) if is_call(each) else str(each.content)
                control.guard(text, self.options.control_tokens, f"{path}/content", log)

    def _control(self, each: Message) -> ControlTokens | None:
        """Return the tokens that the text of a message must not contain; None for JSON, which has an escape."""
        if not is_call(each):
            return control_of(each.role)
        return ARGUMENTS if self._family.grammar is not None and is_spelled(each) else None

    def _image(self, group: Sequence[Message], contents: Contents, frame: Frame, place: Place) -> list[Message]:
        """Return the messages that a frame reads as, and one for the tools that it declares."""
        image = with_notes(frame, contents, place) if contents.messages else []
        for source, each in zip(group, image, strict=False):
            if each.role == "tool" and each.name is None:
                each.name = source.name
        if contents.tools is not None:
            declared = Message("system", (Tools(contents.tools),), continues=image != [])
            if not image:
                layout, extras = notes_about(frame, contents, place)
                declared.layout, declared.extras = NOTES.by_format(layout), NOTES.by_format(extras)
            image.append(declared)
        return image

    def enclose(self, units: list[Unit], around: Transcript, state: State) -> Enclosed:
        """Return the output: the frames, the open turn and the tail."""
        previous = cast("WriteState", state)
        before, image = previous.frame, around.open_turn
        if image is not None:
            notes = remembered_of(image, same_family=previous.same_family)
            turn, place = plain_open_turn(with_known_role(image)), Place(self._family, before, is_open_turn=True)
            contents = Contents([turn], opening_of(notes, open_turn=True) if turn.role == "assistant" else "")
            frame = recalled(contents, notes, place)
            units.append(spell([frame], ""))
            speaker = read_speaker(frame.header)
            turn.role, turn.name = speaker.role, speaker.full_name
            image, before = with_notes(frame, Contents([turn], frame.body), place)[0], frame
        default = gap_after(before, self._family)
        tail = recall_tail(NOTES.together(around.layout, around.extras), default, GRAMMAR, before)
        if ends_turn(tail) and not previous.same_family:
            tail = default
        output = "".join((*units, tail))
        if self.options.control_tokens == "raw":
            return Enclosed(output, around_of(None, tail, gap_behind(before), image))
        family = self._read_family(output)
        if family is self._family or (family is None and self._family.apart is None):
            return Enclosed(output, around_of(family, tail, gap_after(before, family), image))
        # The reader finds another family, so the layout has to keep what that family would write otherwise.
        return Enclosed(output, transcript_of(TextReader(self.options), output, Log()))

    def _read_family(self, output: str) -> Family | None:
        """Return the family that a reader finds for a text."""
        frames, tail = GRAMMAR.frames(output)
        return family_of(frames, declaring_frame(frames), tail) if may_have_markup(output, frames) else None

    def relate_image(self, items: list[Item], around: Transcript, log: Log) -> Conversation:
        """Return the document that the frames read as together: tools move from their message to the document."""
        if around.messages:
            return conversation_of(around)
        for at, item in enumerate(items):
            if item[0].role != "system":
                break
            declared = message_of(item)
            if isinstance(declared.content, str):
                continue
            del items[at]
            (part,) = cast("tuple[Tools]", declared.content)
            alone = not declared.continues
            layout, extras = NOTES.together(declared.layout), NOTES.together(declared.extras)
            place = at if alone else at - 1
            tools = DeclaredTools(part.tools, place, alone, layout, extras)
            followed = at < len(items) and items[at][0].role == "system" and items[at][1] != ""
            return Conversation(items, with_tools(around, tools, before_text=alone and followed))
        return Conversation(items, around)


def _contents(group: Sequence[Message], opening: str) -> Contents:
    """Return the contents of a frame with some messages."""
    tools = next((part for each in group for part in each.content if isinstance(part, Tools)), None)
    messages = [replace(each) for each in group if isinstance(each.content, str)]
    if messages and messages[0].role == "assistant":
        messages = positioned(messages)
        ended = THOUGHT_END in opening or (len(messages) == 1 and messages[0].content == "")
        opening = opening if ended else ""
    return Contents(messages, opening, None if tools is None else tools.tools)


def _without_breaks(contents: Contents) -> Contents:
    """Return contents without line breaks at the ends of texts and thoughts."""
    messages = [
        each if is_call(each) else replace(each, content=str(each.content).strip("\n")) for each in contents.messages
    ]
    return contents._replace(messages=messages)


def _report_respelling(group: Sequence[Message], image: Sequence[Message], paths: Sequence[str], log: Log) -> None:
    """Report arguments that are the same JSON in another spelling."""
    for source, each, path in zip(group, image, paths, strict=False):
        old, new = str(source.content), str(each.content)
        if is_call(source) and old != new and same_json(old, new):
            report_respelling(old, new, path, log)
