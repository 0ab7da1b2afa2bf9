"""Sessions of Claude Code and Codex, which are previews: the conversation that a person reads in the rows of one file.

Neither vendor publishes a specification. The rules are those that other readers of such files found; each is a test.
"""

from __future__ import annotations

from typing import Any

import pytest

from counting import calls_of
from ocml_bridge.errors import BridgeError
from ocml_bridge.layouts import AUTO, PREVIEWS, Plan, plan_of, read_row
from rows import Pair, as_pairs, conversations

PREVIEW = Plan((AUTO,), preview=True)
Row = dict[str, Any]


def row(uuid: str, parent: str | None, message: Row, **more: Any) -> Row:
    fixed = {"isSidechain": False, "userType": "external", "cwd": "/work", "sessionId": "s", "version": "2.1.0"}
    return {**fixed, "parentUuid": parent, "type": message["role"], "uuid": uuid, "message": message, **more}


def user(uuid: str, parent: str | None, content: Any, **more: Any) -> Row:
    return row(uuid, parent, {"role": "user", "content": content}, **more)


def assistant(uuid: str, parent: str | None, name: str, *blocks: Row, **more: Any) -> Row:
    message = {"id": name, "type": "message", "role": "assistant", "model": "claude", "content": list(blocks)}
    return row(uuid, parent, message, **more)


def text(content: str) -> Row:
    return {"type": "text", "text": content}


def call(name: str, tool: str = "Bash") -> Row:
    return {"type": "tool_use", "id": name, "name": tool, "input": {"command": "ls"}}


def result(uuid: str, parent: str, name: str, content: str) -> Row:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": name, "content": content}])


def read_all(*rows: Any) -> list[list[Pair]]:
    return [as_pairs(each.messages) for each in conversations({"session": list(rows)}, PREVIEW)]


def extra_rows(*rows: Any) -> list[Any]:
    """The extra column of all conversations: rows, or members of rows, that are in no message."""
    documents: Any = read_row(PREVIEW, {"session": list(rows)}).documents
    return [value for each in documents for value in each.extra_columns.get("session", [])]


def findings(*rows: Any) -> list[tuple[str, str]]:
    found = read_row(PREVIEW, {"session": list(rows)})
    return [(each.path, str(each.code)) for document in found.documents for each in document.findings]


CALLED: Pair = ("call Bash", '{"command":"ls"}')


# --- Claude Code ------------------------------------------------------------------------------------------------------


def test_blocks_of_one_message_have_a_row_each() -> None:
    rows = [
        user("u", None, "What is here?"),
        assistant("a", "u", "m", {"type": "thinking", "thinking": "I look.", "signature": "x"}),
        assistant("b", "a", "m", text("Let me see.")),
        assistant("c", "b", "m", call("t")),
        result("r", "c", "t", "a.txt"),
        assistant("d", "r", "n", text("A file.")),
    ]
    looked: list[Pair] = [("thought", "I look."), ("assistant", "Let me see."), CALLED, ("tool", "a.txt")]
    assert read_all(*rows) == [[("user", "What is here?"), *looked, ("assistant", "A file.")]]
    [document] = read_row(PREVIEW, {"session": rows}).documents
    assert [message["role"] for message in as_dict(document.value)["messages"]] == ["user", "assistant"] * 2
    assert document.findings == ()


def as_dict(value: Any) -> dict[str, Any]:
    return value


def test_blocks_that_a_later_row_repeats_are_read_once() -> None:
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", text("Wait.")),
        assistant("b", "a", "m", text("Wait."), {**call("t"), "input": {}}),
        assistant("c", "b", "m", call("t")),
    ]
    assert read_all(*rows) == [[("user", "Hi"), ("assistant", "Wait."), CALLED]]
    assert findings(*rows) == [("/session/3", "shape")], "of the call there is another version"


def test_results_of_calls_at_the_same_time_belong_to_one_conversation() -> None:
    """The row after a result links only to that result; the other results are branches without a reply."""
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", call("t")),
        assistant("b", "a", "m", call("v", "Read")),
        result("s", "b", "v", "second"),
        result("r", "a", "t", "first"),
        assistant("c", "r", "n", text("Done.")),
    ]
    [found] = conversations({"session": rows}, PREVIEW)
    pairs = [(message.call_id, message.content) for message in found.messages if message.role == "tool"]
    assert pairs == [("v", "second"), ("t", "first")]
    assert as_pairs(found.messages)[-1] == ("assistant", "Done.")
    assert findings(*rows) == []


def test_an_edited_session_is_two_conversations_the_last_one_first() -> None:
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", text("Hello.")),
        user("v", "a", "Wrong"),
        assistant("b", "v", "n", text("Hm.")),
        user("w", "a", "Right"),
        assistant("c", "w", "o", text("Good.")),
    ]
    begun: list[Pair] = [("user", "Hi"), ("assistant", "Hello.")]
    assert read_all(*rows) == [
        [*begun, ("user", "Right"), ("assistant", "Good.")],
        [*begun, ("user", "Wrong"), ("assistant", "Hm.")],
    ]
    assert [each.path for each in read_row(PREVIEW, {"session": rows}).documents] == ["/session/5", "/session/3"]
    assert [each["uuid"] for each in extra_rows(*rows)] == ["u", "a", "w", "c", "v", "b"]


def test_rows_without_a_message_are_not_a_branch() -> None:
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", call("t")),
        result("r", "a", "t", "refused"),
        {"type": "progress", "uuid": "p", "parentUuid": "a", "sessionId": "s", "data": {"type": "hook"}},
        {"type": "system", "uuid": "x", "parentUuid": "r", "sessionId": "s", "subtype": "turn_duration"},
    ]
    assert read_all(*rows) == [[("user", "Hi"), CALLED, ("tool", "refused")]]
    assert extra_rows(*rows)[3:] == rows[3:]


@pytest.mark.parametrize("more", [{"isSidechain": True, "agentId": "g"}, {"isSidechain": True}])
def test_a_sidechain_is_a_conversation_of_its_own(more: Row) -> None:
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", call("t", "Task")),
        user("g", None, "Find it.", **more),
        assistant("h", "g", "n", text("Found."), **more),
        result("r", "a", "t", "Found."),
    ]
    main, agent = read_all(*rows)
    assert main == [("user", "Hi"), ("call Task", '{"command":"ls"}'), ("tool", "Found.")]
    assert agent == [("user", "Find it."), ("assistant", "Found.")]
    assert read_all(*rows[2:4]) == [agent], "a file of a sidechain alone"


def test_rows_without_links_follow_each_other() -> None:
    """`--output-format stream-json` writes `session_id`, and the id of the call that started a sidechain."""
    rows: list[Any] = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": ["Bash"]},
        {
            "type": "assistant",
            "session_id": "s",
            "parent_tool_use_id": None,
            "message": assistant("", "", "m", call("t"))["message"],
        },
        {"type": "user", "session_id": "s", "parent_tool_use_id": "t", "message": {"role": "user", "content": "Sub"}},
        {"type": "user", "message": {"content": result("", "", "t", "ok")["message"]["content"]}},
        {"type": "result", "subtype": "success", "session_id": "s", "result": "ok", "total_cost_usd": 0.1},
    ]
    assert read_all(*rows) == [[CALLED, ("tool", "ok")], [("user", "Sub")]]
    assert [each["type"] for each in extra_rows(*rows)] == ["system", "assistant", "user", "result", "user"]


def test_a_compaction_does_not_end_a_conversation_and_is_a_finding() -> None:
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", text("Hello.")),
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "logicalParentUuid": "a"},
        user("v", "b", "Summary: they said hello.", isCompactSummary=True),
        assistant("c", "v", "n", text("Go on.")),
    ]
    [found] = read_all(*rows)
    assert [speaker for speaker, _ in found] == ["user", "assistant"] * 2
    assert findings(*rows) == [("/session/2", "shape")]


def test_rows_after_a_compaction_belong_to_its_conversation() -> None:
    rows = [
        user("u", None, "Hi"),
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "logicalParentUuid": "a"},
        user("v", "b", "Summary.", isCompactSummary=True),
        assistant("a", "v", "m", text("Hello.")),
    ]
    assert read_all(*rows) == [[("user", "Hi"), ("user", "Summary."), ("assistant", "Hello.")]]
    assert findings(*rows) == [("/session/1", "shape")]


def test_a_row_without_a_link_follows_the_row_above() -> None:
    rows = [user("u", None, "Hi"), assistant("a", None, "m", text("Hello.")), user("v", "a", "So?")]
    del rows[1]["parentUuid"]
    assert read_all(*rows) == [[("user", "Hi"), ("assistant", "Hello."), ("user", "So?")]]


def test_a_queued_prompt_is_a_message_of_the_user() -> None:
    queued = {"type": "queued_command", "prompt": "And b?", "commandMode": "prompt"}
    rows = [
        user("u", None, "Hi"),
        assistant("a", "u", "m", call("t")),
        result("r", "a", "t", "ok"),
        {"type": "attachment", "uuid": "q", "parentUuid": "r", "sessionId": "s", "attachment": queued},
        assistant("c", "q", "n", text("Both.")),
    ]
    assert read_all(*rows) == [[("user", "Hi"), CALLED, ("tool", "ok"), ("user", "And b?"), ("assistant", "Both.")]]
    assert {"type": "queued_command", "commandMode": "prompt"} in [each.get("attachment") for each in extra_rows(*rows)]


def test_an_error_message_of_the_program_is_an_extra_row() -> None:
    error = assistant("e", "u", "x", text("API Error: overloaded"), isApiErrorMessage=True)
    error["message"]["model"] = "<synthetic>"
    rows = [user("u", None, "Hi"), error, assistant("a", "e", "m", text("Hello."))]
    assert read_all(*rows) == [[("user", "Hi"), ("assistant", "Hello.")]]
    assert error in extra_rows(*rows)
    assert findings(*rows) == [("/session/1", "shape")]


def test_a_repeated_row_is_read_once() -> None:
    rows = [user("u", None, "Hi"), assistant("a", "u", "m", text("Hello."))]
    again = {**rows[0], "sessionId": "other"}
    assert read_all(*rows, rows[1], again) == [[("user", "Hi"), ("assistant", "Hello.")]]
    assert findings(*rows, rows[1], again) == [("/session/2", "shape"), ("/session/3", "shape")]
    assert again in extra_rows(*rows, rows[1], again)


@pytest.mark.parametrize("parent", ["gone", "b"])
def test_a_row_with_a_link_to_a_missing_row_follows_the_row_above(parent: str) -> None:
    rows = [user("u", None, "Hi"), assistant("a", parent, "m", text("Hello.")), user("b", "a", "So?")]
    assert read_all(*rows) == [[("user", "Hi"), ("assistant", "Hello."), ("user", "So?")]]
    assert findings(*rows) == [("/session/1", "shape")]


def test_rows_without_messages_are_extra_rows() -> None:
    """Every text and number of the rows is in a message, or in the extra column."""
    snapshot: Row = {"type": "file-history-snapshot", "messageId": "u", "snapshot": {"trackedFileBackups": {}}}
    rows: list[Any] = [
        {"type": "summary", "summary": "A talk", "leafUuid": "a"},
        snapshot,
        user("u", None, "Hi", isMeta=True, toolUseResult={"stdout": "x"}),
        assistant("a", "u", "m", text("Hello."), requestId="req_1"),
        '{"type":"assistant","message":{"role',
    ]
    rows[3]["message"]["usage"] = {"output_tokens": 7}
    assert read_all(*rows) == [[("user", "Hi"), ("assistant", "Hello.")]]
    kept = extra_rows(*rows)
    assert kept[:2] == [rows[0], snapshot]
    assert kept[2] == {name: value for name, value in rows[2].items() if name != "message"}
    message = {"id": "m", "type": "message", "model": "claude", "usage": {"output_tokens": 7}}
    assert kept[3] == {**rows[3], "message": message}
    assert kept[4] == rows[4]
    assert findings(*rows) == [("/session/4", "shape")]


def test_many_rows_take_linear_time() -> None:
    def chain(count: int) -> list[Any]:
        answers = [assistant(str(at), str(at - 1), f"m{at // 3}", text(f"{at}")) for at in range(1, count)]
        return [user("0", None, "Hi"), *answers]

    few, many = chain(100), chain(400)
    assert calls_of(lambda: read_row(PREVIEW, {"session": many})) < 5 * calls_of(
        lambda: read_row(PREVIEW, {"session": few})
    )


def test_too_many_branches_are_refused() -> None:
    long = [user("0", None, "Hi"), *(assistant(str(at), str(at - 1), f"m{at}", text("x")) for at in range(1, 400))]
    forks = [user(f"f{at}", "399", f"{at}") for at in range(400)]
    with pytest.raises(BridgeError, match="OCB-LIMIT"):
        read_row(PREVIEW, {"session": [*long, *forks]})


# --- Codex ------------------------------------------------------------------------------------------------------------


def item(**payload: Any) -> Row:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}


def message_item(role: str, content: str) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": content}])


def event(**payload: Any) -> Row:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": payload}


META = {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "cwd": "/work", "cli_version": "0.50.0"}}
TURN: list[Pair] = [("user", "Hi"), ("assistant", "Hello.")]


def test_items_are_the_conversation_and_events_that_repeat_them_are_skipped() -> None:
    rows = [
        META,
        event(type="user_message", message="Hi"),
        message_item("user", "Hi"),
        item(type="function_call", name="shell", arguments="{}", call_id="c"),
        item(type="function_call_output", call_id="c", output="ok"),
        item(type="ghost_snapshot", ghost_commit={"id": "1"}),
        event(type="agent_message", message="Hello."),
        message_item("assistant", "Hello."),
    ]
    assert read_all(*rows) == [[TURN[0], ("call shell", "{}"), ("tool", "ok"), TURN[1]]]
    kept = extra_rows(*rows)
    assert [each for each in kept if "payload" in each] == [rows[0], rows[1], rows[5], rows[6]]


@pytest.mark.parametrize(
    "rows",
    [
        [event(type="user_message", message="Hi"), event(type="agent_message", message="Hello.")],
        [
            event(type="item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Hi"}]}),
            event(
                type="item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": "Hello."}]}
            ),
        ],
        [
            event(type="user_message", message="Hi"),
            event(type="item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Hi"}]}),
            event(type="agent_message", message="Hello."),
        ],
    ],
)
def test_events_are_read_if_no_item_has_the_same_text(rows: list[Row]) -> None:
    assert read_all(META, *rows) == [TURN]


def test_an_event_with_the_end_of_an_earlier_text_is_not_a_repetition() -> None:
    rows = [
        META,
        message_item("user", "Is it ok"),
        event(type="turn_aborted"),
        event(type="user_message", message="ok"),
    ]
    assert read_all(*rows) == [[("user", "Is it ok"), ("user", "ok")]]


def test_an_answer_that_is_only_in_the_event_at_the_end_of_its_turn_is_read() -> None:
    end = event(type="task_complete", last_agent_message="Hello.")
    assert read_all(META, message_item("user", "Hi"), end) == [TURN]
    assert read_all(
        META, message_item("user", "Hi"), message_item("assistant", "Hello."), event(type="token_count"), end
    ) == [TURN]
    repeated_answer = [event(type="agent_message", message="Hello."), message_item("assistant", "Hello."), end]
    assert read_all(META, message_item("user", "Hi"), *repeated_answer) == [TURN]
    assert read_all(META, event(type="user_message", message="Hi"), repeated_answer[0], end) == [TURN]


def test_an_event_next_to_its_item_is_a_repetition_even_with_another_text() -> None:
    """Tools that redact sessions mark texts of items and of events in their own ways."""
    rows = [
        META,
        message_item("user", "[TEXT 12]"),
        event(type="user_message", message="[MESSAGE 12]"),
        message_item("assistant", "Hello."),
    ]
    assert read_all(*rows) == [[("user", "[TEXT 12]"), TURN[1]]]


def test_other_members_of_an_event_are_extra_rows() -> None:
    more = {"local_images": ["a.png"], "text": "Hm?"}
    counted = event(type="token_count", info={"n": 1})
    rows = [META, event(type="user_message", message="Hi", images=[], **more), counted]
    assert read_all(*rows) == [[("user", "Hi")]]
    assert extra_rows(*rows) == [META, event(type="user_message", images=[], **more), counted]
    item: Row = {"type": "AgentMessage", "id": "i", "content": [{"type": "Text", "text": "Hello."}]}
    assert extra_rows(META, event(type="item_completed", item=item))[1]["payload"]["item"] == {
        "type": "AgentMessage",
        "id": "i",
    }
    item["content"].append({"type": "Link", "url": "u"})
    assert extra_rows(META, event(type="item_completed", item=item))[1]["payload"]["item"] == item


def test_images_of_an_event_are_images() -> None:
    [found] = conversations(
        {"session": [META, event(type="user_message", message="Hi", images=["data:image/png,x"])]}, PREVIEW
    )
    assert [type(part).__name__ for part in found.messages[0].content or ()] == ["Text", "Media"]


def test_an_event_that_repeats_no_item_is_read() -> None:
    """In a turn that was interrupted, nothing became an item; what the user asked again is not a repetition."""
    rows = [
        META,
        event(type="user_message", message="Hi"),
        message_item("user", "<context>\n\nHi\n"),
        event(type="agent_message", message="Hello."),
        message_item("assistant", "Hello."),
        event(type="user_message", message="Hi"),
        event(type="agent_message", message="I look.", phase="commentary"),
    ]
    [found] = conversations({"session": rows}, PREVIEW)
    again: list[Pair] = [("user", "Hi"), ("assistant", "I look.")]
    assert as_pairs(found.messages) == [("user", "<context>\n\nHi\n"), TURN[1], *again]
    assert found.messages[-1].channel == "commentary"


def test_a_thought_in_an_event_is_read() -> None:
    rows = [META, event(type="user_message", message="Hi"), event(type="agent_reasoning", text="Hm.")]
    assert read_all(*rows) == [[("user", "Hi"), ("thought", "Hm.")]]


def test_items_of_the_first_versions_without_an_envelope_are_read() -> None:
    head = {"id": "s", "timestamp": "2025-05-01T00:00:00Z", "instructions": None, "git": {"branch": "main"}}
    rows = [
        head,
        {"record_type": "state"},
        message_item("user", "Hi")["payload"],
        message_item("assistant", "Hello.")["payload"],
    ]
    assert read_all(*rows) == [TURN]
    assert extra_rows(*rows) == rows[:2]


def test_rows_with_instructions_are_not_a_session() -> None:
    rows = [{"id": "1", "timestamp": "2025-05-01", "instructions": "Why?", "output": "Because."}] * 2
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(PREVIEW, {"session": rows})


def test_phases_are_channels() -> None:
    commentary = message_item("assistant", "I look.")
    commentary["payload"]["phase"] = "commentary"
    [found] = conversations({"session": [META, message_item("user", "Hi"), commentary]}, PREVIEW)
    assert found.messages[-1].channel == "commentary"


@pytest.mark.parametrize(
    "changed",
    [
        {"timestamp": "t", "type": "compacted", "payload": {"message": "", "replacement_history": []}},
        event(type="thread_rolled_back", num_turns=1),
    ],
)
def test_a_change_of_the_history_is_a_finding(changed: Row) -> None:
    rows = [META, message_item("user", "Hi"), changed, message_item("assistant", "Hello.")]
    assert read_all(*rows) == [TURN]
    assert findings(*rows) == [("/session/2", "shape")]
    assert changed in extra_rows(*rows)


# --- as previews ------------------------------------------------------------------------------------------------------

SESSIONS = {
    "claude-code": [
        {"type": "summary", "summary": "x"},
        user("u", None, "Hi"),
        assistant("a", "u", "m", text("Hello.")),
    ],
    "codex": [META, message_item("user", "Hi"), message_item("assistant", "Hello.")],
    "pi": [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026", "cwd": "/a"},
        {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "Hi"}},
    ],
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_is_read_only_if_previews_are_asked_for(name: str) -> None:
    session = {"session": SESSIONS[name]}
    assert read_row(PREVIEW, session).layout.name == name
    assert read_row(plan_of({"layout": name, "preview": True}), session).layout.preview
    with pytest.raises(BridgeError, match="add --preview to read it"):
        read_row(Plan((AUTO,)), session)
    with pytest.raises(BridgeError, match=r"OCB-OPTION.*preview: true"):
        plan_of(name)
    with pytest.raises(BridgeError, match="must be true or false"):
        plan_of({"layout": name, "preview": "yes"})


def test_the_previews_are_the_layouts_of_sessions_and_are_not_written() -> None:
    assert {each.name for each in PREVIEWS if "session" in each.columns} == SESSIONS.keys()
    assert all(each.preview and each.writes is None for each in PREVIEWS)
