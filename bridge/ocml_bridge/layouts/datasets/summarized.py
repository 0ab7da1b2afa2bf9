"""Read rows with a text and its summary, or two summaries and the chosen one (learning to summarise)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import items_of, members_of
from ..layout import Document, Object, Wording, misshapen
from ..messages import message, preference, request

INFO: Final = "info"
SUMMARIES: Final = "summaries"
SUMMARY: Final = "summary"
CHOICE: Final = "choice"
_TEXTS: Final = ("post", "article")
"""The members of `info` that may hold the text."""


def is_summarized(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a text with a summary, or with two and the number of the better one."""
    if _text(fields) is None:
        return False
    summaries = _summaries(fields)
    return _summary(fields.get(SUMMARY)) is not None or (len(summaries) == 2 and fields.get(CHOICE) in (0, 1))


def read_summarized(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the text as the question, and the summary as the answer.

    Raises:
        BridgeError: OCB-SHAPE if the row has no text.
    """
    text = _text(fields)
    if text is None:
        raise misshapen(f"/{INFO}", "an object with the text, as `post` or `article`")
    prompt, summaries = [message("user", text)], [message("assistant", each) for each in _summaries(fields)]
    if len(summaries) != 2 or fields.get(CHOICE) not in (0, 1):
        alone = _summary(fields.get(SUMMARY))
        answers = summaries if alone is None else [message("assistant", alone)]
        return [Document(request([*prompt, each], None)) for each in answers]
    chosen = int(fields[CHOICE])
    return [Document(preference(prompt, [summaries[chosen]], [summaries[1 - chosen]], None))]


def _text(fields: Object) -> str | None:
    info = members_of(fields.get(INFO))
    return next((info[name] for name in _TEXTS if isinstance(info.get(name), str)), None)


def _summaries(fields: Object) -> list[str]:
    texts = [_summary(each) for each in items_of(fields.get(SUMMARIES))]
    return [text for text in texts if text is not None]


def _summary(value: Json) -> str | None:
    found = members_of(value)
    return found["text"] if isinstance(found.get("text"), str) else None
