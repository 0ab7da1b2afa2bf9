"""Check law 14: callers may change what they passed to the API and what it returned; later results do not change."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from copy import deepcopy
from typing import Any, cast

from ..convert import Reading, Result, write
from ..json_values import jsontext
from ..model.codec import to_json
from ..report.policy import LENIENT
from .trial import Trial

POISON = "poison".upper()  # computed, because Hypothesis draws the literals that it finds


def poison(value: Any) -> None:
    """Change every dict and every list in a value, also those in model objects."""
    if isinstance(value, dict):
        members = cast("dict[Any, Any]", value)
        for item in members.values():
            poison(item)
        members.update(dict.fromkeys(members, POISON))
        members[POISON] = POISON
    elif isinstance(value, list):
        for item in (items := cast("list[Any]", value)):
            poison(item)
        items[:] = [POISON, *items[1:], POISON]
    elif isinstance(value, tuple):
        for item in cast("tuple[Any, ...]", value):
            poison(item)
    else:
        for name in getattr(value, "__match_args__", ()):
            poison(getattr(value, name))


def ownership(trial: Trial) -> None:
    """Law 14: poisoning the document, the output or the report changes nothing else."""
    changed = list(_changed(trial))
    if changed:
        raise trial.broken("ownership", changed)


def _changed(trial: Trial) -> Iterator[str]:
    """Yield a sentence for each value that changes but should not."""
    document, target, options = pickle.loads(pickle.dumps(trial.document)), trial.target, trial.options
    before = _written(trial.result)
    result = write(document, target, options=options, policy=LENIENT)
    poison(document)  # before the losses are read: only then their sentences are made
    if _written(result) != before:
        yield "what was made of a document changes with the document"
    poison(result.output)
    if _written(result) != before:
        yield "the document that was written, or the bytes, change with the output"
    poison([result.transcript, result.report(), trial.sidecar])
    del trial.sidecar  # so that it is made again for the next law
    if result.data != before[0]:
        yield "the bytes change with the document that was written, or with its report"
    reading = trial.read(trial.data)
    if _as_json(reading) != (first := jsontext.dumps(to_json(trial.back))):
        yield "what is read changes with what was read and written before"
    poison(reading.transcript)
    if _as_json(trial.read(trial.data)) != first:
        yield "what is read changes with what was read before"
    if _written(write(trial.document, target, options=options, policy=LENIENT)) != before:
        yield "what is written changes with what was written and read before"
    if not isinstance(trial.result.output, str):
        yield from _shared_with_input(trial)


def _shared_with_input(trial: Trial) -> Iterator[str]:
    values = deepcopy(trial.result.output)
    reading = trial.read(values)
    before = _as_json(reading)
    poison(values)
    if _as_json(reading) != before:
        yield "what was read of parsed JSON changes with that JSON"


def _written(result: Result) -> tuple[bytes, str, bytes]:
    return result.data, repr(result.losses), jsontext.dumps(to_json(result.transcript))


def _as_json(reading: Reading) -> bytes:
    return jsontext.dumps(to_json(reading.transcript))
