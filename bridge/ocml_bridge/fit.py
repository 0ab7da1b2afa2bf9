"""From a document and its image to the report of what was lost, and the helpers that `fit` functions share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, Final, cast

from .diff import ABSENT, Difference, diff
from .errors import ErrorCode
from .loss import Log, Loss, LossCode, Severity, gone, named
from .model import (
    OUTSIDE,
    ByFormat,
    Content,
    Document,
    FileBreak,
    Flags,
    Foreign,
    Infill,
    Media,
    Part,
    Refusal,
    Settings,
    Text,
    Thought,
    Tools,
)
from .substance import emptied
from .turns import apart, as_text, content_of, parts_of
from .wording import kind_of, names_of, shown

# --- helpers for `fit` functions --------------------------------------------------------------------------------------

PART_CODES: Final[dict[type[Any], LossCode]] = {
    Thought: LossCode.THOUGHT,
    Flags: LossCode.FLAGS,
    Tools: LossCode.TOOLS,
    Media: LossCode.MEDIA,
    Refusal: LossCode.REFUSAL,
    Infill: LossCode.INFILL,
    FileBreak: LossCode.FILE_BREAK,
    Foreign: LossCode.FOREIGN_PART,
}


def own(by_format: ByFormat | None, home: str) -> ByFormat | None:
    """The extras or layout that a format keeps: its own."""
    if by_format is None or home not in by_format:
        return None
    return by_format if len(by_format) == 1 else {home: by_format[home]}


def drop_message(log: Log, index: int, reason: str) -> None:
    """Report that a message has no place in the target at all; its image leaves it out."""
    log.lose(LossCode.MESSAGE, f"/messages/{index}", reason)


_REASON: Final = Thought("reason")


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
) -> Content:
    """Content with only those kinds of part that the target holds; each part left out is reported at its path.

    Where `Text` is all that is held, texts side by side become one, which is reported as a change. Refusals and infills
    become their text where there is no place for what they are. `able` says of a part of a kind that is held whether
    this one is, where that depends on more than its kind. `hoisted` says that declared tools have been moved out, and
    that this was reported: they are passed over. `private` says that all of it is private reasoning in the target: that
    it begins as `reason` goes without saying there, as it does of a thought of no kind.
    """
    if isinstance(content, str):
        return content
    kept: list[Part] = []
    parted: Part | None = None
    for index, part in enumerate(content):
        at = f"{path}/{index}"
        if hoisted and isinstance(part, Tools):
            parted = part
            continue
        before = kept[-1] if parted is not None and kept else None
        if isinstance(before, Text) and isinstance(part, Text) and before.extras is part.extras is None:
            kept[-1] = apart(before, part)
            if isinstance(parted, Thought):
                log.lose(LossCode.CONTENT, path, f"{target} joins what a marker kept apart", Severity.CHANGED)
            parted = None
            continue
        parted = None
        if isinstance(part, Text) or (type(part) in holds and (able is None or able(part))):
            kept.append(part)
        elif (text := as_text(part)) is not None:
            log.lose(
                PART_CODES[type(part)], path, f"{target} holds {kind_of(part)} as plain text only", Severity.CHANGED
            )
            kept.append(Text(text))
        else:
            if private and index == 0 and part == _REASON:
                detail = f"in {target} a thought has no kind, which is what reason means"
                log.lose(LossCode.THOUGHT, at, detail, Severity.LAYOUT)
            else:
                log.lose(PART_CODES[type(part)], at, f"{target} has no place for {kind_of(part)}")
            parted = part if isinstance(part, Thought) else None
    if Text in holds:
        return content_of(kept) if len(kept) < 2 else tuple(kept)
    narrowed = content_of([Text(part.text) if isinstance(part, Text) else part for part in kept])
    if kept and len(parts_of(narrowed)) != len(kept):
        log.lose(LossCode.CONTENT, path, f"{target} joins texts that stand side by side", Severity.CHANGED)
        return narrowed
    for index, part in enumerate(content):
        if isinstance(part, Text) and part.extras is not None:
            log.lose(LossCode.EXTRAS, f"{path}/{index}/extras", "only its own format keeps it")
    return narrowed


# --- the report -------------------------------------------------------------------------------------------------------

_FIELD_CODES: Final[dict[str, LossCode]] = {
    "role": LossCode.ROLE,
    "name": LossCode.NAME,
    "channel": LossCode.CHANNEL,
    "recipient": LossCode.RECIPIENT,
    "call_id": LossCode.CALL_ID,
    "intent": LossCode.INTENT,
    "content_type": LossCode.CONTENT_TYPE,
    "constraint": LossCode.CONSTRAINT,
    "end": LossCode.ENDING,
    "continues": LossCode.GROUPING,
    "failed": LossCode.FAILED,
    "weight": LossCode.WEIGHT,
    "content": LossCode.CONTENT,
    "extras": LossCode.EXTRAS,
    "layout": LossCode.LAYOUT,
    "tools": LossCode.TOOLS,
    "header": LossCode.HEADER,
    "settings": LossCode.SETTINGS,
    "open_turn": LossCode.OPEN_TURN,
    "alternatives": LossCode.ALTERNATIVES,
}
_LABELS: Final = {
    "call_id": "call id",
    "content_type": "content type",
    "end": "ending",
    "failed": "mark of failure",
    "open_turn": "open turn",
    "weight": "training weight",
}
"""Fields whose names are no words."""


def report(document: Document, image: Document, log: Log, *, target: str, order: Sequence[int] | None = None) -> None:
    """Add to the log every difference between a document and its image that no loss there names yet.

    Args:
        document: what was written.
        image: what the output reads as.
        log: with losses by paths into the document.
        target: the format id.
        order: indices of the document's messages in the order in which the image has them, where some were moved.
    """
    if document is image:
        return
    missing = gone(log.losses)
    log.losses += [name_difference(each, target) for each in unnamed(document, image, log.losses, order)]
    log.losses += [name_emptied(path, target) for path in emptied(document, image, missing, order)]


def unnamed(
    document: Document, other: Document, losses: Collection[Loss], order: Sequence[int] | None = None
) -> list[Difference]:
    """Every difference between a document and what another format makes of it that no loss names.

    Args:
        document: what was written.
        other: its image, or what the output reads as.
        losses: what was reported, by paths into the document.
        order: indices of the document's messages in the order in which the other has them, where some were moved.
    """
    if not losses:
        return diff(document, other, order=order)
    known = named(losses)
    return [place for place in diff(document, other, gone(losses), order) if not covered(place.path, known)]


def unreported(code: LossCode, path: str, detail: str) -> Loss:
    """What a check of an output found and no loss says."""
    return Loss(code, Severity.CHANGED, path, f"{ErrorCode.UNREPORTED}: {detail}")


def covered(path: str, named: Collection[str]) -> bool:
    """Whether a path is at or below one of those named."""
    while path not in named:
        if not path:
            return False
        path = path[: path.rindex("/")]
    return True


# The members of an enumeration by names of their own: looking them up takes as long as the rest.
_ENDING, _GROUPING, _LAYOUT = LossCode.ENDING, LossCode.GROUPING, LossCode.LAYOUT
_LOST, _CHANGED, _SPELLED = Severity.LOST, Severity.CHANGED, Severity.LAYOUT


_NO_SETTINGS: Final = Settings()


def name_difference(difference: Difference, target: str) -> Loss:
    """The loss that a difference is, by the field it is in and by what became of the value."""
    path, old, new = difference
    steps = path.split("/")
    if len(steps) == 4 and steps[1] == "messages":
        label = steps[3]
        code = _FIELD_CODES[label]
        label = _LABELS.get(label, label)
    else:
        code, label = _place(path)
    if code is _LAYOUT or code is _GROUPING or code is _ENDING:
        if old is None and code is _ENDING:
            return Loss(code, _CHANGED, path, f"the message was cut off; in {target} it reads as a whole one")
        return Loss(code, _SPELLED, path, f"{target} spells it its own way")
    if old is None and new is ABSENT:
        return Loss(code, _SPELLED, path, f"{target} leaves out the {label}, which is null")
    if old is None or old is ABSENT:
        return Loss(code, _SPELLED, path, f"{target} says the {label} {shown(new)}, which the source leaves unsaid")
    if new is None or new is ABSENT:
        if old == "" or old == _NO_SETTINGS:
            return Loss(code, _SPELLED, path, f"{target} says nothing of an empty {label}")
        if old == ():
            return Loss(code, _SPELLED, path, f"{target} says nothing where there are no {label}")
        if code is LossCode.EXTRAS and steps[-1] in OUTSIDE and isinstance(old, str):
            return Loss(LossCode.OUTSIDE, _LOST, path, f"{target} has no place for text outside messages: {shown(old)}")
        what = _of_one_format(cast("ByFormat", old)) if path.endswith("/extras") else f"the {label} {shown(old)}"
        return Loss(code, _LOST, path, f"{target} has no place for {what}")
    return Loss(code, _CHANGED, path, f"the {label} {shown(old)} becomes {shown(new)} in {target}")


def name_emptied(path: str, target: str) -> Loss:
    """The loss of a text of which nothing was understood, and in whose place the output says nothing."""
    detail = f"nothing of this text was understood, and {target} would say nothing in its place"
    return Loss(LossCode.EMPTIED, _LOST, path, detail)


@lru_cache(maxsize=256)
def _place(path: str) -> tuple[LossCode, str]:
    """The code of a path that is no field of a message, and what it leads to, in words: most are in many documents."""
    steps = path.split("/")
    return _code(steps[1:]), _label(steps)


def _label(steps: list[str]) -> str:
    """What a path leads to, in words; where it is, the path says."""
    last = steps[-1]
    if len(steps) < 2:
        return "document"
    if not last.isdecimal():
        return _LABELS.get(last, last)
    if len(steps) == 3:
        return steps[1].removesuffix("s")
    return f"item {last} of {steps[-2]}"


def _of_one_format(extras: ByFormat) -> str:
    """Extras by their keys: values are long, and a cut would hide keys."""
    return "; ".join(f"what only {home} says: {names_of(members)}" for home, members in extras.items())


def _code(steps: list[str]) -> LossCode:
    if not steps:
        return LossCode.COMPLETION
    if "parameters" in steps:
        return LossCode.TOOL_SCHEMA
    if "layout" in steps[:6]:
        return _LAYOUT
    if steps[0] == "alternatives" and len(steps) > 2:
        # Of a message in an alternative each field is what it is elsewhere.
        return _FIELD_CODES.get(steps[4 if len(steps) > 4 and steps[2] == "messages" else 2], LossCode.ALTERNATIVES)
    if steps[0] != "messages":
        return _FIELD_CODES.get(steps[0], LossCode.CONTENT)
    return LossCode.MESSAGE if len(steps) < 3 else _FIELD_CODES[steps[2]]
