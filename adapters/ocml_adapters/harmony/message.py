"""Messages as the reader, the image and the writers have them in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ocml_bridge.model import ByFormat, Content, Message, Transcript
from ocml_bridge.turns import infer_grouping, lift_tools, lower_tools

from .body import write_developer
from .header import Fields, fields_of, spell
from .syntax import HOME, START


def layout_of(by_format: ByFormat | None) -> dict[str, Any]:
    """Harmony's own layout, whatever stands there."""
    own: Any = (by_format or {}).get(HOME)
    return cast("dict[str, Any]", own) if isinstance(own, dict) else {}


def make(fields: Fields, content: Content, end: Any, layout: dict[str, Any], extras: dict[str, Any]) -> Message:
    """A message; an empty layout is none."""
    return Message(
        **fields._asdict(),
        content=content,
        end=end,
        layout={HOME: layout} if layout else None,
        extras={HOME: extras} if extras else None,
    )


def assemble(
    messages: Sequence[Message], open_turn: Message | None, layout: dict[str, Any], extras: dict[str, Any]
) -> Transcript:
    """A transcript of messages as they stand in the text: the tools of the first developer message are lifted out."""
    as_written = tuple(messages)
    kept, tools, _ = lift_tools(as_written)
    if tools is not None and lower_tools(Transcript(kept, tools)) != as_written:
        kept, tools = as_written, None
    return Transcript(
        infer_grouping(kept),
        tools,
        open_turn=open_turn,
        layout={HOME: layout} if layout else None,
        extras={HOME: extras} if extras else None,
    )


def is_prompted(image: Transcript) -> bool:
    """Whether the text begins behind a generation prompt."""
    return layout_of(image.layout).get("prompted", False)


def header_of(message: Message, *, prompted: bool) -> str:
    """The raw header, from `<|start|>` on; behind a generation prompt, what follows it."""
    raw: Any = layout_of(message.layout).get("header")
    if raw is None:
        raw = spell(fields_of(message), prompted=prompted)
    return raw if prompted else START + raw


def body_of(message: Message) -> str:
    """The body as it is meant, control tokens included."""
    if message.role == "developer":
        return write_developer(message.content, plain=layout_of(message.layout).get("plain", False))
    return cast("str", message.content)
