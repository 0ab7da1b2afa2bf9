"""Layouts of datasets: how rows hold conversations, under which names, in and out. docs/layouts.md is the table.

A plan says which layouts the rows of a dataset have. Reading a row gives documents of formats that there are, and the
columns that are no conversation; a document is written as a row only if reading that gives the document again.
"""

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
    "Document",
    "Layout",
    "Plan",
    "Row",
    "answers_of",
    "is_keyed",
    "layout_for",
    "layout_of",
    "layouts_of",
    "plan_of",
    "read_row",
    "rows_by_key",
    "stream_of",
    "turns_of",
]
