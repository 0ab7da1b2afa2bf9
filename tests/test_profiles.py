"""Profiles write the prompts that the public chat templates render, byte for byte (docs/requests.md)."""

from __future__ import annotations

import json
import pickle
import re
from typing import Any

import pytest

from cli.conftest import Run
from corpus import rendered
from ocml_adapters.chatml.families import FAMILIES
from ocml_bridge import BridgeError, ErrorCode, Transcript, read, write
from ocml_bridge.events import Stop
from ocml_bridge.formats.adapter import Options
from ocml_bridge.profiles import default_profile
from ocml_bridge.profiles import profile as profile_of
from ocml_bridge.registry import adapter, load_all
from prompts import prompt

pytest_plugins = ("cli.conftest",)

TEMPLATES = {
    "chatml": ("chatml-plain",),
    "qwen2": ("qwen2.5-vl",),
    "qwen2.5": ("qwen2.5",),
    "qwen3": ("qwen3", "qwen3-0.6b"),
    "qwen3-2507": ("qwen3-vl",),
    "hermes": ("hermes-2-pro",),
    "qwen3-coder": ("qwen3-coder",),
    "qwen3.5": ("qwen3.5-think",),
    "qwen3.5-small": ("qwen3.5-nothink",),
    "qwen3.8": ("qwen3.8",),
    "nemotron-3": ("nemotron-3-nano", "nemotron-3-super"),
    "step-3.5": ("step-3.5-flash",),
    "lfm2.5": ("lfm2.5-8b",),
}
UNTESTED = {
    *("smollm2", "mimo", "qwq", "qwen3-thinking", "lfm2", "qwen3.6", "nemotron-3-ultra"),
    *("olmo-3", "olmo-3.1", "hyperclova-x", "lfm2.5-vl", "bielik-3", "qwen3-coder-vllm", "step-3.7", "minicpm5"),
}
"""Profiles for which the corpus has no template that shows a whole request; each has a test of its own."""
RESTING = {"qwen3.5-small", "bielik-3"}
"""Profiles that think only if the request asks for it."""
WITHOUT_TOOLS = {"chatml", "qwen2", "smollm2"}
"""Profiles whose templates show neither tools nor calls."""
BROKEN = {"markup-words", "markup-words-empty-list-of-tools"}
"""Requests with tags of the markup in their texts: they are broken, so that a text cannot make a call."""


def cases(family: str) -> list[dict[str, Any]]:
    """The cases without other options than a generation prompt and those for thinking."""
    known = {"add_generation_prompt", "enable_thinking", "reasoning_effort"}
    return [case for case in rendered(family) if set(case["options"]) <= known]


def made(case: dict[str, Any], profile: str) -> Any:
    thinks, effort = (case["options"].get(name) for name in ("enable_thinking", "reasoning_effort"))
    asked = "none" if thinks is False else "high" if thinks and profile in RESTING else effort
    request = {**case["request"], **({"reasoning_effort": asked} if asked else {})}
    options = Options(training=not case["options"]["add_generation_prompt"])
    return prompt(request, "chatml", profile=profile, options=options)


@pytest.mark.parametrize(("profile", "family"), [(name, each) for name, all_ in TEMPLATES.items() for each in all_])
def test_a_prompt_is_what_the_template_renders(profile: str, family: str) -> None:
    found = cases(family)
    different = {case["name"] for case in found if made(case, profile).output != case["prompt"]}
    assert len(found) >= 24
    assert len(different) == 1
    assert different < BROKEN


@pytest.mark.parametrize("tools", [[], [{"type": "function", "function": {"name": "f", "parameters": {}}}]])
@pytest.mark.parametrize("name", adapter("chatml")[0].profiles)
def test_the_reader_of_an_answer_can_be_pickled(name: str, tools: list[Any]) -> None:
    """A gateway may hand a stream to another process."""
    request: Any = {"messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    reader = profile_of(name).answering(request)
    other = pickle.loads(pickle.dumps(reader))
    assert [*reader.feed("Yes"), *reader.finish("stop")] == [*other.feed("Yes"), *other.finish("stop")]


def test_every_profile_is_compared_with_a_template() -> None:
    assert set(TEMPLATES) | UNTESTED == set(adapter("chatml")[0].profiles)


def test_a_prompt_of_a_model_that_only_thinks_is_one_of_qwen_3_that_begins_a_thought() -> None:
    for case in cases("qwen3"):
        if case["options"].get("enable_thinking") is not False:
            begun = "<think>\n" if case["options"]["add_generation_prompt"] else ""
            assert made(case, "qwen3-thinking").output == f"{made(case, 'qwen3').output}{begun}"


def test_a_prompt_of_qwq_is_what_the_template_renders() -> None:
    """The revision in the corpus turns thinking off unless it is asked for; white space is kept (docs)."""
    compared = 0
    for case in cases("qwq"):
        options = case["options"]
        if case["name"] not in ("markup-words", "white-space") and (
            "enable_thinking" in options or not options["add_generation_prompt"]
        ):
            assert made(case, "qwq").output == case["prompt"]
            compared += 1
    assert compared >= 15
    tools = {"messages": [HI], "tools": [TOOL]}
    assert text(tools, "qwq").startswith("<|im_start|>system\n\n\n# Tools\n")
    assert text({"messages": [HI]}, "qwq") == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"


@pytest.mark.parametrize(
    ("profile", "other", "default", "system"),
    [
        ("mimo", "qwen2.5", "Qwen, created by Alibaba Cloud. You are a helpful assistant.", "MiMo, an AI assistant"),
        ("smollm2", "qwen2", "a helpful assistant.", "a helpful AI assistant named SmolLM"),
    ],
)
def test_a_prompt_with_another_default_system_text(profile: str, other: str, default: str, system: str) -> None:
    for case in cases("qwen2.5"):
        known, own = (str(made(case, each).output) for each in (other, profile))
        begin = f"<|im_start|>system\nYou are {default}"
        assert own.startswith(f"<|im_start|>system\nYou are {system}") == known.startswith(begin)
        end = len(begin) if known.startswith(begin) else 0
        assert own.endswith(known[end:])


def test_a_prompt_of_qwen_3_6_is_one_of_3_5_with_words_of_json() -> None:
    words = {"True": "true", "False": "false", "None": "null"}
    differ = 0
    for case in cases("qwen3.5-think"):
        old, new = (made(case, profile).output.splitlines() for profile in ("qwen3.5", "qwen3.6"))
        assert [words.get(line, line) for line in old] == new
        differ += old != new
    assert differ


def test_a_prompt_of_qwen_3_coder_as_vllm_ships_its_template_has_other_words_around_the_tools() -> None:
    known, own = (FAMILIES[f"qwen-xml{name}"].declaration for name in ("", "/qwen3-coder-vllm"))
    different = 0
    for case in cases("qwen3-coder"):
        old, new = (str(made(case, f"qwen3-coder{name}").output) for name in ("", "-vllm"))
        assert old.replace(known.before, own.before).replace(known.after, own.after) == new
        different += old != new
        document, other = (read(each, "chatml").transcript for each in (new, old))
        assert isinstance(document, Transcript)
        assert isinstance(other, Transcript)
        assert document.tools == other.tools
        assert write(document, "chatml").output == new
    assert different >= 10


def test_a_prompt_of_step_3_7_is_one_of_3_5_with_the_effort_before_the_system_text() -> None:
    """Its template writes any effort; ggml-org/llama.cpp, models/templates/StepFun3.7-Flash.jinja."""
    for case in cases("step-3.5-flash"):
        request, options = case["request"], Options(training=not case["options"]["add_generation_prompt"])
        old, new, low = (
            str(prompt({**request, **more}, "chatml", profile=name, options=options).output)
            for name, more in (("step-3.5", {}), ("step-3.7", {}), ("step-3.7", {"reasoning_effort": "low"}))
        )
        assert old == new
        start = "<s><|im_start|>system\n"
        if old.startswith(f"{start}# Tools") or request["messages"][0]["role"] == "system":
            assert low == old.replace(start, f"{start}Reasoning: low\n\n", 1)
        else:
            assert low == old.replace("<s>", f"{start}Reasoning: low\n\n<|im_end|>\n", 1)


@pytest.mark.parametrize(
    ("asked", "level"), [("minimal", "low"), ("xhigh", "high"), ("max", "high"), ("none", ""), ("much", "")]
)
def test_an_effort_that_step_3_7_does_not_have_becomes_the_nearest_one(asked: str, level: str) -> None:
    request: Any = {"messages": [SYSTEM, HI], "reasoning_effort": asked}
    words = f"Reasoning: {level}\n\n" if level else ""
    assert text(request, "step-3.7").startswith(f"<s><|im_start|>system\n{words}Be brief.")
    assert losses(request, "step-3.7")["/settings/reasoning_effort"] == "settings"


def test_a_prompt_of_nemotron_3_ultra_is_one_of_nano_whose_thoughts_end_on_their_line() -> None:
    for case in cases("nemotron-3-nano"):
        if case["name"] != "white-space":
            nano, ultra = (made(case, profile).output for profile in ("nemotron-3", "nemotron-3-ultra"))
            expected = re.sub(r"\n</think>(\n(?=<tool_call>))?\n?", r"</think>\1", nano)
            assert ultra == re.sub(r"<think></think>\n(?!<tool_call>)", "<think></think>", expected)


def test_a_prompt_of_lfm2_has_calls_as_the_model_writes_them() -> None:
    """The first revision of its template shows a call only if the client put it into the content."""
    every = {case["name"]: case for case in cases("lfm2") if case["options"]["add_generation_prompt"]}
    different: set[str] = set()
    for name, case in every.items():
        if not name.endswith("-in-content"):
            wanted = every.get(f"{name}-in-content", case)["prompt"]
            if made(case, "lfm2").output != wanted:
                different.add(name)
    assert different == {"markup-words"}


def test_a_prompt_of_lfm2_5_vl_is_one_of_lfm2_5_with_strings_that_are_escaped_and_lists_of_json() -> None:
    def written(profile: str, value: object) -> str:
        arguments = json.dumps({"a": value, "b": True, "c": None, "d": {"e": 1}})
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
        return text({"messages": [HI, {"role": "assistant", "content": "", "tool_calls": [call]}]}, profile)

    for value, own, known in (
        ("it's\n\\n", r"'it\'s\n\\n'", "'it's\n\\n'"),
        (["a", "b"], '["a", "b"]', "['a', 'b']"),
        ("x", "'x'", "'x'"),
    ):
        for profile, wanted in (("lfm2.5-vl", own), ("lfm2.5", known)):
            assert f'[f(a={wanted}, b=True, c=None, d={{"e": 1}})]' in written(profile, value)
    same = 0
    for case in cases("lfm2.5-8b"):
        own, known = (made(case, profile).output for profile in ("lfm2.5-vl", "lfm2.5"))
        same += own == known
        assert own == known or "types" in case["name"]
    assert same >= 20


def test_a_prompt_of_bielik_3_is_what_the_template_renders() -> None:
    """After a system message, the template looks for neighbours of replies at wrong places (docs)."""
    same, different = 0, set[str]()
    for case in cases("bielik-3"):
        first, *others = case["request"]["messages"]
        if made(case, "bielik-3").output == case["prompt"]:
            same += 1
        elif first["role"] != "system" or not any(message["role"] == "tool" for message in others):
            different.add(case["name"])
    assert different == {"markup-words"}
    assert same >= 36


def test_a_reminder_to_think_follows_the_system_text_of_bielik_3() -> None:
    request: Any = {"messages": [{**SYSTEM, "content": "No <think>."}, HI], "reasoning_effort": "high"}
    assert text(request, "bielik-3").startswith(
        "<s><|im_start|>system\nNo <\u200bthink>.\n\nZanim odpowiesz na pytanie, najpierw przemyśl swoje kroki "
        "i umieść swoje myśli wewnątrz tagów <think>...</think>."
    )
    assert losses(request, "bielik-3")["/messages/0/content"] == "content"
    assert text({**request, "messages": [HI]}, "bielik-3") == (
        "<s><|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"
    )


# --- where requests go beyond the corpus ------------------------------------------------------------------------------

SYSTEM, HI = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}
TOOL: Any = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": "b"}'}}


def losses(request: dict[str, Any], profile: str) -> dict[str, str]:
    return {loss.path: loss.code for loss in prompt(request, "chatml", profile=profile).losses}


def text(request: dict[str, Any], profile: str) -> str:
    return str(prompt(request, "chatml", profile=profile).output)


@pytest.mark.parametrize("profile", TEMPLATES)
def test_names_are_lost_and_a_developer_becomes_the_system(profile: str) -> None:
    named = {"messages": [{"role": "developer", "content": "Be brief."}, {**HI, "name": "Ann"}]}
    assert text(named, profile) == text({"messages": [SYSTEM, HI]}, profile)
    found = losses(named, profile)
    assert (found["/messages/0/role"], found["/messages/1/name"]) == ("role", "name")


def test_an_empty_system_text_leaves_a_gap_before_tools_if_the_template_does() -> None:
    empty = {"messages": [{"role": "system", "content": ""}, HI], "tools": [TOOL]}
    for profile in ("qwen2.5", "qwen3", "qwen3-coder"):
        assert text(empty, profile).startswith("<|im_start|>system\n\n\n# Tools\n")
    assert text(empty, "step-3.5").startswith("<s><|im_start|>system\n\n\n# Tools\n")
    for profile in ("qwen3.5", "nemotron-3"):
        assert text(empty, profile).startswith("<|im_start|>system\n# Tools\n")
        assert text(empty, profile).count("<|im_start|>system") == 1


def test_a_thought_without_an_answer_keeps_the_gap_after_it() -> None:
    thought = {"role": "assistant", "content": "", "reasoning": "Hm."}
    request = {"messages": [HI, thought, HI]}
    assert "<think>\nHm.\n</think>\n\n<|im_end|>" in text(request, "qwen3.8")
    assert "<|im_start|>assistant\n<think></think><|im_end|>" in text(request, "nemotron-3")
    assert "<|im_start|>assistant\n<|im_end|>" in text(request, "qwen3")


def test_line_breaks_around_calls_are_those_of_the_template_and_are_reported() -> None:
    answer = {"role": "assistant", "content": "Wait.\n\n", "tool_calls": [CALL]}
    request = {"messages": [HI, answer, {"role": "tool", "tool_call_id": "c1", "content": "ok"}], "tools": [TOOL]}
    assert "<|im_start|>assistant\nWait.\n\n\n<tool_call>" in text(request, "qwen3")
    assert losses(request, "qwen3")["/messages/1/content"] == "content"
    assert "<|im_start|>assistant\nWait.\n\n<tool_call>" in text(request, "qwen3-coder")


def test_a_template_shows_these_parts_of_calls() -> None:
    request = {"messages": [HI, {"role": "assistant", "content": "Wait.", "tool_calls": [CALL]}], "tools": [TOOL]}
    assert "<|im_start|>assistant\nWait.<|im_end|>" in text(request, "chatml")
    assert losses(request, "chatml")["/messages/2"] == "message"
    assert "<|im_start|>assistant\n<tool_call>" in text(request, "hermes")
    assert losses(request, "hermes")["/messages/1"] == "message"


@pytest.mark.parametrize(
    ("profile", "asked", "code"),
    [
        ("qwen3.8", "high", "settings"),
        ("qwen3.8", "minimal", "settings"),
        ("qwen3.8", "low", None),
        ("qwen3", "high", "settings"),
        ("qwen3", "none", None),
        ("qwen2.5", "none", None),
        ("qwq", "none", None),
        ("qwq", "low", "settings"),
        ("qwen3-thinking", "none", "settings"),
        ("qwen3.5-small", "none", None),
        ("qwen3.5-small", "low", "settings"),
        ("qwen2.5", "low", "settings"),
        ("step-3.5", "none", "settings"),
        ("qwen3.8", "boundless", "settings"),
    ],
)
def test_an_effort_that_the_template_cannot_express_is_reported(profile: str, asked: str, code: str | None) -> None:
    found = losses({"messages": [HI], "reasoning_effort": asked}, profile)
    assert found.get("/settings/reasoning_effort") == code


def test_an_unknown_effort_is_replaced_by_the_default() -> None:
    made = prompt({"messages": [HI], "reasoning_effort": "boundless"}, "chatml", profile="qwen3.8")
    assert made.output == prompt({"messages": [HI]}, "chatml", profile="qwen3.8").output
    loss = next(loss for loss in made.losses if loss.path == "/settings/reasoning_effort")
    assert (loss.severity, loss.detail) == (
        "changed",
        "the prompt asks for xhigh, the nearest effort that the model has",
    )


def test_the_loss_explains_why_an_effort_cannot_be_set() -> None:
    request: Any = {"messages": [HI], "reasoning_effort": "low"}
    details = [prompt(request, "chatml", profile=name).losses[0].detail for name in ("qwen2.5", "qwen3")]
    assert details == [
        "the model has no reasoning to set an effort for",
        "the chat template cannot set the reasoning effort",
    ]


THOUGHT: Any = {"role": "assistant", "content": "Hello.", "reasoning": "A greeting."}
REASONS: Any = {
    "a developer": (
        "qwen3",
        {"messages": [{"role": "developer", "content": "Be brief."}, HI]},
        "changed role /messages/0/role: the chat template has no developer role; the role becomes 'system'",
    ),
    "a name": (
        "qwen3",
        {"messages": [{**HI, "name": "Ann"}]},
        "lost name /messages/0/name: the chat template leaves out speakers' names",
    ),
    "an earlier thought": (
        "qwen3",
        {"messages": [HI, THOUGHT, HI]},
        "lost thought /messages/1: the chat template leaves out the reasoning of earlier turns",
    ),
    "a call": (
        "chatml",
        {"messages": [HI, {"role": "assistant", "content": None, "tool_calls": [CALL]}]},
        "lost message /messages/1: the chat template leaves out calls",
    ),
    "text beside a call": (
        "hermes",
        {"messages": [HI, {"role": "assistant", "content": "Wait.", "tool_calls": [CALL]}], "tools": [TOOL]},
        "lost message /messages/1: the chat template leaves out text beside calls",
    ),
    "white space": (
        "qwen3.5",
        {"messages": [{"role": "user", "content": " Hi\n"}]},
        "changed content /messages/0/content: the chat template removes white space at both ends of the text",
    ),
    "an empty text of the system's": (
        "lfm2",
        {"messages": [{"role": "system", "content": ""}, HI]},
        "layout message /messages/0: the chat template leaves out an empty message",
    ),
    "an empty text of the system's before tools": (
        "qwen3",
        {"messages": [{"role": "system", "content": ""}, HI], "tools": [TOOL]},
        "layout message /messages/0: the chat template leaves out an empty message",
    ),
    "an effort in the system's text": (
        "qwen3.8",
        {"messages": [SYSTEM, HI], "reasoning_effort": "low"},
        "changed content /messages/0/content: the reasoning effort is written before this text",
    ),
    "an effort that is near another": (
        "qwen3.8",
        {"messages": [HI], "reasoning_effort": "minimal"},
        "changed settings /settings/reasoning_effort: the prompt asks for low, the nearest effort that the model has",
    ),
    "an effort of a model that only thinks": (
        "qwen3",
        {"messages": [HI], "reasoning_effort": "low"},
        "lost settings /settings/reasoning_effort: the chat template cannot set the reasoning effort",
    ),
    "an effort of a model that does not think": (
        "qwen2.5",
        {"messages": [HI], "reasoning_effort": "low"},
        "lost settings /settings/reasoning_effort: the model has no reasoning to set an effort for",
    ),
}


@pytest.mark.parametrize("what", REASONS)
def test_losses_explain_what_a_template_does_with_a_request(what: str) -> None:
    profile, request, expected = REASONS[what]
    found = prompt(request, "chatml", profile=profile).losses
    assert expected in [f"{loss.severity} {loss.code} {loss.path}: {loss.detail}" for loss in found]


def test_every_change_of_a_message_by_a_template_is_reported_at_its_path() -> None:
    messages: Any = [HI, {"role": "developer", "content": " Be.", "name": "x"}, {**HI, "content": "Hi ", "name": "Ann"}]
    found = prompt({"messages": messages}, "chatml", profile="qwen3.5").losses
    assert {loss.path for loss in found if "/layout" not in loss.path} == {
        *("/messages/1/role", "/messages/1/name", "/messages/1/content"),
        *("/messages/2/name", "/messages/2/content"),
    }


@pytest.mark.parametrize("profile", [*TEMPLATES, *sorted(UNTESTED)])
@pytest.mark.parametrize("before", [[], [SYSTEM]], ids=["", "instructed"])
def test_a_request_that_the_template_shows_completely_has_no_loss(before: Any, profile: str) -> None:
    request: Any = {"messages": [*before, HI, {"role": "assistant", "content": "Hello."}, HI]}
    found = prompt(request, "chatml", profile=profile).losses
    lost = {loss.path.partition("/chatml")[0] for loss in found}
    # No text shows a family's markup here; the template of Qwen3.8 writes how much to think before the instructions.
    assert lost - {"/layout"} == ({"/messages/0/content"} if before and profile == "qwen3.8" else set())


@pytest.mark.parametrize("profile", sorted({*TEMPLATES, *UNTESTED} - WITHOUT_TOOLS))
def test_the_reader_of_an_answer_knows_the_types_of_the_declared_parameters(profile: str) -> None:
    """Values in XML have no types: only the declared function determines whether `1` is a text or a number."""
    properties = {"s": {"type": "string"}, "n": {"type": "integer"}}
    function = {"name": "f", "parameters": {"type": "object", "properties": properties}}
    request: Any = {"messages": [HI], "tools": [{"type": "function", "function": function}]}
    answer = "<tool_call>\n<function=f>\n<parameter=s>\n1\n</parameter>\n<parameter=n>\n1\n</parameter>\n</function>"
    reader = profile_of(profile).answering(request)
    opened = "<think>" in text(request, profile).rpartition("<|im_start|>")[2].replace("</think>", "")
    begun = "\n" * (profile == "hyperclova-x")
    output = f"{begun}{'</think>' * opened}{answer}\n</tool_call><|im_end|>\n"
    *_, stop = [*reader.feed(output), *reader.finish()]
    assert isinstance(stop, Stop)
    assert isinstance(stop.document, Transcript)
    assert stop.document.messages[-1].content == '{"s": "1", "n": 1}'


def test_the_answer_to_a_request_of_any_api_is_read() -> None:
    request = {"model": "m", "max_tokens": 9, "system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]}
    reader = profile_of("qwen3").answering(request, source="anthropic")
    reader.feed("<think>\nHm.\n</think>\n\nHello.<|im_end|>")
    stop: Any = reader.finish("stop")[-1]
    assert [each.content for each in stop.document.messages] == ["Hm.", "Hello."]


@pytest.mark.parametrize("profile", TEMPLATES)
def test_a_prompt_ends_with_the_turn_that_it_opens(profile: str) -> None:
    output = prompt([{"role": "user", "content": "Hi"}], "chatml", profile=profile).output
    assert isinstance(output, str)
    assert output.rpartition("<|im_end|>\n")[2].startswith("<|im_start|>assistant\n")


@pytest.mark.parametrize("profile", sorted({*TEMPLATES, *UNTESTED} - WITHOUT_TOOLS))
def test_a_prompt_reads_as_the_request(profile: str) -> None:
    messages: Any = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    result = prompt({"messages": messages, "tools": [TOOL]}, "chatml", profile=profile)
    document: Any = read(result.output, "chatml").transcript
    remaining = [message for message in document.messages if message.role != "system" and message.channel != "analysis"]
    assert [(message.role, message.content) for message in remaining] == [
        ("user", "Hi"),
        ("assistant", '{"a": "b"}'),
        ("tool", "ok"),
    ]
    assert [each.name for each in document.tools] == ["f"]
    assert document.open_turn is not None


def test_parts_that_a_template_leaves_out_are_reported() -> None:
    messages: Any = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello.", "reasoning": "A greeting."},
        {"role": "user", "content": "Bye"},
    ]
    for profile in set(TEMPLATES) - {"qwen3.8"}:
        assert losses({"messages": messages}, profile)["/messages/1"] == "thought"
    assert "<think>\nA greeting.\n</think>" in text({"messages": messages}, "qwen3.8")


def test_a_profile_of_another_format_is_refused_with_a_list_of_profiles() -> None:
    with pytest.raises(BridgeError) as caught:
        prompt([{"role": "user", "content": "Hi"}], "chatml", profile="gpt-oss")
    assert caught.value.code is ErrorCode.OPTION
    assert "qwen3" in caught.value.message


def test_an_unknown_profile_is_refused_with_a_list_of_profiles() -> None:
    with pytest.raises(BridgeError, match="there is no profile 'qwen33'; did you mean qwen3"):
        profile_of("qwen33")
    with pytest.raises(BridgeError, match="there is no profile 'a-model'; there are ") as caught:
        profile_of("a-model")
    listed = caught.value.message.rpartition("there are ")[2].split(", ")
    assert listed == list(dict.fromkeys(name for each in load_all()[0] for name in each.profiles))


def test_every_profile_names_its_models_and_sources() -> None:
    for each in load_all()[0]:
        for name, profile in each.profiles.items():
            assert profile.families, name
            assert profile.dialect is None or profile.dialect in adapter(each.id)[0].dialects
            assert all(len(sha) == 64 for sha in profile.sources.values())


@pytest.mark.parametrize(
    ("form", "name"),
    [
        *(("harmony", "gpt-oss"), ("harmony-tokens", "gpt-oss"), ("harmony:spec", "gpt-oss")),
        *(("internlm2", "internlm2"), ("internlm2:unused", "internlm2"), ("chatml", "chatml"), ("ocm-2.2", None)),
    ],
)
def test_a_format_has_a_profile_of_its_own(form: str, name: str | None) -> None:
    found = default_profile(form)
    assert found.name == name
    assert found.format == (form if ":" in form or name != "gpt-oss" else f"{form}:oss")


def test_the_command_lists_profiles_with_their_templates(run: Run) -> None:
    listed = {(each["name"], each["format"]): each for each in json.loads(run("profiles", "--json").out)}
    assert set(listed) == {(name, each.id) for each in load_all()[0] for name in each.profiles}
    assert listed["gpt-oss", "harmony"]["dialect"] == "oss"
    assert listed["qwen3", "chatml"]["dialect"] == "hermes"
    assert listed["qwen3-coder", "chatml"]["dialect"] == "qwen-xml"
    assert listed["chatml", "chatml"]["dialect"] is None
    assert all(each["families"] and each["templates"] for each in listed.values() if each["format"] == "chatml")
    table = run("profiles").out.decode()
    assert all(name in table for name, _ in listed)
