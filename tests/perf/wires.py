"""`python tests/perf/wires.py`: the wires of vendors, by us and by other converters, on the same recorded requests.

Each request goes to another wire and back, by one converter both ways. What of it is gone, and whether a report is
about that, is counted leaf by leaf (`wire_facts`). The time is that of the way there, from bytes to bytes, with the
report as data; and once more with its sentences. In each round, a converter converts all requests before the next one
does, as a service does that has one converter; the best round of each request counts, in CPU time. A converter that is
not installed is left out.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bridge", "adapters", "tests")]

Wire = dict[str, Any]
Step = Callable[[str, str, bytes], "Made"]
FOLDERS: Final = {"openai": "chat-completions", "anthropic": "anthropic", "openai-responses": "responses"}
PAIRS: Final = (
    ("openai", "anthropic"),
    ("anthropic", "openai"),
    ("openai", "openai-responses"),
    ("openai-responses", "openai"),
)
JSON: Final = "json"
EXPLAINED: Final = "with the sentences of its report"
OURS: Final = "ocml-convert"
WORDS: Final = {
    **dict.fromkeys(("text", "content", "input", "code"), "message content layout"),
    **dict.fromkeys(("type", "status", "phase", "role", "instructions", "system"), "extras layout"),
    **dict.fromkeys(("max_completion_tokens", "max_output_tokens"), "max_tokens layout"),
}
"""Other names of a key's value in a report; the same for all."""
PAGE: Final = ROOT / "docs/speed.md"


class Made(NamedTuple):
    """What a converter made of a request.

    Attributes:
        data: the request on the other wire.
        losses: returns its entries about losses, as texts.
    """

    data: bytes
    losses: Callable[[], list[str]] = list


class Sum(NamedTuple):
    """What became of all requests.

    Attributes:
        whole: how many came back complete.
        refused: how many ended in an error.
        gone: how many leaves of the others are gone.
        unreported: how many of these no report is about.
        seconds: for the way there, one of those that were not refused.
        explained: the same with the sentences of the report.
        bound: `seconds` in times of what parsing and writing their JSON takes.
        ours: `seconds` in times of what ours takes for the same ones.
        slower: for how many of them ours takes less time.
    """

    whole: int
    refused: int
    gone: int
    unreported: int
    seconds: float
    explained: float
    bound: float
    ours: float
    slower: int


# --- converters -------------------------------------------------------------------------------------------------------


def ours() -> Step:
    """`convert`, with its report."""
    from ocml_bridge import convert
    from ocml_bridge.report.policy import LENIENT

    def run(source: str, target: str, data: bytes) -> Made:
        result = convert(data, source=source, target=target, policy=LENIENT)
        return Made(result.data, lambda: [f"{loss.code} {loss.path} {loss.detail}" for loss in result.losses])

    return run


def babel() -> Step:
    """`translate`, which has no report."""
    import orjson

    translate: Any = __import__("llm_transform.registry", fromlist=["translate"]).translate
    names = {"openai": "openai-chat", "anthropic": "anthropic-messages", "openai-responses": "openai-responses"}

    def run(source: str, target: str, data: bytes) -> Made:
        made = translate(names[source], names[target], orjson.loads(data))
        return Made(orjson.dumps(made, default=_number))

    return run


def _number(value: Any) -> Any:
    """A number that keeps its spelling."""
    return json.loads(str(value))


def rosetta() -> Step:
    """A pipeline for each request, with its warnings."""
    import orjson

    pipeline_of: Any = __import__("llm_rosetta.pipeline", fromlist=["ConversionPipeline"]).ConversionPipeline
    names = {"openai": "openai_chat", "anthropic": "anthropic", "openai-responses": "openai_responses"}

    def run(source: str, target: str, data: bytes) -> Made:
        pipeline = pipeline_of(names[source], names[target])
        body = pipeline.convert_request(orjson.loads(data))
        return Made(orjson.dumps(body), lambda: [str(each) for each in pipeline.warnings])

    return run


def litellm() -> Step:
    """The steps of its providers and bridges that rewrite a request; none has a report."""
    import orjson

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else importing it asks the network
    __import__("litellm").suppress_debug_info = True

    def of(module: str, name: str) -> Any:
        return getattr(__import__(f"litellm.{module}", fromlist=[name]), name)

    to_anthropic = of("llms.anthropic.chat.transformation", "AnthropicConfig")()
    passing = "llms.anthropic.experimental_pass_through.adapters.transformation"
    from_anthropic = of(passing, "LiteLLMAnthropicMessagesAdapter")()
    bridge = "completion_extras.litellm_responses_transformation.transformation"
    to_responses = of(bridge, "LiteLLMResponsesTransformationHandler")()
    bridge = "responses.litellm_completion_transformation.transformation"
    from_responses = of(bridge, "LiteLLMCompletionResponsesConfig")

    def steps(source: str, target: str, request: Wire) -> Any:
        model = request.get("model", "any")
        if target == "anthropic":
            given = {key: value for key, value in request.items() if key not in ("model", "messages")}
            options = to_anthropic.map_openai_params(given, {}, model, drop_params=True)
            return to_anthropic.transform_request(model, request["messages"], options, {}, {})
        if source == "anthropic":
            made = from_anthropic.translate_anthropic_to_openai(request)
            return next(iter(made)) if made.__class__ is tuple else made
        if target == "openai-responses":
            options = {key: value for key, value in request.items() if key not in ("model", "messages")}
            return to_responses.transform_request(model, request["messages"], options, {}, {}, _Nobody())
        options = {key: value for key, value in request.items() if key not in ("model", "input")}
        return from_responses.transform_responses_api_request_to_chat_completion_request(
            model, request["input"], options
        )

    def run(source: str, target: str, data: bytes) -> Made:
        return Made(orjson.dumps(steps(source, target, orjson.loads(data)), default=_plain))

    return run


class _Nobody:
    """Stands for what logs requests."""

    def __getattr__(self, name: str) -> Any:
        return self._take

    def _take(self, *_given: Any, **_named: Any) -> None:
        """Nobody listens."""


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True)


CONVERTERS: Final[dict[str, tuple[str, Callable[[], Step]]]] = {
    OURS: ("", ours),
    "litellm": ("litellm", litellm),
    "llm-babel": ("llm-babel", babel),
    "llm-rosetta": ("llm-rosetta", rosetta),
}


def installed() -> dict[str, Step]:
    """The converters that there are."""
    found: dict[str, Step] = {}
    for name, (distribution, make) in CONVERTERS.items():
        try:
            _ = version(distribution) if distribution else ""
        except PackageNotFoundError:
            continue
        found[name] = make()
    return found


# --- what is measured -------------------------------------------------------------------------------------------------


def requests(wire: str) -> list[bytes]:
    """The recorded requests of a wire."""
    from corpus import corpus_path

    files = sorted(corpus_path("wires").glob(f"*/{FOLDERS[wire]}/*request.json"))
    return [path.read_bytes() for path in files]


def fate(step: Step, source: str, target: str, data: bytes) -> tuple[int, int] | None:
    """How many leaves are gone there and back, and how many of these no report is about; None for an error."""
    from wire_facts import gone

    try:
        there = step(source, target, data)
        back = step(target, source, there.data)
    except Exception:  # whatever another's library raises
        return None
    missing = gone(json.loads(data), json.loads(back.data))
    reports = [*there.losses(), *back.losses()]
    names = ({word for key in leaf.keys for word in (key, *WORDS.get(key, "").split())} for leaf in missing)
    unreported = sum(not any(name in report for name in each for report in reports) for each in names)
    return len(missing), unreported


def measure(steps: dict[str, Step], source: str, target: str, rounds: int) -> dict[str, Sum]:
    """What becomes of the requests of a wire by each converter, and how long that takes."""
    import orjson

    given = requests(source)
    fates = {name: [fate(step, source, target, data) for data in given] for name, step in steps.items()}
    runs: dict[str | tuple[str, str], Callable[[bytes], object]] = {JSON: lambda data: orjson.dumps(orjson.loads(data))}
    runs |= {name: (lambda data, step=step: step(source, target, data)) for name, step in steps.items()}
    runs |= {
        (name, EXPLAINED): (lambda data, step=step: step(source, target, data).losses()) for name, step in steps.items()
    }
    best = {name: [float("inf")] * len(given) for name in runs}
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        for name, run in runs.items():
            for at, data in enumerate(given):
                if name == JSON or fates[name if isinstance(name, str) else name[0]][at] is not None:
                    start = process_time()
                    run(data)
                    best[name][at] = min(best[name][at], process_time() - start)
    sums: dict[str, Sum] = {}
    for name, found in fates.items():
        done = [at for at, each in enumerate(found) if each is not None]
        known = [each for each in found if each is not None]
        gone, unreported = sum(each[0] for each in known), sum(each[1] for each in known)
        each_took = (name, (name, EXPLAINED), JSON, OURS)
        there, explained, bound, our = (sum(best[each][at] for at in done) for each in each_took)
        sums[name] = Sum(
            sum(each[0] == 0 for each in known),
            len(found) - len(done),
            gone,
            unreported,
            there / max(1, len(done)),
            explained / max(1, len(done)),
            there / bound,
            there / our,
            sum(best[OURS][at] < best[name][at] for at in done),
        )
    return sums


def rows(rounds: int) -> Iterator[str]:
    """The lines of the table."""
    steps = installed()
    yield (
        "| request, there and back | by | whole | refused | gone | in silence | µs there | × JSON | of our time "
        "| slower than ours |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for source, target in PAIRS:
        count = len(requests(source))
        sums = measure(steps, source, target, rounds)
        for at, (name, found) in enumerate(sums.items()):
            first = f"`{source}` → `{target}`, {count}" if at == 0 else ""
            by = f"**{name}**" if name == OURS else f"{name} {version(CONVERTERS[name][0])}"
            counts = f"{found.whole} | {found.refused} | {found.gone} | {found.unreported}"
            share = "" if name == OURS else f"{found.ours:,.2f}×"
            slower = "" if name == OURS else f"{found.slower} of {count - found.refused}"
            took = f"{found.seconds * 1e6:,.0f} ({found.explained * 1e6:,.0f})"
            yield f"| {first} | {by} | {counts} | {took} | {found.bound:,.0f}× | {share} | {slower} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare converters between wires on recorded requests.")
    parser.add_argument("--rounds", type=int, default=20, help="how often each request is timed")
    parser.add_argument("--write", action="store_true", help="write the table into docs/speed.md")
    given = parser.parse_args()
    table = "\n".join(rows(given.rounds))
    print(table)
    if given.write:
        from perf.parts import with_part

        PAGE.write_text(with_part(PAGE.read_text("utf-8"), "wires", table), "utf-8")


if __name__ == "__main__":
    main()
