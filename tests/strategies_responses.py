"""Documents of the Responses API as its servers, clients and their faults make them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_TEXTS = st.sampled_from(["", "Hi", "a\nb", '{"a": 1}', "{}", "[1]", "print(1)", "é"])
_IDS = st.sampled_from(["x1", "call_1", "call_2", "rs_" + "0" * 32, "msg_" + "0" * 31 + "1", ""])
_JUNK: SearchStrategy[Any] = st.sampled_from([None, 0, 1, True, "", "x", [], [1], {}, {"a": None}, {"b": [1, {}]}])
_URLS = st.sampled_from(["https://example.org/a.png", "data:image/png;base64,AAAA", "data:,x", ""])


def _object(required: dict[str, Any], optional: dict[str, Any]) -> SearchStrategy[dict[str, Any]]:
    """Objects with these members, some with others that nobody knows, in any order of their keys."""
    drawn: SearchStrategy[Any] = st.fixed_dictionaries(required, optional={**optional, "x_unknown": _JUNK})

    def shuffled(made: dict[str, Any]) -> SearchStrategy[dict[str, Any]]:
        return st.permutations(list(made)).map(lambda keys: {key: made[key] for key in keys})

    return drawn.flatmap(shuffled)


def parts() -> SearchStrategy[Any]:
    """Parts of contents."""
    types = st.sampled_from(["input_text", "output_text", "text", "reasoning_text", "summary_text"])
    citation: Any = [{"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 1}]
    noted: SearchStrategy[Any] = st.sampled_from([[], citation, None])
    inner = _object({"data": st.sampled_from(["AAAA", ""]), "format": st.sampled_from(["wav", "mp3"])}, {})
    return st.one_of(
        _object({"type": types, "text": _TEXTS}, {"annotations": noted, "logprobs": st.just([])}),
        _object({"type": st.just("refusal"), "refusal": _TEXTS}, {}),
        _object({"type": st.just("input_image")}, {"image_url": _URLS, "file_id": _IDS, "detail": _TEXTS}),
        _object(
            {"type": st.just("input_file")}, {"file_url": _URLS, "file_data": _URLS, "filename": _IDS, "file_id": _IDS}
        ),
        _object({"type": st.just("input_audio"), "input_audio": inner | _JUNK}, {}),
        _object({"type": st.just("computer_screenshot")}, {"image_url": _URLS}),
        _JUNK,
    )


_CONTENTS: SearchStrategy[Any] = _TEXTS | st.lists(parts(), max_size=3) | _JUNK
_COMMON: dict[str, Any] = {
    "id": _IDS | _JUNK,
    "status": st.sampled_from(["completed", "in_progress", "incomplete", "failed", None, 1]),
}
_NAMES = st.sampled_from(["f", "crm.find", "functions.f", "python", "a.b.c", "", ".", "x."])
_NAMED: dict[str, Any] = {"namespace": st.sampled_from(["crm", "f", "crm.find", "functions", "", None, "a.b"])}


def items() -> SearchStrategy[Any]:
    """Items of every type, whole and faulty."""
    kinds = st.sampled_from(["message", "", None])
    roles = st.sampled_from(["user", "assistant", "system", "developer", "tool", "critic", ""])
    phases = st.sampled_from(["commentary", "final_answer", "draft", "analysis", None, ""])
    summaries: SearchStrategy[Any] = st.lists(parts(), max_size=2) | _JUNK
    outputs = st.sampled_from(["function_call_output", "custom_tool_call_output"])
    call: dict[str, Any] = {"call_id": _IDS | _JUNK, "name": _NAMES | _JUNK}
    output: dict[str, Any] = {"call_id": _IDS | _JUNK}
    hosted = st.sampled_from(
        [
            *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"),
            *("computer_call", "shell_call", "local_shell_call", "apply_patch_call", "tool_search_call", "program"),
            *("computer_call_output", "shell_call_output", "local_shell_call_output", "program_output"),
            *("apply_patch_call_output", "tool_search_output", "compaction", "item_reference", "mcp_list_tools"),
            *("multi_agent_call", "multi_agent_call_output", "x_search_call", "search_results", "fetch_url_results"),
            *("additional_tools", "agent_message", "acme:note", "x"),
        ]
    )
    values: SearchStrategy[Any] = _TEXTS | _JUNK
    shown: SearchStrategy[Any] = st.sampled_from(
        [None, [], [{"type": "logs", "logs": "1"}], [{"type": "image", "url": "u"}], [{"type": "x"}]]
    )
    screen: SearchStrategy[Any] = st.sampled_from(
        [{"type": "computer_screenshot", "image_url": "https://example.org/s.png"}]
    )
    members: dict[str, Any] = {
        **dict.fromkeys(("results", "contents"), values),
        "author": _NAMES,
        "content": _CONTENTS,
        **dict.fromkeys(("action", "queries", "operation", "arguments", "code", "result", "role"), values),
        "outputs": shown,
        "output": values | screen,
        **dict.fromkeys(("server_label", "name"), _NAMES),
        "call_id": _IDS,
        "tools": st.lists(tools(), max_size=2) | _JUNK,
    }
    return st.one_of(
        _object(
            {"role": roles, "content": _CONTENTS},
            {"type": kinds, "phase": phases, **_COMMON},
        ),
        _object(
            {"type": st.just("reasoning")},
            {"summary": summaries, "content": summaries, "encrypted_content": _TEXTS | _JUNK, **_COMMON},
        ),
        _object({"type": st.just("function_call"), "arguments": values, **call}, {**_NAMED, **_COMMON}),
        _object({"type": st.just("custom_tool_call"), "input": values, **call}, {**_NAMED, **_COMMON}),
        _object(
            {
                "type": outputs,
                "output": _CONTENTS,
                **output,
            },
            {"name": _NAMES, **_NAMED, **_COMMON},
        ),
        _object({"type": hosted}, {**members, **_COMMON}),
        _object({"id": _IDS}, {}),
    )


def tools() -> SearchStrategy[Any]:
    """Declared tools."""
    schema: Any = st.sampled_from([None, {}, {"type": "object", "properties": {"a": {"type": "string"}}}, "x"])
    strict = {"strict": st.sampled_from([True, False, None, 1])}
    function = _object(
        {"type": st.just("function"), "name": _NAMES},
        {"description": _TEXTS | st.none(), "parameters": schema, **strict},
    )
    custom = _object({"type": st.just("custom"), "name": _NAMES}, {"description": _TEXTS, "format": _JUNK, **strict})
    inner = st.lists(function | custom | _JUNK, max_size=2)
    space = _object({"type": st.just("namespace"), "name": _NAMES, "tools": inner}, {"description": _TEXTS})
    return function | custom | space | _object({"type": st.just("web_search")}, {}) | _JUNK


def documents() -> SearchStrategy[Any]:
    """Lists, requests, responses, and one of each."""
    listed: SearchStrategy[Any] = st.lists(items(), max_size=4)
    choices: list[Any] = ["auto", "none", {"type": "function", "name": "f"}, {"type": "web_search"}, None, 3]
    forms: list[Any] = [{"type": "text"}, {"type": "json_schema", "name": "a", "schema": {}}, {"type": "x"}, None]
    usage: Any = {
        "input_tokens": 1,
        "output_tokens": 2,
        "total_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 1},
    }
    around: dict[str, Any] = {
        "model": st.sampled_from(["m", "", None]),
        "tools": st.lists(tools(), max_size=3) | _JUNK,
        "tool_choice": st.sampled_from(choices),
        "reasoning": _object({}, {"effort": st.sampled_from(["low", None, 1]), "summary": _TEXTS}) | _JUNK,
        "text": _object({}, {"format": st.sampled_from(forms), "verbosity": st.sampled_from(["low", None])}) | _JUNK,
        "text.format": _JUNK,
        "max_output_tokens": st.sampled_from([1, None, "x"]),
        "instructions": _TEXTS | _JUNK,
        "usage": st.just(usage) | _JUNK,
        "stop": st.sampled_from(["a", ["a"], None]),
    }
    request = _object({"input": listed | _TEXTS}, around)
    status = st.sampled_from(["completed", "incomplete", "in_progress"])
    response = _object({"object": st.just("response"), "output": listed}, {"status": status, **around})
    return st.one_of(listed, request, response, st.fixed_dictionaries({"request": request, "response": response}))
