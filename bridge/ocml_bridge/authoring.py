"""Everything that the author of a format imports: `from ocml_bridge.authoring import *`."""

from .chat.turns import hoist_tools, infer_grouping, is_call, is_reply, name_of, recipient_of
from .chat.visibility import is_private
from .errors import BridgeError, ErrorCode
from .formats.adapter import Adapter, FormatOption, Kind, Options, Source
from .formats.boundary import Boundary, several
from .json_values.jsontext import Span, value_at
from .loss import Finding, FindingCode, Log, Loss, LossCode, Severity
from .model import (
    Alternative,
    AnswerFormat,
    ByFormat,
    CacheMark,
    Citation,
    Completion,
    Content,
    Document,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Header,
    Infill,
    Json,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Settings,
    Signature,
    Text,
    Thought,
    Tool,
    ToolChoice,
    Tools,
    Transcript,
    Usage,
    replace,
)
from .model.notes import Notes
from .report.narrowing import drop_message, narrow
from .spans.frames import FrameMarks
from .text.added_tokens import other_tokens
from .text.calls import is_embedded, members_alone
from .text.control import ControlTokens
from .text.functions import read_function, write_function
from .text.im import Frame, Grammar
from .text.lookalikes import Lookalikes
from .units.conversation import Conversation
from .units.envelopes import Body, Branches, EnvelopeWriter
from .units.grammar import ContentClass, Enclosed, Skeleton, SplitDocument, SplitEnvelope, WrittenUnit
from .units.heads import Head, Item, item_of, message_of
from .units.pairing import name_replies
from .units.planned_items import Label
from .units.reader import UnitReader
from .units.relations import with_tools_apart
from .units.writer import TOOLS, Completed, Prepared, UnitWriter

__all__ = [
    "TOOLS",
    "Adapter",
    "Alternative",
    "AnswerFormat",
    "Body",
    "Boundary",
    "Branches",
    "BridgeError",
    "ByFormat",
    "CacheMark",
    "Citation",
    "Completed",
    "Completion",
    "Content",
    "ContentClass",
    "ControlTokens",
    "Conversation",
    "Document",
    "Enclosed",
    "EnvelopeWriter",
    "ErrorCode",
    "FileBreak",
    "Finding",
    "FindingCode",
    "Flags",
    "Foreign",
    "FormatOption",
    "Frame",
    "FrameMarks",
    "Freeform",
    "Grammar",
    "Head",
    "Header",
    "Infill",
    "Item",
    "Json",
    "Kind",
    "Label",
    "Log",
    "Lookalikes",
    "Loss",
    "LossCode",
    "Media",
    "Message",
    "Notes",
    "Options",
    "Part",
    "Passages",
    "Prepared",
    "Refusal",
    "Settings",
    "Severity",
    "Signature",
    "Skeleton",
    "Source",
    "Span",
    "SplitDocument",
    "SplitEnvelope",
    "Text",
    "Thought",
    "Tool",
    "ToolChoice",
    "Tools",
    "Transcript",
    "UnitReader",
    "UnitWriter",
    "Usage",
    "WrittenUnit",
    "drop_message",
    "hoist_tools",
    "infer_grouping",
    "is_call",
    "is_embedded",
    "is_private",
    "is_reply",
    "item_of",
    "members_alone",
    "message_of",
    "name_of",
    "name_replies",
    "narrow",
    "other_tokens",
    "read_function",
    "recipient_of",
    "replace",
    "several",
    "value_at",
    "with_tools_apart",
    "write_function",
]
