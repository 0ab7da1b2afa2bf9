"""Read rows that are a request of a wire with its answer next to it: a text, or the member of the wire's response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ..convert import read
from ..formats.adapter import Options
from ..loss import Finding
from ..model import Json, Transcript, replace
from ..model.codec import to_json
from .documents import formats_of_row
from .fitting import as_list, as_object, items_of, members_of, without_members
from .layout import Document, Layout, Object, Wording, misshapen
from .logged import differences, joined
from .markup import separated


class _Wire(NamedTuple):
    """Where a wire has its messages and its answer.

    Attributes:
        messages: the member of a request with its messages.
        answer: the member of a response with its answer; "" if it has the name of a member of requests.
        has_answer: whether a value of that member is an answer.
        around: further members of a response.
    """

    messages: str
    answer: str = ""
    has_answer: Callable[[Json], bool] = bool
    around: tuple[str, ...] = ()


def _has_contents(candidates: Json) -> bool:
    return any(as_list(members_of(members_of(each).get("content")).get("parts")) for each in items_of(candidates))


def _has_message(output: Json) -> bool:
    return bool(as_list(members_of(members_of(output).get("message")).get("content")))


def _has_items(output: Json) -> bool:
    return bool(items_of(output))


_WIRES: Final = {
    "anthropic": _Wire("messages"),
    "gemini": _Wire("contents", "candidates", _has_contents, ("usageMetadata", "promptFeedback")),
    "bedrock-converse": _Wire("messages", "output", _has_message, ("stopReason", "usage", "metrics")),
    "openai-responses": _Wire("input", "output", _has_items, ("status", "incomplete_details", "usage")),
}
_MEMBERS: Final = frozenset({wire.answer for wire in _WIRES.values() if wire.answer})
_TEXTS: Final = ("response", "output", "completion", "answer", "model_output", "generation", "output_text")
"""Columns of an answer that is a text."""
_FORCED: Final = Options(force_format=True)
_ANSWERED: Final = frozenset({"assistant", "model"})


def is_answered_request(row: Object, wording: Wording) -> bool:
    """Return whether a row is a request of a wire that does not end with an answer, and has one next to it."""
    return _found(row) is not None


def _found(row: Object) -> tuple[str, str] | None:
    """Return the format of a row, and the column of its answer; None for any other row."""
    column = next((each for each in _TEXTS if isinstance(row.get(each), str)), None)
    if column is None and _MEMBERS.isdisjoint(row):
        return None
    name = next((each for each in formats_of_row(row) if each in _WIRES), None)
    wire = _WIRES.get(name or "")
    if name is None or wire is None or not _asks(row.get(wire.messages)):
        return None
    if wire.answer in row and wire.has_answer(row[wire.answer]):
        return name, wire.answer
    return None if column is None else (name, column)


def _asks(messages: Json) -> bool:
    """Return whether messages, which may be one text, do not end with an answer."""
    if isinstance(messages, str):
        return True
    last = (as_list(messages) or [messages])[-1]
    role = members_of(last).get("role", "user")
    return as_object(last) is not None and isinstance(role, str) and role not in _ANSWERED


def read_answered_request(row: Object, wording: Wording) -> Sequence[Document]:
    """Return the request with its answer; members that its format does not know are extra columns.

    Raises:
        BridgeError: as the format's reader raises it.
    """
    found = _found(row)
    if found is None:
        raise misshapen("", "a request with its answer next to it")
    name, column = found
    given = row[column]
    response = {key: row[key] for key in (column, *_WIRES[name].around) if key in row}
    request, findings = _read(without_members(row, *([column] if isinstance(given, str) else response)), name, wording)
    if isinstance(given, str):
        text: Object = {"messages": [{"role": "assistant", "content": given}]}
        answer, more = _read(text, "openai", wording)
        beside: Object = {}
    else:
        answer, more = _read(response, name, wording)
        beside = differences(request, answer)
    extras = {key: each for members in (request.extras or {}).values() for key, each in members.items()}
    document = joined(replace(request, extras=None), replace(answer, extras=None))
    return [Document(to_json(document), (*findings, *more), extra_columns={**extras, **beside})]


def _read(document: Object, name: str, wording: Wording) -> tuple[Transcript, Sequence[Finding]]:
    reading = read(separated(document, name, wording), name, options=_FORCED)
    if not isinstance(reading.transcript, Transcript):
        raise misshapen("", "a conversation")
    return reading.transcript, reading.findings


ANSWERED_REQUEST: Final = Layout(
    "answered-request",
    "a request of a wire, with its answer next to it",
    "canonical",
    {},
    is_answered_request,
    read_answered_request,
    whole=True,
)
