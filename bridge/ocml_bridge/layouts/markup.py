"""Separate reasoning in the tags that a plan names from the texts of any document, and find that in other tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from ..loss import Finding, FindingCode, Severity
from ..model import Json
from . import thoughts
from .fitting import as_list, as_object, members_of
from .layout import Document, Layout, Object, Reads, Wording
from .messages import ROLES, message

_HOLDERS: Final = (
    *("messages", "input", "preferred_output", "non_preferred_output", "alternatives"),
    *("conversations", "chosen", "rejected", "choices", "message"),
)
"""Members of documents that hold messages, or other objects that do."""
_HOLDER_OF_VALUES: Final = "conversations"
"""The member whose turns have their text in `value`."""
_ROLES: Final = ("role", "from")
_TEXTS: Final = ("content", "value")
FORMATS: Final = frozenset({"openai", "sharegpt", "canonical", "anthropic"})
"""The formats of documents whose texts are looked at."""
_THINK: Final = Wording(thoughts=("think",))
_Change = Callable[[Object, str], Object]


def finding_thoughts(layout: Layout) -> Layout:
    """Return a layout that separates the reasoning in tags that a plan names, and finds that in other tags."""
    if layout.format not in FORMATS:
        return layout
    return replace(layout, reads=partial(_read_and_find, layout.format, layout.reads))


def _read_and_find(form: str, reads: Reads, fields: Object, wording: Wording) -> Sequence[Document]:
    documents = _separated(form, reads, fields, wording)
    found = [_unread(form, each.value) for each in documents]
    if not any(found):
        return documents
    if form == "canonical":  # what their answers were read from may be of other formats
        named = replace(wording, thoughts=(*wording.thoughts, *(tag for places in found for tag, _ in places.values())))
        left = {tag for each in _separated(form, reads, fields, named) for tag, _ in _unread(form, each.value).values()}
        found = [{path: (tag, tag not in left) for path, (tag, _) in places.items()} for places in found]
    return [
        each._replace(findings=(*each.findings, *(_finding(path, *how) for path, how in places.items())))
        for each, places in zip(documents, found, strict=True)
    ]


def _separated(form: str, reads: Reads, fields: Object, wording: Wording) -> Sequence[Document]:
    return [each._replace(value=separated(each.value, form, wording)) for each in reads(fields, wording)]


def separated(document: Json, form: str, wording: Wording) -> Json:
    """Return a document with the reasoning in tags that are named apart from texts; unchanged in other formats."""
    if not wording.thoughts or form not in _SPLITS or not _may_have_tags(document):
        return document
    return _changed(document, "", lambda one, _: _SPLITS[form](one, wording))


def _split_turn(turn: Object, wording: Wording) -> Object:
    """Return a turn of ShareGPT with its reasoning in the tags that its format reads."""
    key = _text_key(turn)
    text = thoughts.text_of(turn, key)
    if text is None:
        return turn
    given = message("assistant", text)
    apart = thoughts.split(given, wording)
    if apart is given:
        return turn
    return thoughts.with_text(turn, key, thoughts.joined(apart, _THINK)["content"])


def _split_blocks(given: Object, wording: Wording) -> Object:
    """Return a message of Anthropic with its reasoning in the tags as a block."""
    apart = thoughts.split(given, wording)
    if apart is given:
        return given
    texts = [{"type": "text", "text": apart["content"]}] if isinstance(apart["content"], str) else apart["content"]
    blocks = [{"type": "thinking", "thinking": apart[thoughts.REASONING]}, *texts]
    kept = [block for block in blocks if block.get("text") != ""]
    return {key: kept if key == "content" else value for key, value in apart.items() if key != thoughts.REASONING}


_SPLITS: Final = {"openai": thoughts.split, "sharegpt": _split_turn, "anthropic": _split_blocks}


def _unread(form: str, document: Json) -> dict[str, tuple[str, bool]]:
    """Return the places of the texts of answers that begin with reasoning in tags.

    Each has its tag, and whether the reasoning is separated from the text if a plan names that.
    """
    found: dict[str, tuple[str, bool]] = {}
    if not _may_have_tags(document):
        return found

    def look(answer: Object, path: str) -> Object:
        key = _text_key(answer)
        text = thoughts.text_of(answer, key) if answer.get("channel") != "analysis" else None
        if text is not None and (tag := thoughts.opened_by(text) or thoughts.tag_of(text)) is not None:
            opens, closes = thoughts.fences(tag)
            if not (form == "sharegpt" and tag == "think" and opens in text and closes in text):
                found[f"{path}/{key}"] = tag, _SPLITS.get(form, _split_turn)(answer, _NAMING[tag]) is not answer
        return answer

    _changed(document, "", look)
    return found


_NAMING: Final = {tag: Wording(thoughts=(tag,)) for tag in thoughts.TAGS}


def _may_have_tags(document: Json) -> bool:
    """Return whether a document has any text with a tag, or anything else than one list of turns with texts."""
    members = members_of(document)
    [holder, *others] = [key for key in _HOLDERS if key in members] or [""]
    turns = as_list(members.get(holder))
    if turns is None or others:
        return True
    key = _TEXTS[holder == _HOLDER_OF_VALUES]
    texts = [each.get(key) if each.__class__ is dict else None for each in turns]
    return any(not isinstance(text, str) or "<" in text for text in texts)


def _finding(path: str, tag: str, is_separable: bool) -> Finding:
    hint = f"; 'thoughts: [{tag}]' in a plan reads it as reasoning" if is_separable else ""
    detail = f"the thought in `{thoughts.fences(tag)[0]}` is read as text{hint}"
    return Finding(FindingCode.MARKUP, Severity.CHANGED, path, detail)


def _text_key(answer: Object) -> str:
    return next((key for key in _TEXTS if answer.get(key) is not None), _TEXTS[0])


def _changed(value: Json, path: str, change: _Change) -> Json:
    """Return a document in which the messages of the assistant are changed; the same one if none is."""
    items = as_list(value)
    if items is not None:
        changed = [_changed(each, f"{path}/{at}", change) for at, each in enumerate(items)]
        return value if all(map(_is, changed, items)) else changed
    members = as_object(value)
    if members is None:
        return value
    word = next((members[key] for key in _ROLES if isinstance(members.get(key), str)), None)
    if word is not None:
        return change(members, path) if ROLES.get(word.lower(), word) == "assistant" else members
    changed = {key: _changed(members[key], f"{path}/{key}", change) for key in _HOLDERS if key in members}
    return value if all(_is(each, members[key]) for key, each in changed.items()) else {**members, **changed}


def _is(one: object, other: object) -> bool:
    return one is other
