"""A document as people see it: in a terminal, as a page, and beside what another format makes of it.

Pure: documents in, text out. Who may see what is decided in one place (`visibility`), before anything is drawn: what is
hidden is not in the output at all. `story` tells a document as a list of items, `terminal` and `html` draw them.
"""

from ..chat.visibility import DEBUG, END_USER, Visibility
from .compare import Comparison, compare
from .story import Story, tell

__all__ = ["DEBUG", "END_USER", "Comparison", "Story", "Visibility", "compare", "tell"]
