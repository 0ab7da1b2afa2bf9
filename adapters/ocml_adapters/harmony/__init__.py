"""The adapters of Harmony (OpenChatML 2.2 §12, HIP-1): text, and token ids.

`frames.py` splits a source into frames, `reader.py` reads them, `units.py` and `token_units.py` write them; `stream.py`
and `encode.py` do the same for streams. `docs/formats/harmony.md` describes the mapping.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind
from ocml_bridge.formats.prompting import ChatTemplate

from .syntax import DIALECTS, FRAME_MARKS, HOME, OWN_TOOLS

# The model writes the channel first, as the newer of the two official libraries does.
_GPT_OSS = ChatTemplate(
    Lazy(f"{__name__}.profile:gpt_oss"),
    families=("gpt-oss-20b", "gpt-oss-120b", "gpt-oss-safeguard"),
    dialect="oss",
    reads_with_tools=True,
    own_tools=frozenset(OWN_TOOLS),
    names=Lazy(f"{__name__}.profile:function_names"),
    calls_once=True,
    guide=Lazy(f"{__name__}.profile:guide"),
    sources={"openai-gpt-oss-120b.jinja": "a4c9919cbbd4acdd51ccffe22da049264b1b73e59055fa58811a99efbd7c8146"},
)

ADAPTER = Adapter(
    id="harmony",
    title="Harmony",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.units:FramesReader"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    dialects=DIALECTS,
    compare=Lazy(f"{__name__}.official:compare"),
    decoders={"harmony": Lazy(f"{__name__}.stream:decoder")},
    encoders={"harmony": Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    profiles={"gpt-oss": _GPT_OSS},
    frame_marks=FRAME_MARKS,
)

TOKENS = Adapter(
    id="harmony-tokens",
    title="Harmony, token ids",
    kind=Kind.JSON,
    home=HOME,
    reads_units=Lazy(f"{__name__}.token_units:TokenFramesReader"),
    writes_units=Lazy(f"{__name__}.token_units:TokenFrames"),
    sniff=Lazy(f"{__name__}.sniff:sniff_tokens"),
    split=Lazy(f"{__name__}.token_units:split"),
    dialects=DIALECTS,
    compare=Lazy(f"{__name__}.official:compare"),
    decoders={"harmony-tokens": Lazy(f"{__name__}.stream:token_decoder")},
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    profiles={"gpt-oss": _GPT_OSS},
    frame_marks=FRAME_MARKS,
    token_bytes=Lazy(f"{__name__}.tokens:token_bytes"),
)
