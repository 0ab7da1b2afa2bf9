"""Draw documents with notes that misfit: `extras` and `layout` of the keys that adapters use, with any values."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

import ocml_adapters
import ocml_bridge.wires
from ocml_bridge import Transcript
from ocml_bridge.model import Content, Json, Message, Text, Tool, replace
from ocml_bridge.testing import strategies

_GETTERS: Final = ("get", "pop", "setdefault")
_NAMES: Final = ("layout", "extras", "notes")


def _name_of_notes(node: ast.expr) -> bool:
    """Whether an expression is named like notes."""
    name = ast.unparse(node).lower()
    return any(each in name for each in _NAMES)


def _keys_in(module: ModuleType, tree: ast.AST) -> set[str]:
    """The keys that the code of a module looks up in notes, or makes them of."""
    read_keys: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=notes, attr=name), args=[key, *_]) if name in _GETTERS:
                read_keys += [key] * _name_of_notes(notes)
            case ast.Call(func=ast.Attribute(attr="by_format" | "adding"), args=[*_, ast.Dict(keys=keys)]):
                read_keys += filter(None, keys)
            case ast.Subscript(value=notes, slice=key):
                read_keys += [key] * _name_of_notes(notes)
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[notes]):
                read_keys += [key] * _name_of_notes(notes)
            case _:
                pass
    values = [getattr(module, key.id, None) if isinstance(key, ast.Name) else _literal(key) for key in read_keys]
    return {value for value in values if isinstance(value, str)}


def _literal(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _keys_of(package: ModuleType, pattern: str) -> dict[str, set[str]]:
    """The keys of notes in the modules of a package, by the name of the folder of each."""
    found: dict[str, set[str]] = {}
    root = Path(package.__path__[0])
    for path in sorted(root.glob(pattern)):
        name = ".".join([package.__name__, *path.relative_to(root).with_suffix("").parts])
        keys = _keys_in(import_module(name), ast.parse(path.read_text(encoding="utf-8")))
        found.setdefault(path.parent.name, set()).update(keys)
    return found


def _keys_of_homes() -> dict[str, list[str]]:
    """The keys of the notes of each format, by the name of its notes; all wires have those of their common code."""
    shared = set[str]().union(*_keys_of(ocml_bridge.wires, "**/*.py").values())
    homes: dict[str, list[str]] = {}
    for folder, keys in _keys_of(ocml_adapters, "*/*.py").items():
        if home := getattr(import_module(f"ocml_adapters.{folder}.syntax"), "HOME", None):
            homes[home] = sorted(keys | shared)
    return homes


KEYS: Final = _keys_of_homes()
"""The keys that the adapters look up in their notes, by home."""
_WORDS: Final = ("text", "system", "user", "assistant", "tool", "message", "absent", "null", "c1", "f", "0", "\0", "")

_LITTLE: Final[list[Json]] = [None, True, False, 0, 1, 2, -1, 10**30, 0.5, -0.0, [], {}, *_WORDS]


@cache
def _values(home: str) -> SearchStrategy[Json]:
    leaves = st.one_of(
        st.sampled_from(_LITTLE),
        st.sampled_from(KEYS[home]),
        strategies.json_values(),
    )
    keys = st.one_of(st.sampled_from(KEYS[home]), st.sampled_from(["at", "item", *_WORDS]))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
        max_leaves=5,
    )


@cache
def notes(home: str) -> SearchStrategy[Any]:
    """Draw extras or a layout of one home, or none."""
    some = st.dictionaries(st.sampled_from(KEYS[home]), _values(home), min_size=1, max_size=4)
    return st.one_of(st.none(), some.map(lambda drawn: {home: drawn}))


@st.composite
def _noted(draw: DrawFn, value: Any, home: str) -> Any:
    return replace(value, extras=draw(notes(home)), layout=draw(notes(home)))


def _call(name: str, call_id: str) -> Message:
    return Message(
        "assistant",
        '{"a": 1}',
        channel="commentary",
        recipient=f"functions.{name}",
        call_id=call_id,
        constraint="json",
        end="call",
    )


_THOUGHT = Message("assistant", "Hm.", channel="analysis")
_TURNS: Final[list[Message]] = [
    Message("system", "Be brief."),
    Message("user", "Hi"),
    _THOUGHT,
    _call("f", "c1"),
    replace(_call("g", "c2"), continues=True),
    Message("tool", "4", name="functions.f", channel="commentary", recipient="assistant", call_id="c1"),
    Message("tool", "[5]", name="functions.g", channel="commentary", recipient="assistant", call_id="c2"),
    Message("assistant", "Done.", channel="final"),
    Message("user", (Text("Why"), Text("now?"))),
    Message("assistant", "So.", channel="final"),
]


@st.composite
def _content(draw: DrawFn, content: Content, home: str) -> Content:
    if isinstance(content, str) and draw(st.booleans()):
        return content
    drawn = [
        replace(part, extras=draw(notes(home))) for part in ([Text(content)] if isinstance(content, str) else content)
    ]
    return strategies.normal(tuple(drawn))


@st.composite
def documents(draw: DrawFn, home: str) -> Transcript:
    """Draw conversations of several turns with calls, with notes of one home that misfit."""
    start = draw(st.integers(0, 3))
    drawn = [*_TURNS[start:], *draw(st.lists(strategies.messages(), max_size=2))]
    messages: list[Message] = []
    for message in drawn:
        is_text = message.content.__class__ is str or message in _TURNS
        content = draw(_content(message.content, home)) if is_text else message.content
        messages.append(replace(draw(_noted(message, home)), content=content))
    tools = (draw(_noted(Tool("f", "Adds.", {"type": "object"}), home)), Tool("g"))
    return Transcript(
        messages=tuple(messages),
        tools=draw(st.sampled_from([None, tools])),
        extras=draw(notes(home)),
        layout=draw(notes(home)),
    )
