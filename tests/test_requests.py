"""A request becomes a prompt: the prompt of each model, and a report on every parameter."""

from __future__ import annotations

import copy
import doctest
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cli.conftest import Run
from corpus import rendered
from harmony_judge import DIALECT, config, library
from ocml_adapters.harmony.profile import gpt_oss
from ocml_adapters.harmony.syntax import OWN_TOOLS
from ocml_adapters.harmony.vocabulary import load_encoding
from ocml_adapters.openai.settings import PARAMETERS
from ocml_adapters.openai.syntax import ENGINE_KEYS
from ocml_bridge import BridgeError, ErrorCode, LossCode, Message, Options, Transcript, read, write
from ocml_bridge.convert import Result
from ocml_bridge.formats.prompting import DEFAULTS, ENGINE
from ocml_bridge.loss import Severity
from ocml_bridge.model import AnswerFormat, Settings, Tool, ToolChoice
from ocml_bridge.model.diff import escape
from ocml_bridge.profiles import profile as find_profile
from ocml_bridge.report.policy import LENIENT
from ocml_bridge.report.report import unnamed
from ocml_bridge.request import is_unfinished, prepare
from prompts import prompt
from sampling import examples
from sources import ROOT
from strategies_openai import ANY, DOCUMENTS
from wire_facts import objects_in

pytest_plugins = ("cli.conftest",)

GPT_OSS = "gpt-oss"
DATE = "2026-11-21"
WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
USER = {"role": "user", "content": "Hi"}
CALL: dict[str, Any] = {
    "id": "c1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Paris"}'},
}


def request(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def text(*messages: dict[str, Any], target: str = "harmony", profile: str | None = GPT_OSS, **more: Any) -> str:
    date = DATE if profile else None
    return cast("str", prompt(request(*messages, **more), target, profile=profile, date=date).output)


def losses(*messages: dict[str, Any], profile: str | None = GPT_OSS, **more: Any) -> dict[str, Severity]:
    """The severities of losses by path, without that of layout."""
    result = prompt(request(*messages, **more), "harmony", profile=profile)
    return {loss.path: loss.severity for loss in result.losses if loss.path != "/layout"}


def line_of(prompted: str, label: str) -> str:
    """The rest of the line of the system message with this label."""
    found = read(prompted, "harmony").transcript
    assert isinstance(found, Transcript)
    lines = cast("str", found.messages[0].content).splitlines()
    return next(line.removeprefix(label) for line in lines if line.startswith(label))


# --- gpt-oss ----------------------------------------------------------------------------------------------------------


def test_the_prompt_of_gpt_oss() -> None:
    prompted = text({"role": "system", "content": "Be brief."}, USER, tools=[WEATHER], reasoning_effort="low")
    assert prompted == (
        "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\n"
        "Knowledge cutoff: 2024-06\n"
        "Current date: 2026-11-21\n"
        "\n"
        "Reasoning: low\n"
        "\n"
        "# Valid channels: analysis, commentary, final. Channel must be included for every message.\n"
        "Calls to these tools must go to the commentary channel: 'functions'.<|end|>"
        "<|start|>developer<|message|># Instructions\n"
        "\n"
        "Be brief.\n"
        "\n"
        "# Tools\n"
        "\n"
        "## functions\n"
        "\n"
        "namespace functions {\n"
        "\n"
        "// The weather in a city.\n"
        "type get_weather = (_: {\n"
        "city: string,\n"
        "}) => any;\n"
        "\n"
        "} // namespace functions<|end|>"
        "<|start|>user<|message|>Hi<|end|>"
        "<|start|>assistant"
    )


@pytest.mark.parametrize(
    ("wanted", "messages", "origin"),
    [
        (Settings(tool_choice=ToolChoice("required", ("functions.f",))), (), "/settings/tool_choice"),
        (Settings(response_format=AnswerFormat("json_object")), (), "/settings/response_format"),
        (Settings(tool_choice=ToolChoice("required")), (Message("system", "Be brief."),), "/messages/0"),
    ],
)
def test_texts_made_for_the_prompt_have_the_path_of_the_request(
    wanted: Settings, messages: tuple[Message, ...], origin: str
) -> None:
    made = gpt_oss(Transcript((*messages, Message("user", "Hi")), (Tool("f"),), settings=wanted), None)
    assert made.origins == ("", origin, f"/messages/{len(messages)}")


def test_a_prompt_without_a_date_and_tools_does_not_mention_them() -> None:
    prompted = prompt(request(USER), "harmony", profile=GPT_OSS).output
    assert isinstance(prompted, str)
    assert "Current date" not in prompted
    assert "functions" not in prompted
    assert "developer" not in prompted


@pytest.mark.parametrize(
    ("asked", "expected", "severity"),
    [
        (None, "medium", None),
        ("none", "low", Severity.CHANGED),
        ("minimal", "low", Severity.CHANGED),
        ("low", "low", None),
        ("medium", "medium", None),
        ("high", "high", None),
        ("xhigh", "high", Severity.CHANGED),
        ("max", "high", Severity.CHANGED),
        ("a lot", "medium", Severity.LOST),
        (3, "medium", Severity.LOST),
    ],
)
def test_the_effort_is_the_nearest_effort_of_gpt_oss(asked: Any, expected: str, severity: Severity | None) -> None:
    assert line_of(text(USER, reasoning_effort=asked), "Reasoning: ") == expected
    place = "/settings/reasoning_effort" if isinstance(asked, str) else "/extras/openai/reasoning_effort"
    assert losses(USER, reasoning_effort=asked).get(place) == severity


def test_the_effort_in_the_options_replaces_that_of_the_request() -> None:
    result = prompt(request(USER, reasoning={"effort": "max"}), "harmony", profile=GPT_OSS, effort="low")
    assert line_of(cast("str", result.output), "Reasoning: ") == "low"
    assert [(loss.path, loss.severity) for loss in result.losses if loss.path != "/layout"] == [
        ("/settings/reasoning_effort", Severity.CHANGED)
    ]


def test_system_and_developer_texts_at_the_beginning_are_one_developer_message() -> None:
    messages = (
        {"role": "system", "content": "One."},
        {"role": "developer", "content": "Two."},
        USER,
        {"role": "system", "content": "Three."},
    )
    prompted = text(*messages)
    assert "<|start|>developer<|message|># Instructions\n\nOne.\n\nTwo.<|end|><|start|>user" in prompted
    assert prompted.endswith("<|start|>developer<|message|># Instructions\n\nThree.<|end|><|start|>assistant")
    assert losses(*messages) == {
        "/messages/0/role": Severity.CHANGED,
        "/messages/0/content": Severity.CHANGED,
        "/messages/1": Severity.CHANGED,
        "/messages/3/role": Severity.CHANGED,
    }


def test_the_developers_own_text_is_not_a_loss() -> None:
    assert losses({"role": "developer", "content": "One."}, USER) == {}


def test_a_developers_message_of_parts_keeps_its_place() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]
    found = losses({"role": "developer", "content": "One."}, {"role": "developer", "content": parts}, USER)
    assert found == {"/messages/1/content/1": Severity.LOST}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("none", "Do not call any tool."),
        ("required", "Call at least one tool before you answer."),
        (
            {"type": "function", "function": {"name": "get_weather"}},
            "Call the tool functions.get_weather before you answer, and no other tool.",
        ),
        (
            {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [WEATHER]}},
            "Of the tools, call only these: functions.get_weather.",
        ),
    ],
)
def test_a_tool_choice_is_an_instruction(choice: Any, expected: str) -> None:
    for instructions in ((), ({"role": "developer", "content": "Be brief."},)):
        prompted = text(*instructions, USER, tools=[WEATHER], tool_choice=choice)
        before = "Be brief.\n\n" if instructions else ""
        assert f"<|start|>developer<|message|># Instructions\n\n{before}{expected}\n\n# Tools\n" in prompted
    assert losses(USER, tools=[WEATHER], tool_choice=choice) == {"/settings/tool_choice": Severity.CHANGED}


def test_a_tool_choice_without_tools() -> None:
    assert losses(USER, tool_choice="required") == {"/settings/tool_choice": Severity.LOST}
    assert losses(USER, tool_choice="none") == {}
    assert "developer" not in text(USER, tool_choice="required")


def test_the_deprecated_choice_of_a_function() -> None:
    more: dict[str, Any] = {"functions": [WEATHER["function"]], "function_call": {"name": "get_weather"}}
    assert "Call the tool functions.get_weather before" in text(USER, **more)


def test_the_form_of_the_answer_is_a_section_of_the_instructions() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    described = {"name": "weather", "description": "What is\nknown.", "schema": schema, "strict": True}
    form = {"type": "json_schema", "json_schema": described}
    section = (
        "# Response Formats\n\n## weather\n\n// What is known.\n"
        '{"type":"object","properties":{"city":{"type":"string"}}}'
    )
    assert f"<|start|>developer<|message|>{section}<|end|>" in text(USER, response_format=form)
    instructed = text({"role": "developer", "content": "Be brief."}, USER, response_format=form, tools=[WEATHER])
    assert f"# Instructions\n\nBe brief.\n\n{section}\n\n# Tools\n" in instructed
    assert losses(USER, response_format=form) == {"/settings/response_format": Severity.CHANGED}


def test_any_json_object_is_an_instruction() -> None:
    prompted = text(USER, response_format={"type": "json_object"})
    assert "# Instructions\n\nAnswer with a JSON object and nothing else.<|end|>" in prompted


def test_settings_that_a_prompt_cannot_express_are_reported() -> None:
    more: dict[str, Any] = {"verbosity": "low", "parallel_tool_calls": False, "web_search_options": {"a": 1}, "a/b": 1}
    assert losses(USER, **more) == {
        "/settings/verbosity": Severity.LOST,
        "/settings/parallel_tool_calls": Severity.LAYOUT,
        "/extras/openai/web_search_options": Severity.LOST,
        "/extras/openai/a~1b": Severity.LOST,
    }


def test_a_prompt_cannot_ask_for_several_calls_in_a_turn() -> None:
    wanted = Transcript(settings=Settings(parallel_tool_calls=True))
    assert [loss.severity for loss in gpt_oss(wanted, None).losses] == [Severity.LOST]


SILENT: dict[str, Any] = {
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "response_format": {"type": "text"},
    "verbosity": "medium",
    "modalities": ["text"],
}


def test_sampling_and_default_settings_are_not_a_part_of_the_conversation() -> None:
    more: dict[str, Any] = {**dict.fromkeys(ENGINE_KEYS, 1), **SILENT}
    assert losses(USER, **more) == {}
    assert losses(USER, profile=None, **more) == {}


def test_without_a_profile_settings_are_reported_as_lost() -> None:
    more: dict[str, Any] = {"reasoning_effort": "high", "tool_choice": "none", "verbosity": "low"}
    assert losses(USER, profile=None, **more) == {f"/settings/{key}": Severity.LOST for key in more}


# --- reasoning --------------------------------------------------------------------------------------------------------

ANSWERED = (USER, {"role": "assistant", "reasoning": "done", "content": "Hello!"})
CALLED = (
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "reasoning": "to do", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "sun"},
)


def test_the_reasoning_of_a_turn_that_is_not_over_is_kept_and_any_other_dropped() -> None:
    prompted = text(*ANSWERED, *CALLED)
    assert "<|channel|>analysis<|message|>to do<|end|><|start|>assistant<|channel|>commentary to=functions" in prompted
    assert "done" not in prompted
    found = losses(*ANSWERED, *CALLED)
    assert found["/messages/1"] is Severity.LOST
    assert found["/messages/5/call_id"] is Severity.LOST, "paths are those of the request, what was dropped counted"


# --- against the official encoder -------------------------------------------------------------------------------------

_TEXTS = st.sampled_from(["Hi", "a\n\nb", "é 😀", "<|end|>", "{}", " ", "Be brief."])
_INSTRUCTIONS = st.lists(st.sampled_from(["Be brief.", "Be kind.\nAlways."]), max_size=2)
_TURNS = st.lists(st.tuples(_TEXTS, st.sampled_from(["", "thought"]), st.booleans(), _TEXTS), max_size=3)
_EFFORTS = st.sampled_from(["low", "medium", "high"])


@given(_INSTRUCTIONS, _TURNS, _EFFORTS, st.sampled_from([None, DATE]), st.booleans(), st.booleans())
@examples(100)
def test_the_prompt_is_what_the_official_encoder_renders(
    instructions: list[str],
    turns: list[tuple[str, str, bool, str]],
    effort: str,
    date: str | None,
    declared: bool,
    pending: bool,
) -> None:
    h = library()
    system = h.SystemContent.new().with_reasoning_effort(h.ReasoningEffort(effort.capitalize()))
    official: list[Any] = [
        h.Message.from_role_and_content(
            h.Role.SYSTEM, system if date is None else system.with_conversation_start_date(date)
        )
    ]
    messages: list[dict[str, Any]] = [{"role": "system", "content": each} for each in instructions]
    if instructions or declared:
        content = h.DeveloperContent.new()
        if instructions:
            content = content.with_instructions("\n\n".join(instructions))
        if declared:
            content = content.with_function_tools([h.ToolDescription(**WEATHER["function"])])
        official.append(h.Message.from_role_and_content(h.Role.DEVELOPER, content))
    for asked, thought, called, answer in [*turns, ("And?", "pending", True, "")] if pending else turns:
        last = thought == "pending"
        _add_turn(h, official, messages, asked, thought if last else "", called)
        if not last:
            messages.append({"role": "assistant", "content": answer, **({"reasoning": thought} if thought else {})})
            final = h.Message.from_role_and_content(h.Role.ASSISTANT, answer).with_channel("final")
            official.append(final)
    body = request(*messages, reasoning_effort=effort, **({"tools": [WEATHER]} if declared else {}))
    expected = load_encoding().render_conversation_for_completion(
        h.Conversation(messages=official), h.Role.ASSISTANT, config=config()
    )
    options = Options(dialect=DIALECT, control_tokens="raw")
    for target, wanted in (("harmony-tokens", expected), ("harmony", load_encoding().decode(expected))):
        assert prompt(body, target, profile=GPT_OSS, date=date, options=options).output == wanted


def _add_turn(
    h: Any, official: list[Any], messages: list[dict[str, Any]], asked: str, thought: str, called: bool
) -> None:
    """Add a question, and a call with its reply if `called`, to both lists of messages."""
    messages.append({"role": "user", "content": asked})
    official.append(h.Message.from_role_and_content(h.Role.USER, asked))
    if thought:
        official.append(h.Message.from_role_and_content(h.Role.ASSISTANT, thought).with_channel("analysis"))
    if called:
        messages.append({"role": "assistant", "tool_calls": [CALL], **({"reasoning": thought} if thought else {})})
        messages.append({"role": "tool", "tool_call_id": "c1", "content": "sun"})
        call = h.Message.from_role_and_content(h.Role.ASSISTANT, CALL["function"]["arguments"])
        official.append(
            call.with_channel("commentary")
            .with_recipient("functions.get_weather")
            .with_content_type("<|constrain|>json")
        )
        author = h.Author(role=h.Role.TOOL, name="functions.get_weather")
        reply = h.Message.from_author_and_content(author, "sun")
        official.append(reply.with_channel("commentary").with_recipient("assistant"))


# --- other formats ----------------------------------------------------------------------------------------------------

INSTRUCTED = ({"role": "system", "content": "Be brief."}, USER, {"role": "assistant", "content": "Yes?"}, USER)


PROMPTS = {
    "ocm-2.2": """\
version: 2.2
<|start|>system<|message|>Be brief.<|end|>
<|start|>user<|message|>Hi<|end|>
<|start|>assistant<|channel|>final<|message|>Yes?<|end|>
<|start|>user<|message|>Hi<|end|>
<|start|>assistant""",
    "harmony": """\
<|start|>system<|message|>Be brief.<|end|><|start|>user<|message|>Hi<|end|>\
<|start|>assistant<|channel|>final<|message|>Yes?<|end|><|start|>user<|message|>Hi<|end|><|start|>assistant""",
    "internlm2": """\
<|im_start|>system
Be brief.<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
Yes?<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
""",
    "chatml": """\
<|im_start|>system
Be brief.<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
Yes?<|im_end|>
<|im_start|>user
Hi<|im_end|>
<|im_start|>assistant
""",
    "ocm-0.1": """\
[BOS]<|im_start|>system
Be brief.
<|im_end|>
<|im_start|>user
Hi
<|im_end|>
<|im_start|>assistant
Yes?
<|im_end|>
<|im_start|>user
Hi
<|im_end|>
<|im_start|>assistant
""",
}


@pytest.mark.parametrize("target", PROMPTS)
def test_without_a_profile_the_messages_are_not_changed_and_the_assistants_turn_is_open(target: str) -> None:
    assert text(*INSTRUCTED, target=target, profile=None) == PROMPTS[target]


def test_an_open_turn_is_not_changed() -> None:
    begun = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final"
    assert prompt(begun, "harmony", source="harmony").output == begun


# --- the account ------------------------------------------------------------------------------------------------------

_PARAMETERS = st.dictionaries(
    st.sampled_from(["reasoning_effort", "tool_choice", "response_format", "verbosity", "temperature", "x", "a/b"]),
    st.one_of(ANY, st.sampled_from(["none", "required", "high", {"type": "json_object"}])),
    max_size=4,
)


@given(DOCUMENTS, _PARAMETERS, st.sampled_from(["harmony", "harmony-tokens", "ocm-2.2", "internlm2", "canonical"]))
@example({"messages": [], "tools": [{"type": "web_search", "search_context_size": "high"}]}, {}, "harmony")
@example({"messages": [], "tools": [{"type": "web_search"}]}, {}, "harmony")
@example({"messages": [], "functions": [{"name": "functions.f", "description": "", "parameters": ""}]}, {}, "harmony")
@example([{"role": "system", "content": "A"}, {"role": "system", "content": "B", "name": "n", "x": 1}], {}, "harmony")
@examples(400)
def test_every_difference_from_the_request_is_reported(document: Any, more: dict[str, Any], target: str) -> None:
    if isinstance(document, dict):
        document = {**cast("dict[str, Any]", document), **more}
    profile = GPT_OSS if target.startswith("harmony") else None
    before = copy.deepcopy(document)
    try:
        reading = read(document, "openai")
    except BridgeError as error:
        with pytest.raises(BridgeError, match=str(error.code)):
            prompt(document, target, profile=profile, policy=LENIENT)
        return
    result = prompt(document, target, profile=profile, policy=LENIENT)
    assert document == before
    found = cast("Transcript", read(result.encode(), target).transcript)
    prepared = prepare(reading, find_profile(profile, target).template)
    _check(cast("Transcript", reading.transcript), found, result, prepared.origins)


def _are_run(tools: Any) -> bool:
    """Whether all tools are run by the server of the model, so that the prompt may name them."""
    kinds = [kind for _, members in objects_in(tools) if isinstance(kind := members.get("type"), str)]
    return isinstance(tools, list) and bool(kinds) and OWN_TOOLS.keys() >= set(kinds)


def _check(asked: Transcript, found: Transcript, result: Result, origins: tuple[str, ...]) -> None:
    named = {loss.path for loss in result.losses}
    made = {index for index, origin in enumerate(origins) if not origin.startswith("/messages/")}
    if found.open_turn is None and not is_unfinished(found):
        assert "/open_turn" in named
    own = tuple(message for index, message in enumerate(found.messages) if index not in made)
    back = replace(asked, messages=own, tools=found.tools, header=found.header, layout=found.layout)
    assert unnamed(asked, back, result.losses) == []
    for key, value in ((asked.extras or {}).get("openai") or {}).items():
        kept = ((found.extras or {}).get("openai") or {}).get(key) == value
        hosted = key == "tools" and _are_run(value)
        assert key in ENGINE_KEYS or kept or hosted or f"/extras/openai/{escape(key)}" in named, key
    for name in (field.name for field in fields(Settings)):
        value, left = getattr(asked.settings or Settings(), name), getattr(found.settings or Settings(), name)
        silent = name in ENGINE or value in (None, left, DEFAULTS.get(name))
        empty_choice = value == ToolChoice("none")
        known = name == "reasoning_effort" and value in ("low", "medium", "high")
        assert silent or empty_choice or known or f"/settings/{name}" in named, name


def test_the_results_report_is_about_the_request() -> None:
    asked = request({"role": "system", "content": "<|end|>"}, USER)
    result = prompt(asked, "harmony", profile=GPT_OSS)
    assert result.source == "openai"
    assert result.transcript == read(asked, "openai").transcript
    assert (LossCode.CONTROL_TOKEN, "/messages/0/content") in [(loss.code, loss.path) for loss in result.losses]


# --- the page ---------------------------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "requests.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_of_the_page(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "request.json").write_text(blocks("json")[0])
    command = blocks("console")[0].removeprefix("$ ocml-convert ").split()
    assert run(*command) == (0, blocks("text")[0].removesuffix("\n").encode(), blocks("text")[1])


def test_the_page_documents_every_parameter() -> None:
    documented = set(re.findall(r"`([a-zA-Z_]+)`", "".join(re.findall(r"^\| [^|]*\|", PAGE, re.MULTILINE))))
    assert documented >= ENGINE_KEYS | PARAMETERS.names | {"messages", "tools", "functions"}


def test_the_examples_of_the_page_return_what_it_shows() -> None:
    results = doctest.testfile(str(ROOT / "docs" / "requests.md"), module_relative=False)
    assert (results.attempted > 0, results.failed) == (True, 0)


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"profile": "gpt-4"}, "harmony has no profile 'gpt-4'; it has gpt-oss"),
        ({"date": DATE}, "a date and an effort need a profile; name one with --profile"),
        ({"effort": "low"}, "a date and an effort need a profile; name one with --profile"),
        ({"profile": GPT_OSS, "date": "today"}, "'today' is not a date: YYYY-MM-DD"),
        ({"profile": GPT_OSS, "date": f"{DATE}\n"}, f"{DATE + chr(10)!r} is not a date: YYYY-MM-DD"),
    ],
)
def test_invalid_options_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgeError) as caught:
        prompt(request(USER), "harmony", **more)
    assert (caught.value.code, caught.value.message) == (ErrorCode.OPTION, message)


def test_a_strict_prompt_has_no_loss_or_is_refused() -> None:
    assert prompt(request(USER), "harmony", profile=GPT_OSS, strict=True).output
    with pytest.raises(BridgeError) as caught:
        prompt(request({"role": "system", "content": "a"}, USER), "harmony", profile=GPT_OSS, strict=True)
    assert (caught.value.code, caught.value.path) == (ErrorCode.LOSS, "/messages/0/role")


def test_a_text_to_be_completed_has_no_open_turn() -> None:
    with pytest.raises(BridgeError) as caught:
        prompt("[BOS]<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>", "ocm-0.1", source="ocm-0.1")
    assert caught.value.code is ErrorCode.SHAPE


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request({"role": "system", "content": "Be brief."}, *ANSWERED, *CALLED)))
    return path


def test_the_command_makes_the_prompt_that_the_library_makes(run: Run, asked: Path) -> None:
    arguments = ("-t", "harmony", "--profile", GPT_OSS, "--date", DATE, "--effort", "high", "--verify", "-q")
    done = run(asked, *arguments)
    data = asked.read_bytes()
    assert done == (0, prompt(data, "harmony", profile=GPT_OSS, date=DATE, effort="high").data, "")


def test_the_command_writes_todays_date(run: Run, asked: Path) -> None:
    done = run(asked, "-t", "harmony", "--profile", GPT_OSS, "-q")
    date = line_of(done.out.decode(), "Current date: ")
    assert date is not None
    assert date >= "2026"


def test_the_sidecar_of_a_prompt_restores_the_request(run: Run, asked: Path, tmp_path: Path) -> None:
    prompted, sidecar = tmp_path / "prompt.txt", tmp_path / "sidecar.json"
    run(asked, "-t", "harmony", "--profile", GPT_OSS, "-o", prompted, "--sidecar-out", sidecar, "-q")
    back = run(prompted, "-f", "harmony", "-t", "openai", "--sidecar", sidecar)
    assert json.loads(back.out) == json.loads(asked.read_text())


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("--profile", "x"), 2, "OCB-OPTION"),
        (("--date", DATE), 2, "OCB-OPTION"),
        (("--effort", "low"), 2, "OCB-OPTION"),
        (("--profile", GPT_OSS, "--strict"), 3, "OCB-LOSS"),
    ],
)
def test_the_command_refuses_invalid_options(
    run: Run, asked: Path, arguments: tuple[str, ...], status: int, code: str
) -> None:
    done = run(asked, "-t", "harmony", *arguments)
    assert (done.status, done.out) == (status, b"")
    assert code in done.err


def test_messages_of_a_profile_are_written_like_any_others() -> None:
    reading = read(request(USER), "openai")
    made = prepare(reading, find_profile(GPT_OSS).template).transcript
    assert made.open_turn == Message("assistant", "", end=None)
    assert write(made, "harmony").output == text(USER).replace(f"\nCurrent date: {DATE}", "")


# --- internlm2 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", [None, [WEATHER]], ids=["without tools", "with tools"])
@pytest.mark.parametrize(
    "messages", [(USER,), ({"role": "system", "content": "Be brief."}, USER)], ids=["user", "system"]
)
def test_a_prompt_of_internlm2_begins_with_its_token(messages: Any, tools: Any) -> None:
    body = request(*messages, **({} if tools is None else {"tools": tools}))
    plain, made = prompt(body, "internlm2").output, prompt(body, "internlm2", profile="internlm2").output
    assert made == f"<s>{plain}"


def test_a_prompt_of_internlm2_is_the_one_that_the_public_template_renders() -> None:
    """Except for the key of a call's arguments, and for texts that are tokens of its vocabulary."""
    cases = [case for case in rendered("internlm2-tool") if case["options"].get("add_generation_prompt")]
    different: set[str] = set()
    for case in cases:
        made = prompt(case["request"], "internlm2", profile="internlm2").output
        wanted = re.sub(r'("name": "[^"]*", )"arguments"', r'\1"parameters"', case["prompt"])
        if made != wanted:
            different.add(case["name"])
    assert different <= {"markup-words"}


def test_unknown_members_of_a_request_to_continue_an_answer_are_reported() -> None:
    request: Any = {
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Once upon"}],
        "continue_final_message": True,
        "add_generation_prompt": False,
        "made_up": 1,
    }
    result = find_profile("qwen3").prompt(request, policy=LENIENT)
    assert str(result.output).endswith("Once upon")
    assert [loss.path for loss in result.losses if loss.code == "extras"] == ["/extras/openai/made_up"]


def test_a_transcript_has_no_findings() -> None:
    request = read({"messages": [{"role": "user", "content": "Hi"}]}, "openai").transcript
    assert find_profile("qwen3").prompt(request).findings == ()
