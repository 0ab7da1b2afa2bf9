"""Define the settings for serving clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TurnMemorySettings:
    """The limits of the memory of reasoning.

    Attributes:
        entries: the maximal number of calls.
        size: the maximal number of characters of all of them.
        age: the maximal age in seconds.
        keys: Fernet keys; with keys, the reasoning before a call is not remembered, but sealed into the call's id,
            which every process with the keys can open.
    """

    entries: int = 10_000
    size: int = 64 * 1024 * 1024
    age: float = 3600.0
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    """The settings for all requests.

    Attributes:
        aliases: other names of models, with the names that the upstreams have for them.
        keys: the file with the gateway's own keys; None lets everyone ask.
        origins: the origins of web pages whose scripts may ask (CORS); `*` for all.
        completions: whether `/v1/completions` is passed through: raw, with all output of the model.
        turn_memory: the limits of the memory of reasoning before calls; None to remember nothing.
        max_request: the maximal size of a request body in bytes.
        body_timeout: the time limit for the arrival of a request's body, in seconds.
        max_in_flight: the maximal number of requests in progress; others get an error, and may try again.
        max_held: the maximal total size of the bodies of waiting requests in bytes.
        keep_alive: the seconds of silence after which a stream gets a comment.
        write_timeout: the seconds in which a client reads nothing after which it counts as gone.
    """

    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    keys: str | None = None
    origins: tuple[str, ...] = ()
    completions: bool = True
    turn_memory: TurnMemorySettings | None = field(default_factory=TurnMemorySettings)
    max_request: int = 16 * 1024 * 1024
    body_timeout: float = 60.0
    max_in_flight: int = 4096
    max_held: int = 256 * 1024 * 1024
    keep_alive: float = 15.0
    write_timeout: float = 300.0
