"""`ocml-convert serve --upstream URL`: Chat Completions in front of a server that completes prompts."""

from __future__ import annotations

import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Final, Literal, cast

import click

from .. import jsontext
from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..policy import LossPolicy
from ..profiles import Profile, default_profile, profile
from .options import policy_options
from .output import PROGRAM, say
from .parameters import format_option
from .special_tokens import special_tokens_option

NONE: Final = "none"
"""The name that stands for no profile: messages as they are."""
_FORMAT: Final = "harmony"
"""What a model speaks of which nothing is said."""
if TYPE_CHECKING:
    from ..hosts.gateway import Settings
    from ..hosts.gateway.drivers.names import DriverName

KEY: Final = "OCML_UPSTREAM_KEY"
"""The environment variable that holds the upstream's key: not an option, which every user of the machine could read."""

SEALS: Final = "OCML_SEAL_KEYS"
"""The environment variable that holds the keys of sealed call ids."""


@click.command()
@click.option("--upstream", required=True, metavar="URL", help="The server that completes prompts, up to and with /v1.")
@format_option("-f", "--format", "form", text="What the model reads and writes; harmony-tokens for token ids.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="0: any that is free.")
@click.option(
    "--profile",
    "name",
    metavar="NAME",
    help="Whose prompts are made; the command 'profiles' lists them, and 'none' stands for messages as they are.",
)
@click.option(
    "--reasoning",
    type=click.Choice(("none", "reasoning", "reasoning_content")),
    default="none",
    show_default=True,
    help="The key that clients get private reasoning under; it stays private unless you name one.",
)
@policy_options
@special_tokens_option
@click.option(
    "--driver",
    type=click.Choice(("auto", "vllm", "llama.cpp", "completions")),
    default="auto",
    show_default=True,
    help="How the upstream is asked; auto asks it what it is.",
)
@click.option(
    "--context",
    type=click.IntRange(1),
    metavar="TOKENS",
    help="How long the model's context is, where the upstream does not say it.",
)
@click.option("--body", metavar="JSON", default="{}", help="More members for every request to the upstream.")
@click.option(
    "--max-request", type=click.IntRange(1), default=16, show_default=True, help="The largest request, in MiB."
)
@click.option(
    "--connect-timeout",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds to wait for a connection to the upstream.",
)
@click.option(
    "--read-timeout",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds to wait for the upstream's next chunk.",
)
@click.option(
    "--grace",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Seconds that answers under way have to finish in when the gateway is to end.",
)
@click.option("--no-turn-memory", is_flag=True, help="Do not put back the reasoning that led to a call.")
@click.option("-q", "--quiet", is_flag=True, help="No line on stderr for each request.")
def serve(
    upstream: str,
    form: str | None,
    host: str,
    port: int,
    name: str | None,
    reasoning: Literal["none", "reasoning", "reasoning_content"],
    policy: LossPolicy,
    special_tokens: tuple[str, ...],
    driver: DriverName,
    context: int | None,
    body: str,
    max_request: int,
    connect_timeout: float,
    read_timeout: float,
    grace: int,
    no_turn_memory: bool,
    quiet: bool,
) -> None:
    """Offer /v1/chat/completions in front of UPSTREAM's /v1/completions.

    The key for the upstream is taken from the environment variable OCML_UPSTREAM_KEY; without it, each client's own
    is passed on. Ctrl-C or SIGTERM ends it once the answers under way are finished, for which they have --grace
    seconds; a second Ctrl-C ends it at once.
    """
    model = _model(form, name)
    try:
        import uvicorn

        from ..hosts.gateway import Service, Settings, TurnMemorySettings, create_app
    except ImportError as error:
        message = f"a gateway needs more: pip install 'ocml-convert[gateway]' ({error.name} is missing)"
        raise BridgeError(ErrorCode.DEPENDENCY, message) from error
    settings = Settings(
        upstream=_url(upstream),
        format=model.format,
        profile=model.name,
        reasoning=None if reasoning == "none" else reasoning,
        policy=policy,
        special_tokens=special_tokens,
        driver=driver,
        context=context,
        body=_members(body),
        api_key=os.environ.get(KEY),
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
    )
    keys = tuple(key for key in os.environ.get(SEALS, "").replace(",", " ").split())
    service = Service(
        max_request=max_request * 1024 * 1024,
        turn_memory=None if no_turn_memory else TurnMemorySettings(keys=keys),
    )
    _log(quiet=quiet)
    known = _probe(settings)
    config = uvicorn.Config(
        create_app(settings, service),
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=grace,
    )
    server = uvicorn.Server(config)
    socket = config.bind_socket()
    socket.listen(config.backlog)  # whoever reads the next line may connect
    say(
        f"{PROGRAM}: listening on http://{host}:{socket.getsockname()[1]}/v1, in front of {settings.upstream} ({known})"
    )
    # The server takes the signal to stop, and raises it again once it has stopped: that is an end, not a failure.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server.run(sockets=[socket])


def _probe(settings: Settings) -> str:
    """Ask the upstream what it is, and end here where it cannot work; one that is not there yet is asked later."""
    import asyncio

    from ..hosts.gateway.problems import ApiError
    from ..hosts.gateway.upstream import Upstream, client_for

    async def ask() -> str:
        async with client_for(settings) as client:
            return (await Upstream(settings, client).driver(None)).name

    try:
        return f"driver: {asyncio.run(ask())}"
    except ApiError as problem:
        return f"which is asked later what it is: {problem.message}"


def _url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise BridgeError(ErrorCode.OPTION, f"--upstream is a URL that ends in /v1, not {url!r}")
    return url


def _model(form: str | None, name: str | None) -> Profile:
    """The profile that is asked for; where none is, the format's own."""
    if name is None:
        return default_profile(form or _FORMAT)
    return profile(None, form or _FORMAT) if name == NONE else profile(name, form)


def _members(text: str) -> dict[str, Json]:
    value = jsontext.loads(text)
    if not isinstance(value, dict):
        raise BridgeError(ErrorCode.OPTION, "--body is a JSON object")
    return cast("dict[str, Json]", value)


def _log(*, quiet: bool) -> None:
    log = logging.getLogger("ocml_bridge.gateway")
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
