"""Prepare the arguments of calls for a family that does not write them as JSON.

Where the reader gives back the same values, arguments become the JSON that it would give, and the call can be written
without its schema. The other calls carry the schema of their function while they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Message
from ocml_bridge.units.heads import Head, Item
from ocml_bridge.units.relations import indices_of

from .families import UNTYPED, Family
from .markup.argument_types import add_types, reads_back
from .markup.calls import Call, CallGrammar
from .markup.parts import ARGUMENTS, Schemas
from .markup.spelling import as_json, object_of
from .syntax import HOME, NOTES, TEXT

PARAMETERS: Final = "parameters"
"""Key in the layout of a call, while it is written: the parameters of its function, if they decide how it reads."""


def prepare_arguments(
    items: list[Item], origins: Sequence[int] | None, family: Family, schemas: Schemas, log: Log
) -> None:
    """Write arguments as the JSON that they are read back as, and give other calls the schema of their function.

    Args:
        items: the messages; the list is changed.
        origins: for each item its index in the document; None if the items are the document's messages.
        family: the family that writes them.
        schemas: the parameters of the declared functions.
        log: takes a loss for arguments whose text changes.
    """
    grammar = family.grammar
    for run in _runs_of_calls(items):
        recalled = _may_be_recalled(items, run)
        if grammar is None or (recalled and not isinstance(grammar, UNTYPED)):
            if recalled:  # the frame may have calls as tags, whatever the family writes
                for at in run:
                    items[at] = _with_parameters(items[at][0], schemas), *items[at][1:]
            continue
        texts = [None if recalled else _respelled(items[at], grammar, schemas) for at in run]
        if family.calls == "python" and None in texts:
            continue  # one list, which is written as JSON if one of them has to be
        for at, text in zip(run, texts, strict=True):
            head, content, call_id = items[at]
            if text is not None and text != content:
                index = indices_of(items, origins)[at]
                report_respelling(str(content), text, f"/messages/{index}", log)
                items[at] = head, text, call_id
            elif text is None and not _reads_unchanged(head, content, grammar, schemas):
                items[at] = _with_parameters(head, schemas), content, call_id


def remembers(head: Head, *keys: str) -> bool:
    """Return whether the notes of a message have one of these keys."""
    return not NOTES.together(head.layout, head.extras).keys().isdisjoint(keys)


def report_respelling(old: str, new: str, path: str, log: Log) -> None:
    """Report arguments whose JSON is written with another spelling: as layout if no text is lost by it."""
    severity = Severity.LAYOUT if len(new) >= len(old) else Severity.CHANGED
    detail = f"{TEXT.id} writes the JSON of the arguments with other spacing or escapes"
    log.lose(LossCode.CONTENT, f"{path}/content", detail, severity)


def schemas_for(group: Sequence[Message]) -> Schemas:
    """Return the schemas of the functions that some messages call, with which their frame is read again.

    A call without the schema of its function gets one with the types of its own values.
    """
    declared: dict[str, Json] = {}
    types: dict[str, dict[str, set[str]]] = {}
    for each in group:
        if is_call(each):
            name, notes = name_of(each.recipient or ""), NOTES.together(each.layout)
            if PARAMETERS in notes:
                declared[name] = notes[PARAMETERS]
            else:
                add_types(str(each.content), types.setdefault(name, {}))
    return {**{name: _schema(by_argument) for name, by_argument in types.items()}, **declared}


def _schema(by_argument: Mapping[str, set[str]]) -> Json:
    return {"properties": {name: {"type": sorted(types)} for name, types in by_argument.items()}}


def _runs_of_calls(items: Sequence[Item]) -> Iterator[range]:
    """Yield the runs of neighbouring calls, which may be written as one list."""
    start = 0
    for at in range(len(items) + 1):
        if at == len(items) or not items[at][0].calls:
            if start < at:
                yield range(start, at)
            start = at + 1


def _may_be_recalled(items: Sequence[Item], run: range) -> bool:
    """Return whether the frame of some calls may be written as its notes remember."""
    first = run.start
    while first and items[first][0].continues:
        first -= 1
    return any(remembers(items[at][0], "body") for at in range(first, run.stop))


def _respelled(item: Item, grammar: CallGrammar, schemas: Schemas) -> str | None:
    """Return the arguments of a call as the reader returns them; None if they become JSON or need a schema."""
    head, content, _ = item
    if head.role != "assistant" or head.end is None or not isinstance(content, str) or object_of(content) is None:
        return None
    text = as_json(content)
    if grammar.write([Call(name_of(head.recipient or ""), ARGUMENTS.neutralise(text))]) is None:
        return None
    return text if _reads_unchanged(head, text, grammar, schemas) else None


def _reads_unchanged(head: Head, content: Content, grammar: CallGrammar, schemas: Schemas) -> bool:
    """Return whether arguments are certainly read unchanged, given the declared schema."""
    if not isinstance(grammar, UNTYPED):
        return True  # types are spelled
    texts = grammar.texts(content) if isinstance(content, str) else None
    return texts is not None and reads_back(str(content), texts, schemas.get(name_of(head.recipient or "")))


def _with_parameters(head: Head, schemas: Schemas) -> Head:
    """Return the head of a call with the schema of its function in its layout."""
    parameters = schemas.get(name_of(head.recipient or ""))
    return head.replaced(layout=NOTES.adding(head.local(HOME).layout, {PARAMETERS: parameters}))
