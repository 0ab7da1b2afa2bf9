"""Read and write the text around the frames: the document header, or other text in its place, and the tail."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import Header, Json, Transcript, replace
from ocml_bridge.text import developer
from ocml_bridge.units.conversation import Conversation
from ocml_bridge.units.grouping import with_grouping
from ocml_bridge.units.heads import Item

from .document import (
    GENERATION,
    PLAIN,
    REMEMBERED,
    DocumentHeader,
    parse_header,
    read_back,
    render_header,
    too_long,
    values_of,
)
from .nearest import is_outside
from .syntax import HOME, MAX_HEADER, MINORS, NOTES, START, START_LINE, VERSION, VERSION_OF

# --- reading ----------------------------------------------------------------------------------------------------------


class Front:
    """Find the first frame of a text that arrives in pieces, and the document header before it (reading 1).

    The first frame begins at a line that begins with `<|start|>`, because the header itself may name tokens. It begins
    at an earlier `<|start|>` inside a line if the text before the line is no header, or if only white space precedes.

    Attributes:
        text: the text before the first frame, after it was found.
        header: the document header in that text; None if there is none.
        size: the number of characters that wait for the first frame.
    """

    def __init__(self) -> None:
        self.text = ""
        self.header: DocumentHeader | None = None
        self._pieces: list[str] = []
        self._blank = True
        self._early = -1
        self.size = 0

    def feed(self, text: str) -> str | None:
        """Take more text, which does not end inside a token; return the text from the first frame on, if it is found.

        Raises:
            BridgeError: E-PARSE-HEADER if a header is longer than `MAX_HEADER`, nests too deep, or uses YAML aliases.
        """
        # After text that ends inside a line, the first character does not begin one.
        line = START_LINE.search(text, int(bool(self._pieces) and not self._pieces[-1].endswith("\n")))
        early = text.find(START) if self._early < 0 else -1
        self._pieces.append(text)
        if early >= 0:
            self._early = self.size + early
            self._blank = self._blank and not text[:early].strip()
            if self._blank:
                return self._split("".join(self._pieces), self._early)
        else:
            self._blank = self._blank and not text.strip()
        if line is not None:
            return self._decide("".join(self._pieces), self.size + line.start())
        self.size += len(text)
        if self.size > MAX_HEADER and not self._blank:
            raise too_long()
        return None

    def finish(self) -> str:
        """End the text; return that from the first frame on, or "".

        Raises:
            BridgeError: as `feed`.
        """
        text = "".join(self._pieces)
        return self._decide(text, len(text))

    def _decide(self, text: str, at: int) -> str:
        rest = self._split(text, at)
        return rest if self.header is not None or self._early < 0 else self._split(text, self._early)

    def _split(self, text: str, at: int) -> str:
        self.text = text[:at]
        self.header = parse_header(self.text) if self.text.strip() else None
        return text[at:]


def front_of(text: str) -> tuple[Front, str]:
    """Split a whole text at its first frame.

    Raises:
        BridgeError: E-PARSE-HEADER if a header is too long, nests too deep, or uses YAML aliases.
    """
    front = Front()
    rest = front.feed(text)
    return front, front.finish() if rest is None else rest


def read_front(front: Front, log: Log, *, alone: bool) -> Transcript:
    """Read the text before the first frame as a transcript without messages: a header, other text or nothing.

    Args:
        front: the text, and its header.
        log: receives the findings.
        alone: whether no frame follows.

    Raises:
        BridgeError: OCB-NO-FRAMES if there is neither a header nor a message.
    """
    text, header = front.text, front.header
    if header is None and text.strip():
        if alone:
            detail = f"the input has no message: no line begins with {START}"
            raise BridgeError(ErrorCode.NO_FRAMES, detail, offset=0)
        detail = "the text before the first message is not a YAML header; it is kept as it is"
        log.find(FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/front", detail)
        return Transcript(extras={HOME: {"front": text}}, layout={HOME: {"header": "absent"}})
    if header is None:
        detail = "the transcript has no YAML header, which §2 requires"
        log.find(FindingCode.HEADER_ABSENT, "/header", detail, Severity.LAYOUT)
        return Transcript(layout={HOME: {"header": "absent", **({"front": text} if text else {})}})
    _report_version(header.header.version, log)
    raw = None if render_header(header) == text else text
    return _read(header._replace(header=replace(header.header, layout=NOTES.by_format({"raw": raw} if raw else {}))))


def _read(header: DocumentHeader) -> Transcript:
    """Return a transcript with a header; one with the default version only is omitted."""
    return Transcript(
        header=None if header.header in (PLAIN.header, Header()) else header.header,
        settings=header.settings,
        extras={HOME: {GENERATION: header.others}} if header.others else None,
    )


def _report_version(version: str | None, log: Log) -> None:
    """Report a version that §2 does not allow: 1.x is allowed (§13), and 2.x if it is specified (readings 2 and 39)."""
    if version is None:
        log.find(
            FindingCode.HEADER_ABSENT,
            "/header/version",
            "the header has no version, which §2 requires",
            Severity.LAYOUT,
        )
        return
    match = VERSION_OF.fullmatch(version)
    if match is None:
        log.find(
            FindingCode.VERSION,
            "/header/version",
            f"the version {version[:40]!r} is not major.minor (§2); it is read as {VERSION}",
        )
    elif match[1] not in ("1", "2") or (match[1] == "2" and match[2] not in MINORS):
        log.find(
            FindingCode.VERSION,
            "/header/version",
            f"the version {version[:40]} is not specified; it is read as {VERSION}",
        )


def with_tail(around: Transcript, tail: str) -> Transcript:
    """Return a transcript with the text after the last frame, which is closed; the default newline is not stored."""
    if tail == "\n":
        return around
    if tail.strip():
        return replace(around, extras=NOTES.adding(around.extras, {"tail": tail}))
    return replace(around, layout=NOTES.adding(around.layout, {"tail": tail}))


def with_tools(items: list[Item], around: Transcript) -> Conversation:
    """Return the conversation of frames: messages are grouped, and tools are taken out of the developer message.

    Args:
        items: the items of the frames; the list may be changed.
        around: the transcript around them, with the tools if they are known to be in a message of their own.
    """
    extracted = developer.extract_tools(with_grouping(items), lenient=True, tools=around.tools)
    if extracted.tools is None:
        return Conversation(items, around)
    layout = NOTES.adding(around.layout, extracted.spelling.notes(HOME))
    return Conversation(
        extracted.items, replace(around, tools=extracted.tools, layout=layout), declaration_at=extracted.at
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def header_of(transcript: Transcript) -> DocumentHeader:
    """Return the document header of a transcript; numbers of tokens have no place in one."""
    settings, others = transcript.settings, NOTES.of(transcript.extras).get(GENERATION)
    return DocumentHeader(
        transcript.header or PLAIN.header,
        settings if settings is None or settings.usage is None else replace(settings, usage=None),
        cast("dict[str, Json]", others) if isinstance(others, dict) else None,
    )


def has_default_header(transcript: Transcript) -> bool:
    """Return whether the document header of a transcript has the default version only."""
    return _bare(header_of(transcript)) == PLAIN


def _bare(header: DocumentHeader) -> DocumentHeader:
    """Return a header with its version and without its layout."""
    return header._replace(header=replace(header.header, version=header.header.version or VERSION, layout=None))


def write_front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    """Return the text before the first frame, and the transcript that is read from it.

    Args:
        around: the transcript around the messages.
        alone: whether no frame follows.
    """
    if around.header is not None or NOTES.of(around.extras) or NOTES.of(around.layout):
        return _front(around, alone=alone)
    values = () if around.settings is None else values_of(around.settings)
    key = (values, repr(values))  # 1 and 1.0 are equal, but are written differently
    try:
        front = _fronts.get(key)
    except TypeError:  # a schema, or a choice among tools
        return _front(around, alone=alone)
    if front is None:
        front = _front(around, alone=alone)
        if len(front[0]) <= REMEMBERED and front[1] == Transcript(settings=front[1].settings):
            _fronts.keep(key, front)
    return front


_fronts: Final = Memo[tuple[Any, ...], tuple[str, Transcript]](512)
"""The cache of document headers by settings."""


def _front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    header = header_of(around)
    try:
        clean = read_back(_bare(header)) or PLAIN
    except BridgeError:  # too long or too deep to be read again
        clean = PLAIN
    raw = NOTES.of(header.header.layout).get("raw")
    if isinstance(raw, str) and _still_means(raw, clean, alone=alone):
        return raw, _read(clean._replace(header=replace(clean.header, layout={HOME: {"raw": raw}})))
    if clean == PLAIN and NOTES.of(around.layout).get("header") == "absent":
        return _write_no_header(around, alone=alone)
    return render_header(clean), _read(clean)


def _still_means(raw: str, header: DocumentHeader, *, alone: bool) -> bool:
    """Return whether the stored text of a header, with its comments, still means the same as the header."""
    if raw.lstrip().startswith(START) or f"\n{START}" in raw or not (alone or raw.endswith("\n")):
        return False
    try:
        return parse_header(raw) == header and render_header(header) != raw
    except BridgeError:
        return False


def _write_no_header(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    """Return the text in place of the header, for a document that was read without one."""
    text, blank = NOTES.of(around.extras).get("front"), NOTES.of(around.layout).get("front")
    layout: dict[str, Json] = {"header": "absent"}
    if isinstance(text, str) and text.strip() and not alone and _is_no_header(text):
        return text, Transcript(extras={HOME: {"front": text}}, layout={HOME: layout})
    if isinstance(blank, str) and blank and not blank.strip():
        return blank, Transcript(layout={HOME: {**layout, "front": blank}})
    return "", Transcript(layout={HOME: layout})


def _is_no_header(front: str) -> bool:
    try:
        return front.endswith("\n") and is_outside(front) and parse_header(front) is None
    except BridgeError:
        return False


def text_after(around: Transcript) -> str | None:
    """Return the text to write after the last frame; None if there is none except white space."""
    tail = NOTES.of(around.extras).get("tail")
    return tail if isinstance(tail, str) and tail.strip() and is_outside(tail) else None


def tail_of(around: Transcript) -> str:
    """Return what to write after the last frame, which is closed."""
    text, blank = text_after(around), NOTES.of(around.layout).get("tail")
    if text is not None:
        return text
    return blank if isinstance(blank, str) and not blank.strip() else "\n"
