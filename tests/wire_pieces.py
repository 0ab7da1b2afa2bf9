"""Whole documents of each wire, with an object of each kind that its API knows; no word like `w1` is in one twice.

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
        "names": [
            {"role": "developer", "content": "w42", "name": "w43"},
            {"role": "user", "content": "w44", "name": "w45"},
            {"role": "assistant", "content": [{"type": "text", "text": "w46"}], "name": "w47"},
        ],
        "sound of an earlier answer": [
            ask,
            {"role": "assistant", "content": None, "audio": {"id": "w48"}},
        ],
        "deprecated functions": {
            "messages": [ask],
            "functions": [{"name": "w49", "description": "w50", "parameters": _SCHEMA}],
            "function_call": {"name": "w49"},
        },
        "settings": {
            "model": "w51",
            "messages": [ask],
            "max_completion_tokens": 100,
            "temperature": 0.5,
            "stop": "w52",
            "reasoning_effort": "high",
            "modalities": ["text"],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "w53", "description": "w54", "schema": {"type": "object"}, "strict": True},
            },
            "tools": [{"type": "function", "function": {"name": "w55"}}],
            "tool_choice": {
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "w55"}}]},
            },
            "parallel_tool_calls": False,
            "logit_bias": {"w56": 1},
            "metadata": {"w57": "w58"},
        },
        "all of a response": {
            "id": "w59",
            "object": "chat.completion",
            "created": 1,
            "model": "w60",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": "w61", "refusal": None, "annotations": []},
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "prompt_tokens_details": {"cached_tokens": 4},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            "system_fingerprint": "w62",
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
        "sound": [
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_audio", "input_audio": {"data": DATA, "format": "wav"}}],
            }
        ],
        "pictures that code made": [
            ask,
            {
                "type": "code_interpreter_call",
                "id": "w80",
                "status": "completed",
                "code": "w81",
                "outputs": [{"type": "image", "url": "w82"}, {"type": "logs", "logs": "w83"}],
            },
        ],
        "more hosted calls": [
            ask,
            {
                "type": "file_search_call",
                "id": "w50",
                "status": "completed",
                "queries": ["w51"],
                "results": [{"file_id": "w52", "text": "w53"}],
            },
            {"type": "image_generation_call", "id": "w54", "status": "completed", "result": DATA},
            {
                "type": "computer_call",
                "id": "w55",
                "call_id": "w56",
                "status": "completed",
                "action": {"type": "click", "x": 1, "y": 2},
                "pending_safety_checks": [],
            },
            {
                "type": "computer_call_output",
                "call_id": "w56",
                "output": {"type": "computer_screenshot", "image_url": "w57"},
            },
            {"type": "mcp_list_tools", "id": "w58", "server_label": "w59", "tools": [{"name": "w60"}]},
            {"type": "mcp_approval_request", "id": "w61", "server_label": "w59", "name": "w62", "arguments": "{}"},
        ],
        "settings": {
            "model": "w63",
            "instructions": "w64",
            "input": [ask],
            "max_output_tokens": 100,
            "temperature": 0.5,
            "reasoning": {"effort": "high", "summary": "auto"},
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "w65",
                    "description": "w66",
                    "schema": {"type": "object"},
                    "strict": True,
                },
                "verbosity": "low",
            },
            "tools": [{"type": "function", "name": "w67", "parameters": {}, "strict": True}],
            "tool_choice": {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [{"type": "function", "name": "w67"}],
            },
            "previous_response_id": "w68",
            "metadata": {"w69": "w71"},
        },
        "all of a response": {
            "object": "response",
            "id": "w72",
            "status": "completed",
            "model": "w73",
            "error": None,
            "instructions": [{"type": "message", "role": "developer", "content": "w74"}],
            "output": [
                {"type": "reasoning", "id": "w75", "summary": [{"type": "summary_text", "text": "w76"}]},
                {
                    "type": "message",
                    "id": "w77",
                    "status": "completed",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "w78", "annotations": [], "logprobs": []}],
                },
            ],
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 3},
                "total_tokens": 15,
            },
        },
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
        "calls of other servers": {
            "max_tokens": 9,
            "messages": [
                ask,
                answer(
                    {"type": "mcp_tool_use", "id": "w41", "name": "w42", "server_name": "w43", "input": {"w44": "w45"}},
                    {
                        "type": "mcp_tool_result",
                        "tool_use_id": "w41",
                        "is_error": False,
                        "content": [{"type": "text", "text": "w46"}],
                    },
                    {"type": "server_tool_use", "id": "w47", "name": "web_search", "input": {}},
                    {
                        "type": "web_search_tool_result",
                        "tool_use_id": "w47",
                        "content": {"type": "web_search_tool_result_error", "error_code": "w48"},
                    },
                    {"type": "text", "text": "w49"},
                ),
            ],
        },
        "marks": {
            "max_tokens": 9,
            "messages": [
                of_user({"type": "text", "text": "w50", "cache_control": {"type": "ephemeral"}}),
                answer(
                    {
                        "type": "tool_use",
                        "id": "w51",
                        "name": "w52",
                        "input": {},
                        "cache_control": {"type": "ephemeral", "ttl": "1h"},
                    }
                ),
                of_user(
                    {
                        "type": "tool_result",
                        "tool_use_id": "w51",
                        "content": "w53",
                        "cache_control": {"type": "ephemeral", "ttl": "5m"},
                    },
                    {"type": "image", "source": {"type": "url", "url": "w54"}, "cache_control": {"type": "ephemeral"}},
                ),
            ],
            "tools": [{"name": "w52", "input_schema": _SCHEMA, "cache_control": {"type": "ephemeral"}}],
        },
        "an instruction first": {
            "max_tokens": 9,
            "messages": [
                {"role": "system", "content": [{"type": "text", "text": "w65"}, {"type": "text", "text": "w66"}]},
                ask,
            ],
        },
        "instructions in the middle": {
            "max_tokens": 9,
            "system": "w55",
            "messages": [
                ask,
                {"role": "assistant", "content": "w56"},
                {"role": "system", "content": [{"type": "text", "text": "w57"}]},
                {"role": "user", "content": "w58"},
            ],
        },
        "settings": {
            "model": "w59",
            "max_tokens": 100,
            "messages": [ask],
            "stop_sequences": ["w60"],
            "temperature": 0.5,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "metadata": {"user_id": "w61"},
            "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": {"type": "object"}}},
            "tools": [{"name": "w62", "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "any"},
        },
        "numbers": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "w63"}],
            "stop_reason": "stop_sequence",
            "stop_sequence": "w64",
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 2,
                "cache_read_input_tokens": 4,
                "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 3},
            },
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
        "code in another language": answer(
            {"executableCode": {"language": "w72", "code": "w73"}},
            {"codeExecutionResult": {"outcome": "w74", "output": "w75"}},
            {"text": "w76"},
        ),
        "tools of the API": answer({"toolCall": {"id": "w16", "toolType": "w17", "args": {"w18": "w19"}}}),
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
        "tools in several lists": {
            "contents": [ask],
            "tools": [
                {"functionDeclarations": [{"name": "w40", "description": "w41"}, {"name": "w42"}]},
                {"functionDeclarations": [{"name": "w43", "parameters": {"type": "OBJECT", "description": "w44"}}]},
            ],
        },
        "settings": {
            "model": "w45",
            "contents": [ask],
            "generationConfig": {
                "temperature": 0.5,
                "topK": 40,
                "maxOutputTokens": 100,
                "stopSequences": ["w46"],
                "responseMimeType": "application/json",
                "responseSchema": {"type": "OBJECT", "properties": {"w47": {"type": "STRING", "maxLength": "9"}}},
                "responseModalities": ["TEXT"],
                "thinkingConfig": {"thinkingLevel": "HIGH", "includeThoughts": True},
            },
            "safetySettings": [{"category": "w48", "threshold": "w49"}],
            "cachedContent": "w50",
        },
        "replies": {
            "contents": [
                ask,
                {
                    "role": "model",
                    "parts": [{"functionCall": {"name": "w51"}}, {"functionCall": {"name": "python", "args": {}}}],
                },
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"name": "w51", "response": {"error": "w52"}}},
                        {
                            "functionResponse": {
                                "name": "python",
                                "response": {"output": {"w53": "w54"}},
                                "parts": [{"inlineData": {"mimeType": "image/png", "data": DATA}}],
                            }
                        },
                        {"functionResponse": {"response": {"w55": "w56"}}},
                    ],
                },
            ]
        },
        "a signature behind": answer({"text": "w57"}, {"text": "", "thoughtSignature": DATA}),
        "instruction of one text": {"systemInstruction": "w58", "contents": [ask]},
        "instruction of parts": {"systemInstruction": [{"text": "w59"}], "contents": [ask]},
        "contents alone": [ask, {"role": "model", "parts": [{"text": "w60"}]}],
        "several answers": {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": "w61"}]}, "finishReason": "STOP", "index": 0},
                {
                    "content": {"role": "model", "parts": [{"text": "w62"}]},
                    "finishReason": "SAFETY",
                    "safetyRatings": [{"category": "w63"}],
                    "index": 1,
                },
            ],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
            "modelVersion": "w64",
            "responseId": "w65",
        },
        "a blocked prompt": {"promptFeedback": {"blockReason": "w66"}, "modelVersion": "w67"},
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
        "more media": of_user(
            {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://w40"}}}},
            {"audio": {"format": "mp3", "source": {"bytes": DATA}}},
            {"image": {"format": "png", "source": {"bytes": {"0": 104, "1": 105}}}},
        ),
        "replies of several kinds": {
            "modelId": "w71",
            "messages": [
                ask,
                {
                    "role": "assistant",
                    "content": [
                        {"toolUse": {"toolUseId": "w41", "name": "w42", "input": {}, "type": "server_tool_use"}},
                        {"toolResult": {"toolUseId": "w41", "type": "w43", "content": [{"text": "w44"}]}},
                        {"toolUse": {"toolUseId": "w45", "name": "w46", "input": {"w47": []}}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {
                            "toolResult": {
                                "toolUseId": "w45",
                                "status": "success",
                                "content": [
                                    {"image": {"format": "png", "source": {"bytes": DATA}}},
                                    {"document": {"format": "txt", "name": "w48", "source": {"text": "hello"}}},
                                    {"searchResult": {"source": "w49"}},
                                ],
                            }
                        }
                    ],
                },
            ],
        },
        "cited pieces": answer(
            {
                "citationsContent": {
                    "content": [{"text": "w50 "}, {"text": ""}, {"text": "w51"}],
                    "citations": [
                        {"location": {"web": {"url": "w52", "domain": "w53"}}, "source": "w54"},
                        {"title": "w55", "sourceContent": [{"text": "w56"}, {"text": "w57"}]},
                    ],
                }
            }
        ),
        "settings": {
            "modelId": "w71",
            "messages": [ask],
            "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "topP": 0.9, "stopSequences": ["w58"]},
            "outputConfig": {
                "effort": "high",
                "textFormat": {
                    "type": "json_schema",
                    "structure": {"jsonSchema": {"schema": '{"type":"object"}', "name": "w59", "description": "w60"}},
                },
            },
            "additionalModelRequestFields": {"w61": "w62"},
            "guardrailConfig": {"guardrailIdentifier": "w63"},
            "toolConfig": {
                "tools": [{"toolSpec": {"name": "w64", "inputSchema": {"json": {}}}}],
                "toolChoice": {"any": {}},
            },
        },
        "all of a response": {
            "output": {"message": {"role": "assistant", "content": [{"text": "w65"}]}, "w66": "w67"},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 7, "cacheReadInputTokens": 4},
            "metrics": {"latencyMs": 1},
            "additionalModelResponseFields": {"w68": "w69"},
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
