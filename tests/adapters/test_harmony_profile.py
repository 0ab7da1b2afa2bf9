"""What gpt-oss cannot be asked for, or is asked for in words: which loss, how grave, at which place, in which words."""

from __future__ import annotations

from typing import Any, Final

import pytest

from ocml_bridge.formats.guidance import Frame, Step, Wanted
from ocml_bridge.profiles import profile

HI: Final = {"role": "user", "content": "Hi"}
FUNCTION: Final[Any] = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
PYTHON: Final = {"type": "function", "function": {"name": "python"}}
OWN: Final = {"type": "code_interpreter"}
FORM: Final = {"type": "json_schema", "json_schema": {"name": "weather", "schema": {"type": "object"}}}


def asked(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": [*messages, HI], **more}


EXPLAINED: Final[dict[str, tuple[dict[str, Any], list[str]]]] = {
    "a system's text": (
        asked({"role": "system", "content": "Be brief."}),
        [
            "changed role /messages/0/role: gpt-oss takes instructions from the developer; its system message is fixed",
        ],
    ),
    "two texts": (
        asked({"role": "developer", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}),
        [
            "changed message /messages/1: this message is joined to the instructions before it",
            "changed content /messages/0/content: further instructions are added to this message",
        ],
    ),
    "a tool choice": (
        asked(tools=[FUNCTION], tool_choice="required"),
        [
            "changed settings /settings/tool_choice: the prompt instructs gpt-oss to do so; nothing enforces it",
            'layout tool-schema /tools/0/parameters/properties: harmony adds "properties": {}; the source has none',
        ],
    ),
    "a tool choice without tools": (
        asked(tool_choice="required"),
        ["lost settings /settings/tool_choice: no declared tool can be chosen"],
    ),
    "no tool, where there are none": (asked(tool_choice="none"), []),
    "a form": (
        asked(response_format=FORM),
        ["changed settings /settings/response_format: the prompt describes the answer's format; nothing enforces it"],
    ),
    "JSON": (
        asked(response_format={"type": "json_object"}),
        ["changed settings /settings/response_format: the prompt describes the answer's format; nothing enforces it"],
    ),
    "text": (asked(response_format={"type": "text"}), []),
    "one call at a time": (
        asked(parallel_tool_calls=False),
        [
            (
                "layout settings /settings/parallel_tool_calls: gpt-oss ends its turn with the first call, so calls "
                "are never parallel"
            )
        ],
    ),
    "a length": (
        asked(verbosity="low"),
        ["lost settings /settings/verbosity: gpt-oss has no setting for the length of its answers"],
    ),
    "an effort": (
        asked(reasoning_effort="max"),
        [
            (
                "changed settings /settings/reasoning_effort: the prompt asks for high, the nearest effort to max that "
                "gpt-oss has"
            )
        ],
    ),
    "another effort": (
        asked(reasoning_effort="a" * 50),
        [
            f"lost settings /settings/reasoning_effort: gpt-oss has no effort {'a' * 40!r}; the prompt asks for medium",
        ],
    ),
    "a function with the name of an own tool": (
        asked(tools=[PYTHON, OWN]),
        [
            "layout name /tools/0/name: the prompt calls this function python; answers have its own name again",
            (
                "lost tools /extras/openai/tools/0/tool: a function has the name of the model's own tool python; the "
                "function is declared"
            ),
        ],
    ),
    "an own tool with settings": (
        asked(tools=[{"type": "web_search", "search_context_size": "high"}]),
        [
            (
                "changed tools /extras/openai/tools/0/tool: the prompt can only name the tool browser; its settings "
                "are left out"
            )
        ],
    ),
    "an own tool": (asked(tools=[OWN]), []),
}


@pytest.mark.parametrize("what", EXPLAINED)
def test_losses_of_a_request_are_explained(what: str) -> None:
    request, expected = EXPLAINED[what]
    losses = profile("gpt-oss").prompt(request).losses
    found = [f"{loss.severity} {loss.code} {loss.path}: {loss.detail}" for loss in losses if loss.path != "/layout"]
    assert found == expected


def test_a_call_of_an_own_tool_is_written_as_the_model_writes_it() -> None:
    """The model calls its own tools on `analysis`, with code, as the system message of the official encoder has it."""
    call = {"id": "c1", "type": "function", "function": {"name": "python", "arguments": '"1"'}}
    answer, reply = {"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c1", "content": "1"}
    result = profile("gpt-oss", "harmony:spec").prompt(asked(answer, reply, tools=[OWN]))
    assert isinstance(result.output, str)
    assert (
        '<|start|>assistant to=python<|channel|>analysis code<|message|>"1"<|call|>'
        "<|start|>python to=assistant<|channel|>analysis<|message|>1<|end|>"
    ) in result.output
    found = {(loss.path, loss.severity, loss.detail) for loss in result.losses}
    on_analysis = "the model calls its own tools on the channel 'analysis'"
    assert found >= {
        ("/messages/0/channel", "changed", on_analysis),
        ("/messages/1/channel", "changed", on_analysis),
        ("/messages/0/constraint", "changed", "the model's own tools take code, not JSON"),
    }


# --- the guide of an answer -------------------------------------------------------------------------------------------

START: Final = "<|end|><|start|>assistant"
THOUGHT: Final = Step((Frame("<|channel|>analysis<|message|>", end=START),), optional=True)
PREAMBLE: Final = Step((Frame("<|channel|>commentary<|message|>", end=START),), optional=True)
CALL: Final = Frame("<|channel|>commentary to=functions.f <|constrain|>json<|message|>", {"type": "object"})


@pytest.mark.parametrize("must_call", [False, True])
def test_an_answer_is_a_thought_a_preamble_and_a_call_or_a_text(must_call: bool) -> None:
    template = profile("gpt-oss").template
    assert template is not None
    assert template.guide is not None
    texts = () if must_call else (Frame("<|channel|>final<|message|>", {"type": "array"}),)
    calls, answer = (("f", {"type": "object"}),), {"type": "array"}
    assert template.guide(Wanted(calls, must_call, answer=answer)) == (THOUGHT, PREAMBLE, Step((CALL, *texts)))
    if not must_call:
        assert template.guide(Wanted((), answer=answer)) == (THOUGHT, Step(texts))
