"""Parse JSON lines: a JSON value on each line."""

from __future__ import annotations

from ..errors import BridgeError
from ..model import Json
from .jsontext import loads


class Lines(list[Json]):
    """The values of a JSON lines document. It is a list, so readers can treat it as one."""


def loads_lines(text: str) -> Lines | None:
    """Parse JSON lines; return None if there are less than two lines or the first one is not JSON.

    Raises:
        BridgeError: as for `loads`, with line and column, for a later line that is not JSON.
    """
    lines = text.split("\n")
    if sum(1 for line in lines if line.strip()) < 2:
        return None
    out, offset = Lines(), 0
    for line in lines:
        if line.strip():
            try:
                out.append(loads(line))
            except BridgeError as error:
                if not out:
                    return None
                error.offset = offset + (error.offset or 0)
                raise error.locate(text) from error.__cause__
        offset += len(line) + 1
    return out
