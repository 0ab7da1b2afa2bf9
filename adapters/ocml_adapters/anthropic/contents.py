"""Contents, both ways: a text, a list of blocks that are parts, or a value that nobody knows."""

from __future__ import annotations

from ocml_bridge.form import Object
from ocml_bridge.model import Content, Json, Text
from ocml_bridge.turns import parts_of

from .parts import read_parts, write_parts


def read_content(raws: list[Json], *, alone: bool) -> tuple[Content, Object]:
    """Blocks that are parts, as content, and how that was spelled.

    Args:
        raws: the blocks.
        alone: whether nothing stands beside them, so that one text might have been written without a list.
    """
    parts, forms = read_parts(raws)
    layout: Object = {"parts": forms} if forms else {}
    if len(parts) == 1 and isinstance(parts[0], Text) and parts[0].extras is None:
        return parts[0].text, {"content": "list", **layout} if alone else layout
    return parts, layout


def write_content(content: Content, layout: Object) -> Json:
    """Content as text, as a list of blocks, or as the value that it was."""
    spelled = layout.get("content")
    if isinstance(content, str):
        return write_parts((Text(content),), layout.get("parts")) if spelled == "list" else content
    if spelled == "bare" and len(content) == 1:
        return write_parts(content, None)[0]
    return write_parts(parts_of(content), layout.get("parts"))
