"""The adapter of OpenChatML 0.1: conversations, thoughts, function calling, fill-in-the-middle, file sequences as text.

`around.py` reads and writes the beginning and the end of a text; `reader.py` and `units.py` read and write its frames,
`scanner.py` and `segments.py` what is in their bodies; `stream.py` and `encode.py` do the same for text that arrives.
`docs/formats/ocm-0.1.md` describes the mapping and the numbered decisions.
"""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import BOS_TOKEN, DIALECTS, EOS_TOKEN, FRAME_MARKS, HOME

ADAPTER = Adapter(
    id=HOME,
    title="OpenChatML 0.1",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.reader:FramesReader"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    dialects=DIALECTS,
    options=(BOS_TOKEN, EOS_TOKEN),
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    decoders={HOME: Lazy(f"{__name__}.stream:decoder")},
    encoders={HOME: Lazy(f"{__name__}.encode:encoder")},
    added_tokens=Lazy(f"{__name__}.syntax:added_tokens"),
    frame_marks=FRAME_MARKS,
)
