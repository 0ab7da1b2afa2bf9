"""A LiteLLM custom provider over the gateway's pieces: a model behind a completions server, spoken to in its own words.

    import litellm
    from ocml_bridge.hosts.gateway import Settings
    from ocml_bridge.hosts.litellm import provider

    handler = provider(Settings("http://localhost:8000/v1", profile="gpt-oss"))
    litellm.custom_provider_map = [{"provider": "own", "custom_handler": handler}]
    litellm.completion("own/gpt-oss-20b", messages=[…], stream=True)

Extras: `gateway` and `litellm`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Final

import orjson
from anyio.from_thread import start_blocking_portal

from ..stream.sse import Reader
from .gateway import Settings
from .gateway.conversation import Conversation
from .gateway.problems import ApiError, members
from .gateway.upstream import Upstream, client_for

_OWN: Final = frozenset({"extra_body", "stream"})
"""Optional parameters that are not members of a request."""


def provider(settings: Settings) -> Any:
    """A handler for `litellm.custom_provider_map`.

    Args:
        settings: where the completions server is, and what its model speaks.

    Returns:
        A `litellm.CustomLLM`.
    """
    litellm: Any = import_module("litellm")
    return type("Provider", (_Calls, litellm.CustomLLM), {})(settings)


class _Calls:
    """What LiteLLM calls; a `CustomLLM` beside it is what LiteLLM knows."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._types: Any = import_module("litellm.types.utils")
        self._failed: Any = import_module("litellm.llms.custom_llm").CustomLLMError

    async def acompletion(self, *args: Any, **told: Any) -> Any:
        """A whole answer: a `ModelResponse`."""
        async with self._talk(*args, **told, stream=False) as talk:
            return self._types.ModelResponse(**orjson.loads(await talk.whole()))

    async def astreaming(self, *args: Any, **told: Any) -> AsyncGenerator[Any]:
        """An answer as it comes: each piece a `ModelResponseStream`."""
        reader = Reader()
        async with self._talk(*args, **told, stream=True) as talk:
            async for data in talk.chunks():
                for _, said in reader.feed(data):
                    if said != "[DONE]":
                        yield self._chunk(orjson.loads(said))

    def completion(self, *args: Any, **told: Any) -> Any:
        """`acompletion`, waited for."""
        with start_blocking_portal() as portal:
            return portal.call(lambda: self.acompletion(*args, **told))

    def streaming(self, *args: Any, **told: Any) -> Iterator[Any]:
        """`astreaming`, waited for."""
        chunks = self.astreaming(*args, **told)
        with start_blocking_portal() as portal:
            try:
                while (chunk := portal.call(_next, chunks)) is not None:
                    yield chunk
            finally:
                portal.call(chunks.aclose)

    @asynccontextmanager
    async def _talk(
        self, model: str, messages: list[Any], *_: Any, stream: bool, **told: Any
    ) -> AsyncGenerator[Conversation]:
        asked = members(told.get("optional_params"))
        request = {key: value for key, value in asked.items() if key not in _OWN} | members(asked.get("extra_body"))
        request |= {"model": model, "messages": messages, "stream": stream}
        key = told.get("api_key")
        try:
            async with client_for(self._settings) as client:
                upstream = Upstream(self._settings, client)
                yield Conversation(request, self._settings, upstream, f"Bearer {key}" if key else None)
        except ApiError as problem:
            raise self._failed(status_code=problem.status, message=problem.message) from problem

    def _chunk(self, said: dict[str, Any]) -> Any:
        if "error" in said:
            raise self._failed(status_code=502, message=said["error"]["message"])
        return self._types.ModelResponseStream(**said)


async def _next(chunks: AsyncGenerator[Any]) -> Any:
    return await anext(chunks, None)
