"""The conversations that everything is measured on: made from a seed, the same on every machine.

Requests of Chat Completions with 2 to 20 messages and about 7 KB each: a fifth with tools, calls and results, a quarter
with reasoning.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final

import orjson

SEED: Final = 91
COUNT: Final = 10_000

_TEXT: Final = (
    "the a of to in and that it for with as on is was by at from or an be this which one have not are but had has its "
    "river stone letter window garden morning harbour ladder engine copper question answer number table paper winter "
    "market village bridge signal kettle lantern orchard pattern quarter record season thread valley weather yellow "
    "measure carry gather divide listen follow answer repeat borrow return explain compare settle wander travel build "
    "quiet narrow simple early broken careful distant hollow patient silver steady sudden warm usual whole plain light "
    "request server client buffer cache index schema latency timeout thread queue worker token parser column commit"
)
_WORDS: Final[tuple[str, ...]] = tuple(_TEXT.split())
_OTHER_SCRIPTS: Final = (
    "Straße und Brücke bleiben bis Montag gesperrt; die Umleitung dauert etwa zwölf Minuten.",
    "明日は朝から雨が降るので、傘を持って出かけてください。",
    "Завтра утром поезд отправится на десять минут позже обычного.",
    "Le café ferme à 18 h – pensez à réserver ☕.",
    "Σήμερα ο καιρός είναι καλός 🙂.",
)
_CODE: Final = (
    "```python\ndef mean(values: list[float]) -> float:\n    return sum(values) / len(values) if values else 0.0\n```",
    '```json\n{"name": "probe", "limits": [1, 2.5, null], "path": "C:\\\\temp\\\\x"}\n```',
    "```sh\ngrep -rn 'a < b' src | sort -t: -k2n | head -n 20 > \"$out\"\n```",
)
_SYSTEM: Final = "You are a careful assistant. Say what you do not know."
_CITIES: Final = ("Tokyo", "Zürich", "São Paulo", "Nairobi", "Kraków", "Oslo", "Lima", "Hà Nội")


_PROPERTIES: Final[dict[str, dict[str, Any]]] = {
    "city": {"type": "string", "description": "The city's name"},
    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
    "query": {"type": "string"},
    "limit": {"type": "integer", "default": 10},
    "tags": {"type": "array", "items": {"type": "string"}},
    "range": {"type": "object", "properties": {"from": {"type": "number"}, "to": {"type": "number"}}},
    "exact": {"type": "boolean", "description": "Whether parts of words are left out"},
}
_VERBS: Final = ("get", "search", "list", "update", "count", "send", "check", "describe")
_NOUNS: Final = ("weather", "notes", "orders", "records", "signals", "letters", "routes", "threads", "prices")


@cache
def _sentences() -> tuple[str, ...]:
    """What all texts are made of: sentences of common words, some figures, some code, some other scripts."""
    chance = Random(SEED)
    plain: list[str] = []
    for _ in range(3000):
        words = list[str](chance.choices(_WORDS, k=chance.randint(6, 20)))
        if chance.random() < 0.2:
            words.insert(3, f"{chance.randint(1, 9999)}.{chance.randint(0, 9)}")
        if chance.random() < 0.1:
            words.insert(2, f'"{words[0]}"')
        plain.append(" ".join(words).capitalize() + chance.choice(".....,?!:"))
    return (*plain, *_OTHER_SCRIPTS * 25, *_CODE * 10)


class _Writer:
    """Writes one conversation after another."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.called = 0

    def text(self, length: int) -> str:
        """About `length` characters, in paragraphs."""
        count = max(1, round(self.chance.expovariate(1) * length / 75))
        chosen = self.chance.choices(_sentences(), k=count)
        return "\n\n".join(" ".join(chosen[at : at + 5]) for at in range(0, count, 5))

    def request(self) -> dict[str, Any]:
        """A conversation as the body of a request."""
        count = self.chance.randint(2, 20)
        tools, thinks = self.tools() if self.chance.random() < 0.2 else [], self.chance.random() < 0.25
        messages: list[dict[str, Any]] = []
        if count > 2 and self.chance.random() < 0.6:
            messages.append({"role": "system", "content": f"{_SYSTEM} {self.text(300)}"})
        while len(messages) < count - 1:
            messages.append({"role": "user", "content": self.text(330)})
            if tools and len(messages) + 3 <= count and self.chance.random() < 0.7:
                messages += self.calls(tools, count - len(messages) - 1, thinks=thinks)
            messages.append(self.assistant(self.text(830), thinks=thinks))
        request: dict[str, Any] = {"messages": messages}
        if tools:
            request["tools"] = tools
        return request

    def assistant(self, content: str | None, *, thinks: bool) -> dict[str, Any]:
        if thinks and self.chance.random() < 0.6:
            return {"role": "assistant", "reasoning_content": self.text(400), "content": content}
        return {"role": "assistant", "content": content}

    def tools(self) -> list[dict[str, Any]]:
        """One to four tools, no two conversations' the same."""
        return [self.tool() for _ in range(self.chance.randint(1, 4))]

    def tool(self) -> dict[str, Any]:
        names = self.chance.sample(sorted(_PROPERTIES), k=self.chance.randint(0, 4))
        schema = {"type": "object", "properties": {name: _PROPERTIES[name] for name in names}, "required": names[:1]}
        function = {
            "name": f"{self.chance.choice(_VERBS)}_{self.chance.choice(_NOUNS)}",
            "description": self.chance.choice(_sentences()[:3000]),
            "parameters": schema,
        }
        return {"type": "function", "function": function}

    def calls(self, tools: list[dict[str, Any]], room: int, *, thinks: bool) -> list[dict[str, Any]]:
        """A message that calls one tool, or two at once, and the results."""
        count = 2 if room > 3 and self.chance.random() < 0.3 else 1
        calls = [self.call(self.chance.choice(tools)["function"]) for _ in range(count)]
        content = self.text(80) if self.chance.random() < 0.3 else None
        results = [{"role": "tool", "tool_call_id": call["id"], "content": self.result()} for call in calls]
        return [{**self.assistant(content, thinks=thinks), "tool_calls": calls}, *results]

    def call(self, function: dict[str, Any]) -> dict[str, Any]:
        self.called += 1
        arguments = {name: self.value(name) for name in function["parameters"]["properties"]}
        spelled = json.dumps(arguments, ensure_ascii=False)
        function = {"name": function["name"], "arguments": spelled}
        return {"id": f"call_{self.called:09x}", "type": "function", "function": function}

    def value(self, name: str) -> Any:
        """An argument that its schema allows."""
        kind = _PROPERTIES[name]["type"]
        if kind == "object":
            return {"from": self.chance.randint(0, 9), "to": self.chance.random()}
        if kind == "array":
            return self.chance.choices(_WORDS, k=3)
        if kind == "string":
            return "celsius" if name == "unit" else self.chance.choice(_CITIES)
        return self.chance.random() < 0.5 if kind == "boolean" else self.chance.randint(1, 50)

    def result(self) -> str:
        if self.chance.random() < 0.5:
            return json.dumps({"celsius": self.chance.randint(-20, 40), "note": self.text(200)}, ensure_ascii=False)
        return self.text(400)


def conversations(count: int = COUNT, seed: int = SEED) -> Iterator[bytes]:
    """The corpus: each conversation as the JSON of a request, compact, in UTF-8."""
    writer = _Writer(seed)
    for _ in range(count):
        yield orjson.dumps(writer.request())


def records_of_calls(known: int, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Records as in datasets of calls: a question, a call and its result, with a few of so many known tools."""
    writer = _Writer(seed)
    tools = [writer.tool() for _ in range(known)]
    while True:
        declared = writer.chance.sample(tools, k=writer.chance.randint(1, 4))
        asked = {"role": "user", "content": writer.text(150)}
        answered = writer.assistant(writer.text(200), thinks=False)
        yield {"messages": [asked, *writer.calls(declared, 3, thinks=False), answered], "tools": declared}


def describe(corpus: list[bytes]) -> dict[str, Any]:
    """What there is in a corpus, and a digest of its beginning."""
    requests = [orjson.loads(data) for data in corpus]
    messages = [message for request in requests for message in request["messages"]]
    return {
        "conversations": len(corpus),
        "bytes": sum(map(len, corpus)),
        "messages": len(messages),
        "with tools": sum("tools" in request for request in requests),
        "calls": sum(len(message.get("tool_calls", ())) for message in messages),
        "with reasoning": sum(any("reasoning_content" in message for message in each["messages"]) for each in requests),
        "first 200": hashlib.sha256(b"\n".join(corpus[:200])).hexdigest(),
    }
