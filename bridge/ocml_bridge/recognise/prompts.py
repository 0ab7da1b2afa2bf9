"""List the beginnings of prompts, as chat templates make them, that no format reads."""

from __future__ import annotations

from typing import Final

from .marks import Kind, begins

ROWS: Final = "`ocml-convert batch --plan auto` reads such texts, in rows or files"
"""The advice for texts of templates that have a layout."""

PROMPTS: Final[tuple[Kind, ...]] = (
    Kind(
        "a Llama 3 prompt",
        patterns=(begins(r"<\|(?:begin_of_text|start_header_id)\|>", "`<|begin_of_text|>`, `<|start_header_id|>`"),),
        format="llama-3",
        advice=ROWS,
    ),
    Kind(
        "a Llama 4 prompt",
        patterns=(begins(r"<\|header_start\|>", "`<|header_start|>`"),),
        format="llama-4",
        advice=ROWS,
    ),
    Kind(
        "a Mistral or Llama 2 prompt",
        patterns=(
            begins(
                r"(?:<s>)?\s*\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|MODEL_SETTINGS)\]",
                "`[INST]`, `[SYSTEM_PROMPT]`, `[AVAILABLE_TOOLS]`, `[MODEL_SETTINGS]`",
            ),
        ),
        format="mistral",
        advice=ROWS,
    ),
    Kind(
        "a Gemma prompt",
        patterns=(begins(r"(?:<bos>)?\s*<(?:start_of_turn|\|turn)>", "`<start_of_turn>`, `<|turn>`"),),
        format="gemma",
        advice=ROWS,
    ),
    Kind(
        "a Phi, Zephyr or GLM prompt",
        patterns=(
            begins(
                r"(?:\[gMASK\]\s*<sop>|<s>)?\s*<\|(?:system|user|assistant)\|>",
                "`<|system|>`, `<|user|>`, `<|assistant|>`",
            ),
        ),
        advice=ROWS,
    ),
    Kind(
        "a DeepSeek prompt",
        patterns=(begins("<｜(?:begin▁of▁sentence|User|Assistant)｜>", "`<｜begin▁of▁sentence｜>`, `<｜User｜>`"),),
        advice=ROWS,
    ),
    Kind(
        "a Command R prompt",
        patterns=(begins(r"(?:<BOS_TOKEN>)?\s*<\|START_OF_TURN_TOKEN\|>", "`<|START_OF_TURN_TOKEN|>`"),),
        advice=ROWS,
    ),
    Kind(
        "a Granite prompt",
        patterns=(begins(r"<\|start_of_role\|>", "`<|start_of_role|>`"),),
        advice=ROWS,
    ),
    Kind(
        "a Kimi prompt",
        patterns=(begins(r"<\|im_(?:system|user|assistant)\|>", "`<|im_user|>`, `<|im_system|>`"),),
        advice=ROWS,
    ),
    Kind(
        "an EXAONE prompt",
        patterns=(begins(r"\[\|(?:system|user|assistant)\|\]", "`[|system|]`, `[|user|]`"),),
        advice=ROWS,
    ),
    Kind(
        "an OpenChat prompt",
        patterns=(begins(r"(?:<s>)?\s*GPT4 Correct (?:System|User|Assistant):", "`GPT4 Correct User:`"),),
        advice=ROWS,
    ),
    Kind(
        "a Nemotron prompt",
        patterns=(begins(r"<SPECIAL_1[01]>(?:System|User|Assistant)\b", "`<SPECIAL_10>System`, `<SPECIAL_11>User`"),),
        advice=ROWS,
    ),
    Kind(
        "a NeMo prompt",
        patterns=(begins(r"<extra_id_[01]>(?:System|User|Assistant)\b", "`<extra_id_0>System`, `<extra_id_1>User`"),),
        advice=ROWS,
    ),
    Kind(
        "a Ling or Ring prompt",
        patterns=(begins(r"<role>(?:SYSTEM|HUMAN|ASSISTANT|system|user|assistant)</role>", "`<role>HUMAN</role>`"),),
    ),
    Kind(
        "a Hunyuan prompt",
        patterns=(
            begins(
                r"<｜hy_\w|<\|startoftext\|>[^<]*(?:<(?!\|)[^<]*)*<\|extra_[04]\|>",
                "`<｜hy_begin▁of▁sentence｜>`, `<|startoftext|>` with `<|extra_0|>` after it",
            ),
        ),
    ),
    Kind(
        "a GigaChat prompt",
        patterns=(begins(r"(?:<s>)?[a-z]{1,20}(?: [a-z]{1,20}){0,2}<\|role_sep\|>", "`user<|role_sep|>`"),),
    ),
    Kind(
        "a MiniMax prompt",
        patterns=(
            begins(
                r"\]~!b\[|(?:<begin_of_document>)?<beginning_of_sentence>(?:system|user|ai)\b",
                "`]~b]user`, `<beginning_of_sentence>user`",
            ),
        ),
        advice=ROWS,
    ),
    Kind(
        "a Seed-OSS prompt",
        patterns=(begins(r"<seed:bos>", "`<seed:bos>user`"),),
    ),
    Kind(
        "an Apertus or nanochat prompt",
        patterns=(
            begins(
                r"(?:<s>|<\|bos\|>)?<\|(?:system|developer|user|assistant)_start\|>",
                "`<|system_start|>`, `<|user_start|>`",
            ),
        ),
    ),
    Kind(
        "an Apriel prompt",
        patterns=(begins(r"(?:<s>)?<\|begin_(?:system|user|assistant)\|>", "`<|begin_system|>`"),),
    ),
    Kind(
        "an ERNIE prompt",
        patterns=(begins(r"<\|begin_of_sentence\|>", "`<|begin_of_sentence|>`"),),
    ),
    Kind(
        "a LongCat prompt",
        patterns=(begins(r"<longcat_(?:system|user|tool_declare)>", "`<longcat_user>`"),),
    ),
    Kind(
        "a Laguna prompt",
        patterns=(begins(r"〈\|EOS\|〉<(?:system|user|assistant)>", "`〈|EOS|〉<system>`"),),
    ),
    Kind(
        "a Step prompt",
        patterns=(begins(r"(?:<s>)?<\|BOT\|>\s?(?:system|user|human|assistant)\b", "`<|BOT|>user`"),),
    ),
    Kind(
        "a Solar prompt",
        patterns=(
            begins(
                r"<\|begin\|>\w+<\|content\|>|<\|im:start\|>\w+<\|im:content\|>",
                "`<|begin|>user<|content|>`, `<|im:start|>user<|im:content|>`",
            ),
        ),
    ),
    Kind(
        "a Motif prompt",
        patterns=(begins(r"(?:<s>|<\|beginoftext\|>)?<\|?startofturn\|>", "`<|startofturn|><|user|>`"),),
    ),
    Kind(
        "a Kimi K3 prompt",
        patterns=(begins(r"<\|open\|>message role=", "`<|open|>message role=`"),),
    ),
    Kind(
        "a Jamba prompt",
        patterns=(begins(r"(?:<\|startoftext\|>|<s>)?<\|bom\|>", "`<|bom|><|user|>`"),),
        advice=ROWS,
    ),
    Kind(
        "an OpenBuddy prompt",
        patterns=(begins(r"<\|role\|>\w+<\|says\|>", "`<|role|>user<|says|>`"),),
    ),
    Kind(
        "a MiniCPM prompt",
        patterns=(begins(r"(?:<s>)?<用户>", "`<用户>`"),),
    ),
    Kind(
        "a ChatGLM or LongCat prompt",
        patterns=(begins(r"\[Round \d+\]\s*(?:问：|USER:)|\[gMASK\]\s*sop\b", "`[Round 1]`, `[gMASK]sop`"),),
    ),
)
