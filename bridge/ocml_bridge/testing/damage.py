"""Draw JSON documents of a format in which one value is missing, or is another: what broken programs send."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..convert import write
from ..formats.adapter import Adapter, Options
from ..json_values import jsontext
from ..model import Document, Json
from ..report.policy import LENIENT
from . import strategies
from .own_output import TALK

_MISSING: Final[Any] = object()
"""In place of a value that is left out."""
_OTHERS: Final[tuple[Any, ...]] = (_MISSING, None, True, 7, "x", [], {}, [None], ["x"], {"x": "y"})
_PLACES: Final = 10_000
"""A number below it stands for one of the places in a document."""


def damaged(adapter: str | Adapter, options: Options) -> SearchStrategy[bytes]:
    """Draw outputs of documents, in each of which one value at any depth is missing, or is another."""
    documents = st.one_of(st.just(TALK), strategies.documents())
    numbers, others = st.integers(0, _PLACES), st.sampled_from(_OTHERS)
    return st.builds(_damaged, documents, st.just(adapter), st.just(options), numbers, others)


def _damaged(document: Document, adapter: str | Adapter, options: Options, number: int, other: Any) -> bytes:
    """Return the output of a document, in which the value at the place with a number is another."""
    value: Any = jsontext.loads(write(document, adapter, options=options, policy=LENIENT).data)
    places = [*places_in(value)]
    if not places:
        return jsontext.dumps(deepcopy(other) if other is not _MISSING else None)
    holder, key = places[number % len(places)]
    if other is _MISSING:
        del holder[key]
    else:
        holder[key] = deepcopy(other)
    return jsontext.dumps(value)


def places_in(value: Json) -> Iterator[tuple[Any, Any]]:
    """Yield every object and list in a JSON value, with each of its keys or indices."""
    holders: list[Any] = [value]
    for holder in holders:
        kind: type[Any] = holder.__class__
        keys: list[Any] = [*holder] if kind is dict else [*range(len(holder))] if kind is list else []
        yield from ((holder, key) for key in keys)
        holders += [holder[key] for key in keys]
