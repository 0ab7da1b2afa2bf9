"""Read examples whose inputs and outputs are objects of texts, as LangSmith and Langfuse keep them in datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...model import Json
from .. import columns
from ..exchange import INSTRUCTION, OUTPUT, is_exchange, read_exchange
from ..fitting import as_object
from ..layout import Document, Object, Wording, parsed_or_none
from ..trees import rest

INPUTS: Final = "inputs"
OUTPUTS: Final = "outputs"
_INPUT_MEMBERS: Final = {
    INSTRUCTION: (*columns.QUESTIONS, "text", "message", *columns.TURNS),
    "input": ("input", "context", "article"),
    **columns.HISTORY,
    **columns.PROMPT,
}
"""Fields of an exchange that inputs hold, each with the names of its member."""
_OUTPUT_MEMBERS: Final = {OUTPUT: (*columns.ANSWERS, "text", "content")}


def are_key_values(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold a question and its answer in objects of inputs and outputs."""
    values = [_members(fields.get(name)) for name in (INPUTS, OUTPUTS)]
    if not {INPUTS, OUTPUTS} <= fields.keys() or values == [None, None] or "role" in (values[1] or {}):
        return False
    return columns.CHOICES.isdisjoint(values[0] or {}) and is_exchange(_exchange(fields), wording)


def read_key_values(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of the question and its answer; members that are not read are extra columns.

    Raises:
        BridgeError: OCB-SHAPE if a member of it has another shape.
    """
    left = {
        name: rest(_members(fields[name]) or {}, [*part.values()])
        for name, part in zip((INPUTS, OUTPUTS), _parts(fields), strict=True)
    }
    extra_columns = {name: each for name, each in left.items() if each}
    return [each._replace(extra_columns=extra_columns) for each in read_exchange(_exchange(fields), wording)]


def _members(value: Json) -> Object | None:
    """Return the members of an object, which may be JSON text; None for other values."""
    is_json = isinstance(value, str) and value.lstrip().startswith("{")
    return as_object(parsed_or_none(value) if is_json else value)


def _parts(fields: Object) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the fields of an exchange, each with the name of its member, of the inputs and of the outputs."""
    return _named(fields[INPUTS], _INPUT_MEMBERS), _named(fields[OUTPUTS], _OUTPUT_MEMBERS)


def _named(value: Json, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the fields that the members of an object are, each with the name of its member."""
    members = _members(value) or {}
    present = {field: [name for name in every if members.get(name) is not None] for field, every in names.items()}
    return {field: every[0] for field, every in present.items() if every}


def _exchange(fields: Object) -> Object:
    """Return the fields of an exchange; inputs or outputs that are a text are the question or the answer."""
    found: Object = {}
    for name, only, part in zip((INPUTS, OUTPUTS), (INSTRUCTION, OUTPUT), _parts(fields), strict=True):
        members = _members(fields[name])
        found |= {only: fields[name]} if members is None else {field: members[key] for field, key in part.items()}
    return found
