"""Requests to each engine and its responses, in the engine's own format (vLLM 0.32, llama.cpp b11434)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ocml_bridge.errors import BridgeError
from ocml_bridge.formats.guidance import Frame, Step
from ocml_bridge.hosts.gateway.problems import ApiError
from ocml_bridge.hosts.gateway.upstreams.drivers import Call, Completion, Terms, connect

MODELS: Any = {"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 100}]}
LLAMA: Any = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 50}}]}
OTHER: Any = {"data": [{"id": "m", "owned_by": "me", "context_length": 100}]}
PROPS: Any = {"default_generation_settings": {"n_ctx": 50}}
COUNTED: Any = {"count": 30, "max_model_len": 100, "tokens": []}


class Engine:
    """Answers by path; what it was asked is kept."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[Call] = []

    async def __call__(self, call: Call) -> Any:
        self.asked.append(call)
        answer = self.answers.get(call.path.strip("/").replace("/", "_"))
        if answer is None:
            problem = ApiError(502, "upstream_error", "there is no such path")
            problem.upstream_status = 404
            raise problem
        return answer


def written(**more: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "text": "guided", "finish_reason": "length", **more}]}


def driver_of(name: str, engine: Engine, **terms: Any) -> Any:
    return asyncio.run(connect(name, Terms(**terms), engine))


@pytest.mark.parametrize(
    ("listing", "name"),
    [(MODELS, "vllm"), (LLAMA, "llama.cpp"), (OTHER, "completions")],
)
def test_an_engine_is_known_by_its_list_of_models(listing: Any, name: str) -> None:
    engine = Engine(v1_models=listing, v1_completions=written(), props=PROPS)
    assert driver_of("auto", engine).name == name


@pytest.mark.parametrize(
    ("name", "answers", "terms", "message"),
    [
        ("completions", {"v1_models": OTHER}, {"ids": True}, "does not send token ids"),
        ("completions", {"v1_models": {"data": [{"id": "m"}]}}, {}, "--context"),
        ("vllm", {"v1_models": MODELS, "v1_completions": written()}, {"ids": True}, "0.10.2"),
        ("llama.cpp", {"v1_models": LLAMA}, {}, "/props"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_the_start(name: str, answers: Any, terms: Any, message: str) -> None:
    with pytest.raises(BridgeError, match=message):
        driver_of(name, Engine(**answers), **terms)


def test_room_is_what_the_prompt_leaves() -> None:
    async def room(name: str, engine: Engine, prompt: Any, **terms: Any) -> int:
        return await (await connect(name, Terms(**terms), engine)).room(Completion(prompt, "m"), engine)

    vllm = Engine(v1_models=MODELS, v1_completions=written(token_ids=[1]), tokenize=COUNTED)
    assert asyncio.run(room("vllm", vllm, "text")) == 70
    assert vllm.asked[-1] == Call("/tokenize", {"prompt": "text", "add_special_tokens": False, "model": "m"})
    assert asyncio.run(room("vllm", vllm, [1] * 20, ids=True)) == 80
    assert asyncio.run(room("vllm", Engine(v1_models=MODELS, v1_completions=written()), "x" * 40)) == 100 - 21
    llama = Engine(v1_models=LLAMA, props=PROPS)
    assert asyncio.run(room("llama.cpp", llama, [1] * 20, ids=True)) == 30
    assert asyncio.run(room("llama.cpp", llama, "text")) == 50, "the engine ends an answer where its context does"
    assert asyncio.run(room("completions", Engine(v1_models=OTHER), "x" * 40)) == 100 - 21
    assert asyncio.run(room("completions", Engine(v1_models=OTHER), "x" * 40, length=1000)) == 1000 - 21
    with pytest.raises(ApiError) as raised:
        asyncio.run(room("vllm", vllm, [1] * 100, ids=True))
    assert (raised.value.status, raised.value.code) == (400, "context_length_exceeded")


def test_llama_cpp_is_asked_in_its_own_words() -> None:
    driver = driver_of("llama.cpp", Engine(v1_models=LLAMA, props=PROPS), ids=True, tokens=("<|a|>",))
    sampling: Any = {"temperature": 0.5, "repetition_penalty": 1.1}
    call = driver.call(Completion([1, 2], "m", count=2, sampling=sampling, logprobs=0), 7)
    assert call == Call(
        "/completion",
        {
            "model": "m",
            "prompt": [1, 2],
            "n_predict": 7,
            "n_cmpl": 2,
            "n_probs": 1,
            "temperature": 0.5,
            "repeat_penalty": 1.1,
            "return_tokens": True,
            "preserved_tokens": ["<|a|>"],
            "stream": True,
        },
    )
    with pytest.raises(ApiError) as raised:
        driver.call(Completion("x", sampling={"min_tokens": 3}), 7)
    assert (raised.value.status, raised.value.param) == (400, "min_tokens")


def test_ids_that_a_stream_of_llama_cpp_leaves_out_are_ordinary_text() -> None:
    """Of a character of several tokens, it sends the last id (server-context.cpp, `send_partial_response`)."""
    driver = driver_of("llama.cpp", Engine(v1_models=LLAMA, props=PROPS), ids=True, tokens=("<|end|>",))
    read = driver.reader(Completion([1], stream=True))

    def pieces(content: str, ids: list[int], count: int) -> list[Any]:
        message = {"index": 0, "content": content, "tokens": ids, "stop": False, "tokens_predicted": count}
        return [piece.ids for piece in read(message).pieces]

    assert pieces("Hi", [12194], 1) == [[12194]]
    assert pieces("👋", [233], 5) == [["👋"]]
    assert pieces("!", [0], 6) == [[0]]
    # A character that stays unfinished, and the control token behind it.
    assert pieces("\ufffd<|end|>", [200007], 8) == [["\ufffd", 200007]]


def test_vllm_gets_a_guide_only_if_it_obeys_guides() -> None:
    guide = (Step((Frame("a"),)),)
    guided = driver_of("auto", Engine(v1_models=MODELS, v1_completions=written()))
    assert "response_format" in guided.call(Completion("x", guide=guide), 1).body
    for answers in ({"v1_completions": written(text="late")}, {}):
        free = driver_of("auto", Engine(v1_models=MODELS, **answers))
        assert not free.guides
        assert "response_format" not in free.call(Completion("x", guide=guide), 1).body
