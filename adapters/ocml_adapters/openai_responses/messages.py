"""Read and write messages of all roles, reasoning, instructions, and items that declare additional tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from ocml_bridge.chat.turns import parts_of
from ocml_bridge.chat.visibility import is_preamble
from ocml_bridge.json_values.form import Object
from ocml_bridge.model import Foreign, Json, Message, Signature, Text, Tools
from ocml_bridge.model.notes import MERGED
from ocml_bridge.model.ownership import own

from .item_members import ABSENT, ItemNotes, finish_item
from .parts import read_content, read_parts, says_content, write_content, write_parts
from .syntax import (
    ADDITIONAL_TOOLS,
    AGENT_KEYS,
    AGENT_MESSAGE,
    AGENT_ORDER,
    HOME,
    INPUT_TEXT,
    MESSAGE,
    MESSAGE_KEYS,
    MESSAGE_ORDER,
    NOTES,
    OUTPUT_TEXT,
    PHASE,
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
from .tools import are_of_server, read_tools, write_tools

# --- messages ---------------------------------------------------------------------------------------------------------

INSTRUCTIONS = "instructions"
"""The key of a request's instructions, and the layout of the system message that they are read as."""


class Instructions(str):
    """The unit of a request's instructions, before its items; no item of a document is a string."""

    __slots__ = ()


def instructions_unit(value: Json) -> Instructions | None:
    """Return the unit of a request's instructions; None if they are empty or no text."""
    return Instructions(value) if isinstance(value, str) and value else None


def is_prompt(unit: object) -> bool:
    """Return whether a unit is a request's instructions."""
    return isinstance(unit, Instructions)


def read_message(item: Object) -> Message:
    """Return the message of an item whose role is a string."""
    role, value = item["role"], item.get("content")
    known_content = read_content(value, _text_type(role))
    content, spelling = ((Foreign(HOME, value),), {"content": "bare"}) if known_content is None else known_content
    channel, intent, phase = ROLES.get(role), None, item.get(PHASE)
    known = ["role", *(["content"] if says_content(value) else [])]
    if role == "assistant" and isinstance(phase, str) and phase:
        known.append(PHASE)
        channel = PHASES.get(phase, phase)
        intent = "preamble" if channel == "commentary" else None
        if channel != "commentary":
            spelling = {PHASE: phase, **spelling}
    keys = MESSAGE_KEYS | {"id"} if _needs_id(role, value) else MESSAGE_KEYS
    notes = ItemNotes(item, MESSAGE_ORDER, keys, known)
    notes.layout.update(spelling)
    message = Message(role, content, channel=channel, intent=intent, end="end" if notes.end else None)
    notes.add_to(message)
    return message


def _text_type(role: str) -> str:
    return OUTPUT_TEXT if role == "assistant" else INPUT_TEXT


def has_unknown_phase(message: Message) -> bool:
    """Return whether a message was read with an unknown phase, which became its channel."""
    return message.channel is not None and NOTES.of(message.layout).get(PHASE) == message.channel


def write_message(message: Message) -> Object:
    """Return the item of a message."""
    layout, content = NOTES.of(message.layout), message.content
    out: Object = {"type": MESSAGE, "role": message.role}
    if isinstance(content, tuple) and len(content) == 1 and layout.get("content") == "bare":
        out["content"] = content[0].value if isinstance(content[0], Foreign) else None
    if out.get("content") is None:
        out["content"] = write_content(content, _text_type(message.role), layout)
    if message.role == "assistant" and (phase := _phase(message, layout.get(PHASE))) is not None:
        out[PHASE] = phase
    return finish_item(out, [message], MESSAGE_ORDER, needs_id=_needs_id(message.role, out["content"]))


def _needs_id(role: Json, content: Json) -> bool:
    """Return whether a message is not valid without an id: the API takes it for an output item, which has one."""
    return role == "assistant" and isinstance(content, list)


def _phase(message: Message, spelled: Json) -> str | None:
    """Return the phase that a message needs for its channel, or that it was read with; None if it needs none."""
    if is_preamble(message):
        return None if lacks_phase(message) else "commentary"
    if isinstance(spelled, str) and spelled and PHASES.get(spelled, spelled) == (message.channel or "final"):
        return spelled
    return None


def lacks_phase(message: Message) -> bool:
    """Return whether a message is a preamble without a phase: the call that follows it shows what it is."""
    return is_preamble(message) and NOTES.of(message.layout).get(PHASE) == ABSENT


def add_preamble(message: Message) -> None:
    """Make a final text that was read without a phase a preamble, because a call follows it; change the message."""
    if message.channel == "final" and PHASE not in NOTES.of(message.layout):
        message.channel, message.intent = "commentary", "preamble"
        message.layout = NOTES.adding(message.layout, {PHASE: ABSENT})


def read_agent_message(item: Object) -> Message | None:
    """Return what another agent wrote to this one: a user's message with the agent's name; None if it has none."""
    author, known_content = item.get("author"), read_content(item.get("content"), INPUT_TEXT)
    if not isinstance(author, str) or not author or known_content is None:
        return None
    content, spelling = known_content
    known = ["author", *(["content"] if says_content(item.get("content")) else [])]
    notes = ItemNotes(item, AGENT_ORDER, AGENT_KEYS, known)
    notes.layout.update({"kind": AGENT_MESSAGE, **spelling})
    message = Message("user", content, author, end="end" if notes.end else None)
    notes.add_to(message)
    return message


def is_agent_message(message: Message) -> bool:
    """Return whether a message was read from an agent's, and still has its name."""
    return message.role == "user" and bool(message.name) and NOTES.of(message.layout).get("kind") == AGENT_MESSAGE


def write_agent_message(message: Message) -> Object:
    """Return the item of what an agent wrote."""
    content = write_content(message.content, INPUT_TEXT, NOTES.of(message.layout))
    return finish_item({"type": AGENT_MESSAGE, "author": message.name, "content": content}, [message], AGENT_ORDER)


# --- items that are no messages ---------------------------------------------------------------------------------------


def declares_tools(item: Object) -> bool:
    """Return whether an item of additional tools has tools that the client runs, or an empty list."""
    raws: Json = item.get("tools")
    return item.get("role") == "developer" and isinstance(raws, list) and not are_of_server(cast("list[Json]", raws))


def read_additional_tools(item: Object) -> Message | None:
    """Return the developer's message that declares tools within a conversation; None if it only has the server's tools.

    Those of the server among others are extras, as those of a request are.
    """
    if not declares_tools(item):
        return None
    tools, others = read_tools(cast("list[Json]", item["tools"]))
    notes = ItemNotes(item, TOOLS_ORDER, frozenset(TOOLS_ORDER) - {"id"}, ("role", "tools"))
    # Tools that are read are shared with other documents.
    message = Message("developer", (Tools(own(tools)),))
    notes.layout["kind"] = ADDITIONAL_TOOLS
    if others:
        notes.extras["tools"] = cast("Json", others)
    notes.add_to(message)
    return message


def is_additional_tools(message: Message) -> bool:
    """Return whether a message was read from an item of additional tools, and still only declares tools."""
    content = message.content
    declared = isinstance(content, tuple) and len(content) == 1 and isinstance(content[0], Tools)
    return declared and message.role == "developer" and NOTES.of(message.layout).get("kind") == ADDITIONAL_TOOLS


def write_additional_tools(message: Message) -> Object:
    """Return the item of a message that only declares tools."""
    declared = cast("tuple[Tools, ...]", message.content)[0]
    out: Object = {
        "type": ADDITIONAL_TOOLS,
        "role": "developer",
        "tools": write_tools(declared.tools, NOTES.of(message.extras).get("tools")),
    }
    return finish_item(out, [message], TOOLS_ORDER)


def read_unknown(item: Object) -> Message:
    """Return an item that is not understood as a message with a foreign part."""
    role = item.get("role")
    role = role if isinstance(role, str) and role in ROLES else "assistant"
    return Message(role, (Foreign(HOME, item),), channel=ROLES[role], layout=NOTES.by_format({"content": "item"}))


def whole_item(message: Message) -> Object | None:
    """Return the item that a message was read from, if it was not understood; otherwise None."""
    content = message.content
    part = content[0] if isinstance(content, tuple) and len(content) == 1 else None
    if NOTES.of(message.layout).get("content") != "item" or not isinstance(part, Foreign) or part.format != HOME:
        return None
    value: Json = part.value
    return cast("Object", value) if isinstance(value, dict) else None


def read_instructions(text: Instructions) -> Message:
    """Return the system message of a request's instructions."""
    return Message("system", str(text), layout=NOTES.by_format({"place": INSTRUCTIONS}))


def is_instructions(message: Message) -> bool:
    """Return whether a message was read from a request's instructions."""
    return NOTES.of(message.layout).get("place") == INSTRUCTIONS


# --- reasoning --------------------------------------------------------------------------------------------------------

ENCRYPTED: Final = "encrypted_content"
_TYPES: Final = {"content": REASONING_TEXT, SUMMARY: SUMMARY_TEXT}


def read_reasoning(item: Object) -> list[Message]:
    """Return the thoughts of an item: one for each text of `content`; without any, one for each text of `summary`.

    An item without a readable text is a thought with an empty content. The encrypted reasoning becomes the signature of
    the last thought.
    """
    key, readable = "content", _read_texts(item, "content")
    if readable is None:
        key, readable = SUMMARY, _read_texts(item, SUMMARY)
    texts, spelling = readable or ([], {})
    sealed: Json = item.get(ENCRYPTED)
    signature = Signature(sealed, VENDOR, sealed=True) if isinstance(sealed, str) and sealed else None
    known = [*([key] if texts else []), *([] if signature is None else [ENCRYPTED])]
    notes = ItemNotes(item, REASONING_ORDER, REASONING_KEYS, known)
    notes.layout.update(spelling)
    messages = [
        Message(
            "assistant",
            text.text if text.is_bare else (text,),
            channel="analysis",
            content_type=SUMMARY if key == SUMMARY and texts else None,
        )
        for text in texts or [Text("")]
    ]
    notes.add_to(messages[0])
    for message in messages[1:]:
        message.layout = NOTES.by_format({MERGED: True})
    if not notes.end:
        messages[-1].end = None
    messages[-1].signature = signature
    return messages


def _read_texts(item: Object, key: str) -> tuple[list[Text], Object] | None:
    """Return the texts of a list and their spelling; None if it is empty or has anything else."""
    raws: Json = item.get(key)
    if not isinstance(raws, list) or not raws:
        return None
    parts, spelling = read_parts(cast("list[Json]", raws), _TYPES[key])
    texts = [part for part in parts if isinstance(part, Text) and part.text]
    return (texts, spelling) if len(texts) == len(parts) else None


def signature_of(thought: Message) -> Signature | None:
    """Return the signature of a thought if it is encrypted reasoning that the API can decrypt; otherwise None."""
    signature = thought.signature
    accepted = signature is not None and signature.sealed and signature.vendor in (None, VENDOR) and signature.value
    return signature if accepted else None


def write_reasoning(group: Sequence[Message]) -> Object:
    """Return the item of thoughts that were read from one item, or of one thought."""
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
    return finish_item(out, group, REASONING_ORDER, needs_id=True)
