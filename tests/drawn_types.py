"""Documents drawn from type hints: what a request or a response may be, according to the official clients of an API.

A `TypedDict`, a pydantic model or one of botocore's shapes is a definition. What is drawn of it is JSON with all
required members, some of the optional ones, and no text twice, so that one that is lost is found.
"""

from __future__ import annotations

import base64
import collections.abc
import enum
import types
import typing
from datetime import date, datetime
from functools import cache
from random import Random
from typing import Any, NotRequired, Required, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from typing_extensions import TypeAliasType, is_typeddict

Json = Any
_DEPTH = 9
"""How deep a document nests: beyond it only what has to be there is drawn, and lists are empty."""


class Drawer:
    """Draws JSON of definitions.

    Args:
        seed: the same one gives the same documents.
        fixed: what a member is, by its name, where any value of its type would be no document.
    """

    def __init__(self, seed: int, fixed: dict[str, Any] | None = None) -> None:
        self._random = Random(seed)
        self._count = 0
        self._fixed = fixed or {}

    def _word(self) -> str:
        self._count += 1
        return f"w{self._count}"

    def chance(self, share: float) -> bool:
        return self._random.random() < share

    def document(self, hint: Any, *, depth: int = 0) -> Json:
        """A value of a type."""
        origin, args = get_origin(hint), get_args(hint)
        if isinstance(hint, TypeAliasType) or type(hint).__name__ == "TypeAliasType":
            return self.document(hint.__value__, depth=depth)
        if origin in (Required, NotRequired, typing.Required, typing.NotRequired, typing.Annotated, typing.Final):
            return self.document(args[0], depth=depth)
        if origin is typing.Literal:
            return self._random.choice(args)
        if origin in (typing.Union, types.UnionType):
            return self._of_union(args, depth)
        if origin in (list, tuple, set, frozenset) or (
            isinstance(origin, type) and issubclass(origin, collections.abc.Iterable) and origin not in _MAPPINGS
        ):
            count = 0 if depth > _DEPTH else self._random.choice((1, 1, 2))
            return [self.document(args[0], depth=depth + 1) for _ in range(count)]
        if origin in _MAPPINGS or hint in _MAPPINGS:
            return {self._word(): self._word()} if self.chance(0.5) else {}
        if is_typeddict(hint):
            return self._of_members(hint.__name__, _members(hint), depth)
        if isinstance(hint, type) and issubclass(hint, BaseModel):
            return self._of_members(hint.__name__, _fields(hint), depth)
        return self._of_leaf(hint)

    def _of_union(self, kinds: tuple[Any, ...], depth: int) -> Json:
        choices = [kind for kind in kinds if kind is not type(None)]
        if len(choices) < len(kinds) and self.chance(0.1):
            return None
        if depth > _DEPTH - 2:
            choices = [kind for kind in choices if kind in _LEAVES or get_origin(kind) is typing.Literal] or choices
        return self.document(self._random.choice(choices), depth=depth + 1)

    def _of_members(self, name: str, members: dict[str, tuple[Any, bool]], depth: int) -> dict[str, Json]:
        out: dict[str, Json] = {}
        share = 0.35 if depth < 3 else 0.2
        for key, (hint, required) in members.items():
            if not (required or (depth <= _DEPTH and self.chance(share))):
                continue
            fixed = self._fixed.get(f"{name}.{key}", self._fixed.get(key, ...))
            if fixed is None:
                continue
            out[key] = (
                self.document(hint, depth=depth + 1) if fixed is ... else fixed(self) if callable(fixed) else fixed
            )
        return out

    def _of_leaf(self, hint: Any) -> Json:
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            names = [each.value for each in hint]
            return self._random.choice([name for name in names if "UNSPECIFIED" not in name] or names or ["X"])
        if hint is bool:
            return self.chance(0.5)
        if hint is int:
            self._count += 1
            return 100 + self._count
        if hint is float:
            return self._random.choice((0.25, 0.5, 1.0))
        if hint is bytes:
            return base64.b64encode(self._word().encode()).decode()
        if hint in (datetime, date):
            return "2026-01-02T03:04:05Z"
        return self._word()

    # --- botocore -----------------------------------------------------------------------------------------------------

    def of_shape(self, shape: Any, *, depth: int = 0) -> Json:
        """A value of one of botocore's shapes."""
        kind: str = shape.type_name
        if kind == "structure":
            return self._of_structure(shape, depth)
        if kind == "list":
            return [] if depth > _DEPTH else [self.of_shape(shape.member, depth=depth + 1)]
        if kind == "map":
            return {}
        if kind == "string":
            return self._random.choice(shape.enum) if shape.enum else self._word()
        if kind == "blob":
            return self._of_leaf(bytes)
        return self._of_leaf({"boolean": bool, "integer": int, "long": int, "float": float, "double": float}.get(kind))

    def _of_structure(self, shape: Any, depth: int) -> Json:
        if getattr(shape, "is_document_type", False):
            return {self._word(): self._word()}
        members: dict[str, Any] = dict(shape.members)
        if getattr(shape, "is_tagged_union", False):
            plain = {key: each for key, each in members.items() if each.type_name != "list"}
            key = self._random.choice(list(plain if depth > _DEPTH - 3 and plain else members))
            return {key: self.of_shape(members[key], depth=depth + 1)}
        required = set(shape.required_members)
        out: dict[str, Json] = {}
        for key, each in members.items():
            fixed = self._fixed.get(f"{shape.name}.{key}", self._fixed.get(key, ...))
            if fixed is None or not (key in required or (depth <= _DEPTH and self.chance(0.25))):
                continue
            out[key] = self.of_shape(each, depth=depth + 1) if fixed is ... else fixed
        return out


_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, typing.Dict, object, Any)  # noqa: UP006
_LEAVES = (str, int, float, bool, bytes)


@cache
def _members(hint: Any) -> dict[str, tuple[Any, bool]]:
    # What is required cannot be asked of the class where its annotations are texts.
    found = get_type_hints(hint, include_extras=True)
    return {key: (each, _is_required(each, total=hint.__total__)) for key, each in found.items()}


def _is_required(hint: Any, *, total: bool) -> bool:
    origin = get_origin(hint)
    return origin in (Required, typing.Required) or (total and origin not in (NotRequired, typing.NotRequired))


@cache
def _fields(model: type[BaseModel]) -> dict[str, tuple[Any, bool]]:
    return {field.alias or key: (field.annotation, field.is_required()) for key, field in model.model_fields.items()}
