"""The upstreams of a gateway, and which of them answers for a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from .problems import ApiError, members
from .settings import Settings
from .upstream import Upstream

REST: Final = 5.0
"""For how long an upstream that could not be reached is asked last, in seconds."""
PATIENCE: Final = 5.0
"""For how long an upstream may think about whether it is there, in seconds."""


class Backend:
    """One upstream.

    Args:
        settings: how to speak to it.
        upstream: the client of it.

    Attributes:
        requests: how many are under way there.
        rests_until: the time until which it is asked last.
    """

    def __init__(self, settings: Settings, upstream: Upstream) -> None:
        self.settings: Final = settings
        self.upstream: Final = upstream
        self.requests = 0
        self.rests_until = 0.0

    @property
    def name(self) -> str:
        """What it is called in logs and metrics."""
        return self.settings.name or self.settings.upstream


class Backends:
    """All upstreams.

    Args:
        backends: in the order in which they are asked.
        aliases: other names of models.
        now: a clock, in seconds.
    """

    def __init__(
        self, backends: Sequence[Backend], aliases: Mapping[str, str], now: Callable[[], float] = time.monotonic
    ) -> None:
        self.all: Final = tuple(backends)
        self.aliases: Final = aliases
        self._now = now

    def model(self, name: str) -> str:
        """The name that the upstream knows a model by."""
        return self.aliases.get(name, name)

    def of(self, model: str) -> list[Backend]:
        """Those that answer for a model: the least busy first, those that could not be reached last.

        Raises:
            ApiError: 404 where there is none.
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
        """A request is under way to an upstream."""
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
        """What all of them list, and the aliases.

        Args:
            key: the client's `Authorization` header, or None.

        Raises:
            ApiError: where none of them answers.
        """
        listed: dict[str, dict[str, Any]] = {}
        problem: ApiError | None = None
        for backend in self.all:
            try:
                for model in models_in(await backend.upstream.models(key)):
                    listed.setdefault(model["id"], model)
            except ApiError as error:
                problem = error
        if problem is not None and not listed:
            raise problem
        for alias, name in self.aliases.items():
            listed.setdefault(alias, {**listed.get(name, {"object": "model"}), "id": alias})
        return list(listed.values())

    async def ready(self) -> dict[str, bool]:
        """Which of them answer, by their names. Any answer counts but one that says that the server is broken."""
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


def models_in(body: Any) -> list[dict[str, Any]]:
    """The models of a list as `/v1/models` gives it."""
    data = members(body).get("data")
    listed = map(members, cast("list[Any]", data)) if isinstance(data, list) else ()
    return [model for model in listed if isinstance(model.get("id"), str)]
