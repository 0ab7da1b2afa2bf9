"""Rows with one text that the chat template of a model rendered: the conversation that a person reads in each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from layouts.row_pieces import (
    ANSWERED,
    ASKED,
    BOTH,
    CALL,
    WEATHER_TEXT,
    RowCase,
    check_row,
    ids_of,
)
from ocml_bridge import BridgeError
from ocml_bridge.layouts import AUTO, Plan, read_row
from rows import Pair, as_pairs, conversations

PREFACE = "Below is an instruction that describes a task, paired with an input that provides further context."


XLAM_SYSTEM = (
    "You are a helpful assistant.\nYou have access to a set of tools. When using tools, make calls in a single JSON "
    'array:\n\n[{"name": "tool_call_name", "arguments": {"arg1": "value1"}}, ...]\n\nThe available tools are:'
)
XLAM = (
    f"<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n{XLAM_SYSTEM}\n\n"
    + "".join(f"{json.dumps({'type': 'function', 'function': {'name': name}}, indent=4)}\n\n" for name in ("f", "g"))
    + "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
    '<|start_header_id|>assistant<|end_header_id|>\n\n[{"name": "f", "arguments": {"a": 1}}]<|eot_id|>'
    "<|start_header_id|>ipython<|end_header_id|>\n\n20<|eot_id|>"
    '<|start_header_id|>assistant<|end_header_id|>\n\n[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'
    "<|eot_id|>"
)
XLAM_MESSAGES: list[Pair] = [
    ("system", XLAM_SYSTEM),
    ("user", "Why?"),
    ("call f", '{"a":1}'),
    ("tool", "20"),
    ("call f", "{}"),
    ("call g", "{}"),
]

INVOKED = (
    '<minimax:tool_call>\n<invoke name="search">\n<parameter name="tags">["a", "b"]</parameter>\n'
    '<parameter name="query">x < <b>y</b></parameter>\n</invoke>\n<invoke name="f">\n</invoke>\n</minimax:tool_call>'
)
INVOKED_CALLS: list[Pair] = [("call search", '{"tags":["a","b"],"query":"x < <b>y</b>"}'), ("call f", "{}")]
"""Calls of MiniMax (MiniMax-AI/MiniMax-M2.5, `docs/tool_calling_guide.md`)."""
FOREIGN: list[tuple[str, list[Pair]]] = [
    (INVOKED, INVOKED_CALLS),
    # Nemotron Nano 2 (llama.cpp, `NVIDIA-Nemotron-Nano-v2.jinja`)
    ('<TOOLCALL>[{"name": "f", "arguments": {"a": 1}}]</TOOLCALL>', [("call f", '{"a":1}')]),
    # GLM-4.5 (trl, `glm4moe.jinja`)
    (
        "<think>Hm.</think>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        [("thought", "Hm."), ("call f", '{"a":1}')],
    ),
    # MiniCPM3 (OpenBMB/MiniCPM, `demo/minicpm3/function_call`): the text of the message follows its calls
    (
        (
            "<|thought_start|>\nHm.\n<|thought_end|>\n<|tool_call_start|>\n```python\n"
            'f(city="杭州",days=[1,2])\ng(ok=True)\n```\n<|tool_call_end|>\nI look.'
        ),
        [
            ("thought", "Hm."),
            ("assistant", "I look."),
            ("call f", '{"city":"杭州","days":[1,2]}'),
            ("call g", '{"ok":true}'),
        ],
    ),
]
"""Answers with calls that no dialect of ChatML has."""


def chatml(*turns: tuple[str, str]) -> dict[str, Any]:
    return {"text": "".join(f"<|im_start|>{role}\n{text}<|im_end|>\n" for role, text in turns)}


HARMONY = "<|start|>user<|message|>Why?<|end|><|start|>assistant"
FINAL = "<|channel|>final<|message|>"
ROWS: list[RowCase] = [
    # prompts that `openai-harmony` renders, with what the model samples, or its text, in another column
    *(
        ("prompted", {"prompt": f"{HARMONY}{begun}", "response": answer}, expected)
        for begun, answer, expected in (
            ("", "Because.", [ASKED, ("assistant", "Because.")]),
            (FINAL, "Because.", [ASKED, ("assistant", "Because.")]),
            ("", f"{FINAL}Because.<|return|>", [ASKED, ("assistant", "Because.")]),
            ("", "Say <|end|> <|start|>user.", [ASKED, ("assistant", "Say <|end|> <|start|>user.")]),
        )
    ),
    ("prompted", {"prompt": HARMONY, "id": 1}, [ASKED]),
    (
        "prompt",
        {"prompt": "<|start|> is a token of Harmony. Why?"},
        [("user", "<|start|> is a token of Harmony. Why?")],
    ),
    *(
        (
            "chatml-calls",
            chatml(("user", "Why?"), ("assistant", answer), ("tool", "20"), ("assistant", "Because.")),
            [ASKED, *messages, ("tool", "20"), ANSWERED],
        )
        for answer, messages in FOREIGN
    ),
    # xLAM-2 on Qwen (vLLM, `tool_chat_template_xlam_qwen.jinja`)
    (
        "chatml-calls",
        chatml(
            ("system", f"{XLAM_SYSTEM}\n\n{json.dumps({'type': 'function', 'function': {'name': 'f'}}, indent=4)}\n\n"),
            ("user", "Why?"),
            ("assistant", '[{"name": "f", "arguments": {"a": 1}}]'),
            ("tool", "20"),
        ),
        [("system", XLAM_SYSTEM), ASKED, ("call f", '{"a":1}'), ("tool", "20")],
    ),
    # a text that only names a tag is ChatML's
    (
        "chatml",
        chatml(("user", "<TOOLCALL>?"), ("assistant", "A tag.")),
        [("user", "<TOOLCALL>?"), ("assistant", "A tag.")],
    ),
    # MiniMax M2: reasoning, calls and results, and an answer to be generated
    (
        "minimax",
        {
            "text": f"]~!b[]~b]system\nBe kind.\n\n<tools>\n<tool>{WEATHER_TEXT}</tool>\n</tools>[e~[\n"
            f"]~b]user\nWhy?[e~[\n]~b]ai\n<think>\nHm.\n</think>\n\n{INVOKED}[e~[\n]~b]tool\n<response>20</response>\n<response>{{}}"
            "</response>[e~[\n]~b]ai\n<think>\n"
        },
        [("system", "Be kind."), ASKED, ("thought", "Hm."), *INVOKED_CALLS, ("tool", "20"), ("tool", "{}")],
    ),
    # MiniMax M1 (`docs/function_call_guide.md`): the speaker's name follows the role
    (
        "minimax",
        {
            "text": "<begin_of_document><beginning_of_sentence>user name=user\nWhy?<end_of_sentence>\n"
            "<beginning_of_sentence>ai name=assistant\nBecause.<end_of_sentence>\n"
        },
        BOTH,
    ),
    # Jamba (`tokenizer_config.json` of AI21-Jamba-Mini-1.7; vLLM, `jamba_tool_parser.py`)
    (
        "jamba",
        {
            "text": "<|startoftext|><|bom|><|system|> <|eom|><|bom|><|user|> Rome?<|eom|><|bom|><|assistant|> "
            f"<tool_calls>[\n{CALL}\n]</tool_calls><|eom|><|bom|><|tool|> 20<|eom|>"
            "<|bom|><|assistant|> 20 degrees.<|eom|>"
        },
        [("user", "Rome?"), ("call weather", '{"city":"Rome"}'), ("tool", "20"), ("assistant", "20 degrees.")],
    ),
    # SmolVLM and Idefics 3 (vLLM, `examples/vision_language.py`)
    (
        "smolvlm",
        {
            "text": "<|im_start|>System: Be kind.<end_of_utterance>\nUser:<image>Why?<end_of_utterance>\n"
            "Assistant: Because.<end_of_utterance>\n"
        },
        [("system", "Be kind."), ("user", "<image>Why?"), ANSWERED],
    ),
    ("smolvlm", {"text": "<|begin_of_text|>User: Why?<end_of_utterance>\nAssistant:"}, [ASKED]),
    # xLAM-2 (vLLM's tool_chat_template_xlam_llama.jinja): lists of calls, the last of which has no results
    ("llama-3", {"text": XLAM}, XLAM_MESSAGES),
    # Baize (project-baize/baize-chatbot, README): the empty last turn is not read
    (
        "baize",
        {
            "topic": "Why?",
            "input": "The conversation between human and AI assistant.\n[|Human|] Why?\n[|AI|] Because.\n[|Human|] ",
        },
        [("system", "The conversation between human and AI assistant."), ASKED, ANSWERED],
    ),
    # LLaMA-Factory, `data/tool_utils.py`: a call of GLM-4 is the tool's name, and its arguments on the next line
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
    # GLM-4.5 (trl, `glm4moe.jinja`): the template writes thoughts
    (
        "glm-4",
        {
            "text": "[gMASK]<sop><|user|>\nWhy?<|assistant|>\n<think>Hm.</think>\nBecause.<|user|>\nRome?<|assistant|>"
            "\n<think>Hm.</think>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"
            "<|observation|>\n20"
        },
        [
            ASKED,
            ("thought", "Hm."),
            ANSWERED,
            ("user", "Rome?"),
            ("thought", "Hm."),
            ("call f", '{"a":1}'),
            ("tool", "20"),
        ],
    ),
    # GLM-4.5: arguments are JSON or texts; a value that is not JSON is a text
    (
        "glm-4",
        {
            "text": "[gMASK]<sop><|user|>\nRome?<|assistant|>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>[1, 2]"
            '</arg_value>\n<arg_key>b</arg_key>\n<arg_value>"x" < y</arg_value>\n</tool_call>'
        },
        [("user", "Rome?"), ("call f", '{"a":[1,2],"b":"\\"x\\" < y"}')],
    ),
    # Gemma 4: values in its own notation, arguments that were JSON text, and a text between calls
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
    # OpenChat: the system prompt may come first; 3.6 has the tokens of Llama 3
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
    # OpenChat 3.6 names the system without "GPT4 Correct", as Llama 3 does
    (
        "openchat",
        {
            "text": "<|begin_of_text|><|start_header_id|>System<|end_header_id|>\n\nBe kind.<|eot_id|>"
            "<|start_header_id|>GPT4 Correct User<|end_header_id|>\n\nWhy?<|eot_id|>"
        },
        [("system", "Be kind."), ASKED],
    ),
    # Llama 4's calls: between their tokens, or after them
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
    # the token that begins a text may follow the system prompt (Llama 3.1 Swallow)
    (
        "llama-3",
        {
            "text": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
        },
        [("system", "Be kind."), ASKED],
    ),
    # Command A+: texts between tokens of their own
    (
        "command-r",
        {
            "text": "<BOS_TOKEN><|START_OF_TURN_TOKEN|><|USER_TOKEN|><|START_TEXT|>Why?<|END_TEXT|>"
            "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>Hm.<|END_THINKING|>"
            "<|START_TEXT|>Because.<|END_TEXT|><|END_OF_TURN_TOKEN|>"
        },
        [ASKED, ("thought", "Hm."), ANSWERED],
    ),
    # tools as Granite 3.1 declares them, and as 3.0 does, without a list
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
    # Kimi K2: the role of a result is the tool's name, if the message has one
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
    # NeMo's models, such as Nemotron-4: the token before a turn also ends the text
    (
        "nemo",
        {"text": "<extra_id_0>System\nBe kind.\n<extra_id_1>User\nWhy?\n<extra_id_1>Assistant\nBecause.\n<extra_id_1>"},
        [("system", "Be kind."), ASKED, ANSWERED],
    ),
    ("nemo", {"text": "<extra_id_0>System\n\n<extra_id_1>User\nWhy?\n<extra_id_1>Assistant\n"}, [ASKED]),
    # Nemotron Nano 2: the results of several calls are in one list, which may be invalid JSON
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
    # Llama 2's template, as in guanaco-llama2 and in its paper; Mistral's template
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
    # axolotl, `mistral_v2v3.jinja` and `mistral_v1.jinja`: results in JSON name their calls or their tools
    (
        "llama-2",
        {
            "text": '<s>[INST] Rome?[/INST][TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Rome"}, "id": "a"},'
            ' {"name": "weather", "arguments": {"city": "Oslo"}, "id": "b"}]</s>'
            '[TOOL_RESULTS] [{"content": {"celsius": 3}, "call_id": "b"}, {"content": "20", "call_id": "a"}]'
            "[/TOOL_RESULTS] 20.</s>"
        },
        [
            ("user", "Rome?"),
            ("call weather", '{"city":"Rome"}'),
            ("call weather", '{"city":"Oslo"}'),
            ("tool", '{"celsius":3}'),
            ("tool", "20"),
            ("assistant", "20."),
        ],
    ),
    # a result that is JSON, without a wrapper
    (
        "llama-2",
        {
            "text": '<s>[INST] Rome?[/INST][TOOL_CALLS] [{"name": "weather", "arguments": {}}]</s>'
            '[TOOL_RESULTS] {"content": "20"} [/TOOL_RESULTS][TOOL_RESULTS] [] [/TOOL_RESULTS] 20.</s>'
        },
        [
            ("user", "Rome?"),
            ("call weather", "{}"),
            ("tool", '{"content": "20"}'),
            ("tool", "[]"),
            ("assistant", "20."),
        ],
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
    # Metharme's (Pygmalion 2, its card; axolotl's prompt strategy), in one text and in two columns
    (
        "metharme",
        {"text": "<|system|>Enter RP mode.\n<|user|>Why?<|model|>Because.\n<|user|>So?<|model|>"},
        [("system", "Enter RP mode."), ASKED, ANSWERED, ("user", "So?")],
    ),
    (
        "rendered",
        {"prompt": "<|system|>Enter RP mode.<|user|>Why?<|model|>", "generation": "Because."},
        [("system", "Enter RP mode."), ASKED, ANSWERED],
    ),
    ("gemma-4", {"text": "<bos><|turn>user\nWhy?<turn|>\n<|turn>model\nBecause.<turn|>\n"}, [ASKED, ANSWERED]),
    ("glm-4", {"text": "[gMASK]<sop><|user|>\nWhy?<|assistant|>\n</think>\nBecause."}, [ASKED, ANSWERED]),
    ("kimi", {"text": "<|im_user|>user<|im_middle|>Why?<|im_end|>"}, [ASKED]),
    # DeepSeek's template
    ("deepseek", {"text": "<｜User｜>Why?<｜Assistant｜>Because.<｜end▁of▁sentence｜>"}, [ASKED, ANSWERED]),
    # calls of Granite and Command R: of R+ in a block of JSON (after which the turn goes on), of R7B between tokens
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
    # rendered prompts, as in logs of inference and datasets of evaluations
    (
        "rendered",
        {"prompt": "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n", "completion": "Because.<|im_end|>"},
        [ASKED, ANSWERED],
    ),
    ("rendered", {"prompt": "<s>[INST] Why? [/INST]", "response": " Because.</s>"}, [ASKED, ANSWERED]),
    ("rendered", {"input": "<｜User｜>Why?<｜Assistant｜>", "output": "Because."}, [ASKED, ANSWERED]),
    ("rendered", {"prompt": "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\n"}, [ASKED]),
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
    # with the tokens that a tokenizer adds
    (
        "alpaca-text",
        {"text": "<|begin_of_text|>### Instruction:\nWhy?\n\n### Response:\nBecause.<|end_of_text|>"},
        [ASKED, ANSWERED],
    ),
    # a content that quotes labels of other templates
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
]


@pytest.mark.parametrize(("name", "row", "expected"), ROWS, ids=ids_of(ROWS))
def test_a_row_is_read_as_a_person_reads_it(name: str, row: dict[str, Any], expected: list[Pair]) -> None:
    check_row(name, row, expected)


def test_an_answer_with_a_turn_of_the_user_is_refused() -> None:
    answer = f"{FINAL}No.<|end|><|start|>user<|message|>So?<|end|>"
    with pytest.raises(BridgeError) as caught:
        read_row(Plan((AUTO,)), {"prompt": HARMONY, "response": answer})
    assert caught.value.path == "/response"


def test_a_text_of_two_conversations_is_read_as_two() -> None:
    one = "<bos><start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\nBecause.<end_of_turn>\n"
    assert [as_pairs(each.messages) for each in conversations({"text": one + one})] == [BOTH, BOTH]


@pytest.mark.parametrize(
    "text",
    [
        "The marker [INST] begins an instruction.",
        "[INST] a [INST] b [/INST]",
        "<|system|>a<|user|>b<|bot|>c",
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
def test_a_text_that_only_mentions_a_template_has_no_layout(text: str) -> None:
    with pytest.raises(BridgeError, match="OCB-SHAPE"):
        read_row(Plan((AUTO,)), {"text": text})


OF_MISTRAL = {
    "JSON": (
        '<s>[INST] Rome?[/INST][TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "a"}, {"name": "f", "arguments": {}, '
        '"id": "b"}]</s>[TOOL_RESULTS] {"content": "of b", "call_id": "b"}[/TOOL_RESULTS]'
        '[TOOL_RESULTS] {"content": "of a", "call_id": "a"}[/TOOL_RESULTS]'
    ),
    # mistral-common, the tokenizers v11
    "tokens": (
        "<s>[INST]Rome?[/INST][TOOL_CALLS]f[CALL_ID]a[ARGS]{}[TOOL_CALLS]f[CALL_ID]b[ARGS]{}</s>"
        "[TOOL_RESULTS]b[TOOL_CONTENT]of b[/TOOL_RESULTS][TOOL_RESULTS]a[TOOL_CONTENT]of a[/TOOL_RESULTS]"
    ),
}


@pytest.mark.parametrize("text", OF_MISTRAL.values(), ids=OF_MISTRAL)
def test_results_of_mistral_answer_the_calls_with_their_ids(text: str) -> None:
    [conversation] = conversations({"text": text})
    assert [(each.call_id, each.content) for each in conversation.messages[1:]] == [
        *(("a", "{}"), ("b", "{}")),
        *(("b", "of b"), ("a", "of a")),
    ]


def test_settings_in_a_text_of_a_template_are_read() -> None:
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
def test_an_invalid_call_of_deepseek_is_read_as_text(inside: str) -> None:
    section = f"<｜DSML｜tool_calls>\n{inside}\n</｜DSML｜tool_calls>"
    [conversation] = conversations({"text": f"<｜User｜>Why?<｜Assistant｜>{section}<｜end▁of▁sentence｜>"})
    assert as_pairs(conversation.messages) == [ASKED, ("assistant", section)]
