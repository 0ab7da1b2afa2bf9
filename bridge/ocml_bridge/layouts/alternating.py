"""Read rows that hold a list of texts, one after the other, by the user and the assistant (UltraChat)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from ..model import Json
from .fitting import items_of
from .layout import Document, Object, Wording
from .messages import ROLES, message, request, system_of
from .turns import SYSTEM, list_or_none, value_of

TEXTS: Final = "texts"
SPEAKERS: Final = "speakers"
"""The field of the speaker of each text."""
_LABELLED: Final = re.compile(r"\s*([^\W\d_]{1,20}) ?[:：]\s*")
"""A word for the speaker at the beginning of a text."""
_SIDES: Final = ("user", "assistant")


def are_alternating(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a list of texts, or of pairs of texts, in which user and assistant alternate.

    If the speaker of each text is named, there are two of them, who need not alternate.
    """
    texts = _texts(list_or_none(fields, TEXTS))
    speakers = items_of(fields.get(SPEAKERS))
    of_two = len(speakers) != len(texts) or len(set(map(str, speakers))) == len(_SIDES)
    return len(texts) > 1 and all(isinstance(text, str) for text in texts) and of_two


def _texts(value: Json) -> list[Json]:
    """Return the items of a list, or those of the pairs in it."""
    items = items_of(value)
    pairs = [items_of(item) for item in items]
    return [text for pair in pairs for text in pair] if all(len(pair) == 2 for pair in pairs) else items


def read_alternating(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of texts, the first of which is the user's (UltraChat).

    Pairs of a word for a role and a text say who speaks (FastChat), and so do labels of all texts (MedDialog), and a
    list of speakers (SODA).
    """
    listed = value_of(fields, TEXTS)
    texts = cast("list[str]", _texts(listed))
    speakers = items_of(fields.get(SPEAKERS))
    labels = [found for text in texts if (found := _LABELLED.match(text)) is not None]
    of_pairs, of_labels = _roles(texts[::2], wording), _roles([label[1] for label in labels], wording)
    roles: list[str]
    if all(of_pairs) and texts is not listed:
        roles, texts = of_pairs, texts[1::2]
    elif len(labels) == len(texts) and all(of_labels) and {*_SIDES} <= {*of_labels}:
        roles, texts = of_labels, [label.string[label.end() :] for label in labels]
    elif len(speakers) == len(texts):
        roles = [_SIDES[speaker != speakers[0]] for speaker in speakers]
    else:
        roles = [_SIDES[at % 2] for at in range(len(texts))]
    system = system_of(fields.get(SYSTEM), f"/{SYSTEM}")
    return [Document(request([*system, *map(message, roles, texts)], None))]


def _roles(words: Sequence[str], wording: Wording) -> list[str]:
    """Return the roles of some words, with "" for a word that is none for a role."""
    return [wording.roles.get(word.lower()) or ROLES.get(word.lower(), "") for word in words]
