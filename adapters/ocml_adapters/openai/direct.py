"""Image and wire messages of a transcript in one step, where nothing about it has to be decided: most are like that.

Each message is one of six kinds and says nothing beside; each reply answers the call that has its id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from ocml_bridge.adapter import Options, Source
from ocml_bridge.model import ByFormat, Document, Json, Message, Transcript
from ocml_bridge.turns import is_call, name_of, recipient_of

from .form import Object
from .plain import Waiting
from .reasoning import default_keys
from .shapes_out import enclosing
from .syntax import FUNCTION, HOME, REASONING, REASONING_TEXTS, TOOL_CALLS


def direct(document: Document, options: Options, sound: bool = False) -> tuple[Transcript, Source] | None:
    """The image of a document and its JSON; None for a document that needs a closer look."""
    if not isinstance(document, Transcript) or options.reasoning != REASONING[0]:
        return None
    if document.alternatives is not None:
        return None
    wires = wires_of(document.messages, {})
    return None if wires is None else enclosing(document, wires)


def wires_of(messages: Sequence[Message], waiting: Waiting) -> list[Json] | None:
    """The wire messages that are read as just these messages; None where that is not sure.

    Args:
        messages: in order.
        waiting: the calls before them that no reply has answered yet.
    """
    wires: list[Json] = []
    wire: Object = {}
    last = ""
    for message in messages:
        joined = message.continues
        kind = _KINDS.get(_header(message))
        # A preamble is one only before a call.
        if kind is None or (last not in kind.follows if joined else last == PREAMBLE):
            return None
        said = kind.write(message, waiting)
        last = kind.name
        if said is None or (joined and not message.content and last != CALL):
            return None
        if not joined:
            wire = said
            wires.append(wire)
        elif last == CALL:
            wire.setdefault(TOOL_CALLS, []).extend(said[TOOL_CALLS])
        else:
            wire["content"] = message.content
    return None if last == PREAMBLE else wires


# --- one message ------------------------------------------------------------------------------------------------------


def _text(message: Message, _: Waiting) -> Object | None:
    content = message.content
    if type(content) is not str or message.layout is not None or _says_more(message):
        return None
    return {"role": message.role, "content": content}


def _thought(message: Message, _: Waiting) -> Object | None:
    content, layout = message.content, message.layout
    if type(content) is not str or not content or _says_more(message):
        return None
    if layout is None:
        return {"role": "assistant", REASONING[0]: content, "content": None}
    key = next((key for key, keyed in _KEYED.items() if keyed == layout), None)
    return None if key is None else {"role": "assistant", key: content, "content": None}


_KEYED: Final[dict[str, ByFormat]] = {
    key: {HOME: {"reasoning": [key]}} for key in REASONING_TEXTS if [key] != default_keys([""])
}
"""The layouts of a thought that was read from another key than the one that we write, by that key."""


def _preamble(message: Message, waiting: Waiting) -> Object | None:
    return _text(message, waiting) if message.content else None


def _says_more(message: Message) -> bool:
    """Whether a text says more than its kind does."""
    return not (message.recipient is message.name is message.call_id is message.extras is None)


def _call(message: Message, waiting: Waiting) -> Object | None:
    content, call_id, recipient = message.content, message.call_id, message.recipient
    if type(content) is not str or not call_id or recipient is None or not is_call(message):
        return None
    name = name_of(recipient)
    if not (message.name is message.extras is message.layout is None) or recipient_of(name) != recipient:
        return None
    if call_id in waiting:
        return None
    waiting[call_id] = recipient
    call: Object = {"id": call_id, "type": FUNCTION, FUNCTION: {"name": name, "arguments": content}}
    return {"role": "assistant", "content": None, TOOL_CALLS: [call]}


def _reply(message: Message, waiting: Waiting) -> Object | None:
    content, call_id = message.content, message.call_id
    if type(content) is not str or not call_id or message.recipient != "assistant":
        return None
    if not (message.extras is message.layout is None) or call_id not in waiting:
        return None
    if waiting.pop(call_id) != message.name:
        return None
    return {"role": "tool", "tool_call_id": call_id, "content": content}


class Kind(NamedTuple):
    """What a message is to Chat Completions.

    Attributes:
        name: of the kind.
        write: gives the wire message that has this message alone; None where it says more than its kind.
        follows: the kinds that it may follow in one wire message.
    """

    name: str
    write: Callable[[Message, Waiting], Object | None]
    follows: tuple[str, ...] = ()


THOUGHT: Final = "thought"
PREAMBLE: Final = "preamble"
CALL: Final = "call"

_header: Final = attrgetter("role", "channel", "intent", "constraint", "end", "content_type", "failed", "weight")
_USUAL: Final = (None, None, None)
_PLAIN: Final = Kind("text", _text)
_KINDS: Final[dict[tuple[Any, ...], Kind]] = {
    ("system", None, None, None, "end", *_USUAL): _PLAIN,
    ("developer", None, None, None, "end", *_USUAL): _PLAIN,
    ("user", None, None, None, "end", *_USUAL): _PLAIN,
    ("assistant", "analysis", None, None, "end", *_USUAL): Kind(THOUGHT, _thought),
    ("assistant", "final", None, None, "end", *_USUAL): Kind("answer", _text, (THOUGHT,)),
    ("assistant", "commentary", "preamble", None, "end", *_USUAL): Kind(PREAMBLE, _preamble, (THOUGHT,)),
    ("assistant", "commentary", None, "json", "call", *_USUAL): Kind(CALL, _call, (THOUGHT, PREAMBLE, CALL)),
    ("tool", "commentary", None, None, "end", *_USUAL): Kind("reply", _reply),
}
"""By what `_header` gives of a message, where nothing about it is special."""
