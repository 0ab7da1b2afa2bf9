"""Choose the upstream that answers for a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from ..problems import ApiError
from ..settings import Settings
from .drivers import models_of
from .upstream import Upstream

REST: Final = 5.0
"""The time in seconds for which an unreachable upstream is asked last."""
PATIENCE: Final = 5.0
"""The time limit in seconds for asking an upstream whether it is there."""


class Backend:
    """An upstream.

    Args:
        settings: its settings.
        upstream: its client.

    Attributes:
        requests: the number of its requests in progress.
        rests_until: the time until which it is asked last.
    """

    def __init__(self, settings: Settings, upstream: Upstream) -> None:
        self.settings: Final = settings
        self.upstream: Final = upstream
        self.requests = 0
        self.rests_until = 0.0

    @property
    def name(self) -> str:
        """Return its name in logs and metrics."""
        return self.settings.name or self.settings.upstream


class Backends:
    """All upstreams.

    Args:
        backends: the upstreams, in the order in which they are asked.
        aliases: the names of models for other names.
        now: a clock, in seconds.
    """

    def __init__(
        self, backends: Sequence[Backend], aliases: Mapping[str, str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.all: Final = tuple(backends)
        self.aliases: Final = aliases
        self._now = now

    def model(self, name: str) -> str:
        """Return the upstream's name for a model."""
        return self.aliases.get(name, name)

    def of(self, model: str) -> list[Backend]:
        """Return the upstreams that answer for a model: the least busy first, unreachable ones last.

        Raises:
            ApiError: 404 if there is none.
        """
        found = [backend for backend in self.all if model in backend.settings.models]
        found = found or [backend for backend in self.all if not backend.settings.models]
        if not found:
            message = f"there is no model {model[:100]!r} here"
            raise ApiError(404, "model_not_found", message, "model")
        now = self._now()
        return sorted(found, key=lambda backend: (backend.rests_until > now, backend.requests))

    @contextmanager
    def serving(self, backend: Backend) -> Generator[None]:
        """Count a request to an upstream, in a `with` block."""
        backend.requests += 1
        try:
            yield
        except ApiError as problem:
            if problem.code == "upstream_unreachable":
                backend.rests_until = self._now() + REST
            raise
        finally:
            backend.requests -= 1

    async def models(self, key: str | None) -> list[dict[str, Any]]:
        """Return the models that all of them list, and the aliases.

        Args:
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: if none of them answers.
        """
        listed: dict[str, dict[str, Any]] = {}
        problem: ApiError | None = None
        for backend in self.all:
            try:
                for model in models_of(await backend.upstream.models(key)):
                    if isinstance(model.get("id"), str):
                        listed.setdefault(model["id"], model)
            except ApiError as error:
                problem = error
        if problem is not None and not listed:
            raise problem
        for alias, name in self.aliases.items():
            listed.setdefault(alias, {**listed.get(name, {"object": "model"}), "id": alias})
        return list(listed.values())

    async def ready(self) -> dict[str, bool]:
        """Return which of them answer, by name. Any answer counts, unless it says that the server is broken."""
        answers = await asyncio.gather(*(_answers(backend) for backend in self.all))
        return dict(zip((backend.name for backend in self.all), answers, strict=True))


async def _answers(backend: Backend) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            await backend.upstream.models(None)
    except ApiError as problem:
        return problem.status < 500
    except TimeoutError:
        return False
    return True
