"""Convert chat conversations between formats.

    from ocml_bridge import convert
    result = convert(data, source="ocm-2.2", target="openai")
    result.output, result.losses, result.findings

A conversion is lossless, or it says what it lost. The functions may be called in several threads at once; a decoder or
an encoder belongs to one stream.
"""

from typing import TYPE_CHECKING, Any

from .checks.verify import verify
from .common.lazy import find
from .convert import Reading, Result, convert, make_sidecar, read, write
from .detection import detect
from .errors import BridgeError, ErrorCode
from .formats.adapter import Adapter, Options
from .loss import Finding, FindingCode, Loss, LossClass, LossCode, Severity
from .model import (
    Alternative,
    Completion,
    Content,
    Document,
    FileBreak,
    Flags,
    Foreign,
    Header,
    Infill,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Settings,
    Text,
    Thought,
    Tool,
    Tools,
    Transcript,
)
from .pipe import decoder, encoder
from .registry import adapter as adapter
from .registry import formats
from .report.policy import LossPolicy

if TYPE_CHECKING:
    from .profiles import Profile, Prompt, profile
    from .split import read_all

__version__ = "0.1.0"

_LATER = {**dict.fromkeys(("Profile", "Prompt", "profile"), "profiles"), "read_all": "split"}
"""Names that are imported when they are used, each with its module: most conversions make no prompts."""

__all__ = [
    "Adapter",
    "Alternative",
    "BridgeError",
    "Completion",
    "Content",
    "Document",
    "ErrorCode",
    "FileBreak",
    "Finding",
    "FindingCode",
    "Flags",
    "Foreign",
    "Header",
    "Infill",
    "Loss",
    "LossClass",
    "LossCode",
    "LossPolicy",
    "Media",
    "Message",
    "Options",
    "Part",
    "Passages",
    "Profile",
    "Prompt",
    "Reading",
    "Refusal",
    "Result",
    "Settings",
    "Severity",
    "Text",
    "Thought",
    "Tool",
    "Tools",
    "Transcript",
    "convert",
    "decoder",
    "detect",
    "encoder",
    "formats",
    "make_sidecar",
    "profile",
    "read",
    "read_all",
    "verify",
    "write",
]


def __getattr__(name: str) -> Any:
    """One of the names that are imported when they are used."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return find(f"{__name__}.{_LATER[name]}:{name}")
