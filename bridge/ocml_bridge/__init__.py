"""The bridge between the ways in which chat models' conversations are written down.

    from ocml_bridge import convert
    result = convert(data, source="ocm-2.2", target="openai")
    result.output, result.losses, result.findings

A conversion is lossless, or it says what it lost.
"""

from .adapter import Options
from .convert import Reading, Result, convert, make_sidecar, read, write
from .detection import detect
from .errors import BridgeError, ErrorCode
from .loss import Finding, FindingCode, Loss, LossCode, Severity
from .model import Completion, Document, Message, Tool, Transcript
from .pipe import decoder, encoder
from .registry import adapter as adapter
from .registry import formats
from .split import read_all
from .verify import verify

__version__ = "0.1.0"

__all__ = [
    "BridgeError",
    "Completion",
    "Document",
    "ErrorCode",
    "Finding",
    "FindingCode",
    "Loss",
    "LossCode",
    "Message",
    "Options",
    "Reading",
    "Result",
    "Severity",
    "Tool",
    "Transcript",
    "convert",
    "decoder",
    "detect",
    "encoder",
    "formats",
    "make_sidecar",
    "read",
    "read_all",
    "verify",
    "write",
]
