"""Send written data without delay, and close connections whose header does not arrive in time."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from uvicorn import Config
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as _Protocol


def listening_socket(config: Config) -> socket.socket:
    """Return the socket for a server, whose connections send each piece of an answer as it is written.

    The event loop sets that option if it makes the socket itself, but not for the socket that uvicorn makes: there, a
    piece would wait until the client has acknowledged the one before, some 40 ms.

    Args:
        config: the server's configuration, with the address and the number of connections that may wait.

    Raises:
        OSError: if the address cannot be used; uvicorn itself would end the process.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in config.host else socket.AF_INET)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((config.host, config.port))
    except OSError:
        listening.close()
        raise
    listening.set_inheritable(True)  # for the processes of --workers
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listening.listen(config.backlog)
    return listening


class ImpatientProtocol(_Protocol):
    """Closes a connection whose request's header does not arrive in time.

    uvicorn itself closes those that are idle between requests.

    Attributes:
        seconds: the time limit of a header, from its first byte, or from the beginning of the connection.
    """

    seconds: ClassVar[float] = 20.0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin the time limit of the first header."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Begin or end the time limit of a header."""
        super().data_received(data)
        if self.cycle and not self.cycle.response_complete:
            self._stop()
        elif self._deadline is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the time limit."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._deadline = asyncio.get_running_loop().call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
