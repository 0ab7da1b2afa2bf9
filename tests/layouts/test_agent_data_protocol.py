"""Trajectories of the Agent Data Protocol.

* agentpile 0.3.1 (Apache-2.0), tests/corpora/fixtures/adp
* neulab/agent-data-protocol, datasets/agenttuning_os/sample_std.json, texts shortened, commit
  0bcc7168590fc3ffebf04f8e17bb764f4db8d178
"""

from __future__ import annotations

from typing import Any

from ocml_bridge.layouts import AUTO, Plan, read_row
from ocml_bridge.model import Media
from rows import as_pairs, conversations


def text(content: str, source: str, **members: Any) -> dict[str, Any]:
    return {**members, "class_": "text_observation", "content": content, "name": None, "source": source}


CODE = {
    "tool_call_id": "call_1",
    "class_": "code_action",
    "language": "bash",
    "content": "ls /etc",
    "description": "I need to print all the files.",
    "reasoning_content": "Hm.",
}
CALL = {"class_": "api_action", "function": "goto", "kwargs": {"url": "http://a.example"}, "description": None}
PAGE: dict[str, Any] = {
    "class_": "web_observation",
    "html": "<html/>",
    "axtree": "RootWebArea 'A'",
    "url": "http://a.example",
    "image_observation": None,
    "viewport_size": None,
}
SAYS = {"class_": "message_action", "content": "<finish> 220 </finish>", "description": "Now I get the answer."}
ROW: dict[str, Any] = {
    "schema_version": "1.3.1",
    "id": "os_42",
    "content": [text("How many?", "user"), CODE, text("220", "environment", tool_call_id="call_1"), CALL, PAGE, SAYS],
    "details": {},
}


def test_a_trajectory_is_a_conversation() -> None:
    found = read_row(Plan((AUTO,)), ROW)
    assert found.layout.name == "agent-data-protocol"
    assert found.extra_columns == {"schema_version": "1.3.1", "id": "os_42", "details": {}}
    [conversation] = conversations(ROW)
    assert as_pairs(conversation.messages) == [
        ("user", "How many?"),
        ("thought", "Hm."),
        ("assistant", "I need to print all the files."),
        ("call bash", "ls /etc"),
        ("tool", "220"),
        ("call goto", '{"url":"http://a.example"}'),
        ("tool", "RootWebArea 'A'"),
        ("assistant", "Now I get the answer."),
        ("assistant", "<finish> 220 </finish>"),
    ]
    assert [each.call_id for each in conversation.messages[3:5]] == ["call_1", "call_1"]


def test_what_is_left_of_a_page_stays_beside() -> None:
    [document] = read_row(Plan((AUTO,)), ROW).documents
    assert document.extra_columns == {
        "nodes": [{"class_": "web_observation", "html": "<html/>", "url": "http://a.example"}]
    }


def test_an_image_is_of_who_shows_it() -> None:
    image = {"class_": "image_observation", "content": "0/screenshot_0.png", "annotations": None, "source": "user"}
    [conversation] = conversations({"id": "0", "content": [text("Open it.", "user"), image, CALL]})
    assert conversation.messages[1].content == (Media("image", url="0/screenshot_0.png"),)
    assert conversation.messages[1].role == "user"
