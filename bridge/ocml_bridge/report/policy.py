"""Which losses a conversion may have: one value for `convert`, `batch` and the gateway."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..common.suggestions import did_you_mean, with_choices
from ..errors import BridgeError, ErrorCode
from ..loss import CLASSES, Finding, Loss, LossClass, LossCode, Severity

NAMES: Final = (*LossClass, *(code for code in LossCode if code not in frozenset(map(str, LossClass))))
"""What a policy can name: classes, then codes. `content` is the class, and the code in it."""
REFUSED_BY_DEFAULT: Final = (LossCode.EMPTIED, LossCode.ALTERNATIVES)
"""What is refused unless it is allowed: text that comes out empty, and whole answers that are left out."""


@dataclass(frozen=True, slots=True)
class LossPolicy:
    """Which losses are allowed and which are refused.

    The most particular name decides: a loss's code before its class, and its class before what holds for losses that
    nothing names. Those are allowed, but for `REFUSED_BY_DEFAULT`; a strict conversion refuses them all. Layout is
    never refused.

    Attributes:
        allow: codes and classes of losses that are allowed.
        refuse: codes and classes of losses that are refused.

    Raises:
        BridgeError: OCB-OPTION for a name that is neither, and for one that is in both.
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
        """The codes of the losses that are not allowed, unless they are of layout."""
        return _refusable(self, strict)

    def refused(self, losses: Iterable[Loss], *, strict: bool = False) -> list[Loss]:
        """The losses that are not allowed, in order."""
        codes = self.refusable(strict=strict)
        return [loss for loss in losses if loss.code in codes and loss.severity is not Severity.LAYOUT]

    def check(self, losses: Sequence[Loss], *, strict: bool = False) -> None:
        """Refuse losses that are not allowed.

        Args:
            losses: what a conversion loses.
            strict: whether losses that nothing names are refused.

        Raises:
            BridgeError: OCB-EMPTIED where a message is emptied, else OCB-LOSS, with the path of the first.
        """
        if refused := self.refused(losses, strict=strict):
            raise refusal(refused)


@lru_cache
def _refusable(policy: LossPolicy, strict: bool) -> frozenset[LossCode]:
    return frozenset(code for code in LossCode if _refuses(policy, code, strict))


def _refuses(policy: LossPolicy, code: LossCode, strict: bool) -> bool:
    for name in (code, CLASSES[code]):
        if name in policy.refuse:
            return True
        if name in policy.allow:
            return False
    return strict or code in REFUSED_BY_DEFAULT


DEFAULT_POLICY: Final = LossPolicy()
"""Everything is allowed but `REFUSED_BY_DEFAULT`."""
LENIENT: Final = LossPolicy(allow=tuple(map(str, LossClass)))
"""Everything is allowed."""


def refusal(notes: Sequence[Loss | Finding]) -> BridgeError:
    """The error that refuses what findings or losses (one at least) are about; for the caller to raise."""
    first = next((note for note in notes if note.code is LossCode.EMPTIED), notes[0])
    more = f" (and {len(notes) - 1} more)" if len(notes) > 1 else ""
    codes = dict.fromkeys(note.code for note in notes)
    if codes.keys() <= {*REFUSED_BY_DEFAULT}:
        message = f"{first.detail}{more}; --allow {','.join(codes)} writes the rest"
    else:
        message = f"{first.severity} {first.code}: {first.detail}{more}"
    error = BridgeError(_ERRORS.get(first.code, ErrorCode.LOSS), message, path=first.path)
    error.refused = True
    return error


_ERRORS: Final[dict[str, ErrorCode]] = {LossCode.EMPTIED: ErrorCode.EMPTIED, **{code: code for code in ErrorCode}}
"""Losses and findings that have an error's code of their own."""
