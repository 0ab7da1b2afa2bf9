"""What real engines sent when they were recorded (`contract/record.py`), through the gateway as it is now.

A request that the gateway sends otherwise than then is answered with 418: record the engines anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from gateway.contract.cases import CASES, DATE, GUIDED, MODES, TRIP
from gateway.scripted import serving
from ocml_bridge.hosts.gateway import Settings, conversation, create_app
from ocml_bridge.json_values.parameters import members_of
from sources import ROOT

FOLDER = ROOT / "tests" / "gateway" / "contract" / "recordings"
RECORDINGS: dict[str, Any] = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
FORMATS = ("text", "ids")
FAMILIES = [mode for mode in MODES if mode not in FORMATS]
SECRET = "SECRET-CoT"
PRESERVED = "preserved_tokens"


class Recorded:
    """An upstream that answers as the engine did."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self._exchanges = exchanges

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        data, more = b"", True
        while more:
            message = await receive()
            data, more = data + message.get("body", b""), message.get("more_body", False)
        response = self._response(scope["path"], json.loads(data) if data else None)
        headers = [(b"content-type", response["type"].encode())]
        await send({"type": "http.response.start", "status": response["status"], "headers": headers})
        body = response["body"].encode()
        for at in range(0, len(body), 1000):
            await send({"type": "http.response.body", "body": body[at : at + 1000], "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def _response(self, path: str, asked: Any) -> dict[str, Any]:
        for exchange in self._exchanges:
            if exchange["path"] == path and is_what_was_asked(asked, exchange["asked"]):
                return exchange["response"]
        return {"status": 418, "type": "application/json", "body": '{"error":"this was not recorded"}'}


def is_what_was_asked(asked: Any, then: Any) -> bool:
    """Return whether an engine answers a request as it answered the one that was recorded.

    Since then a format may have more tokens: llama.cpp ignores those that its model does not have.
    """
    if then is None or PRESERVED not in then:
        return asked == then
    has_all = set(then[PRESERVED]) <= set(asked.get(PRESERVED, ()))
    return has_all and {**asked, PRESERVED: []} == {**then, PRESERVED: []}


class Bench:
    """A gateway in front of a recorded engine."""

    def __init__(self, engine: str, url: str, cases: dict[str, dict[str, Any]]) -> None:
        self.engine = engine
        self._cases = cases
        self._url = url

    def ask(self, case: str) -> httpx.Response:
        return httpx.post(f"{self._url}/v1/chat/completions", json=self._cases[case])

    def choice(self, case: str) -> dict[str, Any]:
        """The first choice of a whole answer, or of the chunks of a stream."""
        response = self.ask(case)
        assert response.status_code == 200, response.text
        if not self._cases[case].get("stream"):
            return response.json()["choices"][0]
        choices = [each for chunk in chunks(response) for each in chunk["choices"] if each["index"] == 0]
        deltas = [choice["delta"] for choice in choices]
        calls = [call["function"] for delta in deltas for call in delta.get("tool_calls") or ()]
        message: dict[str, Any] = {"content": "".join(delta.get("content") or "" for delta in deltas)}
        if calls:
            arguments = "".join(call.get("arguments") or "" for call in calls)
            message["tool_calls"] = [{"function": {"name": calls[0]["name"], "arguments": arguments}}]
        return {"message": message, "finish_reason": choices[-1]["finish_reason"]}

    def message(self, case: str) -> dict[str, Any]:
        return self.choice(case)["message"]


def chunks(response: httpx.Response) -> list[dict[str, Any]]:
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def recorded_with(engine: str, mode: str) -> Iterator[Bench]:
    settings, cases = MODES[mode]
    recorded = Recorded(RECORDINGS[engine]["exchanges"][mode])
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(conversation, "today", lambda: DATE)
        behind = stack.enter_context(serving(recorded))
        url = stack.enter_context(serving(create_app(Settings(f"{behind}/v1", **settings))))  # type: ignore[arg-type]
        yield Bench(engine, url, cases)


@pytest.fixture(scope="module", params=[(engine, mode) for engine in RECORDINGS for mode in FORMATS], ids="-".join)
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    yield from recorded_with(*request.param)


@pytest.fixture(scope="module", params=[(engine, mode) for engine in RECORDINGS for mode in FAMILIES], ids="-".join)
def family(request: pytest.FixtureRequest) -> Iterator[Bench]:
    yield from recorded_with(*request.param)


def test_both_engines_are_recorded_with_version_and_command() -> None:
    assert RECORDINGS.keys() == {"vllm", "llama.cpp"}
    assert all(made["version"] and made["command"] for made in RECORDINGS.values())


@pytest.mark.parametrize("engine", RECORDINGS)
def test_an_engine_stops_within_a_second_when_its_client_has_left(engine: str) -> None:
    seconds = RECORDINGS[engine]["goes_on_for_seconds"]
    assert seconds.keys() == {"before the first byte", "in the middle of a stream", "of a plain request"}
    assert max(seconds.values()) < 1


@pytest.mark.parametrize("case", [case for case in CASES if "none" not in case and "not there" not in case])
def test_no_case_shows_what_the_model_thinks(bench: Bench, case: str) -> None:
    response = bench.ask(case)
    assert response.status_code in (200, 400)
    assert SECRET not in response.text


@pytest.mark.parametrize("case", ["a greeting", "a greeting, streamed", "two answers", "two answers, streamed"])
def test_an_answer_in_words(bench: Bench, case: str) -> None:
    choice = bench.choice(case)
    assert (choice["message"]["content"], choice["finish_reason"]) == ("Grüße 👋 to you.", "stop")


def test_several_answers_keep_their_indices(bench: Bench) -> None:
    whole = bench.ask("two answers").json()["choices"]
    assert [choice["index"] for choice in whole] == [0, 1]
    assert {choice["message"]["content"] for choice in whole} == {"Grüße 👋 to you."}
    streamed = chunks(bench.ask("two answers, streamed"))
    assert {choice["index"] for chunk in streamed for choice in chunk["choices"]} == {0, 1}


@pytest.mark.parametrize("case", ["a call", "a call, streamed"])
def test_a_call(bench: Bench, case: str) -> None:
    choice = bench.choice(case)
    assert choice["message"]["content"] == "Let me check."
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": '{"city": "Paris"}'}
    assert choice["finish_reason"] == "tool_calls"


def test_reasoning_that_led_to_a_call_is_in_the_prompt_of_its_reply(bench: Bench) -> None:
    assert bench.message("a reply")["content"] == "It is dry in Paris. COT_SEEN"


@pytest.mark.parametrize("case", ["no max_tokens", "no max_tokens, streamed"])
def test_an_answer_without_max_tokens_is_complete(bench: Bench, case: str) -> None:
    choice = bench.choice(case)
    assert choice["message"]["content"] == " ".join(f"word{number}" for number in range(40))
    assert choice["finish_reason"] == "stop"


@pytest.mark.parametrize("case", ["max_tokens", "max_tokens, streamed"])
def test_an_answer_is_cut_off_where_somebody_does(bench: Bench, case: str) -> None:
    choice = bench.choice(case)
    assert "word0 word1 word2".startswith(choice["message"]["content"].strip())
    assert choice["finish_reason"] == "length"


def test_the_numbers_of_tokens(bench: Bench) -> None:
    for usage in (bench.ask("a greeting").json()["usage"], chunks(bench.ask("a greeting, streamed"))[-1]["usage"]):
        assert usage["prompt_tokens"] == 68, "as the official encoder counts them"
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_probabilities_are_of_visible_tokens_only(bench: Bench) -> None:
    choice = bench.choice("probabilities")
    tokens = choice["logprobs"]["content"]
    assert "".join(token["token"] for token in tokens) == choice["message"]["content"]
    assert all(token["logprob"] <= 0 for token in tokens)
    assert all(len(token["top_logprobs"]) <= 2 for token in tokens)
    parts: list[str] = []
    for chunk in chunks(bench.ask("probabilities, streamed")):
        for streamed in chunk["choices"]:
            parts += [token["token"] for token in members_of(streamed.get("logprobs")).get("content", ())]
    assert "".join(parts) == choice["message"]["content"]


def test_a_stop_string_ends_the_visible_text(bench: Bench) -> None:
    choice = bench.choice("a stop string")
    assert choice["message"]["content"] == "word0 word1 word2 word3 word4 word5 word6 "
    assert choice["finish_reason"] == "stop"


def follows(arguments: str) -> bool:
    value = json.loads(arguments)
    return (
        value.keys() == {"city", "days"} and value["city"] in TRIP["properties"]["city"]["enum"] and value["days"] < 4
    )


def test_an_answer_follows_the_schema_though_the_model_wants_another(bench: Bench) -> None:
    """It wants `{"city": "Atlantis", "days": 99}`; vLLM's grammar allows any space between, as long as it likes."""
    response = bench.ask("a schema")
    choice = response.json()["choices"][0]
    assert "x-ocml-losses" not in response.headers
    content = choice["message"]["content"]
    assert choice["finish_reason"] == "length" or follows(content)
    assert content.replace(" ", "").startswith(('{"city":', '{\n"city":'))
    assert "Atlantis" not in content


def test_a_required_call_is_made(bench: Bench) -> None:
    choice = bench.choice("a required call")
    [call] = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "book"
    assert choice["finish_reason"] == "length" or follows(call["function"]["arguments"])


@pytest.mark.parametrize("case", GUIDED)
def test_answers_of_models_of_other_families_are_guided(family: Bench, case: str) -> None:
    """Without a guide, they call `book` with a city that is not allowed, or answer with it."""
    response = family.ask(case)
    assert response.status_code == 200
    assert "x-ocml-losses" not in response.headers
    choice = response.json()["choices"][0]
    message = choice["message"]
    assert "Atlantis" not in response.text or case == "no call"
    if case == "no call":
        assert "tool_calls" not in message
    elif choice["finish_reason"] != "length":
        calls = message.get("tool_calls", [{"function": {"name": "book", "arguments": message["content"]}}])
        assert [call["function"]["name"] for call in calls] == ["book"]
        assert follows(calls[0]["function"]["arguments"])


def test_a_user_makes_no_control_token(bench: Bench) -> None:
    assert bench.message("control tokens of a user")["content"] == " ".join(f"word{number}" for number in range(9))


def test_an_engines_error_about_the_request_is_the_clients_error(bench: Bench) -> None:
    """llama.cpp's server takes any model's name and any temperature, and ends an answer where its context does."""
    cases = ("a model that is not there", "a temperature that is none", "too large a max_tokens")
    statuses = [bench.ask(case).status_code for case in cases]
    assert statuses == ([404, 400, 400] if bench.engine == "vllm" else [200, 200, 200])
