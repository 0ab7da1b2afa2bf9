"""List the layouts of rows whose conversation is one text, in a template or with the speaker before each turn."""

from __future__ import annotations

from functools import partial
from typing import Final

from . import columns, dialogue, framed, frames, templates
from .layout import Layout

TEXTS: Final[tuple[Layout, ...]] = (
    Layout(
        "alpaca-text",
        "a text in Alpaca's template (`### Instruction:`)",
        "openai",
        {"text": columns.TEXT},
        templates.is_headed,
        templates.read_headed,
    ),
    Layout(
        "dialogue",
        "a text with the speaker before each turn",
        "openai",
        {
            "text": ("text", "chat", "dialogue", "dialog", "conversation", "example", "transcript", "messages_display"),
            "system": ("system",),
        },
        dialogue.is_dialogue,
        dialogue.read_dialogue,
    ),
    *(
        Layout(
            name,
            f"a text in the template of {tokens.whose} ({tokens.shown})",
            "openai",
            {framed.TEXT: columns.TEXT},
            partial(framed.is_framed, tokens),
            partial(framed.read_framed, tokens),
        )
        for name, tokens in frames.ALL.items()
    ),
    Layout(
        "baize",
        "a text in Baize's template (`[|Human|]` and `[|AI|]`)",
        "openai",
        {"text": ("input", *columns.TEXT)},
        templates.is_baize,
        templates.read_baize,
    ),
    Layout(
        "vicuna",
        "a text in Vicuna's template (`USER:` in the line)",
        "openai",
        {"text": columns.TEXT},
        templates.is_vicuna,
        templates.read_vicuna,
    ),
)
