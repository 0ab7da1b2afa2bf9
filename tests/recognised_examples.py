"""A small example of each kind of data that is recognised, made after the kind's own documentation."""

from __future__ import annotations

import json
from typing import Any, Final

TURN: Final = {"role": "user", "content": "Hi"}


def asking(*parts: Any) -> Any:
    """A request whose second message has these content parts."""
    return {"messages": [TURN, {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, *parts]}]}


EXAMPLES: Final[dict[str, tuple[Any, ...]]] = {
    "a document in the canonical form": ({"type": "transcript", "messages": [TURN]},),
    "OpenChatML 2.2 JSON": ([{"role": "assistant", "channel": "final", "content": "Hi"}],),
    "ChatML as a list of tokens and strings": ([{"token": "<|im_start|>"}, "user\nHi", {"token": "<|im_end|>"}],),
    "a recorded stream of Chat Completions chunks": (
        [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}],
        {"choices": [{"delta": {"content": "Hi"}}]},
    ),
    "a recorded stream of Anthropic events": (
        [{"type": "message_start", "message": {"role": "assistant", "content": []}}],
        [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}],
    ),
    "a recorded stream of Responses events": ([{"type": "response.created", "response": {"output": []}}],),
    "a recorded stream of Bedrock events": ([{"messageStart": {"role": "assistant"}}], [{"contentBlockDelta": {}}]),
    "a recorded stream of Bedrock's InvokeModel, whose events are in base64": (
        [{"chunk": {"bytes": "eyJ0eXBlIjoibWVzc2FnZV9zdG9wIn0="}}],
    ),
    "messages of Haystack": (
        [{"role": "user", "meta": {}, "name": None, "content": [{"text": "Hi"}]}],
        [{"role": "assistant", "meta": {}, "content": [{"tool_call": {"tool_name": "f", "arguments": {}, "id": "c"}}]}],
        [{"role": "tool", "content": [{"tool_call_result": {"result": "1", "origin": {"tool_name": "f"}}}]}],
    ),
    "messages of Genkit": (
        [{"role": "model", "content": [{"text": "Hi"}]}],
        [{"role": "model", "content": [{"toolRequest": {"name": "f", "ref": "c", "input": {}}}]}],
        [{"role": "tool", "content": [{"toolResponse": {"name": "f", "ref": "c", "output": 1}}]}],
        [{"role": "user", "content": [{"media": {"url": "https://a.example/a.png"}}]}],
    ),
    "messages of Pydantic AI": (
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hi"}]}],
        [{"parts": [{"part_kind": "text", "content": "Hello"}]}],
    ),
    "messages of LlamaIndex": ([{"role": "user", "blocks": [{"block_type": "text", "text": "Hi"}]}],),
    "messages of Semantic Kernel": ([{"role": "user", "items": [{"content_type": "text", "text": "Hi"}]}],),
    "messages of Semantic Kernel in .NET": (
        [{"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "Hi"}]}],
    ),
    "messages of Microsoft.Extensions.AI": ([{"role": "user", "contents": [{"$type": "text", "text": "Hi"}]}],),
    "messages of Vercel's AI SDK (UIMessage)": (
        [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}],
        [{"id": "2", "role": "assistant", "parts": [{"type": "tool-weather", "state": "output-available"}]}],
    ),
    "a session of opencode": ({"messages": [{"info": {"role": "user"}, "parts": [{"type": "text", "text": "Hi"}]}]},),
    "a trajectory of Harbor's agents (ATIF)": ({"schema_version": "ATIF-v1.7", "steps": []},),
    "a session of Goose": (
        [{"role": "assistant", "content": [{"type": "toolRequest", "id": "t", "toolCall": {"value": {}}}]}],
    ),
    "a session of Gemini CLI": (
        {"projectHash": "p", "messages": [{"id": "1", "type": "user", "content": "Hi"}]},
        [{"id": "1", "timestamp": "2025-10-01T00:00:01Z", "type": "gemini", "content": "Hi"}],
    ),
    "messages of AutoGen": (
        [{"type": "TextMessage", "source": "user", "content": "Hi"}],
        [{"type": "AssistantMessage", "source": "guide", "content": "Hi"}],
    ),
    "messages of Mastra": ([{"role": "user", "content": {"format": 2, "parts": [{"type": "text", "text": "Hi"}]}}],),
    "messages of Letta": (
        [{"id": "message-1", "message_type": "user_message", "content": "Hi"}],
        {"messages": [{"id": "message-1", "message_type": "user_message", "content": "Hi"}]},
    ),
    "entries of Mistral's conversations": (
        {"conversation_id": "conv_1", "entries": [{"object": "entry", "type": "message.input", "content": "Hi"}]},
        {"conversation_id": "conv_1", "outputs": [{"object": "entry", "type": "message.output", "content": "Hi"}]},
        [{"object": "entry", "type": "message.input", "content": "Hi"}],
    ),
    "an interaction of Gemini's Interactions API": (
        {"model": "m", "input": [{"type": "user_input", "content": [{"type": "text", "text": "Hi"}]}]},
        {"model": "m", "input": [{"type": "function_result", "call_id": "c", "name": "f", "result": "1"}]},
        {"id": "v1_a", "object": "interaction", "status": "completed", "outputs": [{"type": "text", "text": "Hi"}]},
        {"steps": [{"type": "model_output", "content": []}], "usage": {"total_output_tokens": 2}},
    ),
    "messages of threads of OpenAI's Assistants": (
        {"object": "list", "data": [{"object": "thread.message", "thread_id": "t", "content": []}]},
        [{"object": "thread.message", "role": "user", "content": [{"type": "text", "text": {"value": "Hi"}}]}],
    ),
    "messages of Spring AI": ([{"messageType": "USER", "text": "Hi", "metadata": {}}],),
    "messages of LangChain4j": (
        [{"type": "USER", "contents": [{"type": "TEXT", "text": "Hi"}]}],
        [{"type": "AI", "toolExecutionRequests": []}],
        [{"type": "TOOL_EXECUTION_RESULT", "toolName": "f", "id": "c", "text": "1"}],
    ),
    "messages of Open Interpreter": (
        {
            "messages": [
                {"role": "user", "type": "message", "content": "Count."},
                {"role": "assistant", "type": "code", "format": "python", "content": "print(1)"},
                {"role": "computer", "type": "console", "format": "output", "content": "1"},
            ]
        },
    ),
    "a session of Google's Agent Development Kit": (
        {"id": "s", "app_name": "a", "events": [{"author": "user", "content": {"parts": [{"text": "Hi"}]}}]},
        [{"author": "user", "invocation_id": "e-1", "content": {"parts": [{"text": "Hi"}], "role": "user"}}],
        [{"author": "user", "invocationId": "e-1", "content": {"parts": [{"text": "Hi"}], "role": "user"}}],
    ),
    "an eval set of Google's Agent Development Kit": (
        {"eval_set_id": "e", "eval_cases": []},
        {"evalSetId": "e", "evalCases": []},
    ),
    "events of OpenHands": (
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Hi"}},
        {"id": 2, "source": "agent", "observation": "run", "content": "a", "cause": 1, "extras": {}},
        {"instance_id": "i", "history": [{"id": 0, "source": "user", "action": "message", "args": {}}]},
        {"history": [{"id": 0, "source": "user", "action": "message", "args": {}}]},
    ),
    "steps of an agent of smolagents": (
        {"step_number": 1, "model_output": "Hi", "observations": None},
        {"task": "Hi", "task_images": None},
        {"steps": [{"task": "Hi", "task_images": None}]},
    ),
    "a task of the Agent2Agent protocol": (
        {"kind": "task", "id": "t", "contextId": "c", "history": []},
        {
            "history": [
                {"kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "Hi"}]}
            ]
        },
    ),
    "a chat of Big-AGI": (
        {"messages": [{"role": "user", "fragments": [{"ft": "content", "part": {"pt": "text", "text": "Hi"}}]}]},
    ),
    "a chat of OpenRouter": (
        {
            "version": "orpg.3.0",
            "characters": {},
            "messages": {"m": {"characterId": "USER", "content": "Hi"}, "n": {"characterId": "c", "content": "Yes"}},
        },
    ),
    "the interface log of a task in Cline or Roo": ([{"ts": 1, "type": "say", "say": "text", "text": "Do it"}],),
    "a thread of Zed": (
        {"messages": [{"User": {"content": [{"Text": "Hi"}]}}, {"Agent": {"content": [{"Text": "Yes"}]}}, "Resume"]},
        {"messages": [{"Agent": {"content": [{"Text": "Yes"}], "tool_results": {}}}]},
    ),
    "a thread of an earlier Zed": (
        {"version": "0.2.0", "messages": [{"id": 0, "role": "user", "segments": [{"type": "text", "text": "Hi"}]}]},
    ),
    "a chat of Cursor": (
        {"conversation": [{"type": 1, "bubbleId": "a", "text": "Hi"}, {"type": 2, "bubbleId": "b", "text": "Yes"}]},
    ),
    "chats of TypingMind": ({"data": {"chats": [{"chatID": "c", "messages": [TURN]}], "folders": []}},),
    "chats of Qwen": (
        {"success": True, "request_id": "r", "data": [{"id": "i", "chat": {"history": {"messages": {"a": TURN}}}}]},
    ),
    "results of promptfoo": (
        {
            "evalId": "e",
            "results": {
                "version": 3,
                "results": [{"prompt": {"raw": "Why?", "label": "p"}, "response": {"output": "So."}, "vars": {}}],
            },
            "config": {},
        },
    ),
    "chats of Chatbox": ({"chat-sessions-list": [{"id": "s"}], "session:s": {"id": "s", "messages": [TURN]}},),
    "chats of Cherry Studio": (
        {
            "version": 5,
            "indexedDB": {
                "topics": [{"id": "t", "messages": [{"id": "m", "role": "user", "blocks": ["b"]}]}],
                "message_blocks": [{"id": "b", "type": "main_text", "content": "Hi"}],
            },
        },
    ),
    "a chat of Character.AI": (
        {
            "turns": [
                {
                    "turn_key": {"turn_id": "t"},
                    "author": {"is_human": True},
                    "candidates": [{"candidate_id": "a", "raw_content": "Hi"}],
                    "primary_candidate_id": "a",
                }
            ]
        },
    ),
    "Google's activity log of chats with Gemini": (
        [{"header": "Gemini Apps", "title": "Prompted Why?", "safeHtmlItem": [{"html": "<p>So.</p>"}]}],
        {"header": "Gemini Apps", "title": "Created Gemini Canvas", "activityControls": ["Gemini Apps Activity"]},
        {"header": "Gemini-Apps", "title": "Warum?", "safeHtmlItem": [{"html": "<p>Darum.</p>"}]},
    ),
    "a message of a chat with Copilot": (
        {"Conversation": "Trip", "Time": "2025-01-01T00:00:00", "Author": "Human", "Message": "Hi"},
    ),
    "a page of a chat that ChatGPT shares": (
        {
            "title": "t",
            "linear_conversation": [
                {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}}
            ],
        },
    ),
    "a trace of MLflow": (
        {
            "info": {"trace_id": "t"},
            "data": {
                "spans": [
                    {
                        "attributes": {
                            "mlflow.spanType": '"CHAT_MODEL"',
                            "mlflow.spanInputs": '{"messages":[{"role":"user","content":"Hi"}]}',
                            "mlflow.spanOutputs": '{"choices":[{"message":{"role":"assistant","content":"Yes"}}]}',
                        }
                    }
                ]
            },
        },
        {"name": "Completions", "attributes": {"mlflow.spanInputs": "{}", "mlflow.spanOutputs": "{}"}},
    ),
    "chats of NextChat": (
        {"chat-next-web-store": {"sessions": [{"id": "s", "topic": "t", "messages": [{"id": "1", **TURN}]}]}},
    ),
    "a conversation of Intercom": (
        {
            "type": "conversation",
            "id": "1",
            "source": {"type": "conversation", "body": "<p>Hi</p>", "author": {"type": "user", "id": "5"}},
            "conversation_parts": {
                "type": "conversation_part.list",
                "conversation_parts": [
                    {"part_type": "comment", "body": "<p>Yes</p>", "author": {"type": "admin", "id": "2"}},
                    {"part_type": "note", "body": "<p>He is angry.</p>", "author": {"type": "admin", "id": "2"}},
                    {"part_type": "assignment", "body": None, "author": {"type": "bot", "id": "3"}},
                ],
            },
        },
    ),
    "a session of Copilot CLI": (
        {"type": "session.start", "id": "1", "parentId": None, "data": {"sessionId": "s"}},
        {"type": "user.message", "id": "2", "parentId": "1", "data": {"content": "Hi", "attachments": []}},
        {"type": "assistant.message", "id": "3", "data": {"messageId": "m", "content": "Yes", "toolRequests": []}},
        {"type": "tool.execution_complete", "data": {"toolCallId": "c", "success": True, "result": {"content": "1"}}},
    ),
    "a session of Kimi CLI": (
        {"role": "_system_prompt", "content": "Be kind."},
        {"role": "_checkpoint", "id": 0},
        {"role": "_usage", "token_count": 5},
    ),
    "a session of Qwen Code": (
        {
            "uuid": "1",
            "parentUuid": None,
            "sessionId": "s",
            "type": "user",
            "message": {"role": "user", "parts": [{"text": "Hi"}]},
        },
    ),
    "a conversation with several answers to each question, one of which was chosen (PRISM)": (
        {
            "conversation_id": "c",
            "conversation_history": [
                {"turn": 0, "role": "user", "content": "Hi", "if_chosen": None, "within_turn_id": None},
                {"turn": 0, "role": "model", "content": "No", "if_chosen": False, "within_turn_id": 0},
                {"turn": 0, "role": "model", "content": "Yes", "if_chosen": True, "within_turn_id": 1},
            ],
        },
    ),
    "requests and results of HELM": (
        {
            "adapter_spec": {"method": "generation"},
            "request_states": [
                {
                    "instance": {"input": {"text": "Why?"}, "references": []},
                    "request": {"model": "m", "prompt": "Q: Why?\nA:", "messages": None},
                    "result": {"success": True, "completions": [{"text": " So.", "logprob": 0}]},
                }
            ],
        },
        {
            "instance": {"input": {"text": "Why?"}},
            "request": {"prompt": "Q: Why?\nA:"},
            "result": {"completions": [{"text": " So."}]},
        },
    ),
    "an output item of an eval run of OpenAI": (
        {
            "object": "eval.run.output_item",
            "id": "o",
            "datasource_item": {"question": "Hi"},
            "sample": {"input": [TURN], "output": [{"role": "assistant", "content": "Yes"}], "finish_reason": "stop"},
        },
    ),
    "segments of a training text (axolotl)": (
        {
            "segments": [
                {"label": False, "text": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"},
                {"label": True, "text": "Yes<|im_end|>\n"},
            ]
        },
    ),
    "a task of Label Studio": (
        {
            "id": 1,
            "data": {"prompt": "Why?", "answer1": "So.", "answer2": "No."},
            "annotations": [{"id": 1, "result": [{"type": "pairwise", "value": {"selected": "left"}}]}],
        },
    ),
    "texts with questions about them, as SQuAD stores them": (
        {
            "version": "v2.0",
            "data": [
                {
                    "title": "T",
                    "paragraphs": [
                        {
                            "context": "It is so.",
                            "qas": [{"id": "1", "question": "Why?", "answers": [{"text": "So.", "answer_start": 0}]}],
                        }
                    ],
                }
            ],
        },
    ),
    "steps of an answer with ratings (PRM800K)": (
        {
            "question": {"problem": "Why?", "ground_truth_answer": "4"},
            "label": {
                "steps": [
                    {"completions": [{"text": "So.", "rating": 1}], "human_completion": None, "chosen_completion": 0},
                    {"completions": [], "human_completion": {"text": "4"}, "chosen_completion": None},
                ]
            },
        },
    ),
    "a search of ToolBench for an answer": (
        {
            "win": True,
            "answer_generation": {
                "function": [{"name": "f", "description": "", "parameters": {"type": "object", "properties": {}}}],
                "train_messages": [
                    [TURN, {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}]
                ],
            },
        },
    ),
    "ids of tokens, as trainers prepare them": (
        {"input_ids": [1, 2], "labels": [-100, 2]},
        {"input_ids": [1, 2], "attention_mask": [1, 1]},
    ),
    "a browser's record of requests and responses (HAR)": (
        {
            "log": {
                "version": "1.2",
                "creator": {"name": "a", "version": "1"},
                "entries": [
                    {"request": {"method": "GET", "url": "https://a.example/"}, "response": {}},
                    {
                        "request": {
                            "method": "POST",
                            "url": "https://a.example/v1/chat/completions",
                            "postData": {"mimeType": "application/json", "text": json.dumps({"messages": [TURN]})},
                        },
                        "response": {"status": 200, "content": {"mimeType": "application/json", "text": "{}"}},
                    },
                ],
            }
        },
    ),
    "a Jupyter notebook": ({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},),
    "a chat of Messenger or Instagram": (
        {"participants": [], "messages": [{"sender_name": "Ann", "timestamp_ms": 1, "content": "Hi"}]},
    ),
    "a channel of Slack": (
        [{"type": "message", "user": "U1", "text": "Hi", "ts": "1680000000.000100"}],
        {"ok": True, "messages": [{"type": "message", "user": "U1", "text": "Hi", "ts": "1680000000.000100"}]},
        {"client_msg_id": "m", "type": "message", "text": "Hi", "user": "U1", "ts": "1680000000.000100"},
    ),
    "a channel of Discord": (
        {"guild": {"id": "1"}, "channel": {"id": "2"}, "messages": []},
        [{"id": "9", "type": "Default", "content": "Hi", "author": {"name": "ann", "isBot": False}}],
    ),
    "a chat of Telegram": (
        {
            "name": "Ann",
            "type": "personal_chat",
            "messages": [
                {"type": "message", "from": "Ann", "from_id": "user1", "text": "Hi", "text_entities": [{"text": "Hi"}]}
            ],
        },
    ),
    "a space of Google Chat": (
        {"messages": [{"creator": {"name": "Ann", "user_type": "Human"}, "text": "Hi", "topic_id": "t"}]},
    ),
    "a Bedrock Converse request": (
        {"messages": [{"role": "user", "content": [{"text": "Hello there"}]}], "inferenceConfig": {}},
        {"messages": [{"role": "user", "content": [{"text": "Hello there"}]}]},
        [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}]}],
        [{"role": "user", "content": [{"toolResult": {"toolUseId": "t", "content": [{"json": {}}]}}]}],
        [{"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "Hm."}}}]}],
        {"system": [{"text": "Be brief."}], "messages": [TURN]},
        {"system": [{"guardContent": {"text": {"text": "Be brief."}}}], "messages": [TURN]},
        {"modelId": "us.amazon.nova-pro-v1:0", "messages": [{"role": "user", "content": [{"text": "Hello there"}]}]},
        {"modelId": "m", "promptVariables": {"genre": {"text": "pop"}}},
        {"messages": [TURN], "toolConfig": {"tools": []}},
    ),
    "a Bedrock Converse response": ({"output": {"message": TURN}, "stopReason": "end_turn"},),
    "an Anthropic Messages request": (
        {"model": "claude", "system": "Be brief.", "messages": [TURN]},
        {"system": [{"type": "text", "text": "Be brief."}], "messages": [TURN]},
        {"anthropic_version": "bedrock-2023-05-31", "messages": [TURN]},
        asking({"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Oslo"}}),
        asking({"type": "tool_result", "tool_use_id": "t1", "content": "15C"}),
        asking({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}),
        asking({"type": "redacted_thinking", "data": "c2ln"}),
        asking({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}),
        asking({"type": "document", "source": {"type": "url", "url": "https://example.test/a.pdf"}}),
        {"messages": [TURN], "tools": [{"name": "f", "input_schema": {"type": "object"}}]},
        {"messages": [TURN], "tools": [{"type": "web_search_20250305", "name": "web_search"}]},
        [TURN, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}],
        [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "redacted_thinking"}],
                "stop_reason": "end_turn",
            }
        ],
    ),
    "an Anthropic Messages response": (
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "Hi"}],
            "stop_reason": "end_turn",
        },
    ),
    "an answer of the Responses API": ({"object": "response", "output": [], "status": "completed"},),
    "items of the Responses API": (
        asking({"type": "input_text", "text": "Hi"}),
        [{"role": "assistant", "content": [{"type": "output_text", "text": "Hi", "annotations": []}]}],
        [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        [TURN, {"type": "function_call_output", "call_id": "c", "output": "1"}],
        [{"type": "reasoning", "summary": []}, TURN],
        {"input": [{"type": "message", "role": "user", "content": "Hi"}]},
        [{"type": "agent_message", "author": "/lead/research", "recipient": "/lead", "content": "Hi"}],
    ),
    "a request of the Responses API": (
        {"model": "gpt-5", "input": "Hi"},
        {"model": "gpt-5", "input": [TURN]},
        {"prompt": {"id": "pmpt_1", "variables": {}}, "input": [TURN]},
        {"previous_response_id": "resp_1", "input": [TURN]},
        {"instructions": "Be brief.", "input": [TURN]},
        {"max_output_tokens": 9, "input": [TURN]},
        {"input": [TURN], "tools": [{"type": "function", "name": "f", "parameters": {}}]},
    ),
    "a saved prompt of Google AI Studio": (
        {"systemInstruction": {"text": "Hi"}, "chunkedPrompt": {"chunks": [{"text": "Hi", "role": "user"}]}},
    ),
    "a Gemini request": (
        {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
        {"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": []},
    ),
    "a Gemini response": (
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
        {"response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}, "traceId": "t"},
    ),
    "attributes of an OpenTelemetry span (gen_ai)": ({"gen_ai.input.messages": "[]", "gen_ai.request.model": "m"},),
    "OpenTelemetry messages (gen_ai)": (
        [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
        [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "f", "arguments": {}}]}],
        [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "1"}]}],
    ),
    "messages of Gemini": (
        [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello"}]}],
        [{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}],
    ),
    "messages of Gemini or Gemma with the role `model` for the assistant": (
        [TURN, {"role": "model", "content": "Hello"}],
    ),
    "messages of LLaMA-Factory, whose parts have a `value`": (
        {"messages": [{"role": "user", "content": [{"type": "text", "value": "Hi"}], "loss_weight": 0.0}]},
        [{"role": "assistant", "content": [{"type": "reasoning", "value": "Hm."}]}],
    ),
    "a preference record (chosen and rejected)": (
        {"prompt": "Is it?", "chosen": "Yes.", "rejected": "No."},
        {"messages": [TURN], "chosen": {"role": "assistant", "content": "a"}, "rejected": {"role": "assistant"}},
    ),
    "a ShareGPT record": (
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
        [{"conversations": [{"from": "human", "value": "Hi"}]}],
        {"conversation": [{"from": "human", "value": "Hi"}]},
        [{"from": "human", "value": "Hi"}],
    ),
    "pairs of texts of a user and an assistant": ({"conversation": [{"human": "Hi", "assistant": "Hello"}]},),
    "an Alpaca record": ({"instruction": "Add.", "input": "1 1", "output": "2"},),
    "a record of a prompt and its completion (TRL)": (
        {"prompt": [TURN], "completion": [{"role": "assistant", "content": "Yes."}]},
        {"prompt": [TURN]},
    ),
    "a Glaive record": ({"system": "SYSTEM: Help.", "chat": "USER: Hi\n\n\nASSISTANT: Hello <|endoftext|>"},),
    "a message of Open Assistant, out of its tree": (
        {"message_id": "m", "parent_id": None, "text": "Hi", "role": "prompter", "message_tree_id": "t"},
    ),
    "a message tree of Open Assistant": ({"message_tree_id": "t", "prompt": {"text": "Hi", "replies": []}},),
    "a dump of LangChain messages": (
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "Hi"}},
        [{"lc": 1, "type": "constructor", "id": [], "kwargs": {"content": "Hi"}}],
        [{"type": "human", "data": {"content": "Hi"}}],
        {"messages": [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello"}]},
    ),
    "a ChatGPT export": ([{"title": "A chat", "mapping": {"n": {"message": None, "children": []}}}],),
    "a Claude export": ({"uuid": "u", "chat_messages": [{"sender": "human", "text": "Hi"}]},),
    "an Open WebUI export": (
        [{"id": "1", "chat": {"history": {"messages": {"a": TURN}, "currentId": "a"}}}],
        {"chat": {"models": ["m"], "messages": [TURN]}},
    ),
    "a LibreChat export": (
        {"conversationId": "1", "messages": [{"messageId": "a", "isCreatedByUser": True, "text": "Hi"}]},
        {"conversationId": "1", "messagesTree": []},
    ),
    "a conversation file of LM Studio": (
        {"name": "Hi", "messages": [{"versions": [{"role": "user", "content": []}], "currentlySelected": 0}]},
    ),
    "turns of MOSS": (
        {"chat": {"turn_1": {"Human": "<|Human|>: Hi<eoh>", "MOSS": "<|MOSS|>: Hello<eom>"}}},
        {"plain_text": "[Human]: Hi<eoh> [MOSS]: Hello<eoa> "},
    ),
    "a session of Claude Code": (
        [{"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": "Hi"}}],
    ),
    "a session of Codex": (
        [{"timestamp": "2026", "type": "session_meta", "payload": {"id": "s"}}],
        [{"timestamp": "2026", "type": "response_item", "payload": {"type": "message", "role": "user"}}],
    ),
    "a session of pi": ({"type": "session", "version": 3, "id": "s", "timestamp": "2026", "cwd": "/a"},),
    "a chat of SillyTavern, with a message in each line": (
        {"name": "Aqua", "is_user": False, "is_name": True, "send_date": 1674563371558, "mes": "Are you new here?"},
        {"user_name": "You", "character_name": "Aqua", "chat_metadata": {}},
    ),
    "a line of a provider's batch": (
        {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": [TURN]}},
        {"id": "1", "custom_id": "1", "response": {"status_code": 200, "body": {"choices": []}}, "error": None},
        {"custom_id": "1", "params": {"messages": [TURN]}},
        {"custom_id": "1", "result": {"type": "succeeded", "message": {"role": "assistant"}}},
        {"key": "1", "request": {"contents": [{"parts": [{"text": "Hi"}]}]}},
        {"key": "1", "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]}},
        {"status": "", "request": {"contents": [{"parts": [{"text": "Hi"}]}]}, "response": {"candidates": [{}]}},
        {"recordId": "1", "modelInput": {"messages": [TURN]}, "modelOutput": {"role": "assistant"}},
    ),
    "an answer of Ollama": (
        {"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done_reason": "stop", "done": True},
        [{"message": {"role": "assistant", "content": text}, "done": False} for text in ("H", "i")],
    ),
    "an answer of Cohere": (
        {"id": "1", "message": {"role": "assistant", "tool_plan": "I look."}, "finish_reason": "TOOL_CALL"},
    ),
    "a single message": (TURN, {"role": "assistant", "content": None, "tool_calls": []}),
    "Chat Completions JSON": (
        {"messages": [TURN]},
        [TURN],
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}}]},
    ),
    "a record of a question and its answer": (
        {"question": "Is it?", "answer": "Yes."},
        {"query": "Is it?", "response": "Yes."},
        {"prompt": "Is it?", "completion": " Yes."},
        {"input": "Is it?", "output": "Yes."},
        {"user": "Is it?", "assistant": "Yes."},
    ),
    "a completion": (
        {"object": "text_completion", "choices": [{"index": 0, "text": "Hi", "finish_reason": "stop"}]},
        {"content": "Hi", "tokens_predicted": 1, "stop": True},
    ),
    "a request for a completion": (
        {"model": "m", "prompt": "<|im_start|>user\nHi<|im_end|>\n"},
        {"prompt": "Hi", "max_tokens": 5},
        {"prompt": "Hi", "n_predict": 5},
    ),
    "a record with its messages as JSON in a text": ({"messages": '[{"role": "user"}]'},),
    "messages with other keys": (
        [{"author": "user", "text": "Hi"}],
        [{"sender": "user", "content": "Hi"}],
        [{"speaker": "user", "text": "Hi"}],
        [{"user": "U1", "text": "Hi"}],
    ),
    "a record with a text in it": ({"text": "Once upon a time"},),
    "an error that a server answered with": ({"error": {"message": "no", "type": "invalid_request_error"}},),
    "a chat of WhatsApp": (
        "[01/02/2024, 12:00:01] Ann: Hi\n[01/02/2024, 12:00:05] Bob: Hello\n",
        "[12/01/2024, 10:00:00] Ann: Hi\n[12/01/2024, 10:01:00] Bob: Yes\n",
        "12.01.24, 10:00 - Ann: Hi\n12.01.24, 10:01 - Bob: Yes\n",
        "1/12/24, 10:00\u202fPM - Ann: Hi\n",
    ),
    "a chat of Aider": (
        "\n# aider chat started at 2024-05-01 10:00:00\n\n> Aider v0.35\n\n#### make it blue\n\nSure.\n",
    ),
    "a log of vLLM": (
        (
            "INFO 08-06 12:00:00 [api_server.py:1] Ready\n"
            "INFO 08-06 12:00:01 [logger.py:41] Received request cmpl-1: prompt: "
            "'<|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\n', params: SamplingParams(n=1), "
            "prompt_token_ids: None\n"
        ),
        "(APIServer pid=7) INFO 11-01 12:00:01 [logger.py:41] Received request cmpl-1: prompt: 'Hi', params: x",
    ),
    "OpenChatML 2.2": ("version: 2.2\n<|start|>user<|message|>Hi<|end|>", "---\nversion: 2.2\n---\n"),
    "a Phi-4 prompt": ("<|im_start|>user<|im_sep|>Hi<|im_end|>",),
    "an A.X prompt": ("<|im_start|><|user|>Hi<|im_end|><|im_start|><|assistant|>",),
    "an Idefics or SmolVLM prompt": ("<|im_start|>User: Hi<end_of_utterance>\nAssistant:",),
    "a text whose line ends are written as `\\n`": (
        r"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n",
        r"[BOS]<|im_start|>user\nHi<|im_end|>[EOS]",
        r"<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>",
        r"<bos><start_of_turn>user\nHi<end_of_turn>",
    ),
    "a Muse prompt": ("<|start|>user<|message|>a < b<|eot|><|start|>assistant", "<s><|start|>user<|message|>Hi<|eot|>"),
    "Harmony": ("<|start|>user<|message|>Hi<|end|>", "<|channel|>final<|message|>Hi"),
    "Harmony without its special tokens": (
        "analysisThey greet.assistantfinalHello!",
        "assistantanalysisHm.assistantcommentary to=functions.f json{}",
    ),
    "InternLM2 text": ("[UNUSED_TOKEN_146]user\nHi[UNUSED_TOKEN_145]\n",),
    "OpenChatML 0.1": ("[BOS]<|im_start|>user\nHi<|im_end|>[EOS]",),
    "ChatML": (
        "<|im_start|>user\nHi<|im_end|>\n",
        "<s><|im_start|>user\nHi<|im_end|>\n",
        "<|startoftext|><|im_start|>user\nHi<|im_end|>\n",
    ),
    "a Llama 3 prompt": (
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>",
        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>",
    ),
    "a Llama 4 prompt": ("<|header_start|>user<|header_end|>\n\nHi<|eot|>",),
    "a Mistral or Llama 2 prompt": ("<s>[INST] Hi [/INST] Hello</s>", "[INST] Hi [/INST]", "[SYSTEM_PROMPT]a"),
    "a Gemma prompt": ("<bos><start_of_turn>user\nHi<end_of_turn>\n", "<start_of_turn>user\nHi<end_of_turn>\n"),
    "a Phi, Zephyr or GLM prompt": ("<|user|>\nHi<|end|>\n<|assistant|>\n", "[gMASK]<sop><|user|>\nHi"),
    "a DeepSeek prompt": ("<｜begin▁of▁sentence｜><｜User｜>Hi<｜Assistant｜>",),
    "a Command R prompt": ("<BOS_TOKEN><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi<|END_OF_TURN_TOKEN|>",),
    "a Granite prompt": ("<|start_of_role|>user<|end_of_role|>Hi<|end_of_text|>",),
    "a Kimi prompt": ("<|im_user|>user<|im_middle|>Hi<|im_end|>",),
    "an EXAONE prompt": ("[|system|]Hi[|endofturn|]\n", "[|user|]Hi\n"),
    "an OpenChat prompt": ("GPT4 Correct User: Hi<|end_of_turn|>", "<s>GPT4 Correct System: Hi<|end_of_turn|>"),
    "a Nemotron prompt": ("<SPECIAL_10>System\n\n<SPECIAL_11>User\nHi\n",),
    "a NeMo prompt": ("<extra_id_0>System\n\n<extra_id_1>User\nHi\n",),
    "a Ling or Ring prompt": ("<role>HUMAN</role>Hi<role>ASSISTANT</role>",),
    "a Hunyuan prompt": ("<｜hy_begin▁of▁sentence｜>Hi<｜hy_User｜>", "<|startoftext|>a < b<|extra_0|>"),
    "a GigaChat prompt": ("<s>developer system<|role_sep|>\nHi<|message_sep|>", "user<|role_sep|>\nHi"),
    "a MiniMax prompt": (
        "]~!b[]~b]system\nHi[e~[\n]~b]user\n",
        "<beginning_of_sentence>user name=user\nHi<end_of_sentence>",
    ),
    "a Seed-OSS prompt": ("<seed:bos>user\nHi<seed:eos>",),
    "an Apertus or nanochat prompt": ("<s><|system_start|>Hi<|system_end|>", "<|user_start|>Hi<|user_end|>"),
    "an Apriel prompt": ("<s><|begin_system|>\nHi",),
    "an ERNIE prompt": ("<|begin_of_sentence|>User: Hi\nAssistant: ",),
    "a LongCat prompt": ("<longcat_user>Hi<longcat_assistant>",),
    "a Laguna prompt": ("〈|EOS|〉<system>Hi</system>",),
    "a Step prompt": ("<|BOT|>user\nHi<|EOT|>",),
    "a Solar prompt": ("<|begin|>user<|content|>Hi<|end|>", "<|im:start|>user<|im:content|>Hi<|im:end|>"),
    "a Motif prompt": ("<|beginoftext|><|startofturn|><|user|>\nHi<|endofturn|>",),
    "a Kimi K3 prompt": ('<|open|>message role="user"<|sep|>Hi',),
    "a Jamba prompt": ("<|startoftext|><|bom|><|user|> Hi<|eom|>",),
    "an OpenBuddy prompt": ("<|role|>user<|says|>Hi<|end|>",),
    "a MiniCPM prompt": ("<用户>Hi<AI>",),
    "a ChatGLM or LongCat prompt": ("[Round 1]\n\n问：Hi\n\n答：", "[gMASK]sop<|user|>\n Hi<|assistant|>"),
    "a recorded stream of Anthropic Messages": (
        'event: message_start\ndata: {"type":"message_start"}\n',
        'event: ping\ndata: {"type": "ping"}\n',
        'data: {"type": "message_start", "message": {}}\n\n',
    ),
    "a recorded stream of Responses": (
        'event: response.created\ndata: {"type":"response.created","response":{}}\n\n',
        'data: {"sequence_number":0,"type":"response.created","response":{}}\n\n',
    ),
    "a recorded stream of Gemini": (
        'data: {"candidates": [{"content": {}}]}\r\n\r\n',
        'data: {"response": {"candidates": [{"content": {}}]}, "traceId": "a"}\n\n',
    ),
    "a recorded stream of Chat Completions": (
        'data: {"choices":[]}\n\n',
        ': OPENROUTER PROCESSING\n\ndata: {"id":"gen-1","object":"chat.completion.chunk","created":1}\n\n',
        'id: 1\r\nevent: message\r\ndata: {"id":"chat-1","object":"chat.completion.chunk","choices":[]}\r\n\r\n',
    ),
    "a stream of Server-Sent Events": ('data: {"token":"Hi"}\n\n', 'event: delta\ndata: {"v":"Hi"}\n\n'),
    "a web page": ("<!DOCTYPE html>\n<html><body>Hi</body></html>",),
    "comma-separated values (CSV)": ("system,instruction,input,output\na,b,c,d\n", 'id,text\n1,"Hi"\n'),
    "tab-separated values (TSV)": ("id\ttext\n1\tHi\n",),
    "an Alpaca prompt": ("### Instruction:\nAdd.\n\n### Response:\n", "Below is an instruction.\n\n### Instruction:\n"),
    "a Python value, as `print` shows it": (
        "[{'role': 'user', 'content': 'Hi'}]",
        "{'messages': []}",
        "ChatCompletionMessage(content='Hi', role='assistant')",
        "[SystemMessage(content='Be brief.'), HumanMessage(content='Hi')]",
    ),
    "JavaScript": (
        'const messages = [\n  { role: "user", content: "Hi" },\n];',
        "export const history: Message[] = [{ role: 'user', content: 'Hi' }]",
        "[{ role: 'user', content: 'Hi' }]",
        '{messages: [{role: "user", content: "Hi"}]}',
    ),
    "a JSON string with a transcript inside": (
        '"{\\"messages\\": []}"',
        '"<|im_start|>user\\nHi<|im_end|>"',
    ),
    "JSON in a Markdown fence": (
        '```json\n{"messages": []}\n```\n',
        'Here it is:\n\n```\n[{"role": "user"}]\n```\n',
    ),
    "a curl command": ("curl https://example.test/v1/chat/completions -d '{}'", "$ curl -X POST"),
    "an HTTP message with its headers": (
        "POST /v1/chat/completions HTTP/1.1\r\nHost: example.test\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\n\r\n{}",
    ),
    "a log with JSON in its lines": (
        '2026-01-01 12:00:00 INFO request {"model": "m"}\n',
        'INFO: started\nINFO: {"messages": []}\n',
    ),
    "YAML": ("messages:\n- role: user\n  content: Hi\n", "---\n- role: user\n  content: Hi\n"),
    "text with HTML entities in its tokens": ("&lt;|im_start|&gt;user\nHi&lt;|im_end|&gt;\n",),
    "a dialogue as plain text": (
        "USER: Hi\nASSISTANT: Hello\n",
        "user: Hi\nassistant: Hello\n",
        "**User:** Hi\n\n**Assistant:** Hello\n",
        "## User\n\nHi\n\n## Assistant\n\nHello\n",
        "You said:\nHi\nChatGPT said:\nHello\n",
    ),
    "a dialogue in lists or quotations": ("> User: Hi\n>\n> Assistant: Hello\n", "* You: Hi\n* Claude: Hello\n"),
    "a Parquet file": (b"PAR1\x15\x04",),
    "an Arrow file": (b"ARROW1\x00\x00",),
    "gzip": (b"\x1f\x8b\x08\x00",),
    "Zstandard": (b"\x28\xb5\x2f\xfd\x00",),
    "bzip2": (b"BZh91AY",),
    "xz": (b"\xfd7zXZ\x00\x00",),
    "a zip archive, or an office document": (b"PK\x03\x04\x14",),
    "a PDF document": (b"%PDF-1.7\n",),
    "an SQLite database": (b"SQLite format 3\x00",),
    "UTF-16 text": (b"\xff\xfeH\x00i\x00",),
}
"""The name of a kind → examples of it."""
