"""Rows with several answers: the better one is in the conversation, and a rejected one is its alternative."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWERED,
    ASK,
    ASKED,
    BOTH,
    SWIFT,
    TURN,
    TURNS,
    WEATHER,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations


def request(answer: str) -> dict[str, Any]:
    return {"messages": [ASK, {"role": "assistant", "content": answer}]}


def contents(answer: str) -> dict[str, Any]:
    turns = (("user", "Why?"), ("model", answer))
    return {"contents": [{"role": role, "parts": [{"text": text}]} for role, text in turns]}


CHATML = "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>\n"
LLAMA_3 = (
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>"
)
HARMONY = "<|start|>user<|message|>Why?<|end|><|start|>assistant<|channel|>final<|message|>{}<|end|>"
DOCUMENTS: list[tuple[Any, Any]] = [
    (form("Because."), form("No.")) for form in (CHATML.format, HARMONY.format, request, contents)
]


NOVA: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": "Why?"}]},
    {
        "role": "assistant",
        "candidates": [
            {"content": [{"text": text}], "preferenceLabel": label}
            for text, label in (("No.", "non-preferred"), ("Because.", "preferred"))
        ],
    },
]


ROWS: list[RowCase] = [
    # axolotl (Apache-2.0), prompt_strategies/kto/chatml.py: `argilla_chat` reads the prompt from `chosen`
    ("kto", {"chosen": [ASK], "completion": [{"role": "assistant", "content": "Because."}], "label": True}, BOTH),
    ("kto", {"chosen": [ASK], "completion": [ASK, {"role": "assistant", "content": "Because."}], "label": True}, BOTH),
    # Amazon Nova's preference tuning (its user guide, customize-fine-tune-hyperpod-dpo)
    (
        "nova-preference",
        {
            "schemaVersion": "bedrock-conversation-2024",
            "system": [{"text": "Be kind."}],
            "messages": NOVA,
        },
        [("system", "Be kind."), *BOTH],
    ),
    # An empty prompt next to whole conversations is not a message
    (
        "preference",
        {
            "prompt": "",
            "chosen": [ASK, {"role": "assistant", "content": "Because."}],
            "rejected": [ASK, {"role": "assistant", "content": "No."}],
        },
        BOTH,
    ),
    # OpenRLHF: the question is in a column of messages
    ("preference", {"context_messages": [ASK], "chosen": "Because.", "rejected": "No."}, BOTH),
    # AlpacaFarm's and AlpacaEval's annotations have the number as a float
    ("compared", {"instruction": "Why?", "output_1": "No.", "output_2": "Because.", "preference": 2.0}, BOTH),
    # StackExchange: answers with their votes
    (
        "ranked",
        {"question": "Why?", "answers": [{"text": "No.", "pm_score": 0}, {"text": "Because.", "pm_score": 3}]},
        BOTH,
    ),
    # preferences that `batch` wrote in a format without them: texts, and JSON of wires
    *[
        ("preferred-documents", {"chosen": chosen, "rejected": rejected, "question": "?"}, BOTH)
        for chosen, rejected in DOCUMENTS
    ],
    # names of the better and the worse answer
    *[
        ("preference", {"prompt": "Why?", better: "Because.", worse: "No.", "selected": True}, BOTH)
        for better, worse in (
            *(("win", "lose"), ("better", "worse"), ("response_w", "response_l"), ("chosen_answer", "rejected_answer")),
            *(("completion_chosen", "completion_rejected"), ("preferred_output", "dispreferred_output")),
        )
    ],
    # RLHFlow's iterative DPO: answers with rewards next to them
    (
        "ranked",
        {"context": "?", "context_messages": [ASK], "responses": ["No.", "Because."], "rewards": [-1.5, 2.0]},
        BOTH,
    ),
    # Chatbot Arena: two conversations, and the winner
    (
        "arena",
        {
            "conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
            "winner": "model_a",
        },
        [ASKED, ANSWERED],
    ),
    # Search Arena (its card): the columns have another name
    (
        "arena",
        {
            "messages_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
            "messages_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "winner": "model_b",
        },
        [ASKED, ANSWERED],
    ),
    # axolotl's example of other names for a preference (docs/rlhf.qmd, `chat_template.default`)
    (
        "preference",
        {
            "conversation": [{"sender": "user", "text": "Why?"}],
            "better": {"sender": "assistant", "text": "Because."},
            "worse": {"sender": "assistant", "text": "No."},
        },
        [ASKED, ANSWERED],
    ),
    # HelpSteer3 and HelpSteer2 (their cards): two answers; the first one is better if the number is negative
    (
        "compared",
        {
            "context": [{"role": "user", "content": "Why?"}],
            "response1": "Because.",
            "response2": "No.",
            "overall_preference": -2,
        },
        [ASKED, ANSWERED],
    ),
    (
        "compared",
        {"prompt": "Why?", "response_1": "No.", "response_2": "Because.", "preference_strength": 1},
        [ASKED, ANSWERED],
    ),
    (
        "compared",
        {"prompt": "Why?", "response_1": "No.", "response_2": "Because.", "preference_strength": "3"},
        [ASKED, ANSWERED],
    ),
    # PKU-SafeRLHF: the number of the better answer, counted from 0
    (
        "compared",
        {"prompt": "Why?", "response_0": "Because.", "response_1": "No.", "better_response_id": 0},
        [ASKED, ANSWERED],
    ),
    (
        "compared",
        {"prompt": "Why?", "response_0": "No.", "response_1": "Because.", "better_response_id": 1},
        [ASKED, ANSWERED],
    ),
    # AlpacaFarm: the number of the better answer, counted from 1
    (
        "compared",
        {"instruction": "Why?", "output_1": "No.", "output_2": "Because.", "preference": 2},
        [ASKED, ANSWERED],
    ),
    # WebGPT: a score of each answer, and a question with its source
    (
        "compared",
        {
            "question": {"dataset": "eli5", "id": "1", "full_text": "Why?"},
            "answer_0": "No.",
            "answer_1": "Because.",
            "score_0": -0.5,
            "score_1": 0.5,
        },
        [ASKED, ANSWERED],
    ),
    # SHP: the number of votes for each answer
    (
        "compared",
        {"history": "Why?", "human_ref_A": "Because.", "human_ref_B": "No.", "labels": 1, "score_A": 5, "score_B": 2},
        [ASKED, ANSWERED],
    ),
    # the competition about LMSYS' data: all turns of each side in a list
    (
        "compared",
        {
            "prompt": '["Hi", "Why?"]',
            "response_a": '["No.", "No."]',
            "response_b": '["Hello", "Because."]',
            "winner_model_a": 0,
            "winner_model_b": 1,
            "winner_tie": 0,
        },
        [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # TRL, dataset formats
    ("preference", {"prompt": "Why?", "chosen": "Because.", "rejected": "No."}, [ASKED, ANSWERED]),
    ("preference", {"chosen": "Why? Because.", "rejected": "Why? No."}, [("user", "Why?"), ("assistant", " Because.")]),
    (
        "preference",
        {
            "chosen": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "rejected": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
        },
        [ASKED, ANSWERED],
    ),
    # both answers repeat the prompt (argilla, UltraFeedback)
    (
        "preference",
        {
            "prompt": "Why?",
            "chosen": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "rejected": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
        },
        [ASKED, ANSWERED],
    ),
    # Anthropic's HH-RLHF
    (
        "preference",
        {"chosen": "\n\nHuman: Why?\n\nAssistant: Because.", "rejected": "\n\nHuman: Why?\n\nAssistant: No."},
        [ASKED, ANSWERED],
    ),
    # torchtune, preference datasets
    (
        "preference",
        {"chosen_conversations": [TURN, {"from": "gpt", "value": "Because."}], "rejected_conversations": [TURN, TURN]},
        [ASKED, ANSWERED],
    ),
    ("preference", {"question": "Why?", "response_j": "Because.", "response_k": "No."}, [ASKED, ANSWERED]),
    # Nectar: answers with their ranks; UltraFeedback: with their scores
    (
        "ranked",
        {
            "prompt": "\n\nHuman: Why?\n\nAssistant: ",
            "answers": [
                {"answer": "No.", "model": "a", "rank": 2.0},
                {"answer": "Because.", "model": "b", "rank": 1.0},
            ],
        },
        [ASKED, ANSWERED],
    ),
    (
        "ranked",
        {
            "instruction": "Why?",
            "completions": [{"response": "No.", "overall_score": 2}, {"response": "Because.", "overall_score": 8.5}],
        },
        [ASKED, ANSWERED],
    ),
    # ELI5 (its card): a list for each member of the answers, and their scores
    (
        "ranked",
        {
            "q_id": "8houtx",
            "title": "Why?",
            "selftext": "",
            "answers": {"a_id": ["dylcnfk", "dylcj49"], "text": ["No.", "Because."], "score": [2, 5]},
        },
        [ASKED, ANSWERED],
    ),
    # chatml_dpo_pairs (its card): the prompt is rendered, and the answers continue it
    (
        "rendered-preference",
        {
            "prompt": "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n",
            "chosen": "Because.<|im_end|>\n",
            "rejected": "No.<|im_end|>\n",
        },
        [ASKED, ANSWERED],
    ),
    # Nemotron's preferences (NeMo-Aligner, docs/user-guide/dpo.rst)
    (
        "rendered-preference",
        {
            "prompt": "<extra_id_0>System\n\n<extra_id_1>User\nWhy?\n<extra_id_1>Assistant\n",
            "chosen_response": "Because.\n<extra_id_1>",
            "rejected_response": "No.\n<extra_id_1>",
            "chosen_reward": 5,
        },
        [ASKED, ANSWERED],
    ),
    ("preference", {"prompt": "Why?", "accept": "Because.", "reject": "No."}, [ASKED, ANSWERED]),
    ("won", {"prompt": "Why?", "winner": "Because.", "loser": "No."}, [ASKED, ANSWERED]),
    # next to answers, the winner is one of them
    (
        "compared",
        {"prompt": "Why?", "winner": "model_b", "loser": "model_a", "response_a": "No.", "response_b": "Because."},
        [ASKED, ANSWERED],
    ),
    # UltraInteract: the turns before the two answers
    ("preference", {"trajectory": [TURN], "chosen": "Because.", "rejected": "No.", "parent_id": "0"}, BOTH),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


@pytest.mark.parametrize(
    ("row", "rejected"),
    [
        ({"prompt": "Why?", "chosen": "Because.", "rejected": "No."}, "No."),
        ({"instruction": "Why?", "input": "", "chosen": "Because.", "rejected": "No."}, "No."),
        ({"chosen": "The sky is blue.", "rejected": "The sky is green."}, " green."),
        (
            {
                "conversations": [{"from": "human", "value": "Why?"}],
                "chosen": {"from": "gpt", "value": "B"},
                "rejected": {"from": "gpt", "value": "No."},
            },
            "No.",
        ),
        (
            {
                "conversation": [ASK],
                "chosen": {"role": "assistant", "content": "Because."},
                "rejected": {"role": "assistant", "content": "No."},
            },
            "No.",
        ),
        ({"prompt": "Why?", "response_chosen": "Because.", "response_rejected": "No."}, "No."),
        # OpenPipe's messages, and distilabel's answers with ratings
        (
            {
                "messages": [ASK, {"role": "assistant", "content": "Because."}],
                "rejected_message": {"role": "assistant", "content": "No."},
            },
            "No.",
        ),
        ({"instruction": "Why?", "generations": ["No.", "Because."], "ratings": [1, 5]}, "No."),
        # next to a rejected answer, the answer is the chosen one
        ({"question": "Why?", "answer": "Because.", "rejected": "No."}, "No."),
        ({"instruction": "Why?", "input": "", "output": "Because.", "rejected_output": "No."}, "No."),
        ({"prompt": "Why?", "completion": "Because.", "rejected": ["No.", "Eh."]}, "No."),
        ({"input": "Why?", "accepted": "Because.", "rejected": "No."}, "No."),
        ({"prompt": "Why?", "pos_resp": "Because.", "neg_resp": "No."}, "No."),
        # both answers repeat the prompt in the middle of their conversations
        (
            {
                "prompt": "So?",
                "chosen": [ASK, {"role": "user", "content": "So?"}, {"role": "assistant", "content": "Because."}],
                "rejected": [ASK, {"role": "user", "content": "So?"}, {"role": "assistant", "content": "No."}],
            },
            "No.",
        ),
        # ms-swift, "Custom Dataset", DPO: in each of its formats
        ({"messages": [ASK, {"role": "assistant", "content": "Because."}], "rejected_response": "No."}, "No."),
        ({"query": "Why?", "response": "Because.", "history": [], "rejected_response": "No."}, "No."),
        ({"instruction": "Why?", "input": "", "output": "Because.", "rejected_response": "No."}, "No."),
        ({"conversations": [TURN, {"from": "gpt", "value": "Because."}], "rejected_response": ""}, ""),
        (
            {
                "messages": [ASK, {"role": "assistant", "content": "Because."}],
                "rejected_messages": [ASK, {"role": "assistant", "content": "No."}],
            },
            "No.",
        ),
        (
            {
                "messages": [ASK, {"role": "assistant", "content": "Because."}],
                "rejected_response": [{"role": "assistant", "content": "No."}],
            },
            "No.",
        ),
        # Vertex AI's preference tuning ("Prepare preference tuning data for Gemini models")
        (
            {
                "contents": [{"role": "user", "parts": [{"text": "Why?"}]}],
                "completions": [
                    {"score": score, "completion": {"role": "model", "parts": [{"text": text}]}}
                    for score, text in ((0, "No."), (1.0, "Because."))
                ],
            },
            "No.",
        ),
        ({"messages": NOVA}, "No."),
    ],
)
def test_the_rejected_answer_is_an_alternative(row: dict[str, Any], rejected: str) -> None:
    [conversation] = conversations(row)
    [alternative] = list(conversation.alternatives or ())
    at = len(conversation.messages) - 1
    assert (alternative.label, alternative.at, as_pairs(alternative.messages)) == (
        "rejected",
        at,
        [("assistant", rejected)],
    )
    assert len({each.content for each in conversation.messages}) == len(conversation.messages)  # none is repeated


@pytest.mark.parametrize(
    "verdict",
    [
        {"preference_strength": 0},
        {"better_response_id": "tie"},
        {"winner": "both bad"},
        {"score_1": 0.5, "score_2": 0.5},
        {"better_response_id": 7},
        {"winner": "not 1"},
        {"winner": "vicuna-2"},
        {"preference": "1 is better than 2"},
        {"preference": "A=B"},
    ],
    ids=str,
)
def test_two_answers_of_which_none_is_better_are_two_conversations(verdict: dict[str, Any]) -> None:
    """Neither answer is lost or marked as preferred."""
    row = {"prompt": "Why?", "response_1": "Because.", "response_2": "No.", **verdict}
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, set(found.extra_columns)) == ("compared", set(verdict))
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [ASKED, ANSWERED],
        [ASKED, ("assistant", "No.")],
    ]


@pytest.mark.parametrize(
    "verdict",
    [
        {"winner": "model_b"},
        {"winner": "response_b"},
        {"winner": "B"},
        {"preferred": "b"},
        {"score_a": -1, "score_b": 0},
        {"comparison": "right"},  # Label Studio's JSON-MIN of a pairwise comparison
        {"chosen": "b"},
        {"chosen": "Because."},  # the answer itself
        {"best": "Response B"},
        {"rating_a": 1, "rating_b": 5},
    ],
    ids=str,
)
def test_the_better_answer_is_named_or_has_the_higher_score(verdict: dict[str, Any]) -> None:
    [conversation] = conversations({"prompt": "Why?", "response_a": "No.", "response_b": "Because.", **verdict})
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED]
    assert [as_pairs(each.messages) for each in conversation.alternatives or ()] == [[("assistant", "No.")]]


@pytest.mark.parametrize("sides", [("0", "1"), ("1", "2"), ("a", "b"), ("A", "B")], ids=str)
@pytest.mark.parametrize("verdict", ["model_b", "B", "assistant b", "[[B]]", "B>A", "B>>A", "A<B", "Model B > Model A"])
def test_the_letter_of_a_model_is_that_of_its_answer(verdict: str, sides: tuple[str, str]) -> None:
    """PPE-Human-Preference (its card) has the letters of models and the numbers of answers; JudgeBench has `A>B`."""
    answers = dict(zip([f"response_{side}" for side in sides], ("No.", "Because."), strict=True))
    [conversation] = conversations({"prompt": "Why?", **answers, "winner": verdict})
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED]
    [other] = [*(conversation.alternatives or ())]
    assert as_pairs(other.messages) == [("assistant", "No.")]


@pytest.mark.parametrize(
    ("verdict", "understood"),
    [("tie", True), ("", True), (0, True), ("both_bad", True), ("A=B", True), ("the first", False), (7, False)],
)
def test_a_verdict_that_is_not_understood_is_found(verdict: Any, understood: bool) -> None:  # a case
    for row in ({"prompt": "Why?", "response_1": "No.", "response_2": "So.", "preference": verdict}, ARENA):
        documents = read_row(Plan((AUTO,)), {**row, **({"winner": str(verdict)} if row is ARENA else {})}).documents
        assert [bool(each.findings) for each in documents] == [not understood] * 2


@pytest.mark.parametrize("name", ["a", "A"])
def test_a_letter_alone_is_no_answer_next_to_another(name: str) -> None:
    other = {"a": "b", "A": "B"}[name]
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), {"prompt": "Why?", name: "No.", other: "Because.", "winner": other})


@pytest.mark.parametrize(
    ("row", "name"),
    [
        # SQuAD 2 (its card): a question that the passage does not answer
        ({"question": "Why?", "context": "c", "answers": {"text": [], "answer_start": []}}, "answers"),
        ({"question": "Why?", "answer": None}, "answer"),
        ({"prompt": "Why?", "chosen": None, "rejected": "No."}, "chosen"),
    ],
)
def test_an_answer_that_is_empty_is_named(row: dict[str, Any], name: str) -> None:
    with pytest.raises(BridgeError, match=f"there is no answer in this row: '{name}' is empty"):
        read_row(Plan((AUTO,)), row)


def test_an_answer_that_is_null_is_an_empty_text() -> None:
    """LMSYS's competition of 2024 on Kaggle: the answer of a turn may be null."""
    row = {"prompt": '["Hi","Why?"]', "response_a": '["Hello",null]', "response_b": '["Hello","Because."]'}
    [document] = read_row(Plan((AUTO,)), {**row, "winner_model_a": 0, "winner_model_b": 1}).documents
    assert document.value["non_preferred_output"] == [{"role": "assistant", "content": ""}]
    assert document.value["preferred_output"] == [{"role": "assistant", "content": "Because."}]
    assert [each.path for each in document.findings] == ["/response_a"]


def test_other_members_of_a_question_are_extra_columns() -> None:
    question = {"dataset": "eli5", "id": "1", "full_text": "Why?"}
    row = {"question": question, "answer_0": "No.", "answer_1": "Because.", "score_0": -0.5, "score_1": 0.5}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"question": {"dataset": "eli5", "id": "1"}}


def test_a_rejected_answer_is_an_alternative_to_the_last_turn() -> None:
    """ms-swift: a rejected answer that is a text replaces the last turn."""
    row = {"messages": SWIFT, "tools": json.dumps([WEATHER])}
    for rejected in ("No idea.", [{"role": "assistant", "content": "No idea."}], SWIFT[1:2]):
        [conversation] = conversations({**row, "rejected_response": rejected})
        [alternative] = list(conversation.alternatives or ())
        assert (alternative.at, len(conversation.messages)) == (3, 4)
    [conversation] = conversations({"messages": SWIFT[:2], "rejected_response": "No idea."})
    assert [as_pairs(each.messages) for each in conversation.alternatives or ()] == [[("assistant", "No idea.")]]


@pytest.mark.parametrize(
    "row",
    [
        {"messages": [ASK], "rejected_response": "No."},
        {"messages": [ASK, {"role": "assistant", "content": "Because."}], "rejected_response": None},
        {"messages": [ASK, {"role": "assistant", "content": "Because."}], "rejected_messages": [ASK]},
    ],
)
def test_a_rejected_column_is_an_extra_column_if_one_of_the_two_answers_is_missing(row: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, len(found.extra_columns)) == ("messages", 1)


@pytest.mark.parametrize("name", ["accepted", "chosen_response", "win", "preferred"])
@pytest.mark.parametrize("is_turn", [True, False])
def test_turns_of_sharegpt_have_the_chosen_answer_under_any_name(name: str, is_turn: bool) -> None:
    chosen, rejected = ({"from": "gpt", "value": text} if is_turn else text for text in ("Because.", "No."))
    row = {"conversations": [TURN], name: chosen, "rejected": rejected}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED]
    assert [as_pairs(each.messages) for each in conversation.alternatives or ()] == [[("assistant", "No.")]]
    alone = read_row(Plan((AUTO,)), {"conversations": [TURN], "rejected": rejected})
    assert alone.extra_columns == {"rejected": rejected}


def test_the_first_of_several_rejected_answers_is_the_alternative_and_all_are_extra_columns() -> None:
    """RewardBench 2."""
    found = read_row(Plan((AUTO,)), {"prompt": "Why?", "chosen": ["Because."], "rejected": ["No.", "So."]})
    [document] = found.documents
    assert document.value["preferred_output"] == [{"role": "assistant", "content": "Because."}]
    assert document.value["non_preferred_output"] == [{"role": "assistant", "content": "No."}]
    assert document.extra_columns == {"rejected": ["No.", "So."]}


ARENA: dict[str, Any] = {
    "model_a": "one",
    "model_b": "other",
    "conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
    "conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
}


@pytest.mark.parametrize(("winner", "order"), [("model_a", ["Because.", "No."]), ("model_b", ["No.", "Because."])])
def test_the_winner_of_an_arena_is_the_chosen_answer(winner: str, order: list[str]) -> None:
    found = read_row(Plan((AUTO,)), {**ARENA, "winner": winner})
    [document] = found.documents
    chosen, rejected = (document.value[name] for name in ("preferred_output", "non_preferred_output"))
    assert [answer["content"] for answer in (*chosen, *rejected)] == order
    assert found.extra_columns == {"model_a": "one", "model_b": "other", "winner": winner}


@pytest.mark.parametrize("winner", ["tie", "tie (bothbad)"])
def test_a_tie_in_an_arena_is_two_conversations(winner: str) -> None:
    row = {**ARENA, "winner": winner}
    pairs_of_each = [as_pairs(each.messages) for each in conversations(row)]
    assert pairs_of_each == [[ASKED, ANSWERED], [ASKED, ("assistant", "No.")]]
    assert [each.path for each in read_row(Plan((AUTO,)), row).documents] == ["/conversation_a", "/conversation_b"]


def test_of_ranked_answers_the_best_is_chosen_the_worst_is_rejected_and_all_are_extra_columns() -> None:
    row = {"prompt": "Why?", "answers": [{"answer": f"{rank}", "rank": rank} for rank in (2, 3, 1)]}
    found = read_row(Plan((AUTO,)), row)
    [conversation] = conversations(row)
    [rejected] = [*(conversation.alternatives or ())]
    assert (as_pairs(conversation.messages)[-1][1], as_pairs(rejected.messages)[-1][1]) == ("1", "3")
    assert [*found.extra_columns] == ["answers"]


@pytest.mark.parametrize(
    "rendered", [CHATML, LLAMA_3, "[INST] Why? [/INST] {}</s>"], ids=["chatml", "llama-3", "mistral"]
)
@pytest.mark.parametrize("is_ranked", [True, False])
def test_a_prompt_in_a_template_is_the_conversation_that_it_is(rendered: str, is_ranked: bool) -> None:
    prompt, end = rendered.split("{}")
    lost, won = f"No.{end}", f"Because.{end}"
    compared = {"response_0": lost, "response_1": won, "better_response_id": 1}
    answers: dict[str, Any] = {"responses": [lost, won], "scores": [1, 2]} if is_ranked else compared
    [conversation] = conversations({"prompt": prompt, **answers})
    [rejected] = [*(conversation.alternatives or ())]
    assert [pair[1] for pair in as_pairs(conversation.messages)] == ["Why?", "Because."]
    assert [pair[1] for pair in as_pairs(rejected.messages)] == ["No."]


def test_two_rendered_conversations_of_which_none_is_better_have_their_places() -> None:
    prompt, end = CHATML.split("{}")
    row = {"prompt": prompt, "answer_a": f"Because.{end}", "answer_b": f"No.{end}", "winner": "tie", "seed": 1}
    found = read_row(Plan((AUTO,)), row)
    assert [each.path for each in found.documents] == ["/response_a", "/response_b"]
    assert [as_pairs(each.messages) for each in conversations(row)] == [
        [("user", "Why?"), ("assistant", text)] for text in ("Because.", "No.")
    ]


def test_a_text_beside_a_prompt_in_a_template_is_not_dropped() -> None:
    prompt, end = CHATML.split("{}")
    row = {"prompt": prompt, "response_0": f"B{end}", "response_1": f"C{end}", "better_response_id": 0, "system": "Be."}
    assert as_pairs(conversations(row)[0].messages)[0] == ("system", "Be.")


@pytest.mark.parametrize(
    "row",
    [
        {"prompt": "Why?", "chosen": "So.", "rejected": "So."},
        {"prompt": CHATML.split("{}")[0], "chosen": "So.", "rejected": "So."},
        {"prompt": "Why?", "response_0": "So.", "response_1": "So.", "better_response_id": 1},
    ],
)
def test_answers_that_are_equal_are_found(row: dict[str, Any]) -> None:
    [document] = read_row(Plan((AUTO,)), row).documents
    assert [each.detail for each in document.findings] == ["the answer that was chosen and the rejected one are equal"]
    answers = ("rejected", "response_0")
    [other] = read_row(Plan((AUTO,)), {**row, **{key: "No." for key in answers if key in row}}).documents
    assert other.findings == ()


@pytest.mark.parametrize("spelled", [str, json.dumps])
def test_chosen_and_rejected_may_be_texts_with_a_list_of_messages(spelled: Any) -> None:
    other = [TURNS[0], {"role": "assistant", "content": "No."}]
    row = {"prompt": TURNS[0]["content"], "chosen": spelled(TURNS), "rejected": spelled(other)}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [(turn["role"], turn["content"]) for turn in TURNS]
    [rejected] = [*(conversation.alternatives or ())]
    assert as_pairs(rejected.messages) == [("assistant", "No.")]


@pytest.mark.parametrize("side", ["chosen_response", "rejected_response"])
def test_calls_in_the_texts_of_answers_are_calls(side: str) -> None:
    """When2Call has calls of Nemotron in the texts of both answers."""
    calls = '<TOOLCALL>[{"name": "weather", "arguments": {"city": "Rome"}}]</TOOLCALL>'
    other = "rejected_response" if side == "chosen_response" else "chosen_response"
    answers = {side: {"role": "assistant", "content": calls}, other: {"role": "assistant", "content": "Where?"}}
    [found] = read_row(Plan((AUTO,)), {"tools": [json.dumps(WEATHER)], "messages": [ASK], **answers}).documents
    document: Any = found.value
    place, text = ("preferred_output", "non_preferred_output")[:: 1 if side == "chosen_response" else -1]
    [call] = document[place][0]["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": '{"city":"Rome"}'}
    assert document[text] == [answers[other]]
    assert document["input"]["tools"][0]["function"]["name"] == "weather"


def test_a_call_in_an_answer_that_is_not_json_is_found() -> None:
    row = {"messages": [ASK], "chosen": "<TOOLCALL>[f]</TOOLCALL>", "rejected": "No."}
    [found] = read_row(Plan((AUTO,)), row).documents
    assert [(each.path, each.code.value) for each in found.findings] == [("/preferred_output/0/content", "json-opaque")]


def test_answers_in_a_format_are_not_read_without_their_prompt() -> None:
    answers = {
        key: f"<|im_start|>assistant\n{text}<|im_end|>" for key, text in (("chosen", "So."), ("rejected", "No."))
    }
    assert read_row(Plan((AUTO,)), {"prompt": "Why?", **answers}).layout.name == "preference"


def test_what_differs_in_a_rejected_document_is_an_extra_column() -> None:
    rejected = {**contents("No."), "generationConfig": {"temperature": 1}}
    [document] = read_row(Plan((AUTO,)), {"chosen": contents("So."), "rejected": rejected}).documents
    assert "rejected" in document.extra_columns
