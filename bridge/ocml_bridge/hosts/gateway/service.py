"""How a gateway serves its clients, whatever stands behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Service:
    """What holds for all requests.

    Attributes:
        aliases: other names of models, with the names that the upstreams know them by.
        keys: the file with the gateway's own keys; None lets everyone ask.
        max_request: the largest request body that is read, in bytes.
        body_timeout: how long a request's body may take to arrive, in seconds.
        max_in_flight: the most requests that are under way at once; those beyond are told to come again.
        max_held: the most bytes that the bodies of waiting requests may take together.
        keep_alive: after how many seconds of silence a stream gets a comment.
        write_timeout: after how many seconds in which a client takes nothing it counts as gone.
    """

    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    keys: str | None = None
    max_request: int = 16 * 1024 * 1024
    body_timeout: float = 60.0
    max_in_flight: int = 4096
    max_held: int = 256 * 1024 * 1024
    keep_alive: float = 15.0
    write_timeout: float = 300.0
