"""Expose metrics for Prometheus: requests, durations, requests in progress, and the size of the memory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from ...json_values.parameters import items_of

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable for the folder in which several processes gather their metrics."""
_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


class Metrics:
    """The metrics of one gateway. Labels never come from clients."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "ocml_requests", "Requests that are over.", ("path", "status", "upstream"), registry=self._registry
        )
        self._seconds = Histogram(
            "ocml_request_seconds", "How long requests took.", ("path",), buckets=_SECONDS, registry=self._registry
        )
        self._first = Histogram(
            "ocml_first_event_seconds",
            "How long clients of streams waited for the first event.",
            ("path",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._tokens = Counter(
            "ocml_tokens", "Tokens, as the upstreams count them.", ("kind", "upstream"), registry=self._registry
        )
        self._losses = Counter(
            "ocml_losses", "Requests whose prompt, or answers that, lost something.", ("loss",), registry=self._registry
        )
        self._under_way = self._gauge("ocml_requests_in_flight", "Requests under way.")
        self._remembered = self._gauge("ocml_turn_memory_calls", "Calls whose reasoning is remembered.")
        self._remembered_size = self._gauge(
            "ocml_turn_memory_characters", "Characters of reasoning that are remembered."
        )

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(name, text, registry=self._registry, multiprocess_mode="livesum")

    def under_way(self, requests: int) -> None:
        """Set the number of requests in progress."""
        self._under_way.set(requests)

    def remembered(self, calls: int, characters: int) -> None:
        """Set the size of the memory."""
        self._remembered.set(calls)
        self._remembered_size.set(characters)

    def over(self, status: int, seconds: float, known: Mapping[str, Any]) -> None:
        """Count a finished request.

        Args:
            status: the status of the response; 499 if the client left.
            seconds: its duration.
            known: the fields of its journal entry.
        """
        path, upstream = known["path"], known.get("upstream", "")
        self._requests.labels(path, str(status), upstream).inc()
        self._seconds.labels(path).observe(seconds)
        if "first" in known:
            self._first.labels(path).observe(known["first"] / 1000)
        for kind in ("prompt_tokens", "completion_tokens"):
            count = known.get("usage", {}).get(kind)
            if isinstance(count, int) and count > 0:
                self._tokens.labels(kind.removesuffix("_tokens"), upstream).inc(count)
        for loss in {*items_of(known.get("losses")), *items_of(known.get("answer_losses"))}:
            self._losses.labels(loss).inc()

    def exposed(self) -> bytes:
        """Return all metrics in the format of Prometheus; those of all processes if they are gathered."""
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)
            return generate_latest(registry)
        return generate_latest(self._registry)
