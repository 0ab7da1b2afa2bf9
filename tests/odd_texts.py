"""Texts of each format that are spelled oddly in one place: in a frame's edges, its header, its body, or behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

_BLANK_BODIES: Final = ("", " ", "\n", "a\n")
_IM_BODIES: Final = (
    *_BLANK_BODIES,
    *("\na", "a\r\n", "a\r", "a < b", "<|im_end", "a<", "<\u200b|im_end|>", "<|end|>", "<|im_sep|>", "\ufeffa"),
    *("a\u200b", "```\na\n```", '"a"', "null", "[]", "</s>", "[EOS]", "<s>a"),
)
_EDGES: Final = ("", "\n", "\n\n", " ", "\r\n", "text", "<|im_end|>", "</s>", "\ufeff")


class Spelling(NamedTuple):
    """What a frame of a format is made of: of each the usual, and then the odd ones.

    Attributes:
        front: what precedes all frames.
        gap: what separates a frame from the previous one.
        start: the token that begins it.
        header: what follows that token.
        opening: what separates header and body.
        body: the content.
        end: the token that ends it.
        tail: what follows all frames.
        answer: a frame that follows it.
    """

    front: tuple[str, ...]
    gap: tuple[str, ...]
    start: tuple[str, ...]
    header: tuple[str, ...]
    opening: tuple[str, ...]
    body: tuple[str, ...]
    end: tuple[str, ...]
    tail: tuple[str, ...]
    answer: tuple[str, ...]


def _im(
    *,
    front: tuple[str, ...],
    start: tuple[str, ...],
    header: tuple[str, ...],
    body: tuple[str, ...],
    end: tuple[str, ...],
) -> Spelling:
    tail = ("\n", "", "\n\n", " ", "text", "[EOS]", "</s>", "<|im_start|>assistant\n", "<|im_start|>assistant", "<|im_")
    opening = ("\n", "", "\r\n", " \n", "\n\n")
    answer = (f"{start[0]}assistant\nYes.{end[0]}",)
    return Spelling(
        front, ("\n", *_EDGES), start, ("user", *header), opening, ("Hi.", *_IM_BODIES, *body), end, tail, answer
    )


def _channelled(
    *,
    front: tuple[str, ...],
    gap: tuple[str, ...],
    start: tuple[str, ...],
    header: tuple[str, ...],
    body: tuple[str, ...],
    end: tuple[str, ...],
    tail: tuple[str, ...],
) -> Spelling:
    headers = (
        "user",
        *(f"assistant<|channel|>{channel}" for channel in ("final", "analysis")),
        *("assistant", "system", "developer"),
    )
    return Spelling(
        front,
        gap,
        start,
        (*headers, *header),
        ("<|message|>", "", " <|message|>", "<|message|>\n"),
        ("Hi.", *_BLANK_BODIES, *body),
        end,
        tail,
        ("<|start|>assistant<|channel|>final<|message|>Yes.<|return|>",),
    )


_HEADERS: Final = (
    *("assistant", "assistant name=bob", "system", "tool name=f", "tool", "user  name=a", "user name=a name=b"),
    *("critic", "user x y", "", " user", "user ", "user\u200b", "function", "developer", "environment", "a<b"),
)
_OCM_0_1_BODIES: Final = (
    *("<|start_reason|>a<|end_reason|>", "a<|start_reflect|>b<|end_reflect|>c", "<|start_reason|>a", "<|end_reason|>a"),
    *("<|reflect|>", "<|reflect|><|introspect|>a", "<|file_separator|>", "a\n<|file_separator|>\nb"),
    *("<|fim_prefix|>a<|fim_middle|>b<|fim_suffix|>c", "<|fim_prefix|>a<|fim_suffix|>c<|fim_middle|>"),
    *("<|fim_middle|>", '<|function_call|>\n{"arguments": {}, "name": "f"}', '<|function_call|>{"name": "f"}\n'),
    *("<|function_call|>a", 'a\n<|function_call|>\n{"name": "f", "arguments": "x"}\nb'),
    *('<|function_output|>\n{"name": "f", "content": "a"}',),
    *('<|function_output|>\n{"name": "f", "content": {"a": 1}}\n<|function_output|>\n{"name": "g", "content": null}',),
    *('<|function_list|>\n{"name": "f", "parameters": {}}', "a\n<|function_list|>\n[]\n<|function_list|>"),
    *("\r\n<|reflect|>", '<|function_list|>\n[{"name": "f", "parameters": {}}]\n\nb'),
    *('<|function_call|>\r\n{"arguments": {}, "name": "f"}\r\n',),
)
_INTERNLM2_BODIES: Final = (
    *('a<|action_start|><|plugin|>\n{"name": "f", "parameters": {}}<|action_end|>', "<|action_start|>", "<|plugin|>"),
    *('<|action_start|><|plugin|>\n{"name": "f", "parameters": {}}', "<|action_start|> <|plugin|>{}<|action_end|>a"),
    *("a<|action_start|><|interpreter|>\n```python\nb\n```<|action_end|>", "<|action_end|>a", "<|interpreter|>"),
    *('[{"name": "f"}]', "[{'name': 'f'}]", '[UNUSED_TOKEN_141][UNUSED_TOKEN_142]\n{"name": "f", "parameters": {}}'),
)
_CHATML_BODIES: Final = (
    *('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', "<tool_call>", 'a\n<tool_call>\n{"name": "f"}'),
    *("<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>", "</tool_call>a"),
    *("<think>\na\n</think>\n\nb", "<think>a", "</think>a", "<think>\n\n</think>\n\n", "a\n</think>\n\nb", "`<think>`"),
    *("<tool_response>\na\n</tool_response>", "<tool_response>a</tool_response>\n<tool_response>b</tool_response>"),
    *("<|tool_call_start|>[f(a=1)]<|tool_call_end|>a", "<|tool_list_start|>[]<|tool_list_end|>"),
    *("<function=f>\n</function>", "a\n<function=f>\n<parameter=b>\n1\n</parameter>\n</function>\nc"),
)

TOOLS: Final = "# Tools\n\n## functions\n\nnamespace functions {\n\ntype f = () => any;\n\n} // namespace functions"
"""A section of tools, as Harmony has it."""

_DESCRIBED_TOOLS: Final = TOOLS.replace("namespace functions {", "// What it does.\nnamespace functions {", 1)

SPELLINGS: Final = {
    "ocm-0.1": _im(
        front=("[BOS]", "", "<s>\n", "\n", "text", "\ufeff"),
        start=("<|im_start|>",),
        header=_HEADERS,
        body=_OCM_0_1_BODIES,
        end=("<|im_end|>", "", "\n<|im_end|>", "<|im_end|><|im_end|>"),
    ),
    "internlm2": _im(
        front=("", "<s>", "\n", "text", "\ufeff"),
        start=("<|im_start|>", "[UNUSED_TOKEN_146]"),
        header=(
            *_HEADERS,
            *("environment name=<|plugin|>", "system name=<|plugin|>", "system name=plugin", "environment name=f"),
        ),
        body=_INTERNLM2_BODIES,
        end=("<|im_end|>", "", "[UNUSED_TOKEN_145]", "<|im_end|><|im_end|>"),
    ),
    "chatml": _im(
        front=("", "<s>", "\n", "text", "\ufeff"),
        start=("<|im_start|>",),
        header=_HEADERS,
        body=_CHATML_BODIES,
        end=("<|im_end|>", "", "<|im_end|><|im_end|>"),
    ),
    "ocm-2.2": _channelled(
        front=(
            *("version: 2.2\n", "", "\n", "---\nversion: 2.2\n---\n", "text\n", "version: 2.2\nmodel: m\n"),
            *("version: 1.0\n",),
        ),
        gap=("\n", *_EDGES),
        start=("<|start|>",),
        header=(
            *("developer name=", "assistant to=functions.f call_id=c<|channel|>commentary"),
            *("tool name=functions.f call_id=c", "functions.f"),
            *("assistant to=functions.f<|channel|>commentary<|constrain|>json", "user name=", "user mood=good"),
            *("critic", "assistant<|channel|>final text/plain", "assistant<|channel|>", "assistant<|channel|>a b c"),
            *(" user ", "", "assistant <|channel|> final", "assistant<|channel|>final<|channel|>commentary"),
            *("user what", "user name=a name=b", "assistant<|channel|>commentary intent=preamble"),
            *("assistant name=bob<|channel|>final", "<|end|>"),
        ),
        body=(
            *("a<", "a<<", "<<|end|>", "<<<|end|>", "<|literal|>a<|end|>b<|endliteral|>", "<|", "<|literal|>a"),
            *("<|literal|><|endliteral|>", "<|endliteral|>", "<|channel|>", "<|start|>", "<<|literal|>a"),
            *("<|start_reason|>a", "<<|start_reason|>a", "{}", "# Tools", TOOLS, f"Be brief.\n\n{TOOLS}"),
            *(f"{TOOLS}\n\nBe brief.", "<|endoftext|>", "\u200b", "<|literal|><|endliteral|><"),
        ),
        end=("<|end|>", "", "<|return|>", "<|call|>", "<|call|><|end|>", "<|return|><|end|>", "<|end|><|end|>"),
        tail=(
            *("\n", "", "\n\n", " ", "text", "<|start|>assistant", "<|start|>assistant<|channel|>final", "<|start|>"),
            *("<|end|>",),
        ),
    ),
    "harmony": _channelled(
        front=("", "<|startoftext|>", "\n", "text", "\ufeff", "<|end|>"),
        gap=("", "\n", " ", "text", "<|end|>", "<|endoftext|>", "<|channel|>"),
        start=("<|start|>", "", "<|start|><|start|>"),
        header=(
            *("assistant to=functions.f<|channel|>commentary <|constrain|>json",),
            *("functions.f to=assistant<|channel|>commentary",),
            *("assistant<|channel|>commentary to=functions.f <|constrain|>json", "functions.f<|channel|>commentary"),
            *("weather", "assistant to=functions.f<|channel|>analysis", "assistant<|channel|>odd"),
            *("assistant<|channel|>", "user name", "", "assistant to=functions.f<|channel|>commentary json"),
            *("assistant<|channel|>commentary<|constrain|>json", " user", "assistant final"),
            *("assistant<|channel|>final hello", "assistant to=user<|channel|>final", "<|end|>", "a<b"),
            *("assistant to=python<|channel|>analysis code", "python to=assistant<|channel|>commentary", "user:bob"),
            *("user ",),
        ),
        body=(
            *("a <", "<|", "<\u200b|end|>", "<|channel|>", "<|start|>", "<|message|>a", "{}", "{"),
            *("# Instructions\n\na", TOOLS, _DESCRIBED_TOOLS, f"# Instructions\n\na\n\n{TOOLS}"),
            *("You are ChatGPT, a large language model trained by OpenAI.\n\nReasoning: high", "<|endoftext|>"),
            *("a<|start|>b", "a<|start|>assistant<|channel|>final", "\u200b", "<|reserved_200000|>"),
        ),
        end=("<|end|>", "", "<|return|>", "<|call|>", "<|end|><|end|>", "<|endoftext|>"),
        tail=(
            *("", "\n", " ", "text", "<|start|>assistant", "<|start|>assistant<|channel|>final", "<|start|>"),
            *("<|end|>", "<|endoftext|>"),
        ),
    ),
}


FIELDS: Final = ("front", "gap", "start", "opening", "body", "end", "tail")


def odd_texts(name: str, field: str, headers: int | None = None) -> Iterator[str]:
    """Texts of a format with one odd piece, behind a usual frame and before an answer or at the end.

    Args:
        name: of the format.
        field: which piece is odd.
        headers: with how many of the headers each odd piece is combined; None for all.
    """
    spelling = SPELLINGS[name]
    usual = Spelling(*[values[:1] for values in spelling])
    for odd in getattr(spelling, field):
        for header in spelling.header[:headers]:
            yield from _around(usual._replace(header=(header,), **{field: (odd,)}), usual)


def _around(odd: Spelling, usual: Spelling) -> Iterator[str]:
    frame, first = _frame(odd), _frame(usual)
    yield f"{odd.front[0]}{first}{odd.gap[0]}{frame}{odd.tail[0]}"
    yield f"{odd.front[0]}{first}{odd.gap[0]}{frame}{usual.gap[0]}{odd.answer[0]}{odd.tail[0]}"


def _frame(spelling: Spelling) -> str:
    return "".join(part[0] for part in (spelling.start, spelling.header, spelling.opening, spelling.body, spelling.end))
