"""Lines to train on, by profile: the head that the model was trained with, its own end tokens, and no turn opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Run
from corpus import rendered
from harmony_judge import DIALECT, config, conversation, library
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_bridge import Message, Options, Transcript, read, verify
from ocml_bridge.profiles import profile, profiles_of
from ocml_bridge.registry import load_all
from prompts import prompt
from test_profiles import TEMPLATES

pytest_plugins = ("cli.conftest",)

TRAINING = Options(training=True)
WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
CALL = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "reasoning": "A greeting.", "content": "Hello."},
    {"role": "user", "content": "Is it raining in Oslo?"},
]
CALLED = {"role": "assistant", "reasoning": "I have to look.", "tool_calls": [CALL]}
REPLY = {"role": "tool", "tool_call_id": "c1", "content": "dry"}
ANSWERED = {"role": "assistant", "reasoning": "It says dry.", "content": "No."}
LINES: dict[str, Any] = {
    "an answer": {"messages": [*ASKED, ANSWERED]},
    "a call": {"messages": [*ASKED, CALLED], "tools": [WEATHER]},
    "an answer behind a reply": {"messages": [*ASKED, CALLED, REPLY, ANSWERED], "tools": [WEATHER]},
}

# --- the public templates ---------------------------------------------------------------------------------------------

RENDERED = {**TEMPLATES, "lfm2": ("lfm2",), "internlm2": ("internlm2-tool",), "gpt-oss": ("gpt-oss",)}
ELSEWHERE = {
    "lfm2": {"call-open", "parallel-thought", "thought-content-calls"},  # that template shows no calls
    "internlm2": {"call-open", "parallel-thought", "thought-content-calls"},  # `arguments` for `parameters`
    "gpt-oss": {"system-user", "turns", "parallel-thought"},  # white space after instructions, one call of several
}
"""Differences of a line from the template that the format's page lists."""


def lines(family: str) -> list[dict[str, Any]]:
    """The cases of a family without a generation prompt, and with calls in the members for calls."""
    every = [case for case in rendered(family) if not case["options"].get("add_generation_prompt")]
    return [case for case in every if not case["name"].endswith("-in-content") and not _odd(case["options"])]


def _odd(options: dict[str, Any]) -> bool:
    return not set(options) <= {"add_generation_prompt", "enable_thinking", "reasoning_effort"}


def trained(case: dict[str, Any], name: str) -> str:
    asked = "none" if case["options"].get("enable_thinking") is False else case["options"].get("reasoning_effort")
    request = {**case["request"], **({"reasoning_effort": asked} if asked else {})}
    dated = {"date": "2026-11-21"} if name == "gpt-oss" else {}
    target = "harmony:hf" if name == "gpt-oss" else None
    return str(prompt(request, target, profile=name, options=TRAINING, **dated).output)


@pytest.mark.parametrize(("name", "family"), [(name, each) for name, all_ in RENDERED.items() for each in all_])
def test_a_line_is_what_the_template_renders_without_a_generation_prompt(name: str, family: str) -> None:
    found = lines(family)
    assert len(found) >= 5
    assert {case["name"] for case in found if trained(case, name) != case["prompt"]} == ELSEWHERE.get(name, set())


# --- gpt-oss, by its official encoder ---------------------------------------------------------------------------------


@pytest.mark.parametrize("request_", LINES.values(), ids=LINES)
def test_a_line_of_gpt_oss_is_what_the_official_encoder_renders_for_training(request_: Any) -> None:
    library()
    made = prompt(request_, f"harmony-tokens:{DIALECT}", profile="gpt-oss", options=TRAINING)
    image = made.image
    assert isinstance(image, Transcript)
    assert image.open_turn is None
    official = load_encoding().render_conversation_for_training(conversation(image), config=config())
    assert made.output == official


# --- every profile ----------------------------------------------------------------------------------------------------

PROFILES = [each for adapter in load_all()[0] for each in profiles_of(adapter) if adapter.kind == "text"]


@pytest.mark.parametrize("name", [each.name for each in PROFILES])
@pytest.mark.parametrize("request_", LINES.values(), ids=LINES)
def test_a_line_is_a_prompt_followed_by_the_turn_of_the_model(request_: Any, name: str) -> None:
    """The line begins with the prompt for the messages before the last turn, and nothing is open after it."""
    model = profile(name)
    line = model.prompt(request_, options=TRAINING)
    assert verify(line.written.transcript, line.written, options=TRAINING) == ()
    found = read(line.output, model.format).transcript
    assert isinstance(found, Transcript)
    assert found.open_turn is None
    last = found.messages[-1]
    assert (last.role, last.end) == ("assistant", "call" if last.recipient else _end(model.adapter.id))
    asked = model.prompt({**request_, "messages": request_["messages"][:-1]})
    if name == "hermes" and request_["messages"][-2] is REPLY:
        return  # its template ends a reply in one way where it is the last message, and in another where it is not
    assert str(line.output).startswith(str(asked.output).rpartition("<|")[0])


def _end(form: str) -> str:
    return "return" if form == "harmony" else "end"


THINKING = ("gpt-oss", "qwen3", "nemotron", "step", "lfm2.5", "bielik", "minicpm5", "hyperclova")
SILENT = ("qwen3-2507", "qwen3-coder", "qwen3-coder-vllm")
"""Models without reasoning, of families with reasoning."""


@pytest.mark.parametrize("name", [each.name for each in PROFILES])
def test_the_reasoning_of_the_last_turn_is_kept_for_models_that_think(name: str) -> None:
    output = str(prompt(LINES["an answer"], profile=name, options=TRAINING).output)
    thinks = str(name).startswith(THINKING) and name not in SILENT
    assert ("It says dry." in output) == thinks
    assert ("A greeting." in output) == (name in ("qwen3.8", "bielik-3")), (
        "few are shown the reasoning of earlier turns"
    )


def test_an_open_turn_is_not_in_a_training_line() -> None:
    made = prompt(
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", profile="qwen3", source="chatml", options=TRAINING
    )
    assert made.output == "<|im_start|>user\nHi<|im_end|>\n"
    assert ("layout", "/open_turn") in [(loss.severity, loss.path) for loss in made.losses]
    assert made.lossless
    left_out = Transcript((Message("user", "Hi"),), (), open_turn=Message("assistant", "", end=None))
    made = profile("qwen3").prompt(left_out, options=TRAINING)
    assert {"/tools", "/open_turn"} <= {loss.path for loss in made.losses}


# --- the commands -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-oss", "qwen3", "internlm2"])
def test_batch_and_convert_write_the_same(run: Run, tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in LINES.values()))
    options = ("--profile", name, "--training", "--date", "2026-11-21", "-q")
    done = run("batch", str(source), "-o", str(tmp_path / "out"), "--verify", *options)
    assert done.status == 0, done.err
    (made,) = (tmp_path / "out").glob("*.jsonl")
    texts = [json.loads(line)["text"] for line in made.read_text().splitlines()]
    for text, each in zip(texts, LINES.values(), strict=True):
        assert run("-f", "openai", *options, stdin=json.dumps(each).encode()).out.decode() == text


def test_batch_makes_prompts_too(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"messages": ASKED}) + "\n")
    done = run("batch", str(source), "-o", str(tmp_path / "out"), "--profile", "qwen3", "--effort", "none", "-q")
    assert done.status == 0, done.err
    (made,) = (tmp_path / "out").glob("*.jsonl")
    assert json.loads(made.read_text())["text"].endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


@pytest.mark.parametrize(
    ("command", "named"), [("convert", "the format to write, such as -t"), ("batch", "what to write")]
)
def test_the_target_is_required(run: Run, tmp_path: Path, command: str, named: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"messages": ASKED}) + "\n")
    done = run(command, str(source), "-o", str(tmp_path / "out"))
    assert done.status == 2
    assert f"OCB-OPTION: name {named}" in done.err


@pytest.mark.parametrize("command", ["convert", "batch"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--profile", "qwen33"), "did you mean qwen3?"),
        (("-t", "chatml", "--date", "x"), ""),
    ],
)
def test_wrong_options_are_errors(
    run: Run, tmp_path: Path, command: str, options: tuple[str, ...], message: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"messages": ASKED}) + "\n")
    done = run(command, str(source), "-o", str(tmp_path / "out"), *options)
    assert done.status == 2
    assert "OCB-OPTION" in done.err
    assert message in done.err
