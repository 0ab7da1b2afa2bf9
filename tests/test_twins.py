"""The same request, recorded on several wires: one converts into the other, but for what `docs/wires.md` lists.

Each wire's table has the places of a thing in its JSON; no adapter is used. A thing that differs between the two
recordings is compared only with its source.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from corpus import corpus_path
from ocml_bridge import convert
from ocml_bridge.report.policy import LENIENT
from sources import ROOT

FOLDERS = {
    "openai": "chat-completions",
    "openai-responses": "responses",
    "anthropic": "anthropic",
    "gemini": "google",
    "bedrock-converse": "bedrock",
}
WIRES = tuple(FOLDERS)
PLACES: dict[str, tuple[str, str, str, str, str]] = {
    "model": ("model", "model", "model", "model", "modelId"),
    "tokens": (
        "max_tokens|max_completion_tokens",
        "max_output_tokens",
        "max_tokens",
        "generationConfig.maxOutputTokens",
        "inferenceConfig.maxTokens",
    ),
    "temperature": (
        "temperature",
        "temperature",
        "temperature",
        "generationConfig.temperature",
        "inferenceConfig.temperature",
    ),
    "top_p": ("top_p", "top_p", "top_p", "generationConfig.topP", "inferenceConfig.topP"),
    "effort": (
        "reasoning_effort",
        "reasoning.effort",
        "output_config.effort",
        "generationConfig.thinkingConfig.thinkingLevel",
        "outputConfig.effort",
    ),
    "verbosity": ("verbosity", "text.verbosity", "-", "-", "-"),
    "the text": (
        "messages.content|messages.content.text",
        "instructions input|input.content|input.content.text",
        "system|system.text messages.content|messages.content.text",
        "systemInstruction.parts.text contents.parts.text",
        "system.text messages.content.text",
    ),
    "calls": (
        "messages.tool_calls.function.name messages.tool_calls.function.arguments.*",
        "input.name input.arguments.*",
        "messages.content.name messages.content.input.*",
        "contents.parts.functionCall.name contents.parts.functionCall.args.*",
        "messages.content.toolUse.name messages.content.toolUse.input.*",
    ),
    "replies": (
        "messages[tool].content|messages[tool].content.text",
        "input.output|input.output.text",
        "messages.content.content|messages.content.content.text",
        "contents.parts.functionResponse.response.output",
        "messages.content.toolResult.content.text",
    ),
    "tools": (
        "tools.function.name|tools.function.description",
        "tools.name|tools.description",
        "tools.name|tools.description",
        "tools.functionDeclarations.name|tools.functionDeclarations.description",
        "toolConfig.tools.toolSpec.name|toolConfig.tools.toolSpec.description",
    ),
    "schemas of tools": (
        "tools.function.parameters.*",
        "tools.parameters.*",
        "tools.input_schema.*",
        "tools.functionDeclarations.parameters.* tools.functionDeclarations.parametersJsonSchema.*",
        "toolConfig.tools.toolSpec.inputSchema.json.*",
    ),
    "strict": ("tools.function.strict", "tools.strict", "tools.strict", "-", "toolConfig.tools.toolSpec.strict"),
    "tool choice": (
        "tool_choice",
        "tool_choice",
        "tool_choice.type",
        "toolConfig.functionCallingConfig.mode",
        "toolConfig.toolChoice",
    ),
    "calls at once": (
        "parallel_tool_calls",
        "parallel_tool_calls",
        "tool_choice.disable_parallel_tool_use",
        "-",
        "-",
    ),
    "the end user": ("safety_identifier", "safety_identifier", "metadata.user_id", "-", "-"),
    "a stream": ("stream", "stream", "stream", "-", "-"),
    "parameters for the service": (
        "metadata.* store|service_tier|prompt_cache_key|prompt_cache_retention|user",
        "metadata.* store|service_tier|prompt_cache_key|prompt_cache_retention|user",
        "-",
        "-",
        "-",
    ),
    "schema of the answer": (
        "response_format.json_schema.schema.*",
        "text.format.schema.*",
        "output_config.format.schema.*",
        "generationConfig.responseJsonSchema.*",
        "-",
    ),
    "name of that schema": (
        "response_format.json_schema.name|response_format.json_schema.strict",
        "text.format.name|text.format.strict",
        "-",
        "-",
        "-",
    ),
}
"""Thing → the keys that lead to it, on each wire."""


class Row(NamedTuple):
    """A row of the page.

    Attributes:
        title: its first cell.
        targets: the wires that are written.
        things: keys of `PLACES` whose values differ.
        keys: a pattern for the keys of values that only one of the two documents has.
        sources: the wires that are read; () for all.
    """

    title: str
    targets: tuple[str, ...]
    things: tuple[str, ...] = ()
    keys: str = ""
    sources: tuple[str, ...] = ()


CHAT, ITEMS, BLOCKS, CONTENTS, CONVERSE = WIRES
ROWS = (
    Row("no maximum length", (BLOCKS,), ("tokens",)),
    Row("a tool without `strict`", (ITEMS,), ("strict",)),
    Row("`strict` of a tool", (CONTENTS,), ("strict",)),
    Row("name and `strict` of the answer's schema", (BLOCKS, CONTENTS), ("name of that schema",)),
    Row("a schema of the answer without a name", (CHAT, ITEMS), ("name of that schema",)),
    Row("`verbosity`", (BLOCKS, CONTENTS, CONVERSE), ("verbosity",), sources=(ITEMS,)),
    Row("the effort `minimal`", (BLOCKS,), ("effort",), sources=(ITEMS,)),
    Row("whether the model may make several calls at once", (BLOCKS,), ("calls at once", "tool choice")),
    Row("`disable_parallel_tool_use`, read from `anthropic`", (CHAT, ITEMS), ("calls at once",), sources=(BLOCKS,)),
    Row("the type of a message", (ITEMS,), keys="input.type"),
    Row("`instructions`", (ITEMS,), keys="input.role"),
    Row("one text", (CHAT, BLOCKS), keys="(messages.content|system).type"),
    Row("an empty text", (BLOCKS, CONTENTS, CONVERSE), ("the text",), sources=(CHAT,)),
    Row(
        "tools of the server",
        (ITEMS, BLOCKS, CONTENTS),
        ("tools",),
        keys=r"tools\.(type|container\.type|codeExecution|googleSearch\..*|allowed_domains|max_uses)",
    ),
    Row("calls of the server's tools and their results", (ITEMS, BLOCKS, CONTENTS), ("calls", "replies")),
    Row(
        "parameters without a setting",
        (ITEMS, BLOCKS),
        keys=r"reasoning\.summary|thinking\.type",
    ),
    Row("parameters for the service", (BLOCKS,), ("parameters for the service",), sources=(CHAT, ITEMS)),
    Row(
        "cache marks",
        (CHAT, BLOCKS),
        keys=r"messages\.content\.(cache_control\.ttl|prompt_cache_breakpoint\.mode)",
    ),
    Row(
        "no ids of calls",
        (CHAT, CONTENTS),
        keys=r"messages\.tool_calls\.id|messages\[tool\]\.tool_call_id|contents\.parts\.function(Call|Response)\.id",
    ),
    Row(
        "a signature without a vendor",
        (CHAT, CONTENTS),
        keys=r".*(thoughtSignature|thought_signature|reasoning_signature)",
    ),
    Row("a tool result that is a list", (CHAT,), ("replies",), sources=(CONTENTS,)),
)

Leaf = tuple[str, str]
"""The keys that lead to a value, and the value."""


def leaves(value: Any, keys: str = "") -> Iterator[Leaf]:
    """The values in a document; arguments are parsed, and tools and thoughts have keys of their own."""
    if isinstance(value, dict) and value:
        members = cast("dict[str, Any]", value)
        kind = "[tool]" if members.get("role") == "tool" else "[thought]" if members.get("thought") is True else ""
        for key, member in members.items():
            leaf_value = json.loads(member) if key == "arguments" else member
            yield from leaves(leaf_value, f"{keys}{kind}.{key}" if keys else key)
    elif isinstance(value, list) and value:
        for item in cast("list[Any]", value):
            yield from leaves(item, keys)
    elif value is not None:
        yield keys, json.dumps(value)


def _pattern(place: str) -> str:
    """A pattern for the keys of a place and the keys below it; the latter are its group."""
    names = "|".join(map(re.escape, place.removesuffix(".*").split("|")))
    return f"(?:{names})" + (r"(\..*)?" if place.endswith(".*") else "()")


def of_thing(thing: str, wire: str, document: list[Leaf]) -> list[Leaf]:
    """The values of a thing in a document, with the keys below its place; in lower case, as Gemini uses capitals."""
    found: list[Leaf] = []
    for place in PLACES[thing][WIRES.index(wire)].split():
        about = re.compile(_pattern(place))
        found += [(match[1] or "", value.lower()) for keys, value in document if (match := about.fullmatch(keys))]
    return found if thing == "the text" else sorted(found)


def rest(wire: str, document: list[Leaf]) -> Counter[Leaf]:
    """The values that belong to no thing."""
    places = [place for each in PLACES.values() for place in each[WIRES.index(wire)].split()]
    about = re.compile("|".join(map(_pattern, places)))
    return Counter(leaf for leaf in document if not about.fullmatch(leaf[0]))


def pairs(kind: str) -> Iterator[tuple[str, str, str, Any, Any]]:
    """Each case and two of its wires, with what was recorded on both."""
    for case in sorted(corpus_path("wires").iterdir()):
        found = {
            wire: json.loads(path.read_bytes())
            for wire, folder in FOLDERS.items()
            if (path := case / folder / f"{kind}.json").exists()
        }
        for source, document in found.items():
            for target, twin in found.items():
                if source != target:
                    yield f"{case.name} {source} {target}", source, target, document, twin


class Found:
    """Differences, and the rows of the page that explain them."""

    def __init__(self) -> None:
        self.used: set[tuple[str, str]] = set()
        self.wrong: list[str] = []
        self.count = 0

    def note(self, rows: list[Row], target: str, sentence: str) -> None:
        self.used |= {(row.title, target) for row in rows}
        self.wrong += [] if rows else [sentence]


def differences(kind: str, *, whole: bool) -> Found:
    """The values that differ from the source, and, if `whole`, from the twin."""
    found = Found()
    for case, source, target, document, twin in pairs(kind):
        rows = [row for row in ROWS if target in row.targets and (source in row.sources or not row.sources)]
        made = list(leaves(convert(document, source=source, target=target, policy=LENIENT).output))
        mine = list(leaves(document))
        for thing in PLACES:
            before, after = of_thing(thing, source, mine), of_thing(thing, target, made)
            if before != after:
                found.note([row for row in rows if thing in row.things], target, f"{case}: {thing}: {before} {after}")
        one, two = rest(target, made), rest(target, list(leaves(twin)))
        for keys, value in [*(one - two), *(two - one)] if whole else []:
            found.note([row for row in rows if re.fullmatch(row.keys, keys)], target, f"{case}: {keys}: {value}")
        found.count += 1
    return found


def test_a_request_becomes_its_twin_except_for_the_rows_of_the_page() -> None:
    requests = differences("request", whole=True)
    assert requests.wrong == []
    assert requests.count >= 188
    # What models answered differs, and is not compared with the twin.
    more = differences("followup-request", whole=False)
    assert more.wrong == []
    assert more.count >= 150
    assert {(row.title, target) for row in ROWS for target in row.targets} - requests.used - more.used == set()


def test_the_page_lists_these_rows() -> None:
    page = (ROOT / "docs" / "wires.md").read_text("utf-8").partition("## What differs")[2]
    listed = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    assert listed[2:] == [row.title for row in ROWS]
