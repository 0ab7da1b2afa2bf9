"""Make documents of nested columns: a row's messages and tools, without the null members that Arrow adds.

Arrow's structs have the same members in every row, so that a call has the parameters of all other calls, as null. These
are left out of arguments and declared tools, and reported (`arrow-padding`).
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final, NamedTuple, cast

from ...errors import BridgeError, ErrorCode
from ...formats.adapter import Source
from ...json_values import jsontext
from ...loss import Finding, FindingCode, Severity
from ...model import Json

TOOLS: Final = "tools"
"""The column in which public datasets declare the tools of a column of messages: nested, or as JSON text."""
_CALLS: Final = ("tool_calls", "function_call")
_NOT_FINITE: Final = "the value is NaN or infinite, which JSON cannot hold"
_NOT_UTF_8: Final = "the text is not UTF-8; if it is in another encoding, convert the column first"
_DETAIL: Final = "null members, which Arrow's structs add, are left out"
_NO_MESSAGES: Final = "null messages are left out"


class Undecoded(dict[str, Json]):
    """The bytes of a text that is not UTF-8, as the object that stands for bytes in JSON."""


class Nested(NamedTuple):
    """A conversation from nested columns.

    Attributes:
        value: the source for a reader.
        findings: the null members that were left out.
    """

    value: Source
    findings: tuple[Finding, ...]


def document(messages: Json, tools: Json = None) -> Source | Nested | BridgeError:
    """Return the document of a row whose messages are a list.

    Args:
        messages: the value of their column, as JSON values.
        tools: the value of the column of tools; None if there is none.

    Returns:
        The list, or a request if there are tools; a list of other values unchanged. An error if JSON cannot hold a
        value, or if the tools are text that is not JSON.
    """
    error = unfit(messages)
    if error is not None:
        return error
    if not all(isinstance(message, dict) and "role" in message for message in cast("list[Json]", messages)):
        return messages
    if isinstance(tools, str):
        try:
            tools = jsontext.loads(tools) if tools.strip() else None
        except BridgeError as error:
            return BridgeError(error.code, f"the column {TOOLS!r} is not JSON text: {error.message}", path=f"/{TOOLS}")
    error = unfit(tools, f"/{TOOLS}")
    if error is not None:
        return error
    padded: list[str] = []
    bare = [_message(item, f"/{at}", padded) for at, item in enumerate(cast("list[Json]", messages))]
    declared = None if tools is None else _without_nulls(tools, f"/{TOOLS}", padded)
    findings = tuple(Finding(FindingCode.ARROW_PADDING, Severity.CHANGED, path, _DETAIL) for path in padded)
    return Nested(bare if declared is None else {"messages": bare, "tools": declared}, findings)


def unpadded(row: dict[str, Json]) -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """Return a row without nulls among messages, in arguments of calls and in declared tools.

    Raises:
        BridgeError: as `unfit` returns it.
    """
    error = unfit(row)
    if error is not None:
        raise error
    padded: list[str] = []
    found: list[Finding] = []
    out: dict[str, Json] = {}
    for name, value in row.items():
        if isinstance(value, (list, dict)) and name in (TOOLS, "functions", "function"):
            out[name] = _without_nulls(value, f"/{name}", padded)
        elif isinstance(value, list):
            items = cast("list[Json]", value)
            if None in items and any(isinstance(item, dict) and ("role" in item or "from" in item) for item in items):
                items = [item for item in items if item is not None]
                found.append(Finding(FindingCode.ARROW_PADDING, Severity.CHANGED, f"/{name}", _NO_MESSAGES))
            out[name] = [_message(item, f"/{name}/{at}", padded) for at, item in enumerate(items)]
        else:
            out[name] = value
    found += [Finding(FindingCode.ARROW_PADDING, Severity.CHANGED, path, _DETAIL) for path in padded]
    return out, tuple(found)


def _message(message: Json, path: str, padded: list[str]) -> Json:
    if not isinstance(message, dict):
        return message
    members = cast("dict[str, Json]", message)
    if not any(members.get(key) for key in _CALLS):
        return members
    return {
        key: _arguments(value, f"{path}/{key}", padded) if key in _CALLS else value for key, value in members.items()
    }


def _arguments(value: Json, path: str, padded: list[str]) -> Json:
    """Return calls without nulls in their arguments; nulls in other members are kept."""
    if isinstance(value, list):
        return [_arguments(item, f"{path}/{at}", padded) for at, item in enumerate(cast("list[Json]", value))]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_nulls(item, f"{path}/{key}", padded)
        if key in ("arguments", "args")
        else _arguments(item, f"{path}/{key}", padded)
        for key, item in cast("dict[str, Json]", value).items()
    }


def _without_nulls(value: Json, path: str, padded: list[str]) -> Json:
    if isinstance(value, list):
        return [_without_nulls(item, f"{path}/{at}", padded) for at, item in enumerate(cast("list[Json]", value))]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if None in members.values():
        padded.append(path)
    return {key: _without_nulls(item, f"{path}/{key}", padded) for key, item in members.items() if item is not None}


def unfit(value: Json, path: str = "") -> BridgeError | None:
    """Return the error of the first value that JSON cannot hold, with its place; None if there is none.

    Returns:
        OCB-JSON for a number that is not finite, OCB-ENCODING for a text that is not UTF-8.
    """
    if isinstance(value, float):
        return None if isfinite(value) else BridgeError(ErrorCode.JSON, _NOT_FINITE, path=path)
    if isinstance(value, Undecoded):
        return BridgeError(ErrorCode.ENCODING, _NOT_UTF_8, path=path)
    items = cast("Any", value).items() if isinstance(value, dict) else ()
    items = enumerate(cast("list[Json]", value)) if isinstance(value, list) else items
    return next((error for key, item in items if (error := unfit(item, f"{path}/{key}")) is not None), None)
