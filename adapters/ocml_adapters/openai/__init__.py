"""The adapter of OpenAI messages: the JSON of Chat Completions, as a bare list, a request, a response or training data.

`shapes.py` splits a document into wire messages and all else; `units.py` reads and writes the wire messages;
`stream.py` and `encode.py` do the same for the chunks of a stream. `docs/formats/openai.md` describes the mapping.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import CONTINUING, ENGINE_KEYS, HOME, REASONING_KEY

ADAPTER = Adapter(
    id="openai",
    title="OpenAI messages",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:WireReader"),
    writes_units=Lazy(f"{__name__}.units:WireWriter"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    options=(REASONING_KEY,),
    split=Lazy(f"{__name__}.shapes:split"),
    engine_keys=ENGINE_KEYS,
    continuing=CONTINUING,
    hosted_tools=Lazy(f"{__name__}.tools:hosted_tools"),
    decoders={"openai-sse": Lazy(f"{__name__}.stream:ChunkDecoder")},
    encoders={"openai-sse": Lazy(f"{__name__}.encode:ChunkEncoder"), "openai": Lazy(f"{__name__}.encode:WholeEncoder")},
    answer_ids="chatcmpl-",
)
