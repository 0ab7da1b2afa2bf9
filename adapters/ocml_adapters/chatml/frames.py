"""Read and write frames of any dialect: frame ↔ contents, which are its messages and the tools that it declares.

`default_frame` writes a frame as its family does; how a frame was spelled otherwise is remembered in `spelling`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ocml_bridge.chat.turns import full_name, is_call, is_thought
from ocml_bridge.loss import FindingCode, Log
from ocml_bridge.model import Message, Tool, replace
from ocml_bridge.text.edges import gap_behind
from ocml_bridge.text.im import Frame
from ocml_bridge.text.plain import ROLES as KNOWN_ROLES
from ocml_bridge.text.plain import header_for, message, name_from_header
from ocml_bridge.text.specials import end_inside, end_of_text_in

from .families import Declaration, Family
from .headers import CALLS, THOUGHT, TOOLS, Part, Speaker, read_speaker
from .markup.body import BodyReader
from .markup.call_lists import CallList, read_call_list, write_call_list
from .markup.declared import may_declare, read_declared, write_declared
from .markup.parts import ARGUMENTS, NO_SCHEMAS, Note, Schemas, ignore, message_of, positioned, report_call
from .markup.responses import ROLES, begins, read_responses, write_responses
from .markup.thoughts import OPENED
from .markup.write_body import RAW, Guard, call_of, write_body
from .plain import default_frame as plain_frame
from .syntax import CLOSERS, CONTROL, END, MARKUP, NOTES, START, TEXT, control_of, may_be_markup
from .unread import is_end, unread_tags

_OTHER_WORDS: Final = "the words around the tools are of no known chat template; they are a part of the text"

# --- reading ----------------------------------------------------------------------------------------------------------


class Contents(NamedTuple):
    """The contents of a frame.

    Attributes:
        messages: its messages; empty if it only declares tools.
        opening: the empty thought that an assistant's body begins with; "" if there is none.
        tools: the tools that it declares; None if it declares none.
        declaration: how it declares them.
    """

    messages: Sequence[Message]
    opening: str = ""
    tools: tuple[Tool, ...] | None = None
    declaration: Declaration | None = None


def read_frame(
    frame: Frame,
    before: Frame | None = None,
    *,
    declares: bool = False,
    note: Note = ignore,
    schemas: Schemas = NO_SCHEMAS,
) -> Contents:
    """Return the contents of a frame that is not the open turn.

    Args:
        frame: the frame.
        before: the frame before it; None if there is none.
        declares: whether tools in it are those of the document.
        note: takes the findings about its body.
        schemas: the parameters of the declared functions.
    """
    speaker = read_speaker(frame.header)
    if declares and may_declare_tools(frame):
        declared = read_declared(frame.body, TOOLS if speaker.part == "tools" else "system")
        if declared is not None:
            texts = [] if declared.text is None else [_text(speaker, declared.text, frame)]
            return Contents(texts, tools=declared.tools, declaration=declared.declaration)
    contents = _contents_of(frame, speaker, note, schemas)
    contents.messages[0].continues = goes_on(before, speaker)
    return contents


def _contents_of(frame: Frame, speaker: Speaker, note: Note, schemas: Schemas) -> Contents:
    """Return the contents of a frame that declares no tools."""
    if speaker.part == "thought":
        return Contents([_thought(frame, speaker)])
    if speaker.part == "calls":
        calls = read_call_list(frame.body, closed=frame.end != "")
        report_calls(calls, note)
        messages = positioned([message_of(call, speaker.name) for call in calls.calls])
        return Contents(messages or [_thought(frame, speaker)])
    if speaker.role == "assistant" and "<" in frame.body:
        reading = BodyReader(speaker.name, schemas, note)
        reading.feed(frame.body)
        body = reading.finish(closed=frame.end != "")
        return Contents(body.messages, body.opening)
    may_hold_tags = speaker.role in ROLES and speaker.dialect is None and "<" in frame.body
    replies = read_responses(frame.body) if may_hold_tags else None
    if replies is not None:
        messages = [_reply(reply, speaker, index) for index, reply in enumerate(replies)]
        messages[-1].end = "end" if frame.end else None
        return Contents(messages)
    return Contents([_text(speaker, frame.body, frame)])


def may_declare_tools(frame: Frame) -> bool:
    """Return whether a frame may declare tools."""
    speaker = read_speaker(frame.header)
    return speaker.part == "tools" or (speaker.role == "system" and may_declare(frame.body))


def goes_on(before: Frame | None, speaker: Speaker) -> bool:
    """Return whether what a speaker says goes on from the frame before: what the assistant says after a thought."""
    return before is not None and speaker.role == "assistant" and read_speaker(before.header).part == "thought"


def _thought(frame: Frame, speaker: Speaker) -> Message:
    """Return the message of a frame whose text nobody but the assistant may see."""
    text = control_of("assistant").restore(frame.body)
    return Message("assistant", text, speaker.name, "analysis", end="end" if frame.end else None)


def report_calls(calls: CallList, note: Note) -> None:
    """Report what was repaired in calls, is uncertain in them, or is missing; or that there are none."""
    if not calls.calls:
        code = FindingCode.TRUNCATED if calls.cut_off else FindingCode.JSON_OPAQUE
        note(code, 0, "the frame does not name its tools; its text is read as private")
    for at, call in enumerate(calls.calls):
        report_call(call, at, note)
    if calls.cut_off and calls.calls and calls.calls[-1].whole:
        note(FindingCode.END_MISSING, len(calls.calls) - 1, "the list of calls has no end")


def schemas_of(tools: Sequence[Tool] | None) -> Schemas:
    """Return the parameters of tools, by the name that calls use."""
    return {full_name(tool): tool.parameters for tool in tools or ()}


def _text(speaker: Speaker, body: str, frame: Frame) -> Message:
    text = control_of(speaker.role).restore(body)
    return message(speaker.role, text, speaker.full_name, "end" if frame.end else None)


def _reply(text: str, speaker: Speaker, index: int) -> Message:
    name = name_from_header("tool", speaker.name) if speaker.role != "user" else None
    reply = message("tool", CONTROL.restore(text), name)
    reply.continues = index > 0
    return reply


def holds_replies(frame: Frame) -> bool:
    """Return whether a frame holds replies of tools."""
    role = read_speaker(frame.header).role
    return role == "tool" or (role in ROLES and begins(frame.body) and read_responses(frame.body) is not None)


def kind_of(frame: Frame | None) -> str | None:
    """Return what the frame after a frame depends on: a header that stands for it; None if there is no frame."""
    if frame is None:
        return None
    speaker = read_speaker(frame.header)
    if speaker.part == "thought":
        return THOUGHT
    if speaker.part == "calls":
        return CALLS
    return "tool" if holds_replies(frame) else "assistant" if speaker.role == "assistant" else "user"


def report_markup(frame: Frame, contents: Contents, index: int, log: Log) -> None:
    """Report a tag of thoughts, tools, calls or replies that is text in this frame, or a list of tools that is text."""
    if contents.tools is None and read_speaker(frame.header).part == "tools":
        log.find(FindingCode.JSON_OPAQUE, f"/messages/{index}/content", "the frame does not list the tools; it is text")
    if contents.tools and contents.declaration is None:
        log.find(FindingCode.MARKUP, f"/messages/{index}/content", _OTHER_WORDS)
    if contents.tools is not None or not contents.messages:
        return
    first = contents.messages[0]
    if first.role == "assistant":
        for at, each in enumerate(contents.messages):
            if each.channel == "final" or each.intent is not None:
                tags = (tag for tag in unread_tags(str(each.content)) if tag in frame.body)  # others are broken
                _report_tag(next(tags, None), index + at, log)
                token = end_of_text_in(str(each.content))
                if token is not None and token in frame.body:
                    log.find(FindingCode.STRAY_TOKEN, f"/messages/{index + at}/content", end_inside(token))
        return
    if not may_be_markup(frame.body, first.role):
        return
    for at, each in enumerate(contents.messages):
        text = str(each.content)
        tags = MARKUP.get(each.role if each.role in KNOWN_ROLES else "assistant", ())
        _report_tag(next((tag for tag in tags if tag in text), None), index + at, log)


def _report_tag(tag: str | None, index: int, log: Log) -> None:
    if tag is None:
        return
    detail = f"`{tag}` is read as text here, and so is the markup of chat templates that follows it"
    if is_end(tag):
        detail = f"`{tag}` ends nothing that was read here; the text before it may be a thought or a call"
    log.find(FindingCode.MARKUP, f"/messages/{index}/content", detail)


# --- writing ----------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """The place of a frame. Place and contents together decide how the frame is spelled by default.

    Attributes:
        family: the family that writes it; None for ChatML without markup.
        before: the frame before it; None if there is none.
        last: whether it is the last frame.
        is_open_turn: whether it is the open turn.
        schemas: the parameters of the declared functions.
        closing: whether no message follows; an open turn may.
        leading: while it is written, whether tools in it would be those of the document.
    """

    family: Family | None
    before: Frame | None
    last: bool = False
    is_open_turn: bool = False
    schemas: Schemas = NO_SCHEMAS
    closing: bool = False
    leading: bool = False


def default_frame(contents: Contents, place: Place, *, raw: bool = False) -> Frame:
    """Return the frame that is written for some contents.

    Args:
        contents: the contents; of an open turn a message without content.
        place: the place of the frame.
        raw: whether tokens in content are left unbroken.
    """
    family, before, last, is_open_turn, _, closing, _ = place
    if family is None:
        return plain_frame(contents.messages[0], before, TEXT, last=last, is_open_turn=is_open_turn)
    first = contents.messages[0] if contents.messages else Message("system", "")
    header = header_for(first.role, first.name) if is_open_turn else header_of(contents, family)
    body = contents.opening if is_open_turn else body_of(contents, family, raw=raw, closing=closing)
    has_content = body != "" and OPENED.fullmatch(body) is None  # else it would be read as an open turn
    is_unfinished = is_open_turn or (
        last and first.role == "assistant" and contents.messages[-1].end is None and has_content
    )
    calls = family.apart is not None and header.startswith(family.apart.calls)
    return Frame(
        gap_after(before, family, calls=calls), START, header, True, body, "" if is_unfinished else END, 0, last
    )


def read_again(frame: Frame, contents: Contents, place: Place) -> Contents:
    """Return the contents that a frame, written for `contents`, reads as."""
    return read_frame(frame, place.before, declares=contents.tools is not None, schemas=place.schemas)


def gap_after(before: Frame | None, family: Family | None, *, calls: bool = False) -> str:
    """Return the default gap after a frame; `calls`: calls that have a frame of their own follow."""
    if family is None or before is None or not before.end or before.end in CLOSERS:
        return gap_behind(before)
    if family.apart is not None:
        speaker = read_speaker(before.header)
        if speaker.part == "calls":
            return family.apart.after_calls
        if speaker.role == "assistant" and not (speaker.part or calls):
            return family.apart.after_answer
    return family.responses.gap if holds_replies(before) else gap_behind(before)


def part_of(contents: Contents, family: Family | None) -> Part:
    """Return what a family's frame of its own holds if it is written for some contents; "" if it is no such frame."""
    messages = contents.messages
    if family is None or family.apart is None or contents.opening or not messages:
        return ""
    if all(map(is_call, messages)):
        return "calls"
    return "thought" if len(messages) == 1 and is_thought(messages[0]) else ""


def header_of(contents: Contents, family: Family) -> str:
    """Return the header that a family writes for some contents."""
    if not contents.messages:
        return (contents.declaration or family.declaration).header
    first = contents.messages[0]
    part = part_of(contents, family)
    if family.apart is not None and part:
        header = family.apart.calls if part == "calls" else family.apart.thought
        return f"{header} {header_for('', first.name)}".rstrip()
    return family.responses.role if first.role == "tool" else header_for(first.role, first.name)


def body_of(contents: Contents, family: Family, *, raw: bool = False, closing: bool = False) -> str:
    """Return the body that a family writes for some contents; tools are written as they were declared."""
    role = contents.messages[0].role if contents.messages else "system"
    guard = RAW if raw else Guard(control_of(role).neutralise, ARGUMENTS.neutralise)
    texts = [guard.text(str(message.content)) for message in contents.messages]
    if contents.tools is not None:
        return write_declared(texts[0] if texts else None, contents.tools, contents.declaration or family.declaration)
    if part := part_of(contents, family):
        return write_call_list([call_of(each) for each in contents.messages]) if part == "calls" else texts[0]
    if role == "assistant":
        return write_body(contents.messages, contents.opening, family, guard)
    return write_responses(texts, family.responses, closing=closing) if role == "tool" else texts[0]


def normal_tools(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Return tools without the layout and the extras of other formats."""
    return tuple(replace(tool, layout=None, extras=NOTES.by_format(NOTES.of(tool.extras))) for tool in tools)
