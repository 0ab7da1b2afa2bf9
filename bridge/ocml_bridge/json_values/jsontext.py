"""JSON in and out, and the raw text of JSON values.

Reading is orjson's. What it would pass over in silence (a key that stands twice, of which it keeps the last; a large
integer, which it rounds) is found by a second look: most of what is sent is the same bytes when it is written again,
and the rest is parsed by jiter, which takes no key twice and keeps integers. What these refuse though JSON allows it
(halves of surrogate pairs as escapes, deep nesting) goes through the standard library.
"""

from __future__ import annotations

import codecs
import json
import re
from functools import partial
from math import isinf
from typing import Any, Final, NamedTuple, NoReturn, cast

import jiter
import orjson

from ..errors import BridgeError, ErrorCode
from ..model import Json

MAX_DEPTH: Final = 254
"""How deep JSON may nest; deeper is refused rather than risked. It is as deep as orjson writes."""

_DEPTH: Final = re.compile("recursion|depth", re.IGNORECASE)
"""What orjson calls it when JSON nests too deep, in its old and its new words."""
_BEYOND_ORJSON: Final = re.compile(rb"\\u[dD][89a-fA-F]|(?<![0-9])[0-9]{309}")
"""What orjson refuses though it is JSON: half of a surrogate pair as an escape, an integer that no float holds."""
_SPACE_BEHIND_KEY: Final = b'": '
_BEGINNING: Final = 100
"""How much of a text shows that it is not spelled without white space."""
_parse: Final = partial(jiter.from_json, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


class _DuplicateKeyError(ValueError):
    pass


class _NoNumberError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
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
    """How deep a value nests, as far as it matters."""
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
        BridgeError: OCB-JSON for what is not JSON, repeats a key, or has a number that a float would hold as infinite;
            OCB-LIMIT for what nests deeper than `MAX_DEPTH` or has an integer too long to hold; with the offset in
            characters where it is known.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        if _DEPTH.search(error.msg):
            raise _too_deep() from error
        if _BEYOND_ORJSON.search(raw):
            return _loads_exactly(data)
        what = _PLAIN.get(error.msg, error.msg)
        if not error.doc[error.pos :].strip():
            what = "the text ends in the middle of a value" if error.doc.strip() else "the text is empty"
        raise BridgeError(ErrorCode.JSON, f"not JSON: {what}", offset=error.pos) from error
    try:
        # Behind a whole value there can be nothing but white space, such as the line break at the end of a file.
        is_compact = _SPACE_BEHIND_KEY not in raw[:_BEGINNING] and raw.startswith(orjson.dumps(value))
        return value if is_compact else _parse(raw)
    except (orjson.JSONEncodeError, ValueError):
        return _loads_exactly(data)


_PLAIN: Final = {
    "unexpected content after document": "a second value begins here; write one value, or one on each line",
    "unexpected control character in string": "a string has a line break or a tab in it; write those as \\n and \\t",
}
"""Errors of the library that do not say what to do → sentences that do."""


def known(data: bytes) -> Json:
    """The value of JSON text that was parsed before; large integers are rounded. None where it was mended then."""
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
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value = json.loads(text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BridgeError(ErrorCode.JSON, f"not JSON: {error.msg}", offset=error.pos) from error
    except UnicodeDecodeError as error:
        raise BridgeError(ErrorCode.JSON, "not JSON: not UTF-8", offset=error.start) from error
    except _DuplicateKeyError as error:
        raise BridgeError(ErrorCode.JSON, f"{error}; remove one of them") from error
    except _NoNumberError as error:
        raise BridgeError(ErrorCode.JSON, f"not JSON: {error}") from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise BridgeError(ErrorCode.LIMIT, "a number has too many digits") from error
    if _depth(value) > MAX_DEPTH:
        raise _too_deep()
    return value


def too_deep(value: Json) -> bool:
    """Whether a value nests deeper than we read."""
    return _depth(value) > MAX_DEPTH


class Lines(list[Json]):
    """The values of a JSON lines document; a list, so that a reader may take it for one."""


def loads_lines(text: str) -> Lines | None:
    """Parse JSON lines; None where the text is not two lines of JSON at least.

    Raises:
        BridgeError: as `loads`, with line and column, for a line that is not JSON where the first one is.
    """
    lines = text.split("\n")
    if sum(1 for line in lines if line.strip()) < 2:
        return None
    out, offset = Lines(), 0
    for line in lines:
        if line.strip():
            try:
                out.append(loads(line))
            except BridgeError as error:
                if not out:
                    return None
                error.offset = offset + (error.offset or 0)
                raise error.locate(text) from error.__cause__
        offset += len(line) + 1
    return out


# Possessive, and what does not end is taken to the end: each character is looked at once, and nothing is remembered.
COMMENT: Final = re.compile(
    r"""
    (?P<text> (?: "(?:[^"\\]++|\\.)*+"?+ | [^"/]++ | /(?![/*]) )++ )
    | //[^\n]*+
    | /\*(?:[^*]++|\*(?!/))*+ (?: \*/ | (?P<endless>\Z) )
    """,
    re.DOTALL | re.VERBOSE,
)


def without_comments(text: str) -> str | None:
    """JSON text with its `//` and `/* */` comments blanked out; None where what is left still is not JSON."""
    bare = COMMENT.sub(lambda found: found[0] if found.lastgroup else " " * len(found[0]), text)
    return bare if bare != text and parse(bare) is not None else None


def _too_deep() -> BridgeError:
    return BridgeError(ErrorCode.LIMIT, f"JSON nested deeper than {MAX_DEPTH} levels")


def dumps(value: Json, *, pretty: bool = False) -> bytes:
    """Write JSON as UTF-8: compact, or indented by two; what UTF-8 cannot hold is escaped."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    except (orjson.JSONEncodeError, TypeError):
        layout: dict[str, Any] = {"indent": 2} if pretty else {"separators": (",", ":")}
        try:
            return json.dumps(value, ensure_ascii=False, **layout).encode()
        except UnicodeEncodeError:
            return json.dumps(value, **layout).encode()


class Span(NamedTuple):
    """A JSON value and the text it was written as."""

    value: Json
    raw: str


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_SPACES: Final = frozenset(" \t\r\n")
_KEY: Final = re.compile(r'"([^"\\\x00-\x1f]*)"')
"""A text without escapes."""


def _skip(text: str, at: int) -> int:
    if text[at : at + 1] not in _SPACES:  # as most places are: a match takes three times as long
        return at
    return cast("re.Match[str]", _SPACE.match(text, at)).end()


class Unplaced(str):
    """Text in which many places are tried for JSON: what is not JSON costs no counting of lines.

    The standard library counts the lines of the whole text before the place for each error that it raises.
    """

    __slots__ = ()

    def count(self, *_: object) -> int:
        """No lines: nobody asks for the place of these errors."""
        return 0

    def rfind(self, *_: object) -> int:
        """No line before: as `count`."""
        return -1


def value_at(text: str, at: int = 0) -> tuple[Json, int] | None:
    """The JSON value at `at` (white space is skipped) and the offset behind it; None where there is none.

    What nests deeper than `MAX_DEPTH` is none.
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


def parsed_as_written(text: str) -> Span | None:
    """The whole of a text as the JSON value that `text_of` gives it back for; None where that takes a closer look."""
    raw = text.encode("utf-8", "surrogatepass")
    try:
        value = orjson.loads(raw)
        return Span(value, text) if orjson.dumps(value) == raw else None
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None


def parse(text: str) -> Span | None:
    """The whole of `text` as one JSON value; None where it is not one."""
    if '": ' not in text and (compact := parsed_as_written(text)) is not None:
        return compact
    try:
        return Span(_parse(text.encode("utf-8", "surrogatepass")), text)
    except ValueError:
        found = value_at(text)
    if found is None or _skip(text, found[1]) != len(text):
        return None
    return Span(found[0], text)


def members(text: str, at: int = 0) -> tuple[dict[str, Span], int] | None:
    """The members of the JSON object at `at`, each with its raw text, and the offset behind the object.

    None where no object begins there, where it is broken, or where it repeats a key.
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
    """JSON in the spelling that the specifications use in their examples: `", "` and `": "`, non-ASCII kept."""
    return _SPACED.encode(value)


def respaced(text: str) -> str | None:
    """JSON that is spelled as `spaced` or without white space, as `spaced`; None for what is spelled otherwise."""
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
    """JSON without white space, non-ASCII kept."""
    return _COMPACT.encode(value)


def exactly_compact(value: Json) -> str | None:
    """A value as compact JSON; None where that does not give the value back."""
    if too_deep(value):
        return None
    text = compact(value)
    return text if parse(text) is not None else None


def parsed_compact(text: str) -> Json:
    """The value that a text is the compact JSON of; the text itself where there is none, or none worth parsing."""
    span = parse(text)
    if span is None or isinstance(span.value, str) or span.value is None or exactly_compact(span.value) != text:
        return text
    return span.value


def text_of(value: Json) -> str | None:
    """A value as compact JSON, with numbers in their shortest spelling; None where that does not give it back."""
    try:
        data = orjson.dumps(value)
        if b"null" not in data or orjson.loads(data) == value:  # a number that is none becomes null there
            return data.decode()
    except (orjson.JSONEncodeError, TypeError):
        pass
    if too_deep(value):
        return None
    text = compact(value)
    return text if parse(text) is not None else None


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: `json.dumps` makes a new one each time, which takes longer than a number does."""
_SPACED: Final = json.JSONEncoder(ensure_ascii=False)
