"""Read and write blocks of texts that an answer may cite: search results, and documents whose source is `content`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import CONTROL, read_mark, write_mark
from ocml_bridge.chat.citations import read_citable, write_citable
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, rest
from ocml_bridge.json_values.parameters import nonempty_text
from ocml_bridge.model import Json, Media, Passages

from .syntax import CACHE, CITATIONS, DOCUMENT, NOTES, SEARCH_RESULT, TEXT

_CONTENT: Final = "content"
"""The member with the texts, the type of a source with this member, and the extras key of the texts' other members."""
CONTEXT: Final = "context"
"""The member of a document with the context in which it is given."""
_PLAIN: Final = "text"
"""The layout of a document whose content is one text and no list."""


OF_DOCUMENTS: Final = {"title": "title", CONTEXT: "context", CITATIONS: "citable", CACHE: "cache"}
"""The fields of passages by the members of a document beside its source."""
_OF_RESULTS: Final = {"title": "title", CITATIONS: "citable", CACHE: "cache"}
_LABELS: Final[dict[str, tuple[Callable[[Json], Any], Callable[[Any], Json]]]] = {
    **dict.fromkeys(("title", CONTEXT), (nonempty_text, str)),
    CITATIONS: (read_citable, write_citable),
    CACHE: (partial(read_mark, kind=CONTROL.kind), partial(write_mark, kind=CONTROL.kind)),
}
"""How each of these members is read and written."""


def read_labels(block: Object, fields: Mapping[str, str], *known: str) -> tuple[Object, Object]:
    """Return the fields of a block's members, and its members that are neither these nor known.

    Args:
        block: the block.
        fields: the fields by member.
        known: the other members that are read.
    """
    read = {key: _LABELS[key][0](block.get(key)) for key in fields}
    found = {key: value for key, value in read.items() if value is not None}
    return {fields[key]: value for key, value in found.items()}, rest(block, (*known, *found))


def write_labels(part: Media | Passages, fields: Mapping[str, str]) -> Object:
    """Return the members of a block for fields of its part."""
    values = ((key, getattr(part, field)) for key, field in fields.items())
    return {key: _LABELS[key][1](value) for key, value in values if value is not None}


def read_passages(block: Object) -> Passages | None:
    """Return the passages of a block; None if it has none."""
    source: Any = block.get("source")
    holder: Json = block
    if block.get("type") == DOCUMENT:
        if not isinstance(source, OBJECT) or source.get("type") != _CONTENT:
            return None
        holder, source = cast("Object", source), None
    elif not isinstance(source, str):
        return None
    content: Any = holder.get(_CONTENT)
    is_plain = isinstance(content, str) and source is None
    if is_plain:
        content = [{"type": TEXT, "text": content}]
    texts = cast("list[Object]", content)
    if not isinstance(content, ARRAY) or not all(map(_is_text, texts)):
        return None
    names, known = (OF_DOCUMENTS, ()) if source is None else (_OF_RESULTS, (_CONTENT,))
    fields, extras = read_labels(block, names, "type", "source", *known)
    if source is not None and block.get("title") == "":
        fields["title"] = ""
    passages = Passages(tuple(each["text"] for each in texts), source=source, **fields)
    if any(others := [rest(each, ("type", "text")) for each in texts]):
        extras[_CONTENT] = others
    passages.extras = NOTES.by_format(extras)
    passages.layout = NOTES.by_format({_CONTENT: _PLAIN} if is_plain else {})
    return passages


def _is_text(value: Json) -> bool:
    block: Any = value
    return isinstance(block, OBJECT) and block.get("type") == TEXT and isinstance(block.get("text"), str)


def write_passages(passages: Passages) -> Object | None:
    """Return the block of passages; None for a search result without a title, which the API requires."""
    if passages.source is not None and passages.title is None:
        return None
    extras = dict(NOTES.of(passages.extras))
    others: Any = extras.pop(_CONTENT, None)
    texts: list[Json] = [{"type": TEXT, "text": text} for text in passages.texts]
    if isinstance(others, ARRAY) and len(cast("list[Json]", others)) == len(texts):
        texts = [add(each, more) for each, more in zip(texts, cast("list[Json]", others), strict=True)]
    is_plain = NOTES.of(passages.layout).get(_CONTENT) == _PLAIN and len(texts) == 1
    content: Json = passages.texts[0] if is_plain else texts
    if passages.source is None:
        head: Object = {"type": DOCUMENT, "source": {"type": _CONTENT, _CONTENT: content}}
        return add({**head, **write_labels(passages, OF_DOCUMENTS)}, extras)
    head = {"type": SEARCH_RESULT, "source": passages.source, "title": passages.title, _CONTENT: content}
    return add({**head, **write_labels(passages, _OF_RESULTS)}, extras)
