"""Find thoughts and calls in an assistant's text that are written as no dialect here writes them.

They are text, and reported: a client would show the thought, and nobody would make the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

UNREAD: Final = (
    *("<tools>", "<tool_calls>", "<invoke name=", "<functioncall>", "<|python_tag|>"),
    *("<minimax:tool_call>", "<longcat_tool_call>", "<zyphra_tool_call>", "<dots_function_call>"),
    *("<｜tool_calls_begin｜>", "<|tool_calls_begin|>", "<｜tool▁calls▁begin｜>"),
    *("<|tool_call|>", "<|thought_start|>", "<|begin_of_thought|>", "<|tool_calls_section_begin|>", "<|action_start|>"),
    *("<function_call>", "<toolcall>", "<TOOLCALL>", "<|tool_call>", "<tool_code>", "<｜DSML｜", "[TOOL_CALLS]"),
    *("<seed:tool_call>", "<iquest_tool_call>", "<seed:think>", "<|thinking|>", "<|think|>", "[THINK]"),
    *("<thinking>", "<thought>", "<reasoning>", "✿FUNCTION✿", "<Think>", "<THINK>", "< think >", "<think >"),
    *("<function name=", "<functionname=", "<function_call name=", "<tool_call ", "<Tool_Call>"),
    *("<tool_response>", "<|tool_response_start|>"),
)
"""Tags with which other models begin thoughts and calls inside ChatML's frames (MiniCPM3, Step3, copies of
Qwen2.5-Coder, …), misspelt tags of the dialects, and tags of replies, which a model does not write. They are reported
where they begin a line."""
_UNREAD: Final = re.compile(rf"[ \t]*({'|'.join(map(re.escape, UNREAD))})")
_UNREAD_IN_A_LINE: Final = re.compile(f"\n{_UNREAD.pattern}")  # searched much faster than `^`
_CALL: Final = r'(?:\[\s*)?(?P<json>\{\s*"name"\s*:)\s*"[^"]*"\s*,\s*"(?:arguments|parameters)"\s*:'
_CALLS_ALONE: Final = re.compile(
    rf"\s*(?:{_CALL}"
    r"|(?P<python>\[[A-Za-z_][\w.]*\()(?:[A-Za-z_]\w*\s*=|\))"
    r'|(?P<tag>name="[^"<>\n]+">)\s*(?:name="[^"<>\n]+">|\Z))'
)
"""The beginning of a text that is nothing but calls: in JSON (xLAM), in Python, or as tags whose tokens the server
removed (LFM2, MiniCPM5). No tag marks them, so they may be an answer in JSON or code."""
_FUNCTION: Final = "<function="
_CALL_IN_A_LINE: Final = re.compile(r"(?<![`\"'])<function=[^<>\n]+>(?=\s*(?:<parameter=[^<>\n]+>|\{))")
"""A function's tag with arguments after it, which is a call only at the beginning of a line."""
_CALL_IN_CODE: Final = re.compile(rf"```\w*\s*{_CALL}")
"""A call in JSON in a block of code, as Qwen2.5-Coder writes it. Searched fast, because it begins with a fixed text."""
_ACTION: Final = re.compile(r"(?:\A|\n)[ \t]*(Action:)[^\n]*\n\s*Action Input:")
_THOUGHT: Final = re.compile(r"(?:\A|\n)[ \t]*(Thought:)")
_INPUT: Final = "Action Input:"
_ANSWER: Final = "\nFinal Answer:"
"""The words of an agent that is prompted to reason and act (ReAct): a call, and a thought before an answer."""
_BEGINNINGS: Final = ("{", "[", "name=", "Question:", "Thought:", "Action:", " ", "\n", "\r", "\t")
"""What such texts may begin with: calls alone, an agent's words, and white space behind a prompt's `Thought:`."""
_ENDS: Final = re.compile(r"<(?:/\s*(?:[Tt]hink|THINK)\s*>|/tool_call\s*>|\|tool_call_end\|>|/function_calls>)")
"""The ends of thoughts and calls."""
_QUOTES: Final = "`\"'"


def have_unread_tags(texts: Sequence[str]) -> bool:
    """Return whether any of the texts has such a tag, as an assistant's text; fast if none has."""
    suspects = [
        text
        for text in texts  # a single character is found much faster than several
        if "<" in text or "`" in text or "✿" in text or ("[" in text and "[T" in text) or text.startswith(_BEGINNINGS)
    ]
    return any(next(unread_tags(text), None) is not None for text in suspects)


def is_end(tag: str) -> bool:
    """Return whether such a tag ends a thought or a call that has no beginning."""
    return _ENDS.fullmatch(tag) is not None


def unread_tags(text: str) -> Iterator[str]:
    """Yield the tags, or what stands for them, of thoughts and calls in an assistant's text that no dialect here reads.

    Of each kind it is the first one, but all ends of thoughts and calls that have no beginning in the text.
    """
    if "<" in text or "[T" in text or "✿" in text:
        found = _UNREAD.match(text) or _UNREAD_IN_A_LINE.search(text)
        if found is not None:
            yield found[1]
    in_a_line = _CALL_IN_A_LINE.search(text) if _FUNCTION in text else None
    if in_a_line is not None:
        yield in_a_line[0]
    if text.startswith(_BEGINNINGS):
        yield from _at_beginning(text)
    in_code = _CALL_IN_CODE.search(text) if "`" in text else None
    if in_code is not None:
        yield in_code["json"]
    if "<" in text:
        ends = [end[0] for end in _ENDS.finditer(text) if end.start() == 0 or text[end.start() - 1] not in _QUOTES]
        yield from (end for end in dict.fromkeys(ends) if end.replace("/", "").replace("end", "start") not in text)


def _at_beginning(text: str) -> Iterator[str]:
    """Yield what stands for tags in a text that is nothing but calls, or that is an agent's (ReAct)."""
    alone = _CALLS_ALONE.match(text)
    if alone is not None and (alone["python"] is None or text.rstrip().endswith(")]")):
        yield alone["json"] or alone["python"] or alone["tag"]
    acts = _ACTION.search(text) if _INPUT in text else None
    acts = acts or (_THOUGHT.search(text, 0, text.rfind(_ANSWER)) if _ANSWER in text else None)
    if acts is not None:
        yield acts[1]
