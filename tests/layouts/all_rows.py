"""The rows of all modules with a table `ROWS`, for tests of what is true of every row."""

from __future__ import annotations

from typing import Any

from layouts import (
    test_exports,
    test_frameworks,
    test_logs,
    test_messages,
    test_preferences,
    test_questions_and_answers,
    test_sessions,
    test_texts_of_templates,
    test_tool_calls,
    test_transcripts,
    test_trees,
)

MODULES = (
    test_messages,
    test_tool_calls,
    test_questions_and_answers,
    test_preferences,
    test_texts_of_templates,
    test_logs,
    test_trees,
    test_exports,
    test_frameworks,
    test_transcripts,
    test_sessions,
)
ROWS: list[tuple[str, dict[str, Any]]] = [(layout, row) for module in MODULES for layout, row, *_ in module.ROWS]
"""The layout of each row, and the row."""
