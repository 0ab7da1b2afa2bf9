"""Damage documents in one place: what broken programs send, and what newer ones add."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..json_values import jsontext
from ..json_values.json_lines import loads_lines
from ..model import Json

_MISSING: Final[Any] = object()
"""In place of a value that is left out."""
_MORE: Final[Any] = object()
"""For one more beside a value: an item of a list is there twice, an object has a member that no format has."""
_OTHERS: Final[tuple[Any, ...]] = (_MISSING, _MORE, None, True, 7, "x", [], {}, [None], ["x"], {"x": "y"})
TOKEN: Final = re.compile(r"(<[^<>\n]*>|\[[^\[\]\n]*\]|\n)")
"""What separates the texts of most formats: a token in angle or square brackets, or the end of a line."""
_CHANGES: Final = ("", "{0}{0}", "x{0}", "\n{0}", "{0} ")
"""What becomes of a piece of a text."""
_PLACES: Final = 10_000
"""A number below it stands for one of the places in a document."""


# --- texts ------------------------------------------------------------------------------------------------------------


def texts(document: bytes) -> SearchStrategy[bytes]:
    """Draw texts in which one token, or what stands between two, is gone, twice there, or has something beside it."""
    drawn = st.tuples(st.integers(0, _PLACES), st.sampled_from(_CHANGES))
    pieces = TOKEN.split(document.decode())
    return drawn.map(lambda place_and_change: _changed(pieces, *place_and_change))


def each_text(document: bytes) -> Iterator[bytes]:
    """Yield all these texts."""
    pieces = TOKEN.split(document.decode())
    for number, _ in enumerate(pieces):
        yield from (_changed(pieces, number, change) for change in _CHANGES)


def _changed(pieces: list[str], number: int, change: str) -> bytes:
    at = number % len(pieces)
    return "".join((*pieces[:at], change.format(pieces[at]), *pieces[at + 1 :])).encode()


# --- JSON -------------------------------------------------------------------------------------------------------------


def value_of(document: bytes) -> Json:
    """Return the value of a document; a list of values for one of JSON lines."""
    lines = loads_lines(document.decode())
    return jsontext.loads(document) if lines is None else lines


def values(document: bytes) -> SearchStrategy[bytes]:
    """Draw documents in which one value at any depth is missing, is another, or has one beside it."""
    drawn = st.tuples(st.integers(0, _PLACES), st.sampled_from(_OTHERS))
    value = value_of(document)
    return drawn.map(lambda place_and_other: _damaged(value, *place_and_other))


def each_value(document: bytes) -> Iterator[bytes]:
    """Yield all these documents."""
    value = value_of(document)
    for number, _ in enumerate(places_in(value)):
        yield from (_damaged(value, number, other) for other in _OTHERS)


def _damaged(value: Json, number: int, other: Any) -> bytes:
    """Return a document in which the value at the place with a number is another."""
    value = deepcopy(value)
    places = [*places_in(value)]
    if not places:
        return jsontext.dumps(value)
    holder, key = places[number % len(places)]
    if other is _MISSING:
        del holder[key]
    elif other is not _MORE:
        holder[key] = deepcopy(other)
    elif isinstance(key, int):
        holder.insert(key, deepcopy(holder[key]))
    else:
        holder["unheard_of"] = {"x": 1}
    return jsontext.dumps(value)


def places_in(value: Json) -> Iterator[tuple[Any, Any]]:
    """Yield every object and list in a JSON value, with each of its keys or indices."""
    holders: list[Any] = [value]
    for holder in holders:
        kind: type[Any] = holder.__class__
        keys: list[Any] = [*holder] if kind is dict else [*range(len(holder))] if kind is list else []
        yield from ((holder, key) for key in keys)
        holders += [holder[key] for key in keys]
