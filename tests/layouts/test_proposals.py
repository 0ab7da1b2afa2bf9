"""Plans that are proposed for rows of no layout: a guess, or what to do next."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from layouts.row_pieces import ASK
from ocml_bridge import BridgeError
from ocml_bridge.bulk.survey import propose
from ocml_bridge.layouts import Plan, plan_of, read_row
from rows import as_pairs, conversations

ROW: dict[str, Any] = {"messages": [ASK]}


def proposed(rows: list[dict[str, Any]], tmp_path: Path) -> str:
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return propose([str(tmp_path / "a.jsonl")], 10)


QUEUED = {"type": "queue-operation", "operation": "enqueue", "timestamp": "2026-10-01T11:59:59Z", "sessionId": "s"}
PROMPTED = {"type": "user", "uuid": "a", "parentUuid": None, "isSidechain": False, "sessionId": "s", "message": ASK}


def test_a_session_that_begins_with_another_line_is_recognised(tmp_path: Path) -> None:
    """teich 0.3.6 (Apache-2.0), examples/example_claude_code.jsonl."""
    text = proposed([QUEUED, {**QUEUED, "operation": "dequeue"}, PROMPTED], tmp_path)
    assert "looks like a session of Claude Code" in text
    assert "`ocml-convert batch --preview`" in text


def test_rows_without_messages_are_named(tmp_path: Path) -> None:
    """instructlab-sdg 0.8.3 (Apache-2.0), docs/examples/mix_datasets/dataset_1.jsonl."""
    text = proposed([{"id": "1", "messages": [], "metadata": {}}], tmp_path)
    assert text.endswith('# No conversation was found: "messages" is empty.\nlayout: auto\n')


@pytest.mark.parametrize(
    "record",
    [
        # teich 0.3.6 (Apache-2.0), examples: example_pi_session.jsonl and example_cursor_session.jsonl
        {"type": "message", "id": "b", "parentId": "a", "message": {**ASK, "timestamp": 1768531079593}},
        {"role": "user", "message": {"content": [{"type": "text", "text": "Why?"}]}},
    ],
)
def test_records_of_messages_are_joined_by_a_command(record: dict[str, Any], tmp_path: Path) -> None:
    text = proposed([{"type": "session", "version": 3}, record, record], tmp_path)
    assert "# Each row has a message. If all of them are one conversation, put them together:" in text
    assert "{messages: map(select(.message))}" in text


def test_rows_of_other_shapes_do_not_hide_those_with_messages(tmp_path: Path) -> None:
    """Claude Code (`--output-format stream-json`): the first line and the last one have no message."""
    answered = {"type": "assistant", "message": {"role": "assistant", "content": "So."}, "session_id": "s"}
    begins: dict[str, Any] = {"type": "system", "subtype": "init", "session_id": "s"}
    text = proposed([begins, answered, {"type": "result", "result": "", "session_id": "s"}], tmp_path)
    assert "group_by(.session_id)[] | {messages: map(select(.message))}" in text


def test_lines_of_kimi_cli_are_recognised_among_messages(tmp_path: Path) -> None:
    """MoonshotAI/kimi-cli (Apache-2.0), src/kimi_cli/soul/context.py."""
    own = [{"role": "_checkpoint", "id": 0}, {"role": "_usage", "token_count": 5}]
    text = proposed([{"role": "_system_prompt", "content": "S"}, ASK, *own], tmp_path)
    assert "looks like a session of Kimi CLI" in text
    assert 'select(.role | startswith("_") | not)' in text


def test_no_plan_is_guessed_for_parts_of_a_document(tmp_path: Path) -> None:
    """instructlab 0.26.1 (Apache-2.0), tests/testdata/temp_datasets_documents/docling-artifacts: not a conversation."""
    labels = ["page_header", "text", "section_header", "text", "caption", "text"]
    texts = [{"label": label, "text": f"{at} words."} for at, label in enumerate(labels)]
    assert yaml.safe_load(proposed([{"schema_name": "DoclingDocument", "texts": texts}], tmp_path)) == {
        "layout": "auto"
    }


def test_calls_are_guessed_to_be_the_assistants(tmp_path: Path) -> None:
    """skilldistill 0.2.0 (MIT), evaluation/results: a trace."""
    kinds = [("assistant", "I look."), ("tool_use", "ls"), ("tool_result", "a.py")]
    events = [{"kind": kind, "text": text} for kind, text in kinds]
    plan = yaml.safe_load(proposed([{"goal": "Fix it.", "events": events}], tmp_path))
    assert plan["roles"] == {"assistant": "assistant", "tool_use": "assistant", "tool_result": "tool"}


def test_speakers_beside_the_user_are_suggested_to_be_the_assistant(tmp_path: Path) -> None:
    """agentpile 0.3.1 (Apache-2.0), tests/corpora/fixtures/who_and_when."""
    history = [{"role": "human", "content": "Why?"}, {"role": "WebSurfer", "content": "I look."}]
    assert '# roles: {"WebSurfer": "assistant"}' in proposed([{"question": "Why?", "history": history}], tmp_path)


def test_a_file_with_one_conversation_is_named(tmp_path: Path) -> None:
    """inspect-evals (MIT), tests/tau2/floating_point_test_messages.json: a file with a list of messages."""
    (tmp_path / "messages.json").write_text(json.dumps([ASK]))
    text = propose([str(tmp_path / "messages.json")], 10)
    assert f"# {tmp_path / 'messages.json'}: a file that is one row\n" in text


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        # promptfoo 0.118 (MIT), docs/configuration/outputs.md
        (
            {"vars": {"x": 1}, "prompt": {"raw": "Why?", "label": "p"}, "response": {"output": "Because.", "cost": 0}},
            {"instruction": "prompt.raw", "output": "response.output"},
        ),
        ({"prompt": "Why?", "response": {"text": "So."}}, {"instruction": "prompt", "output": "response.text"}),
        ({"row": {"prompt": "Why?", "answer": "So."}}, {"instruction": "row.prompt", "output": "row.answer"}),
    ],
)
def test_texts_inside_of_columns_are_named_by_their_places(
    row: dict[str, Any], columns: dict[str, str], tmp_path: Path
) -> None:
    plan = yaml.safe_load(proposed([row], tmp_path))
    assert plan == {"layout": "alpaca", "columns": columns}
    beside = read_row(plan_of(plan), row).extra_columns
    assert beside == ({} if "vars" not in row else row)


def test_a_question_and_answers_that_are_objects_are_named(tmp_path: Path) -> None:
    """NarrativeQA (its card): each is an object with a text and its tokens."""
    who = {"text": "Who?", "tokens": ["Who", "?"]}
    row = {"document": {"id": "d", "text": "A story."}, "question": who, "answers": [{"text": "Ann"}, {"text": "She"}]}
    plan = yaml.safe_load(proposed([row], tmp_path))
    [conversation] = conversations(row, plan_of(plan))
    assert as_pairs(conversation.messages) == [("user", "Who?"), ("assistant", "Ann")]


def test_the_first_of_several_answers_is_named_by_its_place(tmp_path: Path) -> None:
    assert 'output: "responses[0]"}' in proposed([{"prompt": "Why?", "responses": ["So.", "No."]}], tmp_path)


@pytest.mark.parametrize("more", [{}, {"input": "Now."}, {"input": ""}], ids=str)
def test_the_first_of_two_outputs_is_guessed_to_be_the_better_one(more: dict[str, Any], tmp_path: Path) -> None:
    """LLaMA-Factory 0.7 (data/comparison_gpt4_data_en.json)."""
    row = {"instruction": "Why?", **more, "output": ["So.", "No."]}
    text = proposed([row], tmp_path)
    assert "# A guess: of two outputs, the first is the better one" in text
    [conversation] = conversations(row, plan_of(yaml.safe_load(text)))
    [rejected] = [*(conversation.alternatives or ())]
    assert [as_pairs(each)[-1] for each in (conversation.messages, rejected.messages)] == [
        ("assistant", "So."),
        ("assistant", "No."),
    ]


@pytest.mark.parametrize(("value", "what"), [(ROW, "object"), ([ROW], "array")])
def test_a_file_of_one_object_is_not_called_an_array(value: Any, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert f": a JSON {what}" in propose([str(tmp_path / "a.json")], 10)


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"Patient": "Why?", "Doctor": "So.", "Patient ID": "p"}, {"instruction": "Patient", "output": "Doctor"}),
        ({"QuestionTitle": "Why?", "AnswerText": "So."}, {"instruction": "QuestionTitle", "output": "AnswerText"}),
        ({"input": "Why?", "expected": "So.", "input_hash": "h"}, {"instruction": "input", "output": "expected"}),
        # EdinburghNLP/xsum, abisee/cnn_dailymail, knkarthick/samsum, shibing624/AdvertiseGen
        ({"document": "Long.", "summary": "So.", "id": "1"}, {"instruction": "document", "output": "summary"}),
        ({"article": "Long.", "highlights": "So."}, {"instruction": "article", "output": "highlights"}),
        ({"dialogue": "Ann: Hi", "summary": "So."}, {"instruction": "dialogue", "output": "summary"}),
        ({"content": "A dress.", "summary": "So."}, {"instruction": "content", "output": "summary"}),
        # Trelis/function_calling_extended (its card): the system prompt is no question
        (
            {"systemPrompt": "Be kind.", "userPrompt": "Why?", "assistantResponse": "So."},
            {"instruction": "userPrompt", "output": "assistantResponse"},
        ),
        (
            {"problem": "Why?", "deepseek_reasoning": "The sky, so.", "deepseek_solution": "So."},
            {"instruction": "problem", "output": "deepseek_solution", "thought": "deepseek_reasoning"},
        ),
    ],
)
def test_columns_are_guessed_by_their_names(row: dict[str, Any], columns: dict[str, str], tmp_path: Path) -> None:
    text = proposed([row], tmp_path)
    assert "# A guess by the names of the columns" in text
    plan = yaml.safe_load(text)
    assert plan["columns"] == columns
    assert read_row(plan_of(plan), row).documents


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        # a column that is the question is not its input, too
        (
            {"input": "Why?", "winner": "So.", "loser": "No."},
            {"instruction": "input", "chosen": "winner", "rejected": "loser"},
        ),
        (
            {
                "prompt": "Why?",
                "good": {"role": "assistant", "content": "So."},
                "bad": [{"role": "assistant", "content": "No."}],
            },
            {"instruction": "prompt", "chosen": "good", "rejected": "bad"},
        ),
        (
            {"query": "Why?", "good_reply": "So.", "bad_reply": "No.", "good_score": "5"},
            {"instruction": "query", "chosen": "good_reply", "rejected": "bad_reply"},
        ),
    ],
)
def test_the_better_answer_is_guessed_by_its_name(row: dict[str, Any], columns: dict[str, str], tmp_path: Path) -> None:
    plan = yaml.safe_load(proposed([row], tmp_path))
    assert plan == {"layout": "preference", "columns": columns}
    [conversation] = conversations(row, plan_of(plan))
    assert as_pairs(conversation.messages) == [("user", "Why?"), ("assistant", "So.")]


@pytest.mark.parametrize(
    "name", ["model_answer_2", "solution_text_answer", "good_response", "teacher_output", "chosen_conv", "negative"]
)
def test_a_prompt_next_to_a_column_that_is_named_like_an_answer_is_not_read_alone(name: str, tmp_path: Path) -> None:
    row = {"prompt": "Why?", name: "So."}
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan(("auto",)), row)
    assert read_row(Plan(("prompt",)), row).extra_columns == {name: "So."}
    assert yaml.safe_load(proposed([row], tmp_path))["layout"] in ("alpaca", "auto")


@pytest.mark.parametrize(
    "row",
    [
        {"user_id": "Ann", "answer": "So."},
        {"question": "Why?", "answer_id": "a"},
        # APPS, and Synthetic-Persona-Chat (their cards): tests of a program, and what persons are
        {"question": "Write it.", "input_output": "{}", "solutions": "[]"},
        {"user 1 personas": "I ski.", "user 2 personas": "I sing.", "Best Generated Conversation": "User 1: Hi"},
    ],
)
def test_no_question_without_an_answer_is_guessed(row: dict[str, Any], tmp_path: Path) -> None:
    assert yaml.safe_load(proposed([row], tmp_path)) == {"layout": "auto"}


def test_a_question_with_choices_is_named_as_such(tmp_path: Path) -> None:
    """axolotl (Apache-2.0), docs/dataset-formats: explainchoice."""
    text = proposed([{"question": "Why?", "choices": ["So.", "No."], "solution": "So."}], tmp_path)
    assert '# The layout alpaca reads these rows, but not "choices"' in text
    assert yaml.safe_load(text) == {"layout": "auto"}


@pytest.mark.parametrize(
    ("row", "layout"),
    [
        # TableInstruct (CC-BY-4.0) and M3IT (their cards): the question is next to the instruction
        ({"instruction": "Answer.", "input_seg": "[TAB] a", "question": "Why?", "output": "Because."}, "alpaca"),
        ({"instruction": "Answer.", "inputs": "Why?", "image_base64_str": [""], "outputs": "Because."}, "alpaca"),
        ({"instruction": "Answer.", "query": "Why?", "response": "Because.", "history": []}, "alpaca"),
        ({"instruction": "Answer.", "problem": "Why?", "cot": "The sky, so.", "answer": "Because."}, "reasoned"),
        ({"instruction": "Answer.", "question": "Why?", "answers": ["Because.", "So."]}, "answered-by-any"),
        ({"instruction": "Answer.", "question": "Why?", "chosen": "Because.", "rejected": "No."}, "preference"),
    ],
)
def test_an_instruction_is_not_read_without_its_question(row: dict[str, Any], layout: str, tmp_path: Path) -> None:
    with pytest.raises(BridgeError):
        read_row(Plan(("auto",)), row)
    plan = yaml.safe_load(proposed([row], tmp_path))
    assert plan["layout"] == layout
    [conversation] = conversations(row, plan_of(plan))
    pairs = as_pairs(conversation.messages)
    assert (pairs[0], pairs[-1]) == (("user", "Answer.\nWhy?"), ("assistant", "Because."))
    question = next(name for name in row if row[name] == "Why?")
    for empty in ("", None):
        assert read_row(Plan(("auto",)), {**row, question: empty}).layout.name == layout


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (["turn_1_user", "turn_1_assistant", "turn_2_user", "turn_2_assistant"], "uaua"),
        (["prompt1", "response1", "prompt2"], "uau"),
        (["Q2", "A2", "Q1", "A1"], "uaua"),
        (["human_1", "gpt_1", "human_2", "gpt_2"], "uaua"),
    ],
)
def test_numbered_columns_are_put_together(names: list[str], roles: str, tmp_path: Path) -> None:
    text = proposed([{"id": 1, **{name: f"Of {name}." for name in names}}], tmp_path)
    places = sorted(names, key=lambda name: "".join(each for each in name if each.isdigit()))
    words = {"u": "user", "a": "assistant"}
    messages = [f'{{role: "{words[role]}", content: .["{name}"]}}' for role, name in zip(roles, places, strict=True)]
    assert f"jq -c '. + {{messages: [{', '.join(messages)} | select(.content)]}} | del(" in text
    assert yaml.safe_load(text) == {"layout": "auto"}


CAMEL = {"role_1": "Accountant_RoleType.ASSISTANT", "message_2": "Done.", "message_1": "Go.", "message_3": "Next."}
CAMEL_CHAT = {
    f"message_{at}": {"role_name": "Teacher", "role_type": word.upper(), "role": word, "content": f"Text {at}."}
    for at, word in ((10, "assistant"), (2, "assistant"), (1, "user"), *((at, "user") for at in range(3, 10)))
}


def test_messages_in_numbered_columns_are_not_read_in_part(tmp_path: Path) -> None:
    """CAMEL's conversations (dataset cards of `camel-ai`): rows have as many columns as messages."""
    with pytest.raises(BridgeError):
        read_row(Plan(("auto",)), CAMEL)
    assert yaml.safe_load(proposed([CAMEL], tmp_path)) == {"layout": "auto"}
    pair = {name: CAMEL[name] for name in ("message_1", "message_2")}
    assert as_pairs(conversations(pair)[0].messages) == [("user", "Go."), ("assistant", "Done.")]


@pytest.mark.parametrize(
    ("row", "texts"),
    [(CAMEL, ["Go.", "Done.", "Next."]), (CAMEL_CHAT | {"message_11": None}, [f"Text {at}." for at in range(1, 11)])],
)
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is missing")
def test_messages_in_numbered_columns_are_put_together(row: dict[str, Any], texts: list[str], tmp_path: Path) -> None:
    [line] = [each for each in proposed([row], tmp_path).splitlines() if "> rows.jsonl" in each]
    command = line.removeprefix("#   ").partition(" DATA > rows.jsonl")[0]
    put_together = json.loads(
        subprocess.run(command, shell=True, input=json.dumps(row).encode(), check=True, capture_output=True).stdout
    )
    assert not any(name.startswith("message_") for name in put_together)
    assert [text for _, text in as_pairs(conversations(put_together)[0].messages)] == texts


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is missing")
def test_messages_in_numbered_columns_have_the_roles_of_theirs(tmp_path: Path) -> None:
    texts = [("assistant", "Hello."), ("user", "Why?"), ("assistant", "Because.")]
    row = {
        f"{name}_{at}": each
        for at, pair in enumerate(texts, 1)
        for name, each in zip(("role", "message"), pair, strict=True)
    }
    [line] = [each for each in proposed([row], tmp_path).splitlines() if "> rows.jsonl" in each]
    command = line.removeprefix("#   ").partition(" DATA > rows.jsonl")[0]
    ran = subprocess.run(command, shell=True, input=json.dumps(row).encode(), check=True, capture_output=True)
    [conversation] = conversations(json.loads(ran.stdout))
    assert as_pairs(conversation.messages) == texts


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is missing")
def test_a_flattened_row_is_nested_again_by_a_command(tmp_path: Path) -> None:
    """Tables of Weave's calls have a column for each member of the inputs and the output."""
    answer = [{"index": 0, "message": {"role": "assistant", "content": "Because."}}]
    row = {"id": "c", "inputs.model": "m", "inputs.messages": [ASK], "inputs.tools": None, "output.id": "x"}
    row |= {"output.object": "chat.completion", "output.choices": answer}
    [line] = [each for each in proposed([row], tmp_path).splitlines() if "> rows.jsonl" in each]
    command = line.removeprefix("#   ").partition(" DATA > rows.jsonl")[0]
    ran = subprocess.run(command, shell=True, input=json.dumps(row).encode(), check=True, capture_output=True)
    [conversation] = conversations(json.loads(ran.stdout))
    assert as_pairs(conversation.messages) == [("user", "Why?"), ("assistant", "Because.")]
    for other in ({"a.b": "Why?", "a": "x"}, {"a.b": "Why?"}, {"v1.messages": [ASK], "v1": {"messages": 1}}):
        assert "places" not in proposed([other], tmp_path)


def test_several_lists_of_messages_are_not_decided_by_a_guess(tmp_path: Path) -> None:
    answered = [ASK, {"role": "assistant", "content": "No."}]
    row = {"chosen": answered, "completion": answered, "label": True}
    assert yaml.safe_load(proposed([row], tmp_path)) == {"layout": "auto"}


@pytest.mark.parametrize(
    "names", [["prompt", "response_1", "response_2"], ["question1", "question2"], ["user1", "gpt1"]]
)
def test_other_numbered_columns_are_not_put_together(names: list[str], tmp_path: Path) -> None:
    assert "jq" not in proposed([dict.fromkeys(names, "Some text.")], tmp_path)


def test_a_conversation_at_any_place_is_found(tmp_path: Path) -> None:
    row = {"id": 1, "data": {"conversation": {"messages": [ASK]}}}
    plan = yaml.safe_load(proposed([row], tmp_path))
    assert plan == {"layout": "messages", "columns": {"messages": "data.conversation.messages"}}


def test_the_roles_of_a_conversation_inside_of_a_column_are_named(tmp_path: Path) -> None:
    row = {"output": {"history": [ASK, {"role": "WebSurfer", "content": "I look."}], "status": "done"}}
    assert '# roles: {"WebSurfer": "assistant"}' in proposed([row], tmp_path)


def test_names_of_sessions_are_no_turns(tmp_path: Path) -> None:
    """The list of sessions in an export of Chatbox (GPL-3.0)."""
    sessions = [{"id": "a", "name": "One", "type": "chat"}, {"id": "b", "name": "Two", "type": "chat"}]
    assert yaml.safe_load(proposed([{"sessions": sessions}], tmp_path)) == {"layout": "auto"}


@pytest.mark.parametrize("given", ["a", ""])
def test_rows_inside_of_an_object_are_taken_out_with_what_is_next_to_them(given: str, tmp_path: Path) -> None:
    """Self-Instruct (Apache-2.0), data/seed_tasks.jsonl: the instruction is next to its instances."""
    row = {"instruction": "Why?", "instances": [{"input": given, "output": "So."}], "is_classification": False}
    assert """jq -c 'del(.["instances"]) + .["instances"][]' DATA""" in proposed([row], tmp_path)


THREADED: dict[str, Any] = {
    "object": "thread.message",
    "thread_id": "t",
    "role": "user",
    "content": [{"type": "text", "text": {}}],
}
STORED: dict[str, Any] = {"id": 1, "session_id": "s", "message": {"type": "human", "data": {"content": "Why?"}}}


@pytest.mark.parametrize(
    ("row", "query"),
    [
        # Jan (Apache-2.0): messages.jsonl of a thread
        (THREADED, "group_by(.thread_id)[] | {messages: .}"),
        # langchain-postgres (MIT), chat_message_histories.py, which n8n uses, too
        (STORED, "group_by(.session_id)[] | {messages: map(.message)}"),
    ],
)
def test_messages_in_rows_of_their_own_are_joined_by_their_conversation(
    row: dict[str, Any], query: str, tmp_path: Path
) -> None:
    assert f"jq -sc '{query}' DATA" in proposed([row], tmp_path)


def test_the_answers_of_a_ranking_are_not_decided_by_a_layout(tmp_path: Path) -> None:
    """KoChatGPT (README), its reward model's data: whether the numbers are ranks or an order, no row says."""
    row = {"prompt": "Why?", "completion_0": "So.", "completion_1": "No.", "completion_2": "Eh.", "ranking": [1, 0, 2]}
    text = proposed([row], tmp_path)
    assert yaml.safe_load(text) == {"layout": "auto"}
    answers = '[.["completion_0"], .["completion_1"], .["completion_2"]] as $a'
    assert f"""jq -c '{answers} | .["ranking"] as $r | . + {{chosen: $a[$r | index(min)]""" in text


PRINTED_ROWS = [
    (
        "a.json",
        '[{"chat_id": 1, "role": "user", "content": "a"}, {"chat_id": 2, "role": "user", "content": "b"}]',
    ),
    ("a.csv", "session_id,role,content\n1,user,a\n2,user,b\n"),
    ("a.tsv", "\ufeffsession_id\trole\tcontent\n1\tuser\ta\n2\tuser\tb\n"),
    (
        "a.jsonl.gz",
        '{"chat_id": 1, "role": "user", "content": "a"}\n{"chat_id": 2, "role": "user", "content": "b"}',
    ),
]


@pytest.mark.parametrize(("name", "text"), PRINTED_ROWS, ids=[name for name, _ in PRINTED_ROWS])
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is missing")
def test_the_proposed_command_reads_the_rows_as_they_are_stored(name: str, text: str, tmp_path: Path) -> None:
    data = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    [line] = [each for each in propose([str(tmp_path / name)], 10).splitlines() if "> rows.jsonl" in each]
    command = line.removeprefix("#   ").partition(" > rows.jsonl")[0].replace("DATA", name)
    printed = subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True).stdout.splitlines()
    assert [[each["content"] for each in json.loads(row)["messages"]] for row in printed] == [["a"], ["b"]]


def test_a_file_with_more_rows_than_those_looked_at_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(ROW)}\n" * 3)
    assert "of which only the first 2 rows were looked at (--rows)" in propose([str(tmp_path / "a.jsonl")], 2)
    assert "of which only" not in propose([str(tmp_path / "a.jsonl")], 4)


def test_a_file_without_rows_gets_no_advice_on_layouts(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    assert "# The data has no rows.\nlayout: auto\n" in propose([str(tmp_path / "a.jsonl")], 10)


def test_a_message_alone_is_named_as_a_part() -> None:
    with pytest.raises(BridgeError, match="but it is a part of a conversation, or not known in full"):
        read_row(Plan(("auto",)), THREADED)


MULTIWOZ: dict[str, Any] = {
    "dialogue_id": "PMUL1.json",
    "turns": {"turn_id": ["0", "1"], "speaker": [0, 1], "utterance": ["A hotel, please.", "Which area?"]},
}
EMPATHETIC = {"conv_id": "hit:0_conv:1", "prompt": "I remember.", "speaker_idx": 1, "utterance": "I remember."}


def test_numbers_of_speakers_are_guessed_to_be_the_user_and_the_assistant(tmp_path: Path) -> None:
    """pfb30/multi_woz_v22 (Apache-2.0): a sequence that `datasets` stores by members, with labels as numbers."""
    plan = yaml.safe_load(proposed([MULTIWOZ], tmp_path))
    assert plan["roles"] == {"0": "user", "1": "assistant"}
    turns = [{"speaker": 0, "utterance": "A hotel, please."}, {"speaker": 1, "utterance": "Which area?"}]
    [document] = read_row(plan_of(plan), {"turns": turns}).documents
    messages: Any = document.value
    assert [each["role"] for each in messages["messages"]] == ["user", "assistant"]


def test_utterances_in_rows_of_their_own_are_joined_by_their_conversation(tmp_path: Path) -> None:
    """facebook/empathetic_dialogues (CC-BY-NC-4.0)."""
    assert "jq -sc 'group_by(.conv_id)[] | {messages: .}' DATA" in proposed([EMPATHETIC], tmp_path)


def test_messages_next_to_an_answer_are_guessed_with_it(tmp_path: Path) -> None:
    """nvidia/HelpSteer3 (CC-BY-4.0), edits."""
    row = {"context": [ASK], "original_response": "Because.", "edited_response": "Because of this."}
    text = proposed([row], tmp_path)
    plan = yaml.safe_load(text)
    assert plan == {"layout": "answered", "columns": {"messages": "context", "answer": "original_response"}}
    assert '# There may be further answers in "edited_response", which stay beside the conversation.' in text


@pytest.mark.parametrize(
    ("row", "question"),
    [
        # Tobi-Bueck/customer-support-tickets (CC-BY-NC-4.0)
        ({"subject": "Order", "body": "Where is it?", "answer": "Here.", "queue": "Sales"}, "body"),
        # the table of customer support tickets on Kaggle (CC0)
        (
            {"Customer Email": "a@example.org", "Ticket Description": "Where is it?", "Resolution": "Here."},
            "Ticket Description",
        ),
    ],
)
def test_the_text_of_a_ticket_is_guessed_to_be_the_question(row: dict[str, Any], question: str, tmp_path: Path) -> None:
    assert yaml.safe_load(proposed([row], tmp_path))["columns"]["instruction"] == question


def test_messages_of_several_conversations_in_a_column_are_put_together(tmp_path: Path) -> None:
    """LobeChat (Apache-2.0), `src/types/exportConfig.ts`: all messages of all sessions."""
    messages = [{**ASK, "sessionId": session, "topicId": None} for session in ("a", "b")]
    row = {"version": 7, "exportType": "sessions", "state": {"messages": messages, "sessions": [{"id": "a"}]}}
    query = ".state.messages | group_by([.sessionId, .topicId])[] | {messages: .}"
    assert f"jq -c '{query}' DATA" in proposed([row], tmp_path)
    assert "layout: messages" in proposed([{**row, "state": {"messages": messages[:1]}}], tmp_path)


def test_a_caller_beside_the_user_is_suggested_to_be_the_assistant(tmp_path: Path) -> None:
    """ToolBench, as shenweizhou/alpha-umi-toolbench-processed-v2 has it: the model that calls is the speaker."""
    turns = [{"from": "user", "value": "Why?"}, {"from": "caller", "value": "Action: search"}]
    assert '# roles: {"caller": "assistant"}' in proposed([{"conversations": turns}], tmp_path)


def test_the_choices_of_a_guessed_question_are_named(tmp_path: Path) -> None:
    """allenai/ai2_arc (CC-BY-SA-4.0)."""
    row = {"id": "i", "question": "Why?", "choices": {"text": ["So.", "No."], "label": ["A", "B"]}, "answerKey": "A"}
    assert '# The question may need "choices"' in proposed([row], tmp_path)


def test_media_without_a_place_are_named_beside_the_conversation(tmp_path: Path) -> None:
    """torchtune (BSD-3-Clause), tests/assets/vqa_tiny.json."""
    text = proposed([{"input": "Why?", "output": "So.", "image": "a.png"}], tmp_path)
    assert "#   the conversation: input, output\n#   beside it: image\n" in text


def test_an_error_of_a_row_names_its_column(tmp_path: Path) -> None:
    """gorilla's bfcl-eval, `possible_answer/BFCL_v4_multi_turn_base.json`."""
    assert "OCB-SHAPE at /ground_truth/0/0" in proposed([{"id": "i", "ground_truth": [["cd('a')"]]}], tmp_path)


@pytest.mark.parametrize("name", ["text", "content", "raw_content"])
def test_a_text_without_turns_is_named_as_such(name: str, tmp_path: Path) -> None:
    """LLaMA-Factory's data for pretraining (`data/c4_demo.jsonl`, columns of `dataset_info.json`)."""
    text = proposed([{name: "Once upon a time.", "url": "https://example.org", "id": 1}], tmp_path)
    assert f'# "{name}" is a text without turns that are known' in text
    assert yaml.safe_load(text) == {"layout": "auto"}


def test_instructions_that_say_who_the_assistant_is_are_named(tmp_path: Path) -> None:
    """cognitivecomputations/dolphin (Apache-2.0): the instruction is the system prompt."""
    row = {"instruction": "You are an AI assistant.", "input": "Why?", "output": "Because."}
    advice = "# columns: {system: instruction, instruction: input}\n"
    text = proposed([row], tmp_path)
    assert advice in text
    plan = plan_of(yaml.safe_load(text.replace("# columns", "columns")))
    [conversation] = conversations(row, plan)
    assert [each.role for each in conversation.messages] == ["system", "user", "assistant"]
    assert advice not in proposed([{**row, "instruction": "Explain."}, {**row, "input": ""}, row], tmp_path)


@pytest.mark.parametrize(("other", "role"), [("Ann", "user"), ("Me", "assistant")])
def test_you_are_suggested_to_be_the_user_unless_there_is_a_me(other: str, role: str, tmp_path: Path) -> None:
    chat = [{"from": other, "text": "Why?"}, {"from": "You", "text": "Because."}]
    assert f'"You": "{role}"' in proposed([{"messages": chat}], tmp_path)


def test_guessed_rows_inside_of_an_object_are_taken_out(tmp_path: Path) -> None:
    """ragas 0.4 (Apache-2.0), docs/_static/annotated_data.json."""
    row = {"metric_input": {"user_input": "Why?", "response": "Because."}, "metric_output": 1, "is_accepted": True}
    assert """jq -c 'del(.["helpfulness"]) + .["helpfulness"][]' DATA""" in proposed([{"helpfulness": [row]}], tmp_path)


def test_the_direction_of_a_message_is_guessed_to_say_who_speaks(tmp_path: Path) -> None:
    """Twilio's messages (`direction`, `body`)."""
    chat = [{"direction": "inbound", "body": "Where is it?"}, {"direction": "outbound", "body": "Here."}]
    plan = yaml.safe_load(proposed([{"messages": chat}], tmp_path))
    assert (plan["role"], plan["text"]) == ("direction", "body")
    assert plan["roles"] == {"inbound": "user", "outbound": "assistant"}


def test_of_two_people_one_is_suggested_to_be_the_user(tmp_path: Path) -> None:
    chat = [{"from": "Ann", "text": "Why?"}, {"from": "Me", "text": "Because."}]
    assert '# roles: {"Ann": "assistant", "Me": "user"}' in proposed([{"messages": chat}], tmp_path)
