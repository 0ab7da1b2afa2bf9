"""Everything that the author of a format imports: `from ocml_bridge.authoring import *`."""

from .chat.turns import hoist_tools, infer_grouping, is_call, is_reply, name_of, recipient_of
from .chat.visibility import is_private
from .errors import BridgeError, ErrorCode
from .formats.adapter import Adapter, FormatOption, Kind, Options
from .formats.boundary import several
from .loss import Finding, FindingCode, Log, Loss, LossCode, Severity
from .model import (
    Completion,
    FileBreak,
    Flags,
    Foreign,
    Infill,
    Json,
    Media,
    Message,
    Passages,
    Refusal,
    Settings,
    Text,
    Thought,
    Tool,
    Tools,
    Transcript,
    replace,
)
from .model.notes import Notes
from .report.narrowing import drop_message, narrow
from .spans.frames import FrameMarks
from .text.added_tokens import other_tokens
from .text.control import ControlTokens
from .text.functions import read_function, write_function
from .text.im import Frame, Grammar
from .units.conversation import Conversation
from .units.envelopes import Body, Branches, EnvelopeWriter
from .units.grammar import ContentClass, Enclosed, SplitDocument, SplitEnvelope, WrittenUnit
from .units.heads import Head, Item, item_of, message_of
from .units.pairing import name_replies
from .units.reader import UnitReader
from .units.relations import with_tools_apart
from .units.writer import TOOLS, Completed, Prepared, UnitWriter

__all__ = [
    "TOOLS",
    "Adapter",
    "Body",
    "Branches",
    "BridgeError",
    "Completed",
    "Completion",
    "ContentClass",
    "ControlTokens",
    "Conversation",
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
    "Grammar",
    "Head",
    "Infill",
    "Item",
    "Json",
    "Kind",
    "Log",
    "Loss",
    "LossCode",
    "Media",
    "Message",
    "Notes",
    "Options",
    "Passages",
    "Prepared",
    "Refusal",
    "Settings",
    "Severity",
    "SplitDocument",
    "SplitEnvelope",
    "Text",
    "Thought",
    "Tool",
    "Tools",
    "Transcript",
    "UnitReader",
    "UnitWriter",
    "WrittenUnit",
    "drop_message",
    "hoist_tools",
    "infer_grouping",
    "is_call",
    "is_private",
    "is_reply",
    "item_of",
    "message_of",
    "name_of",
    "name_replies",
    "narrow",
    "other_tokens",
    "read_function",
    "recipient_of",
    "replace",
    "several",
    "with_tools_apart",
    "write_function",
]
