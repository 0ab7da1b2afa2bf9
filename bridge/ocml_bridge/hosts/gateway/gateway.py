"""Hold what all requests of a gateway share."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

from .admission import Admission, Ticket
from .answers.turn_memory import OwnMemory, TurnMemory
from .clients.keys import Keys
from .metrics import Metrics
from .service import Service, TurnMemorySettings
from .upstreams.backends import Backend, Backends

WORKERS: Final = 2
"""The number of large requests that are converted at once: more would only compete for the CPU."""


class Gateway:
    """The shared state of all requests.

    Args:
        service: the settings of the service for clients.
        backends: its upstreams.
        keys: the keys of callers; None to let everyone ask.

    Attributes:
        admission: limits the requests in progress.
        metrics: counts requests.
        memory: the reasoning before calls; None to remember nothing.
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
        """Return the ticket of one request.

        Raises:
            ApiError: if there is none.
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
        """Return a name for the caller, different for each key.

        Raises:
            ApiError: if it needs a key and has none.
        """
        authorization, key = headers.get("authorization"), headers.get("x-api-key")
        if self.keys is not None:
            return self.keys.caller(authorization, key)
        return hashlib.sha256((authorization or key or "").encode("utf-8", "surrogatepass")).hexdigest()

    def memory_of(self, caller: str, model: str) -> OwnMemory | None:
        """Return the memory of one caller's calls by one model."""
        return None if self.memory is None else self.memory.of(caller, model, time.time)

    def backend_for(self, request: dict[str, Any]) -> Backend:
        """Return the upstream for a request, and replace the request's `model` by the upstream's name for it.

        Raises:
            ApiError: if there is none.
        """
        name = request.get("model")
        if isinstance(name, str):
            request["model"] = name = self.backends.model(name)
        return self.backends.of(name if isinstance(name, str) else "")[0]

    def key_for(self, headers: Mapping[str, str]) -> str | None:
        """Return the client's `Authorization` for the upstream; None if the gateway has keys of its own."""
        return None if self.keys is not None else headers.get("authorization")

    async def models(self, headers: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the models.

        Raises:
            ApiError: if no upstream answers.
        """
        return await self.backends.models(self.key_for(headers))

    async def ready(self) -> dict[str, bool]:
        """Return which upstreams answer, by name; they are asked once a second at most."""
        now = time.monotonic()
        if self._readiness is None or now >= self._readiness_until:
            self._readiness, self._readiness_until = asyncio.ensure_future(self.backends.ready()), now + 1
        return await asyncio.shield(self._readiness)


def _memory(settings: TurnMemorySettings | None) -> TurnMemory | None:
    if settings is None:
        return None
    seal = None
    if settings.keys:
        # Imported here, because it needs another extra.
        from .answers.sealed_ids import SealedIds

        seal = SealedIds(settings.keys, settings.age)
    return TurnMemory(settings.entries, settings.size, settings.age, seal)
