"""List the kinds of texts and of binary files, with their beginnings. The first kind that matches wins."""

from __future__ import annotations

from typing import Final

from .marks import Kind, Pattern, beginning, begins
from .people import TEXTS_OF_PEOPLE
from .prompts import PROMPTS, ROWS


def _sent(pattern: str, shown: str) -> Pattern:
    """Return the pattern for the beginning of a stream of Server-Sent Events, after lines without data."""
    nothing = r"(?:(?:(?::|id:|retry:)[^\n]*|event: ?message[ \t\r]*)\n\s*)*"
    return begins(f"{nothing}({pattern})", shown, certain=False)


_COLUMNS: Final = (
    "text|messages|conversations?|role|content|system|prompt|completion|instruction|input|output|question|answer"
    "|query|response|chosen|rejected"
)


def _table(separator: str, shown: str) -> Pattern:
    """Return the pattern for a first line of column names, one of which is in `_COLUMNS`."""
    name = r'"?\w+"?'
    line = rf"(?={name}(?:{separator}{name})+[ \t]*\r?\n)(?:{name}{separator})*\"?(?:{_COLUMNS})\"?(?={separator}|\s)"
    return begins(line, shown, certain=False)


_SPEAKERS: Final = (
    "SYSTEM|USER|ASSISTANT|[Ss]ystem|[Hh]uman|[Uu]ser|[Aa]ssistant|You|Me|AI|Bot|ChatGPT|Claude|Gemini|Copilot"
    "|Grok|DeepSeek"
)
_TABLE: Final = "`ocml-convert batch --plan auto` reads such tables"
_LINES: Final = "convert it to JSON lines, one record a line, for `ocml-convert batch`"

TEXTS: Final[tuple[Kind, ...]] = (
    *TEXTS_OF_PEOPLE,
    beginning(
        "a chat of Aider",
        r"(# aider chat started at )",
        "`# aider chat started at`",
        advice=(
            "make turns of its lines, which `ocml-convert batch --plan dialogue` reads: awk '/^#### /{print (u ? "
            '"" : "USER: ") substr($0, 6); u = 1; next} /^(> |# aider)/{next} NF {if (u || !a) printf "ASSISTANT: "; '
            "u = 0; a = 1} {print}' FILE"
        ),
    ),
    beginning(
        "a log of vLLM",
        r"(?=(?:\([^)\n]{1,40}\) )?(?:INFO|DEBUG|WARNING) \d\d-\d\d )(?:[^\n]*\n){0,1000}?[^\n]*?"
        r"(Received request \S+: prompt: ['\"])",
        "`INFO`, and `Received request` after it",
        advice=(
            r"read the prompts of its requests: sed -n '/Received request/{s/.*: prompt: .\(.*\)., params: .*/\1/;"
            r"s/\\n$//;s/\\n/\n/g;p}' FILE > NEW"
        ),
    ),
    beginning(
        "OpenChatML 2.2",
        r"(?:---[ \t]*\n|```ya?ml[ \t]*\n)?(?:#[^\n]*\n)*version:[ \t]*[\"']?\d",
        "`version: 2.2`",
        format_id="ocm-2.2",
    ),
    beginning("a Phi-4 prompt", r"<\|im_start\|>\w+<\|im_sep\|>", "`<|im_start|>user<|im_sep|>`", advice=ROWS),
    beginning(
        "an A.X prompt",
        r"(?:<s>|<\|\w+\|>)?(<\|im_start\|><\|(?:system|user|assistant)\|>)",
        "`<|im_start|><|user|>`",
        advice=ROWS,
    ),
    beginning(
        "an Idefics or SmolVLM prompt",
        r"(?:<s>|<\|\w+\|>)?((?:System|User|Assistant):)(?=[\s\S]*<end_of_utterance>)",
        "`User:`, and `<end_of_utterance>` after it",
        advice=ROWS,
    ),
    beginning(
        "a text whose line ends are written as `\\n`",
        r"(?:\[BOS\]|<s>|<bos>|<\|\w+\|>)?(?:\\n)?"
        r"(<\|im_start\|>\w+\\n|<\|start_header_id\|>\w+<\|end_header_id\|>\\n|<start_of_turn>\w+\\n)",
        "`<|im_start|>user\\n` with a backslash and an n",
        advice=(
            r"""write them as line ends: jq -Rj 'gsub("\\\\n"; "\n")' FILE > NEW, """
            r"""and in JSON lines jq -c '.text |= gsub("\\\\n"; "\n")' FILE > NEW"""
        ),
    ),
    beginning(
        "a Muse prompt",
        r"(?:<s>)?\s*(<\|start\|>[^<]*<\|message\|>)(?=[^<]*(?:<(?!\|(?:start|end|call|return)\|)[^<]*)*<\|(?:eot|eom)\|>)",
        "`<|start|>user<|message|>`, and `<|eot|>` after it",
    ),
    beginning("Harmony", r"<\|(?:start|channel)\|>(?=[\w.])", "`<|start|>`, `<|channel|>`", format_id="harmony"),
    beginning(
        "Harmony without its special tokens",
        r"(?:assistant)?(?:analysis|commentary)(?! )(?=[^<]*?assistant(?:final|commentary|analysis))",
        "`analysis`, and `assistantfinal` after it",
        certain=False,
        advice="`--from harmony` reads it; let the server keep special tokens, so that nothing has to be guessed",
    ),
    beginning("InternLM2 text", r"(?:<s>)?\[UNUSED_TOKEN_14[56]\]", "`[UNUSED_TOKEN_146]`", format_id="internlm2"),
    beginning("OpenChatML 0.1", r"(?:\[BOS\]|<\|BOS\|>)", "`[BOS]`", format_id="ocm-0.1"),
    beginning(
        "ChatML",
        r"(?:<s>|<bos>|<\|begin_of_text\|>|<\|startoftext\|>)?\s*<\|im_start\|>(?=\w)",
        "`<|im_start|>`, after any token that begins a text",
        format_id="chatml",
    ),
    *PROMPTS,
    Kind(
        "a recorded stream of Anthropic Messages",
        patterns=(
            _sent(
                r'(?:event: ?|data: ?\{\s*"type"\s*:\s*")(?:message_start|content_block_start|ping)\b',
                '`event: message_start`, `data: {"type":"message_start"`',
            ),
        ),
        advice="`ocml-convert stream FILE --from anthropic-sse --to FORMAT` reads it",
    ),
    Kind(
        "a recorded stream of Responses",
        patterns=(
            _sent(
                r'(?:event: ?|data: ?\{[^\n]*?"type"\s*:\s*")response\.\w',
                '`event: response.created`, `data: {"type":"response.created"`',
            ),
        ),
        advice="`ocml-convert stream FILE --from openai-responses-sse --to FORMAT` reads it",
    ),
    Kind(
        "a recorded stream of Gemini",
        patterns=(
            _sent(
                r'data: ?\{\s*"(?:response"\s*:\s*\{\s*")?(?:candidates|usageMetadata|responseId)"',
                '`data: {"candidates"`, `data: {"response": {"candidates"`',
            ),
        ),
        advice="`ocml-convert stream FILE --from gemini-sse --to FORMAT` reads it",
    ),
    Kind(
        "a recorded stream of Chat Completions",
        patterns=(
            _sent(
                r'data: ?\{[^\n]*?"(?:object": ?"chat\.completion\.chunk"|choices": ?\[)',
                '`data: {"object":"chat.completion.chunk"`',
            ),
        ),
        advice="`ocml-convert stream FILE --from openai-sse --to FORMAT` reads it",
    ),
    Kind(
        "a stream of Server-Sent Events",
        patterns=(_sent(r"(?:event:[^\n]*\n)?data: ?[\[{]", "`data: {`"),),
        advice="of such streams `ocml-convert stream` reads those of Chat Completions, Responses, Anthropic and Gemini",
    ),
    beginning(
        "a web page",
        r"(?i:<!doctype\s+html|<html)\b",
        "`<!doctype html`, `<html`",
        certain=False,
        advice="extract the conversation first",
    ),
    Kind(
        "comma-separated values (CSV)",
        patterns=(_table(",", "names of columns with commas between them, `text` or `output` among them"),),
        advice=_TABLE,
    ),
    Kind(
        "tab-separated values (TSV)",
        patterns=(_table("\t", "names of columns with tabs between them, `text` or `output` among them"),),
        advice=_TABLE,
    ),
    beginning(
        "an Alpaca prompt",
        r"(?:Below is an instruction[^\n]*\s+)?### (?:Instruction|Human|User):",
        "`### Instruction:`",
        certain=False,
        advice=ROWS,
    ),
    Kind(
        "a Python value, as `print` shows it",
        patterns=(
            begins(r"(?:\[\s*)?\{\s*'", "`{'`", certain=False),
            begins(r"\[?(?:ChatCompletion|Message|Choice)\w*\(", "`ChatCompletionMessage(`", certain=False),
            begins(r"\[?(?:System|Human|AI|Tool|Function|Chat)Message\w*\(", "`HumanMessage(`", certain=False),
        ),
        advice="write it as JSON instead: with `json.dumps(value)`, or `value.model_dump_json()`",
    ),
    Kind(
        "JavaScript",
        patterns=(
            begins(r"(?:export )?(?:const|let|var) \w+[^=\n]{0,200}=\s*[\[{]", "`const messages = [`", certain=False),
            begins(r"\[?\s*\{\s*(?:role|messages|content|from|model)\s*:", "`{ role:` without quotes", certain=False),
        ),
        advice="write the value as JSON instead: with `JSON.stringify(value)`",
    ),
    beginning(
        "a JSON string with a transcript inside",
        r'"\s*(?:[\[{]\s*\\"|<\||\[BOS\])',
        '`"{\\"`, `"<\\|`',
        certain=False,
        advice="unpack the string: jq -j . FILE",
    ),
    beginning(
        "JSON in a Markdown fence",
        r"(?s:.{0,4000}?)(?:(?<=\n)|(?<![\s\S]))(```\w*)[ \t]*\r?\n\s*[\[{]",
        "a line of ```` ``` ```` with JSON after it",
        certain=False,
        advice="save the text between the fences in its own file",
    ),
    beginning(
        "a curl command",
        r"(?:\$ ?)?curl(?=\s)",
        "`curl`",
        certain=False,
        advice="save the body, the value of `-d` or `--data`, in its own file",
    ),
    beginning(
        "an HTTP message with its headers",
        r"(?:POST /\S* HTTP/\d|HTTP/\d(?:\.\d)? \d{3})",
        "`POST /… HTTP/1.1`, `HTTP/1.1 200`",
        certain=False,
        advice="save the body, the lines after the empty one, in its own file",
    ),
    beginning(
        "a log with JSON in its lines",
        r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\b)(?=(?s:.{0,4000}?)\{\s*\")",
        "a date, or `INFO`, with JSON after it",
        certain=False,
        advice="take the JSON out of the lines: grep -o '{.*}' FILE > lines.jsonl",
    ),
    Kind(
        "YAML",
        patterns=(
            begins(
                r"(?:---\s*\n)?(?:#[^\n]*\n)*(?:messages|conversations?|chat|history):[ \t]*\r?\n[ \t]*-(?=\s)",
                "`messages:` and `-`",
                certain=False,
            ),
            begins(r"(?:---\s*\n)?-[ \t]+[\"']?(?:role|from|content)[\"']?:(?=\s)", "`- role:`", certain=False),
        ),
        advice="convert it to JSON first, with `yq` or a YAML library",
    ),
    beginning(
        "text with HTML entities in its tokens",
        r"&lt;\|(?:im_start|start|channel)\|&gt;",
        r"`&lt;\|im_start\|&gt;`",
        certain=False,
        advice="replace `&lt;` by `<`, `&gt;` by `>` and `&amp;` by `&`",
    ),
    Kind(
        "a dialogue as plain text",
        patterns=(
            begins(
                rf"(?:#{{1,6}} |\*\*)?(?:{_SPEAKERS})(?: said)?(?:\*\*)?:(?:\*\*)?(?=\s)",
                "`USER:`, `**User:**`, `You said:`",
                certain=False,
            ),
            begins(rf"#{{1,6}} (?:{_SPEAKERS})[ \t]*(?=\r?\n)", "`## User`", certain=False),
        ),
        advice=ROWS,
    ),
    Kind(
        "a dialogue in lists or quotations",
        patterns=(begins(rf"(?:[#>*_] ?)+(?:{_SPEAKERS})(?: said)?[*_]*:[*_]*(?=\s)", "`> User:`", certain=False),),
    ),
)

_UNPACK: Final = "unpack it first"

FILES: Final[tuple[Kind, ...]] = (
    Kind("a Parquet file", signatures=(b"PAR1",), advice="`ocml-convert batch` reads it"),
    Kind("an Arrow file", signatures=(b"ARROW1", b"FEA1"), advice=_TABLE),
    Kind("gzip", signatures=(b"\x1f\x8b",), advice="`ocml-convert batch` reads compressed files"),
    Kind("Zstandard", signatures=(b"\x28\xb5\x2f\xfd",), advice="`ocml-convert batch` reads compressed files"),
    Kind("bzip2", signatures=(b"BZh",), advice="`ocml-convert batch` reads compressed files"),
    Kind("xz", signatures=(b"\xfd7zXZ\x00",), advice="`ocml-convert batch` reads compressed files"),
    Kind("a zip archive, or an office document", signatures=(b"PK\x03\x04",), advice=_UNPACK),
    Kind("a PDF document", signatures=(b"%PDF-",), advice="extract the conversation first"),
    Kind("an SQLite database", signatures=(b"SQLite format 3\x00",), advice=_LINES),
    Kind(
        "UTF-16 text",
        signatures=(b"\xff\xfe", b"\xfe\xff"),
        advice="convert it to UTF-8: iconv -f utf-16 -t utf-8 FILE",
    ),
)
