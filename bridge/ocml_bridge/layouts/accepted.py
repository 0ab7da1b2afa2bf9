"""Read the calls that the Berkeley leaderboard accepts, with all accepted values for each argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ..model import Json
from .fitting import as_list, as_object
from .layout import Document, Object, Wording
from .messages import calls_of, request

TRUTH: Final = "truth"


def are_accepted(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold calls with all accepted values for each argument."""
    items = as_list(fields.get(TRUTH))
    return bool(items) and all(_is_accepted(as_object(item) or {}) for item in items or ())


def _is_accepted(call: Object) -> bool:
    arguments = as_object(next(iter(call.values()), None))
    return len(call) == 1 and arguments is not None and all(as_list(each) for each in arguments.values())


def read_accepted(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the calls with the first accepted value of each argument, without the arguments that may be missing."""
    made: list[Json] = []
    for item in cast("list[Object]", fields[TRUTH]):
        [(name, arguments)] = item.items()
        first = {key: each[0] for key, each in arguments.items() if each[0] != ""}
        made.append({"name": name, "arguments": first})
    return [Document(request([{"role": "assistant", "tool_calls": calls_of(made, f"/{TRUTH}")}], None))]
