"""Mark texts that a reader would take for something else, for text formats that tell a call from a text by its look.

Llama 3 writes a call as JSON with a name and parameters, and nothing else shows that it is a call. So a writer puts
U+200B (zero width space) before a text that looks like that, and the reader removes it. A text that begins with such a
mark already gets one more, so that reading gives back what was written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..errors import BridgeError, ErrorCode
from ..formats.adapter import Policy
from ..loss import Log, LossCode, Severity
from .control import BREAK


class Lookalikes:
    """The texts that a format's reader would take for something else, such as a call.

    Args:
        looks: returns whether the reader would take a text for that. The text does not begin with U+200B.
        what: what that is, for the report: `a call`.
    """

    def __init__(self, looks: Callable[[str], bool], what: str) -> None:
        self._looks: Final = looks
        self._what: Final = what

    def is_free(self, text: str) -> bool:
        """Return whether `guard` returns a text unchanged."""
        return not self._looks(text.lstrip(BREAK))

    def restore(self, text: str) -> str:
        """Return content as it was before `guard` marked it."""
        return text if not text.startswith(BREAK) or self.is_free(text) else text[1:]

    def guard(self, text: str, policy: Policy, path: str, log: Log) -> str:
        """Return content as the policy allows it in the output, and report a loss if it looks like something else.

        Args:
            text: the content.
            policy: whether such a text is marked, written as it is, or refused.
            path: the JSON pointer of the content, for the report.
            log: receives the loss.

        Raises:
            BridgeError: OCB-CONTROL-TOKEN if the policy is to refuse such a text.
        """
        if self.is_free(text):
            return text
        if policy == "refuse":
            detail = f"the content would be read as {self._what}; use --control-tokens neutralise, or another format"
            raise BridgeError(ErrorCode.CONTROL_TOKEN, detail, path=path)
        if policy == "raw":
            detail = f"the content at {path} is written as it is and may be read as {self._what}"
            log.lose(LossCode.CONTROL_TOKEN, "", detail, Severity.CHANGED)
            return text
        detail = f"U+200B before the content shows that it is not {self._what}"
        log.lose(LossCode.CONTROL_TOKEN, path, detail, Severity.CHANGED)
        return BREAK + text
