"""`/v1/responses` and `/v1/messages`: the same model, in the words of other APIs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import BadRequestError, NotFoundError

from gateway.conftest import Bench, gateway_with
from gateway.test_openai_client import call, final, joined, thought, tokens
from gateway.test_requests_and_errors import TOO_LONG

SECRET = "SECRET-CoT."
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
SCHEMA: Any = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
TOOL: Any = {"type": "function", "name": "f", "parameters": SCHEMA}
ONE = joined(thought(SECRET), call("f", '{"x":1}'))


def messages(bench: Bench, body: dict[str, Any], path: str = "/messages", key: str = "k") -> httpx.Response:
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return httpx.post(f"{bench.url}{path}", json={"max_tokens": 100, **body}, headers=headers)


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream: name and data."""
    found: list[tuple[str, dict[str, Any]]] = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "data" in lines:
            found.append((lines.get("event", ""), json.loads(lines["data"])))
    return found


# --- Responses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_a_response_of_text(private: Bench, stream: bool) -> None:
    client: Any = private.client
    model = private.play(tokens(joined(thought(SECRET), final("Grüße, 𝔘."))), usage=USAGE)
    asked = {"model": model, "input": "Hi", "instructions": "Be brief.", "max_output_tokens": 50, "temperature": 0.5}
    if stream:
        with client.responses.stream(**asked) as events_of:
            kinds = [event.type for event in events_of]
            made = events_of.get_final_response()
        assert kinds[0] == "response.created"
        assert kinds[-1] == "response.completed"
        assert "response.output_text.delta" in kinds
    else:
        made = client.responses.create(**asked)
    assert (made.output_text, made.status, made.object) == ("Grüße, 𝔘.", "completed", "response")
    assert [item.type for item in made.output] == ["message"]
    assert made.id.startswith("resp_")
    assert (made.usage.input_tokens, made.usage.output_tokens) == (7, 3)
    assert SECRET not in made.to_json()
    sent = private.upstream.asked[-1]
    assert (sent["max_tokens"], sent["temperature"]) == (50, 0.5)
    assert "Be brief." in sent["prompt"]


def test_reasoning_is_an_item_where_it_is_allowed(opened: Bench) -> None:
    client: Any = opened.client
    made = client.responses.create(model=opened.play(joined(thought("Hm."), final("Yes."))), input="Hi")
    assert [item.type for item in made.output] == ["reasoning", "message"]
    assert made.output[0].content[0].text == "Hm."


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_and_its_reply_by_responses(private: Bench, stream: bool) -> None:
    """The prompt is the one of the same conversation in Chat Completions, reasoning and all."""
    client: Any = private.client
    model = private.play(tokens(ONE))
    if stream:
        with client.responses.stream(model=model, input="Hi", tools=[TOOL]) as events_of:
            made = events_of.get_final_response()
    else:
        made = client.responses.create(model=model, input="Hi", tools=[TOOL])
    (item,) = made.output
    assert (item.type, item.name, item.arguments) == ("function_call", "f", '{"x":1}')
    reply = {"type": "function_call_output", "call_id": item.call_id, "output": "dry"}
    again = private.play(final("Dry."))
    client.responses.create(model=again, input=[{"role": "user", "content": "Hi"}, item, reply], tools=[TOOL])
    assert SECRET not in private.upstream.asked[-1]["prompt"], "another model does not get it"
    private.upstream.scripts[model] = private.upstream.scripts[again]
    client.responses.create(model=model, input=[{"role": "user", "content": "Hi"}, item, reply], tools=[TOOL])
    prompt = private.upstream.asked[-1]["prompt"]
    assert prompt.index(SECRET) < prompt.index("to=functions.f") < prompt.index("dry")


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"background": True}, "background"),
        ({"input": []}, "input"),
        ({"input": 5}, "input"),
        ({"max_output_tokens": 0}, "max_output_tokens"),
        ({"stream": "yes"}, "stream"),
        ({"input": [{"role": "wizard", "content": "Hi"}]}, "input.0.role"),
        ({"input": [{"role": "user", "content": "Hi"}, {"type": "item_reference", "id": "msg_1"}]}, "input.1"),
        ({"input": [{"id": "msg_1"}, {"role": "user", "content": "Hi"}]}, "input.0"),
        ({"input": [{"type": "compaction", "encrypted_content": "g"}, {"role": "user", "content": "Hi"}]}, "input.0"),
        ({"input": [{"role": "user", "content": "Hi"}, {"type": "compaction_trigger"}]}, "input.1"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "name": "g"}}, "tool_choice"),
        ({"tool_choice": "required"}, "tool_choice"),
    ],
)
def test_what_no_response_can_be_made_of(private: Bench, more: dict[str, Any], param: str) -> None:
    body = {"model": private.play(final("x")), "input": "Hi", **more}
    answer = httpx.post(f"{private.url}/responses", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_errors_of_the_upstream_by_responses(private: Bench) -> None:
    client: Any = private.client
    body = json.dumps({"error": {"message": "no such model", "param": "model"}}).encode()
    with pytest.raises(NotFoundError):
        client.responses.create(model=private.play([], status=404, body=body), input="Hi")
    with pytest.raises(BadRequestError):
        client.responses.create(model=private.play([], status=400, body=body), input="Hi", stream=True)
    broken = httpx.post(
        f"{private.url}/responses",
        json={"model": private.play(["<|channel|>final<|message|>Hel"], reason=None), "input": "Hi", "stream": True},
    )
    kinds = [data["type"] for _, data in events(broken.text)]
    assert "response.completed" not in kinds
    assert kinds[-1] in {"response.failed", "error"}


# --- Messages ---------------------------------------------------------------------------------------------------------


def test_a_message(private: Bench) -> None:
    model = private.play(joined(thought(SECRET), final("Grüße.")), usage=USAGE)
    asked = {"model": model, "system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}], "top_k": 5}
    made = messages(private, asked).json()
    assert (made["type"], made["role"], made["stop_reason"]) == ("message", "assistant", "end_turn")
    assert [block["text"] for block in made["content"]] == ["Grüße."]
    assert (made["usage"]["input_tokens"], made["usage"]["output_tokens"]) == (7, 3)
    assert made["id"].startswith("msg_")
    sent = private.upstream.asked[-1]
    assert (sent["max_tokens"], sent["top_k"]) == (100, 5)
    assert "Be brief." in sent["prompt"]


def test_a_message_as_it_comes(private: Bench) -> None:
    model = private.play(tokens(joined(thought(SECRET), final("Grüße."))), usage=USAGE)
    asked = {"model": model, "messages": [{"role": "user", "content": "Hi"}], "stream": True}
    answer = messages(private, asked)
    assert SECRET not in answer.text
    received = events(answer.text)
    assert all(name == data["type"] for name, data in received)
    kinds = [name for name, _ in received if name not in {"ping", "content_block_delta"}]
    assert kinds == ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"]
    assert "".join(data["delta"]["text"] for name, data in received if name == "content_block_delta") == "Grüße."
    (end,) = [data for name, data in received if name == "message_delta"]
    assert (end["delta"]["stop_reason"], end["usage"]["output_tokens"]) == ("end_turn", 3)


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_and_its_result_by_messages(private: Bench, stream: bool) -> None:
    model = private.play(tokens(ONE))
    tools = [{"name": "f", "input_schema": SCHEMA}]
    question = {"role": "user", "content": "Hi"}
    answer = messages(private, {"model": model, "messages": [question], "tools": tools, "stream": stream})
    if stream:
        received = events(answer.text)
        (block,) = [data["content_block"] for name, data in received if name == "content_block_start"]
        arguments = "".join(data["delta"]["partial_json"] for name, data in received if name == "content_block_delta")
        block = {**block, "input": json.loads(arguments)}
        (reason,) = [data["delta"]["stop_reason"] for name, data in received if name == "message_delta"]
    else:
        made = answer.json()
        (block,), reason = made["content"], made["stop_reason"]
    assert (block["type"], block["name"], block["input"], reason) == ("tool_use", "f", {"x": 1}, "tool_use")
    result = {"type": "tool_result", "tool_use_id": block["id"], "content": "dry"}
    private.upstream.scripts[model] = private.upstream.scripts[private.play(final("Dry."))]
    turns = [question, {"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]
    assert messages(private, {"model": model, "messages": turns, "tools": tools}).status_code == 200
    prompt = private.upstream.asked[-1]["prompt"]
    assert prompt.index(SECRET) < prompt.index("to=functions.f") < prompt.index("dry")


def test_stop_sequences(private: Bench) -> None:
    model = private.play(joined(thought("Let me see."), final("I see a b.")))
    asked = {"model": model, "messages": [{"role": "user", "content": "Hi"}], "stop_sequences": ["me", " a", "a"]}
    made = messages(private, asked).json()
    assert made["content"][0]["text"] == "I see"
    assert (made["stop_reason"], made["stop_sequence"]) == ("stop_sequence", " a")
    received = events(messages(private, {**asked, "stream": True}).text)
    assert "".join(data["delta"]["text"] for name, data in received if name == "content_block_delta") == "I see"
    (end,) = [data for name, data in received if name == "message_delta"]
    assert end["delta"] == {"stop_reason": "stop_sequence", "stop_sequence": " a"}
    made = messages(private, {**asked, "stop_sequences": ["me", "z"]}).json()
    assert (made["stop_reason"], made["stop_sequence"]) == ("end_turn", None)


def test_tokens_are_counted(private: Bench) -> None:
    asked = {"model": private.play(final("x")), "messages": [{"role": "user", "content": "Hi"}]}
    few = messages(private, asked, "/messages/count_tokens").json()["input_tokens"]
    asked["messages"] = [{"role": "user", "content": "Hi " * 100}]
    assert messages(private, asked, "/messages/count_tokens").json()["input_tokens"] > few > 10


def test_a_call_without_an_object_does_not_end_the_conversation(private: Bench) -> None:
    """The client answers the model's `["ls"]` with an error, and sends both back."""
    model = private.play(tokens(joined(call("f", '["ls"]'))))
    question = {"role": "user", "content": "Hi"}
    asked: dict[str, Any] = {"model": model, "messages": [question], "tools": [{"name": "f", "input_schema": SCHEMA}]}
    streamed = [event for _, event in events(messages(private, asked | {"stream": True}).text)]
    [block] = [event["content_block"] for event in streamed if event["type"] == "content_block_start"]
    pieces = [event["delta"]["partial_json"] for event in streamed if event["type"] == "content_block_delta"]
    block["input"] = json.loads("".join(pieces))
    failed = {"type": "tool_result", "tool_use_id": block["id"], "content": "no object", "is_error": True}
    asked["messages"] += [{"role": "assistant", "content": [block]}, {"role": "user", "content": [failed]}]
    assert messages(private, asked).status_code == 200
    assert '<|message|>["ls"]<|call|>' in private.upstream.asked[-1]["prompt"]


@pytest.mark.parametrize("words", TOO_LONG)
def test_clients_of_messages_know_a_request_that_is_too_long_by_its_words(private: Bench, words: str) -> None:
    model = private.play([], status=400, body=json.dumps({"error": {"message": words, "code": 400}}).encode())
    response = messages(private, {"model": model, "messages": [{"role": "user", "content": "Hi"}]})
    assert response.status_code == 400
    assert response.json()["error"] == {"type": "invalid_request_error", "message": f"prompt is too long: {words}"}


@pytest.mark.parametrize("thread", [{"type": "create"}, {"type": "continue", "previous_message_id": "msg_1"}])
def test_threads_are_refused_so_that_clients_send_the_whole_conversation(private: Bench, thread: Any) -> None:
    """The tool runners of Anthropic's SDKs ask for one, and go on without it by these details."""
    response = messages(private, {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "thread": thread})
    assert response.status_code == 400
    error = response.json()["error"]
    assert "without 'thread'" in error["message"]
    assert error["details"] == {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}


def test_refusals_have_the_shape_of_messages(private: Bench, tmp_path: Path) -> None:
    question = [{"role": "user", "content": "Hi"}]
    body = json.dumps({"error": {"message": "slow down"}}).encode()
    slow = private.play([], status=429, body=body, headers={"retry-after": "7"})
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"model": slow, "messages": question}, 429, "rate_limit_error"),
        ({"model": "m", "messages": []}, 400, "invalid_request_error"),
        ({"model": "m", "messages": question, "stop_sequences": [1]}, 400, "invalid_request_error"),
        ({"model": "m", "messages": [{"role": "wizard", "content": "Hi"}]}, 400, "invalid_request_error"),
        (
            {"model": "m", "messages": question, "tool_choice": {"type": "tool", "name": "f"}},
            400,
            "invalid_request_error",
        ),
    ]
    for asked, status, kind in cases:
        answer = messages(private, asked)
        assert answer.status_code == status
        assert answer.json()["type"] == "error"
        assert answer.json()["error"]["type"] == kind
        assert answer.json()["error"]["message"]
    (tmp_path / "keys").write_text("alice key-of-the-client\n")
    with gateway_with(profile="gpt-oss", keys=str(tmp_path / "keys")) as bench:
        asked = {"model": bench.play(final("x")), "messages": question}
        assert messages(bench, asked, key="key-of-the-client").status_code == 200
        refused = messages(bench, asked, key="another")
        assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
