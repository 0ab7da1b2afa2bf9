"""minijinja: the templates rendered by Rust."""

from __future__ import annotations

from ..work import Work, library
from .jinja import CHATML, HARMONY, template, variables

PEER = "minijinja"


def _never(name: str) -> bool:
    return False


def works() -> tuple[Work, ...]:
    """Both templates."""
    names = (HARMONY, CHATML)
    engine = library("minijinja").Environment(
        templates={name: template(name) for name in names}, trim_blocks=True, lstrip_blocks=True
    )
    engine.auto_escape_callback = _never
    does = "`orjson.loads`, `render_template` with {}"
    return (
        Work(
            "minijinja-harmony",
            "harmony",
            PEER,
            does.format("a gpt-oss-like template"),
            lambda data: engine.render_template(HARMONY, **variables(data)),
        ),
        Work(
            "minijinja-chatml",
            "chatml",
            PEER,
            does.format("a ChatML template"),
            lambda data: engine.render_template(CHATML, **variables(data)),
        ),
    )
