"""Where the command begins: Ctrl-C while the program is still being imported ends it without a traceback."""

from __future__ import annotations

import signal


def main() -> int:
    """Run `ocml-convert` with the command line of the process; gives its exit status."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ocml_bridge.cli import main as run

    signal.signal(signal.SIGINT, before)
    return run()
