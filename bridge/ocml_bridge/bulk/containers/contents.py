"""Detect what a file holds: one transcript, many records, or something that is not read."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from ...errors import BridgeError, ErrorCode
from ...json_values import jsontext
from . import arrays
from .compression import plain_content, reading_errors
from .encodings import SEPARATOR, in_utf8
from .texts import kind_of, split
from .unread import BEGINNING, unread
from .values import are_values

if TYPE_CHECKING:
    from ...layouts import Plan

_READ: Final = "batch reads JSON lines, JSON arrays, CSV, Arrow, Parquet, and text files of one transcript each"


def stored(path: str, *, rows: Plan | None = None, refuse: bool = True) -> str:
    """Return how a file stores records: a key of `work.CONTAINERS`. A `.json` file is parsed.

    Args:
        path: the file.
        rows: the plan of the rows that records are, of which a single object is one, too; None if they are transcripts.
        refuse: whether to raise for a file that is not read; otherwise it is a text, and will be quarantined.

    Raises:
        BridgeError: OCB-FORMAT-UNKNOWN if the file holds neither records nor a transcript, with what it holds.
    """
    kind = kind_of(path)
    if kind == "jsonl" and rows is not None and rows.preview and _begins_session(path):
        return "session"
    if kind == "jsonl":
        return "values" if _has_values(path) else kind
    if kind != "files":
        return kind
    begins = _beginning(path)
    what = unread(split(path)[1], begins)
    if what is not None and refuse:
        raise BridgeError(ErrorCode.FORMAT_UNKNOWN, f"{path}: {what}; {_READ}; move it, or name the others")
    if what is not None:
        return kind
    if split(path)[1].lower() != ".json":
        is_json = begins.lstrip(_BEFORE_RECORD).startswith(b"{")
        return _in_json(path, begins) if rows is not None and is_json else kind
    return (None if rows is None else _rows_in_json(path, rows)) or _in_json(path, begins)


def _beginning(path: str) -> bytes:
    """Return the first bytes of a file, in UTF-8."""
    try:
        with plain_content(path) as content:
            return in_utf8(content).read(BEGINNING).removeprefix(BOM_UTF8)
    except reading_errors():
        return b""  # the run reports the error


def _rows_in_json(path: str, rows: Plan) -> str | None:
    """Return how a `.json` file stores rows; None for a list, and for lines.

    A recorded stream is one row, and so is an object, unless it holds rows under their keys.
    """
    data = _content(path)
    value = list(islice(_items(data), _FIRST_LINES)) if data.lstrip()[:1] == b"[" else _parsed(data)
    from ...layouts import is_keyed, is_session, stream_of

    if rows.preview and is_session(value):
        return "session"
    if isinstance(value, dict):
        return "keyed" if is_keyed(value) else "object"
    return "events" if stream_of(value) is not None else None


def _begins_session(path: str) -> bool:
    """Return whether one of the first lines of a file is a row of a session; then all lines are one conversation."""
    from ...layouts import is_session

    try:
        with plain_content(path) as content:
            return is_session([_parsed(line) for line in islice(content, _FIRST_LINES)])
    except reading_errors():
        return False  # the run reports the error


def _has_values(path: str, *, several: bool = False) -> bool:
    """Return whether a file holds values on several lines each, one after another."""
    try:
        with plain_content(path) as content:
            return are_values(content, several=several)
    except reading_errors():
        return False  # the run reports the error


_BEFORE_RECORD: Final = b" \t\r\n\x0b\x0c" + SEPARATOR
_FIRST_LINES: Final = 100
"""A session may begin with lines about itself."""


def _in_json(path: str, begins: bytes) -> str:
    """Return whether a `.json` file holds records, and how, or one transcript (keys of `CONTAINERS`)."""
    first, _, rest = begins.lstrip().removeprefix(SEPARATOR).partition(b"\n")
    if first.startswith(b"{"):
        if rest.lstrip(_BEFORE_RECORD).startswith(b"{") and _parsed(first) is not None:
            return "jsonl"
        return "values" if _has_values(path, several=True) else "files"
    if not first.startswith(b"["):
        return "files"
    return "json" if _are_records(islice(_items(_content(path)), _MOST_ITEMS)) else "files"


def _content(path: str) -> bytes:
    with plain_content(path) as content:
        return in_utf8(content).read().removeprefix(BOM_UTF8)


def _items(data: bytes) -> Iterator[Any]:
    """Yield the items of a JSON array up to its first fault, without those that are not JSON."""
    try:
        for line in arrays.items(data):
            if (item := _parsed(line)) is not None:
                yield item
    except OSError:
        return  # the run reports the error


def _are_records(items: Iterator[Any]) -> bool:
    """Return whether items of a list are records: all are, or they say that they are of several conversations."""
    from ...layouts.fitting import as_object
    from ...layouts.named import conversation_id

    sample: list[Any] = []
    first, name, are_records = None, None, True
    for item in items:
        if len(sample) < _SAMPLE:
            sample.append(item)
        are_records = are_records and _is_record(item)
        row = as_object(item)
        if row is not None and first is None:
            first, name = row, conversation_id(row)
        elif row is not None and first is not None and name is not None and row.get(name) != first.get(name):
            return True
        if first is not None and name is None and not are_records:
            return False
    return sample != [] and are_records and not _is_conversation(sample)


def _is_record(item: Any) -> bool:
    """Return whether an item of a list is a record: an object that is no message, or a list of objects."""
    if isinstance(item, list):
        return item != [] and all(isinstance(each, dict) for each in cast("list[Any]", item))
    return isinstance(item, dict) and "role" not in item and "token" not in item


_MOST_ITEMS: Final = 1000
"""The number of items of a list that are looked at."""
_SAMPLE: Final = 20
"""The number of items that tell whether a list is one conversation."""


def _is_conversation(items: list[Any]) -> bool:
    """Return whether items are messages of a layout together, and none alone, as a framework writes a conversation."""
    from ...layouts import AUTO, Plan, layout_for
    from ...layouts.fitting import as_object

    plan = Plan((AUTO,))
    first = as_object(items[0])
    return first is not None and layout_for(plan, {"messages": items}) is not None and layout_for(plan, first) is None


def _parsed(raw: bytes) -> Any:
    try:
        return jsontext.loads(raw.removeprefix(BOM_UTF8))
    except BridgeError:
        return None
