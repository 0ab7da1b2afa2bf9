"""Texts of the ChatML family, made of the markup of every dialect, whole and in halves."""

from __future__ import annotations

from hypothesis import strategies as st

CALL = '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}\n</tool_call>'
PIECES = (
    *("<think>", "</think>", "<think>\n", "\n</think>\n\n", "\n", "\n\n", " ", "Hi", "<", "\u200b", "<\u200b/think>"),
    *("<tool_call>", "</tool_call>", CALL, '{"name": "f", "arguments": {"s": "</tool_call>', "<tool_response>"),
    *("</tool_response>", "<tool_response>\nR\n</tool_response>", "<tools>", "<function=f>", "</function>", "{", "}"),
    *("<parameter=a>\n1\n</parameter>", '"', "<|tool_call_start|>", "[f(a='1')]", "<|tool_call_end|>"),
    *("List of tools: ", "\n<function=f>\n", "</parameter>\n", "[f(a='"),
    "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>",
    *('[{"name": "f", "arguments": {"a": "x"}}', ', {"name": "g", "input": {}}', "]", "[", "<|stop|>", "<|endofturn|>"),
    *("<function_calls>", 'f(a="x")', "\ng()", "</function_calls>", "<functions>", "</functions>"),
)
_BODIES = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
_ROLES = st.sampled_from(
    (
        *("assistant", "assistant", "assistant", "user", "tool", "system", "tool_response", "tool name=g"),
        *(
            "assistant/plan",
            "assistant/think",
            "assistant -> tool/function_call",
            "tool/function_call",
            "tool_list",
            "environment",
        ),
    )
)
_ENDS = st.sampled_from(("<|im_end|>\n", "<|im_end|>\n", "<|im_end|>", "", "<|im_end|><|stop|>\n"))
TURNS = st.lists(st.builds("<|im_start|>{}\n{}{}".format, _ROLES, _BODIES, _ENDS), max_size=5).map("".join)
"""Texts of up to five turns."""
