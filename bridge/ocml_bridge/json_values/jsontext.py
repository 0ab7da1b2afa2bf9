"""Parse and write JSON strictly, and find JSON values with their raw text in longer texts.

Three parsers are used, the fastest first:

* orjson parses everything. It silently keeps the last of duplicate keys and rounds large integers. Neither happened if
  writing the value gives the same bytes, apart from white space.
* jiter parses the rest again: it refuses duplicate keys and keeps integers.
* The standard library parses what these refuse although JSON allows it: escapes of half surrogate pairs, and deep
  nesting.
"""

from __future__ import annotations

import codecs
import json
import re
from functools import partial
from math import isfinite, isinf
from typing import Any, Final, NamedTuple, NoReturn, cast

import jiter
import orjson

from ..errors import BridgeError, ErrorCode
from ..model import Json
from .sentences import sentence, too_many_digits

MAX_DEPTH: Final = 254
"""The maximum nesting depth of JSON, which is the one that orjson can write."""

_DEPTH: Final = re.compile("recursion|depth", re.IGNORECASE)
"""Matches orjson's error for JSON that nests too deep, in old and new versions."""
_BEYOND_ORJSON: Final = re.compile(rb"\\u[dD][89a-fA-F]|(?<![0-9])[0-9]{309}")
"""Matches JSON that orjson refuses: an escape of half a surrogate pair, an integer too large for a float."""
_SPACE_AFTER_KEY: Final = b'": '
_BEGINNING: Final = 100
"""The number of bytes that are searched for white space after a key: with it, the JSON is not compact."""
_BLANK: Final = b" \t\r\n"
_parse: Final = partial(jiter.from_json, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


class _DuplicateKeyError(ValueError):
    pass


class _NoNumberError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object from its members; raise an error if a key occurs twice."""
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKeyError(f"the key {key[:40]!r} is in one object twice")
            seen.add(key)
    return out


def _no_constant(name: str) -> NoReturn:
    raise _NoNumberError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise _NoNumberError(f"the number {digits[:40]} is too large")
    return number


_OBJECT: Final[Any] = dict
_NESTING: Final[Any] = (dict, list)


def _depth(value: Json) -> int:
    """Return the nesting depth of a value, or `MAX_DEPTH` + 1 if it is greater."""
    depth = 0
    level: list[Any] = [value] if isinstance(value, _NESTING) else []
    while level and depth <= MAX_DEPTH:
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, _OBJECT) else outer)
            if isinstance(item, _NESTING)
        ]
        depth += 1
    return depth


def loads(data: str | bytes) -> Json:
    """Parse JSON text, strictly.

    Raises:
        BridgeError: OCB-JSON if the text is not JSON, repeats a key, or has a number that is infinite as a float;
            OCB-LIMIT if it nests deeper than `MAX_DEPTH` or has an integer with too many digits; with the offset in
            characters if it is known.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if _DEPTH.search(error.msg):
            raise _too_deep() from error
        if _BEYOND_ORJSON.search(raw):
            return _loads_exactly(data)
        what = sentence(error.msg)
        if not error.doc[error.pos :].strip():
            what = "the text ends in the middle of a value" if error.doc.strip() else "the text is empty"
            if not error.doc and raw.strip():  # the library has no text to cite
                what = "the text is not UTF-8"
        raise BridgeError(ErrorCode.JSON, f"not JSON: {what}{_advice(error)}", offset=error.pos) from error
    try:
        return value if _is_exact(value, raw) else _parse(raw)
    except (orjson.JSONEncodeError, ValueError):
        return _loads_exactly(data)


def _advice(error: orjson.JSONDecodeError) -> str:
    """Return what to write in the place of values as Python writes them; "" for other mistakes."""
    start = max(error.pos - 1, 0)
    constant = _CONSTANT.search(error.doc, start, start + _BEGINNING)
    if constant is not None and constant.start() <= error.pos:
        return f"; in JSON, {constant[0]} is {_CONSTANTS[constant[0]]}"
    return "; strings of JSON have double quotes" if error.doc[error.pos : error.pos + 1] in _QUOTES else ""


_QUOTES: Final = ("'", "`", "“", "”", "„", "«")
"""Quotation marks with which people and editors begin strings."""


_CONSTANTS: Final = {**dict.fromkeys(("NaN", "Infinity", "None"), "null"), "True": "true", "False": "false"}
"""Constants of Python, and what JSON has for them."""
_CONSTANT: Final = re.compile("|".join(_CONSTANTS))


def _is_exact(value: Json, raw: bytes) -> bool:
    """Return whether a value was certainly parsed without a duplicate key and a rounded number.

    White space in strings is left out as well: without it, the same tokens follow each other in the same order.
    """
    written = orjson.dumps(value)
    if _SPACE_AFTER_KEY not in raw[:_BEGINNING]:
        # After the value there can only be white space, such as the line break at the end of a file.
        return raw.startswith(written)
    return _are_same_without_space(raw, written)


def _are_same_without_space(raw: bytes, written: bytes) -> bool:
    """Return whether JSON text and the compact JSON of its value are certainly equal but for white space."""
    has_escapes = raw.isascii() and not written.isascii()
    return not has_escapes and raw.translate(None, _BLANK) == written.translate(None, _BLANK)


def known(data: bytes) -> Json:
    """Parse JSON text again that was parsed before, without the strict checks; None if it was repaired then.

    Large integers may be rounded.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return loads(data)
    except BridgeError:
        return None


def _loads_exactly(data: str | bytes) -> Json:
    text = ""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BridgeError(ErrorCode.JSON, f"not JSON: {sentence(error.msg)}", offset=error.pos) from error
    except UnicodeDecodeError as error:
        raise BridgeError(ErrorCode.JSON, "not JSON: not UTF-8", offset=error.start) from error
    except _DuplicateKeyError as error:
        raise BridgeError(ErrorCode.JSON, f"{error}; remove one of them") from error
    except _NoNumberError as error:
        raise BridgeError(ErrorCode.JSON, f"not JSON: {error}") from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        message, offset = too_many_digits(text)
        raise BridgeError(ErrorCode.LIMIT, message, offset=offset) from error
    if _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def too_deep(value: Json) -> bool:
    """Return whether a value nests deeper than `MAX_DEPTH`."""
    return _depth(value) > MAX_DEPTH


def _too_deep() -> BridgeError:
    return BridgeError(ErrorCode.LIMIT, f"JSON nested deeper than {MAX_DEPTH} levels")


def dumps(value: Json, *, pretty: bool = False) -> bytes:
    """Write JSON as UTF-8, compact or indented by two spaces; half surrogate pairs are escaped."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    except (orjson.JSONEncodeError, TypeError):
        layout: dict[str, Any] = {"indent": 2} if pretty else {"separators": (",", ":")}
        try:
            return json.dumps(value, ensure_ascii=False, **layout).encode()
        except UnicodeEncodeError:
            return json.dumps(value, **layout).encode()


def as_text(value: Json) -> str:
    """Write JSON as `dumps` does, as a text."""
    return dumps(value).decode()


class Span(NamedTuple):
    """A JSON value and its raw text."""

    value: Json
    raw: str


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SPACES: Final = " \t\r\n"
_FIRST: Final = frozenset('{["-0123456789tfn')  # what a JSON value begins with
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]*)"')
"""Matches a string without escapes."""


def _skip(text: str, at: int) -> int:
    """Return the offset after white space."""
    if text[at : at + 1] not in _SPACES:  # Fast path: a match takes three times as long.
        return at
    return cast("re.Match[str]", _SPACE.match(text, at)).end()


class Unplaced(str):
    """A text for `value_at` at many offsets, of which most are not JSON.

    For every error, the standard library counts the lines of the text before its place, which would take quadratic
    time. In this text it counts none; nobody reads the places of these errors.
    """

    __slots__ = ()

    def count(self, *_: object) -> int:
        """Return 0, without counting."""
        return 0

    def rfind(self, *_: object) -> int:
        """Return -1, without searching."""
        return -1


def value_at(text: str, at: int = 0) -> tuple[Json, int] | None:
    """Parse the JSON value at an offset, after white space; return it and the offset after it.

    None if there is no JSON value, or if it nests deeper than `MAX_DEPTH`.
    """
    start = _skip(text, at)
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    raw = text[start:end]
    if raw.count("[") + raw.count("{") > MAX_DEPTH and too_deep(value):
        return None
    return value, end


def parsed_and_compact(text: str) -> tuple[Json, str] | None:
    """Parse a whole text, and return the value and its compact JSON as `text_of` writes it.

    None for a text with escapes, repeated keys or rounded numbers, and for one that is not JSON.
    """
    raw = text.encode("utf-8", "surrogatepass")
    try:
        value = orjson.loads(raw)
        written = orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    if written == raw:
        return value, text
    return (value, written.decode()) if _are_same_without_space(raw, written) else None


def parse(text: str) -> Span | None:
    """Parse a whole text as one JSON value; None if it is not JSON."""
    if text.lstrip(_SPACES)[:1] not in _FIRST:
        return None  # most texts are words, which three parsers would refuse
    if '": ' not in text and (parsed := parsed_and_compact(text)) is not None:
        return Span(parsed[0], text)
    try:
        return Span(_parse(text.encode("utf-8", "surrogatepass")), text)
    except ValueError:
        found = value_at(text)
    return None if found is None or _skip(text, found[1]) != len(text) else Span(found[0], text)


def members(text: str, at: int = 0) -> tuple[dict[str, Span], int] | None:
    """Parse the JSON object at an offset; return its members with their raw texts, and the offset after the object.

    None if there is no object, if it is malformed, or if it repeats a key.
    """
    at = _skip(text, at)
    if not text.startswith("{", at):
        return None
    out: dict[str, Span] = {}
    at = _skip(text, at + 1)
    if text.startswith("}", at):
        return out, at + 1
    while True:
        plain = _KEY.match(text, at)
        key = value_at(text, at) if plain is None else (plain[1], plain.end())
        if key is None or not isinstance(key[0], str) or key[0] in out:
            return None
        at = _skip(text, key[1])
        if not text.startswith(":", at):
            return None
        start = _skip(text, at + 1)
        value = value_at(text, start)
        if value is None:
            return None
        out[key[0]] = Span(value[0], text[start : value[1]])
        at = _skip(text, value[1])
        if text.startswith("}", at):
            return out, at + 1
        if not text.startswith(",", at):
            return None
        at = _skip(text, at + 1)


def spaced(value: Json) -> str:
    """Write JSON as in the examples of the specifications: with `", "` and `": "`, and without ASCII escapes."""
    return _SPACED.encode(value)


def respaced(text: str) -> str | None:
    """Return JSON text in the spelling of `spaced`; None if it is neither spelled so nor compact."""
    span = parse(text)
    if span is None:
        return None
    again = spaced(span.value)
    if again == text:
        return text
    try:
        return again if orjson.dumps(span.value) == text.encode() else None
    except (orjson.JSONEncodeError, UnicodeEncodeError):
        return None


def compact(value: Json) -> str:
    """Write JSON without white space, and without ASCII escapes."""
    return _COMPACT.encode(value)


def parsed_compact(text: str) -> Json:
    """Parse a text if it is the compact JSON of a value that is not a string or null; else return the text itself."""
    span = parse(text)
    if span is None or isinstance(span.value, str) or span.value is None or text_of(span.value) != text:
        return text
    return span.value


def text_of(value: Json) -> str | None:
    """Write a value as compact JSON, with the shortest spelling of numbers; None if it is not valid JSON."""
    try:
        data = orjson.dumps(value)
        if b"null" not in data or orjson.loads(data) == value:  # orjson writes NaN and infinity as null.
            return data.decode()
    except (orjson.JSONEncodeError, TypeError):
        pass
    if too_deep(value):
        return None
    text = _exact(value)
    return text if parse(text) is not None else None


def _exact(value: Any) -> str:
    """Write what orjson refuses, such as large integers and halves of surrogate pairs, and the rest as orjson does."""
    if isinstance(value, dict):
        members = [f"{compact(key)}:{_exact(member)}" for key, member in cast("dict[str, Any]", value).items()]
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_exact, cast("list[Any]", value))) + "]"
    return orjson.dumps(value).decode() if isinstance(value, float) and isfinite(value) else compact(value)


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once, because `json.dumps` makes a new encoder each time, which takes longer than writing a number."""
_SPACED: Final = json.JSONEncoder(ensure_ascii=False)
