"""Blocks that give texts to be cited, both ways: search results, and documents whose source is `content`."""

from __future__ import annotations

from typing import cast

from ocml_bridge.chat.citations import read_citable, write_citable
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Json, Passages
from ocml_bridge.wires.blocks.grammar import added, more_of

from .parts import CONTEXT, DOCUMENT, document_name
from .syntax import CITATIONS, CONTENT, NOTES, SEARCH_RESULT


def read_passages(kind: str, inner: Object, more: Object) -> Passages | None:
    """Passages of a block; None for one that gives none.

    Args:
        kind: of the block.
        inner: what it holds.
        more: what stands beside that.
    """
    source, citable = inner.get("source"), read_citable(inner.get(CITATIONS))
    if kind == SEARCH_RESULT and isinstance(source, str) and isinstance(inner.get("title"), str):
        names, texts = {"source": "source", "title": "title"}, _texts(inner.get(CONTENT))
    elif kind == DOCUMENT and isinstance(source, dict) and list(cast("Object", source)) == [CONTENT]:
        names, texts = {"title": "name", "context": CONTEXT}, _texts(cast("Object", source)[CONTENT])
    else:
        return None
    if texts is None:
        return None
    fields = {ours: inner[name] for ours, name in names.items() if isinstance(inner.get(name), str)}
    known = [CONTENT if kind == SEARCH_RESULT else "source", *(names[ours] for ours in fields)]
    if citable is not None:
        fields["citable"] = citable
        known.append(CITATIONS)
    if inside := more_of(inner, tuple(known)):
        more = {**more, kind: inside}
    return Passages(texts, **fields, extras=NOTES.by_format(more))


def _texts(value: Json) -> tuple[str, ...] | None:
    """The texts of a list of blocks that are nothing else; None for any other value."""
    blocks = cast("list[Object]", value) if isinstance(value, list) else []
    if not isinstance(value, list) or not all(map(_is_text, blocks)):
        return None
    return tuple(block["text"] for block in blocks)


def _is_text(block: Json) -> bool:
    members = cast("Object", block) if isinstance(block, dict) else {}
    return list(members) == ["text"] and isinstance(members["text"], str)


def write_passages(passages: Passages) -> Object | None:
    """Passages as a block; None for a search result without a title, which the API asks for."""
    texts: list[Json] = [{"text": text} for text in passages.texts]
    if passages.source is None:
        kind = DOCUMENT
        inner: Object = {"name": document_name(passages.title), "source": {CONTENT: texts}}
        if passages.context is not None:
            inner[CONTEXT] = passages.context
    elif passages.title is not None:
        kind = SEARCH_RESULT
        inner = {"source": passages.source, "title": passages.title, CONTENT: texts}
    else:
        return None
    if passages.citable is not None:
        inner[CITATIONS] = write_citable(passages.citable)
    extras = NOTES.of(passages.extras)
    own = {key: value for key, value in extras.items() if key != kind}
    return added({kind: added(inner, extras.get(kind))}, own)
