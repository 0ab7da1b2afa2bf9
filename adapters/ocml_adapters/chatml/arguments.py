"""Arguments that a family spells otherwise than as JSON, as they are made ready before they are written.

Then a call is written alike whatever its function declares: what reads otherwise than it is has that declaration with
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ocml_bridge.chat.turns import is_call, name_of
from ocml_bridge.loss import Log, LossCode, Severity
from ocml_bridge.model import Content, Json, Message
from ocml_bridge.units.heads import Head, Item

from .families import Family
from .markup.argument_types import gives_back, types_given
from .markup.calls import Call, CallGrammar
from .markup.calls_xml import XmlCalls
from .markup.parts import ARGUMENTS, Schemas
from .markup.spelling import as_json, object_of
from .syntax import HOME, NOTES, TEXT

PARAMETERS: Final = "parameters"
"""The key of what a call's function declares, while it is written, where its arguments may read otherwise by that."""


def settle(items: list[Item], origins: Sequence[int] | None, family: Family, schemas: Schemas, log: Log) -> None:
    """Spell arguments anew that are written by their values, and give calls what their functions declare.

    Args:
        items: the messages; the list is changed.
        origins: for each its index in the document; None where they are all of it.
        family: how calls are written.
        schemas: of the functions that are declared.
        log: takes the arguments that are spelled anew.
    """
    grammar = family.grammar
    if grammar is None:
        return
    for run in _calls(items):
        notes = _is_remembered(items, run)
        texts = [None if notes else _spelled(items[at], grammar, schemas) for at in run]
        if family.calls == "python" and None in texts:
            continue  # one list, which is written as JSON if one of them has to be
        for at, text in zip(run, texts, strict=True):
            head, content, call_id = items[at]
            if text is not None and text != content:
                index = at if origins is None else origins[at]
                remark(str(content), text, f"/messages/{index}", log)
                items[at] = head, text, call_id
            elif text is None and not _reads_as_it_is(head, content, grammar, schemas):
                items[at] = _declaring(head, schemas), content, call_id


def keeps(head: Head, *keys: str) -> bool:
    """Whether a message remembers any of these of its frame."""
    if head.bare:
        return False
    notes = head.message("", None)
    return not NOTES.together(notes.layout, notes.extras).keys().isdisjoint(keys)


def remark(old: str, new: str, path: str, log: Log) -> None:
    """Report arguments that are the same JSON in another spelling; only one that takes nothing away is layout."""
    severity = Severity.LAYOUT if len(new) >= len(old) else Severity.CHANGED
    detail = f"{TEXT.id} writes the JSON of the arguments with other spacing or escapes"
    log.lose(LossCode.CONTENT, f"{path}/content", detail, severity)


def schemas_for(group: Sequence[Message]) -> Schemas:
    """What the functions declare that some messages call, as far as it matters to how these read.

    Where it does not, arguments are of the types that they have.
    """
    declared: dict[str, Json] = {}
    given: dict[str, dict[str, set[str]]] = {}
    for each in group:
        if is_call(each):
            name, notes = name_of(each.recipient or ""), NOTES.together(each.layout)
            if PARAMETERS in notes:
                declared[name] = notes[PARAMETERS]
            else:
                types_given(str(each.content), given.setdefault(name, {}))
    return {**{name: _schema(types) for name, types in given.items()}, **declared}


def _schema(types: Mapping[str, set[str]]) -> Json:
    return {"properties": {name: {"type": sorted(kinds)} for name, kinds in types.items()}}


def _calls(items: Sequence[Item]) -> Iterator[range]:
    """Where calls stand, those together that may be written as one list."""
    start = 0
    for at in range(len(items) + 1):
        if at == len(items) or not items[at][0].calls:
            if start < at:
                yield range(start, at)
            start = at + 1


def _is_remembered(items: Sequence[Item], run: range) -> bool:
    """Whether the frame of some calls may be spelled as it was."""
    first = run.start
    while first and items[first][0].continues:
        first -= 1
    return any(keeps(items[at][0], "body") for at in range(first, run.stop))


def _spelled(item: Item, grammar: CallGrammar, schemas: Schemas) -> str | None:
    """Arguments as a reader takes them out of their call; None where they are JSON there, or depend on more."""
    head, content, _ = item
    if head.role != "assistant" or head.end is None or not isinstance(content, str) or object_of(content) is None:
        return None
    text = as_json(content)
    if grammar.write([Call(name_of(head.recipient or ""), ARGUMENTS.neutralise(text))]) is None:
        return None
    return text if _reads_as_it_is(head, text, grammar, schemas) else None


def _reads_as_it_is(head: Head, content: Content, grammar: CallGrammar, schemas: Schemas) -> bool:
    """Whether arguments surely read as they are, by what their function declares."""
    if not isinstance(grammar, XmlCalls):
        return True  # types are spelled
    texts = grammar.texts(content) if isinstance(content, str) else None
    return texts is not None and gives_back(str(content), texts, schemas.get(name_of(head.recipient or "")))


def _declaring(head: Head, schemas: Schemas) -> Head:
    """The head of a call with what its function declares."""
    notes = NOTES.together(head.local(HOME).message("", None).layout)
    return head.replaced(layout=NOTES.by_format({**notes, PARAMETERS: schemas.get(name_of(head.recipient or ""))}))
