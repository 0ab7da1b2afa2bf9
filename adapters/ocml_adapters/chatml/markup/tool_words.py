"""The words around the list of tools, by family, byte for byte as the public chat templates write them."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..syntax import OUTPUT, TOOL_LIST


class Words(NamedTuple):
    """The words around a list of tools.

    Attributes:
        before: the text before the list.
        after: the text after the list.
    """

    before: str
    after: str


_HEAD: Final = "# Tools\n\nYou have access to the following {}:\n\n<tools>"
_FORMAT: Final = (
    "\n</tools>\n\nIf you choose to call a {} ONLY reply in the following format with NO suffix:\n\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    "<parameter=example_parameter_2>\n{}\n</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\nReminder:\n"
)
_LINES_OF_TEXT: Final = "This is the value for the second parameter\nthat can span\nmultiple lines"
_NESTED: Final = (
    "- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within "
    "<tool_call></tool_call> XML tags\n"
)
_REQUIRED: Final = "- Required parameters MUST be specified\n"
_REASONING: Final = (
    "- You may provide optional reasoning for your function call in natural language BEFORE the function call, "
    "but NOT after\n"
    "- If there is no function call available, answer the question like normal with your current knowledge "
    "and do not tell the user about function calls\n"
)
_END: Final = "</IMPORTANT>"
_FUNCTIONS: Final = _FORMAT.format("function", _LINES_OF_TEXT) + _NESTED + _REQUIRED + _REASONING + _END

HERMES: Final = Words(
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
)
"""Qwen2.5, Qwen3, QwQ, MiMo."""
HERMES_JSON: Final = Words(
    HERMES.before, HERMES.after.replace("return a json object with function", "return a JSON object with the function")
)
"""Copies of Qwen2.5."""
HERMES_DOUBLED: Final = Words(
    HERMES.before, HERMES.after.replace('{"name"', '{{"name"').replace("object>}", "object>}}")
)
"""The first revision of Qwen2.5."""
HERMES_4: Final = Words(
    HERMES.before.replace("# Tools\n\n", "# Tools\n\nYou are a function calling AI model. "),
    HERMES.after.replace("<function-name>", '"<function-name>"'),
)
"""Hermes 4."""
FALCON_H1: Final = Words(
    HERMES.before.replace("\n\nYou are", " You are").replace("\n\n", "\n").replace("tags:", "tags."),
    HERMES.after.replace("\n\n", "\n"),
)
"""Falcon-H1 Tiny."""
FALCON_H1R: Final = Words(FALCON_H1.before, f"{FALCON_H1.after}\n")
"""Falcon-H1R."""
NOUS: Final = Words(
    "You are a function calling AI model. You are provided with function signatures within <tools></tools> XML tags. "
    "You may call one or more functions to assist with the user query. Don't make assumptions about what values to "
    "plug into functions. Here are the available tools: <tools> ",
    " </tools>Use the following pydantic model json schema for each tool call you will make: "
    '{"properties": {"name": {"title": "Name", "type": "string"}, "arguments": {"title": "Arguments", "type": '
    '"object"}}, "required": ["name", "arguments"], "title": "FunctionCall", "type": "object"}}\n'
    "For each function call return a json object with function name and arguments within <tool_call></tool_call> "
    'XML tags as follows:\n<tool_call>\n{"name": <function-name>, "arguments": <args-dict>}\n</tool_call>',
)
"""Hermes 2 Pro, Hermes 3: in a frame of its own, also if there are no tools."""
QWEN_CODER: Final = Words(
    _HEAD.format("tools"),
    _FORMAT.format("tool", "value_2")
    + "- Function calls MUST follow the specified format: the tool calling block MUST begin with an opening "
    "<tool_call> tag and end with a closing </tool_call> tag.\n" + _REQUIRED + _REASONING + _END,
)
"""Qwen3-Coder."""
NANBEIGE: Final = Words(
    HERMES.before,
    "\n</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n"
    f"<parameter=example_parameter_2>\n{_LINES_OF_TEXT}\n</parameter>\n</function>\n</tool_call>",
)
"""Nanbeige 4.2."""
IQUEST: Final = Words(
    _HEAD.format("functions"),
    "\n</tools>\n\nIf you choose to call a function ONLY reply in the following format:\n\n<tool_call>\n"
    "<function=example_function_name>\n<parameter=example_parameter_1>\nvalue_1\n</parameter>\n</function>\n</tool_call>",
)
"""IQuest-Coder."""
MIMO: Final = Words(
    f"# Tools\n\nYou may call one or more functions to assist with the user query.{_HEAD.format('functions')[7:]}",
    "\n</tools>\n\nFor each function call, output the function name and arguments in the following format:\n"
    "<tool_call>\n<function=example_function_name>\n<parameter=example_parameter_1>value_1</parameter>\n"
    f"<parameter=example_parameter_2>{_LINES_OF_TEXT}</parameter>\n</function>\n</tool_call>\n\n<IMPORTANT>\n{_NESTED}"
    "- DO NOT use function calls inside <think></think> tags.\n"
    "- The value enclosed between parameter tags is preserved exactly as-is, including newlines and spaces.\n" + _END,
)
"""MiMo-V2: there is no line break between a tag of an argument and its value."""
NEMOTRON: Final = Words(_HEAD.format("functions"), _FUNCTIONS)
"""Nemotron 3."""
QWEN_CODER_VLLM: Final = NEMOTRON
"""Qwen3-Coder, in the revision of its template that vLLM ships."""
QWEN_3_5: Final = NEMOTRON
"""Qwen3.5, Qwen3.6, Qwen3.8."""
STEP: Final = Words(
    _HEAD.format("functions in JSONSchema format"),
    _FORMAT.format("function", _LINES_OF_TEXT)
    + "- Function calls MUST follow the specified format: an inner <function=...>\n...\n</function> block must be "
    "nested within <tool_call>\n...\n</tool_call> XML tags\n" + _REQUIRED + _END,
)
"""Step-3.5, Step-3.7."""
MINICPM_5: Final = Words(
    "# Tools\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    "\n</tools>\n\nTool usage guidelines:\n"
    "- You may call zero or more functions. If no function calls are needed, just answer normally and do not include "
    "any <function ... </function>.\n"
    "- When calling a function, return an XML object within <function ... </function> using:\n"
    '<function name="function-name"><param name="param-name">param-value</param></function>\n'
    "- param-value may be multi-line. If it contains <, & or newline characters, wrap it in a CDATA block: "
    '<param name="param-name"><![CDATA[...multi-line value...]]></param>',
)
"""MiniCPM5."""
OLMO: Final = Words("<functions>", "</functions>")
"""Olmo 3: what introduces the list is the system's text."""
OLMO_TOOLS: Final = (
    "You are provided with function signatures within <functions></functions> XML tags. You may call one or more "
    "functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML "
    "tags. Do not make assumptions about what values to plug into functions."
)
"""The end of Olmo 3's default system text, if there are tools."""
BIELIK: Final = Words(
    "Masz dostęp do następujących narzędzi. Definicje narzędzi znajdują się poniżej wewnątrz znaczników "
    f"{TOOL_LIST}:\n{TOOL_LIST}\n",
    f"\n{TOOL_LIST}\n\nAby wywołać narzędzie, użyj formatu <tool_call>"
    '{"name": "nazwa_narzędzia", "arguments": {"argument": "wartość"}}'
    f"</tool_call>. Wyniki działania narzędzi zostaną przekazane z markerem {OUTPUT}.\n",
)
"""Bielik 3."""
BIELIK_REMINDER: Final = (
    "\n\nZanim odpowiesz na pytanie, najpierw przemyśl swoje kroki i umieść swoje myśli wewnątrz tagów "
    "<think>...</think>. Musisz najpierw pomyśleć, zanim udzielisz odpowiedzi. WAŻNE: Powinieneś myśleć w tym samym "
    "języku, co pytanie użytkownika. Jeśli pytanie jest zadane po polsku, powinieneś również myśleć po polsku. Jeśli "
    "pytanie jest po angielsku, myślisz również po angielsku itd. ** PAMIĘTAJ! ** Pytanie po polsku -> myślenie po "
    "polsku -> odpowiedź po polsku!*** BARDZO WAŻNE!!! *** Jesteś Bielikiem, polskim modelem językowym. Twoją główną "
    "cechą jest umiejętność pisania po polsku. Jeśli użytkownik zadaje Ci pytania po polsku, ZAWSZE odpowiadaj po "
    "polsku. Nawet, jeśli korzystasz z narzędzia, którego większość instrukcji jest po angielsku, powinieneś przede "
    "wszystkim odpowiadać po polsku, jeśli użytkownik zadaje pytanie w tym języku. "
)
"""What Bielik 3 is told after the system text and the tools if it is asked to think."""
BIELIK_THINKING: Final = Words(BIELIK.before, BIELIK.after + BIELIK_REMINDER)
"""Bielik 3, if it is asked to think."""
LFM2: Final = Words("List of tools: <|tool_list_start|>", "<|tool_list_end|>")
LFM2_5: Final = Words("List of tools: ", "")

EFFORT_XHIGH: Final = (
    "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, consider "
    "plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.\n\n"
)
"""The words of Qwen3.8 before the tools and the system text, unless the request asks for another effort."""
EFFORT_LOW: Final = (
    "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion without "
    "unnecessary elaboration.\n\n"
)
