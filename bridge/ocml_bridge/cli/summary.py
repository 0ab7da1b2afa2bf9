"""Summarise a conversion in one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from ..chat.substance import Characters
from ..loss import Loss, LossClass, LossCode, Severity
from ..model import Document, Media, Transcript

_NOUNS: Final[dict[LossCode, tuple[str, str]]] = {
    LossCode.CONTENT: ("text", "texts"),
    LossCode.ORDER: ("reply in another place", "replies in another place"),
    LossCode.PAIRING: ("reply to another call", "replies to other calls"),
    LossCode.ALTERNATIVES: ("other answer", "other answers"),
    LossCode.SETTINGS: ("setting", "settings"),
    LossCode.FAILED: ("failure flag", "failure flags"),
    LossCode.WEIGHT: ("training weight", "training weights"),
    LossCode.FLAGS: ("set of thought flags", "sets of thought flags"),
    LossCode.MEDIA: ("image, video, recording or file", "images, videos, recordings or files"),
    LossCode.INFILL: ("text with a gap to fill", "texts with a gap to fill"),
    LossCode.FOREIGN_PART: ("part that was not understood", "parts that were not understood"),
    LossCode.EMPTIED: ("text that was not understood", "texts that were not understood"),
    LossCode.TOOLS: ("declaration of tools", "declarations of tools"),
    LossCode.TOOLS_MOVED: ("place of tools", "places of tools"),
    LossCode.TOOL_SCHEMA: ("detail of a tool's schema", "details of tools' schemas"),
    LossCode.HEADER: ("document header", "document headers"),
    LossCode.COMPLETION: ("text to complete", "texts to complete"),
    LossCode.OUTSIDE: ("text outside messages", "texts outside messages"),
    LossCode.EXTRAS: ("set of other keys", "sets of other keys"),
    LossCode.CONTROL_TOKEN: ("text with control tokens", "texts with control tokens"),
    LossCode.SURROGATE: ("text with half a character", "texts with half a character"),
}
"""Nouns for losses, one and several, if they are not the code with spaces."""
_OF_MEDIA: Final = {
    "filename": ("file name", "file names"),
    "format": ("media type", "media types"),
    "detail": ("level of detail", "levels of detail"),
}
"""Nouns for fields of media."""
_FIELD: Final = re.compile(rf"/content/\d+/({'|'.join(_OF_MEDIA)})\Z")
_MEDIA: Final = {"image": "image", "audio": "audio recording", "video": "video", "file": "file"}


def summary(
    target: str, losses: Iterable[Loss], document: Document | None = None, characters: Characters | None = None
) -> str:
    """Return the losses and changes by kind, and the share of the text that was written.

    Args:
        target: the format that was written.
        losses: the reported losses; those of layout are ignored.
        document: the document, for the names of its parts; None if it is not known.
        characters: the characters read and written; None if they are not known.
    """
    listed = list(losses)
    sentences = [f"converted to {target}"]
    for severity, verb in ((Severity.LOST, "Not carried over"), (Severity.CHANGED, "Changed")):
        if found := [loss for loss in listed if loss.severity is severity]:
            sentences.append(f"{verb}: {counted_by_noun(found, document)}")
    if characters is not None and characters.read:
        sentences += _of_characters(characters, listed)
    return f"{'. '.join(sentences)}."


def counted_by_noun(losses: Iterable[Loss], document: Document | None = None) -> str:
    """Return the number of losses of each kind, such as `2 call ids, 1 image`."""
    counts = Counter(_noun(loss, document) for loss in losses)
    return ", ".join(_counted(count, *noun) for noun, count in counts.most_common())


def _of_characters(characters: Characters, losses: Iterable[Loss]) -> list[str]:
    """Return the share of the text that was written; "" if it says nothing."""
    read, written = characters
    of = f"{min(read, written):,} of {read:,} characters"
    if written < read:
        return [f"{of} of the text are in the output"]
    gone = {loss.code for loss in losses if loss.severity is Severity.LOST and loss.loss_class is LossClass.CONTENT}
    return [] if gone - {LossCode.MEDIA} else [f"All of the text is in the output ({of})"]


def _noun(loss: Loss, document: Document | None) -> tuple[str, str]:
    plain = str(loss.code).replace("-", " ")
    one, several = _NOUNS.get(loss.code, (plain, f"{plain}s"))
    if loss.code is LossCode.TOOLS and loss.path.count("/") > 2:
        return "detail of a tool", "details of tools"
    if loss.code is LossCode.CONTENT and (field := _FIELD.search(loss.path)):
        return _OF_MEDIA[field[1]]
    found = _PART.match(loss.path)
    if loss.code is LossCode.MEDIA and found is not None and isinstance(document, Transcript):
        part = document.messages[int(found[1])].content[int(found[2])]
        if isinstance(part, Media):
            one = _MEDIA[part.media]
            several = f"{one}s"
    return one, several


_PART: Final = re.compile(r"/messages/(\d+)/content/(\d+)\Z")


def _counted(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"
