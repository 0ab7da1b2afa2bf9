"""List the layouts whose reading may change with any release; a plan reads them only if it asks for previews."""

from __future__ import annotations

from typing import Final

from ...model import Json
from ..columns import SESSION, TURNS
from ..fitting import as_list
from ..layout import Layout, Wording
from . import claude_code, cline, codex, pi

PREVIEWS: Final[tuple[Layout, ...]] = (
    Layout(
        "claude-code",
        "sessions of Claude Code",
        "anthropic",
        {SESSION: (SESSION,)},
        claude_code.is_claude_code,
        claude_code.read_claude_code,
        preview=True,
    ),
    Layout(
        "codex",
        "sessions of Codex",
        "openai-responses",
        {SESSION: (SESSION,)},
        codex.is_codex,
        codex.read_codex,
        preview=True,
    ),
    Layout("pi", "sessions of pi and OpenClaw", "openai", {SESSION: (SESSION,)}, pi.is_pi, pi.read_pi, preview=True),
    Layout(
        "cline",
        "histories of Cline and Roo Code whose calls are tags in texts",
        "anthropic",
        {cline.MESSAGES: TURNS},
        cline.is_cline,
        cline.read_cline,
        wording=Wording(thoughts=("thinking",)),
        preview=True,
    ),
)


def is_session(rows: Json) -> bool:
    """Return whether a list holds the rows of a session, which are one conversation."""
    return bool(as_list(rows)) and any(layout.has({SESSION: rows}) for layout in PREVIEWS)
