"""Read rows that are documents of a format: requests and answers of a wire, logs, texts of a text format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

from .. import registry
from ..detection import surely
from ..formats.adapter import Kind, Options
from ..model import Json
from ..split import split
from . import columns
from .datasets.preferences import are_scored
from .fitting import as_object, objects_of, without_members
from .layout import Document, Layout, Object, Wording, unfit
from .markup import finding_thoughts
from .messages import is_message

WIRES: Final = (
    "anthropic",
    "openai-responses",
    "gemini",
    "bedrock-converse",
    "canonical",
    "ocm-2.2-json",
    "chatml-json",
)
"""The formats whose documents are detected in rows if no plan names one."""


TEXTS: Final = ("harmony", "chatml", "internlm2", "ocm-0.1", "ocm-2.2")
"""The formats that are detected in the text of a row."""


@lru_cache(maxsize=1)
def in_text() -> tuple[Layout, ...]:
    """Return the layouts of rows that hold a text in a format, which is detected."""
    return tuple(replace(_whole(each, named=True), fits=partial(_is_text_of, each)) for each in TEXTS)


def _is_text_of(name: str, fields: Object, wording: Wording) -> bool:
    return _has_text(fields, wording) and _is_of(name, fields["text"], wording)


@lru_cache(maxsize=32)
def whole(name: str | None = None, *, alone: bool = False) -> tuple[Layout, ...]:
    """Return the layout of rows that are documents of a format; those of all wires if no format is named.

    Args:
        name: the format.
        alone: whether every row is of this format; otherwise the format of each row is detected.
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
    layout = Layout(name, f"a document in the format {name}", name, {}, fits, _read, _write, whole=True)
    return layout if named and name == "openai" else finding_thoughts(layout)


_REQUESTED: Final = frozenset({"model", "max_tokens", "anthropic_version"})
"""Members of Anthropic's requests that a row of messages does not have."""


def _any(_fields: Object, _wording: Wording) -> bool:
    return True


def _has_text(fields: Object, _wording: Wording) -> bool:
    return isinstance(fields.get("text"), str)


def _read_text(name: str, fields: Object, _wording: Wording) -> Sequence[Document]:
    """Return the conversations of a text."""
    return [Document(part.value) for part in split(fields["text"], name, options=_FORCED)]


_FORCED: Final = Options(force_format=True)


def _is_of(name: str, row: Object | str, _wording: Wording) -> bool:
    known, formats = _Last.formats
    if known is not row:
        formats = formats_of_row(row)
        _Last.formats = row, formats
    return name in formats


class _Last:
    """The last row that was looked at, and its format or formats; successive layouts ask about the same row."""

    format: tuple[Object | str | None, str | None] = (None, None)
    formats: tuple[Object | str | None, Sequence[str | None]] = (None, ())


def format_of_row(row: Object | str) -> str | None:
    """Return the format that a row is certainly a document of; None for any other row."""
    known, its_format = _Last.format
    if known is not row:
        its_format = surely(row)
        _Last.format = row, its_format
    return its_format


def formats_of_row(row: Object | str) -> Sequence[str | None]:
    """Return the formats that a row may be a document of."""
    if isinstance(row, str):
        return [format_of_row(row)]
    if is_message(row, _CHAT) and "type" not in row:
        return []  # one message: the conversation is in several rows
    if are_scored(row, _CHAT):
        return []  # the answers are not part of the request
    found = format_of_row(row)
    if found == _RESPONSES and "output" in row and not isinstance(row["output"], list):
        found = None  # a log of a request and its answer
    if found is not None and _is_elsewhere(found, row):
        found = None
    if "system" not in row or not row.keys().isdisjoint(_REQUESTED):
        return [found]
    # Rows of any layout have messages and a column `system`; they are Anthropic's only if their blocks are.
    alone = surely(without_members(row, "system"))
    return [each for each in (found if found != _ANTHROPIC else None, alone if alone == _ANTHROPIC else None) if each]


def _is_elsewhere(name: str, row: Object) -> bool:
    """Return whether a row has the conversation where a format's reader does not look, whatever its tools are like.

    It is in a column of another name, or its messages are those of Chat Completions next to tools as Anthropic's.
    """
    holders = _HOLDERS.get(name)
    if holders is None:
        return False
    if holders.isdisjoint(row):
        return any(objects_of(row.get(column)) for column in _COLUMNS) or any(
            isinstance(row.get(column), str) for column in columns.QUESTIONS
        )
    messages = objects_of(row.get("messages")) if name == _ANTHROPIC else []
    return any(each.get("role") == "tool" or each.get("tool_calls") for each in messages)


_COLUMNS: Final = (*columns.TURNS, "history", "events")
_CHAT: Final = Wording(role=("role",))
_ANTHROPIC: Final = "anthropic"
_RESPONSES: Final = "openai-responses"
_HOLDERS: Final[Mapping[str, frozenset[str]]] = {
    _ANTHROPIC: frozenset({"messages", "content"}),
    _RESPONSES: frozenset({"input", "output", "messages"}),
    "gemini": frozenset({"contents", "candidates"}),
    "bedrock-converse": frozenset({"messages", "output"}),
}
"""The members of documents in which the readers of some formats find a conversation."""


def forget() -> None:
    """Clear the cache of the last row, which may be changed from now on."""
    _Last.format, _Last.formats = (None, None), (None, ())


def _is_answer(row: Object, wording: Wording) -> bool:
    """Return whether a row is a response of Chat Completions, or a preference for its fine-tuning."""
    return ("choices" in row or "preferred_output" in row) and _is_of("openai", row, wording)


def _read(row: Object, _wording: Wording) -> Sequence[Document]:
    return [Document(row)]


def _write(document: Json, _wording: Wording) -> Object:
    found = as_object(document)
    if found is None:
        raise unfit("of a document", "the row is not an object")
    return found
