"""Define the names of Gemini's JSON: keys, their spellings, and roles.

They are those of ai.google.dev/api and of `types.py` in google-genai 3.4.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from ocml_bridge.json_values.form import Object, without
from ocml_bridge.json_values.parameters import items_of, members_of
from ocml_bridge.model import Json
from ocml_bridge.model.notes import Notes
from ocml_bridge.wires.endings import Endings

HOME: Final = "gemini"
NOTES: Final = Notes(HOME)
"""The format id, and the key of extras and layout."""
VENDOR: Final = "google"
"""The vendor whose signatures and uploaded files the API accepts."""

CONTENTS: Final = "contents"
PARTS: Final = "parts"
SYSTEM: Final = "systemInstruction"
TOOLS: Final = "tools"
CANDIDATES: Final = "candidates"
CONTENT: Final = "content"
ROLE: Final = "role"
DECLARATIONS: Final = "functionDeclarations"
FINISH: Final = "finishReason"
FEEDBACK: Final = "promptFeedback"
"""The member that a response without candidates has, if it says why there are none."""

CALL: Final = "functionCall"
RESPONSE: Final = "functionResponse"
CODE: Final = "executableCode"
RESULT: Final = "codeExecutionResult"
INLINE: Final = "inlineData"
FILE: Final = "fileData"
TOOL_CALL: Final = "toolCall"
TOOL_RESPONSE: Final = "toolResponse"
DATA: Final = ("text", INLINE, FILE, CALL, RESPONSE, CODE, RESULT, TOOL_CALL, TOOL_RESPONSE)
"""The keys of the kinds of parts; a part has exactly one of them."""
OTHER_DATA: Final = ("audioTranscription",)
"""The keys of other kinds of parts, which become foreign parts without a finding."""
SIGNATURE: Final = "thoughtSignature"


MODEL_ROLE: Final = "model"
USER_ROLE: Final = "user"
ROLES: Final[dict[str, str]] = {USER_ROLE: "user", "function": "user", MODEL_ROLE: "assistant"}

_CAMEL: Final = frozenset(
    {
        *(SYSTEM, DECLARATIONS, FINISH, SIGNATURE, *DATA, *OTHER_DATA, "toolType"),
        *("toolConfig", "generationConfig", "safetySettings", "cachedContent", "functionCallingConfig"),
        *("allowedFunctionNames", "promptFeedback", "usageMetadata", "modelVersion", "responseId"),
        *("mimeType", "displayName", "fileUri", "parametersJsonSchema", "propertyOrdering", "anyOf"),
        *("maxItems", "minItems", "maxLength", "minLength", "maxProperties", "minProperties"),
        *("topP", "topK", "maxOutputTokens", "stopSequences", "candidateCount", "presencePenalty", "frequencyPenalty"),
        *("responseMimeType", "responseSchema", "responseJsonSchema", "responseModalities", "thinkingConfig"),
        *("thinkingLevel", "promptTokenCount", "candidatesTokenCount", "totalTokenCount", "cachedContentTokenCount"),
        *("thoughtsTokenCount", "partialArgs", "willContinue", "jsonPath"),
        *("stringValue", "numberValue", "boolValue", "nullValue"),
    }
)
"""The keys that have two spellings, as the API writes them; SDKs write them with underscores."""
_UNDERSCORE: Final = re.compile(r"_([a-z])")
_CAPITAL: Final = re.compile("[A-Z]")
_Value = TypeVar("_Value")


def alias(key: str) -> str:
    """Return the key that the writer uses for a key that was read: `functionCall` for `function_call`."""
    if "_" not in key:
        return key
    camel = _UNDERSCORE.sub(lambda match: match[1].upper(), key)
    return camel if camel in _CAMEL else key


def keys(value: Object) -> Object:
    """Return an object with the keys that the writer uses; if it has both spellings of a key, one is left unchanged."""
    if "_" not in "".join(value):
        return value
    return {name if (name := alias(key)) == key or name not in value else key: member for key, member in value.items()}


def in_all_spellings(by_key: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return values by keys of the API in both spellings that it accepts: `inlineData` and `inline_data`."""
    return {**by_key, **{_CAPITAL.sub(lambda found: f"_{found[0].lower()}", key): by_key[key] for key in by_key}}


def listed(value: Json) -> Json:
    """Return the list of an object, which the API takes in its place; any other value as it is."""
    return [cast("Json", value)] if value and isinstance(value, dict) else value


ALONE: Final = "alone"
"""The key of the layout with the keys of the members that are one object in place of a list of it."""


def lists_of(document: Object, keys: Iterable[str]) -> tuple[Object, list[str]]:
    """Return the members with some keys as lists, and the keys of those that are one object."""
    lists = {key: listed(document[key]) for key in keys if key in document}
    return lists, [key for key, value in lists.items() if value is not document[key]]


def with_lone_objects(document: Object, keys: Json) -> Object:
    """Return a document in which the members with some keys, if they are lists of one object, are that object."""
    names = items_of(keys)
    return {key: _only(value) if key in names else value for key, value in document.items()} if names else document


def _only(value: Any) -> Json:
    return value[0] if value.__class__ is list and len(value) == 1 and value[0].__class__ is dict else value


ENCLOSED: Final = "response"
"""The member with the response, in the objects of Code Assist."""
_OF_RECORDS: Final = frozenset({"request", "key"})
"""Members of a record of a request and its response, such as a line of a batch, whose request would be lost."""


def opened(value: Object) -> Object:
    """Return an object with the members of the response that it encloses, in place of that response."""
    response = value.get(ENCLOSED)
    if not isinstance(response, dict) or CANDIDATES in value:
        return value
    return {**cast("Object", response), **without(value, ENCLOSED)}


def is_enclosed(value: Object) -> bool:
    """Return whether an object encloses a response, and has no other member that a response may have."""
    response = value.get(ENCLOSED)
    if not isinstance(response, dict) or not is_response(cast("Object", response)):
        return False
    return value.keys().isdisjoint({*keys(cast("Object", response)), *_OF_RECORDS})


def is_response(value: Object) -> bool:
    """Return whether an object has a member that only a response has."""
    known = keys(value)
    return any(key in known for key in (CANDIDATES, FEEDBACK, "usageMetadata"))


REQUEST_ORDER: Final = (
    *("model", SYSTEM, CONTENTS, TOOLS, "toolConfig", "generationConfig", "safetySettings", "cachedContent"),
)
RESPONSE_ORDER: Final = (CANDIDATES, FEEDBACK, "usageMetadata", "modelVersion", "responseId")
ENGINE_KEYS: Final = frozenset(
    {"model", "generationConfig", "safetySettings", "cachedContent", "labels", "usageMetadata", "responseId"}
)
"""The keys of requests and responses that only the inference engine needs: they are no part of a prompt."""
ENDINGS: Final = Endings(
    {
        "STOP": "stop",
        "MAX_TOKENS": "length",
        **dict.fromkeys(
            (
                *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
                *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
            ),
            "content_filter",
        ),
        **dict.fromkeys(
            (
                *("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"),
                *("UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
            ),
            "truncated",
        ),
    },
    {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"},
)
"""The finish reasons; in a stream with calls, `stop` becomes `tool_calls`."""
_NUMBERS: Final[dict[int, str | None]] = {0: None, 1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION"}
"""The finish reasons by their numbers. Higher numbers mean other reasons in Vertex AI than in the Gemini API."""
EXPECTED: Final = "expected a request with 'contents', a response with 'candidates', or a list of contents with 'parts'"
CHUNKS: Final = "the items are chunks of one answer; `ocml-convert stream -f gemini-sse` puts them together"


def finish_of(members: Object) -> str | None:
    """Return the finish reason of a candidate; None if it has none. Servers with `enum-encoding=int` give a number."""
    value = members.get(FINISH)
    if type(value) is int:
        return _NUMBERS.get(value, str(value))
    return value if isinstance(value, str) else None


def is_cut_off(members: Object) -> bool:
    """Return whether a candidate is not complete."""
    value = members.get(FINISH)
    return ENDINGS.is_cut_off(finish_of(members) if isinstance(value, int) else value)


def is_filtered(response: Object, candidate: Object) -> bool:
    """Return whether a filter ended the answer of a response, or withheld it."""
    is_blocked = not candidate and "blockReason" in keys(members_of(response.get(FEEDBACK)))
    return is_blocked or ENDINGS.is_filtered(finish_of(candidate))
