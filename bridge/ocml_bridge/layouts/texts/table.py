"""List the layouts of rows whose conversation is one text, in a template or with the speaker before each turn."""

from __future__ import annotations

from functools import partial
from typing import Final

from .. import columns, dialogue
from ..layout import Layout
from . import framed, frames, templates


def _in_template(
    name: str, title: str, template: templates.Template, shown: str, names: tuple[str, ...] = columns.TEXT
) -> Layout:
    reads = partial(templates.read_written, template, shown)
    return Layout(name, title, "openai", {"text": names}, partial(templates.is_written, template), reads)


TEXTS: Final[tuple[Layout, ...]] = (
    _in_template(
        "alpaca-text",
        "a text in Alpaca's template (`### Instruction:`)",
        templates.headed,
        "a text with `### Instruction:` and `### Response:`",
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
        "chatml-calls",
        "a text in ChatML with calls as other templates write them",
        "openai",
        {framed.TEXT: columns.TEXT},
        partial(framed.has_calls, frames.CHATML_CALLS, frames.FOREIGN_CALLS),
        partial(framed.read_framed, frames.CHATML_CALLS),
    ),
    _in_template(
        "baize",
        "a text in Baize's template (`[|Human|]` and `[|AI|]`)",
        templates.baize,
        "a text with `[|Human|]` and `[|AI|]`",
        ("input", *columns.TEXT),
    ),
    _in_template(
        "vicuna",
        "a text in Vicuna's template (`USER:` in the line)",
        templates.vicuna,
        "a text in which `USER:` and `ASSISTANT:` take turns",
    ),
)
