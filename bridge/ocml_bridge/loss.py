"""What a conversion could not carry over (losses) and what a reader had to mend or assume (findings), as data."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much a loss or finding matters."""

    LOST = "lost"
    """It is gone."""
    CHANGED = "changed"
    """It is there, but reads differently."""
    LAYOUT = "layout"
    """Only its spelling differs, or what went without saying is now said."""


class LossCode(StrEnum):
    """What was lost; the severity says how. `docs/loss.md` has a run example of each."""

    MESSAGE = "message"
    ROLE = "role"
    NAME = "name"
    CHANNEL = "channel"
    RECIPIENT = "recipient"
    CALL_ID = "call-id"
    INTENT = "intent"
    CONTENT_TYPE = "content-type"
    CONSTRAINT = "constraint"
    ENDING = "ending"
    GROUPING = "grouping"
    CONTENT = "content"
    THOUGHT = "thought"
    FLAGS = "flags"
    MEDIA = "media"
    REFUSAL = "refusal"
    INFILL = "infill"
    FILE_BREAK = "file-break"
    FOREIGN_PART = "foreign-part"
    TOOLS = "tools"
    TOOLS_MOVED = "tools-moved"
    TOOL_SCHEMA = "tool-schema"
    HEADER = "header"
    OPEN_TURN = "open-turn"
    COMPLETION = "completion"
    EXTRAS = "extras"
    LAYOUT = "layout"
    CONTROL_TOKEN = "control-token"
    SURROGATE = "surrogate"


class FindingCode(StrEnum):
    """What a reader mended, assumed, or kept although the format does not allow it.

    Those that OpenChatML 2.2 §14 names have its code; a strict read raises them as errors.
    """

    HEADER_ABSENT = "header-absent"
    HEADER_RECOVERED = "header-recovered"
    HEADER_VALUE = "header-value"
    CHANNEL_MISSING = "E-PARSE-CHANNEL-MISSING"
    UNKNOWN_ROLE = "unknown-role"
    UNKNOWN_CHANNEL = "unknown-channel"
    CALL_ID_MISSING = "call-id-missing"
    CALL_CHANNEL = "call-channel"
    CALL_ENDING = "call-ending"
    CALL_RECIPIENT = "E-CALL-SCHEMA"
    CONSTRAINT_VIOLATION = "E-BODY-CONSTRAINT-VIOLATION"
    REPLY_UNPAIRED = "reply-unpaired"
    STRAY_TOKEN = "stray-token"
    TEXT_OUTSIDE = "text-outside"
    END_MISSING = "end-missing"
    TRUNCATED = "E-STREAM-TRUNCATED"
    JSON_REPAIRED = "json-repaired"
    JSON_OPAQUE = "json-opaque"
    MIXED_SPELLING = "mixed-spelling"
    BYTE_ORDER_MARK = "byte-order-mark"
    SHAPE = "shape"
    SIDECAR = "sidecar"


class Loss(NamedTuple):
    """One place of a transcript that the target cannot hold as it was.

    Attributes:
        code: what it is that was lost.
        severity: lost, changed or layout.
        path: a JSON pointer (RFC 6901) into the canonical form of the source; "" is the whole.
        detail: a sentence for people.
    """

    code: LossCode
    severity: Severity
    path: str
    detail: str


class Finding(NamedTuple):
    """One place of a document that its reader mended or had to interpret; same shape as `Loss`."""

    code: FindingCode
    severity: Severity
    path: str
    detail: str


class Log:
    """What one read or one write has to say, in order. Adapters fill it; nothing else is shared between them.

    Attributes:
        findings: what the reader noticed.
        losses: what the writer could not carry over.
    """

    __slots__ = ("findings", "losses")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.losses: list[Loss] = []

    def find(self, code: FindingCode, path: str, detail: str, severity: Severity = Severity.CHANGED) -> None:
        """Note something that a reader mended or assumed."""
        self.findings.append(Finding(code, severity, path, detail))

    def lose(self, code: LossCode, path: str, detail: str, severity: Severity = Severity.LOST) -> None:
        """Note something that a writer cannot carry over."""
        self.losses.append(Loss(code, severity, path, detail))


def is_lossless(losses: list[Loss] | tuple[Loss, ...]) -> bool:
    """Whether nothing was lost or changed; differences of layout are allowed."""
    return all(loss.severity is Severity.LAYOUT for loss in losses)
