"""ShareGPT: a conversation as a row of training data, whose turns say `from` whom and which `value`."""

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
