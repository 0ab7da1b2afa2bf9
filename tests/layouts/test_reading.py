"""Rows as their datasets document them, and the conversation that a person reads in each."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, BY_NAME, PREVIEWS, Plan, plan_of, read_row
from ocml_bridge.layouts.agents.sessions import SESSIONS
from ocml_bridge.layouts.agents.table import FRAMEWORKS
from ocml_bridge.layouts.pieces import Pieces
from rows import Pair, as_pairs, conversations

PREFACE = "Below is an instruction that describes a task, paired with an input that provides further context."
ASKED = ("user", "Why?")
ANSWERED = ("assistant", "Because.")
BOTH: list[Pair] = [ASKED, ANSWERED]
ASK = {"role": "user", "content": "Why?"}
REQUEST: dict[str, Any] = {"model": "m", "messages": [ASK], "temperature": 0}
ANSWER: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m-2024",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}],
}
WEATHER: dict[str, Any] = {
    "name": "weather",
    "description": "Of a city.",
    "parameters": {"type": "object", "properties": {}},
}
WEATHER_TEXT = json.dumps(WEATHER)
MARKET = json.dumps({**WEATHER, "name": "Market API", "required": None})
CALL = '{"name": "weather", "arguments": {"city": "Rome"}}'

TURN = {"from": "human", "value": "Why?"}
SAVED_CALL = json.dumps(
    {"id": "t", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Rome"}'}}
)
USED = {"name": "weather", "input": {"city": "Rome"}}
AG_UI: list[dict[str, Any]] = [
    {"id": "1", **ASK},
    {"id": "2", "role": "assistant", "toolCalls": [{"id": "t", "function": {"name": "weather", "arguments": "{}"}}]},
    {"id": "3", "role": "tool", "toolCallId": "t", "content": "20"},
]
SPOKEN: dict[str, Any] = {"type": "output_text", "text": "Because.", "annotations": []}
PASSAGES = ("user", "Why?\nThe sky.\nThe sea.")
DOLCI: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind.", "functions": f"[{WEATHER_TEXT}]", "function_calls": None},
    {**ASK, "functions": None, "function_calls": None},
    {"role": "assistant", "content": None, "function_calls": 'weather(city="Rome")\nweather(city="Oslo", days=[1, 2])'},
    {"role": "environment", "content": "[20, 21]"},
    {"role": "assistant", "content": "Because."},
]
DOLCI_CALLS: list[Pair] = [("call weather", '{"city":"Rome"}'), ("call weather", '{"city":"Oslo","days":[1,2]}')]

SWIFT: list[dict[str, Any]] = [
    {"role": "user", "content": "Rome?"},
    {"role": "tool_call", "content": CALL},
    {"role": "tool_response", "content": "20"},
    {"role": "assistant", "content": "20 degrees."},
]

ROWS: list[tuple[str, dict[str, Any], list[Pair]]] = [
    # spans: OpenInference (spec/tool_calling.md), flat and as a table has them; OpenLLMetry; OpenTelemetry's own
    (
        "spans",
        {
            "name": "ChatCompletion",
            "attributes": {
                "openinference.span.kind": "LLM",
                "llm.input_messages.0.message.role": "user",
                "llm.input_messages.0.message.content": "Rome?",
                "llm.input_messages.1.message.role": "assistant",
                "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
                "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Rome"}',
                "llm.input_messages.2.message.role": "tool",
                "llm.input_messages.2.message.tool_call_id": "c",
                "llm.input_messages.2.message.content": "20",
                "llm.output_messages.0.message.role": "assistant",
                "llm.output_messages.0.message.contents.0.message_content.type": "text",
                "llm.output_messages.0.message.contents.0.message_content.text": "20.",
                "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": WEATHER}),
            },
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20.")],
    ),
    (
        "spans",
        {
            "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Why?"}],
            "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "Because."}],
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": [
                {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}},
                {"key": "gen_ai.prompt.0.content", "value": {"stringValue": "Why?"}},
                {"key": "gen_ai.completion.0.role", "value": {"stringValue": "assistant"}},
                {"key": "gen_ai.completion.0.content", "value": {"stringValue": "Because."}},
            ]
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": {
                "gen_ai.system_instructions": '[{"type":"text","content":"Be kind."}]',
                "gen_ai.input.messages": json.dumps(
                    [
                        {"role": "user", "parts": [{"type": "text", "content": "Rome?"}]},
                        {
                            "role": "assistant",
                            "parts": [
                                {"type": "reasoning", "content": "Look."},
                                {"type": "tool_call", "id": "c", "name": "weather", "arguments": {"city": "Rome"}},
                            ],
                        },
                        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": {"c": 20}}]},
                    ]
                ),
                "gen_ai.output.messages": json.dumps(
                    [{"role": "assistant", "parts": [{"type": "text", "content": "20."}], "finish_reason": "stop"}]
                ),
            }
        },
        [
            ("system", "Be kind."),
            ("user", "Rome?"),
            ("thought", "Look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"c":20}'),
            ("assistant", "20."),
        ],
    ),
    # what Langfuse and Braintrust export: messages beside a message, as values and in the cells of a table; choices
    ("alpaca", {"type": "GENERATION", "input": [ASK], "output": {"role": "assistant", "content": "Because."}}, BOTH),
    ("logged", {"input": json.dumps([ASK]), "output": '{"role":"assistant","content":"Because."}'}, BOTH),
    ("logged", {"input": [ASK], "output": ANSWER["choices"], "metadata": {}}, BOTH),
    # learning to summarise, both parts (openai/summarize-from-feedback, README)
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
    # Baize (project-baize/baize-chatbot, README): the turn that is still to come is none
    (
        "baize",
        {
            "topic": "Why?",
            "input": "The conversation between human and AI assistant.\n[|Human|] Why?\n[|AI|] Because.\n[|Human|] ",
        },
        [("system", "The conversation between human and AI assistant."), ASKED, ANSWERED],
    ),
    # The Cauldron (its card): pairs that say where they are from
    ("pairs", {"images": [], "texts": [{"user": "Why?", "assistant": "Because.", "source": "VQA"}]}, BOTH),
    # Natural Instructions (its card): the definition belongs to what is asked
    (
        "task",
        {"task_name": "t", "definition": "Add the numbers.", "inputs": "1 2", "targets": "3"},
        [("user", "Add the numbers.\n1 2"), ("assistant", "3")],
    ),
    # MultiWOZ: the system is who answers
    (
        "spoken",
        {"turns": [{"speaker": "USER", "utterance": "Why?"}, {"speaker": "SYSTEM", "utterance": "Because."}]},
        BOTH,
    ),
    # OpenRLHF: what was asked stands in a column of messages
    ("preference", {"context_messages": [ASK], "chosen": "Because.", "rejected": "No."}, BOTH),
    # AlpacaFarm's and AlpacaEval's annotations have the number as a float
    ("compared", {"instruction": "Why?", "output_1": "No.", "output_2": "Because.", "preference": 2.0}, BOTH),
    # StackExchange's answers by their votes
    (
        "ranked",
        {"question": "Why?", "answers": [{"text": "No.", "pm_score": 0}, {"text": "Because.", "pm_score": 3}]},
        BOTH,
    ),
    # tau-bench, Chatbox, TypingMind, smolagents
    ("messages", {"task_id": 0, "traj": [ASK, {"role": "assistant", "content": "Because."}], "trial": 0}, BOTH),
    ("messages", {"messages": [{"role": "user", "contentParts": [{"type": "text", "text": "Why?"}]}]}, [ASKED]),
    ("messages", {"systemMessage": "Be kind.", "messages": [ASK]}, [("system", "Be kind."), ASKED]),
    ("messages", {"messages": [ASK, {"role": "tool-response", "content": "20"}]}, [ASKED, ("tool", "20")]),
    # ms-swift, agent support: messages whose role is what ShareGPT says of calls
    (
        "sharegpt",
        {"messages": SWIFT, "tools": json.dumps([WEATHER])},
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # SWE-agent trajectories: the keys of every turn, null where it has none; the system's words under their own name
    (
        "messages",
        {
            "trajectory": [
                {"role": "system", "text": None, "system_prompt": "You fix bugs.", "mask": False},
                {"role": "user", "text": "Why?", "system_prompt": None, "mask": False},
                {"role": "ai", "text": "Because.", "system_prompt": None, "mask": True},
            ]
        },
        [("system", "You fix bugs."), *BOTH],
    ),
    ("messages", {"messages": [{"role": "system", "text": "", "system_prompt": "No."}, ASK]}, [("system", ""), ASKED]),
    # LLaMA-Factory, `data/tool_utils.py`: GLM-4 calls by a name, with the arguments on the next line
    (
        "glm-4",
        {
            "text": '[gMASK]<sop><|user|>\nRome?<|assistant|>weather\n{"city": "Rome"}<|observation|>\n20<|assistant|>'
            "\n20 degrees."
        },
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    (
        "glm-4",
        {"text": '[gMASK]<sop><|user|>\nRome?<|assistant|>weather\n{"city": "Rome"}<|observation|>'},
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}')],
    ),
    # Values of GLM-4.5 are JSON unless they are texts, which only a declared tool could tell
    (
        "glm-4",
        {
            "text": "[gMASK]<sop><|user|>\nRome?<|assistant|>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>[1, 2]"
            '</arg_value>\n<arg_key>b</arg_key>\n<arg_value>"x" < y</arg_value>\n</tool_call>'
        },
        [("user", "Rome?"), ("call f", '{"a":[1,2],"b":"\\"x\\" < y"}')],
    ),
    # Gemma 4: values in its own notation, arguments that were given as JSON text, and what is said between calls
    (
        "gemma-4",
        {
            "text": "<bos><|turn>user\nRome?<turn|>\n<|turn>model\n<|channel>thought\nHm.<channel|>I look."
            '<|tool_call>call:f{a:[<|"|>x, {y}<|"|>,-1.5,true],b:{<|"|>c d<|"|>:None}}<tool_call|>'
            '<|tool_response>response:f{value:<|"|>20<|"|>}<tool_response|>'
            '<|tool_call>call:g{{"city": "Rome"}}<tool_call|><|tool_response>response:g{t:20}<tool_response|>20.<turn|>'
        },
        [
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("assistant", "I look."),
            ("call f", '{"a":["x, {y}",-1.5,true],"b":{"c d":null}}'),
            ("tool", "20"),
            ("call g", '{"city":"Rome"}'),
            ("tool", '{"t":20}'),
            ("assistant", "20."),
        ],
    ),
    # EXAONE 4: results are objects
    (
        "exaone",
        {
            "text": "[|system|]\n[|endofturn|]\n[|user|]\nRome?[|endofturn|]\n[|assistant|]\n<think>\n\n</think>\n\n"
            '<tool_call>{"name": "weather", "arguments": {}}</tool_call>[|endofturn|]\n[|tool|]\n'
            '<tool_result>{"result": {"t": 20}}</tool_result>[|endofturn|]\n'
        },
        [("user", "Rome?"), ("call weather", "{}"), ("tool", '{"t":20}')],
    ),
    # OpenChat: what the system says may stand in front; 3.6 has the tokens of Llama 3
    (
        "openchat",
        {
            "text": "<s>Be kind.<|end_of_turn|>GPT4 Correct User: Why?<|end_of_turn|>GPT4 Correct Assistant: Because."
            "<|end_of_turn|>"
        },
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    (
        "openchat",
        {
            "text": "<|begin_of_text|><|start_header_id|>GPT4 Correct User<|end_header_id|>\n\nWhy?<|eot_id|>"
            "<|start_header_id|>GPT4 Correct Assistant<|end_header_id|>\n\nBecause.<|eot_id|>"
        },
        BOTH,
    ),
    (
        "rendered",
        {"prompt": "GPT4 Correct User: Why?<|end_of_turn|>GPT4 Correct Assistant:", "completion": "Because."},
        BOTH,
    ),
    ("rendered", {"prompt": "[|user|]Why?\n[|assistant|]", "completion": "Because."}, BOTH),
    # OpenChat 3.6 names the system alone, as Llama 3 does
    (
        "openchat",
        {
            "text": "<|begin_of_text|><|start_header_id|>System<|end_header_id|>\n\nBe kind.<|eot_id|>"
            "<|start_header_id|>GPT4 Correct User<|end_header_id|>\n\nWhy?<|eot_id|>"
        },
        [("system", "Be kind."), ASKED],
    ),
    # Llama 4's calls: alone in their tokens, or behind them
    (
        "llama-3",
        {
            "text": "<|begin_of_text|><|header_start|>user<|header_end|>\n\nRome?<|eot|><|header_start|>assistant"
            f"<|header_end|>\n\n<|python_start|>I look.<|python_end|>{CALL}<|eom|><|header_start|>ipython<|header_end|>"
            "\n\n20<|eot|>"
        },
        [("user", "Rome?"), ("assistant", "I look."), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    (
        "llama-3",
        {
            "text": "<|header_start|>user<|header_end|>\n\nRome?<|eot|><|header_start|>assistant<|header_end|>\n\n"
            f"<|python_start|>{CALL}<|python_end|><|eom|>"
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # what the system says may have the token that begins a text behind it (Llama 3.1 Swallow)
    (
        "llama-3",
        {
            "text": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
        },
        [("system", "Be kind."), ASKED],
    ),
    # Command A+: texts in tokens of their own
    (
        "command-r",
        {
            "text": "<BOS_TOKEN><|START_OF_TURN_TOKEN|><|USER_TOKEN|><|START_TEXT|>Why?<|END_TEXT|>"
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>Hm.<|END_THINKING|>"
            "<|START_TEXT|>Because.<|END_TEXT|><|END_OF_TURN_TOKEN|>"
        },
        [ASKED, ("thought", "Hm."), ANSWERED],
    ),
    # Granite 3.1's declared tools, and 3.0's, which are no list
    *(
        (
            "granite",
            {
                "text": f"<|start_of_role|>{role}<|end_of_role|>{tools}<|end_of_text|>\n"
                "<|start_of_role|>user<|end_of_role|>Why?<|end_of_text|>\n"
            },
            [ASKED],
        )
        for role, tools in (
            ("tools", f"[{WEATHER_TEXT}]"),
            ("available_tools", f"\n{WEATHER_TEXT}\n\n{WEATHER_TEXT.replace('weather', 'time')}"),
        )
    ),
    # Kimi K2 calls the turn of a result as the tool is called, where its message has a name
    (
        "kimi",
        {
            "text": "<|im_user|>user<|im_middle|>Rome?<|im_end|><|im_assistant|>assistant<|im_middle|>"
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>"
            '{"city":"Rome"}<|tool_call_end|><|tool_calls_section_end|><|im_end|>'
            "<|im_system|>weather<|im_middle|>## Return of functions.weather:0\n20<|im_end|>"
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    # A.X 4: tokens for roles in the frames of ChatML
    (
        "ax-4",
        {
            "text": "<|im_start|><|system|>Be kind.<|im_end|><|im_start|><|user|>Rome?<|im_end|>"
            '<|im_start|><|assistant|><tool_call>{"name": "weather", "arguments": {"city": "Rome"}}</tool_call>'
            "<|im_end|><|im_start|><|extra_id_13|><tool_output>20</tool_output><|im_end|>"
        },
        [("system", "Be kind."), ("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    # NeMo's models, as Nemotron-4: the token before a turn ends the text, too
    (
        "nemo",
        {"text": "<extra_id_0>System\nBe kind.\n<extra_id_1>User\nWhy?\n<extra_id_1>Assistant\nBecause.\n<extra_id_1>"},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("nemo", {"text": "<extra_id_0>System\n\n<extra_id_1>User\nWhy?\n<extra_id_1>Assistant\n"}, [ASKED]),
    # Nemotron Nano 2: results of several calls are in one list, which need not be JSON
    (
        "nemotron",
        {
            "text": "<SPECIAL_10>System\n\n\n<SPECIAL_11>User\nRome?\n<SPECIAL_11>Assistant\n<TOOLCALL>"
            '[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]</TOOLCALL>\n<SPECIAL_12>\n'
            '<SPECIAL_11>User\n<TOOL_RESPONSE>[warm, {"t": 20}]</TOOL_RESPONSE>'
        },
        [("user", "Rome?"), ("call f", "{}"), ("call g", "{}"), ("tool", 'warm, {"t": 20}')],
    ),
    (
        "nemotron",
        {
            "text": "<SPECIAL_10>System\n\n<SPECIAL_11>User\nWhy?\n<SPECIAL_11>Assistant\n<think></think>Because."
            "\n<SPECIAL_12>\n"
        },
        BOTH,
    ),
    (
        "ms-swift",
        {"messages": SWIFT, "tools": json.dumps([WEATHER]), "rejected_response": "No idea."},
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # Cohere's roles, and ShareGPT's under the keys of Chat Completions
    (
        "messages",
        {"messages": [{"role": "User", "content": "Why?"}, {"role": "Chatbot", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    (
        "messages",
        {"turns": [{"role": "human", "content": "Why?"}, {"role": "gpt", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    # LangChain's calls
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": "Rome?"},
                {
                    "role": "ai",
                    "content": "",
                    "tool_calls": [{"name": "weather", "args": {"city": "Rome"}, "id": "c", "type": "tool_call"}],
                },
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # datasets of reasoning: the thought in a column
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
    # Chatbot Arena: two conversations, and who won
    (
        "arena",
        {
            "conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
            "winner": "model_a",
        },
        [ASKED, ANSWERED],
    ),
    # two answers, and which one is better: the cards of HelpSteer3 and HelpSteer2 (below 0, the first one is)
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
    # PKU-SafeRLHF: the number of the better one
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
    # AlpacaFarm: likewise, from 1
    (
        "compared",
        {"instruction": "Why?", "output_1": "No.", "output_2": "Because.", "preference": 2},
        [ASKED, ANSWERED],
    ),
    # WebGPT: a score of each, and a question that says where it is from
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
    # SHP: how many liked each
    (
        "compared",
        {"history": "Why?", "human_ref_A": "Because.", "human_ref_B": "No.", "labels": 1, "score_A": 5, "score_B": 2},
        [ASKED, ANSWERED],
    ),
    # LMSYS, as the competition about it has it: all turns of each side in a list
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
    (
        "texts",
        {"conversations": [["Hi", "Hello"], ["Why?", "Because."]]},
        [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # Guanaco: headings in one line
    (
        "dialogue",
        {"text": "### Human: Hi### Assistant: Hello### Human: Why?### Assistant: Because."},
        [("user", "Hi"), ("assistant", "Hello"), ASKED, ANSWERED],
    ),
    # Nemotron: messages as the input
    (
        "alpaca",
        {"input": [{"role": "user", "content": "Why?"}], "output": "Because.", "system_prompt": "Be kind."},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    # LLaMA-Factory, ShareGPT with tools
    (
        "sharegpt",
        {
            "conversations": [
                {"from": "human", "value": "Rome?"},
                {"from": "function_call", "value": CALL},
                {"from": "observation", "value": "20"},
                {"from": "gpt", "value": "20 degrees."},
            ],
            "tools": f"[{WEATHER_TEXT}]",
        },
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    (
        "sharegpt",
        {
            "conversations": [{"from": "human", "value": "Why?"}],
            "chosen": {"from": "gpt", "value": "Because."},
            "rejected": {"from": "gpt", "value": "No."},
        },
        [ASKED, ANSWERED],
    ),
    # TRL, dataset formats
    ("prompt-completion", {"prompt": "Why?", "completion": "Because."}, [ASKED, ANSWERED]),
    (
        "prompt-completion",
        {"prompt": [{"role": "user", "content": "Why?"}], "completion": [{"role": "assistant", "content": "Because."}]},
        [ASKED, ANSWERED],
    ),
    ("prompt", {"prompt": [{"role": "user", "content": "Why?"}]}, [ASKED]),
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
    # a prompt that both answers say again (argilla's and UltraFeedback's rows)
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
    ("prompt", {"prompt": "\n\nHuman: Why?\n\nAssistant:"}, [ASKED]),
    # axolotl, turns in other keys
    (
        "messages",
        {"messages": [{"from": "human", "text": "Why?"}, {"from": "gpt", "text": "Because."}]},
        [ASKED, ANSWERED],
    ),
    # the messages column of the Hub, with its neighbours
    (
        "messages",
        {
            "messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
            "system": "Be kind.",
        },
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("messages", {"conversations": '[{"role": "user", "content": "Why?"}]'}, [ASKED]),
    # LLaMA-Factory v1
    (
        "llamafactory-v1",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "value": "Rome?"}]},
                {
                    "role": "assistant",
                    "content": [{"type": "reasoning", "value": "Hm."}, {"type": "tool_call", "value": CALL}],
                },
                {"role": "tool", "content": [{"type": "text", "value": "20"}]},
            ]
        },
        [("user", "Rome?"), ("thought", "Hm."), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    # hermes-function-calling-v1
    (
        "hermes-functions",
        {
            "conversations": [
                {"from": "system", "value": f"Call.\n<tools>[{WEATHER_TEXT}]</tools>\nSo."},
                {"from": "human", "value": "Rome?"},
                {"from": "gpt", "value": f"Let me see.\n<tool_call>\n{CALL}\n</tool_call>"},
                {"from": "tool", "value": "<tool_response>\n20\n</tool_response>"},
                {"from": "gpt", "value": "20 degrees."},
            ]
        },
        [
            ("system", "Call.\nSo."),
            ("user", "Rome?"),
            ("assistant", "Let me see."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # glaive-function-calling-v2
    (
        "glaive",
        {
            "system": f"SYSTEM: You have access to the following functions. Use them -\n{WEATHER_TEXT}\n",
            "chat": 'USER: Rome?\n\n\nASSISTANT: <functioncall> {"name": "weather", "arguments": \'{"city": "Rome"}\'} '
            "<|endoftext|>\n\n\nFUNCTION RESPONSE: 20\n\n\nASSISTANT: 20 degrees. <|endoftext|>\n\n\n",
        },
        [
            ("system", "You have access to the following functions. Use them -"),
            ("user", "Rome?"),
            ("call weather", '{"city": "Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # xlam-function-calling-60k
    (
        "xlam",
        {"id": 1, "query": "Rome?", "answers": f"[{CALL}]", "tools": f"[{WEATHER_TEXT}]"},
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}')],
    ),
    # Berkeley's leaderboard
    ("bfcl", {"question": [[{"role": "user", "content": "Why?"}]], "function": [WEATHER]}, [ASKED]),
    (
        "bfcl",
        {"question": [{"role": "user", "content": "Why?"}], "function": [WEATHER]},
        [ASKED],
    ),
    # in its newer parts, the tools are named beside the turns, and nobody speaks in some of these
    (
        "bfcl",
        {
            "question": [[{"role": "user", "content": "Why?"}], [], [{"role": "user", "content": "So?"}]],
            "involved_classes": ["MathAPI"],
        },
        [ASKED, ("user", "So?")],
    ),
    (
        "bfcl-answers",
        {"id": "0", "ground_truth": [{"weather": {"city": ["Rome", "Roma"], "unit": ["", "C"]}}]},
        [("call weather", '{"city":"Rome"}')],
    ),
    # UltraChat
    ("texts", {"id": "0", "data": ["Why?", "Because.", "So?"]}, [ASKED, ANSWERED, ("user", "So?")]),
    ("dialogue", {"text": "### Human: Why?\n### Assistant: Because."}, [ASKED, ANSWERED]),
    # Orca Mini's headings, and OIG's labels
    (
        "dialogue",
        {"text": "### System:\nBe kind.\n\n### User:\nWhy?\n\n### Response:\nBecause."},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("dialogue", {"text": "<human>: Why?\n<bot>: Because."}, [ASKED, ANSWERED]),
    ("history", {"history": [ASK, {"role": "assistant", "metadata": None, "content": "Because."}]}, BOTH),
    ("dialogue", {"text": "user: Why?\nassistant: Because.\nuser: So?"}, [ASKED, ANSWERED, ("user", "So?")]),
    # rows that are a wire's documents
    (
        "anthropic",
        {"model": "m", "max_tokens": 9, "system": "Be kind.", "messages": [{"role": "user", "content": "Why?"}]},
        [("system", "Be kind."), ASKED],
    ),
    ("chatml", {"text": "<|im_start|>user\nWhy?<|im_end|>\n", "id": 1}, [ASKED]),
    ("harmony", {"text": "<|start|>user<|message|>Why?<|end|>"}, [ASKED]),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}, [ASKED]),
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
    # Llama 2's template, as in guanaco-llama2 and as its paper has it; Mistral's
    ("llama-2", {"text": "<s>[INST] Why? [/INST] Because. </s>"}, [ASKED, ANSWERED]),
    (
        "llama-2",
        {
            "text": "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nWhy? [/INST] Because. </s>"
            "<s>[INST] Why? [/INST] Because. </s>"
        },
        [("system", "Be kind."), ASKED, ANSWERED, ASKED, ANSWERED],
    ),
    ("llama-2", {"text": "<s>[INST] Why? [/INST]Because.</s>[INST] Why? [/INST]"}, [ASKED, ANSWERED, ASKED]),
    (
        "llama-2",
        {
            "text": '<s>[AVAILABLE_TOOLS][{"type": "function", "function": {"name": "weather"}}][/AVAILABLE_TOOLS]'
            '[INST]Rome?[/INST][TOOL_CALLS][{"name": "weather", "arguments": {"city": "Rome"}, "id": "a"}]</s>'
            "[TOOL_RESULTS]20[/TOOL_RESULTS]20.</s>"
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20.")],
    ),
    # Llama 3's template, with its headers (llama-models, `prompt_format.md`), Llama 4's, and Gemma's
    (
        "llama-3",
        {
            "text": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nBecause.<|eot_id|>"
        },
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    (
        "llama-3",
        {
            "text": "<|start_header_id|>user<|end_header_id|>\n\nRome?<|eot_id|>"
            '<|start_header_id|>assistant<|end_header_id|>\n\n{"name": "weather", "parameters": {"city": "Rome"}}'
            "<|eot_id|>"
            "<|start_header_id|>ipython<|end_header_id|>\n\n20<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n<|python_tag|>print(20)<|eom_id|>"
            "<|start_header_id|>ipython<|end_header_id|>\n\n20<|eot_id|>"
            '<|start_header_id|>assistant<|end_header_id|>\n\n<|python_tag|>brave_search.call(query="Rome")<|eom_id|>'
            "<|start_header_id|>assistant<|end_header_id|>\n\n"
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("call ipython", "print(20)"),
            ("tool", "20"),
            ("call brave_search", 'query="Rome"'),
        ],
    ),
    ("llama-3", {"text": "<|header_start|>user<|header_end|>\n\nWhy?<|eot|>"}, [ASKED]),
    (
        "gemma",
        {"text": "<bos><start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\nBecause.<end_of_turn>\n<eos>"},
        [ASKED, ANSWERED],
    ),
    ("gemma", {"text": "<start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\n"}, [ASKED]),
    # Phi-3's template, Phi-4's, Zephyr's (LLaMA-Factory, `data/template.py`) and GLM's; `golden/rows` has more of each
    ("phi-3", {"text": "<s><|user|>\nWhy?<|end|>\n<|assistant|>\nBecause.<|end|>\n<|endoftext|>"}, [ASKED, ANSWERED]),
    (
        "phi-4",
        {"text": "<|im_start|>user<|im_sep|>Why?<|im_end|><|im_start|>assistant<|im_sep|>Because."},
        [ASKED, ANSWERED],
    ),
    (
        "zephyr",
        {"text": "<|system|>\nBe kind.</s>\n<|user|>\nWhy?</s>\n<|assistant|>\nBecause.</s>\n"},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("gemma-4", {"text": "<bos><|turn>user\nWhy?<turn|>\n<|turn>model\nBecause.<turn|>\n"}, [ASKED, ANSWERED]),
    ("glm-4", {"text": "[gMASK]<sop><|user|>\nWhy?<|assistant|>\n</think>\nBecause."}, [ASKED, ANSWERED]),
    ("kimi", {"text": "<|im_user|>user<|im_middle|>Why?<|im_end|>"}, [ASKED]),
    # DeepSeek's template: several conversations in a text are tested below
    ("deepseek", {"text": "<｜User｜>Why?<｜Assistant｜>Because.<｜end▁of▁sentence｜>"}, [ASKED, ANSWERED]),
    # Granite's calls, and Command R's: R+'s in a block of JSON (which the turn does not end behind), R7B's in tokens
    (
        "granite",
        {
            "text": "<|start_of_role|>user<|end_of_role|>Rome?<|end_of_text|>\n"
            '<|start_of_role|>assistant {"thinking": false}<|end_of_role|><|tool_call|>'
            '[{"name": "weather", "arguments": {"city": "Rome"}}]<|end_of_text|>\n'
            "<|start_of_role|>tool_response<|end_of_role|>20<|end_of_text|>\n"
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    (
        "command-r",
        {
            "text": "<BOS_TOKEN><|START_OF_TURN_TOKEN|><|USER_TOKEN|>Rome?<|END_OF_TURN_TOKEN|>"
            "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>I look.\nAction:\n```json\n[\n    {\n"
            '        "tool_name": "weather",\n        "parameters": {"city": "Rome"}\n    }\n]```\n'
            "<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><results>\n20</results><|END_OF_TURN_TOKEN|>"
            "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>20.<|END_OF_TURN_TOKEN|>"
        },
        [
            ("user", "Rome?"),
            ("assistant", "I look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("assistant", "20."),
        ],
    ),
    (
        "command-r",
        {
            "text": "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Rome?<|END_OF_TURN_TOKEN|>"
            "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>Look.<|END_THINKING|><|START_ACTION|>[\n"
            '    {"tool_call_id": "0", "tool_name": "weather", "parameters": {"city": "Rome"}}\n]<|END_ACTION|>'
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>[20]<|END_TOOL_RESULT|>"
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_RESPONSE|>20.<|END_RESPONSE|>"
            "<|END_OF_TURN_TOKEN|>"
        },
        [
            ("user", "Rome?"),
            ("thought", "Look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "[20]"),
            ("assistant", "20."),
        ],
    ),
    # prompts that were rendered, as logs of inference and datasets of evaluations have them
    (
        "rendered",
        {"prompt": "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n", "completion": "Because.<|im_end|>"},
        [ASKED, ANSWERED],
    ),
    ("rendered", {"prompt": "<s>[INST] Why? [/INST]", "response": " Because.</s>"}, [ASKED, ANSWERED]),
    ("rendered", {"input": "<｜User｜>Why?<｜Assistant｜>", "output": "Because."}, [ASKED, ANSWERED]),
    ("rendered", {"prompt": "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n"}, [ASKED]),
    ("prompt-completion", {"prompt": "<b>Why?</b>", "completion": "Because."}, [("user", "<b>Why?</b>"), ANSWERED]),
    # Alpaca's template (tatsu-lab/stanford_alpaca, `train.py`)
    (
        "alpaca-text",
        {"text": f"{PREFACE}\n\n### Instruction:\nAdd.\n\n### Input:\n1 and 2\n\n### Response:3</s>"},
        [("system", PREFACE), ("user", "Add.\n1 and 2"), ("assistant", "3")],
    ),
    (
        "alpaca-text",
        {"text": "### Instruction: Why?\n### Response: Because.\n### Instruction: Why?\n### Response:"},
        [ASKED, ANSWERED, ASKED],
    ),
    # as a tokenizer begins and ends it
    (
        "alpaca-text",
        {"text": "<|begin_of_text|>### Instruction:\nWhy?\n\n### Response:\nBecause.<|end_of_text|>"},
        [ASKED, ANSWERED],
    ),
    # labels behind the token that ends an answer
    (
        "dialogue",
        {"text": "System: Be kind.\nUser: Why?\nAssistant: Because.</s>User: So?\nAssistant: So.<|end_of_text|>\n"},
        [("system", "Be kind."), ASKED, ANSWERED, ("user", "So?"), ("assistant", "So.")],
    ),
    # labels that a text in frames quotes
    *(
        (
            "chatml",
            {"text": f"<|im_start|>user\n{quoted}<|im_end|>\n<|im_start|>assistant\nBecause.<|im_end|>\n"},
            [("user", quoted), ANSWERED],
        )
        for quoted in (
            "An instruction.\n### Instruction:\nWhy?\n\n### Response:",
            "The assistant in this is rude.\nUSER: Why?\nASSISTANT: No.\nUSER: So?\nASSISTANT: No.",
            "[|Human|]Why?[|AI|]No.",
        )
    ),
    # Vicuna's template (FastChat, `vicuna_v1.1`)
    (
        "vicuna",
        {"text": "A chat with an assistant. USER: Why? ASSISTANT: Because.</s>USER: Why? ASSISTANT: Because.</s>"},
        [("system", "A chat with an assistant."), ASKED, ANSWERED, ASKED, ANSWERED],
    ),
    (
        "vicuna",
        {"text": "A chat with an assistant.\n\nUSER: Why?\nASSISTANT: Because."},
        [("system", "A chat with an assistant."), ASKED, ANSWERED],
    ),
    # Oumi's parts; those with images are among the public rows
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "content": "Why?", "binary": None}]},
                {"role": "assistant", "content": "Because."},
            ]
        },
        [ASKED, ANSWERED],
    ),
    # Vercel's AI SDK: calls, results and thoughts as parts (5), calls beside the text (4)
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Rome?"}]},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "reasoning", "text": "Hm."},
                        {"type": "text", "text": "Let me look."},
                        {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {"city": "Rome"}},
                        {"type": "tool-call", "toolCallId": "d", "toolName": "time", "input": {}},
                    ],
                },
                {
                    "role": "tool",
                    "content": [
                        {
                            "type": "tool-result",
                            "toolCallId": "c",
                            "toolName": "weather",
                            "output": {"type": "json", "value": {"degrees": 20}},
                        },
                        {
                            "type": "tool-result",
                            "toolCallId": "d",
                            "toolName": "time",
                            "output": {"type": "text", "value": "noon"},
                        },
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "20 degrees."}]},
            ]
        },
        [
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("assistant", "Let me look."),
            ("call weather", '{"city":"Rome"}'),
            ("call time", "{}"),
            ("tool", '{"degrees":20}'),
            ("tool", "noon"),
            ("assistant", "20 degrees."),
        ],
    ),
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": "Rome?"},
                {
                    "role": "assistant",
                    "content": "20 degrees.",
                    "toolInvocations": [
                        {
                            "state": "result",
                            "step": 0,
                            "toolCallId": "c",
                            "toolName": "weather",
                            "args": {"city": "Rome"},
                            "result": "20",
                        },
                        {
                            "state": "result",
                            "step": 1,
                            "toolCallId": "d",
                            "toolName": "time",
                            "args": {},
                            "result": "noon",
                        },
                    ],
                },
            ]
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("call time", "{}"),
            ("tool", "noon"),
            ("assistant", "20 degrees."),
        ],
    ),
    # Inspect's logs (inspect_ai, `model/_chat_message.py`)
    (
        "inspect",
        {
            "id": 1,
            "input": "Rome?",
            "messages": [
                {"id": "a", "content": "Rome?", "source": "input", "role": "user"},
                {
                    "id": "b",
                    "content": [
                        {"type": "reasoning", "reasoning": "Hm.", "signature": None, "redacted": False},
                        {"type": "reasoning", "reasoning": "gAAA", "redacted": True},
                        {"type": "text", "text": "I look."},
                    ],
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "c", "function": "weather", "arguments": {"city": "Rome"}, "type": "function"}
                    ],
                },
                {"id": "d", "content": "20", "role": "tool", "tool_call_id": "c", "function": "weather"},
            ],
        },
        [
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("assistant", "I look."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
        ],
    ),
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
    # LangChain's `messages_to_dict`, `dumpd` and `model_dump`; a run of LangSmith
    (
        "langchain",
        {
            "messages": [
                {"type": "human", "data": {"content": "Rome?", "additional_kwargs": {}, "type": "human"}},
                {
                    "type": "ai",
                    "data": {"content": "", "tool_calls": [{"name": "weather", "args": {"city": "Rome"}, "id": "c"}]},
                },
                {"type": "tool", "data": {"content": "20", "tool_call_id": "c", "status": "success"}},
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20")],
    ),
    (
        "langchain",
        {
            "run_type": "llm",
            "inputs": {
                "messages": [
                    [
                        {
                            "lc": 1,
                            "type": "constructor",
                            "id": ["langchain", "schema", "messages", "HumanMessage"],
                            "kwargs": {"content": "Why?", "type": "human"},
                        }
                    ]
                ]
            },
            "outputs": {
                "generations": [[{"text": "Because.", "message": {"type": "ai", "data": {"content": "Because."}}}]],
                "llm_output": {"token_usage": 3},
            },
        },
        [ASKED, ANSWERED],
    ),
    ("langchain", {"messages": [{"type": "human", "content": "Why?"}, {"type": "ai", "content": "Because."}]}, BOTH),
    # ToolACE: functions in the system's text, calls as Python in brackets, results in a list
    (
        "toolace",
        {
            "system": f"Here is a list of functions:\n[{MARKET}, {WEATHER_TEXT}].\nWrite them as [func1(a=b)].",
            "conversations": [
                {"from": "user", "value": "Rome?"},
                {
                    "from": "assistant",
                    "value": '[Market API(type="A, (b)", n=[1, {"k": null}], ok=true), weather(city=\'Rome\')]',
                },
                {
                    "from": "tool",
                    "value": '[{"name": "Market API", "results": {"ok": 1}}, {"name": "weather", "results": "20"}]',
                },
                {"from": "assistant", "value": "20 degrees."},
            ],
        },
        [
            ("system", "Here is a list of functions:\n.\nWrite them as [func1(a=b)]."),
            ("user", "Rome?"),
            ("call Market API", '{"type":"A, (b)","n":[1,{"k":null}],"ok":true}'),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"ok":1}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    # messages of Chat Completions whose calls and results are text in tags, as templates render them
    (
        "hermes-functions",
        {
            "messages": [
                {"role": "system", "content": f"You may call functions.\n<tools>\n{WEATHER_TEXT}\n</tools>"},
                {"role": "user", "content": "Rome?"},
                {"role": "assistant", "content": f"<think>\nHm.\n</think>\n\n<tool_call>\n{CALL}\n</tool_call>"},
                {"role": "user", "content": "<tool_response>\n20\n</tool_response>"},
                {"role": "assistant", "content": "20 degrees."},
            ]
        },
        [
            ("system", "You may call functions."),
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("call weather", '{"city":"Rome"}'),
            ("tool", "20"),
            ("assistant", "20 degrees."),
        ],
    ),
    ("sharegpt", {"items": [TURN, {"from": "gpt", "value": "Because."}], "id": "x"}, BOTH),
    ("messages", {"items": [ASK, {"role": "assistant", "content": "Because.", "weight": 1.0}]}, BOTH),
    (
        "reasoned",
        {"input": "Why?", "reasoning_content": "Let me see.", "content": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    # Agent-FLAN: `loss` for `weight`; BitAgent: calls and results as objects; Locutusque: arguments in single quotes
    (
        "messages",
        {
            "conversation": json.dumps(
                [
                    {"role": "user", "content": "Rome?"},
                    {"role": "tool call", "content": {"name": "weather", "arguments": {"city": "Rome"}}},
                    {"role": "tool response", "content": {"degrees": 20}},
                    {"role": "assistant", "content": "20 degrees."},
                ]
            )
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("tool", '{"degrees":20}'),
            ("assistant", "20 degrees."),
        ],
    ),
    (
        "sharegpt",
        {
            "conversations": [
                {"from": "human", "value": "Rome?"},
                {"from": "function-call", "value": '{"name": "weather", "arguments": \'{"city": "Rome"}\'}'},
                {"from": "function-response", "value": "20"},
                {"from": "gpt", "value": "20 degrees."},
            ]
        },
        [("user", "Rome?"), ("call weather", '{"city": "Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    (
        "reasoned",
        {"instruction": "Why?", "think": "Let me see.", "output": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    ("alpaca", {"prompt": "Why?", "llm_response": "Because.", "problem_id": "p"}, BOTH),
    # UltraInteract: the turns before two answers
    ("preference", {"trajectory": [TURN], "chosen": "Because.", "rejected": "No.", "parent_id": "0"}, BOTH),
    # ragas: MultiTurnSample, as docs.ragas.io has it; SingleTurnSample
    (
        "langchain",
        {
            "user_input": [
                {"content": "Rome?", "type": "human", "metadata": None},
                {"content": "", "type": "ai", "tool_calls": [{"name": "weather", "args": {"city": "Rome"}}]},
                {"content": "20", "type": "tool"},
                {"content": "20 degrees.", "type": "ai", "tool_calls": None},
            ],
            "reference": "It is warm.",
            "reference_tool_calls": [{"name": "weather", "args": {"city": "Rome"}}],
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    ("alpaca", {"user_input": "Why?", "retrieved_contexts": ["So."], "response": "Because.", "reference": "So."}, BOTH),
    # LangSmith's datasets of chats, and of keys and values; Langfuse's
    (
        "langchain",
        {
            "inputs": {"input": [{"type": "human", "data": {"content": "Why?"}}]},
            "outputs": {"output": {"type": "ai", "data": {"content": "Because."}}},
        },
        BOTH,
    ),
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
    # requests with their answers, as gateways and proxies log them
    ("logged", {"request": REQUEST, "response": ANSWER}, BOTH),
    ("logged", {"request_body": json.dumps(REQUEST), "response_body": json.dumps(ANSWER), "status": 200}, BOTH),
    ("logged", {"inputs": REQUEST, "outputs": {"role": "assistant", "content": "Because."}}, BOTH),
    ("logged", {"request": REQUEST, "response": "Because."}, BOTH),
    (
        "logged",
        {
            "schemaType": "ModelInvocationLog",
            "input": {"inputBodyJson": {"max_tokens": 9, "anthropic_version": "bedrock-2023-05-31", "messages": [ASK]}},
            "output": {
                "outputBodyJson": {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "text", "text": "Because."}],
                    "stop_reason": "end_turn",
                }
            },
        },
        BOTH,
    ),
    # messages with the answer in a column: a text, a message, a wire's answer (LiteLLM's logs)
    ("answered", {"messages": [ASK], "response": "Because."}, BOTH),
    ("answered", {"messages": [ASK], "output": '{"why": "so"}'}, [ASKED, ("assistant", '{"why": "so"}')]),
    ("answered", {"messages": [ASK], "response": {"role": "assistant", "content": "Because."}}, BOTH),
    ("answered", {"messages": [ASK], "response": ANSWER}, BOTH),
    ("answered", {"conversations": [TURN], "response": "Because."}, BOTH),
    ("answered", {"messages": [ASK], "answer": "Because."}, BOTH),
    # Dolphin R1's
    (
        "reasoned",
        {"messages": [ASK], "reasoning": "Let me see.", "answer": "Because."},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    (
        "messages",
        {"messages": [ASK, {"role": "assistant", "content": "Because."}], "cot": "I see.", "answer": "4"},
        BOTH,
    ),
    # Taskmaster's
    (
        "spoken",
        {"utterances": [{"speaker": "USER", "text": "Why?"}, {"speaker": "ASSISTANT", "text": "Because."}]},
        BOTH,
    ),
    ("answered", {"conversations": [TURN], "response": {"from": "gpt", "value": "Because."}}, BOTH),
    ("answered", {"conversations": [{"role": "human", "content": "Why?"}], "completion": "Because."}, BOTH),
    # where the messages end in an answer, the column is another one
    ("messages", {"messages": [ASK, {"role": "assistant", "content": "Because."}], "response": "No."}, BOTH),
    ("messages", {"messages": [ASK], "response": {"role": "user", "content": "So?"}}, [ASKED]),
    # messages with other keys; Vertex AI's tuning data for chat-bison
    ("messages", {"messages": [{"role": "user", "text": "Why?"}, {"role": "assistant", "text": "Because."}]}, BOTH),
    ("spoken", {"messages": [{"speaker": "user", "text": "Why?"}, {"speaker": "assistant", "text": "Because."}]}, BOTH),
    (
        "spoken",
        {
            "context": "Be kind.",
            "messages": [{"author": "user", "content": "Why?"}, {"author": "bot", "content": "Because."}],
        },
        [("system", "Be kind."), *BOTH],
    ),
    # Gradio's history
    ("history", {"history": [["Why?", "Because."]]}, BOTH),
    ("history", {"chatbot": [["Why?", "Because."], ["So?", None]], "id": 1}, [*BOTH, ("user", "So?")]),
    # Vertex AI's and Gemini's tuning data
    (
        "gemini",
        {
            "systemInstruction": {"role": "system", "parts": [{"text": "Be kind."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Why?"}]},
                {"role": "model", "parts": [{"text": "Because."}]},
            ],
        },
        [("system", "Be kind."), *BOTH],
    ),
    ("messages", {"messages": [ASK, {"role": "model", "content": "Because."}]}, BOTH),
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
    # the card of CoT Collection, and that of CoEdIT
    (
        "source-target",
        {"source": "Why?", "target": "Because.", "rationale": "Let me see.", "task": "ecqa", "type": "CoT"},
        [ASKED, ("thought", "Let me see."), ANSWERED],
    ),
    ("source-target", {"_id": "1", "task": "gec", "src": "Why?", "tgt": "Because."}, BOTH),
    # SQuAD, NQ-Open and ChatQA: texts of which each answers
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
    # HotpotQA; an answer of Ollama's `/api/generate` beside its prompt
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
    # SODA's and Doc2Dial's turns
    ("texts", {"dialogue": ["Why?", "Because."], "speakers": ["Ann", "Bob"]}, BOTH),
    (
        "messages",
        {"turns": [{"role": "user", "utterance": "Why?"}, {"role": "agent", "utterance": "Because."}]},
        BOTH,
    ),
    ("answered", {"document": "The sky.", "messages": [ASK], "answers": ["Because."]}, BOTH),
    ("alpaca", {"question": "Why?", "context": ["The sky.", "The sea."], "answer": "Because."}, [PASSAGES, ANSWERED]),
    # Gretel's SQL, and DeepEval's test cases
    (
        "alpaca",
        {"sql_prompt": "Why?", "sql_context": "The sky.", "sql": "Because."},
        [("user", "Why?\nThe sky."), ANSWERED],
    ),
    ("alpaca", {"input": "Why?", "actual_output": "Because.", "expected_output": "So."}, BOTH),
    # Cohere's chat API, version 1: what is asked stands beside what was said before
    (
        "history",
        {"message": "Why?", "preamble": "Be kind.", "chat_history": [{"role": "CHATBOT", "message": "Hello."}]},
        [("system", "Be kind."), ("assistant", "Hello."), ASKED],
    ),
    # FastChat's conversations: pairs of who speaks and what is said
    (
        "texts",
        {
            "system_message": "Be kind.",
            "roles": ["USER", "ASSISTANT"],
            "messages": [["USER", "Why?"], ["ASSISTANT", "Because."]],
        },
        [("system", "Be kind."), *BOTH],
    ),
    # OLMo's data for tools (Dolci)
    ("messages", {"messages": DOLCI}, [("system", "Be kind."), ASKED, *DOLCI_CALLS, ("tool", "[20, 21]"), ANSWERED]),
    # what verifiers saves of a rollout: each call is a text
    (
        "prompt-completion",
        {
            "prompt": [ASK],
            "completion": [{"role": "assistant", "content": None, "tool_calls": [SAVED_CALL]}],
            "reward": 1.0,
        },
        [ASKED, ("call weather", '{"city": "Rome"}')],
    ),
    # messages of any API in a column of another name
    (
        "wrapped",
        {
            "task_id": "1",
            "trajectory": [ASK, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", **USED}]}],
        },
        [ASKED, ("call weather", '{"city":"Rome"}')],
    ),
    # a session of OpenAI's Agents SDK
    (
        "wrapped",
        {"session_id": "s", "items": [ASK, {"type": "message", "role": "assistant", "content": [SPOKEN]}]},
        BOTH,
    ),
    # ESConv's words for roles, WildBench's column, and TruthfulQA's
    (
        "spoken",
        {"dialog": [{"speaker": "seeker", "content": "Why?"}, {"speaker": "supporter", "content": "Because."}]},
        BOTH,
    ),
    ("messages", {"conversation_input": [ASK], "references": {"gpt-4": "Because."}}, [ASKED]),
    ("alpaca", {"question": "Why?", "best_answer": "Because.", "incorrect_answers": ["No."]}, BOTH),
    # PIPPA's rows, SillyTavern's and apps' chats say of a message whether a person speaks
    (
        "messages",
        {
            "bot_id": "b",
            "conversation": [{"message": "Why?", "is_human": True}, {"message": "Because.", "is_human": False}],
        },
        BOTH,
    ),
    ("messages", {"messages": [{"mes": "Why?", "is_user": True}, {"mes": "Because.", "is_user": False}]}, BOTH),
    # what MCP's clients are asked for (`sampling/createMessage`), and AG-UI's messages
    (
        "messages",
        {"systemPrompt": "Be kind.", "messages": [{"role": "user", "content": {"type": "text", "text": "Why?"}}]},
        [("system", "Be kind."), ASKED],
    ),
    ("messages", {"threadId": "t", "messages": AG_UI}, [ASKED, ("call weather", "{}"), ("tool", "20")]),
    # servers of llama.cpp and TGI
    ("prompt-completion", {"prompt": "Why?", "content": "Because.", "stop": True}, BOTH),
    ("alpaca", {"inputs": "Why?", "generated_text": "Because."}, BOTH),
    # Vertex AI's tables of requests, and OpenPipe's logs
    ("logged", {"full_request": REQUEST, "full_response": ANSWER, "endpoint": "e"}, BOTH),
    ("logged", {"req_payload": REQUEST, "resp_payload": ANSWER}, BOTH),
    # spans of Pydantic AI's runs, and of Vercel's AI SDK
    (
        "spans",
        {
            "attributes": {
                "pydantic_ai.all_messages": json.dumps(
                    [
                        {"role": "user", "parts": [{"type": "text", "content": "Why?"}]},
                        {"role": "assistant", "parts": [{"type": "text", "content": "Because."}]},
                    ]
                )
            }
        },
        BOTH,
    ),
    (
        "spans",
        {
            "attributes": {
                "ai.model.id": "m",
                "ai.prompt.messages": json.dumps([{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]),
                "ai.response.text": "Because.",
                "ai.response.toolCalls": json.dumps([{"toolCallId": "t", "toolName": "weather", "input": "{}"}]),
            }
        },
        [*BOTH, ("call weather", "{}")],
    ),
    # Llama 3's role for what code gave
    ("messages", {"messages": [ASK, {"role": "ipython", "content": "20"}]}, [ASKED, ("tool", "20")]),
    # a line of OpenAI's batches
    ("logged", {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": REQUEST}, [ASKED]),
]


@pytest.mark.parametrize(("name", "row", "said"), ROWS, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(ROWS)])
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], said: list[Pair]) -> None:
    assert read_row(Plan((AUTO,)), row).layout.name == name
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == said


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
        ({"input": "Why?", "accepted": "Because.", "rejected": "No."}, "No."),
        ({"prompt": "Why?", "pos_resp": "Because.", "neg_resp": "No."}, "No."),
        # a prompt that both say again, in the midst of their conversations
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
    ],
)
def test_what_was_rejected_is_an_alternative(row: dict[str, Any], rejected: str) -> None:
    [conversation] = conversations(row)
    [alternative] = list(conversation.alternatives or ())
    at = len(conversation.messages) - 1
    assert (alternative.label, alternative.at, as_pairs(alternative.messages)) == (
        "rejected",
        at,
        [("assistant", rejected)],
    )
    assert len({each.content for each in conversation.messages}) == len(conversation.messages)  # each is said once


@pytest.mark.parametrize(
    "verdict",
    [
        {"preference_strength": 0},
        {"better_response_id": "tie"},
        {"winner": "both bad"},
        {"score_1": 0.5, "score_2": 0.5},
        {"better_response_id": 7},
    ],
    ids=str,
)
def test_where_neither_answer_is_better_there_are_two_conversations(verdict: dict[str, Any]) -> None:
    """Neither is lost, and neither is said to be preferred."""
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
    ],
    ids=str,
)
def test_what_says_which_answer_is_better_names_it_or_counts(verdict: dict[str, Any]) -> None:
    [conversation] = conversations({"prompt": "Why?", "response_a": "No.", "response_b": "Because.", **verdict})
    assert as_pairs(conversation.messages) == [ASKED, ANSWERED]
    assert [as_pairs(each.messages) for each in conversation.alternatives or ()] == [[("assistant", "No.")]]


def test_what_a_question_says_beside_its_text_stays_beside() -> None:
    question = {"dataset": "eli5", "id": "1", "full_text": "Why?"}
    row = {"question": question, "answer_0": "No.", "answer_1": "Because.", "score_0": -0.5, "score_1": 0.5}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"question": {"dataset": "eli5", "id": "1"}}


def test_an_answer_is_rejected_in_place_of_all_that_follows_the_question() -> None:
    """ms-swift: one that is a text stands in place of the last turn."""
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
def test_where_no_answer_was_chosen_or_none_rejected_what_is_said_of_it_stands_beside(row: dict[str, Any]) -> None:
    found = read_row(Plan((AUTO,)), row)
    assert (found.layout.name, len(found.extra_columns)) == ("messages", 1)


def test_of_several_rejected_answers_the_first_is_the_alternative_and_all_stand_beside() -> None:
    """RewardBench 2."""
    found = read_row(Plan((AUTO,)), {"prompt": "Why?", "chosen": ["Because."], "rejected": ["No.", "So."]})
    [document] = found.documents
    assert document.value["preferred_output"] == [{"role": "assistant", "content": "Because."}]
    assert document.value["non_preferred_output"] == [{"role": "assistant", "content": "No."}]
    assert document.extra_columns == {"rejected": ["No.", "So."]}


def test_of_texts_that_each_answer_all_stand_beside() -> None:
    found = read_row(Plan((AUTO,)), {"question": "Why?", "answer": ["Because.", "So."]})
    assert found.extra_columns == {"answer": ["Because.", "So."]}


def test_functions_of_olmos_data_are_the_tools() -> None:
    [conversation] = conversations({"messages": DOLCI})
    assert [tool.name for tool in conversation.tools or ()] == ["weather"]


def test_code_that_is_no_call_stays_what_it_is() -> None:
    each = {"role": "assistant", "content": None, "function_calls": "print(x)"}
    [document] = read_row(Plan((AUTO,)), {"messages": [ASK, each]}).documents
    assert document.value["messages"][1] == each


def test_a_reply_with_the_id_of_a_call_answers_that_call() -> None:
    """tau2: a tool's message has the id of the call as its own."""
    call: dict[str, Any] = {"name": "weather", "arguments": {}, "requestor": "assistant"}
    calls = [{"id": name, **call} for name in ("one", "two")]
    replies = [{"id": name, "role": "tool", "content": name, "requestor": "assistant"} for name in ("two", "one")]
    [conversation] = conversations({"messages": [ASK, {"role": "assistant", "tool_calls": calls}, *replies]})
    assert [(each.call_id, each.content) for each in conversation.messages if each.role == "tool"] == [
        ("two", "two"),
        ("one", "one"),
    ]


@pytest.mark.parametrize("given", [[WEATHER], [{"type": "function", "function": WEATHER}]], ids=["bare", "wrapped"])
def test_tools_may_be_bare_or_wrapped_a_list_or_its_text(given: list[Any]) -> None:
    for tools in (given, json.dumps(given)):
        [conversation] = conversations({"messages": [{"role": "user", "content": "Why?"}], "tools": tools})
        assert conversation.tools is not None
        assert [(tool.name, tool.description) for tool in conversation.tools] == [("weather", "Of a city.")]


def test_parameters_without_a_schema_are_its_properties() -> None:
    tool = {"name": "f", "description": "d", "parameters": {"n": {"type": "int"}}}
    [conversation] = conversations({"query": "Why?", "answers": "[]", "tools": [tool]})
    assert conversation.tools is not None
    assert conversation.tools[0].parameters == {"type": "object", "properties": {"n": {"type": "int"}}}


def test_a_thought_in_tags_is_text_unless_the_plan_names_them() -> None:
    row = {"prompt": "Why?", "completion": "<think>\nHm.\n</think>\n\nBecause."}
    assert as_pairs(conversations(row)[0].messages) == [ASKED, ("assistant", "<think>\nHm.\n</think>\n\nBecause.")]
    plan = plan_of({"layout": "prompt-completion", "thoughts": "think"})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_a_thought_in_other_tags_is_one_in_turns_too() -> None:
    said = (
        "<|begin_of_thought|>\n\nHm.\n\n<|end_of_thought|>\n\n<|begin_of_solution|>\n\nBecause.\n\n<|end_of_solution|>"
    )
    row = {"conversations": [TURN, {"from": "assistant", "value": said}]}
    plan = plan_of({"layout": "sharegpt", "thoughts": ["begin_of_thought"]})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_a_thought_in_a_text_of_a_template_is_one_too() -> None:
    row = {"text": "<｜User｜>Why?<｜Assistant｜><think>\nHm.\n</think>\n\nBecause.<｜end▁of▁sentence｜>"}
    plan = plan_of({"layout": "deepseek", "thoughts": "think"})
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]


def test_media_of_messages_stand_in_their_columns() -> None:
    row = {"messages": [{"role": "user", "content": "<image>Who?"}], "images": ["a.jpg"]}
    [conversation] = conversations(row)
    [image, text] = conversation.messages[0].content
    assert (getattr(image, "url", None), getattr(text, "text", None)) == ("a.jpg", "Who?")


# --- trees ------------------------------------------------------------------------------------------------------------


def oasst(text: str, role: str, *replies: dict[str, Any]) -> dict[str, Any]:
    return {"message_id": text, "text": text, "role": role, "lang": "en", "replies": list(replies)}


def test_what_else_a_log_says_of_messages_stands_beside() -> None:
    thought = {"type": "reasoning", "reasoning": "gAAA", "redacted": True, "summary": "Hm."}
    call: dict[str, Any] = {"id": "c", "function": "weather", "arguments": {}, "parse_error": "no city"}
    row: dict[str, Any] = {"messages": [{"id": "b", "role": "assistant", "content": [thought], "tool_calls": [call]}]}
    [document] = read_row(Plan((AUTO,)), row).documents
    about = {"id": "b", "content": [thought], "tool_calls": [{"parse_error": "no city"}]}
    assert document.extra_columns == {"nodes": [about]}
    assert as_pairs(conversations(row)[0].messages) == [("thought", "Hm."), ("call weather", "{}")]


def test_fragments_that_are_no_text_stand_beside() -> None:
    search = {"type": "SEARCH", "results": 0}
    said = {"type": "RESPONSE", "content": "Because."}
    row = {"mapping": {"1": {"parent": None, "message": {"fragments": [search, said], "model": "m"}}}}
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


def test_a_chatgpt_export_is_its_current_branch_and_then_the_others() -> None:
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


def test_a_claude_export_has_texts_thoughts_and_calls_in_blocks() -> None:
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


# --- what is no row ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "row", "message"),
    [
        ("alpaca", {"instruction": "Why?", "output": True}, 'the row has "instruction", "output"'),
        ("alpaca", {"instruction": "Why?", "output": None}, '"instruction", "output" (null)'),
        ("alpaca", {"conversations": [{"from": "human", "value": "x"}]}, "it looks like sharegpt"),
        ("alpaca", {"instruction": "Why?", "output": "x", "history": [["a"]]}, "a pair of texts"),
        ("messages", {"messages": [{"role": "user", "content": "x"}], "tools": "[{"}, "not JSON text"),
        (AUTO, {"text": "The sky is blue."}, "not a row of any layout"),
        (
            AUTO,
            {"messages": [{"speaker": "Ann", "text": "Why?"}]},
            "`ocml-convert plan DATA -o plan.yaml` proposes one",
        ),
        (AUTO, {"text": r"<|im_start|>user\nWhy?<|im_end|>"}, "write them as line ends: jq"),
        (AUTO, {"session_id": "s", "role": "user", "message": "Why?"}, "looks like a single message"),
        (AUTO, {"role": "assistant", "tool_calls": [{"id": "c"}]}, "looks like a single message"),
        (AUTO, {"name": "Aqua", "is_user": False, "mes": "Why?"}, "a message in each line"),
        (AUTO, {"conversation": {"messages": [ASK], "context": "Rome"}}, "not a row of any layout"),
        (AUTO, {"history": [["Why?", ["image.png"]]]}, "not a row of any layout"),
        (AUTO, {"uuid": "u", "name": "", "chat_messages": []}, "'chat_messages' is empty"),
        (AUTO, {"prompt": "Why?", "chosen": None, "rejected": "No."}, "not a row of any layout"),
        (AUTO, {"prompt": "Why?", "answers": [{"answer": "Because."}]}, "not a row of any layout"),
        (AUTO, {"mapping": {"a": {"message": None, "parent": None, "children": []}}}, "a tree with a message"),
        (AUTO, {"mapping": {"a": {"message": None, "parent": "a", "children": ["a"]}}}, "a node of a tree"),
        (
            AUTO,
            {
                "mapping": {
                    "a": {"message": None, "parent": "b"},
                    "b": {"message": None, "parent": "a", "children": ["a"]},
                }
            },
            "a node of a tree",
        ),
    ],
)
def test_what_is_no_row_says_why(plan: str, row: dict[str, Any], message: str) -> None:
    with pytest.raises(BridgeError, match="OCB-") as caught:
        read_row(plan_of(plan), row)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("alpacca", "did you mean alpaca?"),
        ({"layot": "alpaca"}, "did you mean layout?"),
        ({"layout": "alpaca", "columns": {"instructon": "q"}}, "did you mean instruction?"),
        ({"layout": "alpaca", "thoughts": "thinc"}, "did you mean think?"),
        ({"columns": {}}, "has no 'layout'"),
        ({"layout": "alpaca", "roles": ["user"]}, "must map names to names"),
        (3, "is not a mapping"),
        ({None: None}, "a key of the plan is not a text; there are layout"),
        ({1: "alpaca", "layout": "alpaca"}, "a key of the plan is not a text"),
    ],
)
def test_a_mistake_in_a_plan_names_what_is_near(value: Any, message: str) -> None:
    with pytest.raises(BridgeError) as caught:
        plan_of(value)
    assert caught.value.code == "OCB-OPTION"
    assert message in str(caught.value)


def test_a_plan_maps_columns_keys_and_words() -> None:
    plan = plan_of(
        {
            "layout": "messages",
            "columns": {"messages": "turns"},
            "role": "who",
            "text": "said",
            "roles": {"Kunde": "user", "Dienst": "assistant"},
        }
    )
    row = {"turns": [{"who": "Kunde", "said": "Why?"}, {"who": "Dienst", "said": "Because."}], "id": 3}
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ANSWERED]
    assert read_row(plan, row).extra_columns == {"id": 3}


ARENA: dict[str, Any] = {
    "model_a": "one",
    "model_b": "other",
    "conversation_a": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}],
    "conversation_b": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "No."}],
}


@pytest.mark.parametrize(("winner", "order"), [("model_a", ["Because.", "No."]), ("model_b", ["No.", "Because."])])
def test_the_answer_that_won_is_chosen(winner: str, order: list[str]) -> None:
    found = read_row(Plan((AUTO,)), {**ARENA, "winner": winner})
    [document] = found.documents
    chosen, rejected = (document.value[name] for name in ("preferred_output", "non_preferred_output"))
    assert [answer["content"] for answer in (*chosen, *rejected)] == order
    assert found.extra_columns == {"model_a": "one", "model_b": "other", "winner": winner}


@pytest.mark.parametrize("winner", ["tie", "tie (bothbad)"])
def test_where_nobody_won_there_are_two_conversations(winner: str) -> None:
    row = {**ARENA, "winner": winner}
    told_apart = [as_pairs(each.messages) for each in conversations(row)]
    assert told_apart == [[ASKED, ANSWERED], [ASKED, ("assistant", "No.")]]
    assert [each.path for each in read_row(Plan((AUTO,)), row).documents] == ["/conversation_a", "/conversation_b"]


def test_a_thought_beside_an_answer_with_its_own_stays_beside() -> None:
    plan = plan_of({"layout": "reasoned", "thoughts": ["think"]})
    row = {"question": "Why?", "reasoning": "Let me see.", "answer": "<think>Hm.</think>Because."}
    [document] = read_row(plan, row).documents
    assert as_pairs(conversations(row, plan)[0].messages) == [ASKED, ("thought", "Hm."), ANSWERED]
    assert document.extra_columns == {"reasoning": "Let me see."}


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Which?", "options": ["a", "b"], "answer": "B"},
        {"question": "Which?", "choices": ["a", "b"], "answer": "B", "solution": "The second."},
        {"prompt": "A long story. TL;DR:", "label": "Short."},
        {"prompt": "I was sad.", "utterance": "I lost my dog.", "speaker_idx": 1},
        {"chosen": "Because.", "rejected": "No.", "source": "web"},
        {"turns": ["Why?", "And then?"], "question_id": 81},
        {"messages": [{"role": "user", "fragments": ["Why?"]}]},
    ],
    ids=["options", "choices", "a label", "a situation", "answers to nothing", "questions alone", "unknown members"],
)
def test_a_row_of_which_nobody_can_tell_who_says_what_is_not_guessed(row: dict[str, Any]) -> None:
    with pytest.raises(BridgeError) as error:
        read_row(Plan((AUTO,)), row)
    assert error.value.code == "OCB-SHAPE"


def test_a_plan_may_name_what_is_not_guessed() -> None:
    row = {"question": "Which?", "options": ["a", "b"], "answer": "B"}
    found = read_row(plan_of("alpaca"), row)
    assert (found.layout.name, [*found.extra_columns]) == ("alpaca", ["options"])


@pytest.mark.parametrize(
    "value", ['{"name", "f"}', '{"name": "f", "arguments": {"a"}}', '{"name": "f", 1: 2}', "{b'x': 1}"]
)
def test_a_call_in_python_that_json_cannot_hold_is_no_call(value: str) -> None:
    """Found by fuzzing: a set, bytes or a key that is no text raised TypeError. The turn is kept, or refused."""
    turns = [{"from": "human", "value": "Hi"}, {"from": "function_call", "value": value}]
    for row in ({"conversations": turns}, {"text": f"USER: Hi\nASSISTANT: <functioncall> {value}"}):
        with suppress(BridgeError):
            assert value in str(read_row(Plan((AUTO,)), row).documents[0].value)


def test_an_error_names_columns_in_short() -> None:
    """Found by fuzzing: a name may be any text, and there may be many."""
    row = {f"{at} {'long ' * 1000}": 1 for at in range(1000)}
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), row)
    assert len(str(caught.value)) < 900


def test_every_layout_has_rows() -> None:
    exports = {"oasst", "chatgpt-export", "claude-export", "open-webui", "librechat", "lm-studio", "ai-studio", "moss"}
    exports |= {"grok-export", "vscode-chat", "chainlit", "tau2"}
    stored = {"adk", "adk-evals", "wrapped", *(each.name for each in (*FRAMEWORKS, *SESSIONS))}
    here = {name for name, *_ in ROWS} | exports | stored
    previews = {layout.name for layout in PREVIEWS}
    assert BY_NAME.keys() - here == {"stepwise", "kto", "recorded-stream", "gemini-preference", *previews}


def test_rows_of_several_formats_are_told_from_their_evidence() -> None:
    plan = plan_of({"layout": ["anthropic", "gemini", "messages"]})
    asked = {"role": "user", "content": "Why?"}
    rows = [
        {"model": "m", "max_tokens": 1, "system": "Be kind.", "messages": [asked]},
        {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]},
        {"messages": [asked]},
    ]
    assert [read_row(plan, row).layout.name for row in rows] == ["anthropic", "gemini", "messages"]


def test_results_of_parallel_calls_in_one_list_answer_their_calls() -> None:
    def message(role: str, *parts: tuple[str, str]) -> dict[str, Any]:
        return {"role": role, "content": [{"type": kind, "value": value} for kind, value in parts]}

    results = [{"tool_call_id": "x", "name": "weather", "content": {"C": 20}}, {"name": "weather", "content": "21"}]
    called = message("assistant", ("tool_call", CALL), ("tool_call", CALL))
    row = {"messages": [message("user", ("text", "?")), called, message("tool", ("text", json.dumps(results)))]}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages)[3:] == [("tool", '{"C":20}'), ("tool", "21")]
    alone = message("tool", ("text", "[1, 2, 3]"))
    [conversation] = conversations({"messages": [message("user", ("text", "?")), called, alone]})
    assert as_pairs(conversation.messages)[3:] == [("tool", "[1, 2, 3]")]


def test_a_row_that_is_changed_is_looked_at_again() -> None:
    row: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]}
    assert read_row(Plan((AUTO,)), row).layout.name == "gemini"
    row["messages"] = [{"role": "user", "content": row.pop("contents")[0]["parts"][0]["text"]}]
    assert read_row(Plan((AUTO,)), row).layout.name == "messages"


def test_a_text_of_several_conversations_is_that_many() -> None:
    one = "<bos><start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\nBecause.<end_of_turn>\n"
    assert [as_pairs(each.messages) for each in conversations({"text": one + one})] == [BOTH, BOTH]


def test_of_what_is_logged_nothing_goes_with_its_envelope() -> None:
    """Headers, statuses and what the answer says otherwise than the request stand beside the conversation."""
    row = {"request": {"method": "POST", "body": REQUEST}, "response": {"status": 200, "body": ANSWER}}
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns["request"] == {"method": "POST"}
    said = {"status": 200, "model": "m-2024", "id": "chatcmpl-1", "object": "chat.completion", "created": 1}
    assert said.items() <= document.extra_columns["response"].items()
    [conversation] = conversations(row)
    assert conversation.settings is not None
    assert (conversation.settings.model, conversation.settings.temperature) == ("m", 0)
    assert conversation.extras is None


def test_an_answer_that_repeats_its_request_is_the_conversation() -> None:
    messages = [ASK, {"role": "assistant", "content": "Because."}]
    [conversation] = conversations({"inputs": {"messages": [ASK]}, "outputs": {"messages": messages}})
    assert as_pairs(conversation.messages) == BOTH


def test_other_choices_of_a_logged_answer_are_alternatives() -> None:
    other = {"index": 1, "message": {"role": "assistant", "content": "No."}, "finish_reason": "stop"}
    [conversation] = conversations({"request": REQUEST, "response": {**ANSWER, "choices": [*ANSWER["choices"], other]}})
    [alternative] = [*(conversation.alternatives or ())]
    assert (alternative.at, as_pairs(alternative.messages)) == (1, [("assistant", "No.")])


def test_of_a_run_what_else_came_out_stands_beside() -> None:
    row = next(row for name, row, _ in ROWS if name == "langchain" and "outputs" in row)
    [document] = read_row(Plan((AUTO,)), row).documents
    assert document.extra_columns == {"outputs": {"llm_output": {"token_usage": 3}}}


def test_of_ranked_answers_the_best_is_chosen_the_worst_rejected_and_all_stay_beside() -> None:
    row = {"prompt": "Why?", "answers": [{"answer": f"{rank}", "rank": rank} for rank in (2, 3, 1)]}
    found = read_row(Plan((AUTO,)), row)
    [conversation] = conversations(row)
    [rejected] = [*(conversation.alternatives or ())]
    assert (as_pairs(conversation.messages)[-1][1], as_pairs(rejected.messages)[-1][1]) == ("1", "3")
    assert [*found.extra_columns] == ["answers"]


@pytest.mark.parametrize(
    "text",
    [
        "The marker [INST] begins an instruction.",
        "[INST] a [INST] b [/INST]",
        "<|system|>a<|user|>b<|model|>c",
        "<bos><|turn>user\na<turn|>\n<|turn>model\n<|tool_call>call:f{a:<tool_call|><turn|>\n",
        "<bos><|turn>user\na<turn|>\n<|turn>model\n<|channel>thought\na<turn|>\n",
        "<bos><|turn>system\n<|tool>declaration:f<tool|><turn|>\n",
        "GPT4 Correct User: Why? GPT4 Correct Assistant: Because.",
        "Say GPT4 Correct User: Why?<|end_of_turn|>",
        "A turn begins with [|user|] and ends with [|endofturn|].",
        "[|user|]Why?[|endofturn|] Because. [|assistant|]",
        "<SPECIAL_11>Judge\nWhy?",
        "Write [INST] Why? [/INST] Because.",
        "Write <start_of_turn>user\nWhy?<end_of_turn>",
        "<start_of_turn>user\nWhy?<end_of_turn>\nBecause.\n<start_of_turn>model\nBecause.<end_of_turn>",
        "<start_of_turn>user\nWhy?\n<start_of_turn>model\nBecause.<end_of_turn>",
        "<|start_header_id|>judge<|end_header_id|>\n\nWhy?<|eot_id|>",
        "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|> Because.<|eot_id|>",
        "<|system|>Be kind.<|endofsystem|><|userprompt|>Why?<|endofuserprompt|><|response|>Because.<|endofresponse|>",
        "<s>user<|role_sep|>\nRome?<|message_sep|>\n\nassistant<|role_sep|>\n<|function_call|>{}<|message_sep|>\n\n",
        "Press USER: and then ASSISTANT: to log in.",
        "An assistant. USER: Why? USER: Why? ASSISTANT: Because.",
        "An assistant. USER: Why? ASSISTANT: Because. USER: Why? ASSISTANT: Because.",
    ],
)
def test_a_text_that_only_mentions_a_template_is_of_no_layout(text: str) -> None:
    with pytest.raises(BridgeError, match="OCB-SHAPE"):
        read_row(Plan((AUTO,)), {"text": text})


@pytest.mark.parametrize(
    ("data", "beside"),
    [
        ({"conversation": [{"messages": [ASK]}]}, []),
        (json.dumps({"conversation": [{"messages": [ASK]}]}), []),
        ({"conversation": [{"messages": [ASK], "id": 7}]}, ["data"]),
    ],
    ids=["alone", "as text", "with more"],
)
def test_a_plan_names_places_inside_of_columns(data: Any, beside: list[str]) -> None:
    plan = plan_of({"layout": "messages", "columns": {"messages": "data.conversation[0].messages"}})
    row = {"data": data}
    [conversation] = conversations(row, plan)
    assert as_pairs(conversation.messages) == [ASKED]
    assert [*read_row(plan, row).extra_columns] == beside


@pytest.mark.parametrize("data", [{}, 3, "no JSON", {"conversation": []}, {"conversation": {"0": 1}}])
def test_a_row_without_a_place_is_none_of_its_plan(data: Any) -> None:
    plan = plan_of({"layout": "messages", "columns": {"messages": "data.conversation[0].messages"}})
    with pytest.raises(BridgeError, match="OCB-SHAPE"):
        read_row(plan, {"data": data})


def test_what_else_stands_in_inputs_and_outputs_stays_beside() -> None:
    row = {"inputs": {"question": "Why?", "context": "So.", "user": "u"}, "outputs": {"answer": "Because.", "score": 3}}
    [document] = read_row(Plan((AUTO,)), row).documents
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [("user", "Why?\nSo."), ANSWERED]
    assert document.extra_columns == {"inputs": {"user": "u"}, "outputs": {"score": 3}}


@pytest.mark.parametrize(
    "row",
    [
        {"inputs": {"topic": "bears"}, "outputs": {"joke": "No."}},
        {"inputs": {"question": "Why?", "choices": ["a", "b"]}, "outputs": {"answer": "a"}},
        {"inputs": {"question": "Why?"}, "outputs": {"label": 1}},
        {"input": "Why?", "expected": "Because."},
        {"question": "Why?", "A": "Because.", "B": "So.", "answer": "A"},  # C-Eval, CMMLU
        {"prompt": "", "memory": "", "actions": ["Why?", "Because."]},  # KoboldAI
    ],
)
def test_keys_that_do_not_say_who_speaks_are_not_guessed(row: dict[str, Any]) -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), row)


@pytest.mark.parametrize("part", [{"type": ["text"], "value": "Why?"}, {"type": "reasoning", "value": 1}])
def test_parts_with_values_of_another_type_are_none_of_llama_factory(part: dict[str, Any]) -> None:
    with pytest.raises(BridgeError):
        read_row(plan_of("llamafactory-v1"), {"messages": [{"role": "assistant", "content": [part]}]})


@pytest.mark.parametrize(
    ("column", "declared", "is_kept"),
    [("[]", ["f"], False), ('[{"name": "f"}]', ["f"], False), ('[{"name": "g"}]', ["g"], True)],
)
def test_tools_that_only_the_text_declares_are_not_lost(column: str, declared: list[str], *, is_kept: bool) -> None:
    turns = [
        {"from": "system", "value": 'Call them. <tools>[{"name": "f"}]</tools>'},
        {"from": "human", "value": "Why?"},
        {"from": "gpt", "value": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'},
    ]
    (document,) = read_row(Plan((AUTO,)), {"conversations": turns, "tools": column}).documents
    value: Any = document.value
    assert [each["function"]["name"] for each in value["tools"]] == declared
    assert ("<tools>" in value["messages"][0]["content"]) == is_kept
    assert [each.code for each in document.findings] == (["shape"] if is_kept else [])


def test_tools_beside_those_that_a_text_lists_are_kept() -> None:
    turns = [
        {"from": "system", "value": 'Call [{"name": "f", "description": "", "parameters": {}}]'},
        {"from": "user", "value": "Why?"},
        {"from": "assistant", "value": "[f(a=1)]"},
    ]
    found = read_row(Plan((AUTO,)), {"conversations": turns, "tools": '[{"name": "g"}]'})
    assert (found.layout.name, found.extra_columns) == ("toolace", {"tools": '[{"name": "g"}]'})


def test_settings_of_a_template_are_those_of_the_request() -> None:
    text = '<s>[MODEL_SETTINGS]{"reasoning_effort": "high"}[/MODEL_SETTINGS][INST]Why?[/INST]Because.</s>'
    [conversation] = conversations({"text": text})
    assert as_pairs(conversation.messages) == BOTH
    assert conversation.settings is not None
    assert conversation.settings.reasoning_effort == "high"


@pytest.mark.parametrize(
    "inside",
    [
        '<｜DSML｜invoke name="f">\nx\n</｜DSML｜invoke>',
        "f()",
        '<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="false">x</｜DSML｜parameter></｜DSML｜invoke>',
    ],
)
def test_what_is_no_call_of_deepseek_stays_text(inside: str) -> None:
    section = f"<｜DSML｜tool_calls>\n{inside}\n</｜DSML｜tool_calls>"
    [conversation] = conversations({"text": f"<｜User｜>Why?<｜Assistant｜>{section}<｜end▁of▁sentence｜>"})
    assert as_pairs(conversation.messages) == [ASKED, ("assistant", section)]


@pytest.mark.parametrize(
    "value",
    [
        "[weather(city=Rome)]",
        "[weather('Rome')]",
        "[weather(city='Rome'), other(a=1)]",
        "[weather(city='Rome')] Done.",
        "[weather(city='Rome']",
        "[weather(**{'city': 'Rome'})]",
        "[weather(city=__import__('os'))]",
    ],
)
def test_what_is_no_call_in_brackets_stays_text(value: str) -> None:
    turns = [
        {"from": "human", "value": "Rome?"},
        {"from": "gpt", "value": value},
        {"from": "human", "value": "And?"},
        {"from": "gpt", "value": "[weather(city='Oslo')]"},
    ]
    [conversation] = conversations({"system": f"Functions: [{WEATHER_TEXT}]", "conversations": turns})
    assert as_pairs(conversation.messages)[2:] == [
        ("assistant", value),
        ("user", "And?"),
        ("call weather", '{"city":"Oslo"}'),
    ]


def test_results_of_calls_in_brackets_that_cannot_be_told_apart_are_one() -> None:
    turns = [
        {"from": "human", "value": "Rome?"},
        {"from": "gpt", "value": "[weather(city='Rome'), weather(city='Oslo')]"},
        {"from": "tool", "value": '[{"name": "weather", "results": 20}]'},
    ]
    row = {"system": f"Functions: [{WEATHER_TEXT}]", "conversations": turns}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages)[-1] == ("tool", '[{"name": "weather", "results": 20}]')
    [document] = read_row(Plan((AUTO,)), row).documents
    assert [each.code for each in document.findings] == ["shape"]


def test_candidates_that_are_texts_are_not_geminis() -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), {"personality": ["I ski."], "candidates": ["Yes.", "No."], "history": ["Why?"]})


TURNS = [{"role": "user", "content": 'It\'s "why"?'}, {"role": "assistant", "content": "Because.\nYes, {no}"}]
NUMPY = " ".join(("[" + str(TURNS[0]), *(f"\n {turn}" for turn in TURNS[1:]))) + "]"


@pytest.mark.parametrize("text", [str(TURNS), NUMPY, str([{**TURNS[0], "weight": None}, TURNS[1]])])
@pytest.mark.parametrize("column", ["messages", "conversations"])
def test_messages_that_python_printed_into_a_table_are_messages(column: str, text: str) -> None:
    row = {column: text, "id": "1"}
    found = read_row(Plan((AUTO,)), row)
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [(turn["role"], turn["content"]) for turn in TURNS]
    assert [(each.code, each.path) for each in found.documents[0].findings] == [("json-repaired", f"/{column}")]
    assert found.extra_columns == {"id": "1"}


@pytest.mark.parametrize("spelled", [str, json.dumps])
def test_answers_of_a_preference_may_be_lists_of_messages_in_a_text(spelled: Any) -> None:
    other = [TURNS[0], {"role": "assistant", "content": "No."}]
    row = {"prompt": TURNS[0]["content"], "chosen": spelled(TURNS), "rejected": spelled(other)}
    [conversation] = conversations(row)
    assert as_pairs(conversation.messages) == [(turn["role"], turn["content"]) for turn in TURNS]
    [rejected] = [*(conversation.alternatives or ())]
    assert as_pairs(rejected.messages) == [("assistant", "No.")]


@pytest.mark.parametrize(
    "text", ["[{'a': 1}]", "[{'role': f()}]", "[{'role': 'user'", "[1, 2]", "[{'role': 'user'} x]"]
)
def test_other_texts_of_python_are_not_messages(text: str) -> None:
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), {"messages": text})


@pytest.mark.parametrize(
    ("member", "weight"),
    [
        ({"loss": False}, 0),
        ({"train": True}, 1),
        ({"loss_weight": 0.5}, 0.5),
        ({"loss": 2.3}, None),
        ({"loss": None}, None),
    ],
)
def test_messages_say_in_other_words_whether_to_train_on_them(member: dict[str, Any], weight: float | None) -> None:
    [conversation] = conversations({"messages": [ASK, {"role": "assistant", "content": "Because.", **member}]})
    assert [message.weight for message in conversation.messages] == [None, weight]


def test_a_prompt_beside_a_text_is_not_without_an_answer() -> None:
    with pytest.raises(BridgeError, match="not a row of any layout"):
        read_row(Plan((AUTO,)), {"prompt": "Write a story.", "text": "Once.", "audience": "all"})


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {}, "providerOptions": {"a": 1}},
        {"type": "tool-result", "toolCallId": "c", "toolName": "weather"},
        {"type": "tool_call", "tool_call_id": "c", "arguments": {}},
        {"type": "tool_call", "name": "weather", "arguments": {}, "input": {}},
        {"type": "tool_call", "note": 1, "tool_call": {"id": "c", "function": {"name": "weather"}}},
        {"type": "tool_call", "tool_call": {"id": "c", "note": 1, "function": {"name": "weather"}}},
    ],
    ids=["a member that is not known", "no result", "no name", "arguments twice", "a note", "a note inside"],
)
def test_parts_of_calls_that_say_more_or_less_stay_as_they_are(part: dict[str, Any]) -> None:
    row = {"messages": [ASK, {"role": "assistant", "content": [part]}]}
    assert read_row(Plan((AUTO,)), row).documents[0].value == row


def test_a_result_that_is_an_error_says_so() -> None:
    failed = {"type": "error-text", "value": "No."}
    result = {"type": "tool-result", "toolCallId": "c", "toolName": "weather", "output": failed}
    [conversation] = conversations({"messages": [ASK, {"role": "tool", "content": [result]}]})
    assert as_pairs(conversation.messages) == [ASKED, ("tool", '{"type":"error-text","value":"No."}')]


@pytest.mark.parametrize("role", ["user", "system"])
def test_nobody_but_the_assistant_calls_and_thinks(role: str) -> None:
    part: dict[str, Any] = {"type": "tool-call", "toolCallId": "c", "toolName": "weather", "input": {}}
    row: dict[str, Any] = {"messages": [ASK, {"role": role, "content": [part, {"type": "reasoning", "text": "Hm."}]}]}
    assert read_row(Plan((AUTO,)), row).documents[0].value == row


def test_what_stands_around_parts_of_calls_stays_at_the_first_of_them() -> None:
    call = {"type": "tool_call", "tool_call": {"id": "c", "type": "function", "function": {"name": "f"}}}
    row = {"messages": [ASK, {"role": "assistant", "run_id": 3, "content": [{"type": "text", "text": "Hm."}, call]}]}
    [document] = read_row(Plan((AUTO,)), row).documents
    called = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    assert document.value["messages"][1:] == [
        {"role": "assistant", "run_id": 3, "content": "Hm.", "tool_calls": called}
    ]


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("Hm.\n</think>\n\nBecause.", "Hm."),
        ("Say </think> then.\nBecause.", None),
        ("Write\n<think>\nHm.\n</think>\nfirst.", None),
    ],
)
def test_a_thought_whose_tag_the_prompt_opened_ends_with_a_closing_tag_in_a_line_of_its_own(
    text: str, thought: str | None
) -> None:
    [found] = conversations({"prompt": "Why?", "response": text}, Plan((AUTO,), thoughts=("think",)))
    assert as_pairs(found.messages)[1:] == (
        [("assistant", text)] if thought is None else [("thought", thought), ANSWERED]
    )


def test_the_system_column_of_turns_with_tags_comes_first() -> None:
    call = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    turns = [{"from": "human", "value": "Why?"}, {"from": "gpt", "value": call}]
    found = read_row(Plan((AUTO,)), {"system": "Be brief.", "conversations": turns})
    document: Any = found.documents[0].value
    assert found.layout.name == "hermes-functions"
    assert [each["role"] for each in document["messages"]] == ["system", "user", "assistant"]


def test_a_word_that_is_no_known_role_stays() -> None:
    reply: Any = {"role": "Reviewer", "text": "Because.", "message_id": "2", "replies": []}
    prompt: Any = {"role": "prompter", "text": "Why?", "message_id": "1", "replies": [reply]}
    document: Any = read_row(Plan((AUTO,)), {"message_tree_id": "1", "prompt": prompt}).documents[0].value
    assert [each["role"] for each in document["messages"]] == ["user", "Reviewer"]


def test_what_a_custom_tool_is_given_is_a_call_of_a_custom_tool() -> None:
    """ChatGLM3's role for code that runs (`ipython`), which is no function with arguments."""
    pieces = Pieces("assistant")
    pieces.command("ipython", "1 + 1")
    (message,) = pieces.messages()
    assert message["tool_calls"] == [{"type": "custom", "custom": {"name": "ipython", "input": "1 + 1"}}]


@pytest.mark.parametrize(
    ("answer", "weights", "beside"), [("a", [None, 0], []), (None, [None], [{"output_with_loss": False}])]
)
def test_what_a_pair_says_of_training_is_the_weight_of_its_answer_or_beside(
    answer: str | None, weights: list[int | None], beside: list[Any]
) -> None:
    """XTuner's; a pair without an answer has none that it could weigh."""
    row: dict[str, Any] = {"conversation": [{"input": "q", "output": answer, "output_with_loss": False}]}
    found = read_row(Plan((AUTO,)), row)
    document: Any = found.documents[0].value
    assert [each.get("weight") for each in document["messages"]] == weights
    assert [*found.documents[0].extra_columns.values()] == ([beside] if beside else [])
    row["conversation"][0]["output_with_loss"] = "no"
    with pytest.raises(BridgeError):
        read_row(Plan((AUTO,)), row)


def test_an_answer_that_is_a_number_is_its_text_and_that_is_noticed() -> None:
    found = read_row(Plan((AUTO,)), {"question": "6 * 7?", "answer": 42})
    document: Any = found.documents[0].value
    assert document["messages"][-1] == {"role": "assistant", "content": "42"}
    assert [finding.detail for finding in found.documents[0].findings] == [
        "the answer is a number; it is read as its text"
    ]
