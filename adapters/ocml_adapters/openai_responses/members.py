"""Members of events: those that are known, and those that what comes later does not have any more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from ocml_bridge.form import Object
from ocml_bridge.model import Json

KNOWN: Final = frozenset(
    {
        *("type", "sequence_number", "obfuscation", "response", "item", "part", "annotation"),
        *("item_id", "output_index", "content_index", "summary_index", "annotation_index"),
        *("delta", "text", "logprobs", "refusal", "arguments", "name", "input", "code", "status"),
    }
)
"""The members of the events that say something of the answer."""


def left_out(before: Json, after: Json) -> Iterator[str]:
    """The keys of objects in a value that say something, and are not in the value that takes its place."""
    if isinstance(before, dict) and isinstance(after, dict):
        members: Object = cast("Object", after)
        for key, value in cast("Object", before).items():
            if key in members:
                yield from left_out(value, members[key])
            elif value is not None:
                yield key
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(cast("list[Json]", before), cast("list[Json]", after), strict=False):
            yield from left_out(one, other)
