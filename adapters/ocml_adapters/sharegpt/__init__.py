"""The adapter of ShareGPT rows: a conversation as a row of training data, whose turns have a `from` and a `value`.

`rows.py` splits a row into turns and columns; `turns.py` reads and writes a turn, with `calls.py` and `thinking.py` for
its value, and `media.py` for its placeholders. `docs/formats/sharegpt.md` describes the mapping.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import HOME

ADAPTER = Adapter(
    id="sharegpt",
    title="ShareGPT row",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:TurnReader"),
    writes_units=Lazy(f"{__name__}.units:TurnWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.rows:split"),
)
