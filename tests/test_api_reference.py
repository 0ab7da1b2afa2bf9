"""`docs/api.md` is the reference of the library, made from its docstrings. `pytest --accept` writes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from sources import ROOT

PAGE = ROOT / "docs" / "api.md"
MODULES = (
    *("ocml_bridge", "ocml_bridge.profiles", "ocml_bridge.authoring", "ocml_bridge.stream.authoring"),
    "ocml_bridge.testing",
)
INTRODUCTION = """# The library

Made from the docstrings of the public names; `pytest --accept` writes this page. What a document consists of is on
[its own page](canonical-form.md), the codes of [losses and findings](loss.md) and of [errors](errors.md) on theirs.
"""
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises):\n", re.MULTILINE)
ENTRY = re.compile(r"^    (\S[^:\n]*): ((?:.*)(?:\n     +.*)*)", re.MULTILINE)


def public(module: ModuleType) -> list[str]:
    return sorted(module.__all__, key=str.casefold)


def documented_twice(name: str, module: ModuleType) -> bool:
    """Whether a name is in the reference of an earlier module already."""
    earlier = map(import_module, MODULES[: MODULES.index(module.__name__)])
    return any(name in other.__all__ for other in earlier)


def signature(name: str, value: Any) -> str:
    """The signature of a function or class, with one parameter in a line if there are many."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    parameters = [each for each in found.parameters.values() if each.name != "self"]
    keywords = [at for at, each in enumerate(parameters) if each.kind is each.KEYWORD_ONLY]
    shown = [parameter(each) for each in parameters]
    if keywords:
        shown.insert(keywords[0], "*")
    result = found.return_annotation
    returns = "" if result in (found.empty, None, "None") else f" -> {annotation(result)}"
    line = f"{name}({', '.join(shown)}){returns}"
    return line if len(line) <= 100 else "\n    ".join([f"{name}(", *(f"{each}," for each in shown)]) + f"\n){returns}"


def parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    typed = "" if each.annotation is each.empty else f": {annotation(each.annotation)}"
    if each.default is each.empty:
        return f"{stars}{each.name}{typed}"
    default = f"{type(each.default).__name__}()" if is_dataclass(each.default) else repr(each.default)
    return f"{each.name}{typed}{' = ' if typed else '='}{'…' if default.startswith('<') else default}"


def annotation(found: Any) -> str:
    found = getattr(found, "__forward_arg__", found)
    return found if isinstance(found, str) else getattr(found, "__name__", str(found))


def rendered(text: str) -> str:
    """A docstring as Markdown: its sections become lists."""
    pieces = SECTION.split(inspect.cleandoc(text).strip() + "\n")
    out = [_prose(pieces[0])]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        entries = ENTRY.findall(body)
        lines = [f"- `{name}`: {_joined(what)}" for name, what in entries] if title != "Returns" else [_joined(body)]
        rest = ENTRY.sub("", body) if entries and title != "Returns" else ""
        out += [f"**{title}**", "\n".join(lines) or _joined(body), _prose(inspect.cleandoc(rest))]
    return "\n\n".join(piece for piece in out if piece)


def _prose(text: str) -> str:
    """Paragraphs as they are; indented lines are an example."""
    return re.sub(r"(?:^|\n)((?:\n    .*)+)", lambda found: f"\n\n```text{_dedented(found[1])}\n```", text).strip()


def _dedented(text: str) -> str:
    return text.replace("\n    ", "\n")


def _joined(text: str) -> str:
    return " ".join(text.split())


def methods(value: type[Any]) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that have a docstring of their own."""
    for name, member in vars(value).items():
        found = member.fget if isinstance(member, property) else member
        if not name.startswith("_") and inspect.isfunction(found) and found.__doc__:
            yield (name, member) if isinstance(member, property) else (signature(name, member), found)


def alias(value: Any) -> str:
    """What a type stands for, if that is short."""
    stands_for = re.sub(r"\b[a-z_][\w.]*\.(?=[A-Z])", "", str(value))
    return f"A type: `{stands_for}`." if len(stands_for) <= 160 else "A type, for annotations."


def entry(name: str, value: Any) -> Iterator[str]:
    yield f"### `{name}`"
    borrowed = getattr(value, "__module__", "") == "typing"  # such as `Any`, whose docstring is another in each Python
    documented = not borrowed and (inspect.isclass(value) or inspect.isroutine(value))
    if not documented:
        yield f"A constant: `{value!r}`." if isinstance(value, (int, str)) else alias(value)
        return
    if not (inspect.isclass(value) and issubclass(value, Enum)):
        yield f"```python\n{signature(name, value)}\n```"
    yield rendered(value.__doc__ or "")
    if inspect.isclass(value) and issubclass(value, Enum):
        yield ", ".join(f"`{member.value}`" for member in value)
    elif inspect.isclass(value):
        for shown, member in methods(value):
            yield f"#### `{shown}`"
            yield rendered(member.__doc__ or "")


def reference() -> str:
    out = [INTRODUCTION]
    for name in MODULES:
        module = import_module(name)
        out += [f"## `{name}`", rendered(module.__doc__ or "")]
        for each in public(module):
            if not documented_twice(each, module):
                out += entry(each, getattr(module, each))
    return "\n\n".join(piece.strip() for piece in out) + "\n"


def test_the_reference_is_made_from_the_docstrings(request: pytest.FixtureRequest) -> None:
    made = reference()
    if request.config.getoption("--accept"):
        PAGE.write_text(made)
    assert PAGE.read_text() == made


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    module = import_module(name)
    for each in public(module):
        value = getattr(module, each)
        if inspect.isclass(value) or inspect.isroutine(value):
            text = value.__doc__ or ""
            assert text, f"{name}.{each} has no docstring"
            assert not text.startswith(f"{each}("), f"{name}.{each} has none but what its fields make"
