"""What a release promises, as data; and what a difference to the last release's promises makes of the next one.

The list is `docs/promises.json`: `pytest tests/test_versions.py --accept` writes it. The last release's own list is in
`golden/compat/<version>/`. docs/versioning.md defines what each kind of release may change.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import Enum, IntEnum
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import click

from ocml_bridge import ErrorCode, FindingCode, LossCode, Severity, adapter, formats
from ocml_bridge.bulk import Status
from ocml_bridge.cli import command
from ocml_bridge.cli.commands import COMMANDS
from ocml_bridge.cli.conversion_command import take_format_options
from ocml_bridge.common.lazy import find
from ocml_bridge.errors import EXIT_CODES, ExitCode
from ocml_bridge.json_values.schema_changes import schema_changes
from ocml_bridge.loss import CLASSES
from ocml_bridge.model import Json
from ocml_bridge.model.codec import json_schema
from sources import ROOT

COMPAT = ROOT / "golden" / "compat"
LIBRARY = (
    *("ocml_bridge", "ocml_bridge.authoring", "ocml_bridge.stream.authoring", "ocml_bridge.profiles"),
    "ocml_bridge.testing",
)
"""The modules whose public names are promised."""

Section = dict[str, Any]


class Kind(IntEnum):
    """What a release is, from the least to the most."""

    PATCH = 1
    MINOR = 2
    MAJOR = 3


class Change(NamedTuple):
    """One difference to what was promised, and what it makes of the next release."""

    kind: Kind
    what: str

    def __str__(self) -> str:
        return f"{self.kind.name.lower()}: {self.what}"


# --- the list ---------------------------------------------------------------------------------------------------------


def promises() -> dict[str, Section]:
    """What the code of this version promises; release_files.py has the shapes of the files that it writes."""
    return {
        "error codes": {str(code): EXIT_CODES.get(code, ExitCode.INVALID) for code in ErrorCode},
        "exit statuses": {name: value for name, value in vars(ExitCode).items() if name.isupper()},
        "loss codes": {str(code): str(CLASSES[code]) for code in LossCode},
        "finding codes": {str(code): "finding" for code in FindingCode},
        "severities": {str(each): "severity" for each in Severity},
        "outcomes": {str(each): "outcome" for each in Status},
        "formats": dict(_formats()),
        "commands": dict(_commands()),
        "library": dict(_library()),
        "canonical": cast("Section", without_prose(json_schema())),
    }


def _formats() -> Iterator[tuple[str, str]]:
    for name in formats():
        found, _ = adapter(name)
        yield name, str(found.kind)
        for at, dialect in enumerate(found.dialects):
            yield f"{name}:{dialect}", "a dialect" if at else "the dialect that is written"
        yield from ((f"{name} stream {each}", "read") for each in found.decoders)
        yield from ((f"{name} answer {each}", "written") for each in found.encoders)
        yield from ((f"{name} profile {each}", "profile") for each in found.profiles)
        yield from ((f"{name} option {each.name}", _otherwise(each.default)) for each in found.options)


def _commands() -> Iterator[tuple[str, str]]:
    with click.Context(command, info_name="ocml-convert", **command.context_settings) as context:
        take_format_options(context)
        for name in COMMANDS:
            found = find(COMMANDS[name])
            yield name, "command"
            with click.Context(found, context, info_name=name) as inner:
                for parameter in found.get_params(inner):
                    if isinstance(parameter, click.Option):
                        yield from ((f"{name} {each}", _takes(parameter)) for each in _spelled(parameter))
                    else:
                        yield f"{name} {parameter.human_readable_name}", _takes(parameter)


def _spelled(option: click.Option) -> list[str]:
    return [*option.opts, *option.secondary_opts]


def _takes(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count):
        words = ["a flag"]
    elif isinstance(parameter.type, click.Choice):
        words = ["one of", *map(str, parameter.type.choices)]
    else:
        words = [{1: "a value", -1: "values"}.get(parameter.nargs, f"{parameter.nargs} values")]
    words += [word for word, applies in (("often", parameter.multiple), ("required", parameter.required)) if applies]
    if isinstance(parameter.default, (str, int, float)):
        words.append(_otherwise(parameter.default))
    return ", ".join(words)


def _otherwise(default: object) -> str:
    """The value of an option that is not given."""
    return f"{_ELSE}{'nothing' if default is None else default}"


_ELSE = "else "


def _library() -> Iterator[tuple[str, str]]:
    for module in LIBRARY:
        known = import_module(module)
        for name in known.__all__:
            value = getattr(known, name)
            yield f"{module}.{name}", _kind_of(value)
            if inspect.isroutine(value) or (inspect.isclass(value) and not issubclass(value, Enum)):
                yield from _parameters(f"{module}.{name}", value)
            if inspect.isclass(value) and issubclass(value, Enum):
                yield from ((f"{module}.{name}.{each.name}", str(each.value)) for each in value)
            elif inspect.isclass(value):
                yield from _members(f"{module}.{name}", value)


def _kind_of(value: object) -> str:
    if inspect.isclass(value):
        return "enumeration" if issubclass(value, Enum) else "data" if is_dataclass(value) else "class"
    return "function" if inspect.isroutine(value) else "value"


def _parameters(name: str, value: Any) -> Iterator[tuple[str, str]]:
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return
    places = [each.name for each in found if each.kind is each.POSITIONAL_OR_KEYWORD and each.name != "self"]
    for each in found:
        if each.name != "self" and not each.name.startswith("_"):
            where = f"at {places.index(each.name)}" if each.name in places else each.kind.description
            yield f"{name} {each.name}", where if each.default is not each.empty else f"{where}, required"


def _members(name: str, value: type[Any]) -> Iterator[tuple[str, str]]:
    for each in sorted(vars(value)):
        member = vars(value)[each]
        if not each.startswith("_") and (isinstance(member, property) or inspect.isroutine(member)):
            yield f"{name}.{each}", "property" if isinstance(member, property) else "method"
            if inspect.isfunction(member):
                yield from _parameters(f"{name}.{each}", member)


def without_prose(schema: Json) -> Json:
    """A schema without what its kinds and members are called and described as, which any release may change."""
    if isinstance(schema, list):
        return [without_prose(each) for each in cast("list[Json]", schema)]
    if not isinstance(schema, dict):
        return schema
    without: dict[str, Json] = {}
    for key, value in cast("dict[str, Json]", schema).items():
        if key in ("properties", "$defs"):  # whose keys are names, and no keywords
            without[key] = {name: without_prose(each) for name, each in cast("dict[str, Json]", value).items()}
        elif key not in ("title", "description"):
            without[key] = without_prose(value)
    return without


# --- the shapes of files ----------------------------------------------------------------------------------------------


def shape_of(*values: Json) -> Section:
    """The members of JSON values at every depth, by their places, each with the types that it was seen to have."""
    found: dict[str, set[str]] = {}
    for value in values:
        for place, word in _places(value, ""):
            found.setdefault(place, set()).add(word)
    return {place: " or ".join(sorted(words)) for place, words in sorted(found.items())}


_CODES = {str(code) for codes in (ErrorCode, LossCode, FindingCode) for code in codes}
_TYPES: dict[type, str] = {
    dict: "object",
    list: "list",
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}


def _places(value: Json, path: str) -> Iterator[tuple[str, str]]:
    yield path or "/", _TYPES[type(value)]
    if isinstance(value, dict):
        for key, each in cast("dict[str, Json]", value).items():
            # Counts are by code: which codes there were is chance.
            yield from _places(each, f"{path}/{'*' if key in _CODES else key}")
    elif isinstance(value, list):
        for each in cast("list[Json]", value):
            yield from _places(each, f"{path}/*")


# --- what a difference is ---------------------------------------------------------------------------------------------


def changes(old: Mapping[str, Section], new: Mapping[str, Section]) -> list[Change]:
    """Every difference between two lists, each with the least release that may bring it."""
    found: list[Change] = []
    for name, section in old.items():
        if name == "canonical":
            found += [
                Change(Kind.MAJOR if each.breaking else Kind.MINOR, f"canonical {each.path}: {each.what}")
                for each in schema_changes(section, new[name])
            ]
        else:
            found += _between(name, section, new.get(name, {}))
    found += [Change(Kind.MINOR, f"{name} are promised now") for name in new if name not in old]
    return found


def _between(name: str, old: Section, new: Section) -> Iterator[Change]:
    for key, before in old.items():
        if key not in new:
            yield Change(Kind.MAJOR, f"{name}: {key} ({before}) is gone")
        elif new[key] != before:
            yield Change(_weight(str(before), str(new[key])), f"{name}: {key} was {before}, and is {new[key]} now")
    for key, after in new.items():
        if key not in old:
            # Whoever calls what was there before does not know that it takes more now.
            must = "required" in str(after) and key.split(" ")[0] in old
            yield Change(Kind.MAJOR if must else Kind.MINOR, f"{name}: {key} ({after}) is new")


def _weight(before: str, after: str) -> Kind:
    """A required value that becomes optional, and a range that becomes wider, break nobody's calls.

    Another default is a minor change, as docs/versioning.md has it.
    """
    old, new = ({word for word in words.split(", ") if not word.startswith(_ELSE)} for words in (before, after))
    if "values" in new:  # any number of them, so one
        old -= {"a value"}
    return Kind.MINOR if old - {"required"} <= new and "required" not in new - old else Kind.MAJOR


# --- bytes ------------------------------------------------------------------------------------------------------------


def written_bytes() -> dict[str, dict[str, str]]:
    """Digests of the golden outputs by case, and of what each was made from."""
    return {
        f"{case.parent.parent.name}/{case.parent.name}": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12]
            for path in sorted(case.parent.iterdir())
            if path.name != "case.yaml" and not path.name.endswith(".loss.txt")
        }
        for case in sorted(ROOT.glob("golden/*/*/case.yaml"))
    }


def changed_bytes(old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]) -> list[Change]:
    """Outputs and readings of one and the same input that are others now."""
    return [
        Change(Kind.MINOR, f"golden/{case}/{name} has other bytes")
        for case, files in old.items()
        if (now := new.get(case)) is not None and _inputs(files) == _inputs(now)
        for name, digest in files.items()
        if name in now and now[name] != digest
    ]


def _inputs(files: Mapping[str, str]) -> list[str]:
    return [digest for name, digest in files.items() if name.startswith("input.")]


# --- releases ---------------------------------------------------------------------------------------------------------


def releases() -> list[Path]:
    """The folders of old releases, the newest last."""
    return sorted(COMPAT.iterdir(), key=lambda path: tuple(map(int, path.name.split("."))))


def announced() -> Kind:
    """The most that a fragment in `changes/` announces."""
    kinds = [path.suffixes[-2][1:] for path in (ROOT / "changes").glob("*.md") if len(path.suffixes) > 1]
    return max((Kind[kind.upper()] for kind in kinds), default=Kind.PATCH)


def next_version(version: str, kind: Kind) -> str:
    """The version that a release of this kind has; before 1.0 the second number counts as the first."""
    numbers = [int(number) for number in version.split(".")]
    place = Kind.MAJOR - kind if numbers[0] else min(2, Kind.MAJOR - kind + 1)
    return ".".join(
        str(number + 1 if at == place else 0 if at > place else number) for at, number in enumerate(numbers)
    )
