"""`batch --mask`: rows to train on, and the collator of the page on spans."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ocml_bridge.cli import main
from ocml_bridge.spans.masks import IGNORED, MASKS
from sources import ROOT

TALK = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "reasoning": "Hm.", "content": "Hello."},
    {"role": "user", "content": "So?"},
    {"role": "assistant", "content": "Bye.", "weight": 0},
]
COUNTED = {
    "assistant": ["<think>\nHm.\n</think>\n\nHello.<|im_end|>", "Bye.<|im_end|>"],
    "last": ["Bye.<|im_end|>"],
    "no-reasoning": ["\n\nHello.<|im_end|>", "Bye.<|im_end|>"],
    "weights": ["<think>\nHm.\n</think>\n\nHello.<|im_end|>"],
}


def rows(folder: Path, *arguments: str, lines: str = json.dumps({"id": 7, "messages": TALK})) -> list[dict[str, Any]]:
    """Convert a file of conversations; returns the rows of the output."""
    (folder / "in.jsonl").write_text(lines + "\n", "utf-8")
    command = ["batch", str(folder / "in.jsonl"), "-o", str(folder / "out"), "-q", "-j", "1", *arguments]
    assert main(command) == 0
    return [json.loads(line) for line in (folder / "out" / "in.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("mask", MASKS)
def test_the_mask_of_a_text(mask: str, tmp_path: Path) -> None:
    [row] = rows(tmp_path, "-f", "openai", "-t", "chatml:hermes", "--mask", mask)
    assert list(row) == ["id", "text", "loss_mask"]
    assert [row["text"][start:end] for start, end, _ in row["loss_mask"]] == COUNTED.get(mask, [row["text"]])
    assert all(weight == 1 for _, _, weight in row["loss_mask"])


def test_the_mask_of_token_ids(tmp_path: Path) -> None:
    [row] = rows(
        tmp_path,
        "-t",
        "harmony-tokens",
        "--profile",
        "gpt-oss",
        "--date",
        "2025-06-28",
        "--training",
        "--mask",
        "weights",
    )
    assert len(row["input_ids"]) == len(row["labels"]) == len(row["loss_mask"])
    counted = [one for one, weight in zip(row["input_ids"], row["loss_mask"], strict=True) if weight]
    assert [label for label in row["labels"] if label != IGNORED] == counted
    assert counted[-1] == 200007  # `<|end|>`: the last answer, which ends with `<|return|>`, has no weight


def test_the_mask_of_a_text_in_tokens_of_a_tokenizer(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="it is an extra")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    special = ["<|im_start|>", "<|im_end|>"]
    made.train_from_iterator([], tokenizers.trainers.BpeTrainer(special_tokens=special, initial_alphabet=alphabet))
    made.save(str(tmp_path / "tokenizer.json"))
    options = ("--mask", "last", "--tokenizer", str(tmp_path / "tokenizer.json"))
    [row] = rows(tmp_path, "-f", "openai", "-t", "chatml", *options)
    counted = [label for label in row["labels"] if label != IGNORED]
    assert made.decode(counted, skip_special_tokens=False) == "Bye.<|im_end|>"


def test_other_fields_are_carried_along_with_a_text(tmp_path: Path) -> None:
    text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nYo.<|im_end|>\n"
    lines = json.dumps({"id": 1, "text": text, "score": 0.5})
    [row] = rows(tmp_path, "-f", "chatml", "-t", "chatml", "--mask", "assistant", lines=lines)
    assert (row["id"], row["text"], row["score"]) == (1, text, 0.5)
    assert [text[start:end] for start, end, _ in row["loss_mask"]] == ["Yo.<|im_end|>"]


def test_rows_of_a_layout_are_masked_too(tmp_path: Path) -> None:
    lines = json.dumps({"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Yo."}], "id": 3})
    [row] = rows(tmp_path, "--plan", "sharegpt", "-t", "chatml", "--mask", "assistant", lines=lines)
    assert [row["text"][start:end] for start, end, _ in row["loss_mask"]] == ["Yo.<|im_end|>"]
    assert row["id"] == 3


@pytest.mark.parametrize(
    "arguments",
    [("-t", "openai", "--mask", "last"), ("-t", "chatml", "--tokenizer", "t.json"), ("-t", "chatml", "--mask", "x")],
)
def test_a_target_without_spans_is_refused_at_the_start(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("{}\n", "utf-8")
    assert main(["batch", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out"), *arguments]) == 2
    assert not (tmp_path / "out").exists()


def test_the_collator_of_the_page_makes_a_batch(tmp_path: Path) -> None:
    """The code of the page, without torch."""
    page = (ROOT / "docs" / "spans.md").read_text("utf-8")
    source = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def collated" in block)
    names: dict[str, Any] = {}
    exec(source, names)
    lines = "\n".join(json.dumps({"messages": TALK[:count]}) for count in (2, 4))
    batch = names["collated"](rows(tmp_path, "-t", "harmony-tokens", "--mask", "assistant", lines=lines), 0)
    short, long = batch["attention_mask"]
    assert len(short) == len(long) == len(batch["input_ids"][0]) == len(batch["labels"][1])
    assert sum(short) < sum(long) == len(long)
    assert set(batch["labels"][0][sum(short) :]) == {IGNORED}
    assert set(batch["input_ids"][0][sum(short) :]) == {0}
