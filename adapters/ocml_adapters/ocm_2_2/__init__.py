"""The adapter of OpenChatML 2.2, in its text form: a YAML header, then a frame for each message."""

from __future__ import annotations

from ocml_bridge.common.lazy import Lazy
from ocml_bridge.formats.adapter import Adapter, Kind

from .syntax import FRAME_MARKS, HOME

ADAPTER = Adapter(
    id="ocm-2.2",
    title="OpenChatML 2.2",
    kind=Kind.TEXT,
    home=HOME,
    reads_units=Lazy(f"{__name__}.reader:FramesReader"),
    writes_units=Lazy(f"{__name__}.units:Frames"),
    sniff=Lazy(f"{__name__}.sniff:sniff"),
    split=Lazy(f"{__name__}.reader:split"),
    frame_tokens=Lazy(f"{__name__}.syntax:frame_tokens"),
    decoders={"ocm-2.2": Lazy(f"{__name__}.stream:decoder")},
    encoders={"ocm-2.2": Lazy(f"{__name__}.encode:encoder"), "ocm-2.2-events": Lazy(f"{__name__}.events:encoder")},
    frame_marks=FRAME_MARKS,
)
