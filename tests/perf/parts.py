"""Replace the generated parts of a page."""

from __future__ import annotations

import re


def with_part(text: str, name: str, made: str) -> str:
    """The page with one generated part made anew."""
    pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
    return re.sub(pattern, lambda found: f"{found[1]}\n{made}\n\n{found[2]}", text, flags=re.S)
