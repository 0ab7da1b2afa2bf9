"""Transcript → Harmony text."""

from __future__ import annotations

from typing import Any, cast

from ocml_bridge.adapter import Options
from ocml_bridge.loss import Log
from ocml_bridge.model import Document, Message, Transcript

from .body import placed, write_developer
from .fit import layout_of
from .header import fields_of, spell
from .syntax import CONTROL, ENDS, MESSAGE, SPEC, START


def write(document: Document, options: Options, log: Log) -> str:
    """Write an image as text; control tokens in bodies are broken, refused or left by `options.control_tokens`."""
    image = cast("Transcript", document)
    out: list[str] = []
    prompted = is_prompted(image)
    for path, message in placed(image):
        place = path if path == "/tools" else f"{path}/content"
        keep = layout_of(message.layout).get("mentions", ())
        body = CONTROL.guard(body_of(message), options.control_tokens, place, log, keep)
        end = ENDS[message.end] if message.end is not None else ""
        out += (header_of(message, options, prompted=prompted), MESSAGE, body, end)
        prompted = False
    if image.open_turn is not None:
        out.append(header_of(image.open_turn, options, prompted=prompted))
    out.append(layout_of(image.layout).get("tail", ""))
    return "".join(out)


def is_prompted(image: Transcript) -> bool:
    """Whether the text begins behind a generation prompt."""
    return layout_of(image.layout).get("prompted", False)


def header_of(message: Message, options: Options, *, prompted: bool) -> str:
    """The raw header, from `<|start|>` on; behind a generation prompt, what follows it."""
    raw: Any = layout_of(message.layout).get("header")
    if raw is None:
        raw = spell(fields_of(message), options.dialect or SPEC, prompted=prompted)
    return raw if prompted else START + raw


def body_of(message: Message) -> str:
    """The body as it is meant, control tokens included."""
    if message.role == "developer":
        return write_developer(message.content, plain=layout_of(message.layout).get("plain", False))
    return cast("str", message.content)
