"""Streams in the shapes in which servers send them are read as the responses that they make.

The shapes are those of recorded streams in public repositories, whose paths are beside them; the texts are shorter.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from ocml_bridge import Transcript, read, write
from ocml_bridge.chat.visibility import DEBUG
from ocml_bridge.events import Answer, Delta, End, Event, Start, Stop
from ocml_bridge.loss import Finding
from ocml_bridge.pipe import Pipe, decoder, encoder
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.testing.streams import all_cuts, events_of

Object = dict[str, Any]


class Case(NamedTuple):
    """A recorded shape.

    Attributes:
        wire: the format of the response.
        stream: the stream that it comes in.
        events: the values of its events.
        response: the response that they make.
    """

    wire: str
    stream: str
    events: list[Object]
    response: Object


def chunk(delta: Object, finish: str | None = None, *, of_choice: Object | None = None, **more: Any) -> Object:
    choice = {"index": 0, "delta": delta, **(of_choice or {}), "finish_reason": finish}
    return {"id": "a", "object": "chat.completion.chunk", "created": 7, "model": "m", "choices": [choice], **more}


def completion(message: Object, finish: str = "stop", *, of_choice: Object | None = None, **more: Any) -> Object:
    choice = {"index": 0, "message": {"role": "assistant", **message}, **(of_choice or {}), "finish_reason": finish}
    return {"id": "a", "object": "chat.completion", "created": 7, "model": "m", "choices": [choice], **more}


def thinking(text: str) -> Object:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}], "closed": True}


def reasoning(text: str, signature: str) -> Object:
    item = {"type": "summary_text", "text": text, "signature": signature}
    return {"type": "reasoning", "summary": [item]}


def filtered(severity: str) -> Object:
    return {"content_filter_results": {"hate": {"filtered": False, "severity": severity}}}


def content(*parts: Object) -> Object:
    return {"content": {"parts": list(parts), "role": "model"}}


USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
SEARCH: Object = {"id": "c1", "type": "builtin_function", "function": {"name": "$web_search", "arguments": "{}"}}
MARK: Object = {"extra_content": {"google": {"thought": True}}}
CALL: Object = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
BLOCKS: list[Object] = [
    {
        "type": "code_execution_tool_result",
        "tool_use_id": "s1",
        "content": {"type": "code_execution_result", "stdout": "1"},
    },
    {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}},
]
STARTED: Object = {"id": "a", "type": "message", "role": "assistant", "model": "m", "content": BLOCKS}
SOUND: Object = {"data": "UklGRgABAgM="}
AROUND: Object = {"stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 2}}

CASES = {
    # vercel/ai, packages/openai-compatible/src/chat/__fixtures__/issue-13703-mistral-thinking.chunks.txt
    "thoughts in pieces of a list, and padding": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": [thinking("The user")]}, p="abcd"),
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": " asks"}]}]}, p="abc"),
            chunk({"content": [thinking("."), {"type": "text", "text": "3"}]}, p="abcde"),
            chunk({"content": "91"}, "stop", p="ab", usage=USAGE),
        ],
        completion({"content": [thinking("The user asks."), {"type": "text", "text": "391"}]}, usage=USAGE),
    ),
    # huggingface/huggingface_hub, inference/_generated/types/chat_completion.py, ChatCompletionStreamOutputDelta (TGI)
    "a call that is not in a list": Case(
        *("openai", "openai-sse"),
        [
            chunk(
                {"role": "assistant", "tool_calls": {"index": 0, **CALL, "function": {"name": "f", "arguments": "{"}}}
            ),
            chunk({"tool_calls": {"index": 0, "id": "", "function": {"name": None, "arguments": "}"}}}, "tool_calls"),
        ],
        completion({"content": None, "tool_calls": [CALL]}, "tool_calls"),
    ),
    # BerriAI/litellm, tests/integration/translation/chat_completions/basic/test_chat_completions_openai_audio.py
    "a sound in pieces, each in base64 by itself": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "content": None, "audio": {"id": "audio_1", "transcript": "Ye"}}),
            chunk({"audio": {"transcript": "s."}}),
            chunk({"audio": {"data": "UklGRg=="}}),
            chunk({"audio": {"data": "AAEC"}}),
            chunk({"audio": {"data": "Aw=="}}),
            chunk({"audio": {"expires_at": 9}}, "stop"),
        ],
        completion({"content": None, "audio": {"id": "audio_1", "transcript": "Yes.", **SOUND, "expires_at": 9}}),
    ),
    "a sound in pieces of one base64": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "audio": {"id": "audio_1", "data": "UklGRgA"}}),
            chunk({"audio": {"data": "BAgM="}}, "stop"),
        ],
        completion({"content": None, "audio": {"id": "audio_1", **SOUND}}),
    ),
    # Databricks, Query reasoning models
    "thoughts in pieces that are signed in the end": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": [reasoning("One", "")]}),
            chunk({"content": [reasoning(".", "")]}),
            chunk({"content": [reasoning("", "c2ln")]}),
            chunk({"content": [reasoning("Two.", "")]}),
            chunk({"content": [{"type": "text", "text": "39"}]}),
            chunk({"content": [{"type": "text", "text": "1"}]}, "stop", usage=USAGE),
        ],
        completion(
            {
                "content": [
                    {
                        "type": "reasoning",
                        "summary": [*reasoning("One.", "c2ln")["summary"], *reasoning("Two.", "")["summary"]],
                    },
                    {"type": "text", "text": "391"},
                ]
            },
            usage=USAGE,
        ),
    ),
    # Gemini API, OpenAI compatibility, `include_thoughts`; tashfeenahmed/freellmapi, issue 539
    "marked thoughts of Gemini in the text": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "content": "<thought>It is", **MARK}),
            chunk({"role": "assistant", "content": " blue.", **MARK}),
            chunk({"role": "assistant", "content": "</thought>Yes"}),
            chunk({"role": "assistant", "content": ", it"}),
            chunk({"role": "assistant", "content": " is."}, "stop"),
        ],
        completion({"content": "<thought>It is blue.</thought>Yes, it is.", **MARK}),
    ),
    # vercel/ai, packages/anthropic/src/__fixtures__/anthropic-fallback-mid-output.chunks.txt, as Gemini's chunks
    "thoughts next to each other": Case(
        *("gemini", "gemini-sse"),
        [
            {"candidates": [content({"text": "First", "thought": True})]},
            {"candidates": [content({"text": ".", "thought": True})]},
            {"candidates": [content({"text": "", "thought": True}, {"text": "Sec", "thought": True})]},
            {"candidates": [content({"text": "ond.", "thought": True}, {"text": "Third.", "thought": True})]},
            {"candidates": [content({"text": "Yes"})]},
            {"candidates": [content({"text": "."}, {"text": " No."})]},
            {"candidates": [{"finishReason": "STOP"}]},
        ],
        {
            "candidates": [
                {
                    **content(
                        *({"text": text, "thought": True} for text in ("First.", "Second.", "Third.")),
                        *({"text": text} for text in ("Yes.", " No.")),
                    ),
                    "finishReason": "STOP",
                }
            ]
        },
    ),
    # the same with gemma-4-31b-it: the end tag comes with the call
    "a marked thought before a call": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "content": "<thought>I list", **MARK}),
            chunk({"role": "assistant", "content": " files.", **MARK}),
            chunk({"role": "assistant", "content": "</thought>", "tool_calls": [{"index": 0, **CALL}]}, "tool_calls"),
        ],
        completion({"content": "<thought>I list files.</thought>", "tool_calls": [CALL], **MARK}, "tool_calls"),
    ),
    "a marked thought whose tags are cut": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "content": "<tho", **MARK}),
            chunk({"content": "ught>a < b </th", **MARK}),
            chunk({"content": "ink></thou", **MARK}),
            chunk({"content": "ght>Yes"}, "stop"),
        ],
        completion({"content": "<thought>a < b </think></thought>Yes", **MARK}),
    ),
    # Vertex AI, OpenAI compatibility: without `thought_tag_marker` there are no tags
    "marked thoughts without tags": Case(
        *("openai", "openai-sse"),
        [
            chunk({"role": "assistant", "content": "It is", **MARK}),
            chunk({"role": "assistant", "content": " blue.", **MARK}),
            chunk({"role": "assistant", "content": "Yes."}, "stop"),
        ],
        completion({"content": "<thought>It is blue.</thought>Yes.", **MARK}),
    ),
    "a marked thought that is cut off": Case(
        *("openai", "openai-sse"),
        [chunk({"role": "assistant", "content": "<think>It is </", **MARK}, "length")],
        completion({"content": "<think>It is </", **MARK}, "length"),
    ),
    # earendil-works/pi, issue 2017: Moonshot
    "numbers of tokens in the last choice": Case(
        "openai",
        "openai-sse",
        [chunk({"role": "assistant", "content": "Yes."}), chunk({}, "stop", of_choice={"usage": USAGE})],
        completion({"content": "Yes."}, usage=USAGE),
    ),
    "numbers of tokens in the last choice and after it": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": "Yes."}),
            chunk({}, "stop", of_choice={"usage": USAGE}),
            {**chunk({}), "choices": [], "usage": {**USAGE, "cached_tokens": 1}},
        ],
        completion({"content": "Yes."}, usage={**USAGE, "cached_tokens": 1}),
    ),
    # platform.moonshot.cn/docs: a search that the server runs, and the client sends back
    "a call of a type of its server": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": None}),
            chunk({"tool_calls": [{"index": 0, **SEARCH, "function": {"name": "$web_search", "arguments": ""}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, "tool_calls"),
        ],
        completion({"content": None, "tool_calls": [SEARCH]}, finish="tool_calls"),
    ),
    # MiniMax, chatcompletion_v2; abundantbeing/hermes-browser-extension, issue 11
    "a whole message after its pieces": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": "", "reasoning_content": "Hm"}),
            chunk({"reasoning_content": "m."}),
            chunk({"content": "Ye"}),
            chunk({"content": "s.", "tool_calls": [{"index": 0, **SEARCH}]}),
            completion({"content": "Yes.", "reasoning_content": "Hmm.", "tool_calls": [SEARCH]}, usage=USAGE),
        ],
        completion({"reasoning_content": "Hmm.", "content": "Yes.", "tool_calls": [SEARCH]}, usage=USAGE),
    ),
    "a whole message that goes on after its pieces": Case(
        "openai",
        "openai-sse",
        [chunk({"role": "assistant", "content": "Ye"}), completion({"content": "Yes.", "refusal": "No."})],
        completion({"content": "Yes.", "refusal": "No."}),
    ),
    # vercel/ai, packages/openai/src/chat/__fixtures__/azure-model-router.1.chunks.txt
    "what a filter found in each piece": Case(
        "openai",
        "openai-sse",
        [
            {"choices": [], "id": "", "model": "", "object": "", "created": 0, "prompt_filter_results": [{"index": 0}]},
            chunk({"role": "assistant", "content": "Capital"}, of_choice=filtered("safe")),
            chunk({"content": " of"}, of_choice=filtered("safe")),
            chunk({"content": "."}, "stop", of_choice=filtered("low")),
        ],
        completion({"content": "Capital of."}, of_choice=filtered("low"), prompt_filter_results=[{"index": 0}]),
    ),
    # pydantic/pydantic-ai, tests/models/cassettes/test_openrouter/test_openrouter_advisor_tool_stream.yaml
    "a reason that is sent twice": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": "Yes."}, of_choice={"native_finish_reason": None}),
            chunk({"role": "assistant", "content": ""}, "stop", of_choice={"native_finish_reason": "stop"}),
            chunk(
                {"role": "assistant", "content": ""}, "stop", of_choice={"native_finish_reason": "stop"}, usage=USAGE
            ),
        ],
        completion({"content": "Yes."}, of_choice={"native_finish_reason": "stop"}, usage=USAGE),
    ),
    # pydantic/pydantic-ai, tests/models/cassettes/test_groq/test_tool_use_failed_error_streaming_with_text.yaml
    "a channel beside each piece, and a member that is completed": Case(
        "openai",
        "openai-sse",
        [
            chunk({"role": "assistant", "content": ""}, x_groq={"id": "r", "seed": 5}),
            chunk({"reasoning": "The", "channel": "analysis"}),
            chunk({"reasoning": " user", "channel": "analysis"}),
            chunk({"content": "Yes."}),
            chunk({}, "stop", x_groq={"id": "r", "usage": USAGE}),
        ],
        completion(
            {"reasoning": "The user", "content": "Yes.", "channel": "analysis"},
            x_groq={"id": "r", "seed": 5, "usage": USAGE},
        ),
    ),
    # vercel/ai, packages/anthropic/src/__fixtures__/anthropic-message-start-prepopulated-content.chunks.txt
    "blocks that are there from the beginning": Case(
        "anthropic",
        "anthropic-sse",
        [{"type": "message_start", "message": {**STARTED, **AROUND}}, {"type": "message_stop"}],
        {**STARTED, **AROUND},
    ),
    # traceloop/openllmetry, opentelemetry-instrumentation-bedrock, tests/traces/cassettes/test_anthropic/
    # test_anthropic_3_completion_streaming_*.yaml (Claude through InvokeModelWithResponseStream)
    "metrics in the last event": Case(
        "anthropic",
        "anthropic-sse",
        [
            {"type": "message_start", "message": {**STARTED, "content": []}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes."}},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                "usage": AROUND["usage"],
            },
            {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1}},
        ],
        {
            **STARTED,
            "content": [{"type": "text", "text": "Yes."}],
            **AROUND,
            "stop_reason": "end_turn",
            "amazon-bedrock-invocationMetrics": {"inputTokenCount": 1},
        },
    ),
    # open-telemetry/opentelemetry-python-contrib, opentelemetry-instrumentation-vertexai/tests/cassettes/
    # test_generate_content_all_events.yaml
    "a reason that is a number": Case(
        "gemini",
        "gemini-sse",
        [
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes"}]}}]},
            {"candidates": [{"content": {"role": "model", "parts": [{"text": "."}]}, "finishReason": 1}]},
        ],
        {"candidates": [{"content": {"parts": [{"text": "Yes."}], "role": "model"}, "finishReason": 1}]},
    ),
    # jinhan1414/kilocode, GEMINI_OAUTH_STREAMING_TOOL_CALLING.md: Code Assist, the API of Gemini CLI
    "enclosed chunks of Code Assist": Case(
        *("gemini", "gemini-sse"),
        [
            {"response": {"candidates": [content({"text": "Hm.", "thought": True})]}, "traceId": "t"},
            {"response": {"candidates": [content({"text": "Ye"})]}, "traceId": "t"},
            {"response": {"candidates": [content({"text": "s"})]}, "traceId": "t"},
            {
                "response": {
                    "candidates": [{**content({"text": "."}), "finishReason": "STOP"}],
                    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
                },
                "traceId": "t",
            },
        ],
        {
            "candidates": [{**content({"text": "Hm.", "thought": True}, {"text": "Yes."}), "finishReason": "STOP"}],
            "traceId": "t",
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3},
        },
    ),
    # vercel/ai, packages/amazon-bedrock/src/__fixtures__/issue-18994-live-converse-stream.json
    "padding of every event": Case(
        "bedrock-converse",
        "bedrock-converse",
        [
            {"messageStart": {"p": "abcd", "role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "OK."}, "p": "abc"}},
            {"contentBlockStop": {"contentBlockIndex": 0, "p": "ab"}},
            {"messageStop": {"p": "abc", "stopReason": "end_turn"}},
            {"metadata": {"metrics": {"latencyMs": 8}, "p": "abcdef"}},
        ],
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "OK."}]}},
            "stopReason": "end_turn",
            "metrics": {"latencyMs": 8},
        },
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def text_of(case: Case) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in case.events)


def document_of(events: list[Event]) -> Transcript:
    document: Any = events[-1]
    assert isinstance(document.document, Transcript)
    return document.document


@each_case
def test_a_stream_is_the_response_that_it_makes(case: Case) -> None:
    played = events_of(decoder(case.stream), [text_of(case)])
    assert write(document_of(played.events), case.wire, policy=LENIENT).output == case.response
    whole = read(case.response, case.wire).transcript
    assert isinstance(whole, Transcript)
    assert document_of(played.events).messages == whole.messages
    for pieces in all_cuts(text_of(case)):
        assert events_of(decoder(case.stream), pieces) == played


def test_thoughts_in_a_list_are_passed_on_as_they_come() -> None:
    case = CASES["thoughts in pieces of a list, and padding"]
    events = [event for event in decoder(case.stream).feed(text_of(case)) if isinstance(event, (Start, Delta, Finding))]
    assert [event[1] if isinstance(event, Delta) else None for event in events] == [
        *(None, "The user", " asks", "."),
        *(None, "3", "91"),
    ]
    assert [event.message.channel for event in events if isinstance(event, Start)] == ["analysis", "final"]


def test_marked_thoughts_are_passed_on_as_thoughts_as_they_come() -> None:
    case = CASES["marked thoughts of Gemini in the text"]
    events = [event for event in decoder(case.stream).feed(text_of(case)) if isinstance(event, (Start, Delta))]
    assert [event[1] if isinstance(event, Delta) else None for event in events] == [
        *(None, "It is", " blue."),
        *(None, "Yes", ", it", " is."),
    ]
    assert [event.message.channel for event in events if isinstance(event, Start)] == ["analysis", "final"]


def test_blocks_of_servers_that_leave_out_empty_texts_are_passed_on_once() -> None:
    """As gateways in Go write blocks, whose members have `omitempty`."""
    blocks = [("thinking", "thinking_delta", "Hm."), ("text", "text_delta", "Yes.")]
    events: list[Object] = [{"type": "message_start", "message": {**STARTED, "content": []}}]
    for index, (kind, delta, text) in enumerate(blocks):
        events += [
            {"type": "content_block_start", "index": index, "content_block": {"type": kind}},
            {"type": "content_block_delta", "index": index, "delta": {"type": delta, kind: text}},
            {"type": "content_block_stop", "index": index},
        ]
    events += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    case = Case("anthropic", "anthropic-sse", events, {})
    played = [*decoder(case.stream).feed(text_of(case))]
    assert [event.text for event in played if isinstance(event, Delta)] == ["Hm.", "Yes."]
    assert [event.message.channel for event in played if isinstance(event, Start)] == ["analysis", "final"]


def test_thoughts_next_to_each_other_stay_apart_in_chunks_of_gemini() -> None:
    case = CASES["thoughts next to each other"]
    there = Pipe(decoder(case.stream), encoder("anthropic-sse"), DEBUG)
    blocks = there.feed(text_of(case)) + there.finish()
    writer = encoder(case.stream)
    back = Pipe(decoder("anthropic-sse"), writer, DEBUG)
    chunks = back.feed(blocks) + back.finish()
    thoughts = [event.message.content for event in decoder(case.stream).feed(chunks) if isinstance(event, End)]
    assert thoughts[:3] == ["First.", "Second.", "Third."]
    assert [loss for loss in writer.losses if loss.code == "message"] == []


RECORDED: Final[dict[str, Callable[[list[Object]], str]]] = {
    "a list": lambda events: json.dumps(events),
    "lines": lambda events: "\n".join(map(json.dumps, events)),
    "Bedrock's events, as SDKs give them": lambda events: json.dumps([{"chunk": in_base64(each)} for each in events]),
    "Bedrock's events, as they are sent": lambda events: "\n".join(
        json.dumps({**in_base64(each), "p": "abcdef"}) for each in events
    ),
}


def in_base64(event: Object) -> Object:
    return {"bytes": base64.b64encode(json.dumps(event).encode()).decode()}


@each_case
@pytest.mark.parametrize("form", RECORDED)
def test_a_stream_may_be_recorded_as_json(case: Case, form: str) -> None:
    """As of botocore's `invoke_model_with_response_stream`; models on Bedrock send the events of their own APIs."""
    source = RECORDED[form](case.events)
    played = events_of(decoder(case.stream), [source])
    assert played == events_of(decoder(case.stream), [text_of(case)])
    assert all(events_of(decoder(case.stream), pieces) == played for pieces in all_cuts(source)[:2])


def test_bytes_that_are_no_event_are_a_finding() -> None:
    for data in ("?", "MQ==", "eyI="):
        played = decoder("anthropic-sse").feed(json.dumps({"type": "content_block_delta", "chunk": {"bytes": data}}))
        assert {type(event) for event in played} == {Finding}


@pytest.mark.parametrize("begins", [True, False])
def test_blocks_without_an_index_or_a_beginning_are_there(*, begins: bool) -> None:
    """As gateways in Go leave out an index of 0, and as others leave out the beginnings of blocks."""
    texts = [("thinking", "thinking_delta", "Hm."), ("text", "text_delta", "Yes.")]
    events: list[Object] = [{"type": "message_start", "message": {**STARTED, "content": []}}]
    for index, (kind, delta, text) in enumerate(texts):
        place: Object = {} if begins else {"index": index}
        if begins:
            events.append({"type": "content_block_start", "content_block": {"type": kind, kind: ""}})
        events += [
            *({"type": "content_block_delta", **place, "delta": {"type": delta, kind: piece}} for piece in text),
            {"type": "content_block_stop", **place},
        ]
    events += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}, {"type": "message_stop"}]
    source = text_of(Case("anthropic", "anthropic-sse", events, {}))
    played = events_of(decoder("anthropic-sse"), [source])
    assert all(events_of(decoder("anthropic-sse"), pieces) == played for pieces in all_cuts(source))
    response: Any = write(document_of(played.events), "anthropic", policy=LENIENT).output
    assert response["content"] == [{"type": kind, kind: text} for kind, _, text in texts]
    assert [event.text for event in played.events if isinstance(event, Delta)] == ["Hm.", "Yes."]
    assert len([event for event in played.events if isinstance(event, Finding)]) == 1


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": "Yes."}, thinking("Hm.")],
        [{"type": "thinking", "thinking": [{"type": "reference", "reference_ids": [1]}]}],
        [{"type": "reference", "reference_ids": [1]}],
        5,
    ],
    ids=str,
)
def test_parts_that_are_no_thoughts_at_the_beginning_are_kept_whole(content: Any) -> None:
    case = Case("openai", "openai-sse", [chunk({"content": content}), chunk({}, "stop")], {})
    events = events_of(decoder(case.stream), [text_of(case)]).events
    response: Any = write(document_of(events), "openai", policy=LENIENT).output
    assert response["choices"][0]["message"]["content"] in (content, [content])
    assert any(isinstance(event, Finding) for event in events)


def test_an_error_beside_the_last_piece_leaves_the_numbers_of_tokens() -> None:
    """pydantic/pydantic-ai, tests/models/cassettes/test_openrouter/test_openrouter_stream_error.yaml"""
    error = {"code": 400, "message": "Token limit reached"}
    events = [
        chunk({"role": "assistant", "content": "We"}),
        chunk({"role": "assistant", "content": ""}, error=error, usage=USAGE),
    ]
    played = events_of(decoder("openai-sse"), [text_of(Case("openai", "openai-sse", events, {}))]).events
    response: Any = write(document_of(played), "openai", policy=LENIENT).output
    assert (response["usage"], response["error"]) == (USAGE, error)


def test_a_stream_that_was_written_has_nothing_to_mend() -> None:
    case = CASES["a reason that is sent twice"]
    pipe = Pipe(decoder(case.stream), encoder("openai-responses-sse"))
    written = pipe.feed(text_of(case)) + pipe.finish()
    events = events_of(decoder("openai-responses-sse"), [written.decode()]).events
    assert [event for event in events if isinstance(event, Finding)] == []
    assert [message.content for message in document_of(events).messages] == ["Yes."]


def test_blocks_behind_those_of_the_beginning_go_on() -> None:
    more = [
        {"type": "message_start", "message": {**STARTED, **AROUND, "stop_reason": None}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Yes."}},
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    case = Case("anthropic", "anthropic-sse", more, {})
    events = events_of(decoder(case.stream), [text_of(case)]).events
    response: Any = write(document_of(events), "anthropic", policy=LENIENT).output
    assert response["content"] == [*BLOCKS, {"type": "text", "text": "Yes."}]
    assert response["stop_reason"] == "end_turn"


@pytest.mark.parametrize(
    ("number", "reason"), [(1, "stop"), (2, "length"), (3, "content_filter"), (9, "stop"), (0, "truncated")]
)
def test_a_reason_of_gemini_may_be_a_number(number: int, reason: str) -> None:
    response = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes"}]}, "finishReason": number}]}
    stop: Any = events_of(decoder("gemini-sse"), [f"data: {json.dumps(response)}\n\n"]).events[-1]
    assert stop.reason == reason
    whole = read(response, "gemini").transcript
    assert isinstance(whole, Transcript)
    assert (whole.messages[-1].end is None) == (reason in ("length", "truncated"))


# vercel/ai, packages/groq/src/__fixtures__/groq-text.chunks.txt
@pytest.mark.parametrize("more", [{}, {"usage": USAGE}], ids=["in x_groq", "in both"])
@pytest.mark.parametrize("target", ["openai-sse", "openai-responses-sse", "anthropic-sse", "gemini-sse"])
def test_the_token_counts_of_groq_are_those_of_the_answer(target: str, more: Object) -> None:
    last = chunk({}, "stop", x_groq={"id": "r", "usage": USAGE}, **more)
    events = [chunk({"role": "assistant", "content": "Yes."}, x_groq={"id": "r", "seed": 5}), last]
    reader, writer = decoder("openai-sse"), encoder(target, answer=Answer("a", "m"))
    data = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in events)
    made = b"".join([*writer.encode([*reader.feed(data), *reader.finish()]), *writer.finish()])
    again = decoder(target)
    stop = [*again.feed(made), *again.finish()][-1]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert stop.document.settings is not None
    usage = stop.document.settings.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (USAGE["prompt_tokens"], USAGE["completion_tokens"])
    assert not [loss for loss in writer.losses if loss.path.startswith("/settings/usage")]


ENDINGS: Final[dict[str, tuple[str, ...]]] = {
    "anthropic-sse": ("end_turn", "pause_turn", "stop_sequence", "model_context_window_exceeded", "refusal", "new"),
    "gemini-sse": ("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"),
    "bedrock-converse": ("end_turn", "stop_sequence", "guardrail_intervened", "content_filtered", "max_tokens"),
}


def ended(stream: str, reason: str) -> bytes:
    """The stream of an answer that is over for a reason of its API."""
    match stream:
        case "gemini-sse":
            candidate = {"content": {"role": "model", "parts": [{"text": "Yes."}]}, "finishReason": reason}
            return b"data: %s\n\n" % json.dumps({"candidates": [candidate]}).encode()
        case "anthropic-sse":
            sequence = "END" if reason == "stop_sequence" else None
            events: list[Object] = [
                {"type": "message_start", "message": {**STARTED, "content": []}},
                {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Yes."}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": sequence}},
                {"type": "message_stop"},
            ]
            return b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in events)
        case _:
            events = [
                {"messageStart": {"role": "assistant"}},
                {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Yes."}}},
                {"contentBlockStop": {"contentBlockIndex": 0}},
                {"messageStop": {"stopReason": reason}},
            ]
            return b"".join(b"%s\n" % json.dumps(each).encode() for each in events)


@pytest.mark.parametrize(
    ("stream", "reason"), [(stream, reason) for stream, reasons in ENDINGS.items() for reason in reasons]
)
def test_an_api_gets_its_own_reason_for_which_an_answer_is_over(stream: str, reason: str) -> None:
    reader, writer = decoder(stream), encoder(stream, answer=Answer("a", "m"))
    made = b"".join([*writer.encode([*reader.feed(ended(stream, reason)), *reader.finish()]), *writer.finish()])
    assert json.dumps(reason).encode() in made
    assert reason != "stop_sequence" or stream != "anthropic-sse" or b'"stop_sequence":"END"' in made
    assert not [loss for loss in writer.losses if "/stop" in loss.path or "/candidates" in loss.path]


# anthropics/anthropic-sdk-python, tests/lib/streaming/fixtures/refusal_response.txt
def test_why_a_model_refused_is_written() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "This request was refused due to policy."}
    events: list[Object] = [
        {"type": "message_start", "message": {**STARTED, "content": []}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "refusal", "stop_sequence": None, "stop_details": details},
            "usage": AROUND["usage"],
        },
        {"type": "message_stop"},
    ]
    data = b"".join(b"data: %s\n\n" % json.dumps(each).encode() for each in events)
    reader, writer = decoder("anthropic-sse"), encoder("anthropic-sse", answer=Answer("a", "m"))
    made = b"".join([*writer.encode([*reader.feed(data), *reader.finish()]), *writer.finish()])
    written_events = [json.loads(line[6:]) for line in made.splitlines() if line.startswith(b"data: ")]
    assert [each["delta"] for each in written_events if each["type"] == "message_delta"] == [events[1]["delta"]]
    assert not [loss for loss in writer.losses if "/stop" in loss.path]
