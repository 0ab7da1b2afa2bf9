"""How much is under way at once: requests, and the bytes that their bodies take."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from .problems import ApiError


class Admission:
    """Lets requests in, or sends them away for a moment.

    Args:
        requests: the most that are under way at once.
        size: the most bytes that their bodies may take together.

    Attributes:
        requests: how many are under way.
        size: how many bytes their bodies take.
    """

    def __init__(self, requests: int, size: int) -> None:
        self.requests = 0
        self.size = 0
        self._most = requests
        self._largest = size

    def ticket(self) -> Ticket:
        """A place for one request, for the time of a `with` block."""
        return Ticket(self, self._most, self._largest)


class Ticket:
    """The place of one request."""

    def __init__(self, admission: Admission, most: int, largest: int) -> None:
        self._admission = admission
        self._most = most
        self._largest = largest
        self._size = 0

    def __enter__(self) -> Self:
        """Take the place.

        Raises:
            ApiError: where there is none.
        """
        if self._admission.requests >= self._most:
            raise _full(f"{self._most} requests are already running")
        self._admission.requests += 1
        return self

    def hold(self, size: int) -> None:
        """Count bytes that are kept for the request.

        Raises:
            ApiError: where there is no room for them.
        """
        if self._admission.size + size > self._largest:
            raise _full("the requests that are running are too large together")
        self._size += size
        self._admission.size += size

    def drop(self) -> None:
        """The bytes are kept no longer."""
        self._admission.size -= self._size
        self._size = 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the place back."""
        self.drop()
        self._admission.requests -= 1


def _full(message: str) -> ApiError:
    return ApiError(503, "overloaded", f"{message}; try again in a moment", headers={"retry-after": "1"})
