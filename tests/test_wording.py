"""Values and parts in sentences: as JSON, short, and without a word of Python."""

from __future__ import annotations

from typing import Any

import pytest

from ocml_bridge import Loss, Message, Tool, Transcript, write
from ocml_bridge.diff import ABSENT, Difference
from ocml_bridge.model import FileBreak, Flags, Foreign, Header, Infill, Media, Part, Refusal, Text, Thought, Tools
from ocml_bridge.naming import name_difference
from ocml_bridge.policy import LENIENT
from ocml_bridge.wording import kind_of, names_of, shown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("bob", '"bob"'),
        ('a "b"\n', '"a \\"b\\"\\n"'),
        ("\ud800", '"\\ud800"'),
        ("x" * 1204, f'"{"x" * 39}…" (1,204 characters)'),
        (None, "null"),
        (True, "true"),
        (1, "1"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        ({"type": "object", "properties": {}, "required": ["a"], "x-note": "y"}, "with type, properties, required, "),
        ([1] * 100, "of 100 items"),
        ((Tool("f"), Tool("g", "Does.")), "f, g"),
        (Header("2.2", layout={"ocm-2.2": {"raw": "version: 2.2"}}), '{"version":"2.2"}'),
        (Message("assistant", ""), "of the assistant"),
        ((Text("a"), Media("image")), "a text, an image"),
    ],
)
def test_a_value_is_shown_as_json(value: object, words: str) -> None:
    assert shown(value).startswith(words)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Text("a"), "a text"),
        (Media("image", data="x"), "an image"),
        (Media("audio", data="x"), "a sound"),
        (Media("file", file_id="x"), "a file"),
        (Thought("reflect"), "the kind of a thought (reflect)"),
        (Flags(("reason",)), "thought flags"),
        (Tools((Tool("f"),)), "declared tools"),
        (Refusal("No."), "a refusal"),
        (Infill("a", None, "b"), "a text to fill in"),
        (FileBreak(), "the boundary of two files"),
        (Foreign("openai", {"type": "video", "id": 1}), 'a part that was not understood, of type "video"'),
        (Foreign("openai", {"text": "Hi", "lang": "en"}), "a part that was not understood, with text, lang"),
        (Foreign("openai", 7), "a part that was not understood, 7"),
    ],
)
def test_a_part_is_called_by_its_kind(part: Part, words: str) -> None:
    assert kind_of(part) == words


def test_many_names_are_counted() -> None:
    assert names_of([f"k{n}" for n in range(15)]).endswith("k11 and 3 more")
    assert names_of(["a key", "b"]) == '"a key", b'


def details(document: Transcript, target: str) -> list[str]:
    return [loss.detail for loss in write(document, target, policy=LENIENT).losses]


def test_no_key_of_extras_hides_behind_a_long_value() -> None:
    extras: dict[str, Any] = {"openai": {"model": "m" * 400, "system": "Be brief."}}
    for document in (Transcript(extras=extras), Transcript((Message("user", "Hi", extras=extras),))):
        told = " ".join(details(document, "harmony"))
        assert "model" in told
        assert "system" in told


@pytest.mark.parametrize(
    ("old", "new"), [(ABSENT, 1), (1, ABSENT), (None, ABSENT), (ABSENT, None), (None, 1), (1, None)]
)
def test_nothing_of_python_is_in_a_sentence(old: object, new: object) -> None:
    loss = name_difference(Difference("/tools/0/parameters/required", old, new), "harmony")
    assert isinstance(loss, Loss)
    assert not {"Absent", "None", "<", "'"} & set(loss.detail.replace("<", " < ").replace("'", " ' ").split())
    assert "required" in loss.detail
