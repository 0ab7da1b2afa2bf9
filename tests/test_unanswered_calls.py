"""`check` finds calls that have no reply although the conversation goes on, which the APIs refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Run
from ocml_bridge import Completion, Message, Transcript
from ocml_bridge.checks.replies import check_replies

pytest_plugins = ("cli.conftest",)

ASKED = Message("user", "Is it warm?")
ANSWER = Message("assistant", "Yes.", channel="final")
THANKS = Message("user", "Thanks.")


def call(call_id: str | None = None, name: str = "functions.f", *, continues: bool = False) -> Message:
    made = Message("assistant", "{}", channel="commentary", recipient=name, call_id=call_id, continues=continues)
    made.end = "call"
    return made


def reply(call_id: str | None = None, name: str | None = None) -> Message:
    return Message("tool", "20", name, call_id=call_id)


def found(*messages: Message) -> list[int]:
    findings = check_replies(Transcript(messages))
    assert {finding.code for finding in findings} <= {"call-unanswered"}
    return [int(finding.path.removeprefix("/messages/")) for finding in findings]


@pytest.mark.parametrize(
    ("messages", "unanswered"),
    [
        ((ASKED, call("a"), THANKS), [1]),
        ((ASKED, call("a"), ANSWER), [1]),
        ((ASKED, call("a"), call("b", continues=True), reply("b"), ANSWER), [1]),
        ((ASKED, call("a"), call("b", continues=True), THANKS), [1, 2]),
        ((ASKED, call("a"), call("b"), reply("b")), [1]),
        ((ASKED, call("a"), THANKS, call("b")), [1]),
    ],
)
def test_an_unanswered_call_is_reported(messages: tuple[Message, ...], unanswered: list[int]) -> None:
    assert found(*messages) == unanswered


@pytest.mark.parametrize(
    "messages",
    [
        (ASKED, ANSWER, THANKS),
        (ASKED, call("a"), reply("a"), ANSWER),
        (ASKED, call(), reply(), ANSWER),
        (ASKED, call("a"), call("b", continues=True), reply("b"), reply("a"), ANSWER),
        (ASKED, call("a"), reply("other"), ANSWER),  # the only reply to the only call
    ],
)
def test_answered_calls_are_not_reported(messages: tuple[Message, ...]) -> None:
    assert found(*messages) == []


def test_calls_that_may_still_be_answered_are_not_reported() -> None:
    assert found(ASKED, call("a")) == []
    assert found(call("a"), call("b", continues=True)) == [], "an answer without its question"
    assert found(ASKED, call("a"), call("b", continues=True), reply("a")) == []
    cut_off = call("a")
    cut_off.end = None
    assert found(ASKED, cut_off, THANKS) == []


def test_calls_of_tools_of_the_server_need_no_reply() -> None:
    assert found(ASKED, call("a", "python"), ANSWER) == []


def test_a_text_to_complete_has_no_calls() -> None:
    assert check_replies(Completion("def f():")) == ()


def test_the_command_names_the_path_and_the_consequence(run: Run, tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    made = '{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}'
    chat.write_text(
        f'{{"messages":[{{"role":"user","content":"Hi"}},{{"role":"assistant","content":null,"tool_calls":[{made}]}},'
        '{"role":"user","content":"Well?"}]}'
    )
    result = run("check", str(chat))
    assert "call-unanswered" in result.out.decode()
    assert "/messages/1" in result.out.decode()
    assert "APIs refuse such a request" in result.out.decode()
    assert run("check", "--strict", str(chat)).status == 3
