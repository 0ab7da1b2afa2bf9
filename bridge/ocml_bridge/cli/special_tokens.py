"""Define `--special-tokens FILE`: the special tokens of a model, in lists and tokenizers' files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

import click

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Options
from ..json_values import jsontext
from ..model import Json
from .output import STANDARD, about, read_bytes
from .parameters import FILE, Command

_HELP: Final = (
    "Read more special tokens that content must not contain: one a line, a JSON list, or a tokenizer's JSON file."
)


def special_tokens_option(command: Command) -> Command:
    """Add the option for more special tokens; the command gets them as a tuple."""
    return click.option("--special-tokens", type=FILE, metavar="FILE", callback=_read, help=_HELP)(command)


def _read(_context: click.Context, _option: click.Parameter, name: str | None) -> tuple[str, ...]:
    if name is None:
        return ()
    if name == STANDARD:
        raise BridgeError(
            ErrorCode.OPTION, "--special-tokens is read from a file, not from standard input; name a file"
        )
    data = read_bytes(name)
    with about(name):
        tokens = tuple(dict.fromkeys(parse(data)))
        if not tokens:
            raise BridgeError(ErrorCode.OPTION, f"--special-tokens: the file has no token in it; {_FORMS}")
        return Options(special_tokens=tokens).special_tokens


_FORMS: Final = (
    "give one token a line, a JSON list of strings, or a model's tokenizer.json, tokenizer_config.json or "
    "special_tokens_map.json"
)


def parse(data: bytes) -> list[str]:
    """Return the tokens in a file.

    Args:
        data: lines, a JSON list of strings, or the JSON of a Hugging Face tokenizer, whose special tokens are taken.

    Raises:
        BridgeError: OCB-OPTION if it is none of them.
    """
    try:
        value: Json = jsontext.loads(data)
    except BridgeError:
        value = None
    if isinstance(value, dict):
        return list(_of_tokenizer(cast("dict[str, Any]", value)))
    if isinstance(value, list):
        tokens = cast("list[Any]", value)
        if all(isinstance(token, str) for token in tokens):
            return tokens
        raise BridgeError(ErrorCode.OPTION, f"--special-tokens: the list must hold strings only; {_FORMS}")
    try:
        return [line for line in data.decode("utf-8-sig").splitlines() if line]
    except UnicodeDecodeError as error:
        raise BridgeError(ErrorCode.OPTION, f"--special-tokens: the file is not UTF-8; {_FORMS}") from error


def _of_tokenizer(members: dict[str, Any]) -> Iterator[str]:
    for key, value in members.items():
        if key == "added_tokens" and isinstance(value, list):
            yield from _special(cast("list[Any]", value))
        elif key == "added_tokens_decoder" and isinstance(value, dict):
            yield from _special(list(cast("dict[str, Any]", value).values()))
        elif key in _NAMED or key.endswith("_token"):
            yield from _spellings(value)


_NAMED: Final = frozenset({"additional_special_tokens", "extra_special_tokens"})


def _special(tokens: list[Any]) -> Iterator[str]:
    """Return those of added tokens that are marked as special."""
    for token in tokens:
        if isinstance(token, dict) and cast("dict[str, Any]", token).get("special") is True:
            yield from _spellings(token)


def _spellings(value: Any) -> Iterator[str]:
    """Return the tokens of a value: a string, an object with `content`, or several of them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        for item in [named["content"]] if "content" in named else named.values():
            yield from _spellings(item)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _spellings(item)
