"""What all requests of a gateway share."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

from .admission import Admission, Ticket
from .backends import Backend, Backends
from .keys import Keys
from .metrics import Metrics
from .service import Service, TurnMemorySettings
from .turn_memory import OwnMemory, TurnMemory

WORKERS: Final = 2
"""How many large requests are converted at once: more would only take each other's time."""


class Gateway:
    """Who is asked for everything that a request needs.

    Args:
        service: how clients are served.
        backends: what stands behind it.
        keys: who may ask it; None for everyone.

    Attributes:
        admission: how much is under way.
        metrics: counts what is asked.
        memory: what led to calls; None where nothing is remembered.
        workers: convert large requests.
    """

    def __init__(self, service: Service, backends: Backends, keys: Keys | None) -> None:
        self.service: Final = service
        self.backends: Final = backends
        self.keys: Final = keys
        self.admission: Final = Admission(service.max_in_flight, service.max_held)
        self.memory: Final = _memory(service.turn_memory)
        self.metrics: Final = Metrics()
        self._readiness: asyncio.Future[dict[str, bool]] | None = None
        self._readiness_until = 0.0
        self.workers: Final = ThreadPoolExecutor(WORKERS, "conversion")

    @contextmanager
    def ticket(self) -> Generator[Ticket]:
        """A place for one request.

        Raises:
            ApiError: where there is none.
        """
        try:
            with self.admission.ticket() as ticket:
                self.metrics.under_way(self.admission.requests)
                yield ticket
        finally:
            self.metrics.under_way(self.admission.requests)
            if self.memory is not None:
                self.metrics.remembered(self.memory.entries, self.memory.size)

    def caller(self, headers: Mapping[str, str]) -> str:
        """A name for whoever asks; different callers have different ones.

        Raises:
            ApiError: where it has no key and needs one.
        """
        authorization, key = headers.get("authorization"), headers.get("x-api-key")
        if self.keys is not None:
            return self.keys.caller(authorization, key)
        return hashlib.sha256((authorization or key or "").encode("utf-8", "surrogatepass")).hexdigest()

    def memory_of(self, caller: str, model: str) -> OwnMemory | None:
        """What is remembered of one caller's calls by one model."""
        return None if self.memory is None else self.memory.of(caller, model, time.time)

    def backend_for(self, request: dict[str, Any]) -> Backend:
        """The upstream that answers a request, whose `model` becomes the name that it is known by there.

        Raises:
            ApiError: where there is none.
        """
        name = request.get("model")
        if isinstance(name, str):
            request["model"] = name = self.backends.model(name)
        return self.backends.of(name if isinstance(name, str) else "")[0]

    def key_for(self, headers: Mapping[str, str]) -> str | None:
        """The client's `Authorization` as it is passed on: never one of the gateway's own keys."""
        return None if self.keys is not None else headers.get("authorization")

    async def models(self, headers: Mapping[str, str]) -> list[dict[str, Any]]:
        """The models that there are.

        Raises:
            ApiError: where no upstream tells.
        """
        return await self.backends.models(self.key_for(headers))

    async def ready(self) -> dict[str, bool]:
        """Which upstreams answer, by their names; they are not asked more often than once a second."""
        now = time.monotonic()
        if self._readiness is None or now >= self._readiness_until:
            self._readiness, self._readiness_until = asyncio.ensure_future(self.backends.ready()), now + 1
        return await asyncio.shield(self._readiness)


def _memory(settings: TurnMemorySettings | None) -> TurnMemory | None:
    if settings is None:
        return None
    seal = None
    if settings.keys:
        # Imported here: it needs an extra of its own.
        from .sealed_ids import SealedIds

        seal = SealedIds(settings.keys, settings.age)
    return TurnMemory(settings.entries, settings.size, settings.age, seal)
