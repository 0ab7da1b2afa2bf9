"""The adapter of the Responses API (Open Responses): items as a list, a request, a response, or an exchange of both.

`shapes.py` splits a document into items and all else; `units.py` reads and writes the items, by way of `items.py`,
which distinguishes their types. `stream.py` and `encode.py` do the same for the events of a stream.
`docs/formats/openai-responses.md` describes the mapping.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import ENGINE_KEYS, HOME

ADAPTER = Adapter(
    id=HOME,
    title="OpenAI Responses",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:ItemReader"),
    writes_units=Lazy(f"{__name__}.units:ItemWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    has_marks=True,
    split=Lazy(f"{__name__}.shapes:split"),
    engine_keys=ENGINE_KEYS,
    decoders={"openai-responses-sse": Lazy(f"{__name__}.stream:EventDecoder")},
    encoders={
        "openai-responses-sse": Lazy(f"{__name__}.encode:EventEncoder"),
        "openai-responses": Lazy(f"{__name__}.encode:WholeEncoder"),
    },
    answer_ids="resp_",
)
