"""Define which losses a conversion may have: one policy for `convert`, `batch` and the gateway."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..common.suggestions import did_you_mean, with_choices
from ..errors import BridgeError, ErrorCode
from ..loss import CLASSES, Finding, Loss, LossClass, LossCode, Severity

NAMES: Final = (*LossClass, *(code for code in LossCode if code not in frozenset(map(str, LossClass))))
"""The names that a policy can have: classes, then codes. `content` is a class that contains the code `content`."""
REFUSED_BY_DEFAULT: Final = (LossCode.EMPTIED, LossCode.ALTERNATIVES)
"""Losses that are refused unless a policy allows them: text that becomes empty, and whole answers that are left out."""


@dataclass(frozen=True, slots=True)
class LossPolicy:
    """Which losses are allowed and which are refused.

    The most specific name decides: the code of a loss before its class, and its class before the default. By default,
    all losses are allowed except `REFUSED_BY_DEFAULT`; in a strict conversion, none is. Losses with the severity
    `layout` are never refused.

    Attributes:
        allow: codes and classes of losses that are allowed.
        refuse: codes and classes of losses that are refused.

    Raises:
        BridgeError: OCB-OPTION for an unknown name, and for a name in both `allow` and `refuse`.
    """

    allow: tuple[str, ...] = ()
    refuse: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in (*self.allow, *self.refuse):
            if name not in NAMES:
                choices = with_choices(did_you_mean(name, NAMES), f"there are: {', '.join(NAMES)}")
                raise BridgeError(ErrorCode.OPTION, f"there is no class or code of losses {name!r}{choices}")
            if name in self.allow and name in self.refuse:
                raise BridgeError(ErrorCode.OPTION, f"{name!r} cannot be both allowed and refused")

    def refusable(self, *, strict: bool = False) -> frozenset[LossCode]:
        """Return the codes of the losses that are refused, unless their severity is `layout`."""
        return _refusable(self.allow, self.refuse, strict)

    def refused(self, losses: Iterable[Loss], *, strict: bool = False) -> list[Loss]:
        """Return the losses that are refused, in order."""
        codes = self.refusable(strict=strict)
        return [loss for loss in losses if loss.code in codes and loss.severity is not Severity.LAYOUT]

    def check(self, losses: Sequence[Loss], *, strict: bool = False) -> None:
        """Raise an error if any loss is refused.

        Args:
            losses: the losses of a conversion.
            strict: whether losses that the policy does not name are refused.

        Raises:
            BridgeError: OCB-EMPTIED if a message becomes empty, else OCB-LOSS, with the path of the first loss.
        """
        if refused := self.refused(losses, strict=strict):
            raise refusal(refused)


@lru_cache
def _refusable(allow: tuple[str, ...], refuse: tuple[str, ...], strict: bool) -> frozenset[LossCode]:
    def refuses(code: LossCode) -> bool:
        for name in (code, CLASSES[code]):
            if name in refuse:
                return True
            if name in allow:
                return False
        return strict or code in REFUSED_BY_DEFAULT

    return frozenset(filter(refuses, LossCode))


DEFAULT_POLICY: Final = LossPolicy()
"""Everything is allowed but `REFUSED_BY_DEFAULT`."""
LENIENT: Final = LossPolicy(allow=tuple(map(str, LossClass)))
"""Everything is allowed."""


def refusal(notes: Sequence[Loss | Finding]) -> BridgeError:
    """Return the error that refuses some losses or findings, for the caller to raise.

    Args:
        notes: the losses or findings, at least one.
    """
    first = next((note for note in notes if note.code is LossCode.EMPTIED), notes[0])
    more = f" (and {len(notes) - 1} more)" if len(notes) > 1 else ""
    codes = dict.fromkeys(note.code for note in notes)
    if codes.keys() <= {*REFUSED_BY_DEFAULT}:
        message = f"{first.detail}{more}; --allow {','.join(codes)} writes the rest"
    else:
        message = f"{first.severity} {first.code}: {first.detail}{more}"
    error = BridgeError(_ERRORS.get(first.code, ErrorCode.LOSS), message, path=first.path)
    error.refused, error.codes = True, tuple(map(str, codes))
    return error


_ERRORS: Final[dict[str, ErrorCode]] = {LossCode.EMPTIED: ErrorCode.EMPTIED, **{code: code for code in ErrorCode}}
"""The error codes of losses and findings that have one of their own."""
