"""What OpenChatML 2.2 can hold of a document: nearly all of it."""

from __future__ import annotations

import re
from typing import Final, cast

from ocml_bridge.adapter import Options
from ocml_bridge.errors import BridgeError
from ocml_bridge.fit import narrow
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Completion, Document, Message, Thought, Tools, Transcript, replace
from ocml_bridge.pairing import synthesise_ids
from ocml_bridge.text import attributes, developer, thoughts
from ocml_bridge.text.channels import evident
from ocml_bridge.turns import as_transcript, infer_grouping, is_thought, with_namespace
from ocml_bridge.visibility import channelled, closed

from . import spelling
from .document import GENERATION, PLAIN, DocumentHeader, read_back
from .header import render_header
from .syntax import HOME, MAX_FRAME_HEADER, VERSION, is_last_answer


def fit(document: Document, options: Options, log: Log) -> Document:
    """The image of a document in OpenChatML 2.2."""
    transcript = as_transcript(document, log) if isinstance(document, Completion) else document
    narrowed = tuple(near(message, index, log) for index, message in enumerate(transcript.messages))
    transcript = developer.empty(replace(transcript, messages=narrowed), _empty, log, target=HOME)
    transcript = developer.fit(transcript, log, lenient=True)
    numbered = synthesise_ids(transcript.messages, HOME)
    messages = [fitted(message, first=index == 0) for index, message in enumerate(numbered)]
    open_turn = transcript.open_turn
    if open_turn is not None:
        open_turn = _open_turn(open_turn, first=not messages)
    image = headed(transcript, log, alone=not messages and open_turn is None and transcript.tools is None)
    image = replace(image, messages=tuple(messages), tools=transcript.tools, open_turn=open_turn)
    extras = spelling.document_extras(transcript, image)
    image = replace(image, extras=extras)
    last = len(messages) - 1 if open_turn is None else -1
    tail = "tail" in spelling.own(extras)
    ends = [ended(message, last=index == last, tail=tail) for index, message in enumerate(messages)]
    image = replace(image, messages=infer_grouping(ends))
    return replace(image, layout=spelling.document_layout(transcript.layout, image))


def headed(transcript: Transcript, log: Log, *, alone: bool) -> Transcript:
    """What the document header says of a transcript: header, settings, and generation settings of others.

    Args:
        transcript: what is written.
        log: takes what goes without saying.
        alone: whether nothing stands behind the header.
    """
    said = _header(transcript, log, alone=alone)
    return Transcript(
        header=None if said.header == PLAIN.header else said.header,
        settings=said.settings,
        extras={HOME: {GENERATION: said.others}} if said.others else None,
    )


def _header(transcript: Transcript, log: Log, *, alone: bool) -> DocumentHeader:
    """The header as it will be read; one that says nothing but the version goes without saying."""
    said = spelling.header_of(transcript)
    clean = said._replace(header=replace(said.header, version=said.header.version or VERSION, layout=None))
    if clean == PLAIN:
        if transcript.header is not None and transcript.header.layout is None:
            log.lose(LossCode.HEADER, "/header", f"that the version is {VERSION} goes without saying", Severity.LAYOUT)
    else:
        try:
            clean = read_back(clean) or PLAIN
        except BridgeError:  # too long or too deep to be read again
            clean = PLAIN
    layout = spelling.header_layout(said.header.layout, clean, alone=alone)
    return clean if layout is None else clean._replace(header=replace(clean.header, layout=layout))


def near(message: Message, index: int, log: Log) -> Message:
    """A message with its content as texts and, in private reasoning, thought markers; tools are moved out later."""
    if isinstance(message.content, str):
        return message
    message = channelled(message)
    holds = {Thought, Tools} if is_thought(message) else {Tools}
    content = narrow(message.content, holds, f"/messages/{index}/content", log, target=HOME)
    return replace(message, content=thoughts.tidy(content))


def _empty(message: Message, *, first: bool) -> Message:
    return replace(fitted(message, first=first), layout=message.layout, end=message.end)


def fitted(message: Message, *, first: bool) -> Message:
    """A message as its frame reads, but for how it ends.

    Args:
        message: as `near` gives it, with its id.
        first: whether it is the first one.
    """
    clean = replace(message, failed=None, weight=None, **_safe(message))  # type: ignore[arg-type]
    clean = replace(clean, extras=spelling.message_extras(message.extras, first=first), layout=None)
    clean = _bounded(closed(message, _bounded(clean)))
    return replace(clean, layout=spelling.message_layout(message.layout, clean, first=first))


def _bounded(message: Message) -> Message:
    """A message whose header is short enough to be read again: else it is without its longest values."""
    values = [getattr(message, name) or "" for name in _VALUES]
    unknown = cast("dict[str, str]", spelling.own(message.extras).get("attributes") or {})
    if sum(map(len, (message.role, *values, *unknown, *unknown.values()))) < MAX_FRAME_HEADER // 2:
        return message
    while len(render_header(message, unknown)) > MAX_FRAME_HEADER:
        longest = max(_VALUES, key=lambda name: len(getattr(message, name) or ""))
        if getattr(message, longest) is not None:
            message = replace(message, **{longest: None})
        elif unknown:
            before = {key: value for key, value in spelling.own(message.extras).items() if key != "attributes"}
            message, unknown = replace(message, extras={HOME: before} if before else None), {}
        else:
            message = replace(message, role=message.role[: MAX_FRAME_HEADER // 2])
    return message


_VALUES: Final = ("name", "channel", "recipient", "call_id", "intent", "content_type", "constraint")


def _safe(message: Message) -> dict[str, str | None]:
    """Header values as the grammar gives them back; one that it cannot hold is left out."""
    role = message.role if attributes.is_safe(message.role) else _UNSAFE.sub("_", message.role) or "unknown"
    values: dict[str, str | None] = {"role": role}
    for name in _VALUES:
        value = cast("str | None", getattr(message, name))
        values[name] = value if value is None or attributes.is_safe(value) else None
    values["channel"] = values["channel"] and evident(values["channel"])
    if "." in role or role == "python":
        values.update(role="tool", name=role)
    elif role == "tool" and values["name"] is not None:
        values["name"] = with_namespace(values["name"])
    for name in ("channel", "constraint"):
        # A channel such as `to=x` would be read as the attribute.
        pair = attributes.attribute(values[name] or "")
        if pair is not None:
            values[name] = None
    return values


_UNSAFE: Final = re.compile(r"[\s<|\x00-\x1f\x7f\u200b\ufeff\ud800-\udfff]+")


def ended(message: Message, *, last: bool, tail: bool) -> Message:
    """A message as its frame ends: only the last may be cut off; a last answer has `<|return|>` (reading 16).

    Args:
        message: as `fitted` gives it.
        last: whether it is the last, and no turn is open.
        tail: whether text stands behind it.
    """
    if message.end is None:
        return message if last and not tail else replace(message, end="end")
    if last and is_last_answer(message) and "end" not in spelling.own(message.layout):
        return replace(message, end="return")
    return message


def _open_turn(message: Message, *, first: bool) -> Message:
    clean = replace(message, content="", failed=None, weight=None, **_safe(message))  # type: ignore[arg-type]
    clean = replace(clean, extras=spelling.message_extras(message.extras, first=first), layout=None)
    clean = _bounded(replace(clean, end=None, continues=False))
    return replace(clean, layout=spelling.message_layout(message.layout, clean, first=first))
