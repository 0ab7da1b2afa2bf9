"""Read runs as tracers of LangSmith post them: lists of runs that begin (`post`), and of what is known later (`patch`).

A run that is in both lists is one. Each run with a conversation in its inputs and outputs is a document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ...convert import read
from ...errors import BridgeError, ErrorCode
from ...model import Json
from ...model.codec import to_json
from ..fitting import as_list, members_of, objects_of, without_members
from ..layout import Document, Fits, Object, Reads, Wording
from ..logged import REQUEST, RESPONSE, is_logged, read_logged
from .key_values import INPUTS, OUTPUTS, are_key_values, read_key_values
from .langchain import are_langchain, read_langchain

POST: Final = "post"
PATCH: Final = "patch"


class _Reader(NamedTuple):
    """One way in which a run holds a conversation.

    Attributes:
        format: the format of its documents.
        fields: the fields for the inputs and the outputs.
        fits: whether the fields hold a conversation.
        reads: returns the documents of the fields.
    """

    format: str
    fields: tuple[str, str]
    fits: Fits
    reads: Reads


_READERS: Final = (
    _Reader("openai", (INPUTS, OUTPUTS), are_langchain, read_langchain),
    _Reader("canonical", (REQUEST, RESPONSE), is_logged, read_logged),
    _Reader("openai", (INPUTS, OUTPUTS), are_key_values, read_key_values),
)


def are_runs(fields: Object, wording: Wording) -> bool:
    """Return whether the fields hold runs."""
    lists = [as_list(value) for value in fields.values()]
    listed = all(each is not None and all("id" in members_of(item) for item in each) for each in lists)
    runs = _runs(fields) if listed else []
    return bool(runs) and all(not each.keys().isdisjoint((INPUTS, OUTPUTS)) for each in runs)


def read_runs(fields: Object, wording: Wording) -> Sequence[Document]:
    """Return the conversation of each run, with what else is known of the run in a column.

    Runs without a conversation are next to the first one.

    Raises:
        BridgeError: OCB-SHAPE if no run has a conversation; or as the reader of a run raises it.
    """
    pairs = [(run, _reader(run, wording)) for run in _runs(fields)]
    silent: list[Json] = [run for run, reader in pairs if reader is None]
    documents: list[Document] = []
    for run, reader in pairs:
        if reader is None:
            continue
        for each in reader.reads(_fields(run, reader), wording):
            left = {_MEMBERS[name]: value for name, value in each.extra_columns.items() if name in _MEMBERS}
            beside: list[Json] = [{**without_members(run, INPUTS, OUTPUTS), **left}]
            beside += silent if not documents else []
            documents.append(_in_canonical(each, reader)._replace(extra_columns={POST: beside}))
    if not documents:
        advice = "for runs that end in another row, join the rows"
        command = "jq -sc '{post: map(.post[]?), patch: map(.patch[]?)}' FILE"
        raise BridgeError(ErrorCode.SHAPE, f"no run has a conversation in its inputs and outputs; {advice}: {command}")
    return documents


_MEMBERS: Final = {INPUTS: INPUTS, OUTPUTS: OUTPUTS, REQUEST: INPUTS, RESPONSE: OUTPUTS}
"""The member of a run for each field of a reader."""


def _runs(fields: Object) -> list[Object]:
    """Return the runs in the order in which they began, each with what was posted later."""
    runs: dict[str, Object] = {}
    for at, each in enumerate([*objects_of(fields.get(POST)), *objects_of(fields.get(PATCH))]):
        known = runs.setdefault(str(each.get("id", at)), {})
        known |= {name: value for name, value in each.items() if value is not None or name not in known}
    return list(runs.values())


def _reader(run: Object, wording: Wording) -> _Reader | None:
    return next((each for each in _READERS if each.fits(_fields(run, each), wording)), None)


def _fields(run: Mapping[str, Json], reader: _Reader) -> Object:
    pairs = zip(reader.fields, (INPUTS, OUTPUTS), strict=True)
    return {field: run[name] for field, name in pairs if run.get(name) is not None}


def _in_canonical(document: Document, reader: _Reader) -> Document:
    """Return a document of a reader in the canonical form."""
    found = read(document.value, reader.format)
    return document._replace(value=to_json(found.transcript), findings=(*document.findings, *found.findings), path=None)
