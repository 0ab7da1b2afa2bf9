"""Agent loops through other people's libraries: `python loops.py URL CLIENT QUESTION` prints the final answer.

Each client has one tool, `get_weather`, and does with the model's messages what its library does. It runs in an
environment that has the libraries, and not this project.
"""

# pyright: basic, reportMissingImports=false
from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

MODEL = "gpt-oss-20b"
TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: dry"


def with_openai(url: str, question: str) -> str:
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="k")
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        message = client.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            return message.content or ""
        messages += map(_reply, message.tool_calls)


def with_openai_streamed(url: str, question: str) -> str:
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="k")
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        with client.chat.completions.stream(model=MODEL, messages=messages, tools=[TOOL]) as stream:
            message = stream.get_final_completion().choices[0].message
        functions = [(call.id, call.function) for call in message.tool_calls or ()]
        calls = [
            {"id": number, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
            for number, each in functions
        ]
        if not calls:
            return message.content or ""
        messages += [{"role": "assistant", "tool_calls": calls}, *map(_reply, message.tool_calls or ())]


def _reply(call: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call.id, "content": get_weather(**json.loads(call.function.arguments))}


def with_litellm(url: str, question: str) -> str:
    import litellm

    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        made: Any = litellm.completion(f"openai/{MODEL}", messages, tools=[TOOL], api_base=url, api_key="k")
        message = made.choices[0].message
        messages.append(message.model_dump())
        if not message.tool_calls:
            return message.content or ""
        messages += map(_reply, message.tool_calls)


def with_litellm_streamed(url: str, question: str) -> str:
    import litellm

    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        options = {"tools": [TOOL], "api_base": url, "api_key": "k", "stream": True}
        made: Any = litellm.stream_chunk_builder(list(litellm.completion(f"hosted_vllm/{MODEL}", messages, **options)))
        message = made.choices[0].message
        messages.append(message.model_dump())
        if not message.tool_calls:
            return message.content or ""
        messages += map(_reply, message.tool_calls)


def _agents_agent(url: str, *, responses: bool = False) -> Any:
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, function_tool, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=url, api_key="k")
    kind = OpenAIResponsesModel if responses else OpenAIChatCompletionsModel
    return Agent(name="a", model=kind(MODEL, client), tools=[function_tool(get_weather)])


def with_openai_agents(url: str, question: str) -> str:
    from agents import Runner

    return Runner.run_sync(_agents_agent(url), question).final_output


def with_openai_agents_streamed(url: str, question: str) -> str:
    from agents import Runner

    async def run() -> str:
        result = Runner.run_streamed(_agents_agent(url), question)
        async for _ in result.stream_events():
            pass
        return result.final_output

    return asyncio.run(run())


def with_openai_agents_responses(url: str, question: str) -> str:
    from agents import Runner

    return Runner.run_sync(_agents_agent(url, responses=True), question).final_output


def _langchain_agent(url: str) -> Any:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    return create_agent(ChatOpenAI(model=MODEL, base_url=url, api_key="k"), tools=[get_weather])  # type: ignore[arg-type]


def with_langchain(url: str, question: str) -> str:
    made = _langchain_agent(url).invoke({"messages": [{"role": "user", "content": question}]})
    return made["messages"][-1].content


def with_langchain_streamed(url: str, question: str) -> str:
    asked = {"messages": [{"role": "user", "content": question}]}
    chunks = [chunk for chunk, _ in _langchain_agent(url).stream(asked, stream_mode="messages")]
    return "".join(chunk.content for chunk in chunks if type(chunk).__name__ == "AIMessageChunk")


def _pydantic_agent(url: str) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="k"))
    return Agent(model, tools=[get_weather])


def with_pydantic_ai(url: str, question: str) -> str:
    return _pydantic_agent(url).run_sync(question).output


def with_pydantic_ai_streamed(url: str, question: str) -> str:
    async def run() -> str:
        async with _pydantic_agent(url).run_stream(question) as result:
            return await result.get_output()

    return asyncio.run(run())


def with_llama_index(url: str, question: str) -> str:
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike

    model = OpenAILike(model=MODEL, api_base=url, api_key="k", is_chat_model=True, is_function_calling_model=True)
    agent = FunctionAgent(tools=[get_weather], llm=model, system_prompt="Be brief.")

    async def run() -> str:
        return str(await agent.run(question))

    return asyncio.run(run())


def with_openai_responses(url: str, question: str) -> str:
    from openai import OpenAI

    client: Any = OpenAI(base_url=url, api_key="k")
    items: list[Any] = [{"role": "user", "content": question}]
    tool = {"type": "function", **TOOL["function"]}
    while True:
        made = client.responses.create(model=MODEL, input=items, tools=[tool], store=False)
        items += made.output
        calls = [item for item in made.output if item.type == "function_call"]
        if not calls:
            return made.output_text
        for call in calls:
            output = get_weather(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def with_anthropic(url: str, question: str) -> str:
    from anthropic import Anthropic

    client: Any = Anthropic(base_url=url.removesuffix("/v1"), api_key="k")
    function = TOOL["function"]
    tool = {"name": "get_weather", "description": "…", "input_schema": function["parameters"]}
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        with client.messages.stream(model=MODEL, max_tokens=500, messages=messages, tools=[tool]) as stream:
            made = stream.get_final_message()
        messages.append({"role": "assistant", "content": made.content})
        calls = [block for block in made.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in made.content if block.type == "text")
        replies = [(call.id, get_weather(**call.input)) for call in calls]
        results = [{"type": "tool_result", "tool_use_id": number, "content": text} for number, text in replies]
        messages.append({"role": "user", "content": results})


CLIENTS: dict[str, Callable[[str, str], str]] = {
    name.removeprefix("with_"): value for name, value in list(globals().items()) if name.startswith("with_")
}

if __name__ == "__main__":
    print(CLIENTS[sys.argv[2]](sys.argv[1], sys.argv[3]))
