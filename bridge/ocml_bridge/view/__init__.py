"""Show a document in a terminal, as a page, or next to what another format makes of it.

The functions are pure: they take documents and return text. `visibility` decides who may see what before anything is
drawn: hidden content is not in the output. `entries` makes a list of items of a document, which `terminal` and `html`
draw.
"""

from ..chat.visibility import DEBUG, END_USER, Visibility
from .compare import Comparison, compare
from .entries import View, view_of

__all__ = ["DEBUG", "END_USER", "Comparison", "View", "Visibility", "compare", "view_of"]
