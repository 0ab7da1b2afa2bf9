"""How a gateway serves its clients, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TurnMemorySettings:
    """How much is remembered, and for how long.

    Attributes:
        entries: the most calls.
        size: the most characters of all of them together.
        age: in seconds.
        keys: Fernet keys; with any, what led to a call is sealed into the call's id, which every process with the keys
            understands, and not remembered.
    """

    entries: int = 10_000
    size: int = 64 * 1024 * 1024
    age: float = 3600.0
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Service:
    """What holds for all requests.

    Attributes:
        aliases: other names of models, with the names that the upstreams know them by.
        keys: the file with the gateway's own keys; None lets everyone ask.
        origins: the origins of web pages whose scripts may ask (CORS); `*` for all.
        completions: whether `/v1/completions` is passed through: raw, with whatever the model writes.
        turn_memory: how much of the reasoning that led to calls is remembered, by the calls' ids; None for nothing.
        max_request: the largest request body that is read, in bytes.
        body_timeout: how long a request's body may take to arrive, in seconds.
        max_in_flight: the most requests that are under way at once; those beyond are told to come again.
        max_held: the most bytes that the bodies of waiting requests may take together.
        keep_alive: after how many seconds of silence a stream gets a comment.
        write_timeout: after how many seconds in which a client takes nothing it counts as gone.
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
