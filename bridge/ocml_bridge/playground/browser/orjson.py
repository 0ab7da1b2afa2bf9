"""What this package asks of orjson, made of the standard library and pydantic-core.

For browsers alone: no registry has a wheel of orjson for them. Reading refuses what orjson refuses, at the same place
and in the standard library's words; what is written is the same bytes.
"""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, Final, NoReturn

import pydantic_core

__version__ = "0"

JSONDecodeError = json.JSONDecodeError
JSONEncodeError = TypeError
OPT_INDENT_2: Final = 1

_HALF: Final = re.compile("[\ud800-\udfff]")


class _NotJsonError(ValueError):
    """A value that the standard library takes and JSON does not have."""


def _refuse(name: str) -> NoReturn:
    raise _NotJsonError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise _NotJsonError("number is infinity when parsed as double")
    return number


_DECODER: Final = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)


def loads(data: bytes | str) -> Any:
    """Parse JSON.

    Raises:
        JSONDecodeError: where it is none.
    """
    try:
        text = data if isinstance(data, str) else data.decode()
    except UnicodeDecodeError as error:
        raise JSONDecodeError("str is not valid UTF-8: surrogates not allowed", "", 0) from error
    if text.startswith("\ufeff"):
        raise JSONDecodeError("UTF-8 byte order mark (BOM) is not supported", text, 0)
    try:
        value = _DECODER.decode(text)
    except RecursionError as error:
        raise JSONDecodeError("recursion limit exceeded", text, 0) from error
    except _NotJsonError as error:
        raise JSONDecodeError(str(error), text, 0) from error
    if "\\u" in text and _HALF.search(_strings(value)):
        raise JSONDecodeError("no low surrogate in string", text, max(0, text.find("\\u")))
    return value


def _strings(value: Any) -> str:
    """All strings of a value, keys too."""
    return json.dumps(value, ensure_ascii=False)


def dumps(value: Any, *, option: int | None = None) -> bytes:
    """Write JSON, compact or indented by two.

    Raises:
        JSONEncodeError: for what JSON or UTF-8 cannot hold.
    """
    try:
        return pydantic_core.to_json(value, indent=2 if option == OPT_INDENT_2 else None, inf_nan_mode="null")
    except (ValueError, RecursionError) as error:
        raise JSONEncodeError(str(error)) from error
