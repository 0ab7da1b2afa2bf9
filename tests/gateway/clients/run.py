"""Agent loops of real clients: `python tests/gateway/clients/run.py PYTHON [NODE_FOLDER]` prints which keep reasoning.

A scripted model asks for the weather, and its answer shows whether the prompt had its earlier reasoning.
PYTHON is an interpreter that has the clients' libraries, NODE_FOLDER one with theirs in `node_modules`:

    pip install openai openai-agents langchain langchain-openai 'pydantic-ai-slim[openai]' \\
        llama-index-core llama-index-llms-openai-like litellm anthropic
    npm install openai ai @ai-sdk/openai @ai-sdk/openai-compatible zod

A library that wants other versions than the rest gets an interpreter of its own, and is named by CLIENTS, a pattern.
Every loop runs with one call and with two at once. It passes where the model saw its reasoning, and nobody else did.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from gateway.scripted import body_of, serving  # noqa: E402
from ocml_bridge.hosts.gateway import Settings, create_app  # noqa: E402

SECRET = "I must look it up (SECRET-CoT)."
QUESTIONS = {"one call": "Weather in Paris?", "two calls": "Weather in Paris and Rome?"}
TIME = 120
"""The longest that a loop may take, in seconds."""


def completion(prompt: str) -> str:
    """What the model writes behind a prompt."""
    thought = f"<|channel|>analysis<|message|>{SECRET}<|end|><|start|>assistant"
    if prompt.count("<|start|>functions.get_weather") == 0:
        cities = ("Paris", "Rome") if "and Rome" in prompt else ("Paris",)
        head = "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        return thought + "<|start|>assistant".join(f'{head}{{"city": "{city}"}}<|call|>' for city in cities)
    seen = "COT_SEEN" if SECRET in prompt else "COT_MISSING"
    answer = f"<|channel|>final<|message|>It is dry. {seen}<|return|>"
    return f"<|channel|>analysis<|message|>Dry.<|end|><|start|>assistant{answer}"


async def model(scope: Any, receive: Any, send: Any) -> None:
    """A completions server whose model writes that, a few characters at a time."""
    if scope["type"] != "http":
        return
    headers = [(b"content-type", b"application/json")]
    if scope["path"] == "/v1/models":
        data = json.dumps({"object": "list", "data": [{"id": "gpt-oss-20b", "object": "model", "max_model_len": 8192}]})
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": data.encode()})
        return
    body = await body_of(receive)
    text = completion(body["prompt"])
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if not body.get("stream"):
        whole = {"choices": [{"index": 0, "text": text, "finish_reason": "stop"}], "usage": usage}
        await send({"type": "http.response.body", "body": json.dumps(whole).encode()})
        return
    pieces = re.findall(r"<\|\w+\|>|.{1,4}?(?=<\|)|.{1,4}", text, re.DOTALL)
    for number, piece in enumerate(pieces, 1):
        reason = "stop" if number == len(pieces) else None
        event = {"choices": [{"index": 0, "text": piece, "finish_reason": reason}]}
        data = f"data: {json.dumps(event)}\n\n".encode()
        await send({"type": "http.response.body", "body": data, "more_body": True})
        await asyncio.sleep(0)
    last = f"data: {json.dumps({'choices': [], 'usage': usage})}\n\ndata: [DONE]\n\n".encode()
    await send({"type": "http.response.body", "body": last, "more_body": False})


class Overheard:
    """An application that records all bytes that it sends to clients."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.sent_bytes = bytearray()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def record(message: Any) -> None:
            self.sent_bytes += message.get("body", b"")
            await send(message)

        await self._app(scope, receive, record if scope["type"] == "http" else send)


def loops(python: str, folder: str | None) -> list[tuple[str, list[str], str | None]]:
    """The clients: name, command, and the folder that it runs in."""
    names = re.findall(r"^def with_(\w+)", (HERE / "loops.py").read_text(), re.MULTILINE)
    found: list[tuple[str, list[str], str | None]] = []
    found += [(f"python {name}", [python, str(HERE / "loops.py")], None) for name in names]
    if folder is not None:
        names = re.findall(r"^  (\w+): \(url", (HERE / "loops.mjs").read_text(), re.MULTILINE)
        found += [(f"js {name}", ["node", str(HERE / "loops.mjs")], folder) for name in names]
    return found


def main() -> int:
    python, folder = sys.argv[1], (sys.argv[2:] or [None])[0]
    wanted = os.environ.get("CLIENTS", "")
    failed = 0
    with serving(model) as behind:
        app = Overheard(create_app(Settings(f"{behind}/v1", profile="gpt-oss", driver="completions")))
        with serving(app) as url:
            for name, command, where in loops(python, folder):
                if wanted and not re.search(wanted, name):
                    continue
                outcomes: list[str] = []
                for question in QUESTIONS.values():
                    line = [*command, f"{url}/v1", name.split()[1], question]
                    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
                    outcomes.append(_outcome(line, where, environment))
                leaked = b"SECRET" in app.sent_bytes
                passed = outcomes == ["kept"] * len(QUESTIONS) and not leaked
                failed += not passed
                words = ", ".join(f"{kind}: {outcome}" for kind, outcome in zip(QUESTIONS, outcomes, strict=True))
                print(f"{'ok  ' if passed else 'FAIL'} {name:34} {words}{', LEAKED' if leaked else ''}", flush=True)
    return 1 if failed else 0


def _outcome(line: list[str], folder: str | None, environment: dict[str, str]) -> str:
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=TIME, env=environment)
    if "COT_SEEN" in done.stdout:
        return "kept"
    if "COT_MISSING" in done.stdout:
        return "lost"
    lines = (done.stderr or done.stdout).strip().splitlines() or [""]
    return f"failed ({lines[-1][:150]})"


if __name__ == "__main__":
    threading.excepthook = lambda _: None
    sys.exit(main())
