"""Tools as TypeScript: the `# Tools` section of Harmony and OpenChatML 2.2, out and in."""

from .schema_in import parse_schema, read_signature
from .schema_out import render_schema, render_signature
from .template import read_template_signature, template_signature
from .tools import DEFAULT_NAMESPACE, ParsedTools, comment_text, declare, parse_tools, render_tools

__all__ = [
    "DEFAULT_NAMESPACE",
    "ParsedTools",
    "comment_text",
    "declare",
    "parse_schema",
    "parse_tools",
    "read_signature",
    "read_template_signature",
    "render_schema",
    "render_signature",
    "render_tools",
    "template_signature",
]
