"""Check that what stands in a JSON document survives an edit elsewhere in it, or that its loss is reported.

The layout of a message is gone when the message is edited. What means something must not be in the layout alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..convert import read, write
from ..errors import BridgeError
from ..formats.adapter import Adapter
from ..json_values import jsontext
from ..loss import Severity
from ..model import Json, Text, Transcript, replace
from ..report.policy import LENIENT
from .damage import places_in, value_of
from .edits import is_spoken, saying

_UNHEARD_OF: Final = "unheard_of"
"""The key of a member that no format has; its value is such a text, too."""
_SHORTEST: Final = 8
"""Shorter texts are names of types and roles, which a writer may choose by itself."""


def untouched(adapter: str | Adapter, value: Json) -> None:
    """Check it for a document, and for the document with an unknown member in each of its objects.

    Args:
        adapter: the id of a JSON format, or an adapter of one.
        value: a document of the format.
    """
    _survives(adapter, value)
    for item in [holder[key] for holder, key in places_in([value])]:
        if isinstance(item, dict):
            item[_UNHEARD_OF] = {"x": _UNHEARD_OF}
            _survives(adapter, value)
            del item[_UNHEARD_OF]


def _survives(adapter: str | Adapter, value: Json) -> None:
    source = jsontext.dumps(value)
    try:
        reading = read(source, adapter)
    except BridgeError:
        return
    document = reading.transcript
    if reading.findings or not isinstance(document, Transcript):
        return
    edited, words = _reworded(document)
    result = write(edited, adapter, policy=LENIENT)
    if any(loss.severity is not Severity.LAYOUT for loss in result.losses):
        return
    output = "\0".join(_texts(value_of(result.data)))
    gone = [text for text in _texts(value) if _is_kept(text, words) and text not in output]
    assert not gone, f"after an edit elsewhere, {gone} is gone without a loss: {source.decode()} became {output!r}"


def _is_kept(text: str, words: Sequence[str]) -> bool:
    """Return whether a text of the source has none of the words that are gone, and is no name of a type or a role."""
    return text == _UNHEARD_OF or (len(text) >= _SHORTEST and not any(word in text for word in words))


def _reworded(document: Transcript) -> tuple[Transcript, list[str]]:
    """Return a conversation in which all words are other ones, and the words that are gone."""
    words = [tool.description for tool in document.tools or () if tool.description]
    messages = [*document.messages]
    for at, message in enumerate(messages):
        if is_spoken(message):
            parts = (message.content,) if isinstance(message.content, str) else message.content
            texts = [part.text if isinstance(part, Text) else part for part in parts]
            words += [text for text in texts if isinstance(text, str) and text]
            messages[at] = saying(message, "Something else.")
    tools = document.tools and tuple([replace(tool, description="Other.") for tool in document.tools])
    return replace(document, messages=tuple(messages), tools=tools), words


def _texts(value: Json) -> Iterator[str]:
    return (holder[key] for holder, key in places_in([value]) if isinstance(holder[key], str))
