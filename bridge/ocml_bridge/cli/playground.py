"""Define the command `playground`, which serves the converter as a page that runs in the browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from .output import PROGRAM, say

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", default=8732, show_default=True, help="Listen there."
)
@click.option("--assets", type=_FOLDER, metavar="FOLDER", help="Take what the browser runs from FOLDER: no network.")
@click.option("--build", type=_FOLDER, metavar="FOLDER", help="Write the page and all it needs to FOLDER, and end.")
def playground(port: int, assets: Path | None, build: Path | None) -> None:
    """Serve a page that converts what is pasted into it.

    The conversion runs in the browser, and nothing leaves it. What the browser needs for that (about 9 MB) is
    downloaded once; the page is served on the loopback address only. A FOLDER that --build wrote can be served by any
    web server.
    """
    # Imported here, because only this command needs it.
    from ..playground import assets as needed
    from ..playground.serve import served
    from ..playground.site import build as write

    collected = needed.collect(assets, say)
    if build is not None:
        write(build, collected)
        return
    with tempfile.TemporaryDirectory(prefix=PROGRAM) as folder:
        write(Path(folder), collected)
        try:
            with served(Path(folder), port) as server:
                host, found = server.server_address[:2]
                say(f"http://{host!s}:{found}/ (Ctrl-C ends it)")
                server.serve_forever()
        except OSError as error:
            raise click.ClickException(
                f"port {port} cannot be opened ({error.strerror}); name another with --port"
            ) from error
