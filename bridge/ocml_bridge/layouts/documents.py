"""Rows that are documents of a format, whole: requests and answers of a wire, logs, lines of a text format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from .. import registry
from ..detection import surely
from ..formats.adapter import Kind, Options
from ..model import Json
from ..split import split
from .fitting import as_object
from .layout import Document, Layout, Object, Wording, unfit
from .messages import is_message
from .preferences import are_scored

WIRES: Final = (
    "anthropic",
    "openai-responses",
    "gemini",
    "bedrock-converse",
    "canonical",
    "ocm-2.2-json",
    "chatml-json",
)
"""The formats whose rows are told by their evidence, where no plan names one."""


TEXTS: Final = ("harmony", "chatml", "internlm2", "ocm-0.1", "ocm-2.2")
"""The formats that the column of a text is looked at for."""


@lru_cache(maxsize=1)
def in_text() -> tuple[Layout, ...]:
    """The layouts of rows that are a text in a format, which the text tells."""
    return tuple(replace(_whole(each, named=True), fits=partial(_is_text_of, each)) for each in TEXTS)


def _is_text_of(name: str, fields: Object, wording: Wording) -> bool:
    return _has_text(fields, wording) and _is_of(name, fields["text"], wording)


@lru_cache(maxsize=32)
def whole(name: str | None = None, *, alone: bool = False) -> tuple[Layout, ...]:
    """The layout of rows that are documents of a format; those of all wires where none is named.

    Args:
        name: the format.
        alone: whether every row is of it; else the evidence of each document tells its format.
    """
    if name is not None:
        return (_whole(name, named=alone),)
    return tuple(_whole(each, named=False) for each in (*WIRES, "openai"))


def _whole(name: str, *, named: bool) -> Layout:
    found, _ = registry.adapter(name)
    if found.kind is Kind.TEXT:
        return Layout(
            name, f"a text in the format {name}", name, {"text": ("text",)}, _has_text, partial(_read_text, name)
        )
    fits = _any if named else _is_answer if name == "openai" else partial(_is_of, name)
    return Layout(name, f"a document in the format {name}", name, {}, fits, _read, _write, whole=True)


_REQUESTED: Final = frozenset({"model", "max_tokens", "anthropic_version"})
"""Members of Anthropic's requests that a row of messages does not have."""


def _any(_fields: Object, _wording: Wording) -> bool:
    return True


def _has_text(fields: Object, _wording: Wording) -> bool:
    return isinstance(fields.get("text"), str)


def _read_text(name: str, fields: Object, _wording: Wording) -> Sequence[Document]:
    """The conversations of a text."""
    return [Document(part.value) for part in split(fields["text"], name, options=_FORCED)]


_FORCED: Final = Options(force_format=True)


def _is_of(name: str, row: Object | str, _wording: Wording) -> bool:
    if isinstance(row, dict) and is_message(row, _CHAT) and "content" in row and "type" not in row:
        return False  # one message: the conversation is in several rows
    if isinstance(row, dict) and are_scored(row, _CHAT):
        return False  # its answers are no part of the request
    if isinstance(row, dict) and "system" in row and name == "anthropic" and row.keys().isdisjoint(_REQUESTED):
        # Messages beside a column `system` are a row of anybody's; their own blocks tell that they are Anthropic's.
        row = {key: value for key, value in row.items() if key != "system"}
    return format_of_row(row) == name


_CHAT: Final = Wording(role=("role",))


class _LastRow:
    """The row that is looked at, and its format: one layout behind the other asks for it."""

    last: tuple[Object | str | None, str | None] = (None, None)


def format_of_row(row: Object | str) -> str | None:
    """The format that a row is surely a document of; None for any other row."""
    known, its_format = _LastRow.last
    if known is not row:
        its_format = surely(row)
        _LastRow.last = row, its_format
    return its_format


def forget() -> None:
    """The row was looked at: it may be changed now."""
    _LastRow.last = None, None


def _is_answer(row: Object, wording: Wording) -> bool:
    """Whether a row is an answer of Chat Completions, or a preference as its fine-tuning takes it."""
    return ("choices" in row or "preferred_output" in row) and _is_of("openai", row, wording)


def _read(row: Object, _wording: Wording) -> Sequence[Document]:
    return [Document(row)]


def _write(document: Json, _wording: Wording) -> Object:
    found = as_object(document)
    if found is None:
        raise unfit("of a document", "the row is not an object")
    return found
