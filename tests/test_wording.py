"""Printed sentences: values are short JSON without Python's syntax, and the words are plain English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ocml_bridge import Loss, Message, Tool, Transcript, write
from ocml_bridge.model import (
    CacheMark,
    FileBreak,
    Flags,
    Foreign,
    Freeform,
    Header,
    Infill,
    Media,
    Part,
    Refusal,
    Signature,
    Text,
    Thought,
    Tools,
)
from ocml_bridge.model.diff import ABSENT, Difference
from ocml_bridge.report.naming import name_difference
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.wording import kind_of, names_of, shown


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
        ({"type": "object", "properties": {}, "required": ["a"], "x-note": "y"}, "{type, properties, required, "),
        ([1] * 100, "[100 items]"),
        ([{"at": 0, "tool": {"type": "web_search"}}], '[{"type":"web_search"}]'),
        (
            [{"at": 0, "tool": {"type": "mcp", "server_label": "a"}}, {"at": 3, "tool": {"type": "b", "name": "web"}}],
            "[2 items: mcp, web]",
        ),
        ([{"googleSearch": {"a": 1}}, {"codeExecution": {"b": "of some"}}], "[2 items: googleSearch, codeExecution]"),
        ([{"type": "a", "server_label": "of some length"}, {"at": 1, "b": 2, "c": "of some"}], "[2 items]"),
        ((Tool("f"), Tool("g", "Does.")), "f, g"),
        (Header("2.2", layout={"ocm-2.2": {"raw": "version: 2.2"}}), '{"version":"2.2"}'),
        (Message("assistant", ""), "of the assistant"),
        ((Text("a"), Media("image")), "a text, an image"),
        (Signature("c2ln", "anthropic"), "of anthropic"),
        (Signature("c2ln"), "without a vendor"),
        (CacheMark("1h"), "for 1h"),
        (CacheMark(), "for the usual time"),
        (Freeform("lark", "start: x"), "in lark"),
        (Freeform(), "(any text)"),
    ],
)
def test_a_value_is_shown_as_json(value: object, words: str) -> None:
    assert shown(value).startswith(words)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (Text("a"), "a text"),
        (Media("image", data="x"), "an image"),
        (Media("audio", data="x"), "audio"),
        (Media("file", file_id="x"), "a file"),
        (Media("file", file_id="x", vendor="openai"), "a file that was uploaded to openai"),
        (Media("image", url="x", data="aGk=", vendor="openai"), "an image"),
        (Thought("reflect"), 'the thought\'s kind "reflect"'),
        (Flags(("reason",)), "thought flags"),
        (Tools((Tool("f"),)), "declared tools"),
        (Refusal("No."), "a refusal"),
        (Infill("a", None, "b"), "a fill-in-the-middle text"),
        (FileBreak(), "the boundary between two files"),
        (Foreign("openai", {"type": "video", "id": 1}), 'a part that was not understood (type "video")'),
        (Foreign("openai", {"text": "Hi", "lang": "en"}), "a part that was not understood (keys text, lang)"),
        (Foreign("openai", 7), "a part that was not understood (7)"),
    ],
)
def test_a_part_is_called_by_its_kind(part: Part, words: str) -> None:
    assert kind_of(part) == words


def test_many_names_are_counted() -> None:
    assert names_of([f"k{n}" for n in range(15)]).endswith("k11 and 3 more")
    assert names_of(["a key", "b"]) == '"a key", b'


def details(document: Transcript, target: str) -> list[str]:
    return [loss.detail for loss in write(document, target, policy=LENIENT).losses]


def test_a_long_value_hides_no_key_of_extras() -> None:
    extras: dict[str, Any] = {"openai": {"model": "m" * 400, "system": "Be brief."}}
    for document in (Transcript(extras=extras), Transcript((Message("user", "Hi", extras=extras),))):
        sentences = " ".join(details(document, "harmony"))
        assert "model" in sentences
        assert "system" in sentences


@pytest.mark.parametrize(
    ("old", "new"), [(ABSENT, 1), (1, ABSENT), (None, ABSENT), (ABSENT, None), (None, 1), (1, None)]
)
def test_nothing_of_python_is_in_a_sentence(old: object, new: object) -> None:
    loss = name_difference(Difference("/tools/0/parameters/required", old, new), "harmony")
    assert isinstance(loss, Loss)
    assert not {"Absent", "None", "<", "'"} & set(loss.detail.replace("<", " < ").replace("'", " ' ").split())
    assert "required" in loss.detail


# --- plain English ----------------------------------------------------------------------------------------------------

UNCLEAR: Final = {
    r"^(it|its|they|their|this one)\b": "begin with the subject, not with a pronoun",
    r"\b(?<!there )(is|are|was) no\b(?! longer)": "say `is not a`",
    r"\bbehind\b|\bin front of (it|them)\b": "say `after`, `before`",
    r"\bstands?\b|\bstood\b": "say `is`",
    r"\bmend(ed|s)?\b(?! (record|row))": "say `repaired`",
    r"\b(un)?told\b(?! apart)|\btells? of\b": "say `detected`, `says`, `reports`",
    r"\bunsaid\b|\bgoes? without saying\b|\bsays? nothing\b": "say `leaves out`",
    r"\bspells?\b|\bspelled\b|\bspelling\b": "say `writes`, `layout`",
    r"\bbr(eaks|eak|oke) off\b": "say `is cut off`",
    r"\bin place of\b": "say `instead of`",
    r"\btaken for\b": "say `read as`",
    r"\bno one\b|\bnobody\b": "say who does what",
    r"\bhas no place for it\b": "say what the format has no place for",
    r"; (kept|read so|text|left out)$": "end with a whole sentence",
    r"\bof ours\b|\bof theirs\b": "name it",
}
"""Patterns that are hard to read in a sentence → the advice."""

WORDS_OF_MODELS: Final = ("tool_words.py", "templates.py", "system.py")
"""Files with texts that are prompts of models."""


def constants(node: ast.AST) -> Iterator[str]:
    """The texts of a file but its docstrings; a value in a text is `…`."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(piece.value) if isinstance(piece, ast.Constant) else "…" for piece in node.values)
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from constants(child)


def sentences() -> Iterator[tuple[str, str]]:
    """Every text of three words or more in the code, with its file."""
    root = Path(__file__).parents[1]
    for path in sorted([*root.glob("bridge/ocml_bridge/**/*.py"), *root.glob("adapters/ocml_adapters/**/*.py")]):
        if path.name not in WORDS_OF_MODELS and "view" not in path.parts:
            for text in constants(ast.parse(path.read_text("utf-8"))):
                if text.count(" ") >= 2 and "\n" not in text and "(?" not in text:
                    yield path.name, text
    # The help of the commands.
    for line in (root / "docs" / "ocml-convert.1").read_text("utf-8").splitlines():
        yield "ocml-convert.1", line


def test_sentences_are_plain() -> None:
    unclear = re.compile("|".join(UNCLEAR))
    found = [
        f"{name}: {text!r}: {advice}"
        for name, text in sentences()
        if unclear.search(text)
        for pattern, advice in UNCLEAR.items()
        if re.search(pattern, text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("sentence", ["harmony has no place for it", "it stands elsewhere", "text behind it; kept"])
def test_an_unclear_sentence_is_found(sentence: str) -> None:
    assert any(re.search(pattern, sentence) for pattern in UNCLEAR)
