"""Trainers' own code reads the rows that are written as the original conversations.

Trainers are judges here; `judges/trainers.py` explains how to install them. Without them, these tests are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judges.trainers import trainer

Batch = Callable[..., int]
Pairs = list[tuple[str, str]]

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Rome"}'}}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}},
}
TALK: list[Any] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "Why?\n"},
    {"role": "assistant", "content": ""},
]
CALLED: list[Any] = [
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "20"},
    {"role": "assistant", "content": "Warm."},
]
PREFERENCE = {
    "input": {"messages": TALK[:2]},
    "preferred_output": [{"role": "assistant", "content": "Good"}],
    "non_preferred_output": [{"role": "assistant", "content": "Bad"}],
}
PAIRS: Pairs = [(each["role"], each["content"]) for each in TALK]


@pytest.fixture
def row(batch: Batch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The row that a layout makes of a document."""

    def make(document: Any, layout: str, **beside: Any) -> dict[str, Any]:
        (tmp_path / "a.jsonl").write_text(json.dumps({**document, **beside}))
        out = tmp_path / layout
        plan = ("--overwrite", "--plan", "messages" if beside else "openai", "--to-plan", layout)
        assert batch(*plan, tmp_path / "a.jsonl", "-o", out) == 0
        return json.loads((out / "a.jsonl").read_bytes())

    return make


@pytest.fixture
def batch() -> Batch:
    from ocml_bridge.cli import main

    return lambda *arguments: main(["batch", "--quiet", "--jobs", "1", *map(str, arguments)])


def as_pairs(messages: Iterable[Any]) -> Pairs:
    return [(each["role"], each["content"]) for each in messages]


Row = Callable[..., dict[str, Any]]


# --- LLaMA-Factory ----------------------------------------------------------------------------------------------------


def factory(formatting: str, made: dict[str, Any], **columns: Any) -> dict[str, Any]:
    converters = trainer("llamafactory.data.converter", "llamafactory.data.data_utils")
    about = trainer("llamafactory.data.parser").DatasetAttr("file", "rows", formatting=formatting, **columns)
    arguments = SimpleNamespace(media_dir="")
    return converters.DATASET_CONVERTERS[formatting](about, arguments)(made)


def test_llama_factory_reads_alpaca(row: Row) -> None:
    found = factory("alpaca", row({"messages": TALK}, "alpaca"), system="system", history="history")
    assert found["_system"] == "Be kind."
    assert as_pairs(found["_prompt"] + found["_response"]) == PAIRS[1:]


def test_llama_factory_reads_sharegpt(row: Row) -> None:
    found = factory("sharegpt", row({"messages": TALK}, "sharegpt"))
    assert [("system", found["_system"]), *as_pairs(found["_prompt"] + found["_response"])] == PAIRS


def test_llama_factory_reads_calls_of_sharegpt(row: Row) -> None:
    found = factory("sharegpt", row({"messages": CALLED, "tools": [TOOL]}, "sharegpt"), tools="tools")
    roles, texts = zip(*as_pairs(found["_prompt"] + found["_response"]), strict=True)
    assert roles == ("user", "function", "observation", "assistant")
    assert json.loads(texts[1]) == {"name": "weather", "arguments": {"city": "Rome"}}
    assert (texts[0], texts[2], texts[3]) == ("Weather?", "20", "Warm.")
    assert json.loads(found["_tools"]) == [TOOL["function"]]


def test_llama_factory_reads_preferences_of_sharegpt(row: Row) -> None:
    made = row(PREFERENCE, "sharegpt")
    found = factory("sharegpt", made, ranking=True, chosen="chosen", rejected="rejected")
    assert (found["_system"], as_pairs(found["_prompt"])) == ("Be kind.", PAIRS[1:2])
    assert as_pairs(found["_response"]) == [("assistant", "Good"), ("assistant", "Bad")]


def test_llama_factory_reads_messages(row: Row) -> None:
    tags = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
    found = factory(
        "openai",
        row({"messages": CALLED, "tools": [TOOL]}, "messages"),
        messages="messages",
        tools="tools",
        observation_tag="tool",
        **tags,
    )
    roles, texts = zip(*as_pairs(found["_prompt"] + found["_response"]), strict=True)
    assert roles == ("user", "function", "observation", "assistant")
    assert json.loads(texts[1])[0]["name"] == "weather"
    assert json.loads(found["_tools"]) == [TOOL]


# --- TRL --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["messages", "sharegpt", "prompt-completion", "preference", "kto"])
def test_trl_takes_rows_for_conversations(layout: str, row: Row) -> None:
    trl = trainer("trl.data_utils")
    document = PREFERENCE if layout == "preference" else {"messages": TALK}
    made = trl.maybe_convert_to_chatml(row(document, layout, **({"label": True} if layout == "kto" else {})))
    assert trl.is_conversational(made)
    if "messages" in made:
        assert [each[1] for each in as_pairs(made["messages"])] == [each[1] for each in PAIRS]
    elif layout == "preference":
        assert as_pairs(made["prompt"]) == PAIRS[:2]
        assert (as_pairs(made["chosen"]), as_pairs(made["rejected"])) == (
            [("assistant", "Good")],
            [("assistant", "Bad")],
        )
    else:
        assert as_pairs(made["prompt"] + made["completion"]) == PAIRS


# --- torchtune --------------------------------------------------------------------------------------------------------


def tuned(messages: Iterable[Any]) -> Pairs:
    return [(each.role, "".join(part["content"] for part in each.content)) for each in messages]


def test_torchtune_reads_rows(row: Row) -> None:
    torchtune = trainer("torchtune.data._messages")
    for layout, transform in (("messages", "OpenAIToMessages"), ("sharegpt", "ShareGPTToMessages")):
        assert tuned(getattr(torchtune, transform)()(row({"messages": TALK}, layout))["messages"]) == PAIRS
    alpaca = row({"messages": [*TALK[3:4], {"role": "assistant", "content": "So"}]}, "alpaca")
    asked, answered = tuned(torchtune.AlpacaToMessages()(alpaca)["messages"])
    assert "Why?\n" in asked[1]
    assert answered == ("assistant", "So")
    made = row(PREFERENCE, "preference")
    whole = {name: made["prompt"] + made[name] for name in ("chosen", "rejected")}
    found = torchtune.ChosenRejectedToMessages()(whole)
    assert tuned(found["chosen"]) == [*PAIRS[:2], ("assistant", "Good")]


# --- unsloth ----------------------------------------------------------------------------------------------------------


class Rows(list[dict[str, Any]]):
    """The part of the interface of a dataset that the trainer uses."""

    def map(self, function: Callable[..., Any], **_options: Any) -> Any:
        return function({"conversations": [each["conversations"] for each in self]})


def test_unsloth_reads_sharegpt(row: Row) -> None:
    standardize = trainer("unsloth_zoo.dataset_utils").standardize_data_formats
    standardize.__globals__["IterableDataset"] = Rows
    found = standardize(Rows([row({"messages": TALK}, "sharegpt")]))
    assert as_pairs(found["conversations"][0]) == PAIRS


# --- axolotl ----------------------------------------------------------------------------------------------------------


def test_axolotl_reads_messages(row: Row) -> None:
    axolotl = trainer(
        "axolotl.prompt_strategies.chat_template",
        *("axolotl.utils.dict", "axolotl.prompters", "axolotl.prompt_tokenizers"),
    )
    prompter: Any = object.__new__(axolotl.ChatTemplatePrompter)
    roles = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
    names = {"role": "role", "content": "content"}
    known = {"role", "content", "tool_calls", "tool_call_id", "reasoning_content"}
    about: dict[str, Any] = {
        "roles": roles,
        "message_property_mappings": names,
        "_chat_template_msg_variables": known,
        "field_messages": "messages",
        "field_system": "system",
        "field_tools": "tools",
        "field_thinking": "reasoning_content",
        "drop_system_message": False,
        "message_field_training": None,
        "message_field_training_detail": None,
        "template_thinking_key": "reasoning_content",
    }
    prompter.__dict__ |= about
    strategy: Any = object.__new__(axolotl.ChatTemplateStrategy)
    strategy.__dict__ |= {"prompter": prompter, "split_thinking": False}
    found = strategy.get_conversation_thread(row({"messages": TALK}, "messages"))
    assert as_pairs(found) == PAIRS
    called = row({"messages": CALLED, "tools": [TOOL]}, "messages")
    turns = strategy.get_conversation_thread(called)
    function = turns[1]["tool_calls"][0]["function"]
    assert (function["name"], function["arguments"]) == ("weather", {"city": "Rome"})
    assert strategy._get_tools(called) == [TOOL]
