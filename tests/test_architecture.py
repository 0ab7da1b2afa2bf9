"""The shape of the project (docs/architecture.md), read from its own source files."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

import ocml_bridge
from sources import ADAPTERS, BRIDGE, ROOT, calls, dotted, imports, modules

LAYERS = (
    ("errors", "loss"),
    ("common", "model", "options"),
    ("events", "json_values"),
    ("chat",),
    ("spans", "units"),
    ("formats",),
    ("report",),
    ("text", "wires"),
    ("authoring", "engine"),
    ("recognise", "stream"),
    ("registry",),
    ("detection", "pipe"),
    ("convert",),
    ("checks", "request", "split"),
    ("profiles",),
    ("",),  # the public API, ocml_bridge/__init__.py
    ("layouts", "testing"),
    ("bulk", "view"),
    ("hosts", "playground"),
    ("cli",),
    ("__main__", "jobs"),
)
"""The parts of `ocml_bridge`, from the bottom: each imports only from itself and from the layers below its own."""
LAYER = {name: level for level, names in enumerate(LAYERS) for name in names}
FOR_ADAPTERS = LAYER["registry"]
"""Adapters use what is below the registry, which imports them."""

OUTSIDE = frozenset({"bulk", "hosts", "playground", "cli", "jobs", "__main__"})
"""The parts that may open files, print, and read clocks and the environment."""
VOCABULARIES = {ADAPTERS / name / "vocabulary.py" for name in ("harmony", "internlm2")}
"""They look for the vocabularies of token ids in the user's cache and where the options say."""
STOPWATCHES = {BRIDGE / "testing" / "growth.py"}
"""They measure the time of an adapter, for the test kit; no conversion depends on it."""
WORLD = frozenset(
    {"os", "pathlib", "io", "glob", "shutil", "tempfile", "subprocess", "socket", "logging", "locale"}
    | {"time", "datetime", "random", "secrets", "uuid"}
)
ACTS = frozenset({"open", "print", "input"})

SAME_FILES = {"__init__.py", "syntax.py", "sniff.py", "units.py"}
LIBRARIES = frozenset({"yaml"})
"""Third-party libraries that an adapter imports by name; `openai_harmony` is found at run time, whichever it is."""


def part(steps: tuple[str, ...]) -> str:
    """Which part of `ocml_bridge` a module is in; "" for the package itself."""
    return steps[1] if len(steps) > 1 and steps[1] in LAYER else ""


def named(paths: list[Path]) -> dict[str, Path]:
    return {".".join(dotted(path)): path for path in paths}


BRIDGE_MODULES = named(modules(BRIDGE))
ADAPTER_MODULES = named(modules(ADAPTERS))
TEST_MODULES = {str(path.relative_to(ROOT)): path for path in modules(ROOT / "tests")}
FOLDERS = sorted(path for path in ADAPTERS.iterdir() if path.is_dir() and path.name != "__pycache__")


def test_every_part_has_its_layer() -> None:
    parts = {steps[1] for path in BRIDGE_MODULES.values() if len(steps := dotted(path)) > 1}
    assert parts <= set(LAYER)


def test_the_page_names_the_layers_in_their_order() -> None:
    page = " ".join((ROOT / "docs" / "architecture.md").read_text("utf-8").split())
    layers = (", ".join(f"`{name}`" for name in sorted(layer)) for layer in LAYERS if layer != ("",))
    assert f"They point one way: {' → '.join(layers)}." in page


def test_dependencies_point_one_way() -> None:
    """Adapters are reached through the registry alone."""
    wrong = [
        f"{module} imports {found.module}"
        for module, path in BRIDGE_MODULES.items()
        for found in imports(path)
        if not _is_below(tuple(found.module.split(".")), part(dotted(path)))
    ]
    assert wrong == []


def _is_below(steps: tuple[str, ...], own: str) -> bool:
    """Whether a part may import a module: one of its own, of a layer below, or of a library."""
    if steps[0] != "ocml_bridge":
        return steps[0] != "ocml_adapters"
    return part(steps) == own or LAYER[part(steps)] < LAYER[own]


def test_adapters_import_the_bridge_and_no_other_adapter() -> None:
    wrong = [
        f"{module} imports {found.module}"
        for module, path in ADAPTER_MODULES.items()
        for found in imports(path)
        if not _is_for_adapters(tuple(found.module.split(".")), dotted(path)[:2])
    ]
    assert wrong == []


def _is_for_adapters(steps: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Whether an adapter's folder may import a module."""
    if steps[0] == "ocml_bridge":
        return LAYER[part(steps)] < FOR_ADAPTERS
    if steps[0] == "ocml_adapters":
        return steps[:2] == folder
    return steps[0] in sys.stdlib_module_names | LIBRARIES


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_libraries_are_imported_when_they_are_needed(folder: Path) -> None:
    """No module that reading or writing imports at once imports a third-party library."""
    seen: set[str] = set()
    todo = [".".join(dotted(folder / name)) for name in SAME_FILES]
    while todo:
        module = todo.pop()
        if module not in seen and module in ADAPTER_MODULES:
            seen.add(module)
            at_once = [found.module for found in imports(ADAPTER_MODULES[module]) if not found.lazy]
            assert not LIBRARIES & {name.split(".")[0] for name in at_once}, module
            todo += at_once


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_adapter_has_the_same_files(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} >= SAME_FILES


def test_names_of_files_in_several_adapters_are_documented_once() -> None:
    """A file name that several adapters have means one thing, so it is in the table of the page."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = page.partition("## The files of an adapter")[2].partition("\n## ")[0]
    listed = {name for line in section.splitlines() for name in re.findall(r"`(\w+)`", line) if line.startswith("| `")}
    stems = Counter(path.stem for folder in FOLDERS for path in folder.glob("*.py"))
    shared = {name for name, count in stems.items() if count > 1 and name != "__init__"}
    assert shared - listed == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_detection_imports_only_the_syntax_of_a_format(folder: Path) -> None:
    """Detection uses every format, so it must import little for each."""
    package = ".".join(dotted(folder / "__init__.py"))
    for name in ("__init__.py", "sniff.py"):
        own = {found.module for found in imports(folder / name) if found.module.startswith(package)}
        assert own <= {f"{package}.syntax"}


def test_the_library_uses_no_file_clock_randomness_or_environment() -> None:
    """Law 7: below the command nothing opens files, reads clocks or the environment, or uses randomness."""
    wrong: list[str] = []
    for module, path in (BRIDGE_MODULES | ADAPTER_MODULES).items():
        if path in VOCABULARIES | STOPWATCHES or (path.is_relative_to(BRIDGE) and part(dotted(path)) in OUTSIDE):
            continue
        called = WORLD & {found.module.split(".")[0] for found in imports(path)} | ACTS & calls(path)
        wrong += [f"{module}: {name}" for name in called]
    assert wrong == []


def test_modules_are_short() -> None:
    lines = {module: path.read_text("utf-8").count("\n") for module, path in (BRIDGE_MODULES | ADAPTER_MODULES).items()}
    assert {module: count for module, count in lines.items() if count > 400} == {}


RIDDLES: Final = frozenset({"said", "told", "held", "worth"})
"""Words that say nothing about a value: is it a message, a text, a role, a cached object?"""


def test_names_are_plain_words() -> None:
    wrong: list[str] = []
    for module, path in (BRIDGE_MODULES | ADAPTER_MODULES | TEST_MODULES).items():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    pass
                case ast.arg(arg=name):
                    pass
                case _:
                    continue
            if name != "max_held" and not RIDDLES.isdisjoint(name.lower().split("_")):
                wrong.append(f"{module}: {name}")
    assert wrong == []


def test_the_folders_of_the_packages_are_not_packages() -> None:
    assert not (ROOT / "bridge" / "__init__.py").exists()
    assert not (ROOT / "adapters" / "__init__.py").exists()


def test_the_public_api_is_small_and_importable() -> None:
    assert len(ocml_bridge.__all__) <= 46
    assert len(set(ocml_bridge.__all__)) == len(ocml_bridge.__all__)
    assert all(hasattr(ocml_bridge, name) for name in ocml_bridge.__all__)
