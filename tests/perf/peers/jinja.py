"""What both engines of chat templates are given: the same templates, the same variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import orjson

FOLDER: Final = Path(__file__).parents[1] / "templates"
HARMONY: Final = "harmony.jinja"
CHATML: Final = "chatml.jinja"


def template(name: str) -> str:
    """A template's source."""
    return (FOLDER / name).read_text("utf-8")


def variables(data: bytes) -> dict[str, Any]:
    """What a template is rendered with. It is inside the timing: templates start from parsed JSON."""
    request = orjson.loads(data)
    return {"messages": request["messages"], "tools": request.get("tools")}
