"""Read sessions of pi and of OpenClaw: lines that name the line before each, most of which hold a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..columns import SESSION
from ..fitting import as_object, items_of, objects_of
from ..layout import Document, Object, Wording, noticed
from ..trees import by_name, conversations, linked, rest
from .frameworks import Framework, read_message
from .readers import Calls, Each, Kinds, Members, Names, Shows, Texts, says, thinks

_MESSAGE: Final = "message"
PI: Final = Framework(
    frozenset({"role", "content"}),
    Members(
        {
            "toolCallId": Names("tool_call_id"),
            "toolName": Names("name"),
            "content": Each(
                Texts(
                    Kinds(
                        "type",
                        {
                            "text": says("text"),
                            "thinking": thinks("thinking"),
                            "toolCall": Calls("name", ("arguments",), "id"),
                            "image": Shows(("data",), "mimeType", "image", ""),
                        },
                    )
                )
            ),
        }
    ),
    roles={"toolResult": "tool"},
)


def is_pi(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold the lines of a session: its head, and lines with messages."""
    lines = objects_of(fields.get(SESSION))
    if not lines or lines[0].get("type") != "session" or not isinstance(lines[0].get("id"), str):
        return False
    return any(each.get("type") == _MESSAGE and PI.is_message(each.get(_MESSAGE)) for each in lines)


def read_pi(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return a conversation for each branch of a session, the current one first.

    Raises:
        BridgeError: OCB-SHAPE if no line has a message with content; OCB-LIMIT if the session is too large.
    """
    lines = items_of(fields[SESSION])
    nodes = {f"/{SESSION}/{at}": as_object(each) or {"line": each} for at, each in enumerate(lines) if at}
    current = next((each.get("id") for each in reversed(nodes.values())), None)
    tree = linked(nodes, by_name(nodes, "id"), "parentId", current)
    details = {place: _detail(line) for place, line in nodes.items()}
    findings = {place: [noticed(place, detail)] for place, detail in details.items() if detail is not None}
    return conversations(tree, _messages_of, _metadata_of, findings=findings)


def _detail(line: Object) -> str | None:
    """Return what to notice about a line; None for a message, and for what says nothing."""
    if isinstance(line.get(_MESSAGE), dict) and not PI.is_message(line[_MESSAGE]):
        return "the line holds what the program did or said; it is kept beside the conversation"
    return _SUMMARIES.get(str(line.get("type")))


_SUMMARIES: Final = {
    "compaction": "the model was given a summary instead of what comes before; it is kept beside the conversation",
    "branch_summary": "the model was given a summary of another branch; it is kept beside the conversation",
}


def _messages_of(line: Object, _place: str) -> Sequence[Object]:
    return _read(line)[0]


def _metadata_of(line: Object) -> Object:
    """Return what a line holds besides the message that is read of it."""
    left = _read(line)[1]
    return {**rest(line, (_MESSAGE,)), **({_MESSAGE: left} if left else {})}


def _read(line: Object) -> tuple[Sequence[Object], Json]:
    """Return the messages of a line, and what its message holds besides."""
    message = line.get(_MESSAGE)
    inner = as_object(message)
    return ([], message) if inner is None or not PI.is_message(inner) else read_message(PI, inner)
