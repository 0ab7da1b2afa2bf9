"""How to read or write: the options that every adapter takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from .errors import BridgeError, ErrorCode

Policy = Literal["neutralise", "refuse", "raw"]


Reasoning = Literal["reasoning", "reasoning_content"]
Unsigned = Literal["leave-out", "keep"]
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "control_tokens": get_args(Policy),
    "reasoning": get_args(Reasoning),
    "unsigned": get_args(Unsigned),
}


@dataclass(frozen=True, slots=True)
class Options:
    """How to read or write. Every adapter takes all of them and uses those that concern it.

    Attributes:
        dialect: the dialect to write; None for the source's own where the format is the same, else the default one.
        control_tokens: what to do with control tokens in content, in text formats that have no escape.
        bos: the token to begin an OCM 0.1 text with ("" for none); None for the dialect's.
        eos: the token to end it with.
        reasoning: the key that OpenAI messages get private reasoning under.
        unsigned: what becomes of private reasoning without a signature in Anthropic Messages, whose own API refuses it
            while other servers take it.
        training: end the last final message as a model is trained to end it (Harmony's `<|return|>`). By a profile:
            write a line to train on in place of a prompt.
        force_format: read a source in the format that was named, however certain it is that it is something else.
        special_tokens: more special tokens of the model's vocabulary, which content must not make: `control_tokens`
            holds for them, in text formats that have no escape. Who reads the output is told the same ones.
        plans: whether what a unit looks like is remembered. The result is the same without; it takes longer.

    Raises:
        BridgeError: OCB-OPTION for a word that `control_tokens`, `reasoning` or `unsigned` does not know, and for a
            special token that cannot be broken.
    """

    dialect: str | None = None
    control_tokens: Policy = "neutralise"
    bos: str | None = None
    eos: str | None = None
    reasoning: Reasoning = "reasoning"
    unsigned: Unsigned = "leave-out"
    training: bool = False
    force_format: bool = False
    special_tokens: tuple[str, ...] = ()
    plans: bool = True

    def __post_init__(self) -> None:
        """Refuse words that nobody knows: they would be passed over without one."""
        for name, known in _WORDS.items():
            if (word := getattr(self, name)) not in known:
                raise BridgeError(ErrorCode.OPTION, f"{name} knows no {word!r}; it knows {', '.join(known)}")
        if self.special_tokens:
            _check_tokens(self.special_tokens)


def _check_tokens(tokens: object) -> None:
    if not isinstance(tokens, tuple):
        raise BridgeError(ErrorCode.OPTION, f"special_tokens is a tuple of strings, not {tokens!r:.40}")
    for token in cast("tuple[object, ...]", tokens):
        if not isinstance(token, str) or not 2 <= len(token) <= LONGEST_TOKEN or _BREAK in token:
            what = f"2 to {LONGEST_TOKEN} characters, without U+200B"
            raise BridgeError(ErrorCode.OPTION, f"a special token is a string of {what}, not {token!r:.40}")


LONGEST_TOKEN: Final = 128
"""The longest special token that an option can name, in characters."""
_BREAK: Final = "\u200b"


DEFAULT = Options()
