"""The site on the loopback address."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Final

HOST: Final = "127.0.0.1"
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src data:; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing is asked for but the site itself; the page says the same of itself, for other servers."""


class _Handler(SimpleHTTPRequestHandler):
    extensions_map: ClassVar[Any] = {  # whatever this machine thinks of them
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".wasm": "application/wasm",
        ".svg": "image/svg+xml",
        "": "application/octet-stream",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # as its base calls it
        """Say nothing of requests."""


@contextmanager
def served(folder: Path, port: int = 0) -> Generator[ThreadingHTTPServer]:
    """A server of a folder; `serve_forever` runs it.

    Args:
        folder: the site.
        port: 0 for any that is free.
    """
    server = ThreadingHTTPServer((HOST, port), partial(_Handler, directory=str(folder)))
    try:
        yield server
    finally:
        server.server_close()
