"""Messages of all roles, and what a model reasons, both ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.chat.visibility import is_preamble
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Foreign, Json, Message, Signature, Text, Tools

from .items import MERGED, Opened, closed
from .parts import read_content, read_parts, says_content, write_content, write_parts
from .syntax import (
    ADDITIONAL_TOOLS,
    HOME,
    INPUT_TEXT,
    MESSAGE,
    MESSAGE_KEYS,
    MESSAGE_ORDER,
    NOTES,
    OUTPUT_TEXT,
    PHASES,
    REASONING_KEYS,
    REASONING_ORDER,
    REASONING_TEXT,
    ROLES,
    SUMMARY,
    SUMMARY_TEXT,
    TOOLS_ORDER,
    VENDOR,
)
from .tools import read_tools, write_tools

# --- messages ---------------------------------------------------------------------------------------------------------

INSTRUCTIONS = "instructions"
"""The key of a request for what is said before all items, and the layout of the system's message that it is."""


class Instructions(str):
    """What is said before all items, where it stands among them; no item of a document is one."""

    __slots__ = ()


def prompt_of(value: Json) -> Instructions | None:
    """What a request says before all items; None where that is nothing."""
    return Instructions(value) if isinstance(value, str) and value else None


def is_prompt(unit: object) -> bool:
    """Whether a unit is what is said before all items."""
    return isinstance(unit, Instructions)


_OF_CHANNELS = {channel: phase for phase, channel in PHASES.items()}


def read_message(item: Object) -> Message:
    """A message, whose role is a text."""
    role, value = item["role"], item.get("content")
    found = read_content(value, _text_type(role))
    content, spelling = ((Foreign(HOME, value),), {"content": "bare"}) if found is None else found
    channel, intent, phase = ROLES.get(role), None, item.get("phase")
    known = ["role", *(["content"] if says_content(value) else [])]
    if role == "assistant" and isinstance(phase, str) and phase:
        known.append("phase")
        channel = PHASES.get(phase, phase)
        intent = "preamble" if channel == "commentary" else None
        if channel != "commentary":
            spelling = {"phase": phase, **spelling}
    keys = MESSAGE_KEYS | {"id"} if _needs_id(role, value) else MESSAGE_KEYS
    opened = Opened(item, MESSAGE_ORDER, keys, known)
    opened.layout.update(spelling)
    message = Message(role, content, channel=channel, intent=intent, end="end" if opened.end else None)
    opened.give(message)
    return message


def _text_type(role: str) -> str:
    return OUTPUT_TEXT if role == "assistant" else INPUT_TEXT


def has_unknown_phase(message: Message) -> bool:
    """Whether a message was read with a phase that nobody knows: that is its channel."""
    return message.channel is not None and NOTES.of(message.layout).get("phase") == message.channel


def write_message(message: Message) -> Object:
    """A message as an item."""
    layout, content = NOTES.of(message.layout), message.content
    out: Object = {"type": MESSAGE, "role": message.role}
    if isinstance(content, tuple) and len(content) == 1 and layout.get("content") == "bare":
        out["content"] = content[0].value if isinstance(content[0], Foreign) else None
    if out.get("content") is None:
        out["content"] = write_content(content, _text_type(message.role), layout)
    if message.role == "assistant" and (phase := _phase(message, layout.get("phase"))) is not None:
        out["phase"] = phase
    return closed(out, [message], MESSAGE_ORDER, needs_id=_needs_id(message.role, out["content"]))


def _needs_id(role: Json, content: Json) -> bool:
    """Whether the API takes a message for an answer of its own, which has an id."""
    return role == "assistant" and isinstance(content, list)


def _phase(message: Message, spelled: Json) -> str | None:
    """The phase that says a channel: that of the last answer goes without saying."""
    if is_preamble(message):
        return _OF_CHANNELS["commentary"]
    if isinstance(spelled, str) and spelled and PHASES.get(spelled, spelled) == (message.channel or "final"):
        return spelled
    return None


# --- items that are no messages ---------------------------------------------------------------------------------------


def read_additional_tools(item: Object) -> Message | None:
    """The developer's message that declares tools in the midst of a conversation; None where it has others, too."""
    raws: Json = item.get("tools")
    if item.get("role") != "developer" or not isinstance(raws, list):
        return None
    tools, others = read_tools(cast("list[Json]", raws))
    if others:
        return None
    opened = Opened(item, TOOLS_ORDER, frozenset(TOOLS_ORDER) - {"id"}, ("role", "tools"))
    message = Message("developer", (Tools(tools),))
    opened.layout["kind"] = ADDITIONAL_TOOLS
    opened.give(message)
    return message


def declares_more_tools(message: Message) -> bool:
    """Whether a message was read from an item of additional tools, and still declares tools alone."""
    content = message.content
    declared = isinstance(content, tuple) and len(content) == 1 and isinstance(content[0], Tools)
    return declared and message.role == "developer" and NOTES.of(message.layout).get("kind") == ADDITIONAL_TOOLS


def write_additional_tools(message: Message) -> Object:
    """The item of a message that declares tools alone."""
    declared = cast("tuple[Tools, ...]", message.content)[0]
    out: Object = {"type": ADDITIONAL_TOOLS, "role": "developer", "tools": write_tools(declared.tools, None)}
    return closed(out, [message], TOOLS_ORDER)


def read_unknown(item: Object) -> Message:
    """An item that cannot be understood: it is kept whole."""
    role = item.get("role")
    role = role if isinstance(role, str) and role in ROLES else "assistant"
    return Message(role, (Foreign(HOME, item),), channel=ROLES[role], layout=NOTES.by_format({"content": "item"}))


def whole_item(message: Message) -> Object | None:
    """The item that a message is, where it could not be understood."""
    content = message.content
    part = content[0] if isinstance(content, tuple) and len(content) == 1 else None
    if NOTES.of(message.layout).get("content") != "item" or not isinstance(part, Foreign) or part.format != HOME:
        return None
    value: Json = part.value
    return cast("Object", value) if isinstance(value, dict) else None


def read_instructions(text: Instructions) -> Message:
    """What a request says before all items."""
    return Message("system", str(text), layout=NOTES.by_format({"place": INSTRUCTIONS}))


def is_instructions(message: Message) -> bool:
    """Whether a message is a request's `instructions`."""
    return NOTES.of(message.layout).get("place") == INSTRUCTIONS


# --- reasoning --------------------------------------------------------------------------------------------------------

ENCRYPTED: Final = "encrypted_content"
_TYPES: Final = {"content": REASONING_TEXT, SUMMARY: SUMMARY_TEXT}


def read_reasoning(item: Object) -> list[Message]:
    """The thoughts of an item: the texts of `content`, where it has none those of `summary`.

    An item without a readable text is a thought all the same. What it is encrypted in is the signature of its last
    message.
    """
    key, found = "content", _read_texts(item, "content")
    if found is None:
        key, found = SUMMARY, _read_texts(item, SUMMARY)
    texts, spelling = found or ([], {})
    sealed: Json = item.get(ENCRYPTED)
    signature = Signature(sealed, VENDOR, sealed=True) if isinstance(sealed, str) and sealed else None
    known = [*([key] if texts else []), *([] if signature is None else [ENCRYPTED])]
    opened = Opened(item, REASONING_ORDER, REASONING_KEYS, known)
    opened.layout.update(spelling)
    messages = [
        Message(
            "assistant",
            text.text if text.is_bare else (text,),
            channel="analysis",
            content_type=SUMMARY if key == SUMMARY and texts else None,
        )
        for text in texts or [Text("")]
    ]
    opened.give(messages[0])
    for message in messages[1:]:
        message.layout = NOTES.by_format({**MERGED})
    if not opened.end:
        messages[-1].end = None
    messages[-1].signature = signature
    return messages


def _read_texts(item: Object, key: str) -> tuple[list[Text], Object] | None:
    """The texts of a list, and how they were spelled; None where there are none, or anything else."""
    raws: Json = item.get(key)
    if not isinstance(raws, list) or not raws:
        return None
    parts, spelling = read_parts(cast("list[Json]", raws), _TYPES[key])
    texts = [part for part in parts if isinstance(part, Text) and part.text]
    return (texts, spelling) if len(texts) == len(parts) else None


def signature_of(thought: Message) -> Signature | None:
    """What a thought is encrypted in, where the API can read it: it signs nothing else."""
    signature = thought.signature
    own = signature is not None and signature.sealed and signature.vendor in (None, VENDOR) and signature.value
    return signature if own else None


def write_reasoning(group: Sequence[Message]) -> Object:
    """The item of thoughts that were read from one, or of one thought."""
    key = SUMMARY if all(message.content_type == SUMMARY for message in group) else "content"
    parts = tuple(part for message in group for part in parts_of(message.content) if part != Text(""))
    out: Object = {"type": "reasoning"}
    if parts:
        out[key] = write_parts(parts, _TYPES[key], NOTES.of(group[0].layout))
    signature = next(filter(None, map(signature_of, reversed(group))), None)
    if signature is not None:
        out[ENCRYPTED] = signature.value
    if SUMMARY not in out and SUMMARY not in NOTES.of(group[0].extras):
        out = {"type": "reasoning", SUMMARY: [], **out}
    return closed(out, group, REASONING_ORDER, needs_id=True)
