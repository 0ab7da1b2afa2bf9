"""What a target holds of a message's content, and what is left out of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from ..chat.citations import Citations, Place
from ..chat.substance import opaque_field
from ..chat.turns import apart, as_text, content_of, parts_of
from ..loss import Log, LossCode, Severity
from ..model import (
    Content,
    FileBreak,
    Flags,
    Foreign,
    Infill,
    Media,
    Message,
    Part,
    Passages,
    Refusal,
    Text,
    Thought,
    Tools,
    replace,
)
from .wording import emptied_in, kind_of

PART_CODES: Final[dict[type[Any], LossCode]] = {
    Thought: LossCode.THOUGHT,
    Flags: LossCode.FLAGS,
    Tools: LossCode.TOOLS,
    Media: LossCode.MEDIA,
    Passages: LossCode.CONTENT,
    Refusal: LossCode.REFUSAL,
    Infill: LossCode.INFILL,
    FileBreak: LossCode.FILE_BREAK,
    Foreign: LossCode.FOREIGN_PART,
}


def drop_message(log: Log, index: int, reason: str) -> None:
    """Report that a message has no place in the target at all; its image leaves it out."""
    log.lose(LossCode.MESSAGE, f"/messages/{index}", reason)


_BESIDE: Final = ("name", "weight", "signature", "cache", "extras")
"""What may be said of a message that says nothing."""


def kind_of_blank(text: str) -> str:
    """What a sentence calls a text that says nothing."""
    return "a text of white space" if text else "an empty text"


def drop_empty(message: Message, index: int, log: Log, reason: str, *, target: str) -> None:
    """Report that a message is left out which says nothing in the target; what else is said of it is lost with it.

    Args:
        message: of the document, with parts that the target has no place for.
        index: its place there.
        log: takes the losses.
        reason: why it is left out.
        target: the format id.
    """
    texts = all(isinstance(part, Text) for part in parts_of(message.content))
    is_bare = texts and all(getattr(message, field) is None for field in _BESIDE)
    log.lose(LossCode.MESSAGE, f"/messages/{index}", reason, Severity.LAYOUT if is_bare else Severity.LOST)
    if (field := opaque_field(message)) is not None:
        log.lose(LossCode.EMPTIED, f"/messages/{index}/{field}", emptied_in(target))


def with_own_extras(content: Content, home: str) -> Content:
    """Parts whose texts have extras only where one format's are among them; one bare text alone is that text."""
    if isinstance(content, str):
        return content
    parts = [
        replace(part, extras=None)
        if isinstance(part, Text) and part.extras is not None and not part.extras.get(home)
        else part
        for part in content
    ]
    return content_of(parts) if len(parts) < 2 else tuple(parts)


def with_supported(
    content: Content, path: str, log: Log, *, target: str, marks: bool, citations: Citations | None
) -> Content:
    """Parts with what a target holds of their marks and citations; one bare text alone is that text.

    Args:
        content: of a message, as it stands in the document.
        path: where it stands.
        log: takes what is left out: what else becomes of the content may hide it.
        target: the format id.
        marks: whether there is a place for marks behind parts.
        citations: how they are said; None where there is no place for them.
    """
    if isinstance(content, str):
        return content
    parts: list[Part] = []
    for index, part in enumerate(content):
        bare = part
        if not marks and isinstance(bare, (Text, Media, Passages)) and bare.cache is not None:
            log.lose(LossCode.CACHE, f"{path}/{index}/cache", f"{target} has no place for a cache mark")
            bare = replace(bare, cache=None)
        if isinstance(bare, Text) and bare.citations is not None:
            place = Place(0, len(bare.text))
            given = [] if citations is None else [citations.nearest(one, place) for one in bare.citations]
            sources = tuple(one for one in given if one is not None)
            if len(sources) < len(bare.citations):
                some = f"{len(bare.citations) - len(sources)} of {len(bare.citations)} sources"
                what = some if sources else "the sources"
                severity = Severity.CHANGED if sources else Severity.LOST
                detail = f"{target} has no place for {what} of this text"
                log.lose(LossCode.CITATIONS, f"{path}/{index}/citations", detail, severity)
            bare = replace(bare, citations=sources or None)
        parts.append(bare)
    return content_of(parts) if len(parts) < 2 else tuple(parts)


def fitted(
    content: Content,
    holds: Collection[type[Any]],
    path: str,
    log: Log,
    *,
    target: str,
    able: Callable[[Part], bool] | None = None,
    marks: bool = True,
    citations: Citations | None = None,
    hoisted: bool = True,
    refused: Callable[[str], bool] | None = None,
) -> Content:
    """Parts that a target holds, each with what it holds of it; the others are reported.

    Args:
        content: of a message, as it stands in the document.
        holds: the kinds of part that there are in the target.
        path: where the content stands.
        log: takes what is left out.
        target: the format id.
        able: as for `narrow`.
        marks: whether there is a place for marks behind parts.
        citations: how they are said; None where there is no place for them.
        hoisted: as for `narrow`.
        refused: as for `narrow`.
    """
    content = with_supported(content, path, log, target=target, marks=marks, citations=citations)
    narrowed = narrow(content, holds, path, log, target=target, able=able, hoisted=hoisted, refused=refused)
    return with_own_extras(narrowed, target)


def drop_private(log: Log, index: int, target: str) -> None:
    """Report that a message is left out as the target would show it."""
    drop_message(log, index, f"{target} cannot keep text of this role private, so it leaves it out")


_REASON: Final = Thought("reason")


def _add_read(narrower: list[Part], part: Part, text: str, *, alone: bool) -> Part | None:
    """Add a part as the text that it reads as; the part itself where what follows has to be set apart from it.

    Args:
        narrower: the parts before it; the list is changed.
        part: it.
        text: what it reads as.
        alone: whether all parts become one text: passages are then set apart from their neighbours.
    """
    if not isinstance(part, Passages):
        narrower.append(Text(text))
        return None
    last, made = narrower[-1] if alone and narrower else None, Text(text, cache=part.cache)
    if isinstance(last, Text) and last.is_bare:
        narrower[-1] = apart(last, made)
    else:
        narrower.append(made)
    return part if alone else None


def narrow(
    content: Content,
    holds: Collection[type[Any]],
    path: str,
    log: Log,
    *,
    target: str,
    able: Callable[[Part], bool] | None = None,
    hoisted: bool = False,
    private: bool = False,
    refused: Callable[[str], bool] | None = None,
) -> Content:
    """Content with only those kinds of part that the target holds; each part left out is reported at its path.

    Where `Text` is all that is held, texts side by side become one, which is reported as a change. Refusals, infills
    and passages become their text where there is no place for what they are. `able` says of a part of a kind that is
    held whether this one is, where that depends on more than its kind. `hoisted` says that declared tools have been
    moved out, and that this was reported: they are passed over. `private` says that all of it is private reasoning in
    the target: that it begins as `reason` goes without saying there, as it does of a thought of no kind. `refused` says
    of a text that says nothing whether the target refuses it.
    """
    if isinstance(content, str):
        return content
    if Text not in holds:
        content = parts_of(with_supported(content, path, log, target=target, marks=False, citations=None))
    narrower: list[Part] = []
    separator: Part | None = None
    for index, part in enumerate(content):
        at = f"{path}/{index}"
        if hoisted and isinstance(part, Tools):
            separator = part
            continue
        before = narrower[-1] if separator is not None and narrower else None
        if isinstance(before, Text) and isinstance(part, Text) and before.is_bare and part.is_bare:
            narrower[-1] = apart(before, part)
            if isinstance(separator, Thought):
                log.lose(
                    LossCode.CONTENT, path, f"{target} joins the texts before and after a marker", Severity.CHANGED
                )
            separator = None
            continue
        separator = None
        if refused is not None and isinstance(part, Text) and refused(part.text):
            severity = Severity.LAYOUT if part.is_bare else Severity.LOST
            log.lose(LossCode.CONTENT, at, f"{target} has no place for {kind_of_blank(part.text)}", severity)
            continue
        if isinstance(part, Text) or (type(part) in holds and (able is None or able(part))):
            narrower.append(part)
        elif (text := as_text(part)) is not None:
            place = at if Text in holds else path
            log.lose(PART_CODES[type(part)], place, f"{target} writes {kind_of(part)} as plain text", Severity.CHANGED)
            separator = _add_read(narrower, part, text, alone=Text not in holds)
        else:
            if private and index == 0 and part == _REASON:
                detail = f"{target} leaves out the kind 'reason', which is the default"
                log.lose(LossCode.THOUGHT, at, detail, Severity.LAYOUT)
            else:
                log.lose(PART_CODES[type(part)], at, f"{target} has no place for {kind_of(part)}")
            separator = part if isinstance(part, Thought) else None
    if Text in holds:
        return content_of(narrower) if len(narrower) < 2 else tuple(narrower)
    narrowed = content_of([Text(part.text) if isinstance(part, Text) else part for part in narrower])
    if narrower and len(parts_of(narrowed)) != len(narrower):
        log.lose(LossCode.CONTENT, path, f"{target} joins texts that are side by side", Severity.CHANGED)
        return narrowed
    for index, part in enumerate(content):
        if isinstance(part, Text) and part.extras is not None:
            log.lose(
                LossCode.EXTRAS, f"{path}/{index}/extras", f"{target} has no place for the further keys of a text part"
            )
    return narrowed
