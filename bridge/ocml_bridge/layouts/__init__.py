"""Read conversations from the rows of datasets, and write them as rows. docs/layouts.md lists the layouts.

A layout is one way in which rows hold conversations; a plan names the layouts that the rows of a dataset have. Reading
a row returns documents of known formats, and the columns that are not part of the conversation. A document is written
as a row only if reading the row returns the same document.
"""

from .agents.previews import PREVIEWS, is_session
from .columns import SESSION
from .cuts import answers_of, turns_of
from .keyed import is_keyed, rows_by_key
from .layout import Document, Layout
from .plan import AUTO, Plan, Row, layout_for, layout_of, layouts_of, plan_of, read_row
from .streams import EVENTS, stream_of
from .table import BY_NAME, LAYOUTS

__all__ = [
    "AUTO",
    "BY_NAME",
    "EVENTS",
    "LAYOUTS",
    "PREVIEWS",
    "SESSION",
    "Document",
    "Layout",
    "Plan",
    "Row",
    "answers_of",
    "is_keyed",
    "is_session",
    "layout_for",
    "layout_of",
    "layouts_of",
    "plan_of",
    "read_row",
    "rows_by_key",
    "stream_of",
    "turns_of",
]
