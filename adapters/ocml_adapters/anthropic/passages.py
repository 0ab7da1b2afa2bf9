"""Read and write blocks of texts that an answer may cite: search results, and documents whose source is `content`."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.chat.cache_marks import CONTROL
from ocml_bridge.chat.citations import read_citable, write_citable
from ocml_bridge.json_values.form import ARRAY, OBJECT, Object, add, rest
from ocml_bridge.model import Json, Passages

from .syntax import CACHE, CITATIONS, DOCUMENT, NOTES, SEARCH_RESULT, TEXT

_CONTENT: Final = "content"
"""The member with the texts, the type of a source with this member, and the extras key of the texts' other members."""
CONTEXT: Final = "context"
"""The member of a document with the context in which it is given."""
_PLAIN: Final = "text"
"""The layout of a document whose content is one text and no list."""


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
    mark = CONTROL.read(block)
    passages = Passages(tuple(each["text"] for each in texts), source=source, cache=mark)
    known = ["type", "source"] if source is None else ["type", "source", _CONTENT]
    if isinstance(title := block.get("title"), str):
        passages.title = title
        known.append("title")
    if source is None and isinstance(context := block.get(CONTEXT), str):
        passages.context = context
        known.append(CONTEXT)
    if (citable := read_citable(block.get(CITATIONS))) is not None:
        passages.citable = citable
        known.append(CITATIONS)
    if passages.cache is not None:
        known.append(CACHE)
    extras = rest(block, known)
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
    titled = {} if passages.title is None else {"title": passages.title}
    if passages.source is None:
        block: Object = {"type": DOCUMENT, "source": {"type": _CONTENT, _CONTENT: content}, **titled}
        if passages.context is not None:
            block[CONTEXT] = passages.context
    else:
        block = {"type": SEARCH_RESULT, "source": passages.source, **titled, _CONTENT: content}
    if passages.citable is not None:
        block[CITATIONS] = write_citable(passages.citable)
    block |= CONTROL.write(passages.cache)
    return add(block, extras)
