"""The canonical form: a flat superset of OpenChatML 2.2. See `docs/canonical-form.md`."""

from .copies import replace
from .message import Ending, Message, Signature
from .parts import (
    OUTSIDE,
    ByFormat,
    Content,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Infill,
    Json,
    Media,
    Part,
    Refusal,
    Text,
    Thought,
    Tool,
    Tools,
)
from .settings import AnswerFormat, Settings, ToolChoice, Usage
from .transcript import Alternative, Completion, Document, Header, Transcript

__all__ = [
    "OUTSIDE",
    "Alternative",
    "AnswerFormat",
    "ByFormat",
    "Completion",
    "Content",
    "Document",
    "Ending",
    "FileBreak",
    "Flags",
    "Foreign",
    "Freeform",
    "Header",
    "Infill",
    "Json",
    "Media",
    "Message",
    "Part",
    "Refusal",
    "Settings",
    "Signature",
    "Text",
    "Thought",
    "Tool",
    "ToolChoice",
    "Tools",
    "Transcript",
    "Usage",
    "replace",
]
