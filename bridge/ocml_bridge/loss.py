"""Define losses (what a conversion could not carry over) and findings (what a reader repaired or assumed)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple


class Severity(StrEnum):
    """How much a loss or finding matters."""

    LOST = "lost"
    """The value is gone."""
    CHANGED = "changed"
    """The value is there, but reads differently."""
    LAYOUT = "layout"
    """Only the spelling differs: a default is now explicit, or something empty is left out."""


class LossCode(StrEnum):
    """What was lost or changed. `docs/loss.md` has an example of each code."""

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
    FAILED = "failed"
    WEIGHT = "weight"
    SIGNATURE = "signature"
    CACHE = "cache"
    CITATIONS = "citations"
    ORDER = "order"
    PAIRING = "pairing"
    CONTENT = "content"
    THOUGHT = "thought"
    FLAGS = "flags"
    MEDIA = "media"
    REFUSAL = "refusal"
    INFILL = "infill"
    FILE_BREAK = "file-break"
    FOREIGN_PART = "foreign-part"
    EMPTIED = "emptied"
    TOOLS = "tools"
    TOOLS_MOVED = "tools-moved"
    TOOL_SCHEMA = "tool-schema"
    HEADER = "header"
    SETTINGS = "settings"
    OPEN_TURN = "open-turn"
    ALTERNATIVES = "alternatives"
    COMPLETION = "completion"
    OUTSIDE = "text-outside"
    EXTRAS = "extras"
    LAYOUT = "layout"
    CONTROL_TOKEN = "control-token"
    SURROGATE = "surrogate"


class LossClass(StrEnum):
    """What a loss concerns, the worst class first."""

    CONTENT = "content"
    """Texts, thoughts, calls, replies and media."""
    STRUCTURE = "structure"
    """Roles, recipients, channels and the order of messages; the declared tools."""
    BOOKKEEPING = "bookkeeping"
    """Ids, the parameters of a request, metadata, layout."""


CLASSES: Final[dict[LossCode, LossClass]] = {
    LossCode.MESSAGE: LossClass.CONTENT,
    LossCode.ROLE: LossClass.STRUCTURE,
    LossCode.NAME: LossClass.STRUCTURE,
    LossCode.CHANNEL: LossClass.STRUCTURE,
    LossCode.RECIPIENT: LossClass.STRUCTURE,
    LossCode.CALL_ID: LossClass.BOOKKEEPING,
    LossCode.INTENT: LossClass.STRUCTURE,
    LossCode.CONTENT_TYPE: LossClass.BOOKKEEPING,
    LossCode.CONSTRAINT: LossClass.STRUCTURE,
    LossCode.ENDING: LossClass.STRUCTURE,
    LossCode.GROUPING: LossClass.STRUCTURE,
    LossCode.FAILED: LossClass.STRUCTURE,
    LossCode.WEIGHT: LossClass.BOOKKEEPING,
    LossCode.SIGNATURE: LossClass.BOOKKEEPING,
    LossCode.CACHE: LossClass.BOOKKEEPING,
    LossCode.CITATIONS: LossClass.CONTENT,
    LossCode.ORDER: LossClass.STRUCTURE,
    LossCode.PAIRING: LossClass.STRUCTURE,
    LossCode.CONTENT: LossClass.CONTENT,
    LossCode.THOUGHT: LossClass.CONTENT,
    LossCode.FLAGS: LossClass.STRUCTURE,
    LossCode.MEDIA: LossClass.CONTENT,
    LossCode.REFUSAL: LossClass.CONTENT,
    LossCode.INFILL: LossClass.CONTENT,
    LossCode.FILE_BREAK: LossClass.STRUCTURE,
    LossCode.FOREIGN_PART: LossClass.CONTENT,
    LossCode.EMPTIED: LossClass.CONTENT,
    LossCode.TOOLS: LossClass.STRUCTURE,
    LossCode.TOOLS_MOVED: LossClass.STRUCTURE,
    LossCode.TOOL_SCHEMA: LossClass.STRUCTURE,
    LossCode.HEADER: LossClass.BOOKKEEPING,
    LossCode.SETTINGS: LossClass.BOOKKEEPING,
    LossCode.OPEN_TURN: LossClass.STRUCTURE,
    LossCode.ALTERNATIVES: LossClass.CONTENT,
    LossCode.COMPLETION: LossClass.CONTENT,
    LossCode.OUTSIDE: LossClass.CONTENT,
    LossCode.EXTRAS: LossClass.BOOKKEEPING,
    LossCode.LAYOUT: LossClass.BOOKKEEPING,
    LossCode.CONTROL_TOKEN: LossClass.CONTENT,
    LossCode.SURROGATE: LossClass.CONTENT,
}
"""The class of each code; every code has one."""


class FindingCode(StrEnum):
    """What a reader repaired, assumed, or kept although the format does not allow it.

    Codes that begin with ``E-`` are those of OpenChatML 2.2 §14. A strict read raises findings as errors.
    """

    HEADER_ABSENT = "header-absent"
    """The document header is missing, or has no version."""
    VERSION = "version"
    """The document header names an unknown version, or a version that differs from that of the text after it."""
    HEADER_RECOVERED = "header-recovered"
    """A message's header is malformed; its evident meaning was recovered."""
    HEADER_VALUE = "header-value"
    """A message's header has a word or attribute that the format does not know; it is kept."""
    CHANNEL_MISSING = "E-PARSE-CHANNEL-MISSING"
    """A channel is missing although the header's profile requires one."""
    UNKNOWN_ROLE = "unknown-role"
    """The format does not know this role; it is kept."""
    UNKNOWN_CHANNEL = "unknown-channel"
    """The format does not know this channel, or does not allow it here; it is kept."""
    UNKNOWN_INTENT = "unknown-intent"
    """The format does not know this intent; it is kept."""
    CALL_ID_MISSING = "call-id-missing"
    """A call or reply has no id although the format requires one."""
    CALL_ID_REPEATED = "call-id-repeated"
    """A call has the id of an earlier one although the format requires unique ids."""
    NAME_MISSING = "name-missing"
    """A tool's reply does not name the tool although the format requires it."""
    MIXED_CALLS = "mixed-calls"
    """A turn writes its calls in two ways, which the format forbids."""
    CALL_CHANNEL = "call-channel"
    """A function is called from a channel that is not for calls."""
    CALL_ENDING = "call-ending"
    """A call does not end with the token for calls."""
    CALL_SCHEMA = "E-CALL-SCHEMA"
    """A call names no tool, or one that is not declared, or its arguments do not match the tool's parameters."""
    CALL_UNCHECKED = "call-unchecked"
    """Calls could not be compared with what their tools declare."""
    CALL_UNANSWERED = "call-unanswered"
    """A call of a function has no reply although the conversation goes on."""
    CONSTRAINT_VIOLATION = "E-BODY-CONSTRAINT-VIOLATION"
    """A body does not match its constraint."""
    REPLY_UNPAIRED = "reply-unpaired"
    """A reply answers no call that is open."""
    STRAY_TOKEN = "stray-token"
    """A control token has no meaning at its place; it is read as text."""
    TEXT_OUTSIDE = "text-outside"
    """There is text outside of any message; it is kept."""
    END_MISSING = "end-missing"
    """A message has no end before the next one begins."""
    TRUNCATED = "E-STREAM-TRUNCATED"
    """The text ends before the message does."""
    MARKUP = "markup"
    """A message has tags of a dialect that are not understood there, such as a reply next to text; they are kept."""
    JSON_REPAIRED = "json-repaired"
    """Invalid JSON was repaired: comments and needless commas in a file, or what a model wrote, whose text is kept."""
    JSON_OPAQUE = "json-opaque"
    """A text that should be JSON is not; it is kept as text."""
    TOOLS_OPAQUE = "tools-opaque"
    """A section that declares tools is not understood; it is kept as text."""
    MIXED_SPELLING = "mixed-spelling"
    """One document writes its tokens in two ways."""
    ENCODING = "encoding"
    """Bytes of a stream are not UTF-8; they are read as U+FFFD."""
    BYTE_ORDER_MARK = "byte-order-mark"
    """The text begins with a byte order mark; it is left out."""
    ARROW_PADDING = "arrow-padding"
    """Arrow adds null members to arguments and tools, and null messages to lists; the reader leaves them out."""
    EARLIER_FORM = "earlier-form"
    """A canonical document has an earlier schema; it is read as one of the current schema."""
    DEFAULT_MEMBER = "default-member"
    """A canonical document has a member at its default, such as null; it is left out when written."""
    SHAPE = "shape"
    """A JSON value has a shape that the format does not know here; it is kept."""
    SIDECAR = "sidecar"
    """An output was edited, and its sidecar does not match it at this place any more."""


class Loss(NamedTuple):
    """One place of a transcript that the target cannot hold as it was.

    Attributes:
        code: what was lost.
        severity: lost, changed or layout.
        path: a JSON pointer (RFC 6901) into the canonical form of the source; "" is the whole document.
        detail: a sentence for people.
    """

    code: LossCode
    severity: Severity
    path: str
    detail: str

    @property
    def loss_class(self) -> LossClass:
        """The class of the code: content, structure or bookkeeping."""
        return CLASSES[self.code]

    def to_json(self) -> dict[str, Any]:
        """Return the loss as JSON values, with its class."""
        code, severity, path, detail = self
        return {"code": code, "class": CLASSES[code], "severity": severity, "path": path, "detail": detail}


class Finding(NamedTuple):
    """One place of a document that its reader repaired or had to interpret; the fields are those of `Loss`."""

    code: FindingCode
    severity: Severity
    path: str
    detail: str

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return self._asdict()


OF_RELATIONS: Final = frozenset({FindingCode.REPLY_UNPAIRED, FindingCode.CALL_ID_REPEATED})
"""Codes of findings about which reply answers which call: they do not suggest that the format is another one."""
_OF_MESSAGE: Final = re.compile(r"/messages/(\d+)")


def without_message(findings: Iterable[Finding], gone: int) -> list[Finding]:
    """Renumber the paths of findings after the message that declared the tools was taken out of the document.

    Args:
        findings: findings with the indices of all messages.
        gone: the index of the message that was taken out; findings in it get the path `/tools`.
    """
    result: list[Finding] = []
    for finding in findings:
        match = _OF_MESSAGE.match(finding.path)
        index = -1 if match is None else int(match[1])
        if match is not None and index >= gone:
            path = "/tools" if index == gone else f"/messages/{index - 1}{finding.path[match.end() :]}"
            finding = finding._replace(path=path)
        result.append(finding)
    return result


class Log:
    """Collects the findings of one read, or the losses of one write, in order.

    Attributes:
        findings: what the reader repaired or assumed.
        losses: what the writer could not carry over.
    """

    __slots__ = ("findings", "losses")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.losses: list[Loss] = []

    def find(self, code: FindingCode, path: str, detail: str, severity: Severity = Severity.CHANGED) -> None:
        """Add a finding.

        Args:
            code: the kind of finding.
            path: a JSON pointer into the document that is read.
            detail: a sentence for people.
            severity: how much it matters.
        """
        self.findings.append(Finding(code, severity, path, detail))

    def lose(self, code: LossCode, path: str, detail: str, severity: Severity = Severity.LOST) -> None:
        """Add a loss.

        Args:
            code: what is lost.
            path: a JSON pointer into the document that is written.
            detail: a sentence for people.
            severity: whether it is lost, changed, or spelled differently.
        """
        self.losses.append(Loss(code, severity, path, detail))


RELATIONS: Final = frozenset({LossCode.ORDER, LossCode.PAIRING})
"""Losses of relations between messages: their order, and which call a reply answers. The message at the path is not
lost."""
_ELEMENT: Final = re.compile(r"(?:/messages/\d+|/content/\d+)$")
_PART: Final = re.compile(r"/content/\d+$")


def named(losses: Iterable[Loss]) -> set[str]:
    """Return the paths of the losses, except those of `RELATIONS`; values at or below them may read differently."""
    return {loss.path for loss in losses if loss.code not in RELATIONS}


def gone(losses: Iterable[Loss]) -> set[str]:
    """Return the paths of the messages and parts that losses report as missing from the output.

    A message that was merged into another one counts as missing; a part that was changed into another kind does not.
    """
    elements = (loss for loss in losses if loss.code not in RELATIONS and is_element(loss.path))
    return {loss.path for loss in elements if loss.severity is not Severity.CHANGED or not _PART.search(loss.path)}


def is_element(path: str) -> bool:
    """Return whether a path is that of a whole message or a whole part."""
    return _ELEMENT.search(path) is not None


def worst_class(losses: Iterable[Loss]) -> LossClass | None:
    """Return the worst class of what is lost or changed, or None if nothing is."""
    layout = Severity.LAYOUT
    codes = frozenset([code for code, severity, _, _ in losses if severity is not layout])
    return _worst_of(codes) if codes else None


@lru_cache(maxsize=1024)
def _worst_of(codes: frozenset[LossCode]) -> LossClass:
    return min((CLASSES[code] for code in codes), key=_WORST.index)


_WORST: Final = tuple(LossClass)


def is_lossless(losses: list[Loss] | tuple[Loss, ...]) -> bool:
    """Return whether nothing is lost or changed; differences of layout are allowed."""
    layout = Severity.LAYOUT
    for loss in losses:  # noqa: SIM110  # a generator takes twice as long
        if loss.severity is not layout:
            return False
    return True
