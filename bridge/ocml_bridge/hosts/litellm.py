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

import asyncio
import atexit
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import asynccontextmanager
from functools import wraps
from importlib import import_module
from typing import Any, Final, TypeVar
from weakref import finalize

import orjson

from ..json_values.parameters import members_of
from ..stream.sse import Reader
from .gateway import Settings
from .gateway.clients.efforts import effort_of
from .gateway.conversation import Conversation
from .gateway.problems import ApiError
from .gateway.upstreams.http import HttpClient
from .gateway.upstreams.upstream import Upstream

Made = TypeVar("Made")

_OWN: Final = frozenset({"extra_body", "stream", "thinking"})
"""Optional parameters that are not members of a request."""


def provider(settings: Settings) -> Any:
    """A handler for `litellm.custom_provider_map`.

    Args:
        settings: where the completions server is, and what its model speaks.

    Returns:
        A `litellm.CustomLLM`.
    """
    litellm: Any = import_module("litellm")
    _accept(litellm)
    return type("Provider", (_Calls, litellm.CustomLLM), {})(settings)


def _accept(litellm: Any) -> None:
    """Have LiteLLM take `reasoning_effort` and `thinking` for these providers, as with `allowed_openai_params`.

    It lets no custom provider say which parameters it knows (as of 1.106), and refuses the ones that matter most to
    gpt-oss. Where its function is not there, callers have to send `allowed_openai_params` themselves.
    """
    main: Any = import_module("litellm.main")
    plain = getattr(main, "get_optional_params", None)
    if plain is None or hasattr(plain, _ACCEPTS):
        return

    @wraps(plain)
    def get_optional_params(*args: Any, **options: Any) -> Any:
        name = options.get("custom_llm_provider")
        entries = (entry for entry in litellm.custom_provider_map if entry["provider"] == name)
        if any(isinstance(entry["custom_handler"], _Calls) for entry in entries):
            options["allowed_openai_params"] = [*(options.get("allowed_openai_params") or ()), *REASONING]
        return plain(*args, **options)

    setattr(get_optional_params, _ACCEPTS, True)
    main.get_optional_params = get_optional_params


_ACCEPTS: Final = "accepts_reasoning"
REASONING: Final = ("reasoning_effort", "thinking")
"""The parameters that ask for more or less reasoning: OpenAI's, and Anthropic's."""


class _Calls:
    """What LiteLLM calls; a `CustomLLM` beside it is what LiteLLM knows."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._upstreams = _Upstreams(settings)
        self._own_loop = _Loop()
        self._types: Any = import_module("litellm.types.utils")
        self._failed: Any = import_module("litellm.llms.custom_llm").CustomLLMError

    async def acompletion(self, *args: Any, **options: Any) -> Any:
        """A whole answer: a `ModelResponse`."""
        async with self._talk(*args, **options, stream=False) as talk:
            return self._types.ModelResponse(**orjson.loads(await talk.whole()))

    async def astreaming(self, *args: Any, **options: Any) -> AsyncGenerator[Any]:
        """An answer as it comes: each piece a `ModelResponseStream`."""
        reader = Reader()
        async with self._talk(*args, **options, stream=True) as talk:
            async for data in talk.chunks():
                for _, payload in reader.feed(data):
                    if payload != "[DONE]":
                        yield self._chunk(orjson.loads(payload))

    def completion(self, *args: Any, **options: Any) -> Any:
        """`acompletion`, waited for."""
        return self._own_loop.wait(self.acompletion(*args, **options))

    def streaming(self, *args: Any, **options: Any) -> Iterator[Any]:
        """`astreaming`, waited for."""
        chunks = self.astreaming(*args, **options)
        try:
            while (chunk := self._own_loop.wait(_next(chunks))) is not None:
                yield chunk
        finally:
            self._own_loop.wait(chunks.aclose())

    @asynccontextmanager
    async def _talk(
        self, model: str, messages: list[Any], *_: Any, stream: bool, **options: Any
    ) -> AsyncGenerator[Conversation]:
        parameters = members_of(options.get("optional_params"))
        request = {key: value for key, value in parameters.items() if key not in _OWN}
        request |= members_of(parameters.get("extra_body"))
        if (effort := effort_of(parameters.get("thinking"))) is not None:
            request.setdefault("reasoning_effort", effort)
        request |= {"model": model, "messages": messages, "stream": stream}
        key = options.get("api_key")
        try:
            upstream = await self._upstreams.here()
            yield Conversation(request, self._settings, upstream, f"Bearer {key}" if key else None)
        except ApiError as problem:
            raise self._failed(status_code=problem.status, message=problem.message) from problem

    def _chunk(self, payload: dict[str, Any]) -> Any:
        if "error" in payload:
            raise self._failed(status_code=502, message=payload["error"]["message"])
        return self._types.ModelResponseStream(**payload)


class _Upstreams:
    """The upstream, for each event loop one: connections belong to the loop that has opened them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: dict[asyncio.AbstractEventLoop, tuple[Upstream, finalize[..., Any]]] = {}

    async def here(self) -> Upstream:
        """That of the running loop. When a loop ends it closes its generators, and with one of them the connections."""
        loop = asyncio.get_running_loop()
        if loop not in self._opened:
            for ended in [each for each in self._opened if each.is_closed()]:
                self._opened.pop(ended)[1].detach()
            opening = _opening(self._settings)
            upstream = await anext(opening)
            if loop in self._opened:
                await opening.aclose()
            else:
                self._opened[loop] = (upstream, finalize(self, _close, loop, opening))
        return self._opened[loop][0]


async def _opening(settings: Settings) -> AsyncGenerator[Upstream]:
    async with HttpClient(settings) as client:
        yield Upstream(settings, client)


def _close(loop: asyncio.AbstractEventLoop, opening: AsyncGenerator[Upstream]) -> None:
    """Nobody asks this upstream any more."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.create_task, opening.aclose())


class _Loop:
    """An event loop in a thread of its own, for callers that wait; it is there from the first call on."""

    def __init__(self) -> None:
        self._running: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()

    def wait(self, work: Coroutine[Any, Any, Made]) -> Made:
        """What becomes of it."""
        with self._starting:
            if self._running is None:
                self._running = asyncio.new_event_loop()
                threading.Thread(target=self._running.run_forever, daemon=True, name="litellm-provider").start()
                atexit.register(self._end, self._running)
        return asyncio.run_coroutine_threadsafe(work, self._running).result()

    def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.run_coroutine_threadsafe(loop.shutdown_asyncgens(), loop).result(_PATIENCE)
        loop.call_soon_threadsafe(loop.stop)


_PATIENCE: Final = 5.0


async def _next(chunks: AsyncGenerator[Any]) -> Any:
    return await anext(chunks, None)
