"""Chats as apps export or store them; the rows follow the apps' own code and public readers of these files.

* Open WebUI: `openwebui-export.json` in LibreChat (`api/server/utils/import/__data__`), and
  `backend/open_webui/utils/middleware.py` for what is folded in texts.
* Qwen: its export, whose `data` are such chats; `content_list` as public readers of it show.
* LobeChat: `reasoning` of its messages, an object with `content`.
* LibreChat: `librechat-tree.json` and `librechat-export.json` there, and `TMessageContentParts` in its data provider.
* LM Studio: the reader of lm-studio-conversation-converter (YorkieDev), and files of LM Studio 0.3.
* Google AI Studio: the readers of aistudioMD and chat2html.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

ASKED: Pair = ("user", "Rome?")
ANSWERED: Pair = ("assistant", "20 degrees.")
CALLED: list[Pair] = [("call weather", '{"city":"Rome"}'), ("tool", "20")]


# --- Open WebUI -------------------------------------------------------------------------------------------------------


def webui(*nodes: dict[str, Any], current: str, **more: Any) -> dict[str, Any]:
    history = {"currentId": current, "messages": {node["id"]: node for node in nodes}}
    chat = {"title": "Weather", "models": ["m"], "history": history, **more}
    return {"id": "c1", "user_id": "u1", "title": "Weather", "chat": chat, "archived": False, "meta": {}}


def node(name: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "parentId": parent, "childrenIds": [], "role": role, "content": content, **more}


CITY = html.escape(json.dumps({"city": "Rome"}))
FOLDED_CALL = (
    f'<details type="tool_calls" done="true" id="call_1" name="weather" arguments="{CITY}" '
    f'result="{html.escape(json.dumps("20"))}" files="">\n<summary>Tool Executed</summary>\n</details>\n'
)
FOLDED_THOUGHT = (
    '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n'
    "&gt; Is it 1 &lt; 2?\n&gt; Yes.\n</details>\n"
)
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "r1", "status": "completed", "content": [{"type": "output_text", "text": "Hm."}]},
    {"type": "function_call", "id": "call_1", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Rome"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": [{"type": "input_text", "text": "20"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "20 degrees."}]},
]
IMAGE = {"type": "image", "url": "data:image/png;base64,AAAA", "name": "a.png"}
USER = node("a", None, "user", "Rome?", timestamp=1700000000)
PHASES = [
    {"phase": "web_search", "content": "", "extra": {"query": "Rome"}},
    {"phase": "think", "content": "Hm.", "status": "finished"},
    {"phase": "answer", "content": "20 degrees.", "status": "finished"},
]
PLAIN = webui(USER, node("b", "a", "assistant", "20 degrees.", model="m", done=True), current="b")

# --- LibreChat --------------------------------------------------------------------------------------------------------


def libre(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    around = {"conversationId": "c1", "endpoint": "openAI", "title": "Weather", "exportAt": "13:18:04 GMT-0400"}
    return {
        **around,
        "branches": True,
        "recursive": True,
        "options": {"model": "m"},
        "messages": list(messages),
        **more,
    }


def libre_message(name: str, text: str, *children: dict[str, Any], user: bool = False, **more: Any) -> dict[str, Any]:
    around = {"messageId": name, "parentMessageId": "0", "sender": "User" if user else "GPT-4", "isCreatedByUser": user}
    return {**around, "text": text, "children": list(children), **more}


PARTS: list[dict[str, Any]] = [
    {"type": "think", "think": "Hm."},
    {
        "type": "tool_call",
        "tool_call": {"id": "t", "name": "weather", "args": '{"city":"Rome"}', "output": "20", "progress": 1},
    },
    {"type": "text", "text": {"value": "20 degrees.", "annotations": []}},
]

# --- Grok -------------------------------------------------------------------------------------------------------------


def grok_response(name: str, parent: str | None, sender: str, message: str, **more: Any) -> dict[str, Any]:
    return {"response": {"_id": name, "parent_response_id": parent, "sender": sender, "message": message, **more}}


def test_each_chat_of_grok_is_a_conversation() -> None:
    """`prod-grok-backend.json` of an account's export."""
    first = [
        grok_response("a", None, "human", "Rome?"),
        grok_response("b", "a", "ASSISTANT", "20 degrees.", model="grok-4", thinking_trace="Hm."),
    ]
    other = [grok_response("c", None, "human", "Oslo?")]
    chats = [
        {"conversation": {"id": name}, "responses": each} for name, each in (("1", first), ("2", other), ("3", []))
    ]
    row = {"conversations": chats, "projects": [], "tasks": []}
    found = read_row(Plan((AUTO,)), row)
    assert found.layout.name == "grok-export"
    pairs = [as_pairs(each.messages) for each in conversations(row)]
    assert pairs == [[ASKED, ("thought", "Hm."), ANSWERED], [("user", "Oslo?")]]
    assert [each.extra_columns["conversation"] for each in found.documents] == [{"id": "1"}, {"id": "2"}]


def test_each_branch_of_a_chat_of_grok_is_a_conversation() -> None:
    responses = [
        grok_response("a", None, "human", "Rome?"),
        grok_response("b", "a", "assistant", "20 degrees."),
        grok_response("c", "a", "assistant", "Warm."),
    ]
    row = {"conversations": [{"conversation": {"id": "1"}, "responses": responses}]}
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [ASKED, ANSWERED],
        [ASKED, ("assistant", "Warm.")],
    ]


# --- VS Code ----------------------------------------------------------------------------------------------------------


def test_a_chat_of_vs_code_has_the_questions_and_the_pieces_of_each_response() -> None:
    """What "Chat: Export Chat…" writes; files that a response refers to have their names in its text."""
    file: dict[str, Any] = {"kind": "inlineReference", "inlineReference": {"scheme": "file", "path": "/w/rome.md"}}
    tool = {"kind": "toolInvocationSerialized", "toolId": "copilot_readFile", "toolCallId": "t"}
    response = [{"kind": "thinking", "value": "Hm."}, tool, {"value": "20 degrees, says "}, file, {"value": "."}]
    asked: dict[str, Any] = {"requestId": "r", "message": {"text": "Rome?", "parts": []}, "response": response}
    row = {"responderUsername": "GitHub Copilot", "requests": [asked]}
    found = read_row(Plan((AUTO,)), row)
    assert found.layout.name == "vscode-chat"
    [conversation] = conversations(row)
    expected = [ASKED, ("thought", "Hm."), ("assistant", "20 degrees, says `rome.md`.")]
    assert as_pairs(conversation.messages) == expected
    assert found.documents[0].extra_columns["nodes"] == [{"requestId": "r", "response": [tool, file]}]


# --- LM Studio --------------------------------------------------------------------------------------------------------


def studio(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "name": "Weather",
        "createdAt": 1724000000000,
        "tokenCount": 9,
        "systemPrompt": "",
        "messages": list(messages),
        **more,
    }


def one(version: dict[str, Any], *others: dict[str, Any]) -> dict[str, Any]:
    return {"versions": [*others, version], "currentlySelected": len(others)}


def text(words: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": words}]


def block(content: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {
        "type": "contentBlock",
        "stepIdentifier": "s",
        "content": content,
        "defaultShouldIncludeInContext": True,
        **more,
    }


def steps(*found: dict[str, Any]) -> dict[str, Any]:
    return {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "m"}, "steps": list(found)}


ASKS = {"type": "singleStep", "role": "user", "content": text("Rome?")}
ANSWERS = steps(block(text("20 degrees."), genInfo={"stats": {"stopReason": "eosFound"}}))
REQUESTED = {
    "type": "toolCallRequest",
    "callId": 7,
    "toolCallRequestId": "t",
    "name": "weather",
    "parameters": {"city": "Rome"},
}
RESULTED = {"type": "toolCallResult", "callId": 7, "toolCallRequestId": "t", "content": "20"}
CALLS = steps(
    block(text("Hm."), style={"type": "thinking", "ended": True}, prefix="<think>", suffix="</think>"),
    block([REQUESTED]),
    {"type": "toolStatus", "callId": 7, "statusState": {"status": {"type": "toolCallSucceeded"}}},
    block([RESULTED], roleOverride="tool"),
    block(text("20 degrees.")),
)
SYSTEM_FIELD = {"fields": [{"key": "llm.prediction.systemPrompt", "value": "Be kind."}]}

# --- Google AI Studio -------------------------------------------------------------------------------------------------


def prompt(*chunks: dict[str, Any], **more: Any) -> dict[str, Any]:
    chunked = {"chunks": list(chunks), "pendingInputs": [{"text": "And so", "role": "user"}]}
    return {
        "runSettings": {"model": "models/m", "temperature": 1.0},
        "systemInstruction": {},
        "chunkedPrompt": chunked,
        **more,
    }


THOUGHT = {
    "text": "Hm.",
    "role": "model",
    "isThought": True,
    "tokenCount": 3,
    "parts": [{"text": "Hm.", "thought": True}, {"text": "", "thought": True}],
}
ANSWER = {"text": "20 degrees.", "role": "model", "finishReason": "STOP", "tokenCount": 4}

# --- ChatGPT and Claude -----------------------------------------------------------------------------------------------


def gpt(parent: str | None, role: str, content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"message": {"author": {"role": role, "metadata": {}}, "content": content, **more}, "parent": parent}


GPT: dict[str, Any] = {
    "title": "Weather",
    "current_node": "e",
    "mapping": {
        "a": gpt(None, "user", {"content_type": "text", "parts": ["Rome?"]}, create_time=1.5),
        "b": gpt(
            "a", "assistant", {"content_type": "thoughts", "thoughts": [{"content": "Hm.", "summary": "Looking"}]}
        ),
        "c": gpt("b", "assistant", {"content_type": "reasoning_recap", "content": "Thought for 3 s"}),
        "d": gpt("c", "assistant", {"content_type": "code", "language": "py", "text": "20"}, recipient="python"),
        "e": gpt("d", "assistant", {"content_type": "text", "parts": ["20 degrees."]}, recipient="all", weight=1.0),
    },
}
CLAUDE: dict[str, Any] = {
    "uuid": "u1",
    "name": "Weather",
    "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "Rome?", "content": [{"type": "text", "text": "Rome?"}]},
        {
            "uuid": "m2",
            "sender": "assistant",
            "text": "20 degrees. This block is not supported.",
            "content": [
                {"type": "text", "text": "20 degrees.", "citations": [{"url": "https://rome.example"}]},
                {"type": "thinking", "thinking": "Hm.", "summaries": [{"summary": "Looking"}]},
                {"type": "token_budget", "budget": "low"},
            ],
        },
    ],
}

ROWS: list[tuple[str, dict[str, Any], list[list[Pair]]]] = [
    ("chatgpt-export", GPT, [[ASKED, ("thought", "Hm."), ("call python", "20"), ANSWERED]]),
    # a thought after the answer stays after it
    ("claude-export", CLAUDE, [[ASKED, ANSWERED, ("thought", "Hm.")]]),
    # text-generation-webui (AGPL-3.0), modules/chat.py: the first pair is the greeting; the user sees HTML
    (
        "text-generation-webui",
        {
            "internal": [["<|BEGIN-VISIBLE-CHAT|>", "Hello."], [ASKED[1], ANSWERED[1]]],
            "visible": [["", "Hello."], [ASKED[1], f"<b>{ANSWERED[1]}</b>"]],
            "metadata": {"user_1": {"timestamp": "May 1"}},
        },
        [[("assistant", "Hello."), ASKED, ANSWERED]],
    ),
    ("open-webui", PLAIN, [[ASKED, ANSWERED]]),
    # a system prompt; earlier versions had it in another place
    ("open-webui", webui(USER, current="a", params={"system": "Be kind."}), [[("system", "Be kind."), ASKED]]),
    ("open-webui", webui(USER, current="a", system="Be kind."), [[("system", "Be kind."), ASKED]]),
    # the current branch comes first
    (
        "open-webui",
        webui(USER, node("b", "a", "assistant", "No."), node("c", "a", "assistant", "20 degrees."), current="c"),
        [[ASKED, ANSWERED], [ASKED, ("assistant", "No.")]],
    ),
    # the output of the model as items
    (
        "open-webui",
        webui(USER, node("b", "a", "assistant", f"{FOLDED_THOUGHT}20 degrees.", output=OUTPUT), current="b"),
        [[ASKED, ("thought", "Hm."), *CALLED, ANSWERED]],
    ),
    # thought and call folded in its text, if there are no items
    (
        "open-webui",
        webui(USER, node("b", "a", "assistant", f"{FOLDED_THOUGHT}{FOLDED_CALL}20 degrees."), current="b"),
        [[ASKED, ("thought", "Is it 1 < 2?\nYes."), *CALLED, ANSWERED]],
    ),
    # an answer of Qwen, in its phases
    (
        "open-webui",
        webui(USER, node("b", "a", "assistant", "", reasoning_content="", content_list=PHASES), current="b"),
        [[ASKED, ("thought", "Hm."), ANSWERED]],
    ),
    # the same answer if the content repeats it
    (
        "open-webui",
        webui(
            USER,
            node("b", "a", "assistant", "20 degrees.", reasoning_content="Hm.", content_list=PHASES),
            current="b",
        ),
        [[ASKED, ("thought", "Hm."), ANSWERED]],
    ),
    # messages without a history
    ("open-webui", {"chat": {"messages": [USER, node("b", "a", "assistant", "20 degrees.")]}}, [[ASKED, ANSWERED]]),
    (
        "librechat",
        libre(libre_message("a", "Rome?", libre_message("b", "20 degrees.", model="m"), user=True)),
        [[ASKED, ANSWERED]],
    ),
    (
        "librechat",
        libre(libre_message("a", "Rome?", libre_message("b", "No."), libre_message("c", "20 degrees."), user=True)),
        [[ASKED, ("assistant", "No.")], [ASKED, ANSWERED]],
    ),
    (
        "librechat",
        libre(
            libre_message("a", "Rome?", libre_message("b", "", content=PARTS), user=True),
            options={"promptPrefix": "Be kind."},
        ),
        [[("system", "Be kind."), ASKED, ("thought", "Hm."), *CALLED, ANSWERED]],
    ),
    # the messages of an export that is not recursive name those before them
    (
        "librechat",
        libre(
            {**libre_message("a", "Rome?", user=True), "parentMessageId": "00000000-0000-0000-0000-000000000000"},
            {**libre_message("b", "20 degrees."), "parentMessageId": "a"},
            recursive=False,
        ),
        [[ASKED, ANSWERED]],
    ),
    ("lm-studio", studio(one(ASKS), one(ANSWERS)), [[ASKED, ANSWERED]]),
    ("lm-studio", studio(one(ASKS), one(CALLS)), [[ASKED, ("thought", "Hm."), *CALLED, ANSWERED]]),
    # an answer that was made again
    (
        "lm-studio",
        studio(one(ASKS), one(ANSWERS, steps(block(text("No."))))),
        [[ASKED, ANSWERED], [ASKED, ("assistant", "No.")]],
    ),
    ("lm-studio", studio(one(ASKS), systemPrompt="Be kind."), [[("system", "Be kind."), ASKED]]),
    ("lm-studio", studio(one(ASKS), perChatPredictionConfig=SYSTEM_FIELD), [[("system", "Be kind."), ASKED]]),
    (
        "ai-studio",
        prompt({"text": "Rome?", "role": "user", "tokenCount": 2}, THOUGHT, ANSWER),
        [[ASKED, ("thought", "Hm."), ANSWERED]],
    ),
    (
        "ai-studio",
        prompt({"text": "Rome?", "role": "user"}, systemInstruction={"text": "Be kind."}),
        [[("system", "Be kind."), ASKED]],
    ),
    (
        "ai-studio",
        prompt({"text": "Rome?", "role": "user"}, systemInstruction={"parts": [{"text": "Be kind."}]}),
        [[("system", "Be kind."), ASKED]],
    ),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(ROWS)])
def test_an_exported_chat_is_its_conversations(name: str, row: dict[str, Any], expected: list[list[Pair]]) -> None:
    assert read_row(Plan((AUTO,)), row).layout.name == name
    assert [as_pairs(each.messages) for each in conversations(row)] == expected


STRUCTURE = frozenset(
    {"thinking", "thoughts", "code", "human", "e"}
    | {"text", "think", "tool_call", "singleStep", "multiStep", "contentBlock", "toolCallRequest", "toolCallResult"}
    | {"message", "function_call", "function_call_output", "input_text", "output_text"}
)
"""Names of kinds of pieces: the kinds are represented by the canonical messages, not by these words."""


def words(value: Any) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        members = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
        for each in members:
            yield from words(each)
    elif isinstance(value, str) and value not in STRUCTURE:
        yield value


@pytest.mark.parametrize("row", [row for _, row, _ in ROWS], ids=[f"{name}-{at}" for at, (name, *_) in enumerate(ROWS)])
def test_every_word_of_an_export_is_in_its_conversations_or_in_extra_columns(row: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,)), row)
    kept = [*words([found.extra_columns, [[each.value, each.extra_columns] for each in found.documents]])]
    everything = "\n".join(kept).replace('\\"', '"')
    links = {
        "<|BEGIN-VISIBLE-CHAT|>",
        "a",
        "b",
        "c",
        "currentId",
        "user",
        "assistant",
        "model",
        "all",
        "think",
        "answer",
    }
    assert [each for each in words(row) if each not in links and each not in everything] == []


def test_media_of_a_chat_are_parts_of_its_messages() -> None:
    shown = [
        webui({**USER, "files": [IMAGE]}, current="a"),
        libre(
            libre_message(
                "a", "Rome?", user=True, files=[{"type": "image/png", "filepath": "/images/a.png", "width": 1}]
            )
        ),
        studio(
            one({**ASKS, "content": [{"type": "file", "fileIdentifier": "1.png", "fileType": "image"}, *text("Rome?")]})
        ),
        prompt({"driveImage": {"id": "1"}, "role": "user"}, {"text": "Rome?", "role": "user"}),
    ]
    for row in shown:
        [conversation] = conversations(row)
        [media, words] = conversation.messages[0].content
        assert (getattr(media, "type", None), getattr(words, "text", None)) == ("media", "Rome?")


def test_other_members_of_messages_are_extra_columns() -> None:
    [document] = read_row(Plan((AUTO,)), PLAIN).documents
    assert document.extra_columns == {
        "nodes": [{"id": "a", "timestamp": 1700000000}, {"id": "b", "model": "m", "done": True}],
        "chat": {"title": "Weather", "models": ["m"]},
    }
    [document] = read_row(Plan((AUTO,)), ROWS[-3][1]).documents
    assert document.extra_columns["chunkedPrompt"] == {"pendingInputs": [{"text": "And so", "role": "user"}]}
    assert document.extra_columns["nodes"] == [
        {"tokenCount": 2},
        {"tokenCount": 3},
        {"finishReason": "STOP", "tokenCount": 4},
    ]


def test_a_text_with_something_else_folded_in_it_is_one_text() -> None:
    code = '<details type="code_interpreter" done="true">\n<summary>Analyzed</summary>\n```python\n1\n```\n</details>\n'
    for content in (f"{FOLDED_THOUGHT}{code}1.", f"{FOLDED_THOUGHT}<details>\n<summary>More</summary>\n1", "<details>"):
        row = webui(USER, node("b", "a", "assistant", content), current="b")
        [conversation] = conversations(row)
        assert as_pairs(conversation.messages) == [ASKED, ("assistant", content)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (webui(node("a", "b", "user", "Rome?"), node("b", "a", "assistant", "20"), current="b"), "a node of a tree"),
        (webui(node("a", None, "user", ""), current="a"), "a tree with a message at least"),
        (libre(libre_message("a", "Rome?", {"text": "No."}, user=True)), "true for what a person wrote"),
        (studio({"versions": [ASKS, 3]}), "a version of a message"),
        (prompt({"errorMessage": "An internal error has occurred.", "role": "model"}), "a chunk with a text at least"),
    ],
)
def test_the_error_for_an_invalid_chat_has_the_reason(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(BridgeError, match="OCB-SHAPE") as caught:
        read_row(Plan((AUTO,)), row)
    assert reason in str(caught.value)


# --- MOSS -------------------------------------------------------------------------------------------------------------


def turn(human: str, moss: str, thought: str = "None", commands: str = "None", results: str = "None") -> dict[str, Any]:
    """A turn as moss-003-sft-data has it."""
    return {
        "Human": f"<|Human|>: {human}<eoh>\n",
        "Inner Thoughts": f"<|Inner Thoughts|>: {thought}<eot>\n",
        "Commands": f"<|Commands|>: {commands}<eoc>\n",
        "Tool Responses": f"<|Results|>: {results}<eor>\n",
        "MOSS": f"<|MOSS|>: {moss}<eom>\n",
    }


def moss(*turns: dict[str, Any]) -> dict[str, Any]:
    chat = {f"turn_{at}": each for at, each in reversed(list(enumerate(turns, 1)))}
    return {"conversation_id": "1", "meta_instruction": "Be kind.", "num_turns": len(turns), "chat": chat}


SYSTEM: Pair = ("system", "Be kind.")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            moss(turn("Hi", "Hello"), turn("Rome?", "20 degrees.")),
            [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
        ),
        (
            moss(turn("Rome?", "20 degrees.", "Hm.", 'Search("Rome")', 'Search("Rome") =>\n<|1|>: 20')),
            [ASKED, ("thought", "Hm."), ("call Search", '"Rome"'), ("tool", 'Search("Rome") =>\n<|1|>: 20'), ANSWERED],
        ),
        (
            moss(turn("Rome?", "20 degrees.", "None", 'A("1"), B(x=2)', 'A("1") =>\n1\nB(x=2) =>\n2')),
            [
                ASKED,
                ("call A", '"1"'),
                ("call B", "x=2"),
                ("tool", 'A("1") =>\n1'),
                ("tool", "B(x=2) =>\n2"),
                ANSWERED,
            ],
        ),
        # commands that are no calls
        (
            moss(turn("Rome?", "20 degrees.", "None", "look it up", "20")),
            [ASKED, ("call Commands", "look it up"), ("tool", "20"), ANSWERED],
        ),
    ],
)
def test_a_turn_of_moss_has_a_thought_a_call_and_an_answer(row: dict[str, Any], expected: list[Pair]) -> None:
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, [*found.extra_columns]) == ("moss", ["conversation_id", "num_turns"])
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [SYSTEM, *expected]


def test_earlier_data_of_moss_is_read_from_one_text() -> None:
    row = {"id": 1, "plain_text": "[Human]: Rome?<eoh> [MOSS]: 20 degrees.<eoa> ", "num_turns": 1, "prefix": "Be kind."}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [SYSTEM, ASKED, ANSWERED]


NULLS: dict[str, tuple[dict[str, Any], str]] = {
    "Open WebUI's output": (
        webui(
            USER,
            node("b", "a", "assistant", "", output=[*OUTPUT[1:2], {**OUTPUT[2], "output": None}, OUTPUT[3]]),
            current="b",
        ),
        "/chat/history/messages/b/output/1/output",
    ),
    "Open WebUI's text": (
        webui(
            USER,
            node("b", "a", "assistant", FOLDED_CALL.replace(html.escape('"20"'), "null") + "20 degrees."),
            current="b",
        ),
        "/chat/history/messages/b/content",
    ),
    "LM Studio's steps": (
        studio(
            one(ASKS),
            one(steps(block([REQUESTED]), block([{**RESULTED, "content": None}]), block(text("20 degrees.")))),
        ),
        "/messages/1/versions/0/steps/1/content/0/content",
    ),
}


@pytest.mark.parametrize("name", NULLS)
def test_a_result_that_is_null_is_read_as_an_empty_text(name: str) -> None:
    row, path = NULLS[name]
    (document,) = read_row(Plan((AUTO,)), row).documents
    assert [(each.code, each.path) for each in document.findings] == [("shape", path)]
    (found,) = conversations(row)
    assert as_pairs(found.messages) == [ASKED, CALLED[0], ("tool", ""), ANSWERED]


def test_a_call_of_open_webui_without_an_answer_has_no_reply() -> None:
    second = FOLDED_CALL.replace("call_1", "call_2")
    waiting = second.replace(f'result="{html.escape(json.dumps("20"))}" ', "").replace('done="true"', 'done="false"')
    (found,) = conversations(webui(USER, node("b", "a", "assistant", waiting + FOLDED_CALL), current="b"))
    assert as_pairs(found.messages) == [ASKED, CALLED[0], *CALLED]
    assert [each.call_id for each in found.messages] == [None, "call_2", "call_1", "call_1"]


def test_phases_of_qwen_without_text_are_extra_columns() -> None:
    row = webui(USER, node("b", "a", "assistant", "", content_list=PHASES), current="b")
    (document,) = read_row(Plan((AUTO,)), row).documents
    beside = cast("list[Any]", document.extra_columns["nodes"])
    assert beside[1]["content_list"] == [PHASES[0], {"status": "finished"}, {"status": "finished"}]


def test_a_thought_of_lobechat_is_an_object() -> None:
    thought = {"content": "Hm.", "duration": 3}
    answer = {"role": "assistant", "content": "20 degrees.", "reasoning": thought}
    row = {"messages": [{"role": "user", "content": "Rome?"}, answer]}
    (found,) = conversations(row)
    assert as_pairs(found.messages) == [ASKED, ("thought", "Hm."), ANSWERED]
    assert "'reasoning_duration': 3" in repr(found)


GROK_QUESTION: dict[str, Any] = {"response": {"message": "Rome?", "sender": "human", "_id": "a"}}
DRAWN: dict[str, Any] = {"response": {"message": "", "sender": "ASSISTANT", "_id": "b", "images": ["KEPT"]}}


MORE: list[dict[str, Any]] = [
    {"conversations": [{"conversation": {}, "responses": [GROK_QUESTION, DRAWN]}]},
    {"conversations": [{"conversation": {}, "responses": [{**GROK_QUESTION, "share_link": "KEPT"}]}]},
    {"conversations": [{"conversation": {}, "responses": [GROK_QUESTION], "more": "KEPT"}]},
    {
        "conversations": [
            {"conversation": {}, "responses": [GROK_QUESTION]},
            {"conversation": {"title": "KEPT"}, "responses": []},
        ]
    },
    {"requests": [{"message": {"text": "Rome?", "parts": ["KEPT"]}, "response": [{"value": "20"}]}]},
    {"requests": [{"message": {"text": "Rome?"}, "response": [{"value": "20"}, "KEPT"]}]},
]


@pytest.mark.parametrize("row", MORE)
def test_other_members_of_exports_of_grok_and_vs_code_are_extra_columns(row: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,)), row)
    assert "KEPT" in repr([found.extra_columns, *(document.extra_columns for document in found.documents)])
