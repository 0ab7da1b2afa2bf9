"""Columns of media: messages with places for them (TRL), and messages whose parts have addresses."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ocml_bridge import convert
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Media, Text
from ocml_bridge.report.policy import LENIENT
from rows import conversations

IMAGE: Any = {"type": "image"}
QUESTION: Any = {"type": "text", "text": "What?"}
ANSWER: Any = {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]}
PNG = {"bytes": {"base64": "iVBORw0KGgo="}, "path": None}
"""An image as `datasets` stores it, also in rows of Parquet."""


def user(*parts: Any) -> Any:
    return {"role": "user", "content": [*parts]}


def media(row: dict[str, Any]) -> list[Any]:
    [conversation] = conversations(row)
    return [
        part.url or part.data
        for each in conversation.messages
        if not isinstance(each.content, str)
        for part in each.content
        if isinstance(part, Media)
    ]


def extra_columns_of(row: dict[str, Any]) -> list[str]:
    found = read_row(Plan((AUTO,)), row)
    return [*found.extra_columns, *(name for each in found.documents for name in each.extra_columns)]


ROWS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "messages": (
        "messages",
        {"messages": [user(IMAGE, QUESTION), ANSWER], "images": ["a.png"]},
        ["a.png"],
    ),
    "two images, with the nulls of a table": (
        "messages",
        {"messages": [user({"type": "image", "text": None}, IMAGE, QUESTION), ANSWER], "images": ["a.png", "b.png"]},
        ["a.png", "b.png"],
    ),
    "images by their index": (
        "messages",
        {
            "messages": [user({**IMAGE, "index": 1}, {**IMAGE, "index": 0}, {**QUESTION, "index": None}), ANSWER],
            "images": ["a.png", "b.png"],
        },
        ["b.png", "a.png"],
    ),
    "one image": ("messages", {"messages": [user(IMAGE, QUESTION), ANSWER], "image": "a.png"}, ["a.png"]),
    "an image as it is stored": ("messages", {"messages": [user(IMAGE), ANSWER], "images": [PNG]}, ["iVBORw0KGgo="]),
    "the path of an image": (
        "messages",
        {"messages": [user(IMAGE), ANSWER], "images": [{"bytes": None, "path": "a.png"}]},
        ["a.png"],
    ),
    "a video": ("messages", {"messages": [user({"type": "video"}, QUESTION), ANSWER], "videos": ["a.mp4"]}, ["a.mp4"]),
    "a sound": ("messages", {"messages": [user({"type": "audio"}, QUESTION), ANSWER], "audios": ["a.wav"]}, ["a.wav"]),
    "a prompt and its completion": (
        "prompt-completion",
        {"prompt": [user(IMAGE, QUESTION)], "completion": [ANSWER], "images": ["a.png"]},
        ["a.png"],
    ),
    "a preference": (
        "preference",
        {
            "prompt": [user(IMAGE, QUESTION)],
            "chosen": [ANSWER],
            "rejected": [ANSWER | {"content": "A dog."}],
            "images": ["a.png"],
        },
        ["a.png"],
    ),
    "a prompt alone": ("prompt", {"prompt": [user(IMAGE, QUESTION)], "images": ["a.png"]}, ["a.png"]),
    "addresses in parts": (
        "messages",
        {
            "messages": [
                user({"type": "image", "image": "a.png"}, {"type": "audio", "path": "a.wav"}, QUESTION),
                ANSWER,
            ]
        },
        ["a.png", "a.wav"],
    ),
    "one image of LLaVA": (
        "sharegpt",
        {
            "image": "a.png",
            "conversations": [{"from": "human", "value": "<image>\nWhat?"}, {"from": "gpt", "value": "A."}],
        },
        ["a.png"],
    ),
    # LLaMA-Factory (`data/README.md`, alpaca format), ms-swift (query and response): a text in the text is the place
    "an instruction": (
        "alpaca",
        {"instruction": "<image>What?", "input": "", "output": "A cat.", "images": ["a.png"]},
        ["a.png"],
    ),
    "a query with earlier ones": (
        "alpaca",
        {
            "query": "<image>And <video>?",
            "response": "A dog.",
            "history": [["<image>What?", "A cat."]],
            "images": ["a.png", "b.png"],
            "videos": "c.mp4",
        },
        ["a.png", "b.png", "c.mp4"],
    ),
    "an answer": ("alpaca", {"query": "Draw it.", "response": "<image>", "images": ["a.png"]}, ["a.png"]),
    "a preference of texts": (
        "preference",
        {"instruction": "<image>What?", "chosen": "A cat.", "rejected": "A dog.", "images": ["a.png"]},
        ["a.png"],
    ),
    "a text beside other parts": (
        "messages",
        {"messages": [user({**QUESTION, "text": "<image>What?"}), ANSWER], "images": ["a.png"]},
        ["a.png"],
    ),
    "a thought": (
        "reasoned",
        {"question": "<image>What?", "reasoning": "I see a cat.", "answer": "A cat.", "images": ["a.png"]},
        ["a.png"],
    ),
    # axolotl (`docs/multimodal.qmd`), processors of transformers: data as base64
    "data in a part": (
        "messages",
        {"messages": [user({"type": "image", "base64": "iVBORw0KGgo="}, QUESTION), ANSWER]},
        ["iVBORw0KGgo="],
    ),
    "an image of ShareGPT as it is stored": (
        "sharegpt",
        {
            "images": [PNG],
            "conversations": [{"from": "human", "value": "<image>What?"}, {"from": "gpt", "value": "A."}],
        },
        ["data:image/png;base64,iVBORw0KGgo="],
    ),
}


@pytest.mark.parametrize(
    ("column", "stored", "expected"),
    [
        ("audio", {"bytes": {"base64": "UklGRg=="}, "path": "a.wav"}, "data:audio/wav;base64,UklGRg=="),
        ("audio", {"bytes": {"base64": "UklGRg=="}, "path": "a.mp3"}, "data:audio/mpeg;base64,UklGRg=="),
        ("video", {"bytes": {"base64": "AAAA"}, "path": None}, "data:;base64,AAAA"),
        ("image", {"bytes": {"base64": "/9j/AA=="}, "path": "a"}, "data:image/jpeg;base64,/9j/AA=="),
    ],
)
def test_stored_media_have_the_type_of_their_column(column: str, stored: Any, expected: str) -> None:
    row = {
        column: stored,
        "conversations": [{"from": "human", "value": f"<{column}>What?"}, {"from": "gpt", "value": "A."}],
    }
    assert media(row) == [expected]


@pytest.mark.parametrize("name", ROWS)
def test_media_of_a_column_are_put_into_the_places_in_the_messages(name: str) -> None:
    layout, row, expected = ROWS[name]
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, media(row), extra_columns_of(row)) == (layout, expected, [])
    assert all(not each.findings for each in found.documents)


@pytest.mark.parametrize("images", [["a.png"], [], ["a.png", "b.png", "c.png"], [{"array": [0]}, "b.png"]])
def test_media_are_an_extra_column_if_there_are_more_or_fewer_places(images: list[Any]) -> None:
    row = {"messages": [user(IMAGE, IMAGE, QUESTION), ANSWER], "images": images}
    found = read_row(Plan((AUTO,)), row)
    assert [(each.code, each.path) for each in found.documents[0].findings] == [("shape", "/images")]
    assert (media(row), extra_columns_of(row)) == ([], ["images"])


def test_a_text_for_media_in_a_rejected_answer_stays_a_text() -> None:
    row = {"prompt": "Draw it.", "chosen": "<image>", "rejected": "<image>", "images": ["a.png"]}
    [document] = read_row(Plan((AUTO,)), row).documents
    found: Any = document.value
    assert found["non_preferred_output"] == [{"role": "assistant", "content": "<image>"}]
    assert media(row) == ["a.png"]


@pytest.mark.parametrize("images", [["a.png"], ["a.png", "b.png", "c.png"]])
def test_texts_for_media_stay_texts_if_there_are_more_or_fewer(images: list[Any]) -> None:
    row = {"instruction": "<image><image>What?", "output": "A cat.", "images": images}
    found = read_row(Plan((AUTO,)), row)
    assert [(each.code, each.path) for each in found.documents[0].findings] == [("shape", "/images")]
    assert (media(row), extra_columns_of(row)) == ([], ["images"])
    [conversation] = conversations(row)
    assert conversation.messages[0].content == "<image><image>What?"


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [user({**QUESTION, "text": "<video>What?"}), ANSWER]},
        {"messages": [{"role": "user", "content": "<video>What?"}, ANSWER]},
        {"conversations": [{"from": "human", "value": "<video>What?"}, {"from": "gpt", "value": "A cat."}]},
        {"instruction": "<video>What?", "output": "A cat."},
    ],
)
def test_texts_that_name_media_of_another_kind_than_the_column_are_found(row: dict[str, Any]) -> None:
    [document] = read_row(Plan((AUTO,)), {**row, "images": ["a.png"]}).documents
    assert [(each.code, each.path) for each in document.findings] == [("shape", "/images")]
    assert "<video>" in document.findings[0].detail
    [document] = read_row(Plan((AUTO,)), {**row, "images": []}).documents
    assert document.findings == ()


def test_a_row_is_not_changed_by_its_media() -> None:
    row = {"messages": [user({**QUESTION, "text": "<image>What?"}), ANSWER], "images": ["a.png"]}
    before = copy.deepcopy(row)
    assert media(row) == ["a.png"]
    assert row == before


def test_media_without_a_place_are_an_extra_column() -> None:
    row = {"prompt": "What?", "completion": "A cat.", "images": ["a.png"], "videos": None}
    assert extra_columns_of(row) == ["images"]


def test_a_sound_with_an_address_is_read_as_a_sound() -> None:
    row = {
        "messages": [{"role": "user", "content": "<audio>What?"}, ANSWER | {"content": "A cat."}],
        "audios": ["a.wav"],
    }
    found = read_row(Plan((AUTO,)), row)
    made: Any = convert(found.documents[0].value, source=found.layout.format, target="openai", policy=LENIENT)
    assert made.output["messages"][0]["content"] == [{"type": "audio_url", "audio_url": {"url": "a.wav"}}, QUESTION]
    assert made.lossless


def test_a_part_with_unknown_members_is_not_a_place_for_media() -> None:
    odd = {"type": "image", "colour": "red"}
    [conversation] = conversations({"messages": [user(odd, QUESTION), ANSWER], "images": ["a.png"]})
    assert [type(part) for part in conversation.messages[0].content if not isinstance(part, str)][1:] == [Text]
