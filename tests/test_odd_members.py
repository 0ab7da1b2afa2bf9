"""Objects with members that are missing, null, of another type, unknown, or in another order are restored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, cast

import pytest

from model_types import mistyped
from ocml_bridge import BridgeError, Options, Reading, Result, Severity, read, write
from ocml_bridge.report.policy import LENIENT
from sampling import sweep
from wire_facts import objects_in
from wire_pieces import PIECES

WORD = re.compile(r"\bw\d+\b")
SENTENCE = re.compile(r"(?!.*\b(?!JSON|API)[A-Z]{2})'?[a-z_]+'? [a-z'].*[^.]$")
"""The form of a finding's sentence about a repair: words without a full stop."""
AS_IT_IS = "as it is"
FORCED = Options(force_format=True)
OF_ANOTHER_TYPE: tuple[Any, ...] = (None, "w100", {"w101": "w102"}, [{"w103": "w104"}])
PLAIN: tuple[Any, ...] = ("", 0, 7, 0.5, True, False, [], {}, [None], "USER", "\ud800")
"""Empty or nearly empty values of all types, each of which differs from an absent member; half a surrogate pair."""
KINDS = [(wire, kind) for wire, kinds in PIECES.items() for kind in kinds]
NOT_AS_IT_WAS = {
    ("openai-responses", "id"): "an item that is the API's own, or a text with a status, has an id",
    ("openai-responses", "input"): "a request has an input, be it an empty one",
    ("openai-responses", "role"): "only what the assistant says has sources",
    ("anthropic", "role"): "a response is the assistant's",
    ("anthropic", "encrypted_index"): "a source of a search has an index",
    ("anthropic", "text"): "a text says something",
    ("gemini", "name"): "a function has a name",
    ("bedrock-converse", "tools"): "a choice among tools needs tools",
}
"""Wire and member → the value that the API requires; the document is changed, and a loss reports it."""
Path = tuple[Any, ...]


def odd(document: Any) -> Iterator[tuple[str, Any]]:
    """The document, and once for each thing that can be odd of each member of each object in it; and what is odd."""
    yield AS_IT_IS, document
    yield from with_others(document, of_another_type)
    for path, members in objects_in(document):
        where = "/".join(map(str, path))
        if len(members) > 1:
            yield f"{where}: turned", with_member(document, path, dict(reversed(members.items())))
        yield f"{where}: more", with_member(document, path, {**members, "w105": {"w106": "w107"}})
        for key in members:
            yield f"{where}: no {key}", with_member(document, path, {k: v for k, v in members.items() if k != key})


def of_another_type(value: Any) -> list[Any]:
    return [other for other in OF_ANOTHER_TYPE if type(other) is not type(value) or value.__class__ is list]


def plain(value: Any) -> list[Any]:
    return [other for other in PLAIN if type(other) is not type(value) or other != value]


def with_others(document: Any, others: Callable[[Any], list[Any]]) -> Iterator[tuple[str, Any]]:
    """The document once for each member of each object in it and each of other values for it; and what is odd."""
    for path, members in objects_in(document):
        where = "/".join(map(str, path))
        for key, value in members.items():
            for other in others(value):
                yield f"{where}: {key} {other!r}", with_member(document, path, {**members, key: other})


def with_member(value: Any, path: Path, member: Any) -> Any:
    """A document with another value at a path."""
    if not path:
        return member
    key, *rest = path
    changed = value.copy()
    changed[key] = with_member(value[key], tuple(rest), member)
    return changed


def words(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each word of a document, as key or value, with the pointer to its place."""
    if isinstance(value, dict):
        for key, member in cast("dict[str, Any]", value).items():
            inner = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from ((word, inner) for word in WORD.findall(key))
            yield from words(member, inner)
    elif isinstance(value, list):
        for at, item in enumerate(cast("list[Any]", value)):
            yield from words(item, f"{path}/{at}")
    elif isinstance(value, str):
        yield from ((word, path) for word in WORD.findall(value))


def read_or_refused(text: str, wire: str) -> Reading | BridgeError:
    try:
        return read(text, wire, options=FORCED)
    except BridgeError as error:
        return error


def exists_in(document: Any, path: str) -> bool:
    """Whether the place of a pointer is in a document; the last member may be missing."""
    place: Any = document
    for step in path.split("/")[1:-1]:
        try:
            place = place[int(step) if step.isdecimal() else step]
        except (KeyError, IndexError):
            return False
    return True


def in_silence(places: set[tuple[str, str]], there: Result) -> list[tuple[str, str]]:
    """The words that are not in the output and not at or below the path of a loss; with their places."""
    kept = set(WORD.findall(json.dumps(there.output)))
    paths = {loss.path for loss in there.losses if loss.severity is not Severity.LAYOUT}
    return [(word, place) for word, place in sorted(places) if word not in kept and not _is_covered(place, paths)]


def _is_covered(place: str, paths: set[str]) -> bool:
    return any(place == path or place.startswith(f"{path}/") for path in paths)


@pytest.mark.sweep
@pytest.mark.parametrize(("wire", "kind"), KINDS)
def test_odd_members_are_restored_and_no_other_wire_loses_a_word_without_a_report(wire: str, kind: str) -> None:
    others = cycle([other for other in PIECES if other != wire])
    for number, (name, document) in enumerate(sweep(odd(PIECES[wire][kind]), 7)):
        text = json.dumps(document)
        reading = read_or_refused(text, wire)
        if isinstance(reading, BridgeError):
            assert reading.path is not None, name
            assert exists_in(document, reading.path), (name, reading.path)
            assert SENTENCE.match(reading.message.partition(";")[0]), (name, reading.message)
            assert name != AS_IT_IS
            continue
        assert [found.detail for found in reading.findings if not SENTENCE.match(found.detail)] == [], name
        back = write(reading.transcript, wire, policy=LENIENT)
        is_allowed = (wire, name.partition(": ")[2].removeprefix("no ").split(" ")[0]) in NOT_AS_IT_WAS
        assert json.dumps(back.output) == text or (back.losses and is_allowed), name
        canonical = write(reading.transcript, "canonical").output
        if number % 4 == 0:  # a quarter of the ways: it takes long
            assert read(canonical, "canonical").transcript == reading.transcript, f"{name}: not of the canonical types"
        # The layout for the order of members consists of names, and has no content.
        places = set(words(canonical))
        assert {word for word, _ in words(document)} <= {word for word, _ in places}, name
        stated = {(word, place) for word, place in places if "/layout/" not in place}
        assert {word for word, _ in stated} == {word for word, _ in places}, f"{name}: told by the layout alone"
        other = next(others)  # by turns
        assert in_silence(stated, write(reading.transcript, other, policy=LENIENT)) == [], (name, other)


@pytest.mark.sweep
@pytest.mark.parametrize(("wire", "kind"), KINDS)
def test_empty_values_are_read_and_restored(wire: str, kind: str) -> None:
    for name, document in sweep(with_others(PIECES[wire][kind], plain), 7):
        text = json.dumps(document)
        reading = read_or_refused(text, wire)
        if isinstance(reading, BridgeError):
            assert exists_in(document, reading.path or ""), (name, reading.path)
            continue
        assert [*mistyped(reading.transcript)] == [], name
        back = write(reading.transcript, wire, policy=LENIENT)
        is_allowed = (wire, name.partition(": ")[2].split(" ")[0]) in NOT_AS_IT_WAS
        assert json.dumps(back.output) == text or (back.losses and is_allowed), name
