"""Rows whose messages form a tree: each path from the root to a leaf is a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWERED,
    ASKED,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Text
from rows import Pair, as_pairs, conversations

ROWS: list[RowCase] = [
    # DeepSeek's export (deepseek-json-to-markdown-converter 0.2.1, `parser.py`)
    (
        "deepseek-export",
        {
            "title": "T",
            "mapping": {
                "root": {"id": "root", "parent": None, "children": ["1"], "message": None},
                "1": {
                    "id": "1",
                    "parent": "root",
                    "children": ["2"],
                    "message": {"model": "m", "fragments": [{"type": "REQUEST", "content": "Why?"}]},
                },
                "2": {
                    "id": "2",
                    "parent": "1",
                    "children": [],
                    "message": {
                        "model": "m",
                        "fragments": [
                            {"type": "SEARCH", "results": [{"url": "https://example.org"}]},
                            {"type": "THINK", "content": "Hm."},
                            {"type": "RESPONSE", "content": "Because."},
                        ],
                    },
                },
            },
        },
        [ASKED, ("thought", "Hm."), ANSWERED],
    ),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def oasst(text: str, role: str, *replies: dict[str, Any]) -> dict[str, Any]:
    return {"message_id": text, "text": text, "role": role, "lang": "en", "replies": list(replies)}


def test_fragments_without_text_are_extra_columns() -> None:
    search = {"type": "SEARCH", "results": 0}
    answer = {"type": "RESPONSE", "content": "Because."}
    row = {"mapping": {"1": {"parent": None, "message": {"fragments": [search, answer], "model": "m"}}}}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"nodes": [{"model": "m", "fragments": [search, {}]}]}


def test_each_path_of_a_tree_is_a_conversation() -> None:
    tree = oasst(
        "Why?", "prompter", oasst("Because.", "assistant", oasst("So?", "prompter")), oasst("No.", "assistant")
    )
    row = {"message_tree_id": "1", "tree_state": "ready", "prompt": tree}
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, found.extra_columns) == ("oasst", {"message_tree_id": "1", "tree_state": "ready"})
    assert [each.path for each in found.documents] == ["/prompt/replies/0/replies/0", "/prompt/replies/1"]
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [ASKED, ANSWERED, ("user", "So?")],
        [ASKED, ("assistant", "No.")],
    ]
    assert found.documents[1].extra_columns == {
        "nodes": [{"message_id": "Why?", "lang": "en"}, {"message_id": "No.", "lang": "en"}]
    }


def node(parent: str | None, children: list[str], role: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"author": {"role": role}, "content": content, **more}
    return {"message": message, "parent": parent, "children": children}


def text(*parts: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


def test_a_chatgpt_export_gives_its_current_branch_first() -> None:
    mapping = {
        "root": {"message": None, "parent": None, "children": ["system"]},
        "system": node("root", ["ask"], "system", text("")),
        "ask": node("system", ["old", "thought"], "user", text("Why?")),
        "old": node("ask", [], "assistant", text("No.")),
        "thought": node("ask", ["call"], "assistant", {"content_type": "thoughts", "thoughts": [{"content": "Hm."}]}),
        "call": node("thought", ["result"], "assistant", {"content_type": "code", "text": "1+1"}, recipient="python"),
        "result": node("call", ["new"], "tool", {"content_type": "execution_output", "text": "2"}),
        "new": node("result", [], "assistant", text("Because."), recipient="all"),
    }
    row = {"title": "T", "mapping": mapping, "current_node": "new"}
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, found.extra_columns) == ("chatgpt-export", {"title": "T"})
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [ASKED, ("thought", "Hm."), ("call python", "1+1"), ("tool", "2"), ANSWERED],
        [ASKED, ("assistant", "No.")],
    ]


def test_texts_thoughts_and_calls_are_read_from_the_blocks_of_a_claude_export() -> None:
    row = {
        "uuid": "1",
        "name": "T",
        "chat_messages": [
            {"uuid": "a", "sender": "human", "text": "Why?", "attachments": [{"extracted_content": "A file."}]},
            {
                "uuid": "b",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "Hm."},
                    {"type": "tool_use", "id": "t", "name": "weather", "input": {"city": "Rome"}},
                    {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "20"}]},
                    {"type": "tool_result", "tool_use_id": "t", "message": "It broke off."},
                    {"type": "text", "text": "Because."},
                ],
            },
        ],
    }
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [
        ("user", "Why?\n\nA file."),
        ("thought", "Hm."),
        ("call weather", '{"city":"Rome"}'),
        ("tool", "20"),
        ("tool", ""),
        ANSWERED,
    ]


def linked(name: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "from": role, "content": text, "ancestors": [] if parent is None else ["r", parent], **more}


def test_answers_that_follow_the_same_message_are_answers_of_different_branches() -> None:
    """Conversations of HuggingChat (`chat-ui`, `src/lib/types/Message.ts`): each message has the ids of its replies."""
    messages = [
        {"id": "r", "from": "system", "content": "Be kind.", "ancestors": [], "children": ["1"]},
        linked("1", "r", "user", "Why?", children=["2", "3"]),
        linked("2", "1", "assistant", "No.", children=[]),
        linked("3", "1", "assistant", "Because.", children=[]),
    ]
    row = {"preprompt": "Be kind.", "rootMessageId": "r", "messages": messages}
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, found.extra_columns) == ("branches", {"rootMessageId": "r"})
    system = ("system", "Be kind.")
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [system, ASKED, ("assistant", "No.")],
        [system, ASKED, ANSWERED],
    ]
    assert found.documents[1].path == "/messages/3"
    nodes: Any = found.documents[1].extra_columns["nodes"]
    assert [each["id"] for each in nodes] == ["r", "1", "3"]


def chained(*names: str) -> list[dict[str, Any]]:
    texts = {"a": ("user", "Why?"), "b": ("assistant", "Because."), "c": ("assistant", "No.")}
    parents = {"a": None, "b": "a", "c": "a"}
    return [{"id": name, "role": texts[name][0], "text": texts[name][1], "parentId": parents[name]} for name in names]


def test_a_question_without_a_link_follows_the_last_answer_before_it() -> None:
    """LobeChat links an answer to its question (`parentId`), and not a question to the answer before it."""
    again = [
        {"id": "d", "role": "user", "text": "So?"},
        {"id": "e", "role": "assistant", "text": "So.", "parentId": "d"},
    ]
    row = {"messages": [*chained("a", "b", "c"), *again]}
    found = read_row(Plan((AUTO,)), row)
    assert found.layout.name == "branches"
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [ASKED, ANSWERED],
        [ASKED, ("assistant", "No."), ("user", "So?"), ("assistant", "So.")],
    ]
    assert [[each.path for each in document.findings] for document in found.documents] == [[], ["/messages/3"]]


AGAIN: list[dict[str, Any]] = [
    {**each, "id": f"2{each['id']}", "parentId": parent}
    for each, parent in zip(chained("a", "b"), (None, "2a"), strict=True)
]


@pytest.mark.parametrize(
    ("messages", "layout", "expected"),
    [
        (chained("a", "b"), "messages", [[ASKED, ANSWERED]]),
        (chained("b", "a"), "branches", [[ASKED, ANSWERED]]),
        (chained("a", "b", "c"), "branches", [[ASKED, ANSWERED], [ASKED, ("assistant", "No.")]]),
        # in a circle
        ([*chained("a"), {**chained("b")[0], "parentId": "c"}, {**chained("c")[0], "parentId": "b"}], "messages", None),
        # an answer names its question only
        (
            [*chained("a", "b"), *AGAIN],
            "messages",
            None,
        ),
    ],
)
def test_messages_are_read_by_their_links_if_these_are_not_their_order(
    messages: list[dict[str, Any]], layout: str, expected: list[list[Pair]] | None
) -> None:
    row = {"messages": messages}
    assert read_row(Plan((AUTO,)), row).layout.name == layout
    if expected is not None:
        assert [as_pairs(each.messages) for each in conversations(row)] == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"content_type": "thoughts", "thoughts": "Hm."}, [("thought", "Hm.")]),
        (text("Look at ", "this."), [("assistant", (Text("Look at "), Text("this.")))]),
    ],
)
def test_texts_of_a_chatgpt_export_are_read_apart(content: dict[str, Any], expected: list[Pair]) -> None:
    row = {"mapping": {"1": node(None, ["2"], "user", text("Why?")), "2": node("1", [], "assistant", content)}}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [ASKED, *expected]


def test_an_unknown_role_is_not_changed() -> None:
    reply: Any = {"role": "Reviewer", "text": "Because.", "message_id": "2", "replies": []}
    prompt: Any = {"role": "prompter", "text": "Why?", "message_id": "1", "replies": [reply]}
    document: Any = read_row(Plan((AUTO,)), {"message_tree_id": "1", "prompt": prompt}).documents[0].value
    assert [each["role"] for each in document["messages"]] == ["user", "Reviewer"]
