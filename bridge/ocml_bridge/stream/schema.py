"""Validate a call's arguments with the schema of its tool (OpenChatML 2.2 §14, E-CALL-SCHEMA). Extra: `schema`.

The validator is jsonschema-rs. A schema may come from anywhere, so nothing is ever fetched, patterns are matched in
linear time or on short strings only, and validations that would take too long (`effort`) are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from ..chat.turns import FUNCTIONS, full_name, recipient_of
from ..errors import BridgeError, ErrorCode
from ..json_values import jsontext
from ..model import Json, Message, Tool
from .effort import effort, parts, size

if TYPE_CHECKING:
    from jsonschema_rs import Validator

DEADLINE: Final = "deadline_ms"
"""The member of a call's arguments with the time that it may take (§8.2)."""

_STEPS: Final = 50_000
_STEPS_PER_SIZE: Final = 20
"""The maximum steps of a validation: a constant, plus a multiple of the arguments' size."""
_EXPLAINED: Final = 2_000
_EXPLAINED_PER_SIZE: Final = 10
"""The same if the validator has to find the place of the fault, which takes much longer."""
_SHORT: Final = 1_000
"""The maximum length of strings for patterns with look-around, which may take quadratic time, in characters."""
_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})
_NAMES: Final = frozenset({"$id", "id"})
"""Keywords that change the base of the references below them, if they are not at the root."""


class _Compiled(NamedTuple):
    schema: Json
    validator: Validator
    linear: bool


class Schemas:
    """The compiled schemas of tools.

    The draft of a schema is the one that its `$schema` names, else 2020-12. Its references must lead into itself.

    Args:
        tools: the declared tools; of two with the same name the first counts.

    Raises:
        BridgeError: OCB-DEPENDENCY without the extra `schema`; with a path into the tools, OCB-SHAPE for parameters
            that are no schema or have a reference to elsewhere, and OCB-LIMIT for a schema that nests too deep.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._of: dict[str, _Compiled | None] = {}
        for index, tool in enumerate(tools):
            path = f"/tools/{index}/parameters"
            compiled = None if tool.parameters is None else _compile(tool.parameters, path)
            self._of.setdefault(recipient_of(full_name(tool)), compiled)

    def check(self, call: Message) -> None:
        """Check a call's arguments. Built-in tools are not declared, and accept any arguments.

        A `deadline_ms` that the tool does not declare is ignored.

        Raises:
            BridgeError: E-CALL-SCHEMA with a JSON pointer into the arguments, if they do not fit or the function is not
                declared; OCB-LIMIT if the check would take too long.
        """
        name = call.recipient or ""
        if name not in self._of:
            if name.startswith(FUNCTIONS):
                raise BridgeError(ErrorCode.CALL_SCHEMA, f"no tool {name[:80]!r} is declared")
            return
        compiled = self._of[name]
        if compiled is not None:
            _validate(compiled, _without_deadline(_arguments(call), compiled.schema))


def check(call: Message, tools: Iterable[Tool]) -> None:
    """Check one call, like `Schemas.check`; for many calls, create one `Schemas`."""
    Schemas(tools).check(call)


# --- schemas ----------------------------------------------------------------------------------------------------------


def _compile(schema: Json, path: str) -> _Compiled:
    try:
        from jsonschema_rs import FancyRegexOptions, RegexOptions, ValidationError, validator_for
    except ImportError as error:
        what = "jsonschema-rs is missing: pip install 'ocml-convert[schema]'"
        raise BridgeError(ErrorCode.DEPENDENCY, what) from error
    if not isinstance(schema, (dict, bool)):
        raise BridgeError(ErrorCode.SHAPE, "a JSON Schema is an object, true or false", path=path)
    if jsontext.too_deep(schema):
        raise BridgeError(ErrorCode.LIMIT, f"nested deeper than {jsontext.MAX_DEPTH} levels", path=path)
    for place, reference in _references(schema, path):
        raise BridgeError(
            ErrorCode.SHAPE, f"{reference[:80]!r} refers to another document; only # and #/… are allowed", path=place
        )
    rules = cast("dict[str, Any] | bool", schema)
    settings: dict[str, Any] = {"offline": True, "mask": "the value", "validate_formats": False}
    try:
        try:
            return _Compiled(schema, validator_for(rules, pattern_options=RegexOptions(), **settings), linear=True)
        except ValidationError:
            patterns = FancyRegexOptions(backtrack_limit=10_000)
            return _Compiled(schema, validator_for(rules, pattern_options=patterns, **settings), linear=False)
    except ValidationError as error:
        place = path + _pointer(error.instance_path)
        raise BridgeError(ErrorCode.SHAPE, f"not a JSON Schema: {error.message}", path=place) from error
    except ValueError as error:
        raise BridgeError(ErrorCode.SHAPE, f"not a JSON Schema: {error}", path=path) from error


def _references(schema: Json, path: str) -> Iterator[tuple[str, str]]:
    """Yield the JSON pointer and the value of each reference out of a schema, and of each keyword that rebases them."""
    todo: list[tuple[Any, str]] = [(schema, path)]
    while todo:
        item, place = todo.pop()
        if isinstance(item, list):
            todo += [(each, f"{place}/{at}") for at, each in enumerate(cast("list[Json]", item))]
        elif isinstance(item, dict):
            for key, value in cast("dict[str, Json]", item).items():
                below = place + _pointer([key])
                if not isinstance(value, str):
                    todo.append((value, below))
                elif (
                    (key == "$ref" and value != "#" and not value.startswith("#/"))
                    or key in _DYNAMIC
                    or (key in _NAMES and item is not schema)
                ):
                    yield below, value


def _pointer(steps: Iterable[str | int]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


# --- arguments --------------------------------------------------------------------------------------------------------


def _arguments(call: Message) -> Json:
    """Return the parsed arguments of a call; an empty object if it has none."""
    if not isinstance(call.content, str):
        raise BridgeError(ErrorCode.CALL_SCHEMA, "the arguments are not one text", path="")
    if not call.content.strip():
        return {}
    try:
        return jsontext.loads(call.content)
    except BridgeError as error:
        raise BridgeError(ErrorCode.CALL_SCHEMA, f"the arguments cannot be read: {error.message}", path="") from error


def _without_deadline(arguments: Json, schema: Json) -> Json:
    declared: Json = cast("dict[str, Json]", schema).get("properties") if isinstance(schema, dict) else None
    if not isinstance(arguments, dict) or (isinstance(declared, dict) and DEADLINE in declared):
        return cast("Json", arguments)
    return {key: value for key, value in cast("dict[str, Json]", arguments).items() if key != DEADLINE}


def _validate(compiled: _Compiled, arguments: Json) -> None:
    from jsonschema_rs import ValidationError

    argument_size = size(arguments)
    steps = effort(compiled.schema, arguments, _STEPS + _STEPS_PER_SIZE * argument_size)
    if steps is None or not (compiled.linear or _is_short(arguments)):
        raise BridgeError(ErrorCode.LIMIT, "checking these arguments would take too long", path="")
    try:
        if compiled.validator.is_valid(arguments):
            return
        if steps <= _EXPLAINED + _EXPLAINED_PER_SIZE * argument_size:
            compiled.validator.validate(arguments)
    except ValidationError as error:
        if type(error.kind).__name__ == "BacktrackLimitExceeded":
            raise BridgeError(
                ErrorCode.LIMIT, "a pattern would take too long", path=_pointer(error.instance_path)
            ) from error
        raise BridgeError(ErrorCode.CALL_SCHEMA, error.message, path=_pointer(error.instance_path)) from error
    except ValueError as error:
        raise BridgeError(ErrorCode.CALL_SCHEMA, f"the arguments cannot be checked: {error}", path="") from error
    raise BridgeError(
        ErrorCode.CALL_SCHEMA, "the arguments do not fit the schema; finding the place would take too long", path=""
    )


def _is_short(arguments: Json) -> bool:
    """Return whether all strings in a value are short."""
    return not any(isinstance(part, str) and len(part) > _SHORT for part in parts(arguments))
