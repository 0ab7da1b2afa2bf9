"""The reference renderer of gpt-oss gives for each token its message, and whether a model samples it.

The judge is `renderers` (PyPI, 0.1.12), which wants an environment of its own:

    python -m venv /tmp/judge && /tmp/judge/bin/pip install renderers httpx
    python -m judges.gpt_oss_renderer /tmp/judge/bin/python [conversations.jsonl …]

It is asked of 500 drawn conversations, and of each in the files that are named: records with `messages` and perhaps
`tools`. With all reasoning and without a system message of its own, its tokens are compared with those that we convert
to, frame by frame and token by token, behind the system's and developer's messages: how these are written is the
profile's business, and judged by the model's own template.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ocml_adapters.harmony.vocabulary import VARIABLE, cache_folder, load_encoding
from ocml_bridge import BridgeError, Options, convert, read
from ocml_bridge.report.policy import LENIENT

START, MESSAGE = 200006, 200008
LEADING = {17360, 77944}
"""The words `system` and `developer` behind the token that begins a frame."""
Token = tuple[int, int, bool]
"""An id, the index of its message on the wire or -1, whether it is sampled."""

JUDGE = """
import json, sys
from openai_harmony import HarmonyEncodingName, load_harmony_encoding
from renderers.configs import GptOssRendererConfig
from renderers.gpt_oss import GptOssRenderer
harmony = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
class Tokenizer:
    unk_token_id = None
    name_or_path = "gpt-oss"
    def convert_tokens_to_ids(self, token):
        return harmony.encode(token, allowed_special="all")[0]
    def encode(self, text, add_special_tokens=False):
        return harmony.encode(text)
    def decode(self, ids, skip_special_tokens=False):
        return harmony.decode(ids)
config = GptOssRendererConfig(use_system_prompt=False, auto_drop_analysis=False)
renderer = GptOssRenderer(Tokenizer(), config)
for line in sys.stdin:
    record = json.loads(line)
    try:
        made = renderer.render(record["messages"], tools=record.get("tools"))
        print(json.dumps([made.token_ids, made.message_indices, made.sampled_mask]))
    except BaseException as error:
        print(json.dumps({"error": repr(error)[:200]}))
"""


def drawn(count: int) -> list[dict[str, Any]]:
    """Conversations of all that the judge knows: texts, reasoning, calls with their replies, tools."""
    chance = random.Random(7)
    words = (
        "Is it warm in Oslo?",
        "你好",
        "It <|end|> rains.\n",
        "```py\nx = 1\n```",
        "a",
        "Ünïcödé 😀",
        "{}",
        " ",
        "\n\nNo.",
    )
    made: list[dict[str, Any]] = []
    for _ in range(count):
        messages: list[dict[str, Any]] = []
        if chance.random() < 0.5:
            messages.append({"role": "system", "content": chance.choice(words)})
        calls = 0
        for _ in range(chance.randint(1, 4)):
            messages.append({"role": "user", "content": chance.choice(words)})
            while chance.random() < 0.4:
                names = [chance.choice(("f", "get_weather")) for _ in range(chance.randint(1, 2))]
                ids = [f"c{calls + number}" for number in range(len(names))]
                calls += len(names)
                asked: dict[str, Any] = {"role": "assistant", "content": chance.choice(("", "I look."))}
                if chance.random() < 0.5:
                    asked["reasoning_content"] = chance.choice(words)
                asked["tool_calls"] = [
                    {"id": one, "type": "function", "function": {"name": name, "arguments": '{"a": 1}'}}
                    for one, name in zip(ids, names, strict=True)
                ]
                messages.append(asked)
                for one, name in zip(ids, names, strict=True):
                    messages.append(
                        {"role": "tool", "tool_call_id": one, "name": name, "content": chance.choice(words)}
                    )
            answer = {"role": "assistant", "content": chance.choice(words)}
            if chance.random() < 0.5:
                answer["reasoning_content"] = chance.choice(words)
            messages.append(answer)
        function: Any = {"name": "f", "description": "Looks.", "parameters": {"type": "object", "properties": {}}}
        tools = [{"type": "function", "function": function}] if calls else []
        made.append({"messages": messages, **({"tools": tools} if tools else {})})
    return made


def conversations(paths: list[str]) -> list[dict[str, Any]]:
    """Those of files, as far as they are conversations of texts and calls, replies with the names of their tools."""
    found: list[dict[str, Any]] = []
    for path in paths:
        for line in Path(path).read_text("utf-8").splitlines():
            record = json.loads(line)
            if isinstance(record.get("messages"), list):
                found.append({key: record[key] for key in ("messages", "tools") if record.get(key)})
    for record in found:
        names = {
            call.get("id"): call["function"]["name"]
            for message in record["messages"]
            for call in message.get("tool_calls") or ()
            if isinstance(call.get("function"), dict)
        }
        for message in record["messages"]:
            if message.get("role") == "tool" and not message.get("name"):
                message["name"] = names.get(message.get("tool_call_id"), "unknown")
    return found


def ours(record: dict[str, Any]) -> list[Token]:
    """The tokens that we convert a conversation to."""
    options = Options(training=True)
    line = convert(record, source="openai", target="harmony-tokens:spec", options=options, policy=LENIENT, spans=True)
    wire = _wire_indices(record)
    ids: Any = line.output
    tokens: list[Token] = []
    for span in line.spans or ():
        parts = span.path.split("/")
        index = wire[int(parts[2])] if parts[1:2] == ["messages"] else -1
        tokens += [(ids[at], index, span.sampled) for at in range(span.start, span.end)]
    return tokens


def _wire_indices(record: dict[str, Any]) -> list[int]:
    """For each message of ours the index of its message on the wire."""
    indices: list[int] = []
    for number in range(len(record["messages"])):
        transcript: Any = read({"messages": record["messages"][: number + 1]}, "openai").transcript
        indices += [number] * (len(transcript.messages) - len(indices))
    return indices


def frames(tokens: list[Token]) -> list[list[Token]]:
    """Tokens frame by frame."""
    out: list[list[Token]] = []
    for token in tokens:
        if token[0] == START or not out:
            out.append([])
        out[-1].append(token)
    return [frame for frame in out if frame[1][0] not in LEADING]


def split(frame: list[Token]) -> tuple[list[Token], list[Token]]:
    """A frame's header, and its body with its end."""
    at = next((at + 1 for at, token in enumerate(frame) if token[0] == MESSAGE), len(frame))
    return frame[:at], frame[at:]


def compare(one: list[Token], other: list[Token], notes: Counter[str]) -> None:
    """Count what is alike and what is not between our tokens and the judge's."""
    mine, theirs = frames(one), frames(other)
    if len(mine) != len(theirs):
        notes["another number of frames"] += 1
        return
    for left, right in zip(mine, theirs, strict=True):
        (head, body), (other_head, other_body) = split(left), split(right)
        notes["tokens"] += len(left)
        notes["header spelled otherwise"] += [each[0] for each in head] != [each[0] for each in other_head]
        notes["index of a header differs"] += {each[1] for each in head} != {each[1] for each in other_head}
        notes["sampled: ours in a header"] += any(each[2] for each in head)
        notes["sampled: the judge's in a header"] += any(each[2] for each in other_head)
        if [each[0] for each in body] != [each[0] for each in other_body]:
            notes["body spelled otherwise"] += 1
            notes["sampled of that differs"] += any(each[2] for each in body) != any(each[2] for each in other_body)
            continue
        same = [(a[1] == b[1], a[2] == b[2]) for a, b in zip(body, other_body, strict=True)]
        notes["tokens of bodies and ends that are compared"] += len(body)
        notes["index of a body's token differs"] += sum(not index for index, _ in same)
        notes["sampled of a body's token differs"] += sum(not sampled for _, sampled in same)


def main() -> None:
    """Ask the judge, and print what differs."""
    python, *paths = sys.argv[1:]
    load_encoding()  # unpacks the vocabulary, for the judge, too
    environment = {VARIABLE: str(cache_folder()), **os.environ}
    for name, records in (("drawn", drawn(500)), ("files", conversations(paths))):
        lines = "".join(json.dumps(record) + "\n" for record in records)
        ran = subprocess.run(
            [python, "-c", JUDGE], input=lines, capture_output=True, text=True, check=True, env=environment
        )
        notes: Counter[str] = Counter()
        for record, line in zip(records, ran.stdout.splitlines(), strict=True):
            answer = json.loads(line)
            if isinstance(answer, dict):
                notes["refused by the judge"] += 1
                continue
            try:
                tokens = ours(record)
            except BridgeError:
                notes["refused by us"] += 1
                continue
            compare(tokens, list(zip(*answer, strict=True)), notes)
        print(f"{name}: {len(records)} conversations")
        for note, count in notes.items():
            print(f"  {count:8} {note}")


if __name__ == "__main__":
    main()
