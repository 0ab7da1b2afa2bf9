"""transformers' mask of the assistant's tokens, by a template of ChatML with `{% generation %}` marks.

The judge is `transformers` (5.x; no torch), which wants an environment of its own:

    python -m venv /tmp/judge && /tmp/judge/bin/pip install transformers jinja2 tokenizers
    python -m judges.chatml_generation /tmp/judge/bin/python

Both are asked of 500 drawn conversations which tokens of the text are the assistant's, by a tokenizer that is trained
on these texts.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from tempfile import NamedTemporaryFile
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from ocml_bridge import Result, convert
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.spans import tokenized

TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content + '<|im_end|>' }}{% endgeneration %}"
    "{% else %}{{ m.content + '<|im_end|>' }}{% endif %}{{ '\\n' }}{% endfor %}"
)
JUDGE = """
import json, sys
from transformers import PreTrainedTokenizerFast
tokenizer = PreTrainedTokenizerFast(tokenizer_file=sys.argv[1])
template = sys.argv[2]
for line in sys.stdin:
    made = tokenizer.apply_chat_template(
        json.loads(line), chat_template=template, return_dict=True, return_assistant_tokens_mask=True)
    text = tokenizer.apply_chat_template(json.loads(line), chat_template=template, tokenize=False)
    print(json.dumps([text, made["input_ids"], made["assistant_masks"]]))
"""


def drawn(count: int) -> list[list[dict[str, str]]]:
    """Conversations of texts."""
    chance = random.Random(11)
    words = (
        "Is it warm?",
        "你好",
        "It rains.\n",
        "```py\nx = 1\n```",
        "a",
        "Ünïcödé 😀",
        "{}",
        "\n\nNo.",
        "\nYes",
        "word " * 9,
    )
    made: list[list[dict[str, str]]] = []
    for _ in range(count):
        messages = [{"role": "system", "content": chance.choice(words)}] if chance.random() < 0.5 else []
        for _ in range(chance.randint(1, 4)):
            messages += [{"role": role, "content": chance.choice(words)} for role in ("user", "assistant")]
        made.append(messages)
    return made


def trained(texts: list[str]) -> Any:
    """A tokenizer of bytes, with the two tokens of ChatML."""
    tokenizer: Any = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def main() -> None:
    """Ask the judge, and print what differs."""
    records = drawn(500)
    lines: list[Result] = [
        convert({"messages": one}, source="openai", target="chatml", spans=True, policy=LENIENT) for one in records
    ]
    tokenizer = trained([str(line.output) for line in lines])
    with NamedTemporaryFile(suffix=".json") as file:
        tokenizer.save(file.name)
        asked = "".join(json.dumps(record) + "\n" for record in records)
        command = [sys.argv[1], "-c", JUDGE, file.name, TEMPLATE]
        answers = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    tokens = texts = masks = 0
    for line, answer in zip(lines, answers, strict=True):
        text, ids, mask = json.loads(answer)
        own, spans = tokenized(line.spans or (), str(line.output), tokenizer)
        sampled = [int(span.sampled) for span in spans for _ in range(span.start, span.end)]
        tokens += len(ids)
        texts += text != line.output or own != ids
        masks += sampled != mask
    print(f"{len(records)} conversations, {tokens} tokens: {texts} texts and {masks} masks differ")


if __name__ == "__main__":
    main()
