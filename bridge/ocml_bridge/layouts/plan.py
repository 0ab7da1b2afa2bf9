"""Read rows by a plan, which says what layouts and words the rows of a dataset have; and read plans from files."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from .. import registry
from ..common.memo import Memo
from ..common.suggestions import did_you_mean
from ..errors import BridgeError, ErrorCode
from ..model import Json
from ..report.wording import shown
from .documents import forget, in_text, whole
from .fitting import as_list, as_object
from .layout import Document, Layout, Object, in_columns, noticed
from .listed import with_lists
from .places import with_places
from .reasons import AUTO, why_not
from .shapes import DECIDED_BY, NO_TEXTS, shape_of
from .table import BY_NAME, LAYOUTS
from .thoughts import TAGS

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The layouts and words of the rows of a dataset.

    Attributes:
        layout: the names of layouts, or of formats whose documents rows are; each row is of the first one that fits.
        columns: fields of a layout, and their columns, or places in columns, such as `data.turns[0].said`.
        role: the key of the role of a turn; None for the keys of the layout.
        text: the key of the content of a turn; None for the keys of the layout.
        roles: words for roles, and the roles.
        separator: the text between an instruction and its input; None for a line break.
        thoughts: tags around the reasoning before an answer.
        preview: whether layouts are read, too, whose reading may change with any release.
    """

    layout: tuple[str, ...]
    columns: Pairs = ()
    role: str | None = None
    text: str | None = None
    roles: Pairs = ()
    separator: str | None = None
    thoughts: tuple[str, ...] = ()
    preview: bool = False


class Row(NamedTuple):
    """A row as it is read by a plan.

    Attributes:
        layout: the layout that fits.
        documents: its conversations.
        extra_columns: the columns that are not part of a conversation.
        sources: the fields of the layout that the row has, each with its column.
    """

    layout: Layout
    documents: Sequence[Document]
    extra_columns: Object
    sources: Mapping[str, str]


@lru_cache(maxsize=64)
def layouts_of(plan: Plan) -> tuple[Layout, ...]:
    """Return the layouts of a plan, in the words of the dataset."""
    names = plan.layout
    if names == (AUTO,):
        found = [*_MORE_THAN_DOCUMENTS, *whole(), *LAYOUTS, *in_text()]
    else:
        found = [layout_of(name, alone=len(names) == 1) for name in names]
        for layout in found:
            _check_preview(layout, plan)
    return tuple(_worded(layout, plan) for layout in found if plan.preview or not layout.preview)


_MORE_THAN_DOCUMENTS: Final = tuple(layout for layout in LAYOUTS if layout.preview or layout.whole)
"""Layouts that read more of a row than the format that its document also is of."""


def _check_preview(layout: Layout, plan: Plan) -> None:
    if layout.preview and not plan.preview:
        message = f"the layout {layout.name} may change with any release: add --preview, or 'preview: true' to the plan"
        raise BridgeError(ErrorCode.OPTION, message)


def layout_of(name: str, *, alone: bool = True) -> Layout:
    """Return the layout with a name.

    Args:
        name: the name of a layout, or of a format whose documents are rows.
        alone: whether all rows are of it; otherwise the rows of a format are detected.

    Raises:
        BridgeError: OCB-OPTION if the name is unknown, with the most similar name.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    if name in registry.formats():
        return next(layout for layout in whole(name, alone=alone) if layout.name == name)
    raise _unknown("layout", name, [AUTO, *BY_NAME, *registry.formats()])


def _worded(layout: Layout, plan: Plan) -> Layout:
    known = layout.wording
    wording = replace(
        known,
        role=known.role if plan.role is None else (plan.role,),
        text=known.text if plan.text is None else (plan.text,),
        roles={**known.roles, **{word.lower(): role for word, role in plan.roles}},
        separator=known.separator if plan.separator is None else plan.separator,
        thoughts=plan.thoughts or known.thoughts,
    )
    columns = {field: column for field, column in plan.columns if field in layout.columns}
    return layout.renamed(columns, wording) if columns or wording != known else layout


def read_row(plan: Plan, row: Json) -> Row:
    """Return the conversations of a row, and its other columns.

    Raises:
        BridgeError: OCB-SHAPE if no layout of the plan fits, or if the fields do not make a conversation.
    """
    columns = as_object(row)
    if columns is None:
        raise BridgeError(ErrorCode.SHAPE, "a row must be an object, with a member for each column", path="")
    given = with_places(columns, [column for _, column in plan.columns])
    columns, mended = with_lists(given)
    found = _candidate_for(plan, columns)
    if found is None:
        raise BridgeError(ErrorCode.SHAPE, why_not(columns, plan.layout, preview=plan.preview), path="")
    try:
        documents = found.layout.reads(found.fields(columns), found.layout.wording)
    except BridgeError as error:
        error.path = found.in_columns(error.path)
        raise
    mended = [each for each in mended if each.path[1:] in found.read]
    if mended:
        documents = [each._replace(findings=(*mended, *each.findings)) for each in documents]
    documents = list(map(_with_equal_answers_noticed, documents))
    extra_columns = {name: value for name, value in given.items() if name not in found.read}
    return Row(found.layout, documents, extra_columns, found.sources)


def _with_equal_answers_noticed(document: Document) -> Document:
    """Return a document with a finding if its chosen answer and the rejected one are equal."""
    value = as_object(document.value)
    if value is None or "preferred_output" not in value:
        return document
    if value["preferred_output"] != value.get("non_preferred_output"):
        return document
    equal = noticed("/non_preferred_output", "the answer that was chosen and the rejected one are equal")
    return document._replace(findings=(*document.findings, equal))


def layout_for(plan: Plan, row: Object) -> Layout | None:
    """Return the first layout of a plan that a row is of; None if there is none."""
    found = _candidate_for(plan, row)
    return None if found is None else found.layout


class _Candidate(NamedTuple):
    """A layout that rows with certain columns may have.

    Attributes:
        layout: the layout.
        sources: the fields of the layout that the rows have, each with its column.
        read: the columns that the conversations are read from.
    """

    layout: Layout
    sources: Mapping[str, str]
    read: frozenset[str]

    def fields(self, row: Object) -> Object:
        """Return the fields of a row, as `Layout.fields` does."""
        return row if self.layout.whole else {name: row[column] for name, column in self.sources.items()}

    def in_columns(self, path: str | None) -> str | None:
        """Return a path into the fields of a row as a path into its columns."""
        return path if self.layout.whole else in_columns(path, self.sources)


def _candidate_for(plan: Plan, row: Object) -> _Candidate | None:
    """Return the first layout of a plan that a row is of, for rows with its columns; None if there is none."""
    is_short = sum(map(len, row)) <= _LONGEST_CACHED
    shape = shape_of(row) if is_short and plan.layout == (AUTO,) else None
    if shape is not None:
        key = plan, shape, registry.has_third_parties()
        remaining = _remaining.get(key)
        if remaining is None:
            remaining = _remaining.keep(key, _remaining_for(plan, row))
    else:
        remaining = _Remaining(_candidates_for(plan, row, is_short=is_short))
    try:
        for each in remaining.candidates:
            if each.layout.fits(each.fields(row), each.layout.wording):
                return each
        return remaining.certain
    finally:
        forget()


def _candidates_for(plan: Plan, row: Object, *, is_short: bool) -> Sequence[_Candidate]:
    columns = tuple([(name, None if value is None else value != "") for name, value in row.items()])
    return (_candidates if is_short else _candidates.__wrapped__)(plan, columns)


class _Remaining(NamedTuple):
    """The layouts that rows of one shape may have.

    Attributes:
        candidates: those that have to be tried, in order.
        certain: the one that such rows have if they have none of these; None if they have no other.
    """

    candidates: Sequence[_Candidate]
    certain: _Candidate | None = None


_remaining: Final[Memo[tuple[Plan, Hashable, bool], _Remaining]] = Memo(256)
"""The layouts that rows may have, by the shape of a row."""


def _remaining_for(plan: Plan, row: Object) -> _Remaining:
    """Return the layouts that a row of the same shape as this one may have."""
    found: list[_Candidate] = []
    wires = None if registry.has_third_parties() else NO_TEXTS  # what their formats look at is not known
    for each in _candidates_for(plan, row, is_short=True):
        texts = wires if each.layout.whole else DECIDED_BY.get(each.layout.name)
        if texts is None or not texts.isdisjoint(each.sources):
            found.append(each)
        elif each.layout.fits(each.fields(row), each.layout.wording):
            return _Remaining(found, each)
    return _Remaining(found)


@lru_cache(maxsize=256)
def _candidates(plan: Plan, shape: tuple[tuple[str, bool | None], ...]) -> tuple[_Candidate, ...]:
    """Return the layouts that rows may have, by the names of their columns and whether they are null, empty or not."""
    row = {name: None if has_value is None else True for name, has_value in shape}
    with_values = {name for name, has_value in shape if has_value}
    detects = plan.layout == (AUTO,)
    layouts = [
        layout for layout in layouts_of(plan) if layout.may_have(row) and not (detects and layout.doubtful(with_values))
    ]
    return tuple([_Candidate(each, each.sources(row), each.read_columns(row)) for each in layouts])


_LONGEST_CACHED: Final = 1000
"""The maximal total length of the names of columns in the cache."""


# --- as values of a file ----------------------------------------------------------------------------------------------

_TEXTS: Final = ("role", "text", "separator")
_KEYS: Final = tuple(each.name for each in fields(Plan))


def plan_of(value: Json, name: str = "the plan", *, preview: bool = False) -> Plan:
    """Return the plan that a file holds.

    Args:
        value: the value of the file: a mapping, or the name of a layout.
        name: the name of the plan in errors.
        preview: whether to read previews, too, whatever the plan says.

    Raises:
        BridgeError: OCB-OPTION if a preview is named without `preview`; if a key, a layout, a field or a tag is
            unknown, with the most similar name.
    """
    if isinstance(value, str):
        value = {"layout": value}
    members = as_object(value)
    if members is None:
        raise BridgeError(ErrorCode.OPTION, f"{name} is not a mapping with 'layout'")
    if not all(isinstance(key, str) for key in cast("Mapping[Any, Any]", members)):
        raise BridgeError(ErrorCode.OPTION, f"a key of {name} is not a text; there are {', '.join(_KEYS)}")
    for key in members:
        if key not in _KEYS:
            raise _unknown("key of a plan", key, _KEYS)
    given: dict[str, Any] = {key: _text(members[key], key) for key in _TEXTS if members.get(key) is not None}
    given |= {key: _pairs(members[key], key) for key in ("columns", "roles") if members.get(key) is not None}
    given |= {key: _names(members[key], key) for key in ("layout", "thoughts") if members.get(key) is not None}
    if "layout" not in given:
        raise BridgeError(ErrorCode.OPTION, f"{name} has no 'layout'; there are {_listed(BY_NAME)}")
    given["preview"] = preview or _flag(members.get("preview", False), "preview")
    plan = Plan(**given)
    _check(plan)
    return plan


def _check(plan: Plan) -> None:
    known = {field for layout in layouts_of(plan) for field in layout.columns}
    for field, _ in plan.columns:
        if field not in known:
            raise _unknown(f"field of the layout {' or '.join(plan.layout)}", field, known)
    for tag in plan.thoughts:
        if tag not in TAGS:
            raise _unknown("tag of thoughts", tag, TAGS)


def _text(value: Json, key: str) -> str:
    if not isinstance(value, str):
        raise BridgeError(ErrorCode.OPTION, f"{key!r} in a plan must be a text")
    return value


def _flag(value: Json, key: str) -> bool:
    if not isinstance(value, bool):
        raise BridgeError(ErrorCode.OPTION, f"{key!r} in a plan must be true or false")
    return value


def _names(value: Json, key: str) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else as_list(value)
    if not names or not all(isinstance(each, str) for each in names):
        raise BridgeError(ErrorCode.OPTION, f"{key!r} in a plan must be a name, or a list of names")
    return tuple(cast("list[str]", names))


def _pairs(value: Json, key: str) -> Pairs:
    found = cast("Mapping[Any, Any] | None", as_object(value))
    if found is None or not all(isinstance(each, str) for pair in found.items() for each in pair):
        raise BridgeError(ErrorCode.OPTION, f"{key!r} in a plan must map names to names")
    return tuple(found.items())


def _unknown(what: str, name: str, known: Sequence[str] | set[str]) -> BridgeError:
    meant = did_you_mean(name, known) or f"; there are {_listed({*known})}"
    return BridgeError(ErrorCode.OPTION, f"there is no {what} {shown(name)}{meant}")


_MOST_LISTED: Final = 30
"""The number of names that an error lists."""


def _listed(names: Collection[str]) -> str:
    """Return some names in alphabetical order; if there are many, the first ones and how to find the right one."""
    first, others = sorted(names)[:_MOST_LISTED], len(names) - _MOST_LISTED
    more = f" and {others} more; 'ocml-convert plan FILE' proposes one for a file" if others > 0 else ""
    return ", ".join(first) + more
