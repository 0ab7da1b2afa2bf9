"""List the beginnings of prompts, as chat templates make them, that no format reads."""

from __future__ import annotations

from functools import partial
from typing import Final

from .marks import Kind, beginning

ROWS: Final = "`ocml-convert batch --plan auto` reads such texts, in rows or files"
"""The advice for texts of templates that have a layout."""

_with_layout: Final = partial(beginning, advice=ROWS)

PROMPTS: Final[tuple[Kind, ...]] = (
    _with_layout(
        "a Llama 3 prompt",
        r"<\|(?:begin_of_text|start_header_id)\|>",
        "`<|begin_of_text|>`, `<|start_header_id|>`",
        format_id="llama-3",
    ),
    _with_layout("a Llama 4 prompt", r"<\|header_start\|>", "`<|header_start|>`", format_id="llama-4"),
    _with_layout(
        "a Mistral or Llama 2 prompt",
        r"(?:<s>)?\s*\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|MODEL_SETTINGS)\]",
        "`[INST]`, `[SYSTEM_PROMPT]`, `[AVAILABLE_TOOLS]`, `[MODEL_SETTINGS]`",
        format_id="mistral",
    ),
    _with_layout(
        "a Gemma prompt", r"(?:<bos>)?\s*<(?:start_of_turn|\|turn)>", "`<start_of_turn>`, `<|turn>`", format_id="gemma"
    ),
    _with_layout(
        "a Phi, Zephyr or GLM prompt",
        r"(?:\[gMASK\]\s*<sop>|<s>)?\s*<\|(?:system|user|assistant)\|>",
        "`<|system|>`, `<|user|>`, `<|assistant|>`",
    ),
    _with_layout(
        "a DeepSeek prompt", "<｜(?:begin▁of▁sentence|User|Assistant)｜>", "`<｜begin▁of▁sentence｜>`, `<｜User｜>`"
    ),
    _with_layout("a Command R prompt", r"(?:<BOS_TOKEN>)?\s*<\|START_OF_TURN_TOKEN\|>", "`<|START_OF_TURN_TOKEN|>`"),
    _with_layout("a Granite prompt", r"<\|start_of_role\|>", "`<|start_of_role|>`"),
    _with_layout("a Kimi prompt", r"<\|im_(?:system|user|assistant)\|>", "`<|im_user|>`, `<|im_system|>`"),
    _with_layout("an EXAONE prompt", r"\[\|(?:system|user|assistant)\|\]", "`[|system|]`, `[|user|]`"),
    _with_layout("an OpenChat prompt", r"(?:<s>)?\s*GPT4 Correct (?:System|User|Assistant):", "`GPT4 Correct User:`"),
    _with_layout(
        "a Nemotron prompt", r"<SPECIAL_1[01]>(?:System|User|Assistant)\b", "`<SPECIAL_10>System`, `<SPECIAL_11>User`"
    ),
    _with_layout(
        "a NeMo prompt", r"<extra_id_[01]>(?:System|User|Assistant)\b", "`<extra_id_0>System`, `<extra_id_1>User`"
    ),
    beginning(
        "a Ling or Ring prompt",
        r"<role>(?:SYSTEM|HUMAN|ASSISTANT|system|user|assistant)</role>",
        "`<role>HUMAN</role>`",
    ),
    beginning(
        "a Hunyuan prompt",
        r"<｜hy_\w|<\|startoftext\|>[^<]*(?:<(?!\|)[^<]*)*<\|extra_[04]\|>",
        "`<｜hy_begin▁of▁sentence｜>`, `<|startoftext|>` with `<|extra_0|>` after it",
    ),
    beginning("a GigaChat prompt", r"(?:<s>)?[a-z]{1,20}(?: [a-z]{1,20}){0,2}<\|role_sep\|>", "`user<|role_sep|>`"),
    _with_layout(
        "a MiniMax prompt",
        r"\]~!b\[|(?:<begin_of_document>)?<beginning_of_sentence>(?:system|user|ai)\b",
        "`]~b]user`, `<beginning_of_sentence>user`",
    ),
    beginning("a Seed-OSS prompt", r"<seed:bos>", "`<seed:bos>user`"),
    beginning(
        "an Apertus or nanochat prompt",
        r"(?:<s>|<\|bos\|>)?<\|(?:system|developer|user|assistant)_start\|>",
        "`<|system_start|>`, `<|user_start|>`",
    ),
    beginning("an Apriel prompt", r"(?:<s>)?<\|begin_(?:system|user|assistant)\|>", "`<|begin_system|>`"),
    beginning("an ERNIE prompt", r"<\|begin_of_sentence\|>", "`<|begin_of_sentence|>`"),
    beginning("a LongCat prompt", r"<longcat_(?:system|user|tool_declare)>", "`<longcat_user>`"),
    beginning("a Laguna prompt", r"〈\|EOS\|〉<(?:system|user|assistant)>", "`〈|EOS|〉<system>`"),
    beginning("a Step prompt", r"(?:<s>)?<\|BOT\|>\s?(?:system|user|human|assistant)\b", "`<|BOT|>user`"),
    beginning(
        "a Solar prompt",
        r"<\|begin\|>\w+<\|content\|>|<\|im:start\|>\w+<\|im:content\|>",
        "`<|begin|>user<|content|>`, `<|im:start|>user<|im:content|>`",
    ),
    beginning("a Motif prompt", r"(?:<s>|<\|beginoftext\|>)?<\|?startofturn\|>", "`<|startofturn|><|user|>`"),
    beginning("a Kimi K3 prompt", r"<\|open\|>message role=", "`<|open|>message role=`"),
    _with_layout("a Jamba prompt", r"(?:<\|startoftext\|>|<s>)?<\|bom\|>", "`<|bom|><|user|>`"),
    beginning("an OpenBuddy prompt", r"<\|role\|>\w+<\|says\|>", "`<|role|>user<|says|>`"),
    beginning("a MiniCPM prompt", r"(?:<s>)?<用户>", "`<用户>`"),
    beginning(
        "a ChatGLM or LongCat prompt", r"\[Round \d+\]\s*(?:问：|USER:)|\[gMASK\]\s*sop\b", "`[Round 1]`, `[gMASK]sop`"
    ),
)
