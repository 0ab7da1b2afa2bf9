"""Define the options of `serve`: those of an upstream, and those of the service, each combined to one value."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..model import Json
from ..profiles import Profile, default_profile, profile
from .options import policy_options
from .parameters import FILE, Command, complete_profile, format_option
from .special_tokens import special_tokens_option

if TYPE_CHECKING:
    from ..hosts.gateway import Service, Settings

NONE: Final = "none"
"""The name for no profile: messages are not changed."""
_FORMAT: Final = "harmony"
"""The format of a model for which none is named."""
KEY: Final = "OCML_UPSTREAM_KEY"
"""The environment variable for the upstream's key; an option would be visible to every user of the machine."""
SEALS: Final = "OCML_SEAL_KEYS"
"""The environment variable for the keys of sealed call ids."""
_MIB: Final = 1024 * 1024


def _seconds(name: str, default: float, text: str) -> Command:
    kind = click.FloatRange(0, min_open=True)
    return click.option(name, type=kind, default=default, show_default=True, metavar="S", help=text)


def upstream_options(command: Command) -> Command:
    """Add the options of one upstream; `settings_of` makes one value of them."""
    for option in reversed(
        (
            click.option("--upstream", metavar="URL", help="Pass prompts to this server; the URL ends in /v1."),
            format_option(
                "-f", "--format", "form", text="Speak this format with the model; harmony-tokens for token ids."
            ),
            click.option(
                "--profile",
                "name",
                metavar="NAME",
                shell_complete=complete_profile,
                help="Make the prompts of this model. The command 'profiles' lists the names; 'none' writes messages as"
                " they are.",
            ),
            click.option(
                "--reasoning",
                type=click.Choice(("none", "reasoning", "reasoning_content")),
                default="none",
                show_default=True,
                help="Give clients private reasoning under this key; 'none' keeps it private.",
            ),
            click.option(
                "--preambles",
                type=click.Choice(("content", "reasoning", "nothing")),
                default="content",
                show_default=True,
                help="Pass on what a model says to the user before a call in this form.",
            ),
            partial(policy_options, strict=False),
            special_tokens_option,
            click.option(
                "--driver",
                type=click.Choice(("auto", "vllm", "llama.cpp", "completions")),
                default="auto",
                show_default=True,
                help="Ask the server as this kind of engine; 'auto' asks it what it is.",
            ),
            click.option(
                "--context",
                type=click.IntRange(1),
                metavar="TOKENS",
                help="Assume this length of the model's context, if the server does not report it.",
            ),
            click.option(
                "--body", metavar="JSON", default="{}", help="Add these members to each request to the server."
            ),
            click.option(
                "--model",
                "models",
                metavar="NAME",
                multiple=True,
                help="Pass on requests for this model only; repeat it for more.",
            ),
            _seconds("--connect-timeout", 10.0, "Wait so many seconds for a connection to the server."),
            _seconds("--read-timeout", 300.0, "Wait so many seconds for the next chunk of the server's answer."),
        )
    ):
        command = option(command)
    return command


UPSTREAM: Final = (
    *("upstream", "form", "name", "reasoning", "preambles", "policy", "special_tokens", "driver", "context"),
    *("body", "models", "connect_timeout", "read_timeout"),
)
"""The parameters that `upstream_options` fill."""


def settings_of(given: dict[str, Any], *, key_file: str | None = None, label: str = "") -> Settings:
    """Return the settings of one upstream.

    Args:
        given: the values of `UPSTREAM`.
        key_file: a file with the upstream's key; None for the key in the environment.
        label: the name of the upstream in logs.
    """
    from ..hosts.gateway import Settings

    model = _model(given["form"], given["name"])
    reasoning = given["reasoning"]
    return Settings(
        upstream=_url(given["upstream"]),
        format=model.format,
        profile=model.name,
        reasoning=None if reasoning == "none" else reasoning,
        preambles=given["preambles"],
        policy=given["policy"],
        special_tokens=given["special_tokens"],
        driver=given["driver"],
        context=given["context"],
        body=_members(given["body"]),
        api_key=_key(key_file),
        models=given["models"],
        name=label,
        connect_timeout=given["connect_timeout"],
        read_timeout=given["read_timeout"],
    )


def service_options(command: Command) -> Command:
    """Add the options of all requests; `service_of` makes one value of them."""
    for option in reversed(
        (
            click.option(
                "--api-keys", "keys", metavar="FILE", type=FILE, help="Let in only clients with one of these keys."
            ),
            click.option(
                "--cors",
                "origins",
                metavar="ORIGIN",
                multiple=True,
                help="Let in scripts of this web page; repeat it for more.",
            ),
            click.option(
                "--alias",
                "aliases",
                metavar="NAME=MODEL",
                multiple=True,
                help="Answer to another name of a model, too.",
            ),
            click.option("--no-completions", is_flag=True, help="Do not pass /v1/completions through."),
            click.option("--no-turn-memory", is_flag=True, help="Do not put back the reasoning that led to a call."),
            click.option(
                "--max-request",
                type=click.IntRange(1),
                metavar="N",
                default=16,
                show_default=True,
                help="Refuse requests larger than so many MiB.",
            ),
            click.option(
                "--max-in-flight",
                type=click.IntRange(1),
                metavar="N",
                default=4096,
                show_default=True,
                help="Refuse requests beyond so many at once.",
            ),
            _seconds("--keep-alive", 15.0, "Send a comment after so many seconds of silence in a stream."),
            _seconds("--body-timeout", 60.0, "Wait so many seconds for the body of a request."),
        )
    ):
        command = option(command)
    return command


SERVICE: Final = (
    *("keys", "origins", "aliases", "no_completions", "no_turn_memory", "max_request", "max_in_flight"),
    *("keep_alive", "body_timeout"),
)
"""The parameters that `service_options` fill."""


def service_of(given: dict[str, Any], *, workers: int) -> Service:
    """Return the settings for serving clients.

    Args:
        given: the values of `SERVICE`.
        workers: the number of processes that serve them.
    """
    from ..hosts.gateway import Service, TurnMemorySettings

    memory = None
    if not given["no_turn_memory"]:
        keys = tuple(os.environ.get(SEALS, "").replace(",", " ").split())
        memory = TurnMemorySettings(keys=keys or (_common_key() if workers > 1 else ()))
    aliases = [alias.partition("=") for alias in given["aliases"]]
    for alias, equals, name in aliases:
        if not (alias and equals and name):
            raise BridgeError(ErrorCode.OPTION, f"--alias is NAME=MODEL, not {alias + equals + name!r}")
    return Service(
        aliases={alias: name for alias, _, name in aliases},
        keys=given["keys"],
        origins=given["origins"],
        completions=not given["no_completions"],
        turn_memory=memory,
        max_request=given["max_request"] * _MIB,
        max_in_flight=given["max_in_flight"],
        keep_alive=given["keep_alive"],
        body_timeout=given["body_timeout"],
    )


def _common_key() -> tuple[str]:
    """Return a new key for all processes of a gateway: a process may be asked for calls that another one remembers."""
    try:
        from cryptography.fernet import Fernet
    except ImportError as error:
        message = "several workers need pip install 'ocml-convert[sealed-ids]', or --no-turn-memory"
        raise BridgeError(ErrorCode.DEPENDENCY, message) from error
    return (Fernet.generate_key().decode(),)


def _url(url: str | None) -> str:
    if url is None:
        raise BridgeError(ErrorCode.OPTION, "name the server that completes prompts: --upstream URL")
    if not url.startswith(("http://", "https://")):
        raise BridgeError(ErrorCode.OPTION, f"--upstream is a URL that ends in /v1, not {url!r}")
    return url


def _key(file: str | None) -> str | None:
    """Return the upstream's key, without the line end of files of secrets."""
    try:
        key = os.environ.get(KEY) if file is None else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BridgeError(ErrorCode.OPTION, f"the key in {file} cannot be read: {error}") from error
    key = None if key is None else key.strip()
    if key is not None and not (key.isascii() and key.isprintable()):
        raise BridgeError(ErrorCode.OPTION, "the upstream's key has characters that an HTTP header cannot hold")
    return key or None


def _model(form: str | None, name: str | None) -> Profile:
    """Return the profile that is named, or else the format's own."""
    if name is None:
        return default_profile(form or _FORMAT)
    return profile(None, form or _FORMAT) if name == NONE else profile(name, form)


def _members(text: str) -> dict[str, Json]:
    try:
        value = jsontext.loads(text)
    except BridgeError as error:
        raise BridgeError(ErrorCode.OPTION, f"--body must be a JSON object: {error.message}") from error
    if not isinstance(value, dict):
        raise BridgeError(ErrorCode.OPTION, "--body must be a JSON object")
    return cast("dict[str, Json]", value)
