"""Tools as TypeScript: the `# Tools` section of Harmony and OpenChatML 2.2, out and in."""

from .schema_in import parse_schema
from .schema_out import render_schema, render_signature
from .tools import DEFAULT_NAMESPACE, ParsedTools, declare, parse_tools, render_tools

__all__ = [
    "DEFAULT_NAMESPACE",
    "ParsedTools",
    "declare",
    "parse_schema",
    "parse_tools",
    "render_schema",
    "render_signature",
    "render_tools",
]
