"""A headless Chromium, driven over its debugging pipe: what a page does when it is opened, without any library."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

CHROMIUM: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# Chromium reads commands from descriptor 3 and answers on 4.
LAUNCH: Final = """
import fcntl, os, sys
r, w = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(r, 3), os.dup2(w, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
PATIENCE: Final = 60.0
"""Seconds."""
Json = dict[str, Any]


@dataclass
class Opened:
    """What was seen of a page.

    Attributes:
        requests: every address that the page asked for, its own first.
        complaints: console messages, exceptions, violations of the policy.
    """

    browser: Browser
    session: str
    requests: list[str] = field(default_factory=list[str])
    complaints: list[str] = field(default_factory=list[str])

    def run(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        done = self.browser.ask(
            "Runtime.evaluate",
            self.session,
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = key if len(key) == 1 and kind == "keyDown" else ""
            self.browser.ask("Input.dispatchKeyEvent", self.session, type=kind, key=key, text=text)

    def emulate(self, *, media: str = "", dark: bool = False) -> None:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.browser.ask("Emulation.setEmulatedMedia", self.session, media=media, features=features)

    def resize(self, width: int, height: int) -> None:
        self.browser.ask(
            "Emulation.setDeviceMetricsOverride",
            self.session,
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def screenshot(self, path: Path, width: int, height: int) -> None:
        self.resize(width, height)
        shot = self.browser.ask("Page.captureScreenshot", self.session, format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def record(self, event: Json) -> None:
        method, params = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console: {params['args']}")
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(f"exception: {params['exceptionDetails']}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"log: {params['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.complaints.append(f"dialog: {params['message']}")


class Browser:
    """One browser for many pages."""

    def __init__(self, process: subprocess.Popen[bytes], into: int, out: int) -> None:
        self._process, self._into, self._out = process, into, out
        self._number = 0
        self._buffer = b""
        self._pages: dict[str, Opened] = {}
        self._loaded: set[str] = set()

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> Json:
        """Send a command and wait for its answer."""
        self._number += 1
        number = self._number
        message: Json = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._into, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            heard = self._hear(deadline)
            if heard.get("id") == number:
                assert "error" not in heard, heard["error"]
                return heard["result"]

    def _hear(self, deadline: float) -> Json:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._out], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser sends nothing"
            chunk = os.read(self._out, 1 << 20)
            assert chunk, "the browser is gone"
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        heard: Json = json.loads(line)
        session = heard.get("sessionId", "")
        if heard.get("method") == "Page.loadEventFired":
            self._loaded.add(session)
        if "method" in heard and session in self._pages:
            self._pages[session].record(heard)
        return heard

    @contextmanager
    def opened(self, address: str, *, settle: float = 0.05) -> Generator[Opened]:
        """A page that has loaded, and `settle` seconds to do what it should not."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Opened(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable", session)
        self.ask("Page.navigate", session, url=address)
        deadline = time.monotonic() + PATIENCE
        while session not in self._loaded:
            self._hear(deadline)
        page.run(f"new Promise((done) => setTimeout(done, {settle * 1000}))")
        yield page
        del self._pages[session]
        self.ask("Target.closeTarget", targetId=target)


@contextmanager
def started() -> Generator[Browser]:
    """A browser with a new, empty profile."""
    assert CHROMIUM is not None
    from_us, to_browser = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        line = (CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank")
        process = subprocess.Popen(
            (sys.executable, "-c", LAUNCH, str(from_us), str(to_us), *line),
            pass_fds=(from_us, to_us),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(from_us)
        os.close(to_us)
        try:
            yield Browser(process, to_browser, from_browser)
        finally:
            os.close(to_browser)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(from_browser)
