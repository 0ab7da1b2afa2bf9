"""What stands around the frames: the document header or what is in its place, and the text behind them."""

from __future__ import annotations

from typing import Any, Final, cast

from ocml_bridge.common.memo import Memo
from ocml_bridge.errors import BridgeError, ErrorCode
from ocml_bridge.loss import FindingCode, Log, Severity
from ocml_bridge.model import ByFormat, Header, Json, Transcript, replace
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
    """Looks for the first frame: at a line that begins with one, as the header itself names tokens (reading 1).

    A `<|start|>` earlier in a line is the first frame's where what stands before the line is no header, and at once
    where nothing but white space stands before it.

    Attributes:
        text: what stands before the first frame, once that is known.
        header: the document header that it is; None where it is none.
    """

    def __init__(self) -> None:
        self.text = ""
        self.header: DocumentHeader | None = None
        self._pieces: list[str] = []
        self._blank = True
        self._early = -1
        self.size = 0
        """How many characters wait for the first frame."""

    def feed(self, text: str) -> str | None:
        """Take more text, not cut inside a token; the text from the first frame on, once it is known where it begins.

        Raises:
            BridgeError: E-PARSE-HEADER where a header is longer than `MAX_HEADER`, nests too deep, or uses YAML's
                aliases.
        """
        # Behind text that ends inside a line, the first character does not begin one.
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
        """There is no more text: that from the first frame on, "" where there is none.

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
    """What stands before the first frame, and the text from there on.

    Raises:
        BridgeError: E-PARSE-HEADER where a header is too long, nests too deep, or uses YAML's aliases.
    """
    front = Front()
    rest = front.feed(text)
    return front, front.finish() if rest is None else rest


def read_front(front: Front, log: Log, *, alone: bool) -> Transcript:
    """What stands before the first frame: the header, nothing, or what is neither (reading 1).

    Args:
        front: which was found.
        log: takes what is noticed.
        alone: whether nothing stands behind it.

    Raises:
        BridgeError: OCB-NO-FRAMES where there is neither a header nor a message.
    """
    text, found = front.text, front.header
    if found is None and text.strip():
        if alone:
            detail = f"the input has no message: no line begins with {START}"
            raise BridgeError(ErrorCode.NO_FRAMES, detail, offset=0)
        detail = "the text before the first message is not a YAML header; it is kept as it is"
        log.find(FindingCode.TEXT_OUTSIDE, "/extras/ocm-2.2/front", detail)
        return Transcript(extras={HOME: {"front": text}}, layout={HOME: {"header": "absent"}})
    if found is None:
        detail = "the transcript has no YAML header, which §2 requires"
        log.find(FindingCode.HEADER_ABSENT, "/header", detail, Severity.LAYOUT)
        return Transcript(layout={HOME: {"header": "absent", **({"front": text} if text else {})}})
    _check_version(found.header.version, log)
    raw = None if render_header(found) == text else text
    return _read(found._replace(header=replace(found.header, layout=NOTES.by_format({"raw": raw} if raw else {}))))


def _read(header: DocumentHeader) -> Transcript:
    """A transcript with what its header says; one that says the version only goes without saying."""
    return Transcript(
        header=None if header.header in (PLAIN.header, Header()) else header.header,
        settings=header.settings,
        extras={HOME: {GENERATION: header.others}} if header.others else None,
    )


def _check_version(version: str | None, log: Log) -> None:
    """What §2 asks of the version: 1.x is valid here (§13), 2.x as far as it is specified (readings 2 and 39)."""
    if version is None:
        log.find(
            FindingCode.HEADER_ABSENT,
            "/header/version",
            "the header has no version, which §2 requires",
            Severity.LAYOUT,
        )
        return
    found = VERSION_OF.fullmatch(version)
    if found is None:
        log.find(
            FindingCode.VERSION,
            "/header/version",
            f"the version {version[:40]!r} is not major.minor (§2); it is read as {VERSION}",
        )
    elif found[1] not in ("1", "2") or (found[1] == "2" and found[2] not in MINORS):
        log.find(
            FindingCode.VERSION,
            "/header/version",
            f"the version {version[:40]} is not specified; it is read as {VERSION}",
        )


def with_tail(around: Transcript, tail: str) -> Transcript:
    """A transcript with what stands behind the last frame, which has an end: a newline goes without saying."""
    if tail == "\n":
        return around
    if tail.strip():
        return replace(around, extras=_with(around.extras, tail=tail))
    return replace(around, layout=_with(around.layout, tail=tail))


def with_tools(items: list[Item], around: Transcript) -> Conversation:
    """What frames read as, in their turns, with the tools out of the developer's message.

    Args:
        items: of the frames; the list may be changed.
        around: what stands around them, with the tools that are known to be in a message of their own.
    """
    found = developer.lifted(with_grouping(items), lenient=True, tools=around.tools)
    if found.tools is None:
        return Conversation(items, around)
    raw, layout = found.spelling
    members: dict[str, Json] = {} if raw is None else {"tools": raw}
    if layout is not None:
        members["tools_message"] = NOTES.of(layout)
    return Conversation(
        found.items,
        replace(around, tools=found.tools, layout=_with(around.layout, **members) if members else around.layout),
        lifted=found.at,
    )


def _with(layout: ByFormat | None, **more: Json) -> ByFormat:
    return {HOME: {**NOTES.of(layout), **more}}


# --- writing ----------------------------------------------------------------------------------------------------------


def header_of(transcript: Transcript) -> DocumentHeader:
    """The document header that a transcript gets; what counts the tokens of an answer has no place in one."""
    settings, others = transcript.settings, NOTES.of(transcript.extras).get(GENERATION)
    return DocumentHeader(
        transcript.header or PLAIN.header,
        settings if settings is None or settings.usage is None else replace(settings, usage=None),
        cast("dict[str, Json]", others) if isinstance(others, dict) else None,
    )


def goes_without_saying(transcript: Transcript) -> bool:
    """Whether the document header of a transcript says nothing but the version."""
    return _bare(header_of(transcript)) == PLAIN


def _bare(header: DocumentHeader) -> DocumentHeader:
    """A header as it would be spelled."""
    return header._replace(header=replace(header.header, version=header.header.version or VERSION, layout=None))


def write_front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    """What is written before the first frame, and what that reads as.

    Args:
        around: what there is to write beside messages.
        alone: whether nothing stands behind it.
    """
    if around.header is not None or NOTES.of(around.extras) or NOTES.of(around.layout):
        return _front(around, alone=alone)
    values = () if around.settings is None else values_of(around.settings)
    key = (values, repr(values))  # 1 and 1.0 are equal, and are spelled apart
    try:
        found = _fronts.get(key)
    except TypeError:  # a schema, or a choice among tools
        return _front(around, alone=alone)
    if found is None:
        found = _front(around, alone=alone)
        if len(found[0]) <= REMEMBERED and found[1] == Transcript(settings=found[1].settings):
            _fronts.keep(key, found)
    return found


_fronts: Final = Memo[tuple[Any, ...], tuple[str, Transcript]](512)
"""The document headers of settings that say the same."""


def _front(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    header = header_of(around)
    try:
        clean = read_back(_bare(header)) or PLAIN
    except BridgeError:  # too long or too deep to be read again
        clean = PLAIN
    raw = NOTES.of(header.header.layout).get("raw")
    if isinstance(raw, str) and _says(raw, clean, alone=alone):
        return raw, _read(clean._replace(header=replace(clean.header, layout={HOME: {"raw": raw}})))
    if clean == PLAIN and NOTES.of(around.layout).get("header") == "absent":
        return _write_no_header(around, alone=alone)
    return render_header(clean), _read(clean)


def _says(raw: str, header: DocumentHeader, *, alone: bool) -> bool:
    """Whether a header's raw text, which has its comments, still says what the header does."""
    if raw.lstrip().startswith(START) or f"\n{START}" in raw or not (alone or raw.endswith("\n")):
        return False
    try:
        return parse_header(raw) == header and render_header(header) != raw
    except BridgeError:
        return False


def _write_no_header(around: Transcript, *, alone: bool) -> tuple[str, Transcript]:
    """What stands in the place of the header of a document that was read without one."""
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


def text_behind(around: Transcript) -> str | None:
    """The text to write behind the last frame; None where there is none but white space."""
    tail = NOTES.of(around.extras).get("tail")
    return tail if isinstance(tail, str) and tail.strip() and is_outside(tail) else None


def tail_of(around: Transcript) -> str:
    """What to write behind the last frame, which has an end."""
    text, blank = text_behind(around), NOTES.of(around.layout).get("tail")
    if text is not None:
        return text
    return blank if isinstance(blank, str) and not blank.strip() else "\n"
