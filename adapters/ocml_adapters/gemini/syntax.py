"""The keys of Gemini's JSON, and how they are spelled (google-genai 3.4.0, `types.py`; ai.google.dev/api)."""

from __future__ import annotations

import re
from typing import Final

from ocml_bridge.json_values.form import Object
from ocml_bridge.model.notes import Notes

HOME: Final = "gemini"
NOTES: Final = Notes(HOME)
VENDOR: Final = "google"
"""Whose signatures the API takes back, and whose files it finds."""

CONTENTS: Final = "contents"
PARTS: Final = "parts"
SYSTEM: Final = "systemInstruction"
TOOLS: Final = "tools"
CANDIDATES: Final = "candidates"
CONTENT: Final = "content"
ROLE: Final = "role"
DECLARATIONS: Final = "functionDeclarations"
FINISH: Final = "finishReason"

CALL: Final = "functionCall"
RESPONSE: Final = "functionResponse"
CODE: Final = "executableCode"
RESULT: Final = "codeExecutionResult"
INLINE: Final = "inlineData"
FILE: Final = "fileData"
DATA: Final = ("text", INLINE, FILE, CALL, RESPONSE, CODE, RESULT)
"""What a part is: it has one of these."""
OTHER_DATA: Final = ("toolCall", "toolResponse", "audioTranscription")
"""What a part may be, too; it is kept as it is."""
SIGNATURE: Final = "thoughtSignature"

MODEL_ROLE: Final = "model"
USER_ROLE: Final = "user"
ROLES: Final[dict[str, str]] = {USER_ROLE: "user", "function": "user", MODEL_ROLE: "assistant"}

_CAMEL: Final = frozenset(
    {
        *(SYSTEM, DECLARATIONS, FINISH, CALL, RESPONSE, CODE, RESULT, INLINE, FILE, SIGNATURE, *OTHER_DATA),
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
"""The keys that have two spellings, as the API writes them; SDKs dump them with underscores."""
_UNDERSCORE: Final = re.compile(r"_([a-z])")


def alias(key: str) -> str:
    """The key that we write for one that was read: `function_call` is `functionCall`."""
    if "_" not in key:
        return key
    camel = _UNDERSCORE.sub(lambda found: found[1].upper(), key)
    return camel if camel in _CAMEL else key


def keys(value: Object) -> Object:
    """An object with its keys as we write them; of two spellings of one key the second is another key."""
    if "_" not in "".join(value):
        return value
    return {name if (name := alias(key)) == key or name not in value else key: member for key, member in value.items()}


REQUEST_ORDER: Final = (
    *("model", SYSTEM, CONTENTS, TOOLS, "toolConfig", "generationConfig", "safetySettings", "cachedContent"),
)
RESPONSE_ORDER: Final = (CANDIDATES, "promptFeedback", "usageMetadata", "modelVersion", "responseId")
ENGINE_KEYS: Final = frozenset(
    {"model", "generationConfig", "safetySettings", "cachedContent", "labels", "usageMetadata", "responseId"}
)
"""Sampling, limits and bookkeeping: no part of the conversation, and none of a prompt's business."""
CUT_OFF: Final = (None, "MAX_TOKENS", "MALFORMED_FUNCTION_CALL")
"""The reasons of an answer that is not whole: too long, broken, or none because it never came to an end."""
EXPECTED: Final = "expected a request with 'contents', a response with 'candidates', or a list of contents with 'parts'"
CHUNKS: Final = "the items are chunks of one answer; `ocml-convert stream -f gemini-sse` puts them together"
