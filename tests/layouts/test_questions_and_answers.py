"""Rows with a question and its answer in columns: the conversation that a person reads in each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWER,
    ANSWERED,
    ASK,
    ASKED,
    BOTH,
    TURN,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

SAVED_CALL = json.dumps(
    {"id": "t", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Rome"}'}}
)
ANSWER_BLOCK = {"type": "text", "text": "Because."}
PASSAGES = ("user", "Why?\nThe sky.\nThe sea.")


GUANACO: list[Pair] = [("user", "Hi"), ("assistant", "Yes?"), *BOTH]
ROWS: list[RowCase] = [
    # OpenAI's evals (docs/build-eval.md): the answer is `ideal`; API-Bank: it is `expected_output`
    ("alpaca", {"input": [ASK], "ideal": "Because."}, BOTH),
    ("answered-by-any", {"input": [ASK], "ideal": ["Because.", "For this."]}, BOTH),
    # Inspect 0.3.285 (MIT), examples/images; ragas 0.4 (Apache-2.0), examples/ragas_examples/improve_rag
    ("answered-by-any", {"input": [ASK], "target": ["Because.", "For this."]}, BOTH),
    ("alpaca", {"question": "Why?", "expected_answer": "Because.", "": ""}, BOTH),
    ("alpaca", {"instruction": "Why?", "input": "", "expected_output": "Because."}, BOTH),
    # HuggingChat's export: the system prompt is `preprompt`
    (
        "sharegpt",
        {"preprompt": "Be kind.", "messages": [{"from": "user", "content": "Why?", "id": "1"}]},
        [("system", "Be kind."), ASKED],
    ),
    # lm-evaluation-harness 0.4 (MIT), lm_eval/loggers/evaluation_tracker.py: samples, also with messages as JSON text
    (
        "lm-eval",
        {
            "doc": {"q": "?"},
            "arguments": {"gen_args_0": {"arg_0": "Why?", "arg_1": {"until": ["\n"]}}},
            "resps": [["Because."]],
            "filtered_resps": ["b"],
        },
        BOTH,
    ),
    ("lm-eval", {"arguments": [[json.dumps([ASK]), {}]], "resps": [["Because."]]}, BOTH),
    ("lm-eval", {"arguments": {"gen_args_0": {"arg_0": [json.dumps([ASK])]}}, "resps": [["Because."]]}, BOTH),
    # predictions of LLaMA-Factory; generations with reasoning in columns of other names
    ("alpaca", {"prompt": "Why?", "predict": "Because.", "label": "So."}, BOTH),
    (
        "reasoned",
        {"question": "Why?", "Long_CoT": "The sky, so.", "answer": "Because."},
        [ASKED, ("thought", "The sky, so."), ANSWERED],
    ),
    # nvidia/HelpSteer2 (its card): a prompt of several turns, each of which but the first has a token before it
    (
        "alpaca",
        {"prompt": "Hi\n<extra_id_1>Assistant\nYes?\n<extra_id_1>User\nWhy?", "response": "Because.", "verbosity": 1},
        [("user", "Hi"), ("assistant", "Yes?"), *BOTH],
    ),
    (
        "alpaca",
        {"prompt": "Why?\n<extra_id_1>Assistant\n", "response": "Because.", "verbosity": 1},
        BOTH,
    ),
    # JosephusCheung/GuanacoDataset: earlier turns in the instruction, the question in the input, with a label or not
    *(
        ("alpaca", {"instruction": "User: Hi\nAssistant: Yes?", "input": asked, "output": "Because."}, GUANACO)
        for asked in ("User: Why?", "Why?")
    ),
    (
        "alpaca",
        {"instruction": "User: Hi\nAssistant: Yes?", "input": "Assistant: Why?", "output": "Because."},
        [("user", "User: Hi\nAssistant: Yes?\nAssistant: Why?"), ANSWERED],
    ),
    # llm-blender/mix-instruct (MIT): the candidates are no response of Gemini
    (
        "alpaca",
        {"instruction": "Why?", "input": "", "output": "Because.", "candidates": [{"model": "m", "text": "So."}]},
        BOTH,
    ),
    # distilabel (Apache-2.0), `TextGeneration`, with messages
    ("answered", {"messages": [ASK], "generation": "Because.", "model_name": "m"}, BOTH),
    # ragas 0.4 (Apache-2.0), docs/howtos: single turns, expected answers, several turns
    ("alpaca", {"user_input": "Why?", "retrieved_contexts": ["c"], "response": "Because.", "reference": "So."}, BOTH),
    ("alpaca", {"user_input": "Why?", "reference_contexts": ["c"], "reference": "Because."}, BOTH),
    ("answered-by-any", {"question": "Why?", "contexts": ["c"], "ground_truths": ["Because.", "So."]}, BOTH),
    ("messages", {"user_input": [ASK, {"role": "assistant", "content": "Because."}], "reference": "So."}, BOTH),
    ("alpaca", {"request": "Why?", "response": "Because."}, BOTH),
    # a text with the response of a wire
    ("answered", {"prompt": "Why?", "response": ANSWER}, BOTH),
    ("answered", {"input": [ASK], "output": json.dumps(ANSWER)}, BOTH),
    (
        "answered",
        {"query": "Why?", "response": {"type": "message", "role": "assistant", "content": [ANSWER_BLOCK]}},
        BOTH,
    ),
    # exports of Langfuse: a list of messages as the input, a message as the output
    ("alpaca", {"type": "GENERATION", "input": [ASK], "output": {"role": "assistant", "content": "Because."}}, BOTH),
    # Learning to Summarize, both parts (openai/summarize-from-feedback, README)
    (
        "summarized",
        {
            "info": {"id": "t3", "post": "A long story.", "title": "T", "subreddit": "r"},
            "summaries": [{"text": "No.", "policy": "ref"}, {"text": "Short.", "policy": "sup4"}],
            "choice": 1,
        },
        [("user", "A long story."), ("assistant", "Short.")],
    ),
    (
        "summarized",
        {
            "info": {"post": None, "article": "News.", "site": "cnn"},
            "summary": {"text": "Short.", "axes": {"overall": 5}},
        },
        [("user", "News."), ("assistant", "Short.")],
    ),
    # The Cauldron (its card): pairs with their source
    # DialogStudio (Apache-2.0), task-oriented-dialogues/README.md: texts of earlier turns are beside the pairs
    (
        "pairs",
        {
            "original dialog info": {},
            "log": [
                {"turn id": 1, "user utterance": "Why?", "system response": "Because.", "dialog history": "<USER>"}
            ],
            "prompt": ["Book travel"],
        },
        BOTH,
    ),
    ("pairs", {"images": [], "texts": [{"user": "Why?", "assistant": "Because.", "source": "VQA"}]}, BOTH),
    # Natural Instructions (its card): the definition is part of the question
    (
        "task",
        {"task_name": "t", "definition": "Add the numbers.", "inputs": "1 2", "targets": "3"},
        [("user", "Add the numbers.\n1 2"), ("assistant", "3")],
    ),
    # datasets of reasoning: the thought has its own column
    (
        "reasoned",
        {"Question": "Why?", "Complex_CoT": "Let me see.", "Response": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    (
        "reasoned",
        {"problem": "Why?", "reasoning": "Let me see.", "solution": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    ("alpaca", {"question": "Why?", "reasoning": "on", "answer": "Because."}, [ASKED, ANSWERED]),
    # LLaMA-Factory, data/README.md
    ("alpaca", {"instruction": "Why?", "input": "", "output": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"instruction": "Add.", "input": "1 2", "output": "3"}, [("user", "Add.\n1 2"), ("assistant", "3")]),
    (
        "alpaca",
        {"instruction": "Why?", "output": "Because.", "system": "Be kind.", "history": [["Hi", "Hello"], ["A", None]]},
        [("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello"), ("user", "A"), ASKED, ANSWERED],
    ),
    ("alpaca", {"instruction": "Why?", "output": ""}, [ASKED, ("assistant", "")]),
    # axolotl, instruction tuning: the columns of its prompt strategies
    ("alpaca", {"question": "Why?", "answer": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"prompt": "Why?", "response": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"message_1": "Why?", "message_2": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"prompt": "Why?", "generation": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"INSTRUCTION": "Why?", "RESPONSE": "Because."}, [ASKED, ANSWERED]),
    (
        "alpaca",
        {"system_prompt": "Be kind.", "question": "Why?", "response": "Because."},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("alpaca", {"Question": "Why?", "Answer": "Because."}, [ASKED, ANSWERED]),
    ("alpaca", {"problem": "Why?", "solution": "Because.", "answer": "3"}, [ASKED, ANSWERED]),
    # ms-swift, custom datasets
    ("alpaca", {"query": "Why?", "response": "Because.", "history": []}, [ASKED, ANSWERED]),
    (
        "pairs",
        {
            "system": "Be kind.",
            "conversation": [{"human": "Hi", "assistant": "Hello"}, {"human": "Why?", "assistant": "Because."}],
        },
        [("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # XTuner: single and multi turn
    (
        "pairs",
        {"conversation": [{"system": "Be kind.", "input": "Why?", "output": "Because."}]},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    # Nemotron: the input is a list of messages
    (
        "alpaca",
        {"input": [{"role": "user", "content": "Why?"}], "output": "Because.", "system_prompt": "Be kind."},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    # TRL, dataset formats
    ("prompt-completion", {"prompt": "Why?", "completion": "Because."}, [ASKED, ANSWERED]),
    (
        "prompt-completion",
        {"prompt": [{"role": "user", "content": "Why?"}], "completion": [{"role": "assistant", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    ("prompt", {"prompt": [{"role": "user", "content": "Why?"}]}, [ASKED]),
    # a prompt of Anthropic's HH-RLHF
    ("prompt", {"prompt": "\n\nHuman: Why?\n\nAssistant:"}, [ASKED]),
    # a prompt with tags that belong to no template
    ("prompt-completion", {"prompt": "<b>Why?</b>", "completion": "Because."}, [("user", "<b>Why?</b>"), ANSWERED]),
    # other names of the columns for thought and answer
    (
        "reasoned",
        {"input": "Why?", "reasoning_content": "Let me see.", "content": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    (
        "reasoned",
        {"instruction": "Why?", "think": "Let me see.", "output": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    ("alpaca", {"prompt": "Why?", "llm_response": "Because.", "problem_id": "p"}, BOTH),
    # ragas: SingleTurnSample
    ("alpaca", {"user_input": "Why?", "retrieved_contexts": ["So."], "response": "Because.", "reference": "So."}, BOTH),
    # objects of requests and responses, which may be JSON text; MLflow 3 (Apache-2.0), docs: evaluation datasets
    ("key-values", {"request": {"prompt": "Why?"}, "response": {"text": "Because."}}, BOTH),
    ("key-values", {"request": '{"question": "Why?"}', "response": '{"answer": "Because."}'}, BOTH),
    ("key-values", {"inputs": {"messages": [ASK]}, "outputs": {"response": "Because."}}, BOTH),
    ("key-values", {"inputs": {"question": "Why?"}, "expectations": {"expected_response": "Because."}}, BOTH),
    # datasets of keys and values: LangSmith, Langfuse
    ("key-values", {"inputs": {"question": "Why?"}, "outputs": {"answer": "Because."}, "dataset_id": "d"}, BOTH),
    ("key-values", {"inputs": {"input": "Why?"}, "outputs": {"output": "Because."}}, BOTH),
    ("key-values", {"inputs": {"prompt": "Why?"}, "outputs": {"completion": "Because."}}, BOTH),
    (
        "key-values",
        {
            "inputs": {
                "question": "And?",
                "chat_history": None,
                "history": [["Why?", "Because."]],
                "system": "Be kind.",
            },
            "outputs": {"answer": "So."},
        },
        [("system", "Be kind."), *BOTH, ("user", "And?"), ("assistant", "So.")],
    ),
    ("key-values", {"input": {"question": "Why?"}, "expectedOutput": {"answer": "Because."}, "datasetId": "d"}, BOTH),
    ("key-values", {"input": {"question": "Why?"}, "expected": "Because."}, BOTH),
    # messages with the answer in a column: a text, a message, a response of an API (LiteLLM's logs)
    ("answered", {"messages": [ASK], "response": "Because."}, BOTH),
    # EvalScope (`evalscope/api/evaluator/cache.py`, `ModelResult`), OpenCompass's predictions
    (
        "answered",
        {
            "index": 0,
            "model": "m",
            "model_output": {"model": "m", "choices": [{"message": ANSWER["choices"][0]["message"]}]},
            "messages": [ASK],
        },
        BOTH,
    ),
    (
        "answered",
        {"origin_prompt": [{"role": "HUMAN", "prompt": "Why?"}], "prediction": "Because.", "gold": "So."},
        BOTH,
    ),
    # CoQA and QuAC (their cards), and CoQA's own file
    (
        "questions-answers",
        {
            "source": "wikipedia",
            "story": "A story.",
            "questions": ["Why?", "When?"],
            "answers": {"input_text": ["Because.", "1475"], "answer_start": [1, 2], "answer_end": [3, 4]},
        },
        [("user", "Why?\nA story."), ANSWERED, ("user", "When?"), ("assistant", "1475")],
    ),
    (
        "questions-answers",
        {
            "context": "A story.",
            "questions": ["Why?", "When?"],
            "yesnos": [2, 2],
            "answers": {"texts": [["So.", "Because."], ["1475"]], "answer_starts": [[1, 2], [3]]},
            "orig_answers": {"texts": ["Because.", "1475"], "answer_starts": [1, 3]},
        },
        [("user", "Why?\nA story."), ANSWERED, ("user", "When?"), ("assistant", "1475")],
    ),
    (
        "questions-answers",
        {
            "story": "A story.",
            "questions": [{"input_text": "Why?", "turn_id": 1}],
            "answers": [{"span_start": 1, "span_text": "x", "input_text": "Because.", "turn_id": 1}],
        },
        [("user", "Why?\nA story."), ANSWERED],
    ),
    # BIG-bench (its card)
    ("answered-by-any", {"inputs": "Why?", "targets": ["Because.", "So."], "multiple_choice_targets": []}, BOTH),
    ("answered", {"messages": [ASK], "output": '{"why": "so"}'}, [ASKED, ("assistant", '{"why": "so"}')]),
    ("answered", {"messages": [ASK], "response": {"role": "assistant", "content": "Because."}}, BOTH),
    ("answered", {"messages": [ASK], "response": ANSWER}, BOTH),
    ("answered", {"conversations": [TURN], "response": "Because."}, BOTH),
    ("answered", {"messages": [ASK], "answer": "Because."}, BOTH),
    # Dolphin R1
    (
        "reasoned",
        {"messages": [ASK], "reasoning": "Let me see.", "answer": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    # turns with the answer in a column
    ("answered", {"conversations": [TURN], "response": {"from": "gpt", "value": "Because."}}, BOTH),
    ("answered", {"conversations": [{"role": "human", "content": "Why?"}], "completion": "Because."}, BOTH),
    # BELLE's turns in an instruction, and Firefly's pairs
    (
        "alpaca",
        {"instruction": "Human:Hi\nAssistant:Hello\nHuman:Why?\nAssistant:\n", "input": "", "output": "Because."},
        [("user", "Hi"), ("assistant", "Hello"), *BOTH],
    ),
    ("alpaca", {"kind": "QA", "input": "Why?", "target": "Because."}, BOTH),
    (
        "pairs",
        {"conversation_id": 1, "category": "QA", "conversation": [{"human": "Why?", "assistant": "Because."}]},
        BOTH,
    ),
    # CoT Collection and CoEdIT (their cards)
    (
        "source-target",
        {"source": "Why?", "target": "Because.", "rationale": "Let me see.", "task": "ecqa", "type": "CoT"},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    ("source-target", {"_id": "1", "task": "gec", "src": "Why?", "tgt": "Because."}, BOTH),
    # SQuAD, NQ-Open and ChatQA: each of several texts is a correct answer
    (
        "answered-by-any",
        {"context": "The sky.", "question": "Why?", "answers": {"text": ["Because.", "So."], "answer_start": [1, 2]}},
        [("user", "Why?\nThe sky."), ANSWERED],
    ),
    ("answered-by-any", {"question": "Why?", "answer": ["Because.", "So."]}, BOTH),
    ("answered-by-any", {"question": "Why?", "answer": {"value": "Because.", "aliases": ["So."]}}, BOTH),  # TriviaQA
    (
        "answered-by-any",  # LongBench
        {"input": "Why?", "context": "The sky.", "answers": ["Because."], "all_classes": None},
        [("user", "Why?\nThe sky."), ANSWERED],
    ),
    # HotpotQA; a prompt and the answer of Ollama's `/api/generate`
    (
        "question-answer",
        {"question": "Why?", "answer": "Because.", "context": {"title": ["Sky"], "sentences": [["It is blue."]]}},
        BOTH,
    ),
    ("question-answer", {"prompt": "Why?", "response": "Because.", "context": [1, 2]}, BOTH),
    # sanitized MBPP, WritingPrompts, Natural Reasoning and GeneralThought
    ("alpaca", {"task_id": 2, "prompt": "Why?", "code": "Because.", "test_list": ["assert"]}, BOTH),
    ("alpaca", {"prompt": "Why?", "story": "Because."}, BOTH),
    ("alpaca", {"question": "Why?", "reference_answer": "Because.", "responses": [{"response": "So."}]}, BOTH),
    (
        "reasoned",
        {"question": "Why?", "model_reasoning": "Let me see.", "model_answer": "Because.", "reference_answer": "So."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    # ChatQA: messages or a question about documents
    ("answered", {"document": "The sky.", "messages": [ASK], "answers": ["Because."]}, BOTH),
    ("alpaca", {"question": "Why?", "context": ["The sky.", "The sea."], "answer": "Because."}, [PASSAGES, ANSWERED]),
    # Gretel's SQL, and DeepEval's test cases
    (
        "alpaca",
        {"sql_prompt": "Why?", "sql_context": "The sky.", "sql": "Because."},
        [("user", "Why?\nThe sky."), ANSWERED],
    ),
    ("alpaca", {"input": "Why?", "actual_output": "Because.", "expected_output": "So."}, BOTH),
    # rollouts that verifiers saves: each call is JSON text
    (
        "prompt-completion",
        {
            "prompt": [ASK],
            "completion": [{"role": "assistant", "content": None, "tool_calls": [SAVED_CALL]}],
            "reward": 1.0,
        },
        [ASKED, ("call weather", '{"city": "Rome"}')],
    ),
    # TruthfulQA
    ("alpaca", {"question": "Why?", "best_answer": "Because.", "incorrect_answers": ["No."]}, BOTH),
    # DROP (its card): several spans are one answer
    (
        "answered-by-any",
        {"passage": "The sky.", "question": "Why?", "answers_spans": {"spans": ["Because."], "types": ["span"]}},
        [("user", "Why?\nThe sky."), ANSWERED],
    ),
    (
        "answered-by-any",
        {"question": "Why?", "answers_spans": {"spans": ["So", "because"], "types": ["span", "span"]}},
        [ASKED, ("assistant", "So, because")],
    ),
    # RefGPT (README and code): labels with numbers, anywhere in a line, and a wide colon in Chinese
    ("dialogue", {"dialogue": "<start_chat><Human 1>:Why? <Assistant 1>:Because. <end_chat>"}, [ASKED, ANSWERED]),
    (
        "dialogue",
        {"dialogue": "<start_chat><Human 1>：Why?\n<Assistant 1>：Because.\n<Human 2>：So：why?<end_chat>"},
        [ASKED, ANSWERED, ("user", "So：why?")],
    ),
    # responses of llama.cpp and TGI
    ("prompt-completion", {"prompt": "Why?", "content": "Because.", "stop": True}, BOTH),
    ("alpaca", {"inputs": "Why?", "generated_text": "Because."}, BOTH),
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def test_several_correct_answers_are_all_extra_columns() -> None:
    found = read_row(Plan((AUTO,)), {"question": "Why?", "answer": ["Because.", "So."]})
    assert found.extra_columns == {"answer": ["Because.", "So."]}


def test_other_members_of_inputs_and_outputs_are_extra_columns() -> None:
    row = {"inputs": {"question": "Why?", "context": "So.", "user": "u"}, "outputs": {"answer": "Because.", "score": 3}}
    [document] = read_row(Plan((AUTO,)), row).documents
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [("user", "Why?\nSo."), ANSWERED]
    assert document.extra_columns == {"inputs": {"user": "u"}, "outputs": {"score": 3}}


def test_a_prompt_with_a_column_of_text_is_not_read_as_a_prompt_without_an_answer() -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), {"prompt": "Write a story.", "text": "Once.", "audience": "all"})


@pytest.mark.parametrize(
    ("answer", "weights", "beside"), [("a", [None, 0], []), (None, [None], [{"output_with_loss": False}])]
)
def test_the_training_flag_of_a_pair_is_the_weight_of_its_answer_or_an_extra_column(
    answer: str | None, weights: list[int | None], beside: list[Any]
) -> None:
    """XTuner: a pair without an answer has no message that could have a weight."""
    row: dict[str, Any] = {"conversation": [{"input": "q", "output": answer, "output_with_loss": False}]}
    found = read_row(Plan((AUTO,)), row)
    document: Any = found.documents[0].value
    assert [each.get("weight") for each in document["messages"]] == weights
    assert [*found.documents[0].extra_columns.values()] == ([beside] if beside else [])
    row["conversation"][0]["output_with_loss"] = "no"
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), row)


def test_an_answer_that_is_a_number_is_read_as_text_and_reported() -> None:
    found = read_row(Plan((AUTO,)), {"question": "6 * 7?", "answer": 42})
    document: Any = found.documents[0].value
    assert document["messages"][-1] == {"role": "assistant", "content": "42"}
    assert [finding.detail for finding in found.documents[0].findings] == [
        "the answer is a number; it is read as its text"
    ]
