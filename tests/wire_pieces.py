"""Whole documents of each wire, with an object of each kind that its API knows; no word like `w1` stands in one twice.

The members are those of the official clients' types.
"""

from __future__ import annotations

from typing import Any

DATA = "aGVsbG8="
_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"w91": {"type": "string", "description": "w92"}}}


def _openai() -> dict[str, Any]:
    call = {"id": "w1", "type": "function", "function": {"name": "w2", "arguments": '{"w3":"w4"}'}}
    custom = {"id": "w5", "type": "custom", "custom": {"name": "w6", "input": "w7"}}
    cited = {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 2, "url": "w8", "title": "w9"}}
    ask = {"role": "user", "content": [{"type": "text", "text": "w70"}]}
    return {
        "text part": [{"role": "user", "content": [{"type": "text", "text": "w10"}, {"type": "text", "text": "w11"}]}],
        "image part": [
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "w12", "detail": "low"}}]}
        ],
        "audio part": [
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": DATA, "format": "wav"}}]}
        ],
        "file part": [
            {"role": "user", "content": [{"type": "file", "file": {"file_id": "w13", "filename": "w14"}}]},
            {"role": "user", "content": [{"type": "file", "file": {"file_data": f"data:text/plain;base64,{DATA}"}}]},
        ],
        "refusal": [ask, {"role": "assistant", "content": [{"type": "refusal", "refusal": "w15"}], "refusal": "w16"}],
        "calls": [
            ask,
            {"role": "assistant", "content": "w17", "tool_calls": [call, custom]},
            {"role": "tool", "tool_call_id": "w1", "content": [{"type": "text", "text": "w18"}]},
            {"role": "tool", "tool_call_id": "w5", "name": "w6", "content": "w19"},
        ],
        "deprecated call": [
            ask,
            {"role": "assistant", "content": None, "function_call": {"name": "w20", "arguments": '{"w21":1}'}},
            {"role": "function", "name": "w20", "content": "w22"},
        ],
        "reasoning": [
            ask,
            {
                "role": "assistant",
                "content": "w23",
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "w24", "signature": "w25", "format": "anthropic-claude-v1"},
                    {"type": "reasoning.summary", "summary": "w26"},
                    {"type": "reasoning.encrypted", "data": "w27", "id": "w28"},
                ],
            },
        ],
        "thinking blocks": [
            ask,
            {
                "role": "assistant",
                "content": "w29",
                "reasoning_content": "w30",
                "thinking_blocks": [
                    {"type": "thinking", "thinking": "w30", "signature": "w31"},
                    {"type": "redacted_thinking", "data": "w32"},
                ],
            },
        ],
        "annotations": [ask, {"role": "assistant", "content": "w33 w34", "annotations": [cited]}],
        "tools": {
            "messages": [ask],
            "tools": [
                {
                    "type": "function",
                    "function": {"name": "w35", "description": "w36", "parameters": _SCHEMA, "strict": True},
                },
                {
                    "type": "custom",
                    "custom": {
                        "name": "w37",
                        "description": "w38",
                        "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "w39"}},
                    },
                },
            ],
            "tool_choice": {"type": "function", "function": {"name": "w35"}},
        },
        "response": {
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": "w40"}, "finish_reason": "stop"},
                {"index": 1, "message": {"role": "assistant", "content": "w41"}, "finish_reason": "length"},
            ],
        },
    }


def _responses() -> dict[str, Any]:
    ask = {"role": "user", "content": "w70"}
    cited = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "w1", "title": "w2"}
    format_ = {"type": "grammar", "syntax": "lark", "definition": "w3"}
    return {
        "parts": [
            {
                "type": "message",
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "w4"},
                    {"type": "input_image", "image_url": "w5", "detail": "low"},
                    {"type": "input_file", "file_id": "w6", "filename": "w7"},
                ],
            }
        ],
        "answer": [
            ask,
            {
                "type": "message",
                "id": "w8",
                "status": "completed",
                "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "w9 w10", "annotations": [cited]},
                    {"type": "refusal", "refusal": "w11"},
                ],
                "phase": "final_answer",
            },
        ],
        "reasoning": [
            ask,
            {
                "type": "reasoning",
                "id": "w12",
                "summary": [{"type": "summary_text", "text": "w13"}],
                "content": [{"type": "reasoning_text", "text": "w14"}],
                "encrypted_content": "w15",
            },
        ],
        "calls": [
            ask,
            {"type": "function_call", "id": "w16", "call_id": "w17", "name": "w18", "arguments": '{"w19":"w20"}'},
            {"type": "custom_tool_call", "call_id": "w21", "name": "w22", "namespace": "w23", "input": "w24"},
            {"type": "function_call_output", "call_id": "w17", "output": [{"type": "input_text", "text": "w25"}]},
            {"type": "custom_tool_call_output", "call_id": "w21", "output": "w26"},
        ],
        "hosted calls": [
            ask,
            {
                "type": "web_search_call",
                "id": "w27",
                "status": "completed",
                "action": {"type": "search", "query": "w28", "sources": [{"type": "url", "url": "w29"}]},
            },
            {
                "type": "code_interpreter_call",
                "id": "w30",
                "status": "completed",
                "code": "w31",
                "container_id": "w32",
                "outputs": [{"type": "logs", "logs": "w33"}],
            },
            {
                "type": "mcp_call",
                "id": "w34",
                "server_label": "w35",
                "name": "w36",
                "arguments": '{"w37":1}',
                "output": "w38",
                "error": None,
            },
        ],
        "state": [ask, {"type": "item_reference", "id": "w39"}, {"type": "compaction", "encrypted_content": "w40"}],
        "tools": {
            "input": "w70",
            "tools": [
                {"type": "function", "name": "w41", "description": "w42", "parameters": _SCHEMA, "strict": True},
                {"type": "custom", "name": "w43", "description": "w44", "format": format_},
                {
                    "type": "namespace",
                    "name": "w45",
                    "description": "w46",
                    "tools": [{"type": "function", "name": "w47", "parameters": {}, "strict": False}],
                },
                {"type": "web_search", "search_context_size": "low"},
            ],
            "tool_choice": {"type": "function", "name": "w41"},
        },
        "response": {
            "object": "response",
            "status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"},
            "output": [
                {
                    "type": "message",
                    "id": "w49",
                    "status": "completed",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "w48"}],
                }
            ],
        },
    }


def _anthropic() -> dict[str, Any]:
    ask = {"role": "user", "content": "w70"}

    def of_user(*blocks: Any) -> dict[str, Any]:
        return {"role": "user", "content": [*blocks]}

    def answer(*blocks: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": [*blocks]}

    located = {
        "type": "char_location",
        "cited_text": "w1",
        "document_index": 0,
        "document_title": "w2",
        "start_char_index": 0,
        "end_char_index": 2,
    }
    found = {
        "type": "web_search_result_location",
        "cited_text": "w3",
        "url": "w4",
        "title": "w5",
        "encrypted_index": "w6",
    }
    return {
        "text": {
            "max_tokens": 9,
            "messages": [of_user({"type": "text", "text": "w7"}, {"type": "text", "text": "w8"})],
        },
        "media": {
            "max_tokens": 9,
            "messages": [
                of_user(
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
                    {"type": "image", "source": {"type": "url", "url": "w9"}},
                    {
                        "type": "document",
                        "source": {"type": "file", "file_id": "w10"},
                        "title": "w11",
                        "context": "w12",
                    },
                    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}},
                )
            ],
        },
        "thinking": {
            "max_tokens": 9,
            "messages": [
                ask,
                answer(
                    {"type": "thinking", "thinking": "w14", "signature": "w15"},
                    {"type": "redacted_thinking", "data": "w16"},
                    {"type": "text", "text": "w17"},
                ),
            ],
        },
        "calls": {
            "max_tokens": 9,
            "messages": [
                ask,
                answer({"type": "tool_use", "id": "w18", "name": "w19", "input": {"w20": "w21"}}),
                of_user(
                    {
                        "type": "tool_result",
                        "tool_use_id": "w18",
                        "content": [{"type": "text", "text": "w22"}],
                        "is_error": True,
                    }
                ),
            ],
        },
        "server's calls": {
            "max_tokens": 9,
            "messages": [
                ask,
                answer(
                    {"type": "server_tool_use", "id": "w23", "name": "web_search", "input": {"query": "w24"}},
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "w23",
                        "content": [
                            {"type": "web_search_result", "url": "w25", "title": "w26", "encrypted_content": "w27"}
                        ],
                    },
                    {"type": "text", "text": "w28"},
                ),
            ],
        },
        "citations": {
            "max_tokens": 9,
            "messages": [ask, answer({"type": "text", "text": "w29", "citations": [located, found]})],
        },
        "kept blocks": {
            "max_tokens": 9,
            "messages": [
                of_user(
                    {
                        "type": "search_result",
                        "source": "w30",
                        "title": "w31",
                        "content": [{"type": "text", "text": "w32"}],
                    },
                    {"type": "container_upload", "file_id": "w33"},
                )
            ],
        },
        "system": {
            "max_tokens": 9,
            "system": [{"type": "text", "text": "w34", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
            "messages": [ask],
        },
        "tools": {
            "max_tokens": 9,
            "messages": [ask],
            "tools": [
                {"type": "custom", "name": "w35", "description": "w36", "input_schema": _SCHEMA, "strict": True},
                {"type": "web_search_20250305", "name": "web_search", "allowed_domains": ["w37"]},
            ],
            "tool_choice": {"type": "tool", "name": "w35", "disable_parallel_tool_use": True},
        },
        "response": {
            "id": "w38",
            "type": "message",
            "role": "assistant",
            "model": "w39",
            "content": [{"type": "text", "text": "w40"}],
            "stop_reason": "max_tokens",
            "stop_sequence": None,
        },
    }


def _gemini() -> dict[str, Any]:
    ask = {"role": "user", "parts": [{"text": "w70"}]}

    def answer(*parts: Any) -> dict[str, Any]:
        return {"contents": [ask, {"role": "model", "parts": [*parts]}]}

    return {
        "text": {"contents": [{"role": "user", "parts": [{"text": "w1"}, {"text": "w2"}]}]},
        "media": {
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {"inlineData": {"mimeType": "image/png", "data": DATA}, "videoMetadata": {"fps": 1}},
                        {"fileData": {"mimeType": "video/mp4", "fileUri": "w3", "displayName": "w4"}},
                    ],
                }
            ]
        },
        "thought": answer({"text": "w5", "thought": True, "thoughtSignature": DATA}, {"text": "w6"}),
        "calls": {
            "contents": [
                ask,
                {
                    "role": "model",
                    "parts": [
                        {"functionCall": {"id": "w7", "name": "w8", "args": {"w9": "w10"}}, "thoughtSignature": DATA}
                    ],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"id": "w7", "name": "w8", "response": {"output": "w11"}}}],
                },
            ]
        },
        "code": answer(
            {"executableCode": {"id": "w12", "language": "PYTHON", "code": "w13"}},
            {"codeExecutionResult": {"id": "w12", "outcome": "OUTCOME_FAILED", "output": "w14"}},
            {"text": "w15"},
        ),
        "kept parts": answer({"toolCall": {"id": "w16", "toolType": "w17", "args": {"w18": "w19"}}}),
        "system": {"systemInstruction": {"role": "system", "parts": [{"text": "w20"}]}, "contents": [ask]},
        "tools": {
            "contents": [ask],
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "w21", "description": "w22", "parametersJsonSchema": _SCHEMA},
                        {
                            "name": "w23",
                            "parameters": {
                                "type": "OBJECT",
                                "properties": {"w24": {"type": "STRING", "nullable": True}},
                            },
                            "response": {"type": "STRING"},
                        },
                    ]
                },
                {"googleSearch": {}},
            ],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["w21"]}},
        },
        "grounding": {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": "w25 w26"}]},
                    "finishReason": "STOP",
                    "groundingMetadata": {
                        "webSearchQueries": ["w27"],
                        "groundingChunks": [{"web": {"uri": "w28", "title": "w29"}}],
                        "groundingSupports": [
                            {
                                "segment": {"startIndex": 0, "endIndex": 3, "text": "w25"},
                                "groundingChunkIndices": [0],
                                "confidenceScores": [0.5],
                            }
                        ],
                    },
                }
            ]
        },
        "citations": {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [{"text": "w30 w31"}]},
                    "finishReason": "MAX_TOKENS",
                    "citationMetadata": {
                        "citationSources": [{"startIndex": 4, "endIndex": 7, "uri": "w32", "title": "w33"}]
                    },
                }
            ]
        },
    }


def _bedrock() -> dict[str, Any]:
    ask = {"role": "user", "content": [{"text": "w70"}]}

    def of_user(*blocks: Any) -> dict[str, Any]:
        return {"modelId": "w71", "messages": [{"role": "user", "content": [*blocks]}]}

    def answer(*blocks: Any) -> dict[str, Any]:
        return {"modelId": "w71", "messages": [ask, {"role": "assistant", "content": [*blocks]}]}

    return {
        "text": of_user({"text": "w1"}, {"text": "w2"}),
        "media": of_user(
            {"image": {"format": "png", "source": {"bytes": DATA}}},
            {
                "document": {
                    "format": "pdf",
                    "name": "w3",
                    "source": {"s3Location": {"uri": "s3://w4", "bucketOwner": "w5"}},
                    "context": "w6",
                    "citations": {"enabled": True},
                }
            },
            {"document": {"format": "txt", "name": "w7", "source": {"text": "hello"}}},
            {"document": {"name": "w9", "source": {"content": [{"text": "w10"}]}}},
        ),
        "reasoning": answer(
            {"reasoningContent": {"reasoningText": {"text": "w11", "signature": "w12"}}},
            {"reasoningContent": {"redactedContent": DATA}},
            {"text": "w13"},
        ),
        "calls": {
            "modelId": "w71",
            "messages": [
                ask,
                {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "w14", "name": "w15", "input": {"w16": "w17"}}}],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "toolResult": {
                                "toolUseId": "w14",
                                "content": [{"json": {"w18": "w19"}}, {"text": "w20"}],
                                "status": "error",
                            }
                        }
                    ],
                },
            ],
        },
        "reply of one object": {
            "modelId": "w71",
            "messages": [
                ask,
                {"role": "assistant", "content": [{"toolUse": {"toolUseId": "w21", "name": "w22", "input": {}}}]},
                {"role": "user", "content": [{"toolResult": {"toolUseId": "w21", "content": [{"json": {"w23": 1}}]}}]},
            ],
        },
        "guarded text": of_user({"guardContent": {"text": {"text": "w24", "qualifiers": ["query"]}}}),
        "cited text": answer(
            {
                "citationsContent": {
                    "content": [{"text": "w25"}],
                    "citations": [
                        {
                            "title": "w26",
                            "sourceContent": [{"text": "w27"}],
                            "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 2}},
                        }
                    ],
                }
            }
        ),
        "cache points": {
            "modelId": "w71",
            "system": [{"text": "w28"}, {"cachePoint": {"type": "default"}}],
            "messages": [
                {"role": "user", "content": [{"text": "w29"}, {"cachePoint": {"type": "default", "ttl": "1h"}}]}
            ],
        },
        "tools": {
            "modelId": "w71",
            "messages": [ask],
            "toolConfig": {
                "tools": [
                    {
                        "toolSpec": {
                            "name": "w30",
                            "description": "w31",
                            "inputSchema": {"json": _SCHEMA},
                            "strict": True,
                        }
                    },
                    {"systemTool": {"name": "w32"}},
                    {"cachePoint": {"type": "default"}},
                ],
                "toolChoice": {"tool": {"name": "w30"}},
            },
        },
        "response": {
            "output": {"message": {"role": "assistant", "content": [{"text": "w33"}]}},
            "stopReason": "max_tokens",
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
        },
    }


PIECES = {
    "openai": _openai(),
    "openai-responses": _responses(),
    "anthropic": _anthropic(),
    "gemini": _gemini(),
    "bedrock-converse": _bedrock(),
}
"""Wire → what a document has → the document."""
