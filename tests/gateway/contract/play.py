"""The answer of the random model to a prompt, and how vLLM is forced to give it: `--logits-processors play:Play`.

llama.cpp's server is forced by a grammar that allows nothing else (`grammar_of`).
"""

from __future__ import annotations

import json
import os
import re
from importlib import import_module
from typing import Any, Final, NamedTuple

RETURN: Final = 200_002
CALL: Final = 200_012
ANALYSIS: Final = "<|channel|>analysis<|message|>"
FINAL: Final = "<|channel|>final<|message|>"
SECRET: Final = "SECRET-CoT"
"""A text in the reasoning of the model, and in nothing else."""


class Answer(NamedTuple):
    """An answer of the model: text with control tokens, and the token it stops with."""

    text: str
    stop: int


def plan(prompt: str) -> Answer:
    """The answer of the model to a prompt."""
    if "<|im_start|>" in prompt:
        return Answer(_wrong(prompt), RETURN)
    last = prompt.rpartition("<|start|>assistant")[0].rpartition("<|start|>")[2]
    if asked := re.search(r"LONG(\d+)", last):
        return Answer(FINAL + " ".join(f"word{number}" for number in range(int(asked[1]))), RETURN)
    if "DISOBEY by calling" in last:
        call = "<|channel|>commentary to=functions.book <|constrain|>json<|message|>"
        return Answer(f'{call}{{"city": "Atlantis", "days": 99}}', CALL)
    if "DISOBEY" in last:
        return Answer(f'{FINAL}{{"city": "Atlantis", "days": 99}}', RETURN)
    if last.startswith("functions."):
        seen = "COT_SEEN" if SECRET in prompt else "COT_MISSING"
        return Answer(
            f"{ANALYSIS}The reply is there.<|end|><|start|>assistant{FINAL}It is dry in Paris. {seen}", RETURN
        )
    if tool := re.search(r"namespace functions \{.*?^type (\w+) = ", prompt, re.DOTALL | re.MULTILINE):
        call = f"<|start|>assistant<|channel|>commentary to=functions.{tool[1]} <|constrain|>json<|message|>"
        before = f"{ANALYSIS}I must look it up ({SECRET}).<|end|>"
        preamble = "<|start|>assistant<|channel|>commentary<|message|>Let me check.<|end|>"
        return Answer(f'{before}{preamble}{call}{{"city": "Paris"}}', CALL)
    return Answer(f"{ANALYSIS}A greeting ({SECRET}).<|end|><|start|>assistant{FINAL}Grüße 👋 to you.", RETURN)


def _wrong(prompt: str) -> str:
    """An answer that is not what it is to be, or a call, as the prompt shows calls."""
    if "DISOBEY by calling" not in prompt:
        return '{"city": "Atlantis", "days": 99}'
    if "<function=" in prompt:
        city = "<parameter=city>\nAtlantis\n</parameter>\n"
        return f"<tool_call>\n<function=book>\n{city}</function>\n</tool_call>"
    if "<tool_call>" in prompt:
        return '<tool_call>\n{"name": "book", "arguments": {"city": "Atlantis"}}\n</tool_call>'
    return "<|tool_call_start|>[book(city='Atlantis')]<|tool_call_end|>"


SPELLED: Final = {RETURN: "<|return|>", CALL: "<|call|>"}


def grammar_of(answer: Answer) -> str:
    """A GBNF grammar with one sentence."""
    return f"root ::= {json.dumps(answer.text, ensure_ascii=False)}"


class One:
    """Raises the next token of the script above all others; what an engine forbids stays forbidden."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._script: list[int] = []

    def __call__(self, prompt: list[int], written: list[int], logits: Any) -> Any:
        if not self._script:
            answer = plan(self._tokenizer.decode(prompt, skip_special_tokens=False))
            self._script = [*self._tokenizer.encode(answer.text, add_special_tokens=False), answer.stop]
        logits[self._script[min(len(written), len(self._script) - 1)]] += 1000.0
        return logits


def __getattr__(name: str) -> Any:
    """`Play`, for vLLM, which is not there in other processes."""
    if name != "Play":
        raise AttributeError(name)
    transformers: Any = import_module("transformers")
    processors: Any = import_module("vllm.v1.sample.logits_processor")
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(os.environ["PLAY_MODEL"])

    def changes_the_choice(_self: Any) -> bool:
        return False

    def of_request(_self: Any, _parameters: Any) -> One:
        return One(tokenizer)

    methods = {"is_argmax_invariant": changes_the_choice, "new_req_logits_processor": of_request}
    return type("Play", (processors.AdapterLogitsProcessor,), methods)
