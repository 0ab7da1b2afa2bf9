"""Whole answers of each wire as they arrive, with an event of each kind that its API has; no word is in one twice.

The events and their members are those of the official clients' types. A word such as `w1` belongs to the answer.
"""

from __future__ import annotations

import json
from typing import Any


def _openai() -> dict[str, list[Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **more}

    def call(index: int, **inner: Any) -> dict[str, Any]:
        return {"tool_calls": [{"index": index, **inner}]}

    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return {
        "text": [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": "w1 "}),
            chunk({"content": "w2"}),
            chunk({}, "length"),
            {"id": "c", "choices": [], "usage": usage},
        ],
        "thoughts": [
            chunk({"role": "assistant", "reasoning_content": "w1 "}),
            chunk({"reasoning_content": "w2"}),
            chunk({"content": "w3"}),
            chunk({}, "stop"),
        ],
        "details": [
            chunk(
                {
                    "role": "assistant",
                    "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "w1 ", "format": "w2"}],
                }
            ),
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, "signature": "w3"}]}),
            chunk({"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "data": "w4"}]}),
            chunk({"content": "w5"}),
            chunk({}, "stop"),
        ],
        "refusal": [
            chunk({"role": "assistant", "refusal": "w1 "}),
            chunk({"refusal": "w2"}),
            chunk({}, "content_filter"),
        ],
        "calls": [
            chunk({"role": "assistant", "content": "w1"}),
            chunk(call(0, id="w2", type="function", function={"name": "w3", "arguments": ""})),
            chunk(call(0, function={"arguments": '{"w4":'})),
            chunk(call(0, function={"arguments": '"w5"}'})),
            chunk(call(1, id="w6", type="custom", custom={"name": "w7", "input": "w8 "})),
            chunk(call(1, custom={"input": "w9"})),
            chunk({}, "tool_calls"),
        ],
        "deprecated call": [
            chunk({"role": "assistant", "function_call": {"name": "w1", "arguments": ""}}),
            chunk({"function_call": {"arguments": '{"w2":1}'}}),
            chunk({}, "function_call"),
        ],
    }


def _responses() -> dict[str, list[Any]]:
    def event(kind: str, **more: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", **more}

    def of(index: int, kind: str, **more: Any) -> dict[str, Any]:
        return event(kind, item_id=f"i{index}", output_index=index, **more)

    def whole(index: int, kind: str, **item: Any) -> dict[str, Any]:
        return event(f"output_item.{kind}", output_index=index, item={"id": f"i{index}", **item})

    created = event("created", response={"object": "response", "id": "r", "status": "in_progress", "output": []})
    completed = event("completed", response={"object": "response", "id": "r", "status": "completed", "output": []})
    part: dict[str, Any] = {"type": "output_text", "text": "", "annotations": []}
    cited = {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "w3", "title": "w4"}
    answer: dict[str, Any] = {"type": "message", "role": "assistant"}
    written = {"type": "output_text", "text": "w1 w2", "annotations": [cited]}
    thought: dict[str, Any] = {"type": "reasoning"}
    call: dict[str, Any] = {"type": "function_call", "call_id": "w1", "name": "w2"}
    custom: dict[str, Any] = {"type": "custom_tool_call", "call_id": "w5", "name": "w6"}
    searched: dict[str, Any] = {"type": "web_search_call"}
    return {
        "text": [
            created,
            whole(0, "added", **answer, status="in_progress", content=[]),
            of(0, "content_part.added", content_index=0, part=part),
            of(0, "output_text.delta", content_index=0, delta="w1 "),
            of(0, "output_text.delta", content_index=0, delta="w2"),
            of(0, "output_text.annotation.added", content_index=0, annotation_index=0, annotation=cited),
            of(0, "output_text.done", content_index=0, text="w1 w2"),
            of(0, "content_part.done", content_index=0, part=written),
            whole(0, "done", **answer, status="completed", content=[written]),
            completed,
        ],
        "refusal": [
            created,
            whole(0, "added", **answer, status="in_progress", content=[]),
            of(0, "content_part.added", content_index=0, part={"type": "refusal", "refusal": ""}),
            of(0, "refusal.delta", content_index=0, delta="w1"),
            of(0, "refusal.done", content_index=0, refusal="w1"),
            whole(0, "done", **answer, status="completed", content=[{"type": "refusal", "refusal": "w1"}]),
            completed,
        ],
        "summary": [
            created,
            whole(0, "added", **thought, summary=[]),
            of(0, "reasoning_summary_part.added", summary_index=0, part={"type": "summary_text", "text": ""}),
            of(0, "reasoning_summary_text.delta", summary_index=0, delta="w1 "),
            of(0, "reasoning_summary_text.done", summary_index=0, text="w1 w2"),
            of(0, "reasoning_summary_part.done", summary_index=0, part={"type": "summary_text", "text": "w1 w2"}),
            whole(0, "done", **thought, summary=[{"type": "summary_text", "text": "w1 w2"}], encrypted_content="w3"),
            completed,
        ],
        "thoughts": [
            created,
            whole(0, "added", **thought, summary=[]),
            of(0, "reasoning_text.delta", content_index=0, delta="w1 "),
            of(0, "reasoning_text.done", content_index=0, text="w1 w2"),
            whole(0, "done", **thought, summary=[], content=[{"type": "reasoning_text", "text": "w1 w2"}]),
            completed,
        ],
        "calls": [
            created,
            whole(0, "added", **call, arguments=""),
            of(0, "function_call_arguments.delta", delta='{"w3":'),
            of(0, "function_call_arguments.delta", delta='"w4"}'),
            of(0, "function_call_arguments.done", arguments='{"w3":"w4"}'),
            whole(0, "done", **call, arguments='{"w3":"w4"}'),
            whole(1, "added", **custom, input=""),
            of(1, "custom_tool_call_input.delta", delta="w7"),
            of(1, "custom_tool_call_input.done", input="w7"),
            whole(1, "done", **custom, input="w7"),
            completed,
        ],
        "a search": [
            created,
            whole(0, "added", **searched, status="in_progress"),
            of(0, "web_search_call.in_progress"),
            of(0, "web_search_call.completed"),
            whole(0, "done", **searched, status="completed", action={"type": "search", "query": "w1"}),
            completed,
        ],
        "in the end": [
            created,
            event(
                "incomplete",
                response={
                    "object": "response",
                    "id": "r",
                    "status": "incomplete",
                    "incomplete_details": {"reason": "max_output_tokens"},
                    "output": [{"id": "i0", **answer, "content": [{"type": "output_text", "text": "w1"}]}],
                },
            ),
        ],
    }


def _anthropic() -> dict[str, list[Any]]:
    message: dict[str, Any] = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "x",
        "content": [],
        "stop_reason": None,
    }
    start = {"type": "message_start", "message": {**message, "usage": {"input_tokens": 1, "output_tokens": 1}}}

    def begin(index: int, **block: Any) -> dict[str, Any]:
        return {"type": "content_block_start", "index": index, "content_block": block}

    def delta(index: int, kind: str, **more: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": {"type": f"{kind}_delta", **more}}

    def stop(index: int) -> dict[str, Any]:
        return {"type": "content_block_stop", "index": index}

    def end(reason: str) -> list[dict[str, Any]]:
        over = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}
        return [over, {"type": "message_stop"}]

    cited = {"type": "web_search_result_location", "cited_text": "w3", "url": "w4", "title": "w5"}
    found = {"type": "web_search_result", "url": "w4", "title": "w5", "encrypted_content": "w6"}
    return {
        "text": [
            start,
            begin(0, type="text", text=""),
            delta(0, "text", text="w1 "),
            {"type": "ping"},
            delta(0, "text", text="w2"),
            delta(0, "citations", citation=cited),
            stop(0),
            *end("max_tokens"),
        ],
        "thoughts": [
            start,
            begin(0, type="thinking", thinking="", signature=""),
            delta(0, "thinking", thinking="w1 "),
            delta(0, "thinking", thinking="w2"),
            delta(0, "signature", signature="w3"),
            stop(0),
            begin(1, type="redacted_thinking", data="w4"),
            stop(1),
            begin(2, type="text", text="w5"),
            stop(2),
            *end("end_turn"),
        ],
        "calls": [
            start,
            begin(0, type="text", text=""),
            delta(0, "text", text="w1"),
            stop(0),
            begin(1, type="tool_use", id="w2", name="w3", input={}),
            delta(1, "input_json", partial_json='{"w4":'),
            delta(1, "input_json", partial_json='"w5"}'),
            stop(1),
            *end("tool_use"),
        ],
        "a search": [
            start,
            begin(0, type="server_tool_use", id="w1", name="w2", input={}),
            delta(0, "input_json", partial_json='{"query":"w3"}'),
            stop(0),
            begin(1, type="web_search_tool_result", tool_use_id="w1", content=[found]),
            stop(1),
            *end("end_turn"),
        ],
    }


def _gemini() -> dict[str, list[Any]]:
    def chunk(*parts: Any, **more: Any) -> dict[str, Any]:
        candidate = {"content": {"parts": [*parts], "role": "model"}, "index": 0, **more}
        return {"candidates": [candidate], "responseId": "r", "modelVersion": "m"}

    counts = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3}
    piece = {"jsonPath": "$.w3", "stringValue": "w4 ", "willContinue": True}
    last = {"jsonPath": "$.w3", "stringValue": "w5"}
    return {
        "text": [
            chunk({"text": "w1 "}),
            chunk({"text": "w2"}, citationMetadata={"citationSources": [{"endIndex": 2, "uri": "w3"}]}),
            {**chunk({"text": "", "thoughtSignature": "w4"}, finishReason="MAX_TOKENS"), "usageMetadata": counts},
        ],
        "thoughts": [
            chunk({"text": "w1 ", "thought": True}),
            chunk({"text": "w2 ", "thought": True, "thoughtSignature": "w3"}),
            chunk({"text": "w4"}, finishReason="STOP"),
        ],
        "calls": [
            chunk({"text": "w1"}),
            chunk({"functionCall": {"id": "w2", "name": "w3", "args": {"w4": "w5"}}, "thoughtSignature": "w6"}),
            chunk(finishReason="STOP"),
        ],
        "a call in pieces": [
            chunk({"functionCall": {"id": "w1", "name": "w2", "willContinue": True}}),
            chunk({"functionCall": {"partialArgs": [piece], "willContinue": True}}),
            chunk({"functionCall": {"partialArgs": [last]}}),
            chunk(finishReason="STOP"),
        ],
        "code": [
            chunk({"executableCode": {"language": "PYTHON", "code": "w1"}}),
            chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "w2"}}),
            chunk({"text": "w3"}, finishReason="STOP"),
        ],
        "two answers": [
            {
                "candidates": [
                    {"content": {"parts": [{"text": "w1 "}], "role": "model"}, "index": 0},
                    {"content": {"parts": [{"text": "w2 "}], "role": "model"}, "index": 1},
                ]
            },
            {
                "candidates": [
                    {"content": {"parts": [{"text": "w3 "}], "role": "model"}, "finishReason": "STOP", "index": 1},
                    {"content": {"parts": [{"text": "w4"}], "role": "model"}, "finishReason": "STOP", "index": 0},
                ]
            },
        ],
    }


def _bedrock() -> dict[str, list[Any]]:
    start = {"messageStart": {"role": "assistant"}}

    def delta(index: int, **more: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"delta": more, "contentBlockIndex": index}}

    def begin(index: int, **more: Any) -> dict[str, Any]:
        return {"contentBlockStart": {"start": more, "contentBlockIndex": index}}

    def stop(index: int) -> dict[str, Any]:
        return {"contentBlockStop": {"contentBlockIndex": index}}

    def end(reason: str) -> dict[str, Any]:
        return {"messageStop": {"stopReason": reason}}

    usage = {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}
    place = {"documentChar": {"documentIndex": 0, "start": 0, "end": 2}}
    cited = {"title": "w3", "sourceContent": [{"text": "w4"}], "location": place}
    return {
        "text": [
            start,
            delta(0, text="w1 "),
            delta(0, text="w2"),
            delta(0, citation=cited),
            stop(0),
            end("max_tokens"),
            {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}},
        ],
        "thoughts": [
            start,
            delta(0, reasoningContent={"text": "w1 "}),
            delta(0, reasoningContent={"text": "w2"}),
            delta(0, reasoningContent={"signature": "w3"}),
            stop(0),
            delta(1, reasoningContent={"redactedContent": "w4"}),
            stop(1),
            delta(2, text="w5"),
            stop(2),
            end("end_turn"),
        ],
        "calls": [
            start,
            delta(0, text="w1"),
            stop(0),
            begin(1, toolUse={"toolUseId": "w2", "name": "w3"}),
            delta(1, toolUse={"input": '{"w4":'}),
            delta(1, toolUse={"input": '"w5"}'}),
            stop(1),
            end("tool_use"),
        ],
        "a search": [
            start,
            begin(0, toolUse={"toolUseId": "w1", "name": "w2", "type": "server_tool_use"}),
            delta(0, toolUse={"input": '{"w3":"w4"}'}),
            stop(0),
            begin(1, toolResult={"toolUseId": "w1", "type": "w5", "status": "success"}),
            delta(1, toolResult=[{"text": "w6"}, {"json": {"w7": "w8"}}]),
            stop(1),
            begin(2, image={"format": "png"}),
            delta(2, image={"source": {"bytes": "aGk="}}),
            stop(2),
            end("end_turn"),
        ],
    }


ARRIVING = {
    "openai-sse": _openai(),
    "openai-responses-sse": _responses(),
    "anthropic-sse": _anthropic(),
    "gemini-sse": _gemini(),
    "bedrock-converse": _bedrock(),
}
"""Stream → what an answer has → its events."""


def events_in(data: bytes) -> list[Any]:
    """The events of a stream that was written, without the mark that ends it."""
    lines = [line.removeprefix("data: ") for line in data.decode().splitlines() if line.startswith(("data: ", "{"))]
    return [json.loads(line) for line in lines if line != "[DONE]"]
