"""Convert Anthropic Messages: the JSON of `/v1/messages`, as a request, a response, or a bare list of messages."""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import ENGINE_KEYS, HOME, UNSIGNED

ADAPTER = Adapter(
    id="anthropic",
    title="Anthropic Messages",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:WireReader"),
    writes_units=Lazy(f"{__name__}.units:WireWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    has_marks=True,
    options=(UNSIGNED,),
    split=Lazy(f"{__name__}.shapes:split"),
    engine_keys=ENGINE_KEYS,
    decoders={"anthropic-sse": Lazy(f"{__name__}.stream:EventDecoder")},
    encoders={
        "anthropic-sse": Lazy(f"{__name__}.encode:EventEncoder"),
        "anthropic": Lazy(f"{__name__}.encode:WholeEncoder"),
    },
    answer_ids="msg_",
)
