"""Find the first value in a document that is not of the model's classes, for the error message of `write`.

The test kit looks for one in what an adapter reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast, get_args

from ..errors import BridgeError, ErrorCode
from .message import Message
from .parts import Citation, Flags, Part, Passages, Text, Tool, Tools
from .settings import Settings, ToolChoice
from .transcript import Alternative, Completion, Transcript

_PARTS: Final = get_args(Part)
_TEXTS: Final = ("name", "channel", "recipient", "call_id", "intent", "content_type", "constraint")
"""The fields of a message that are texts or None."""

_TUPLES: Final[dict[type, dict[str, type]]] = {
    Transcript: {"tools": Tool, "alternatives": Alternative},
    Alternative: {"messages": Message},
    Settings: {"stop": str, "modalities": str},
    ToolChoice: {"names": str},
    Text: {"citations": Citation},
    Tools: {"tools": Tool},
    Flags: {"flags": str},
    Passages: {"texts": str},
}
"""The fields that are tuples or None, and what is in them."""


def misfit(document: object) -> BridgeError | None:
    """Return an OCB-SHAPE error for the first value in a document that is not of the model, or None if all are."""
    for path, value, wanted in _misfits(document):
        return BridgeError(ErrorCode.SHAPE, f"{wanted}, not {_kind(value)}", path=path)
    return None


def _misfits(document: object) -> Iterator[tuple[str, object, str]]:
    """Yield the path of each such value, the value, and the sentence that says what it must be."""
    if isinstance(document, Completion):
        return
    if not isinstance(document, Transcript):
        yield "", document, "write takes a Transcript or a Completion; `convert` and `read` take the JSON of a format"
        return
    messages: Any = document.messages
    if type(messages) is not tuple:
        yield "/messages", messages, "the messages of a Transcript must be a tuple of Message"
        return
    for index, message in enumerate(cast("tuple[Any, ...]", messages)):
        yield from _of_message(message, f"/messages/{index}")
    yield from _in_tuples(document, "")
    settings: Any = document.settings
    if settings is not None and not isinstance(settings, Settings):
        yield "/settings", settings, "the settings of a Transcript must be Settings or None"
    elif settings is not None:
        yield from _in_tuples(settings, "/settings")
        yield from _in_tuples(settings.tool_choice, "/settings/tool_choice")


def _in_tuples(holder: object, path: str) -> Iterator[tuple[str, object, str]]:
    """Yield the fields of an object that should be tuples, and what should not be in them."""
    for name, kind in _TUPLES.get(type(holder), {}).items():
        values: Any = getattr(holder, name)
        wanted = f"the {name} of {_kind(holder)} must be a tuple of {kind.__name__}"
        if values is None:
            continue
        if type(values) is not tuple:
            yield f"{path}/{name}", values, wanted
            continue
        for index, value in enumerate(cast("tuple[Any, ...]", values)):
            if not isinstance(value, kind):
                yield f"{path}/{name}/{index}", value, wanted


def _of_message(message: Any, path: str) -> Iterator[tuple[str, object, str]]:
    if not isinstance(message, Message):
        yield path, message, "the messages of a Transcript must be Message objects"
        return
    role: Any = message.role
    if not isinstance(role, str):
        yield f"{path}/role", role, "the role of a message must be a str"
    content: Any = message.content
    if type(content) is tuple:
        for index, part in enumerate(cast("tuple[Any, ...]", content)):
            if not isinstance(part, _PARTS):
                wanted = "a part of a message must be one of the model's classes, such as Text and Media"
                yield f"{path}/content/{index}", part, wanted
            yield from _in_tuples(part, f"{path}/content/{index}")
    elif not isinstance(content, str):
        wanted = "the content of a message must be a str, or a tuple of parts such as Text and Media"
        yield f"{path}/content", content, wanted
    for name in _TEXTS:
        value = getattr(message, name)
        if value is not None and not isinstance(value, str):
            yield f"{path}/{name}", value, f"the {name} of a message must be a str or None"


def _kind(value: object) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"
