"""Read and write blocks of texts that an answer may cite: search results, and documents whose source is `content`."""

from __future__ import annotations

from typing import cast

from ocml_bridge.chat.citations import read_citable, write_citable
from ocml_bridge.json_values.form import Object
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json, Media, Passages
from ocml_bridge.wires.blocks.grammar import block_with, more_of, with_inner

from .parts import CONTEXT, DOCUMENT, document_name, is_media, layout_of_name, read_media, write_media
from .syntax import CITATIONS, CONTENT, NOTES, SEARCH_RESULT


def read_passages(kind: str, inner: Object, more: Object) -> Passages | None:
    """Return the passages of a block; None if it has none.

    Args:
        kind: the kind of the block.
        inner: its value under the key of this name.
        more: its other members.
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
    fields = {field: inner[name] for field, name in names.items() if isinstance(inner.get(name), str)}
    known = [CONTENT if kind == SEARCH_RESULT else "source", *(names[field] for field in fields)]
    if citable is not None:
        fields["citable"] = citable
        known.append(CITATIONS)
    extras = with_inner(more, kind, more_of(inner, tuple(known)))
    layout = layout_of_name(fields.get("title", "")) if kind == DOCUMENT else {}
    return Passages(texts, **fields, extras=NOTES.by_format(extras), layout=NOTES.by_format(layout))


def _texts(value: Json) -> tuple[str, ...] | None:
    """Return the texts of a list of blocks that have only a text each; None for any other value."""
    blocks = items_of(value)
    if not isinstance(value, list) or not all(map(_is_text, blocks)):
        return None
    return tuple(block["text"] for block in blocks)


def _is_text(block: Json) -> bool:
    members = members_of(block)
    return list(members) == ["text"] and isinstance(members["text"], str)


def write_passages(passages: Passages) -> Object | None:
    """Return the block of passages; None for a search result without a title, which the API requires."""
    texts: list[Json] = [{"text": text} for text in passages.texts]
    if passages.source is None:
        kind = DOCUMENT
        inner: Object = {"name": document_name(passages.title, NOTES.of(passages.layout)), "source": {CONTENT: texts}}
        if passages.context is not None:
            inner[CONTEXT] = passages.context
    elif passages.title is not None:
        kind = SEARCH_RESULT
        inner = {"source": passages.source, "title": passages.title, CONTENT: texts}
    else:
        return None
    if passages.citable is not None:
        inner[CITATIONS] = write_citable(passages.citable)
    return block_with(kind, inner, NOTES.of(passages.extras))


# --- media or passages ------------------------------------------------------------------------------------------------
#
# A document is either, depending on its source.


def read_media_or_passages(kind: str, inner: Object, more: Object) -> Media | Passages | None:
    """Return the passages or the medium of a block, or None; the arguments are those of `read_passages`."""
    passages = read_passages(kind, inner, more)
    return read_media(kind, inner, more) if passages is None and is_media(kind) else passages


def write_media_or_passages(part: Media | Passages) -> Object | None:
    """Return the block of passages or of a medium; None if the format has no place for it."""
    return write_media(part) if isinstance(part, Media) else write_passages(part)
