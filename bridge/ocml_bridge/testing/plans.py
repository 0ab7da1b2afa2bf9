"""Check that results are the same with plans and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..convert import read, write
from ..errors import BridgeError
from ..formats.adapter import DEFAULT, Adapter, Options
from ..json_values import jsontext
from ..model import Document
from ..model.codec import to_json
from ..report.policy import LENIENT

_WRITER: Final = (
    "of the UnitWriter, `nearest` may depend on the content of a message only in content and losses that quote it, and "
    "the unit only where `mark`, `inert`, `depends_on_head_only` and `classify` say so"
)
_READER: Final = (
    "of the UnitReader, `read` may depend on contents and ids only where `skeleton` leaves them in the key, "
    "and `relate` only where `looks_at_contents` and `relates_by_head` say so"
)


def _times(options: Options) -> range:
    """Return how often to convert a document: with plans twice, because an envelope gets a plan at its second use."""
    return range(2 if options.plans else 1)


def everything_written(document: Document, target: str | Adapter, options: Options) -> Mapping[str, object]:
    """Return all results of writing a document by name, or the message of the error that it raises."""
    try:
        result = [write(document, target, options=options, policy=LENIENT) for _ in _times(options)][-1]
    except BridgeError as error:
        return {"error": str(error)}
    return {
        "output": result.encode(),
        "losses": sorted(map(repr, result.losses)),
        "order of messages": result.order,
        "numbers of characters": result.characters,
        "origins of messages": result.origins,
    }


def everything_read(data: bytes, source: str | Adapter, options: Options) -> Mapping[str, object]:
    """Return all results of reading a document by name, or the message of the error that it raises."""
    try:
        reading = [read(data, source, options=options) for _ in _times(options)][-1]
    except BridgeError as error:
        return {"error": str(error)}
    return {"document": reading.transcript, "findings": reading.findings}


def plans_change_nothing(document: Document, adapter: str | Adapter, options: Options = DEFAULT) -> None:
    """Check that a document is written, and its output read, the same with plans and without.

    Args:
        document: any document.
        adapter: a format id, or an adapter.
        options: how to write and read.
    """
    planned, plain = replace(options, plans=True, force_format=True), replace(options, plans=False, force_format=True)
    by_plans, by_units = (everything_written(document, adapter, way) for way in (planned, plain))
    if by_plans != by_units:
        shown = jsontext.dumps(to_json(document)).decode("utf-8", "replace")
        raise _differs("written", by_plans, by_units, f"document: {shown}", _WRITER)
    try:
        data = write(document, adapter, options=plain, policy=LENIENT).encode()
    except BridgeError:
        return
    by_plans, by_units = (everything_read(data, adapter, way) for way in (planned, plain))
    if by_plans != by_units:
        raise _differs("read", by_plans, by_units, f"source: {data.decode('utf-8', 'replace')}", _READER)


def _differs(
    done: str, by_plans: Mapping[str, object], by_units: Mapping[str, object], what: str, advice: str
) -> AssertionError:
    """Return the error for results that differ.

    Args:
        done: what was done: "written" or "read".
        by_plans: the results with plans, by name.
        by_units: the results without.
        what: the document or the source, for the message.
        advice: what the author of the adapter has to look at.
    """
    lines = [f"a document is {done} otherwise with plans than without"]
    for name in dict.fromkeys((*by_plans, *by_units)):
        if by_plans.get(name) != by_units.get(name):
            lines += f"{name} with plans: {by_plans.get(name)!r}", f"{name} without: {by_units.get(name)!r}"
    return AssertionError("\n".join([*lines, what, f"what to do: {advice}"]))
