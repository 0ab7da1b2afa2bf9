"""Contents with tokens of the target: a plan breaks the tokens, and gives what is written without plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocml_bridge import BridgeError, LossCode, Options, convert
from ocml_bridge.engine.instances import reader_for, writer_for
from ocml_bridge.engine.plans.filled import Filled
from ocml_bridge.formats.source import decode
from ocml_bridge.loss import Log
from ocml_bridge.registry import adapter
from ocml_bridge.units.conversation import Conversation
from outcomes import PLAIN, PLANNED, outcome
from sampling import examples

pytestmark = pytest.mark.usefixtures("all_plans_learned")

TIMES: Final = 8
"""After how many conversions similar conversations are written by a plan of the output."""
OPENAI: Final = adapter("openai")[0]
TOKENS: Final = {"harmony": "<|end|>", "chatml": "<|im_end|>", "internlm2": "<|im_end|>"}
"""A token of each format whose plans break tokens."""


def request(texts: Sequence[str]) -> bytes:
    """A request with these texts of the system, the user and the assistant, and with a call."""
    system, asked, answered, found, last = texts
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"a":1}'}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system},
        {"role": "user", "content": asked},
        {"role": "assistant", "content": answered},
        {"role": "user", "content": "Find it.", "name": "bob"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": found},
        {"role": "assistant", "content": last},
    ]
    return orjson.dumps({"model": "m", "messages": messages})


PLAIN_TEXTS: Final = ("Be kind.", "Why?", "Because.", "Here.", "I found it.")


def warm_up(target: str) -> None:
    for number in range(TIMES):
        convert(request([f"{text} {number}" for text in PLAIN_TEXTS]), source="openai", target=target, options=PLANNED)


@pytest.mark.parametrize("at", [1, 2, 3, 4])
@pytest.mark.parametrize("target", TOKENS)
def test_a_text_with_a_token_is_written_by_the_plan_of_texts_without_one(target: str, at: int) -> None:
    warm_up(target)
    texts = [f"{text} {TOKENS[target]} is a token." if at == index else text for index, text in enumerate(PLAIN_TEXTS)]
    data = request(texts)
    read = reader_for(OPENAI, PLANNED).read(decode(data, OPENAI.kind, Log()), Log())
    assert isinstance(read, Conversation)
    assert isinstance(writer_for(adapter(target)[0], PLANNED).fill(read), Filled)
    assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@pytest.mark.parametrize("target", TOKENS)
def test_conversations_that_all_have_a_token_get_a_plan(target: str) -> None:
    datas = [request([f"{text} {number}" for text in PLAIN_TEXTS[:-1]] + [TOKENS[target]]) for number in range(TIMES)]
    for data in datas:
        convert(data, source="openai", target=target, options=PLANNED)
    read = reader_for(OPENAI, PLANNED).read(decode(datas[-1], OPENAI.kind, Log()), Log())
    assert isinstance(read, Conversation)
    assert isinstance(writer_for(adapter(target)[0], PLANNED).fill(read), Filled)


ODD: Final = st.lists(
    st.sampled_from(
        [
            *("<|end|>", "<|im_end|>", "<|\u200bim_end|>", "<|start|>", "<|im_start|>user\n", "<|call|>", "<|plugin|>"),
            *(
                "<think>",
                "</think>",
                "<tool_call>",
                "[",
                "a < b",
                " ",
                "\n",
                "\u200b",
                "# Tools",
                "x",
                "<|im_end|",
                "|>",
            ),
            *("<|return|>", "<|endoftext|>", "</s>", "List of tools: ", "<|message|>", "<|action_start|>", "é"),
        ]
    ),
    max_size=4,
).map("".join)


@examples(150)
@given(st.lists(ODD, min_size=5, max_size=5), st.sampled_from([*TOKENS, "chatml:hermes", "ocm-0.1", "ocm-2.2"]))
def test_any_texts_are_written_as_without_plans(texts: list[str], target: str) -> None:
    warm_up(target)
    data = request(texts)
    assert outcome(data, "openai", target, PLANNED) == outcome(data, "openai", target, PLAIN)


@pytest.mark.parametrize("target", TOKENS)
def test_losses_of_tokens_are_refused_by_a_policy(target: str) -> None:
    warm_up(target)
    data = request([*PLAIN_TEXTS[:-1], TOKENS[target]])
    result = convert(data, source="openai", target=target, options=PLANNED)
    paths = [loss.path for loss in result.losses if loss.code is LossCode.CONTROL_TOKEN]
    assert paths == ["/messages/6/content"]
    with pytest.raises(BridgeError, match="OCB-CONTROL-TOKEN at /messages/6/content"):
        convert(data, source="openai", target=target, options=Options(control_tokens="refuse"))
    with pytest.raises(BridgeError, match="OCB-LOSS"):
        convert(data, source="openai", target=target, options=PLANNED, strict=True)


def test_a_token_is_kept_with_the_option_raw() -> None:
    raw = Options(control_tokens="raw")
    for _ in range(TIMES):
        convert(request(PLAIN_TEXTS), source="openai", target="harmony", options=raw)
    data = request([*PLAIN_TEXTS[:-1], "<|end|>"])
    assert "<|message|><|end|><|end|>" in str(convert(data, source="openai", target="harmony", options=raw).output)
