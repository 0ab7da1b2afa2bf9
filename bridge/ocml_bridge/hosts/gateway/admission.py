"""Limit the number of requests in progress, and the total size of their bodies."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from .problems import ApiError


class Admission:
    """Admits requests, or refuses them for a moment.

    Args:
        requests: the maximal number of requests in progress.
        size: the maximal total size of their bodies in bytes.

    Attributes:
        requests: the number of requests in progress.
        size: the total size of their bodies in bytes.
    """

    def __init__(self, requests: int, size: int) -> None:
        self.requests = 0
        self.size = 0
        self._most = requests
        self._largest = size

    def ticket(self) -> Ticket:
        """Return the ticket of one request, for a `with` block."""
        return Ticket(self, self._most, self._largest)


class Ticket:
    """A request that is admitted."""

    def __init__(self, admission: Admission, most: int, largest: int) -> None:
        self._admission = admission
        self._most = most
        self._largest = largest
        self._size = 0

    def __enter__(self) -> Self:
        """Admit the request.

        Raises:
            ApiError: if there are too many.
        """
        if self._admission.requests >= self._most:
            raise _full(f"{self._most} requests are already running")
        self._admission.requests += 1
        return self

    def hold(self, size: int) -> None:
        """Count bytes that are kept in memory for the request.

        Raises:
            ApiError: if there is no room for them.
        """
        if self._admission.size + size > self._largest:
            raise _full("the requests that are running are too large together")
        self._size += size
        self._admission.size += size

    def drop(self) -> None:
        """Stop counting the bytes."""
        self._admission.size -= self._size
        self._size = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the request."""
        self.drop()
        self._admission.requests -= 1


def _full(message: str) -> ApiError:
    return ApiError(503, "overloaded", f"{message}; try again in a moment", headers={"retry-after": "1"})
