"""Convert Amazon Bedrock's Converse: its JSON as a request, a response, or a bare list of messages."""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import ENGINE_KEYS, HOME

ADAPTER = Adapter(
    id="bedrock-converse",
    title="Amazon Bedrock Converse",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:MessageReader"),
    writes_units=Lazy(f"{__name__}.units:MessageWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.shapes:split"),
    engine_keys=ENGINE_KEYS,
    decoders={HOME: Lazy(f"{__name__}.stream:EventDecoder")},
    encoders={HOME: Lazy(f"{__name__}.encode:EventEncoder")},
)
