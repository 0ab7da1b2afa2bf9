"""Read sessions and eval sets of Google's Agent Development Kit, whose events hold contents of Gemini."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import Json
from ..fitting import as_list, items_of, members_of, objects_of
from ..layout import Document, Object, Wording, misshapen
from ..trees import NODES, rest
from .readers import without_nulls as known

EVENTS: Final = "events"
_CONTENT: Final = "content"
_INVOCATIONS: Final = ("invocation_id", "invocationId")
"""The names of the id of a run; a session stored by Python has the first, one of the server the second."""


def are_events(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold events with an author, one of which has a content."""
    events = items_of(fields.get(EVENTS))
    return all(map(_is_event, events)) and any(map(_parts, objects_of(events)))


def _is_event(value: Json) -> bool:
    event = members_of(value)
    return isinstance(event.get("author"), str) and any(key in event for key in _INVOCATIONS)


def _parts(event: Object) -> list[Json] | None:
    return as_list(members_of(event.get(_CONTENT)).get("parts"))


def read_events(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation as contents of Gemini, with what else the events say in a column.

    Raises:
        BridgeError: OCB-SHAPE if no event has a content.
    """
    events = objects_of(fields[EVENTS])
    contents = [event[_CONTENT] for event in events if _parts(event)]
    if not contents:
        raise misshapen(f"/{EVENTS}", "an event with a content")
    nodes: list[Json] = [rest(event, (_CONTENT,) if _parts(event) else ()) for event in events]
    return [Document({"contents": contents}, extra_columns={NODES: nodes})]


# --- eval sets --------------------------------------------------------------------------------------------------------

CASES: Final = "eval_cases"


def are_cases(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold cases, one of which has a conversation."""
    return any(_contents_of(case) for case in objects_of(fields.get(CASES)))


def read_cases(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of each case: what the user says, what the agent is to call, and its last answer.

    The case is in a column beside it; cases without a conversation are beside the first one.
    """
    cases = items_of(fields[CASES])
    found = [_contents_of(members_of(case)) for case in cases]
    others = [case for case, contents in zip(cases, found, strict=True) if not contents]
    documents: list[Document] = []
    for at, (case, contents) in enumerate(zip(cases, found, strict=True)):
        if contents:
            beside = {CASES: [case, *(others if not documents else ())]}
            documents.append(Document({"contents": contents}, (), f"/{CASES}/{at}/conversation", beside))
    return documents


def _contents_of(case: Object) -> list[Json]:
    """Return the contents of a case."""
    contents: list[Json] = []
    for run in objects_of(case.get("conversation")):
        data = members_of(_member(run, "intermediate_data"))
        events = [event.get(_CONTENT) for event in objects_of(_member(data, "invocation_events"))]
        if not events:
            calls = [{"functionCall": known(each)} for each in objects_of(_member(data, "tool_uses"))]
            replies = [{"functionResponse": known(each)} for each in objects_of(_member(data, "tool_responses"))]
            events = [{"role": "model", "parts": calls}, {"role": "user", "parts": replies}]
        answer = {"role": "model", **known(members_of(_member(run, "final_response")))}
        for content in (_member(run, "user_content"), *events, answer):
            found = known(members_of(content))
            parts = [known(part) for part in objects_of(found.get("parts"))]
            contents += [{**found, "parts": parts}] if parts else []
    return contents


def _member(value: Object, name: str) -> Json:
    """Return a member, whose name is in either case."""
    first, *others = name.split("_")
    return value.get(name, value.get(first + "".join(map(str.capitalize, others))))
