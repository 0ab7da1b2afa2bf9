"""The limit: nothing that reads and writes JSON does less than this."""

from __future__ import annotations

import orjson

from ..work import Work

PEER = "orjson"


def works() -> tuple[Work, ...]:
    """`loads` and `dumps` of the same bytes."""
    return (Work("orjson", "limit", PEER, "`loads` and `dumps`", lambda data: orjson.dumps(orjson.loads(data))),)
