"""A gateway in front of a scripted upstream, both on real sockets, and the official clients that speak to it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from typing import Any, NamedTuple

import pytest
from openai import OpenAI

from gateway.scripted import Script, Upstream, serving
from ocml_bridge.hosts.gateway import Service, Settings, create_app


class Bench(NamedTuple):
    """What the tests speak to.

    Attributes:
        url: the gateway's, with `/v1`.
        client: the official client.
        upstream: the server behind the gateway.
        play: records an answer and gives the model's name that it is played for.
    """

    url: str
    client: OpenAI
    upstream: Upstream
    play: Callable[..., str]


def answering(**options: Any) -> Iterator[Bench]:
    """A gateway with these settings, of its upstream and of its service."""
    of_service = {field.name: options.pop(field.name) for field in fields(Service) if field.name in options}
    upstream = Upstream()
    numbers = itertools.count()

    def play(pieces: Any, **more: Any) -> str:
        name = f"model-{next(numbers)}"
        upstream.scripts[name] = Script([pieces] if isinstance(pieces, str) else list(pieces), **more)
        return name

    with ExitStack() as stack:
        behind = stack.enter_context(serving(upstream))
        url = stack.enter_context(serving(create_app(Settings(f"{behind}/v1", **options), Service(**of_service))))
        client = stack.enter_context(OpenAI(base_url=f"{url}/v1", api_key="key-of-the-client", max_retries=0))
        yield Bench(f"{url}/v1", client, upstream, play)


@contextmanager
def gateway_with(**options: Any) -> Generator[Bench]:
    """The same for a `with` block."""
    yield from answering(**options)


@pytest.fixture(scope="session", autouse=True)
def _no_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """Nobody here has a certificate that is checked; each client would load those of all authorities nevertheless."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("authorities")))
        yield


@pytest.fixture(scope="session")
def private() -> Iterator[Bench]:
    """As a gateway is by default: reasoning stays private."""
    yield from answering(profile="gpt-oss")


@pytest.fixture(scope="session")
def opened() -> Iterator[Bench]:
    """Whoever runs it has opted in: clients get reasoning."""
    yield from answering(profile="gpt-oss", reasoning="reasoning")
