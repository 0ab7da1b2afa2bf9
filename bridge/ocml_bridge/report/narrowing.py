"""Narrow the content of a message to the parts that a target format can hold, and report the rest as losses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from ..chat.citations import Citations, Place
from ..chat.substance import opaque_field
from ..chat.turns import apart, as_text, content_of, parts_of
from ..loss import Log, LossCode, Severity
from ..model import (
    Citation,
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
    """Report that a message has no place in the target; the image does not have it.

    Args:
        log: gets the loss.
        index: the index of the message in the document.
        reason: the sentence of the loss.
    """
    log.lose(LossCode.MESSAGE, f"/messages/{index}", reason)


_FIELDS_OF_EMPTY: Final = ("name", "weight", "signature", "cache", "extras")
"""The fields of an empty message that are lost with it."""


def kind_of_blank(text: str) -> str:
    """Return what a sentence calls a text that is empty or only white space."""
    return "a text of white space" if text else "an empty text"


def drop_empty(message: Message, index: int, log: Log, reason: str, *, target: str) -> None:
    """Report that a message without content in the target is left out, with its other fields.

    The severity is `layout` if the message has only empty texts and no other field, and was not cut off.

    Args:
        message: the message in the document, also with parts that the target has no place for.
        index: its index in the document.
        log: gets the losses.
        reason: the sentence of the loss.
        target: the format id.
    """
    texts = all(isinstance(part, Text) for part in parts_of(message.content))
    is_bare = texts and message.end is not None and all(getattr(message, field) is None for field in _FIELDS_OF_EMPTY)
    log.lose(LossCode.MESSAGE, f"/messages/{index}", reason, Severity.LAYOUT if is_bare else Severity.LOST)
    if (field := opaque_field(message)) is not None:
        log.lose(LossCode.EMPTIED, f"/messages/{index}/{field}", emptied_in(target))


def with_own_extras(content: Content, home: str) -> Content:
    """Remove the extras of text parts that have none of one format; return a single bare text as `str`.

    Args:
        content: the content of a message.
        home: the key of the format's extras.
    """
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
    """Remove cache marks and citations that a target cannot hold from parts; return a single bare text as `str`.

    Args:
        content: the content of a message of the document.
        path: its path.
        log: gets the losses. They are reported here because later changes of the content may hide them.
        target: the format id.
        marks: whether the target has cache marks on parts.
        citations: how the target writes citations; None if it has none.
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
            nearest = _nearest_citations(bare.text, bare.citations, f"{path}/{index}", log, target, citations)
            bare = replace(bare, citations=nearest or None)
        parts.append(bare)
    return content_of(parts) if len(parts) < 2 else tuple(parts)


def _nearest_citations(
    text: str, cited: Sequence[Citation], path: str, log: Log, target: str, citations: Citations | None
) -> tuple[Citation, ...]:
    """Return the nearest citations that a target can hold, and report that it has no place for others.

    Args:
        text: the text of a part.
        cited: its citations.
        path: the path of the part.
        log: gets the loss.
        target: the format id.
        citations: how the target writes citations; None if it has none.
    """
    place = Place(0, len(text))
    nearest = [] if citations is None else [citations.nearest(each, place) for each in cited]
    found = tuple(citation for citation in nearest if citation is not None)
    if len(found) < len(cited):
        what = f"{len(cited) - len(found)} of {len(cited)} sources" if found else "the sources"
        detail = f"{target} has no place for {what} of this text"
        log.lose(LossCode.CITATIONS, f"{path}/citations", detail, Severity.CHANGED if found else Severity.LOST)
    return found


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
    """Narrow content to what a target can hold: cache marks, citations, kinds of parts and extras.

    Args:
        content: the content of a message of the document.
        holds: the types of parts that the target has.
        path: the path of the content.
        log: gets the losses.
        target: the format id.
        able: as for `narrow`.
        marks: as for `with_supported`.
        citations: as for `with_supported`.
        hoisted: as for `narrow`.
        refused: as for `narrow`.
    """
    content = with_supported(content, path, log, target=target, marks=marks, citations=citations)
    narrowed = narrow(content, holds, path, log, target=target, able=able, hoisted=hoisted, refused=refused)
    return with_own_extras(narrowed, target)


def drop_private(log: Log, index: int, target: str) -> None:
    """Report that a message of a private role is left out, because the target would show it."""
    drop_message(log, index, f"{target} cannot keep text of this role private, so it leaves it out")


def drop_silent(log: Log, index: int, target: str) -> None:
    """Report that a thought without text is left out."""
    drop_message(log, index, f"{target} has no place for reasoning without text")


_REASON: Final = Thought("reason")


def _add_as_text(narrower: list[Part], part: Part, text: str, *, one_text: bool) -> Part | None:
    """Append a part as text to the narrowed parts; return the part if a separator is needed after it, else None.

    Args:
        narrower: the parts before it; the list is changed.
        part: the part.
        text: its text.
        one_text: whether all parts become one text; then passages and files are separated from their neighbours.
    """
    if not isinstance(part, (Passages, Media)):
        narrower.append(Text(text))
        return None
    last, added = narrower[-1] if one_text and narrower else None, Text(text, cache=part.cache)
    if isinstance(last, Text) and last.is_bare:
        narrower[-1] = apart(last, added)
    else:
        narrower.append(added)
    return part if one_text else None


def _join_texts(narrower: list[Part], part: Part) -> bool:
    """Join a bare text to the bare text at the end of the narrowed parts; return False if they are not both that."""
    last = narrower[-1] if narrower else None
    if not (isinstance(last, Text) and isinstance(part, Text) and last.is_bare and part.is_bare):
        return False
    narrower[-1] = apart(last, part)
    return True


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
    """Narrow content to the types of parts that a target has; report each part that is left out or becomes text.

    Refusals, infills, passages and text files become text if the target does not have their type. If `holds` is without
    `Text`, the content becomes one text where possible; joining texts is reported as a change.

    Args:
        content: the content of a message of the document.
        holds: the types of parts that the target has; without `Text`, its texts have no parts of their own.
        path: the path of the content.
        log: gets the losses.
        target: the format id.
        able: returns whether the target can hold a part whose type is in `holds`; None if it can hold all of them.
        hoisted: whether declared tools were moved out of the content and reported before; they are skipped.
        private: whether the target shows the whole content as private reasoning; then the kind `reason` of its
            beginning is the default, and leaving it out is a loss of layout only.
        refused: returns whether the target refuses a text, of those that are empty or white space; None if it
            refuses none.
    """
    if isinstance(content, str):
        return content
    one_text = Text not in holds
    if one_text:
        content = parts_of(with_supported(content, path, log, target=target, marks=False, citations=None))
    narrower: list[Part] = []
    # The part before this one, if it is left out or becomes text and so would have kept two texts apart.
    separator: Part | None = None
    for index, part in enumerate(content):
        at, before, separator = f"{path}/{index}", separator, None
        if hoisted and isinstance(part, Tools):
            separator = part
        elif before is not None and _join_texts(narrower, part):
            if isinstance(before, Thought):
                detail = f"{target} joins the texts before and after a marker"
                log.lose(LossCode.CONTENT, path, detail, Severity.CHANGED)
        elif refused is not None and isinstance(part, Text) and refused(part.text):
            severity = Severity.LAYOUT if part.is_bare else Severity.LOST
            log.lose(LossCode.CONTENT, at, f"{target} has no place for {kind_of_blank(part.text)}", severity)
        elif isinstance(part, Text) or (type(part) in holds and (able is None or able(part))):
            narrower.append(part)
        elif (text := as_text(part)) is not None:
            place = path if one_text else at
            log.lose(PART_CODES[type(part)], place, f"{target} writes {kind_of(part)} as plain text", Severity.CHANGED)
            separator = _add_as_text(narrower, part, text, one_text=one_text)
        elif private and index == 0 and part == _REASON:
            detail = f"{target} leaves out the kind 'reason', which is the default"
            log.lose(LossCode.THOUGHT, at, detail, Severity.LAYOUT)
            separator = part
        else:
            log.lose(PART_CODES[type(part)], at, f"{target} has no place for {kind_of(part)}")
            separator = part if isinstance(part, Thought) else None
    if one_text:
        return _joined(narrower, path, log, target)
    return content_of(narrower) if len(narrower) < 2 else tuple(narrower)


def _joined(narrower: list[Part], path: str, log: Log, target: str) -> Content:
    """Join adjacent texts of narrowed parts, and report that.

    Args:
        narrower: the narrowed parts.
        path: the path of the content.
        log: gets the losses.
        target: the format id.
    """
    narrowed = content_of([Text(part.text) if isinstance(part, Text) else part for part in narrower])
    if narrower and len(parts_of(narrowed)) != len(narrower):
        log.lose(LossCode.CONTENT, path, f"{target} joins texts that are side by side", Severity.CHANGED)
    return narrowed
