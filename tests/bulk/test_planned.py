"""Rows of datasets through `batch --plan`, and rows written by `--to-plan`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpus import corpus_path
from ocml_bridge import BridgeError, Transcript, read
from ocml_bridge.bulk.survey import propose
from ocml_bridge.layouts import AUTO, LAYOUTS, Plan, plan_of, read_row
from sampling import examples

Run = Callable[..., int]
TURNS: list[Any] = [
    {"role": "user", "content": "Why?"},
    {"role": "assistant", "content": "Because."},
    {"role": "user", "content": "So?"},
    {"role": "assistant", "content": "So."},
]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {}}},
}
TOOL_TEXT = json.dumps([TOOL], separators=(",", ":"))
CALLED: list[Any] = [
    {"role": "user", "content": "Rome?"},
    {
        "role": "assistant",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "20"},
    {"role": "assistant", "content": "20 degrees."},
]


@pytest.fixture
def convert(batch: Run, tmp_path: Path) -> Callable[..., list[Any]]:
    """Convert rows with the command; returns the rows of the output, then the error codes of the quarantine."""

    def start(rows: list[Any], *arguments: str) -> list[Any]:
        data, out = tmp_path / "rows.jsonl", tmp_path / f"out-{len(list(tmp_path.iterdir()))}"
        data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        status = batch(data, "-o", out, *arguments)
        written = [json.loads(line) for line in (out / "rows.jsonl").read_text().splitlines()]
        quarantine = out / "rows.quarantine.jsonl"
        refused = [json.loads(line)["code"] for line in quarantine.read_text().splitlines()] if status else []
        assert status == (6 if refused else 0)
        return written + refused

    return start


Convert = Callable[..., list[Any]]


def test_extra_columns_are_carried_along_and_are_not_lost(convert: Convert, tmp_path: Path) -> None:
    row = {"id": 7, "instruction": "Why?", "output": "Because.", "score": 0.5, "meta": {"a": None}}
    report = tmp_path / "report.json"
    written = convert([row], "--plan", "alpaca", "-t", "harmony", "--strict", "--report", str(report))
    text = "<|start|>user<|message|>Why?<|end|><|start|>assistant<|channel|>final<|message|>Because.<|end|>"
    assert written == [{"id": 7, "text": text, "score": 0.5, "meta": {"a": None}}]
    assert json.loads(report.read_text())["outcomes"]["converted"] == 1


def test_images_without_a_place_in_the_conversation_stay_an_extra_column(convert: Convert, tmp_path: Path) -> None:
    turns = [{"from": "human", "value": "What?"}, {"from": "gpt", "value": "A cat."}]
    row = {"id": 7, "image": "a.jpg", "conversations": turns}
    [written] = convert([row], "--plan", "auto", "-t", "openai", "--strict")
    assert written.pop("messages")[0]["content"] == "What?"
    assert written == {"id": 7, "image": "a.jpg"}
    report = tmp_path / "report.json"
    [written] = convert([row], "--plan", "auto", "-t", "openai", "--bare", "--report", str(report))
    assert written.keys() == {"messages"}
    assert [*json.loads(report.read_bytes())["losses"]] == ["extras"]


def test_extra_columns_keep_their_spelling(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(b'{"prompt":"Why?", "x": 1.10, "y":"\\u00e4"}\n')
    batch(tmp_path / "rows.jsonl", "--plan", "prompt", "-t", "openai", "-o", tmp_path / "out")
    assert (tmp_path / "out" / "rows.jsonl").read_bytes() == (
        b'{"messages":[{"role":"user","content":"Why?"}],"x":1.10,"y":"\\u00e4"}\n'
    )


def test_a_column_of_messages_next_to_a_preference_is_renamed(convert: Convert) -> None:
    """HuggingFaceH4/ultrafeedback_binarized (MIT): with the column, the output would be read as a request."""
    row = {"prompt": "Why?", "chosen": "So.", "rejected": "No.", "messages": TURNS[:2]}
    [written] = convert([row], "--plan", "auto", "-t", "openai")
    assert written.pop("source_messages") == TURNS[:2]
    assert written.keys() == {"input", "preferred_output", "non_preferred_output"}


def test_an_extra_column_with_the_name_of_the_output_is_renamed(convert: Convert) -> None:
    [row] = convert([{"prompt": "Why?", "text": "mine"}], "--plan", "prompt", "-t", "chatml")
    assert row == {"text": "<|im_start|>user\nWhy?<|im_end|>\n", "source_text": "mine"}
    [row] = convert(
        [{"prompt": "Why?", "text": "mine"}], "--plan", "prompt", "-t", "chatml", "--field", "chat", "--resume"
    )
    assert row == {"chat": "<|im_start|>user\nWhy?<|im_end|>\n", "text": "mine"}


def test_mixed_rows_are_read_row_by_row(convert: Convert) -> None:
    rows: list[Any] = [
        {"instruction": "Why?", "output": "Because."},
        {"conversations": [{"from": "human", "value": "Why?"}]},
        [{"role": "user", "content": "Why?"}],
        {"text": "no conversation"},
        ["no", "messages"],
        7,
    ]
    first, second, third, *refused = convert(rows, "--plan", "auto", "-t", "openai")
    assert first == {"messages": [*TURNS[:2]]}
    assert second == third == {"messages": TURNS[:1]}
    assert refused == ["OCB-SHAPE"] * 3


def test_a_preference_becomes_two_texts_if_the_target_has_no_place_for_both(convert: Convert) -> None:
    row = {"id": 1, "prompt": "Why?", "chosen": "Because.", "rejected": "No."}
    [written] = convert([row], "--plan", "preference", "-t", "chatml")
    asked = "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n"
    assert written == {"id": 1, "chosen": f"{asked}Because.<|im_end|>\n", "rejected": f"{asked}No.<|im_end|>\n"}


def test_a_preference_stays_one_row_if_the_target_has_a_place_for_both(convert: Convert) -> None:
    row = {"id": 1, "prompt": "Why?", "chosen": "Because.", "rejected": "No."}
    [written] = convert([row], "--plan", "preference", "--to-plan", "sharegpt")
    assert written == {
        "id": 1,
        "conversations": [{"from": "human", "value": "Why?"}],
        "chosen": {"from": "gpt", "value": "Because."},
        "rejected": {"from": "gpt", "value": "No."},
    }


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_is_a_part_of_llamafactory_v1_whatever_its_member_is_called(convert: Convert, key: str) -> None:
    row = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", key: "Hm.", "content": "Hello."}]}
    [written] = convert([row], "--plan", "messages", "--to-plan", "llamafactory-v1")
    parts = [{"type": "reasoning", "value": "Hm."}, {"type": "text", "value": "Hello."}]
    assert written["messages"][1] == {"role": "assistant", "content": parts}


@pytest.mark.parametrize("side", ["chosen", "rejected"])
def test_an_answer_of_several_turns_is_not_written_as_sharegpt(side: str, convert: Convert) -> None:
    """LLaMA-Factory 0.9.5, `SharegptDatasetConverter`: it trains on the question, if an answer is not one turn."""
    row: dict[str, Any] = {"prompt": [{"role": "user", "content": "Why?"}]}
    row |= {name: [{"role": "assistant", "content": f"{name} {at}"} for at in range(2)] for name in (side,)}
    other = "rejected" if side == "chosen" else "chosen"
    row[other] = [{"role": "assistant", "content": "So."}]
    assert convert([row], "--plan", "preference", "--to-plan", "sharegpt") == ["OCB-SHAPE"]
    assert len(convert([row], "--plan", "preference", "--to-plan", "preference")) == 1


def test_a_preference_with_ids_of_calls_is_written_without_the_ids(convert: Convert) -> None:
    called = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    row = {
        "prompt": [{"role": "user", "content": "Hi"}],
        "chosen": [{"role": "assistant", "content": None, "tool_calls": [called]}],
        "rejected": [{"role": "assistant", "content": "No."}],
    }
    [written] = convert([row], "--plan", "preference", "--to-plan", "llamafactory-v1")
    assert written["chosen_messages"][1]["content"] == [{"type": "tool_call", "value": '{"name":"f","arguments":{}}'}]


def test_a_preference_is_written_as_llamafactory_v1(convert: Convert) -> None:
    row = {"prompt": "Why?", "chosen": "Because.", "rejected": "No.", "source": "web"}
    [written] = convert([row], "--plan", "preference", "--to-plan", "llamafactory-v1")
    asked = {"role": "user", "content": [{"type": "text", "value": "Why?"}]}
    assert written == {
        "chosen_messages": [asked, {"role": "assistant", "content": [{"type": "text", "value": "Because."}]}],
        "rejected_messages": [asked, {"role": "assistant", "content": [{"type": "text", "value": "No."}]}],
        "source": "web",
    }


# --- rows that are written --------------------------------------------------------------------------------------------

SEEN: Any = [
    {"type": "image_url", "image_url": {"url": "https://x.org/a.png"}},
    {"type": "text", "text": "See "},
    {"type": "image_url", "image_url": {"url": "b.png"}},
]
SOUND: Any = {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}
WRITTEN: list[tuple[str, dict[str, Any], dict[str, Any] | str]] = [
    (
        "alpaca",
        {"messages": [{"role": "system", "content": "Be kind."}, *TURNS], "id": 1},
        {
            "instruction": "So?",
            "input": "",
            "output": "So.",
            "system": "Be kind.",
            "history": [["Why?", "Because."]],
            "id": 1,
        },
    ),
    ("alpaca", {"messages": TURNS[:3]}, "OCB-SHAPE"),
    ("alpaca", {"messages": CALLED, "tools": [TOOL]}, "OCB-SHAPE"),
    (
        "alpaca",
        {"messages": [{"role": "system", "content": "A"}, {"role": "system", "content": "B"}, *TURNS]},
        "OCB-SHAPE",
    ),
    (
        "alpaca",
        {"messages": [{**TURNS[0], "name": "bob"}, TURNS[1]]},
        {"instruction": "Why?", "input": "", "output": "Because."},
    ),
    ("messages", {"messages": CALLED, "tools": [TOOL]}, {"messages": CALLED, "tools": TOOL_TEXT}),
    ("prompt-completion", {"messages": TURNS}, {"prompt": TURNS[:3], "completion": TURNS[3:]}),
    ("prompt-completion", {"messages": TURNS[:3]}, "OCB-SHAPE"),
    ("kto", {"messages": TURNS, "kto_tag": True}, {"prompt": TURNS[:3], "completion": TURNS[3:], "label": True}),
    ("kto", {"messages": TURNS}, "OCB-SHAPE"),
    ("preference", {"messages": TURNS}, "OCB-SHAPE"),
    (
        "sharegpt",
        {"messages": TURNS[:2], "system": "Be kind."},
        {
            "conversations": [
                {"from": "system", "value": "Be kind."},
                {"from": "human", "value": "Why?"},
                {"from": "gpt", "value": "Because."},
            ]
        },
    ),
    (
        "llamafactory-v1",
        {"messages": CALLED, "tools": [TOOL]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "value": "Rome?"}]},
                {"role": "assistant", "content": [{"type": "tool_call", "value": '{"name":"f","arguments":{"n":1}}'}]},
                {"role": "tool", "content": [{"type": "text", "value": "20"}]},
                {"role": "assistant", "content": [{"type": "text", "value": "20 degrees."}]},
            ],
            "tools": TOOL_TEXT,
        },
    ),
    *(
        (
            layout,
            {"messages": [{"role": "user", "content": SEEN}, {"role": "assistant", "content": "A cat."}]},
            {**written, "images": ["https://x.org/a.png", "b.png"]},
        )
        for layout, written in (
            # LLaMA-Factory's `mllm_demo.json` and its README of data: `<image>` in the text, `images` beside it
            ("alpaca", {"instruction": "<image>See <image>", "input": "", "output": "A cat."}),
            # TRL, "Vision datasets": parts without their images, `images` beside them
            (
                "prompt-completion",
                {
                    "prompt": [
                        {
                            "role": "user",
                            "content": [{"type": "image"}, {"type": "text", "text": "See "}, {"type": "image"}],
                        }
                    ],
                    "completion": [{"role": "assistant", "content": "A cat."}],
                },
            ),
        )
    ),
    ("alpaca", {"messages": [{"role": "user", "content": [*SEEN, SOUND]}, CALLED[-1]]}, "OCB-SHAPE"),
]


@pytest.mark.parametrize(
    ("layout", "row", "wanted"), WRITTEN, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(WRITTEN)]
)
def test_a_row_is_written_in_a_layout_or_quarantined(layout: str, row: Any, wanted: Any, convert: Convert) -> None:
    assert convert([row], "--plan", "messages", "--to-plan", layout) == [wanted]


def test_replies_out_of_order_keep_their_calls(convert: Convert) -> None:
    call = CALLED[1]["tool_calls"][0]
    calls = [{**call, "id": "a"}, {**call, "id": "b"}]
    replies = [{"role": "tool", "tool_call_id": each, "content": each} for each in ("b", "a")]
    row = {"messages": [CALLED[0], {"role": "assistant", "tool_calls": calls}, *replies]}
    assert convert([row], "--plan", "messages", "--to-plan", "llamafactory-v1") == ["OCB-SHAPE"]


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        (
            "alpaca",
            {"instruction": "Why?", "input": "", "output": "Because.", "system": "S", "history": [["a", "b"]], "n": 1},
        ),
        (
            "sharegpt",
            {"conversations": [{"from": "human", "value": "Why?"}, {"from": "bing", "value": "B", "x": 1}], "n": 1},
        ),
        ("preference", {"prompt": TURNS[:1], "chosen": TURNS[1:2], "rejected": TURNS[3:], "n": 1}),
        ("stepwise", {"prompt": TURNS[:1], "completions": ["One.", "Two."], "labels": [True, False]}),
        ("kto", {"prompt": TURNS[:1], "completion": TURNS[1:2], "label": False}),
    ],
)
def test_a_row_is_restored_in_its_own_layout(layout: str, row: Any, convert: Convert) -> None:
    assert convert([row], "--plan", layout, "--to-plan", layout, "--strict") == [row]


def test_each_turn_becomes_a_row(convert: Convert) -> None:
    row = {"id": 3, "messages": [*TURNS, {"role": "user", "content": "And?"}]}
    assert convert([row], "--plan", "messages", "--to-plan", "prompt-completion", "--turns", "each") == [
        {"id": 3, "prompt": TURNS[:1], "completion": TURNS[1:2]},
        {"id": 3, "prompt": TURNS[:3], "completion": TURNS[3:]},
    ]
    assert convert([{"messages": TURNS[:1]}], "--plan", "messages", "-t", "openai", "--turns", "each") == ["OCB-SHAPE"]


def test_messages_after_the_last_turn_are_reported_as_lost(batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": TURNS[:3]}))
    report = tmp_path / "report.json"
    given = ("--plan", "messages", "-t", "openai", "--turns", "each", "--dry-run", "--report", report)
    assert batch(tmp_path / "a.jsonl", *given) == 0
    [loss] = json.loads(report.read_text())["losses"]["message"]["examples"]
    assert (loss["path"], loss["severity"]) == ("/messages/2", "lost")


def test_parquet_rows_go_through_a_plan(batch: Run, tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    calls = [{"function": {"name": "f", "arguments": {"a": 1, "b": None}}}]
    rows = [
        {
            "messages": [{"role": "user", "content": "Why?", "tool_calls": None}],
            "system": "Be kind.",
            "tools": None,
            "n": 1,
        },
        {
            "messages": [{"role": "assistant", "content": None, "tool_calls": calls}],
            "system": None,
            "tools": json.dumps([TOOL]),
            "n": 2,
        },
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    report = tmp_path / "report.json"
    assert (
        batch(
            tmp_path / "rows.parquet", "--plan", "auto", "-t", "canonical", "-o", tmp_path / "out", "--report", report
        )
        == 0
    )
    first, second = (json.loads(line) for line in (tmp_path / "out" / "rows.jsonl").read_text().splitlines())
    assert [each["content"] for each in first["messages"]] == ["Be kind.", "Why?"]
    assert (first["n"], second["messages"][0]["content"], second["tools"][0]["name"]) == (1, '{"a":1}', "f")
    assert json.loads(report.read_text())["findings"]["arrow-padding"]["records"] == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--plan", "alpacca", "-t", "openai"), "did you mean alpaca?"),
        (("--plan", "alpaca", "-f", "openai", "-t", "openai"), "leave out --from"),
        (("--plan", "alpaca", "--to-plan", "glaive"), "can be read, but not written"),
        (("--plan", "alpaca", "--to-plan", "alpaca", "-t", "openai"), "leave out --to"),
        (("--plan", "no/such.yaml", "-t", "openai"), "no/such.yaml"),
    ],
)
def test_wrong_options_are_errors_before_the_run(
    arguments: Any, reason: str, batch: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n")
    assert batch(tmp_path / "a.jsonl", "-o", tmp_path / "out", *arguments) in (1, 2)
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("layout: 2001-99-99", "put it in quotes if it is a text"),
        ("layout: [alpaca", "not YAML"),
        (f"layout: {'[' * 10_000}", "deeper than is safe"),
        (f"layout: {'x' * 10_000}", "(10,000 characters); there are adk, adk-evals, agent-data-protocol, "),
    ],
)
def test_a_file_that_is_not_a_plan_is_an_error_in_one_line(
    text: str, reason: str, batch: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.yaml").write_text(text)
    assert batch(tmp_path / "plan.yaml", "--plan", tmp_path / "plan.yaml", "-t", "openai", "-o", tmp_path / "out") == 2
    err = capsys.readouterr().err
    assert reason in err
    assert (err.count("\n"), len(err) < 1000) == (1, True)


# --- what `plan` proposes ---------------------------------------------------------------------------------------------

PROPOSED = {
    "axolotl_alpaca.json": "alpaca",
    "axolotl_conversation.json": "sharegpt",
    "axolotl_docs_rows.jsonl": "sharegpt, messages",
    "bfcl_parallel_50.jsonl": "bfcl",
    "fastchat_dummy_conversation.jsonl": "sharegpt",
    "glaive_v2_row.jsonl": "glaive",
    "hermes_few_shot.json": "dialogue",
    "llamafactory_alpaca_en_50.json": "alpaca",
    "llamafactory_dpo_en_50.json": "sharegpt",
    "llamafactory_glaive_toolcall_en.jsonl": "sharegpt",
    "llamafactory_kto_en_50.json": "messages",
    "llamafactory_v1_sft_50.jsonl": "llamafactory-v1",
    "msswift_alpaca_history.jsonl": "alpaca",
    "msswift_query_history.jsonl": "alpaca",
    "msswift_sharegpt_pairs.jsonl": "pairs",
    "oasst2_trees.jsonl": "oasst",
    "taubench_fewshot_display_airline.jsonl": "dialogue",
    "xlam_row.jsonl": "xlam",
    "xtuner_multi_turn_toy.json": "pairs",
}


@pytest.mark.parametrize("name", PROPOSED)
def test_public_data_is_converted_with_the_proposed_plan(name: str, batch: Run, tmp_path: Path) -> None:
    """No row is quarantined, and the number of rows is the same."""
    data = corpus_path("legacy", name)
    (tmp_path / "plan.yaml").write_text(text := propose([str(data)], 30))
    assert f"layout: {PROPOSED[name] if ',' not in PROPOSED[name] else f'[{PROPOSED[name]}]'}\n" in text
    report = tmp_path / "report.json"
    given = ("--plan", tmp_path / "plan.yaml", "-t", "canonical", "--dry-run", "--limit", "20", "--report", report)
    assert batch(data, *given) == 0
    counts = json.loads(report.read_text())
    assert counts["outcomes"]["lossy"] == counts["outcomes"]["quarantined"] == 0
    assert counts["characters"]["read"] == counts["characters"]["written"] > 0


ROW = {"instruction": "Why?", "output": "Because."}
SEQUENCE = {"from": ["human", "gpt"], "value": ["Why?", "Because."]}
ASKED = {"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b"\xef\xbb\xbf" + json.dumps([ROW, ROW], indent=2).encode()),
        ("a.json", b"\xef\xbb\xbf" + b"\r\n".join([json.dumps(ROW).encode()] * 2)),
        ("a.jsonl", b"\n".join(json.dumps({name: SEQUENCE}).encode() for name in ("conversations", "messages"))),
        ("a.txt", b"\n".join([json.dumps(ROW).encode()] * 2)),
        ("a.jsonl", b'{"q":"Why?","a":"Because."}\n\n \r\n{"Q":"Why?","A":"Because."}'),
    ],
    ids=("an array behind a mark", "lines behind a mark", "a sequence", "lines of any name", "short names"),
)
def test_rows_are_found_in_the_files_in_which_they_are_stored(
    name: str, data: bytes, batch: Run, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    assert batch("--plan", "auto", "-t", "openai", tmp_path / name, "-o", tmp_path / "out") == 0
    [output] = (tmp_path / "out").glob("a.*")
    assert [json.loads(line) for line in output.read_bytes().splitlines()] == [ASKED] * 2


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.jsonl", json.dumps([ROW, ROW]), "OCB-SHAPE"),
        ("a.jsonl", '["Why?","Because."]', "OCB-SHAPE"),
        ("a.jsonl", '{"role":"user","content":"Why?"}', "OCB-SHAPE"),
        ("a.json", '[{"instruction":"a","output":b}]', "OCB-JSON"),
        ("a.jsonl", '{"prompt":"Why?","responses":["So","Or so"]}', "OCB-SHAPE"),
    ],
    ids=("a list of rows", "a list of texts", "a message", "broken", "several answers"),
)
def test_rows_that_would_lose_members_without_a_report_are_refused(
    name: str, data: str, code: str, batch: Run, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(data)
    assert batch("--plan", "auto", "-t", "openai", tmp_path / name, "-o", tmp_path / "out") == 6
    [quarantine] = (tmp_path / "out").glob("*.quarantine.jsonl")
    assert json.loads(quarantine.read_bytes())["code"] == code


@pytest.mark.parametrize(
    ("row", "plan"),
    [
        ({"t": [{"speaker": "Q", "utterance": "A"}]}, {"role": "speaker", "text": "utterance"}),
        ({"t": [{"x": "customer", "y": "agent"}, {"x": "agent", "y": "Hi"}]}, {"role": "x", "text": "y"}),
        ({"t": [{"a": "b", "c": "d"}]}, None),
        ({"version": "1", "data": [{"instruction": "Hi", "output": "Ho"}]}, None),
    ],
    ids=("by its name", "by its words", "nothing tells", "rows inside"),
)
def test_the_key_of_the_speaker_is_proposed_only_with_evidence(
    row: dict[str, Any], plan: dict[str, str] | None, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    proposed = yaml.safe_load(propose([str(tmp_path / "a.jsonl")], 10))
    known = {key: proposed[key] for key in ("role", "text") if key in proposed}
    assert known == (plan or {})
    assert proposed["layout"] == ("messages" if plan else "auto")


@pytest.mark.parametrize(
    ("turns", "roles"),
    [
        (["system", "user", "ai", "tool"], ["system", "user", "assistant", "tool"]),
        (["Ann", "Bob"], ["user", "assistant"]),
        (["user", "Bob"], ["user", "assistant"]),
        (["Ann", "Bob", "Cy"], ["user", "assistant", "Cy"]),
    ],
    ids=("known words", "strangers", "one of each", "a third one"),
)
def test_known_words_for_roles_are_mapped_and_a_third_unknown_speaker_is_not(
    turns: list[str], roles: list[str], convert: Convert, tmp_path: Path
) -> None:
    row = {"id": 1, "log": [{"speaker": each, "text": f"Said by {each}."} for each in turns]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    (tmp_path / "plan.yaml").write_text(propose([str(tmp_path / "a.jsonl")], 10))
    [written] = convert([row], "--plan", str(tmp_path / "plan.yaml"), "-t", "openai")
    assert [turn["role"] for turn in written["messages"]] == roles


@pytest.mark.parametrize(
    "line",
    [
        [["Why?", "Because."]],
        [{"role": "user", "text": "Why?"}, {"role": "assistant", "text": "Because."}],
        [{"speaker": "user", "text": "Why?"}, {"speaker": "bot", "text": "Because."}],
    ],
    ids=("pairs", "role and text", "speaker and text"),
)
def test_a_line_may_be_a_list_of_messages(line: list[Any], convert: Convert) -> None:
    messages = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    assert convert([line], "--plan", "auto", "-t", "openai") == [{"messages": messages}]


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        ({"speaker": "user", "text": "Why?"}, "jq -sc '{messages: .}' DATA > rows.jsonl"),
        ({"role": "user", "content": "Why?"}, "jq -sc '{messages: .}' DATA > rows.jsonl"),
        ({"session_id": "a", "role": "user", "message": "Why?"}, "jq -sc 'group_by(.session_id)[] | {messages: .}'"),
        ({"text": r"<|im_start|>user\nWhy?<|im_end|>"}, "write them as line ends: jq"),
    ],
    ids=("a speaker a row", "a message a row", "a message of a session a row", "no line ends"),
)
def test_the_proposal_shows_the_command_that_repairs_the_rows(row: dict[str, Any], advice: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    proposed = propose([str(tmp_path / "a.jsonl")], 10)
    assert advice in proposed
    assert yaml.safe_load(proposed) == {"layout": "auto"}


def test_a_row_without_a_text_is_not_a_message_whatever_its_columns(tmp_path: Path) -> None:
    rows = ({"name": "weather", "description": "Weather."}, {"id": "7", "scenario": "customer"})
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    proposed = propose([str(tmp_path / "a.jsonl")], 10)
    assert "No conversation was found" in proposed
    assert yaml.safe_load(proposed) == {"layout": "auto"}


def test_turns_with_other_keys_are_written_in_the_words_of_sharegpt(convert: Convert) -> None:
    """Rows as ms-swift has them, docs/source_en/Customization/Custom-dataset.md (Apache-2.0)."""
    call = {"role": "tool_call", "content": '{"name": "f", "arguments": {}}'}
    calls = {"messages": [TURNS[0], call, {"role": "tool_response", "content": "1"}, {**TURNS[1], "loss": False}]}
    [written] = convert([calls], "--plan", "sharegpt", "--to-plan", "sharegpt")
    assert [turn["from"] for turn in written["conversations"]] == ["human", "function_call", "observation", "gpt"]
    assert written["conversations"][3] == {"from": "gpt", "value": TURNS[1]["content"], "loss": False}
    [written] = convert(
        [{"messages": TURNS[:2], "rejected_response": "No."}], "--plan", "auto", "--to-plan", "sharegpt"
    )
    assert written["rejected"] == {"from": "gpt", "value": "No."}
    assert convert([written], "--plan", "sharegpt", "--to-plan", "sharegpt") == [written]


def test_a_history_of_a_row_is_not_read_as_rows(tmp_path: Path) -> None:
    earlier = {"inputs": {"question": "Why?"}, "outputs": {"answer": "Because."}}
    (tmp_path / "a.jsonl").write_text(json.dumps({"chat_history": [earlier], "question": "So?"}) + "\n")
    assert "Take them out" not in propose([str(tmp_path / "a.jsonl")], 10)


def test_chats_in_a_history_are_rows(tmp_path: Path) -> None:
    chat = {"id": "4", "name": "Why?", "messages": TURNS[:2], "prompt": "Be kind."}
    export = json.dumps({"version": 4, "history": [chat], "folders": [], "prompts": []})
    (tmp_path / "a.jsonl").write_text(export)
    assert """jq -c 'del(.["history"]) + .["history"][]' DATA""" in propose([str(tmp_path / "a.jsonl")], 10)
    (tmp_path / "a.json").write_text(export)
    assert yaml.safe_load(propose([str(tmp_path / "a.json")], 10)) == {"layout": "messages"}


IN_LISTS: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    ({"data": [ROW, ROW]}, [{}, {}]),
    # LMFlow's data
    ({"type": "text2text", "instances": [ROW, ROW]}, [{"type": "text2text"}] * 2),
    ({"train": [ROW], "test": [ROW], "notes": []}, [{"key": "train", "notes": []}, {"key": "test", "notes": []}]),
    # pandas, DataFrame.to_json: by columns, which is the default, and with orient="split"; `Dataset.to_dict`
    ({name: {"0": each, "1": each} for name, each in ROW.items()}, [{}, {}]),
    ({name: {"x": each, "y": each} for name, each in ROW.items()}, [{"index": "x"}, {"index": "y"}]),
    ({"columns": [*ROW], "index": [0, 1], "data": [[*ROW.values()]] * 2}, [{}, {}]),
    ({name: [each, each] for name, each in ROW.items()}, [{}, {}]),
]


@pytest.mark.parametrize(
    ("stored", "more"), IN_LISTS, ids=["data", "LMFlow", "splits", "columns", "labels", "split", "lists"]
)
def test_rows_in_lists_of_an_object_are_rows(
    stored: dict[str, Any], more: list[Any], batch: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(stored))
    assert batch("--plan", "auto", "-t", "openai", tmp_path / "a.json", "-o", tmp_path / "out") == 0
    written = [json.loads(line) for line in (tmp_path / "out" / "a.jsonl").read_bytes().splitlines()]
    assert written == [{**ASKED, **each} for each in more]


@pytest.mark.parametrize("more", [{"info": {"seed": 1}}, {"tasks": [{"id": 1}]}, {"words": ["a"]}])
def test_a_list_of_rows_is_not_taken_out_of_an_object_with_other_content(more: Any, batch: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"simulations": [ROW], **more}))
    assert batch("--plan", "auto", "-t", "openai", tmp_path / "a.json", "-o", tmp_path / "out") == 6


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "b.parquet").write_bytes(b"torn")
    proposed = propose([str(tmp_path)], 10)
    assert "b.parquet: cannot be read: " in proposed
    assert yaml.safe_load(proposed) == {"layout": "alpaca"}
    with pytest.raises(BridgeError, match="OCB-IO"):
        propose([str(tmp_path / "b.parquet")], 10)


def test_messages_in_a_column_of_any_name_are_found(convert: Convert, tmp_path: Path) -> None:
    row = {"sample": TURNS[:2]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    (tmp_path / "plan.yaml").write_text(propose([str(tmp_path / "a.jsonl")], 10))
    assert convert([row], "--plan", str(tmp_path / "plan.yaml"), "-t", "openai") == [{"messages": TURNS[:2]}]


def test_a_plan_is_proposed_for_turns_with_unknown_keys(tmp_path: Path) -> None:
    turns = [{"who": "Customer", "said": "Hi, I need help."}, {"who": "Agent", "said": "What is it?"}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1, "dialog_turns": turns}))
    text = propose([str(tmp_path / "a.jsonl")], 10)
    assert 'columns: {"messages": "dialog_turns"}\nrole: "who"\ntext: "said"\n' in text
    assert 'roles: {"Customer": "user", "Agent": "assistant"}' in text


def test_no_plan_is_proposed_for_turns_with_more_than_texts(tmp_path: Path) -> None:
    """AutoGen's messages: calls are a list under the key that texts have."""
    turns = [{"source": "user", "content": "Rome?", "type": "Text"}, {"source": "a", "content": [1], "type": "Call"}]
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": turns}))
    assert yaml.safe_load(propose([str(tmp_path / "a.jsonl")], 10)) == {"layout": "auto"}


@pytest.mark.parametrize("names", [("response1", "response2"), ("Output_A", "Output_B"), ("generations", "note")])
def test_no_plan_is_proposed_that_would_leave_out_answers(names: tuple[str, str], tmp_path: Path) -> None:
    """HelpSteer3 without its verdict: the question, and two answers in other columns."""
    first, second = names
    row = {"context": [{"role": "user", "content": "Why?"}], first: "Because.", second: "No."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    text = propose([str(tmp_path / "a.jsonl")], 10)
    assert yaml.safe_load(text) == {"layout": "auto"}
    assert f'several answers ("{first}"' in text


def test_a_plan_names_the_place_of_a_conversation_inside_of_a_column(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": 1, "data": {"prompt": "Why?", "completion": "Because."}}))
    proposed = yaml.safe_load(propose([str(tmp_path / "a.jsonl")], 10))
    places = {"instruction": "data.prompt", "output": "data.completion"}
    assert proposed == {"layout": "prompt-completion", "columns": places}


def test_every_layout_is_documented() -> None:
    from sources import ROOT

    page = (ROOT / "docs" / "layouts.md").read_text("utf-8")
    for layout in LAYOUTS:
        assert f"\n| `{layout.name}` |" in page


@pytest.mark.long
def test_a_layout_reads_what_it_writes_or_refuses() -> None:
    """A row that is written for a random conversation is read as that conversation."""
    import hypothesis
    from hypothesis import strategies as st

    from ocml_bridge import write
    from ocml_bridge.report.policy import LENIENT
    from ocml_bridge.testing.strategies import transcripts

    def whole(document: Any) -> Transcript:
        assert isinstance(document, Transcript)
        return document

    writable = [layout for layout in LAYOUTS if layout.writes is not None]

    @hypothesis.given(transcripts(), st.sampled_from(writable))
    @examples(200)
    def check(document: Any, layout: Any) -> None:
        output = write(document, layout.format, policy=LENIENT).output
        try:
            row, losses = layout.write(output)
        except BridgeError as error:
            hypothesis.assume(error.code != "OCB-SHAPE")
            raise
        [back] = layout.read(row)
        if not losses:
            one, other = (whole(read(each, layout.format).transcript) for each in (output, back.value))
            assert [each.content for each in one.messages] == [each.content for each in other.messages]

    check()


def test_a_plan_of_a_format_reads_whole_rows(convert: Convert) -> None:
    row = {"id": 1, "model": "m", "max_tokens": 3, "messages": [{"role": "user", "content": "Why?"}]}
    [written] = convert([row], "--plan", "anthropic", "-t", "openai", "--strict")
    assert (written["id"], written["model"], written["messages"]) == (1, "m", TURNS[:1])
    assert plan_of("auto").layout == (AUTO,)


def test_inputs_with_one_name_in_several_folders_have_different_outputs(batch: Run, tmp_path: Path) -> None:
    for number in range(6):
        folder = tmp_path / "data" / str(number)
        folder.mkdir(parents=True)
        (folder / "a.json").write_text(json.dumps({"prompt": f"{number}", "more": {"a": [1, 2]}}, indent=2))
    assert batch(tmp_path / "data", "-j", "2", "--plan", "prompt", "-t", "openai", "-o", tmp_path / "out") == 0
    for number in range(6):
        [row] = (tmp_path / "out" / str(number) / "a.jsonl").read_text().splitlines()
        assert json.loads(row) == {"messages": [{"role": "user", "content": f"{number}"}], "more": {"a": [1, 2]}}


def test_a_recorded_stream_is_read_as_its_answer(batch: Run, tmp_path: Path) -> None:
    begin: dict[str, Any] = {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in "ab"
    ]
    ends = [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    ]
    (tmp_path / "a.json").write_text(json.dumps([begin, block, *deltas, *ends], indent=1))
    assert batch(tmp_path / "a.json", "--plan", "auto", "-t", "chatml", "-o", tmp_path / "out") == 0
    [row] = (tmp_path / "out" / "a.jsonl").read_text().splitlines()
    assert json.loads(row) == {"text": "<|im_start|>assistant\nab<|im_end|>\n"}


ODD_NAMES = ["a\nlayout: kto", "a\rb", "\0", "\x7f", "\x85", "\u2028", "\ufffe", "\ud800", "# \"'{[", "\U000e0001"]


def proposed(row: dict[str, Any], batch: Run, tmp_path: Path) -> list[dict[str, Any]]:
    """Convert a row with the plan that is proposed for it; returns the rows of the output."""
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    (tmp_path / "plan.yaml").write_text(propose([str(tmp_path / "a.jsonl")], 10), "utf-8")
    args = ("--plan", tmp_path / "plan.yaml", "-t", "openai", tmp_path / "a.jsonl", "-o", tmp_path / "out")
    assert batch(*args) in (0, 6)
    return [json.loads(line) for line in (tmp_path / "out" / "a.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_plan_is_proposed_for_columns_with_any_names(name: str, batch: Run, tmp_path: Path) -> None:
    [row] = proposed({"instruction": "Why?", "output": "Because.", name: 1}, batch, tmp_path)
    assert (len(row["messages"]), row[name]) == (2, 1)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_plan_is_proposed_for_turns_with_keys_of_any_names(name: str, batch: Run, tmp_path: Path) -> None:
    turns = [{name: "Why?", "by": "user"}, {name: "Because.", "by": "assistant"}]
    [row] = proposed({"said": turns, "id": 1}, batch, tmp_path)
    assert [each["content"] for each in row["messages"]] == ["Why?", "Because."]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_proposal_without_a_conversation_works_for_columns_with_any_names(
    name: str, batch: Run, tmp_path: Path
) -> None:
    assert proposed({name: 1}, batch, tmp_path) == []


@pytest.mark.long
def test_requests_and_responses_are_converted_with_the_proposed_plan(batch: Run, tmp_path: Path) -> None:
    """Each request, response and recorded stream is a conversation; error responses of the APIs are not."""
    data = corpus_path("wires")
    (tmp_path / "plan.yaml").write_text(propose([str(data)], 1000))
    batch(data, "-j", "2", "--plan", tmp_path / "plan.yaml", "-t", "canonical", "-o", tmp_path / "out")
    quarantines = list((tmp_path / "out").rglob("*.quarantine.jsonl"))
    refused = [json.loads(line) for path in quarantines for line in path.read_text("utf-8").splitlines()]
    assert {Path(each["input"]).name for each in refused} <= {"error.json", "SOURCES.tsv", "wires"}


def test_files_of_texts_are_read_by_their_tokens(batch: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    asked = "<|im_start|>user\nWhy?<|im_end|>\n"
    (folder / "a.txt").write_text(asked)
    (folder / "b.txt").write_text("[BOS]<|im_start|>user\nWhy?<|im_end|>[EOS]" * 2)
    (folder / "c.txt").write_text("no conversation")
    assert "chatml" in propose([str(folder)], 10)
    assert batch(folder, "--plan", "auto", "-t", "openai", "-o", tmp_path / "out") == 6
    rows = [json.loads(line) for line in (tmp_path / "out" / "data.jsonl").read_text().splitlines()]
    assert [row["messages"] for row in rows] == [TURNS[:1]] * 3
    [refused] = [json.loads(line) for line in (tmp_path / "out" / "data.quarantine.jsonl").read_text().splitlines()]
    assert (refused["file"], refused["code"]) == ("c.txt", "OCB-SHAPE")


def test_a_plan_may_contain_the_target_and_the_refused_losses(batch: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("layout: messages\noptions:\n  to: chatml\n  refuse: [name, weight]\n")
    rows = [{"messages": TURNS[:1]}, {"messages": [{**TURNS[1], "weight": 0}]}]
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert batch(tmp_path / "a.jsonl", "--plan", plan, "-o", tmp_path / "out") == 6
    assert (tmp_path / "out" / "a.jsonl").read_text().count("<|im_start|>") == 1
    assert (
        batch(tmp_path / "a.jsonl", "--plan", plan, "-t", "openai", "--refuse", "media", "-o", tmp_path / "other") == 0
    )
    assert [json.loads(line) for line in (tmp_path / "other" / "a.jsonl").read_text().splitlines()] == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [("{too: chatml}", "'too'"), ("[chatml]", "must map options to values"), ("{~: chatml}", "must map options")],
)
def test_unknown_options_of_a_plan_are_named(
    options: str, message: str, batch: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plan.yaml").write_text(f"layout: messages\noptions: {options}\n")
    (tmp_path / "a.jsonl").write_text("{}")
    assert batch(tmp_path / "a.jsonl", "--plan", tmp_path / "plan.yaml", "-o", tmp_path / "out") == 2
    assert message in capsys.readouterr().err


def test_the_error_for_a_row_with_an_empty_list_names_the_list() -> None:
    with pytest.raises(BridgeError, match="there is no conversation in this row: 'conversations' is empty"):
        read_row(Plan((AUTO,)), {"id": 1, "conversations": []})


def test_rows_with_single_messages_of_a_tree_are_refused(tmp_path: Path) -> None:
    """Open Assistant: the file of single messages is in the order of a tree, in which one may have several answers."""
    row = {"message_id": "a", "parent_id": None, "text": "Why?", "role": "prompter", "message_tree_id": "a"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    text = propose([str(tmp_path / "a.jsonl")], 10)
    assert "read the file of trees" in text
    assert "jq -sc" not in text
