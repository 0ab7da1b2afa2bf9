"""axe-core in a page; `OCML_AXE` names its file `axe.min.js`."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

from .browser import Opened

AXE: Final = os.environ.get("OCML_AXE")


def violations(page: Opened) -> list[str]:
    """What axe-core finds, in words."""
    assert AXE is not None
    page.run(Path(AXE).read_text("utf-8") + ";0")
    found: list[Any] = page.run("axe.run().then((all) => all.violations)")
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]


def looked_at(page: Opened) -> Generator[list[str]]:
    """The violations in each width and light."""
    for width in (1280, 390):
        for dark in (False, True):
            page.emulate(dark=dark)
            page.resize(width, 900)
            assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), width
            yield violations(page)
