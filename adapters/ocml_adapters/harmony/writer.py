"""Transcript → Harmony text."""

from __future__ import annotations

from typing import cast

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Transcript

from .body import path_of, placed
from .message import body_of, header_of, is_prompted, layout_of
from .syntax import CONTROL, ENDS, MESSAGE


def write(document: Document, options: Options, log: Log) -> str:
    """Write an image as text; control tokens in bodies are broken, refused or left by `options.control_tokens`."""
    image = cast("Transcript", document)
    out: list[str] = [layout_of(image.layout).get("front", "")]
    prompted = is_prompted(image)
    for place, message in placed(image):
        body = body_of(message)
        if not CONTROL.is_safe(body):
            path = path_of(place) if place is None else f"{path_of(place)}/content"
            keep = layout_of(message.layout).get("mentions", ())
            body = CONTROL.guard(body, options.control_tokens, path, log, keep)
        end = ENDS[message.end] if message.end is not None else ""
        out += (header_of(message, prompted=prompted), MESSAGE, body, end)
        prompted = False
    if image.open_turn is not None:
        out.append(header_of(image.open_turn, prompted=prompted))
    out += (layout_of(image.layout).get(key, "") for key in ("tail", "line_end"))
    return "".join(out)
