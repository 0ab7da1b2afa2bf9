"""Check that control tokens in contents are refused if the options say so, and that named ones are broken."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from .. import registry
from ..convert import write
from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Adapter, Kind, Options
from ..loss import LossCode
from ..model import Message, Transcript
from ..report.policy import LENIENT
from .trial import Trial

FOREIGN: Final = "<|token-of-the-test-kit|>"
"""A token that no format has."""


def refusal(trial: Trial) -> None:
    """Law 13: a token in a content that is broken by the default policy is an error by the policy `refuse`.

    The policy is for text formats; ShareGPT, which is JSON, breaks markup in contents whatever the policy.
    """
    is_text = registry.adapter(trial.target)[0].kind is Kind.TEXT
    if not is_text or trial.options.control_tokens != "neutralise":
        return
    broken = [loss for loss in trial.result.losses if loss.code is LossCode.CONTROL_TOKEN]
    if not broken:
        return
    try:
        write(trial.document, trial.target, options=replace(trial.options, control_tokens="refuse"), policy=LENIENT)
    except BridgeError as error:
        if error.code is ErrorCode.CONTROL_TOKEN:
            return
        raise
    problem = (
        f"Options(control_tokens='refuse') is ignored at {broken[0].path}: no OCB-CONTROL-TOKEN is raised; "
        "give ControlTokens.guard the policy of the options, `self.options.control_tokens`"
    )
    raise trial.broken("voice", [problem])


def own_tokens(adapter: Adapter) -> Sequence[str]:
    """Return the special tokens that an adapter names: those of its `frame_tokens` and of its `frame_marks`."""
    marks, named = adapter.frame_marks, adapter.frame_tokens
    return (*(marks.starts + marks.ends if marks else ()), *(named() if named else ()))


def others_are_broken(adapter: str | Adapter) -> None:
    """Check that tokens which the options name are broken, in a text format that breaks its own.

    Args:
        adapter: a format id, or an adapter that need not be registered.
    """
    found, _ = registry.adapter(adapter)
    if found.kind is Kind.TEXT and not own_tokens(found):
        missing = f"{found.id} names neither frame_tokens nor frame_marks: law 13 is not checked"
        warnings.warn(missing, stacklevel=3)
    if found.kind is not Kind.TEXT or not any(_breaks(found, token, Options()) for token in own_tokens(found)):
        return
    assert _breaks(found, FOREIGN, Options(special_tokens=(FOREIGN,))), (
        f"{found.id} breaks its own tokens in contents, and not the token {FOREIGN} that Options(special_tokens=…) "
        "names; set the adapter's added_tokens to other_tokens(TOKENS), where TOKENS are its ControlTokens"
    )


def _breaks(adapter: Adapter, token: str, options: Options) -> bool:
    """Return whether the writer reports that a token in a content is broken."""
    document = Transcript((Message("user", f"a{token}b"),))
    losses = write(document, adapter, options=options, policy=LENIENT).losses
    return any(loss.code is LossCode.CONTROL_TOKEN for loss in losses)
