"""Define `ocml-convert serve --upstream URL`: Chat Completions in front of servers that complete prompts."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import shutil
import signal
import ssl
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from ..errors import BridgeError, ErrorCode, ExitCode
from .gateway_options import SERVICE, UPSTREAM, service_of, service_options, settings_of, upstream_options
from .output import PROGRAM, CommandError, say
from .parameters import FILE
from .settings_file import defaults, settings_option, upstreams_of

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from ..hosts.gateway import Service, Settings

SWITCH: Final = 0.001
"""The interval in seconds after which a thread with a large conversion lets pending answers run."""
GENERATIONS: Final = (5_000, 10, 20)
"""When the cyclic collector looks at objects. Each stream has some hundreds: with the interpreter's own numbers, all
answers wait for a tenth of a second each time that a few hundred streams more are there."""


@click.command()
@settings_option
@upstream_options
@service_options
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Listen on this address.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=8080,
    show_default=True,
    help="Listen on this port; 0 takes any that is free.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Run N processes; one for each core is a good number.",
)
@click.option(
    "--tls-certificate", metavar="FILE", type=FILE, help="Serve HTTPS with this certificate (PEM, with its chain)."
)
@click.option(
    "--tls-key", metavar="FILE", type=FILE, help="Read the certificate's key from FILE, if it is not beside it."
)
@click.option(
    "--tls-clients",
    metavar="FILE",
    type=FILE,
    help="Let in only clients with a certificate of these authorities (PEM).",
)
@click.option(
    "--header-timeout",
    type=click.FloatRange(0, min_open=True),
    default=20.0,
    show_default=True,
    metavar="S",
    help="Wait so many seconds for the header of a request.",
)
@click.option(
    "--grace",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    metavar="S",
    help="Let answers under way finish for so many seconds when the gateway is stopped.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print no line on stderr for each request.")
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    workers: int,
    tls_certificate: str | None,
    tls_key: str | None,
    tls_clients: str | None,
    header_timeout: float,
    grace: int,
    quiet: bool,
    **given: Any,
) -> None:
    """Offer Chat Completions, Responses and Messages in front of a server that only completes prompts.

    The server's key is read from the environment variable OCML_UPSTREAM_KEY. Without it, each client's own key is
    passed on. Ctrl-C or SIGTERM ends the gateway when the answers under way are finished, or after --grace seconds; a
    second Ctrl-C ends it at once.
    """
    try:
        import uvicorn
        from uvicorn.supervisors import Multiprocess

        from ..hosts.gateway.clients.keys import Keys
        from ..hosts.gateway.connections import ImpatientProtocol, listening_socket
    except ImportError as error:
        message = f"serve needs more packages ({error.name} is missing): pip install 'ocml-convert[gateway]'"
        raise BridgeError(ErrorCode.DEPENDENCY, message) from error
    settings = upstreams(ctx, {name: given[name] for name in UPSTREAM})
    service = service_of({name: given[name] for name in SERVICE}, workers=workers)
    if service.keys is not None:
        Keys(service.keys)  # a file that cannot be read is an error of the command line
    make = partial(application, settings, service, header_timeout, quiet=quiet)
    probed = [_probe(one) for one in settings]
    config = uvicorn.Config(
        make if workers > 1 else make(),
        factory=workers > 1,
        host=host,
        port=port,
        http=ImpatientProtocol,
        workers=workers,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=grace,
        ssl_certfile=tls_certificate,
        ssl_keyfile=tls_key,
        ssl_ca_certs=tls_clients,
        ssl_cert_reqs=ssl.CERT_NONE if tls_clients is None else ssl.CERT_REQUIRED,
    )
    if service.keys is None and any(one.api_key for one in settings) and not _is_local(host):
        say(f"{PROGRAM}: everyone who reaches {host} can use the upstream's key; --api-keys restricts it")
    try:
        socket = listening_socket(config)  # whoever reads the next line may connect
    except OSError as error:
        reason = f"{host}:{port}: {ErrorCode.IO}: {error.strerror or error}; --host and --port name another address"
        raise CommandError(reason, ExitCode.FAILED) from error
    scheme = "http" if tls_certificate is None else "https"
    behind = ", ".join(f"{one.upstream}{known}" for one, known in zip(settings, probed, strict=True))
    say(f"{PROGRAM}: listening on {scheme}://{host}:{socket.getsockname()[1]}/v1, in front of {behind}")
    if workers > 1:
        with _common_numbers():
            Multiprocess(config, sockets=[socket]).run()
    else:
        # The server takes the signal to stop as soon as it runs, and raises it again once it has stopped: an end, not a
        # failure. Before that it ends the process at once.
        signal.signal(signal.SIGTERM, _stop)
        uvicorn.Server(config).run(sockets=[socket])


def _stop(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(ExitCode.OK)


def application(settings: Sequence[Settings], service: Service, header_timeout: float, *, quiet: bool) -> Starlette:
    """Return the application of one process."""
    from ..hosts.gateway import create_app
    from ..hosts.gateway.connections import ImpatientProtocol

    ImpatientProtocol.seconds = header_timeout
    _log(quiet=quiet)
    sys.setswitchinterval(SWITCH)
    app = create_app(settings, service)
    # Objects of the start are permanent: the collector need not look at them again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GENERATIONS)
    return app


def _probe(settings: Settings) -> str:
    """Ask the upstream what it is, and raise if it cannot work; an upstream that does not answer yet is asked later.

    Returns:
        What follows the upstream's URL in the message of the start.
    """
    import asyncio

    from ..hosts.gateway.problems import ApiError
    from ..hosts.gateway.upstreams.http import HttpClient
    from ..hosts.gateway.upstreams.upstream import Upstream

    async def ask() -> str:
        async with HttpClient(settings) as client:
            return (await Upstream(settings, client).driver(None)).name

    try:
        return f" (driver: {asyncio.run(ask())})"
    except ApiError as problem:
        path = "" if settings.upstream.rstrip("/").endswith("/v1") else "; the URL of most servers ends in /v1"
        return f", which does not work yet, and is asked again with the first request: {problem.message}{path}"


@click.command()
@upstream_options
@click.option("--name", "label", default="")
@click.option("--key-file", type=FILE)
def _one_upstream(label: str, key_file: str | None, **given: Any) -> Settings:
    """Return the settings of an upstream in a file."""
    return settings_of(given, key_file=key_file, label=label)


def upstreams(context: click.Context, given: dict[str, Any]) -> list[Settings]:
    """Return the upstreams of the settings file, or the one of the command line."""
    listed = upstreams_of(context)
    if not listed:
        return [settings_of(given)]
    if given["upstream"] is not None:
        raise BridgeError(
            ErrorCode.OPTION, "name the server with --upstream or with 'upstreams' in the settings, not with both"
        )
    found: list[Settings] = []
    for common, own in listed:
        options = defaults(_one_upstream.params, common, others=True) | defaults(_one_upstream.params, own)
        one = _one_upstream.make_context("upstreams", [], parent=context, default_map=options)
        found.append(_one_upstream.invoke(one))
    return found


@contextmanager
def _common_numbers() -> Generator[None]:
    """Create a folder in which the processes gather their metrics."""
    from ..hosts.gateway.metrics import SHARED

    if os.environ.get(SHARED):
        yield
        return
    folder = os.environ[SHARED] = tempfile.mkdtemp(prefix="ocml-numbers-")
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _log(*, quiet: bool) -> None:
    log = logging.getLogger("ocml_bridge.gateway")
    log.setLevel(logging.WARNING if quiet else logging.INFO)
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
