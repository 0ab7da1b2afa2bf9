"""Define the options of a conversion, and the type of the options that a format declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar, cast, get_args

from .errors import BridgeError, ErrorCode

Policy = Literal["neutralise", "refuse", "raw"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to read or write. Every adapter gets all options and uses those that concern it.

    Attributes:
        dialect: the dialect to write; None for the dialect of the source if the format is the same, else for the
            format's default one.
        control_tokens: what to do with control tokens in content, in text formats that have no escape.
        training: end the last final message as a model is trained to end it (Harmony's `<|return|>`). A profile then
            writes a line to train on in place of a prompt.
        force_format: read a source in the named format even if detection is certain that it is in another one.
        special_tokens: more special tokens of the model's vocabulary, which content must not contain: `control_tokens`
            applies to them, in text formats that have no escape. Read the output with the same ones.
        plans: whether the engine caches plans. The result is the same without; it takes longer.
        format_options: the options that formats declare (`Adapter.options`), by name: `{"unsigned": "keep"}`. A
            conversion refuses a name that no format declares, and a value that the option does not allow.

    Raises:
        BridgeError: OCB-OPTION for an unknown value of `control_tokens`, for an invalid special token, and for format
            options whose names or values are not strings.
    """

    dialect: str | None = None
    control_tokens: Policy = "neutralise"
    training: bool = False
    force_format: bool = False
    special_tokens: tuple[str, ...] = ()
    plans: bool = True
    format_options: Mapping[str, str] | tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse invalid values, which would have no effect; make `format_options` a tuple."""
        _check_word("control_tokens", self.control_tokens, get_args(Policy))
        if self.special_tokens:
            _check_tokens(self.special_tokens)
        if self.format_options != ():
            # A tuple is immutable, can be hashed, and can be pickled for other processes.
            object.__setattr__(self, "format_options", _pairs(self.format_options))


_Default = TypeVar("_Default", str, None)


@dataclass(frozen=True, slots=True)
class FormatOption(Generic[_Default]):
    """An option that a format declares for itself, and reads with `of`.

    Attributes:
        name: its key in `Options.format_options`; the command's option is this name after two dashes.
        help: what it does, in a sentence for the command.
        default: its value if none is set.
        choices: the values that it allows; empty if it allows any.
    """

    name: str
    help: str
    default: _Default
    choices: tuple[str, ...] = ()

    def of(self, options: Options) -> str | _Default:
        """Return the value of this option in `options`, or the default.

        Raises:
            BridgeError: OCB-OPTION for a value that it does not allow.
        """
        if not options.format_options:
            return self.default
        value = dict(options.format_options).get(self.name)
        if value is None:
            return self.default
        if self.choices:
            _check_word(self.name, value, self.choices)
        return value


def _check_word(name: str, word: object, known: tuple[str, ...]) -> None:
    if word not in known:
        raise BridgeError(ErrorCode.OPTION, f"{name} cannot be {word!r}; it is one of {', '.join(known)}")


def _pairs(options: Mapping[str, str] | tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return format options as pairs, sorted by name.

    Raises:
        BridgeError: OCB-OPTION if a name or a value is not a string.
    """
    by_name = dict(options)
    for name, value in cast("dict[object, object]", by_name).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise BridgeError(
                ErrorCode.OPTION, f"a format option must be a string with a name, not {name!r}: {value!r:.40}"
            )
    return tuple(sorted(by_name.items()))


def _check_tokens(tokens: object) -> None:
    if not isinstance(tokens, tuple):
        raise BridgeError(ErrorCode.OPTION, f"special_tokens must be a tuple of strings, not {tokens!r:.40}")
    for token in cast("tuple[object, ...]", tokens):
        if not isinstance(token, str) or not 2 <= len(token) <= LONGEST_TOKEN or _BREAK in token:
            what = f"2 to {LONGEST_TOKEN} characters, without U+200B"
            raise BridgeError(ErrorCode.OPTION, f"a special token must be a string of {what}, not {token!r:.40}")


LONGEST_TOKEN: Final = 128
"""The longest special token that an option can name, in characters."""
_BREAK: Final = "\u200b"
"""The character that breaks a token in content; a token that contains it could not be broken."""


DEFAULT = Options()
