"""List the kinds of what agents and apps store and no layout reads, with the commands that make messages of them."""

from __future__ import annotations

from typing import Final

from ..model import Json
from .marks import Kind, Place, listing, marked, words

_D, _M = Place.DOCUMENT, Place.MESSAGE


def _text_or_null(value: Json) -> bool:
    return value is None or isinstance(value, str)


def _list_or_null(value: Json) -> bool:
    return value is None or isinstance(value, list)


APPS: Final[tuple[Kind, ...]] = (
    Kind(
        "events of OpenHands",
        (
            marked(_D, action=str, args=dict, source=str),
            marked(_D, observation=str, extras=dict, source=str),
            marked(_D, history=listing("action"), instance_id=str),
            marked(_M, "role", action=str, args=dict, source=str),
        ),
        advice="make messages of them: jq -c '{messages: [(.history? // .)[] | "
        'if .action == "message" or .action == "system" then '
        '{role: (if .action == "system" then "system" elif .source == "user" then "user" else "assistant" end), '
        "content: .args.content} "
        'elif .action then {role: "assistant", content: (.args.thought // ""), tool_calls: [{id: "\\(.id)", '
        'type: "function", function: {name: .action, arguments: (.args | tostring)}}]} '
        'elif .cause then {role: "tool", tool_call_id: "\\(.cause)", content} else empty end]}\' FILE',
    ),
    Kind(
        "steps of an agent of smolagents",
        (
            marked(_D, step_number=int, model_output=_text_or_null),
            marked(_D, "role", task=str, task_images=_list_or_null),
            marked(_D, steps=listing("task_images")),
        ),
        advice="make messages of them: jq -c '{messages: [(.steps? // .)[] | "
        'if .task then {role: "user", content: .task} elif .system_prompt then {role: "system", content: '
        '.system_prompt} elif .step_number then {role: "assistant", content: .model_output}, '
        '((.observations // .error.message // empty) | {role: "user", content: "Observation:\\n\\(.)"}) '
        "else empty end]}' FILE",
    ),
    Kind(
        "a task of the Agent2Agent protocol",
        (
            marked(_D, kind=words("task"), contextId=str),
            marked(_M, kind=words("message"), messageId=str, parts=list),
        ),
        advice='make messages of its texts: jq -c \'{messages: [(.history? // .)[] | {role: (if .role == "agent" then '
        '"assistant" else .role end), content: ([.parts[] | .text // empty] | join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a chat of Big-AGI",
        (marked(_M, role=str, fragments=listing("ft", "fId")),),
        advice="make messages of its texts: jq -c '(.conversations? // [.])[] | {messages: [.messages[] | {role, "
        'content: ([.fragments[].part.text // empty] | join("\\n"))}]}\' FILE',
    ),
    Kind(
        "a chat of Messenger or Instagram",
        (marked(_M, "role", sender_name=str, timestamp_ms=int),),
        advice="make messages of its texts, the latest of which is first: jq -c '{messages: [.messages | reverse[] | "
        "select(.content) | {role: .sender_name, content}]}' FILE; say in the plan which role each sender has",
    ),
    Kind(
        "a chat of OpenRouter",
        (marked(_D, version=str, characters=dict, messages=dict),),
        advice="make messages of its texts: jq -c '{messages: [.messages[] | select(.content) | {role: (if "
        '.characterId == "USER" then "user" else "assistant" end), content}]}\' FILE',
    ),
)
