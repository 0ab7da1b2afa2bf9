"""Convert Gemini contents: the JSON of `generateContent`, as a request, a response, or a bare list of contents."""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import ENGINE_KEYS, HOME

ADAPTER = Adapter(
    id="gemini",
    title="Gemini contents",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:ContentReader"),
    writes_units=Lazy(f"{__name__}.units:ContentWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.shapes:split"),
    engine_keys=ENGINE_KEYS,
    decoders={"gemini-sse": Lazy(f"{__name__}.stream:ContentDecoder")},
    encoders={"gemini-sse": Lazy(f"{__name__}.encode:ChunkEncoder"), "gemini": Lazy(f"{__name__}.encode:WholeEncoder")},
)
