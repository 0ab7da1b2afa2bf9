"""How to read or write: the options of every conversion, and those that a format declares for itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeVar, cast, get_args

from .errors import BridgeError, ErrorCode

Policy = Literal["neutralise", "refuse", "raw"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to read or write. Every adapter is given all of them and uses those that concern it.

    Attributes:
        dialect: the dialect to write; None for the source's own where the format is the same, else the default one.
        control_tokens: what to do with control tokens in content, in text formats that have no escape.
        training: end the last final message as a model is trained to end it (Harmony's `<|return|>`). By a profile:
            write a line to train on in place of a prompt.
        force_format: read a source in the format that was named, however certain it is that it is something else.
        special_tokens: more special tokens of the model's vocabulary, which content must not make: `control_tokens`
            holds for them, in text formats that have no escape. Who reads the output is told the same ones.
        plans: whether what a unit looks like is remembered. The result is the same without; it takes longer.
        format_options: the options that formats declare (`Adapter.options`), by name: `{"unsigned": "keep"}`. A
            conversion refuses a name that no format declares, and a value that the option does not take.

    Raises:
        BridgeError: OCB-OPTION for a word that `control_tokens` does not know, for a special token that cannot be
            broken, and for format options that are no strings by name.
    """

    dialect: str | None = None
    control_tokens: Policy = "neutralise"
    training: bool = False
    force_format: bool = False
    special_tokens: tuple[str, ...] = ()
    plans: bool = True
    format_options: Mapping[str, str] | tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse words that nobody knows: they would be passed over without one."""
        _check_word("control_tokens", self.control_tokens, get_args(Policy))
        if self.special_tokens:
            _check_tokens(self.special_tokens)
        if self.format_options != ():
            # A tuple can be hashed and sent to other processes, and nobody changes it behind the options.
            object.__setattr__(self, "format_options", _pairs(self.format_options))


_Default = TypeVar("_Default", str, None)


@dataclass(frozen=True, slots=True)
class FormatOption(Generic[_Default]):
    """An option that a format declares for itself, and reads with `of`.

    Attributes:
        name: what it is called in `Options.format_options`; behind two dashes, what the command calls it.
        help: what it does, in a sentence for the command.
        default: its value where none is given.
        choices: the values that it takes; empty where it takes any.
    """

    name: str
    help: str
    default: _Default
    choices: tuple[str, ...] = ()

    def of(self, options: Options) -> str | _Default:
        """Its value in some options.

        Raises:
            BridgeError: OCB-OPTION for a value that it does not take.
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
    """Format options by name, in the order of the names."""
    given = dict(options)
    for name, value in cast("dict[object, object]", given).items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise BridgeError(
                ErrorCode.OPTION, f"a format option must be a string with a name, not {name!r}: {value!r:.40}"
            )
    return tuple(sorted(given.items()))


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


DEFAULT = Options()
